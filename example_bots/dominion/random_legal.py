#!/usr/bin/env python3
"""Plays anything at random, as long as it is legal.

It uses every card and every kind of reply, so it is good at finding mistakes in other bots and in
referees. The choices depend on a seed, on its seat, and on the hands that it has had in the match.
To play another match with the same cards, give it another seed: `random_legal.py [SEED]`.
Run it against yours with `referee play random_legal ./my_bot.py`.
"""

import json
import os
import random
import sys

DEFAULT_SEED = "1"

COST = {
    "curse": 0,
    "copper": 0,
    "cellar": 2,
    "estate": 2,
    "moat": 2,
    "silver": 3,
    "village": 3,
    "woodcutter": 3,
    "workshop": 3,
    "militia": 4,
    "remodel": 4,
    "smithy": 4,
    "duchy": 5,
    "market": 5,
    "mine": 5,
    "gold": 6,
    "province": 8,
}
WORTH = {"copper": 1, "silver": 2, "gold": 3}
PLAIN_ACTIONS = ("market", "militia", "moat", "smithy", "village", "woodcutter")

WORKSHOP_LIMIT = 4
REMODEL_STEP = 2
MINE_STEP = 3

# Probabilities of its choices. It mostly plays on and buys well, or games would never end.
PLAY_AN_ACTION = 0.85
SKIP_THE_BUY = 0.03
PLAY_ALL_TREASURES = 0.8
BUY_ONE_MORE = 0.92
BUY_THE_DEAREST = 0.6
NAME_TOP_DISCARD = 0.5
LEAVE_OUT_PARAMETERS = 0.5
REVEAL_MOAT = 0.5


class Bot:
    """Plays one match, and remembers what it learns about the game."""

    hears = ("supply-info",)  # the news that it needs

    def __init__(self, seed=DEFAULT_SEED):
        self.seed = seed
        self.dice = random.Random(seed)
        self.supply = {}

    def chance(self, probability):
        return self.dice.random() < probability

    def shuffled(self, cards):
        return self.dice.sample(cards, len(cards))

    def some(self, cards):
        """Return some of the cards in random order. This may be none or all of them."""
        return self.dice.sample(cards, self.dice.randint(0, len(cards)))

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                me = message["player_number"]
                # If both players are this bot, they shouldn't make the same choices.
                self.dice = random.Random(f"{self.seed}/{me}")
                return {
                    "type": "player-name-reply",
                    "player_number": me,
                    "name": "Random Legal",
                    "version": 1,
                    "keep_alive": True,
                }
            case "supply-info":
                self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
            case "play-turn":
                return self.play_turn(message)
            case "attack-request":
                return self.attack_reply(message)
        return None

    def play_turn(self, message):
        hand = message["hand"]
        self.dice.seed(f"{self.dice.random()} {hand}")  # different hands lead to different choices
        if message["actions"] > 0 and self.chance(PLAY_AN_ACTION):
            playable = [card for card in dict.fromkeys(hand) if self.can_play(card, hand)]
            if playable:
                return self.action(self.dice.choice(playable), hand)
        if message["buys"] > 0 and not self.chance(SKIP_THE_BUY):
            return self.buy(hand, message["extra_money"], message["buys"])
        return self.cleanup(hand + message["cards_played"])

    # Actions

    def can_play(self, card, hand):
        """Return True if there is a legal way to play the card."""
        match card:
            case "mine":
                return any(other in WORTH for other in hand)
            case "remodel":
                return sum(other in COST for other in hand) > 1  # it can't trash itself
            case "workshop":
                return bool(self.in_supply(WORKSHOP_LIMIT))
            case "cellar":
                return True
        return card in PLAIN_ACTIONS

    def action(self, card, hand):
        reply = {"type": "play-reply", "phase": "action", "card": card}
        others = list(hand)
        others.remove(card)
        match card:
            case "cellar":
                reply["additional_parameters"] = {"cards": self.some(others)}
            case "mine":
                treasures = [other for other in others if other in WORTH]
                reply["additional_parameters"] = self.exchange(treasures, MINE_STEP, WORTH)
            case "remodel":
                reply["additional_parameters"] = self.exchange(others, REMODEL_STEP, COST)
            case "workshop":
                gained = self.dice.choice(self.in_supply(WORKSHOP_LIMIT))
                reply["additional_parameters"] = {"desired_card": gained}
            case _:
                if not self.chance(LEAVE_OUT_PARAMETERS):  # {} means the same
                    reply["additional_parameters"] = {}
        return reply

    def exchange(self, cards, step, kinds):
        """Return parameters that trash a card for one of `kinds`, which costs up to `step` more."""
        trashed = self.dice.choice([card for card in cards if card in COST])
        gains = [card for card in self.in_supply(COST[trashed] + step) if card in kinds]
        if not gains:  # nothing to gain, so only trash a card
            return {"card_to_trash": trashed}
        return {"card_to_trash": trashed, "desired_card": self.dice.choice(gains)}

    def in_supply(self, limit):
        return [
            card
            for card, count in self.supply.items()
            if count > 0 and COST.get(card, limit + 1) <= limit
        ]

    # Buying and the end of the turn

    def buy(self, hand, money, buys):
        treasures = self.shuffled([card for card in hand if card in WORTH])
        if not self.chance(PLAY_ALL_TREASURES):
            treasures = self.some(treasures)
        money += sum(WORTH[card] for card in treasures)
        left = dict(self.supply)
        bought = []
        while len(bought) < buys and self.chance(BUY_ONE_MORE):
            cards = [card for card in COST if COST[card] <= money and left.get(card, 0) > 0]
            if not cards:
                break
            if self.chance(BUY_THE_DEAREST):
                price = max(COST[card] for card in cards)
                cards = [card for card in cards if COST[card] == price]
            card = self.dice.choice(cards)
            bought.append(card)
            money -= COST[card]
            left[card] -= 1
        return {
            "type": "play-reply",
            "phase": "buy",
            "played_treasures": treasures,
            "cards_to_buy": bought,
        }

    def cleanup(self, cards):
        reply = {"type": "play-reply", "phase": "cleanup"}
        if cards and self.chance(NAME_TOP_DISCARD):
            reply["top_discard"] = self.dice.choice(cards)
        return reply

    # Attacks

    def attack_reply(self, message):
        if "moat" in message["options"] and self.chance(REVEAL_MOAT):
            return {"type": "attack-reply-reaction", "reaction": "moat"}
        discard = self.dice.sample(message["options"], message["discard"])
        return {"type": "attack-reply", "discard": discard}


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
    seed = sys.argv[1] if len(sys.argv) > 1 else DEFAULT_SEED
    bot = Bot(seed)
    for message in messages():
        if message.get("type") == "player-name-request":
            bot = Bot(seed)  # forget the previous match
        reply = bot(message)
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # the referee is gone, and a normal exit would print an error
