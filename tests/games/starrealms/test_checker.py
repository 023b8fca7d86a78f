"""What a spectator can check: right logs have no findings, and damages are found by section.

`old_checker.py` reads logs with rules of its own: a second opinion on the rules.
`python -m tests.games.starrealms.test_checker` damages 1,000 logs and says how many are found.
"""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface.capabilities import Finding
from referee.games.starrealms import RULES
from referee.games.starrealms.rules.cards import CARDS
from referee.logs.behind import checker_of
from tests.games.starrealms.old_checker import Checker
from tests.games.starrealms.star_matches import Choose, mixed, new_match, right
from tests.support import public_logs
from tests.support.helpers import NAMES, TIMES
from tests.support.public_logs import PublicLog

Json = dict[str, Any]
LOG = PublicLog(RULES)


def findings(log: list[Json]) -> list[Finding]:
    checker = checker_of(RULES, NAMES[:2])
    assert checker is not None
    return LOG.findings(checker, log)


def second_opinion(log: list[Json]) -> list[Finding]:
    return LOG.findings(Checker(NAMES[:2]), log)


def log_of(seed: int, choose: Choose = right, leaving: float = 0.0, **options: Any) -> list[Json]:
    return public_logs.log_of(new_match(seed, **options), seed, choose, leaving)


@pytest.mark.untraced
@settings(max_examples=15 * TIMES)
@given(
    st.integers(0, 2**53 - 1),
    st.sampled_from([right, mixed]),
    st.sampled_from([0.0, 0.005]),
    st.sampled_from([0, 1, 10]),
    st.sampled_from([3, 100]),
)
def test_a_right_log_has_no_findings(
    seed: int, choose: Choose, leaving: float, explorers: int, max_turns: int
) -> None:
    log = log_of(seed, choose, leaving, explorers=explorers, max_turns=max_turns)
    assert findings(log) == []
    assert second_opinion(log) == []


def test_checking_ends_at_the_first_difference() -> None:
    log = log_of(1)
    log[5]["card"] = "Ram" if log[5]["card"] != "Ram" else "Cutter"
    log[-1]["scores"].reverse()
    (finding,) = findings(log)
    assert (finding.line, finding.section, finding.stops) == (6, "5.1", True)


def damaged(log: list[Json], dice: Random) -> tuple[str, list[Json]]:
    """A log with one message taken out, doubled, or changed in one value; what was done."""
    places = [place for place, message in enumerate(log) if message["type"] in LOG.types]
    place = dice.choice(places)
    message = json.loads(json.dumps(log[place]))
    kind = message["type"]
    match dice.randrange(3):
        case 0:
            return f"no {kind}", log[:place] + log[place + 1 :]
        case 1:
            return f"{kind} twice", [*log[:place], message, *log[place:]]
    name = dice.choice([name for name in message if name not in ("type", "game")])
    value = message[name]
    if isinstance(value, int):
        message[name] = value + 1
    elif isinstance(value, list) and value:
        index = dice.randrange(len(value))
        other = [card for card in CARDS if card != value[index]]
        value[index] = value[index] + 1 if isinstance(value[index], int) else dice.choice(other)
    elif value in CARDS:
        message[name] = dice.choice([card for card in CARDS if card != value])
    elif name == "player_number":
        message[name] = "player1" if value == "player2" else "player2"
    else:
        message[name] = {"deck": "discard", "discard": "hand", "hand": "discard"}.get(value, "deck")
    return f"{kind} {name}", [*log[:place], message, *log[place + 1 :]]


def found_of(tries: int, seeds: int) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Damage logs.

    Returns:
        The sections of the findings, what was done to the logs without one, and what was done to
        those of which the second opinion says something else.
    """
    logs = [log_of(seed, max_turns=30) for seed in range(seeds)]
    dice = Random(1)
    sections, missed, disputed = Counter[str](), Counter[str](), Counter[str]()
    for _ in range(tries):
        what, log = damaged(dice.choice(logs), dice)
        found = findings(log)
        assert len(found) <= 1
        missed[what] += not found
        disputed[what] += bool(found) != bool(second_opinion(log))
        sections.update(finding.section for finding in found)
    return sections, +missed, +disputed


@pytest.mark.untraced
def test_most_damages_are_found() -> None:
    """What is not found could be so: another card scrapped, a card that was not drawn again."""
    sections, missed, disputed = found_of(150, 3)
    assert sections.total() > 120, missed
    assert len(sections) > 5
    assert not disputed


if __name__ == "__main__":
    sections, missed, disputed = found_of(1000, 20)
    print(f"{sections.total()} of 1000 damaged logs have findings: {dict(sections.most_common())}")
    print(f"not found: {dict(missed)}; the second opinion differs: {dict(disputed)}")
