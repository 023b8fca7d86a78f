"""The course of one match: its lines on their way to bots and logs, evidence, and the result.

Nothing here waits or reads a clock. `runner.py` drives a match under trio, `objects.py` one of
Python objects, in a plain loop.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.in_process import InProcessBot
from referee.bots.process_report import ProcessReport
from referee.bots.processes.confinement import limits_by
from referee.bots.wrapper import BotWrapper, process_of
from referee.diagnosis.evidence import Evidence
from referee.games.interface.faults import Fault
from referee.logs.record import Place, RecordedStderr, RecordWriter
from referee.logs.sink import Sink
from referee.logs.stderr_excerpt import ENDS
from referee.match.limits import LimitsBy
from referee.match.machine import Disqualified, Entry, Match, Sent
from referee.match.result import Diagnosis, MatchResult, ReplySeconds, player_results
from referee.match.spec import MatchSpec

MAX_ANSWERS = 16 * 2**20
"""Bytes of answers that are kept beside a result."""


class RecordedReply(NamedTuple):
    """The answer of a seat, and the seconds from the start of the bots to the answer."""

    seat: int
    answer: Answer
    seconds: float


class Played(Struct, frozen=True):
    """A match that was played to its end.

    Attributes:
        result: the result.
        disqualified: the seats that left, each with the reason and its open request.
        digest: digest of the record; empty without one.
        reply_seconds: for each seat how long each of its replies took, its handshake not counted.
        answers: all answers in order, which make the whole match together with its spec; empty
            without a diagnosis, or if the answers take more than `MAX_ANSWERS`.
        reached: for each seat the limits at which the system refused its bot something in the
            match, by their names in `Limits`, as far as that is known.
    """

    result: MatchResult
    disqualified: dict[int, Disqualified]
    digest: str
    reply_seconds: list[list[float]]
    answers: list[RecordedReply] = []
    reached: Sequence[Sequence[str]] = ()


class Course:
    """A match with its logs, the evidence for the authors of its bots, and its result.

    Args:
        bots: in seat order.
        log, record: the spectator log and the match record, or None.
        stderr: for each seat the writer of its bot's stderr into the record; empty if none is
            recorded.
        diagnose: whether to look for more than the rules note, for the authors of the bots.
        digest: whether to compute the digest of the record, even without a record.
        match: the match; None to make it from the spec.
        place: as of `RecordWriter`.

    Attributes:
        listeners: called with the match, and all messages and notes since the last call.
        pending: for each seat the lines that its bot has not received yet.
        reply_seconds: for each seat how long each of its replies took, its handshake not counted.
        processes: the processes among the bots, without wrappers, by seat.
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
        match: Match | None = None,
        place: Place | None = None,
    ) -> None:
        self.match = match or spec.new_match()
        self.listeners: list[Callable[[Match, list[Entry]], object]] = []
        self.pending: list[list[bytes]] = [[] for _ in bots]
        self.reply_seconds: list[list[float]] = [[] for _ in bots]
        found = {seat: process_of(bot) for seat, bot in enumerate(bots)}
        self.processes = {seat: bot for seat, bot in found.items() if bot is not None}
        self._spec = spec
        self._place = place
        self._bots = bots
        self._log = log
        self._record_file = record
        self._files = [file for file in (log, record) if file is not None]
        self._is_recorded = digest or record is not None
        self._record: RecordWriter | None = None
        self._stderr = stderr
        self._listening = self.pending.copy()  # of the seats that are in the match
        self._evidence = [Evidence() for _ in bots] if diagnose else []
        self._answers: list[RecordedReply] = []
        self._room = MAX_ANSWERS
        self._reached: list[tuple[str, ...]] = []
        for seat, bot in enumerate(bots):
            if isinstance(bot, InProcessBot | BotWrapper):
                bot.attach_view(partial(self.match.view, seat))
                bot.attach_limits(spec.each_limits[seat])

    @property
    def is_written(self) -> bool:
        """Whether `write` has anything to do."""
        return self._log is not None or self._is_recorded or bool(self.listeners)

    def begin(self) -> None:
        """Begin the record and the match."""
        if self._is_recorded:
            limits: LimitsBy = "none"
            if self.processes:
                limits = limits_by(self._spec.limits, self._spec.sandbox)
            started = datetime.now(UTC).isoformat(timespec="milliseconds")  # noqa: TID251 (nobody waits for it)
            self._record = RecordWriter(
                self._record_file, self._spec, started, self._stderr, limits, self._place
            )
        self.match.start()

    def give(self, seat: int, answer: Answer, seconds: float) -> None:
        """Hand the match the answer of a seat, so many seconds after the start of the bots."""
        match = self.match
        if self._evidence:
            self._keep(RecordedReply(seat, answer, seconds))
            self._evidence[seat].turn = match.turns
            if isinstance(answer, bytes):
                self._evidence[seat].note_line(answer, self._spoken(seat)[1])
        if isinstance(answer, Failure):
            match.disqualify(seat, answer.code, answer.detail)
        else:
            match.receive(seat, answer)
        if seat in match.disqualified:
            self._listening = [
                lines for seat, lines in enumerate(self.pending) if seat not in match.disqualified
            ]

    def take(self) -> tuple[list[Entry], bool]:
        """Take the new entries of the match, and add the lines of each seat to `pending`.

        Returns:
            The entries, for `write`; and whether a request is among them.
        """
        entries = self.match.take_entries()
        is_request = False
        listening, disqualified = self._listening, self.match.disqualified
        for entry in entries:
            if type(entry) is Sent:
                if entry.to is None:
                    for lines in listening:
                        lines.append(entry.line)
                else:
                    is_request = True
                    if entry.to not in disqualified:
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
        """Write the logs, so many seconds after the start of the bots."""
        if self._log is not None:
            public = [e.line for e in entries if type(e) is Sent and e.to is None]
            if public:
                self._log.write(b"".join(public))
        if self._record is not None and entries:
            self._record.write(entries, seconds)
        for listen in self.listeners:
            listen(self.match, entries)

    def log_behind(self) -> Sink | None:
        """A log whose reader has to catch up."""
        for file in self._files:
            if file.behind:
                return file
        return None

    def end(self, seconds: float, kept: Container[int] = ()) -> Played:
        """Complete the record and return the result, once the bots have ended.

        Args:
            seconds: since the start of the bots.
            kept: the seats of the bots that were to be kept for another match. They have no exit
                code, even if they ended: when they did depends on nothing in the match.
        """
        exit_codes = [
            None if seat in kept else bot.exit_code for seat, bot in enumerate(self._bots)
        ]
        digest = ""
        if self._record is not None:
            digest = self._record.end(self.match, exit_codes, seconds)
        left = dict(self.match.disqualified)
        result = self._result(exit_codes, seconds)
        return Played(result, left, digest, self.reply_seconds, self._answers, self._reached)

    def _spoken(self, seat: int) -> tuple[bytes, bytes]:
        """The last lines to and from a bot in its dialect; empty if it speaks none."""
        bot = self._bots[seat]
        return (isinstance(bot, BotWrapper) and bot.spoken) or (b"", b"")

    def _keep(self, given: RecordedReply) -> None:
        """Keep a reply for the page of the match, unless the replies take too much memory."""
        self._room -= len(given.answer) if isinstance(given.answer, bytes) else 0
        if self._room >= 0:
            self._answers.append(given)
        else:
            self._answers.clear()

    # --- its result ---------------------------------------------------------------------------

    def _result(self, exit_codes: list[int | None], seconds: float) -> MatchResult:
        match = self.match
        assert match.outcome is not None  # it is over
        reply_seconds = [
            ReplySeconds(round(sum(seconds), 6), round(max(seconds, default=0.0), 6))
            for seconds in self.reply_seconds
        ]
        rules = self._spec.rules
        diagnoses = self._diagnoses()
        players = player_results(
            rules, match, self._spec.bots, reply_seconds, exit_codes, diagnoses
        )
        return MatchResult(
            game=rules.name,
            protocol=rules.protocol,
            seed=self._spec.luck,
            reason=match.outcome.reason,
            turns=match.turns,
            winners=[players[seat].player_number for seat in match.outcome.winners],
            duration_seconds=round(seconds, 6),
            players=players,
            sandbox=self._spec.sandbox.kind,
        )

    def _diagnoses(self) -> list[Diagnosis]:
        match = self.match
        words = [bot.process_report(ENDS) for bot in self._bots]
        self._reached = [() if each is None else each.reached for each in words]
        if not self._evidence:
            return [Diagnosis(stderr=None if each is None else each.stderr) for each in words]
        notes = [
            [getattr(bot, "reword", str)(note) for note in of_seat]
            for bot, of_seat in zip(self._bots, match.notes(), strict=True)
        ]
        return [self._diagnosis(seat, words[seat], notes[seat]) for seat in range(len(words))]

    def _diagnosis(self, seat: int, words: ProcessReport | None, notes: list[str]) -> Diagnosis:
        rules, match, evidence = self._spec.rules, self.match, self._evidence[seat]
        left, exit_code = match.disqualified.get(seat), self._bots[seat].exit_code
        unasked = words is not None and words.unasked
        if not (left or exit_code or unasked) and evidence.is_plain(rules.replies):
            return Diagnosis(notes=notes, stderr=None if words is None else words.stderr)
        from referee.diagnosis.author import diagnosis  # takes longer to load than most matches

        return diagnosis(
            rules,
            evidence,
            words,
            sent=self._spoken(seat)[0],
            bot=self._spec.bots[seat],
            left=left,
            requests=len(self.reply_seconds[seat]),
            exit_code=exit_code,
            count=sum(match.faults[seat].values()),
            notes=notes,
        )
