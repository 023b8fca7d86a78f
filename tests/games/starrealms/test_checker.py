"""What a spectator can check: right logs have no findings, and departures are found by section.

`python -m tests.games.starrealms.test_checker` damages 1,000 logs and says how many are found.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface.capabilities import Finding
from referee.games.starrealms import RULES
from referee.games.starrealms.rules.cards import CARDS
from tests.games.starrealms.old_checker import Checker
from tests.games.starrealms.star_matches import Choose, mixed, new_match, right
from tests.support import public_logs
from tests.support.helpers import NAMES, TIMES
from tests.support.public_logs import PublicLog

Json = dict[str, Any]
LOG = PublicLog(RULES)


def findings(log: list[Json]) -> list[Finding]:
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


def other_turn(message: Json) -> None:
    message["turn"] += 2


def other_authority(message: Json) -> None:
    message["authority"] += 1


def other_score(message: Json) -> None:
    message["scores"].reverse()


SECOND = [
    ("turn-started", other_turn, "2.7"),
    ("turn-ended", other_turn, "2.19"),
    ("player-attacked", other_authority, "4.7"),
    ("game-end", other_score, "4.10"),
]


@pytest.mark.parametrize(("kind", "spoil", "section"), SECOND, ids=[row[0] for row in SECOND])
def test_after_a_departure_turns_and_authority_are_followed(
    kind: str, spoil: Callable[[Json], None], section: str
) -> None:
    """Both are found, and nothing else is said of what follows from the first."""
    log = log_of(1)
    log[5]["card"] = "Ram" if log[5]["card"] != "Ram" else "Cutter"
    assert [finding.line for finding in findings(log)] == [6]
    place = max(place for place, message in enumerate(log) if message["type"] == kind)
    if kind == "player-attacked":  # that which ends the match changes its scores as well
        places = [place for place, message in enumerate(log) if message["type"] == kind]
        place = places[len(places) // 2]
    spoil(log[place])
    found = [(finding.line, finding.section) for finding in findings(log)]
    assert found == [(6, "5.1"), (place + 1, section)]


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


def found_of(tries: int, seeds: int) -> tuple[int, Counter[str], Counter[str]]:
    """How many damaged logs have findings, and what was done to the others."""
    logs = [log_of(seed, max_turns=30) for seed in range(seeds)]
    dice = Random(1)
    missed: Counter[str] = Counter()
    sections: Counter[str] = Counter()
    for _ in range(tries):
        what, log = damaged(dice.choice(logs), dice)
        found = findings(log)
        if not found:
            missed[what] += 1
        sections.update(finding.section for finding in found)
        assert len(found) <= 1
    return tries - missed.total(), missed, sections


@pytest.mark.untraced
def test_most_damages_are_found() -> None:
    """What is not found could be so: another card scrapped, a card that was not drawn again."""
    found, missed, sections = found_of(150, 3)
    assert found > 120, missed
    assert len(sections) > 5


if __name__ == "__main__":
    found, missed, sections = found_of(1000, 20)
    print(f"{found} of 1000 damaged logs have findings, by section: {dict(sections.most_common())}")
    print(f"not found: {dict(missed.most_common())}")
