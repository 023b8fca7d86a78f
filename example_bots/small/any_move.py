#!/usr/bin/env python3
"""Plays a listed move at random, in every game that is one class.

The moves depend on a seed, on the bot's seat, and on the states that it has seen in the match. For
other moves, give it another seed: `any_move.py [SEED]`.
Run it against yours with `referee play --game ./my_game.py ./my_bot.py any_move`.
"""

import json
import random
import sys

ABOUT = {"name": "Any Move", "version": 1, "keep_alive": True}  # plays any number of matches


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
                self.chance = random.Random(f"{self.seed}/{number}")
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "move-request":
                # Different states give different moves.
                self.chance.seed(f"{self.chance.random()} {message['state']}")
                return {"type": "move-reply", "move": self.chance.choice(message["moves"])}
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
