"""Checking logs of small games: with the rules up to the first draw, and without them after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import referee
from referee import cli
from referee.games import GAMES, find_game, outside
from referee.games.interface.capabilities import Finding, Unchecked
from referee.games.interface.faults import Disqualification
from referee.games.interface.game import Request
from referee.games.interface.log_player import DifferenceError, End, Gone, UnfollowedError
from referee.games.small.log_player import LOST, NoDraws, SmallLog
from referee.games.small.messages import GameInfo, MoveReply, MovesPlayed, PlayerLost
from referee.games.small.without_rules import WithoutRules
from referee.logs.inferred import InferredMatch, _difference
from referee.match.spec import match_spec
from referee.web.recorded import read_match
from tests.games.test_checkers import check, damaged, log_of
from tests.support.any_game import Course
from tests.support.helpers import TIMES, Announced, name_line
from tests.support.own_game import clean_games, small_games
from tests.support.public_logs import PublicLog


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with small_games():
        yield


AUCTION = '''
from referee.games.small import Game

class Auction(Game):
    """All bid at once; then the first seat takes a number. After a leave nobody bids."""

    players, moves = (2, 5), ("high", "low", 1, 2, 3)

    def start(self):
        self.stage, self.rounds, self.taken = "bid", 0, []
        self.to_move = tuple(range(self.seats))

    def here(self):
        return tuple(seat for seat in range(self.seats) if seat not in self.left)

    def legal(self, seat):
        return ["high", "low"] if self.stage == "bid" else [1, 2, 3]

    def leave(self, seat):
        self.stage, self.to_move = "take", self.here()[:2]

    def apply(self, moves):
        self.taken += moves.values()
        self.rounds += 1
        self.stage = "take" if self.stage == "bid" else "bid"
        self.to_move = self.here() if self.rounds < 8 else None

    def view(self, viewer):
        return {"taken": self.taken}

    def scores(self):
        return [0] * self.seats
'''


def findings(name: str, log: list[dict[str, Any]]) -> list[Finding]:
    return [found for found in check(name, log) if not isinstance(found, Unchecked)]


@pytest.mark.parametrize("name", ["auction", "battleship", "connect4", "goofspiel", "kuhn"])
def test_an_honest_log_is_never_called_wrong(name: str, tmp_path: Path) -> None:
    (tmp_path / "auction.py").write_text(AUCTION)
    outside.add(str(tmp_path / "auction.py"))
    for seed in range(4 * TIMES):
        wrong, leaving = (0.0, 0.1, 0.3)[seed % 3], (0.05, 0.3)[seed % 2]
        log = log_of(Course(name, seed, wrong=wrong, leaving=leaving))
        assert findings(name, log) == [], seed


RELAY = '''
from referee.games.small import Game

class Relay(Game):
    """Three seats take turns, and a seat that leaves is skipped, also in its own turn."""

    players, moves = 3, (1, 2)

    def start(self):
        self.sum = 0

    def legal(self, seat):
        return [1, 2]

    def next(self):
        self.to_move = next(
            (n for n in (1, 2, 3) if (self.to_move + n) % 3 not in self.left), 0
        ) + self.to_move
        self.to_move %= 3

    def leave(self, seat):
        if seat == self.to_move:
            self.next()

    def apply(self, move):
        self.sum += move
        self.next()

    def view(self, viewer):
        return {"sum": self.sum}

    def scores(self):
        return [self.sum % 5, self.sum % 7, self.sum % 3]
'''


@pytest.fixture
def own(tmp_path: Path) -> Callable[[str], None]:
    def load(code: str) -> None:
        file = tmp_path / f"{code.split('class ')[1].split('(')[0].lower()}.py"
        file.write_text(code)
        outside.add(str(file))

    return load


@pytest.mark.parametrize("absent", [{0}, {0, 1}, {0, 2}, {0, 1, 2}])
def test_seats_that_failed_the_handshake_need_not_have_to_move(
    absent: set[int], own: Callable[[str], None]
) -> None:
    own(RELAY)
    assert check("relay", log_of(Course("relay", 1, absent=absent, max_turns=2))) == []


def test_a_seat_announced_before_the_first_moves_may_have_left_in_the_first_turn(
    own: Callable[[str], None],
) -> None:
    """Had player1 failed the handshake, player4 would not have had a move to lose by."""
    own(AUCTION)
    match = match_spec([""] * 4, game="auction").new_match()
    match.start()
    for seat in range(4):
        match.receive(seat, name_line(seat))
    match.disqualify(0, Disqualification.TIMEOUT, "slow")
    match.receive(1, b'{"type":"move-reply","move":"high"}')
    match.receive(2, b'{"type":"move-reply","move":"high"}')
    match.receive(3, b'{"type":"move-reply","move":"wrong"}')
    match.receive(1, b'{"type":"move-reply","move":1}')
    match.receive(2, b'{"type":"move-reply","move":2}')
    log = Announced(match.take_entries()).public
    assert [each["type"] for each in log[5:]] == [
        "player-disqualified",
        "player-lost",
        "moves-played",
    ]
    assert findings("auction", log) == []


def test_seats_that_failed_the_handshake_are_announced_before_their_moves(
    own: Callable[[str], None],
) -> None:
    own(RELAY.replace("seat == self.to_move", "False"))
    log = log_of(Course("relay", 1, absent={0}, max_turns=1))
    assert [each["type"] for each in log[3:6]] == [
        "game-info",
        "player-disqualified",
        "moves-played",
    ]
    assert check("relay", log) == []


# A game of hidden cards has little in its log that we can check without the rules.
@pytest.mark.parametrize(("name", "most"), [("connect4", 0.1), ("goofspiel", 0.6), ("kuhn", 0.6)])
def test_damages_are_found(name: str, most: float) -> None:
    missed = 0
    for seed in range(5 * TIMES):
        _, log = damaged(log_of(Course(name, seed)), Random(seed))
        try:
            missed += not findings(name, log)
        except msgspec.ValidationError:
            continue  # The damage broke the form of a message.
    assert missed <= most * 5 * TIMES


def test_what_is_wrong_before_the_rules_give_up_is_found_too(tmp_path: Path) -> None:
    """The moves show that the rules cannot follow, and the lines before them wait until then."""
    (tmp_path / "auction.py").write_text(AUCTION)
    outside.add(str(tmp_path / "auction.py"))
    log = log_of(next(c for c in (Course("auction", seed) for seed in range(9)) if c.seats == 4))
    begun = next(at for at, message in enumerate(log) if message["type"] == "moves-played")
    gone = [{"type": "player-disqualified", "player_number": f"player{n}"} for n in (3, 2, 2, 4)]
    log[begun:begun] = [{**each, "reason": "exited"} for each in gone]
    unchecked, found, *_ = check("auction", log)
    assert isinstance(unchecked, Unchecked)
    assert unchecked.line == begun + 2
    assert (found.line, found.found) == (begun + 3, "player2")


class Suspicious(SmallLog):
    """It finds something in each line, and gives up at the first moves."""

    def __init__(self) -> None:
        super().__init__([])
        self.rest: Any = SimpleNamespace(seats=0, read=lambda line, _: [Finding(line, "1", "", "")])

    def reply(self, game: Any, asked: Request, ahead: Sequence[Any]) -> object | None:
        raise UnfollowedError("a draw is not in the log")


def test_findings_count_from_the_line_at_which_the_rules_give_up(tmp_path: Path) -> None:
    (tmp_path / "auction.py").write_text(AUCTION)
    outside.add(str(tmp_path / "auction.py"))
    log = log_of(next(c for c in (Course("auction", seed) for seed in range(9)) if c.seats == 3))
    info, played = (next(m for m in log if m["type"] == t) for t in ("game-info", "moves-played"))
    # player1 left after player2, so it didn't leave in the handshake, but when it had to move.
    gone = [
        {"type": "player-disqualified", "player_number": f"player{n}", "reason": "exited"}
        for n in (2, 1)
    ]
    checker = InferredMatch(GAMES["auction"], Suspicious(), "ABC")
    found = PublicLog(GAMES["auction"]).findings(checker, [info, *gone, played, played])
    assert [(type(each), each.line) for each in found] == [
        (Unchecked, 3),
        (Finding, 3),
        (Finding, 4),
        (Finding, 5),
    ]


def test_no_seat_leaves_twice_before_the_first_turn(own: Callable[[str], None]) -> None:
    own(RELAY)
    log = log_of(Course("relay", 1, absent={1}, max_turns=1))
    gone = next(message for message in log if message["type"] == "player-disqualified")
    (found,) = check("relay", [*log[: log.index(gone)], gone, *log[log.index(gone) :]])
    assert (found.line, found.found) == (log.index(gone) + 2, "player-disqualified of player2")


THIRD = '''
from referee.games.small import Game

class Third(Game):
    """Two players add one or two. In each third turn chance adds one or two as well."""

    moves = (1, 2)

    def start(self):
        self.sum = self.turns = 0

    def legal(self, seat):
        return [1, 2]

    def apply(self, move):
        self.turns += 1
        self.sum += move + (self.chance.choose(2) + 1 if self.turns % 3 == 0 else 0)
        self.to_move = 1 - self.to_move if self.turns < 12 else None

    def view(self, viewer):
        return {"sum": self.sum}

    def scores(self):
        return [self.sum % 5, self.sum % 7]
'''


def first_move(message: dict[str, Any]) -> object:
    if message["type"] != "move-request":
        return None
    return {"type": "move-reply", "move": message["moves"][0]}


@pytest.fixture
def third(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Play a match of THIRD. Yields the game and the log."""
    file, log = str(tmp_path / "third.py"), tmp_path / "third.log.jsonl"
    Path(file).write_text(THIRD)
    with clean_games():
        find_game(file)
        referee.play_match([first_move, first_move], game=file, seed=5, log=str(log))
        yield file, log


Change = Callable[[dict[str, Any]], None]


def validate(third: tuple[str, Path], line: int, change: Change) -> int:
    file, log = third
    lines = log.read_text().splitlines()
    message = json.loads(lines[line - 1])
    change(message)
    lines[line - 1] = json.dumps(message, separators=(",", ":"))
    log.write_text("".join(line + "\n" for line in lines))
    return cli.main(["validate", str(log), "--game", file])


def test_the_rules_are_checked_up_to_the_first_draw(
    third: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert validate(third, 1, lambda message: None) == 0
    assert capsys.readouterr().out == (
        f"{third[1]}: valid; from line 6 on the rules are not checked, because a random draw is "
        "not in a spectator log, only turns, scores, seats that left and the end\n"
    )
    cli.main(["validate", str(third[1]), "--game", third[0], "--format", "json"])
    assert json.loads(capsys.readouterr().out)["unchecked"]["line"] == 6


@pytest.mark.parametrize(
    ("line", "change", "says"),
    [
        (5, lambda message: message["state"].update(sum=9), "moves-played with `state.sum` 2"),
        (5, lambda message: message["moves"].update(player2=3), "a legal move"),
        (9, lambda message: message.update(turn=8), "turn 6"),
        (9, lambda message: message.update(scores=[1]), "2 scores"),
        (9, lambda message: message.update(moves={"player3": 1}), "moves of player1, player2"),
        (16, lambda message: message.update(scores=[9, 9]), "the scores ["),
        (16, lambda message: message.update(reason="no-players"), "the reason finished or turn"),
        (16, lambda message: message.update(winners=[]), "the winners player"),
    ],
)
def test_a_changed_line_is_found(
    line: int,
    change: Change,
    says: str,
    third: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert validate(third, line, change) == 1
    out = capsys.readouterr().out
    assert f"line {line}: " in out
    assert f"expected: {says}" in out


def test_the_page_of_a_log_shows_all_of_it(third: tuple[str, Path]) -> None:
    page = read_match(str(third[1]))
    assert (page.header.problem, len(page.steps)) == ("", 1 + 12 + 1)  # start, turns, end


def row(text: str) -> MovesPlayed:
    return MovesPlayed(1, {"player1": 1}, [0, 0], {"row": text})


@pytest.mark.parametrize(
    ("expected", "found", "says"),
    [
        (End([0, 1], ["player2"], "finished"), End([0, 1], ["player1"], "finished"), "winners[0]"),
        (End([0, 1], [], "finished"), End([0, 1], [], "turn-lim"), 'reason` "finished"'),
        (row("x" * 40), row("x" * 39 + "y"), 'row` "xx'),
        (row("x" * 41), row("x" * 40 + "y"), "row[40]`"),
    ],
)
def test_a_difference_is_shown_as_people_read_it(expected: Any, found: Any, says: str) -> None:
    difference = _difference(expected, found, {End: "4.1", MovesPlayed: "2.4"})
    assert says in difference.expected
    assert difference.expected.startswith("game-end" if isinstance(found, End) else "moves-played")


def rest(*messages: Any, seats: int = 3) -> list[str]:
    checker = WithoutRules(SmallLog.sections, ["mate"])
    checker.seats = seats
    found = [each for line, message in enumerate(messages) for each in checker.read(line, message)]
    return [each.expected for each in found]


def played(turn: int, *, scores: tuple[int, ...] = (0, 0, 0)) -> MovesPlayed:
    return MovesPlayed(turn, {"player1": 1}, [*scores], {})


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([GameInfo("g", {}, {}), GameInfo("g", {}, {})], ["no second game-info"]),
        ([played(1), played(2), PlayerLost(3, "player2")], []),
        ([played(1), PlayerLost(1, "player2")], ["turn 2"]),
        ([played(2)], ["turn 1"]),
        ([Gone(0), Gone(0)], ["a player who is still in the match"]),
        ([Gone(3)], ["one of player1, player2, player3"]),
        ([Gone(0), PlayerLost(1, "player1")], ["a player who is still in the match"]),
        ([Gone(0), Gone(1), played(1)], ["a game-end, because fewer than two players are left"]),
        ([Gone(0), played(1)], []),
        # The rules may change the scores when a seat leaves.
        ([played(1), Gone(0), End([9, 1, 2], ["player3"], "finished")], []),
        (
            [played(1), End([9, 1, 2], ["player1"], "finished")],
            ["the scores [0, 0, 0] of the last turn"],
        ),
        ([Gone(0), End([9, 1, 2], ["player1"], "finished")], ["the winners player3"]),
        ([End([2, 1, 2], ["player1", "player3"], "turn-limit")], []),
        ([Gone(0), Gone(1), End([9, 1, 2], ["player3"], "last-player-standing")], []),
        (
            [Gone(0), Gone(1), End([9, 1, 2], ["player3"], "finished")],
            ["the reason last-player-standing or wrong-move"],
        ),
        ([End([2, 1, 2], ["player1", "player3"], "mate")], []),
        ([End([2, 1, 1], ["player1"], "mated")], ["the reason finished or turn-limit or mate"]),
        ([Gone(0), Gone(1), Gone(2), End([0, 0, 0], [], "no-players")], []),
        (
            [Gone(0), Gone(1), Gone(2), End([0, 0, 0], ["player1"], "no-players")],
            ["the winners nobody"],
        ),
    ],
)
def test_what_is_checked_without_the_rules(messages: list[Any], expected: list[str]) -> None:
    assert rest(*messages) == expected


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([0, 0], "a draw)"),
        ([0, 1], "player2 won)"),
        ([1, 0, 1], "player1 and player3 won)"),
    ],
)
def test_verify_calls_a_draw_of_all_a_draw(
    scores: list[int], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, record = str(tmp_path / "even.py"), str(tmp_path / "even.record.jsonl")
    game = THIRD.replace("[self.sum % 5, self.sum % 7]", str(scores))
    Path(file).write_text(game.replace("moves =", "players = (2, 3)\n    moves =", 1))
    with clean_games():
        find_game(file)
        referee.play_match([first_move] * len(scores), game=file, seed=1, record=record)
        assert cli.main(["verify", record, "--game", file]) == 0
    assert capsys.readouterr().out.rstrip().endswith(says)


def test_an_order_or_a_number_is_known_only_if_there_is_just_one() -> None:
    draws = NoDraws()
    draws.shuffle("", [])
    draws.shuffle("", [1])
    assert draws.choose("", 1) == 0
    with pytest.raises(UnfollowedError, match="a shuffle is not in"):
        draws.shuffle("", [1, 2])
    with pytest.raises(UnfollowedError, match="a random draw is not in"):
        draws.choose("", 2)


def inferred(*ahead: Any, seats: int = 1, left: Sequence[int] = (), **more: Any) -> Any:
    """Return the reply of seat 0, whose legal moves are 1, 2 and 3. The log shows their parity."""
    log = SmallLog([])
    log.begin("abc")
    log.rest.left = {*left}
    values: dict[str, Any] = {
        "legal": {seat: [1, 2, 3] for seat in range(seats)},
        "left": set(),
        "turns": 5,
        "game": SimpleNamespace(wrong_move=more.get("wrong_move", "random")),
        "candidates": lambda seat, shown: [move for move in (1, 2, 3) if move % 2 == shown],
    }
    game: Any = SimpleNamespace(**values)
    reply: Any = log.reply(game, Request(0, MoveReply()), ahead)
    return reply if reply in (None, LOST) else reply.move


def moves(turn: int = 5, **shown: int) -> MovesPlayed:
    return MovesPlayed(turn, shown, [], None)


def test_the_move_of_a_turn() -> None:
    assert inferred(moves(player1=0)) == 2
    for wrong in (moves(4, player1=0), moves(6, player1=0), moves(), moves(player1=7)):
        with pytest.raises(DifferenceError):
            inferred(wrong)
    with pytest.raises(UnfollowedError, match="a secret move"):
        inferred(moves(player1=1))
    with pytest.raises(DifferenceError, match="the next moves"):
        inferred(GameInfo("x", {}, None))
    assert inferred(Gone(1)) is None


def test_a_seat_that_lost_by_a_wrong_move() -> None:
    lost, other = PlayerLost(5, "player1"), PlayerLost(5, "player2")
    assert inferred(lost, wrong_move="loses") is LOST
    assert inferred(other, moves(player1=0), wrong_move="loses") == 2
    with pytest.raises(DifferenceError, match="lost by a wrong move"):
        inferred(lost)


def test_a_seat_whose_move_has_no_effect_because_others_leave() -> None:
    assert inferred(moves(), seats=2, left=[1]) == 1
    assert inferred(moves(player1=0), seats=2, left=[1]) == 2
    with pytest.raises(UnfollowedError, match="the order in which players left"):
        inferred(moves(player1=0), seats=3, left=[1, 2])
    # If one seat decides after the other, it doesn't matter who leaves later.
    assert inferred(moves(player1=0), left=[1, 2]) == 2
    with pytest.raises(DifferenceError, match="a move of player1"):
        inferred(moves(), left=[1])
    assert inferred(Gone(1), End([], [], "last-player-standing")) == 1
