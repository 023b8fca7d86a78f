"""The command `referee`: the only place that prints.

What is heavy is imported where it is used. `play` starts its bots before it imports trio and the
rules: they come up in the meantime.
"""

from __future__ import annotations

import argparse
import gc
import io
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from referee._version import __version__
from referee.errors import LogWriteError, UsageError
from referee.interrupts import Interrupted, Interrupts

if TYPE_CHECKING:
    from referee.bots.launch import LaunchedBot
    from referee.logs.files import LogFile
    from referee.play import Played, Runner

OK = 0
DISQUALIFIED = 1
USAGE = 2
BUG = 70  # EX_SOFTWARE of sysexits.h
READER_GONE = 128 + 13  # as if SIGPIPE had ended us

# As in the modules that define them, which are too heavy to be loaded before the bots are started.
MAX_SEED = 2**53
MIN_BOTS, MAX_BOTS = 2, 4
DRAWN_SEEDS = 10**9
"""A seed that is drawn is below this, so that it is short enough to type."""
LIMITS = {
    "time_limit": 10.0,
    "startup_limit": 10.0,
    "grace": 1.0,
    "max_turns": 500,
    "line_limit": 65536,
    "queue_limit": 65536,
}
"""The fields of `Options` and their defaults."""
PLAIN_WIDTH = 80
PROGRESS_AFTER_SECONDS = 1.0
PROGRESS_EVERY_SECONDS = 0.2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: without the program's name; by default those of the process.

    Returns:
        The exit code: 0, 1, 2, 70 (a bug in the referee), 128 + N after signal N.
    """
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 (closed by the caller: >&-)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a bot's name may be in any script
    try:
        with Interrupts() as interrupts:
            options = _parser().parse_args(arguments)
            run: Callable[[argparse.Namespace, Interrupts], int] = options.run
            return run(options, interrupts)
    except UsageError as error:
        return _fail(str(error), USAGE)
    except LogWriteError as error:
        if error.reader_gone:
            _silence_stdout()
            return READER_GONE
        return _fail(f"{error}; the match was given up", USAGE)
    except BrokenPipeError:  # the reader of our own output has enough
        _silence_stdout()
        return READER_GONE
    except Interrupted as interrupted:
        return interrupted.exit_code
    except Exception:  # not one of ours, and no exit code of ours either
        import traceback

        traceback.print_exc()
        return _fail("this is a bug in the referee; please report it with the lines above", BUG)


def _fail(text: str, code: int) -> int:
    _say(text)
    return code


def _say(text: str) -> None:
    print(f"referee: {text}", file=sys.stderr)


@contextmanager
def _printing() -> Iterator[None]:
    """Where results are printed: a full disk there is the user's business, not a bug."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _silence_stdout()
        raise UsageError(f"cannot write standard output: {error.strerror}") from error


def _silence_stdout() -> None:
    # Python flushes stdout once more at its end and would complain there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- arguments ------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _number(
    kind: Callable[[str], float], accepted: Callable[[float], bool], what: str
) -> Callable[[str], float]:
    def convert(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not accepted(value):
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return value

    return convert


_seed = _number(int, lambda n: 0 <= n < MAX_SEED, "an integer from 0 to 2**53 - 1")
_count = _number(int, lambda n: n >= 1, "an integer of 1 or more")
_seconds = _number(float, lambda s: 0 < s < math.inf, "a number of seconds above 0")
_grace = _number(float, lambda s: 0 <= s < math.inf, "a number of seconds, 0 or more")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="referee",
        description="Plays card-game bots against each other and says what they do wrong.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"referee {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_play(commands)
    _add_bots(commands)
    return parser


def _add_play(commands: argparse._SubParsersAction[_Parser]) -> None:
    play = commands.add_parser(
        "play",
        help="play one match between two to four bots",
        description="Play one match between two to four bots.",
        epilog='BOT is the name of a bundled bot ("referee bots"), the path of a program (a .py '
        'file runs under this Python), or a quoted command line such as "node my_bot.js --fast". '
        "Exit codes: 0 played and nobody disqualified, 1 somebody was, 2 wrong usage, "
        "130 after Ctrl-C, 143 after SIGTERM.",
        allow_abbrev=False,
    )
    play.set_defaults(run=_play, **LIMITS)
    add = play.add_argument
    add("bots", nargs="+", metavar="BOT", help="a bundled name, a program, or a command line")
    add("--seed", type=_seed, metavar="N", help="0 <= N < 2**53; drawn if not given")
    add("--log", metavar="FILE", help='spectator log; "-" is stdout, and nothing else goes there')
    add("--record", metavar="FILE", help="match record: all that is needed to run it again")
    add("--time-limit", type=_seconds, metavar="S", help="one reply (10)")
    add("--startup-limit", type=_seconds, metavar="S", help="handshake (10)")
    add("--grace", type=_grace, metavar="S", help="to exit after game-end (1)")
    add("--max-turns", type=_count, metavar="N", help="turns a player (500)")
    add("--line-limit", type=_count, metavar="BYTES", help="longest line (65536)")
    waiting = "most output that may wait unasked for (65536)"
    add("--queue-limit", type=_count, metavar="BYTES", help=waiting)
    add("--stderr", metavar="DIR", help="keep what the bots write there: DIR/player1.stderr ...")
    add("--format", choices=("text", "json"), default="text", help="text: a table; json: an object")
    add("-q", "--quiet", action="store_true", help="no table, no progress")


def _add_bots(commands: argparse._SubParsersAction[_Parser]) -> None:
    bots = commands.add_parser(
        "bots",
        help="list the bundled example bots",
        description="List the bundled example bots, or print one to start from: "
        "referee bots --show minimal > my_bot.py",
        allow_abbrev=False,
    )
    bots.set_defaults(run=_bots)
    bots.add_argument("--show", metavar="NAME", help="print that bot's source")


# --- referee bots ---------------------------------------------------------------------------------


def _bots(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from referee.bots.bundled import bundled_bots, describe_bot, templates

    bots, others = bundled_bots(), templates()
    if options.show is not None:
        file = (bots | others).get(options.show)
        if file is None:
            raise UsageError(f"no {options.show!r}; there are: {', '.join(bots | others)}")
        with _printing():
            sys.stdout.write(file.read_text(encoding="utf-8"))
        return OK
    width = max(map(len, bots), default=0)
    with _printing():
        for name, path in bots.items():
            print(f"{name:{width}}  {describe_bot(path)}")
        print("\nTo start from (referee bots --show NAME): minimal, or in other languages")
        print("  " + ", ".join(others))
    return OK


# --- referee play ---------------------------------------------------------------------------------


def _play(options: argparse.Namespace, interrupts: Interrupts) -> int:
    try:
        return _play_match(options, interrupts)
    except Interrupted as interrupted:
        _say(f"{interrupted}; the match was given up, all bots were ended")
        raise


def _play_match(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from referee.bots.command import resolve_bot
    from referee.bots.launch import LaunchedBot
    from referee.bots.orphans import adopt_orphans, children, kill_orphans
    from referee.logs.files import STDOUT, open_logs

    if not MIN_BOTS <= len(options.bots) <= MAX_BOTS:
        raise UsageError(f"play takes {MIN_BOTS} to {MAX_BOTS} bots, not {len(options.bots)}")
    if options.log == STDOUT and options.format == "json":
        raise UsageError("--log - and --format json both want stdout; write the log to a file")
    if options.record == STDOUT:
        raise UsageError("--record needs the name of a file")
    commands = [resolve_bot(bot) for bot in options.bots]
    stderr_files = _stderr_files(options.stderr, len(commands))
    log, record, *stderr = open_logs([options.log, options.record, *stderr_files])
    if options.seed is None:
        import secrets

        options.seed = secrets.randbelow(DRAWN_SEEDS)
    launched: list[LaunchedBot] = []
    spare = children()
    try:
        with interrupts.held():
            adopt_orphans()
            for command in commands:
                launched.append(LaunchedBot(command))  # noqa: PERF401 (none may be lost)
        played = _run(options, interrupts, launched, log, record, stderr)
    finally:
        with interrupts.held():
            for bot in launched:
                bot.end()
            kill_orphans(spare)
            adopt_orphans(False)
    with _printing():
        _print_result(options, played)
    return DISQUALIFIED if played.disqualified else OK


def _stderr_files(directory: str | None, count: int) -> list[str | None]:
    """One file name a seat, in a folder that is made if it is not there."""
    if directory is None:
        return [None] * count
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {directory}: {error.strerror}") from error
    return [str(Path(directory) / f"player{seat}.stderr") for seat in range(1, count + 1)]


def _run(
    options: argparse.Namespace,
    interrupts: Interrupts,
    launched: list[LaunchedBot],
    log: LogFile | None,
    record: LogFile | None,
    stderr: list[LogFile | None],
) -> Played:
    """Play the match with bots that were launched already."""
    import trio

    from referee.games import GAMES
    from referee.options import Options
    from referee.play import Runner

    runner = Runner(
        GAMES["dominion"],
        launched,
        seed=options.seed,
        options=Options(**{name: getattr(options, name) for name in LIMITS}),
        log=log,
        record=record,
        stderr=stderr,
    )
    played: Played | None = None
    caught: int | None = None
    failure: LogWriteError | None = None

    async def run() -> None:
        nonlocal played, failure
        with trio.open_signal_receiver(*interrupts.caught) as signals:
            interrupts.check()
            async with trio.open_nursery() as nursery:

                async def listen() -> None:
                    nonlocal caught
                    async for number in signals:
                        caught = number
                        nursery.cancel_scope.cancel()

                nursery.start_soon(listen)
                if not options.quiet and sys.stderr.isatty():
                    nursery.start_soon(_show_progress, runner)
                try:
                    played = await runner.run()
                except LogWriteError as error:  # a nursery would wrap it
                    failure = error
                nursery.cancel_scope.cancel()

    gc.freeze()
    gc.enable()
    with interrupts.held():
        trio.run(run)
    if caught is not None:
        raise Interrupted(caught)
    if failure is not None:
        raise failure
    assert played is not None  # neither an error nor a signal
    return played


async def _show_progress(runner: Runner) -> None:
    """A line on the terminal that says where a long match stands."""
    import trio

    await trio.sleep(PROGRESS_AFTER_SECONDS)
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            standings = runner.match.standings()
            turns = sum(standing.turns for standing in standings)
            scores = ", ".join(
                f"{name} {standing.score}"
                for name, standing in zip(runner.match.names, standings, strict=True)
            )
            line = f"turn {turns}: {scores}"
            if runner.match.due:
                seconds = trio.current_time() - runner.asked_since
                line += f"; player{runner.match.due[0] + 1} is thinking"
                if seconds >= 1:
                    line += f" for {seconds:.0f} s"
            live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
            await trio.sleep(PROGRESS_EVERY_SECONDS)


def _print_result(options: argparse.Namespace, played: Played) -> None:
    if options.format == "json":
        import msgspec

        print(msgspec.json.encode(played.result).decode())
        return
    if options.quiet:
        return
    import shutil

    from referee.report import match_report

    file = sys.stderr if options.log == "-" else sys.stdout
    on_terminal = file.isatty()
    text = match_report(
        played,
        _again(options),
        width=shutil.get_terminal_size().columns if on_terminal else PLAIN_WIDTH,
        colour=on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
    )
    print(text, end="", file=file, flush=True)


def _again(options: argparse.Namespace) -> list[str]:
    """The command that plays the same match again."""
    words = ["referee", "play", *options.bots, "--seed", str(options.seed)]
    for name, default in LIMITS.items():
        value = getattr(options, name)
        if value != default:
            words += [
                "--" + name.replace("_", "-"),
                f"{value:g}" if isinstance(value, float) else str(value),
            ]
    return words
