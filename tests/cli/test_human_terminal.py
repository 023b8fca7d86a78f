"""`referee play human`: a person at a terminal, played here through a pseudo-terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from referee.cli import human_terminal
from referee.cli.commands.play_progress import show_match
from referee.cli.human_terminal import seated
from referee.errors import UsageError
from referee.games import GAMES
from referee.logs.verify import Kind, verify_record
from tests.support.forked_referee import forked_referee
from tests.support.live import entries, hostile, one_line, referee
from tests.support.typing_person import CTRL_C, CTRL_D, TypingPerson

Sit = Callable[..., TypingPerson]


@pytest.fixture
def sit() -> Iterator[Sit]:
    people: list[TypingPerson] = []

    def start(*arguments: str, **options: object) -> TypingPerson:
        people.append(TypingPerson(*arguments, **options))  # type: ignore[arg-type]
        return people[-1]

    yield start
    for person in people:
        person.close()


def test_a_match_from_the_first_prompt_to_the_report(sit: Sit, tmp_path: Path) -> None:
    record = tmp_path / "record"
    command = ["play", "human", "big_money", "--seed", "11", "--max-turns", "2"]
    person = sit(*command, "--record", str(record))
    first = person.answer("silver")
    assert "You are player1. You play against Big Money." in first
    assert "hand    4 copper, estate" in first
    assert "What do you buy? (4 money, 1 buy)" in first
    assert re.search(r"^ +9 workshop 3 .* 12 smithy 4$", first, re.MULTILINE)
    assert first.rstrip().count("\n") < 24  # it must fit on a screen with 24 lines
    assert "too dear  5 duchy, market, mine; 6 gold; 8 province" in first
    second = person.answer("")
    assert "You bought silver." in second
    assert "Big Money played 3 copper; bought silver." in second
    assert person.leave() == 0
    assert "player1  Player 1" in person.seen
    assert "The match is over.\n\n" in person.seen
    assert "referee play human big_money --seed 11 --max-turns 2" in person.seen
    assert entries(record)[0]["bots"] == ["human", "big_money"]
    assert verify_record(str(record)).kind == Kind.VALID
    assert not [entry for entry in entries(record) if entry["entry"] == "fault"]
    assert referee("replay", str(record)).returncode == 0


def test_where_there_is_room_it_is_told_what_the_cards_do(sit: Sit) -> None:
    person = sit("play", "human", "big_money.json", "--seed", "11", "--max-turns", "1", rows=40)
    first = person.answer("t")
    assert re.search(r"^ +12  smithy +4 +10  \+3 cards$", first, re.MULTILINE)
    assert "top discard  you choose it at the end of this turn\n" in person.answer("")
    person.expect("Which card goes on top of your discard pile?")
    person.type("")
    assert person.leave() == 0


def test_what_is_wrong_is_answered_and_asked_again(sit: Sit) -> None:
    person = sit("play", "human", "minimal", "--seed", "11", "--max-turns", "1")
    person.answer("99")
    assert "99 is not possible here. Type a number (1 to 12) or a name" in person.answer("gold")
    assert "gold costs 6, you have 4." in person.answer("s")
    shown = person.answer("mi")
    assert re.search(r"^ +province +8 +8  6 points$", shown, re.MULTILINE)
    assert '"mi" can be militia or mine' in person.answer("\x1b[A")
    # The terminal echoes what is typed as is, but our messages escape it.
    assert r'"\x1b[a" is not a choice here' in person.answer("1 2")
    assert "That is 2. Type a number" in person.answer("?")
    help_text = person.answer("q")
    assert "Ctrl-D leaves the match" in help_text
    assert "What do you buy?" in help_text  # the question is repeated below the help
    assert "Ctrl-C gives it up" in person.answer("12")
    assert person.leave() == 0


def test_ctrl_c_ends_the_match_and_the_bots(sit: Sit) -> None:
    person = sit("play", "human", "big_money.json", "--seed", "11")
    person.expect("\n> ")
    person.type(CTRL_C, "")
    assert person.leave() == 130
    after = person.seen.rpartition("> ")[2]
    assert after.endswith("\nreferee: interrupted; the match was given up, all bots were ended\n")
    assert "Traceback" not in person.seen


async def test_each_slow_reply_of_a_bot_is_named_once(
    autojump_clock: trio.testing.MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    spec: Any = SimpleNamespace(bots=["human", "slow"])
    said = []
    for due in ((1,), (0,), (0, 1)):
        match = SimpleNamespace(due=due)
        runner: Any = SimpleNamespace(asked_since=trio.current_time(), match=match)
        with trio.move_on_after(9):
            await show_match(runner, spec, in_browser=False)
        said.append(capsys.readouterr().err)
    assert said == ["player2 is thinking ...\n", "", "player2 is thinking ...\n"]


@pytest.mark.slow
def test_a_bot_that_thinks_for_long_is_named_once(sit: Sit) -> None:
    slow = hostile("sleep_at", 1)
    person = sit("play", "human", slow, "--seed", "11", "--max-turns", "1", "--time-limit", "4")
    person.answer("silver")
    person.expect("You bought silver.\nplayer2 is thinking ...\n")
    person.leave()
    assert person.seen.count("is thinking") == 1
    assert "disqualified: timeout" in person.seen


def test_ctrl_d_twice_leaves_the_match(sit: Sit) -> None:
    person = sit("play", "human", "big_money.json", "--seed", "11")
    person.expect("\n> ")
    person.type(CTRL_D, "")
    person.expect("Press Ctrl-D again to leave the match, or Enter to continue.")
    person.type("")
    person.expect("\n> ")
    person.type(CTRL_D, "")
    person.expect("Press Ctrl-D again to leave the match, or Enter to continue.")
    person.type(CTRL_D, "")
    assert person.leave() == 1
    assert "disqualified: exited" in person.seen
    assert "the person left the match" in person.seen


@pytest.mark.parametrize("columns", [40, 80])
def test_no_line_is_longer_than_the_terminal(sit: Sit, columns: int) -> None:
    person = sit("play", "human", "militia_money", "--seed", "11", columns=columns)
    for answer in ("12", "?", "s", "d", "silver"):
        person.answer(answer)
    person.expect("\n> ")
    lines = person.seen.splitlines()
    assert max(map(len, lines)) <= columns, max(lines, key=len)


def test_colours_only_where_they_are_wanted(sit: Sit) -> None:
    plain = sit("play", "human", "smithy.json", "--seed", "1")
    plain.expect("\n> ")
    assert "\x1b" not in plain.seen
    coloured = sit("play", "human", "smithy.json", "--seed", "1", NO_COLOR="")
    coloured.expect("\n> ")
    assert "\x1b[1mYour 1st turn\x1b[0m" in coloured.seen


def test_two_people_at_one_terminal_do_not_see_each_others_hands(sit: Sit) -> None:
    person = sit("play", "human", "human", "--seed", "11", "--max-turns", "1")
    person.expect("player1, it is your turn.\nPress Enter when no one else can see the screen. ")
    person.type("")
    assert "You are player1" in person.answer("silver")
    gone = person.expect(
        "player2, it is your turn.\nPress Enter when no one else can see the screen. "
    )
    assert "\x1b[2J\x1b[3J" in gone
    person.type("")
    second = person.answer("")
    assert "Player 1 played 4 copper; bought silver." in second
    assert "hand    3 copper, 2 estate" in second
    assert person.leave() == 0


def test_with_stdout_elsewhere_the_person_is_asked_on_stderr(sit: Sit, tmp_path: Path) -> None:
    command = ["play", "human", "minimal", "--seed", "1", "--max-turns", "1", "--format", "json"]
    with (tmp_path / "result").open("wb") as file:
        person = sit(*command, stdout=file)
        person.answer("")
        assert person.leave() == 0
    result = json.loads((tmp_path / "result").read_bytes())
    assert [player["bot"] for player in result["players"]] == ["human", "minimal"]


@pytest.mark.slow
def test_an_action_with_what_it_needs(sit: Sit, tmp_path: Path) -> None:
    """In this deal, player1's third hand has a cellar (4.7)."""
    record = tmp_path / "record"
    command = ["play", "human", "minimal", "--seed", "11", "--max-turns", "3"]
    person = sit(*command, "--record", str(record))
    person.answer("silver")
    person.answer("cellar")
    assert "hand    cellar, 3 copper, estate" in person.answer("1")
    assert "1 copper   2 copper   3 copper   4 estate" in person.answer("b")
    assert "Which action do you play?" in person.answer("cel")
    person.answer("estate")
    assert "Your 3rd turn, after cellar" in person.answer("")
    assert person.leave() == 0
    replies = [entry["line"] for entry in entries(record) if entry["entry"] == "received"]
    played = [json.loads(line) for line in replies if '"action"' in line]
    assert [reply["additional_parameters"] for reply in played] == [{"cards": ["estate"]}]
    assert not [entry for entry in entries(record) if entry["entry"] == "fault"]


def test_a_person_needs_a_terminal() -> None:
    done = referee("play", "human", "big_money.json")
    assert done.returncode == 2
    assert "a person needs a terminal" in one_line(done.stderr)
    done = forked_referee("play", "human", "big_money.json", stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "standard input is not one" in one_line(done.stderr)


@pytest.mark.parametrize(
    ("terminals", "log_to_stdout", "out"),
    [
        (("stdin", "stdout", "stderr"), False, "stdout"),
        (("stdin", "stdout", "stderr"), True, "stderr"),
        (("stdin", "stderr"), False, "stderr"),
        (("stdin", "stdout"), True, None),
        (("stdout", "stderr"), False, None),
    ],
)
def test_a_person_reads_on_stdout_or_else_on_stderr(
    terminals: tuple[str, ...],
    log_to_stdout: bool,
    out: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    streams = {}
    for name in ("stdin", "stdout", "stderr"):
        streams[name] = SimpleNamespace(isatty=lambda name=name: name in terminals)
        monkeypatch.setattr(sys, name, streams[name])
    used: list[Any] = []
    monkeypatch.setattr(human_terminal, "Terminal", lambda people, out: used.append(out))
    with nullcontext() if out else pytest.raises(UsageError, match="a person needs a terminal"):
        seated("botwars", 1, log_to_stdout=log_to_stdout)
    assert used == ([streams[out]] if out else [])


def test_a_game_that_people_cannot_play(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = GAMES["botwars"]
    monkeypatch.setitem(GAMES, "botwars", msgspec.structs.replace(definition, person=None))
    with pytest.raises(UsageError, match="botwars cannot be played by a person yet"):
        seated("botwars", 1, log_to_stdout=False)


@pytest.mark.slow
def test_bot_wars_at_the_terminal(sit: Sit, tmp_path: Path) -> None:
    record = tmp_path / "record"
    person = sit(
        *("play", "--game", "botwars", "human", "gatherer", "--seed", "7", "--max-turns", "4"),
        *("--set", "rows=5", "--set", "cols=6", "--record", str(record)),
    )
    person.expect("Which moves do you send?")
    assert "Turn 2 of 4: you are red (r)" in person.seen
    person.answer("1:1-down")
    person.expect("Turn 2: red")
    person.answer("")
    person.expect("Which moves do you send?")
    person.type("")
    person.leave()
    replies = [entry["line"] for entry in entries(record) if entry["entry"] == "received"]
    assert {"type": "move-reply", "moves": [{"from": 7, "to": 13}]} in map(json.loads, replies)


@pytest.mark.parametrize("command", [("conform", "human"), ("tournament", "human", "big_money")])
def test_a_person_plays_matches_alone(command: tuple[str, ...]) -> None:
    done = referee(*command)
    assert done.returncode == 2
    assert "use `referee play human BOT`" in one_line(done.stderr)


def test_a_person_goes_on_with_a_recorded_match(sit: Sit, tmp_path: Path) -> None:
    record = tmp_path / "record"
    command = ["play", "big_money.json", "smithy.json", "--seed", "11", "--max-turns", "3"]
    assert referee(*command, "--record", str(record)).returncode == 0
    person = sit("play", "human", "smithy.json", "--resume", str(record), "--turn", "5")
    before = person.answer("silver")
    assert before.count("Smithy played") == 2
    assert "Your 3rd turn\n" in before
    assert person.leave() == 0
    assert "3       0" in person.seen  # three turns, no faults


MANY = """
from referee.games.small import Game


class Many(Game):
    \'\'\'One move of 99.\'\'\'

    def start(self):
        self.played = 0

    def legal(self, seat):
        return [f"m{number}" for number in range(99)]

    def apply(self, move):
        self.played += 1
        self.to_move = 1 - self.to_move if self.played < 2 else None

    def view(self, viewer):
        return {"played": self.played}

    def scores(self):
        return [0, 0]
"""


@pytest.mark.slow
def test_a_long_list_of_moves_is_shown_in_part(sit: Sit, tmp_path: Path) -> None:
    file = tmp_path / "many.py"
    file.write_text(MANY)
    person = sit("play", "human", "any_move", "--game", str(file), "--seed", "1")
    shown = person.answer("m98")
    assert "60 m59" in shown
    assert "... and 39 more: type a name" in shown
    assert "m60" not in shown
    assert person.leave() == 0
