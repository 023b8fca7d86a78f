"""Shows the progress of a match in `referee play`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from referee.cli.progress import show_progress

if TYPE_CHECKING:
    from referee.match.spec import MatchSpec
    from referee.runner import Runner

# We don't show anything before this time, because most matches are over by then, and people only
# want to see the result.
AFTER_SECONDS = 1.0
# If a bot thinks for longer than this, we tell people which bot it is.
_SLOW_SECONDS = 2.0


async def show_match(runner: Runner, spec: MatchSpec, in_browser: bool) -> None:
    """Show how the match is going, on the terminal. Runs until cancelled.

    Args:
        in_browser: True if people play in the browser, and not at this terminal.
    """
    from referee.bots.command import HUMAN

    if HUMAN in spec.bots and not in_browser:
        await _print_slow_bots(runner, spec.bots)
    await show_progress(partial(_line, runner, spec), after=AFTER_SECONDS)


async def _print_slow_bots(runner: Runner, bots: Sequence[str]) -> NoReturn:
    import trio

    from referee.bots.command import HUMAN
    from referee.games.interface.seats import seat_id

    # Somebody types in this terminal, so a line that changes all the time would be in the way.
    # Print just one line per slow reply.
    said = None
    while True:
        await trio.sleep(_SLOW_SECONDS / 2)
        since = runner.asked_since
        slow = [seat_id(seat) for seat in runner.match.due if bots[seat] != HUMAN]
        if slow and said != since and trio.current_time() - since > _SLOW_SECONDS:
            said = since
            print(f"{slow[0]} is thinking ...", file=sys.stderr, flush=True)


def _line(runner: Runner, spec: MatchSpec) -> str:
    import trio

    from referee.games.interface.seats import seat_id
    from referee.names import shown_names

    standings = runner.match.standings()
    if not standings:
        return "waiting for the handshakes"
    seats = zip(shown_names(runner.match.names, spec.names, spec.bots), standings, strict=True)
    scores = ", ".join(f"{name} {standing.score}" for name, standing in seats)
    line = f"turn {runner.match.turns}: {scores}"
    if runner.match.due:
        seconds = trio.current_time() - runner.asked_since
        line += f"; {seat_id(runner.match.due[0])} is thinking"
        if seconds >= 1:
            line += f" for {seconds:.0f} s"
    return line
