"""spec/vectors: single cases, and complete games that anyone can replay without our bots."""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from referee.conformance import verdict
from referee.conformance.case import Case, load_cases
from referee.games.dominion import RULES
from referee.games.dominion.rules.game import Options
from referee.games.interface.faults import (
    BAD_NAME_REPLY,
    INVALID_JSON,
    WRONG_TYPE,
    EndReason,
    Fault,
)
from referee.match.machine import Disqualified, Match, Received, Sent
from referee.match.pages import load_page
from tests.support.live import ROOT
from tests.support.marks import slow
from tools.generators.make_vectors import GAMES, files

FILES = sorted(GAMES.glob("*.jsonl"))
Line = dict[str, Any]


def lines_of(file: Path) -> list[Line]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_the_games_are_up_to_date() -> None:
    assert {file.name: file.read_bytes() for file in FILES} == files()


def seat(line: Line) -> int:
    return int(line["player_number"].removeprefix("player")) - 1


class Lot:
    """A random source that takes the decks and choices from a file instead of a seed."""

    def __init__(self, lines: list[Line]) -> None:
        self._decks: dict[int, list[list[str]]] = defaultdict(list)
        self._drawn: list[Line] = []
        for line in lines:
            if line["entry"] == "shuffled":
                self._decks[seat(line)].append(line["deck"])
            elif line["entry"] == "drawn-by-lot":
                self._drawn.append(line)

    def shuffle(self, stream: str, items: list[str]) -> None:
        deck = self._decks[int(stream[-1]) - 1].pop(0)
        assert sorted(deck) == sorted(items)
        items[:] = deck[::-1]

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        pass

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        line = self._drawn.pop(0)
        taken: list[str] = line["cards"]
        assert line["player_number"] == owner
        assert len(taken) == count
        assert taken == [items[place] for place in line["places"]]
        items[:] = [card for place, card in enumerate(items) if place not in line["places"]]
        return taken

    @property
    def left(self) -> int:
        return sum(map(len, self._decks.values())) + len(self._drawn)


def played_again(lines: list[Line]) -> Iterator[Line]:
    """Replay a file's replies and random choices. Yield the lines that our referee produces."""
    header = lines[0]
    lot = Lot(lines)
    options = Options(header["max_turns"])
    match = Match(RULES, seats=header["players"], seed=0, options=options, chance=lot)
    match.start()
    for line in lines:
        if line["entry"] == "received":
            raw = base64.b64decode(line["base64"]) if "base64" in line else line["line"]
            match.receive(seat(line), raw.encode() if isinstance(raw, str) else raw)
        elif line["entry"] == "disqualified" and seat(line) in match.due:
            match.disqualify(seat(line), line["code"], "it is gone")
        for entry in match.take_entries():
            match entry:
                case Sent():
                    to = "all" if entry.to is None else f"player{entry.to + 1}"
                    yield {"entry": "sent", "to": to, "message": json.loads(entry.line)}
                case Fault():
                    number = f"player{entry.seat + 1}"
                    yield {
                        "entry": "fault",
                        "player_number": number,
                        "code": entry.code,
                        "section": entry.section,
                    }
                case Disqualified() | Received():
                    pass
    assert lot.left == 0
    assert match.outcome is not None


@pytest.mark.parametrize("file", [*FILES[:4], *map(slow, FILES[4:])], ids=lambda file: file.stem)
def test_a_game_can_be_played_again_without_its_seed(file: Path) -> None:
    lines = lines_of(file)
    expected = [line for line in lines if line["entry"] in ("sent", "fault")]
    assert list(played_again(lines)) == expected


def test_no_fault_and_no_end_is_missing() -> None:
    lines = [line for file in FILES for line in lines_of(file)]
    faults = {line["code"] for line in lines if line["entry"] == "fault"}
    assert faults == {*RULES.faults, INVALID_JSON, WRONG_TYPE} - {BAD_NAME_REPLY}
    sent = [line["message"] for line in lines if line["entry"] == "sent"]
    reasons = {message["reason"] for message in sent if message["type"] == "game-end"}
    assert reasons == {*RULES.reasons, *EndReason}
    played = {card for message in sent for card in message.get("played", ())}
    assert len(played) == 13  # ten kingdom cards and three treasures
    assert {line["players"] for line in lines if line["entry"] == "header"} == {2, 3, 4}
    kinds = {"header", "sent", "received", "shuffled", "drawn-by-lot", "fault", "disqualified"}
    assert {line["entry"] for line in lines} == kinds
    assert any("base64" in line for line in lines)


# --- cases ----------------------------------------------------------------------------------------

CASES = ROOT / "referee" / "games" / "dominion" / "bot-cases.json"


def test_the_cases_are_as_their_schema_says() -> None:
    schema = json.loads((ROOT / "spec/schema/conformance-cases.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(CASES.read_text()))


def test_the_pages_describe_every_field_and_every_kind() -> None:
    pages = (ROOT / "spec/vectors/README.md", ROOT / "tests/conformance/README.md")
    text = "".join(page.read_text() for page in pages)
    first = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    named = {name for cell in first for name in re.findall(r"`([a-z_-]+)`", cell)}
    assert set(Case.__struct_fields__) <= named
    kinds = {
        value for name, value in vars(verdict).items() if name.isupper() and isinstance(value, str)
    }
    assert kinds <= named


def test_each_case_belongs_to_a_section_of_the_protocol_and_stands_in_its_order() -> None:
    file = load_cases(RULES)
    sections = load_page("protocol-v1").sections
    titles = {number: section.title for number, section in sections.items()}
    assert file.chapters.items() <= titles.items()
    assert {case.section for case in file.cases} <= {*sections}
    assert {case.section.partition(".")[0] for case in file.cases} <= file.chapters.keys()
    keys = [[int(part) for part in re.split(r"[./]", case.id)] for case in file.cases]
    assert keys == sorted(keys)
    ids = [case.id for case in file.cases]
    assert len(set(ids)) == len(ids)
    assert all(case.control in ("", *ids) for case in file.cases)
