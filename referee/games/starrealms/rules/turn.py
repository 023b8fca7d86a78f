"""Plays one turn, from the forced discards to the clean-up (protocol, 4.2 and 5).

A turn is a generator that yields requests and receives the replies. A reply can contain several
actions, and each of them may make the next one legal. That's why we check every action just before
we carry it out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

from msgspec import UNSET

from referee.games.interface.faults import describe
from referee.games.interface.game import Request
from referee.games.interface.sentence import Card, Seat
from referee.games.interface.table import Move, moves_of
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS, EXPLORER
from referee.games.starrealms.rules.effects import Decisions, act, discard_from_hand, happen
from referee.games.starrealms.rules.faults import BAD_ACTION
from referee.games.starrealms.rules.player import HAND_SIZE, Piece, TurnState
from referee.games.starrealms.rules.table import Table
from referee.games.starrealms.rules.view import state_of

Key: TypeAlias = tuple[str, str, str]
"""The fields `action`, `card` and `to` of an action. Unused fields are ""."""
Options: TypeAlias = Iterable[tuple[Key, int]]
"""Legal actions, each with the index that `legal` describes."""
WITHOUT_CARD = ("attack-player", "end-turn")


def play_turn(table: Table, turn: TurnState) -> Decisions:
    """Play a whole turn."""
    player = turn.player
    table.turn += 1
    player.turns += 1
    table.events.append(say.TurnStarted(table.turn, player.number))
    # Reset `due` before asking. Even if the reply is invalid, the player doesn't discard again.
    due, player.due = player.due, 0
    if due:
        yield from discard_from_hand(table, turn, None, due)
    yield from play_on(table, turn)


def play_on(table: Table, turn: TurnState) -> Decisions:
    """Play the rest of a turn, beginning with a `play-turn` request.

    The clean-up is skipped if the player wins during the turn.
    """
    player = turn.player
    ended = False
    while not ended:
        # Listing the legal actions is slow, and not every bot looks at the request. We therefore
        # pass a function that builds the message when it's needed.
        reply = yield Request(player.seat, partial(_request, table, turn))
        if type(reply) is say.PlayReply:
            ended = yield from _carry_out(table, turn, reply.actions)
            if turn.opponent.authority <= 0:
                return
        else:
            # The bot sent the wrong type of reply. This ends the turn, as an illegal action does.
            table.no_reply(player, reply, "a choose-reply answers a play-turn", "5.3")
            ended = True
    _clean_up(table, turn)


def _request(table: Table, turn: TurnState) -> say.PlayTurn:
    return say.PlayTurn(state_of(table, turn), [_action(key) for key in legal(table, turn)])


def legal(table: Table, turn: TurnState, actions: Iterable[str] = say.ACTIONS) -> dict[Key, int]:
    """Return the legal actions, in the order that the protocol requires (5.1).

    Each action is mapped to the index of its card. Depending on the action, it's an index into the
    hand, the cards in play, the trade row or the opponent's exposed bases. An Explorer's index is
    one past the end of the trade row. If there are several copies of a card, only the first is
    listed.

    Args:
        actions: kinds of actions to look for. If you only need some of them, this saves time.
    """
    found: dict[Key, int] = {}
    for action in actions:
        for key, index in OPTIONS[action](table, turn):
            found.setdefault(key, index)
    return found


@cache
def _action(key: Key) -> say.Action:
    action, card, to = key
    return say.Action(action, card or UNSET, to or UNSET)


def _carry_out(table: Table, turn: TurnState, actions: Any) -> Generator[Request, Any, bool]:
    """Carry out the actions of a reply in order (5.1). Return True if the turn is over."""
    if not isinstance(actions, list) or not actions:
        what = "an empty list" if actions == [] else f"{describe(actions)}, not a list"
        table.fault(turn.player, BAD_ACTION, f"`actions` is {what}")
        return True
    for place, entry in enumerate(actions):
        # We can't check all actions in advance, because earlier actions may make later ones legal.
        found = _find(table, turn, entry)
        if found is None:
            detail = f"actions[{place}] is {_shown(entry)}, which is not legal now"
            table.fault(turn.player, BAD_ACTION, detail)
            return True
        (action, _, to), index = found
        if action == "end-turn":
            return True
        doing = DO[action](table, turn, index, to)
        if doing is not None:
            yield from doing
        table.moved()
        if turn.opponent.authority <= 0:
            return True
    return False


def _find(table: Table, turn: TurnState, entry: Any) -> tuple[Key, int] | None:
    if not isinstance(entry, dict):
        return None
    action = entry.get("action")
    if not isinstance(action, str) or action not in OPTIONS:
        return None
    candidates = keys_of(entry)
    # We don't call legal() here. For a long reply, it would be slow to list all the legal actions
    # again and again.
    for key, index in OPTIONS[action](table, turn):
        if key in candidates:
            return key, index
    return None


def keys_of(entry: Mapping[str, Any]) -> list[Key]:
    """Return the actions that an entry of a reply can mean. The first legal one is carried out."""
    action, card, to = entry["action"], entry.get("card"), entry.get("to")
    if not isinstance(card, str):
        card = ""  # doesn't match any card
    if action != "buy":
        return [(action, "" if action in WITHOUT_CARD else card, "")]
    if "to" in entry:
        return [(action, card, to)] if isinstance(to, str) else []
    # The bot didn't say where the card should go. Prefer the top of the deck if it's allowed.
    return [(action, card, "deck"), (action, card, "discard")]


def _shown(entry: Any) -> str:
    if not isinstance(entry, dict):
        return describe(entry)
    parts = [describe(entry[name]) for name in ("action", "card", "to") if name in entry]
    return " ".join(parts) or "an object without `action`"


# --- legal actions (5.1) --------------------------------------------------------------------------


def _uses_of_bases(table: Table, turn: TurnState) -> Options:
    return [
        (("use-base", piece.card.name, ""), index)
        for index, piece in enumerate(turn.player.in_play)
        if not piece.used and not piece.card.is_ship
    ]


def _uses_of_allies(table: Table, turn: TurnState) -> Options:
    player = turn.player
    return [
        (("use-ally", piece.card.name, ""), index)
        for index, piece in enumerate(player.in_play)
        if piece.acts.ally and not piece.ally_used and player.has_ally(piece)
    ]


def _scraps(table: Table, turn: TurnState) -> Options:
    return [
        (("scrap", piece.card.name, ""), index)
        for index, piece in enumerate(turn.player.in_play)
        if piece.acts.scrap
    ]


def _purchases(table: Table, turn: TurnState) -> Options:
    for index, name in enumerate([*table.row, EXPLORER] if table.explorers else table.row):
        card = CARDS[name]
        if card.cost <= turn.trade:
            # Putting the ship on top of the deck is optional.
            if turn.next_ship_to_top and card.is_ship:
                yield ("buy", name, "deck"), index
            yield ("buy", name, "discard"), index


def _attacks_on_bases(table: Table, turn: TurnState) -> Options:
    return [
        (("attack-base", base.card.name, ""), index)
        for index, base in enumerate(turn.opponent.exposed() if turn.combat else ())
        if base.card.defense <= turn.combat
    ]


def _attacks_on_player(table: Table, turn: TurnState) -> Options:
    can_attack = turn.combat and not turn.opponent.is_shielded()
    return [(("attack-player", "", ""), 0)] if can_attack else []


OPTIONS: Mapping[str, Callable[[Table, TurnState], Options]] = {
    "play": lambda table, turn: [
        (("play", name, ""), index) for index, name in enumerate(turn.player.hand)
    ],
    "use-base": _uses_of_bases,
    "use-ally": _uses_of_allies,
    "scrap": _scraps,
    "buy": _purchases,
    "attack-base": _attacks_on_bases,
    "attack-player": _attacks_on_player,
    "end-turn": lambda table, turn: [(("end-turn", "", ""), 0)],
}
"""For each kind of action, the function that lists the legal ones."""


# --- carrying out actions -------------------------------------------------------------------------


def _play(table: Table, turn: TurnState, index: int, to: str) -> Decisions:
    player = turn.player
    card = CARDS[player.hand.pop(index)]
    piece = Piece(card)
    # Put the card into play before its effects happen. Some of them count the cards in play.
    player.in_play.append(piece)
    turn.played.append(card.name)
    table.events.append(say.PlayerPlayed(player.number, card.name))
    if table.watchers:
        move = Move(player.seat, "hand", "play", card.name)
        table.note(player.seat, [move], "plays ", Card(card.name))
    if card.is_ship:
        piece.used = True
        act(table, turn, "combat", player.constant("combat_per_ship"))
        yield from happen(table, turn, card, card.primary)


def _use(table: Table, turn: TurnState, index: int, to: str, *, ability: str) -> Decisions:
    piece = turn.player.in_play[index]
    table.events.append(say.PlayerUsed(turn.player.number, piece.card.name, ability))
    if table.watchers:
        of_allies = [" with allies"] * (ability == "ally")
        table.note(turn.player.seat, [], "uses ", Card(piece.card.name), *of_allies)
    if ability == "primary":
        piece.used = True
        return happen(table, turn, piece.card, piece.card.primary)
    piece.ally_used = True
    # For a Stealth Needle, `acts` is the ship that it has copied.
    return happen(table, turn, piece.acts, piece.acts.ally)


def _scrap(table: Table, turn: TurnState, index: int, to: str) -> Decisions:
    piece = turn.player.in_play.pop(index)
    table.scrap(turn.player, piece.card.name, "play")
    return happen(table, turn, piece.acts, piece.acts.scrap)


def _buy(table: Table, turn: TurnState, index: int, to: str) -> None:
    card = CARDS[table.row[index] if index < len(table.row) else EXPLORER]
    # The match page shows prices as "for 3 of 5", so remember how much trade the player had.
    trade = turn.trade
    turn.trade -= card.cost
    if card.is_ship:
        turn.next_ship_to_top = False
    table.gain(turn.player, index, card.cost, to, trade)


def _attack_base(table: Table, turn: TurnState, index: int, to: str) -> None:
    base = turn.opponent.exposed()[index]
    turn.combat -= base.card.defense
    turn.player.made.destroyed += 1
    table.destroy(turn.opponent, base, base.card.defense)


def _attack_player(table: Table, turn: TurnState, index: int, to: str) -> None:
    other = turn.opponent
    # Unlike an attack on a base, this always spends all the combat that is left.
    other.authority -= turn.combat
    table.events.append(say.PlayerAttacked(other.number, turn.combat, other.authority))
    if table.watchers:
        table.note(turn.player.seat, [], "attacks ", Seat(other.seat), f" with {turn.combat}")
    turn.combat = 0


DO: Mapping[str, Callable[[Table, TurnState, int, str], Decisions | None]] = {
    "play": _play,
    "use-base": partial(_use, ability="primary"),
    "use-ally": partial(_use, ability="ally"),
    "scrap": _scrap,
    "buy": _buy,
    "attack-base": _attack_base,
    "attack-player": _attack_player,
}
"""For each kind of action, the function that carries it out.

It gets the index that `legal` returned, and for a purchase also `to`.
"""


def _clean_up(table: Table, turn: TurnState) -> None:
    player = turn.player
    # If a bot often ends its turn although it could still attack, it may have a bug (see notes.py).
    if legal(table, turn, ("attack-base", "attack-player")):
        player.made.idle += 1
    turn.trade = turn.combat = 0
    turn.next_ship_to_top = False
    # The ships in play are discarded before the hand (4.2).
    ships = [piece.card.name for piece in player.in_play if piece.card.is_ship]
    player.discard += ships
    if table.watchers:
        table.note(player.seat, moves_of(player.seat, ships, "play", "discard"))
    player.in_play = player.bases()
    for base in player.in_play:
        base.refresh()
    hand, player.hand = player.hand, []
    table.discard(player, hand)
    table.draw(player, HAND_SIZE)
    seats = table.players
    table.events.append(
        say.TurnEnded(
            table.turn,
            player.number,
            [seat.authority for seat in seats],
            [len(seat.hand) for seat in seats],
            [len(seat.deck) for seat in seats],
            [len(seat.discard) for seat in seats],
            [seat.due for seat in seats],
        )
    )
