"""In every game, the example bots pass the conformance cases, and the page describes all cases."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.bots.command import BotSource, PythonBot, find_bot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import load_cases
from referee.games import GAMES
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.match.pages import load_page
from tests.support.conforming import failed, situation_of_the_page
from tests.support.helpers import ROOT, name_line, seat_of, to_line

Json = dict[str, Any]


def examples() -> list[Any]:
    """Return the Python example bots as parameters."""
    found: list[Any] = []
    for name in GAMES:
        for file in sorted((ROOT / "example_bots" / name).glob("*.py")):
            if not file.stem.startswith("http"):
                which = f"{name}-{file.stem}"
                found.append(pytest.param(name, file, id=which))
    return found


def bot_of(name: str, file: Path) -> BotSource:
    """Find an example bot. If its source mentions `DIALECT:NAME`, it's run with that dialect."""
    spoken = (word for word in GAMES[name].dialects if f"{word}:{file.stem}" in file.read_text())
    dialect = next(spoken, "")
    return find_bot(f"{dialect}:{file}" if dialect else str(file), name)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), examples())
async def test_an_example_bot_passes_the_basic_cases(name: str, file: Path) -> None:
    basic = [case.id for case in load_cases(GAMES[name]).cases if case.basic]
    assert await failed(bot_of(name, file), name, basic) == []


@pytest.mark.all_cases
@pytest.mark.parametrize(("name", "file"), examples())
async def test_an_example_bot_conforms(name: str, file: Path) -> None:
    assert await failed(bot_of(name, file), name, []) == []


class Simple:
    """A bot that always gives the simplest legal reply.

    Args:
        name: of the game.
    """

    def __init__(self, name: str) -> None:
        self._answer = GAMES[name].simplest_reply

    def reply(self, lines: Sequence[bytes]) -> bytes:
        request = json.loads(lines[-1])
        if request["type"] == "player-name-request":
            return name_line(seat_of(request["player_number"]))
        assert self._answer is not None
        return to_line(self._answer(request))


@pytest.mark.parametrize("chapters", ["", pytest.param("4567", marks=pytest.mark.all_cases)])
@pytest.mark.parametrize("name", [name for name in GAMES if GAMES[name].simplest_reply])
async def test_a_bot_that_replies_as_simply_as_it_can_passes(name: str, chapters: str) -> None:
    cases = load_cases(GAMES[name]).cases
    some = [case.id for case in cases if case.basic or case.id[0] in chapters]
    bot = PythonBot("simple", lambda: InProcessBot(Simple(name)))
    assert await failed(bot, name, some) == []


@pytest.mark.parametrize("name", list(GAMES))
def test_every_case_is_about_a_section_that_there_is(name: str) -> None:
    cases = load_cases(GAMES[name]).cases
    assert len(cases) > 60
    assert len({case.id for case in cases}) == len(cases)
    assert {case.section for case in cases} <= {*load_page(GAMES[name].specification).sections}
    order = [[int(part) for part in re.split("[./]", case.id)] for case in cases]
    assert order == sorted(order)


@pytest.mark.parametrize("name", GAMES)
def test_the_page_about_cases_has_a_situation(name: str) -> None:
    definition = GAMES[name]
    situation = situation_of_the_page(name)
    small = {"rows": 4, "cols": 4} if "grid" in situation else {}
    setup = GameSetup(
        chance=SeededRandomSource(1), names=("Ann", "Ben"), options=definition.options(**small)
    )
    assert definition.situation is not None
    assert definition.situation(setup, situation).requests
