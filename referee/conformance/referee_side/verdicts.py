"""Departures of all matches -> results of the cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from referee.conformance.referee_side.cases import RefereeCase
from referee.conformance.referee_side.comparing import Compared, Departure
from referee.conformance.referee_side.template import Template
from referee.conformance.verdict import Result, Status, result_of
from referee.games.interface.probing import ProbeMatch
from referee.match.pages import Page

_NO_CASE = "What is sent departs from the rules; no case can be named for certain."


def is_for(match: ProbeMatch, ids: Collection[str]) -> bool:
    """Whether a match is there for one of these cases."""
    return any(fnmatchcase(id, pattern) for id in ids for pattern in match.covers)


def results(
    cases: Sequence[RefereeCase],
    judged: Sequence[RefereeCase],
    template: Template,
    compared: Sequence[Compared],
    page: Page,
    seconds: float,
) -> list[Result]:
    """The results of the cases, in their order.

    No departure disappears: one of a case that was not to be judged (it needs more seats than the
    command has, or was not selected) fails that case all the same, and one that belongs to no case
    fails "SECTION/departs".

    Args:
        cases: all that there are.
        judged: those that are asked for.
        compared: the matches, controls before what they are controls of.
        page: the specification.
        seconds: how long all of it took.
    """
    broken: dict[str, list[tuple[Compared, Departure]]] = defaultdict(list)
    for number, each in enumerate(compared):
        known = {
            departure.signature
            for other in compared[:number]
            if other.match is not each.match
            and any(fnmatchcase(other.match.id, pattern) for pattern in each.match.controls)
            for departure in other.departures
        }
        for departure in each.departures:
            for id in departure.cases if departure.signature not in known else ():
                broken[id].append((each, departure))
    wanted = {case.id for case in judged} | broken.keys()
    others = broken.keys() - {case.id for case in cases}
    every = [*cases, *(RefereeCase(id, "MUST", _NO_CASE) for id in broken if id in others)]
    told = [case for case in every if case.id in wanted]
    told.sort(key=lambda case: [int(part) for part in case.section.split(".")])
    held = {case for each in compared for case in each.held}
    share = round(seconds / max(1, len(told)), 3)
    found = []
    for case in told:
        if case.id in broken:
            found.append(_failed(case, broken[case.id], page, share))
        elif case.id in held:
            found.append(result_of(case, Status.PASSED, seconds=share))
        else:
            status = Status.NOT_JUDGED if case.applies(template) else Status.SKIPPED
            why = _why(case, template, compared)
            found.append(result_of(case, status, why=why, seconds=share))
    return found


def _failed(
    case: RefereeCase, found: Sequence[tuple[Compared, Departure]], page: Page, seconds: float
) -> Result:
    """A case that is broken: what breaks it first, and in how many matches something does."""
    first, departure = found[0]
    rule = page.beginning(case.section) if case.requirement == _NO_CASE else ""
    violation = replace(departure.violation, section=case.section, rule=rule)
    again = ["--seed", str(first.recorded.seed)]
    if departure.signature != ("deal",):  # which all matches show together
        again += ["--match", first.match.id]
    return result_of(
        case,
        Status.FAILED,
        violations=[violation],
        counts={violation.kind: len(found)},
        stderr=first.recorded.stderr,
        seconds=seconds,
        again=again,
    )


def _why(case: RefereeCase, template: Template, compared: Sequence[Compared]) -> str:
    """Why a case was not judged."""
    if case.seats > max(template.seats):
        return f"needs {case.seats} seats: name {{player{case.seats}}} in COMMAND, or {{players}}"
    if case.seeded and not template.seeded:
        return "needs a seed: name {seed} in COMMAND"
    for each in (*(each for each in compared if is_for(each.match, [case.id])), *compared[:1]):
        if each.stopped:
            return f"departed before, at {each.stopped}"
    return "never came up"
