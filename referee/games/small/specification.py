"""Writes the sections of a small game's page that only apply to this game, such as its rules.

Fault messages refer to section numbers, so the numbers are the same for all small games.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getdoc
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.small.author import Game, WrongMove, lists_all, seats_of
from referee.games.small.person import meaning

_COSTS: dict[WrongMove, str] = {
    "loses": "The player loses, and the referee announces `player-lost` ([2.5](#25-player-lost)).",
    "first": "The first legal move is played in place of the wrong reply.",
    "random": "A legal move, chosen at random, is played in place of the wrong reply.",
}


def specification_of(kind: type[Game], name: str, options: type[Struct]) -> str:
    """Write these sections as Markdown, using the docstrings and attributes of the author's class.

    They replace the general sections with the same numbers in spec/small-games/protocol.md.
    """
    own = {
        "4 Game": "\n\n".join(_rules(kind, name)),
        "4.2 A player who leaves": _leaving(kind),
        "4.3 Options": _options(kind, options),
        "5.2 The cost of a wrong reply": _COSTS[kind.wrong_move],
    }
    if kind.wrong_move != "loses":
        own["2.5 player-lost"] = f"No player loses `{name}` by a wrong move, so it is never sent."
    return "".join(
        f"{'###' if '.' in title else '##'} {title}\n\n{text}\n\n" for title, text in own.items()
    )


def _rules(kind: type[Game], name: str) -> Iterator[str]:
    # getdoc() would also return the docstring of the base class.
    yield getdoc(kind) or "" if kind.__doc__ else f"`{kind.__name__}` has no docstring with rules."
    least, most = seats_of(kind)
    yield f"`{name}` is a game for {least if least == most else f'{least} to {most}'} players."
    for field, method in (("moves", kind.legal), ("state", kind.view)):
        if method.__doc__:
            yield f"`{field}` of a `move-request`: {getdoc(method)}"
    if not lists_all(kind):
        own = getdoc(kind.accepts) if kind.accepts.__doc__ else ""
        yield f"`moves` lists only some of the legal moves, and `more_moves` is true. {own}".strip()
    if kind.marks:
        marks = (f"`{mark}` is {meaning(means)}" for mark, means in kind.marks.items())
        yield f"On a board, {', '.join(marks)}."
    if any(kind.edges):
        across, down = (f"`{' '.join(names)}`" for names in kind.edges)
        yield f"The columns of a board are called {across}, and its rows {down}."
    if kind.secrets:
        yield f"Hidden from spectators: {kind.secrets}."


def _leaving(kind: type[Game]) -> str:
    loses = " or loses by a wrong move" if kind.wrong_move == "loses" else ""
    if seats_of(kind)[1] == 2:
        # With two players, the match is over when a player leaves, so we don't need the author's
        # rule for continuing.
        return f"If a player is disqualified{loses}, the game ends, and the other player wins."
    rule = "If it is the turn of a player who has left, the first legal move is played."
    if kind.leave is not Game.leave:
        own = getdoc(kind.leave) if kind.leave.__doc__ else None
        rule = own or "Its rules say what happens then."
    return (
        f"A player who is disqualified{loses} has the last rank. If two or more players are left, "
        f"the game continues. {rule}"
    )


def _options(kind: type[Game], options: type[Struct]) -> str:
    # It's easiest to take types, bounds and descriptions from the JSON schema.
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
