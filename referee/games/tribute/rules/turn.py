"""Draft, set-up, turns and end of the game (protocol, 4.1 to 4.3 and 4.10).

The whole game is one generator. It yields a question and receives the decision:

    a `Pick`                    the patron
    a `Choice` of cards         the indices of the chosen cards, ascending
    a `Choice` of an effect     0 or 1
    a list of `LegalAction`s    the index of the action

The rules don't know about requests. game.py creates those from the questions.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple, TypeAlias

from referee.games.interface.faults import EndReason
from referee.games.interface.table import moves_of
from referee.games.tribute.rules import effects, patrons
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.cards import TREASURY, Card, title_of
from referee.games.tribute.rules.effects import place_of
from referee.games.tribute.rules.table import (
    HAND_SIZE,
    Choice,
    Player,
    Table,
    as_set,
    cards_of,
    move,
    shown,
)

PRESTIGE_80, PRESTIGE_40, PATRON_FAVOUR = "prestige-80", "prestige-40", "patron-favour"
WINS_AT_ONCE, WINS_IF_AHEAD = 80, 40
DRAFT = (0, 1, 1, 0)
"""The seats, in the order in which they pick patrons."""
LegalAction: TypeAlias = tuple[str, Card | str | None]
"""The type of an action, and the card or patron that it uses, or None for end-turn."""
_END: LegalAction = (say.END_TURN, None)
GameResult: TypeAlias = tuple[str, Player | None]
"""The end reason of a game and its winner, or None if it's a draw."""


class Pick(NamedTuple):
    """Asks a seat to pick a patron in the draft."""

    seat: int
    round: int
    available: list[str]
    picked: list[str]


def play(
    table: Table, offered: Sequence[str], max_turns: int, max_actions: int
) -> Generator[Any, Any, GameResult]:
    """Play a game from the draft to its end."""
    yield from draft(table, offered)
    return (yield from play_on(table, max_turns, max_actions))


def draft(table: Table, offered: Sequence[str]) -> Generator[Any, Any, None]:
    """Ask for the patrons, and set up the table (4.1, 4.2)."""
    picked = table.picked
    for place, seat in enumerate(DRAFT):
        available = [patron for patron in offered if patron not in picked]
        pick = Pick(seat, place // 2 + 1, available, picked.copy())
        picked.append((yield pick))
        table.events.append(say.PatronPicked(table.players[seat].number, picked[-1], pick.round))
    table.seat_patrons()
    table.deal()
    show(table)


def show(table: Table) -> None:
    """Publish the table before the first turn."""
    table.events.append(
        say.TableSet(
            list(table.favours),
            [card.ref for card in table.row],
            as_set(table.deck),
            [as_set(player.owned()) for player in table.players],
        )
    )


def play_on(table: Table, max_turns: int, max_actions: int) -> Generator[Any, Any, GameResult]:
    """Play turns until the game ends."""
    while True:
        begin_turn(table)
        table.actions_left = max_actions
        end = yield from _rest_of_turn(table, None, max_turns)
        if end is not None:
            return end


def resume(
    table: Table, choice: Choice | None, max_turns: int, max_actions: int
) -> Generator[Any, Any, GameResult]:
    """Continue a game in the middle of a turn.

    If a choice is pending, the player has to make it first. Otherwise the next action is due.
    """
    end = yield from _rest_of_turn(table, choice, max_turns)
    return end or (yield from play_on(table, max_turns, max_actions))


def _rest_of_turn(
    table: Table, choice: Choice | None, max_turns: int
) -> Generator[Any, Any, GameResult | None]:
    # At the start of a turn, `choice` is None, and the queue only has the forced discards. A copied
    # game may get here with a pending choice.
    yield from effects.ask(table, choice)
    yield from effects.work_off(table)
    while True:
        now = legal(table)
        kind, thing = now[(yield now)]
        table.events.append(say.Acted(table.me.number, as_action(kind, thing)))
        if kind == say.END_TURN:
            break
        table.actions_left -= 1
        yield from _do(table, kind, thing)
    # The turn limit has been exceeded. We publish this end-turn, but don't carry it out (4.10).
    if table.turn > max_turns:
        return EndReason.TURN_LIMIT, None
    _note_missed(table, now)
    _clean_up(table)
    end = _end(table)
    if end is None:
        table.me, table.other = table.other, table.me
    return end


def begin_turn(table: Table) -> None:
    """Start the turn of `table.me`, and queue the discards that the opponent has forced."""
    me = table.me
    table.turn += 1
    me.turns += 1
    table.forget_combos()
    if table.favours.get(patrons.ANSEI) is me:
        me.coins += 1
    table.events.append(say.TurnStarted(table.turn, me.number, me.coins))
    table.queue.extend(table.discards)
    table.discards.clear()


def legal(table: Table) -> list[LegalAction]:
    """Return the legal actions, in the order that the protocol requires (5.2)."""
    # Without a limit on the number of actions, a turn could go on forever.
    if not table.actions_left:
        return [_END]
    me = table.me
    found: list[LegalAction] = [(say.PLAY_CARD, card) for card in me.hand]
    if me.agents:
        found += [(say.ACTIVATE_AGENT, agent) for agent in me.agents if not agent.activated]
    agents = table.other.agents
    if me.power > 0 and agents:
        taunting = [agent for agent in agents if agent.kind.taunt]
        found += [(say.ATTACK, agent) for agent in taunting or agents]
    coins = me.coins
    if coins > 0:
        found += [(say.BUY_CARD, card) for card in table.row if card.kind.cost <= coins]
    if me.calls > 0:
        called = [patron for patron in table.favours if patrons.can_call(table, patron)]
        found += [(say.CALL_PATRON, patron) for patron in called]
    found.append(_END)
    return found


def as_action(kind: str, thing: Any) -> say.Action:
    """Convert an action to the struct used in messages."""
    if thing is None:
        return say.Action(kind)
    if type(thing) is Card:
        return say.Action(kind, thing.uid)
    return say.Action(kind, patron=thing)


def _do(table: Table, kind: str, thing: Any) -> Generator[Any, Any, None]:
    me = table.me
    if kind in (say.PLAY_CARD, say.ACTIVATE_AGENT):
        if kind == say.ACTIVATE_AGENT:
            thing.activated = True
            if table.watchers:
                table.note(me.seat, [], "activates ", shown(thing))
        else:
            me.hand.remove(thing)
            if thing.kind.is_agent:
                thing = table.enter(thing)
            else:
                me.played.append(thing)
            if table.watchers:
                to = "agents" if thing.kind.is_agent else "played"
                table.note(me.seat, [move(me, thing, "hand", to)], "plays ", shown(thing))
        effects.count(table, thing)
        yield from effects.work_off(table)
    elif kind == say.ATTACK:
        damage = table.hit(thing)
        table.event("attack-agent", None, thing, damage)
        if table.watchers:
            table.note(me.seat, [], "attacks ", shown(thing), f" with {damage}")
        # hit() has already removed a dead agent, but the attack has to be published before that.
        if not thing.hp:
            table.event("agent-death", None, thing)
    elif kind == say.BUY_CARD:
        yield from _buy(table, thing)
    else:
        if table.watchers:
            table.note(me.seat, [], f"calls {title_of(thing)}")
        yield from effects.ask(table, patrons.call(table, thing))


def _buy(table: Table, card: Card) -> Generator[Any, Any, None]:
    """Buy a card of the row.

    The player pays and the row is refilled after the effects of a contract, but before the first
    choice if there is one (4.7). This looks odd, but we have to follow the engine, because a bot
    can see the difference in its request.
    """
    place = table.row.index(card)
    del table.row[place]
    table.me.made.bought.append(card.kind)

    if table.watchers:
        price = f" for {card.kind.cost} of {table.me.coins}"
        moves = [move(table.me, card, "row", place_of(card))]
        table.note(table.me.seat, moves, "buys ", shown(card), price, got=[card.kind.card])

    # work_off() calls this before the first choice, or at the end.
    def pay() -> None:
        table.refill(place)
        table.me.coins -= card.kind.cost

    acts = effects.settle(table, card)
    if acts is not None:
        effects.count(table, acts)
    yield from effects.work_off(table, pay)


def _note_missed(table: Table, now: list[LegalAction]) -> None:
    me, missed = table.me, table.me.made.missed
    kinds = {kind for kind, _ in now}
    missed["cards"] += say.PLAY_CARD in kinds
    missed["agents"] += say.ACTIVATE_AGENT in kinds
    missed["coins"] += say.BUY_CARD in kinds
    if say.CALL_PATRON in kinds:
        # If only one patron was missing, check whether calling it would have won the game.
        others = [p for p in table.picked if table.favours[p] is not me]
        if len(others) == 1 and (say.CALL_PATRON, others[0]) in now:
            missed["favour"] += patrons.favour_after(others[0], table.favours[others[0]], me) is me


def _clean_up(table: Table) -> None:
    me, other = table.me, table.other
    # Copy the list first, because hit() removes agents that die.
    for agent in [agent for agent in other.agents if agent.kind.taunt]:
        damage = table.hit(agent)
        if damage:
            table.event("agent-hit", None, agent, damage)
            me.made.missed["power"] += agent.hp > 0
    me.prestige += me.power
    me.made.power += me.power
    me.made.coins += me.coins
    me.coins = me.power = 0
    if table.watchers:
        from_hand = moves_of(me.seat, cards_of(me.hand), "hand", "cooldown")
        from_play = moves_of(me.seat, cards_of(me.played), "played", "cooldown")
        table.note(me.seat, [*from_play, *from_hand])
    discarded = me.hand + me.played
    me.cooldown += discarded
    me.hand, me.played = [], []
    prestige = [player.prestige for player in table.players]
    refs = [card.ref for card in discarded]
    table.events.append(say.TurnEnded(table.turn, me.number, refs, prestige))
    table.draw(me, HAND_SIZE)
    me.calls = 1
    for agent in me.agents:
        agent.activated = False


def _end(table: Table) -> GameResult | None:
    # Several of these conditions can be true. The rules say which of them counts (4.10).
    mover, other = table.me, table.other
    if mover.prestige >= WINS_AT_ONCE:
        return PRESTIGE_80, mover
    if all(favoured is mover for patron, favoured in table.favours.items() if patron != TREASURY):
        return PATRON_FAVOUR, mover
    if other.prestige >= WINS_IF_AHEAD and other.prestige > mover.prestige:
        return PRESTIGE_40, other
    return None
