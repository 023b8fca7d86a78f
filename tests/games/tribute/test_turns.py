"""Descriptions of Scripts of Tribute matches, turn by turn."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from referee.games.interface.capabilities import Phrase
from referee.games.interface.game import ALL
from referee.games.interface.turns import Action
from referee.games.tribute import RULES
from referee.games.tribute.rules import messages as say
from referee.games.tribute.turns import Turns
from referee.match.machine import Match
from tests.games.tribute.tribute_matches import Scene, new_match, right
from tests.support.any_game import Course
from tests.support.helpers import NAMES, Announced
from tests.support.public_logs import PublicLog, log_of

Json = dict[str, Any]
LOG = PublicLog(RULES)


@cache
def log(seed: int, **options: Any) -> tuple[list[Json], Match]:
    match = new_match(seed, **options)
    return log_of(match, seed, right), match


@pytest.mark.parametrize("seed", [9, 11])
def test_what_the_turns_tell_is_what_the_game_counted(seed: int) -> None:
    public, match = log(seed)
    turns = LOG.turns(Turns(NAMES[:2]), public)
    assert turns[-1].scores == [standing.score for standing in match.standings()]
    for seat in (0, 1):
        taken = [0, 0]  # prestige that each player took from the opponent
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
    """Play these actions and read the turns.

    Returns:
        The title of the first turn, and the lines of the first `turns` turns.
    """
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
            "Scratch (5 coins; 4 power), Peck (1 coin; 2 power), "
            "Oathman (agent of 2 HP; 2 coins)",
        ),
        ("calls", f"{crows} (favours Ann; 10 power; for 11 coins)"),
        ("plays", "Midnight Raid (3 power)"),
        ("ends", "19 power becomes prestige"),
        ("after", f"Ann: agents Oathman 2; favours of {crows}"),
    ]


def test_an_agent_is_hit_and_dies() -> None:
    songs = ["WAR_SONG"] * 9  # Each one gives 1 power.
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


def test_gains_of_one_kind_are_added_up() -> None:
    reader = Turns(["power", "coins"])
    card = say.CardRef(10_000, "GOLD")
    reader.read(say.TurnStarted(1, "player1", 0), None)
    reader.read(say.Acted("player1", say.Action(say.CALL_PATRON, patron="ANSEI")), None)
    for kind, amount in (("coin", 1), ("power", 2), ("", 1), ("coin", 1), ("", 1), ("power", 3)):
        event = f"gain-{kind}" if kind else "destroy-card"
        target = None if kind else card
        reader.read(say.Event("player1", event, "ANSEI", target, amount), None)
    reader.read(say.Event("player1", "gain-power", "ANSEI", None, -2), None)
    (turn,) = reader.end()
    assert (turn.coins, turn.power) == (2, 5)  # what it paid is not taken off
    assert turn.actions == [
        Action(
            "calls",
            "Ansei",
            ["2 coins", "5 power", "destroys Gold", "destroys Gold", "for 2 power"],
        )
    ]


def test_a_purchase_has_the_cost_of_its_card() -> None:
    bought = 0
    course = Course("tribute", 5, max_turns=30)
    log = [message for entries in course.play() for message in Announced(entries).public]
    info = next(message for message in log if message["type"] == "game-info")
    costs = {row["name"]: row["cost"] for row in info["card_table"]}
    for turn in PublicLog(course.definition).turns(Turns(course.names), log):
        for action in turn.actions:
            if action.what == "buys":
                assert f"for {costs[action.card]}" in action.effects
                bought += 1
    assert bought > 5


def test_spectators_see_an_action_before_the_cards_that_it_draws() -> None:
    seats = {"player1": {"hand": ["HARVEST_SEASON"], "draw_pile": ["GOLD"]}}
    patrons = ["HLAALU", "RED_EAGLE", "PELIN", "DUKE_OF_CROWS"]
    scene = Scene({"before": {"patrons": patrons, "seats": seats}})
    told: list[Any] = []
    game: Any = scene.match._game
    game.table.watchers.append(told.append)
    scene.do("play HARVEST_SEASON")
    seen = [[(move.from_, move.to) for moved in each for move in moved.public] for each in told]
    assert seen == [[("hand", "played")], [("draw-pile", "hand")]]
