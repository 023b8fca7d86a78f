"""The state that a bot gets in a request, and views of the game for anybody else (4.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated

from msgspec import Struct

from referee.games.interface.data import about
from referee.games.interface.game import ALL, Request, Viewer
from referee.games.interface.seats import SeatId
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.cards import Card
from referee.games.tribute.rules.replies import Asked
from referee.games.tribute.rules.table import Choice, Due, Player, SentSet, Table, as_set
from referee.games.tribute.rules.turn import LegalAction, Pick, as_action


def request_of(table: Table, asked: Asked) -> Request:
    """Create the request for a question. All requests of a turn share one clock (8.1)."""
    if isinstance(asked, Pick):
        message = say.PatronRequest(asked.round, asked.available, asked.picked)
        return Request(asked.seat, message)
    asks = partial(_message, table, asked)
    # Bots in this process get lists of cards. For all other bots, we encode the message, and can
    # reuse JSON from earlier requests. That's why there are two functions.
    return Request(table.me.seat, asks, f"turn {table.turn}", partial(asks, SentSet.of))


def _message(
    table: Table,
    asked: Choice | list[LegalAction],
    written: Callable[[SentSet, list[Card]], list[say.CardRef]] = lambda sent, cards: as_set(cards),
) -> say.ChooseRequest | say.PlayTurn:
    """Create the message of a request. `written` returns a set of cards as a list or as JSON."""
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
    # `Me` and `Opponent` both have these fields, in this order.
    agents = [say.AgentRef(a.uid, a.kind.card, a.hp, a.activated) for a in player.agents]
    resources = player.coins, player.power, player.prestige
    return _refs(player.cooldown), _refs(player.played), agents, *resources


def _waiting(dues: Iterable[Due]) -> list[say.Waiting]:
    return [say.Waiting(due.source.ref, due.level, str(due.effect)) for due in dues]


class SeatView(Struct, frozen=True):
    """A seat as a viewer sees it.

    Attributes:
        hand: the cards in hand, or None if the viewer can't see them. A bot can see its own hand
            while it has a request.
        draw_pile: the cards in their real order for `ALL`, top card first, but sorted for a bot.
            None if `hand` is None.
        known: cards on top of the draw pile that the player has seen, top card first, or None if
            `hand` is None.
        hand_and_draw: the cards of hand and draw pile together, sorted.
    """

    hand_size: say.Count
    hand: list[say.CardRef] | None
    draw_pile: list[say.CardRef] | None
    known: list[say.CardRef] | None
    hand_and_draw: list[say.CardRef]
    cooldown: list[say.CardRef]
    played: list[say.CardRef]
    agents: list[say.AgentRef]
    coins: say.Count
    power: say.Count
    prestige: say.Count
    patron_calls: say.Count
    turns: say.Count


class View(Struct, frozen=True):
    """The game as a viewer sees it (see `referee.games.interface.game.Game.view`).

    Attributes:
        turn: counts the turns of both players. It's 0 during the draft.
        player: the seat whose turn it is, or the seat that has to pick a patron.
        picked: the picked patrons, in order.
        favours: the player whom each patron favours, or None. It's {} during the draft.
        counters: number of cards of each deck in this turn, up to 4. It's {} during the draft.
        tavern_deck: the cards in their real order for `ALL`, top card first, and sorted for others.
        start_of_next_turn: effects that will happen when the opponent's next turn starts.
        asked: the seat that has a request, or None if the viewer can't see one.
        request: that request.
    """

    turn: say.Count
    player: int
    picked: list[say.Patron]
    favours: dict[say.Patron, SeatId | None]
    counters: dict[say.Patron, int]
    row: list[say.CardRef]
    tavern_deck: list[say.CardRef]
    start_of_next_turn: Annotated[
        list[say.Waiting], about("Discards at the start of the opponent's next turn.")
    ]
    seats: list[SeatView]
    asked: int | None
    request: say.PatronRequest | say.PlayTurn | say.ChooseRequest | None


def view_of(table: Table, requests: tuple[Request, ...], viewer: Viewer, player: int) -> View:
    """Return the game as `viewer` sees it."""
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
    # Bots only get their hand in requests. While they don't have one, their view doesn't show it
    # either.
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
