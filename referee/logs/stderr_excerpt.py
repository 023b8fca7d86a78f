"""Shortens a bot's stderr for its author, but keeps both ends and the bot's own stack frames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from referee.match.result import Stderr
from referee.text.terminal import cut, plain

Numbered: TypeAlias = tuple[int, str]
"""The number of a line, counted from 0, and its text."""

# Matches the first line of a stack frame: in Python, in node, Java and Rust ("at"), in Ruby
# ("from"), and the numbered functions in a Rust backtrace.
_FRAME = re.compile(r'[\s|]+(?:File "[^"]+", line \d|at \S|from \S+:\d+:in |\d+: \S)')
# Matches stack frames that are in a library, and not in the author's own files.
_LIBRARY = re.compile(
    r"/lib\d*/python3|/(?:site|dist)-packages/|<frozen |/kit\.py\"|"
    r"\bnode:|/node_modules/|\bat (?:java|javax|jdk|sun|com\.sun)\.|/lib/ruby/|"
    r"/rustc/|\d+: <?(?:std|core|alloc|rust_begin_unwind|__rust|_start|__libc)"
)
ENDS = 8
"""Lines to show from each end of a long text."""
# Lines are cut after this many columns.
_MOST_COLUMNS = 400
# A shortened text has at most `ends` times this many lines.
_MOST_ENDS = 4


def plain_lines(text: str) -> list[str]:
    """Split a text into lines, make control characters visible, and cut very long lines."""
    lines = text.replace("\r\n", "\n").split("\n")
    shown = [cut(plain(line.expandtabs()), _MOST_COLUMNS) for line in lines]
    if shown and not shown[-1]:
        shown.pop()
    return shown


def shortened(lines: Sequence[Numbered], ends: int = ENDS) -> Stderr:
    """Return the lines to show. Each gap becomes a line such as "... 3 lines left out".

    We first drop stack frames that are repeated or in libraries, because they don't help the
    author. (If all frames are in libraries, we keep them.) From the rest, we show the first and
    last `ends` lines, and the frames with the lines around them.
    """
    if not lines or lines[-1][0] < 2 * ends:
        return _marked(lines, lines)
    kept: list[Numbered] = []
    vital: set[int] = set()  # indices into `kept`
    blocks = list(_blocks(lines))
    own = [block for block in blocks if _is_frame(block) and not _LIBRARY.search(block[0][1])]
    seen: set[tuple[str, ...]] = set()
    for block in blocks:
        if _is_frame(block):
            text = tuple(text for _, text in block)
            if text in seen or (own and _LIBRARY.search(text[0])):
                continue
            seen.add(text)
            vital.update(range(len(kept) - 1, len(kept) + len(block) + 1))
        kept += block
    last = len(kept) - ends
    shown = [
        line for place, line in enumerate(kept) if place < ends or place >= last or place in vital
    ]
    if len(shown) > _MOST_ENDS * ends:
        shown = shown[:ends] + shown[-(_MOST_ENDS - 1) * ends :]
    return _marked(shown, lines)


def _blocks(lines: Sequence[Numbered]) -> Iterator[list[Numbered]]:
    # A stack frame forms a block with the lines that are indented below it. Any other line is a
    # block of its own.
    block: list[Numbered] = []
    for line in lines:
        if block and not (_is_frame(block) and _indent(line[1]) > _indent(block[0][1])):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _is_frame(block: Sequence[Numbered]) -> bool:
    return _FRAME.match(block[0][1]) is not None


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" |"))


def _marked(shown: Sequence[Numbered], known: Sequence[Numbered]) -> Stderr:
    lines: list[str] = []
    total = omitted = 0
    for number, text in [*shown, (known[-1][0] + 1 if known else 0, "")]:
        if missing := number - total:
            omitted += missing
            lines.append(f"... {missing} line{'s' * (missing != 1)} left out")
        lines.append(text)
        total = number + 1
    return Stderr(lines[:-1], omitted)
