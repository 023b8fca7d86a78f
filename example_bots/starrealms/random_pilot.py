#!/usr/bin/env python3
"""Does anything that is legal: copy this one.

What it does follows from a seed, its seat and its hands, so that each match is another one:
`random_pilot.py [SEED]`. Run your copy with `referee play --game starrealms ./my_bot.py admiral`.
"""

import json
import random
import sys

ABOUT = {"name": "Random Pilot", "version": 1, "keep_alive": True}  # it plays match after match


class Bot:
    """The bot in one match."""

    hears = ()  # what news it reads

    def __init__(self, seed="1"):
        self.seed = seed

    def __call__(self, message):
        """Return the reply to a request; None to news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                self.dice = random.Random(f"{self.seed}/{number}")
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "play-turn":
                *others, end = message["actions"]  # it ends the turn when nothing else is left
                self.dice.seed(f"{self.dice.random()} {message['state']['hand']}")
                return {"type": "play-reply", "actions": [self.dice.choice(others or [end])]}
            case "choose":
                count = self.dice.randint(message["least"], message["most"])
                picks = self.dice.sample(range(len(message["options"])), count)
                return {"type": "choose-reply", "picks": picks}
            # All other types are news about the game, or newer than this bot: not an error.
        return None


if __name__ == "__main__":
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    bot = Bot(seed)
    for line in sys.stdin.buffer:  # bytes, so that no locale spoils the bots' names
        if not line.endswith(b"\n"):
            break  # cut off in the middle: the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot(seed)  # a match begins, maybe not the first
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain
