"""The public API: what `import referee` gives, and that it costs nothing before it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from live import entries

import referee


def test_every_name_of_the_api_is_there() -> None:
    for name in referee.__all__:
        assert getattr(referee, name) is not None
    assert set(referee.__all__) == set(dir(referee))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = referee.no_such_name  # type: ignore[attr-defined]


def test_importing_is_light() -> None:
    code = (
        "import referee, referee.cli, sys\n"
        "print(sorted({'trio', 'msgspec', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_play_match(tmp_path: Path) -> None:
    log, record = tmp_path / "log", tmp_path / "record"
    result = referee.play_match(
        ["big_money", "minimal"],
        seed=7,
        options=referee.Options(max_turns=4),
        log=str(log),
        record=str(record),
    )
    assert (result.seed, result.reason, result.turns) == (7, "turn-limit", 8)
    assert entries(log)[-1]["reason"] == "turn-limit"
    assert entries(record)[-1]["entry"] == "end"


def test_play_match_draws_a_seed() -> None:
    results = [
        referee.play_match(["big_money", "minimal"], options=referee.Options(max_turns=1))
        for _ in range(2)
    ]
    assert results[0].seed != results[1].seed


@pytest.mark.parametrize(
    ("bots", "seed", "says"),
    [
        (["big_money"], 1, "2 to 4"),
        (["big_money"] * 5, 1, "2 to 4"),
        (["big_money"] * 2, -1, "seed"),
        (["big_money"] * 2, 2**53, "seed"),
        (["big_money", "no_such_bot"], 1, "no_such_bot"),
    ],
)
def test_play_match_with_wrong_arguments(bots: list[str], seed: int, says: str) -> None:
    with pytest.raises(referee.UsageError, match=says):
        referee.play_match(bots, seed=seed)


def test_the_example_in_the_seam_plays_a_game() -> None:
    """The loop that `referee/game.py` shows."""
    rules = referee.GAMES["dominion"]
    game = rules.new(referee.Setup(seed=7, names=("Ann", "Ben"), max_turns=3))
    game.start()
    events = game.take_events()
    while game.request is not None:
        game.reply(referee.Malformed("invalid-json", "not even tried"))
        events += game.take_events()
    assert game.outcome == referee.Outcome("turn-limit", (0, 1))
    assert sum(isinstance(event, referee.Fault) for event in events) == 6
