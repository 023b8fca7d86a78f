"""Explain the words of a game's rule files, for help texts and pages."""

from __future__ import annotations

from referee.games.interface.vocabulary import Vocabulary


def matcher_rows(words: Vocabulary) -> dict[str, str]:
    """Return an explanation of each matcher, with the fields in which you can use it."""
    rows = {}
    for name, matcher in words.matchers.items():
        fields = " or ".join(f"`{field}`" for field, known in words.fields.items() if name in known)
        rows[name] = f"{matcher.about} ({fields})"
    return rows


def key_rows(words: Vocabulary) -> dict[str, str]:
    """Return an explanation of each key.

    Different names for the same key are joined. If a key exists once per card or matcher, we list
    it once, with an X in place of the card.
    """
    together: dict[int, list[str]] = {}
    for name, key in words.keys.items():
        together.setdefault(id(key), []).append(name)
    rows: dict[str, str] = {}
    for names in together.values():
        about = words.keys[names[0]].about
        start, _, last = names[0].rpartition(".")
        if last in words.fields["card"]:
            rows.setdefault(f"{start}.X", about.replace(last, "X"))
        else:
            rows["`, `".join(names)] = about
    return rows
