"""How notebooks display match results."""

from __future__ import annotations

import copy
import html
import pickle
import re
import subprocess
import sys
from html.parser import HTMLParser

import msgspec
import pytest

import referee
from referee import course
from referee.api import Matches
from referee.match.result import MatchResult
from referee.names import clean
from referee.web import file
from tests.support.helpers import cautious

HOSTILE = ["</script><script>alert(1)</script>", "\"'<!--<script>&quot;\u202e</iframe>"]
SHORT = {"max_turns": 2}


class Elements(HTMLParser):
    """Parses a piece of HTML into its elements with their attributes, and its text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def names(self) -> list[str]:
        return [tag for tag, _ in self.found]


def named(name: str) -> referee.BotFunction:
    """Return a bot with this name. It ends each turn immediately."""

    def bot(message: dict[str, object]) -> object:
        if message["type"] == "player-name-request":
            number = message["player_number"]
            return {"type": "player-name-reply", "player_number": number, "name": name}
        return cautious(message)

    return bot  # type: ignore[return-value]


@pytest.fixture(scope="module")
def result() -> MatchResult:
    return referee.play_match([named(HOSTILE[0]), named(HOSTILE[1])], seed=7, options=SHORT)


def test_a_result_is_a_frame_with_the_page_of_its_match(result: MatchResult) -> None:
    shown = Elements(result._repr_html_() or "")
    assert shown.names == ["iframe", "p"]
    frame = shown.found[0][1]
    assert frame["sandbox"] == "allow-scripts"
    page = frame["srcdoc"]
    assert page is not None
    inside = Elements(page)
    assert inside.names.count("script") == 4  # header, steps, lines, and the bundled module
    assert inside.names.count("main") == 1
    header = re.search(r'id="header-0">(.*?)</script>', page)
    assert header is not None
    assert [seat["name"] for seat in msgspec.json.decode(header[1])["seats"]] == [
        clean(name) for name in HOSTILE
    ]


def test_where_scripts_do_not_run_there_is_the_text(result: MatchResult) -> None:
    assert Elements(result._repr_html_() or "").text == repr(result) == str(result)


def test_the_text_is_one_line_that_drives_no_terminal(result: MatchResult) -> None:
    assert repr(result).isprintable()
    assert repr(result).startswith("<MatchResult: dominion, seed 7, turn-limit in turn 4; ")
    assert "\\u202e" in repr(result)


def test_a_result_stays_what_it_is(result: MatchResult) -> None:
    for same in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert same == result
        assert msgspec.json.encode(same) == msgspec.json.encode(result)
        # A copy doesn't have the match, so notebooks show the `repr`.
        assert same._repr_html_() is None
    assert set(msgspec.to_builtins(result)) == set(MatchResult.__struct_fields__)


def test_bots_that_are_processes_and_leave_are_shown_as_well() -> None:
    bots = ["minimal", [sys.executable, "-c", "input(); print('[]', flush=True); input()"]]
    result = referee.play_match(bots, seed=1, options=SHORT)
    page = html.unescape(result._repr_html_() or "")
    header = re.search(r'id="header-0">(.*?)</script>', page)
    assert header is not None
    read = msgspec.json.decode(header[1])
    assert read["outcome"]["reason"] == result.reason == "last-player-standing"
    assert set(read["rules"]) == {"bad-name-reply", "exited", "last-player-standing"}


def test_a_match_too_large_is_text(result: MatchResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MAX_FILE", 0)
    shown = Elements(result._repr_html_() or "")
    assert shown.names == ["p", "p"]
    assert "It cannot be shown: the page would have" in shown.text


def test_answers_that_are_too_large_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "MAX_ANSWERS", 100)
    result = referee.play_match([named("a"), named("b")], seed=7, options=SHORT)
    assert result._repr_html_() is None


def test_matches_are_a_table_with_intervals() -> None:
    matches = referee.play_matches(["big_money", "minimal"], 4, seed=1)
    shown = Elements(matches._repr_html_())
    assert shown.names.count("tr") == 3
    assert repr(matches) in shown.text
    assert re.search(r"big_money12125\.0%\d\.\d% to 9\d\.\d%minimal12125\.0%", shown.text)


def test_matches_of_which_none_counts_are_a_table() -> None:
    none = Matches(["<b>", "<b>"], 1, [], [], [0, 0], [0, 0], [0, 0], void=2)
    shown = Elements(none._repr_html_())
    assert "b" not in shown.names
    assert "<b>0000.0% to 100.0%" in shown.text


@pytest.mark.slow
def test_nothing_of_it_is_loaded_before_it_is_shown() -> None:
    code = (
        "import referee, sys\n"
        "turn = {'type': 'play-reply', 'phase': 'cleanup'}\n"
        "bot = lambda message: turn if message['type'] == 'play-turn' else None\n"
        "print(referee.play_match([bot, bot], options={'max_turns': 1}))\n"
        "print([name for name in sys.modules if name.split('.')[:2] == ['referee', 'web']])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["[]"]
