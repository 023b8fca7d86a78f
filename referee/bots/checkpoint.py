"""Waiting for an event loop, for bots that are also used without one."""

from __future__ import annotations


async def checkpoint() -> None:
    """Let the other tasks of an event loop run."""
    import trio  # where no event loop runs, nobody waits until it is loaded

    await trio.lowlevel.checkpoint()
