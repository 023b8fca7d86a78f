"""Games with too many moves to list (`Game.accepts`)."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
import pytest

from referee.cli.human_answer import Refusal, read_answer
from referee.env import environments_of
from referee.errors import UsageError
from referee.gamecheck.findings import Findings
from referee.gamecheck.guard import GameStoppedError, Guard
from referee.gamecheck.match import RandomMatch, Setting, strange_moves
from referee.games import GAMES
from referee.games.interface.faults import Fault
from referee.games.interface.game import LEFT
from referee.games.interface.log_player import UnfollowedError
from referee.games.small import Game, definition
from referee.games.small.log_player import LoggedGame
from referee.games.small.messages import MoveReply, MoveRequest, MovesPlayed, PlayerLost
from tests.games.small.test_games import new


class Share(Game):
    """Share ten soldiers among three hills. The bigger group on a hill wins it."""

    moves = ([10, 0, 0], [4, 3, 3])
    wrong_move = "first"

    def start(self) -> None:
        self.won, self.played = [0] * self.seats, list[Any]()
        self.to_move = (0, 1)

    def legal(self, seat: int) -> Any:
        return self.moves

    def accepts(self, seat: int, move: Any) -> bool:
        """Any three whole numbers from 0 whose sum is ten."""
        numbers = move if isinstance(move, list) and len(move) == 3 else [0.5]
        return all(type(n) is int and n >= 0 for n in numbers) and sum(numbers) == 10

    def apply(self, move: Any) -> None:
        self.played.append([move[0], move[1]])
        for one, other in zip(move[0], move[1], strict=True):
            self.won[0] += one > other
            self.won[1] += other > one
        self.to_move = (0, 1) if len(self.played) < 3 else None

    def view(self, viewer: Any) -> dict[str, Any]:
        return {"played": self.played}

    def scores(self) -> list[int]:
        return self.won


def played(game: Any) -> list[Any]:
    return [event.moves for event in game.take_events() if isinstance(event, MovesPlayed)]


def test_a_request_says_that_its_list_is_not_complete() -> None:
    game = new(Share, 2)
    for request in game.requests:
        assert request.message.more_moves is True
        sent = msgspec.json.decode(msgspec.json.encode(request.written))
        assert (sent["more_moves"], sent["moves"]) == (True, [[10, 0, 0], [4, 3, 3]])
    listed = new(type("Listed", (Share,), {"accepts": Game.accepts}), 2)
    assert "more_moves" not in msgspec.json.decode(msgspec.json.encode(listed.requests[0].written))


def test_an_accepted_move_is_played_with_whole_numbers_as_integers() -> None:
    game = new(Share, 2)
    game.advance({0: MoveReply([1.0, 4, 5]), 1: MoveReply([4, 3.0, 3])})
    assert played(game) == [{"player1": [1, 4, 5], "player2": [4, 3, 3]}]
    assert [type(n) for n in game.game.played[0][0]] == [int] * 3


@pytest.mark.parametrize("move", [[1, 4, 6], [11, -1, 0], "ten", None, True, msgspec.UNSET])
def test_a_move_that_is_not_accepted_is_a_fault_and_one_of_the_list_is_played(move: Any) -> None:
    game = new(Share, 2)
    game.advance({0: MoveReply(move), 1: MoveReply([0, 0, 10])})
    events = game.take_events()
    assert [event.code for event in events if isinstance(event, Fault)] == ["illegal-move"]
    moves = [event.moves for event in events if isinstance(event, MovesPlayed)]
    assert moves == [{"player1": [10, 0, 0], "player2": [0, 0, 10]}]


def test_a_reply_without_a_move_is_a_fault_whatever_is_accepted() -> None:
    given: list[Any] = []
    accepts = lambda self, seat, move: not given.append(move)  # noqa: E731
    game = new(type("All", (Share,), {"accepts": accepts}), 2)
    game.advance({0: MoveReply(), 1: MoveReply([0, 0, 10])})
    assert given == [[0, 0, 10]]  # the author's code needs to know nothing but JSON
    assert [event.detail for event in game.take_events() if isinstance(event, Fault)] == [
        "`move` is missing, which is not one of the legal moves"
    ]


def test_what_plays_for_a_seat_that_left_is_one_of_the_list() -> None:
    game = new(type("Three", (Share,), {"players": 3}), 3)
    game.advance({0: LEFT, 1: MoveReply([0, 5, 5])})
    assert played(game) == [{"player1": [10, 0, 0], "player2": [0, 5, 5]}]


def test_a_log_is_followed_through_accepted_moves_only() -> None:
    game = new(Share, 2)
    logged: Any = LoggedGame(Share, "share", game.setup)
    assert logged.candidates(0, [2, 4, 4]) == [[2, 4, 4]]
    assert logged.candidates(0, [2, 4, 5]) == []
    in_part = type("InPart", (Share,), {"shown": lambda self, seat, move: move[:1]})
    with pytest.raises(UnfollowedError, match="shown in part"):
        LoggedGame(in_part, "share", game.setup).candidates(0, [10])


def test_it_has_no_environment() -> None:
    assert definition(Share, "share").environment is None
    assert definition(type("Listed", (Share,), {"accepts": Game.accepts}), "share").environment
    GAMES["share"] = definition(Share, "share")
    try:
        with pytest.raises(UsageError, match="must list all legal moves"):
            environments_of("share")
    finally:
        del GAMES["share"]


def test_its_page_says_what_the_other_moves_are() -> None:
    text = definition(Share, "share").specification_text
    assert "`more_moves` is true. Any three whole numbers from 0 whose sum is ten." in text


class Silent(Share):
    def accepts(self, seat: int, move: Any) -> bool:
        return True


def test_the_docstrings_of_game_are_not_shown_as_the_authors() -> None:
    text = definition(Silent, "share").specification_text
    assert "`more_moves` is true.\n" in text
    listed = type("Listed", (Share,), {"accepts": Game.accepts})
    assert asked(REQUEST, Share)[1].help == [Share.__doc__, Share.accepts.__doc__]
    assert asked(REQUEST, listed)[1].help == []


REQUEST = MoveRequest(1, "player1", [[10, 0, 0], [4, 3, 3]], [0, 0], {"played": []}, True)


def asked(request: MoveRequest, kind: type[Game] = Share) -> tuple[Any, Any]:
    person: Any = definition(kind, "share").person
    decision = person(["A", "B"], 0).decide(request)
    return decision, next(decision)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("2", [4, 3, 3]),
        ("10-0-0", [10, 0, 0]),
        ("[10,0,0]", [10, 0, 0]),
        ("[4, 3.0,3]", [4, 3, 3]),
        (" [ 2 ,3,5 ]", [2, 3, 5]),
    ],
)
def test_a_person_may_write_a_move_as_in_json(text: str, move: Any) -> None:
    decision, question = asked(REQUEST)
    with pytest.raises(StopIteration) as over:
        decision.send(read_answer(question, text))
    assert over.value.value == {"type": "move-reply", "move": move}


def test_a_person_can_only_write_other_moves_if_the_list_is_not_complete() -> None:
    _, question = asked(msgspec.structs.replace(REQUEST, more_moves=msgspec.UNSET))
    assert read_answer(question, "[4,3,3]") == (1,)
    assert not question.remarks
    for text in ("[2,3,5]", "[2,3"):
        with pytest.raises(Refusal, match="is not a choice here"):
            read_answer(question, text)
    assert [phrase.text for phrase in asked(REQUEST)[1].remarks]


OWN = "That move is not legal, so "


@pytest.mark.parametrize(
    ("text", "shows", "says"),
    [
        ("[9,9,9]", {"player1": [10, 0, 0]}, [OWN + "[10,0,0] is played instead."]),
        ("[9,9,9]", {"player2": [4, 3, 3]}, ["B plays [4,3,3]."]),
        ("[2,3,5]", {"player1": [2, 3, 5]}, []),
        ("[2.0,3,5]", {"player1": [2, 3, 5]}, []),
        ("2", {"player1": [4, 3, 3]}, []),
    ],
)
def test_a_person_sees_that_a_move_was_not_legal(text: str, shows: Any, says: list[str]) -> None:
    person: Any = definition(Share, "share").person(["A", "B"], 0)
    decision = person.decide(REQUEST)
    with pytest.raises(StopIteration):
        decision.send(read_answer(next(decision), text))
    assert person.observe(MovesPlayed(1, shows, [0, 0], {"played": []})) == says


def test_a_person_sees_that_a_move_has_lost() -> None:
    person: Any = definition(Share, "share").person(["A", "B"], 0)
    assert person.observe(PlayerLost(1, "player2")) == []
    assert person.observe(PlayerLost(1, "player1")) == [OWN + "you have lost."]


def test_strange_moves_have_a_strange_part_or_one_too_few_or_too_many() -> None:
    moves = [*strange_moves([{"to": 3}])]
    for move in ([{"to": None}], [{"to": 0.5}], [{}], [{"to": 3}, {"to": 3}], None, [True], {}):
        assert move in moves
    assert {"to": 3} in [*strange_moves({"from": 1, "to": 3})]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"accepts": lambda self, seat, move: sum(move) == 10}, "TypeError"),
        ({"accepts": lambda self, seat, move: isinstance(move, list)}, "apply raised"),
        (
            {
                "accepts": lambda self, seat, move: move == [],
                "apply": lambda self, move: setattr(self, "to_move", None),
                "words": classmethod(lambda cls, move: str(move[0])),
            },
            "lambda raised IndexError",
        ),
    ],
)
def test_a_check_finds_what_strange_moves_break(changes: Any, says: str) -> None:
    rules = definition(type("Careless", (Share,), changes), "careless")
    findings = Findings()
    with pytest.raises(GameStoppedError):
        RandomMatch(rules, Setting(1, 2), Guard(findings, 5), findings).play()
    (found,) = findings.all
    assert says in found.text
    assert "seat 0 sends" in found.at


def test_a_mistake_in_the_match_is_not_one_of_a_strange_move() -> None:
    class Careless(Share):
        def apply(self, move: Any) -> None:
            if move == {0: [4, 3, 3], 1: [4, 3, 3]}:
                raise ZeroDivisionError
            super().apply(move)

    found: list[str] = []
    for seed in range(8):
        findings = Findings()
        rules, guard = definition(Careless, "careless"), Guard(findings, 5)
        with suppress(GameStoppedError):
            RandomMatch(rules, Setting(seed, 2), guard, findings).play()
        found += [finding.at for finding in findings.all]
    assert "round 1, decides: seat 0, 1" in found
