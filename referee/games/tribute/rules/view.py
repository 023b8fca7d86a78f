"""A game as data: the state in a request, and the view of any viewer (4.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from referee.games.interface.game import ALL, Request, Viewer
from referee.games.interface.seats import SeatId
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.cards import Card
from referee.games.tribute.rules.replies import Asked
from referee.games.tribute.rules.table import Choice, Due, Player, SentSet, Table, as_set
from referee.games.tribute.rules.turn import LegalAction, Pick, as_action


def request_of(table: Table, asked: Asked) -> Request:
    """Return the request for a question. All requests of a turn share a clock (8.1)."""
    if isinstance(asked, Pick):
        message = say.PatronRequest(asked.round, asked.available, asked.picked)
        return Request(asked.seat, message)
    asks = partial(_message, table, asked)
    # The request needs two functions, because bots in this process get lists, and other bots get
    # text. Most of that text may have been encoded for an earlier request.
    return Request(table.me.seat, asks, f"turn {table.turn}", partial(asks, SentSet.of))


def _message(
    table: Table,
    asked: Choice | list[LegalAction],
    written: Callable[[SentSet, list[Card]], list[say.CardRef]] = lambda sent, cards: as_set(cards),
) -> say.ChooseRequest | say.PlayTurn:
    """Return the message of a request. `written` encodes a set of cards."""
    state = _state(table, written)
    if isinstance(asked, Choice):
        source = asked.source
        return say.ChooseRequest(
            table.turn,
            asked.follow_up,
            source if isinstance(source, str) else source.ref,
            asked.level,
            asked.least,
            asked.most,
            _refs(asked.cards),
            [] if asked.effects is None else [str(effect) for effect in asked.effects],
            _waiting(table.queue),
            state,
        )
    return say.PlayTurn(table.turn, state, [as_action(kind, thing) for kind, thing in asked])


def _state(table: Table, written: Callable[[SentSet, list[Card]], list[say.CardRef]]) -> say.State:
    me, other = table.me, table.other
    return say.State(
        _favours(table),
        _refs(table.row),
        written(table.sent_deck, table.deck),
        _waiting(table.discards),
        say.Me(
            _refs(me.hand),
            written(me.sent_draw_pile, me.draw_pile),
            _refs(me.draw_pile[: me.known]),
            *_public(me),
            me.calls,
            table.counters.copy(),
        ),
        say.Opponent(
            len(other.hand),
            written(other.sent_hidden, other.hand + other.draw_pile),
            *_public(other),
        ),
    )


def _favours(table: Table) -> dict[str, str | None]:
    return {
        patron: None if favoured is None else favoured.number
        for patron, favoured in table.favours.items()
    }


def _refs(cards: list[Card]) -> list[say.CardRef]:
    return [card.ref for card in cards]


def _public(
    player: Player,
) -> tuple[list[say.CardRef], list[say.CardRef], list[say.AgentRef], int, int, int]:
    # The fields are in the same order as in both structs of messages.
    agents = [say.AgentRef(a.uid, a.kind.card, a.hp, a.activated) for a in player.agents]
    resources = player.coins, player.power, player.prestige
    return _refs(player.cooldown), _refs(player.played), agents, *resources


def _waiting(dues: Iterable[Due]) -> list[say.Waiting]:
    return [say.Waiting(due.source.ref, due.level, str(due.effect)) for due in dues]


class SeatView(Struct, frozen=True):
    """One seat in a view.

    Attributes:
        hand: in order. None for viewers who don't know it. A seat knows it at its request.
        known: cards on top of the draw pile that the seat knows, top card first. None if `hand` is
            None.
    """

    hand_size: say.Count
    hand: list[say.CardRef] | None
    draw_pile: list[say.CardRef] | None  # a set; for `ALL`, the top card first; None if `hand` is
    known: list[say.CardRef] | None
    hand_and_draw: list[say.CardRef]  # hand and draw pile together, a set
    cooldown: list[say.CardRef]
    played: list[say.CardRef]
    agents: list[say.AgentRef]
    coins: say.Count
    power: say.Count
    prestige: say.Count
    patron_calls: say.Count
    turns: say.Count


class View(Struct, frozen=True):
    """A view of a game (`referee.games.interface.game.Game.view`).

    Attributes:
        favours: patron -> player or null, in table order. Empty in the draft.
        start_of_next_turn: effects at the start of the opponent's next turn.
        request: the request of the seat `asked`, or None.
    """

    turn: say.Count  # from 1, over both players; 0 in the draft
    player: int  # the seat on turn, or the seat that picks a patron
    picked: list[say.Patron]  # patrons, in the order of the picks
    favours: dict[say.Patron, SeatId | None]
    counters: dict[say.Patron, int]  # cards of each deck in this turn, up to 4; empty in the draft
    row: list[say.CardRef]
    tavern_deck: list[say.CardRef]  # a set; for `ALL`, the top card first
    start_of_next_turn: Annotated[
        list[say.Waiting], Meta(description="Discards at the start of the opponent's next turn.")
    ]
    seats: list[SeatView]  # in seat order
    asked: int | None  # the seat with a request; None for other viewers, or without request
    request: say.PatronRequest | say.PlayTurn | say.ChooseRequest | None


def view_of(table: Table, requests: tuple[Request, ...], viewer: Viewer, player: int) -> View:
    """Return the view of a viewer."""
    request = next((r for r in requests if viewer is ALL or viewer == r.seat), None)
    asked = None if request is None else request.seat
    return View(
        table.turn,
        player,
        table.picked.copy(),
        _favours(table),
        table.counters.copy(),
        _refs(table.row),
        _refs(table.deck) if viewer is ALL else as_set(table.deck),
        _waiting(table.discards),
        [_seat(player, viewer, asked) for player in table.players],
        asked,
        None if request is None else request.message,  # type: ignore[arg-type]
    )


def _seat(player: Player, viewer: Viewer, asked: int | None) -> SeatView:
    hand = draw_pile = known = None
    # A seat only knows its hand at its request, as in its messages.
    if viewer is ALL or viewer == player.seat == asked:
        hand = _refs(player.hand)
        known = _refs(player.draw_pile[: player.known])
        draw_pile = _refs(player.draw_pile) if viewer is ALL else as_set(player.draw_pile)
    return SeatView(
        len(player.hand),
        hand,
        draw_pile,
        known,
        as_set(player.hand + player.draw_pile),
        *_public(player),
        player.calls,
        player.turns,
    )
