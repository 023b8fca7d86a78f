"""In every game, a correct log has no findings, and most damage to a log is found.

Some games have a second, independent checker in `tests/games/GAME/old_checker.py`. Both checkers
must agree. `python -m tests.games.test_checkers` damages 1,000 logs of each game and prints how
many are found.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import GAMES
from referee.games.interface.capabilities import Finding, LogChecker
from referee.logs.inferred import checker_of
from referee.match.pages import load_page
from tests.support.any_game import TOY, Course, every_game, places
from tests.support.helpers import ROOT, TIMES, Announced
from tests.support.marks import slow
from tests.support.public_logs import PublicLog

Json = dict[str, Any]
FOUND = 0.85
"""Checkers must find at least this share of damaged logs. Some are still possible games."""


@cache
def second_checker(name: str) -> Callable[[Sequence[str]], LogChecker] | None:
    if not (ROOT / "tests" / "games" / name / "old_checker.py").exists():
        return None
    made: Any = import_module(f"tests.games.{name}.old_checker").Checker
    return made  # type: ignore[no-any-return]


def log_of(course: Course) -> list[Json]:
    return [message for entries in course.play() for message in Announced(entries).public]


def check(name: str, log: list[Json], *, second: bool = False) -> list[Finding]:
    """Return the checker's findings for a log.

    Raises:
        msgspec.ValidationError: a message doesn't have the right form. This counts as found, too.
    """
    names = [message["name"] for message in log if message["type"] == "player-name"]
    make = second_checker(name)
    checker = make(names) if second and make else checker_of(GAMES[name], names)
    assert checker is not None
    return PublicLog(GAMES[name]).findings(checker, log)


@pytest.mark.untraced
@every_game
@settings(max_examples=4 * TIMES)
@given(
    st.integers(0, 2**53 - 1), st.sampled_from([0.0, 0.02, 0.2]), st.sampled_from([0.0, 0.01, 0.3])
)
def test_a_right_log_has_no_findings(name: str, seed: int, wrong: float, leaving: float) -> None:
    log = log_of(Course(name, seed, wrong=wrong, leaving=leaving))
    assert check(name, log) == []
    assert check(name, log, second=True) == []


def damaged(log: list[Json], dice: Random) -> tuple[str, list[Json]]:
    """Delete, repeat or change one message. Returns a description of the damage and the log."""
    shared = ("player-name", "player-disqualified")
    place = dice.choice([at for at, message in enumerate(log) if message["type"] not in shared])
    message = json.loads(json.dumps(log[place]))
    kind = message["type"]
    match dice.randrange(4) if kind != "game-end" else 3:
        case 0:
            return f"no {kind}", log[:place] + log[place + 1 :]
        case 1:
            return f"{kind} twice", [*log[:place], message, *log[place:]]
    values = [(inside, key) for inside, key in places(message) if key not in ("type", "game")]
    inside, key = dice.choice([each for each in values if not isinstance(each[0][each[1]], dict)])
    value = inside[key]
    if isinstance(value, bool):
        inside[key] = not value
    elif isinstance(value, int):
        inside[key] = value + dice.choice([-1, 1])
    elif isinstance(value, list):
        inside[key] = value[1:] if value else [1]
    else:  # Use a string that occurs under the same key elsewhere in the log.
        same = {str(there[name]) for each in log for there, name in places(each) if name == key}
        inside[key] = dice.choice(sorted(same - {value}) or ["x"])
    return f"{kind} {key}", [*log[:place], message, *log[place + 1 :]]


def found_of(
    name: str, tries: int, turns: int = 12
) -> tuple[Counter[str], Counter[str], Counter[str], set[str]]:
    """Damage many logs and check each of them.

    Returns:
        Three counts by kind of damage (all logs, logs without findings, logs on which the two
        checkers disagree), and the sections named in findings.
    """
    done, missed, disputed, sections = Counter[str](), Counter[str](), Counter[str](), set[str]()
    logs = [log_of(Course(name, seed, max_turns=turns)) for seed in range(max(3, tries // 50))]
    for number in range(tries):
        dice = Random(number)
        what, log = damaged(logs[number % len(logs)], dice)
        done[what] += 1
        with suppress(msgspec.ValidationError):
            found = check(name, log)
            missed[what] += not found
            disputed[what] += bool(found) != bool(check(name, log, second=True))
            sections |= {finding.section for finding in found}
            assert all(finding.expected != finding.found for finding in found)
            assert all(1 <= finding.line <= len(log) for finding in found)
    return done, +missed, +disputed, sections


@pytest.mark.untraced
@every_game
@pytest.mark.parametrize(("tries", "turns"), [(14, 3), slow(100, 12)])
def test_most_damages_are_found_and_the_second_opinion_agrees(
    name: str, tries: int, turns: int
) -> None:
    done, missed, disputed, sections = found_of(name, tries, turns)
    assert missed.total() < (1 - FOUND) * done.total(), missed
    assert not disputed
    assert sections <= {*load_page(GAMES[name].specification).sections} or name == TOY
    assert len(sections) > 1


@pytest.mark.untraced
@every_game
def test_a_log_with_many_damages_is_read(name: str) -> None:
    logs = [log_of(Course(name, seed, leaving=0.02, max_turns=4)) for seed in range(4)]
    for seed in range(12 * TIMES):
        dice = Random(seed)
        log = dice.choice(logs)
        for _ in range(dice.randrange(2, 6)):
            log = damaged(log, dice)[1]
        if seed % 3 == 0:
            dice.shuffle(log)
        with suppress(msgspec.ValidationError):
            assert all(finding.expected and finding.found for finding in check(name, log))


if __name__ == "__main__":
    for game in GAMES:
        done, missed, disputed, sections = found_of(game, 1000)
        print(f"{game}: {done.total() - missed.total()} of {done.total()} damaged logs are found")
        print(f"  missed: {dict(missed.most_common(9))}; disputed: {dict(disputed)}")
        print(f"  sections: {sorted(sections)}")
