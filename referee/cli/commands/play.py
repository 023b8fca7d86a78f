"""`referee play`: one match.

It starts its bots before it imports trio: they come up in the meantime.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Literal

from referee.capacity import check_descriptors
from referee.cli import console, serving, settings
from referee.cli.commands.play_progress import show_match
from referee.cli.consent import (
    SandboxChoice,
    chosen_sandbox,
    run_recorded_option,
    sandbox_of_recorded,
)
from referee.cli.files import made_folder
from referee.cli.live_stderr import LiveStderr, push
from referee.cli.options import Heading, Options, argument, flag, option
from referee.cli.running import collect_garbage, load_numpy, run_in_trio
from referee.cli.serving import Listen, allowed_host_option, listen_option
from referee.cli.settings import (
    LIMITS_OF_BOTS,
    Settings,
    env_option,
    force_option,
    game_of_bots_option,
    sandbox_option,
    sandbox_read_option,
    seed_file_option,
    seed_option,
    settings_options,
)
from referee.cli.values import Count, GameName, Seed, SeedFile, Variable
from referee.cli.watching import Server, stay, temporary_folder, watched
from referee.errors import LogReadError, LogWriteError, UsageError
from referee.interrupts import Interrupted, Interrupts
from referee.logs.files import STDOUT, LogFile, standard_stream
from referee.logs.outputs import LINKS, RECORD, check_output
from referee.logs.packed import SUFFIXES
from referee.match.sandbox import Choice

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    import trio

    from referee.bots.command import BotSource
    from referee.bots.processes.launch import Started
    from referee.course import Played
    from referee.logs.conversation import RecordedAnswers
    from referee.match.sandbox import Sandbox
    from referee.match.spec import MatchSpec
    from referee.match_plan import MatchFiles, MatchPlan
    from referee.runner import Runner
    from referee.web.server.seat import MatchSession

_LIVE = "-"
"""As the folder of `--stderr`: it is shown at once."""


class PlayOptions(Options):
    """Play one match between two to four bots."""

    epilog = """
BOT is the name of a bundled bot ("referee bots"), the path of a program (a .py file runs under
this Python), a quoted command line such as "node my_bot.js --fast", or the http:// or https://
address of a bot (spec/http-bots.md), or "human": you, at this terminal or, with --page, in the
browser (spec/serve.md, 6)."""
    exit_codes = (
        (0, "played, and nobody was disqualified"),
        (1, "somebody was disqualified"),
        (2, "wrong usage, or a log that cannot be written"),
    )
    examples = (
        ("referee play big_money ./my_bot.py", "your bot against a bundled one"),
        (
            'referee play ./my_bot.py "node other.js" --seed 7 --record game.jsonl',
            "two of yours, with a record for referee replay and referee verify",
        ),
        ("referee play human ./my_bot.py", "you against your bot"),
        ("referee play --page human ./my_bot.py", "the same in the browser"),
        ("referee play --browser big_money ./my_bot.py", "in the browser, as it is played"),
        (
            "referee play big_money ./my_bot.py --time-limit none",
            "no clock runs while you debug your bot",
        ),
    )

    _players = Heading("players")
    bots: tuple[str, ...] = argument("BOT", "a bundled name, a program, or a command line")

    _match = Heading("match")
    game: GameName | None = game_of_bots_option()
    seed: Seed | None = seed_option()
    seed_file: SeedFile | None = seed_file_option()
    resume: str | None = option(
        "FILE", None, "continue the match of this record, from its last line or from --turn"
    )
    turn: Count | None = option(
        "N", None, "with --resume: the first turn that is played (all players' turns count)"
    )
    run_recorded: bool = run_recorded_option("the record of --resume")

    _output = Heading("output")
    format: Literal["text", "json"] = option(None, "text", "text: a table; json: an object")
    quiet: bool = flag("no table, no progress", flags="-q, --quiet")
    stderr: str | None = option(
        "DIR",
        None,
        'save what each bot writes on stderr: DIR/player1.stderr ...; "-" prints it immediately',
    )

    _recording = Heading("recording")
    log: str | None = option(
        "FILE", None, 'write the spectator log; "-" is stdout, which then has only the log'
    )
    record: str | None = option("FILE", None, "match record: all that is needed to run it again")
    record_stderr: bool = flag(
        "add the stderr of the bots to the record, before the reply that follows it"
    )
    force: bool = force_option()

    _browser = Heading("browser")
    page: bool = flag("people play in the browser: each gets a link")
    browser: bool = flag("show the match in the browser while it is played")
    listen: Listen | None = listen_option(0)
    allowed_host: tuple[str, ...] = allowed_host_option()

    _isolation = Heading("isolation")
    sandbox: Choice | None = sandbox_option()
    sandbox_read: tuple[str, ...] = sandbox_read_option()
    env: tuple[Variable, ...] = env_option()
    _limits = LIMITS_OF_BOTS
    settings: Settings = settings_options(endless=True)


def run(options: PlayOptions, interrupts: Interrupts) -> int:
    _check(options)
    with ExitStack() as watching:
        temporary = None
        if options.browser and options.record is None:
            temporary = str(watching.enter_context(temporary_folder()) / "match.record.jsonl")
        plan, session = settle(options, temporary)
        return _run(options, plan, session, interrupts, watching)


def _check(options: PlayOptions) -> None:
    """Raise a `UsageError` for options that do not go together."""
    if options.log == STDOUT and options.format == "json":
        raise UsageError("--log - and --format json both want stdout; write the log to a file")
    if options.record == STDOUT:
        raise UsageError("--record needs the name of a file")
    shown = options.page or options.browser
    serving.check_address(options.listen, options.allowed_host, shown, "--page or --browser")
    if options.record_stderr and options.record is None and not options.browser:
        raise UsageError("--record-stderr goes with --record FILE")
    if options.browser and (options.record or "").endswith(tuple(SUFFIXES)):
        raise UsageError(
            f"--browser cannot follow {options.record}: a compressed record is written in blocks"
        )


def settle(
    options: PlayOptions, temporary: str | None = None
) -> tuple[MatchPlan, MatchSession | None]:
    """The match that the options ask for, and the session of people who play it in the browser.

    Args:
        temporary: the name of a record for the browser, which is removed at the end; or None.

    Raises:
        UsageError: there is no such match; the text says why.
    """
    from referee.bots.command import game_of_bots
    from referee.match_plan import MatchPlan, settled_spec

    resumed = _resumed(options)
    bots = options.bots or (() if resumed is None else tuple(resumed.header.bots))
    if resumed is None:
        game = options.game or game_of_bots((bot, "") for bot in bots)
        seed = settings.chosen_seed(options.seed, options.seed_file)
    else:
        game, seed = resumed.header.game, resumed.header.seed
    if not bots:
        raise UsageError("play takes BOTs, such as ./my_bot.py big_money (see referee play --help)")
    check_descriptors()  # before an old log is emptied
    sources, session = _sources(options, game, bots)
    record = temporary or options.record
    stderr = _stderr_files(options.stderr, len(sources))
    unseen = [options.log, record, options.resume, _seed_file(options), *stderr]
    spec = settled_spec(
        sources,
        game=game,
        seed=seed,
        options=options.settings,
        recorded=None if resumed is None else resumed.settings,
        sandbox=_sandbox(options, sources, game, unseen),
    )
    plan = MatchPlan(
        sources,
        spec,
        log=options.log,
        record=record,
        stderr=stderr,
        # A temporary record is there to be looked at.
        record_stderr=options.record_stderr or temporary is not None,
        answers=() if resumed is None else resumed.answers,
        force=options.force,
    )
    _check_outputs(options, plan)
    return plan, session


def _sandbox(
    options: PlayOptions, sources: Sequence[BotSource], game: str, unseen: Sequence[str | None]
) -> Sandbox:
    """The sandbox of the bots, which do not see the files `unseen`.

    Bots that nobody typed are those of the record of --resume, and need --run-recorded.
    """
    from referee.bots.command import BotCommand

    choice = SandboxChoice(options.sandbox, options.sandbox_read)
    if options.bots:
        return chosen_sandbox(choice, sources, *unseen)
    assert options.resume is not None
    # The variables of --env are the user's own.
    named = [bot._replace(env=()) if isinstance(bot, BotCommand) else bot for bot in sources]
    choice = sandbox_of_recorded(
        choice, options.resume, named, game, hidden=unseen, run_recorded=options.run_recorded
    )
    return chosen_sandbox(choice, sources, *unseen, recorded=True)


def _seed_file(options: PlayOptions) -> str | None:
    return None if options.seed_file is None else options.seed_file.file


def _resumed(options: PlayOptions) -> RecordedAnswers | None:
    """The replies of the match to continue."""
    if options.resume is None:
        if options.turn is not None:
            raise UsageError("--turn goes with --resume FILE, a match record")
        return None
    from referee.logs.conversation import answers_before

    if (options.seed, options.seed_file, options.game) != (None, None, None):
        raise UsageError("--resume has the seed and the game of its record: leave out the option")
    try:
        resumed = answers_before(options.resume, options.turn)
    except LogReadError as error:
        raise UsageError(str(error)) from error
    recorded = resumed.header.bots
    if options.bots and len(options.bots) != len(recorded):
        raise UsageError(f"the match of {options.resume} has {len(recorded)} bots")
    return resumed


def _sources(
    options: PlayOptions, game: str, bots: Sequence[str]
) -> tuple[list[BotSource], MatchSession | None]:
    """The sources of the bots, where `human` stands for a person, and the session of a browser."""
    from referee.bots.command import HUMAN, find_all, find_bot

    people = bots.count(HUMAN)
    session = None
    if options.page:
        if not people:
            raise UsageError(f"--page goes with BOT {HUMAN}: it lets people play in the browser")
        session = _session(options, game, bots)
        persons = {seat: session.person(seat) for seat in session.seats}
    elif people:
        from referee.cli.human_terminal import seated

        person = seated(game, people, log_to_stdout=options.log == STDOUT)
        persons = dict.fromkeys(range(len(bots)), person)

    def find(place: tuple[int, str]) -> BotSource:
        seat, bot = place
        if bot == HUMAN:
            return persons[seat]
        return find_bot(bot, game, env=options.env)

    return find_all(find, enumerate(bots)), session


def _session(options: PlayOptions, game: str, bots: Sequence[str]) -> MatchSession:
    load_numpy()
    from referee.web.server.seat import MatchSession, links_beside

    goes_on = options.resume is not None and options.turn is None
    known = links_beside(options.resume) if goes_on and options.resume is not None else None
    return MatchSession(game, bots, known)


def _stderr_files(directory: str | None, count: int) -> list[str | None]:
    """One file name per seat, in a folder that is made if it does not exist."""
    if directory is None or directory == _LIVE:
        return [None] * count
    folder = made_folder(directory)
    return [str(folder / f"player{seat}.stderr") for seat in range(1, count + 1)]


def _check_outputs(options: PlayOptions, plan: MatchPlan) -> None:
    """Raise a `UsageError` if an output is an input, or the links would replace another file.

    A match that was cut off may continue in its record, which then loses nothing.
    """
    continues = options.turn is None
    for name, kind in plan.outputs:
        if name is not None and name != STDOUT:
            resumed = None if continues and kind is RECORD else options.resume
            console.check_other_file(name, [resumed, _seed_file(options), *options.bots])
    if options.page and options.record is not None:
        from referee.web.server.seat import LINKS_SUFFIX

        check_output(options.record + LINKS_SUFFIX, LINKS, force=options.force)


def _run(
    options: PlayOptions,
    plan: MatchPlan,
    session: MatchSession | None,
    interrupts: Interrupts,
    watching: ExitStack,
) -> int:
    """Play the match and print the result; `watching` ends when nobody watches any more."""
    live = standard_stream(sys.stderr, "standard error") if options.stderr == _LIVE else None
    with ExitStack() as stack:
        with interrupts.raising():  # a FIFO waits for its reader
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
            with interrupts.raising():  # what reads a compressed log from a pipe may be slow
                lost = _finish(files)
                if live is not None:
                    with suppress(LogWriteError):  # nobody is there to be shown
                        live.drain()
        except Interrupted as interrupted:
            if live is None or not live.behind:  # else saying it would wait for a reader
                console.say(f"{interrupted}; the match was given up, all bots were ended")
            raise
    with interrupts.raising(), console.printing():
        _print_result(options, plan.spec, played)
    if lost is not None:
        return console.fail(console.USAGE, str(lost))
    if server is not None:
        stay(interrupts, server, options.record, "--record FILE")
    return console.FAILED if played.disqualified else console.OK


def _watched(
    options: PlayOptions, plan: MatchPlan, files: MatchFiles, interrupts: Interrupts
) -> AbstractContextManager[Server | None]:
    """The server of `--browser`, as `watched`."""
    assert plan.record is not None
    assert files.record is not None
    page = f"watch/{os.path.basename(plan.record)}"
    # With people in the browser the address is that of their page.
    address = [] if options.page else serving.address_as_words(options.listen, options.allowed_host)
    begin = partial(files.record.begin, copy=True)  # or what was there before would be shown
    return watched(interrupts, [plan.record], page, address, begin)


def _finish(files: MatchFiles) -> LogWriteError | None:
    """Complete the logs. Returns: why one of them could not be."""
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
                nursery.start_soon(show_match, runner, plan.spec.bots, session is not None)

        if session is not None:
            await nursery.start(_serve, session, options)
        played = await plan.play(started, files, stderr=stderr, watch=watch, alone=session is None)
        if session is not None:
            session.end(plan.spec, played)
            await session.shown()
            if options.record is not None:
                session.forget_links(options.record)
        return played

    collect_garbage()
    return run_in_trio(play, interrupts)


async def _serve(
    session: MatchSession,
    options: PlayOptions,
    task_status: trio.TaskStatus[None],
) -> None:
    """Serve the pages of the people, and say where they are."""
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
            session.keep_links(options.record)
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


def _again(options: PlayOptions, spec: MatchSpec) -> list[str]:
    from msgspec.structs import replace

    from referee.bots.repeat import repeat_words

    start = []
    if options.turn is not None:
        assert options.resume is not None
        start = ["--resume", options.resume, "--turn", str(options.turn)]
    typed = replace(spec, bots=options.bots or spec.bots)  # with bytes that are no UTF-8
    words = repeat_words(typed, recorded=False, start=start, env=options.env)
    words[2:2] = ["--page"][: options.page]
    is_default = options.sandbox != "auto" and os.environ.get(settings.SANDBOX, "none") == "none"
    if spec.sandbox.kind == "none" and not is_default:
        words += ["--sandbox", "none"]
    return words
