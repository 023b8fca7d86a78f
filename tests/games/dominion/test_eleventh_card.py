"""A card whose effect is only numbers is a row of cards.py, and nothing else.

The ten kingdom cards of protocol version 1 are the only ones that the referee plays. This test runs
itself in a process in which cards.py has one more row.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

import msgspec
import pytest

ROOT = Path(__file__).parents[3]
CARDS = "referee.games.dominion.rules.cards"
ROW = b'    "festival": Card(5, action=True, actions=2, buys=1, money=2),\n'
WORTH = {"copper": 1, "silver": 2, "gold": 3}
OPTIONS = {"max_turns": 6}


@pytest.mark.slow
def test_an_eleventh_card_is_one_row() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", f"import {__name__} as test; test.main()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


class WithRow(SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        source = self.get_data(self.path)
        assert source.count(b'    "market": ') == 1
        return compile(
            source.replace(b'    "market": ', ROW + b'    "market": '), self.path, "exec"
        )


class Finder:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != CARDS:
            return None
        spec = PathFinder.find_spec(name, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = WithRow(name, spec.origin)
        return spec


def reply(message: dict[str, Any]) -> dict[str, Any] | None:
    """Play festivals and buy them."""
    if message["type"] != "play-turn":
        return None
    hand, money = message["hand"], message["extra_money"]
    if message["actions"] and "festival" in hand:
        return {"type": "play-reply", "phase": "action", "card": "festival"}
    treasures = [card for card in hand if card in WORTH]
    money += sum(WORTH[card] for card in treasures)
    wanted = "festival" if money >= 5 else "silver"
    if money < 3 or message["cards_bought"]:
        return {"type": "play-reply", "phase": "cleanup"}
    buys = {"played_treasures": treasures, "cards_to_buy": [wanted]}
    return {"type": "play-reply", "phase": "buy", **buys}


def main() -> None:
    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
    import tempfile

    import referee
    from referee.env import environments_of
    from referee.games import GAMES
    from referee.games.dominion.rules.messages import PlayTurn
    from referee.games.dominion.rules.supply import Supply
    from referee.logs.validate import check_log
    from referee.logs.verify import verify_record
    from referee.web.recorded import read_match

    with tempfile.TemporaryDirectory() as folder:
        record, log = f"{folder}/record", f"{folder}/log"
        result = referee.play_match([reply] * 2, seed=3, record=record, log=log, options=OPTIONS)
        assert [player.faults for player in result.players] == [{}, {}]
        sent = [msgspec.json.decode(line) for line in Path(record).read_bytes().splitlines()]
        turns = [each["message"] for each in sent if each["entry"] == "sent"]
        played = [each for each in turns if each.get("cards_played") == ["festival"]]
        assert {(turn["actions"], turn["buys"], turn["extra_money"]) for turn in played} == {
            (2, 2, 2)
        }
        checked = check_log(log)
        assert (checked.findings, checked.unchecked) == ([], "")
        assert verify_record(record).kind == "valid"
        for file in (record, log):
            assert read_match(file).header.problem == ""
    assert {"play festival", "buy festival"} < {*environments_of("dominion").choices}
    make = GAMES["dominion"].person
    assert make is not None
    person = make(["A", "B"], 0)
    person.observe(Supply(2).info)
    question = next(person.decide(PlayTurn(1, 1, 0, ["festival"], [], [], [])))
    (choice,) = question.choices
    assert (choice.name, choice.barred) == ("festival", "")
    assert choice.cells == ["+2 actions, +1 buy, +2 money"]
