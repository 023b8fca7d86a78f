"""Starts each bot once to find out which bots cannot play (spec/tournaments.md, 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from referee.errors import UsageError
from referee.explaining import sentence
from referee.games import game_rules
from referee.games.interface.faults import Disqualification
from referee.match.sandbox import Sandbox
from referee.match.spec import tournament_limits
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.rows import Entrant, SeatRow
from referee.tournament.schedule.format import TournamentSetup
from referee.workers import worker_processes


def broken_bots(
    dispatcher: Dispatcher,
    setup: TournamentSetup,
    bots: Iterable[int],
    look: Callable[[int], object] = lambda started: None,
) -> dict[int, UsageError]:
    """Start bots of a tournament, and return those that fail in the handshake.

    Args:
        bots: the numbers of the bots to start.
        look: called at least every 0.1 s with the number of bots that we have tried. It may raise
            to end the check.

    Returns:
        The numbers of the bots that failed, each with an error that says why.
    """
    found: dict[int, UsageError] = {}
    started = 0
    for seats in dispatcher.check(setup, bots):
        for number, seat in seats.items():
            if seat.disqualified is not None:
                found[number] = UsageError(
                    _failure_reason(setup.bots[number].name, seat, setup.sandbox)
                )
        started += len(seats)
        look(started)
    return dict(sorted(found.items()))


def start_once(
    bots: Sequence[Entrant],
    game: str,
    sandbox: Sandbox,
    jobs: int,
    look: Callable[[int], object],
) -> dict[int, UsageError]:
    """Check bots that aren't in a tournament yet, and return those that fail in the handshake.

    They get the same limits as in a tournament. Returns the same as `broken_bots`.
    """
    if not bots:
        return {}
    definition = game_rules(game)
    setup = TournamentSetup(
        game=game,
        players=definition.min_seats,
        seed=0,
        settings=tournament_limits(definition),
        sandbox=sandbox.kind,
        sandbox_read=sandbox.readable,
        bots=tuple(bots),
    )
    jobs = min(jobs, len(bots))
    with Dispatcher(
        lambda: worker_processes(jobs), lambda: jobs, hidden=sandbox.hidden
    ) as dispatcher:
        return broken_bots(dispatcher, setup, range(len(bots)), look)


def _failure_reason(name: str, seat: SeatRow, sandbox: str) -> str:
    detail = seat.detail or str(seat.disqualified)
    parts = [detail if "BOT " in detail else f"{name}: {detail}"]
    lines = (seat.stderr or "").splitlines()
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if last:
        parts.append(f"its last words on stderr: {last}")
    if seat.disqualified == Disqualification.EXITED:
        parts += filter(None, [sentence("ending.missed", sandbox, lines)])
    if seat.disqualified == Disqualification.STARTUP_TIMEOUT:
        parts.append("--startup-limit gives it more time")
    return "; ".join(parts)
