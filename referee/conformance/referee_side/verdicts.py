"""Findings of all matches -> results of the cases."""

from __future__ import annotations

import fnmatch
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from referee.conformance.referee_side.cases import RefereeCase
from referee.conformance.referee_side.comparing import Compared, Finding
from referee.conformance.referee_side.seeds import SEED_VEILS
from referee.conformance.referee_side.template import Template
from referee.conformance.verdict import Result, Status, result_of
from referee.seam.probing import Probes
from referee.specification import Page

_ALIKE = 3
"""If so many of the cases that share a rule are broken alike, it is the rule that is broken."""
_NO_CASE = "What is sent departs from the rules; no case can be named for certain."
_Broken: TypeAlias = dict[str, list[tuple[Compared, Finding]]]
"""Case -> what breaks it, and in which match."""


def results(
    cases: Sequence[RefereeCase],
    judged: Sequence[RefereeCase],
    template: Template,
    probes: Probes,
    compared: Sequence[Compared],
    page: Page,
    seconds: float,
) -> list[Result]:
    """The results of the cases, in their order.

    No finding disappears: one of a case that was not to be judged (it needs more seats than the
    command has, or was not selected) fails that case all the same, and one that belongs to no case
    for certain fails "SECTION/departs".

    Args:
        cases: all that there are.
        judged: those that are asked for.
        page: the specification.
        seconds: how long all of it took.
    """
    broken: _Broken = defaultdict(list)
    mixed: _Broken = defaultdict(list)
    for each in compared:
        for finding in _own(each, compared):
            (mixed if each.match.mixed else broken)[finding.case].append((each, finding))
    broken = dict(broken or mixed)
    _find_common(broken, probes)
    held = sum((each.held for each in compared), Counter[str]())
    wanted = {case.id for case in judged} | broken.keys()
    others = broken.keys() - {case.id for case in cases}
    every = [*cases, *(RefereeCase(id, "MUST", _NO_CASE) for id in broken if id in others)]
    shown = [case for case in every if case.id in wanted]
    shown.sort(key=lambda case: [int(part) for part in case.section.split(".")])
    veils = {**probes.veils, **SEED_VEILS}
    veiled = {veils[id]: id for id in broken if id in veils}
    share = round(seconds / max(1, len(shown)), 3)
    found = []
    for case in shown:
        if case.id in broken and case.id in veiled:
            because = [veiled[case.id]]
            found.append(result_of(case, Status.NOT_JUDGED, because=because, seconds=share))
        elif case.id in broken:
            found.append(_failed(case, broken[case.id], probes, page, share))
        elif held[case.id]:
            found.append(result_of(case, Status.PASSED, seconds=share))
        else:
            status = Status.NOT_JUDGED if case.applies(template) else Status.SKIPPED
            why = _why(case, template, compared)
            found.append(result_of(case, status, why=why, seconds=share))
    return found


def _own(each: Compared, compared: Sequence[Compared]) -> list[Finding]:
    """The findings of a match that its controls do not have as well."""
    known: set[tuple[str, ...]] = set()
    for other in compared:
        if other is each and each.match.basic:
            break  # the basic ones build on each other
        if other.match.id == each.match.control or (other.match.basic and other is not each):
            known |= {finding.signature for finding in other.findings if not finding.shape}
    return [finding for finding in each.findings if finding.signature not in known]


def _find_common(broken: _Broken, probes: Probes) -> None:
    """Put what is broken alike in several cases down to the rule that they share."""
    for case, members in probes.common.items():
        alike = Counter(
            signature
            for member in members
            for signature in {finding.signature for _, finding in broken.get(member, ())}
        )
        common = {signature for signature, count in alike.items() if count >= _ALIKE}
        for member in sorted(members & broken.keys()):
            for pair in broken.pop(member):
                of = case if pair[1].signature in common else member
                broken.setdefault(of, []).append(pair)


def _failed(
    case: RefereeCase,
    found: Sequence[tuple[Compared, Finding]],
    probes: Probes,
    page: Page,
    seconds: float,
) -> Result:
    """A case that is broken: the first finding of each mistake, counted over all matches."""
    violations = []
    counts: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    for _, finding in found:
        # Mistakes of form are few and plain: all are shown. Of others the first says enough.
        if finding.signature not in seen and (finding.shape or not counts):
            kind = finding.violation.kind
            rule = page.beginning(case.section) if case.requirement == _NO_CASE else ""
            violations.append(
                msgspec.structs.replace(finding.violation, section=case.section, rule=rule)
            )
            same = [f.count for _, f in found if f.signature == finding.signature]
            counts[kind] += sum(same) if finding.shape else len(found)
        seen.add(finding.signature)
    recorded, signature = found[0][0].recorded, found[0][1].signature
    alike = dict.fromkeys(each.match.id for each, f in found if f.signature == signature)
    # A rule that several cases share fails only if it is seen in several matches.
    again = list(alike)[: _ALIKE if case.id in probes.common else 1]
    return result_of(
        case,
        Status.FAILED,
        violations=violations,
        counts=counts,
        stderr=recorded.stderr,
        seconds=seconds,
        again=[
            *("--seed", str(recorded.seed)),
            *(word for id in again if signature != ("deal",) for word in ("--match", id)),
        ],
    )


def _why(case: RefereeCase, template: Template, compared: Sequence[Compared]) -> str:
    """Why a case was not judged."""
    if case.seats > max(template.seats):
        return f"needs {case.seats} seats: name {{player{case.seats}}} in COMMAND, or {{players}}"
    if case.seeded and not template.seeded:
        return "needs a seed: name {seed} in COMMAND"
    stopped = [each for each in compared if each.stopped]
    own = [e for e in stopped if any(fnmatch.fnmatchcase(case.id, p) for p in e.match.covers)]
    for each in (*own, *(each for each in stopped if each.match.basic)):
        return f"departed before, at {each.stopped}"
    return "never came up"
