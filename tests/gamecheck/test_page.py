"""Tests for the generated page of a game, which authors of bots read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from referee.errors import GameError, UsageError
from referee.gamecheck.check import check_game
from referee.gamecheck.page import page_of
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.outside import load
from referee.match.pages import game_page
from tests.support.any_game import TOY_FOLDER
from tests.support.own_game import SMALL_GAMES, clean_games, every_small_game


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


def rules_of(name: str) -> GameDefinition:
    return load(SMALL_GAMES[name])


@every_small_game
def test_the_page_has_every_section_and_its_examples_are_of_the_game(name: str) -> None:
    definition = rules_of(name)
    page = page_of(definition, 5, 0)
    for section in game_page(definition).sections.values():
        assert f" {section.number} {section.title}\n" in page
    examples = [json.loads(text) for text in re.findall(r"^```json\n(.*)\n```$", page, re.M)]
    infos = [example for example in examples if example["type"] == "game-info"]
    assert [info["game"] for info in infos] == [name]
    messages = [line for line in page.splitlines() if line.startswith(('> {"', '< {"'))]
    assert '"type":"player-name-request"' in messages[0]
    assert '"type":"game-end"' in messages[-1]
    assert any(line.startswith('< {"type":"move-reply"') for line in messages)
    assert "\n\n\n" not in page
    codes = re.findall(r"^\| `([a-z-]+)` \|", page.partition("## 9 Codes\n")[2], re.M)
    assert len(codes) == len(set(codes))
    assert page.count("\n**End reasons.**") == page.count("\n**Faults.**") == 1
    assert f"The time limit of `{name}` is 10 s" in page
    assert f"The line limit of `{name}` is 64 KiB." in page
    assert "at the top" not in page
    assert page == page_of(definition, 5, 0)


def test_rules_and_a_match_come_first() -> None:
    page = page_of(rules_of("kuhn"), 2, 0).splitlines()
    rules, match, messages = (
        next(place for place, line in enumerate(page) if line.startswith(text))
        for text in ("Two players, and a deck of J", "### A match", "## 2 Messages")
    )
    assert rules < match < 25 < messages
    replies = [
        place for place, line in enumerate(page) if line.startswith('< {"type":"move-reply"')
    ]
    assert match < replies[0] < replies[1] < match + 20


def test_links_lead_to_sections_of_the_page() -> None:
    page = page_of(rules_of("kuhn"), 1, 0)
    headings = re.findall(r"^#+ (.*)$", page, re.M)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert len(links) > 10
    assert {link.removeprefix("#") for link in links} <= anchors


LEAVING = """
from referee.games.small import Game

class Leaving(Game):
    players = 3
    def start(self): self.turns, self.stage = 9, "bid"
    def legal(self, seat): return [self.stage]
    def apply(self, move):
        self.turns -= 1
        self.to_move = (self.to_move + 1) % 3 if self.turns else None
    def leave(self, seat): self.stage = "vote"
    def view(self, viewer): return {"stage": self.stage}
    def scores(self): return [0, 0, 0]
"""


@pytest.mark.parametrize(("players", "values"), [(3, '`"bid"`, `"vote"`'), (2, '`"bid"`')])
def test_the_values_of_fields_include_those_after_a_player_has_left(
    tmp_path: Path, players: int, values: str
) -> None:
    """A bot meets them in a tournament, and its author should not meet them there first."""
    text = LEAVING.replace("players = 3", f"players = {players}").replace("% 3", f"% {players}")
    (tmp_path / "leaving.py").write_text(text.replace("0, 0, 0", ", ".join("0" * players)))
    page = page_of(load(str(tmp_path / "leaving.py")), 6, 0)
    assert f"| `state.stage` | {values} |" in page


@pytest.mark.slow
def test_the_values_of_fields() -> None:
    page = page_of(rules_of("kuhn"), 20, 0)
    request = page.partition("### 2.6 move-request\n")[2].partition("\n## ")[0]
    assert '| `moves` | a list of 2 (`"pass"`, then `"bet"`) |' in request
    assert '| `state.cards` | a list of 2 (null, or a list of 1 (`"J"`, `"K"`, `"Q"`)) |' in request


def test_the_page_of_a_bundled_game_has_its_own_examples_and_a_match() -> None:
    page = page_of(GAMES["botwars"], 3, 0)
    for section in game_page(GAMES["botwars"]).sections.values():
        for example in re.findall(r"^```json\n.*?\n```$", section.text, re.M | re.S):
            assert example in page
    assert "### A match" in page
    assert "in random matches" not in page


def test_a_game_that_nobody_can_play_at_random() -> None:
    definition = msgspec.structs.replace(
        rules_of("kuhn"), make_environment=None, person=None, simplest_reply=None
    )
    with pytest.raises(UsageError, match="no match of kuhn can be played at random"):
        page_of(definition, 1, 0)


def test_a_mistake_of_the_game_is_its_own(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    text = Path(SMALL_GAMES["kuhn"]).read_text()
    file.write_text(
        text.replace("    def scores(self):\n", "    def scores(self):\n        1 / 0\n")
    )
    with pytest.raises(GameError, match=r"broken\.py, line \d+, in scores: ZeroDivisionError"):
        page_of(load(str(file)), 1, 0)


@pytest.mark.parametrize("name", ["toy_cards", "connect4"])
def test_a_person_is_told_what_happens(name: str) -> None:
    """The check and the page must also work for games with people but without an environment."""
    rules = load(SMALL_GAMES.get(name, str(TOY_FOLDER)))
    bare = msgspec.structs.replace(rules, make_environment=None)
    assert "### A match" in page_of(bare, 2, 0)
    findings = check_game(bare, 2, 1, 20.0).findings
    assert [finding.kind for finding in findings if finding.is_error] == []
