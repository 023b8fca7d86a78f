"""Runs one match: passes lines to the bots and the logs, and builds the result.

Nothing here waits or reads a clock, so the same code works with and without an event loop. It's
driven by `runner.py` (under trio) and by `objects.py` (a plain loop for Python objects).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.in_process import InProcessBot
from referee.bots.process_report import ProcessReport, TimeoutObservation
from referee.bots.processes.confinement import limits_by
from referee.bots.wrapper import BotWrapper, process_of
from referee.errors import GameError
from referee.explaining import attempt
from referee.games.interface.faults import Fault
from referee.logs.record import Place, RecordedStderr, RecordWriter
from referee.logs.sink import Sink
from referee.logs.stderr_excerpt import ENDS
from referee.match.evidence import Evidence
from referee.match.limits import LimitsBy
from referee.match.machine import Disqualified, Entry, Match, Received, Sent
from referee.match.result import (
    Diagnosis,
    DisqualificationReport,
    MatchResult,
    ReplySeconds,
    player_results,
)
from referee.match.spec import MatchSpec

# We keep at most this many bytes of replies with a result.
MAX_ANSWERS = 16 * 2**20
# Lines are hashed in batches of this size, which is faster.
_MOST_UNHASHED = 200


class RecordedReply(NamedTuple):
    """A seat's reply, or the reason why it didn't reply.

    Attributes:
        seconds: when the reply arrived, in seconds after the bots were started.
    """

    seat: int
    answer: Answer
    seconds: float


class Played(Struct, frozen=True):
    """A match that was played to its end.

    Attributes:
        disqualified: for each disqualified seat, the reason and the request that it didn't answer.
        digest: digest of the record, or "" if it wasn't computed.
        reply_seconds: for each seat, how long each of its replies took. Handshakes aren't included.
        answers: all replies in order, so that we can play the match again. This is empty without
            `diagnose`, or if the replies have more than `MAX_ANSWERS` bytes.
        reached: for each seat, the names of the `Limits` that we know its bot has reached.
        silences: for each seat whose process missed its deadline, our observations.
        messages: a number below 2**53 that's equal for matches with the same lines, or 0 if it
            wasn't computed. It consists of the first 53 bits of the SHA-256 hash of all lines that
            were sent and received, in the order of the record.
    """

    result: MatchResult
    disqualified: dict[int, Disqualified]
    digest: str
    reply_seconds: list[list[float]]
    answers: list[RecordedReply] = []
    reached: Sequence[Sequence[str]] = ()
    messages: int = 0
    silences: Mapping[int, TimeoutObservation] = {}


class Course:
    """A match that's being played, together with its bots and its logs.

    A driver passes each reply to `give`, which returns what follows from it: the new entries, and
    whether there's a request among them. The driver then sends the `pending` lines to the bots, and
    passes the entries to `write`.

    Args:
        bots: in seat order.
        log, record: where to write the spectator log and the match record, or None.
        stderr: for each seat, the stderr to include in the record. If this is empty, the record
            doesn't include any stderr.
        diagnose: if True, look for hints for the authors of the bots, and include the notes of the
            game.
        digest: if True, compute the digest even if no record is written.
        messages: if True, compute `Played.messages`.
        match: the match to play. By default, we create it from the spec.
        place: see `RecordWriter`.

    Attributes:
        spec: the description of the match.
        bots: the bots, in seat order.
        files: the logs that are written to.
        listeners: functions that are called with the match and its new entries.
        pending: for each seat, the lines that its bot hasn't received yet.
        reply_seconds: see `Played`.
        processes: maps each seat to its process, without wrappers. Seats with other kinds of bots
            are missing.
    """

    def __init__(
        self,
        spec: MatchSpec,
        bots: Sequence[Bot],
        log: Sink | None = None,
        record: Sink | None = None,
        *,
        stderr: Sequence[RecordedStderr] = (),
        diagnose: bool = False,
        digest: bool = False,
        messages: bool = False,
        match: Match | None = None,
        place: Place | None = None,
    ) -> None:
        self.spec = spec
        self.bots = bots
        self.match = match or spec.new_match()
        self.listeners: list[Callable[[Match, list[Entry]], object]] = []
        self.pending: list[list[bytes]] = [[] for _ in bots]
        self.reply_seconds: list[list[float]] = [[] for _ in bots]
        found = {seat: process_of(bot) for seat, bot in enumerate(bots)}
        self.processes = {seat: bot for seat, bot in found.items() if bot is not None}
        self.files = [file for file in (log, record) if file is not None]
        self._place = place
        self._log = log
        self._record_file = record
        self._is_recorded = digest or record is not None
        self._record: RecordWriter | None = None
        self._stderr = stderr
        self._listening = self.pending.copy()  # without the seats that were disqualified
        self._evidence = [Evidence() for _ in bots] if diagnose else []
        self._answers: list[RecordedReply] = []
        self._room = MAX_ANSWERS
        self._lines: list[bytes] = []  # those that aren't in `_messages` yet
        self._messages = hashlib.sha256() if messages else None
        for seat, bot in enumerate(bots):
            if isinstance(bot, InProcessBot | BotWrapper):
                bot.attach_view(partial(self.match.view, seat))
                bot.attach_limits(spec.each_limits[seat])

    @property
    def is_written(self) -> bool:
        """True if there's a log, a record or a listener, so that `write` has to be called."""
        return self._log is not None or self._is_recorded or bool(self.listeners)

    def begin(self) -> tuple[list[Entry], bool]:
        """Start the record and the match. Returns the same as `give`."""
        if self._is_recorded:
            limits: LimitsBy = "none"
            if self.processes:
                limits = limits_by(self.spec.limits, self.spec.sandbox)
            started = datetime.now(UTC).isoformat(timespec="milliseconds")  # noqa: TID251 (nobody waits for it)
            self._record = RecordWriter(
                self._record_file, self.spec, started, self._stderr, limits, self._place
            )
        self.match.start()
        return self._take()

    def give(
        self, seat: int, answer: Answer, seconds: float, took: float | None
    ) -> tuple[list[Entry], bool]:
        """Pass a seat's reply to the match.

        Args:
            seconds: the time since the start of the bots.
            took: how long the reply took in seconds, or None in the handshake.

        Returns:
            The new entries, and whether there's a request among them.
        """
        match = self.match
        if took is not None:
            self.reply_seconds[seat].append(took)
        if self._evidence:
            self._keep(RecordedReply(seat, answer, seconds))
            self._evidence[seat].turn = match.turns
            if isinstance(answer, bytes):
                self._evidence[seat].note_line(answer, self._spoken(seat)[1])
        try:
            if isinstance(answer, Failure):
                match.disqualify(seat, answer.code, answer.detail)
            else:
                match.receive(seat, answer)
        except GameError:
            # The game failed while it processed this reply. The reply must be in the record,
            # because otherwise `verify` couldn't show the mistake.
            self.write(match.take_entries(), seconds)
            raise
        if seat in match.disqualified:
            self._listening = [
                lines for seat, lines in enumerate(self.pending) if seat not in match.disqualified
            ]
        return self._take()

    def _take(self) -> tuple[list[Entry], bool]:
        """Take the new entries from the match, and add their lines to `pending`."""
        entries = self.match.take_entries()
        is_request = False
        listening = self._listening
        if self._messages is not None:
            self._lines += [
                each.line for each in entries if type(each) is Sent or type(each) is Received
            ]
            if len(self._lines) > _MOST_UNHASHED:
                self._messages.update(b"".join(self._lines))
                self._lines.clear()
        for entry in entries:
            if type(entry) is Sent:
                if entry.to is None:
                    for lines in listening:
                        lines.append(entry.line)
                else:
                    is_request = True
                    self.pending[entry.to].append(entry.line)
        if self._evidence:
            for entry in entries:
                if type(entry) is Sent and entry.to is not None:
                    self._evidence[entry.to].to_answer = entry.line
                elif type(entry) is Fault:
                    count = len(self.reply_seconds[entry.seat])
                    self._evidence[entry.seat].note_fault(entry, count)
        return entries, is_request

    def write(self, entries: list[Entry], seconds: float) -> None:
        """Write new entries to the logs, and call the listeners.

        `seconds` is the time since the start of the bots.
        """
        if self._log is not None:
            public = [e.line for e in entries if type(e) is Sent and e.to is None]
            if public:
                self._log.write(b"".join(public))
        if self._record is not None:
            self._record.write(entries, seconds)
        for listen in self.listeners:
            listen(self.match, entries)

    def log_behind(self) -> Sink | None:
        """Return a log whose reader is too slow to accept all lines, or None."""
        return next((file for file in self.files if file.behind), None)

    def end(self, seconds: float, kept: Container[int] = ()) -> Played:
        """Complete the record and return the result. Call this after the bots have ended.

        Args:
            seconds: seconds since the start of the bots.
            kept: seats whose bots were meant to stay alive for another match. We record no exit
                code for them even if they've exited, because it depends on chance whether a bot
                exits just before or just after the end of this match.
        """
        exit_codes = [None if seat in kept else bot.exit_code for seat, bot in enumerate(self.bots)]
        digest = ""
        if self._record is not None:
            digest = self._record.end(self.match, exit_codes, seconds)
        messages = 0
        if self._messages is not None:
            self._messages.update(b"".join(self._lines))
            messages = int.from_bytes(self._messages.digest()[:8], "big") >> 11
        words = [bot.process_report(ENDS) for bot in self.bots]
        return Played(
            self._result(exit_codes, seconds, self._diagnoses(words)),
            dict(self.match.disqualified),
            digest,
            self.reply_seconds,
            self._answers,
            [() if each is None else each.reached for each in words],
            messages,
            {seat: each.silence for seat, each in enumerate(words) if each and each.silence},
        )

    def _spoken(self, seat: int) -> tuple[bytes, bytes]:
        """Return the last line that we sent to a bot and its last reply, both in the bot's dialect.

        Both are empty if the bot doesn't use a dialect.
        """
        bot = self.bots[seat]
        return (isinstance(bot, BotWrapper) and bot.spoken) or (b"", b"")

    def _keep(self, given: RecordedReply) -> None:
        self._room -= len(given.answer) if isinstance(given.answer, bytes) else 0
        if self._room >= 0:
            self._answers.append(given)
        else:
            self._answers.clear()

    # --- result -----------------------------------------------------------------------------------

    def _result(
        self, exit_codes: list[int | None], seconds: float, diagnoses: Sequence[Diagnosis]
    ) -> MatchResult:
        match = self.match
        assert match.outcome is not None
        reply_seconds = [
            ReplySeconds(round(sum(seconds), 6), round(max(seconds, default=0.0), 6))
            for seconds in self.reply_seconds
        ]
        definition = self.spec.definition
        players = player_results(
            definition, match, self.spec.bots, reply_seconds, exit_codes, diagnoses
        )
        return MatchResult(
            game=definition.name,
            protocol=definition.protocol,
            seed=self.spec.luck,
            reason=match.outcome.reason,
            turns=match.turns,
            winners=[players[seat].player_number for seat in match.outcome.winners],
            duration_seconds=round(seconds, 6),
            players=players,
            sandbox=self.spec.sandbox.kind,
        )

    def _diagnoses(self, words: Sequence[ProcessReport | None]) -> list[Diagnosis]:
        if not self._evidence:
            return [Diagnosis(stderr=None if each is None else each.stderr) for each in words]
        notes = attempt(self._notes, lambda bug: [[bug] for _ in words])
        return [
            attempt(
                partial(self._diagnosis, seat, each, notes[seat]),
                partial(self._unexplained, seat, each),
            )
            for seat, each in enumerate(words)
        ]

    def _notes(self) -> list[list[str]]:
        return [
            [getattr(bot, "reword", str)(note) for note in of_seat]
            for bot, of_seat in zip(self.bots, self.match.notes(), strict=True)
        ]

    def _unexplained(self, seat: int, words: ProcessReport | None, bug: str) -> Diagnosis:
        """Return what is known of a seat without the diagnosis, which has failed."""
        evidence, left = self._evidence[seat], self.match.disqualified.get(seat)
        requests = len(self.reply_seconds[seat])
        departure = None
        if left is not None:
            asked = left.asked.decode().rstrip("\n")
            departure = DisqualificationReport(left.detail, "", evidence.turn, requests, asked)
        return Diagnosis(
            departure,
            [seen.reported(seen.fault.detail) for seen in evidence.faults.values()],
            [bug],
            None if words is None else words.stderr,
        )

    def _diagnosis(self, seat: int, words: ProcessReport | None, notes: list[str]) -> Diagnosis:
        definition, match, evidence = self.spec.definition, self.match, self._evidence[seat]
        left, exit_code = match.disqualified.get(seat), self.bots[seat].exit_code
        unasked = words is not None and words.unasked
        if not (left or exit_code or unasked) and evidence.is_plain(definition.replies):
            return Diagnosis(notes=notes, stderr=None if words is None else words.stderr)
        # Importing this takes longer than most matches.
        from referee.diagnosis.author import diagnosis

        return diagnosis(
            definition,
            evidence,
            words,
            sent=self._spoken(seat)[0],
            bot=self.spec.bots[seat],
            left=left,
            requests=len(self.reply_seconds[seat]),
            exit_code=exit_code,
            count=sum(match.faults[seat].values()),
            notes=notes,
        )
