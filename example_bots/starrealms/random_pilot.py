#!/usr/bin/env python3
"""Takes random legal actions. Copy this one.

The choices depend on a seed, on the bot's seat, and on its hands. For other choices, give it
another seed: `random_pilot.py [SEED]`.
Run your copy with `referee play --game starrealms ./my_bot.py admiral`.
"""

import json
import random
import sys

ABOUT = {"name": "Random Pilot", "version": 1, "keep_alive": True}  # plays any number of matches


class Bot:
    """Plays one match."""

    hears = ()  # the news that it needs

    def __init__(self, seed="1"):
        self.seed = seed

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                self.dice = random.Random(f"{self.seed}/{number}")
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "play-turn":
                *others, end = message["actions"]  # only end the turn if there's nothing else
                self.dice.seed(f"{self.dice.random()} {message['state']['hand']}")
                return {"type": "play-reply", "actions": [self.dice.choice(others or [end])]}
            case "choose":
                count = self.dice.randint(message["least"], message["most"])
                picks = self.dice.sample(range(len(message["options"])), count)
                return {"type": "choose-reply", "picks": picks}
            # Ignore other types: they're news about the game, or newer than this bot.
        return None


if __name__ == "__main__":
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    bot = Bot(seed)
    for line in sys.stdin.buffer:  # bytes, because the locale may not be UTF-8
        if not line.endswith(b"\n"):
            break  # the line was cut off, so the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot(seed)  # a new match begins
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without flush, it would stay in the buffer
