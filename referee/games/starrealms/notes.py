"""Hints for bot authors: likely bugs in a Star Realms bot, and likely causes of its faults.

A wrong hint is worse than none. If we aren't sure, we don't give one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.games.interface.faults import did_you_mean
from referee.games.starrealms.rules.cards import CARDS, OUTPOST
from referee.games.starrealms.rules.faults import BAD_ACTION, BAD_PICKS
from referee.games.starrealms.rules.game import StarRealms
from referee.games.starrealms.rules.messages import ACTIONS

_MANY_TURNS = 5
"""If a bot only does something odd in fewer turns than this, it may be doing it on purpose."""


def notes(game: StarRealms) -> list[list[str]]:
    """Return the hints about each seat, in seat order."""
    found: list[list[str]] = []
    for player in game.table.players:
        said, made = [], player.made
        if not made.gained and player.turns > _MANY_TURNS:
            said.append(
                f"it bought nothing in {player.turns} turns: `actions` of the request has each "
                '"buy" that there is trade for (5.1)'
            )
        if made.idle >= _MANY_TURNS:
            said.append(
                f"it ended {made.idle} turns with combat left and something to attack: combat is "
                'lost at the end of a turn; send "attack-base" or "attack-player" before it (4.2)'
            )
        found.append(said)
    return found


def hint(code: str, asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """Return the likely cause of a fault, or "" if we can't tell (see `GameDefinition.hint`)."""
    if code == BAD_PICKS:
        picks = reply.get("picks")
        if isinstance(picks, list) and any(isinstance(pick, str | dict) for pick in picks):
            return "`picks` are indices of `options`, from 0"
        return ""
    actions = reply.get("actions")
    if code != BAD_ACTION:
        return ""
    if isinstance(actions, dict):
        return "put the action into a list"
    if not isinstance(actions, list):
        return "`actions` is a list of actions, such as the actions in the request"
    offered = asked.get("actions", [])
    # This is a guess. The request only lists the actions that were legal at first, and the bot may
    # have made others legal before it sent the wrong one.
    for entry in actions:
        if isinstance(entry, dict) and entry not in offered:
            return _why(entry, asked.get("state", {}))
    return ""


def _why(entry: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    action, card = entry.get("action"), entry.get("card")
    if not isinstance(action, str) or action not in ACTIONS:
        return did_you_mean(action, ACTIONS)
    if action == "attack-player":
        bases = state.get("opponent", {}).get("bases", [])
        outposts = [base for base in bases if base in CARDS and CARDS[base].type == OUTPOST]
        return f"{outposts[0]} is an outpost: destroy it first" if outposts else ""
    if not isinstance(card, str) or card not in CARDS:
        return "" if action == "end-turn" else did_you_mean(card, CARDS)
    if action == "play" and card not in state.get("hand", []):
        return f"{card} is not in `hand`"
    if action == "buy" and CARDS[card].cost > state.get("trade", 0):
        return f"{card} costs {CARDS[card].cost}, and there was {state.get('trade', 0)} trade"
    return ""
