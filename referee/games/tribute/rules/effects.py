"""The effects of cards, and the queue in which they wait (protocol, 4.4 and 7.1).

There's a function for each verb. It gets the table, the queued effect and the amount. If the player
has to decide something, the function returns a `Choice` and doesn't wait for the answer. This is
why we can copy a game while a choice is pending.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias

from referee.games.interface.sentence import listed
from referee.games.interface.table import moves_of
from referee.games.tribute.rules import patrons
from referee.games.tribute.rules.cards import (
    CONTRACT_ACTION,
    CONTRACT_AGENT,
    MORIHAUS,
    Card,
    Effect,
)
from referee.games.tribute.rules.messages import Chosen, Event
from referee.games.tribute.rules.table import (
    CREATIONS,
    LEVELS,
    Choice,
    Due,
    Table,
    cards_of,
    move,
    shown,
)

Decisions: TypeAlias = Generator[Any, Any, None]
"""Yields questions, and receives the player's decisions. turn.py has a list of both."""
OPP_DISCARD = "OPP_DISCARD"


def count(table: Table, card: Card) -> None:
    """Count a card towards its deck's combos, and queue the effects that this releases (4.4)."""
    deck = card.kind.deck
    lists = table.waiting.get(deck)
    if lists is None:
        lists = table.waiting[deck] = [[] for _ in range(LEVELS)]
    # First, put all effects of the card on the waiting list. Then release those that need no more
    # cards. The rest may be released by the next card of this deck.
    for level, entry in card.kind.entries:
        lists[level] += [Due(card, level + 1, effect) for effect in entry]
    # There are only four levels, so we stop counting at four. From then on, each card releases all
    # the effects that are waiting.
    reached = table.counters[deck] = min(table.counters[deck] + 1, LEVELS)
    for released in lists[:reached]:
        for due in released:
            (table.discards if due.effect[0] == OPP_DISCARD else table.queue).append(due)
        released.clear()


def work_off(table: Table, before: Callable[[], None] | None = None) -> Decisions:
    """Carry out the effects in the queue.

    Args:
        before: called just before the player's first choice, or at the end if there isn't one.
    """
    queue = table.queue
    while queue:
        # Effects may add others to the queue while we're working on it.
        choice = begin(table, queue.popleft())
        if choice is not None:
            if before is not None:
                before()
                before = None
            yield from ask(table, choice)
    if before is not None:
        before()


def ask(table: Table, choice: Choice | None) -> Decisions:
    """Ask a question and carry out the answer. If that leads to more questions, ask them too."""
    while choice is not None:
        answer = yield choice
        if choice.effects is None:
            cards, effect = [choice.cards[place] for place in answer], None
        else:
            cards, effect = [], answer
        source = choice.source.ref if isinstance(choice.source, Card) else choice.source
        refs = [card.ref for card in cards]
        table.events.append(Chosen(table.me.number, choice.follow_up, source, refs, effect))
        follow_up = FOLLOW_UPS.get(choice.follow_up, patrons.complete)
        choice = follow_up(table, choice, cards, effect or 0)


def begin(table: Table, due: Due) -> Choice | None:
    """Start an effect. If the player has to decide something, return the `Choice`."""
    effect = due.effect
    if isinstance(effect, Effect):
        return VERBS[effect.verb](table, due, effect.amount)
    return Choice("enact-chosen-effect", due.source, due.level, [], effects=effect, least=1)


def _enact(table: Table, choice: Choice, cards: list[Card], effect: int) -> Choice | None:
    assert choice.effects is not None
    assert isinstance(choice.source, Card)
    return begin(table, Due(choice.source, choice.level, choice.effects[effect]))


def _opp_lose_prestige(table: Table, due: Due, amount: int) -> None:
    table.other.prestige = max(0, table.other.prestige - amount)
    table.event("opp-lose-prestige", due.source, None, amount)


def _draw(table: Table, due: Due, amount: int) -> None:
    table.draw(table.me, amount)
    table.event("draw", due.source, None, amount)


def _patron_call(table: Table, due: Due, amount: int) -> None:
    table.me.calls += amount
    table.event("add-patron-calls", due.source, None, amount)


def _heal(table: Table, due: Due, amount: int) -> None:
    agent = due.source
    # The agent may have left play before its effect happens. In that case, we don't heal anything.
    if agent in table.me.agents:
        agent.hp = min(agent.hp + amount, agent.kind.hp)
        table.event("heal-agent", agent, agent, amount)


def _create(table: Table, due: Due, amount: int) -> None:
    for _ in range(amount):
        table.create_for_orgnum(due.source)


def _knockout_all(table: Table, due: Due, amount: int) -> None:
    for player in (table.me, table.other):
        for agent in player.agents.copy():
            table.knock_out(player, agent)
    table.event("knockout-all", None, due.source)


def _opp_discard(table: Table, due: Due, amount: int) -> Choice | None:
    hand = table.me.hand
    # If there's nothing to choose from, we skip this choice. All others are still asked (4.5).
    if not hand:
        return None
    must = min(amount, len(hand))
    return _choice("discard-cards", due, hand, most=must, least=must)


def _discard(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    table.discard(cards)
    _publish(table, "discard", choice, cards)


def _replace(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    for card in cards:
        place = table.row.index(card)
        del table.row[place]
        table.refill(place)
        # Refill the row before putting the card on the bottom. If the deck is empty, the card would
        # otherwise go straight back to the row.
        table.put_on_bottom(card)
        if table.watchers:
            moves = [move(table.me, card, "row", "tavern-deck")]
            table.note(table.me.seat, moves, "replaces ", shown(card))
    _publish(table, "replace-tavern", choice, cards)


def _acquire_tavern(table: Table, due: Due, amount: int) -> Choice:
    return _choice("acquire-cards", due, [card for card in table.row if card.kind.cost <= amount])


def _acquire(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    for card in cards:
        place = table.row.index(card)
        del table.row[place]
        _publish(table, "acquire-card", choice, cards)
        if table.watchers:
            moves = [move(table.me, card, "row", place_of(card))]
            table.note(table.me.seat, moves, "acquires ", shown(card), got=[card.kind.card])
        acts = settle(table, card)
        # Unlike in turn._buy(), the row is always refilled before a contract takes effect (4.7).
        table.refill(place)
        if acts is not None:
            count(table, acts)


def place_of(card: Card) -> str:
    """Return the name of the pile that a card of the row goes to when a player gets it."""
    places = {CONTRACT_ACTION: "tavern-deck", CONTRACT_AGENT: "agents"}
    return places.get(card.kind.type, "cooldown")


def settle(table: Table, card: Card) -> Card | None:
    """Put a card that was bought or acquired on the right pile (4.7).

    The effects of a contract happen immediately. In that case, this returns the contract.
    """
    if card.kind.type == CONTRACT_ACTION:
        table.put_on_bottom(card)
        return card
    if card.kind.type == CONTRACT_AGENT:
        return table.enter(card)
    table.me.cooldown.append(card)
    return None


def _destroy_card(table: Table, due: Due, amount: int) -> Choice:
    me = table.me
    return _choice("destroy-cards", due, me.hand + me.agents + me.played, most=amount)


def _destroy(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    for card in cards:
        table.destroy(card)
    _publish(table, "destroy-card", choice, cards)


def _return_top(table: Table, due: Due, amount: int) -> Choice:
    agents_only = due.effect[0] == "RETURN_AGENT_TOP"
    cards = patrons.returnable(table) if agents_only else table.me.cooldown
    return _choice("refresh-cards", due, cards, most=min(amount, len(cards)))


def _refresh(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    for card in cards:
        table.to_top(table.me, card)
    _publish(table, "refresh", choice, cards)


def _toss(table: Table, due: Due, amount: int) -> Choice:
    me = table.me
    # If the draw pile is too small, shuffle the cooldown pile first, as for a draw.
    table.reach(me, amount)
    cards = me.draw_pile[:amount]
    # The player gets to see these cards, so we count them as known.
    me.known = max(me.known, len(cards))
    return _choice("toss-cards", due, cards, most=len(cards))


def _to_cooldown(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    me = table.me
    for card in cards:
        me.draw_pile.remove(card)
    # All of these cards were among the known ones (see _toss).
    me.known -= len(cards)
    me.cooldown += cards
    if table.watchers and cards:
        moves = moves_of(me.seat, cards_of(cards), "draw-pile", "cooldown")
        table.note(me.seat, moves, "tosses ", *listed(map(shown, cards)))
    _publish(table, "toss", choice, cards)


def _knockout(table: Table, due: Due, amount: int) -> Choice:
    agents = table.other.agents
    must = min(amount, len(agents))
    return _choice("knockout-agents", due, agents, most=must, least=must)


def _knock_out(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    # Each Morihaus in play gives its owner a coin for every KNOCKOUT, even if nobody was chosen. It
    # doesn't do so if it's knocked out itself (4.6).
    for player in (table.me, table.other):
        for agent in player.agents:
            if agent.kind.card in MORIHAUS and agent not in cards:
                player.coins += 1
                table.events.append(Event(player.number, "gain-coin", agent.ref, None, 1))
    cards.sort(key=lambda card: card.kind.type != CONTRACT_AGENT)  # contract agents first
    for card in cards:
        table.knock_out(table.other, card)
    _publish(table, "knockout", choice, cards)


def _donated(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    _discard(table, choice, cards, effect)
    table.draw(table.me, len(cards))
    table.event("draw", choice.source, None, len(cards))


def _choice(
    follow_up: str, due: Due, cards: list[Card], *, most: int = 1, least: int = 0
) -> Choice:
    return Choice(follow_up, due.source, due.level, cards.copy(), most, least)


def _publish(table: Table, kind: str, choice: Choice, cards: list[Card]) -> None:
    for card in cards:
        table.event(kind, choice.source, card)


VERBS: Mapping[str, Callable[[Table, Due, int], Choice | None]] = {
    "GAIN_COIN": lambda table, due, amount: table.gain_coin(due.source, amount),
    "GAIN_POWER": lambda table, due, amount: table.gain_power(due.source, amount),
    "GAIN_PRESTIGE": lambda table, due, amount: table.gain_prestige(due.source, amount),
    "OPP_LOSE_PRESTIGE": _opp_lose_prestige,
    "DRAW": _draw,
    "PATRON_CALL": _patron_call,
    "HEAL": _heal,
    **dict.fromkeys(CREATIONS, _create),
    "KNOCKOUT_ALL": _knockout_all,
    OPP_DISCARD: _opp_discard,
    "REPLACE_TAVERN": lambda table, due, amount: _choice(
        "replace-cards-in-tavern", due, table.row, most=amount
    ),
    "ACQUIRE_TAVERN": _acquire_tavern,
    "DESTROY_CARD": _destroy_card,
    "RETURN_TOP": _return_top,
    "RETURN_AGENT_TOP": _return_top,
    "TOSS": _toss,
    "KNOCKOUT": _knockout,
    "DONATE": lambda table, due, amount: _choice("donate", due, table.me.hand, most=amount),
}
"""The function for each verb on the cards."""
FOLLOW_UPS: Mapping[str, Callable[[Table, Choice, list[Card], int], Choice | None]] = {
    "enact-chosen-effect": _enact,
    "replace-cards-in-tavern": _replace,
    "acquire-cards": _acquire,
    "destroy-cards": _destroy,
    "discard-cards": _discard,
    "refresh-cards": _refresh,
    "toss-cards": _to_cooldown,
    "knockout-agents": _knock_out,
    "donate": _donated,
}
"""The function that carries out a card's choice, by its `follow_up`. For a patron's choice, it's
always `patrons.complete`.

The last two arguments are the chosen cards, in the order of `Choice.cards`, and the index of the
chosen effect. The function can return another choice."""
