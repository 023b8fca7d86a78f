"""What a probe can say, and the cards that it says it of."""

import json

COST = {
    "curse": 0,
    "copper": 0,
    "silver": 3,
    "gold": 6,
    "estate": 2,
    "duchy": 5,
    "province": 8,
    "cellar": 2,
    "market": 5,
    "militia": 4,
    "mine": 5,
    "moat": 2,
    "remodel": 4,
    "smithy": 4,
    "village": 3,
    "woodcutter": 3,
    "workshop": 3,
}
WORTH = {"copper": 1, "silver": 2, "gold": 3}
ACTIONS = list(COST)[7:]
LIMIT = 65536


def encode(reply):
    return json.dumps(reply, separators=(",", ":")).encode() + b"\n"


def action(card, **parameters):
    reply = {"type": "play-reply", "phase": "action", "card": card}
    return reply | ({"additional_parameters": parameters} if parameters else {})


def buy(treasures, cards):
    return {
        "type": "play-reply",
        "phase": "buy",
        "played_treasures": treasures,
        "cards_to_buy": cards,
    }


def cleanup(**fields):
    return {"type": "play-reply", "phase": "cleanup", **fields}


def is_cleanup(reply):
    return isinstance(reply, dict) and reply.get("phase") == "cleanup"


def without(reply, field):
    return {name: value for name, value in reply.items() if name != field}
