"""A match that another referee played, compared with what our rules send. Pure.

Our rules play the match again with the probes' replies; chance is the game's `Follower`. Step by
step, from one reply to the next request, what the seat that is asked next was sent is compared with
what is due. If the request at the end of a step is right, the game stands where it should, only
messages were wrong, and the comparison goes on. If it is not, the rest cannot be compared.

No rule is inferred from the form of a message. A mismatch belongs to the cases that the reply of
its step is there for; in a basic match, and for messages that the reply's cases are about, a table
of the game says which case is about a message that is missing, extra or otherwise.
"""

from __future__ import annotations

import difflib
import itertools
import json
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from referee.conformance.referee_side.lines import Catalogue, Line, shown, text
from referee.conformance.referee_side.probe import LINE_LIMIT
from referee.conformance.referee_side.recording import RecordedMatch
from referee.conformance.verdict import Violation
from referee.match import Match, Sent
from referee.seam.faults import Disqualification
from referee.seam.probing import Deed, Message, Mismatch, ProbeMatch, ProbeStep
from referee.seam.seats import seat_id, seat_ids

_EVERY_STEP = ("1.1/1", "1.1/2", "1.6/1", "1.7/1", "1.7/2", "8.1/1")
_NOTHING = Deed(special=False)


class Finding(Struct):
    """Something that is not as the protocol has it.

    Attributes:
        case: the one that it breaks.
        signature: what it has in common with the same mistake in another match.
        violation: how the report shows it; its section is filled in with the case.
        count: how often it was found.
        shape: it is about the form of a message, and no rule's.
    """

    case: str
    signature: tuple[str, ...]
    violation: Violation
    count: int = 1
    shape: bool = False


class Compared(Struct):
    """What a match showed.

    Attributes:
        match: which.
        recorded: what was seen of it.
        held: case -> in how many steps it held.
        findings: what was wrong, once each.
        stopped: where the comparison stopped before the end of the match; empty if it did not.
        openings: the first request of each seat that is no handshake.
    """

    match: ProbeMatch
    recorded: RecordedMatch
    held: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    stopped: str = ""
    openings: list[str] = []

    def add(self, finding: Finding) -> None:
        """Take a finding; the same mistake in the same case is counted."""
        for known in self.findings:
            if (known.case, known.signature) == (finding.case, finding.signature):
                known.count += 1
                return
        self.findings.append(finding)


def compare(
    recorded: RecordedMatch, catalogue: Catalogue, match: ProbeMatch, *, seeded: bool = False
) -> Compared:
    """Compare a match with what is right.

    Args:
        seeded: with what its seed makes, and not with what chance may have been.
    """
    return _Comparison(recorded, catalogue, match, seeded=seeded).run()


class _Stop(Exception):
    """The rest cannot be compared."""


class _Comparison:
    def __init__(
        self, recorded: RecordedMatch, catalogue: Catalogue, match: ProbeMatch, *, seeded: bool
    ) -> None:
        self.result = Compared(match, recorded)
        self._recorded = recorded
        self._probes = catalogue.probes
        self._plan = match
        self._asking = catalogue.asking
        self._lines = [seat.received for seat in recorded.seats]
        messages = [[line.message for line in lines if line.message] for lines in self._lines]
        asked = [[m for m in each if m["type"] in catalogue.requests] for each in messages]
        self.result.openings = [text(requests[0]) for requests in asked if requests]
        public = [m for m in max(messages, key=len) if m["type"] not in catalogue.asking]
        self._follower = self._probes.follower(asked, public)
        self._seed = f", with the seed {recorded.seed}" if seeded else ""
        chance = None if seeded else self._follower
        self._match = Match(catalogue.rules, seats=len(messages), seed=recorded.seed, chance=chance)
        self._next = [0] * len(messages)
        self._replied = [0] * len(messages)
        self._asked: list[Message] = [{} for _ in messages]  # the last request of each
        self._step = _NO_STEP  # the one that is compared, what brought it about, what it shows
        self._deed = _NOTHING
        self._held: Sequence[str] = ()
        self._recent: dict[int, Deed] = {}  # seat -> its last special one
        self._latest = _NOTHING  # the last special one of all
        self._names: list[Deed] = []  # the handshakes, in seat order
        self._inherited: set[tuple[str, str, str]] = set()
        self._disordered: set[str] = set()  # the fields that are in another order throughout

    # --- the course of the match ------------------------------------------------------------------

    def run(self) -> Compared:
        """Compare the match up to its end, or as far as can be."""
        self._look_at_lines()
        match = self._match
        try:
            match.start()
            self._compare(-1, b"", _NOTHING)
            while match.due:
                seat = match.due[0]
                handshake = not any(match.requests)
                line, deed = self._reply(seat)
                if handshake:  # all handshakes are one step, which ends with the last
                    self._names.append(deed)
                    special = [each for each in self._names if each.special]
                    cases = tuple(case for each in special for case in each.cases)
                    also = tuple(case for each in special for case in each.also)
                    deed = Deed(cases=cases, also=also, special=bool(cases))
                self._compare(-1 if handshake else seat, line, deed)
                if deed.special:
                    self._recent[seat] = self._latest = deed
            self._look_at_the_end()
        except _Stop as stop:
            self.result.stopped = str(stop)
            # What was in another order once may be other cards of the same kinds.
            self.result.findings = [
                f
                for f in self.result.findings
                if f.count > 1 or not f.signature[-1].endswith(":order")
            ]
        return self.result

    def _reply(self, seat: int) -> tuple[bytes, Deed]:
        """Give the match the reply of the seat that is due, or take the seat out."""
        probe = self._recorded.seats[seat]
        number = self._replied[seat]
        self._replied[seat] += 1
        if number < len(probe.replies):
            reply = probe.replies[number]
            if len(reply.line) > LINE_LIMIT:
                self._match.disqualify(seat, Disqualification.OUTPUT_LIMIT, "")
            else:
                self._match.receive(seat, reply.line)
            return reply.line, reply.deed
        if probe.gave_up and not self.result.findings:
            raise AssertionError(f"a probe made nothing of what is right: {probe.gave_up}")
        if probe.left is None:
            place = self._end_of(seat)
            self._found("8.1/1", ("no reply",), seat, place, "it waits for a reply", "it did not")
            raise self._stop(seat, place)
        self._match.disqualify(seat, Disqualification.EXITED, "")
        return b"", probe.left

    def _compare(self, seat: int, line: bytes, deed: Deed) -> None:
        """Compare what is due after a reply with what was sent."""
        entries = [e for e in self._match.take_entries() if isinstance(e, Sent)]
        due = [(entry.to, json.loads(entry.line)) for entry in entries]
        if not due:
            return
        to = -1 if due[-1][0] is None else due[-1][0]
        request = self._asked[seat] if seat >= 0 else {}
        self._step = ProbeStep(seat, request, line, [message for _, message in due], to)
        self._deed = deed
        self._held = self._follower.held(self._step)
        wrong = self._mistakes()
        if self._match.outcome or any(each is None for each, _ in due):
            self._compare_step(due)
        else:  # the first requests of all, or a request alone
            for each, message in due:
                if each is not None and self._sees(each, 1):
                    self._compare_step([(each, message)])
        for each, message in due:
            if each is not None:
                self._asked[each] = message
                if message["type"] != "player-name-request":
                    self._follower.asked(each)
        if wrong == self._mistakes():
            own = deed.cases if deed.special else ()
            self.result.held.update({*_EVERY_STEP, *self._held, *own})

    def _mistakes(self) -> int:
        return sum(finding.count for finding in self.result.findings)

    def _readers(self, due: Sequence[tuple[int | None, Message]] = ()) -> list[int]:
        """The seats that are still there and can be seen reading what is due."""
        counts = [sum(to in (None, seat) for to, _ in due) for seat in range(len(self._lines))]
        seats = [seat for seat, count in enumerate(counts) if self._sees(seat, count or 1)]
        return [seat for seat in seats if seat not in self._match.disqualified]

    def _sees(self, seat: int, count: int) -> bool:
        """Whether so many lines for a seat can be seen: one that has left reads no more."""
        left = self._recorded.seats[seat].left is not None
        return not left or len(self._ahead(seat, count)) == count

    # --- one step ---------------------------------------------------------------------------------

    def _compare_step(self, due: Sequence[tuple[int | None, Message]]) -> None:
        readers = self._readers(due)
        if not readers:
            return
        to = due[-1][0]
        reader = to if to in readers else readers[0]  # whoever is asked next sees most
        public = [message for each, message in due if each is None]
        own = [message for each, message in due if each in (None, reader)]
        self._check_leaks(reader, own)
        place = self._next[reader]
        ends = own[-1]["type"] in self._asking or own[-1]["type"] == "game-end"
        observed = self._take(reader, self._ahead(reader, None if ends else len(own)))
        clean = self._same(own, observed)
        mismatches = self._differences(own, observed)
        right = bool(observed) and not self._differs(own[-1], observed[-1])
        published = [line for line in observed if not self._asks(line)]
        others_right = False  # somebody else was sent what is due, where the reader was not
        for other in readers:
            if other == reader:
                continue
            as_due = self._ahead(other, len(public))
            as_reader = self._ahead(other, len(published))
            same = [line.text for line in as_reader] == [line.text for line in published]
            if not clean and same and len(published) >= len(public):
                self._take(other, as_reader)
            elif self._same(public, as_due):
                self._take(other, as_due)
                others_right = others_right or not self._same(public, published)
            elif not clean and same:
                self._take(other, as_reader)
            elif clean and not (len(as_due) < len(public) and self._broke_down):
                if as_due and self._asks(as_due[0]):
                    mismatches, right = [Mismatch("extra", own[-1], as_due[0].message)], False
                    break
                wrong = (self._differences(public, as_due) or [Mismatch("extra", None, None)])[0]
                self._mismatch("1.7/1", other, self._next[other], wrong)
                raise self._stop(other, self._next[other])
        if not mismatches:
            return
        if others_right:
            unasked = self._unasked(reader, own[-1])
            if right and not unasked:
                self._mismatch("1.7/1", reader, place, mismatches[0])
                return
            mismatches, right = unasked or mismatches, False
        self._note(mismatches, right, reader, place)
        if not right:
            raise self._stop(reader, place)

    def _note(self, mismatches: list[Mismatch], right: bool, reader: int, place: int) -> None:
        """Note what is wrong in a step; if the game is not where it should be, the first alone."""
        request = self._step.due[-1]
        others = reader != self._step.seat and request["type"] in self._asking
        several = len({mismatch.signature for mismatch in mismatches}) > 1
        for mismatch in mismatches if right else mismatches[:1]:
            if mismatch.field.endswith(":order"):
                self._disordered.add(mismatch.field)
            asked = reader if others and mismatch.expected is request else None
            case = self._case(mismatch, several, right, asked)
            if mismatch.signature in self._inherited:
                continue  # what was wrong at the start stays so
            if self._step.seat < 0:
                self._inherited.add(mismatch.signature)
            self._mismatch(case, reader, place, mismatch)

    def _case(self, mismatch: Mismatch, several: bool, right: bool, asked: int | None) -> str:
        """The case that a mismatch breaks; "SECTION/departs" if none can be named.

        Args:
            several: whether more than that is wrong in this step.
            right: whether the game stands where it should after this step.
            asked: whose request is not right, if it is not that of the seat that has replied.
        """
        step, deed = self._step, self._deed
        candidates = self._follower.case_of(mismatch, step, several=several)
        if mismatch.field.endswith(":order") and len(candidates) > 1:
            return candidates[0]
        if self._misnames(mismatch.expected, mismatch.actual):
            return "1.6/1"
        certain = [case[1:] for case in candidates if case.startswith("!")]
        if certain:
            return next((case for case in certain if case in self._held), certain[0])
        if step.seat < 0:
            deed = self._named(mismatch) or deed
        basic = (self._plan.basic or step.seat < 0) and not deed.special
        own = {*deed.cases, *deed.also} if deed.special or basic else set()
        known = own | {*self._held, *self._plan.covers} if basic else own
        named = [case for case in candidates if case in known]
        if named and (basic or not several or named[0] in deed.cases):
            return named[0]
        ongoing = [d for d in self._recent.values() if not {*candidates[:-1]}.isdisjoint(d.also)]
        if ongoing and not basic:
            return next(case for case in candidates if case in ongoing[-1].also)
        if right and not (deed.special or several or mismatch.kind == "content"):
            return candidates[0]  # only a message is wrong that every match has
        if asked is not None and mismatch.kind == "content" and not basic:
            # A seat's hand, and what it can do, follow from what it did last.
            deed = self._recent.get(asked, deed if deed.special else self._latest)
        elif not deed.special and not basic:
            # All else was right in the basic matches: it follows from what was done last.
            deed = self._latest
        return deed.cases[0] if deed.cases else candidates[-1].partition("/")[0] + "/departs"

    def _named(self, mismatch: Mismatch) -> Deed | None:
        """The handshake of the player that a message is about, if there was anything to it."""
        number = (mismatch.expected or mismatch.actual or {}).get("player_number")
        named = [d for seat, d in enumerate(self._names) if seat_id(seat) == number]
        return named[0] if named and named[0].special else None

    def _unasked(self, reader: int, due: Message) -> list[Mismatch]:
        """Whether somebody else was asked before the seat that is due."""
        others = [self._ahead(other, 1) for other in self._readers() if other != reader]
        asked = [line for lines in others for line in lines if self._asks(line)]
        return [Mismatch("extra", due, line.message) for line in asked[:1]]

    def _differences(self, due: Sequence[Message], observed: Sequence[Line]) -> list[Mismatch]:
        """What is wrong with the messages of one step, in their order."""
        if self._same(due, observed):
            return []
        rights = [text(message) for message in due]
        texts = [text(line.message) for line in observed]
        if sorted(texts) == sorted(rights) and texts != rights:
            place = next(n for n, text in enumerate(texts) if text != rights[n])
            return [Mismatch("order", due[place], observed[place].message)]
        found: list[Mismatch] = []
        # What is equal is aligned first, then what is of the same type.
        whole = difflib.SequenceMatcher(None, rights, texts, autojunk=False)
        for _, start, end, first, last in whole.get_opcodes():
            messages, lines = due[start:end], observed[first:last]
            kinds = [message["type"] for message in messages]
            others = [line.kind for line in lines]
            inner = difflib.SequenceMatcher(None, kinds, others, autojunk=False)
            for _, one, two, three, four in inner.get_opcodes():
                found += self._pairs(messages[one:two], lines[three:four])
        return found

    def _pairs(self, due: Sequence[Message], observed: Sequence[Line]) -> list[Mismatch]:
        """What is wrong, one after the other."""
        found = []
        for expected, line in itertools.zip_longest(due, observed):
            actual = line.message if line else None
            if line and not actual:
                continue  # no message at all, which is noted elsewhere
            if not expected:
                found.append(Mismatch("extra", None, actual))
            elif not line or line.kind != expected["type"]:
                found.append(Mismatch("missing", expected, actual))
                if line and not self._asks(line):
                    found.append(Mismatch("extra", None, actual))
            elif field := self._differs(expected, line, strict=True):
                found.append(Mismatch("content", expected, actual, field))
        return found

    def _same(self, due: Sequence[Message], observed: Sequence[Line]) -> bool:
        return len(due) == len(observed) and not any(
            self._differs(*pair, strict=True) for pair in zip(due, observed, strict=True)
        )

    def _differs(self, due: Message, line: Line, *, strict: bool = False) -> str:
        """The first field in which a message is not what is due; empty if there is none.

        Args:
            strict: whether lists in another order differ as well.
        """
        actual = line.message or {}
        for name, value in due.items():
            if name in line.unclear or actual.get(name) == value:
                continue
            order = f"{name}:order"
            if due["type"] not in self._asking or not _reordered(value, actual.get(name)):
                return name
            if strict and order not in self._disordered:
                return order
        return ""

    # --- streams ----------------------------------------------------------------------------------

    def _asks(self, line: Line) -> bool:
        return line.kind in self._asking

    def _ahead(self, seat: int, count: int | None) -> list[Line]:
        """The next lines of a seat but for unknown messages; if not so many, up to a request."""
        found: list[Line] = []
        for line in self._lines[seat][self._next[seat] :]:
            if len(found) == count:
                break
            if line.message is None and line.framing is None:
                continue
            found.append(line)
            if count is None and (line.kind == "game-end" or self._asks(line)):
                break
        return found

    def _take(self, seat: int, lines: list[Line]) -> list[Line]:
        """Go on behind these lines of a seat."""
        for line in lines:
            while self._lines[seat][self._next[seat]] is not line:
                self._next[seat] += 1
            self._next[seat] += 1
        return lines

    def _check_leaks(self, seat: int, due: Sequence[Message]) -> None:
        """See that no request is sent that was another's and is not due (1.7)."""
        others = [asked for other, asked in enumerate(self._asked) if asked and other != seat]
        ahead = self._ahead(seat, 2)
        if not ahead or ahead[0].message not in others or ahead[0].message == due[0]:
            return
        if ahead[0].message != due[-1] or not self._differs(due[0], ahead[-1]):
            leak = Mismatch("extra", None, ahead[0].message)
            self._mismatch("1.7/2", seat, self._next[seat], leak)
            raise self._stop(seat, self._next[seat])

    @property
    def _broke_down(self) -> bool:
        """Whether it ended before the match: what it had not handed over then says nothing."""
        return self._recorded.exit_code != 0 and self._match.outcome is None

    # --- what is noted ----------------------------------------------------------------------------

    def _look_at_lines(self) -> None:
        """Note what is wrong with the form of lines, whatever they say."""
        for seat, lines in enumerate(self._lines):
            if self._recorded.seats[seat].torn:
                what = "a line without its line end"
                self._found("1.1/1", ("torn",), seat, self._end_of(seat), "whole lines", what)
            for place, line in enumerate(lines):
                if line.framing is not None:
                    case, what = line.framing
                    found = f"{what}: {shown(line)}"
                    self._found(case, (what,), seat, place, "compact JSON, then \\n", found)
                kind = line.kind
                for misfit in line.misfits:
                    shape = Mismatch("shape", line.message, line.message, misfit.field)
                    [case] = self._follower.case_of(shape, _NO_STEP)
                    self._found(
                        "1.6/1" if misfit.field in _PLAYERS else case,
                        ("shape of", kind, misfit.field, misfit.kind),
                        seat,
                        place,
                        f"`{misfit.field}` of {kind} is {misfit.expected}",
                        f"it is {misfit.found}: {shown(line)}",
                        shape=True,
                    )
                extra = "" if kind in self._asking else text(line.extra)
                if any(f'"{secret}"' in extra for secret in self._probes.secrets):
                    found = f"more than that: {extra}"
                    what = f"{kind} without what bots hold"
                    self._found("1.7/2", ("secret", kind), seat, place, what, found)

    def _look_at_the_end(self) -> None:
        """After the end of the match nothing more is sent, and the referee ends (2.14, 8.4)."""
        for seat in self._readers():
            place = self._next[seat]
            for line in self._ahead(seat, 1):
                what = "nothing after game-end"
                self._found("2.14/1", ("after the end",), seat, place, what, shown(line))
        outcome = self._match.outcome
        case = "8.4/1" if outcome and outcome.winners else "3.5/3"
        if self._recorded.exit_code is not None:
            self.result.held[case] += case == "3.5/3"
        else:
            what = "the referee ends, since the match is over"
            self._found(case, ("no end",), 0, self._end_of(0), what, self._ending())

    def _mismatch(self, case: str, seat: int, place: int, mismatch: Mismatch) -> None:
        """Note a mismatch.

        Args:
            place: of the first line of the step.
        """
        lines = self._lines[seat]
        at = next(
            (n for n in range(place, len(lines)) if lines[n].message is mismatch.actual), None
        )
        if mismatch.expected is None:
            kind = mismatch.actual["type"] if mismatch.actual else "message"
            expected = f"no {kind} here"
        else:
            expected = text(mismatch.expected)
        if mismatch.kind == "extra" and mismatch.expected is not None:
            expected = "first: " + expected
        actual = self._ending() if mismatch.actual is None else text(mismatch.actual)
        if mismatch.kind == "missing" and mismatch.actual is None and place < len(lines):
            actual = "nothing of the kind"
        if at is not None:
            actual = shown(lines[at])
        at = min(place, len(lines) - 1) if at is None else at
        self._found(case, mismatch.signature, seat, at, expected, actual)

    def _found(
        self,
        case: str,
        signature: tuple[str, ...],
        seat: int,
        place: int,
        expected: str,
        actual: str,
        *,
        shape: bool = False,
    ) -> None:
        number, step = seat_id(seat), self._step
        has_reply = not shape and step.seat >= 0 and bool(step.line)
        after = f", after the reply of {seat_id(step.seat)}" if has_reply else ""
        expected = f"to {number}{self._seed}{after}: {expected}"
        actual = f"to {number}: {actual}"
        if shape:  # the line itself says enough
            violation = Violation("{} {}.{}".format(*signature), "", expected, actual)
        else:
            kind = "seed" if self._seed else "departure"
            violation = self._recorded.violation(kind, seat, place, expected, actual)
        if has_reply:
            reply = shown(Line(step.line))
            violation = replace(violation, request=text(step.request), reply=reply)
        self.result.add(Finding(case, signature, violation, shape=shape))

    def _end_of(self, seat: int) -> int:
        return len(self._lines[seat]) - 1

    def _stop(self, seat: int, place: int) -> _Stop:
        count = len(self._lines[seat])
        where = f"line {place + 1}" if 0 <= place < count else f"after line {count}"
        return _Stop(f"{self._recorded.id}, {where} to {seat_id(seat)}")

    def _ending(self) -> str:
        """Why nothing more was sent."""
        recorded = self._recorded
        if recorded.error:
            return f"nothing: the referee could not be started: {recorded.error}"
        if recorded.exit_code is None:
            return f"nothing more, until the referee was ended after {recorded.seconds:.1f} s"
        return f"nothing more; the referee ended with exit code {recorded.exit_code}"

    def _misnames(self, expected: object, actual: object) -> bool:
        """Whether a card or a player has a name that nobody knows (1.6)."""
        if isinstance(expected, dict) and isinstance(actual, dict):
            return any(self._misnames(value, actual.get(name)) for name, value in expected.items())
        known = {*self._probes.secrets, *seat_ids(len(self._lines))}
        words = isinstance(expected, str) and isinstance(actual, str)
        return words and expected in known and actual not in known


_PLAYERS = ("player_number", "winners[]")
_NO_STEP = ProbeStep(-1, {}, b"", ())


def _reordered(one: object, other: object) -> bool:
    """Whether two different lists hold the same strings."""
    if not isinstance(one, list) or not isinstance(other, list):
        return False
    return sorted(map(str, one)) == sorted(map(str, other))
