"""`referee replay`: print a match turn by turn."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from referee.cli.console import OK, code_of, fail, has_colour, json_line, printing, say, width
from referee.cli.files import check_files
from referee.cli.options import Options, argument, flag, option
from referee.cli.running import collect_garbage
from referee.cli.settings import game_of_files_option
from referee.cli.values import Count, GameName, PlayerNumber
from referee.errors import LogReadError, UsageError
from referee.interrupts import Interrupts
from referee.logs.source import LogReader
from referee.text.terminal import escaped, plain, terminal_safe

if TYPE_CHECKING:
    from referee.games.interface.capabilities import Summary
    from referee.games.interface.turns import TurnReader
    from referee.logs.replay.reader import Item, Replay
    from referee.logs.replay.terminal import Painter

# With --follow, we look for new lines this often.
FOLLOW_SECONDS = 0.1


class ReplayOptions(Options):
    """Show a match turn by turn. A match record also shows faults and, for bundled games, hands. A
    spectator log shows the public messages.
    """

    epilog = "On a terminal the text goes through a pager ($PAGER, or less)."
    exit_codes = (
        (0, "shown"),
        (1, "a file is not a log"),
    )
    examples = (
        ("referee replay game.jsonl --turn 18", "one turn"),
        ("referee replay game.jsonl --summary", "the whole match as a table"),
        (
            "referee replay game.record.jsonl --print-input player2 | ./my_bot.py",
            "send the recorded input to your bot, without a clock",
        ),
    )

    files: tuple[str, ...] = argument(
        "FILE",
        'a match record or a spectator log, plain, .gz or .zst; "-" is stdin',
        at_least_one=True,
    )
    game: tuple[GameName, ...] = game_of_files_option()
    turn: Count | None = option("N", None, "only this turn (turns of all players count)")
    first: Count | None = option("N", None, "start at this turn", flags="--from")
    last: Count | None = option("N", None, "end after this turn", flags="--to")
    player: PlayerNumber | None = option("N", None, "only turns of this player: 1, or player1")
    print_input: PlayerNumber | None = option("N", None, "print the lines sent to this player")
    summary: bool = flag("show the turns as one table")
    follow: bool = flag("continue while the log is being written")
    format: Literal["text", "json"] = option(None, "text", "text; json: one object per turn")


class Turns(NamedTuple):
    """The turns that the user wants to see.

    Attributes:
        first, last: the range of turns. None means no limit.
        player: only show turns of this player, counted from 1, or of all players if this is None.
    """

    first: int | None
    last: int | None
    player: int | None

    def has(self, turn: Any, reader: TurnReader[Any]) -> bool:
        """Return True if a turn is selected. A turn without a seat belongs to all players."""
        seats = reader.seats(turn)
        return (
            (self.first is None or turn.turn >= self.first)
            and (self.last is None or turn.turn <= self.last)
            and (self.player is None or not seats or self.player - 1 in seats)
        )

    def none_of(self, turns: int) -> str:
        """Explain why no turn is shown. `turns` is the number of turns in the match."""
        first, last = self.first or 1, self.last or turns
        asked = f"--turn {first}" if first == self.last else f"--from {first} --to {last}"
        if first > turns:
            asked = asked if first == self.last else f"--from {first}"
            return f"{asked}: the match has {turns} turn{'s' * (turns != 1)}"
        return f"{asked} --player {self.player}: that player has no turn there"


def run(options: ReplayOptions, interrupts: Interrupts) -> int:
    if options.turn is not None and (options.first is not None or options.last is not None):
        raise UsageError("--turn is one turn; --from and --to are a range: give one of them")
    turns = Turns(options.turn or options.first, options.turn or options.last, options.player)
    if turns.first and turns.last and turns.first > turns.last:
        raise UsageError(f"--from {turns.first} --to {turns.last}: --to is before --from")
    if options.follow and len(options.files) > 1:
        raise UsageError("--follow takes one FILE")
    if options.summary and options.format == "json":
        raise UsageError("--summary is a table; --format json already contains its data")
    check_files(options.files)
    if options.print_input is not None:
        return _input_of(options, options.print_input, interrupts)
    import referee.logs.replay.reader  # noqa: F401 (no import is to be interrupted)

    problems: list[LogReadError] = []
    lines = _lines(options, turns, problems)
    with interrupts.raising(), printing():
        paged = sys.stdout.isatty() and not options.follow and options.format == "text"
        if not (paged and _page(lines)):
            for line in lines:
                print(line, flush=options.follow)
    return max([OK, *(fail(code_of(problem), str(problem)) for problem in problems)])


def _input_of(options: ReplayOptions, player: int, interrupts: Interrupts) -> int:
    from referee.games.interface.seats import seat_id
    from referee.logs.conversation import input_of

    chosen = (options.turn, options.first, options.last, options.player)
    if (
        any(chosen)
        or options.summary
        or options.follow
        or options.format != "text"
        or len(options.files) > 1
    ):
        raise UsageError("--print-input takes one FILE, a match record, and no other option")
    try:
        with interrupts.raising(), printing():
            for line in input_of(options.files[0], seat_id(player - 1)):
                sys.stdout.buffer.write(terminal_safe(line) if sys.stdout.isatty() else line)
    except LogReadError as error:
        return fail(code_of(error), str(error))
    return OK


def _lines(options: ReplayOptions, turns: Turns, problems: list[LogReadError]) -> Iterator[str]:
    from referee.logs.replay.reader import Replay
    from referee.logs.replay.terminal import Painter

    collect_garbage()
    painter = Painter(width(sys.stdout), colour=has_colour(sys.stdout))
    for place, name in enumerate(options.files):
        if len(options.files) > 1 and options.format == "text":
            yield from ([""] if place else [])
            yield f"== {escaped(name)}"
        try:
            with LogReader(name, at_end=_wait if options.follow else None) as log:
                replay = Replay(log)
                items = _items(replay, turns, follow=options.follow)
                if options.format == "json":
                    yield from _json(items)
                else:
                    yield from _text(items, replay, painter, summary=options.summary)
        except LogReadError as error:
            problems.append(error)


def _wait() -> bool:
    time.sleep(FOLLOW_SECONDS)
    return True


def _items(replay: Replay, chosen: Turns, *, follow: bool) -> Iterator[Item]:
    from referee.logs.replay.reader import CutShort, Start, TurnOver
    from referee.match.messages import GameEnd

    turns = 0
    shown = chosen.first is None and chosen.last is None
    before: list[Item] = []  # items before the first turn that we show, e.g. the names
    for item in replay.items():
        if isinstance(item, Start) and (chosen.player or 1) > len(item.names):
            players = f"the match has {len(item.names)} players"
            raise UsageError(f"--player {chosen.player}: {players}")
        if isinstance(item, TurnOver):
            turns = item.turn.turn
            if not chosen.has(item.turn, replay.turn_reader):
                continue
            shown = True
        if isinstance(item, GameEnd | CutShort) and not shown:
            raise UsageError(chosen.none_of(turns))
        before.append(item)
        if shown:
            yield from before
            before.clear()
        if follow and isinstance(item, GameEnd):
            return


def _text(
    items: Iterable[Item], replay: Replay, painter: Painter, *, summary: bool
) -> Iterator[str]:
    from referee.logs.replay.reader import Start, TurnOver
    from referee.match.messages import GameEnd

    start: Start | None = None  # the first item sets this
    turns: list[Any] = []
    after: list[str] = []  # lines below the table
    for item in items:
        if isinstance(item, Start):
            start = item
            lines = painter.start(item)
        elif isinstance(item, TurnOver):
            lines = painter.turn(item.turn, replay.turn_reader)
        elif isinstance(item, GameEnd):
            assert start is not None
            lines = painter.end(item, start)
        else:
            lines = painter.note(item)
        if not summary:
            yield from lines
        elif isinstance(item, TurnOver):
            turns.append(item.turn)
        elif not isinstance(item, Start):
            after += lines
    if summary and start:
        yield from _table(replay.turn_reader.summary(turns))
    yield from after


def _json(items: Iterable[Item]) -> Iterator[str]:
    from referee.logs.replay.reader import CutShort, TurnOver

    for item in items:
        if isinstance(item, TurnOver):
            yield json_line(item.turn)
        elif isinstance(item, CutShort):
            say(f"the log was cut short after line {item.line}: {item.why}")


def _table(summary: Summary) -> Iterator[str]:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.ASCII2, title=None)
    first, *others = (Text(plain(heading)) for heading in summary.columns)
    table.add_column(first, justify="right")
    for heading in others:
        table.add_column(heading, overflow="fold")
    for row in summary.rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    table.add_section()
    for row in summary.totals:
        table.add_row(*(Text(plain(cell)) for cell in row))
    text = io.StringIO()
    Console(file=text, width=width(sys.stdout), color_system=None).print(table)
    yield from (line.rstrip() for line in text.getvalue().splitlines())


def _page(lines: Iterable[str]) -> bool:
    # These options make less show colours, and quit if the text fits on one screen. The user's own
    # setting wins.
    environment = {"LESS": "FRX", **os.environ}
    try:
        command = shlex.split(os.environ.get("PAGER") or "less")
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, text=True)
    except (OSError, ValueError, IndexError):
        return False
    assert pager.stdin is not None  # it's set, because we asked for a pipe
    try:
        with pager.stdin as text:
            for line in lines:
                text.write(line + "\n")
    except BrokenPipeError:  # the user has quit the pager
        pass
    finally:
        pager.wait()
    return True
