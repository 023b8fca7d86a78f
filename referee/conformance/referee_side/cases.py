"""Loads the cases for referees from spec/vectors, and computes their results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.conformance.case import Rule
from referee.conformance.referee_side.comparing import Compared, Deviation
from referee.conformance.referee_side.template import Template
from referee.conformance.verdict import Result, Status, result_of
from referee.games.interface.definition import GameDefinition
from referee.match.pages import SpecPage, read_spec

_NO_CASE = "A line differs from the rules, and no single case explains it."


class RefereeCase(Rule, frozen=True, forbid_unknown_fields=True):
    """A case that tests a rule for referees. For its fields, see spec/vectors/README.md, 2."""

    seats: int = 2
    seeded: bool = False

    def applies(self, template: Template) -> bool:
        """Return True if the referee's command line has enough seats, and a seed if we need one."""
        return self.seats <= max(template.seats) and (template.seeded or not self.seeded)


class RefereeCaseFile(Struct, forbid_unknown_fields=True):
    """The file of a game's cases for referees, with the fields of `CaseFile`."""

    format: Literal["referee-conformance-cases"]
    version: Literal[1]
    game: str
    chapters: dict[str, str]
    cases: list[RefereeCase]


def load_referee_cases(definition: GameDefinition) -> RefereeCaseFile:
    """Load all cases for referees of a game, sorted by section.

    Raises:
        UsageError: the game has no probes.
    """
    return msgspec.json.decode(read_spec(definition.probes().cases), type=RefereeCaseFile)


def is_any(id: str, patterns: Iterable[str]) -> bool:
    """Return True if an id equals or matches one of the patterns."""
    return any(fnmatchcase(id, pattern) for pattern in patterns)


def results(
    cases: Sequence[RefereeCase],
    judged: Sequence[RefereeCase],
    template: Template,
    compared: Sequence[Compared],
    page: SpecPage,
    seconds: float,
) -> list[Result]:
    """Return the results of the cases, sorted by section.

    We report every deviation, so a case can fail even if it isn't in `judged`. If no case is about
    a deviation, we add a failed case with the id "SECTION/departs".

    Args:
        cases: all cases of the game.
        judged: the cases that the user selected.
        compared: the matches. A match that serves as a control for others must come before them.
        seconds: the duration of the whole run. Each result gets an equal share.
    """
    broken: dict[str, list[tuple[Compared, Deviation]]] = defaultdict(list)
    # maps each match to the signatures of its deviations
    known: dict[str, set[str]] = defaultdict(set)
    for each in compared:
        controls = {id for id in known if is_any(id, each.match.controls)} - {each.match.id}
        for deviation in each.deviations:
            if not any(deviation.signature in known[id] for id in controls):
                for id in deviation.cases:
                    broken[id].append((each, deviation))
        known[each.match.id] |= {deviation.signature for deviation in each.deviations}
    others = broken.keys() - {case.id for case in cases}
    every = [*cases, *(RefereeCase(id, _NO_CASE) for id in broken if id in others)]
    told = [case for case in every if case in judged or case.id in broken]
    told.sort(key=lambda case: [int(part) for part in case.section.split(".")])
    held = {case for each in compared for case in each.held}
    share = round(seconds / max(1, len(told)), 3)
    found = []
    for case in told:
        if case.id in broken:
            found.append(_failed(case, broken[case.id], page, share))
        elif case.id in held and case.applies(template):
            found.append(result_of(case, Status.PASSED, seconds=share))
        else:
            status = Status.NOT_JUDGED if case.applies(template) else Status.SKIPPED
            why = _why(case, template, compared)
            found.append(result_of(case, status, why=why, seconds=share))
    return found


def _failed(
    case: RefereeCase, found: Sequence[tuple[Compared, Deviation]], page: SpecPage, seconds: float
) -> Result:
    first, deviation = found[0]
    rule = page.beginning(case.section) if case.requirement == _NO_CASE else ""
    violation = replace(deviation.violation, section=case.section, rule=rule)
    again = ["--seed", str(first.recorded.seed)]
    if violation.kind != "deal":  # we can only check this by comparing all matches
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
    if case.seats > max(template.seats):
        return f"needs {case.seats} seats: name {{player{case.seats}}} in COMMAND, or {{players}}"
    if case.seeded and not template.seeded:
        return "needs a seed: name {seed} in COMMAND"
    for each in (*(each for each in compared if is_any(case.id, each.match.covers)), *compared[:1]):
        if each.stopped:
            return f"departed before, at {each.stopped}"
    return "never came up"
