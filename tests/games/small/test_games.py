"""Random matches of all small games, and the error messages for mistakes in a game's code."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from enum import Enum
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any

import msgspec
import pytest

from referee import cli
from referee.errors import GameError, UsageError
from referee.games import GAMES
from referee.games.interface.faults import EndReason, Fault, InvalidReply
from referee.games.interface.game import ALL, LEFT, PUBLIC, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.outside import load
from referee.games.small import Chance, Game, definition, sees
from referee.games.small.author import words_of
from referee.games.small.cells import targets
from referee.games.small.environment import _numbers, environment_of
from referee.games.small.machine import SmallGame, find
from referee.games.small.messages import (
    GameInfo,
    MoveReply,
    MoveRequest,
    MovesPlayed,
    PlayerLost,
    View,
)
from referee.games.small.person import choices
from referee.match.machine import Match, Sent
from referee.match.pages import game_page, unmarked
from tests.games.test_leaks import leaky
from tests.support.any_game import Course
from tests.support.helpers import NAMES, TIMES, name_line
from tests.support.leaks import Pair, hidden_in
from tests.support.marks import slow
from tests.support.own_game import SMALL_GAMES, every_small_game, small_games
from tests.support.people import at_random, decide


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with small_games():
        yield


most = pytest.mark.parametrize("name", [slow("battleship"), "connect4", slow("goofspiel"), "kuhn"])
"""For long tests: Battleship has many more moves, and shows the same as the others."""


@every_small_game
def test_the_requests_of_a_seat_have_its_view(name: str) -> None:
    for seed in range(2 * TIMES):
        course = Course(name, seed, wrong=0.02)
        rules: Any = course.definition
        trackers = [rules.environment.tracker(seat, course.seats) for seat in range(course.seats)]
        for entries in course.play():
            for seat in range(course.seats):
                for message in course.sent_to(seat, entries):
                    trackers[seat].observe(message)
            for seat in course.match.due:
                assert trackers[seat].view() == course.match.view(seat)


def pairs(name: str) -> list[Pair]:
    definition, made = GAMES[name], list[Pair]()
    for number in range(2 * TIMES):
        draw = Random(number).randint
        seats = draw(definition.min_seats, min(definition.max_seats, len(NAMES)))
        made.append(
            Pair(
                definition=definition,
                hidden=hidden_in(name),
                options=definition.options(),
                seats=seats,
                viewer=draw(0, seats - 1),
                seed=draw(2**40, 2**53 - 2),
                choices=draw(0, 2**32),
                fork=draw(0, 12),
                change=draw(0, 2**32),
                length=8,
            )
        )
    return made


@pytest.mark.parametrize("name", ["kuhn", slow("battleship"), slow("goofspiel")])
def test_what_is_hidden_changes_no_line_and_no_view(name: str) -> None:
    for pair in pairs(name):
        pair.compare()


@pytest.mark.parametrize("where", ["line", "view"])
def test_a_leak_is_found(where: str) -> None:
    def all_leaky() -> None:
        for pair in pairs("kuhn"):
            dataclasses.replace(pair, definition=leaky(pair.definition, where)).compare()

    with pytest.raises(AssertionError):
        all_leaky()


@pytest.mark.parametrize("name", ["connect4", *map(slow, ("battleship", "goofspiel", "kuhn"))])
def test_one_bot_plays_every_game(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, record = (str(tmp_path / part) for part in ("log", "record"))

    def run(*words: str) -> str:
        assert cli.main([*words]) == 0
        out, err = capsys.readouterr()
        assert not err
        return out

    least = GAMES[name].min_seats
    game = ["--game", SMALL_GAMES[name]]
    run("play", *["any_move"] * least, *game, "--seed", "4", "--log", log, "--record", record)
    assert "valid" in run("verify", record)
    assert "valid" in run("validate", log)
    for written in (log, record):
        assert "plays " in run("replay", written)


@every_small_game
def test_people_play(name: str) -> None:
    course, dice = Course(name, 3), Random(3)
    rules: Any = course.definition
    people = [rules.person(list(course.names), seat) for seat in range(course.seats)]

    def reply(seat: int, request: Any) -> bytes:
        people[seat].observe(request)
        return msgspec.json.encode(decide(people[seat], request, at_random(dice)))

    for _ in course.play(reply):
        pass
    assert not any(course.match.faults)


def test_a_person_is_asked_for_one_of_the_moves_and_told_those_of_others() -> None:
    person: Any = definition(Count, "count").person(["A", "B", "C"], 0)  # type: ignore[misc]
    decision = person.decide(MoveRequest(3, "player1", [1, 2], [0, 1.5, 2], {"number": 5}))
    question = next(decision)
    assert question.title == "Turn 3: 0 to 1.5 to 2"
    assert [(choice.name, choice.key) for choice in question.choices] == [("1", "1"), ("2", "2")]
    with pytest.raises(StopIteration) as done:
        decision.send((1,))
    assert done.value.value == {"type": "move-reply", "move": 2}
    state: dict[str, Any] = {"number": 4}
    assert person.observe(MovesPlayed(3, {"player1": 2}, [0, 0, 0], state)) == []
    assert person.observe(MovesPlayed(4, {"player2": 3}, [0, 0, 0], state)) == ["B plays 3."]
    both = MovesPlayed(5, {"player1": 1, "player3": 2}, [0, 0, 0], state)
    assert person.observe(both) == ["Turn 5: player1 1, player3 2."]


class Count(Game):
    """Three players subtract from a number and score half of what they subtract."""

    players = 3
    moves = (1, 2, 3)

    def start(self) -> None:
        self.number, self.points = 12, [0.0] * self.seats

    def legal(self, seat: int) -> Any:
        return self.moves

    def apply(self, move: int) -> None:
        self.number -= move
        self.points[self.to_move] += move / 2  # type: ignore[index]
        self.to_move = (self.to_move + 1) % 3 if self.number > 0 else None  # type: ignore[operator]

    def view(self, viewer: Any) -> dict[str, Any]:
        return {"number": self.number}

    def scores(self) -> Any:
        return self.points


def new(
    kind: type[Game], seats: int = 3, absent: Iterable[int] = (), chance: Any = None, **options: Any
) -> Any:
    rules = definition(kind, "game")
    setup = GameSetup(
        chance=chance or SeededRandomSource(1),
        names=("",) * seats,
        options=rules.options(**options),
        absent=frozenset(absent),
    )
    return rules.new(setup)


WRONG = [MoveReply(4), MoveReply(True), MoveReply("1"), MoveReply(), InvalidReply("wrong-type", "")]


@pytest.mark.parametrize("reply", WRONG)
def test_a_wrong_move_loses_unless_the_game_says_otherwise(reply: object) -> None:
    game = new(Count)
    game.advance({0: reply})
    assert PlayerLost(1, "player1") in game.take_events()
    assert [request.seat for request in game.requests] == [1]
    game.advance({1: reply})
    assert [type(event) for event in game.take_events()] == [Fault, PlayerLost]
    assert game.outcome.reason == "wrong-move"
    assert game.outcome.ranks == (2, 2, 1)


@pytest.mark.parametrize(
    ("reply", "code", "detail"),
    [
        (MoveReply(), "illegal-move", "`move` is missing, which is not one of the legal moves"),
        (InvalidReply("invalid-json", "cut"), "invalid-json", "cut"),
        (PlayerLost(1, "player1"), "wrong-type", "this is not a move-reply"),
    ],
)
def test_what_is_wrong_with_a_reply(reply: object, code: str, detail: str) -> None:
    game = new(Count)
    game.advance({0: reply})
    faults = [event for event in game.take_events() if type(event) is Fault]
    assert faults == [Fault(0, code, "5.1", detail)]


def test_a_game_can_end_when_a_seat_leaves() -> None:
    game = new(type("Ends", (Count,), {"leave": lambda self, seat: setattr(self, "to_move", None)}))
    game.take_events()
    game.advance({0: LEFT})
    assert game.take_events() == []
    assert (game.outcome.reason, game.outcome.ranks) == ("finished", (3, 1, 1))


@pytest.mark.parametrize("to_move", [-1, 3, True, "1", 1.0, (0, 3), (-1, 1), [0, False], (0, "1")])
@pytest.mark.parametrize("method", ["start", "apply", "leave"])
def test_a_seat_to_move_is_one_of_the_match(to_move: Any, method: str) -> None:
    """The method that has set it is named."""

    def wrong(self: Count, *move: Any) -> None:
        getattr(Count, method)(self, *move)
        self.to_move = to_move

    odd = type("Odd", (Count,), {method: wrong})
    says = rf"line \d+, in {method}: `to_move` is {re.escape(repr(to_move))}; seats are 0 to 2$"
    with pytest.raises(GameError, match=says):
        new(odd).advance({0: LEFT if method == "leave" else MoveReply(1)})


def test_no_seat_decides_twice_at_once() -> None:
    def start(self: Count) -> None:
        Count.start(self)
        self.to_move = (1, 0, 1)

    odd = type("Odd", (Count,), {"start": start})
    says = r"`to_move` is \(1, 0, 1\); seats are 0 to 2, and none may be there twice$"
    with pytest.raises(GameError, match=says):
        new(odd)


def test_seats_that_decide_together_are_asked_in_their_order() -> None:
    game = new(AtOnce)
    game.game.to_move = [2, 0]
    game._begin_turn(game._deciding())
    assert [request.seat for request in game.requests] == [0, 2]


@pytest.mark.parametrize(
    ("legal", "says"),
    [
        ({1, 2}, "it returned a set, not a list"),
        (None, "it returned a NoneType, not a list"),
        ([], "seat 0 is to move, and has no legal move"),
    ],
)
def test_legal_moves_are_a_list_with_a_move(legal: Any, says: str) -> None:
    with pytest.raises(GameError, match=rf"line \d+, in legal: {says}"):
        new(type("Odd", (Count,), {"legal": lambda self, seat: legal}))


@pytest.mark.parametrize(
    ("move", "shown"),
    [
        ([99, "\u202e"], r'[99,"\u202e"]'),
        ({"row": 1}, '{"row":1}'),
        ([1] * 30, "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1..."),
        ("x", '"x"'),
    ],
)
def test_the_author_sees_the_wrong_move(move: Any, shown: str) -> None:
    game = new(Count)
    game.advance({0: MoveReply(move)})
    (fault,) = (event for event in game.take_events() if type(event) is Fault)
    assert fault.detail == f"`move` is {shown}, which is not one of the legal moves"


@pytest.mark.parametrize(
    ("legal", "move", "place"),
    [
        ([0.5, 1.0, 2.0], 1, 1),  # JavaScript writes 1.0 as 1
        ([0, 1], 1.0, 1),
        ([True, 1], 1, 1),
        ([1], True, -1),
        ([1], "1", -1),
        ([{"to": (1.0, 2)}], {"to": [1, 2]}, 0),
        ([[1, 2]], [1, 2.5], -1),
        ([[1]], [True], -1),
        ([[True]], [1], -1),
        ([None, False], False, 1),
    ],
)
def test_a_move_is_equal_as_json(legal: list[Any], move: Any, place: int) -> None:
    assert find(legal, move) == place


@pytest.mark.parametrize(("costs", "played"), [("first", {1}), ("random", {1, 2, 3})])
def test_a_game_can_play_another_move(costs: str, played: set[int]) -> None:
    game = new(type("Lenient", (Count,), {"wrong_move": costs}))
    moves: set[int] = set()
    while game.outcome is None:
        game.advance({game.requests[0].seat: MoveReply(9)})
        for event in game.take_events():
            moves.update(event.moves.values() if isinstance(event, MovesPlayed) else ())
    assert moves == played
    assert game.outcome.reason == "finished"


def test_the_first_move_is_played_for_a_seat_that_left() -> None:
    game = new(Count)
    game.advance({0: LEFT})
    game.advance({1: MoveReply(3)})
    game.advance({2: MoveReply(3)})
    played = [event.moves for event in game.take_events() if isinstance(event, MovesPlayed)]
    assert played == [{"player1": 1}, {"player2": 3}, {"player3": 3}, {"player1": 1}]
    game.advance({1: LEFT})
    assert game.outcome.reason == EndReason.LAST_PLAYER_STANDING


class Skipping(Count):
    """The next player decides in place of one that leaves."""

    def leave(self, seat: int) -> None:
        self.to_move = (seat + 1) % 3


def test_a_match_has_as_many_turns_as_its_option_says() -> None:
    game = new(Count, max_turns=1)
    for seat in range(3):
        assert [state.turns for state in game.standings()] == [1] * (seat + 1) + [0] * (2 - seat)
        assert (game.turns, game.outcome) == (seat + 1, None)
        game.advance({seat: MoveReply(seat + 1)})
    assert (game.turns, game.requests) == (3, ())
    assert (game.outcome.reason, game.outcome.ranks) == (EndReason.TURN_LIMIT, (3, 2, 1))


def test_a_turn_in_which_a_seat_leaves_is_finished_by_the_one_that_decides_next() -> None:
    game = new(Skipping, max_turns=1)
    game.advance({0: MoveReply(1)})
    game.advance({1: MoveReply(1)})
    game.take_events()
    game.advance({2: LEFT})
    assert game.take_events() == []
    assert [request.seat for request in game.requests] == [0]
    assert (game.turns, [state.turns for state in game.standings()]) == (3, [1, 1, 1])
    game.advance({0: MoveReply(2)})
    assert [(e.turn, e.moves) for e in game.take_events()] == [(3, {"player1": 2})]
    assert game.outcome.reason == EndReason.TURN_LIMIT


def test_one_leaves_and_another_loses() -> None:
    for last, reason in ((LEFT, EndReason.LAST_PLAYER_STANDING), (MoveReply(9), "wrong-move")):
        game = new(Count)
        game.advance({0: MoveReply(9) if last is LEFT else LEFT})
        game.advance({1: last})
        assert (game.outcome.reason, game.outcome.ranks) == (reason, (2, 2, 1))


class AtOnce(Game):
    """All players put a card on the table at the same time. Nobody knows the stock."""

    players = (2, 10)
    wrong_move = "random"

    def start(self) -> None:
        self.stock, self.gone, self.table = ["w", "x", "y", "z"], list[int](), list[Any]()
        self.hands = [[f"{seat}a", f"{seat}b", f"{seat}c"] for seat in range(self.seats)]
        self.to_move = tuple(range(self.seats))

    def legal(self, seat: int) -> list[str]:
        return self.hands[seat]

    def apply(self, moves: dict[int, str]) -> None:
        self.table.append(moves)
        self.to_move = tuple(seat for seat in range(self.seats) if seat not in self.left)

    def leave(self, seat: int) -> None:
        self.gone.append(seat)

    def view(self, viewer: Any) -> dict[str, Any]:
        hands = [hand if viewer in (n, ALL) else None for n, hand in enumerate(self.hands)]
        return {"hands": hands, "stock": self.stock if viewer is ALL else None}

    def scores(self) -> list[int]:
        return [0] * self.seats

    def secret(self, seat: int) -> list[list[str]]:
        return [self.stock, *(hand for n, hand in enumerate(self.hands) if n != seat)]


def test_seats_that_failed_the_handshake_have_left_in_their_order() -> None:
    game = new(AtOnce, 10, absent={8, 1})
    assert game.game.gone == [1, 8]
    assert game.left == game.game.left == {1, 8}
    assert [request.seat for request in game.requests] == [0, 2, 3, 4, 5, 6, 7, 9]


def test_after_a_failed_handshake_only_the_first_events_are_the_opening_alone() -> None:
    game = new(Count, absent={1})
    assert [type(event) for event in game.take_events()] == [GameInfo]
    game.take_events()
    game.advance({0: MoveReply(4)})
    assert [type(event) for event in game.take_events()] == [Fault, PlayerLost]


@pytest.mark.parametrize(
    ("absent", "reason", "ranks"),
    [
        ({0, 2}, EndReason.LAST_PLAYER_STANDING, (2, 1, 2)),
        ({0, 1, 2}, EndReason.NO_PLAYERS, (1, 1, 1)),
    ],
)
def test_without_two_seats_nobody_is_asked(
    absent: set[int], reason: str, ranks: tuple[int, ...]
) -> None:
    for kind in (AtOnce, Count):
        game = new(kind, absent=absent)
        assert (game.requests, game.turns) == ((), 0)
        assert (game.outcome.reason, game.outcome.ranks) == (reason, ranks)


def test_a_game_says_why_it_ended() -> None:
    def apply(self: AtOnce, move: Any) -> None:
        self.to_move, self.reason = None, self.setting

    for setting, says in (("mate", ""), ("finished", ""), ("mated", "`reason` is 'mated': give")):
        reasons = {"mate": "{winner} has mated"}
        kind = type("Own", (AtOnce,), {"apply": apply, "reasons": reasons, "setting": setting})
        game = new(kind, 2)
        with pytest.raises(GameError, match=says) if says else nullcontext():
            game.advance({0: MoveReply("0a"), 1: MoveReply("1a")})
            assert game.outcome.reason == setting
    rules = definition(kind, "own")
    assert rules.why_ended("mate", ["A", "B"], [1]) == "B has mated"
    (code,) = (code for code in game_page(rules).codes if code.code == "mate")
    assert (unmarked(code.section), code.why) == ("4", "the winner has mated")


def test_in_a_turn_of_all_a_seat_that_leaves_plays_its_first_move() -> None:
    game = new(AtOnce)
    game.advance({0: MoveReply("0b"), 1: LEFT, 2: MoveReply("2c")})
    assert game.game.table == [{0: "0b", 1: "1a", 2: "2c"}]
    assert (game.turns, [state.turns for state in game.standings()]) == (2, [2, 1, 2])
    assert [request.seat for request in game.requests] == [0, 2]


def test_the_turn_limit_is_reached_when_one_of_several_has_had_its_turns() -> None:
    def start(self: AtOnce) -> None:
        AtOnce.start(self)
        self.to_move = 0

    game = new(type("First", (AtOnce,), {"start": start}), 2, max_turns=1)
    game.advance({0: MoveReply("0a")})
    assert game.outcome.reason == EndReason.TURN_LIMIT
    assert [state.turns for state in game.standings()] == [1, 0]


def test_a_redeal_gives_others_new_cards_and_new_moves() -> None:
    dealt = set()
    for luck in range(4):
        game = new(AtOnce)
        game.redeal([1], SeededRandomSource(luck))
        hands = game.game.hands
        assert hands[1] == ["1a", "1b", "1c"]
        assert game.legal == dict(enumerate(hands))
        assert [request.message.moves for request in game.requests] == hands
        assert [game.view(seat).moves for seat in (0, 1, 2, PUBLIC, ALL)] == [*hands, [], []]
        assert sorted([*game.game.stock, *hands[0], *hands[2]]) == sorted(
            ["0a", "0b", "0c", "2a", "2b", "2c", "w", "x", "y", "z"]
        )
        dealt.add(tuple(hands[0]))
    assert len(dealt) > 1


def test_a_reshuffle_moves_only_what_nobody_knows() -> None:
    dealt = set()
    for luck in range(4):
        game = new(AtOnce)
        hands = [[*hand] for hand in game.game.hands]
        game.redeal(range(3), SeededRandomSource(luck))
        assert game.game.hands == hands
        assert sorted(game.game.stock) == ["w", "x", "y", "z"]
        dealt.add(tuple(game.game.stock))
    assert len(dealt) > 1


def test_a_copy_shares_neither_state_nor_chance() -> None:
    chance = SeededRandomSource(3)
    game = new(AtOnce, chance=chance)
    copy = game.copy(chance.copy())
    copy.redeal([0], SeededRandomSource(4))
    assert [request.message.moves for request in copy.requests] == copy.game.hands
    assert [request.message.moves for request in game.requests] == game.game.hands
    same, other = (game.copy(chance.copy()) for _ in range(2))
    wrong = {seat: MoveReply("wrong") for seat in range(3)}
    for each in (same, other, game):  # draw from their chance
        for _ in range(4):
            each.advance(wrong)
    assert same.game.table == other.game.table == game.game.table
    assert same.take_events() == game.take_events()
    same.advance({0: LEFT, 1: LEFT, 2: LEFT})
    assert (same.turns, same.left, game.left, game.outcome) == (5, {0, 1, 2}, set(), None)
    assert [state.turns for state in game.standings()] == [5, 5, 5]


def test_without_lines_a_reader_gets_values_in_place_of_json() -> None:
    match = Match(definition(AtOnce, "game"), seats=2, seed=1, lines=False, readers=[1])
    match.start()
    for seat in (0, 1):
        match.receive(seat, name_line(seat))
    *_, asked = match.take_entries()
    assert isinstance(asked, Sent)
    assert msgspec.structs.asdict(asked.message) == {
        "more_moves": msgspec.UNSET,
        "turn": 1,
        "player_number": "player2",
        "moves": ["1a", "1b", "1c"],
        "scores": [0, 0],
        "state": {"hands": [None, ["1a", "1b", "1c"]], "stock": None},
    }


def test_a_seat_sees_its_own_things_while_others_decide() -> None:
    game = open_card("K", "Q")
    assert game.view(0).state["hands"] == ["K", None]
    assert game.view(0).moves == ["go"]
    game.advance({0: MoveReply("go")})
    assert game.view(0).state == {"table": "J", "hands": ["K", None]}
    assert game.view(0).moves == []
    assert game.view(1).state["hands"] == [None, "Q"]
    assert game.view(ALL).state["hands"] == ["K", "Q"]


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("method", "result", "problem"),
    [
        ("legal", lambda self: [object()], "the result[0] is of type object"),
        ("legal", lambda self: [2**60], "the result[0] is an integer above 2^53"),
        ("view", lambda self: {"n": 2**60}, "the result.n is an integer above 2^53"),
        ("view", lambda self: {"n": nested(2000)}, "the result is nested too deeply"),
        ("legal", lambda self: self.again(), "two calls in one state returned different results"),
        ("view", lambda self: {"n": self.again()}, "two calls in one state returned different"),
    ],
)
def test_the_first_request_is_checked(method: str, result: Any, problem: str) -> None:
    calls = itertools.count()
    odd = {method: lambda self, viewer: result(self), "again": lambda self: [next(calls)]}
    with pytest.raises(GameError, match=rf"line \d+, in {method}: {re.escape(problem)}"):
        new(type("Odd", (Count,), odd))


def test_a_move_that_is_no_data_names_the_line_of_the_method() -> None:
    """Player 2's second move isn't data, which shows only when its request is encoded."""
    odd = type("Odd", (Count,), {"legal": lambda self, seat: [1, *[object()] * bool(seat)]})
    game = new(odd)
    game.advance({0: MoveReply(1)})
    (request,) = game.requests
    with pytest.raises(GameError, match=r"line \d+, in legal: the result\[1\] is of type object"):
        assert request.written


NESTED: list[Any] = []
NESTED.append(NESTED)


@pytest.mark.parametrize(
    ("method", "own", "says"),
    [
        ("start", lambda self, options: None, "def start(self)"),
        ("legal", lambda self: [], "def legal(self, seat)"),
        ("shown", lambda self, move: move, "def shown(self, seat, move)"),
        ("leave", 3, "def leave(self, seat)"),
        ("cells", lambda self, move: [], "@classmethod def cells(cls, move)"),
        ("observe", classmethod(lambda cls: None), "@classmethod def observe(cls, view)"),
    ],
)
def test_the_arguments_of_a_method_are_those_of_its_class(method: str, own: Any, says: str) -> None:
    says = re.escape(f"`{method}` has other arguments: write {says}")
    with pytest.raises(GameError, match=says):
        definition(type("Odd", (Count,), {method: own}), "odd")


def test_a_method_may_have_more_arguments_and_be_static() -> None:
    own = {"legal": lambda *own: [1], "leave": lambda self, seat, why="": None}
    definition(type("Own", (Count,), own | {"words": staticmethod(lambda move: "one")}), "own")


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    ("method", "value", "says"),
    [
        ("legal", [float("inf")], r"in legal: the result\[0\] is inf"),
        (
            "legal",
            [Colour.RED],
            r"in legal: the result\[0\] is of type Colour, and JSON has no such",
        ),
        ("view", {"x": "\ud800"}, r"in view: 'utf-8' codec can't encode character"),
        ("view", {"x": NESTED}, r"in view: the result is nested too deeply for JSON"),
    ],
)
def test_what_json_cannot_carry_is_the_mistake_of_its_method(
    method: str, value: Any, says: str
) -> None:
    """It is found before a bot sends such a move, which would be wrong."""
    with pytest.raises(GameError, match=says):
        new(type("Odd", (Count,), {method: lambda self, _: value}))


def test_the_words_of_a_move_are_a_text() -> None:
    odd = type("Odd", (Count,), {"words": classmethod(lambda cls, move: 5)})
    for use in (lambda: choices(odd, [1]), lambda: environment_of(odd, "odd")):
        with pytest.raises(GameError, match="in words: it returned 5: give a text"):
            use()


@pytest.mark.parametrize("method", ["words", "cells", "observe"])
def test_what_a_class_method_raises_is_the_mistake_of_its_game(method: str, tmp_path: Path) -> None:
    """No match calls it, so a server, for example, would end with it."""
    raising = f"\n    @classmethod\n    def {method}(cls, of):\n        raise GeneratorExit\n"
    file = tmp_path / "own.py"
    file.write_text(Path(SMALL_GAMES["kuhn"]).read_text() + raising)
    turns: Any = load(str(file)).turns
    kind = turns.kind
    calls = {
        "words": lambda: words_of(kind, 1),
        "cells": lambda: targets(kind, [], [1], 0),
        "observe": lambda: _numbers(kind, View(1, [0], [], {}), {}),
    }
    with pytest.raises(GameError, match=rf"own.py, line \d+, in {method}: GeneratorExit"):
        calls[method]()


@pytest.mark.parametrize("method", ["start", "legal", "apply", "view", "scores"])
def test_a_class_without_a_method_is_no_game(method: str) -> None:
    class Odd(Count):
        pass

    setattr(Odd, method, getattr(Game, method))
    with pytest.raises(GameError, match=rf"line \d+, in Odd: the class has no method `{method}`"):
        definition(Odd, "odd")


def option(kind: Any, default: Any) -> type:
    return type("Options", (), {"__annotations__": {"rows": kind}, "rows": default})


@pytest.mark.parametrize("default", [[1, 2], {"a": 1}])
def test_the_default_of_an_option_may_be_a_list_or_a_dict(default: Any) -> None:
    made = definition(type("Own", (Count,), {"Options": option(type(default), default)}), "own")
    (first, second) = (made.options() for _ in range(2))
    assert first.rows == second.rows == default
    assert first.rows is not second.rows


def test_the_number_of_players_bounds_the_seats_of_marks() -> None:
    marks = {"players": (2, 3), "marks": {"X": 2}}
    assert definition(type("Own", (Count,), marks), "own").max_seats == 3


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"reasons": ["mate"]}, "`reasons` is ['mate']: give a clause for each new code"),
        ({"reasons": {"mate": ""}}, "`reasons` is {'mate': ''}: give a clause"),
        ({"reasons": {"Mate": "so"}}, "`reasons` is {'Mate': 'so'}: give a clause"),
        ({"reasons": {"finished": "so"}}, "`reasons` is {'finished': 'so'}: give a clause"),
        ({"reasons": {"turn-limit": "so"}}, "`reasons` is {'turn-limit': 'so'}: give a clause"),
        ({"players": 1}, "`players` is 1: give a number from 2, or two of them"),
        ({"players": True}, "`players` is True: give a number from 2"),
        ({"players": 2.0}, "`players` is 2.0: give a number from 2"),
        ({"players": (1, 3)}, "`players` is (1, 3): give a number from 2"),
        ({"players": (3, 2)}, "`players` is (3, 2): give a number from 2"),
        ({"players": (2, 3, 4)}, "`players` is (2, 3, 4): give a number from 2"),
        ({"wrong_move": "last"}, "`wrong_move` is 'last': give one of 'loses', 'first', 'random'"),
        ({"moves": {1, 2}}, "`moves` is {1, 2}: give a list or a dict of lists"),
        ({"moves": 3}, "`moves` is 3: give a list or a dict of lists"),
        ({"reasons": {"mate": "{who} has mated"}}, "it may have {winner} and {loser}"),
        ({"symbols": ("J", 1)}, "`symbols` is ('J', 1): give a list of texts"),
        ({"symbols": 3}, "`symbols` is 3: give a list of texts"),
        ({"marks": ["X"]}, "`marks` is ['X']: give a seat, a word"),
        ({"players": 2, "marks": {"X": 2}}, "`marks` is {'X': 2}: seats are 0 to 1"),
        ({"players": (2, 3), "marks": {"X": 3}}, "`marks` is {'X': 3}: seats are 0 to 2"),
        ({"marks": {"X": -1}}, "`marks` is {'X': -1}: seats are 0 to "),
        ({"edges": "abc"}, "`edges` is 'abc': give the names of the columns and of the rows"),
        ({"edges": ("abc", 3)}, "`edges` is ('abc', 3): give the names"),
        ({"edges": ("abc",)}, "`edges` is ('abc',): give the names"),
        ({"together": 1}, "`together` is 1: give True or False"),
        ({"secrets": 3}, "`secrets` is 3: give a text"),
        ({"wrong_move": []}, "`wrong_move` is []: give one of"),
        ({"Options": {"rows": 3}}, "`Options` cannot be read: {'rows': 3} is not a module, class"),
        ({"Options": option("Rows", 3)}, "`Options` cannot be read: name 'Rows' is not defined"),
        ({"Options": option(set, {1})}, "`Options` cannot be read: Using a non-empty mutable"),
        ({"Options": option(int, "x")}, "`Options.rows` is 'x': Expected `int`, got `str`"),
        ({"Options": option(list[int], ["x"])}, "`Options.rows` is ['x']: Expected `int`"),
        ({"Options": option(int, object())}, "`Options.rows` is <object object at"),
        (
            {"Options": type("Options", (), {"rows": 6})},
            "`Options.rows` has no type: write rows: int = 3",
        ),
        (
            {"Options": type("Options", (), {"__annotations__": {"rows": int}})},
            "`Options.rows` has no default: write rows: ... = 3",
        ),
    ],
    ids=str,
)
def test_a_wrong_attribute_of_the_class(attributes: dict[str, Any], says: str) -> None:
    with pytest.raises(GameError, match=re.escape(says)):
        definition(type("Odd", (Count,), attributes), "odd")


@pytest.mark.parametrize(
    ("players", "seats"), [(2, (2, 2)), (5, (5, 5)), ((2, 2), (2, 2)), ((2, 4), (2, 4))]
)
def test_the_numbers_of_players(players: Any, seats: tuple[int, int]) -> None:
    made = definition(type("Some", (Count,), {"players": players}), "some")
    assert (made.min_seats, made.max_seats) == seats
    # With a third player a match goes on, so the cases of a match that ends are left out.
    omitted = msgspec.json.decode(made.cases())["shared"].get("omit", [])  # type: ignore[misc]
    assert ("3.5/1" in omitted) == (seats[0] > 2)


def test_the_options_of_a_game() -> None:
    class Own:
        rows: int = 6

    options: Any = definition(type("Some", (Count,), {"Options": Own}), "some").options
    assert msgspec.structs.asdict(options()) == {"rows": 6, "max_turns": 500}
    for turns, right in ((0, False), (1, True), (10_000, True), (10_001, False)):
        with nullcontext() if right else pytest.raises(msgspec.ValidationError):
            assert msgspec.convert({"max_turns": turns}, options).max_turns == turns

    class Turns:
        max_turns: int = 3

    made = definition(type("Some", (Count,), {"Options": Turns}), "some")
    assert msgspec.structs.asdict(made.options()) == {"max_turns": 3}
    assert msgspec.json.decode(made.cases())["options"] == {}  # type: ignore[misc]
    # An environment needs the moves, and a game without is complete.
    assert made.environment is not None
    assert definition(type("Some", (Count,), {"moves": None}), "some").environment is None


def test_the_chance_of_a_game_is_one_stream_of_its_seed() -> None:
    for seed in range(5):
        chance, source = Chance.of_seed(seed), SeededRandomSource(seed)
        items, same = [*"abcdef"], [*"abcdef"]
        assert chance.choose(6) == source.choose("game", 6)
        assert chance.pick(items) == items[source.choose("game", 6)]
        assert items == same
        chance.shuffle(items)
        source.shuffle("game", same)
        assert items == same
        assert chance.choose(1) == 0
    with pytest.raises(ValueError, match=r"choose\(0\) has nothing to choose from"):
        chance.choose(0)


def test_who_sees_the_cards_of_a_seat() -> None:
    assert [sees(viewer, 1) for viewer in (0, 1, 2, PUBLIC, ALL)] == [0, 1, 0, 0, 1]


@pytest.mark.parametrize("method", ["shown", "secret", "leave", "words", "legal"])
def test_an_attribute_must_not_hide_a_method(method: str) -> None:
    def start(self: Count) -> None:
        Count.start(self)
        setattr(self, method, [])

    says = rf"line \d+, in start: `self.{method}` hides the method `{method}`: choose another name"
    with pytest.raises(GameError, match=says):
        new(type("Odd", (Count,), {"start": start}))


@pytest.mark.parametrize("name", ["options", "seats", "left", "chance"])
def test_an_attribute_must_not_replace_what_the_referee_sets(name: str) -> None:
    """For example, the sticks that are left would become the set of the seats that left."""
    start = {"start": lambda self: setattr(self, name, 21)}
    says = rf"line \d+, in start: `self.{name}` is what the referee sets: choose another name"
    with pytest.raises(GameError, match=says):
        new(type("Odd", (Count,), start))


def test_attributes_that_cannot_be_copied_are_the_mistake_of_start() -> None:
    class Locked(Count):
        def start(self) -> None:
            super().start()
            self.lock = Lock()

    game = new(Locked)
    says = r"line \d+, in start: the attributes cannot be copied \(cannot pickle .*\): keep only"
    with pytest.raises(GameError, match=says):
        game.copy(SeededRandomSource(1))


def test_the_referee_makes_the_object_of_a_game() -> None:
    odd = type("Odd", (Count,), {"__init__": lambda self, size: None})
    says = r"line \d+, in __init__: `__init__` has arguments: use `start` and `Options` instead"
    with pytest.raises(GameError, match=says):
        definition(odd, "odd")
    definition(type("Own", (Count,), {"__init__": lambda self, size=3: None}), "own")


@pytest.mark.parametrize("scores", [[1], [1, 2, True], [1, 2, float("nan")], [1, 2, "3"]])
def test_scores_are_a_number_for_each_seat(scores: list[Any]) -> None:
    game = new(type("Odd", (Count,), {"scores": lambda self: scores}))
    with pytest.raises(GameError, match=r"line \d+, in scores: it must return 3 numbers, not \["):
        game.standings()


@pytest.mark.parametrize("scores", [None, {0: 1, 1: 0, 2: 5}, {1, 2, 3}])
def test_scores_are_a_list(scores: Any) -> None:
    """The keys of a dict are not its scores, and a set has no order."""
    game = new(type("Odd", (Count,), {"scores": lambda self: scores}))
    says = rf"line \d+, in scores: it returned a {type(scores).__name__}, not a list"
    with pytest.raises(GameError, match=says):
        game.standings()


@pytest.mark.parametrize(
    ("score", "right"), [(2**53, True), (-(2**53), True), (2**53 + 1, False), (-(2**70), False)]
)
def test_a_score_that_bots_would_round_is_the_authors_mistake(score: int, right: bool) -> None:
    game = new(type("Odd", (Count,), {"scores": lambda self: [0, 1, score]}))
    with (
        nullcontext()
        if right
        else pytest.raises(GameError, match=r"in scores: a score is above 2\^53")
    ):
        game.standings()


def test_whole_scores_are_integers() -> None:
    game = new(Count)
    assert repr([state.score for state in game.standings()]) == "[0, 0, 0]"
    game.advance({0: MoveReply(2)})
    game.advance({1: MoveReply(3)})
    assert repr([state.score for state in game.standings()]) == "[1, 1.5, 0]"


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ([1], "it returned a list of 1, not a dict"),
        (None, "it returned null, not a dict"),
        ({"n": {1: 2}}, "the result.n has the key 1"),
        ({"n": object()}, "the result.n is of type object"),
    ],
)
def test_a_state_is_an_object_of_json(state: Any, says: str) -> None:
    with pytest.raises(GameError, match=rf"line \d+, in view: {says}"):
        new(type("Odd", (Count,), {"view": lambda self, viewer: state}))


def test_tuples_of_a_state_are_lists() -> None:
    game = new(type("Tuples", (Count,), {"view": lambda self, viewer: {"n": (1, (2,))}}))
    assert game.view(PUBLIC).state == {"n": [1, [2]]}


@every_small_game
def test_a_redeal_keeps_what_any_seat_knows(name: str) -> None:
    """Cards that only some seats know, such as an opponent's hand, must stay where they are."""
    for seed in range(TIMES):
        course = Course(name, seed)
        for _ in course.play():
            if not course.match.due:
                break
            game: Any = course.match._game
            seats = range(course.seats)
            before = [msgspec.json.encode(game.view(seat)) for seat in seats]
            known = [msgspec.json.encode(_unknown_to_others(game, seat)) for seat in seats]
            game.redeal(seats, SeededRandomSource(seed))
            assert [msgspec.json.encode(game.view(seat)) for seat in seats] == before
            assert known == [msgspec.json.encode(_unknown_to_others(game, seat)) for seat in seats]


def open_card(*hands: str, secret: Any = None) -> Any:
    kind = OpenCard
    if secret is not None:
        kind = type("Dealt", (OpenCard,), {"secret": secret})
    options = GAMES["battleship"].options()
    setup = GameSetup(chance=SeededRandomSource(1), names=("", ""), options=options)
    game = SmallGame(kind, "open-card", setup)
    game.game.hands = [*hands]
    return game


def test_a_redeal_does_not_depend_on_the_hidden_order() -> None:
    """Otherwise a bot that simulates its match would learn the hidden cards (own-games, 2)."""
    for luck in range(5):
        dealt = set()
        for hands in ("KQJ", "JQK", "QKJ"):
            game = open_card(*hands, secret=lambda self, seat: [self.hands])
            game.redeal([0], SeededRandomSource(luck))
            dealt.add(tuple(game.game.hands))
            game.redeal([0, 1], SeededRandomSource(luck))
            dealt.add((*game.game.hands, "reshuffled"))
        assert len(dealt) == 2


def test_the_values_of_a_dict_are_dealt_again() -> None:
    dealt = set()
    for luck in range(9):
        game = open_card("K", "Q", secret=lambda self, seat: [self.table])
        game.game.table = {"left": "J", "right": "A"}
        game.redeal([0], SeededRandomSource(luck))
        dealt.add("".join(game.game.table[side] for side in ("left", "right")))
    assert dealt == {"AJ", "JA"}


@pytest.mark.parametrize("secret", [None, lambda self, seat: [], lambda self, seat: [{}, []]])
def test_a_game_that_hides_something_cannot_be_dealt_again_without_secrets(secret: Any) -> None:
    game = open_card("K", "Q", secret=secret)
    for seats in ([1], [0, 1]):
        with pytest.raises(UsageError, match=r"hides something from seat \d, and its `secret"):
            game.redeal(seats, SeededRandomSource(1))


@pytest.mark.parametrize("secret", [3, [3], ["ab"], [("a", "b")], [{1, 2}], "ab"])
def test_secrets_are_lists_and_dicts_whose_items_can_change_places(secret: Any) -> None:
    game = open_card("K", "Q", secret=lambda self, seat: secret)
    with pytest.raises(GameError, match=r"in secret: it returned .*: give lists or dicts"):
        game.redeal([0], SeededRandomSource(1))


def test_a_game_that_hides_nothing_needs_no_secrets() -> None:
    game = new(Count)
    game.redeal([1], SeededRandomSource(1))
    game.redeal([0, 1], SeededRandomSource(1))
    assert [request.seat for request in game.requests] == [0]


def _unknown_to_others(game: Any, seat: int) -> list[Any]:
    """Return the items that this seat knows and the next seat doesn't, in order."""
    own = {(id(pile), place) for pile, place in game._secret(seat)}
    return [
        pile[place]
        for pile, place in game._secret((seat + 1) % game.seats)
        if (id(pile), place) not in own
    ]


def test_a_seat_sees_its_own_ships_while_others_decide() -> None:
    definition = GAMES["battleship"]
    setup = GameSetup(chance=SeededRandomSource(1), names=("", ""), options=definition.options())
    game: Any = definition.new(setup)
    for request in game.requests:
        assert request.written
    for _ in range(3):
        places = (("first A", "second B")[r.seat] + str(r.message.turn) for r in game.requests)
        game.advance({r.seat: MoveReply(m) for r, m in zip(game.requests, places, strict=True)})
        for request in game.requests:
            assert request.written
    game.advance({0: MoveReply("second B4")})
    assert game.view(0).moves == []
    assert game.view(0).state["first"][0] == "SSS."  # Player 1 still sees its own ships.
    assert game.view(0).state["second"] == ["????", "???~", "????", "????"]
    assert game.view(PUBLIC).state["first"] == ["????"] * 4


class OpenCard(Game):
    """A player puts a card on the table, and the next one takes it away."""

    def start(self) -> None:
        self.hands, self.table = ["K", "Q"], None

    def legal(self, seat: int) -> list[str]:
        return ["go"]

    def apply(self, move: Any) -> None:
        self.table = "J" if self.table is None else None
        self.to_move = 1 - self.to_move

    def view(self, viewer: Any) -> dict[str, Any]:
        hands = [hand if viewer in (seat, ALL) else None for seat, hand in enumerate(self.hands)]
        return {"table": self.table, "hands": hands}

    def scores(self) -> list[int]:
        return [0, 0]


def test_a_person_does_not_see_a_card_that_has_left_the_table() -> None:
    game = open_card("K", "Q")
    game.advance({0: MoveReply("go")})
    assert game.requests[0].written
    assert game.view(1).state == {"table": "J", "hands": [None, "Q"]}
    game.advance({1: MoveReply("go")})
    assert game.view(1).state == {"table": None, "hands": [None, "Q"]}
