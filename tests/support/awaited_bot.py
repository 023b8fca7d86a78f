"""A Python object whose replies may take time, for tests under trio."""

from __future__ import annotations

from referee.bots.bot import Answer
from referee.bots.in_process import InProcessBot


class AwaitedBot(InProcessBot):
    """Never replies quickly, so subclasses can wait in `reply`."""

    def quick_reply(self, seconds: float) -> None:  # type: ignore[override]
        """Return None: there's no reply yet."""

    async def reply(self, deadline: float) -> Answer:
        return InProcessBot.quick_reply(self, 0)
