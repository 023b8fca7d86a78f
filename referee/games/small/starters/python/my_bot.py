#!/usr/bin/env python3
"""A bot that plays random moves in any small game. README.md says how to play it."""

import json
import random
import sys

for line in sys.stdin.buffer:  # the loop ends when the referee closes our standard input
    message = json.loads(line)
    if message["type"] == "player-name-request":  # a new match begins
        reply = {"type": "player-name-reply", "player_number": message["player_number"]}
        reply |= {"name": "My Bot", "version": 1, "keep_alive": True}
    elif message["type"] == "move-request":  # `state` has everything that you see
        reply = {"type": "move-reply", "move": random.choice(message["moves"])}
    else:
        continue  # ignore it, because it's news about the game, or newer than this bot
    print(json.dumps(reply), flush=True)  # without flush, the reply would stay in a buffer
