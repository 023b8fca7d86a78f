"""A match that another referee played, compared with what our rules send. Pure.

Our rules play the match again with the probes' replies; their chance is the game's `Follower`,
which draws what the other referee drew. What each seat was sent is compared line by line, in the
order in which our rules send it. The first line that is another ends the comparison.

What it breaks: the cases that the replies of this step are there for; if it is a request, those of
the last reply of the seat that is asked. If there are none, a table of the game says which cases
are about a message that is missing, extra or otherwise (`Probes.about`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec import Struct, field
from msgspec.structs import replace

from referee.conformance.referee_side.recording import Line, RecordedMatch
from referee.conformance.verdict import Violation, shown
from referee.games.interface.faults import Disqualification
from referee.games.interface.probing import Deed, Message, ProbeMatch, Step
from referee.games.interface.rules import Rules
from referee.games.interface.seats import seat_id, seat_ids
from referee.match.limits import Limits
from referee.match.machine import Match, Sent

LINE_LIMIT = Limits().line_limit
_EVERY_STEP = ("1.1/1", "1.1/2", "1.6/1", "1.7/1", "1.7/2", "8.1/1")
_ALWAYS = {"misnamed": "1.6/1", "secret": "1.7/2"}
"""What is the same mistake whatever was replied -> its case."""
_NO_LINE = Line(b"")


class Departure(Struct, frozen=True):
    """Something that is not as the protocol has it.

    Attributes:
        cases: those that it breaks.
        signature: what it has in common with the same mistake in another match.
        violation: how the report shows it; its section is filled in with the case.
    """

    cases: tuple[str, ...]
    signature: tuple[str, ...]
    violation: Violation


class Compared(Struct):
    """What a match showed.

    Attributes:
        match: which.
        recorded: what was seen of it.
        held: the cases that were seen to hold.
        departures: what was wrong: the first line at most, and what is wrong with processes.
        stopped: where the comparison stopped before the end of the match; empty if it did not.
        openings: the first request of each seat that is no handshake.
    """

    match: ProbeMatch
    recorded: RecordedMatch
    held: set[str] = field(default_factory=set)
    departures: list[Departure] = field(default_factory=list)
    stopped: str = ""
    openings: list[str] = []


def text(message: object) -> str:
    """A JSON value as the referee writes it."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def compare(
    recorded: RecordedMatch, rules: Rules, match: ProbeMatch, *, seeded: bool = False
) -> Compared:
    """Compare a match with what is right.

    Args:
        seeded: with what its seed makes, and not with what chance may have been.
    """
    comparison = _Comparison(recorded, rules, match, seeded=seeded)
    try:
        comparison.run()
    except _DepartsError as error:
        comparison.result.departures.append(error.departure)
        comparison.result.stopped = error.where
    return comparison.result


class _DepartsError(Exception):
    def __init__(self, departure: Departure, where: str) -> None:
        self.departure = departure
        self.where = where


class _Comparison:
    def __init__(
        self, recorded: RecordedMatch, rules: Rules, match: ProbeMatch, *, seeded: bool
    ) -> None:
        self.result = Compared(match, recorded)
        self._recorded = recorded
        self._probes = probes = rules.probes()
        self._requests = {str(struct.__struct_config__.tag) for struct in rules.requests}
        self._lines = [seat.received for seat in recorded.seats]
        messages = [[line.message for line in lines] for lines in self._lines]
        asked = [[m for m in each if m.get("type") in self._requests] for each in messages]
        self.result.openings = [text(each[0]) for each in asked if each]
        self._follower = probes.follower(asked, max(messages, key=len))
        self._seed = f", with the seed {recorded.seed}" if seeded else ""
        chance = None if seeded else self._follower
        self._match = Match(rules, seats=len(messages), seed=recorded.seed, chance=chance)
        self._next = [0] * len(messages)  # the line of each seat that is compared next
        self._replied = [0] * len(messages)
        self._asked: list[Message] = [{} for _ in messages]  # the last request of each
        self._last: list[tuple[str, ...]] = [() for _ in messages]  # the cases of its last reply
        self._cases: dict[str, None] = {}  # what the replies of this step are there for
        self._step = Step(-1, {}, b"", ())

    def run(self) -> None:
        """Compare the match up to its end."""
        match = self._match
        match.start()
        self._compare(-1, b"")
        while match.due:
            seat = match.due[0]
            in_handshake = match.in_handshake
            line = self._reply(seat)
            self._compare(-1 if in_handshake else seat, line)
        for seat in filter(self._reads, range(len(self._lines))):
            if self._ahead(seat):
                self._depart(seat, ("2.14/1",), "extra", "nothing after game-end")
        case = "8.4/1" if match.outcome and match.outcome.winners else "3.5/3"
        if self._recorded.exit_code is None:
            self._depart(0, (case,), "no end", "the referee ends, since the match is over")
        if case == "3.5/3":
            self.result.held.add(case)

    def _reply(self, seat: int) -> bytes:
        """Give the match the reply of the seat that is due, or take the seat out."""
        probe, number = self._recorded.seats[seat], self._replied[seat]
        self._replied[seat] += 1
        replies = probe.replies[number : number + 1]
        deed = replies[0].deed if replies else probe.left or Deed()
        self._last[seat] = deed.cases
        self._cases |= dict.fromkeys(deed.cases)
        if not replies:
            self._match.disqualify(seat, Disqualification.EXITED, "")
            return b""
        if len(replies[0].line) > LINE_LIMIT:
            self._match.disqualify(seat, Disqualification.OUTPUT_LIMIT, "")
        else:
            self._match.receive(seat, replies[0].line)
        return replies[0].line

    def _compare(self, seat: int, line: bytes) -> None:
        """Compare what is due after a reply with what was sent."""
        entries = [entry for entry in self._match.take_entries() if isinstance(entry, Sent)]
        if not entries:
            return  # the handshakes of others are awaited: all are one step
        due = [(entry.to, json.loads(entry.line)) for entry in entries]
        request = self._asked[seat] if seat >= 0 else {}
        self._step = Step(seat, request, line, [message for _, message in due])
        shows = self._follower.shows(self._step)
        for place, (to, message) in enumerate(due):
            seats = range(len(self._lines)) if to is None else [to]
            readers = [reader for reader in seats if self._reads(reader)]
            wrong = [reader for reader in readers if self._is_wrong(reader, message)]
            if wrong:  # whoever is asked at the end of the step sees most of it
                asked = due[-1][0]
                reader = asked if asked in wrong else wrong[0]
                rest = [each for each_to, each in due[place:] if each_to in (None, reader)]
                self._departs(reader, rest, others_right=len(wrong) < len(readers))
            for reader in readers:
                self._next[reader] += 1
            if to is not None:
                self._asked[to] = message
                if message["type"] in self._requests:
                    self._follower.asked(to)
        self.result.held.update(_EVERY_STEP, shows, self._cases)
        self._cases = {}

    # --- one line -----------------------------------------------------------------------------

    def _reads(self, seat: int) -> bool:
        """Whether a seat is still there, and can be seen reading."""
        there = self._recorded.seats[seat].left is None or self._line(seat) is not _NO_LINE
        return there and seat not in self._match.disqualified

    def _line(self, seat: int) -> Line:
        """The line of a seat that is compared next."""
        lines, place = self._lines[seat], self._next[seat]
        return lines[place] if place < len(lines) else _NO_LINE

    def _ahead(self, seat: int) -> Sequence[Line]:
        """The lines of a seat that were not compared yet, up to the next request or the end."""
        lines, start = self._lines[seat], self._next[seat]
        end = start
        while end < len(lines) and (end == start or not self._ends_step(lines[end - 1])):
            end += 1
        return lines[start:end]

    def _ends_step(self, line: Line) -> bool:
        return line.kind in self._requests or line.kind in ("player-name-request", "game-end")

    def _is_wrong(self, seat: int, due: Message) -> bool:
        line = self._line(seat)
        return line.wrong is not None or not self._is(line, due)

    def _is(self, line: Line, due: Message) -> bool:
        """Whether a line says what is due; it may say more, but not what somebody holds."""
        found = line.message
        same = {name: found[name] for name in due if name in found}
        return text(same) == text(due) and not self._tells_secret(line, due)

    def _tells_secret(self, line: Line, known: Message) -> bool:
        """Whether it says more than what is known, and that with what somebody holds."""
        if line.kind in self._requests:
            return False
        more = {name: value for name, value in line.message.items() if name not in known}
        return bool(more) and any(f'"{name}"' in text(more) for name in self._probes.names)

    def _departs(self, seat: int, due: Sequence[Message], *, others_right: bool) -> None:
        """Say what a line breaks that is not the first of these, which are due to this seat."""
        line, ahead = self._line(seat), self._ahead(seat)
        message, what = self._difference(seat, due, ahead)
        of_another = line.kind in self._requests and not any(self._is(line, m) for m in due)
        others = [asked for other, asked in enumerate(self._asked) if other != seat]
        cases: tuple[str, ...] = ()
        if line.wrong is not None:
            cases, what = (line.wrong[0],), line.wrong[1]
        elif of_another and line.kind != due[0]["type"] and line.message in others:
            cases = ("1.7/2",)
        elif what in _ALWAYS:
            cases = (_ALWAYS[what],)
        elif others_right and ahead and not of_another:
            cases = ("1.7/1",)
        elif message["type"] in self._requests and what not in ("extra", "order"):
            cases = self._last[seat]  # what it can do follows from what it did
        elif what != "order" and (message["type"] != "game-end" or what in ("missing", "extra")):
            cases = tuple(self._cases)
        cases = cases or self._about(str(message["type"]), what)
        self._depart(seat, cases, f"{message['type']} {what}", text(due[0]))

    def _about(self, kind: str, what: str) -> tuple[str, ...]:
        """The cases that are about this being wrong with a message (`Probes.about`)."""
        about, start = self._probes.about, " at the start" * (self._step.seat < 0)
        words = what, what.partition(" ")[0]
        keys = [f"{kind} {word}{when}" for word in words for when in (start, "")]
        found = next((about[key] for key in keys if key in about), None)
        cases = tuple((found or about.get(kind, "2") + "/departs").split())
        covered = self.result.match.covers
        return tuple(c for c in cases if any(fnmatchcase(c, each) for each in covered)) or cases

    def _difference(
        self, seat: int, due: Sequence[Message], ahead: Sequence[Line]
    ) -> tuple[Message, str]:
        """Which message the difference is about, and what it is (`Probes.about`)."""
        first = due[0]
        if not ahead:
            return first, "missing"
        kind, found = ahead[0].kind, ahead[0].message
        comes = any(self._is(line, first) for line in ahead)
        if any(self._is(ahead[0], message) for message in due):
            late = kind == "game-end" and self._lines[seat][-1] is not ahead[0]
            return (found, "order") if late else (first, "order" if comes else "missing")
        if first["type"] != "game-end" and (comes or kind == "game-end"):
            unknown = kind not in self._probes.about
            return found, "secret" if unknown and self._tells_secret(ahead[0], {}) else "extra"
        if kind != first["type"]:
            return first, "missing"
        if self._tells_secret(ahead[0], first):
            return first, "secret"
        name = next((name for name in first if text(found.get(name)) != text(first[name])), "")
        due_value, value = first.get(name), found.get(name)
        if self._misnames(due_value, value):
            return first, "misnamed"
        if type(value) is not type(due_value):
            return first, "form"
        if isinstance(value, list) and isinstance(due_value, list):
            reordered = sorted(map(text, value)) == sorted(map(text, due_value))
            name += " order" * reordered + " length" * (len(value) != len(due_value))
        return first, name

    def _misnames(self, expected: object, found: object) -> bool:
        """Whether a card or a player has a name that nobody knows (1.6)."""
        known = {*map(text, [*self._probes.names, *seat_ids(len(self._lines))])}
        return text(expected) in known and text(found) not in known

    def _depart(self, seat: int, cases: tuple[str, ...], what: str, expected: str) -> None:
        """End the comparison at the next line of a seat."""
        recorded, step, place = self._recorded, self._step, self._next[seat]
        line = self._line(seat)
        found = recorded.ending() if line is _NO_LINE else shown(line.text)
        who = seat_id(seat)
        after = f", after the reply of {seat_id(step.seat)}" if step.line and step.seat >= 0 else ""
        violation = recorded.violation(
            "seed" if self._seed else "departure",
            seat,
            place,
            f"to {who}{self._seed}{after}: {expected}",
            f"to {who}: {found}",
        )
        if after:
            violation = replace(violation, request=text(step.request), reply=shown(step.line))
        where = f"after line {place}" if line is _NO_LINE else f"line {place + 1}"
        raise _DepartsError(
            Departure(cases, (what,), violation), f"{recorded.id}, {where} to {who}"
        )
