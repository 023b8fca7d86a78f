#!/usr/bin/env python3
"""Does anything that is legal: copy this one.

What it does follows from a seed, its seat and its hands, so that each match is another one:
`random_pilot.py [SEED]`. Run your copy with `referee play --game starrealms ./my_bot.py admiral`.
"""

import json
import random
import sys

SEED = sys.argv[1] if len(sys.argv) > 1 else "1"
ABOUT = {"name": "Random Pilot", "version": 1, "keep_alive": True}  # it plays match after match


def send(**reply):
    print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin.buffer:  # bytes, so that no locale spoils the bots' names
    if not line.endswith(b"\n"):
        break  # cut off in the middle: the referee is gone
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":
            number = message["player_number"]
            dice = random.Random(f"{SEED}/{number}")  # a match begins, maybe not the first
            send(type="player-name-reply", player_number=number, **ABOUT)
        case "play-turn":
            *others, end = message["actions"]  # it ends the turn when nothing else is left
            dice.seed(f"{dice.random()} {message['state']['hand']}")
            send(type="play-reply", actions=[dice.choice(others or [end])])
        case "choose":
            count = dice.randint(message["least"], message["most"])
            picks = dice.sample(range(len(message["options"])), count)
            send(type="choose-reply", picks=picks)
        # All other types are news about the game, or newer than this bot: not an error.
