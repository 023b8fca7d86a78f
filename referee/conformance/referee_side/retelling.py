"""A match that another referee has played, played again by our rules, up to the first departure.

The replies are the probes' own. Chance is looked up in what the seats were sent (the game's
`Shadow`). Everything else must be as our rules say: for each seat every message, in its order. What
departs so that the rest can still be told apart, such as a message that is merely written badly, is
noted and the match goes on; with the first other departure it is over.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from referee.conformance.referee_side.framing import (
    LINE_LIMIT,
    compact,
    name_rules,
    reply_rules,
)
from referee.conformance.referee_side.recording import Played
from referee.conformance.referee_side.streams import (
    Stream,
    kind_of,
    known_fields,
    same,
    text_of,
)
from referee.conformance.verdict import Violation
from referee.game import (
    PLAYER_NUMBERS,
    Departure,
    Disqualification,
    Game,
    Rules,
    Setup,
    Shadow,
    Witnessed,
    player_number,
)
from referee.match import DEFAULT_MAX_TURNS, Match, Sent

# Notes of a probe.
NOISE = "noise"
CLOSES = "closes its output"


class Found(Struct):
    """A departure.

    Attributes:
        candidates: the cases that it may break, the likeliest first.
        violation: what is to be told of it; its section is filled in with the case.
    """

    candidates: list[str]
    violation: Violation


class Retold(Struct):
    """What a match showed.

    Attributes:
        id: of the match.
        passed: case, or "case#part" -> in how many steps it held.
        noted: what departs and leaves the rest of the match as it is; each of one case.
        departure: the first other departure; None if there is none.
        steps: how many steps were right.
        openings: the first request of each seat that is no handshake.
    """

    id: str
    passed: Counter[str]
    noted: list[Found] = []
    departure: Found | None = None
    steps: int = 0
    openings: list[str] = []


class _DepartedError(Exception):
    """The match cannot be followed any further."""

    def __init__(self, found: Found) -> None:
        super().__init__(found.candidates)
        self.found = found


def retell(played: Played, rules: Rules) -> Retold:
    """Play a match again, and say where it departs."""
    teller = _Teller(played, rules)
    try:
        teller.tell()
    except _DepartedError as departed:
        teller.told.departure = departed.found
    teller.note_orders()
    return teller.told


class _Teller:
    def __init__(self, played: Played, rules: Rules) -> None:
        self.told = Retold(played.id, Counter())
        self._played = played
        self._rules = rules
        self._decisions = {str(struct.__struct_config__.tag) for struct in rules.requests}
        self._requests = {*self._decisions, "player-name-request"}
        self._fields = {"type"}.union(
            *(struct.__struct_encode_fields__ for struct in rules.replies)
        )
        known = known_fields(rules)
        self._public = known.keys() - self._requests
        self._streams = [Stream(probe, known) for probe in played.probes]
        self._match = Match(
            msgspec.structs.replace(rules, new=self._new),
            seats=len(played.probes),
            seed=0,
            max_turns=DEFAULT_MAX_TURNS,
        )
        self._shadow: Shadow | None = None
        self._about: list[str] = []  # what the reply of this step is about, whatever the game
        self._names: dict[int, list[str]] = {}
        self._broke_down = not any("game-end" in map(kind_of, s.messages) for s in self._streams)
        self._began = False
        self._opening_step = True  # the step in which the handshakes end
        self._noted: set[str] = set()
        self._last = -1  # who has replied last
        self._asked: dict[str, Any] = {}  # the last request
        self._missing: list[Found] = []  # news of who left that did not come, in this step
        self._missing_seat = 0
        self._leaving: list[str] = []  # what the leave of this step was about
        self._orders: list[Found] = []  # hands in another order
        self._drawn_in_another_order = False

    def _new(self, setup: Setup) -> Game:
        requests = [
            [m for m in stream.messages if m is not None and m["type"] in self._decisions]
            for stream in self._streams
        ]
        longest = max(self._streams, key=lambda stream: len(stream.messages))
        public = [m for m in longest.messages if m is not None and m["type"] in self._public]
        self._shadow = self._rules.probes.shadow(setup, Witnessed(requests, public))
        return self._shadow

    # --- the course of the match --------------------------------------------------------------

    def tell(self) -> None:
        """Play the match; raises where it departs."""
        for stream in self._streams:
            kinds = map(kind_of, stream.messages)
            self.told.openings += [
                text_of(message)
                for message, kind in zip(stream.messages, kinds, strict=True)
                if kind in self._decisions
            ][:1]
        match = self._match
        match.start()
        self._compare()
        self._step_is_right(["2.1/1"])
        while match.due:
            seat = match.due[0]
            self._take_reply(seat)
            self._opening_step = not self._began
            self._compare()
            self.told.noted += self._missing
            self._missing = []
            self._step_is_right(self._step_rules(self._opening_step))
        self._check_rest()

    def note_orders(self) -> None:
        """Say what hands in another order mean."""
        orders = self._orders
        if len(orders) > 2:  # a habit, and nothing that one card does
            self.told.noted.append(orders[0])
            orders[0].candidates = orders[0].candidates[:1]
        elif orders and not self._drawn_in_another_order:
            # Once, within a turn: that is what the card did, and what came later follows from it.
            if self.told.departure is None:
                self.told.noted.append(orders[0])
            else:
                self.told.departure = orders[0]

    def _take_reply(self, seat: int) -> None:
        """Give the match the reply of the seat that is due, or take the seat out."""
        stream = self._streams[seat]
        probe = stream.probe
        number = stream.replied
        match = self._match
        handshake = not match.requests[seat]
        self._about = []
        self._leaving = []
        self._last = seat
        if number >= len(probe.replies):
            if not probe.leaves:
                self._no_reply(seat)
            rule = "3.4/2" if handshake else "8.2/1"
            if probe.cut:
                rule = "1.1/6"
            elif CLOSES in probe.notes:
                rule = "8.2/2"
            self._about = self._leaving = [rule]
            if handshake:
                self._names[seat] = [rule]
            match.disqualify(seat, Disqualification.EXITED, "as its plan says")
            return
        line = probe.replies[number]
        stream.replied += 1
        if len(line) > LINE_LIMIT:
            self._about = self._leaving = ["1.3/2"]
            match.disqualify(seat, Disqualification.OUTPUT_LIMIT, "as its plan says")
            return
        if handshake:
            self._names[seat] = self._about = name_rules(line, player_number(seat))
        else:
            early = stream.requests_before(probe.after[number], self._requests) <= number
            self._about = reply_rules(line, probe.blanks[number], early, self._fields)
            if early and probe.leaves:
                self._about = ["8.2/3"]
        if self._shadow is not None:
            self._shadow.hear(line)
        match.receive(seat, line)

    def _step_rules(self, in_handshake: bool) -> list[str]:
        """What the step that has just been compared was about."""
        rules = list(self._about)
        match = self._match
        if in_handshake:
            if not self._began:
                return []
            rules = [rule for names in self._names.values() for rule in names]
            rules += ["2.2/1"]
            if match.gone:
                rules.append("3.5/1" if match.due else "")
        if match.outcome is not None:
            rules.append("2.14/1")
            reason = match.outcome.reason
            if in_handshake:
                rules.append("3.5/2" if match.outcome.winners else "3.5/3")
            elif reason == "last-player-standing":
                rules.append("8.3/1")
        if self._shadow is not None:
            rules += self._shadow.rules()
        return [rule for rule in rules if rule]

    def _step_is_right(self, rules: Iterable[str]) -> None:
        self.told.passed.update(set(rules) | {"1.1/1", "1.6/1", "1.7/1", "8.1/1"})
        self.told.steps += 1

    # --- comparing ----------------------------------------------------------------------------

    def _compare(self) -> None:
        """Compare what the match says now with what was sent."""
        match = self._match
        entries = [entry for entry in match.take_entries() if isinstance(entry, Sent)]
        for place, entry in enumerate(entries):
            message = json.loads(entry.line)
            if message["type"] == "player-name":
                self._began = True
            to = [entry.to] if entry.to is not None else range(len(self._streams))
            # One that has left of its own accord has read no more than it has.
            seats = [seat for seat in to if seat not in match.gone and not self._has_left(seat)]
            wrong = [seat for seat in seats if not self._agrees(seat, message, entry)]
            if len(wrong) < len(seats) and self._broke_down:
                # What it had not handed over when it broke down says nothing.
                wrong = [seat for seat in wrong if self._streams[seat].next() is not None]
            if entry.to is not None and not wrong:
                self._asked = message
            if not wrong and message["type"] == "player-disqualified":
                self.told.passed["2.13/1"] += 1
            if wrong:
                self._depart(entries[place:], message, wrong, len(wrong) < len(seats))

    def _has_left(self, seat: int) -> bool:
        """Whether nothing more is to be seen of what the seat is sent."""
        stream = self._streams[seat]
        return stream.probe.leaves and stream.next() is None

    def _agrees(self, seat: int, expected: dict[str, Any], entry: Sent) -> bool:
        """Whether the seat was sent this message next; if so it is done with."""
        stream = self._streams[seat]
        place = stream.next()
        if place is None:
            return False
        actual = stream.messages[place]
        if place == stream.place and stream.probe.received[place] == entry.line[:-1]:
            stream.place += 1  # to the letter: there is no more to say of it
            self.told.passed.update(("1.1/2", "1.7/2"))
            return True
        if actual is None or not same(expected, actual):
            if actual is None or self._shadow is None or entry.to is None:
                return False
            known = {name: value for name, value in actual.items() if name in expected}
            rule = self._shadow.adopt(seat, known)
            if not rule:
                return False
            detail = "the cards of the hand are in another order"
            rules = [rule, *self._shadow.rules()]
            self._orders.append(self._found(rules, seat, place, expected, detail))
            if len(self._orders) == 1:
                self._drawn_in_another_order = not expected.get("cards_played")
        self._look_at_lines(seat, place, expected, entry.to)
        stream.place = place + 1
        return True

    def _look_at_lines(
        self, seat: int, place: int, expected: dict[str, Any], to: int | None
    ) -> None:
        """Note what is wrong with the way in which a right message is written, or what is extra."""
        stream = self._streams[seat]
        line = stream.probe.received[place]
        if line.endswith(b"\r"):
            self._note("1.1/1", seat, place, expected, "a line that ends with \\r\\n")
        elif not compact(line):
            self._note("1.1/2", seat, place, expected, "spaces between the parts of the JSON")
        else:
            self.told.passed["1.1/2"] += 1
        for at in range(stream.place, place + 1):
            message = stream.messages[at] or {}
            known = expected if at == place else {}
            extra = {name: value for name, value in message.items() if name not in known}
            private = to is not None and at == place
            if extra.keys() - {"type"} and not private and self._names_cards(extra):
                found = f"more than that: {json.dumps(extra)}"
                self._note("1.7/2", seat, at, expected, found)
        self.told.passed["1.7/2"] += 1

    def _names_cards(self, value: object) -> bool:
        """Whether there is a card's id in a JSON value."""
        if isinstance(value, dict):
            return any(self._names_cards(inner) for inner in value.values())
        if isinstance(value, list):
            return any(self._names_cards(inner) for inner in value)
        return isinstance(value, str) and value in self._rules.probes.secrets

    # --- departures ---------------------------------------------------------------------------

    def _depart(
        self,
        entries: Sequence[Sent],
        expected: dict[str, Any],
        wrong: Sequence[int],
        elsewhere_right: bool,
    ) -> None:
        """Say what departs here; returns only if the match can be followed on.

        Args:
            entries: what is right from here on; `expected` is the first of it.
            wrong: the seats that were not sent it.
            elsewhere_right: whether another seat was.
        """
        kind = expected["type"]
        # The stream of the one who replied says most.
        seat = self._last if self._last in wrong else wrong[0]
        stream = self._streams[seat]
        place = stream.next()
        actual = None if place is None else stream.messages[place]
        reordered = self._reordered(entries, seat)
        if kind == "player-disqualified" != kind_of(actual) and not reordered:
            # An extension that not every referee has (2.13); if all is right without it.
            at = stream.place - 1
            self._missing.append(self._found(["2.13/1"], seat, at, expected, "nothing"))
            self._missing_seat = PLAYER_NUMBERS.index(expected["player_number"])
            return
        departure = Departure(
            expected=expected,
            actual=actual,
            seat=entries[0].to,
            elsewhere=self._elsewhere(seat),
            reordered=reordered,
            due=[json.loads(entry.line)["type"] for entry in entries],
        )
        if actual is None and (place is not None or stream.probe.torn):
            candidates = ["1.1/1"]  # no JSON object, or no whole line
        else:
            due = [json.loads(entry.line) for entry in entries if entry.to == seat]
            leaked = (
                departure.seat is None
                and seat != self._last
                and same(self._asked, actual)
                and actual not in due
            )
            candidates = self._candidates(departure, seat, elsewhere_right, leaked)
        raise _DepartedError(self._found(candidates, seat, place, expected))

    def _candidates(
        self,
        departure: Departure,
        seat: int,
        elsewhere_right: bool,
        leaked: bool,
    ) -> list[str]:
        """The cases that it may break, the likeliest first.

        Args:
            seat: whose stream it was seen in.
            elsewhere_right: whether another seat was sent what is right.
            leaked: whether the seat was sent another's request in place of news.
        """
        expected, actual = departure.expected, departure.actual
        kind = expected["type"]
        if kind == "player-name-request":
            return ["2.1/1"]
        if actual is None and self._is_thrown_out(seat) and self._opening_step:
            return self._names[seat]
        if elsewhere_right and not self._is_inserted(seat, expected):
            return ["1.7/2"] if leaked else ["1.7/1"]
        if actual is not None and self._misnames(expected, actual):
            return ["1.6/1"]
        if not self._began or kind == "player-name":
            return self._name_candidates(expected, actual)
        if self._missing:
            # Nobody was told that this player left: it did not.
            return self._leaving or self._names[self._missing_seat]
        if kind == "player-disqualified":
            if departure.reordered:
                return ["2.15/7"]
            return self._leaving or self._handshake_of(expected) or ["2.13/1"]
        assert self._shadow is not None  # the match has begun
        blamed = list(self._shadow.blame(departure))
        if self._opening_step:
            if actual is not None and actual["type"] == "player-disqualified":
                return self._handshake_of(actual) or ["2.13/1"]
            if self._match.outcome is not None:
                rule = "3.5/2" if self._match.outcome.winners else "3.5/3"
                return [rule, *(other for other in blamed if other != "8.3/1")]
            return ["3.5/1", *blamed] if self._match.gone else blamed
        if self._leaving or (kind == "game-end" and kind_of(actual) == "game-end"):
            return blamed
        return [*blamed, *self._about]

    def _name_candidates(
        self, expected: Mapping[str, Any], actual: Mapping[str, Any] | None
    ) -> list[str]:
        if actual is not None and actual["type"] == "player-name":
            if actual.get("player_number") != expected["player_number"]:
                return ["2.2/1"]
            if not same(actual.get("version"), expected["version"]):
                return ["2.2/1"]
            return self._handshake_of(expected) or ["2.2/1"]
        if actual is not None and actual["type"] == "player-disqualified":
            return self._handshake_of(actual) or ["2.2/1"]
        return [*(rule for names in self._names.values() for rule in names), "2.2/1"]

    def _handshake_of(self, message: Mapping[str, Any]) -> list[str]:
        """What the handshake was about of the player that a message names; empty if nobody is."""
        number = message.get("player_number")
        named = [seat for seat in self._names if player_number(seat) == number]
        return self._names[named[0]] if named else []

    def _elsewhere(self, seat: int) -> dict[int, Mapping[str, Any]]:
        """The requests that are next for other seats."""
        found: dict[int, Mapping[str, Any]] = {}
        for other, stream in enumerate(self._streams):
            place = stream.next()
            message = None if place is None else stream.messages[place]
            there = other != seat and other not in self._match.gone
            if there and message is not None and message["type"] in self._requests:
                found[other] = message
        return found

    def _reordered(self, entries: Sequence[Sent], seat: int) -> bool:
        """Whether the messages of this step came to a seat in another order."""
        right = [json.loads(entry.line) for entry in entries if entry.to in (None, seat)]
        stream = self._streams[seat]
        came = [stream.messages[place] for place in stream.ahead()][: len(right)]
        if len(came) < len(right) or None in came or len(right) < 2:
            return False
        return sorted(map(text_of, right)) == sorted(map(text_of, came)) and right != came

    def _is_inserted(self, seat: int, expected: Mapping[str, Any]) -> bool:
        """Whether the right message follows on a request that is one too many."""
        stream = self._streams[seat]
        soon = [stream.messages[place] for place in stream.ahead()][:2]
        if not soon or kind_of(soon[0]) not in self._requests:
            return False
        if seat == self._last or len(soon) < 2:
            return seat == self._last
        leaked = seat != self._last and same(self._asked, soon[0])
        return not leaked and same(expected, soon[1])

    def _is_thrown_out(self, seat: int) -> bool:
        """Whether others are told that a seat has left."""
        news = {"type": "player-disqualified", "player_number": player_number(seat)}
        return any(
            same(news, stream.messages[place])
            for stream in self._streams
            for place in stream.ahead()
        )

    def _misnames(self, expected: object, actual: object) -> bool:
        """Whether a card or a player has a name that nobody knows (1.6)."""
        if isinstance(expected, dict) and isinstance(actual, dict):
            return any(self._misnames(value, actual.get(name)) for name, value in expected.items())
        known = {*self._rules.probes.secrets, *PLAYER_NUMBERS}
        if isinstance(expected, str) and isinstance(actual, str):
            return expected in known and actual not in known
        return False

    def _no_reply(self, seat: int) -> None:
        """The referee did not wait for the seat's reply."""
        stream = self._streams[seat]
        detail = f"it did not wait for it; {self._ending(seat)}"
        rule = "1.4/1" if NOISE in stream.probe.notes else "8.1/1"
        found = self._found([rule], seat, stream.place - 1, {"type": "a reply is due"}, detail)
        raise _DepartedError(found)

    def _check_rest(self) -> None:
        """After the end of the match nothing more is sent (2.14)."""
        for seat, stream in enumerate(self._streams):
            place = stream.next()
            if seat not in self._match.gone and place is not None:
                nothing = {"type": "nothing after game-end"}
                raise _DepartedError(self._found(["2.14/1"], seat, place, nothing))
        if self._played.exit_code is None:
            rule = "8.4/1" if self._match.outcome and self._match.outcome.winners else "3.5/3"
            end = {"type": "the end of the referee, since the match is over"}
            raise _DepartedError(self._found([rule], 0, None, end))

    def _note(
        self, rule: str, seat: int, place: int, expected: dict[str, Any], detail: str
    ) -> None:
        if rule not in self._noted:
            self._noted.add(rule)
            self.told.noted.append(self._found([rule], seat, place, expected, detail))

    def _found(
        self,
        candidates: list[str],
        seat: int,
        place: int | None,
        expected: dict[str, Any],
        detail: str = "",
    ) -> Found:
        """Describe a departure."""
        stream = self._streams[seat]
        last = len(stream.messages) - 1 if place is None else place
        actual = detail or self._ending(seat)
        if not detail and place is not None:
            actual = stream.probe.received[place].decode(errors="backslashreplace")
        shown = text_of(expected) if len(expected) > 1 else str(expected["type"])
        probe = player_number(seat)
        return Found(
            list(dict.fromkeys(candidates)),
            Violation(
                kind="departure",
                section="",
                expected=f"to {probe}: {shown}",
                actual=f"to {probe}: {actual}",
                conversation=self._played.conversation(seat, last),
            ),
        )

    def _ending(self, seat: int) -> str:
        """Why nothing more was sent."""
        played = self._played
        if played.error:
            return f"nothing: the referee could not be started: {played.error}"
        if played.exit_code is None:
            return f"nothing more, until the referee was ended after {played.seconds:.1f} s"
        if self._streams[seat].probe.torn:
            return "a line without its line end"
        return f"nothing more; the referee ended with exit code {played.exit_code}"
