"""`referee play --resume FILE --turn N --deals D`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee import cli
from referee.match.machine import Redeal
from referee.schema import schemas
from referee.tournament.from_position import FromPosition
from referee.web.recorded import read_match
from tests.support.live import ROOT, entries, hostile, referee, without_times

RECORD = str(ROOT / "spec" / "examples" / "two-players.record.jsonl")
FROM = ["play", "--resume", RECORD, "--turn", "20"]


def said(capsys: Any, *words: str) -> tuple[int, str, str]:
    code = cli.main([*words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def deal(capsys: Any, record: Path, seed: int, *words: str) -> list[dict[str, Any]]:
    """Play one deal with this seed and return its record."""
    only = ["--deals", "1", "--seed", str(seed), "--record", str(record), "--force", "-q"]
    code, _, problem = said(capsys, *FROM, *only, *words)
    assert not problem
    assert code == 0
    return without_times(record)


def test_a_deal_has_the_lines_of_the_record_up_to_the_turn_and_other_luck(
    tmp_path: Path, capsys: Any
) -> None:
    before = without_times(Path(RECORD))
    kept = next(
        place
        for place, entry in enumerate(before)
        if entry.get("message", {}).get("type") == "play-turn"
        and sum(e.get("message", {}).get("type") == "player-played" for e in before[:place]) == 19
    )
    one = deal(capsys, tmp_path / "r.jsonl", 1)
    assert one[1 : kept + 1] == before[1 : kept + 1]
    assert one[0]["redeals"] == [{"turn": 20, "seed": 1}]
    assert one[1:] != before[1:]
    assert deal(capsys, tmp_path / "r.jsonl", 1) == one
    assert deal(capsys, tmp_path / "r.jsonl", 2)[kept + 1 :] != one[kept + 1 :]


def test_a_deal_is_a_record_like_any_other(tmp_path: Path, capsys: Any) -> None:
    record = tmp_path / "deal.jsonl"
    deal(capsys, record, 1)
    assert said(capsys, "verify", str(record))[0] == 0
    page = read_match(str(record))
    assert page.header.command.endswith("--resume deal.jsonl --turn 20")
    # Without --deals the record keeps its own luck. A new deal replaces the luck from its turn on.
    again = ["--record", str(tmp_path / "again.jsonl"), "-q"]
    assert said(capsys, "play", "--resume", str(record), "--turn", "25", *again)[0] == 0
    assert without_times(tmp_path / "again.jsonl") == without_times(record)
    for turn, redeals in ((25, [(20, 1), (25, 3)]), (20, [(20, 3)]), (9, [(9, 3)])):
        words = ["--turn", str(turn), "--deals", "1", "--seed", "3", *again, "--force"]
        assert said(capsys, "play", "--resume", str(record), *words)[0] == 0
        (header, *_) = entries(tmp_path / "again.jsonl")
        assert header["redeals"] == [{"turn": at, "seed": seed} for at, seed in redeals]


def test_many_deals_are_these_deals(tmp_path: Path, capsys: Any) -> None:
    code, out, _ = said(capsys, *FROM, "--deals", "6", "--seed", "4", "--format", "json")
    assert code == 0
    found = json.loads(out)
    scores = []
    for seed in range(4, 10):
        (*_, end) = deal(capsys, tmp_path / "r.jsonl", seed)
        scores.append([player["score"] for player in end["players"]])
    for player, of_seat in zip(found["players"], zip(*scores, strict=True), strict=True):
        assert player["score"]["mean"] == pytest.approx(sum(of_seat) / 6)
        assert player["score"]["low"] < player["score"]["mean"] < player["score"]["high"]
        assert player["wins"] + player["draws"] + player["losses"] == 6
        points = player["points"]
        assert points["low"] <= points["share"] <= points["high"]
    assert (found["deals"], found["void"], found["seed"]) == (6, 0, 4)
    assert found["position"] == f"turn 20 of {RECORD}"
    msgspec.convert(found, FromPosition)
    assert "from-position.schema.json" in schemas()


def test_the_table_has_error_bars_and_the_command_of_a_deal(capsys: Any) -> None:
    code, out, _ = said(capsys, *FROM, "--deals", "5", "--seed", "4", "Zoe=big_money", "minimal")
    assert code == 0
    assert out.startswith("dominion, 5 deals from turn 20 of ")
    (head,) = [line for line in out.splitlines() if line.startswith("seat ")]
    assert " ".join(head.split()) == "seat name points interval won drawn lost score interval"
    assert re.search(r"^ +1 Zoe ", out, re.MULTILINE)
    assert "--turn 20 --deals 1 --seed 4" in out


def test_a_disqualified_bot_is_named(capsys: Any) -> None:
    bots = ["big_money", hostile("exit_at", 12)]
    code, out, _ = said(capsys, *FROM, "--deals", "3", "--seed", "4", *bots)
    assert code == 1
    assert "was disqualified in 3 deals: exited" in " ".join(out.split())
    code, out, problem = said(capsys, *FROM, "--deals", "3", "--seed", "4", "-q", *bots)
    assert (code, out) == (1, "")
    assert "was disqualified in 3 deals: exited" in problem


def test_python_objects_and_processes_get_the_beginning(tmp_path: Path, capsys: Any) -> None:
    """One bot is a rule file and one is a process. Both must get the turns before the position."""
    bots = ["smithy.json", "big_money"]
    one = deal(capsys, tmp_path / "r.jsonl", 1, *bots)
    assert said(capsys, "verify", str(tmp_path / "r.jsonl"))[0] == 0
    assert one[0]["bots"] == bots


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["play", "--resume", RECORD, "--deals", "3"], "--deals goes with --resume FILE"),
        (["play", "big_money", "minimal", "--deals", "3"], "referee tournament BOT BOT --deals 3"),
        ([*FROM, "--deals", "3", "--record", "r"], "--record goes with --deals 1"),
        ([*FROM, "--deals", "3", "--page", "human", "minimal"], "--page goes with --deals 1"),
        ([*FROM, "--deals", "3", "human", "minimal"], "human plays with --deals 1"),
        ([*FROM, "--deals", "3", "--time-limit", "none"], "--deals needs time limits"),
        ([*FROM[:3], "--turn", "999", "--deals", "3"], "turn 999 does not exist"),
    ],
)
def test_slips(words: list[str], problem: str, capsys: Any) -> None:
    code, out, why = said(capsys, *words)
    assert (code, out) == (2, "")
    assert problem in why
    assert len(why.splitlines()) == 1


def test_a_position_has_all_its_players(tmp_path: Path, capsys: Any) -> None:
    record = tmp_path / "lost.record.jsonl"
    bots = ["big_money", "minimal", hostile("exit_at", 0)]
    assert referee("play", *bots, "--seed", "1", "--record", str(record), "-q").returncode == 1
    words = ["--resume", str(record), "--turn", "12", "--deals", "2"]
    code, _, why = said(capsys, "play", *words, "big_money", "minimal", "minimal")
    assert code == 2
    assert "player3 left the match before turn 12; give an earlier turn" in why
    words[3] = "1"
    _, _, why = said(capsys, "play", *words, "big_money", "minimal", "minimal")
    assert "player3 left the match before turn 1; no turn can be played again" in why


def test_the_deal_after_the_last_seed_has_the_first_seed(capsys: Any) -> None:
    _, out, _ = said(capsys, *FROM, "--deals", "2", "--seed", str(2**53 - 1))
    assert "; the next has seed 0:" in out


def test_a_dialect_that_tells_the_luck_of_the_seed_is_refused(tmp_path: Path, capsys: Any) -> None:
    record = str(tmp_path / "t.jsonl")
    bots = ["courtier", "magnate", "--game", "tribute"]
    assert said(capsys, "play", *bots, "--seed", "1", "--record", record, "-q")[0] == 0
    leaky = ["classic-leaks:classic_spender", "magnate"]
    words = ["play", "--resume", record, "--turn", "4", "--deals", "2"]
    code, _, why = said(capsys, *words, *leaky)
    assert code == 2
    assert "its dialect tells hidden cards as the seed of the match has them" in why


def test_damaged_redeals_are_no_header(tmp_path: Path, capsys: Any) -> None:
    record = tmp_path / "deal.jsonl"
    deal(capsys, record, 1)
    lines = record.read_bytes().splitlines(keepends=True)
    wrong = [Redeal(20, 1), Redeal(20, 2)]
    lines[0] = lines[0].replace(b'[{"turn":20,"seed":1}]', msgspec.json.encode(wrong))
    record.write_bytes(b"".join(lines))
    code, out, why = said(capsys, "verify", str(record))
    assert code == 1
    assert "the turns of `redeals` do not ascend" in out + why


def test_a_bot_that_fails_before_the_position_is_named(capsys: Any) -> None:
    words = [*FROM, "minimal", hostile("exit"), "--sandbox", "none"]
    code, out, _ = said(capsys, *words)
    assert code == 1
    assert "That is before turn 20: the result says nothing about the position.\n" in out
    code, out, _ = said(capsys, *words, "--deals", "2")
    assert code == 1
    assert "2 deals ended before turn 20: they say nothing about the position.\n" in out
