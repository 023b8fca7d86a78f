#!/usr/bin/env python3
"""Plays Big Money with smithies, one or two by default.

Provinces come first, and duchies once few provinces are left. It keeps track of its deck with the
public messages, so it knows how many smithies it has and when there's room for the next one.
Run it against yours with `referee play smithy_big_money ./my_bot.py`.

You can make weaker or stronger bots with parameters, e.g. "smithy_big_money --noise 0.2". `--help`
lists them. With `--duchies 0 --estates 0 --smithies 0` it plays like Big Money, and with
`--smithies 1` instead it plays Big Money with exactly one smithy.
"""

import argparse
import json
import os
import random
import sys

WORTH = {"copper": 1, "silver": 2, "gold": 3}
COST = {"province": 8, "gold": 6, "duchy": 5, "smithy": 4, "silver": 3, "estate": 2}

DUCHIES_AT = 5  # with so few provinces left, a duchy is worth more than a gold
ESTATES_AT = 2
MOST_SMITHIES = 2
CARDS_A_SMITHY = 18  # with fewer cards, it would often have two smithies in one hand

# If the bot is attacked, it discards cards with low numbers first.
KEEP = {"curse": 0, "estate": 0, "duchy": 0, "province": 0, "copper": 1, "silver": 2, "gold": 4}
KEEP_ACTIONS = 3


class Bot:
    """Plays one match, and remembers what it learns about the game."""

    hears = ("supply-info", "player-gained", "player-trashed")  # the news that it needs

    def __init__(self, parameters=None):
        self.parameters = parameters or read_parameters([])
        self.me = None
        self.supply = {}
        self.deck = {"copper": 7, "estate": 3}  # all its cards, including hand and discard pile
        self.dice = random.Random()

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                self.me = message["player_number"]
                self.dice.seed(f"{self.parameters} {self.me}")
                return {
                    "type": "player-name-reply",
                    "player_number": self.me,
                    "name": "Smithy Big Money",
                    "version": 1,
                    "keep_alive": True,
                }
            case "supply-info":
                self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
            case "player-gained" if message["player_number"] == self.me:
                self.count(message["gained"], 1)
            case "player-trashed" if message["player_number"] == self.me:
                for card in message["trashed"]:
                    self.count(card, -1)
            case "play-turn":
                return self.play_turn(message)
            case "attack-request":
                return self.attack_reply(message)
        return None

    def count(self, card, change):
        self.deck[card] = self.deck.get(card, 0) + change

    def play_turn(self, message):
        hand = message["hand"]
        self.dice.seed(f"{self.dice.random()} {hand}")  # different hands lead to different choices
        if message["actions"] > 0 and "smithy" in hand:
            return {"type": "play-reply", "phase": "action", "card": "smithy"}
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
        bought = []
        for _ in range(buys):
            wishes = self.wishes(bought)
            if self.dice.random() < self.parameters.noise:
                self.dice.shuffle(wishes)
            for card in wishes:
                if COST[card] <= money and left.get(card, 0) > 0:
                    break
            else:
                break
            bought.append(card)
            money -= COST[card]
            left[card] -= 1
        return bought

    def wishes(self, bought):
        """Return the cards that it wants, best first. `bought` are earlier buys of this turn."""
        provinces = self.supply.get("province", 0) - bought.count("province")
        wishes = ["province"]
        if provinces <= self.parameters.duchies:
            wishes.append("duchy")
        if provinces <= self.parameters.estates:
            wishes.append("estate")
        wishes.append("gold")
        smithies = self.deck.get("smithy", 0) + bought.count("smithy")
        size = sum(self.deck.values()) + len(bought)
        if smithies < self.parameters.smithies and size >= smithies * CARDS_A_SMITHY:
            wishes.append("smithy")
        wishes.append("silver")
        return wishes

    def attack_reply(self, message):
        by_use = sorted(message["options"], key=lambda card: KEEP.get(card, KEEP_ACTIONS))
        if by_use.count("smithy") > 1:  # there's only one action per turn, so discard the second
            by_use.remove("smithy")
            by_use.insert(0, "smithy")
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


def read_parameters(words):
    parser = argparse.ArgumentParser(
        description="Big Money with smithies.",
        epilog="The dice of --noise follow from these, the seat and all hands of the match.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--smithies", type=int, default=MOST_SMITHIES, help="how many it buys at most")
    add("--duchies", type=int, default=DUCHIES_AT, help="provinces left when it buys duchies")
    add("--estates", type=int, default=ESTATES_AT, help="provinces left when it buys estates")
    add("--noise", type=float, default=0, help="how often it buys any card that it wants, 0 to 1")
    return parser.parse_args(words)


def main():
    parameters = read_parameters(sys.argv[1:])
    bot = Bot(parameters)
    for message in messages():
        if message.get("type") == "player-name-request":
            bot = Bot(parameters)  # forget the previous match
        reply = bot(message)
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # the referee is gone, and a normal exit would print an error
