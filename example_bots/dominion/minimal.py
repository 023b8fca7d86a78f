#!/usr/bin/env python3
"""The smallest bot that plays a whole game: copy this one.

Run your copy against another bot with `referee play big_money ./my_bot.py`.
"""

import json
import sys

WORTH = {"copper": 1, "silver": 2, "gold": 3}
WANTED = {"province": 8, "gold": 6, "silver": 3}  # what it buys and the cost, best first
ABOUT = {"name": "Minimal", "version": 1, "keep_alive": True}  # it plays match after match


class Bot:
    """The bot in one match."""

    hears = ("supply-info",)  # what news it reads

    def __call__(self, message):
        """Return the reply to a request; None to news."""
        match message.get("type"):
            case "player-name-request":
                number = message["player_number"]
                return {"type": "player-name-reply", "player_number": number, **ABOUT}
            case "supply-info":
                self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
            case "play-turn" if message["buys"] > 0:
                coins = [card for card in message["hand"] if card in WORTH]
                money = message["extra_money"] + sum(WORTH[card] for card in coins)
                wanted = [card for card in WANTED if WANTED[card] <= money and self.supply[card]]
                buy = {"played_treasures": coins, "cards_to_buy": wanted[:1]}
                return {"type": "play-reply", "phase": "buy", **buy}
            case "play-turn":  # asked once more after the buying: end the turn
                return {"type": "play-reply", "phase": "cleanup"}
            case "attack-request":
                return {"type": "attack-reply", "discard": message["options"][: message["discard"]]}
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
