"""The course of one match: what runners with and without an event loop share.

A match goes in rounds. Each bot with a request gets all its new lines in one write. The logs are
written while the bots think. Then the replies are awaited in parallel. News for the other bots
waits for their next request, because waking a process costs more than the rest of a round. But if a
bot thinks for long, the others get their news within `NEWS_SECONDS`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from referee.bots.bot import Answer, Bot, Failure
from referee.bots.in_process import InProcessBot
from referee.bots.lending import PlainBot, awaited_of
from referee.bots.process_report import ProcessReport
from referee.bots.processes.confinement import limits_by
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.piped import PipedBot
from referee.bots.wrapper import BotWrapper
from referee.diagnosis.evidence import Evidence
from referee.games.interface.faults import Disqualification, Fault
from referee.logs.record import RecordedStderr, RecordWriter
from referee.logs.sink import Sink
from referee.match.limits import LimitsBy
from referee.match.machine import Disqualified, Entry, Match, Sent
from referee.match.result import Diagnosis, MatchResult, ReplySeconds, player_results
from referee.match.spec import MatchSpec

BotType = TypeVar("BotType", Bot, PlainBot)
STDERR_LINES = 8
"""Lines of a bot's stderr that are told from either end."""
_BANK = ""  # no clock of a game has this name
MAX_ANSWERS = 16 * 2**20
"""Bytes of answers that are kept beside a result."""
NEWS_SECONDS = 0.02
"""Seconds after which every bot has heard of a public event."""
FREEZE_SECONDS = 0.005
"""Seconds of thinking after which the bots that are not asked are frozen (sandbox.md, 12)."""


class RecordedReply(NamedTuple):
    """An answer, of which seat, and how many seconds after the start of the bots it came."""

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
        answers: all that the match was given, in order, which with its spec is the whole match;
            empty if the match was not to be diagnosed, or if they are more than `MAX_ANSWERS`.
        reached: for each seat the limits at which the system refused its bot something in the
            match, by their names in `Limits`, as far as that is known.
    """

    result: MatchResult
    disqualified: dict[int, Disqualified]
    digest: str
    reply_seconds: list[list[float]]
    answers: list[RecordedReply] = []
    reached: Sequence[Sequence[str]] = ()


class Course(Generic[BotType]):
    """A match that is played with bots that are borrowed, with or without an event loop.

    Args:
        bots: in seat order.
        log, record: the spectator log and the match record, or None.
        stderr: for each seat what hands its bot's stderr to the record; empty if none does.
        diagnose: whether to look for more than the rules note, for the authors of the bots.
        digest: whether to compute the digest of the record, even without a record.
        match: the match, if it differs from the one that the spec makes.

    Attributes:
        listeners: called with the match, and all messages and notes since the last call.
        asked_since: since when the seats that are due are thinking, on the runner's clock.
        idle: gives the processes that wait for another match meanwhile, which are frozen as well.
    """

    idle: Callable[[], Iterable[LaunchedBot]] = staticmethod(tuple)
    _clock: Callable[[], float]
    """Seconds, from any zero."""
    _limits_by: LimitsBy = "none"

    def __init__(
        self,
        spec: MatchSpec,
        bots: Sequence[BotType],
        log: Sink | None = None,
        record: Sink | None = None,
        *,
        stderr: Sequence[RecordedStderr] = (),
        diagnose: bool = False,
        digest: bool = False,
        match: Match | None = None,
    ) -> None:
        self.match = match or spec.new_match()
        self.listeners: list[Callable[[Match, list[Entry]], object]] = []
        self._spec = spec
        self._bots: Sequence[BotType] = bots
        self._log = log
        self._record_file = record
        self._files = [file for file in (log, record) if file is not None]
        self._is_recorded = digest or record is not None
        self._record: RecordWriter | None = None
        self._stderr = stderr
        self._pending: list[list[bytes]] = [[] for _ in bots]
        self._listening = self._pending.copy()  # of the seats that are in the match
        self._start_time = 0.0
        self._reply_seconds: list[list[float]] = [[] for _ in bots]
        self._evidence = [Evidence() for _ in bots] if diagnose else []
        self._answers: list[RecordedReply] = []
        self._room = MAX_ANSWERS
        self._reached: list[tuple[str, ...]] = []
        self.asked_since = 0.0
        self._used: list[defaultdict[str, float]] = [defaultdict(float) for _ in bots]  # by clock
        self._waiting: dict[int, float] = {}  # seat -> since when it has something pending
        self._slow: set[int] = set()  # whose last reply took longer than `FREEZE_SECONDS`
        self._hearers: Collection[int] = range(len(bots))
        self._awaited = awaited_of(bots)
        launched = {
            seat: bot.launched for seat, bot in self._awaited.items() if isinstance(bot, PipedBot)
        }
        if launched:
            self._limits_by = limits_by(spec.limits, spec.sandbox)
        self._freezable = {} if spec.sandbox.kind == "none" else launched
        for seat, bot in enumerate(bots):
            if isinstance(bot, InProcessBot | BotWrapper):
                bot.attach_view(partial(self.match.view, seat))

    def _begin(self) -> None:
        now = self._clock()
        self._start_time = min(bot.started or now for bot in self._bots)
        if self._is_recorded:
            started = datetime.now(UTC).isoformat(timespec="milliseconds")  # noqa: TID251 (nobody waits for it)
            self._record = RecordWriter(
                self._record_file, self._spec, started, self._stderr, self._limits_by
            )
        self.match.start()

    def _deadline(self, seat: int) -> float:
        """Until when a seat may think, on the runner's clock (3.4, 8.1)."""
        if self.match.in_handshake:  # its clock runs from the start of the bot
            started = self._bots[seat].started
            since = self.asked_since if started is None else started
            return since + self._spec.limits.startup_limit
        return self.asked_since + min(self._left(seat))

    def _left(self, seat: int) -> tuple[float, float]:
        """The seconds that are left to a seat for this reply, and in its bank."""
        limits, clock = self._spec.limits, self.match.clocks.get(seat, "")
        used = self._used[seat]
        left = limits.time_limit - used[clock] if clock else limits.time_limit
        return left, limits.time_bank - used[_BANK]

    def _timed(self, seat: int, answer: Answer) -> Answer:
        """Note how long a seat took; returns its answer, with the limit if it took too long."""
        late = type(answer) is Failure and answer.code == Disqualification.TIMEOUT
        if self.match.in_handshake:
            if not late:
                return answer
            limit = self._spec.limits.startup_limit
            detail = f"no reply to the handshake within {limit:g} s"
            return Failure(Disqualification.STARTUP_TIMEOUT, detail)
        seconds = self._clock() - self.asked_since
        if late:
            answer = self._too_late(seat, answer)
        self._reply_seconds[seat].append(seconds)
        self._used[seat][_BANK] += seconds
        if seconds > FREEZE_SECONDS:
            self._slow.add(seat)
        else:
            self._slow.discard(seat)
        if clock := self.match.clocks.get(seat):
            self._used[seat][clock] += seconds
        return answer

    def _too_late(self, seat: int, answer: Answer) -> Answer:
        assert isinstance(answer, Failure)
        limits, clock = self._spec.limits, self.match.clocks.get(seat)
        left, in_bank = self._left(seat)
        if in_bank < left:
            count = self.match.requests[seat]
            return Failure(
                Disqualification.TIME_BANK,
                f"its {limits.time_bank:g} s for all replies of the match were over at reply "
                f"{count}",
            )
        shared = f" for {clock}" if clock else ""
        return Failure(answer.code, f"{answer.detail} ({limits.time_limit:g} s{shared})")

    def _replied(self, seat: int, answer: Answer) -> None:
        """Hand the match a seat's answer, and deliver what follows from it."""
        self._give(seat, self._timed(seat, answer))
        if seat in self.match.disqualified:
            self._waiting.pop(seat, None)
            self._kill(seat)
        self._deliver()

    def _kill(self, seat: int) -> None:
        """End a bot that is disqualified."""
        raise NotImplementedError

    # --- deliveries ---------------------------------------------------------------------------

    def _deliver(self) -> None:
        """Hand everybody what is new to them, then write the logs."""
        match = self.match
        entries = match.take_entries()
        is_request = self._put_by(entries)
        if self._freezable and not self._slow.isdisjoint(match.due):
            self._freeze_others()  # at once: they need the time
        for seat in match.due or self._hearers:
            if seat in self._freezable:
                self._freezable[seat].thaw()
            self._push(seat)
        now = self._clock()
        if is_request:
            self.asked_since = now
        for seat in self._hearers:
            if self._pending[seat] and now >= self._waiting.setdefault(seat, now) + NEWS_SECONDS:
                self._push(seat)
        self._write(entries, now)

    def _push(self, seat: int) -> None:
        """Hand a bot its news; an object gets them with its request."""
        pending = self._pending[seat]
        if pending and seat in self._hearers:
            self._bots[seat].push(b"".join(pending))
            pending.clear()
            self._waiting.pop(seat, None)

    def _on_time(self) -> float:
        """Do what is due while bots think; returns when there is more to do.

        That is to hand over what has waited for `NEWS_SECONDS`, and to freeze the others.
        """
        now = self._clock()
        for seat, since in list(self._waiting.items()):
            if since + NEWS_SECONDS <= now:
                self._push(seat)
        news_at = min(self._waiting.values(), default=math.inf) + NEWS_SECONDS
        if not (self._freezable and self.match.due):
            return news_at
        freeze_at = self.asked_since + FREEZE_SECONDS
        if now < freeze_at:
            return min(news_at, freeze_at)
        self._freeze_others()
        return news_at

    def _freeze_others(self) -> None:
        """Keep the processors for the bots with a request (sandbox.md, 12).

        A match in which all answer quickly freezes nobody.
        """
        for launched in self.idle():
            launched.freeze()
        for seat in self._freezable.keys() - self.match.due:
            self._freezable[seat].freeze()

    def _give(self, seat: int, answer: Answer) -> None:
        """Hand the match an answer."""
        match = self.match
        if self._evidence:
            self._keep(RecordedReply(seat, answer, self._clock() - self._start_time))
            self._evidence[seat].turn = match.turns
            if isinstance(answer, bytes):
                self._evidence[seat].note_line(answer, self._spoken(seat)[1])
        if isinstance(answer, Failure):
            match.disqualify(seat, answer.code, answer.detail)
        else:
            match.receive(seat, answer)
        if seat in match.disqualified:
            self._pending[seat].clear()
            self._listening = [
                lines for seat, lines in enumerate(self._pending) if seat not in match.disqualified
            ]

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

    def _put_by(self, entries: list[Entry]) -> bool:
        """Store the new lines of each seat until they are handed over.

        Returns:
            Whether one of them is a request.
        """
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
                        self._pending[entry.to].append(entry.line)
        if self._evidence:
            for entry in entries:
                if type(entry) is Sent and entry.to is not None:
                    self._evidence[entry.to].to_answer = entry.line
                elif type(entry) is Fault:
                    count = len(self._reply_seconds[entry.seat])
                    self._evidence[entry.seat].note_fault(entry, count)
        return is_request

    def _write(self, entries: list[Entry], now: float) -> None:
        """Write the logs."""
        if self._log is not None:
            public = [e.line for e in entries if type(e) is Sent and e.to is None]
            if public:
                self._log.write(b"".join(public))
        if self._record is not None and entries:
            self._record.write(entries, now - self._start_time)
        for listen in self.listeners:
            listen(self.match, entries)

    def _behind(self) -> Sink | None:
        """A log whose reader has to catch up."""
        for file in self._files:
            if file.behind:
                return file
        return None

    def _end(self, kept: Container[int] = ()) -> Played:
        """Complete the record and say how the match went; as `Runner.close`."""
        seconds = self._clock() - self._start_time
        exit_codes = [
            None if seat in kept else bot.exit_code for seat, bot in enumerate(self._bots)
        ]
        digest = ""
        if self._record is not None:
            digest = self._record.end(self.match, exit_codes, seconds)
        left = dict(self.match.disqualified)
        result = self._result(exit_codes, seconds)
        return Played(result, left, digest, self._reply_seconds, self._answers, self._reached)

    # --- its result ---------------------------------------------------------------------------

    def _result(self, exit_codes: list[int | None], seconds: float) -> MatchResult:
        match = self.match
        assert match.outcome is not None  # it is over
        reply_seconds = [
            ReplySeconds(round(sum(seconds), 6), round(max(seconds, default=0.0), 6))
            for seconds in self._reply_seconds
        ]
        rules = self._spec.rules
        diagnoses = self._diagnoses()
        players = player_results(
            rules, match, self._spec.bots, reply_seconds, exit_codes, diagnoses
        )
        return MatchResult(
            game=rules.name,
            protocol=rules.protocol,
            seed=self._spec.seed,
            reason=match.outcome.reason,
            turns=match.turns,
            winners=[players[seat].player_number for seat in match.outcome.winners],
            duration_seconds=round(seconds, 6),
            players=players,
            sandbox=self._spec.sandbox.kind,
        )

    def _diagnoses(self) -> list[Diagnosis]:
        match = self.match
        words = [bot.process_report(STDERR_LINES) for bot in self._bots]
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
            requests=len(self._reply_seconds[seat]),
            exit_code=exit_code,
            count=sum(match.faults[seat].values()),
            notes=notes,
        )
