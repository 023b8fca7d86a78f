"""The checker reports each broken rule in a log, and reports nothing for a correct log."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from referee.games.botwars import RULES
from referee.games.interface.capabilities import Finding
from referee.games.interface.faults import Disqualification
from referee.logs.inferred import checker_of
from referee.match.machine import Match
from tests.games.botwars.botwars_matches import (
    gathering,
    new_match,
    play_out,
    reply,
)
from tests.support.helpers import Announced, name_line
from tests.support.public_logs import PublicLog

Json = dict[str, Any]
LOG = PublicLog(RULES)


def check(log: list[Json]) -> list[Finding]:
    names = [message["name"] for message in log if message["type"] == "player-name"]
    checker = checker_of(RULES, names)
    assert checker is not None
    return LOG.findings(checker, log)


@cache
def log_of(seed: int, decide: Any, **options: Any) -> str:
    return json.dumps(Announced(play_out(new_match(seed, **options), decide)).public)


def finished(seed: int, decide: Any, **options: Any) -> list[Json]:
    """Return the log of a whole game, which may be changed."""
    log: list[Json] = json.loads(log_of(seed, decide, **options))
    return log


FAILED: list[Any] = [b"?", "timeout"]


@pytest.mark.parametrize("after", [0, 4])
@pytest.mark.parametrize("red", [*FAILED, None])
@pytest.mark.parametrize("blue", [*FAILED, None])
def test_a_game_that_ends_early_has_no_findings(after: int, red: Any, blue: Any) -> None:
    match = new_match(2)
    match.start()
    entries = match.take_entries()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    for _ in range(after):
        for seat in match.due:
            match.receive(seat, reply([]))
    for seat, failure in enumerate((red, blue)):
        if isinstance(failure, str):
            match.disqualify(seat, Disqualification(failure), "as the test says")
        else:
            match.receive(seat, failure or reply([]))
    if red is None is blue:
        assert match.outcome is None
        return
    assert check(Announced(entries + match.take_entries()).public) == []


@pytest.mark.parametrize("absent", [[0], [1], [0, 1]])
def test_a_game_that_never_began_has_no_findings(absent: list[int]) -> None:
    match: Match = new_match(2)
    match.start()
    for seat in (0, 1):
        if seat in absent:
            match.disqualify(seat, Disqualification.EXITED, "as the test says")
        else:
            match.receive(seat, name_line(seat))
    assert check(Announced(match.take_entries()).public) == []


# --- logs with one mistake --------------------------------------------------------------------

Spoil = Callable[[list[Json]], None]
TURN = 40
"""Index of the message that the tests damage. It's a turn in the middle of the log."""


def turn(log: list[Json]) -> Json:
    return log[TURN]


def put(state: Json, cell: int, what: str) -> None:
    state["grid"] = state["grid"][:cell] + what + state["grid"][cell + 1 :]


def move_nobody(log: list[Json]) -> None:
    turn(log)["moves"]["r"].append({"from": 0, "to": 1})


def move_far(log: list[Json]) -> None:
    move = turn(log)["moves"]["r"][0]
    move["to"] = move["from"] + 2


def swallow_a_move(log: list[Json]) -> None:
    turn(log)["moves"]["b"].pop()


def invent_a_botlet(log: list[Json]) -> None:
    put(turn(log)["state"], turn(log)["state"]["grid"].index("."), "r")


def lose_a_botlet(log: list[Json]) -> None:
    put(turn(log)["state"], turn(log)["state"]["grid"].index("b"), ".")


def leave_the_dead(log: list[Json]) -> None:
    put(turn(log)["state"], turn(log)["state"]["grid"].index("."), "x")


def single_energy(log: list[Json]) -> None:
    put(turn(log)["state"], turn(log)["state"]["grid"].index("."), "*")


def energy_too_often(log: list[Json]) -> None:
    state = turn(log)["state"]
    grid = state["grid"]
    last = len(grid) - 1
    cell = next(
        cell
        for cell in range(last)
        if grid[cell] == grid[last - cell] == "." and state["p1"]["spawn"] != cell
    )
    put(state, cell, "*")
    put(state, last - cell, "*")


def more_energy(log: list[Json]) -> None:
    turn(log)["state"]["p1"]["energy"] += 1


def razed(log: list[Json]) -> None:
    turn(log)["state"]["p2"]["spawnDisabled"] ^= True


def other_spawn(log: list[Json]) -> None:
    turn(log)["state"]["p2"]["spawn"] += 1


def other_limit(log: list[Json]) -> None:
    for message in log[TURN:-1]:
        message["state"]["maxTurns"] += 1


def other_count(log: list[Json]) -> None:
    turn(log)["state"]["turnsElapsed"] += 1


def somebody_died(log: list[Json]) -> None:
    turn(log)["died"] = [0]


def skip_a_turn(log: list[Json]) -> None:
    del log[TURN]


def short_grid(log: list[Json]) -> None:
    turn(log)["state"]["grid"] = "..."


def other_size(log: list[Json]) -> None:
    state = turn(log)["state"]
    state["rows"], state["cols"] = state["cols"] // 2, state["rows"] * 2


def no_info(log: list[Json]) -> None:
    del log[2]


def second_info(log: list[Json]) -> None:
    log.insert(TURN, log[2])


def other_names(log: list[Json]) -> None:
    log[2]["player_bot_names"].reverse()


def other_rate(log: list[Json]) -> None:
    log[2]["energy_every"] += 1


def disqualified_on_the_way(log: list[Json]) -> None:
    left = {"type": "player-disqualified", "player_number": "player1", "reason": "exited"}
    log[TURN:-1] = [left, log[TURN]]
    log[-1] |= {"reason": "last-player-standing", "winners": ["player2"]}
    log[-1]["scores"] = [log[TURN + 1]["state"]["grid"].count(side) for side in "rb"]


def left_twice(log: list[Json]) -> None:
    left = {"type": "player-disqualified", "player_number": "player1", "reason": "exited"}
    log[TURN:-1] = [left, left]
    log[-1] |= {"reason": "last-player-standing", "winners": ["player2"]}
    log[-1]["scores"] = [log[TURN - 1]["state"]["grid"].count(side) for side in "rb"]


def played_on(log: list[Json]) -> None:
    over = dict(log[-2], turn=log[-2]["turn"] + 1, moves={"r": [], "b": []}, died=[])
    over["state"] = dict(over["state"], turnsElapsed=over["turn"])
    log.insert(-1, over)


def stopped_too_early(log: list[Json]) -> None:
    del log[TURN:-1]
    log[-1]["scores"] = [log[-2]["state"]["grid"].count(side) for side in "rb"]
    red, blue = log[-1]["scores"]
    winners = {"player1": red >= blue, "player2": blue >= red}
    log[-1]["winners"] = [player for player, won in winners.items() if won]


def other_scores(log: list[Json]) -> None:
    log[-1]["scores"][0] += 1


def the_loser_won(log: list[Json]) -> None:
    both = {"player1", "player2"}
    log[-1]["winners"] = sorted(both - set(log[-1]["winners"])) or ["player1"]


def other_reason(log: list[Json]) -> None:
    log[-1]["reason"] = "bad-format"


WRONG: list[tuple[Spoil, str]] = [
    (move_nobody, "5.2"),
    (move_far, "5.2"),
    (swallow_a_move, "4.3"),
    (invent_a_botlet, "4.3"),
    (lose_a_botlet, "4.3"),
    (leave_the_dead, "4.3"),
    (single_energy, "4.3"),
    (energy_too_often, "4.3"),
    (more_energy, "4.3"),
    (razed, "4.3"),
    (other_spawn, "4.3"),
    (other_limit, "4.3"),
    (other_count, "4.3"),
    (somebody_died, "4.3"),
    (skip_a_turn, "5.2"),
    (short_grid, "4.3"),
    (other_size, "4.3"),
    (no_info, "2.3"),
    (second_info, "2.3"),
    (other_names, "2.3"),
    (other_rate, "4.3"),
    (disqualified_on_the_way, "4.4"),
    (left_twice, "2.6"),
    (played_on, "4.4"),
    (stopped_too_early, "4.4"),
    (other_scores, "4.4"),
    (the_loser_won, "4.4"),
    (other_reason, "4.4"),
]


@pytest.mark.parametrize(
    ("spoil", "section"), WRONG, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_mistake_is_found(spoil: Spoil, section: str) -> None:
    log = finished(5, gathering, max_turns=60)
    assert log[TURN]["turn"] == TURN - 2
    assert log[TURN]["moves"]["r"]
    assert log[TURN]["moves"]["b"]
    spoil(log)
    found = check(log)
    assert section in [finding.section for finding in found]
    first = found[0]
    assert first.section == section
    assert first.expected != first.found
    assert all(finding.expected and finding.found for finding in found)


def test_one_mistake_is_found_once() -> None:
    log = finished(5, gathering, max_turns=60)
    turn(log)["state"]["p1"]["energy"] += 1
    (first, *rest) = check(log)
    assert first == Finding(TURN + 1, "4.3", first.expected, first.found, stops=True)
    assert "p1.energy" in first.expected
    assert rest == []
