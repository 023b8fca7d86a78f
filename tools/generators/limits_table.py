"""Generates the table of limits in spec/limits.md."""

from __future__ import annotations

import re

from referee.games import GAMES
from referee.match.limits import LIMITS, Limits, flag, limit_word
from referee.match.spec import default_limits, tournament_limits


def limits(text: str) -> str:
    """Return the table. People write its last column, so we take that from the existing table."""
    return _table(dict(re.findall(r"^\|.*?\| `(\w+)` \|.*\| (.*) \|$", text, re.MULTILINE)))


def _table(verdicts: dict[str, str]) -> str:
    rows = [
        "| option | key | default | in a sandbox | in a tournament | if exceeded |",
        "|---|---|---|---|---|---|",
    ]
    general = Limits()._asdict()
    for name, row in LIMITS.items():
        metavar = {"count": "N", "line": "BYTES", "bytes": "BYTES"}.get(row.kind, "S")
        default = _shown(name, general[name])
        sandboxed = default if row.sandbox is None else _shown(name, row.sandbox)
        in_tournaments = sandboxed if row.tournament is None else _shown(name, row.tournament)
        for game in GAMES.values():
            own = getattr(default_limits(game), name)
            if own != general[name]:
                default += f"; `{game.name}` {_shown(name, own)}"
                sandboxed = in_tournaments = "the default"
            if name in game.tournament_limits:
                in_tournaments += f"; `{game.name}` {_shown(name, tournament_limits(game)[name])}"
        cells = [f"`{flag(name)} {metavar}`", f"`{name}`", default, sandboxed, in_tournaments]
        rows.append(f"| {' | '.join([*cells, verdicts.get(name, '')])} |")
    return "\n".join(rows)


def _shown(name: str, value: float) -> str:
    seconds = LIMITS[name].kind in ("clock", "pause", "seconds", "gain") and value < float("inf")
    return limit_word(name, value) + " s" * seconds
