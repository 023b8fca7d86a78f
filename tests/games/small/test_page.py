"""The page for small games: its data for records, for spectator logs and for a single seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import force_setattr

import referee
from referee.games import GAMES
from referee.games.interface.dialogue import Question
from referee.games.interface.game import PUBLIC, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.web.data import MatchPage
from referee.web.file import bundle, drawing_style, page_file, small_style
from referee.web.recorded import read_match
from tests.support.live import ROOT
from tests.support.marks import slow
from tests.support.own_game import SMALL_GAMES, every_small_game, small_games


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with small_games():
        yield


most = pytest.mark.parametrize("name", [slow("battleship"), "connect4", "kuhn"])
"""One with all in the open, and one with hidden cards."""


def pages(name: str, folder: Path) -> tuple[MatchPage, MatchPage]:
    """Play a match, and return the pages of its record and of its spectator log."""
    dice = Random(name)

    def bot(message: Mapping[str, Any]) -> dict[str, Any] | None:
        if message["type"] != "move-request":
            return None
        return {"type": "move-reply", "move": dice.choice(message["moves"])}

    record, log = folder / "record", folder / "log"
    referee.play_match([bot, bot], game=SMALL_GAMES[name], seed=7, record=record, log=log)
    return read_match(str(record)), read_match(str(log))


def views(page: MatchPage, viewer: str) -> list[Any]:
    """The views of this viewer, one for each step."""
    seen: dict[str, Any] = {}
    made = []
    for step in page.steps:
        seen |= step.set.get(viewer, {})
        made.append(seen["parts"])
    return made


@most
def test_a_record_has_parts_and_a_curve(name: str, tmp_path: Path) -> None:
    page, _ = pages(name, tmp_path)
    assert page.header.series == [{"name": "points", "unit": ""}]
    assert page.header.outcome is not None
    values: dict[str, list[float]] = {}
    for step in page.steps:
        assert {field for fields in step.set.values() for field in fields} <= {"parts"}
        values |= step.values
    assert values == {"points": page.header.outcome.scores}
    is_hidden = name in ("battleship", "kuhn")
    assert page.header.viewers == (["all", "public", "0", "1"] if is_hidden else ["all"])
    person: Any = GAMES[name].person
    assert page.header.facts == {"marks": person.kind.marks}


@most
def test_a_log_shows_the_public_part_of_its_record(name: str, tmp_path: Path) -> None:
    record, log = pages(name, tmp_path)
    viewer = "public" if "public" in record.header.viewers else "all"
    assert views(log, "public")[: len(log.steps) - 1] == views(record, viewer)[: len(log.steps) - 1]
    assert log.header.problem == ""
    of_record, of_log = (
        [step.now[who] for step in page.steps if who in step.now]
        for page, who in ((record, viewer), (log, "public"))
    )
    assert of_record == of_log[: len(of_record)]
    assert of_record[-1].did


def test_hidden_cards_have_their_places() -> None:
    setup = GameSetup(chance=SeededRandomSource(1), names=("", ""), options=GAMES["kuhn"].options())
    game = GAMES["kuhn"].new(setup)
    page = GAMES["kuhn"].page
    assert page is not None
    (seat,) = (request.seat for request in game.requests)
    own = page.fields(game.view(seat))["parts"][0]
    assert (own["kind"], own["label"]) == ("hands", "cards")
    assert [hand is None for hand in own["hands"]] == [False, True]
    public = page.fields(game.view(PUBLIC))["parts"][0]
    assert public == {"kind": "hands", "label": "cards", "hands": [None, None]}


@every_small_game
def test_a_question_names_the_places_of_moves(name: str) -> None:
    definition: Any = GAMES[name]
    setup = GameSetup(chance=SeededRandomSource(1), names=("", ""), options=definition.options())
    game = definition.new(setup)
    person = definition.person(["A", "B"], 0)
    question: Question = next(person.decide(game.requests[0].message))
    assert len(question.targets) == len(question.choices)
    parts = {target.part if target else "" for target in question.targets}
    assert parts == {
        {"battleship": "first", "connect4": "board", "goofspiel": "hands", "kuhn": ""}[name]
    }


def test_the_drawing_is_small(tmp_path: Path) -> None:
    """The page contains no script for the game, so a size in bytes is enough to check."""
    assert len(bundle(["connect4"]).encode()) - len(bundle([]).encode()) <= 14_000
    assert len(small_style(drawing_style("connect4"))) <= 5_600
    match, _ = pages("connect4", tmp_path)
    for step in match.steps:
        force_setattr(step, "time", 0.0)  # on a busy machine, times have more digits
    page = page_file([match]).replace(str(ROOT), "")
    assert len(page.encode()) < 133_000  # Most of that is the page's frame.
