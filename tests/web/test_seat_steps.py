"""A seat's page contains what the seat was sent, and nothing that reveals more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.games import GAMES
from referee.games.dominion import RULES
from referee.games.dominion.rules.game import Options
from referee.games.interface.faults import Disqualification
from referee.match.machine import Match, Received, Sent
from referee.match.spec import match_spec
from referee.web.steps import SeatSteps
from tests.support.forked import Forked
from tests.support.helpers import TIMES, full_supply, name_line
from tests.support.random_players import mixed, right

SAME = 1_000_000  # so far into the match that the draws never differ


def pages(
    seed: int,
    seats: int,
    fork: int,
    choose: Any,
    leaving: float = 0.0,
    *,
    rules: Any = RULES,
    turns: int = 8,
) -> Iterator[tuple[int, bytes, list[str], SeatSteps]]:
    """Play a match. After each round, yield the seats with their pages and the lines so far."""
    match = Match(rules, seats=seats, seed=seed, options=Options(turns), chance=Forked(seed, fork))
    made = [SeatSteps(rules, seat) for seat in range(seats)]
    heard: list[list[str]] = [[] for _ in range(seats)]
    dice = [Random(f"{seed}/{seat}") for seat in range(seats)]
    asked: dict[int, Any] = {}
    supply = full_supply(seats)
    match.start()
    while True:
        entries = match.take_entries()
        for entry in entries:
            if isinstance(entry, Sent):
                message = json.loads(entry.line)
                if message["type"] == "supply-info":
                    supply = {pile["card"]: pile["count"] for pile in message["cards"]}
                if entry.to is not None:
                    asked[entry.to] = message
                for seat in range(seats) if entry.to is None else (entry.to,):
                    if seat not in match.disqualified:
                        heard[seat].append(entry.line.decode().rstrip("\n"))
            elif isinstance(entry, Received):
                heard[entry.seat].append(entry.line.decode(errors="replace"))
        for seat, steps in enumerate(made):
            steps.add(match, entries)
            if seat not in match.disqualified:
                whole = [steps.steps, steps.turns, steps.lines, steps.turning_points()]
                yield seat, msgspec.json.encode(whole), heard[seat], steps
        if not match.due:
            return
        seat = match.due[0]
        if asked[seat]["type"] == "player-name-request":
            match.receive(seat, name_line(seat))
        elif dice[seat].random() < leaving:
            match.disqualify(seat, Disqualification.TIMEOUT, f"in {match.turns} turns")
        else:
            match.receive(seat, choose(dice[seat], asked[seat], supply))


def check_hidden(
    seed: int, seats: int, fork: int, choose: Any, leaving: float, turns: int = 8
) -> None:
    """If the seat's lines are the same so far, hidden cards must not change its page."""
    seen: dict[tuple[int, int], bytes] = {}
    for seat, page, heard, _ in pages(seed, seats, SAME, choose, leaving, turns=turns):
        seen[seat, hash(tuple(heard))] = page
    for seat, page, heard, _ in pages(seed, seats, fork, choose, leaving, turns=turns):
        assert seen.get((seat, hash(tuple(heard))), page) == page


@pytest.mark.parametrize("choose", [right, mixed])
def test_what_is_hidden_changes_no_byte_of_two_turns(choose: Any) -> None:
    for fork in (0, 3):
        check_hidden(5, 2, fork, choose, 0.0, turns=2)


@pytest.mark.slow
@pytest.mark.untraced
@settings(max_examples=4 * TIMES)
@given(
    st.integers(0, 2**53 - 1),
    st.integers(2, 4),
    st.integers(0, 60),
    st.sampled_from([right, mixed]),
    st.sampled_from([0.0, 0.02]),
)
@example(seed=397425893, seats=4, fork=12, choose=right, leaving=0.0)  # a treasure before a curse
def test_what_is_hidden_changes_no_byte(
    seed: int, seats: int, fork: int, choose: Any, leaving: float
) -> None:
    check_hidden(seed, seats, fork, choose, leaving)


@pytest.mark.parametrize("seats", [2, 3])
def test_the_lines_are_those_that_the_seat_was_sent(seats: int) -> None:
    for _, _, heard, made in pages(7, seats, SAME, right, turns=3):
        assert [line.text for line in made.lines] == heard
    last = made.steps[-1]
    assert [mark.kind for mark in last.marks] == ["end"]
    assert last.lines[1] == len(made.lines)
    assert [turn.turn for turn in made.turns] == list(range(1, len(made.turns) + 1))
    assert all(turn.title for turn in made.turns)
    assert set(made.steps[0].set) == {str(seats - 1)}
    # Otherwise the seat could count the hidden moves of others.
    assert all(step.set or step.lines[0] < step.lines[1] for step in made.steps)


def test_a_seat_that_has_left_is_shown_nothing_more() -> None:
    match = Match(RULES, seats=3, seed=7, options=Options(4))
    made = [SeatSteps(RULES, seat) for seat in range(3)]
    lines = []
    match.start()
    while True:
        entries = match.take_entries()
        for seat, steps in enumerate(made):
            if steps.add(match, entries):
                assert steps.steps[-1].seats == ((seat,) if seat in match.due else ())
        lines.append(len(made[0].lines))
        if not match.due:
            break
        for seat in match.due:
            if match.in_handshake:
                match.receive(seat, name_line(seat))
            elif seat == 0 and match.turns > 3:
                match.disqualify(seat, Disqualification.TIMEOUT, "no reply in time")
                left = len(lines)
            else:
                match.receive(seat, b'{"type":"play-reply","phase":"cleanup"}')
    assert lines[left - 1 :] == [lines[left - 1]] * len(lines[left - 1 :])
    marks = [[mark.kind for step in steps.steps for mark in step.marks] for steps in made]
    assert marks == [["disqualified"], ["disqualified", "end"], ["disqualified", "end"]]


def test_a_step_of_simultaneous_moves_is_of_the_turn_that_led_to_it() -> None:
    definition = GAMES["botwars"]
    match = match_spec(["a", "b"], game="botwars", seed=1, options={"max_turns": 3}).new_match()
    made = SeatSteps(definition, 1)
    match.start()
    while match.due:
        made.add(match, match.take_entries())
        for seat in match.due:
            moves = b'{"type":"move-reply","moves":[]}'
            match.receive(seat, name_line(seat) if match.in_handshake else moves)
    made.add(match, match.take_entries())
    assert [step.turn for step in made.steps] == [1, 1, 2, 3]


def test_a_seat_sees_no_scores_before_the_end() -> None:
    """A game without a page shows a curve of its scores, which aren't part of its views."""
    *_, (_, _, _, made) = pages(7, 2, SAME, right, rules=replace(RULES, page=None))
    *before, end = made.steps
    assert not any(step.values.get("points") for step in before)
    assert len(end.values["points"]) == 2


def test_a_field_is_in_the_first_step_and_then_only_if_it_has_changed() -> None:
    """This is so even if its value is null."""
    page = replace(
        RULES.page, fields=lambda view: {"nothing": None, "silver": view.supply["silver"]}
    )
    *_, (_, _, _, made) = pages(7, 2, SAME, right, rules=replace(RULES, page=page))
    first, *others = [step.set.get("1", {}) for step in made.steps]
    assert first.keys() == {"nothing", "silver"}
    changes = [new["silver"] for new in (first, *others) if new]
    assert changes == sorted(set(changes), reverse=True)
    assert all(new.keys() <= {"silver"} for new in others)
