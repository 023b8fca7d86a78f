#!/usr/bin/env python3
"""Plays any legal move at random, in every game that is one class.

Its moves follow from a seed, its seat and all states that it has seen in the match, so that each
match has moves of its own: `any_move.py [SEED]`.
Run it against yours with `referee play --game ./my_game.py ./my_bot.py any_move`.
"""

import json
import random
import sys

ABOUT = {"name": "Any Move", "version": 1, "keep_alive": True}  # it plays match after match


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
                self.chance = random.Random(f"{self.seed}/{number}")
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "move-request":
                # Another state, another move.
                self.chance.seed(f"{self.chance.random()} {message['state']}")
                return {"type": "move-reply", "move": self.chance.choice(message["moves"])}
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
