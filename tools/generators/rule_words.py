"""Generates the tables of words for rule files in spec/rule-words.md."""

from __future__ import annotations

from collections.abc import Iterator

from referee.games import GAMES
from referee.games.interface.vocabulary import Vocabulary
from referee.rulefiles.glossary import key_rows, matcher_rows


def words(game: str) -> str:
    return "\n".join(_tables(game))


def _tables(game: str) -> Iterator[str]:
    words = GAMES[game].vocabulary
    assert words is not None  # only games with rule files are on the page
    yield from _table("matcher (fields)", matcher_rows(words))
    yield ""
    yield from _sets(words)
    yield ""
    yield from _table("key", key_rows(words))
    yield ""
    averages = {f"{prefix}card_info_avg_X": a.about for prefix, a in words.averages.items()}
    yield from _table("key", averages, "average of an info X over")


def _table(head: str, rows: dict[str, str], meaning: str = "meaning") -> Iterator[str]:
    yield f"| {head} | {meaning} |"
    yield "|---|---|"
    for name, about in rows.items():
        yield f"| `{name}` | {about} |"


def _sets(words: Vocabulary) -> Iterator[str]:
    yield "| set | asks | default |"
    yield "|---|---|---|"
    for name, rules in words.sets.items():
        flags = "".join(f"; `{flag}`: {does}" for flag, does in rules.flags.items())
        yield f"| `{name}` | {rules.about}{flags} | {rules.default_text} |"
