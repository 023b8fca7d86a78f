"""Plays a match between Python objects in a plain loop, without an event loop."""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from typing import cast

from referee.bots.in_process import InProcessBot
from referee.course import Course, Played
from referee.errors import raising_ours
from referee.match.machine import Entry


def play_objects(course: Course) -> Played:
    """Play a match between Python objects, which get their requests one after the other.

    An object replies right away when we call it, so we don't need an event loop.

    Args:
        course: the match. All of its bots are of the kind `InProcessBot`.

    Raises:
        BotError: one of the objects raised an exception. You find it in the `__cause__`.
        LogWriteError, ShortageError, InternalError: as for `Runner.run`.
    """
    clock, began = time.monotonic, time.monotonic()
    bots = cast("Sequence[InProcessBot]", course.bots)
    match, pending = course.match, course.pending
    with raising_ours():
        entries, _ = course.begin()
        _write(course, entries, began)
        while match.due:
            for seat in match.due:
                bot, asked = bots[seat], clock()
                answer = bot.answer(_take_lines(pending[seat]))
                now = clock()
                took = None if match.in_handshake else now - asked
                entries, _ = course.give(seat, answer, now - began, took)
                _write(course, entries, began)
        for bot, lines in zip(bots, pending, strict=True):
            bot.hear_the_rest(_take_lines(lines))
        played = course.end(clock() - began)
        _await_readers(course)
    return played


def _take_lines(pending: list[bytes]) -> list[bytes]:
    lines = [line[:-1] for line in pending]
    pending.clear()
    return lines


def _write(course: Course, entries: list[Entry], began: float) -> None:
    if course.is_written:
        course.write(entries, time.monotonic() - began)
        _await_readers(course)


def _await_readers(course: Course) -> None:
    while file := course.log_behind():
        select.select([], [file.fd], [])
        file.push()
