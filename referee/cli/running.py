"""Running trio under a command, so that a signal ends it in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from referee.interrupts import Interrupted, Interrupts

if TYPE_CHECKING:
    import trio

T = TypeVar("T")


def run_in_trio(work: Callable[[trio.Nursery], Awaitable[T]], interrupts: Interrupts) -> T:
    """Run `work`; what it starts in the nursery ends with it.

    Raises:
        Interrupted: a signal came; the work was cancelled.
        Exception: what it raised, without the groups that nurseries wrap around it.
    """
    import trio

    results: list[T] = []
    caught: list[int] = []

    async def run() -> None:
        with trio.open_signal_receiver(*interrupts.caught) as signals:
            interrupts.check()
            async with trio.open_nursery() as nursery:

                async def listen() -> None:
                    async for number in signals:
                        caught.append(number)
                        nursery.cancel_scope.cancel()

                nursery.start_soon(listen)
                results.append(await work(nursery))
                nursery.cancel_scope.cancel()

    with interrupts.held():
        try:
            trio.run(run)
        except ExceptionGroup as group:
            raise _only(group) from None
    if caught:
        raise Interrupted(caught[0])
    return results[0]


def _only(error: Exception) -> Exception:
    """The one exception in a group of groups; the group, if there are more."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        (error,) = error.exceptions
    return error
