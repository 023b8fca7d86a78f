"""Games that aren't built in: `own_games/sticks.py` with a bot, and the games in spec/examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from referee import errors
from referee.games import GAMES, outside
from tests.support.helpers import ROOT

STICKS = Path(__file__).parent / "own_games" / "sticks.py"
# Name of a small game -> its file.
SMALL_GAMES = {
    file.stem: str(file) for file in sorted((ROOT / "spec" / "examples" / "games").glob("*.py"))
}
every_small_game = pytest.mark.parametrize("name", SMALL_GAMES)
ONE_TAKER = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "player-name-request":
        seat = asked["player_number"]
        reply = {"type": "player-name-reply", "player_number": seat, "name": "One"}
    elif asked["type"] == "take-request":
        reply = {"type": "take-reply", "take": 1}
    else:
        continue
    print(json.dumps(reply), flush=True)
"""


def one_taker(message: Mapping[str, Any]) -> dict[str, Any] | None:
    return {"type": "take-reply", "take": 1} if message["type"] == "take-request" else None


@contextmanager
def clean_games() -> Iterator[None]:
    """Unload all external games that were loaded in the `with` block."""
    known, blamed = dict(GAMES.outside), dict(errors._games)
    try:
        yield
    finally:
        for name in GAMES.outside.keys() - known.keys():
            del GAMES[name]
            del GAMES.outside[name]
        errors._games.clear()
        errors._games.update(blamed)


@contextmanager
def small_games() -> Iterator[None]:
    """Load the small games of spec/examples in a `with` block."""
    with clean_games():
        for file in SMALL_GAMES.values():
            outside.add(file)
        yield
