"""Plays matches of wrong referees against our probes in this process, without starting any bots."""

from __future__ import annotations

import fnmatch
import importlib
import sys
from collections import Counter
from functools import cache
from types import ModuleType
from typing import Any

from referee.conformance.referee_side import recording
from referee.conformance.referee_side.cases import load_referee_cases, results
from referee.conformance.referee_side.comparing import LINE_LIMIT, Compared
from referee.conformance.referee_side.experiment import check_deals, judge
from referee.conformance.referee_side.probe import Probe
from referee.conformance.referee_side.recording import RecordedMatch
from referee.conformance.referee_side.template import Template
from referee.conformance.verdict import Result, Status
from referee.games import GAMES
from referee.games.interface.probing import ProbeMatch
from referee.match.pages import load_page
from tests.conformance import wrong_referee

RULES = GAMES["dominion"]
CASES = load_referee_cases(RULES).cases
MATCHES = RULES.probes().matches
PAGE = load_page(RULES.specification)
NOT_IN_PROCESS = {"8.4/1", "8.4/3", "8.4/4", "8.5/1", "8.5/2"}
"""Cases about processes, which can't be tested here."""
# The seats and matches have most lines in common. Nobody changes a parsed line, so we can cache.
recording.read_line = cache(recording.read_line)


_WRONG = "tests.conformance.wrong_referee"


def another_package() -> ModuleType:
    """Import `wrong_referee` with its own copy of the package `referee`, for it to patch."""

    def ours() -> list[str]:
        return [n for n in sys.modules if n.partition(".")[0] == "referee" or n == _WRONG]

    kept = {name: sys.modules.pop(name) for name in ours()}
    try:
        return importlib.import_module(_WRONG)
    finally:
        for name in ours():
            del sys.modules[name]
        sys.modules.update(kept)


def play(wrong: Any, match: ProbeMatch, seed: int) -> RecordedMatch:
    """Play a match with the rules of the patched package."""
    return record(wrong, match, seed, make_probes(match, seed))


def make_probes(match: ProbeMatch, seed: int) -> list[Probe]:
    return [Probe(RULES, plan, seat, seed) for seat, plan in enumerate(match.seats)]


def record(wrong: Any, match: ProbeMatch, seed: int, probes: list[Probe]) -> RecordedMatch:
    """Play a match with these probes. An exception becomes exit code 1 and its text the stderr."""
    recorded = RecordedMatch(match.id, seed, [probe.seat for probe in probes])
    try:
        _run(wrong, probes, seed)
    except Exception as error:
        recorded.exit_code = 1
        recorded.stderr = [repr(error)]
    return recorded


def _run(wrong: Any, probes: list[Probe], seed: int) -> None:
    referee = wrong.match.Match(wrong.RULES, seats=len(probes), seed=seed)
    referee.start()
    answered = [0] * len(probes)
    while True:
        for entry in referee.take_entries():
            if type(entry).__name__ != "Sent":
                continue
            for seat in range(len(probes)) if entry.to is None else [entry.to]:
                if seat not in referee.disqualified and not exited(probes[seat]):
                    probes[seat].take(entry.line[:-1])
        if not referee.due:
            return
        seat = referee.due[0]
        replies = probes[seat].seat.replies
        if answered[seat] >= len(replies):
            if probes[seat].seat.left is None:
                raise TimeoutError("a probe does not reply")
            referee.disqualify(seat, wrong.Disqualification.EXITED, "")
        elif len(line := replies[answered[seat]].line) > LINE_LIMIT:
            referee.disqualify(seat, wrong.Disqualification.OUTPUT_LIMIT, "")
        else:
            referee.receive(seat, line)
        answered[seat] += 1


def exited(probe: Probe) -> bool:
    return probe.seat.left is not None and probe.seat.left.then != "close"


def matches_about(case: str, seats: int = 4) -> list[ProbeMatch]:
    """Return the matches for one case, and their control matches."""
    chosen = [
        match
        for match in MATCHES
        if match.controls != ("*",)
        and any(fnmatch.fnmatchcase(case, pattern) for pattern in match.covers)
    ]
    controls = {"pass", "buys", "money"}.union(*(match.controls for match in chosen))
    return [m for m in MATCHES if (m in chosen or m.id in controls) and len(m.seats) <= seats]


def compare(
    mode: str, matches: list[ProbeMatch], seed: int = 5, *, seeded: bool = False
) -> list[Compared]:
    """Play these matches with a wrong referee and compare each with the right messages."""
    wrong = another_package()
    wrong.MODES[mode]()
    compared = [judge(play(wrong, match, seed), RULES, match, seeded=seeded) for match in matches]
    check_deals(compared, RULES)
    return compared


def judged(compared: list[Compared], seats: int = 4, *, seeded: bool = False) -> list[Result]:
    """Judge all cases, as if the referee's command had this many players, and perhaps a seed."""
    players = " ".join(f"{{player{seat + 1}}}" for seat in range(seats))
    command = f"r {players}{' {seed}' * seeded}"
    return results(CASES, CASES, Template(command, 4), compared, PAGE, 0.0)


def check(mode: str, matches: list[ProbeMatch], seed: int = 5, seats: int = 4) -> list[Result]:
    """Play these matches with a wrong referee and judge all cases."""
    return judged(compare(mode, matches, seed), seats)


def reached(match: ProbeMatch, seed: int) -> tuple[Compared, set[str]]:
    """Play a match with our own rules, which must reach all its cases and tricks.

    Returns:
        The comparison, and the cases and tricks that did not occur. A trick of several seats counts
        as done if any of them did it.
    """
    probes = make_probes(match, seed)
    compared = judge(record(wrong_referee, match, seed, probes), RULES, match, seeded=False)
    cases = {case for case in match.covers if "*" not in case}
    tricks = Counter(name for plan in match.seats for name in plan.tricks.split())
    done = tricks.copy()
    for probe in probes:
        player: Any = probe._player
        done -= Counter([*probe._tricks, *player._tricks])
    return compared, (cases - compared.held - NOT_IN_PROCESS) | (tricks.keys() - done.keys())


def failing(found: list[Result]) -> list[str]:
    return [result.id for result in found if result.status == Status.FAILED]
