"""Plays a match between Python objects in a plain loop, without an event loop."""

from __future__ import annotations

import select
import time
from collections.abc import Sequence

from referee.bots.in_process import InProcessBot
from referee.course import Course, Played
from referee.errors import raising_ours
from referee.logs.record import Place
from referee.logs.sink import Sink
from referee.match.machine import Match
from referee.match.spec import MatchSpec


def play_objects(
    spec: MatchSpec,
    bots: Sequence[InProcessBot],
    log: Sink | None = None,
    record: Sink | None = None,
    *,
    diagnose: bool = False,
    digest: bool = False,
    match: Match | None = None,
    place: Place | None = None,
) -> Played:
    """Play a match between Python objects, which get their requests one after the other.

    An object replies right away when we call it, so we don't need an event loop.

    Args:
        log, record, diagnose, digest, match, place: see `Course`.

    Raises:
        BotError: one of the objects raised an exception. You find it in the `__cause__`.
        LogWriteError, ShortageError, InternalError: as for `Runner.run`.
    """
    clock, began = time.monotonic, time.monotonic()
    course = Course(
        spec, bots, log, record, diagnose=diagnose, digest=digest, match=match, place=place
    )
    match, pending, reply_seconds = course.match, course.pending, course.reply_seconds
    with raising_ours():
        course.begin()
        _write(course, began)
        while match.due:
            for seat in match.due:
                bot, asked = bots[seat], clock()
                answer = bot.answer(_take_lines(pending[seat]))
                now = clock()
                if not match.in_handshake:
                    reply_seconds[seat].append(now - asked)
                course.give(seat, answer, now - began)
            _write(course, began)
        for bot, lines in zip(bots, pending, strict=True):
            bot.hear_the_rest(_take_lines(lines))
        played = course.end(clock() - began)
        _await_readers(course)
    return played


def _take_lines(pending: list[bytes]) -> list[bytes]:
    lines = [line[:-1] for line in pending]
    pending.clear()
    return lines


def _write(course: Course, began: float) -> None:
    entries, _ = course.take()
    if course.is_written:
        course.write(entries, time.monotonic() - began)
        _await_readers(course)


def _await_readers(course: Course) -> None:
    while file := course.log_behind():
        select.select([], [file.fd], [])
        file.push()
