"""Compares a match that another referee played with the lines that our rules send. No I/O.

We play the match again with our rules and the replies of the probes. We can't know how the other
referee shuffles, so our rules get their random numbers from the game's `ObservedChance`, which
draws the same cards as the other referee. Then we compare the lines that each seat received,
in the order in which our rules send them, and stop at the first difference.

We also have to decide which cases fail because of a difference. Usually, these are the cases of the
replies that came just before it. If the wrong line is a request, we take the cases of the last
reply from the same seat, because that reply determines which request comes next. If that doesn't
give us any cases, we look up the message's type in a table that the game provides (`Probes.about`).
We also use this table for an unexpected request to a player who hasn't just replied.
"""

from __future__ import annotations

import json
from contextlib import suppress
from fnmatch import fnmatchcase

from msgspec import Struct, field
from msgspec.structs import replace

from referee.conformance.referee_side.recording import SPACES, Line, RecordedMatch, request_types
from referee.conformance.verdict import Violation, shown
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification
from referee.games.interface.probing import Message, ProbeAction, ProbeMatch
from referee.games.interface.seats import seat_id
from referee.match.limits import Limits
from referee.match.machine import Match, Sent

LINE_LIMIT = Limits().line_limit
# If all lines of a step are correct, these cases pass (see `Probes.named`).
_EVERY_STEP = ("json", "compact", "same news", "secrets", "waits")
_NO_LINE = Line(b"")


class Deviation(Struct, frozen=True):
    """A deviation from the protocol.

    Attributes:
        cases: the ids of the cases that fail because of the deviation.
        signature: identifies the mistake, so that we recognise it in other matches.
        violation: the entry for the report. Its section is filled in later, from the case.
    """

    cases: tuple[str, ...]
    signature: str
    violation: Violation


class Compared(Struct):
    """The result of comparing a match.

    Attributes:
        held: ids of the cases that passed in at least one step.
        deviations: the first different line, if any, and violations of the rules about processes.
        stopped: the line at which the comparison stopped, or "" if we reached the end of the match.
    """

    match: ProbeMatch
    recorded: RecordedMatch
    held: set[str] = field(default_factory=set)
    deviations: list[Deviation] = field(default_factory=list)
    stopped: str = ""


def text(message: object) -> str:
    """Encode a JSON value as the referee does, without spaces and with non-ASCII characters."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def compare(
    recorded: RecordedMatch, definition: GameDefinition, match: ProbeMatch, *, seeded: bool = False
) -> Compared:
    """Compare a match with our rules, and return the cases that passed and the first deviation.

    Args:
        seeded: if True, the referee must also shuffle as we do with this seed. Otherwise any
            shuffling is correct.
    """
    comparison = _Comparison(recorded, definition, match, seeded=seeded)
    with suppress(_DepartsError):
        comparison.run()
    return comparison.result


class _DepartsError(Exception):
    """Raised to stop the comparison at the first deviation."""


class _Comparison:
    def __init__(
        self,
        recorded: RecordedMatch,
        definition: GameDefinition,
        match: ProbeMatch,
        *,
        seeded: bool,
    ) -> None:
        self.result = Compared(match, recorded)
        self._recorded = recorded
        self._probes = probes = definition.probes()
        self._requests = request_types(definition)
        self._lines = [seat.received for seat in recorded.seats]
        self._observed_chance = probes.observed_chance(
            [[line.message for line in each] for each in self._lines]
        )
        self._seed = f", with the seed {recorded.seed}" if seeded else ""
        chance = None if seeded else self._observed_chance
        self._match = Match(definition, seats=len(self._lines), seed=recorded.seed, chance=chance)
        self._next = [0] * len(self._lines)  # for each seat, the index of the next line to compare
        self._replied = [0] * len(self._lines)
        self._asked: list[Message] = [{} for _ in self._lines]  # for each seat, its last request
        # for each seat, the cases that its last reply tests
        self._last: list[tuple[str, ...]] = [() for _ in self._lines]
        self._cases: dict[str, None] = {}  # the cases that the replies of this step test
        self._seat, self._reply = -1, b""  # the last reply, not counting the handshake

    def run(self) -> None:
        match, held, named = self._match, self.result.held, self._probes.named
        match.start()
        self._compare()
        while match.due:
            self._take_reply(match.due[0])
            self._compare()
        for seat in filter(self._reads, range(len(self._lines))):
            if self._line(seat) is not _NO_LINE:
                self._depart(seat, named("last message"), "extra", "nothing after game-end")
        is_won = match.outcome is not None and match.outcome.winners
        if self._recorded.exit_code is None:
            cases = named("end" if is_won else "no player left")
            self._depart(0, cases, "no end", "the referee ends, since the match is over")
        held.update(self.result.match.shows, () if is_won else named("no player left"))

    def _take_reply(self, seat: int) -> None:
        probe, number, match = self._recorded.seats[seat], self._replied[seat], self._match
        self._replied[seat] += 1
        replies = probe.replies[number : number + 1]
        action = replies[0].action if replies else probe.left or ProbeAction()
        line = replies[0].line if replies else b""
        self._seat, self._reply = (-1, b"") if match.in_handshake else (seat, line)
        self._last[seat] = action.cases
        self._cases |= dict.fromkeys(action.cases)
        if not replies:
            match.disqualify(seat, Disqualification.EXITED, "")
        elif len(line) > LINE_LIMIT:
            match.disqualify(seat, Disqualification.OUTPUT_LIMIT, "")
        else:
            match.receive(seat, line)

    def _compare(self) -> None:
        entries = [entry for entry in self._match.take_entries() if isinstance(entry, Sent)]
        if not entries:
            return  # The rules wait for more replies, e.g. until all bots have done the handshake.
        due = [(entry.to, json.loads(entry.line)) for entry in entries]
        held: set[str] = {*self._probes.named(*_EVERY_STEP), *self._cases}
        for to, message in due:
            readers = [s for s in range(len(self._lines)) if to in (None, s) and self._reads(s)]
            wrong = [reader for reader in readers if not self._is(self._line(reader), message)]
            if wrong:
                self._departs(wrong[0], message, some=len(wrong) < len(readers))
            for reader in readers:
                self._next[reader] += 1
            held.update(self._observed_chance.sent(message, to))
            if to is not None:
                self._asked[to] = message
        self.result.held |= held
        self._cases = {}

    def _reads(self, seat: int) -> bool:
        there = self._recorded.seats[seat].left is None or self._line(seat) is not _NO_LINE
        return there and seat not in self._match.disqualified

    def _line(self, seat: int) -> Line:
        lines, place = self._lines[seat], self._next[seat]
        return lines[place] if place < len(lines) else _NO_LINE

    def _is(self, line: Line, due: Message) -> bool:
        """Return True if a line is the message that our rules send.

        The line may have more fields, as long as they don't reveal a secret.
        """
        same = {name: line.message[name] for name in due if name in line.message}
        return not line.wrong and text(same) == text(due) and not self._tells_secret(line, due)

    def _tells_secret(self, line: Line, known: Message) -> bool:
        """Return True if a line has additional fields that reveal a secret."""
        more = text({name: value for name, value in line.message.items() if name not in known})
        is_news = line.kind not in self._requests
        return is_news and any(f'"{name}"' in more for name in self._probes.names)

    def _departs(self, seat: int, due: Message, *, some: bool) -> None:
        """Record a deviation, and decide which cases fail because of it.

        Args:
            due: the message that the seat should have received.
            some: True if other seats did receive it.
        """
        line, kind, what = self._line(seat), due["type"], "missing"
        named = self._probes.named
        if line.kind == kind:
            differs = (name for name in due if text(line.message.get(name)) != text(due[name]))
            what = next(differs, "secret")
        elif line.kind and line.kind not in self._probes.about:
            kind, what = line.kind, "unknown"
        elif seat != self._seat and f"{line.kind} extra" in self._probes.about:
            kind, what = line.kind, "extra"
        cases: tuple[str, ...] = ()
        if line.wrong:
            cases, what = named("compact" if line.wrong == SPACES else "json"), line.wrong
        elif what == "secret" or (what == "unknown" and self._tells_secret(line, {})):
            cases = named("secrets")
        elif some and line is not _NO_LINE and line.kind not in self._requests:
            cases = named("same news")
        elif what == "extra":
            # the deviation has nothing to do with the replies of this step
            cases = self._about(kind, what)
        elif kind in self._requests:
            cases = self._last[seat]  # a reply determines which request comes next
        else:
            cases = tuple(self._cases)
        self._depart(seat, cases or self._about(kind, what), f"{kind} {what}", text(due))

    def _about(self, kind: str, what: str) -> tuple[str, ...]:
        about, start = self._probes.about, " at the start" * (self._seat < 0)
        found = about.get(f"{kind} {what}{start}") or about.get(f"{kind} {what}")
        cases = tuple((found or about.get(kind, "2") + "/departs").split())
        covered = self.result.match.covers
        return tuple(c for c in cases if any(fnmatchcase(c, each) for each in covered)) or cases

    def _depart(self, seat: int, cases: tuple[str, ...], what: str, expected: str) -> None:
        recorded, place, line = self._recorded, self._next[seat], self._line(seat)
        found = recorded.ending() if line is _NO_LINE else shown(line.text)
        who = seat_id(seat)
        after = f", after the reply of {seat_id(self._seat)}" if self._reply else ""
        violation = recorded.violation(
            "seed" if self._seed else "departure",
            seat,
            place,
            f"to {who}{self._seed}{after}: {expected}",
            f"to {who}: {found}",
        )
        if after:
            request, reply = text(self._asked[self._seat]), shown(self._reply)
            violation = replace(violation, request=request, reply=reply)
        where = f"after line {place}" if line is _NO_LINE else f"line {place + 1}"
        self.result.deviations.append(Deviation(cases, what, violation))
        self.result.stopped = f"{recorded.id}, {where} to {who}"
        raise _DepartsError
