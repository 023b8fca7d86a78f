"""Bot Wars matches through the command line, with bots that are real processes."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.games import GAMES
from referee.games.interface.faults import Disqualification
from referee.logs.validate import validate_log
from tests.games.botwars.botwars_matches import new_match
from tests.support.helpers import shake_hands
from tests.support.live import entries, referee, without_times

GATHERER, WALKER, FORMATION = "gatherer", "random_walker", "formation"


def played(folder: Path, *arguments: str) -> dict[str, Any]:
    """Play a match and return its result. It writes `folder/log` and `folder/record`."""
    logs = ["--log", str(folder / "log"), "--record", str(folder / "record")]
    done = referee("play", "--game", "botwars", *logs, "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def script(folder: Path, name: str, text: str) -> str:
    """Write a bot around `moves(state, me)`, which returns a reply line, and return its command."""
    program = folder / f"{name}.py"
    program.write_text(
        "import json, sys\n"
        f"{text}\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if m['type'] == 'player-name-request':\n"
        "        m |= {'type': 'player-name-reply', 'name': sys.argv[0].rpartition('/')[2]}\n"
        "        print(json.dumps(m), flush=True)\n"
        "    elif m['type'] == 'move-request':\n"
        "        print(moves(m['state'], m['player']), flush=True)\n"
    )
    return shlex.join([sys.executable, "-I", "-S", str(program)])


@pytest.mark.untraced
def test_a_match_is_played_verified_validated_and_replayed(tmp_path: Path) -> None:
    result = played(tmp_path, FORMATION, GATHERER, "--seed", "3", "--max-turns", "30")
    assert [player["faults"] for player in result["players"]] == [{}, {}]
    assert result["reason"] in ("eliminated", "turn-limit")
    log, record = str(tmp_path / "log"), str(tmp_path / "record")
    assert list(validate_log(log, GAMES["botwars"])) == []
    again = tmp_path / "again"
    verified = referee("verify", record, "--log", str(again))
    assert (verified.returncode, verified.stderr) == (0, "")
    assert again.read_bytes() == Path(log).read_bytes()
    turns = [message for message in entries(Path(log)) if message["type"] == "turn-played"]
    replay = referee("replay", record, "--format", "json")
    assert [json.loads(line)["state"] for line in replay.stdout.splitlines()] == [
        turn["state"] for turn in turns
    ]
    validated = referee("validate", log)
    assert (validated.returncode, validated.stderr) == (0, "")
    from_log = referee("replay", log, "--format", "json")
    # There were no faults, so the log contains everything that the record does.
    assert from_log.stdout == replay.stdout
    shown = referee("replay", record).stdout
    assert f"\nTurn {len(turns)}: " in shown
    summary = referee("replay", record, "--summary").stdout
    for player, name in zip(result["players"], ("red", "blue"), strict=True):
        assert f"{player['score']} {name}" in shown
    assert all(f"| {turn['turn']:4} |" in summary for turn in turns)


def test_the_record_has_the_options_and_the_statistics(tmp_path: Path) -> None:
    options = ["--set", "rows=7", "--set", "cols=9", "--set", "energy_every=5", "--max-turns", "33"]
    result = played(tmp_path, GATHERER, FORMATION, "--seed", "1", *options)
    header, *_, end = entries(tmp_path / "record")
    chosen = header["options"]
    assert {name: chosen[name] for name in ("rows", "cols", "energy_every", "max_turns")} == {
        "rows": 7,
        "cols": 9,
        "energy_every": 5,
        "max_turns": 33,
    }
    assert (chosen["time_limit"], chosen["line_limit"]) == (5.0, 2**20)
    facts = {"energy", "gathered", "spawned", "lost", "moves", "ignored_moves", "spawn_disabled"}
    for player, recorded in zip(result["players"], end["players"], strict=True):
        assert facts <= player.keys()
        assert {name: recorded[name] for name in facts} == {name: player[name] for name in facts}
        assert player["score"] == player["spawned"] - player["lost"]


@pytest.mark.parametrize(
    "option", ["rows=3", "cols=101", "max_turns=0", "max_turns=10001", "energy_every=-1", "size=4"]
)
def test_an_option_that_is_none_is_a_usage_error(option: str) -> None:
    done = referee("play", "--game", "botwars", GATHERER, WALKER, "--set", option)
    assert done.returncode == 2
    assert option.partition("=")[0] in done.stderr


def test_two_players_are_needed() -> None:
    for count in (1, 3):
        done = referee("play", "--game", "botwars", *[GATHERER] * count)
        assert done.returncode == 2
        assert "2 bots" in done.stderr


def test_a_wrong_format_loses_and_is_no_disqualification(tmp_path: Path) -> None:
    wrong = script(tmp_path, "wrong", "def moves(state, me): return '[]'")
    result = played(tmp_path, wrong, GATHERER)
    assert (result["reason"], result["winners"]) == ("bad-format", ["player2"])
    assert [player["faults"] for player in result["players"]] == [{"bad-format": 1}, {}]
    assert [player["disqualified"] for player in result["players"]] == [None, None]
    assert referee("verify", str(tmp_path / "record")).returncode == 0
    assert list(validate_log(str(tmp_path / "log"), GAMES["botwars"])) == []


NONE = b'{"type":"move-reply","moves":[]}'
SILENT, LEAVES, BAD = Disqualification.TIMEOUT, Disqualification.EXITED, b"?"


@pytest.mark.parametrize(
    ("red", "blue", "reason", "winners"),
    [
        (SILENT, NONE, "last-player-standing", (1,)),
        (NONE, LEAVES, "last-player-standing", (0,)),
        (LEAVES, BAD, "no-players", ()),
        (BAD, SILENT, "no-players", ()),
        (SILENT, LEAVES, "no-players", ()),
        (BAD, BAD, "bad-format", (0, 1)),
        (BAD, NONE, "bad-format", (1,)),
    ],
)
def test_who_fails_in_one_turn(
    red: bytes | Disqualification,
    blue: bytes | Disqualification,
    reason: str,
    winners: tuple[int, ...],
) -> None:
    match = new_match()
    shake_hands(match)
    for seat, answer in enumerate((red, blue)):
        if isinstance(answer, Disqualification):
            match.disqualify(seat, answer, "as the test has it")
        else:
            match.receive(seat, answer)
    assert match.outcome is not None
    assert (match.outcome.reason, match.outcome.winners) == (reason, winners)
    faults = [{"bad-format": 1} if answer == BAD else {} for answer in (red, blue)]
    assert match.faults == faults


def test_a_process_that_leaves_and_one_of_a_wrong_format(tmp_path: Path) -> None:
    texts = {"red": "def moves(state, me): sys.exit()", "blue": "def moves(state, me): return '?'"}
    bots = [script(tmp_path, *text) for text in texts.items()]
    logs = ["--log", str(tmp_path / "log"), "--record", str(tmp_path / "record")]
    done = referee("play", "--game", "botwars", *bots, *logs, "--format", "json")
    result = json.loads(done.stdout)
    assert (result["reason"], done.returncode) == ("no-players", 1)
    assert [player["disqualified"] for player in result["players"]] == ["exited", None]
    assert referee("verify", str(tmp_path / "record")).returncode == 0
    assert list(validate_log(str(tmp_path / "log"), GAMES["botwars"])) == []


@pytest.mark.slow
def test_who_answers_first_changes_no_byte(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Opening a FIFO blocks until the other end is opened too. `early` opens it after its reply and
    # `late` before its own, so `early` always replies first.
    walk = (
        "def walk(state, me):\n"
        "    step = 1 if state['turnsElapsed'] % 2 else -1\n"
        "    own = [cell for cell, what in enumerate(state['grid']) if what == me]\n"
        "    made = [{'from': cell, 'to': cell + step} for cell in own]\n"
        "    return json.dumps({'type': 'move-reply', 'moves': made})\n"
    )
    late = f"def moves(state, me):\n    open({str(pipe)!r}).read()\n    return walk(state, me)\n"
    early = (
        "def moves(state, me):\n"
        "    print(walk(state, me), flush=True)\n"
        f"    open({str(pipe)!r}, 'w').close()\n"
        "    return ''\n"
    )
    logs = []
    for pair in ((early, late), (late, early)):
        # The record contains the command lines, so the names must not depend on the order.
        bots = [
            script(tmp_path, name, walk + text)
            for name, text in zip(("red", "blue"), pair, strict=True)
        ]
        result = played(tmp_path, *bots, "--max-turns", "2", "--seed", "1")
        assert result["reason"] == "turn-limit"
        record = [entry for entry in without_times(tmp_path / "record") if entry["entry"] != "exit"]
        logs.append(((tmp_path / "log").read_bytes(), record))
    for early_first, late_first in zip(*logs, strict=True):
        assert early_first == late_first


def test_a_full_armys_moves_are_not_too_long(tmp_path: Path) -> None:
    text = (
        "def moves(state, me):\n"
        "    move = {'from': 0, 'to': 1, 'why': 'x' * 1000}\n"
        "    return json.dumps({'type': 'move-reply', 'moves': [move] * 900})"
    )
    result = played(tmp_path, script(tmp_path, "long", text), GATHERER, "--max-turns", "1")
    assert result["reason"] == "turn-limit"
    assert result["players"][0]["faults"] == {"ignored-move": 1}
    assert result["players"][0]["ignored_moves"] == 900
