#!/usr/bin/env python3
"""The smallest bot that plays a whole game. Copy this one.

Run your copy against another bot with `referee play big_money ./my_bot.py`.
"""

import json
import sys

WORTH = {"copper": 1, "silver": 2, "gold": 3}
WANTED = {"province": 8, "gold": 6, "silver": 3}  # cards to buy and their costs, best first
ABOUT = {"name": "Minimal", "version": 1, "keep_alive": True}  # plays any number of matches


class Bot:
    """Plays one match."""

    hears = ("supply-info",)  # the news that it needs

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
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
            case "play-turn":  # the next request after a buy: end the turn
                return {"type": "play-reply", "phase": "cleanup"}
            case "attack-request":
                return {"type": "attack-reply", "discard": message["options"][: message["discard"]]}
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
