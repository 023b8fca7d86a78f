"""Generates the tables of observations and actions in spec/rl-spaces.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from referee.games import GAMES
from referee.games.dominion.rules.cards import CARDS as DOMINION_CARDS
from referee.games.interface.environment import Environment
from referee.games.starrealms.rules.cards import CARDS as STAR_REALMS_CARDS
from referee.games.tribute.environment import CHOICES as TRIBUTE_CHOICES
from referee.games.tribute.rules.cards import PATRONS, TREASURY

_CARDS = {
    *DOMINION_CARDS,
    *STAR_REALMS_CARDS,
    *(name.removeprefix("buy-card ") for name in TRIBUTE_CHOICES if name.startswith("buy-card ")),
}
_PATRONS = {*PATRONS, TREASURY}


class Row(NamedTuple):
    """A row of the table, for names that only differ in the card or patron.

    Attributes:
        label: the name with C for a card, P for a patron or Q for a question.
        places: the indices of these names.
    """

    label: str
    places: list[int]


def observations(game: str, text: str) -> str:
    """Return the table of an observation.

    We keep the last column of the existing table, because people write it.
    """
    environment, meanings = _environment(game), _meanings(text)
    numbers = environment.observation(GAMES[game].min_seats, GAMES[game].options())
    both = (numbers.low, numbers.high)  # these are equal in all cells of a grid
    low, high = (each.reshape(-1, len(numbers.names))[0].tolist() for each in both)
    lines = ["| place | entry | least | most | meaning |", "|---|---|---|---|---|"]
    for label, places in _rows(numbers.names):
        most = sorted({high[place] for place in places})
        shown = f"{most[0]} to {most[-1]}" if len(most) > 1 else f"{most[0]}"
        least = min(low[place] for place in places)
        cells = [_span(places), f"`{label}`", f"{least}", shown, meanings.get(label, "")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def actions(game: str, text: str) -> str:
    """Return the table of actions.

    People write the meanings here as well, so we keep them.
    """
    environment, meanings = _environment(game), _meanings(text)
    lines = ["| number | choice | meaning |", "|---|---|---|"]
    for label, places in _rows(environment.choices(GAMES[game].options())):
        lines.append(f"| {_span(places)} | `{label}` | {meanings.get(label, '')} |")
    return "\n".join(lines)


def _environment(game: str) -> Environment:
    environment = GAMES[game].environment
    assert environment is not None
    return environment


def _meanings(text: str) -> dict[str, str]:
    return dict(re.findall(r"^\| [\d, to]+ \| `(.+?)` \|.*?\|? ?([^|]*) \|$", text, re.MULTILINE))


def _rows(names: Sequence[str]) -> Iterator[Row]:
    rows: dict[str, Row] = {}
    for place, name in enumerate(names):
        label = _label(name)
        rows.setdefault(label, Row(label, [])).places.append(place)
    yield from rows.values()


def _label(name: str) -> str:
    words = name.split(" ")
    if words[0] in ("stage", "asks"):
        return f"{words[0]} Q"
    if words[0] == "reveal":  # only moat has this action, so we show its name
        return name
    for size in range(len(words), 0, -1):
        for first in range(len(words) - size + 1):
            part = " ".join(words[first : first + size])
            letter = "C" if part in _CARDS else "P" if part in _PATRONS else ""
            if letter and size < len(words):
                return " ".join([*words[:first], letter, *words[first + size :]])
    return name


def _span(places: list[int]) -> str:
    first, last = places[0], places[-1]
    if first == last:
        return f"{first}"
    step = places[1] - first
    return f"{first} to {last}" if step == 1 else f"{first}, {places[1]} to {last}"
