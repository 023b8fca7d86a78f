"""Descriptions of Star Realms matches, turn by turn."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from referee.games.interface.capabilities import Phrase
from referee.games.starrealms import RULES, StarRealms
from referee.games.starrealms.turns import Turns
from referee.match.machine import Match
from tests.games.starrealms.star_matches import Scene, new_match, right
from tests.support.helpers import NAMES, Announced
from tests.support.public_logs import PublicLog, log_of

Json = dict[str, Any]
LOG = PublicLog(RULES)
FLEET = "1 combat of Fleet HQ"


@cache
def log(seed: int, **options: Any) -> tuple[list[Json], Match]:
    match = new_match(seed, **options)
    return log_of(match, seed, right), match


@pytest.mark.parametrize("seed", range(4))
def test_what_the_turns_made_is_what_the_game_counted(seed: int) -> None:
    public, match = log(seed)
    turns = LOG.turns(Turns(NAMES[:2]), public)
    game: Any = match._game
    assert isinstance(game, StarRealms)
    for seat, made in enumerate(player.made for player in game.table.players):
        own = [turn for turn in turns if turn.player_number == f"player{seat + 1}"]
        for what in ("trade", "combat", "authority"):
            assert sum(getattr(turn, what) for turn in own) == getattr(made, what), what
        copies = Counter(card for turn in own for card in turn.gained)
        assert copies == {card: count for card, (count, _) in made.gained.items()}
        for card, (_, first) in made.gained.items():
            assert first == next(n for n, turn in enumerate(own, 1) if card in turn.gained)
    dealt = [sum(turn.damage for turn in turns[side::2]) for side in (0, 1)]
    scores = [
        50 + made.authority - hit
        for made, hit in zip((p.made for p in game.table.players), dealt[::-1], strict=True)
    ]
    assert scores == [standing.score for standing in match.standings()]


def test_a_turn_reads_like_table_talk() -> None:
    hand = ["Fleet HQ", "Ram", "Stealth Needle", "Corvette", "Missile Bot", "Viper"]
    seats = {
        "player1": {"hand": hand, "deck": ["Trade Pod", "Scout"]},
        "player2": {"bases": ["Trading Post"], "hand": ["Scout"]},
    }
    scene = Scene({"before": {"seats": seats, "trade_row": ["Cutter"]}})
    scene.step({"do": ["play Fleet HQ", "play Ram", "play Stealth Needle"]})
    scene.step({"picks": [0]})
    scene.step({"do": ["use-ally Stealth Needle", "play Corvette", "play Missile Bot"]})
    scene.step({"picks": [0]})
    scene.step({"do": ["scrap Ram", "buy Cutter", "attack-base Trading Post", "attack-player"]})
    scene.step({"do": ["fly"]})
    reader = Turns(NAMES[:2])
    told = Announced(scene.entries)
    turn, *_ = LOG.turns(reader, told.public)
    assert reader.title(turn) == "Ann, 50 to 35"
    assert [(p.label, p.text) for p in reader.show(turn) if isinstance(p, Phrase)] == [
        ("plays", f"Fleet HQ, Ram ({FLEET}; 5 combat), Stealth Needle ({FLEET}; as Ram; 5 combat)"),
        ("ally", "Stealth Needle (2 combat)"),
        (
            "plays",
            f"Corvette ({FLEET}; 1 combat; draws 1), "
            f"Missile Bot ({FLEET}; 2 combat; scraps Viper of hand)",
        ),
        ("scraps", "Ram (3 trade)"),
        ("buys", "Cutter (for 2)"),
        ("attacks", "Trading Post (with 4), player2 (with 15; 35 left)"),
        ("discards", "Trade Pod"),
        ("cleans up", "draws 1; shuffles; draws 4"),
    ]
    assert reader.seats(turn) == (0,)


def test_a_turn_that_a_disqualification_ends_tells_what_was_drawn() -> None:
    hand = ["Corvette", "Viper"]
    scene = Scene({"before": {"seats": {"player1": {"hand": hand, "deck": ["Scout"]}}}})
    scene.step({"do": ["play Corvette"]})
    scene.step({"leave": "exited"})
    reader = Turns(NAMES[:2])
    (turn,) = LOG.turns(reader, Announced(scene.entries).public)
    assert turn.scores is None
    phrases = [(part.label, part.text) for part in reader.show(turn) if isinstance(part, Phrase)]
    assert phrases == [("plays", "Corvette (1 combat; draws 1)")]


def test_the_attacker_acts_on_a_base_that_is_destroyed() -> None:
    seats = {"player1": {"hand": ["Ram"]}, "player2": {"bases": ["Trading Post"]}}
    scene = Scene({"before": {"seats": seats}})
    told: list[Any] = []
    game: Any = scene.match._game
    game.table.watchers.append(told.extend)
    scene.step({"do": ["play Ram", "attack-base Trading Post"]})
    (attack,) = [each for each in told if any(move.to == "discard" for move in each.public)]
    assert (attack.seat, attack.did[0], attack.public[0].seat) == (0, "attacks ", 1)
