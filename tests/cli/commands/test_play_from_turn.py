"""`referee play --resume FILE --turn N --seed S`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.match.machine import Redeal
from referee.web.recorded import read_match
from tests.support.helpers import Say
from tests.support.live import ROOT, entries, hostile, referee, without_times

RECORD = str(ROOT / "spec" / "examples" / "two-players.record.jsonl")
FROM = ["play", "--resume", RECORD, "--turn", "34"]  # of 38
BOTS = ["big_money.json", "smithy.json"]  # without processes


def deal(say: Say, record: Path, seed: int, *bots: str) -> list[dict[str, Any]]:
    """Play one deal with this seed and return its record."""
    only = ["--seed", str(seed), "--record", str(record), "--force", "-q"]
    code, _, problem = say(*FROM, *bots, *only)
    assert not problem
    assert code == 0
    return without_times(record)


@pytest.mark.slow
def test_a_deal_has_the_lines_of_the_record_up_to_the_turn_and_other_luck(
    tmp_path: Path, say: Say
) -> None:
    before = without_times(Path(RECORD))
    kept = next(
        place
        for place, entry in enumerate(before)
        if entry.get("message", {}).get("type") == "play-turn"
        and sum(e.get("message", {}).get("type") == "player-played" for e in before[:place]) == 33
    )
    one = deal(say, tmp_path / "r.jsonl", 1)
    assert one[1 : kept + 1] == before[1 : kept + 1]
    assert one[0]["redeals"] == [{"turn": 34, "seed": 1}]
    assert one[1:] != before[1:]
    one, other = (deal(say, tmp_path / "r.jsonl", seed, *BOTS) for seed in (1, 2))
    assert one[1 : kept + 1] == other[1 : kept + 1]
    assert one[kept + 1 :] != other[kept + 1 :]


@pytest.mark.slow
def test_a_deal_is_a_record_like_any_other(tmp_path: Path, say: Say) -> None:
    record = tmp_path / "deal.jsonl"
    deal(say, record, 1, *BOTS)
    assert say("verify", str(record))[0] == 0
    page = read_match(str(record))
    assert page.header.command.endswith("--resume deal.jsonl --turn 34")
    # Without --seed the record keeps its own luck.
    again = ["--record", str(tmp_path / "again.jsonl"), "-q"]
    assert say("play", "--resume", str(record), "--turn", "36", *again)[0] == 0
    assert without_times(tmp_path / "again.jsonl") == without_times(record)


def test_a_new_deal_replaces_those_of_its_turn_and_later(tmp_path: Path, say: Say) -> None:
    record = tmp_path / "deal.jsonl"
    deal(say, record, 1, *BOTS)
    again = ["--record", str(tmp_path / "again.jsonl"), "-q"]
    for turn, redeals in ((36, [(34, 1), (36, 3)]), (34, [(34, 3)]), (33, [(33, 3)])):
        words = ["--turn", str(turn), "--seed", "3", *again, "--force"]
        assert say("play", "--resume", str(record), *words)[0] == 0
        (header, *_) = entries(tmp_path / "again.jsonl")
        assert header["redeals"] == [{"turn": at, "seed": seed} for at, seed in redeals]


def test_the_command_that_plays_a_deal_again_has_its_seed(tmp_path: Path, say: Say) -> None:
    """A crash shows the command, and a page has it, too."""
    code, out, _ = say(*FROM, BOTS[0], hostile("exit_at", 18), "--seed", "4")
    assert code == 1
    assert "--turn 34 --seed 4" in " ".join(out.split())
    deal(say, tmp_path / "r.jsonl", 4, *BOTS)
    assert read_match(str(tmp_path / "r.jsonl")).header.command.endswith(
        " --resume r.jsonl --turn 34"
    )


def test_python_objects_and_processes_get_the_beginning(tmp_path: Path, say: Say) -> None:
    """One bot is a rule file and one is a process. Both must get the turns before the position."""
    bots = ["smithy.json", "big_money"]
    one = deal(say, tmp_path / "r.jsonl", 1, *bots)
    assert say("verify", str(tmp_path / "r.jsonl"))[0] == 0
    assert one[0]["bots"] == bots


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["play", "--resume", RECORD, "--seed", "3"], "--resume has the seed"),
        (["play", "--turn", "3"], "--turn goes with --resume FILE"),
        ([*FROM, "--game", "botwars"], "--resume has the seed and the game of its record"),
        ([*FROM[:3], "--turn", "999"], "turn 999 does not exist"),
    ],
)
def test_slips(words: list[str], problem: str, say: Say) -> None:
    code, out, why = say(*words)
    assert (code, out) == (2, "")
    assert problem in why
    assert len(why.splitlines()) == 1


def test_a_position_has_all_its_players(tmp_path: Path, say: Say) -> None:
    record = tmp_path / "lost.record.jsonl"
    bots = [*BOTS, hostile("exit_at", 0)]
    assert referee("play", *bots, "--seed", "1", "--record", str(record), "-q").returncode == 1
    words = ["--resume", str(record), "--turn", "12", "--seed", "2"]
    code, _, why = say("play", *words, *BOTS, BOTS[0])
    assert code == 2
    assert "player3 left the match before turn 12; give an earlier turn" in why
    words[3] = "1"
    _, _, why = say("play", *words, *BOTS, BOTS[0])
    assert "player3 left the match before turn 1; no turn can be played again" in why


def test_a_dialect_that_tells_the_luck_of_the_seed_is_refused(tmp_path: Path, say: Say) -> None:
    record = str(tmp_path / "t.jsonl")
    bots = ["courtier", "magnate", "--game", "tribute", "--max-turns", "4"]
    assert say("play", *bots, "--seed", "1", "--record", record, "-q")[0] == 0
    leaky = ["classic-leaks:classic_spender", "magnate"]
    words = ["play", "--resume", record, "--turn", "4", "--seed", "2"]
    code, _, why = say(*words, *leaky)
    assert code == 2
    assert "its dialect tells hidden cards as the seed of the match has them" in why


def test_damaged_redeals_are_no_header(tmp_path: Path, say: Say) -> None:
    record = tmp_path / "deal.jsonl"
    deal(say, record, 1, *BOTS)
    lines = record.read_bytes().splitlines(keepends=True)
    wrong = [Redeal(34, 1), Redeal(34, 2)]
    lines[0] = lines[0].replace(b'[{"turn":34,"seed":1}]', msgspec.json.encode(wrong))
    record.write_bytes(b"".join(lines))
    code, out, why = say("verify", str(record))
    assert code == 1
    assert "the turns of `redeals` do not ascend" in out + why


def test_a_bot_that_fails_before_the_position_is_named(say: Say) -> None:
    code, out, _ = say(*FROM, BOTS[0], hostile("exit"), "--sandbox", "none")
    assert code == 1
    assert "That is before turn 34: the result says nothing about the position.\n" in out
