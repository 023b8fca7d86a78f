#!/usr/bin/env python3
"""Chains villages and markets to play many actions per turn.

Every card has a value that depends on the bot's own deck and on how close the end is. This number
decides what to buy, what to gain with a workshop, and what to remodel.
Run it against yours with `referee play village_engine ./my_bot.py`.
"""

import json
import os
import sys

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
DEAD = ("curse", "estate", "duchy", "province")  # cards that have no use in a hand
TERMINALS = ("smithy", "militia", "mine", "remodel", "workshop", "woodcutter", "moat")

WORKSHOP_LIMIT = 4  # a workshop gains a card that costs up to this
REMODEL_STEP = 2  # the gained card may cost this much more than the trashed one
MINE_STEP = 3

DUCHIES_AT = 5  # with so few provinces left, points count more than the deck
ESTATES_AT = 2


class Bot:
    """Plays one match, and remembers what it learns about the game."""

    hears = ("supply-info", "player-gained", "player-trashed")  # the news that it needs

    def __init__(self):
        self.me = None
        self.supply = {}
        self.deck = {"copper": 7, "estate": 3}  # all its cards, including hand and discard pile

    def __call__(self, message):
        """Return the reply to a request, or None if the message is only news."""
        match message.get("type"):
            case "player-name-request":
                self.me = message["player_number"]
                return {
                    "type": "player-name-reply",
                    "player_number": self.me,
                    "name": "Village Engine",
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

    # What a card is worth

    def gain_value(self, card, bought=()):
        """Return how much the bot wants another copy of a card. With 0 or less, it doesn't buy it.

        `bought` are cards that it has chosen for the same reply, so they aren't in `deck` yet.
        """

        def owned(*cards):
            return sum(self.deck.get(card, 0) + bought.count(card) for card in cards)

        provinces = self.supply.get("province", 0) - bought.count("province")
        size = sum(self.deck.values())
        # Without a village, only one terminal can be played per turn. But in a large deck, two of
        # them are rarely in the same hand.
        room = owned(*TERMINALS) < 1 + owned("village") + size // 14
        match card:
            case "province":
                return 20.0
            case "duchy":
                return 6.5 if provinces <= DUCHIES_AT else 0.0
            case "estate":
                return 3.2 if provinces <= ESTATES_AT else 0.0
            case "gold":
                return 6.0
            case "mine":  # later in the game it doesn't pay off any more
                return 5.9 if owned("mine") < 1 and room and size <= 18 else 0.0
            case "market":
                return 5.8 if owned("market") < 6 else 0.0
            case "militia":
                return 4.8 if owned("militia") < 1 and room else 0.0
            case "remodel":  # early in the game there are only cheap cards to trash
                return 4.7 if owned("remodel") < 1 and room and size >= 20 else 0.0
            case "smithy":
                return 4.6 if owned("smithy") < 3 and room else 0.0
            case "village":
                return 3.2 if owned("village") + 1 < owned(*TERMINALS) else 0.0
            case "workshop":  # in the opening, a silver is better
                return 3.1 if owned("workshop") < 1 and room and 16 <= size <= 24 else 0.0
            case "silver":
                return 3.0
            case "cellar":
                return 2.0 if owned("cellar") < 1 and size >= 14 else 0.0
        return 0.0

    def keep_value(self, card):
        """Return how much losing a card would hurt."""
        provinces = self.supply.get("province", 0)
        match card:
            case "curse":
                return -3.0
            case "estate":
                return 3.0 if provinces <= ESTATES_AT else -1.0
            case "duchy":
                return 6.0
            case "province":
                return 20.0
            case "copper":
                return 0.5
        return float(COST.get(card, 99))  # it never gives away cards that it doesn't know

    def best_gain(self, limit):
        """Return the card that it wants most among those that cost up to `limit`, or None."""
        cards = self.in_supply(limit)
        best = max(cards, key=self.gain_value, default=None)
        return best if best is not None and self.gain_value(best) > 0 else None

    def in_supply(self, limit):
        return [
            card
            for card, count in self.supply.items()
            if count > 0 and COST.get(card, limit + 1) <= limit
        ]

    # Its own turn

    def play_turn(self, message):
        if message["actions"] > 0:
            play = self.choose_action(message["hand"], message["actions"])
            if play is not None:
                card, parameters = play
                return {
                    "type": "play-reply",
                    "phase": "action",
                    "card": card,
                    "additional_parameters": parameters,
                }
        if message["buys"] <= 0:
            return {"type": "play-reply", "phase": "cleanup"}
        treasures = [card for card in message["hand"] if card in WORTH]
        money = message["extra_money"] + sum(WORTH[card] for card in treasures)
        return {
            "type": "play-reply",
            "phase": "buy",
            "played_treasures": treasures,
            "cards_to_buy": self.choose_buys(money, message["buys"]),
        }

    def choose_action(self, hand, actions):
        """Return the action card to play next and its parameters, or None to stop.

        There's a new request after every card, so we only choose one.
        """
        # These two give their action back, so playing them is free. They may draw better cards.
        for card in ("village", "market"):
            if card in hand:
                return card, {}
        if "cellar" in hand:
            useless = self.cellar_discards(hand, actions)
            if useless:
                return "cellar", {"cards": useless}
        # With actions left over, draw first. The new cards may be actions, too.
        if actions > 1:
            for card in ("smithy", "moat"):
                if card in hand:
                    return card, {}
        options = self.terminal_options(hand)
        if not options:
            return None
        _, card, parameters = max(options, key=lambda option: option[0])
        return card, parameters

    def cellar_discards(self, hand, actions):
        """Return the useless cards in hand: dead ones, and terminals that it has no actions for."""
        useless = [card for card in hand if card in DEAD]
        terminals = sorted((card for card in hand if card in TERMINALS), key=COST.get)
        return useless + terminals[: max(0, len(terminals) - actions)]

    def terminal_options(self, hand):
        """Return (use, card, parameters) for each terminal that is worth playing."""
        options = []
        for card, use in (("smithy", 4.0), ("militia", 3.0), ("woodcutter", 2.2), ("moat", 2.0)):
            if card in hand:
                options.append((use, card, {}))
        if "mine" in hand:
            options += self.mine_options(hand)
        if "remodel" in hand:
            options += self.remodel_options(hand)
        if "workshop" in hand:
            gained = self.best_gain(WORKSHOP_LIMIT)
            # A workshop must name a card to gain, so without one it can't be played.
            if gained is not None:
                use = 0.7 * self.gain_value(gained)
                options.append((use, "workshop", {"desired_card": gained}))
        return options

    def mine_options(self, hand):
        """Return the best way to play a mine, if it makes a treasure better."""
        options = []
        for trashed in ("silver", "copper"):
            if trashed not in hand:
                continue
            gains = [
                card
                for card in self.in_supply(COST[trashed] + MINE_STEP)
                if WORTH.get(card, 0) > WORTH[trashed]
            ]
            if gains:
                gained = max(gains, key=WORTH.get)
                parameters = {"card_to_trash": trashed, "desired_card": gained}
                options.append((3.2, "mine", parameters))
        return options[:1]

    def remodel_options(self, hand):
        """Return the ways to remodel a card that are an improvement."""
        others = list(hand)
        others.remove("remodel")  # it can't trash itself, but a second remodel is fine
        options = []
        for trashed in dict.fromkeys(others):
            if trashed not in COST:
                continue
            limit = COST[trashed] + REMODEL_STEP
            if not self.in_supply(limit):
                # Nothing can be gained, so the reply must not have `desired_card`.
                use = -self.keep_value(trashed)
                options.append((use, "remodel", {"card_to_trash": trashed}))
                continue
            gained = self.best_gain(limit)
            if gained is not None:
                use = 0.8 * (self.gain_value(gained) - self.keep_value(trashed))
                parameters = {"card_to_trash": trashed, "desired_card": gained}
                options.append((use, "remodel", parameters))
        return [option for option in options if option[0] > 0]

    def choose_buys(self, money, buys):
        left = dict(self.supply)
        bought = []
        for _ in range(buys):
            cards = [card for card in COST if COST[card] <= money and left.get(card, 0) > 0]
            best = max(cards, key=lambda card: self.gain_value(card, bought), default=None)
            if best is None or self.gain_value(best, bought) <= 0:
                break
            bought.append(best)
            money -= COST[best]
            left[best] -= 1
        return bought

    # Attacks

    def attack_reply(self, message):
        if "moat" in message["options"]:
            return {"type": "attack-reply-reaction", "reaction": "moat"}
        by_use = sorted(
            message["options"],
            key=lambda card: -1 if card in DEAD else COST.get(card, 0),
        )
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
