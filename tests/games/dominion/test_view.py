"""What a viewer may see of a game follows from what it was sent."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.games.dominion import RULES
from referee.games.dominion.environment.follower import Follower
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.view import View
from referee.games.interface.faults import Malformed
from referee.games.interface.game import ALL, PUBLIC, Viewer
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Match, Sent
from tests.support.helpers import (
    TIMES,
    Told,
    begun,
    from_struct,
    full_supply,
    name_line,
    shake_hands,
    to_line,
)
from tests.support.random_players import mixed, right

SEEDS = st.integers(0, 2**53 - 1)


@settings(max_examples=10 * TIMES)
@given(SEEDS, st.integers(2, 4), st.sampled_from([right, mixed]))
def test_the_lines_of_a_seat_come_to_its_view(seed: int, seats: int, choose: Any) -> None:
    """Whenever it is asked, whatever it has replied and whatever the referee has chosen for it."""
    match = Match(RULES, seats=seats, seed=seed, options=Options(12))
    dice = Random(seed)
    followers = [Follower(seat, seats) for seat in range(seats)]
    match.start()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    while match.due:
        for entry in match.take_entries():
            if isinstance(entry, Sent):
                for seat in range(seats) if entry.to is None else (entry.to,):
                    followers[seat].hear(entry.message)
        (seat,) = match.due
        view = followers[seat].view()
        assert view == match.view(seat)
        line = choose(dice, from_struct(view.request), view.supply)
        reply = decode_reply(line, reply_decoder(RULES.replies))
        if not isinstance(reply, Malformed):
            followers[seat].hear(reply)
        match.receive(seat, line)


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
    # It was not asked yet: nobody has told it what it holds.
    assert other.seats[1].own.hand == []
    assert other.seats[1].own.deck == ["copper"] * 7 + ["estate"] * 3
    assert other.request is None
    assert [len(seat.own.hand) for seat in whole.seats] == [5, 5]
    assert whole.asked == 0
    assert whole.seats[0].own.deck != sorted(whole.seats[0].own.deck)  # as it lies


def test_who_does_not_answer_a_militia_is_shown_what_it_lost_with_its_next_hand() -> None:
    """Protocol-v1, 7.4: the referee chooses, and shows the last one on the pile."""
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
        for message in Told(match.take_entries()).public
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


def test_a_view_does_not_change_with_the_game() -> None:
    match = begun(seed=7)
    views = [match.view(viewer) for viewer in (0, 1, PUBLIC, ALL)]
    before = [msgspec.json.encode(view) for view in views]
    treasures = {"played_treasures": ["copper"] * 3, "cards_to_buy": ["silver"]}
    match.receive(0, to_line({"type": "play-reply", "phase": "buy", **treasures}))
    match.receive(0, to_line({"type": "play-reply", "phase": "cleanup"}))
    assert [msgspec.json.encode(view) for view in views] == before


def test_there_is_no_view_in_the_handshake() -> None:
    match = Match(RULES, seats=2, seed=1)
    match.start()
    assert match.view(ALL) is None


@pytest.mark.parametrize("viewer", [0, 1, PUBLIC, ALL])
def test_a_view_is_json(viewer: Viewer) -> None:
    view = begun().view(viewer)
    assert msgspec.json.decode(msgspec.json.encode(view), type=View) == view
