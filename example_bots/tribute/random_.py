#!/usr/bin/env python3
"""Does anything that is legal: copy this one.

What it does follows from a seed, its seat and its hands, so that each match is another one:
`random_.py [SEED]`. Run your copy with `referee play --game tribute ./my_bot.py random`.
"""

import json
import random
import sys

ABOUT = {"name": "Random Patron", "version": 1, "keep_alive": True}  # it plays match after match


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
            case "patron-request":
                return {"type": "patron-reply", "patron": self.dice.choice(message["available"])}
            case "play-turn":
                *others, end = message["actions"]  # it ends the turn when nothing else is left
                self.dice.seed(f"{self.dice.random()} {message['state']['me']['hand']}")
                return {"type": "play-reply", "action": self.dice.choice(others or [end])}
            case "choose-request" if message["effects"]:
                return {"type": "choose-reply", "effect": self.dice.randrange(2)}
            case "choose-request":
                uids = [card["uid"] for card in message["cards"]]
                count = self.dice.randint(message["min"], min(message["max"], len(uids)))
                return {"type": "choose-reply", "cards": self.dice.sample(uids, count)}
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
