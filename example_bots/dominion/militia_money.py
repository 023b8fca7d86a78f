#!/usr/bin/env python3
"""Big Money that attacks with militias and hides behind moats.

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

DUCHIES_AT = 5  # with so few provinces left a duchy is worth more than a gold
ESTATES_AT = 2
MOST_MILITIAS = 2
MOST_MOATS = 1

# What an attack may take, lowest first.
KEEP = {"curse": 0, "estate": 0, "duchy": 0, "province": 0, "copper": 1, "silver": 2, "gold": 4}
KEEP_ACTIONS = 3


class Bot:
    """What the bot knows of the game."""

    hears = ("supply-info", "player-gained")  # what news it reads

    def __init__(self):
        self.me = None
        self.supply = {}
        self.bought = {}  # all cards it ever gained; it never trashes one

    def __call__(self, message):
        """Return the reply to a request; None to news."""
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
            # Only one of them can be played in a turn, and the attack is worth more.
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
        """List what it wants now, best first; `chosen` are buys of the same turn."""

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
        if by_use.count("militia") > 1:  # one action a turn: the second one is a dead card
            by_use.remove("militia")
            by_use.insert(0, "militia")
        return {"type": "attack-reply", "discard": by_use[: message["discard"]]}


def messages():
    """Yield what the referee sends; bytes are read, so that no locale spoils the names."""
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            continue  # nothing the referee sends, or a line cut off at its end
        if isinstance(message, dict):
            yield message


def main():
    bot = Bot()
    for message in messages():
        if message.get("type") == "player-name-request":
            bot = Bot()  # a match begins, and nothing of the one before matters
        reply = bot(message)
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # the referee is gone; an ordinary exit would complain on stderr
