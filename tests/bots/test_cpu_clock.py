"""Limits of CPU time of bots in the referee's own process, with exact boundaries (limits.md)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from referee.bots import cpu_clock
from referee.bots.cpu_clock import CpuClock, OverTimeError
from referee.match.limits import Limits


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list whose one item is the CPU time of the thread."""
    now = [100.0]
    monkeypatch.setattr(cpu_clock.time, "thread_time", lambda: now[0])
    return now


def reply(clock: CpuClock, now: list[float], seconds: float) -> None:
    with clock:
        now[0] += seconds


@pytest.mark.parametrize(
    ("limits", "replies", "over"),
    [
        ({"time_limit": 3}, [3, 3, 3], ""),
        ({"time_limit": 3}, [3, 3.5], "3.500 s of CPU time for a reply, more than --time-limit"),
        # A reply adds the increment, so the first one has only the bank itself.
        ({"time_bank": 4, "increment": 1}, [4, 1, 1], ""),
        ({"time_bank": 4, "increment": 1}, [4.5], "4.500 s of CPU time for all replies, more than"),
        (
            {"time_bank": 4, "increment": 1},
            [4, 1, 1.5],
            "4.500 s of CPU time for all replies, more than --time-bank",
        ),
        ({"cpu_limit": 5, "increment": 9}, [2, 3], ""),
        (
            {"cpu_limit": 5, "increment": 9},
            [2, 3.5],
            "5.500 s of CPU time for all replies, more than --cpu-limit",
        ),
    ],
)
def test_the_limits_of_replies_together_and_each(
    limits: dict[str, float], replies: Sequence[float], over: str, now: list[float]
) -> None:
    clock = CpuClock(Limits(**limits))  # type: ignore[arg-type]
    *before, last = replies
    for seconds in before:
        reply(clock, now, seconds)
        now[0] += 100  # the opponent's time
    if over:
        with pytest.raises(OverTimeError) as caught:
            reply(clock, now, last)
        assert str(caught.value).startswith(over)
        assert caught.value.code in ("timeout", "time-bank", "cpu-limit")
    else:
        reply(clock, now, last)


def test_the_error_of_a_bot_is_told_rather_than_its_time(now: list[float]) -> None:
    def fail(clock: CpuClock) -> None:
        with clock:
            now[0] += 99
            raise KeyError(1)

    clock = CpuClock(Limits(cpu_limit=100))
    with pytest.raises(KeyError):
        fail(clock)
    with pytest.raises(OverTimeError):  # its time counts nevertheless
        reply(clock, now, 2)
