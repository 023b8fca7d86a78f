#!/usr/bin/env python3
"""A bot for Star Realms that takes the first suitable action. README.md explains how to run it."""

import json
import sys

NAME = "My Bot"
NEVER = ["scrap"]  # kinds of actions that the bot never takes


def choose_action(state, actions):
    """Return one of the actions: cards, bases and allies first, then buys and attacks (5.1)."""
    wanted = [action for action in actions if action["action"] not in NEVER]
    return wanted[0]  # the last action is always end-turn


def choose_picks(kind, options, least, most):
    """Return `least` to `most` indices of options (2.5)."""
    return list(range(least))


def send(reply):
    print(json.dumps(reply), flush=True)  # without flush, the line stays in a buffer


for line in sys.stdin.buffer:  # until the referee closes stdin
    if not line.endswith(b"\n"):
        break  # incomplete line: the referee has stopped
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":  # a new match begins
            reply = {"type": "player-name-reply", "player_number": message["player_number"]}
            send(reply | {"name": NAME, "version": 1, "keep_alive": True})
        case "play-turn":
            action = choose_action(message["state"], message["actions"])
            send({"type": "play-reply", "actions": [action]})
        case "choose":
            asked = (message[name] for name in ("kind", "options", "least", "most"))
            send({"type": "choose-reply", "picks": choose_picks(*asked)})
        # Ignore all other types. They are news about the game, or newer than this bot.
