"""Hints for bot authors: likely bugs in a Scripts of Tribute bot, and causes of its faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from referee.games.interface.faults import did_you_mean
from referee.games.tribute.rules import faults
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.game import Tribute

_MANY_TURNS = 5
"""If a bot only does something odd in fewer turns than this, it may be doing it on purpose."""
_MISSED = {
    "cards": 'with cards in hand that could be played: send "play-card" for each (4.3)',
    "agents": 'with an agent that was not activated: send "activate-agent" for each (4.3)',
    "coins": 'with coins for a card of the row, which are lost then: send "buy-card" (4.7)',
    "power": "with power that hit a taunt agent and did not kill it: it brought no prestige (4.6)",
}


def notes(game: Tribute) -> list[list[str]]:
    """Return the hints about each seat, in seat order."""
    found: list[list[str]] = []
    for player in game.table.players:
        missed = player.made.missed
        said = [
            f"it ended {missed[name]} turns {what}"
            for name, what in _MISSED.items()
            if missed[name] >= _MANY_TURNS
        ]
        # If the bot could have won, we mention it even if it happened only once.
        if missed["favour"]:
            times = "a turn" if missed["favour"] == 1 else f"{missed['favour']} turns"
            said.append(
                f"it ended {times} in which a call of the fourth patron would have won: who is "
                "favoured by all four at the end of its turn wins (4.10)"
            )
        found.append(said)
    return found


def hint(code: str, asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """Return the likely cause of a fault, or "" if we can't tell (see `GameDefinition.hint`)."""
    if code == faults.BAD_PATRON:
        return did_you_mean(reply.get("patron"), asked.get("available", []))
    if code == faults.ILLEGAL_ACTION:
        return _why_illegal(asked, reply)
    if code == faults.ILLEGAL_CHOICE:
        cards = reply.get("cards")
        least, most = asked.get("min", 0), asked.get("max", 0)
        if isinstance(cards, list) and not least <= len(cards) <= most:
            return "`min` and `max` of the request say how many"
        return "`cards` of the request has what can be chosen, by its `uid`" if cards else ""
    return _why_no_format(asked, reply) if code == faults.BAD_FORMAT else ""


def _why_no_format(asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    if asked.get("type") == "choose-request":
        if reply.get("type") == "play-reply":
            return "a choice is open, and the turn continues when it is answered"
        if asked.get("effects"):
            return "`effect` is 0 for the left one of `effects`, 1 for the right one"
        return "`cards` is a list of uids, such as 10103 of " + '{"uid":10103,"card":"GOLD"}'
    action = reply.get("action")
    if asked.get("type") != "play-turn" or not isinstance(action, dict):
        return ""
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in say.ACTIONS:
        return did_you_mean(kind, say.ACTIONS)
    if isinstance(action.get("card"), str | dict):
        return "`card` is a uid, such as 10103 of " + '{"uid":10103,"card":"GOLD"}'
    return ""


def _why_illegal(asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    action = reply.get("action")
    if not isinstance(action, Mapping):
        last = len(asked.get("actions", [])) - 1
        return f"it counts from 0, so the last is {last}"
    state = asked.get("state", {})
    me, other = state.get("me", {}), state.get("opponent", {})
    kind = action.get("type")

    def among(cards: Iterable[Mapping[str, Any]]) -> bool:
        return action.get("card") in [card["uid"] for card in cards]

    if kind == say.CALL_PATRON:
        return _why_no_call(action.get("patron"), state)
    if kind == say.PLAY_CARD and not among(me.get("hand", ())):
        return "it is not in `hand`"
    # If only end-turn is legal although there are cards to play, the bot has used up its actions.
    if asked.get("actions") == [{"type": say.END_TURN}] and me.get("hand"):
        return "`max_actions` have been carried out in this turn (4.3)"
    if kind == say.ACTIVATE_AGENT:
        if among(me.get("agents", ())):
            return "it was activated in this turn, or came in it"
        return "it is not one of your `agents`"
    if kind == say.ATTACK:
        if not me.get("power"):
            return "there is no power left"
        if among(other.get("agents", ())):
            return "a taunt agent has to be attacked first"
        return "it is not one of the opponent's `agents`"
    if kind == say.BUY_CARD:
        coins = f"it costs more than the coins, {me.get('coins')}"
        return coins if among(state.get("row", ())) else "it is not in `row`"
    return ""


def _why_no_call(patron: Any, state: Mapping[str, Any]) -> str:
    favours = state.get("favours", {})
    if not isinstance(patron, str) or patron not in favours:
        return did_you_mean(patron, favours) or "it is not at the table"
    if not state.get("me", {}).get("patron_calls"):
        return "no call is left in this turn: there is one a turn, and what cards add"
    return "what it needs is not there (4.8)"
