#!/usr/bin/env python3
"""Does anything that is legal: copy this one.

What it does follows from a seed, its seat and its hands, so that each match is another one:
`random_.py [SEED]`. Run your copy with `referee play --game tribute ./my_bot.py random`.
"""

import json
import random
import sys

SEED = sys.argv[1] if len(sys.argv) > 1 else "1"
ABOUT = {"name": "Random Patron", "version": 1, "keep_alive": True}  # it plays match after match


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
        case "patron-request":
            send(type="patron-reply", patron=dice.choice(message["available"]))
        case "play-turn":
            *others, end = message["actions"]  # it ends the turn when nothing else is left
            dice.seed(f"{dice.random()} {message['state']['me']['hand']}")
            send(type="play-reply", action=dice.choice(others or [end]))
        case "choose-request" if message["effects"]:
            send(type="choose-reply", effect=dice.randrange(2))
        case "choose-request":
            uids = [card["uid"] for card in message["cards"]]
            count = dice.randint(message["min"], min(message["max"], len(uids)))
            send(type="choose-reply", cards=dice.sample(uids, count))
        # All other types are news about the game, or newer than this bot: not an error.
