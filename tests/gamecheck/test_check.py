"""Test `check_game` with games that have mistakes. It must find each, and name the line."""

from __future__ import annotations

import itertools
import math
import random
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from referee.gamecheck import check, match
from referee.gamecheck.check import GameReport, check_game
from referee.gamecheck.findings import Findings
from referee.gamecheck.guard import GameStoppedError, Guard
from referee.games.interface.faults import Fault
from referee.games.interface.game import PUBLIC, Outcome, Request, Viewer
from referee.interrupts import Interrupted
from tests.support import mixed
from tests.support.mixed import Mixed, NumberRequest, Taken, View

SECONDS = 5.0
"""The time limit for a call in seconds, long enough for a busy machine."""
COUNTER = itertools.count()


class Wide(View):
    """A view with one more field, which may have any value."""

    more: Any = None


def report(kind: type[Mixed], matches: int = 3, seconds: float = SECONDS) -> GameReport:
    return check_game(msgspec.structs.replace(mixed.RULES, new=kind), matches, 1, seconds)


def seeing(make: Callable[[Mixed, Viewer], Any]) -> type[Mixed]:
    """Make a subclass whose views also contain what `make` returns."""

    class Seeing(Mixed):
        def view(self, viewer: Viewer) -> View:
            seen = super().view(viewer)
            return Wide(seen.scores, seen.request, make(self, viewer))

    return Seeing


class Raises(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        raise ZeroDivisionError("no\nluck")


class Exits(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        sys.exit(0)


class Recursion(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        self.advance(replies)


class Hangs(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        signal.pause()


class Prints(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        print("debug")
        super().advance(replies)


class OwnRandom(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        self._scores[0] += random.randrange(5)
        super().advance(replies)


class Remembers(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        self._events.append(Taken([next(COUNTER)]))


class ViewTakes(Mixed):
    """A game that counts the calls of `view`. The count is in its events, but not in views."""

    looks = 0

    def view(self, viewer: Viewer) -> View:
        self.looks += 1
        return super().view(viewer)

    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        self._events.append(Taken([self.looks]))


class Shares(Mixed):
    def view(self, viewer: Viewer) -> View:
        return View(self._scores, super().view(viewer).request)


class Endless(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        self._rounds = min(self._rounds, 1)


class NoOutcome(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        self.outcome = None


class Ranks(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        if self.outcome:
            self.outcome = Outcome(self.outcome.reason, tuple(range(len(self._scores))))


class Reason(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        if self.outcome:
            self.outcome = Outcome("enough", self.outcome.ranks)


class TrueScore(Mixed):
    def standings(self) -> Any:
        return [msgspec.structs.replace(each, score=True) for each in super().standings()]


class FewScores(Mixed):
    def standings(self) -> Any:
        return super().standings()[1:]


class Unknown(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        self._events.append(NumberRequest([], []))


class UnknownFault(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        self._events.append(Fault(0, "bad-luck", "5", "no"))


class AsksTwice(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        self.requests = self.requests * 2


class AsksTheLeft(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        if self._left and not self.outcome:
            asks = NumberRequest([1, 2, 3], [])
            self.requests = tuple(Request(seat, asks) for seat in range(len(self._scores)))


class TrueForOne(Mixed):
    def view(self, viewer: Viewer) -> View:
        return View([True, *super().view(viewer).scores[1:]], super().view(viewer).request)


def test_a_right_game_passes() -> None:
    found = report(Mixed)
    assert found.passed
    assert found.matches == 3
    assert [finding.kind for finding in found.findings] == ["open"]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (Raises, "advance raised ZeroDivisionError: no luck: correct this line"),
        (Exits, "advance raised SystemExit: 0: correct"),
        (Recursion, "advance raised RecursionError: "),
        (Prints, "remove the print"),
        (OwnRandom, "random.randrange is not the chance of the match"),
        (Remembers, "the same replies lead to another match (round 2: events)"),
        (ViewTakes, "a match without views is different (round 2: events)"),
        (Shares, "changes with the game later: put copies of lists into it"),
        (NoOutcome, "the game has neither requests nor an outcome"),
        (Ranks, "the ranks are [0, 1, 2, 3]"),
        (Reason, "the end reason 'enough' is not in GameDefinition.reasons"),
        (TrueScore, "the score True is not a number of JSON"),
        (FewScores, "3 standings for 4 seats"),
        (Unknown, "the message NumberRequest is not listed"),
        (UnknownFault, "the fault 'bad-luck' is not in GameDefinition.faults"),
        (AsksTwice, "requests of seats ["),
        (TrueForOne, "view(0) is not as View has it: Expected `int`, got `bool`"),
        (AsksTheLeft, "a seat that has left gets a request"),
    ],
)
def test_a_mistake_is_found_with_its_place(kind: type[Mixed], says: str) -> None:
    matches = 20 if kind is AsksTheLeft else 3  # until somebody leaves in the middle of a match
    errors = [finding for finding in report(kind, matches).findings if finding.is_error]
    found = next((finding for finding in errors if says in finding.text), None)
    assert found is not None, errors
    assert found.where.partition(":")[0].endswith(("test_check.py", "mixed.py"))
    assert len(errors) == 1, errors


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda game, viewer: {1, 2}, "view(0).more is a set"),
        (lambda game, viewer: float("nan"), "view(0).more is nan"),
        (lambda game, viewer: {"n": [2**70]}, "view(0).more.n[0] is an integer above 2^53"),
        (lambda game, viewer: {1: 2}, "view(0).more has the key 1"),
        (
            lambda game, viewer: game.__dict__.setdefault("n", COUNTER) and next(COUNTER),
            "second call",
        ),
        (
            lambda game, viewer: 7 if viewer is PUBLIC else None,
            "view(PUBLIC) shows more, and view(0)",
        ),
        (
            lambda game, viewer: viewer if isinstance(viewer, int) else None,
            "view(0) shows more, and view(ALL)",
        ),
    ],
)
def test_a_wrong_view_is_found(make: Callable[[Mixed, Viewer], Any], says: str) -> None:
    errors = [finding for finding in report(seeing(make)).findings if finding.is_error]
    assert any(says in finding.text for finding in errors), errors


def test_a_check_goes_on_after_a_match_that_failed() -> None:
    rules = msgspec.structs.replace(
        mixed.RULES, new=lambda setup: Raises(setup) if setup.seed == 2 else Mixed(setup)
    )
    told: list[int] = []
    found = check_game(rules, 3, 1, SECONDS, on_match=told.append)
    assert (found.passed, found.matches, told) == (False, 2, [0, 1, 2])
    told.clear()
    check_game(mixed.RULES, 1, 1, SECONDS, thorough=True, on_match=told.append)
    assert told == [0, 2]


def test_the_time_of_calls_is_summed_by_what_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(0.0)  # each call takes a second
    monkeypatch.setattr("referee.gamecheck.guard.time.monotonic", lambda: next(clock))
    told: list[dict[str, float]] = []
    guard = Guard(Findings(), SECONDS, lambda spent: told.append(dict(spent)))
    for what, call in (("view(0)", int), ("view(PUBLIC)", int), ("legal", lambda: 1 / 0)):
        with suppress(GameStoppedError):
            guard(what, call)
    assert told == [{"view": 1.0}, {"view": 2.0}, {"view": 2.0, "legal": 1.0}]


def test_a_slow_game_is_told_how_many_replies_a_second_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = itertools.count(0.0)  # one second for each match that is measured
    monkeypatch.setattr(check, "time", SimpleNamespace(process_time=clock.__next__))
    found = check_game(mixed.RULES, 4, 0, SECONDS)
    assert found.seconds == 4 / found.replies
    (slow,) = (finding for finding in found.findings if finding.kind == "slow")
    rate = f"a tournament plays {found.replies / 4:,.0f} a second"
    assert slow.text == f"{4000 / found.replies:.0f} ms per reply: {rate}"
    assert not slow.is_error
    still = itertools.repeat(0.0)
    monkeypatch.setattr(check, "time", SimpleNamespace(process_time=still.__next__))
    assert [finding.kind for finding in check_game(mixed.RULES, 1, 0, SECONDS).findings] == ["open"]


@pytest.mark.parametrize(
    ("score", "right"),
    [(2**53, True), (2**53 + 1, False), (-(2**53), True), (-(2**53) - 1, False), (0.5, True)]
    + [(odd, False) for odd in (math.nan, math.inf, "3", None)],
)
def test_the_bounds_of_a_score(score: Any, right: bool) -> None:
    class Scored(Mixed):
        def standings(self) -> Any:
            return [msgspec.structs.replace(each, score=score) for each in super().standings()]

    found = check_game(msgspec.structs.replace(mixed.RULES, new=Scored), 1, 0, SECONDS)
    texts = {finding.text for finding in found.findings if finding.is_error}
    says = f"the score {score!r} is not a number of JSON: give an int or a float"
    assert texts == (set() if right else {says})


def test_matches_of_a_check_have_all_numbers_of_seats_and_few_wrong_replies() -> None:
    rules = msgspec.structs.replace(mixed.RULES, min_seats=2, max_seats=4)
    made = check.settings(rules, 30, 0)
    assert check.settings(rules, 3, 7) == made[7:10]
    assert [each.seed for each in made] == [*range(30)]
    assert [each.seats for each in made[:7]] == [2, 3, 4, 2, 3, 4, 2]
    assert [each.wrong for each in made[:6]] == [0, 0.1, 0, 0, 0.1, 0]
    assert [each.leaving for each in made[:10]] == [0, 0, 0, 0, 0.2, 0, 0, 0, 0, 0.02]


def played(**fields: Any) -> Any:
    """Make a match that was played, without playing one."""
    usual = {"trace": [], "has_left": False, "reason": "over", "scores": [1, 2], "is_open": False}
    usual["count"] = 1
    setting = check.Setting(1, 2, wrong=fields.pop("wrong", 0.0))
    return SimpleNamespace(**usual | fields, setting=setting)


def rounds(*values: int) -> list[bytes]:
    return [msgspec.json.encode([[], [], [], [], value, None]) for value in values]


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        (rounds(1, 2), rounds(1, 2), ""),
        (rounds(1, 2), rounds(1, 3), "round 2: turns"),
        (rounds(1, 2), rounds(1), "another length"),
        (rounds(1, 2), rounds(2), "round 1: turns"),
        ([b'[[],{"a":1,"b":2},1,1,1,1]'], [b'[[],{"b":2,"a":1},1,1,1,1]'], "round 1: order"),
    ],
)
def test_where_two_matches_differ(one: list[bytes], other: list[bytes], where: str) -> None:
    assert check._difference(played(trace=one), played(trace=other)) == where


@pytest.mark.parametrize(
    ("matches", "kinds"),
    [
        ([played(), played()], set()),
        ([played(reason="turn-limit"), played(reason="turn-limit")], {"turn-limit"}),
        ([played(reason="turn-limit"), played()], set()),
        ([played(reason="turn-limit"), played(has_left=True)], {"turn-limit"}),
        ([played(reason="turn-limit"), played(wrong=0.1)], {"turn-limit"}),
        ([played(scores=[1, 1]), played(scores=[1, 1])], {"scores-equal"}),
        ([played(scores=[1, 1], wrong=0.1), played(scores=[1, 1], wrong=0.1)], set()),
        ([played(scores=[1, 1]), played(scores=[1, 2])], set()),
        ([played(scores=[1, 1]), played(scores=[2, 2])], set()),
        ([played(scores=[1, 1])], set()),
        ([played(count=0), played(count=0)], {"no-replies"}),
        ([played(count=0), played()], set()),
        ([played(is_open=True), played(is_open=True)], {"open"}),
        ([played(is_open=True), played()], set()),
        ([played(is_open=True), played(has_left=True)], set()),
        ([played(has_left=True, is_open=True, reason="turn-limit")], set()),
        ([], set()),
    ],
)
def test_remarks_about_all_matches(matches: list[Any], kinds: set[str]) -> None:
    """Matches in which a seat left say nothing of the game's own end."""
    found = Findings()
    check._check_all_matches(mixed.RULES, matches, found)
    assert {finding.kind for finding in found.all} == kinds
    assert {finding.kind for finding in found.all if finding.is_error} == kinds & {"no-replies"}


def test_a_signal_while_a_game_is_checked_is_not_its_mistake() -> None:
    def interrupted() -> None:
        raise Interrupted(signal.SIGINT)

    found = Findings()
    with pytest.raises(Interrupted):
        Guard(found, SECONDS)("apply", interrupted)
    assert found.all == []


def test_a_kind_of_mistake_is_told_once_for_each_line() -> None:
    found = Findings()
    found.add("a", "remark", "f:1", is_error=False)
    for text, where in (("one", "f:1"), ("two", "f:2"), ("three", "f:2"), ("x", ""), ("y", "")):
        found.add("b", text, where)
    assert [finding.text for finding in found.all] == ["one", "two", "x", "y", "remark"]
    assert (found.has("a"), found.has("b"), found.has("c")) == (True, True, False)


@pytest.mark.parametrize(
    ("less", "more", "where"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, ""),
        ({"a": 1, "b": None}, {"a": 1}, ""),
        ({"a": 1}, {}, "a"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b"),
        ({"a": {"b": 1}}, {"a": [1]}, ""),
        ({"a": ""}, {"a": "x"}, ""),
        ({"a": ["?", "?"]}, {"a": ["red", "blue"]}, ""),
        ({"a": "??"}, {"a": "red"}, "a"),
        ({"a": 0}, {"a": None}, "a"),
        ({"a": [1, 2]}, {"a": [2, 1]}, ""),
        ({"a": [1, 2]}, {"a": [1, 3]}, "a[1]"),
        ({"a": [1, None]}, {"a": [1, 3]}, ""),
        ({"a": [1, 2]}, {"a": [1]}, ""),
        ({"a": "x?"}, {"a": "xy"}, ""),
        ({"a": "xy"}, {"a": "x?"}, "a"),
        ({"a": "x"}, {"a": "xy"}, "a"),
    ],
)
def test_what_one_view_shows_and_the_other_does_not(less: Any, more: Any, where: str) -> None:
    assert match.first_extra(less, more, "") == where


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        ({"a": 1, "b": [1, {"c": 2}]}, {"a": 1, "b": [1, {"c": 3}]}, "b[1].c"),
        ({"a": [1, 2], "b": 1}, {"a": [1, 3], "b": 2}, "a[1]"),
        ({"a": [1, 2]}, {"a": [1]}, "a"),
        ({"a": {"b": 1}}, {"a": {"c": 1}}, "a"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "an order"),
    ],
)
def test_where_two_texts_differ(one: Any, other: Any, where: str) -> None:
    assert match.first_difference(msgspec.json.encode(one), msgspec.json.encode(other)) == where


def test_an_object_in_a_view_is_found() -> None:
    found = report(seeing(lambda game, viewer: object()))
    assert "JSON cannot carry this" in found.findings[0].text
    assert found.matches == 0


def test_a_game_that_nobody_can_play_says_what_to_add() -> None:
    definition = msgspec.structs.replace(mixed.RULES, person=None, make_environment=None)
    (finding,) = check_game(definition, 1, 0, SECONDS).findings
    assert "add an environment, a person or a simplest_reply" in finding.text


def test_people_play_a_game_without_an_environment() -> None:
    definition = msgspec.structs.replace(mixed.RULES, make_environment=None)
    found = check_game(definition, 6, 0, SECONDS)
    assert found.passed
    assert found.matches == 6


@pytest.mark.untraced  # under a tracer a call has no limit
def test_a_call_without_an_end_is_found() -> None:
    (found,) = report(Hangs, seconds=2.0).findings
    assert found.text.startswith("advance takes more than 2 seconds")
    assert found.where.startswith("tests/gamecheck/test_check.py:")


def test_a_match_without_an_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "MAX_ROUNDS", 20)
    found = report(Endless).findings[0]
    assert found.text.startswith("a random match has no end after 20 rounds")
    assert found.where.startswith("tests/gamecheck/test_check.py:")
