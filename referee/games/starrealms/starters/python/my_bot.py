#!/usr/bin/env python3
"""A bot for Star Realms that does what is offered first. README.md says how to play it."""

import json
import sys

NAME = "My Bot"
NEVER = ["scrap"]  # the kinds of actions that it leaves alone


def choose_action(state, actions):
    """One of the actions: cards, bases and allies first, then buys and attacks (5.1)."""
    wanted = [action for action in actions if action["action"] not in NEVER]
    return wanted[0]  # the last is always the end of the turn


def choose_picks(kind, options, least, most):
    """Indices of options, `least` to `most` of them (2.5)."""
    return list(range(least))


def send(reply):
    print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin.buffer:  # it ends when the referee has no more to say
    if not line.endswith(b"\n"):
        break  # cut off in the middle: the referee is gone
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":  # a match begins; it may not be the first
            reply = {"type": "player-name-reply", "player_number": message["player_number"]}
            send(reply | {"name": NAME, "version": 1, "keep_alive": True})
        case "play-turn":
            action = choose_action(message["state"], message["actions"])
            send({"type": "play-reply", "actions": [action]})
        case "choose":
            asked = (message[name] for name in ("kind", "options", "least", "most"))
            send({"type": "choose-reply", "picks": choose_picks(*asked)})
        # All other types are news about the game, or newer than this bot: not an error.
