"""`referee explain`: prints a section of the protocol, or the explanation of a code."""

from __future__ import annotations

import re

import msgspec
import pytest

from referee import cli
from referee.conformance import verdict
from referee.games import GAMES
from referee.match.pages import load_page
from tests.support import toy
from tests.support.live import one_line, referee
from tests.support.typing_person import TypingPerson


def explained(*arguments: str) -> str:
    done = referee("explain", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_section() -> None:
    text = explained("7.2")
    assert text.startswith("7.2 Discarding\n\n")
    # on a line of its own, so that it can be copied
    assert '\n  {"type":"attack-reply","discard":["estate","estate"]}\n' in text
    assert "named twice must be in hand twice" in text
    assert "`bad-discard`: 7.4." in text
    assert "7.3" not in text
    assert "\x1b" not in text  # no colours in a pipe
    assert max(map(len, text.splitlines())) <= 80
    assert "\n\n\n" not in text


@pytest.mark.parametrize("no_colour", ["", "1"])
def test_styles_on_a_terminal(no_colour: str) -> None:
    terminal = TypingPerson("explain", "7.2", NO_COLOR=no_colour)
    assert terminal.leave() == 0
    assert ("\x1b[" in terminal.seen) == (not no_colour)
    # a background colour would be wrong for light or for dark terminals
    assert not re.search(r"\x1b\[[\d;]*4\dm", terminal.seen)
    # Backticks mark code only if there are no styles to do it.
    assert ("`bad-discard`" in terminal.seen) == bool(no_colour)
    terminal.close()


def test_a_chapter_has_its_sections() -> None:
    text = explained("7")
    for title in ("7 Militia and moat", "7.1 Who is asked", "7.4 Anything else"):
        assert f"{title}\n" in text


def test_the_section_of_a_case() -> None:
    assert explained("7.2/3") == explained("7.2")


@pytest.mark.parametrize(
    ("code", "says", "section"),
    [
        ("bad-discard", "fault: wrong discards to a militia; random discards", "7.2 Discarding"),
        ("timeout", "disqualification: no reply in time", "8.1 The clock"),
        ("piles-empty", "end reason: three piles are empty", "4.4 Turns and the end"),
        ("memory-limit", "disqualification: the system has killed", "1.3 Limits"),
        ("no-flush", "found by `referee conform`: no reply in time, but", "1.1 Lines"),
        ("http-status", "disqualification: its answer has a status", "8.6 Bots over HTTP"),
        ("departure", "found by `referee conform`: the first line of a match that is not", ""),
        ("seed", "found by `referee conform`: it departs from the match", "4.7 Randomness"),
    ],
)
def test_a_code_and_its_section(code: str, says: str, section: str) -> None:
    text = explained(code)
    assert f"`{code}`, {says}" in " ".join(text.split())
    assert f"\n{section}" in text


def test_a_code_of_two_sections() -> None:
    text = explained("invalid-json")
    assert text.count("• `invalid-json`, fault") == 2
    assert "5.5 Replies that end the turn" in text
    assert "7.4 Anything else" in text


def test_a_title() -> None:
    assert explained("supply-info").startswith("2.4 supply-info\n")


def test_a_word_of_the_glossary() -> None:
    text = explained("deal")
    assert text.startswith(" • deal: everything that chance decides before and in a match")
    assert "4.1 The deal" in text  # `deal` is also a code of `conform`
    assert explained("kept", "bot").startswith(" • kept bot: a process that plays several")


def test_another_game_and_the_page_on_http() -> None:
    assert "that botlet was moved already" in explained("--game", "botwars", "ignored-move")
    for arguments in (("http-bots.md 3",), ("http-bots.md", "3")):  # reports use the first form
        assert explained(*arguments).startswith("3 Limits and verdicts\n")


def test_the_contents() -> None:
    text = explained()
    assert "spec/protocol-v1.md" in text
    assert "7.2 Discarding" in text


@pytest.mark.parametrize("game", GAMES)
def test_whatever_a_report_names_can_be_asked_for(game: str) -> None:
    """`explain` must know every section, every code of section 9 and every kind of violation."""
    from referee.cli.commands.explain import explanation as markdown

    page = load_page(GAMES[game].specification)
    constants = [getattr(verdict, name) for name in dir(verdict) if name.isupper()]
    names = [kind for kind in constants if isinstance(kind, str)]
    assert "surplus-output" in names
    for what in (*page.sections, *(code.code for code in page.codes), *names):
        assert markdown(what, page), what


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bad-discrad"], "did you mean bad-discard"),
        (["7.9"], "did you mean 7"),
        (["bad-format"], "the page of botwars has it: add --game botwars"),
        (["--game", "botwars", "ignored-moves"], "did you mean ignored-move or "),
        (["qqqq"], "nor a word of the glossary (referee explain lists the sections"),
        (["\x1b[31m"], "\\x1b[31m"),
        (["5.2", "--game", "chess"], "no game 'chess'"),
    ],
)
def test_what_is_not_known_is_one_line_and_2(arguments: list[str], says: str) -> None:
    done = referee("explain", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in one_line(done.stderr)


def test_the_page_of_a_game_can_be_a_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "# Toy\n\n## 5 Numbers\n\nA number is `no-number` if it is a word.\n"
    definition = msgspec.structs.replace(toy.RULES, specification_text=text)
    monkeypatch.setitem(GAMES, "toy", definition)
    assert cli.main(["explain", "--game", "toy", "5"]) == 0
    assert "A number is `no-number` if it is a word." in capsys.readouterr().out
    assert cli.main(["explain", "--game", "toy", "1.1"]) == 0  # every game has this section
    assert "JSON" in capsys.readouterr().out
    assert cli.main(["explain", "--game", "toy", "5.7"]) == 2
    assert "is not a section, title or code of the page of toy" in capsys.readouterr().err


def test_a_number_of_a_given_game_does_not_lead_to_another_game(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["explain", "7.4", "--game", "botwars"]) == 2
    assert "add --game" not in capsys.readouterr().err
    assert cli.main(["explain", "bad-discard", "--game", "botwars"]) == 2
    assert "the page of dominion has it: add --game dominion" in capsys.readouterr().err
