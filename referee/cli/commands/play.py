"""`referee play`: play one match.

Importing trio takes a while, so we start the bots first and import it while they are starting.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING

from referee.cli import console, serving, settings
from referee.cli.commands.play_options import LIVE, PlayOptions
from referee.cli.commands.play_plan import plan_match
from referee.cli.commands.play_progress import show_match
from referee.cli.live_stderr import LiveStderr, push
from referee.cli.running import collect_garbage, run_in_trio
from referee.errors import GameError, LogWriteError, UsageError
from referee.interrupts import Interrupted, Interrupts
from referee.logs.files import STDOUT, LogFile, standard_stream
from referee.logs.packed import SUFFIXES

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import trio

    from referee.bots.processes.launch import Started
    from referee.cli.watching import Server
    from referee.course import Played
    from referee.match.spec import MatchSpec
    from referee.match_plan import MatchFiles, MatchPlan
    from referee.runner import Runner
    from referee.web.server.seat import MatchSession


def run(options: PlayOptions, interrupts: Interrupts) -> int:
    _check(options)
    with ExitStack() as watching:
        temporary = None
        if options.browser and options.record is None:
            from referee.cli.watching import temporary_folder

            temporary = str(watching.enter_context(temporary_folder()) / "match.record.jsonl")
        plan, session = plan_match(options, temporary)
        return _run(options, plan, session, interrupts, watching)


def _check(options: PlayOptions) -> None:
    if options.log == STDOUT and options.format == "json":
        raise UsageError("--log - and --format json both want stdout; write the log to a file")
    if options.record == STDOUT:
        raise UsageError("--record needs the name of a file")
    shown = options.page or options.browser
    if not shown and (options.allowed_host or options.listen is not None):
        given = "--allowed-host" if options.allowed_host else "--listen"
        raise UsageError(f"{given} goes with --page or --browser")
    if options.record_stderr and options.record is None and not options.browser:
        raise UsageError("--record-stderr goes with --record FILE")
    if options.browser and (options.record or "").endswith(tuple(SUFFIXES)):
        raise UsageError(
            f"--browser cannot follow {options.record}: a compressed record is written in blocks"
        )


def _run(
    options: PlayOptions,
    plan: MatchPlan,
    session: MatchSession | None,
    interrupts: Interrupts,
    watching: ExitStack,
) -> int:
    """Play the match and print the result.

    With `--browser`, this starts a server, which keeps running until the caller closes `watching`.
    """
    live = standard_stream(sys.stderr, "standard error") if options.stderr == LIVE else None
    with ExitStack() as stack:
        with interrupts.raising():  # to open a FIFO, we have to wait for its reader
            files = stack.enter_context(plan.opened())
        server = None
        if options.browser:
            server = watching.enter_context(_watched(options, plan, files, interrupts))
            if server is None:
                return console.USAGE
        try:
            with plan.launched() as started:
                files.begin()
                played = _play_match(options, plan, interrupts, started, files, session, live)
            with interrupts.raising():  # we wait for the program that compresses a log
                lost = _finish(files)
                if live is not None:
                    with suppress(LogWriteError):  # the program that reads our stderr is gone
                        live.drain()
        except GameError as error:
            raise GameError(_void(error, options, plan.spec)) from error
        except Interrupted as interrupted:
            # Writing to stderr would block if its reader is slow.
            if live is None or not live.behind:
                console.say(f"{interrupted}; the match was given up, all bots were ended")
            raise
    with interrupts.raising(), console.printing():
        _print_result(options, plan.spec, played)
    if lost is not None:
        return console.fail(console.USAGE, str(lost))
    if server is not None:
        from referee.cli.watching import wait_for_viewers

        wait_for_viewers(interrupts, server, options.record, "--record FILE")
    return console.FAILED if played.disqualified else console.OK


def _void(error: GameError, options: PlayOptions, spec: MatchSpec) -> str:
    """Explain that a match is void because of a mistake in the game, and how to reproduce it."""
    from referee.bots.repeat import verify_words
    from referee.text.terminal import command_line

    if options.record is not None:
        again = verify_words(options.record, spec.game)
    else:
        again = _repeat_command(options, spec)
    return f"{error}; the match is void; to see it again: {command_line(again)}"


def _watched(
    options: PlayOptions, plan: MatchPlan, files: MatchFiles, interrupts: Interrupts
) -> AbstractContextManager[Server | None]:
    from referee.cli.watching import watched

    assert plan.record is not None
    assert files.record is not None
    page = f"watch/{os.path.basename(plan.record)}"
    # If people play in the browser, `--listen` is for their server. The viewers' server then
    # listens on a free port.
    address = [] if options.page else serving.address_as_words(options.listen, options.allowed_host)
    # The file may have an old match in it, so empty it before somebody opens the page.
    begin = partial(files.record.begin, copy=True)
    game = plan.spec.definition.name
    return watched(interrupts, game, [plan.record], page, address, begin)


def _finish(files: MatchFiles) -> LogWriteError | None:
    """Complete the logs, and print warnings about them. If a log is lost, return the error.

    If its reader is gone, the error is raised instead.
    """
    warnings, lost = files.finish()
    for warning in warnings:
        console.say(warning)
    if lost is not None and lost.reader_gone:
        raise lost
    return lost


def _play_match(
    options: PlayOptions,
    plan: MatchPlan,
    interrupts: Interrupts,
    started: list[Started],
    files: MatchFiles,
    session: MatchSession | None,
    live: LogFile | None,
) -> Played:
    stderr = None if live is None else [LiveStderr(seat, live) for seat in range(len(started))]

    async def play(nursery: trio.Nursery) -> Played:
        def watch(runner: Runner) -> None:
            if session is not None:
                session.watch(plan.spec, runner)
            if live is not None:
                nursery.start_soon(push, live)
            elif not options.quiet and sys.stderr.isatty():
                nursery.start_soon(show_match, runner, plan.spec, session is not None)

        if session is not None:
            await nursery.start(_serve, session, options)
        played = await plan.play(started, files, stderr=stderr, watch=watch, alone=session is None)
        if session is not None:
            session.end(plan.spec, played)
            # The server stops when we return, so give the pages a moment to fetch the end.
            await session.shown()
            if options.record is not None:
                session.delete_links(options.record)
        return played

    collect_garbage()
    return run_in_trio(play, interrupts)


async def _serve(
    session: MatchSession,
    options: PlayOptions,
    task_status: trio.TaskStatus[None],
) -> None:
    import trio

    from referee.web.server.app import Site
    from referee.web.server.library import Library
    from referee.web.server.listen import listening, serve
    from referee.web.server.seat import Seats

    host, port = serving.host_and_port(options.listen, 0)
    goes_on = bool(session.port)
    with listening(host, port or session.port) as on:
        session.port = on.getsockname()[1]
        if options.record is not None:
            session.save_links(options.record)
        at = serving.origin(host, session.port)
        links = [f"{at}{link}" for link in session.links()]
        what = "its link works again" if goes_on else "anyone with this link can play it"
        for link in links:
            print(f"{link}  (a seat: {what})", file=sys.stderr, flush=True)
        site = Site(Library([]), more=Seats([session]).routes())
        async with trio.open_nursery() as nursery:
            if serving.is_local(host) and serving.has_screen() and not goes_on:
                nursery.start_soon(serving.open_browser, links[0])
            task_status.started()
            await serve(site.app(options.allowed_host), on, serving.say_bug)


def _print_result(options: PlayOptions, spec: MatchSpec, played: Played) -> None:
    if options.format == "json":
        console.print_json(played.result)
        return
    if options.quiet:
        _print_disqualified(played)
        return
    from referee.cli.result import match_report

    file = sys.stderr if options.log == "-" else sys.stdout
    text = match_report(
        played,
        _repeat_command(options, spec),
        names=spec.names,
        width=console.width(file),
        colour=console.has_colour(file),
        record=options.record,
        stderr=options.stderr,
        turn=options.turn,
    )
    print(text, end="", file=file, flush=True)


def _print_disqualified(played: Played) -> None:
    # The exit code doesn't say which bot was disqualified.
    for player in played.result.players:
        left = player.disqualification
        if left is not None:
            cause = f"; {left.cause}" if left.cause else ""
            console.say(
                f"{player.player_number}, {player.bot}, was disqualified: "
                f"{player.disqualified}, {left.detail}{cause}"
            )


def _repeat_command(options: PlayOptions, spec: MatchSpec) -> list[str]:
    from msgspec.structs import replace

    from referee.bots.repeat import repeat_words

    start = []
    turn = options.turn or (spec.redeals[0].turn if spec.redeals else None)
    if turn is not None:
        assert options.resume is not None
        start = ["--resume", options.resume, "--turn", str(turn)]
        start += ["--seed", str(spec.luck)] if options.seed.seed is not None else []
    typed = spec
    # Repeat the BOT arguments as the user has typed them, including names and bytes that aren't
    # UTF-8.
    if options.bots:
        typed = replace(spec, bots=options.bots, names=())
    words = repeat_words(typed, recorded=False, start=start, env=options.env)
    words[2:2] = ["--page"][: options.page]
    is_default = (
        options.sandbox.kind != "auto" and os.environ.get(settings.SANDBOX, "none") == "none"
    )
    if spec.sandbox.kind == "none" and not is_default:
        words += ["--sandbox", "none"]
    return words
