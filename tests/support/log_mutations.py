"""Small changes to spectator logs, like those by careless people or a faulty referee."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.support.helpers import PILES, to_line

KINDS = ("drop", "swap", "duplicate", "card", "count", "player", "score")
_PLAYERS = ("player1", "player2", "player3", "player4")


def mutate(chance: Random, log: bytes) -> tuple[str, bytes]:
    lines = log.splitlines(keepends=True)
    kind = chance.choice(KINDS)
    at = chance.randrange(len(lines) - 1)
    if kind == "drop":
        what = lines.pop(at)
    elif kind == "swap":
        what = lines[at] + lines[at + 1]
        lines[at : at + 2] = lines[at + 1], lines[at]
    elif kind == "duplicate":
        what = lines[at]
        lines.insert(at, what)
    else:
        messages = [json.loads(line) for line in lines]
        at = chance.choice([i for i, message in enumerate(messages) if _has(message, kind)])
        _change(chance, messages[at], kind)
        what = lines[at] = to_line(messages[at]) + b"\n"
    return f"{kind}, line {at + 1}: {what.decode()}", b"".join(lines)


def _has(message: dict[str, Any], kind: str) -> bool:
    if kind == "card":
        return bool(message.keys() & {"gained", "played", "trashed", "card", "cards"})
    if kind == "player":
        return bool(message.keys() & {"player_number", "winners"})
    return ("scores" in message) if kind == "score" else message["type"] == "supply-info"


def _change(chance: Random, message: dict[str, Any], kind: str) -> None:
    if kind == "card":
        field = next(f for f in ("gained", "card", "played", "trashed", "cards") if f in message)
        if isinstance(message[field], str):
            message[field] = _other(chance, PILES, message[field])
            return
        at = chance.randrange(len(message[field]))
        if isinstance(message[field][at], str):
            message[field][at] = _other(chance, PILES, message[field][at])
        else:
            pile = message[field][at]
            pile["card"] = _other(chance, PILES, pile["card"])
    elif kind == "count":
        chance.choice(message["cards"])["count"] += chance.choice([-1, 1, 2])
    elif kind == "score":
        message["scores"][chance.randrange(len(message["scores"]))] += chance.choice([-1, 1])
    elif "winners" in message:
        message["winners"] = [_other(chance, _PLAYERS[:2], message["winners"][0])]
    else:
        message["player_number"] = _other(chance, _PLAYERS, message["player_number"])


def _other(chance: Random, among: Any, than: str) -> str:
    return str(chance.choice([one for one in among if one != than]))
