#!/usr/bin/env python3
"""A bot that plays random moves, in any game that is one class. README.md says how to play it."""

import json
import random
import sys

for line in sys.stdin.buffer:  # it ends when the referee has no more to say
    message = json.loads(line)
    if message["type"] == "player-name-request":  # a match begins; it may not be the first
        reply = {"type": "player-name-reply", "player_number": message["player_number"]}
        reply |= {"name": "My Bot", "version": 1, "keep_alive": True}
    elif message["type"] == "move-request":  # `state` is what you see
        reply = {"type": "move-reply", "move": random.choice(message["moves"])}
    else:
        continue  # news about the game, or newer than this bot: not an error
    print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain
