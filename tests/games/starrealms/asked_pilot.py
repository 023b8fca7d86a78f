"""Helpers that ask a Star Realms rule file for a decision in a hand-written situation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
from msgspec import UNSET

from referee.games.starrealms.rule_player import StarRealmsRulePlayer
from referee.games.starrealms.rules.messages import (
    Action,
    Choose,
    ChooseReply,
    PlayReply,
    PlayTurn,
)
from referee.games.starrealms.vocabulary import VOCABULARY
from referee.rulefiles.reading import read

Json = dict[str, Any]
NOTHING: Json = {
    "turn": 1,
    "authority": 50,
    "trade": 0,
    "combat": 0,
    "next_ship_to_top": False,
    "shuffles": 0,
    "hand": [],
    "deck": [],
    "discard": [],
    "in_play": [],
    "played": [],
    "copied": None,
    "trade_row": [],
    "trade_deck": 50,
    "explorers": 0,
}
NO_OPPONENT: Json = {
    "authority": 50,
    "hand_size": 5,
    "due": 0,
    "deck_size": 5,
    "shuffles": 0,
    "hidden": [],
    "discard": [],
    "bases": [],
}


def rule_player_of(**sets: Any) -> StarRealmsRulePlayer:
    """Create the rule player for a file with these fields. Fails if the file has problems."""
    data = msgspec.json.encode({"name": "Test", "author": "Test", **sets})
    book, problems = read(data, VOCABULARY, "starrealms")
    assert book is not None, problems
    return StarRealmsRulePlayer(book)


def state_of(opponent: Json | None = None, **known: Any) -> Json:
    """A state as in a request, empty except for the given fields. `in_play` may contain names."""
    pieces = [
        {"card": each, "used": False, "ally_used": False} if isinstance(each, str) else each
        for each in known.pop("in_play", [])
    ]
    return {
        **NOTHING,
        **known,
        "in_play": pieces,
        "opponent": {**NO_OPPONENT, **(opponent or {})},
    }


def actions(rule_player: StarRealmsRulePlayer, state: Json, *able: str) -> list[Action]:
    """Return the actions that the rule player chooses in a turn.

    Args:
        able: legal actions other than playing cards from the hand, such as "scrap Ram".
    """
    legal = [{"action": "play", "card": card} for card in state["hand"]]
    for each in able:
        action, _, card = each.partition(" ")
        legal.append({"action": action, "card": card})
    asked = {"state": state, "actions": [*legal, {"action": "end-turn"}]}
    request = msgspec.convert(asked, PlayTurn)
    reply = rule_player.reply(SimpleNamespace(request=request))  # type: ignore[arg-type]
    assert isinstance(reply, PlayReply)
    return list(reply.actions)


def does(rule_player: StarRealmsRulePlayer, state: Json, *able: str) -> list[str]:
    """Like `actions`, but as strings such as "play Ram", "buy Ram" or "end-turn"."""
    done = actions(rule_player, state, *able)
    return [each.action if each.card is UNSET else f"{each.action} {each.card}" for each in done]


def picks(
    rule_player: StarRealmsRulePlayer,
    kind: str,
    card: str | None,
    options: list[Any],
    state: Json,
    **sizes: int,
) -> list[int]:
    """Return the indices of the options that the rule player picks.

    Args:
        options: names of cards, or numbers of options.
        sizes: `least` and `most`, 0 and 1 by default.
    """
    offered: list[Json] = [
        {"option": each, "effects": []} if isinstance(each, int) else {"card": each, "from": "hand"}
        for each in options
    ]
    asked = {
        "kind": kind,
        "card": card,
        "options": offered,
        "least": sizes.get("least", 0),
        "most": sizes.get("most", 1),
        "state": state,
    }
    request = msgspec.convert(asked, Choose)
    reply = rule_player.reply(SimpleNamespace(request=request))  # type: ignore[arg-type]
    assert isinstance(reply, ChooseReply)
    return list(reply.picks)
