"""Star Realms matches between processes and objects can be recorded, replayed and verified."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee import play_match
from tests.games.starrealms.test_conform import Mistaken, whole_hand
from tests.support.helpers import ROOT
from tests.support.live import referee

Json = dict[str, Any]


def test_a_match_comes_out_the_same_each_time_and_verifies(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one", "two")]
    for file in files:
        words = ["--game", "starrealms", "admiral", "random_pilot", "--seed", "7"]
        logs = ["--record", str(file), "--log", f"{file}.log"]
        assert referee("play", *words, *logs, "--quiet").returncode == 0
    one, two = (Path(f"{file}.log").read_bytes() for file in files)
    assert one == two
    assert one.endswith(b'"scores":[13,0],"winners":["player1"],"reason":"authority"}\n')
    assert referee("verify", *map(str, files)).returncode == 0
    told = [referee("replay", str(file), "--format", "json").stdout for file in files]
    assert told[0] == told[1]
    turns = [json.loads(line) for line in told[0].splitlines()]
    assert [turn["turn"] for turn in turns if turn["actions"]] == [*range(1, 24)]


def test_bots_that_are_objects_are_recorded_like_any_other(tmp_path: Path) -> None:
    """The record must also contain replies that were faults."""
    record = tmp_path / "record"
    bots = [Mistaken(whole_hand), Mistaken(whole_hand)]
    result = play_match(bots, game="starrealms", seed=3, record=record)
    assert result.turns > 10
    assert sum(player.faults.get("bad-action", 0) for player in result.players) > 0
    assert referee("verify", str(record)).returncode == 0


@pytest.mark.slow
def test_admiral_beats_the_random_pilot_nine_times_of_ten() -> None:
    """Admiral won 946 of 1,000 matches (`--deals 500 --seed 1`). We play only 20 here."""
    source = ROOT / "example_bots" / "starrealms" / "admiral.py"
    assert len(source.read_text().splitlines()) <= 55
    words = ["tournament", "--game", "starrealms", "admiral", "random_pilot", "--deals", "10"]
    done = referee(*words, "--seed", "1")
    won = re.search(r"Of 20 matches it won (\d+)", done.stdout)
    assert won is not None
    assert int(won[1]) >= 17
