"""Lets people play at this terminal. Works with every game that describes its questions.

We read from the terminal under trio and not in a thread, because Ctrl-C couldn't end a match as
usual while a thread waits for input. While a person thinks, the event loop also serves the pipes of
the other bots.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import chain
from typing import TextIO

import trio

from referee.bots.command import HUMAN, PythonBot
from referee.bots.person import PersonBot, person_rules
from referee.cli.console import has_colour, width
from referee.cli.human_answer import Refusal, numbered, read_answer
from referee.errors import UsageError
from referee.games.interface.capabilities import Phrase
from referee.games.interface.dialogue import Picks, Question
from referee.games.interface.seats import seat_id
from referee.text.terminal import cells, escaped, paint, plain, wrap_list

# Longer lines are hard to read, even if the terminal is wide.
_MAX_WIDTH = 100
_MIN_WIDTH = 40
_GAP = "  "
# We wrap the text in a table's last column, which has at least this width.
_LEAST_LAST = 8
# If there are more choices, we show only this many of them. People can still type the others.
_MOST_CHOICES = 60
# If a table has more rows than the screen, we show only this many of its columns, and put several
# entries next to each other.
_SHORT_COLUMNS = 2
_LEAVE = "Ctrl-D leaves the match and the others play on, Ctrl-C gives it up."
_ANSWERING = (
    "Type a number and Enter, or a name or its beginning; several with a space between them. "
    "A letter chooses or shows the text beside it."
)


def seated(game: str, people: int, *, log_to_stdout: bool) -> PythonBot:
    """Prepare the terminal for people, and return the source of their bots.

    Args:
        game: a key of `GAMES`.
        people: number of people who play here.
        log_to_stdout: True if a log is written to stdout.

    Raises:
        UsageError: we don't have a terminal, or people can't play this game.
    """
    definition = person_rules(game)
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"BOT {HUMAN}: a person needs a terminal, and standard input is not one")
    # If the log goes to stdout, nothing else may be written there.
    streams = (sys.stderr,) if log_to_stdout else (sys.stdout, sys.stderr)
    out = next((stream for stream in streams if stream.isatty()), None)
    if out is None:
        raise UsageError(
            f"BOT {HUMAN}: a person needs a terminal to read from, and stdout is not one"
        )
    terminal = Terminal(people, out)
    return PythonBot(HUMAN, lambda: PersonBot(definition, terminal))


class Terminal:
    """A `HumanTerminal` for one person, or for several people who take turns at the screen."""

    def __init__(self, people: int, out: TextIO) -> None:
        self._people = people
        self._out = out
        self._fd = sys.stdin.fileno()
        self._typed = b""
        self._lock = trio.Lock()
        self._pending_lines: dict[
            int, list[str]
        ] = {}  # with several people, this maps each seat to the lines to show when its turn begins
        self._seat: int | None = None  # the seat of the last question
        self._rows_shown = 0  # rows printed since the last input

    def tell(self, seat: int, lines: Sequence[str]) -> None:
        # With several people, somebody else may be looking at the screen now.
        if self._people > 1:
            self._pending_lines.setdefault(seat, []).extend(lines)
        else:
            self._print_lines(lines)

    @asynccontextmanager
    async def turn_of(self, seat: int) -> AsyncIterator[None]:
        """Give the screen to the person in a seat while the block runs.

        If somebody else was there before, the two change places first.
        """
        async with self._lock:
            if self._people > 1 and self._seat != seat:
                await self._change_seats(seat)
            self._seat = seat
            self._print_lines(self._pending_lines.pop(seat, []))
            yield

    async def _change_seats(self, seat: int) -> None:
        if self._seat is not None:
            self._clear()
        self._write(self._paint(f"{seat_id(seat)}, it is your turn.", "bold") + "\n")
        self._write("Press Enter when no one else can see the screen. ")
        await self._line()  # we only wait for Enter

    async def ask(self, question: Question) -> Picks | None:
        views = {view.key: view for view in question.views}
        lines = self._question(question, [*self._heading(question), ""])
        while True:
            self._write("\n".join([*lines, "> "]))
            line = await self._line()
            self._rows_shown = 0
            if line is None:
                self._write("\nPress Ctrl-D again to leave the match, or Enter to continue. ")
                if await self._line() is None:
                    return None
                lines = self._text(question)
                continue
            word = line.strip().lower()
            if word in ("?", "help"):
                sentences = map(plain, (*question.help, _ANSWERING, _LEAVE))
                lines_of_help = chain.from_iterable(map(self._wrap, sentences))
                lines = self._question(question, ["", *lines_of_help, ""])
            elif word in views:
                view = views[word]
                lines = ["", *self._styled(view.name.capitalize(), "bold")]
                lines += self._table(view.columns, view.rows)
                lines += ["", *self._text(question)]
            elif word in ("q", "quit", "exit"):
                lines = [_LEAVE]
            else:
                try:
                    return read_answer(question, line)
                except Refusal as refusal:
                    lines = self._wrap(escaped(str(refusal)))

    async def _line(self) -> str | None:
        """Return a line without its newline, or None after Ctrl-D or if the terminal was closed."""
        try:
            while b"\n" not in self._typed:
                await trio.lowlevel.wait_readable(self._fd)
                try:
                    data = os.read(self._fd, 4096)
                except OSError:  # somebody closed the terminal
                    data = b""
                if not data:
                    self._typed = b""
                    return None
                self._typed += data
        except trio.Cancelled:
            self._write("\n")  # move to a new line after the question
            raise
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode(errors="replace")

    def _print_lines(self, lines: Sequence[str]) -> None:
        for line in lines:
            wrapped = self._wrap(plain(line), 2)
            self._rows_shown += len(wrapped)
            self._write("\n".join(wrapped) + "\n")

    def _heading(self, question: Question) -> Iterator[str]:
        if question.title or question.state:
            yield ""
        if question.title:
            yield from self._styled(question.title, "bold")
        yield from self._phrases(question.state)

    def _text(self, question: Question) -> list[str]:
        return list(self._styled(question.text, "bold"))

    def _question(self, question: Question, before: Sequence[str]) -> list[str]:
        head, keys = [*before, *self._text(question)], self._below(question)
        choices = [(number, choice) for number, choice in numbered(question) if not choice.barred]
        if not question.columns:
            texts = [f"{number} {choice.name}" for number, choice in choices]
            texts += [choice.name for choice in question.choices if choice.is_typed]
            more = len(texts) - _MOST_CHOICES
            if more > 0:
                texts[_MOST_CHOICES:] = [f"... and {more:,} more: type a name"]
            return [*head, *self._joined(texts), *keys]
        # We also count choices that aren't allowed, so that a choice always has the same number.
        size = len(str(len(numbered(question))))
        rows = [[f"{number:{size}}", choice.name, *choice.cells] for number, choice in choices]
        table = self._table(("", *question.columns), rows)
        height = self._rows_shown + len(head) + len(table) + len(keys) + 1
        if len(question.columns) > _SHORT_COLUMNS and height > shutil.get_terminal_size().lines:
            name, second, *_ = question.columns
            texts = [" ".join(row[: _SHORT_COLUMNS + 1]) for row in rows]
            widest = max(map(cells, texts))
            texts = [text + " " * (widest - cells(text)) for text in texts]
            heads = self._paint(f"{_GAP}number, {name}, {second}", "dim")
            return [*head, heads, *self._joined(texts), *keys]
        return [*head, *table, *keys]

    def _below(self, question: Question) -> list[str]:
        keys = [("Enter", question.enter)] if question.enter else []
        own = [choice for choice in question.choices if choice.key and not choice.is_typed]
        keys += [(choice.key, choice.name) for choice in own]
        keys += [(view.key, view.name) for view in question.views]
        keys.append(("?", "help"))
        return [
            *self._phrases(question.remarks),
            *self._joined([f"{key}: {name}" for key, name in keys], "dim"),
        ]

    def _table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        table = [[*columns], *([plain(text) for text in row] for row in rows)]
        if not rows:
            return []
        turned = list(zip(*table, strict=True))
        sizes = [max(map(cells, column)) for column in turned]
        # Align columns of numbers to the right, so that it's easy to compare them.
        to_right = [all(map(str.isdecimal, column[1:])) for column in turned]
        before = sum(sizes[:-1]) + len(_GAP) * len(sizes)
        room = max(self._width - before, _LEAST_LAST)
        lines = []
        for row in table:
            parts = [
                text.rjust(size) if right else text + " " * (size - cells(text))
                for text, size, right in zip(row[:-1], sizes, to_right, strict=False)
            ]
            first, *rest = textwrap.wrap(row[-1], room) or [""]
            line = _GAP + _GAP.join([*parts, first])
            lines.append(self._paint(line, "dim") if row is table[0] else line)
            lines += [" " * before + text for text in rest]
        return lines

    def _joined(self, texts: Sequence[str], style: str = "") -> Iterator[str]:
        line = ""
        for text in map(plain, texts):
            if line and cells(line) + len(_GAP) + 1 + cells(text) > self._width:
                yield self._paint(line.rstrip(), style)
                line = ""
            line += (_GAP + " " if line else _GAP) + text
        if line:
            yield self._paint(line.rstrip(), style)

    def _phrases(self, phrases: Sequence[Phrase]) -> Iterator[str]:
        size = max((cells(phrase.label) for phrase in phrases), default=0)
        for phrase in phrases:
            room = max(self._width - size - 2 * len(_GAP), _LEAST_LAST)
            first, *rest = wrap_list(plain(phrase.text), room) or [""]
            label = plain(phrase.label)
            label += " " * (size - cells(label))
            yield f"{_GAP}{self._paint(label, 'dim')}{_GAP}{self._paint(first, phrase.style)}"
            for text in rest:
                yield " " * (size + 2 * len(_GAP)) + self._paint(text, phrase.style)

    @property
    def _width(self) -> int:
        return max(min(width(self._out), _MAX_WIDTH), _MIN_WIDTH)

    def _styled(self, text: str, style: str) -> Iterator[str]:
        return (self._paint(line, style) for line in self._wrap(plain(text)))

    def _wrap(self, text: str, indent: int = 0) -> list[str]:
        return textwrap.wrap(text, self._width, subsequent_indent=" " * indent)

    def _paint(self, text: str, style: str) -> str:
        return paint(text, style, colour=has_colour(self._out))

    def _clear(self) -> None:
        """Clear the screen and the scrollback, so that the next person can't read them."""
        # A dumb terminal doesn't understand escape sequences, but it can scroll.
        if os.environ.get("TERM", "dumb") == "dumb":
            self._write("\n" * shutil.get_terminal_size().lines)
        else:
            self._write("\x1b[H\x1b[2J\x1b[3J")

    def _write(self, text: str) -> None:
        with suppress(OSError):  # the terminal was closed, which the next read will detect
            self._out.write(text)
            self._out.flush()
