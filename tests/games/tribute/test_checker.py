"""What a spectator can check: right logs have no findings, and damages are found by section.

`old_checker.py` reads logs with rules of its own: a second opinion on the rules.

`python -m tests.games.tribute.test_checker` damages 1,000 logs and says how many are found.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface.capabilities import Finding
from referee.games.tribute import RULES
from referee.logs.behind import checker_of
from tests.games.tribute.old_checker import Checker
from tests.games.tribute.tribute_matches import mostly_right, new_match, right
from tests.support import public_logs
from tests.support.helpers import NAMES, TIMES
from tests.support.public_logs import PublicLog

Json = dict[str, Any]
LOG = PublicLog(RULES)
CARD_SETS = ("2025-04", "2024-02", "2023-06", "2023-02")


def findings(log: list[Json]) -> list[Finding]:
    checker = checker_of(RULES, NAMES[:2])
    assert checker is not None
    return LOG.findings(checker, log)


def second_opinion(log: list[Json]) -> list[Finding]:
    return LOG.findings(Checker(NAMES[:2]), log)


def log_of(seed: int, choose: Any = right, leaving: float = 0.0, **options: Any) -> list[Json]:
    return public_logs.log_of(new_match(seed, **options), seed, choose, leaving)


@pytest.mark.untraced
@settings(max_examples=6 * TIMES)
@given(
    st.integers(0, 2**53 - 1),
    st.sampled_from([right, mostly_right]),
    st.sampled_from([0.0, 0.005]),
    st.sampled_from(CARD_SETS),
    st.sampled_from(["streams", "engine"]),
    st.sampled_from([3, 100]),
)
def test_a_right_log_has_no_findings(
    seed: int, choose: Any, leaving: float, cards: str, chance: str, max_turns: int
) -> None:
    options: Json = {"cards": cards, "chance": chance, "max_turns": max_turns}
    log = log_of(seed, choose, leaving, **options)
    assert findings(log) == []
    assert second_opinion(log) == []


def first(log: list[Json], kind: str, start: int = 0) -> int:
    return next(place for place in range(start, len(log)) if log[place]["type"] == kind)


def test_a_card_that_the_player_cannot_hold() -> None:
    """Ten starters are in hand and pile; the other's are not."""
    log = log_of(1)
    others = json.loads(json.dumps(log[first(log, "table-set")]["starters"][1]))
    place = first(log, "action")
    log[place]["action"] = {"type": "play-card", "card": others[0]["uid"]}
    (finding,) = findings(log)
    assert (finding.line, finding.section) == (place + 1, "5.2")


def test_a_hand_that_was_shown_is_known() -> None:
    """All ten cards of a player have been seen once it has ended its second turn."""
    log = log_of(2, lambda dice, request: end_at_once(request), max_turns=9)
    ends = [place for place, message in enumerate(log) if message["type"] == "turn-ended"]
    one, _, two, *_ = ends
    assert {card["uid"] for place in (one, two) for card in log[place]["discarded"]} == {
        card["uid"] for card in log[first(log, "table-set")]["starters"][0]
    }
    swapped = json.loads(json.dumps(log))
    swapped[two]["discarded"][0] = swapped[one]["discarded"][0]
    assert [finding.line for finding in findings(swapped)] == [two + 1]


def end_at_once(request: Json) -> bytes:
    """The last action of each turn, and the smallest choice."""
    if request["type"] == "play-turn":
        reply: Json = {"type": "play-reply", "index": len(request["actions"]) - 1}
    elif request["type"] == "patron-request":
        reply = {"type": "patron-reply", "patron": request["available"][0]}
    else:
        cards = [card["uid"] for card in request["cards"][: request["min"]]]
        reply = {"type": "choose-reply", "cards": cards, "effect": 0}
    return json.dumps(reply).encode()


# --- damaged logs -------------------------------------------------------------------------------


def _values(message: Any) -> Iterator[tuple[Any, Any]]:
    """Each value in a message: what it is in, and its name there."""
    for name in message if isinstance(message, dict) else range(len(message)):
        if name in ("type", "game") and "action" not in str(message[name]):
            continue
        if isinstance(message[name], dict | list) and message[name]:
            yield from _values(message[name])
        else:
            yield message, name


def damaged(log: list[Json], dice: Random) -> tuple[str, list[Json]]:
    """A log with one message taken out, or changed in one value; what was done."""
    places = [place for place, message in enumerate(log) if message["type"] in LOG.types]
    place = dice.choice(places)
    message = json.loads(json.dumps(log[place]))
    kind = message["type"]
    if dice.random() < 0.5:
        return f"no {kind}", log[:place] + log[place + 1 :]
    inside, name = dice.choice([*_values(message)])
    value = inside[name]
    if isinstance(value, int) and not isinstance(value, bool):
        inside[name] = value + 1
    elif value == []:
        inside[name] = [{"uid": 10_101, "card": "GOLD"}]
    elif name == "player_number":
        inside[name] = "player1" if value == "player2" else "player2"
    elif isinstance(value, bool):
        inside[name] = not value
    elif value is None:
        inside[name] = {"amount": 1, "effect": 1, "hp": 3}.get(
            name, {"uid": 10_101, "card": "GOLD"}
        )
    else:
        words = ["GOLD", "TITHE", "HLAALU", "RAJHIN", "end-turn", "play-card", "toss-cards"]
        words += ["gain-coin", "gain-power", "streams", "engine"]
        inside[name] = dice.choice([word for word in words if word != value])
    return f"{kind} {name}", [*log[:place], message, *log[place + 1 :]]


def found_of(tries: int, seeds: int) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Damage logs.

    Returns:
        What was done to all logs, to those without a finding, and to those of which the second
        opinion says something else.
    """
    done, missed, disputed = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(tries):
        options: Json = {"cards": CARD_SETS[seed % 4], "chance": ["streams", "engine"][seed % 2]}
        dice = Random(seed)
        what, log = damaged(log_of(seed % seeds, **options), dice)
        done[what] += 1
        with suppress(msgspec.ValidationError):  # a message of another form is found as such
            found = findings(log)
            missed[what] += not found
            disputed[what] += bool(found) != bool(second_opinion(log))
    return done, +missed, +disputed


def test_damaged_logs_are_found() -> None:
    """What is not found is another log by the rules (see the command)."""
    done, missed, disputed = found_of(12, 12)
    assert done.total() - missed.total() >= 10, missed
    assert not disputed


if __name__ == "__main__":
    done, missed, disputed = found_of(1000, 1000)
    print(f"{1000 - missed.total()} of 1000 damaged logs are found")
    for what, count in missed.most_common():
        print(f"{count} of {done[what]} are not: {what}")
    print(f"the second opinion differs: {dict(disputed)}")
