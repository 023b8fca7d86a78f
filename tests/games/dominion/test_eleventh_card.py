"""A card behind an option is a row of cards.py and a field of the options.

The ten kingdom cards of protocol version 1 are the only ones that the referee plays. This test runs
itself in a process in which these files have one more card, whose effect is only numbers.
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
RULES = "referee.games.dominion.rules"
ROW = b'    "festival": Card(5, action=True, option="festival", actions=2, buys=1, money=2),\n'
# Module -> a text, and what is added before and after it.
CHANGES = {
    f"{RULES}.cards": (b'    "market": ', ROW, b""),
    f"{RULES}.game": (b" = 500\n", b"", b"    festival: bool = False\n"),
}
WORTH = {"copper": 1, "silver": 2, "gold": 3}
OPTIONS = {"max_turns": 6, "festival": True}


@pytest.mark.slow
def test_a_card_behind_an_option_needs_two_files() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", f"import {__name__} as test; test.main()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


class Changed(SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        source, (text, before, after) = self.get_data(self.path), CHANGES[fullname]
        assert source.count(text) == 1
        return compile(source.replace(text, before + text + after), self.path, "exec")


class Finder:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in CHANGES:
            return None
        spec = PathFinder.find_spec(name, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = Changed(name, spec.origin)
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
    from referee.games import GAMES
    from referee.games.dominion.rules.cards import CARDS, kingdom_of
    from referee.games.dominion.rules.game import Options
    from referee.games.dominion.rules.messages import PlayTurn
    from referee.games.dominion.rules.supply import Supply
    from referee.logs.validate import check_log
    from referee.logs.verify import verify_record
    from referee.web.recorded import read_match

    assert [*CARDS].index("festival") == 8
    assert len(kingdom_of(Options(**OPTIONS))) == 11
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
        # Without the option, the match has the ten cards of version 1.
        referee.play_match(["minimal"] * 2, seed=3, record=record, log=log, force=True)
        first = [msgspec.json.decode(line) for line in Path(log).read_bytes().splitlines()[:4]]
        assert (len(first[2]["kingdom_cards"]), len(first[3]["cards"])) == (10, 17)
        assert verify_record(record).kind == "valid"
        assert check_log(log).findings == []
        assert read_match(log).header.problem == ""
        environment = GAMES["dominion"].environment
        assert environment is not None
        asked = {"play festival", "buy festival", "supply festival"}
        for options, new in ((Options(), set()), (Options(**OPTIONS), asked)):
            numbers = environment.observation(2, options)
            assert asked & {*numbers.names, *environment.choices(options)} == new
    make = GAMES["dominion"].person
    assert make is not None
    person = make(["A", "B"], 0)
    person.observe(Supply(2, kingdom_of(Options(**OPTIONS))).info)
    question = next(person.decide(PlayTurn(1, 1, 0, ["festival"], [], [], [])))
    (choice,) = question.choices
    assert (choice.name, choice.barred) == ("festival", "")
    assert choice.cells == ["+2 actions, +1 buy, +2 money"]
