#!/usr/bin/env python3
"""Plays any legal move at random, in every game that is one class.

Its moves follow from a seed, its seat and all states that it has seen in the match, so that each
match has moves of its own: `any_move.py [SEED]`.
Run it against yours with `referee play --game ./my_game.py ./my_bot.py any_move`.
"""

import json
import random
import sys

SEED = sys.argv[1] if len(sys.argv) > 1 else "1"
ABOUT = {"name": "Any Move", "version": 1, "keep_alive": True}  # it plays match after match


def send(**reply):
    print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin.buffer:  # bytes, so that no locale spoils the bots' names
    if not line.endswith(b"\n"):
        break  # cut off in the middle: the referee is gone
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":
            number = message["player_number"]
            chance = random.Random(f"{SEED}/{number}")  # a match begins, maybe not the first
            send(type="player-name-reply", player_number=number, **ABOUT)
        case "move-request":
            chance.seed(f"{chance.random()} {message['state']}")  # another state, another move
            send(type="move-reply", move=chance.choice(message["moves"]))
        # All other types are news about the game, or newer than this bot: not an error.
