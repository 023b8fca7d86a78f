"""A match of Scripts of Tribute turn by turn: what is told of each turn, and of damaged logs."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface.capabilities import Phrase
from referee.games.interface.faults import Fault
from referee.games.interface.game import ALL
from referee.games.tribute import RULES
from referee.games.tribute.turns import Turns
from referee.match.machine import Match
from tests.games.tribute.tribute_matches import Scene, new_match, right
from tests.support.helpers import NAMES, TIMES
from tests.support.public_logs import PublicLog, log_of

Json = dict[str, Any]
LOG = PublicLog(RULES)


@cache
def log(seed: int, **options: Any) -> tuple[list[Json], Match]:
    """The public messages of a match, and the match."""
    match = new_match(seed, **options)
    return log_of(match, seed, right), match


@pytest.mark.parametrize("seed", range(3))
def test_what_the_turns_tell_is_what_the_game_counted(seed: int) -> None:
    public, match = log(seed)
    turns = LOG.turns(Turns(NAMES[:2]), public)
    assert [turn.turn for turn in turns] == [*range(1, match.turns + 1)]
    assert turns[-1].standing == [standing.score for standing in match.standings()]
    for seat in (0, 1):
        taken = [0, 0]  # prestige that each took from the other
        for message in public:
            if message.get("kind") == "opp-lose-prestige":
                taken[message["player_number"] == "player2"] += message["amount"]
        own = [turn for turn in turns if turn.player_number == f"player{seat + 1}"]
        got = sum(turn.prestige for turn in own)
        assert got - taken[1 - seat] <= match.standings()[seat].score <= got
    bought = [
        message
        for message in public
        if message["type"] == "action" and message["action"]["type"] == "buy-card"
    ]
    assert sum(len(turn.bought) for turn in turns) == len(bought)
    last: Any = match.view(ALL)
    agents = [len(seat.agents) for seat in last.seats]
    assert [len(agents) for agents in turns[-1].agents] == agents
    assert turns[-1].favours == {p: who for p, who in last.favours.items() if p != "TREASURY"}


def told_of(before: Json, deeds: str, turns: int = 1) -> tuple[str, list[tuple[str, str]]]:
    """The title of the first turn, and the lines of so many."""
    patrons = ["HLAALU", "RED_EAGLE", "PELIN", "DUKE_OF_CROWS"]
    scene = Scene({"before": {"patrons": patrons} | before})
    public = scene.told.public
    for deed in deeds.split("; "):
        scene.do(deed)
        public += scene.told.public
    reader = Turns(NAMES[:2])
    told = LOG.turns(reader, public)[:turns]
    parts = [part for turn in told for part in reader.show(turn)]
    lines = [(part.label, part.text) for part in parts if isinstance(part, Phrase)]
    return reader.title(told[0]), lines


def test_a_turn_reads_like_table_talk() -> None:
    hand = ["MURDER_OF_CROWS", "SCRATCH", "PECK", "MIDNIGHT_RAID", "OATHMAN", "GOLD", "GOLD"]
    seats = {"player1": {"hand": hand}, "player2": {"prestige": 3}}
    deeds = (
        "play GOLD; play GOLD; play MURDER_OF_CROWS; play SCRATCH; play PECK; play OATHMAN; "
        "call DUKE_OF_CROWS; play MIDNIGHT_RAID; end"
    )
    title, lines = told_of({"seats": seats}, deeds)
    assert title == "Ann, 19 to 3"
    crows = "Duke of Crows"
    assert lines == [
        (
            "plays",
            "2x Gold (1 coin), Murder of Crows (1 coin), "
            f"Scratch ({crows} combo 2; 5 coins; 4 power), "
            f"Peck ({crows} combo 3; 1 coin; 2 power), Oathman (agent of 2 HP; 2 coins)",
        ),
        ("calls", f"{crows} (favours Ann; 10 power; for 11 coins)"),
        ("plays", "Midnight Raid (3 power)"),
        ("ends", "19 power becomes prestige"),
        ("after", f"Ann: agents Oathman 2; favours of {crows}"),
    ]


def test_an_agent_is_hit_and_dies() -> None:
    songs = ["WAR_SONG"] * 9  # a power each
    seats = {
        "player1": {"hand": ["OATHMAN", "GOLD"], "draw_pile": ["GOLD"] * 9},
        "player2": {"hand": songs[:3], "draw_pile": songs},
    }
    hit = "play WAR_SONG; attack OATHMAN; end"
    deeds = f"play OATHMAN; end; {hit}; activate OATHMAN; end; {hit}"
    lines = told_of({"seats": seats}, deeds, turns=4)[1]
    assert [line for line in lines if line[0] in ("attacks", "activates", "after")] == [
        ("after", "Ann: agents Oathman 2"),
        ("attacks", "Oathman (with 1; 1 HP left)"),
        ("after", "Ann: agents Oathman 1"),
        ("activates", "Oathman (2 coins)"),
        ("after", "Ann: agents Oathman 1"),
        ("attacks", "Oathman (with 1; dies)"),
    ]


@settings(max_examples=10 * TIMES)
@given(st.integers(0, 1000), st.randoms(use_true_random=False))
def test_a_damaged_log_is_read_as_well_as_it_goes(seed: int, dice: Random) -> None:
    messages, _ = log(3, max_turns=8)
    damaged = [message for message in messages if dice.random() < 0.9]
    for _ in range(5):
        message = dict(dice.choice(damaged))
        for name, value in message.items():
            if name == "card" and dice.random() < 0.5:
                message[name] = None
            elif name == "patron" and dice.random() < 0.5:
                message[name] = "x"
            elif name != "turn" and isinstance(value, int) and dice.random() < 0.5:
                message[name] = 10**12
        if message["type"] in LOG.types:
            try:
                LOG.read(message)
            except msgspec.ValidationError:
                continue
        damaged.insert(dice.randrange(len(damaged)), message)
    reader = Turns(NAMES[:2])
    turns = LOG.turns(reader, damaged)
    for turn in turns:
        reader.show(turn)
        reader.title(turn)
        msgspec.json.encode(turn)
    assert len(reader.summary(turns).rows) == len(turns)


def test_a_match_that_ends_before_its_first_turn() -> None:
    reader = Turns(NAMES[:2])
    reader.fault(Fault(0, "bad-name-reply", "3.2", "no name"))
    reader.disqualify(1, "exited")
    (turn,) = reader.end()
    assert (turn.turn, turn.player_number, len(turn.notes)) == (1, "", 2)
    assert reader.summary([]).rows == []
