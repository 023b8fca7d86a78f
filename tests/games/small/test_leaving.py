"""A seat that leaves in a simultaneous turn, and what becomes of the replies of the others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface.game import LEFT
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small import Game
from referee.games.small.messages import MoveReply, MovesPlayed
from tests.games.small.test_games import new


class Auction(Game):
    """All bid at once. If somebody leaves, the first one who is left takes a lot instead.

    `kept` are the seats that go on with the auction instead.
    """

    players = (2, 5)
    kept: tuple[int, ...] = ()
    wrong_move = "loses"

    def start(self) -> None:
        self.stage, self.applied = "bid", list[Any]()
        self.to_move = tuple(range(self.seats))

    def legal(self, seat: int) -> list[Any]:
        return ["high", "low"] if self.stage == "bid" or seat in self.kept else [1, 2, 3]

    def leave(self, seat: int) -> None:
        self.stage = "take"
        here = tuple(seat for seat in range(self.seats) if seat not in self.left)
        self.to_move = tuple(seat for seat in here if seat in self.kept) or here[:1]

    def apply(self, move: Any) -> None:
        for seat in move:
            assert move[seat] in self.legal(seat)
        self.applied.append(move)
        self.stage, self.to_move = "bid", tuple(range(self.seats))

    def view(self, viewer: Any) -> dict[str, Any]:
        return {"applied": len(self.applied)}

    def scores(self) -> list[int]:
        return [0] * self.seats


def keeping(*seats: int) -> Any:
    return new(type("Keeping", (Auction,), {"kept": seats}), 4)


def test_a_reply_is_never_played_as_the_reply_to_another_request() -> None:
    game = new(Auction)
    game.advance({0: MoveReply("high"), 1: MoveReply("low"), 2: LEFT})
    assert [(each.seat, each.message.moves) for each in game.requests] == [(0, [1, 2, 3])]
    assert (game.game.applied, game.turns) == ([], 1)
    game.advance({0: MoveReply(3)})
    assert [e.moves for e in game.take_events() if isinstance(e, MovesPlayed)] == [{"player1": 3}]


def test_a_reply_stays_if_the_request_would_be_the_same() -> None:
    game = keeping(0, 1, 3)
    game.advance({0: MoveReply("high"), 1: MoveReply("low"), 2: LEFT, 3: MoveReply("low")})
    assert game.game.applied == [{0: "high", 1: "low", 3: "low"}]


def test_the_reply_of_a_seat_that_need_not_decide_any_more_is_dropped() -> None:
    """The rules may not know any moves of such a seat, so they are not asked for them."""

    class Fewer(Auction):
        def legal(self, seat: int) -> list[Any]:
            assert seat in self.to_move
            return ["high", "low"]

        def leave(self, seat: int) -> None:
            self.to_move = (0, 1)

    game = new(Fewer, 4)
    game.advance({0: MoveReply("high"), 1: MoveReply("low"), 2: LEFT, 3: MoveReply("low")})
    assert game.game.applied == [{0: "high", 1: "low"}]
    assert [each.seat for each in game.requests] == [0, 1, 3]


class Halves(Auction):
    """After one has left, seat 0 bids as before, and seat 1 takes a lot. After two, both take."""

    def legal(self, seat: int) -> list[Any]:
        bids = self.stage == "bid" or (seat == 0 and len(self.left) == 1)
        return ["high", "low"] if bids else [1, 2, 3]

    def leave(self, seat: int) -> None:
        self.stage, self.to_move = "take", (0, 1)


def halves() -> Any:
    game = new(Halves, 4)
    game.advance({seat: LEFT if seat == 3 else MoveReply("low") for seat in range(4)})
    return game


def test_only_the_seats_with_another_request_are_asked_again() -> None:
    game = halves()
    assert [(each.seat, each.message.moves) for each in game.requests] == [(1, [1, 2, 3])]
    assert [game.view(seat).moves for seat in range(4)] == [[], [1, 2, 3], [], []]
    copied = game.copy(SeededRandomSource(1))
    for each in (game, copied):
        each.advance({1: MoveReply(2)})
        assert each.game.applied == [{0: "low", 1: 2}]


def test_a_kept_reply_is_dropped_if_a_later_leave_changes_the_request() -> None:
    game = halves()
    game.advance({1: LEFT})
    assert [(each.seat, each.message.moves) for each in game.requests] == [(0, [1, 2, 3])]


class Changing(Auction):
    """A bid stays a bid if somebody leaves, but something else in the request changes."""

    kept = (0, 1)
    changed = ""

    def scores(self) -> list[int]:
        return [len(self.left) if self.changed == "scores" else 0] * self.seats

    def view(self, viewer: Any) -> dict[str, Any]:
        return {"left": len(self.left) if self.changed == "view" else 0}


@pytest.mark.parametrize("changed", ["scores", "view", ""])
def test_changed_scores_or_another_view_are_another_request(changed: str) -> None:
    game = new(type("Changing", (Changing,), {"changed": changed}))
    game.advance({0: MoveReply("high"), 1: MoveReply("low"), 2: LEFT})
    played = [{0: "high", 1: "low"}]
    assert game.game.applied == ([] if changed else played)


class Pairs(Auction):
    """Its methods do not expect to be called when one seat is left."""

    def legal(self, seat: int) -> list[Any]:
        assert not self.left
        return super().legal(seat)


def test_nothing_is_asked_of_a_game_with_too_few_seats() -> None:
    game = new(Pairs, 2)
    game.advance({0: MoveReply("high"), 1: LEFT})
    assert game.requests == ()


def test_a_wrong_move_that_loses_is_a_leave_too() -> None:
    game = new(Auction)
    game.advance({0: MoveReply(3), 1: MoveReply("low"), 2: MoveReply("low")})
    assert [(each.seat, each.message.moves) for each in game.requests] == [(1, [1, 2, 3])]


def test_a_wrong_move_that_costs_little_is_asked_for_again_too() -> None:
    game = new(type("Lenient", (Auction,), {"wrong_move": "first"}))
    game.advance({0: MoveReply(3), 1: MoveReply("low"), 2: LEFT})
    assert [(each.seat, each.message.moves) for each in game.requests] == [(0, [1, 2, 3])]


LEAVING = st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=8)


@settings(max_examples=25)
@given(LEAVING, st.sets(st.integers(0, 3)))
def test_what_is_applied_was_legal_when_it_is_applied(
    leaving: list[list[bool]], kept: set[int]
) -> None:
    game = keeping(*kept)
    for leaves in leaving:
        asked = {each.seat: each.message.moves for each in game.requests}
        game.advance(
            {seat: LEFT if leaves[seat] else MoveReply(moves[-1]) for seat, moves in asked.items()}
        )
