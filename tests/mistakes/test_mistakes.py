"""Test that each of the bots with mistakes only differs from the correct bot by its mistake.

`python -m tools.mistakes.table` prints what `play` and `conform` say about each mistake, and fails
if they don't name enough of them. The tests marked `slow` check this for a few.
"""

from __future__ import annotations

import shutil

import pytest

from tools.mistakes.mistakes import LANGUAGES, MISTAKES, RIGHT, Mistake, source
from tools.mistakes.table import naming, try_out

PATIENT = 60.0
"""Time limit of a reply in seconds. A correct bot never reaches it, even on a busy machine."""
HURRIED = 4.0
"""Time limit for bots with mistakes. It's short, because some never reply and we wait for them."""
ALL = [
    pytest.param(mistake, language, id=f"{mistake.name}-{language}")
    for mistake in MISTAKES
    for language in mistake.changes
]


def test_there_are_thirty_in_each_language() -> None:
    for language in LANGUAGES:
        numbers = {mistake.number for mistake in MISTAKES if language in mistake.changes}
        assert numbers == set(range(1, 31))
    names = [mistake.name for mistake in MISTAKES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("mistake", "language"), ALL)
def test_a_mistake_changes_the_right_bot(mistake: Mistake, language: str) -> None:
    wrong = source(mistake, language, seconds=1.5)
    assert wrong != source(RIGHT, language, seconds=1.5)
    assert "{seconds}" not in wrong
    if language == "python" and mistake.what != "a syntax error":
        compile(wrong, "my_bot.py", "exec")


def test_a_change_that_does_not_apply_is_refused() -> None:
    stale = RIGHT._replace(changes={"python": [("no such text", "")]})
    with pytest.raises(ValueError, match="no such text"):
        source(stale, "python", seconds=1.0)


def skip_without(language: str) -> None:
    if language == "node" and shutil.which("node") is None:
        pytest.skip("no node on this machine")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "node"])
def test_the_right_bot_is_right(language: str) -> None:
    skip_without(language)
    for opponent in ("big_money", "militia_money"):
        right = RIGHT._replace(opponent=opponent)
        played = try_out(right, language, "play", limit=PATIENT).said
        assert "disqualified" not in played
        assert "Faults" not in played


@pytest.mark.all_cases
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_right_bot_conforms(language: str) -> None:
    skip_without(language)
    assert " conforms: " in try_out(RIGHT, language, "conform", limit=PATIENT).said


@pytest.mark.slow
@pytest.mark.parametrize(("mistake", "language"), ALL[::25])
def test_play_names_the_cause(mistake: Mistake, language: str) -> None:
    skip_without(language)
    seen = try_out(mistake, language, "play", limit=HURRIED)
    assert seen.verdict == "named", seen.said


@pytest.mark.all_cases
@pytest.mark.parametrize("mistake", MISTAKES[::23], ids=lambda mistake: mistake.name)
def test_conform_names_the_cause(mistake: Mistake) -> None:
    seen = try_out(mistake, "python", "conform", limit=HURRIED)
    assert seen.verdict == "named", seen.said


def test_what_is_named_is_found_across_wrapped_lines() -> None:
    said = (
        "seat\n  `cards_to_buy` is missing; the reply to play-\n  turn has `cards_bought`\nSeed 1\n"
    )
    named = naming("is missing; the reply to play-turn has", said)
    assert named == ["`cards_to_buy` is missing; the reply to play-", "turn has `cards_bought`"]
    assert naming("has `cards_sold`", said) == []
