"""The part of a small game's page that differs from other games: rules, options, secrets."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getdoc
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.small.author import Game, WrongMove

_COSTS: dict[WrongMove, str] = {
    "loses": "a player who makes one of these mistakes loses",
    "first": "the first legal move is played in place of a wrong one",
    "random": "a legal move, chosen at random, is played in place of a wrong one",
}


def specification_of(kind: type[Game], name: str, options: type[Struct]) -> str:
    """Write these sections as Markdown, from the docstrings and attributes of a class."""
    seats = kind.players
    players = str(seats) if isinstance(seats, int) else "{} to {}".format(*seats)
    rules = getdoc(kind) if kind.__doc__ else f"`{kind.__name__}` has no docstring with its rules."
    own = {
        "2.6 move-request": "\n\n".join(_about(kind)),
        "4 Game": f"{rules}\n\n`{name}` is a game for {players} players.",
        "4.3 Options": _options(kind, options),
        "5.1 The reply": f"In `{name}`, {_COSTS[kind.wrong_move]}.",
    }
    return "".join(
        f"{'###' if '.' in title else '##'} {title}\n\n{text}\n\n" for title, text in own.items()
    )


def _about(kind: type[Game]) -> Iterator[str]:
    """Yield the author's descriptions of the fields of a request."""
    for field, method in (("moves", kind.legal), ("state", kind.view)):
        if method.__doc__ and method not in (Game.legal, Game.view):
            yield f"`{field}`: {getdoc(method)}"
    if kind.secrets:
        yield f"Hidden from spectators: {kind.secrets}."


def _options(kind: type[Game], options: type[Struct]) -> str:
    """Return the docstring of the options, and a table."""
    schema: Any = msgspec.json.schema(options)
    fields = schema["$defs"][options.__name__]["properties"]
    chosen = "`--set NAME=VALUE` chooses an option."
    about = f"{getdoc(kind.Options)}\n\n{chosen}" if kind.Options.__doc__ else chosen
    lines = [about, "", "| option | default | |", "|---|---|---|"]
    for name, field in fields.items():
        default = msgspec.json.encode(field.get("default")).decode()
        lines.append(f"| `{name}` | {default} | {_values(field)} |")
    return "\n".join(lines)


def _values(field: dict[str, Any]) -> str:
    """Describe the possible values of an option."""
    if "enum" in field:
        words = " or ".join(msgspec.json.encode(value).decode() for value in field["enum"])
    else:
        words = field.get("type", "any value")
        bounds = [field.get("minimum"), field.get("maximum")]
        if None not in bounds:
            words += " from {} to {}".format(*bounds)
        elif bounds != [None, None]:
            words += f", at least {bounds[0]}" if bounds[1] is None else f", at most {bounds[1]}"
    return f"{words}. {field.get('description', '')}".strip()
