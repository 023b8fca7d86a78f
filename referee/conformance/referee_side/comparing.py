"""Compare a match that another referee played with the lines that our rules send. No I/O.

Our rules replay the match with the probes' replies. We can't know how the other referee shuffles,
so our rules don't shuffle at all. Their random source is the game's `ObservedChance`, which draws
the cards that the other referee drew. Then we compare the lines of each seat, in the order in which
our rules send them, up to the first difference.

A deviation breaks the cases of the replies in this step. If the line is a request, it breaks the
cases of that seat's last reply, because a reply determines which request comes next. If that yields
no cases, we look them up in a table of the game, by the type of the missing or wrong message
(`Probes.about`). The table is also used for requests that aren't due and go to a player who didn't
just reply.
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
# These cases pass in each correct step. The names are arguments of `Probes.named`.
_EVERY_STEP = ("json", "compact", "same news", "secrets", "waits")
_NO_LINE = Line(b"")


class Deviation(Struct, frozen=True):
    """A deviation from the protocol.

    Attributes:
        cases: the cases that it breaks.
        signature: a text that is equal for the same mistake in other matches.
        violation: its form in the report. The case sets its section.
    """

    cases: tuple[str, ...]
    signature: str
    violation: Violation


class Compared(Struct):
    """The result of comparing a match.

    Attributes:
        held: the cases that passed at least once.
        deviations: at most the first different line, and mistakes of processes.
        stopped: the reason if the comparison stopped before the end of the match, otherwise empty.
    """

    match: ProbeMatch
    recorded: RecordedMatch
    held: set[str] = field(default_factory=set)
    deviations: list[Deviation] = field(default_factory=list)
    stopped: str = ""


def text(message: object) -> str:
    """Encode a JSON value in the same way as the referee."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def compare(
    recorded: RecordedMatch, definition: GameDefinition, match: ProbeMatch, *, seeded: bool = False
) -> Compared:
    """Compare a match with the match of its seed (if `seeded`), or with any correct match."""
    comparison = _Comparison(recorded, definition, match, seeded=seeded)
    with suppress(_DepartsError):
        comparison.run()
    return comparison.result


class _DepartsError(Exception):
    """Raised after the first deviation was recorded."""


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
        self._next = [0] * len(self._lines)  # index of the next line to compare, per seat
        self._replied = [0] * len(self._lines)
        self._asked: list[Message] = [{} for _ in self._lines]  # the last request of each seat
        self._last: list[tuple[str, ...]] = [
            () for _ in self._lines
        ]  # cases of the last reply of each seat
        self._cases: dict[str, None] = {}  # cases of the replies of this step
        self._seat, self._reply = -1, b""  # the last reply, except in the handshake

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
            return  # All handshakes together are one step.
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
        """Return True if a line matches the due message.

        Additional fields are allowed, unless they reveal secrets.
        """
        same = {name: line.message[name] for name in due if name in line.message}
        return not line.wrong and text(same) == text(due) and not self._tells_secret(line, due)

    def _tells_secret(self, line: Line, known: Message) -> bool:
        """Return True if a line has additional fields that reveal a secret."""
        more = text({name: value for name, value in line.message.items() if name not in known})
        is_news = line.kind not in self._requests
        return is_news and any(f'"{name}"' in more for name in self._probes.names)

    def _departs(self, seat: int, due: Message, *, some: bool) -> None:
        """Record which cases a wrong line breaks. `some`: True if other seats got the due line."""
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
            cases = self._about(kind, what)  # no reply of this step can have caused this
        elif kind in self._requests:
            cases = self._last[seat]  # a reply determines which request comes next
        elif kind != "game-end" or what == "missing":
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
