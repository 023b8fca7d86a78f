"""Findings of all matches -> results of the cases."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from referee.conformance.referee_side.cases import RefereeCase
from referee.conformance.referee_side.comparing import Compared, Finding
from referee.conformance.referee_side.recording import Played
from referee.conformance.referee_side.seeds import SEED_VEILS
from referee.conformance.referee_side.template import Template
from referee.conformance.verdict import Result, Status, result_of
from referee.seam.probing import Probes

_ALIKE = 3
"""If so many of the cases that share a rule are broken alike, it is the rule that is broken."""


def results(
    cases: Sequence[RefereeCase],
    judged: Sequence[RefereeCase],
    template: Template,
    probes: Probes,
    compared: Mapping[str, Compared],
    played: Mapping[str, Played],
    seconds: float,
) -> list[Result]:
    """How the cases came out, in their order.

    No finding disappears: one of a case that was not to be judged (it needs more seats than the
    command has, or was not selected) fails that case all the same, and one that belongs to no case
    for certain fails "SECTION/departs".

    Args:
        cases: all that there are.
        judged: those that are asked for.
        compared, played: all matches, by their ids, in the order in which they are listed.
        seconds: how long all of it took.
    """
    broken: dict[str, list[tuple[str, Finding]]] = {}
    mixed: dict[str, list[tuple[str, Finding]]] = {}
    for id, each in compared.items():
        for finding in _own(each, compared):
            for name in finding.cases:
                (mixed if each.match.mixed else broken).setdefault(name, []).append((id, finding))
    broken = broken or mixed
    _find_common(broken, probes)
    held = sum((each.held for each in compared.values()), Counter[str]())
    known = {case.id for case in cases}
    others = [RefereeCase(id, "MUST", _NO_CASE) for id in broken if id not in known]
    wanted = {case.id for case in judged}
    shown = [case for case in (*cases, *others) if case.id in wanted or case.id in broken]
    shown.sort(key=lambda case: [int(part) for part in case.section.split(".")])
    veils = {**probes.veils, **SEED_VEILS}
    veiled = {veils[id]: id for id in broken if id in veils}
    share = round(seconds / max(1, len(shown)), 3)
    found = []
    for case in shown:
        if case.id in broken and case.id not in veiled:
            found.append(_failed(case, broken[case.id], compared, played, probes, share))
            continue
        if case.id in broken:
            because = [veiled[case.id]]
            found.append(result_of(case, Status.NOT_JUDGED, because=because, seconds=share))
            continue
        why = "" if held[case.id] else _why(case, template, compared)
        status = Status.PASSED if held[case.id] else Status.NOT_JUDGED
        if not case.applies(template) and why:
            status = Status.SKIPPED
        found.append(result_of(case, status, why=why, seconds=share))
    return found


_NO_CASE = "What is sent departs from the rules; no case can be named for certain."


def _own(each: Compared, compared: Mapping[str, Compared]) -> list[Finding]:
    """The findings of a match that its controls do not have as well."""
    known: set[tuple[str, ...]] = set()
    for other in compared.values():
        if other is each and each.match.basic:
            break  # the basic ones build on each other
        if other.match.id == each.match.control or (other.match.basic and other is not each):
            known |= {finding.signature for finding in other.findings if not finding.shape}
    return [finding for finding in each.findings if finding.signature not in known]


def _find_common(broken: dict[str, list[tuple[str, Finding]]], probes: Probes) -> None:
    """Put what is broken alike in several cases down to the rule that they share."""
    for case, members in probes.common.items():
        alike = Counter(
            signature
            for member in members
            for signature in {finding.signature for _, finding in broken.get(member, ())}
        )
        for signature, count in alike.items():
            if count < _ALIKE:
                continue
            for member in members & broken.keys():
                same = [pair for pair in broken[member] if pair[1].signature == signature]
                broken.setdefault(case, []).extend(same)
                broken[member] = [pair for pair in broken[member] if pair not in same]
                if not broken[member]:
                    del broken[member]


def _failed(
    case: RefereeCase,
    found: Sequence[tuple[str, Finding]],
    compared: Mapping[str, Compared],
    played: Mapping[str, Played],
    probes: Probes,
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
            violations.append(msgspec.structs.replace(finding.violation, section=case.section))
            same = [f.count for _, f in found if f.signature == finding.signature]
            counts[kind] += sum(same) if finding.shape else len(found)
        seen.add(finding.signature)
    first = played[found[0][0]]
    alike = [compared[id].match.id for id, f in found if f.signature == found[0][1].signature]
    # A rule that several cases share fails only if it is seen in several matches.
    again = list(dict.fromkeys(alike))[: _ALIKE if case.id in probes.common else 1]
    everywhere = found[0][1].signature == ("deal",)
    return result_of(
        case,
        Status.FAILED,
        violations=violations,
        counts=counts,
        stderr=first.stderr,
        seconds=seconds,
        again=[
            *("--seed", str(first.seed)),
            *(word for id in again if not everywhere for word in ("--match", id)),
        ],
    )


def _why(case: RefereeCase, template: Template, compared: Mapping[str, Compared]) -> str:
    """Why a case was not judged."""
    if case.seats > max(template.seats):
        return f"needs {case.seats} seats: name {{player{case.seats}}} in COMMAND, or {{players}}"
    if case.seeded and not template.seeded:
        return "needs a seed: name {seed} in COMMAND"
    stopped = [
        each.stopped
        for each in compared.values()
        if each.stopped and any(fnmatch.fnmatchcase(case.id, p) for p in each.match.about)
    ]
    basic = [each.stopped for each in compared.values() if each.stopped and each.match.basic]
    for place in (*stopped, *basic):
        return f"departed before, at {place}"
    return "never came up"
