"""List the words of a game's rule files, for people."""

from __future__ import annotations

from referee.games.interface.vocabulary import Vocabulary


def matcher_rows(words: Vocabulary) -> dict[str, str]:
    """Return matcher -> its meaning and the fields that accept it."""
    rows = {}
    for name, matcher in words.matchers.items():
        fields = " or ".join(f"`{field}`" for field, known in words.fields.items() if name in known)
        rows[name] = f"{matcher.about} ({fields})"
    return rows


def key_rows(words: Vocabulary) -> dict[str, str]:
    """Return key -> meaning. Keys that are the same, or that exist for every card, share a row.

    A key that exists for every card gets a name that ends in X, which stands for a card or a
    matcher.
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
