#!/usr/bin/env python3
"""Does what is offered first: copy this one.

Run your copy with `referee play --game starrealms ./my_bot.py admiral`.
"""

import json
import sys

ABOUT = {"name": "Cadet", "version": 1, "keep_alive": True}  # it plays match after match


class Bot:
    """The bot in one match."""

    hears = ()  # what news it reads

    def __call__(self, message):
        """Return the reply to a request; None to news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "play-turn":  # the last is the end of the turn
                actions = [action for action in message["actions"] if action["action"] != "scrap"]
                return {"type": "play-reply", "actions": actions[:1]}
            case "choose":
                return {"type": "choose-reply", "picks": list(range(message["least"]))}
            # All other types are news about the game, or newer than this bot: not an error.
        return None


if __name__ == "__main__":
    bot = Bot()
    for line in sys.stdin.buffer:  # bytes, so that no locale spoils the bots' names
        if not line.endswith(b"\n"):
            break  # cut off in the middle: the referee is gone
        message = json.loads(line)
        if message.get("type") == "player-name-request":
            bot = Bot()  # a match begins, maybe not the first
        reply = bot(message)
        if reply:
            print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain
