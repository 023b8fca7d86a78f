"""Tribute matches between processes and objects can be recorded and verified. Also clocks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio

from referee import play_match
from referee.games.tribute.rules.situation import simplest_reply
from referee.match.spec import match_spec
from tests.bots.test_in_process import Thinker, play
from tests.games.tribute.tribute_matches import right
from tests.support.helpers import name_line, seat_of, to_line
from tests.support.live import referee

Json = dict[str, Any]


def test_a_match_comes_out_the_same_each_time_and_verifies(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one", "two")]
    for file in files:
        words = ["--game", "tribute", "random", "random", "--seed", "7"]
        words += ["--set", "chance=engine", "--set", "max_turns=6"]
        words += ["--set", "patrons=RAJHIN,PELIN,ANSEI,HLAALU,ORGNUM"]
        logs = ["--record", str(file), "--log", f"{file}.log"]
        assert referee("play", *words, *logs, "--quiet").returncode == 0
    one, two = (Path(f"{file}.log").read_bytes() for file in files)
    assert one == two
    assert one.endswith(b'"reason":"turn-limit"}\n')
    assert referee("verify", *map(str, files)).returncode == 0


def test_a_record_with_options_that_cannot_be_was_edited(tmp_path: Path) -> None:
    record = tmp_path / "record"
    words = ["tribute", "random", "random", "--set", "max_turns=1"]
    referee("play", "--game", *words, "--record", str(record), "--quiet")
    text = record.read_text()
    for there, wrong in (('["ANSEI",', '["SHEOGORATH",'), ('["ANSEI",', '["RAJHIN",')):
        record.write_text(text.replace(there, wrong, 1))
        done = referee("verify", str(record))
        assert (done.returncode, done.stderr) == (1, "")
        assert "line 1: modified: not a valid header: " in done.stdout
        assert wrong[2:-2] in done.stdout


class Object:
    """A bot as a Python object. `answer` replies to every request except the handshake."""

    def __init__(self, answer: Callable[[Json], bytes]) -> None:
        self._answer = answer

    def reply(self, lines: Sequence[bytes]) -> bytes:
        request = json.loads(lines[-1])
        return (
            name_line(seat_of(request["player_number"]))
            if "version" in request
            else self._answer(request)
        )


def test_bots_that_are_objects_are_recorded_like_any_other(tmp_path: Path) -> None:
    record = tmp_path / "record"
    bots = [Object(partial(right, Random(seed))) for seed in (1, 2)]
    options = {"max_turns": 10}
    result = play_match(bots, game="tribute", seed=3, record=record, options=options)
    assert result.reason == "turn-limit"
    assert referee("verify", str(record)).returncode == 0


# --- clocks (8.1) -----------------------------------------------------------------------------


class Slow(Thinker):
    """Takes a second for each reply from number `after` on, not counting the handshake."""

    def __init__(self, player: Any, after: int) -> None:
        super().__init__(player, 0)
        self._after = after

    async def reply(self, deadline: float) -> Any:
        self._seconds = float(self._after < 0)
        self._after -= 1
        return await super().reply(deadline)


def first(request: Json) -> bytes:
    """Take the first action on offer, so the turn ends only if nothing else is possible."""
    if request["type"] == "play-turn":
        return b'{"type":"play-reply","index":0}'
    return to_line(simplest_reply(request))


@pytest.mark.parametrize(
    ("after", "limit", "turns"),
    [
        (2, 3.5, 1),  # runs out of time at the fourth reply of the first turn
        (0, 0.5, 0),  # runs out of time at a pick
    ],
)
async def test_the_replies_of_a_turn_share_a_clock_and_a_pick_has_its_own(
    tmp_path: Path, autojump_clock: trio.abc.Clock, after: int, limit: float, turns: int
) -> None:
    """Replies take a second, so player 1 runs out of time and loses (situation 38)."""
    spec = match_spec(["a", "b"], game="tribute", seed=1, options={"time_limit": limit})
    played = await play(tmp_path, spec, [Slow(Object(first), after), Slow(Object(first), 10**6)])
    assert list(played.disqualified) == [0]
    assert played.disqualified[0].code == "timeout"
    assert played.result.winners == ["player2"]
    assert played.result.reason == "last-player-standing"
    assert played.result.turns == turns


async def test_picks_and_turns_of_their_own_and_a_slow_opponent_cost_nothing(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    """Each pick and each turn has 15 seconds of its own. The opponent's time doesn't count."""
    options = {"time_limit": 15, "max_turns": 4}
    spec = match_spec(["a", "b"], game="tribute", seed=1, options=options)
    played = await play(tmp_path, spec, [Slow(Object(first), 0), Slow(Object(first), 10**6)])
    assert played.disqualified == {}
    assert played.result.players[0].reply_seconds.total > 15


def test_the_limit_of_a_turn_is_thirty_seconds_unless_another_is_chosen() -> None:
    assert match_spec(["a", "b"], game="tribute").limits.time_limit == 30
