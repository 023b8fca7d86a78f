"""`referee play`: one match.

It starts its bots before it imports trio: they come up in the meantime.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from referee.capacity import check_descriptors
from referee.cli import console, serving, settings, work
from referee.cli.arguments import made_folder
from referee.cli.consent import check_recorded, chosen_sandbox
from referee.errors import LogReadError, LogWriteError, UsageError
from referee.interrupts import Interrupted, Interrupts
from referee.logs.files import STDOUT, LogFile, finished, opened, standard_stream
from referee.logs.outputs import LINKS, LOG, RECORD, TEXT, Output, check_output
from referee.logs.sink import Sink
from referee.text.terminal import escaped, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    import trio

    from referee.bots.command import BotSource
    from referee.bots.processes.launch import Started
    from referee.course import Played
    from referee.logs.conversation import RecordedAnswers
    from referee.logs.sink import Sink
    from referee.match.spec import MatchSpec
    from referee.runner import Runner
    from referee.web.server.seat import MatchSession

PROGRESS_AFTER_SECONDS = 1.0
_SLOW_SECONDS = 2.0
"""A person hears of a bot that thinks for longer."""
_LIVE = "-"
"""As the folder of `--stderr`: it is shown at once."""
_MOST_LINE = 64 * 1024
_PUSH_SECONDS = 0.1


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    with ExitStack() as watching:
        return _run(options, interrupts, watching)


def _run(options: argparse.Namespace, interrupts: Interrupts, watching: ExitStack) -> int:
    """Run the command; `watching` ends when nobody watches any more."""
    from referee.bots.command import BotCommand, game_of_bots
    from referee.bots.processes.launch import launch_bots
    from referee.match.spec import match_spec

    if options.log == STDOUT and options.format == "json":
        raise UsageError("--log - and --format json both want stdout; write the log to a file")
    if options.record == STDOUT:
        raise UsageError("--record needs the name of a file")
    recorded = options.record
    serving.check_address(options, 0, options.page or options.browser, "--page or --browser")
    if options.browser:
        from referee.cli.watching import stay, watched

        recorded = _watched_record(options, watching)
    elif options.record_stderr and options.record is None:
        raise UsageError("--record-stderr goes with --record FILE")
    is_typed = bool(options.bots)
    resumed = _resumed(options)
    options.game = options.game or game_of_bots((bot, "") for bot in options.bots)
    if not options.bots:
        raise UsageError("play takes BOTs, such as ./my_bot.py big_money (see referee play --help)")
    check_descriptors()  # before an old log is emptied
    sources, sitting = _sources(options)
    stderr_files = _stderr_files(options.stderr, len(sources))
    unseen = [options.log, recorded, options.resume, options.seed_file, *stderr_files]
    if not is_typed:
        # The variables of --env are the user's own.
        named = [bot._replace(env=()) if isinstance(bot, BotCommand) else bot for bot in sources]
        check_recorded(options, options.resume, named, options.game, hidden=unseen)
    sandbox = chosen_sandbox(options, sources, *unseen, recorded=not is_typed)
    before = resumed.settings if resumed is not None else {}
    before = {  # what a record says lifts no limit of the sandbox
        name: value for name, value in before.items() if name not in sandbox.limits or value
    }
    spec = match_spec(
        [source.argument for source in sources],
        game=options.game,
        seed=options.seed,
        options={**sandbox.limits, **before, **settings.chosen_settings(options)},
        sandbox=sandbox,
    )
    live = standard_stream(sys.stderr, "standard error") if options.stderr == _LIVE else None
    outputs = [Output(options.log, LOG), Output(recorded, RECORD)]
    outputs += [Output(name, TEXT) for name in stderr_files]
    _check_outputs(options, outputs)
    with ExitStack() as stack:
        with interrupts.raising():  # a FIFO waits for its reader
            log, record, *files = stack.enter_context(opened(outputs, force=options.force))
        server = None
        if options.browser:
            assert record is not None
            page = f"watch/{os.path.basename(recorded)}"
            # With people in the browser the address is that of their page.
            address = [] if options.page else serving.address_as_words(options)
            begin = partial(record.begin, copy=True)  # or what was there before would be shown
            server = watching.enter_context(watched(interrupts, [recorded], page, address, begin))
            if server is None:
                return console.USAGE
        stderr: list[Sink | None] = [*files]
        if live is not None:
            stderr = [LiveStderr(seat, live) for seat in range(len(sources))]
        try:
            kept: dict[str, Any] = {"log": log, "record": record, "stderr": stderr}
            kept["answers"] = resumed.answers if resumed is not None else ()
            with launch_bots(sources, spec.limits, spec.sandbox) as started:
                played = _play_match(options, interrupts, spec, started, sitting, live, **kept)
            with interrupts.raising():  # what reads a compressed log from a pipe may be slow
                lost = _finish([log, record])
                if live is not None:
                    with suppress(LogWriteError):  # nobody is there to be shown
                        live.drain()
        except Interrupted as interrupted:
            if live is None or not live.behind:  # else saying it would wait for a reader
                console.say(f"{interrupted}; the match was given up, all bots were ended")
            raise
    with interrupts.raising(), console.printing():
        _print_result(options, spec, played)
    if lost is not None:
        return console.fail(console.USAGE, str(lost))
    if server is not None:
        stay(interrupts, server, options.record, "--record FILE")
    return console.FAILED if played.disqualified else console.OK


def _check_outputs(options: argparse.Namespace, outputs: Sequence[Output]) -> None:
    """Raise a `UsageError` if an output is an input, or the links would replace another file.

    A match that was cut off may continue in its record, which then loses nothing.
    """
    continues = options.turn is None
    for name, kind in outputs:
        if name not in (None, STDOUT):
            resumed = None if continues and kind is RECORD else options.resume
            console.check_other_file(name, [resumed, options.seed_file, *options.bots])
    if options.page and options.record is not None:
        from referee.web.server.seat import LINKS_SUFFIX

        check_output(options.record + LINKS_SUFFIX, LINKS, force=options.force)


def _watched_record(options: argparse.Namespace, watching: ExitStack) -> str:
    """The record for the browser: a temporary one, or the requested one if it can be followed."""
    from referee.cli.watching import temporary_folder
    from referee.logs.packed import SUFFIXES

    if options.record is None:
        options.record_stderr = True  # it is there to be looked at
        return str(watching.enter_context(temporary_folder()) / "match.record.jsonl")
    if options.record.endswith(tuple(SUFFIXES)):
        raise UsageError(
            f"--browser cannot follow {options.record}: a compressed record is written in blocks"
        )
    return str(options.record)


def _resumed(options: argparse.Namespace) -> RecordedAnswers | None:
    """The replies of the match to continue. Also sets its bots, seed and game in the options."""
    if options.resume is None:
        if options.turn is not None:
            raise UsageError("--turn goes with --resume FILE, a match record")
        return None
    from referee.logs.conversation import answers_before

    if options.seed is not None or options.game is not None:
        raise UsageError("--resume has the seed and the game of its record: leave out the option")
    try:
        resumed = answers_before(options.resume, options.turn)
    except LogReadError as error:
        raise UsageError(str(error)) from error
    recorded = resumed.header.bots
    if options.bots and len(options.bots) != len(recorded):
        raise UsageError(f"the match of {options.resume} has {len(recorded)} bots")
    options.bots = options.bots or recorded
    options.seed, options.game = resumed.header.seed, resumed.header.game
    return resumed


def _sources(options: argparse.Namespace) -> tuple[list[BotSource], MatchSession | None]:
    """The sources of the bots, where `human` stands for a person, and the session of a browser."""
    from referee.bots.command import HUMAN, find_all, find_bot

    people = options.bots.count(HUMAN)
    sitting = None
    if options.page:
        if not people:
            raise UsageError(f"--page goes with BOT {HUMAN}: it lets people play in the browser")
        sitting = _sitting(options)
        persons = {seat: sitting.person(seat) for seat in sitting.seats}
    elif people:
        from referee.cli.human_terminal import seated

        person = seated(options.game, people, log_to_stdout=options.log == "-")
        persons = dict.fromkeys(range(len(options.bots)), person)

    def find(place: tuple[int, str]) -> BotSource:
        seat, bot = place
        if bot == HUMAN:
            return persons[seat]
        return find_bot(bot, options.game, env=tuple(options.env))

    return find_all(find, enumerate(options.bots)), sitting


def _sitting(options: argparse.Namespace) -> MatchSession:
    work.load_numpy()
    from referee.web.server.seat import MatchSession, links_beside

    goes_on = options.resume is not None and options.turn is None
    known = links_beside(options.resume) if goes_on else None
    return MatchSession(options.game, options.bots, known)


def _finish(logs: list[LogFile | None]) -> LogWriteError | None:
    """Complete the logs. Returns: why one of them could not be."""
    warnings, lost = finished(logs)
    for warning in warnings:
        console.say(warning)
    if lost is not None and lost.reader_gone:
        raise lost
    return lost


def _stderr_files(directory: str | None, count: int) -> list[str | None]:
    """One file name per seat, in a folder that is made if it does not exist."""
    if directory in (None, _LIVE):
        return [None] * count
    folder = made_folder(directory)
    return [str(folder / f"player{seat}.stderr") for seat in range(1, count + 1)]


class LiveStderr(Sink):
    """Shows what a bot writes on stderr line by line; `out`, of all bots, waits for no reader."""

    def __init__(self, seat: int, out: LogFile) -> None:
        from referee.games.interface.seats import seat_id

        self._name = seat_id(seat)
        self._out = out
        self._rest = b""

    def write(self, lines: bytes) -> None:
        """Show the lines that are whole; a very long one is shown in parts."""
        *whole, self._rest = (self._rest + lines).split(b"\n")
        if len(self._rest) > _MOST_LINE:
            whole.append(self._rest)
            self._rest = b""
        for line in whole:
            text = line.decode(errors="backslashreplace").rstrip("\r").expandtabs()
            self._out.write(f"{self._name}| {escaped(text)}\n".encode())

    def close(self) -> None:
        """Show what has no line end."""
        if self._rest:
            self.write(b"\n")


def _play_match(
    options: argparse.Namespace,
    interrupts: Interrupts,
    spec: MatchSpec,
    started: list[Started],
    sitting: MatchSession | None,
    live: LogFile | None,
    **kept: Any,
) -> Played:
    """Play the match; `kept` are the sinks of `play_once`, and the answers that are known."""
    from referee.bots.command import HUMAN
    from referee.runner import play_once

    for file in filter(None, (kept["log"], kept["record"])):
        file.begin(copy=True)
    for sink in kept["stderr"]:
        if isinstance(sink, LogFile):
            sink.begin()

    async def play(nursery: trio.Nursery) -> Played:
        def watch(runner: Runner) -> None:
            if sitting is not None:
                sitting.watch(spec, runner)
            if live is not None:
                nursery.start_soon(_push, live)
            elif options.quiet or not sys.stderr.isatty():
                return
            elif HUMAN in spec.bots and sitting is None:
                nursery.start_soon(_say_who_thinks, runner, spec.bots)
            else:
                line = partial(_progress, runner)
                nursery.start_soon(partial(work.show_progress, line, after=PROGRESS_AFTER_SECONDS))

        if sitting is not None:
            await nursery.start(_serve, sitting, options)
        played = await play_once(
            spec,
            started,
            record_stderr=options.record_stderr,
            watch=watch,
            alone=sitting is None,
            **kept,
        )
        if sitting is not None:
            sitting.end(spec, played)
            await sitting.shown()
            if options.record is not None:
                sitting.forget_links(options.record)
        return played

    work.collect_garbage()
    return work.run_in_trio(play, interrupts)


async def _serve(
    sitting: MatchSession,
    options: argparse.Namespace,
    task_status: trio.TaskStatus[None],
) -> None:
    """Serve the pages of the people, and say where they are."""
    import trio

    from referee.web.server.app import Site
    from referee.web.server.library import Library
    from referee.web.server.listen import listening, serve
    from referee.web.server.seat import Seats

    host, port = options.listen
    goes_on = bool(sitting.port)
    with listening(host, port or sitting.port) as on:
        sitting.port = on.getsockname()[1]
        if options.record is not None:
            sitting.keep_links(options.record)
        at = serving.origin(host, sitting.port)
        links = [f"{at}{link}" for link in sitting.links()]
        what = "its link works again" if goes_on else "anyone with this link can play it"
        for link in links:
            print(f"{link}  (a seat: {what})", file=sys.stderr, flush=True)
        site = Site(Library([]), more=Seats([sitting]).routes())
        async with trio.open_nursery() as nursery:
            if serving.is_local(host) and serving.has_screen() and not goes_on:
                nursery.start_soon(serving.open_browser, links[0])
            task_status.started()
            await serve(site.app(options.allowed_host), on, serving.say_bug)


async def _push(out: LogFile) -> None:
    """Hand over what a slow reader did not take, again and again."""
    import trio

    with suppress(LogWriteError):  # it is gone
        while True:
            await trio.sleep(_PUSH_SECONDS)
            out.push()


async def _say_who_thinks(runner: Runner, bots: Sequence[str]) -> None:
    """Say of each slow reply whose it is, once: a line that is kept up to date is in the way."""
    import trio

    from referee.bots.command import HUMAN
    from referee.games.interface.seats import seat_id

    said = None
    while True:
        await trio.sleep(_SLOW_SECONDS / 2)
        since = runner.asked_since
        slow = [seat_id(seat) for seat in runner.match.due if bots[seat] != HUMAN]
        if slow and said != since and trio.current_time() - since > _SLOW_SECONDS:
            said = since
            print(f"{slow[0]} is thinking ...", file=sys.stderr, flush=True)


def _progress(runner: Runner) -> str:
    """Where a long match stands."""
    import trio

    from referee.games.interface.seats import seat_id

    standings = runner.match.standings()
    if not standings:
        return "waiting for the handshakes"
    seats = zip(runner.match.names, standings, strict=True)
    scores = ", ".join(f"{plain(name)} {standing.score}" for name, standing in seats)
    line = f"turn {runner.match.turns}: {scores}"
    if runner.match.due:
        seconds = trio.current_time() - runner.asked_since
        line += f"; {seat_id(runner.match.due[0])} is thinking"
        if seconds >= 1:
            line += f" for {seconds:.0f} s"
    return line


def _print_result(options: argparse.Namespace, spec: MatchSpec, played: Played) -> None:
    if options.format == "json":
        console.print_json(played.result)
        return
    if options.quiet:
        _say_disqualified(played)
        return
    from referee.cli.result import match_report

    file = sys.stderr if options.log == "-" else sys.stdout
    text = match_report(
        played,
        _again(options, spec),
        width=console.width(file),
        colour=console.has_colour(file),
        record=options.record,
        stderr=options.stderr,
    )
    print(text, end="", file=file, flush=True)


def _say_disqualified(played: Played) -> None:
    """The players that left the match, one line each: the exit code does not name them."""
    for player in played.result.players:
        left = player.disqualification
        if left is not None:
            cause = f"; {left.cause}" if left.cause else ""
            console.say(
                f"{player.player_number}, {player.bot}, was disqualified: "
                f"{player.disqualified}, {left.detail}{cause}"
            )


def _again(options: argparse.Namespace, spec: MatchSpec) -> list[str]:
    from msgspec.structs import replace

    from referee.bots.repeat import repeat_words

    start = []
    if options.turn is not None:
        start = ["--resume", options.resume, "--turn", str(options.turn)]
    typed = replace(spec, bots=tuple(options.bots))  # with bytes that are no UTF-8
    words = repeat_words(typed, recorded=False, start=start, env=options.env)
    words[2:2] = ["--page"][: options.page]
    is_default = options.sandbox != "auto" and os.environ.get(settings.SANDBOX, "none") == "none"
    if spec.sandbox.kind == "none" and not is_default:
        words += ["--sandbox", "none"]
    return words
