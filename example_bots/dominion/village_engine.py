#!/usr/bin/env python3
"""Chains villages and markets to play many actions a turn.

Every card has a value that depends on the bot's own deck and on how near the end is. That one
number decides what is bought, what a workshop gains and what a remodel turns into what.
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
DEAD = ("curse", "estate", "duchy", "province")  # cards that do nothing in a hand
TERMINALS = ("smithy", "militia", "mine", "remodel", "workshop", "woodcutter", "moat")

WORKSHOP_LIMIT = 4  # the gained card costs up to this
REMODEL_STEP = 2  # the gained card costs up to this much more than the trashed one
MINE_STEP = 3

DUCHIES_AT = 5  # with so few provinces left, points count more than the deck
ESTATES_AT = 2


class Bot:
    """What the bot knows of the game."""

    hears = ("supply-info", "player-gained", "player-trashed")  # what news it reads

    def __init__(self):
        self.me = None
        self.supply = {}
        self.deck = {"copper": 7, "estate": 3}  # all its cards, wherever they are

    def __call__(self, message):
        """Return the reply to a request; None to news."""
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
        """How much the bot wants one more of a card; 0 or less: not at all.

        `bought` are cards that it has chosen in the same reply and does not own yet.
        """

        def owned(*cards):
            return sum(self.deck.get(card, 0) + bought.count(card) for card in cards)

        provinces = self.supply.get("province", 0) - bought.count("province")
        size = sum(self.deck.values())
        # Without a village only one terminal can be played in a turn, but in a large deck two of
        # them seldom meet in one hand.
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
            case "mine":  # late, it has no time to pay back
                return 5.9 if owned("mine") < 1 and room and size <= 18 else 0.0
            case "market":
                return 5.8 if owned("market") < 6 else 0.0
            case "militia":
                return 4.8 if owned("militia") < 1 and room else 0.0
            case "remodel":  # early, it has only cheap cards to work on
                return 4.7 if owned("remodel") < 1 and room and size >= 20 else 0.0
            case "smithy":
                return 4.6 if owned("smithy") < 3 and room else 0.0
            case "village":
                return 3.2 if owned("village") + 1 < owned(*TERMINALS) else 0.0
            case "workshop":  # in the opening a silver is better
                return 3.1 if owned("workshop") < 1 and room and 16 <= size <= 24 else 0.0
            case "silver":
                return 3.0
            case "cellar":
                return 2.0 if owned("cellar") < 1 and size >= 14 else 0.0
        return 0.0

    def keep_value(self, card):
        """How much the bot would miss a card that it owns."""
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
        return float(COST.get(card, 99))  # never part with a card that it does not know

    def best_gain(self, limit):
        """Return the most wanted card in supply that costs up to `limit`, or None."""
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
        """Return the next action card to play with its parameters, None for no more.

        The bot is asked again after every card, so only the next one matters here.
        """
        # Cards that give back the action they take cost nothing, and may draw better ones.
        for card in ("village", "market"):
            if card in hand:
                return card, {}
        if "cellar" in hand:
            useless = self.cellar_discards(hand, actions)
            if useless:
                return "cellar", {"cards": useless}
        # With an action to spare, draw first: the new cards may be actions too.
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
        """List what is useless in hand: dead cards, and terminals beyond the actions left."""
        useless = [card for card in hand if card in DEAD]
        terminals = sorted((card for card in hand if card in TERMINALS), key=COST.get)
        return useless + terminals[: max(0, len(terminals) - actions)]

    def terminal_options(self, hand):
        """List (use, card, parameters) for every terminal that is worth playing."""
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
            # A workshop must name a card it can gain: with none it cannot be played at all.
            if gained is not None:
                use = 0.7 * self.gain_value(gained)
                options.append((use, "workshop", {"desired_card": gained}))
        return options

    def mine_options(self, hand):
        """Turn a treasure into a better one; a treasure that stays the same is no use."""
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
        """Turn a card of the hand into the best it can become, if that is better."""
        others = list(hand)
        others.remove("remodel")  # the one that is played cannot trash itself; a second one can go
        options = []
        for trashed in dict.fromkeys(others):
            if trashed not in COST:
                continue
            limit = COST[trashed] + REMODEL_STEP
            if not self.in_supply(limit):
                # Only then the trashing is all there is, and no `desired_card` is due.
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
