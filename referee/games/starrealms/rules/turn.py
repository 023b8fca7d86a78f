"""One turn, from the discards due to the end of its clean-up (protocol, 4.2 and 5).

A turn is a generator: it yields each request and receives the reply. What can be done now is
`legal`; a reply's actions are looked up there, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

from msgspec import UNSET

from referee.games.interface.faults import describe
from referee.games.interface.game import Request
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS, EXPLORER
from referee.games.starrealms.rules.effects import Decisions, combat, discard_from_hand, happen
from referee.games.starrealms.rules.faults import BAD_ACTION
from referee.games.starrealms.rules.player import HAND_SIZE, Piece, TurnState
from referee.games.starrealms.rules.table import Table
from referee.games.starrealms.rules.view import state_of

Key: TypeAlias = tuple[str, str, str]
"""An action as its `action`, `card` and `to`, each "" where it has none."""
ACTIONS = frozenset(say.ACTIONS)
WITHOUT_CARD = ("attack-player", "end-turn")


def play_turn(table: Table, turn: TurnState) -> Decisions:
    """Play one turn."""
    player = turn.player
    table.turn += 1
    player.turns += 1
    table.events.append(say.TurnStarted(table.turn, player.number))
    due, player.due = player.due, 0
    if due:
        yield from discard_from_hand(table, turn, None, due)
    yield from play_on(table, turn)


def play_on(table: Table, turn: TurnState) -> Decisions:
    """Play a turn from one of its `play-turn` requests on.

    It ends without clean-up if it ends the game.
    """
    player = turn.player
    ended = False
    while not ended:
        reply = yield Request(player.seat, partial(_request, table, turn))
        if type(reply) is say.PlayReply:
            ended = yield from _carry_out(table, turn, reply.actions)
            if turn.opponent.authority <= 0:
                return
        else:
            table.no_reply(player, reply, "a choose-reply answers a play-turn", "5.3")
            ended = True
    _clean_up(table, turn)


def _request(table: Table, turn: TurnState) -> say.PlayTurn:
    return say.PlayTurn(state_of(table, turn), [_action(key) for key in legal(table, turn)])


def legal(table: Table, turn: TurnState, actions: Collection[str] = ACTIONS) -> dict[Key, int]:
    """What can be done now, in the order of the protocol, 5.1, each with its index.

    Equal cards are one action: of the first that can do it. An index is of hand, cards in play, row
    (one beyond it: the Explorers) or the opponent's bases that are exposed.

    Args:
        actions: those that are looked for; a few cost less than all.
    """
    player, opponent = turn.player, turn.opponent
    found: dict[Key, int] = {}
    add = found.setdefault
    if "play" in actions:
        for index, name in enumerate(player.hand):
            add(("play", name, ""), index)
    if "use-base" in actions:
        for index, piece in enumerate(player.in_play):
            if not piece.used and not piece.card.is_ship:
                add(("use-base", piece.card.name, ""), index)
    if "use-ally" in actions:
        for index, piece in enumerate(player.in_play):
            if piece.acts.ally and not piece.ally_used and player.has_ally(piece):
                add(("use-ally", piece.card.name, ""), index)
    if "scrap" in actions:
        for index, piece in enumerate(player.in_play):
            if piece.acts.scrap:
                add(("scrap", piece.card.name, ""), index)
    if "buy" in actions:
        for index, name in enumerate([*table.row, EXPLORER] if table.explorers else table.row):
            card = CARDS[name]
            if card.cost <= turn.trade:
                if turn.next_ship_to_top and card.is_ship:
                    add(("buy", name, "deck"), index)
                add(("buy", name, "discard"), index)
    if "attack-base" in actions and turn.combat:
        for index, base in enumerate(opponent.exposed()):
            if base.card.defense <= turn.combat:
                add(("attack-base", base.card.name, ""), index)
    if "attack-player" in actions and turn.combat and not opponent.is_shielded():
        add(("attack-player", "", ""), 0)
    if "end-turn" in actions:
        add(("end-turn", "", ""), 0)
    return found


@cache
def _action(key: Key) -> say.Action:
    action, card, to = key
    return say.Action(action, card or UNSET, to or UNSET)


def _carry_out(table: Table, turn: TurnState, actions: Any) -> Generator[Request, Any, bool]:
    """Carry out the actions of a reply in their order (5.1); returns whether the turn has ended."""
    if not isinstance(actions, list) or not actions:
        what = "an empty list" if actions == [] else f"{describe(actions)}, not a list"
        table.fault(turn.player, BAD_ACTION, f"`actions` is {what}")
        return True
    for place, entry in enumerate(actions):
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
    """The legal action that an entry of a reply names, if it does; other fields are skipped."""
    if not isinstance(entry, dict):
        return None
    action, card, to = entry.get("action"), entry.get("card"), entry.get("to")
    if not isinstance(action, str) or action not in ACTIONS:
        return None
    if not isinstance(card, str):
        card = ""  # no action that needs one has such a name
    if action != "buy":
        candidates = [(action, "", "") if action in WITHOUT_CARD else (action, card, "")]
    elif "to" in entry:
        candidates = [(action, card, to)] if isinstance(to, str) else []
    else:
        candidates = [(action, card, "deck"), (action, card, "discard")]
    now = legal(table, turn, (action,))
    for key in candidates:
        if key in now:
            return key, now[key]
    return None


def _shown(entry: Any) -> str:
    if not isinstance(entry, dict):
        return describe(entry)
    parts = [describe(entry[name]) for name in ("action", "card", "to") if name in entry]
    return " ".join(parts) or "an object without `action`"


def _play(table: Table, turn: TurnState, index: int, to: str) -> Decisions:
    player = turn.player
    card = CARDS[player.hand.pop(index)]
    piece = Piece(card)
    player.in_play.append(piece)
    turn.played.append(card.name)
    table.events.append(say.PlayerPlayed(player.number, card.name))
    if card.is_ship:
        piece.used = True
        combat(table, turn, card, player.constant("combat_per_ship"))
        yield from happen(table, turn, card, card.primary)


def _use(table: Table, turn: TurnState, index: int, to: str, *, ability: str) -> Decisions:
    piece = turn.player.in_play[index]
    table.events.append(say.PlayerUsed(turn.player.number, piece.card.name, ability))
    if ability == "primary":
        piece.used = True
        return happen(table, turn, piece.card, piece.card.primary)
    piece.ally_used = True
    return happen(table, turn, piece.acts, piece.acts.ally)


def _scrap(table: Table, turn: TurnState, index: int, to: str) -> Decisions:
    piece = turn.player.in_play.pop(index)
    table.scrap(turn.player, piece.card.name, "play")
    return happen(table, turn, piece.acts, piece.acts.scrap)


def _buy(table: Table, turn: TurnState, index: int, to: str) -> None:
    card = CARDS[table.row[index] if index < len(table.row) else EXPLORER]
    turn.trade -= card.cost
    if card.is_ship:
        turn.next_ship_to_top = False
    table.gain(turn.player, index, card.cost, to)


def _attack_base(table: Table, turn: TurnState, index: int, to: str) -> None:
    base = turn.opponent.exposed()[index]
    turn.combat -= base.card.defense
    turn.player.made.destroyed += 1
    table.destroy(turn.opponent, base, base.card.defense)


def _attack_player(table: Table, turn: TurnState, index: int, to: str) -> None:
    other = turn.opponent
    other.authority -= turn.combat
    table.events.append(say.PlayerAttacked(other.number, turn.combat, other.authority))
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
"""The effect of each action: with the index of `legal` and the place of a bought card."""


def _clean_up(table: Table, turn: TurnState) -> None:
    """Discard ships, then the hand; draw five (4.2)."""
    player = turn.player
    if legal(table, turn, ("attack-base", "attack-player")):
        player.made.idle += 1
    turn.trade = turn.combat = 0
    turn.next_ship_to_top = False
    player.discard += [piece.card.name for piece in player.in_play if piece.card.is_ship]
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
