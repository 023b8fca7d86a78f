"""A game as data: what a player is asked with, and what any viewer may know (4.9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct

from referee.games.interface.game import ALL, Request, Viewer
from referee.games.interface.seats import SeatId
from referee.games.tribute.rules.cards import Card
from referee.games.tribute.rules.messages import (
    AgentRef,
    CardRef,
    ChooseRequest,
    Count,
    Me,
    Opponent,
    Patron,
    PatronRequest,
    PlayTurn,
    State,
    Waiting,
)
from referee.games.tribute.rules.replies import Asked
from referee.games.tribute.rules.table import Choice, Due, Player, Table
from referee.games.tribute.rules.turn import Pick, as_action, as_set


def request_of(table: Table, asked: Asked) -> Request:
    """The request for what the rules wait for; those of a turn share a clock (8.1)."""
    if isinstance(asked, Pick):
        message = PatronRequest(asked.round, asked.available, asked.picked)
        return Request(asked.seat, message)
    state = _state(table)
    if isinstance(asked, Choice):
        source = asked.source
        request: ChooseRequest | PlayTurn = ChooseRequest(
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
    else:
        actions = [as_action(kind, thing) for kind, thing in asked]
        request = PlayTurn(table.turn, state, actions)
    return Request(table.me.seat, request, f"turn {table.turn}")


def _state(table: Table) -> State:
    """All that the player on turn may know."""
    me, other = table.me, table.other
    return State(
        _favours(table),
        _refs(table.row),
        as_set(table.deck),
        _waiting(table.discards),
        Me(
            _refs(me.hand),
            as_set(me.draw_pile),
            _refs(me.draw_pile[: me.known]),
            _refs(me.cooldown),
            _refs(me.played),
            _agents(me),
            me.coins,
            me.power,
            me.prestige,
            me.calls,
            table.counters.copy(),
        ),
        Opponent(
            len(other.hand),
            as_set(other.hand + other.draw_pile),
            _refs(other.cooldown),
            _refs(other.played),
            _agents(other),
            other.coins,
            other.power,
            other.prestige,
        ),
    )


def _favours(table: Table) -> dict[str, str | None]:
    return {
        patron: None if favoured is None else favoured.number
        for patron, favoured in table.favours.items()
    }


def _refs(cards: list[Card]) -> list[CardRef]:
    return [card.ref for card in cards]


def _agents(player: Player) -> list[AgentRef]:
    return [
        AgentRef(agent.uid, agent.kind.card, agent.hp, agent.activated) for agent in player.agents
    ]


def _waiting(dues: Iterable[Due]) -> list[Waiting]:
    return [Waiting(due.source.ref, due.level, str(due.effect)) for due in dues]


class SeatView(Struct, frozen=True):
    """What is to be seen of a seat.

    Attributes:
        hand: in order; None for who does not know it. A seat knows it while it is asked.
        draw_pile: a set, for `ALL` its top first; None likewise.
        known: the top of the draw pile that the seat knows, top first; None likewise.
        hand_and_draw: both together, a set.
        turns: that it has begun.
    """

    hand_size: Count
    hand: list[CardRef] | None
    draw_pile: list[CardRef] | None
    known: list[CardRef] | None
    hand_and_draw: list[CardRef]
    cooldown: list[CardRef]
    played: list[CardRef]
    agents: list[AgentRef]
    coins: Count
    power: Count
    prestige: Count
    patron_calls: Count
    turns: Count


class View(Struct, frozen=True):
    """What is to be seen of a game (`referee.games.interface.game.Game.view`).

    Attributes:
        turn: counted from 1 over both players; 0 in the draft.
        player: the seat whose turn it is; in the draft, who picks.
        picked: patrons, in the order of the draft.
        favours: patron -> player or null, in the order of the table; empty in the draft.
        counters: cards of each deck in this turn, up to 4, likewise.
        tavern_deck: a set; for `ALL` its top first.
        start_of_next_turn: what the next turn of the other begins with.
        seats: in seat order.
        asked: the seat that is asked; None for all others, and if nobody is.
        request: what it is asked; likewise.
    """

    turn: Count
    player: int
    picked: list[Patron]
    favours: dict[Patron, SeatId | None]
    counters: dict[Patron, int]
    row: list[CardRef]
    tavern_deck: list[CardRef]
    start_of_next_turn: Annotated[list[Waiting], Meta(description="Discards.")]
    seats: list[SeatView]
    asked: int | None
    request: PatronRequest | PlayTurn | ChooseRequest | None


def view_of(table: Table, requests: tuple[Request, ...], viewer: Viewer, player: int) -> View:
    """What a viewer may see of a table.

    Args:
        requests: that the game waits for.
        player: the seat whose turn it is.
    """
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
        _refs(player.cooldown),
        _refs(player.played),
        _agents(player),
        player.coins,
        player.power,
        player.prestige,
        player.calls,
        player.turns,
    )
