"""Hints about probable mistakes of a Star Realms bot, and about the causes of its faults.

A hint is only useful if it's right. If the cause is uncertain, we don't give a hint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.games.interface.faults import did_you_mean
from referee.games.starrealms.rules.cards import CARDS, OUTPOST
from referee.games.starrealms.rules.faults import BAD_ACTION, BAD_PICKS
from referee.games.starrealms.rules.game import StarRealms
from referee.games.starrealms.rules.messages import ACTIONS

# A bot may end one or two such turns on purpose.
_MANY_TURNS = 5
"""With fewer turns, the behaviour may be intended."""


def notes(game: StarRealms) -> list[list[str]]:
    """Return a list of sentences for each seat, in seat order."""
    found: list[list[str]] = []
    for player in game.table.players:
        # A few turns prove nothing, since a match may end early.
        said, made = [], player.made
        if not made.gains and player.turns > _MANY_TURNS:
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
    """Return the likely cause of a fault, as `GameDefinition.hint` does."""
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
    # All actions before the wrong one were legal when they were carried out. But the request only
    # shows which actions were legal at first, so this is a guess.
    for entry in actions:
        if isinstance(entry, dict) and entry not in offered:
            return _why(entry, asked.get("state", {}))
    return ""


def _why(entry: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    action, card = entry.get("action"), entry.get("card")
    if action not in ACTIONS:
        return did_you_mean(action, ACTIONS)
    if action == "attack-player":
        bases = state.get("opponent", {}).get("bases", [])
        outposts = [base for base in bases if base in CARDS and CARDS[base].type == OUTPOST]
        return f"{outposts[0]} is an outpost: destroy it first" if outposts else ""
    if card not in CARDS:
        return "" if action == "end-turn" else did_you_mean(card, CARDS)
    if action == "play" and card not in state.get("hand", []):
        return f"{card} is not in `hand`"
    if action == "buy" and CARDS[card].cost > state.get("trade", 0):
        return f"{card} costs {CARDS[card].cost}, and there was {state.get('trade', 0)} trade"
    return ""
