"""`referee replay`: options, formats, the pager, growing logs, and files that are not logs."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from msgspec import Struct
from msgspec.structs import replace

from referee import cli
from referee.cli.commands.replay import Turns, _items, _page
from referee.games import GAMES
from referee.games.interface.capabilities import Phrase, Picture, Summary
from referee.games.interface.faults import Fault
from referee.logs.replay.reader import Start
from referee.match.messages import GameEnd
from tests.support.forked_referee import ForkedReferee, forked_referee
from tests.support.live import ROOT, hostile, referee, schema
from tests.support.typing_person import on_a_terminal

SCHEMA = schema("dominion-v1-turn")
EXAMPLES = ROOT / "spec" / "examples"
RECORD = EXAMPLES / "two-players.record.jsonl"
LOG = EXAMPLES / "two-players.log.jsonl"


def replay(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert cli.main(["replay", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def heads(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("Turn ")]


def test_a_record_and_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    record, log = (replay(capsys, str(file)) for file in (RECORD, LOG))
    assert heads(record) == heads(log)
    assert heads(log)[0] == "Turn 1: player1 Big Money, its 1st turn"
    assert any(line.startswith("  hand ") for line in record)
    assert not any(line.startswith("  hand ") for line in log)
    assert any("does not have hands" in line for line in log)
    assert record[-1] == log[-1]
    assert "won: the province pile was empty. Scores: " in " ".join(log[-2:])


def test_each_file_has_a_heading(capsys: pytest.CaptureFixture[str]) -> None:
    lines = replay(capsys, str(RECORD), str(LOG))
    assert lines[0] == f"== {RECORD}"
    assert lines[lines.index(f"== {LOG}") - 1] == ""


def test_the_input_of_a_player_are_its_lines(capsysbinary: Any) -> None:
    assert cli.main(["replay", str(RECORD), "--print-input", "2"]) == 0
    first, *others = map(json.loads, capsysbinary.readouterr().out.splitlines())
    assert first == {"type": "player-name-request", "player_number": "player2", "version": 1}
    asked = {line["player_number"] for line in others if line["type"] == "attack-request"}
    assert asked <= {"player2"}


def test_on_a_terminal_the_input_is_escaped(tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.write_text(RECORD.read_text().replace("Big Money", "Big \u009b7m"))
    code, text = on_a_terminal("replay", str(record), "--print-input", "2")
    assert code == 0
    assert '"name":"Big \\u009b7m"' in text
    assert "\u009b" not in text


def test_a_match_that_is_followed_ends_with_its_last_message() -> None:
    """Without this, the command would wait for more lines."""

    def items() -> Iterator[object]:
        yield Start("dominion", ["a", "b"], ["a", "b"], None, [])
        yield GameEnd([1, 0], ["player1"], "x")
        raise AssertionError

    log: Any = SimpleNamespace(items=items)
    assert len([*_items(log, Turns(None, None, None), follow=True)]) == 2


def test_which_turns(capsys: pytest.CaptureFixture[str]) -> None:
    def numbers(*arguments: str) -> list[int]:
        shown = heads(replay(capsys, str(RECORD), *arguments))
        return [int(line.split()[1].rstrip(":")) for line in shown]

    assert numbers("--turn", "7") == [7]
    assert numbers("--from", "3", "--to", "5") == [3, 4, 5]
    assert numbers("--to", "4", "--player", "2") == [2, 4]
    assert numbers("--to", "4", "--player", "player2") == [2, 4]
    assert numbers("--from", "9", "--to", "999") == list(range(9, 39))


@pytest.mark.parametrize("form", [[], ["--summary"], ["--format", "json"]])
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--turn", "999"], "--turn 999: the match has 38 turns"),
        (["--from", "99"], "--from 99: the match has 38 turns"),
        (["--from", "98", "--to", "99"], "--from 98: the match has 38 turns"),
        (["--from", "30", "--to", "20"], "--from 30 --to 20: --to is before --from"),
        (["--turn", "1", "--player", "2"], "--turn 1 --player 2: that player has no turn there"),
        (["--to", "1", "--player", "2"], "--turn 1 --player 2: that player has no turn there"),
        (["--player", "4"], "--player 4: the match has 2 players"),
    ],
)
def test_a_turn_that_the_match_does_not_have(words: list[str], says: str, form: list[str]) -> None:
    done = referee("replay", str(RECORD), *words, *form)
    assert done.returncode == 2
    assert done.stderr == f"referee: {says}\n"
    assert done.stdout == ""


def test_a_log_that_was_cut_short_says_how_many_turns_it_has(tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(RECORD.read_bytes().splitlines(keepends=True)[:60]))
    told = referee("replay", str(cut), "--format", "json").stderr
    assert told.startswith("referee: the log was cut short after line 60: ")
    done = referee("replay", str(cut), "--turn", "30")
    assert done.returncode == 2
    assert re.fullmatch(r"referee: --turn 30: the match has \d turns\n", done.stderr)


def test_a_label_stands_apart_from_its_text(tmp_path: Path) -> None:
    record = tmp_path / "record"
    referee("play", "big_money.json", hostile("exit_at", 3), "--record", str(record), "-q")
    done = referee("replay", str(record))
    assert "\n  disqualified player2: exited, " in done.stdout


@pytest.mark.parametrize("file", [LOG, RECORD])
def test_json_is_an_object_a_turn(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [json.loads(line) for line in replay(capsys, str(file), "--format", "json")]
    schema = jsonschema.Draft202012Validator(SCHEMA)
    for turn in turns:
        schema.validate(turn)
    assert [turn["turn"] for turn in turns] == list(range(1, len(turns) + 1))
    end = json.loads(LOG.read_bytes().splitlines()[-1])
    assert turns[-1]["scores"] == end["scores"]


def test_summary_is_one_table_of_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(EXAMPLES / "four-players.record.jsonl")
    lines = replay(capsys, file, "--summary")
    assert max(map(len, lines)) <= 80
    assert replay(capsys, file, "--turn", "1")[0] not in lines
    text = "\n".join(lines)
    assert "points" in text
    assert "deck" in text
    assert "province" in text


def test_several_files_have_headings(capsys: pytest.CaptureFixture[str]) -> None:
    lines = replay(capsys, str(LOG), str(RECORD), "--turn", "1")
    assert [line for line in lines if line.startswith("== ")] == [f"== {LOG}", f"== {RECORD}"]


def test_compressed_and_from_standard_input(tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(LOG.read_bytes()))
    with packed.open() as stdin:
        done = forked_referee("replay", "-", "--turn", "1", stdin=stdin)
    assert done.returncode == 0
    assert "Turn 1: player1" in done.stdout


def test_a_log_that_grows_is_followed(tmp_path: Path) -> None:
    """A turn is printed once the log shows that it is over. The command ends at game-end."""
    lines = LOG.read_bytes().splitlines(keepends=True)
    file = tmp_path / "log"
    with file.open("wb", buffering=0) as log:
        log.write(b"".join(lines[:20]))
        words = ("replay", "--follow", str(file))
        with ForkedReferee(*words, stdout=subprocess.PIPE, text=True) as follower:
            assert follower.stdout is not None
            for line in follower.stdout:
                if line.startswith("Turn 2:"):
                    break
            log.write(b"".join(lines[20:]))
            rest = follower.stdout.read()
    assert follower.returncode == 0
    assert "Turn 9:" in rest
    assert "province pile was empty" in rest


def test_a_torn_log_is_shown_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "log"
    file.write_bytes(LOG.read_bytes()[:5000])
    lines = replay(capsys, str(file))
    assert lines[-1].startswith("The log was cut short after line ")


def test_a_record_that_ends_before_its_last_entry_is_shown_whole_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = RECORD.read_bytes().splitlines(keepends=True)
    file = tmp_path / "record"
    file.write_bytes(b"".join(lines[:-1]))
    shown = replay(capsys, str(file))
    assert any("province pile was empty" in line for line in shown)
    assert shown[-1].startswith(f"The log was cut short after line {len(lines) - 1}:")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no-such-file"], "No such file"),
        ([str(ROOT)], "directory"),
        ([str(LOG), "--turn", "1", "--to", "2"], "--turn"),
        ([str(LOG), "--turn", "0"], "1 or more"),
        ([str(LOG), "--player", "3"], "the match has 2 players"),
        ([str(LOG), "--player", "0"], "'0' is not a player: give 1 or player1, for example"),
        ([str(LOG), str(LOG), "--follow"], "one FILE"),
        (["-", "-"], "once"),
        ([str(LOG), "--summary", "--format", "json"], "--summary"),
    ],
)
def test_wrong_usage_is_one_line_and_2(arguments: list[str], says: str) -> None:
    done = referee("replay", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr


# --- any game ---------------------------------------------------------------------------------


class Round(Struct):
    turn: int
    grid: list[str]


class Rounds:
    """A game on a grid in which all players move simultaneously.

    There is one round for each `game-info` and one at the end.
    """

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def read(self, message: Struct, to: int | None) -> list[Round]:
        return [Round(1, ["a.", ".\x1b"])] if type(message).__name__ == "GameInfo" else []

    def fault(self, fault: Fault) -> None:
        pass

    def disqualify(self, seat: int, text: str) -> None:
        pass

    def end(self) -> list[Round]:
        return [Round(2, ["..", "ab"])]

    def seats(self, turn: Round) -> tuple[int, ...]:
        return (0, 1) if turn.turn == 1 else (1,)

    def title(self, turn: Round) -> str:
        return "" if turn.turn == 1 else "the last one"

    def state(self, turn: Round) -> list[Phrase]:
        return []

    def show(self, turn: Round) -> list[Phrase | Picture]:
        styles = {"a": "red", "b": "green"}
        painted = [[styles.get(letter, "") for letter in row] for row in turn.grid]
        return [Phrase("moved", "both"), Picture(turn.grid, painted), Picture(["ab"])]

    def summary(self, turns: list[Round]) -> Summary:
        rows = [[str(turn.turn), "".join(turn.grid)] for turn in turns]
        return Summary(["round", "grid"], rows, [["all", str(len(turns))]])


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = replace(GAMES["dominion"], turns=Rounds)
    monkeypatch.setitem(GAMES, "dominion", definition)


@pytest.mark.usefixtures("rounds")
def test_a_game_of_simultaneous_moves_on_a_grid(capsys: pytest.CaptureFixture[str]) -> None:
    shown = replay(capsys, str(RECORD))
    first = shown.index("Turn 1")
    assert shown[first : first + 12] == [
        *("Turn 1", "  moved        both", "  a.", "  .?", "  ab", ""),
        *("Turn 2: the last one", "  moved        both", "  ..", "  ab", "  ab", ""),
    ]
    assert heads(replay(capsys, str(RECORD), "--player", "1")) == ["Turn 1"]
    assert len(heads(replay(capsys, str(RECORD), "--player", "2"))) == 2
    turns = [json.loads(line) for line in replay(capsys, str(RECORD), "--format", "json")]
    assert turns == [{"turn": 1, "grid": ["a.", ".\x1b"]}, {"turn": 2, "grid": ["..", "ab"]}]


@pytest.mark.usefixtures("rounds")
def test_the_summary_is_the_games_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(capsys, str(RECORD), "--summary")[:8] == [
        "+-------+------+",
        "| round | grid |",
        "+-------+------+",
        "|     1 | a..? |",
        "|     2 | ..ab |",
        "+-------+------+",
        "|   all | 2    |",
        "+-------+------+",
    ]


def test_a_game_without_a_turn_reader_is_one_line_and_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(GAMES, "dominion", replace(GAMES["dominion"], turns=None))
    assert cli.main(["replay", str(RECORD)]) == 2
    error = "referee: dominion has no turn reader: its records can be verified, not replayed\n"
    assert capsys.readouterr() == ("", error)


@pytest.mark.parametrize("data", [b"", b"\xff\x00" * 500, b"{}\n", b"[" * 10**5])
def test_what_is_no_log_is_one_line_and_1(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    done = referee("replay", str(file))
    assert done.returncode == 1
    assert done.stderr.startswith(f"referee: {file}, line 1: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda log: b"\xef\xbb\xbf" + log,
        lambda log: log.replace(b"\n", b"\r\n"),
    ],
)
def test_bom_and_crlf_do_not_hide_a_match(
    change: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log"
    file.write_bytes(change(LOG.read_bytes()))  # type: ignore[operator]
    assert replay(capsys, str(file)) == replay(capsys, str(LOG))


def test_names_cannot_drive_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log"
    changed = LOG.read_bytes().replace(b'"name":"Big Money"', b'"name":"\\u001b[2J"')
    file.write_bytes(changed.replace(b'"gained":"silver"', b'"gained":"\\u001b[2J"'))
    assert "\x1b" not in "\n".join(replay(capsys, str(file)))
    assert "\x1b" not in "\n".join(replay(capsys, str(file), "--summary"))


def test_a_terminal_gets_colours_and_a_pager() -> None:
    code, text = on_a_terminal("replay", str(LOG), "--turn", "1", PAGER="sed s/^/paged:/")
    assert code == 0
    assert "paged:" in text
    assert "\x1b[1m" in text
    _, text = on_a_terminal("replay", str(LOG), "--turn", "1", PAGER="cat", NO_COLOR="1")
    assert "\x1b" not in text


@pytest.mark.parametrize("pager", ["no-such-pager --x", "true", "'"])
def test_a_pager_that_is_missing_or_left_is_no_error(pager: str) -> None:
    code, text = on_a_terminal("replay", str(RECORD), PAGER=pager)
    assert code == 0
    assert "Traceback" not in text
    assert pager == "true" or "Turn 1:" in text


@pytest.mark.parametrize(("own", "used"), [(None, "FRX"), ("S", "S"), ("", "")])
def test_a_pager_gets_the_options_of_less_unless_the_user_has_set_some(
    own: str | None, used: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "options"
    monkeypatch.setenv("PAGER", f"""sh -c 'printf %s "$LESS" > {file}; cat >> {file}'""")
    monkeypatch.delenv("LESS", raising=False)
    if own is not None:
        monkeypatch.setenv("LESS", own)
    assert _page(["one", "two"])
    assert file.read_text() == f"{used}one\ntwo\n"


def test_a_pager_of_blanks_is_no_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", " ")
    assert not _page(["one"])


@pytest.mark.parametrize(("seats", "has"), [((0, 1), True), ((0,), False), ((), True)])
def test_a_turn_of_nobody_is_a_turn_of_all(seats: tuple[int, ...], has: bool) -> None:
    """In small games, a turn in which several players move has no player."""
    reader: Any = SimpleNamespace(seats=lambda turn: seats)
    assert Turns(None, None, 2).has(SimpleNamespace(turn=1), reader) is has


@pytest.mark.parametrize(
    ("turns", "of", "says"),
    [
        (Turns(2, 2, None), 1, "--turn 2: the match has 1 turn"),
        (Turns(1, None, None), 0, "--from 1: the match has 0 turns"),
        (Turns(3, None, None), 2, "--from 3: the match has 2 turns"),
        (Turns(2, 2, 1), 2, "--turn 2 --player 1: that player has no turn there"),
        (Turns(None, 2, 1), 2, "--from 1 --to 2 --player 1: that player has no turn there"),
    ],
)
def test_why_no_turn_is_shown(turns: Turns, of: int, says: str) -> None:
    assert turns.none_of(of) == says


def test_json_of_several_files_has_no_headings(capsys: pytest.CaptureFixture[str]) -> None:
    lines = replay(capsys, str(LOG), str(LOG), "--format", "json", "--turn", "1")
    assert [json.loads(line)["turn"] for line in lines] == [1, 1]
