"""Views in Dominion contain only what a viewer can know from its messages."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from referee.games.dominion import RULES
from referee.games.interface.game import ALL, PUBLIC
from referee.match.machine import Match
from tests.support.helpers import (
    Announced,
    begun,
    full_supply,
    new_setup,
    shake_hands,
    to_line,
)


def test_what_each_may_see() -> None:
    match = begun(seed=7)
    own: Any = match.view(0)
    other: Any = match.view(1)
    public: Any = match.view(PUBLIC)
    whole: Any = match.view(ALL)
    assert public.supply == full_supply(2)
    assert [seat.cards for seat in public.seats] == [{"copper": 7, "estate": 3}] * 2
    assert [seat.score for seat in public.seats] == [3, 3]
    assert [seat.own for seat in public.seats] == [None, None]
    assert (public.asked, public.request) == (None, None)
    assert (own.asked, own.request.hand) == (0, own.seats[0].own.hand)
    assert len(own.seats[0].own.hand) == 5
    assert own.seats[1] == public.seats[1]
    # This seat has had no request yet, so it doesn't know its hand.
    assert other.seats[1].own.hand == []
    assert other.seats[1].own.deck == ["copper"] * 7 + ["estate"] * 3
    assert other.request is None
    assert [len(seat.own.hand) for seat in whole.seats] == [5, 5]
    assert whole.asked == 0
    assert whole.seats[0].own.deck != sorted(whole.seats[0].own.deck)  # in the real order


def test_a_seat_does_not_see_the_order_of_its_deck_and_discards() -> None:
    deck, pile = ["silver", "copper", "gold"], ["moat", "cellar", "village"]
    hand = {"hand": ["market", "estate"], "deck": deck, "discard_pile": pile}
    game: Any = RULES.situation(new_setup(2), {"seats": {"player1": hand}})  # type: ignore[misc]
    for request in game.requests:
        assert request.message.hand == hand["hand"]
    own, whole = (game.view(viewer).seats[0].own for viewer in (0, ALL))
    assert (own.hand, own.deck, own.discard_pile) == (hand["hand"], sorted(deck), sorted(pile))
    assert (whole.hand, whole.deck, whole.discard_pile) == (hand["hand"], deck, pile)


def test_a_view_has_the_supply_of_its_time() -> None:
    match = begun(seed=7)
    before: Any = match.view(PUBLIC)
    match.receive(0, to_line({"type": "play-reply", "phase": "buy", "cards_to_buy": ["curse"]}))
    after: Any = match.view(PUBLIC)
    assert before.supply == full_supply(2)
    assert after.supply == full_supply(2) | {"curse": 9}


def test_who_does_not_answer_a_militia_is_shown_what_it_lost_with_its_next_hand() -> None:
    """After an invalid reply the referee chooses, and shows only the last discarded card (7.4)."""
    hand = ["copper", "silver", "gold", "estate", "duchy"]
    seats = {"player1": {"hand": ["militia"]}, "player2": {"hand": hand, "deck": []}}
    match = Match(
        replace(RULES, new=lambda setup: RULES.situation(setup, {"seats": seats})),
        seats=2,
        seed=1,
    )
    shake_hands(match)
    match.receive(0, to_line({"type": "play-reply", "phase": "action", "card": "militia"}))
    match.receive(1, b"?")
    top = next(
        message["card"]
        for message in Announced(match.take_entries()).public
        if message["type"] == "player-top-discard"
    )
    view: Any = match.view(1)
    own = view.seats[1].own
    assert (own.hand, own.discard_pile) == ([], [top])
    assert sorted([top, *own.deck]) == sorted(hand)
    match.receive(0, to_line({"type": "play-reply", "phase": "cleanup"}))
    view = match.view(1)
    own = view.seats[1].own
    assert (len(own.hand), len(own.discard_pile), own.deck) == (3, 2, [])
    assert sorted(own.hand + own.discard_pile) == sorted(hand)
