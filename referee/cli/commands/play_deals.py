"""`referee play --resume FILE --turn N --deals D`: play many matches from one position."""

from __future__ import annotations

import io
import math
import signal
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from referee.capacity import cores
from referee.cli import console
from referee.cli.commands.play_options import PlayOptions
from referee.cli.commands.tournament_ending import Ending, GraceTimeout
from referee.cli.progress import working
from referee.cli.running import collect_garbage, load_numpy
from referee.errors import GameError, UsageError
from referee.interrupts import Interrupted, Interrupts
from referee.match.machine import MAX_SEED
from referee.names import shown_names
from referee.text.terminal import as_text, command_line, plain

if TYPE_CHECKING:
    from rich.console import RenderableType

    from referee.match.position import Position
    from referee.match.result import MatchResult
    from referee.match_plan import MatchPlan
    from referee.tournament.from_position import FromPosition, SeatChances
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.tournament.rows import Plan
    from referee.tournament.schedule.format import TournamentSetup


def play_deals(
    options: PlayOptions,
    plan: MatchPlan,
    again: Sequence[str],
    interrupts: Interrupts,
) -> int:
    """Play deals from one position, on all cores, and print statistics about the position.

    Args:
        plan: the match of the first deal, with the bots, the position and the limits.
        again: the command that repeats the match of the first deal.
    """
    from referee.workers import prepare, worker_processes

    prepare()
    load_numpy()
    from referee.tournament.from_position import chances, deals_from
    from referee.tournament.playing.dispatcher import Dispatcher

    assert options.deals is not None
    if any(math.inf in (own.time_limit, own.startup_limit) for own in plan.spec.each_limits):
        raise UsageError(
            "--deals needs time limits, or a bot that hangs would block it: add --time-limit 10 "
            "--startup-limit 10"
        )
    what, plans = deals_from(_position(options, plan), plan.spec, deals=options.deals)
    collect_garbage()
    results: list[MatchResult] = []
    interrupted = None
    with Dispatcher(
        partial(worker_processes, cores(), pin=True),
        cores,
        results=True,
        sources=dict(enumerate(plan.sources)),
        hidden=plan.spec.sandbox.hidden,
    ) as dispatcher:
        try:
            void = _play(dispatcher, what, plans, results, interrupts, quiet=options.quiet)
        except GraceTimeout:
            void = 0
        if dispatcher.is_stopping:
            interrupted = Interrupted(signal.SIGINT)
    if not results:
        raise interrupted or GameError(f"{plan.spec.game}: no deal counts; the machine is too busy")
    found = chances(what, results, void)
    with interrupts.raising(), console.printing():
        own = [player.name for player in found.players]
        names = shown_names(own, plan.spec.names, plan.spec.bots)
        too_early = _too_early(results, plan.spec.redeals[-1].turn)
        _print(options, found, names, again, too_early)
    if interrupted is not None:
        raise interrupted
    return console.FAILED if any(each.disqualified for each in found.players) else console.OK


def _position(options: PlayOptions, plan: MatchPlan) -> Position:
    """Return the position where all deals start.

    The plan's last redeal belongs to the first deal, so it isn't part of the position.
    """
    from referee.match.position import Position

    assert options.resume is not None
    *before, last = plan.spec.redeals
    answers = tuple(
        tuple(line for line in lines if line is None or isinstance(line, bytes))
        for lines in plan.answers
    )
    return Position(as_text(options.resume), last.turn, plan.spec.seed, tuple(before), answers)


def _play(
    dispatcher: Dispatcher,
    what: TournamentSetup,
    plans: Sequence[Plan],
    results: list[MatchResult],
    interrupts: Interrupts,
    *,
    quiet: bool,
) -> int:
    ending = Ending(interrupts, dispatcher.stop)
    void = 0
    with working(len(plans), "deals", quiet=quiet) as show:
        for rows in dispatcher.play(what, iter(plans)):
            for row in rows:
                if row.problem:
                    raise GameError(row.problem)
                if row.void or row.result is None:
                    void += 1
                else:
                    results.append(row.result)
            ending.check_signals()
            show(len(results) + void)
    return void


def _too_early(results: Sequence[MatchResult], turn: int) -> list[str]:
    count = sum(sum(player.turns for player in result.players) < turn for result in results)
    if not count:
        return []
    ended, they = ("1 deal", "it says") if count == 1 else (f"{count:,} deals", "they say")
    return [f"{ended} ended before turn {turn}: {they} nothing about the position."]


def _print(
    options: PlayOptions,
    found: FromPosition,
    names: Sequence[str],
    again: Sequence[str],
    too_early: Sequence[str],
) -> None:
    if options.format == "json":
        console.print_json(found)
        return
    if options.quiet:
        for line in (*_disqualified(found, names), *too_early):
            console.say(line)
        return
    text = io.StringIO()
    shown = console.rich_console(text)
    for part in _lines(found, names, too_early):
        shown.print(part)
    following = (found.seed + 1) % MAX_SEED
    shown.print(f"The first deal again; the next has seed {following}:")
    print(f"{text.getvalue()}  {command_line(again)}")


def _lines(
    found: FromPosition, names: Sequence[str], too_early: Sequence[str]
) -> Iterator[RenderableType]:
    from rich.text import Text

    deals = f"{found.deals:,} deal{'s' * (found.deals != 1)}"
    void = f"; {found.void:,} void" if found.void else ""
    head = f"{found.game}, {deals} from {plain(found.position)}; seed {found.seed}{void}"
    yield Text(head, style="bold")
    yield ""
    yield _table(found, names)
    yield Text("points: 1 for a win, a draw counts half; all intervals are 95%.", style="dim")
    yield from _disqualified(found, names)
    yield from too_early
    yield ""


def _table(found: FromPosition, names: Sequence[str]) -> RenderableType:
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column("seat", justify="right", no_wrap=True)
    grid.add_column("name", no_wrap=True, overflow="ellipsis")
    for column in ("points", "interval", "won", "drawn", "lost", "score", "interval"):
        grid.add_column(column, justify="right", no_wrap=True)
    for player, name in zip(found.players, names, strict=True):
        grid.add_row(player.player_number.removeprefix("player"), name, *_cells(player))
    return grid


def _cells(player: SeatChances) -> list[str]:
    points, score = player.points, player.score
    ends = "-" if score.low is None else f"{score.low:.1f} to {score.high:.1f}"
    return [
        f"{points.share:.1%}",
        f"{100 * points.low:.1f} to {100 * points.high:.1f}",
        *(f"{count:,}" for count in (player.wins, player.draws, player.losses)),
        f"{score.mean:.1f}",
        ends,
    ]


def _disqualified(found: FromPosition, names: Sequence[str]) -> Iterator[str]:
    for player, name in zip(found.players, names, strict=True):
        for code, count in player.disqualified.items():
            many = f"{count:,} deal{'s' * (count != 1)}"
            yield f"{player.player_number}, {name}, was disqualified in {many}: {code}"
