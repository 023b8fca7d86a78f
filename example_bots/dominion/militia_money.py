#!/usr/bin/env python3
"""Plays Big Money with militias and a moat for defence.

It reveals a moat whenever it is attacked with one in hand.
Run it against yours with `referee play militia_money ./my_bot.py`.
"""

import json
import os
import sys

WORTH = {"copper": 1, "silver": 2, "gold": 3}
COST = {
    "province": 8,
    "gold": 6,
    "duchy": 5,
    "militia": 4,
    "silver": 3,
    "moat": 2,
    "estate": 2,
}

DUCHIES_AT = 5  # with so few provinces left, a duchy is worth more than a gold
ESTATES_AT = 2
MOST_MILITIAS = 2
MOST_MOATS = 1

# If the bot is attacked, it discards cards with low numbers first.
KEEP = {"curse": 0, "estate": 0, "duchy": 0, "province": 0, "copper": 1, "silver": 2, "gold": 4}
KEEP_ACTIONS = 3


class Bot:
    """Plays one match, and remembers what it learns about the game."""

    hears = ("supply-info", "player-gained")  # the news that it needs

    def __init__(self):
        self.me = None
        self.supply = {}
        self.bought = {}  # all cards gained so far (it never trashes cards)

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                self.me = message["player_number"]
                return {
                    "type": "player-name-reply",
                    "player_number": self.me,
                    "name": "Militia Money",
                    "version": 1,
                    "keep_alive": True,
                }
            case "supply-info":
                self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
            case "player-gained" if message["player_number"] == self.me:
                card = message["gained"]
                self.bought[card] = self.bought.get(card, 0) + 1
            case "play-turn":
                return self.play_turn(message)
            case "attack-request":
                return self.attack_reply(message)
        return None

    def play_turn(self, message):
        hand = message["hand"]
        if message["actions"] > 0:
            # With one action, it can only play one of the two. The attack is worth more.
            for card in ("militia", "moat"):
                if card in hand:
                    return {"type": "play-reply", "phase": "action", "card": card}
        if message["buys"] <= 0:
            return {"type": "play-reply", "phase": "cleanup"}
        treasures = [card for card in hand if card in WORTH]
        money = message["extra_money"] + sum(WORTH[card] for card in treasures)
        return {
            "type": "play-reply",
            "phase": "buy",
            "played_treasures": treasures,
            "cards_to_buy": self.choose_buys(money, message["buys"]),
        }

    def choose_buys(self, money, buys):
        left = dict(self.supply)
        chosen = []
        for _ in range(buys):
            for card in self.wishes(chosen):
                if COST[card] <= money and left.get(card, 0) > 0:
                    break
            else:
                break
            chosen.append(card)
            money -= COST[card]
            left[card] -= 1
        return chosen

    def wishes(self, chosen):
        """Return the cards that it wants, best first. `chosen` are earlier buys of this turn."""

        def owned(card):
            return self.bought.get(card, 0) + chosen.count(card)

        provinces = self.supply.get("province", 0) - chosen.count("province")
        wishes = ["province"]
        if provinces <= DUCHIES_AT:
            wishes.append("duchy")
        if provinces <= ESTATES_AT:
            wishes.append("estate")
        wishes.append("gold")
        if owned("militia") == 0 or (owned("militia") < MOST_MILITIAS and owned("gold") > 0):
            wishes.append("militia")
        wishes.append("silver")
        if owned("moat") < MOST_MOATS:
            wishes.append("moat")
        return wishes

    def attack_reply(self, message):
        if "moat" in message["options"]:
            return {"type": "attack-reply-reaction", "reaction": "moat"}
        by_use = sorted(message["options"], key=lambda card: KEEP.get(card, KEEP_ACTIONS))
        if by_use.count("militia") > 1:  # there's only one action per turn, so discard the second
            by_use.remove("militia")
            by_use.insert(0, "militia")
        return {"type": "attack-reply", "discard": by_use[: message["discard"]]}


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
