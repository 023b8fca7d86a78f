#!/usr/bin/env python3
"""The smallest bot that plays a whole game: copy this one.

Run your copy against another bot with `referee play big_money ./my_bot.py`.
"""

import json
import sys

WORTH = {"copper": 1, "silver": 2, "gold": 3}
WANTED = {"province": 8, "gold": 6, "silver": 3}  # what it buys and the cost, best first
ABOUT = {"name": "Minimal", "version": 1, "keep_alive": True}  # it plays match after match


def send(**reply):
    print(json.dumps(reply), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin.buffer:  # bytes, so that no locale spoils the bots' names
    if not line.endswith(b"\n"):
        break  # cut off in the middle: the referee is gone
    message = json.loads(line)
    match message.get("type"):
        case "player-name-request":
            send(type="player-name-reply", player_number=message["player_number"], **ABOUT)
        case "supply-info":
            supply = {pile["card"]: pile["count"] for pile in message["cards"]}
        case "play-turn" if message["buys"] > 0:
            coins = [card for card in message["hand"] if card in WORTH]
            money = message["extra_money"] + sum(WORTH[card] for card in coins)
            wanted = [card for card in WANTED if WANTED[card] <= money and supply[card]]
            send(type="play-reply", phase="buy", played_treasures=coins, cards_to_buy=wanted[:1])
        case "play-turn":  # asked once more after the buying: end the turn
            send(type="play-reply", phase="cleanup")
        case "attack-request":
            send(type="attack-reply", discard=message["options"][: message["discard"]])
        # All other types are news about the game, or newer than this bot: not an error.
