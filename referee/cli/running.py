"""Running trio under a command, so that a signal ends it in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from referee.errors import RefereeError
from referee.interrupts import Interrupted, Interrupts

if TYPE_CHECKING:
    import trio

T = TypeVar("T")


def run_in_trio(work: Callable[[trio.Nursery], Awaitable[T]], interrupts: Interrupts) -> T:
    """Run `work`; what it starts in the nursery ends with it.

    Raises:
        Interrupted: a signal came; the work was cancelled.
        RefereeError: what it raised.
    """
    import trio

    results: list[T] = []
    failures: list[RefereeError] = []
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
                try:
                    results.append(await work(nursery))
                except RefereeError as error:  # a nursery would wrap it
                    failures.append(error)
                nursery.cancel_scope.cancel()

    with interrupts.held():
        trio.run(run)
    if caught:
        raise Interrupted(caught[0])
    if failures:
        raise failures[0]
    return results[0]  # neither an error nor a signal
