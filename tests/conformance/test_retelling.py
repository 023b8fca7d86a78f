"""Matches retold: whatever a referee sends, it is judged, and told apart as far as it can be."""

from __future__ import annotations

import copy
import json
import shlex
import sys
from collections import Counter
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from referee.conformance.referee_side import Template, running
from referee.conformance.referee_side.process import check_processes
from referee.conformance.referee_side.recording import Played, read_recording
from referee.conformance.referee_side.retelling import retell
from referee.conformance.referee_side.running import play_match
from referee.conformance.referee_side.seeds import check_seed
from referee.dominion.blame import Step, blame
from referee.dominion.shadow import ShadowPlayer
from referee.game import Departure, Witnessed
from referee.games import GAMES

RULES = GAMES["dominion"]
MATCHES = {match.id: match for match in RULES.probes.matches}
WRONG = Path(__file__).parent / "wrong_referee.py"
RIGHT = shlex.join([sys.executable, str(WRONG), "nothing"]) + " {players}"
JUNK: list[Any] = [
    *(None, True, 0, -1, 1.5, 10**30, "", "copper", "player3", "player9"),
    *([], {}, [[]], [{}], ["copper", 7], {"a": 1}),
]
KINDS = [
    *("play-turn", "attack-request", "player-gained", "game-end", "player-disqualified"),
    *("supply-info", "player-name", "player-shuffled", "player-name-request", "weather"),
]
LINES = [b"", b"[]", b"{", b"\xff", b"7", b'{"type":[]}', b"[" * 100_000]


async def played(*names: str) -> list[Played]:
    template = Template(RIGHT)
    return [await play_match(template, RULES, MATCHES[name], seed=1, limit=30.0) for name in names]


def spoilt(chance: Random, right: Played) -> Played:
    """A match with one message that was another one, for one seat or for all."""
    wrong = copy.deepcopy(right)
    probe = chance.choice([probe for probe in wrong.probes if probe.received])
    line = chance.choice(probe.received)
    message = json.loads(line)
    field = chance.choice(list(message))
    match chance.randrange(6):
        case 0:
            message[field] = chance.choice(JUNK)
        case 1:
            if isinstance(message[field], list) and message[field]:
                message[field][0] = chance.choice(JUNK)
        case 2:
            del message[field]
        case 3:
            message = {
                "type": chance.choice(KINDS),
                "player_number": chance.choice(JUNK),
                "hand": chance.choice(JUNK),
            }
        case _:
            message = None
    new = chance.choice(LINES) if message is None else json.dumps(message).encode()
    for each in [probe] if chance.random() < 0.5 else wrong.probes:
        if line in each.received:
            place = each.received.index(line)
            if chance.random() < 0.1:
                del each.received[place:]
            else:
                each.received[place] = new
    return wrong


async def test_whatever_is_sent_is_judged() -> None:
    matches = await played("names-3", "exit-3", "militia-3", "remodel", "leave-attacked")
    for match in matches:
        told = retell(match, RULES)
        assert told.departure is None
        assert told.noted == []
    broken = Counter[str]()
    for seed in range(300):
        chance = Random(seed)
        match = spoilt(chance, chance.choice(matches))
        told = retell(match, RULES)
        checks = list(check_processes(match))
        found = [*told.noted, *([told.departure] if told.departure else [])]
        if not found:
            check_seed(match, told, RULES)
        for each in found:
            assert each.candidates
            broken.update(each.candidates[:1])
        assert all(check.problem is None or check.case == "8.4/1" for check in checks)
    assert {"1.1/1", "1.7/1", "2.1/1", "2.3/1", "2.11/1", "1.1/2"} <= set(broken)


@pytest.mark.parametrize("number", [None, 7, "player9", ["player1"], "player3"])
async def test_whoever_is_said_to_have_left_at_the_start(number: object) -> None:
    [match] = await played("names-3")
    left = {"type": "player-disqualified", "player_number": number, "reason": "exited"}
    for after in range(1, len(match.probes[0].received)):
        wrong = copy.deepcopy(match)
        for probe in wrong.probes:
            probe.received[after] = json.dumps(left).encode()
        told = retell(wrong, RULES)
        assert told.departure is not None
        assert told.departure.candidates


# --- records ----------------------------------------------------------------------------------


def test_a_torn_record_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    assert read_recording(tmp_path / "nothing").lines == []
    file = tmp_path / "record"
    file.write_bytes(
        b'# {"pid":7}\n> {"type":"x"}\n! a note\n< \n< {"a":1}\n- {"b":2}\n? later\n~ {"c"\n> {"t'
    )
    record = read_recording(file)
    assert record.process == {"pid": 7}
    assert record.received == [b'{"type":"x"}']
    assert record.replies == [b'{"a":1}']
    assert record.blanks == [1]
    assert record.after == [1]
    assert record.cut
    assert record.torn
    assert not record.leaves
    assert record.conversation(0) == ['> {"type":"x"}']
    assert record.conversation(9)[-2:] == ["? later", '~ {"c"']


# --- processes --------------------------------------------------------------------------------


async def test_elsewhere_than_on_linux_the_same_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = SimpleNamespace(platform="elsewhere", executable=sys.executable)
    monkeypatch.setattr(running, "sys", here)
    command = shlex.join([sys.executable, str(WRONG), "bots are left behind"]) + " {players}"
    match = await play_match(Template(command), RULES, MATCHES["stays"], seed=1, limit=30.0)
    assert match.survivors == [1]
    assert match.exit_code == 0
    assert retell(match, RULES).departure is None


async def test_one_that_is_stopped_leaves_no_probe_behind() -> None:
    program = "import shlex, signal, subprocess, sys\n"
    program += "subprocess.run(shlex.split(sys.argv[1]))\nsignal.pause()"
    command = shlex.join([sys.executable, "-c", program]) + " {player1} {player2}"
    match = await play_match(Template(command), RULES, MATCHES["money"], seed=1, limit=2.0)
    assert match.exit_code is None
    told = retell(match, RULES)
    assert told.departure is not None
    assert told.departure.candidates == ["2.1/1"]


# --- blame ------------------------------------------------------------------------------------


def step(*rules: str, opened: bool = False, told: tuple[str, ...] = ()) -> Step:
    nothing = Witnessed([[], []], [])
    seats = [ShadowPlayer(seat, nothing, [], []) for seat in range(2)]
    cards = [{"copper": 7, "estate": 3}, {"copper": 7, "estate": 3, "duchy": 1}]
    return Step(rules, (), told, seats, opened, False, cards)


def departure(
    expected: dict[str, Any],
    actual: dict[str, Any] | None,
    *,
    elsewhere: dict[int, dict[str, Any]] | None = None,
    reordered: bool = False,
) -> Departure:
    seat = 0 if expected["type"] in ("play-turn", "attack-request") else None
    return Departure(expected, actual, seat, elsewhere or {}, reordered, [str(expected["type"])])


TURN = {
    "type": "play-turn",
    "actions": 1,
    "buys": 1,
    "extra_money": 0,
    "hand": ["copper"],
    "cards_played": [],
    "cards_bought": [],
    "cards_gained": [],
}
ATTACK = {"type": "attack-request", "discard": 1, "options": ["copper"] * 4}
SUPPLY = {"type": "supply-info", "cards": [{"card": "curse", "count": 10}]}
END = {"type": "game-end", "scores": [3, 6], "winners": ["player2"], "reason": "piles-empty"}
TOP = {"type": "player-top-discard", "player_number": "player1", "card": "copper"}
PLAYED = {"type": "player-played", "player_number": "player1", "played": ["copper"]}
GAINED = {"type": "player-gained", "player_number": "player1", "gained": "copper"}


@pytest.mark.parametrize(
    ("expected", "actual", "rules", "first"),
    [
        (TURN, TURN | {"hand": None}, "6.7/1", "2.11/1"),
        (TURN, TURN | {"actions": "1"}, "6.7/1", "2.11/1"),
        (TURN, PLAYED, "6.7/1", "6.7/1"),
        (TURN, SUPPLY, "6.7/1", "2.4/2"),
        (TURN, ATTACK, "6.7/1", "7.1/2"),
        (TURN, END, "6.7/1", "4.4/3"),
        (TURN, END | {"reason": "boredom"}, "6.7/1", "2.14/1"),
        (TURN, END | {"reason": "last-player-standing"}, "6.7/1", "6.7/1"),
        (TURN, None, "6.7/1", "6.7/1"),
        (ATTACK, ATTACK | {"discard": 2}, "6.3/1", "7.1/3"),
        (ATTACK, ATTACK | {"options": [["copper"]]}, "6.3/1", "2.12/1"),
        (ATTACK, None, "6.3/1", "7.1/1"),
        (SUPPLY, None, "5.2/1", "2.4/2"),
        (SUPPLY, SUPPLY | {"cards": [7]}, "5.2/1", "2.4/1"),
        (GAINED, None, "6.10/1", "6.10/1"),
        (PLAYED, PLAYED | {"played": []}, "5.1/2", "2.6/1"),
        (PLAYED, TURN, "5.1/2", "5.1/2"),
        (TOP, None, "5.1/2", "2.8/1"),
        (END, None, "5.1/2", "4.4/3"),
        (END, TURN, "5.1/2", "4.4/3"),
        (END, END | {"scores": None}, "5.1/2", "2.14/1"),
        (END, END | {"scores": [3, 5]}, "5.1/2", "4.3/3"),
        (END, END | {"scores": [7, 7]}, "5.1/2", "4.5/1"),
        (END, END | {"winners": "player2"}, "5.1/2", "2.14/1"),
        (END, END | {"winners": []}, "5.1/2", "4.5/1"),
        (END, END | {"reason": "provinces-empty"}, "5.1/2", "4.4/3"),
    ],
)
def test_a_departure_is_blamed_on_the_likeliest_rule(
    expected: dict[str, Any], actual: dict[str, Any] | None, rules: str, first: str
) -> None:
    assert blame(departure(expected, actual), step(rules))[0] == first


@pytest.mark.parametrize(
    ("expected", "rules", "row"),
    [
        (SUPPLY, "2.15/1", "2.15/1"),
        (SUPPLY, "6.10/1", "2.15/2"),
        (SUPPLY, "5.2/1", "2.15/3"),
        (TOP, "6.1/1", "2.15/4"),
        (TOP, "7.2/1", "2.15/5"),
        (TOP, "5.1/2", "2.15/6"),
        (TOP, "8.3/2", "2.15/7"),
    ],
)
def test_what_comes_in_another_order_is_told_by_the_row_of_2_15(
    expected: dict[str, Any], rules: str, row: str
) -> None:
    assert blame(departure(expected, TURN, reordered=True), step(rules)) == [row]


def test_a_request_to_somebody_else_is_told_by_what_was_due() -> None:
    attack = departure(ATTACK, None, elsewhere={1: ATTACK})
    assert blame(attack, step("6.3/1")) == ["7.1/1"]
    other = departure(TURN, None, elsewhere={1: TURN})
    assert blame(other, step("5.1/2", opened=True))[0] == "4.1/2"
    militia = departure(TURN, None, elsewhere={1: ATTACK})
    assert blame(militia, step("6.3/1"))[0] == "7.1/2"
