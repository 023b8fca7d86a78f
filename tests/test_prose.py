"""The pages are in plain English. No page may get more odd sentences than it has now.

tests/prose_baselines.json has the current number for each page. Lower it when you rewrite
sentences. On a page that isn't listed, 2% of the sentences may be odd. tools/prose_counts.json has
the limits for docstrings and comments.
"""

from __future__ import annotations

import json

import pytest

from tests.support.live import ROOT
from tests.support.prose import odd, sentences
from tools.generators.make_pages import pages
from tools.prose_counts import FOLDERS, counts, texts, too_high

BASELINES: dict[str, int] = json.loads((ROOT / "tests" / "prose_baselines.json").read_text())
PAGES = [page.relative_to(ROOT).as_posix() for page in pages()]
NEW_SHARE = 0.02


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_no_more_odd_sentences_than_before(page: str) -> None:
    text = (ROOT / page).read_text()
    found = odd(text)
    most = BASELINES.get(page, int(NEW_SHARE * len([*sentences(text)])))
    assert len(found) <= most, "\n".join(f"{why}: {sentence}" for why, sentence in found)


def test_every_baseline_is_of_a_page() -> None:
    assert {*BASELINES} <= {*PAGES}


@pytest.mark.parametrize(
    ("sentence", "is_odd"),
    [
        ("What is hidden or a symbolic link is left out.", True),
        ("Which bot is better?", False),
        ("What does it do?", False),
        ("A last line without its end is no reply.", True),
        ("A last line without its end is not a reply.", False),
        ("The game is no longer over.", False),
        ("It prints one JSON object a line.", True),
        ("It prints one JSON object per line.", False),
        ("Its exit code is that of the bot.", True),
        ("A bot that is asked answers.", True),
        ("The bot is started anew.", True),
        ("So look at the table.", True),
        ("Of duplicate keys the last counts.", False),
        ("Of the keys the last counts.", True),
        (" ".join(["word"] * 41) + ".", True),
        (" ".join(["word"] * 40) + ".", False),
        ("`What is hidden` is a title.", False),
    ],
)
def test_odd_sentences_are_found(sentence: str, is_odd: bool) -> None:
    assert bool(odd(f"# Title\n\n{sentence}\n")) == is_odd


def test_only_prose_is_read() -> None:
    text = "# So it is\n\n- one: So what\n\n```\nSo it is told here.\n```\n\n| So it is | told |\n"
    assert [*sentences(text)] == ["one: So what"]


def test_the_code_has_no_more_odd_sentences_than_before() -> None:
    assert not too_high(counts(FOLDERS)), "python -m tools.prose_counts --list"


def test_docstrings_and_comments_are_read() -> None:
    source = '"""One.\n\nTwo.\n"""\n\nx = "# no"  # three\n# four\n# five\ny = """no"""\n'
    assert [*texts(source)] == ["One.\n\nTwo.\n", "three", "four five"]
