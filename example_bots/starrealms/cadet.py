#!/usr/bin/env python3
"""Takes the first action that is offered. Copy this one.

Run your copy with `referee play --game starrealms ./my_bot.py admiral`.
"""

import json
import sys

ABOUT = {"name": "Cadet", "version": 1, "keep_alive": True}  # plays any number of matches


class Bot:
    """Plays one match."""

    hears = ()  # the news that it needs

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "play-turn":  # the last action ends the turn
                actions = [action for action in message["actions"] if action["action"] != "scrap"]
                return {"type": "play-reply", "actions": actions[:1]}
            case "choose":
                return {"type": "choose-reply", "picks": list(range(message["least"]))}
            # Ignore other types: they're news about the game, or newer than this bot.
        return None


if __name__ == "__main__":
    bot = Bot()
    for line in sys.stdin.buffer:  # bytes, because the locale may not be UTF-8
        if not line.endswith(b"\n"):
            break  # the line was cut off, so the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot()  # a new match begins
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without flush, it would stay in the buffer
