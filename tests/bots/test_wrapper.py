"""Bots whose first replies come from a record (spec/positions.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from referee.bots.bot import Answer, Failure, NoProcess
from referee.bots.cpu_clock import CpuClock
from referee.bots.in_process import InProcessBot
from referee.bots.wrapper import BotWrapper, ReplayedBot, process_of
from referee.games.interface.faults import Disqualification
from referee.match.limits import Limits

CRASHED = Failure(Disqualification.EXITED, "it crashed")
LEFT = Failure(Disqualification.TIMEOUT, "as the record says")


class Own(NoProcess):
    """A bot that gives these replies. With None, it doesn't reply quickly.

    Attributes:
        asked: how often its reply was used up.
    """

    stdout_fd = 7

    def __init__(self, *replies: Answer | None) -> None:
        self.replies = list(replies)
        self.asked = 0

    def _next(self) -> Answer | None:
        self.asked += 1
        return self.replies.pop(0)

    def quick_reply(self, seconds: float) -> Answer | None:
        return self._next()

    async def reply(self, deadline: float) -> Answer:
        answer = self._next()
        assert answer is not None
        return answer

    def push(self, lines: bytes) -> None: ...

    async def finish(self, grace: float) -> None: ...

    async def kill(self) -> None: ...


ROWS: list[tuple[bool, Sequence[Answer | None], Sequence[Answer], Sequence[Answer]]] = [
    # The bot's replies to the recorded part are dropped.
    (True, [b"1", b"2"], [b"a", b"b", b"c"], [b"1", b"2", b"c"]),
    (False, [b"1", b"2"], [b"c"], [b"1", b"2", b"c"]),
    # A None stands for its own reply.
    (True, [b"1", None, b"3"], [b"a", b"b", b"c", b"d"], [b"1", b"b", b"3", b"d"]),
    (False, [b"1", None, b"3"], [b"b", b"d"], [b"1", b"b", b"3", b"d"]),
    (False, [LEFT], [b"b"], [LEFT, b"b"]),
    (True, [], [b"a"], [b"a"]),
    # One that has crashed can't take over.
    (True, [b"1", b"2"], [b"a", CRASHED], [b"1", CRASHED]),
]


@pytest.mark.parametrize(("is_asked", "recorded", "own", "given"), ROWS)
async def test_recorded_replies_come_first(
    is_asked: bool,
    recorded: Sequence[Answer | None],
    own: Sequence[Answer],
    given: Sequence[Answer],
) -> None:
    for is_quick in (True, False):
        inner = Own(*own)
        bot = ReplayedBot(inner, recorded, is_asked=is_asked)
        found = [bot.quick_reply(1.0) if is_quick else await bot.reply(1.0) for _ in given]
        assert found == list(given)
        assert inner.replies == []


async def test_a_reply_that_is_not_there_yet_uses_up_no_recorded_one() -> None:
    bot = ReplayedBot(Own(None, b"a", b"b"), [b"1"], is_asked=True)
    assert bot.quick_reply(1.0) is None
    assert await bot.reply(1.0) == b"1"
    assert bot.quick_reply(1.0) == b"b"


def test_a_wrapper_that_changes_replies_is_not_bypassed() -> None:
    inner: Any = Own(b"a")
    outer = BotWrapper(BotWrapper(inner))
    assert (outer.quick_reply(1.0), outer.stdout_fd, inner.asked) == (None, -1, 0)
    assert outer.spoken is None
    assert process_of(outer) is None
    assert ReplayedBot(inner, [], is_asked=True).stdout_fd == 7


def test_what_a_wrapped_object_is_given_reaches_it() -> None:
    given: list[object] = []

    class Player:
        def reply(self, lines: Sequence[bytes]) -> Answer:
            return LEFT

    player: Any = Player()
    player.attach_view = player.attach_clock = given.append
    outer = BotWrapper(InProcessBot(player))
    outer.attach_view(str)  # type: ignore[arg-type]
    outer.attach_limits(Limits())
    assert given[0] is str
    assert isinstance(given[1], CpuClock)
    other: Any = Own()
    BotWrapper(other).attach_view(str)  # type: ignore[arg-type]
    BotWrapper(other).attach_limits(Limits())
