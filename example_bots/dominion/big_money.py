#!/usr/bin/env python3
"""Buys provinces, gold and silver, and never an action card.

The yardstick of the game: a bot with action cards should beat it.
Run it against yours with `referee play big_money ./my_bot.py`.
"""

import json
import os
import sys

WORTH = {"copper": 1, "silver": 2, "gold": 3}
PRICES = (("province", 8), ("gold", 6), ("silver", 3))  # cards to buy, best first

# If the bot is attacked, it discards cards with low numbers first. Unknown cards come between
# copper and silver.
KEEP = {"curse": 0, "estate": 0, "duchy": 0, "province": 0, "copper": 1, "silver": 3, "gold": 4}
KEEP_OTHERS = 2


def choose_buys(money, buys, supply):
    """Return the cards to buy. Each buy goes to the best card that is still affordable."""
    left = dict(supply)
    bought = []
    while len(bought) < buys:
        for card, cost in PRICES:
            if cost <= money and left.get(card, 0) > 0:
                break
        else:
            break  # it can't afford anything it wants
        bought.append(card)
        money -= cost
        left[card] -= 1
    return bought


def play_turn(message, supply):
    if message["buys"] <= 0:
        return {"type": "play-reply", "phase": "cleanup"}
    treasures = [card for card in message["hand"] if card in WORTH]
    money = message["extra_money"] + sum(WORTH[card] for card in treasures)
    return {
        "type": "play-reply",
        "phase": "buy",
        "played_treasures": treasures,
        "cards_to_buy": choose_buys(money, message["buys"], supply),
    }


def attack_reply(message):
    # Equal cards keep their order, because the sort is stable.
    by_use = sorted(message["options"], key=lambda card: KEEP.get(card, KEEP_OTHERS))
    return {"type": "attack-reply", "discard": by_use[: message["discard"]]}


class Bot:
    """Plays one match, and remembers what it learns about the game."""

    hears = ("supply-info",)  # the news that it needs

    def __init__(self):
        self.supply = {}

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                return {
                    "type": "player-name-reply",
                    "player_number": message["player_number"],
                    "name": "Big Money",
                    "version": 1,
                    "keep_alive": True,
                }
            case "supply-info":
                self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
            case "play-turn":
                return play_turn(message, self.supply)
            case "attack-request":
                return attack_reply(message)
        return None


def messages():
    """Yield the referee's messages. We read bytes, because the locale may not be UTF-8."""
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            continue  # not valid JSON, e.g. a last line that was cut off
        if isinstance(message, dict):
            yield message


def main():
    bot = Bot()
    for message in messages():
        if message.get("type") == "player-name-request":
            bot = Bot()  # forget the previous match
        reply = bot(message)
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # the referee is gone, and a normal exit would print an error
