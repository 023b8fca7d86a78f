"""Departures of all matches -> results of the cases.

A departure says which rules it may break; which of them it is, all matches say together. A referee
mostly has few mistakes, and each shows in many ways: so the cases taken are few that explain all
departures, and rather those that were seldom right (a weighted set cover, taken greedily: Chvatal,
Mathematics of Operations Research 4, 1979). A case that is broken for certain, because some
departure can mean nothing else, is taken before others. And a part of a case, such as the cost of
one card, is taken only if it is the likeliest somewhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

import msgspec

from referee.conformance.referee_side.cases import RefereeCase
from referee.conformance.referee_side.recording import Played
from referee.conformance.referee_side.retelling import Found, Retold
from referee.conformance.verdict import Result, Status, Violation, result_of

_PRICE = 1.0
"""Of a mistake more: as likely as that a broken rule is right in all but one of e steps."""


def assign(found: Sequence[Found], passed: Counter[str]) -> list[str]:
    """For each departure the case that it breaks.

    Args:
        passed: case, or "case#part" -> in how many steps it held.
    """
    likeliest = {each.candidates[0] for each in found}
    possible = [
        [case for case in each.candidates if "#" not in case or case in likeliest] for each in found
    ]
    broken = Counter(case for cases in possible for case in set(cases))
    taken: dict[int, str] = {}  # place of a departure -> the case that explains it

    def unexplained() -> list[tuple[int, list[str]]]:
        return [(place, cases) for place, cases in enumerate(possible) if place not in taken]

    def explain(case: str) -> None:
        taken.update({place: case for place, cases in unexplained() if case in cases})

    def price(case: str) -> tuple[float, float, str]:
        """What it costs to take a case for one departure, and how likely it is by itself."""
        ranks = [cases.index(case) for _, cases in unexplained() if case in cases]
        # One more, as if each had held once: what explains a lot may have held by accident.
        seldom = math.log((broken[case] + passed[case] + 1) / broken[case])
        return (_PRICE + seldom) / len(ranks), sum(ranks) / len(ranks), case

    certain = Counter(each.candidates[0] for each in found if len(each.candidates) == 1)
    for case, _ in certain.most_common():
        explain(case)
    while rest := unexplained():
        explain(min({case for _, cases in rest for case in cases}, key=price))
    return [taken[place] for place in range(len(found))]


def _case(rule: str) -> str:
    """The case of a rule: "4.3/1#gold" is a part of 4.3/1."""
    return rule.partition("#")[0]


def results(
    cases: Sequence[RefereeCase],
    judged: Collection[str],
    retold: Sequence[Retold],
    played: dict[str, Played],
    seconds: float,
) -> list[Result]:
    """How the cases came out, in their order.

    No departure disappears: what can only mean a case that was not to be judged (it needs more
    seats than the command has, or was not selected) fails that case all the same.

    Args:
        cases: all that there are.
        judged: the ids of those that are to be judged.
        retold: all matches.
        played: the same, by their ids.
        seconds: how long all of it took.
    """
    passed: Counter[str] = Counter()
    for each in retold:
        passed += each.passed
    found = [(each.id, noted) for each in retold for noted in each.noted]
    found += [(each.id, each.departure) for each in retold if each.departure is not None]
    held = Counter(_case(rule) for rule in passed)
    broken: dict[str, list[tuple[str, Violation]]] = {}
    assigned = assign([departure for _, departure in found], passed)
    for (match, departure), case in zip(found, assigned, strict=True):
        broken.setdefault(_case(case), []).append((match, departure.violation))
    shown = [case for case in cases if case.id in judged or case.id in broken]
    share = round(seconds / max(1, len(shown)), 3)
    return [_result(case, broken.get(case.id, []), held, played, share) for case in shown]


def _result(
    case: RefereeCase,
    violations: list[tuple[str, Violation]],
    passed: Counter[str],
    played: dict[str, Played],
    seconds: float,
) -> Result:
    status = Status.PASSED if passed[case.id] else Status.NOT_JUDGED
    shown: list[Violation] = []
    stderr: list[str] = []
    if violations:
        status = Status.FAILED
        match, first = violations[0]
        shown = [msgspec.structs.replace(first, section=case.section)]
        stderr = played[match].stderr
    return result_of(
        case,
        status,
        violations=shown,
        counts={violation.kind: len(violations) for violation in shown},
        stderr=stderr,
        seconds=seconds,
    )
