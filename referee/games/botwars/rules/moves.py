"""Check the moves in a bot's reply (protocol, 5).

A reply of the wrong format loses the game. An impossible move is harmless: we report it and ignore
it, and carry out the other moves.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import UNSET

from referee.games.botwars.rules.messages import MoveReply
from referee.games.interface.faults import InvalidReply, describe

BAD_FORMAT = "bad-format"
IGNORED_MOVE = "ignored-move"
SECTIONS = MappingProxyType({IGNORED_MOVE: "5.2", BAD_FORMAT: "5.3"})

# Not isinstance(): True is an integer in Python, but not a number in JSON.
_NUMBERS = (int, float)

Neighbours: TypeAlias = Sequence[tuple[int, ...]]
"""For each cell, the adjacent cells. Cells at the edge of the grid have fewer than four."""


def bad_format(reply: object) -> str:
    """Return a text that says why the format of a reply is wrong, or "" if it's right."""
    if isinstance(reply, InvalidReply):
        return reply.detail
    assert isinstance(reply, MoveReply)  # the decoder has no other struct
    if reply.moves is UNSET:
        return "`moves` is missing"
    if not isinstance(reply.moves, list):
        return f"`moves` is {describe(reply.moves)}, not an array"
    for place, move in enumerate(reply.moves, 1):
        if type(move) is not dict:
            return f"move {place} is {describe(move)}, not an object"
        if type(move.get("from")) not in _NUMBERS or type(move.get("to")) not in _NUMBERS:
            name = "to" if type(move.get("from")) in _NUMBERS else "from"
            found = describe(move[name]) if name in move else "missing"
            return f"`{name}` of move {place} is {found}, not a number"
    return ""


def carried_out(
    moves: Sequence[dict[str, Any]], own: Collection[int], neighbours: Neighbours
) -> tuple[dict[int, int], int, str]:
    """Pick out the moves that are possible (5.2). The others are ignored.

    Args:
        own: cells with botlets of this side.

    Returns:
        The possible moves as a dict from cell to target cell, in the order of the reply, the number
        of ignored moves, and a text that explains the first ignored move.
    """
    targets: dict[int, int] = {}
    ignored = 0
    first = ""
    for place, move in enumerate(moves, 1):
        start, end = move["from"], move["to"]
        # Sets and tuples treat 5.0 and 5 as equal, as JSON does. int() can't fail, because `start
        # in own` is checked first.
        if start in own and start not in targets and end in neighbours[int(start)]:
            targets[int(start)] = int(end)
        else:
            ignored += 1
            if not first:
                first = f"move {place}, {_why(start, end, own, targets)}"
    return targets, ignored, first


def _why(start: float, end: float, own: Collection[int], targets: Collection[int]) -> str:
    # A move may be wrong in several ways, but we only give one reason. The checks are in the order
    # in which an author would want to fix the mistakes.
    step = f"from {describe(start)} to {describe(end)}"
    if isinstance(start, float) and not start.is_integer():
        return f"{step}: `from` is not an integer"
    if isinstance(end, float) and not end.is_integer():
        return f"{step}: `to` is not an integer"
    if start not in own:
        return f"{step}: no botlet of its own is at `from`"
    if start in targets:
        return f"{step}: that botlet is moved already"
    return f"{step}: `to` is not next to `from`"
