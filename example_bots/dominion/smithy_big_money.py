#!/usr/bin/env python3
"""Big Money that draws with smithies, one or two by default.

Provinces come first, duchies once few provinces are left. It counts its own deck from the
public messages, to know how many smithies it has and when it has room for the next one.
Run it against yours with `referee play smithy_big_money ./my_bot.py`.

Parameters make weaker and stronger bots of it, such as "smithy_big_money --noise 0.2"; `--help`
lists them. With `--duchies 0 --estates 0` and `--smithies 0` it is Big Money, with `--smithies 1`
Big Money with exactly one smithy.
"""

import argparse
import json
import os
import random
import sys

WORTH = {"copper": 1, "silver": 2, "gold": 3}
COST = {"province": 8, "gold": 6, "duchy": 5, "smithy": 4, "silver": 3, "estate": 2}

DUCHIES_AT = 5  # with so few provinces left a duchy is worth more than a gold
ESTATES_AT = 2
MOST_SMITHIES = 2
CARDS_A_SMITHY = 18  # in a smaller deck two smithies meet too often

# What an attack may take, lowest first.
KEEP = {"curse": 0, "estate": 0, "duchy": 0, "province": 0, "copper": 1, "silver": 2, "gold": 4}
KEEP_ACTIONS = 3


class Bot:
    """What the bot knows of the game, and its dice."""

    hears = ("supply-info", "player-gained", "player-trashed")  # what news it reads

    def __init__(self, parameters=None):
        self.parameters = parameters or read_parameters([])
        self.me = None
        self.supply = {}
        self.deck = {"copper": 7, "estate": 3}  # all its cards, wherever they are
        self.dice = random.Random()

    def __call__(self, message):
        """Return the reply to a request; None to news."""
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
        self.dice.seed(f"{self.dice.random()} {hand}")  # other hands, other dice
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
        """List what it wants now, best first; `bought` are cards of the same turn."""
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
        if by_use.count("smithy") > 1:  # one action a turn: the second smithy is a dead card
            by_use.remove("smithy")
            by_use.insert(0, "smithy")
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
            bot = Bot(parameters)  # a match begins, and nothing of the one before matters
        reply = bot(message)
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # the referee is gone; an ordinary exit would complain on stderr
