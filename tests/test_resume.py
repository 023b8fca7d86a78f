"""Continue recorded matches from a Python program (spec/positions.md, 5)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import referee
from referee import api
from referee.logs import verify_record
from referee.match.sandbox import NO_SANDBOX
from tests.support.live import ROOT, hostile
from tests.support.live import referee as run_referee
from tests.support.marks import slow

RECORD = ROOT / "spec" / "examples" / "two-players.record.jsonl"
BOTS = ["big_money", "minimal"]
Message = dict[str, Any]


class Buyer:
    """Buys nothing, and counts its turns."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def __call__(self, message: Message) -> Message | None:
        self.messages.append(message)
        if message["type"] == "play-turn":
            return {"type": "play-reply", "phase": "buy", "cards_to_buy": []}
        return {"type": "attack-reply"} if message["type"] == "attack-request" else None

    @property
    def turns(self) -> int:
        return sum(message["type"] == "play-turn" for message in self.messages)


def end(result: referee.MatchResult) -> Any:
    return result.reason, result.turns, [(p.name, p.score) for p in result.players]


def test_the_luck_of_the_record_or_another(tmp_path: Path) -> None:
    bots = ["big_money.json", "smithy.json"]
    recorded = end(referee.resume(RECORD, bots, turn=30))
    assert recorded == end(referee.resume(str(RECORD), bots, turn=30))
    file = tmp_path / "again.jsonl"
    one = referee.resume(RECORD, bots, turn=10, seed=1, record=file)
    assert one.seed == 1
    assert verify_record(str(file)).kind == "valid"
    assert end(one) == end(referee.resume(file, bots, turn=10))
    others = {str(end(referee.resume(RECORD, bots, turn=10, seed=seed))) for seed in range(1, 3)}
    assert len(others) > 1
    assert str(end(one)) in others
    referee.resume(file, bots, turn=20, seed=4, record=tmp_path / "third.jsonl")
    header = json.loads((tmp_path / "third.jsonl").read_text().partition("\n")[0])
    assert header["redeals"] == [{"turn": 10, "seed": 1}, {"turn": 20, "seed": 4}]


@pytest.mark.parametrize("game", ["dominion", "botwars"])
def test_the_game_is_that_of_the_record_which_no_bot_can_see(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default of `game` stands for any game."""
    monkeypatch.setattr(api, "resolve", lambda choice, hidden: seen.append(hidden) or NO_SANDBOX)
    seen: list[Any] = []
    record, bots = tmp_path / "r.jsonl", ["gatherer"] * 2
    referee.play_match(bots, game="botwars", options={"max_turns": 3}, record=record)
    assert referee.resume(record, bots, turn=2, game=game).game == "botwars"
    fewer = {"max_turns": 2}
    many = referee.play_matches(bots, 1, position=(record, 2), game=game, options=fewer)
    assert (many.results[0].game, many.results[0].turns) == ("botwars", 2)
    assert seen == [[str(record)]] * 3


def test_the_limits_of_single_bots_stay(tmp_path: Path) -> None:
    record, again = tmp_path / "r.jsonl", tmp_path / "again.jsonl"
    words = ["--limit-of", "2:time-limit=3", "--seed", "1", "--record", str(record), "-q"]
    bots = ["big_money.json", "smithy.json"]
    assert run_referee("play", *bots, *words, "--max-turns", "2").returncode == 0
    referee.resume(record, bots, turn=3, record=again)
    header = json.loads(again.read_text().partition("\n")[0])
    assert header["limits_of_bots"] == [{}, {"time_limit": 3.0}]


def test_a_function_gets_the_beginning_and_its_replies_to_it_are_dropped() -> None:
    """The function buys nothing, so the cards show that the recorded bot's replies were used."""
    buyer = Buyer()
    result = referee.resume(RECORD, [buyer, "minimal"], turn=20, seed=1, options={"max_turns": 12})
    assert buyer.turns > 9
    assert buyer.messages[0]["type"] == "player-name-request"
    assert result.players[0].name == "Buyer"
    assert sum(result.players[0].cards.values()) > 10  # type: ignore[attr-defined]


def test_a_bot_that_fails_in_the_beginning_has_failed() -> None:
    result = referee.resume(RECORD, ["big_money.json", hostile("exit_at", 3)], turn=20, seed=1)
    assert result.players[1].disqualified == "exited"


@pytest.mark.parametrize("jobs", [1, slow(2)])
def test_many_matches_from_a_position(jobs: int, tmp_path: Path) -> None:
    matches = referee.play_matches(
        ["big_money.json", "smithy.json"],
        4,
        seed=3,
        position=(RECORD, 30),
        jobs=jobs,
        records=tmp_path / "records",
    )
    again = referee.play_matches(
        ["big_money.json", "smithy.json"], 4, seed=3, position=(str(RECORD), 30)
    )
    assert [end(result) for result in matches.results] == [end(result) for result in again.results]
    assert matches.seats == again.seats
    for file in sorted((tmp_path / "records").glob("*.zst")):
        assert verify_record(str(file)).kind == "valid"
    seeds = [result.seed for result in matches.results]
    assert seeds[::2] == seeds[1::2]
    assert len(set(seeds)) == 2
    for points, wins, draws in zip(matches.points(), matches.wins, matches.draws, strict=True):
        assert points.share == pytest.approx((wins + draws / 2) / 4)
        assert 0 <= points.low <= points.share <= points.high <= 1


def test_objects_play_many_matches_from_a_position() -> None:
    buyer = Buyer()
    matches = referee.play_matches([buyer, "smithy.json"], 4, seed=3, position=(RECORD, 12))
    assert matches.losses == [4, 0]
    assert buyer.turns > 4 * 6


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"position": (RECORD, 999)}, "turn 999 does not exist"),
        ({"position": (RECORD, 0)}, "turn is 0; give an integer of at least 1"),
        ({"position": str(RECORD)}, 'such as ("game.jsonl", 12), not '),
        ({"position": (RECORD, 3), "game": "tribute"}, "and the position is of dominion"),
        ({"position": ("nosuch", 3)}, "cannot read nosuch"),
        ({"position": (__file__, 3)}, "not a match record"),
    ],
)
def test_slips_of_positions(more: Any, problem: str) -> None:
    with pytest.raises((referee.UsageError, referee.LogReadError), match=re.escape(problem)):
        referee.play_matches(BOTS, 4, **more)


@pytest.mark.parametrize(
    ("bots", "more", "problem"),
    [
        (BOTS, {}, "the match is over"),
        (BOTS, {"turn": 999}, "turn 999 does not exist"),
        (BOTS, {"seed": 3}, "seed goes with turn"),
        (BOTS, {"turn": 3, "seed": -1}, "seed -1 is not an integer"),
        ([*BOTS, "minimal"], {"turn": 3}, "has 2 bots"),
    ],
)
def test_slips(bots: list[str], more: Any, problem: str) -> None:
    with pytest.raises(referee.UsageError, match=problem):
        referee.resume(RECORD, bots, **more)
