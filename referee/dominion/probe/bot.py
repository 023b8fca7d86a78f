"""A probe: what it has seen, and how it plays."""

import json
import os
import random
import sys
import time

from attacks import ATTACK_TRICKS
from handshakes import HANDSHAKES
from replies import ACTIONS, COST, WORTH, action, buy, cleanup, encode, is_cleanup
from tricks import ENDING, TURN_TRICKS

WAIT_SECONDS = 3.0
TICK_SECONDS = 0.003
MOST_REPLIES = 100  # to one turn; one that takes more does not end


class Bot:
    """A probe: what it has seen, and how it plays."""

    def __init__(self, plan, record):
        self.plan = plan
        self.record = record
        self.chance = random.Random(plan["seed"])
        self.tricks = list(plan["tricks"])
        self.number = plan["seat"]
        self.supply = {}
        self.gains = 0  # player-gained that it was told of
        self.owned = {"copper": 7, "estate": 3}
        self.turns = 0
        self.answered = 0  # requests that it has answered before they came
        self.bought = False  # whether it has sent a buy reply in this turn
        self.replies = 0  # in this turn
        self.ended = True  # its last turn; so the next request begins another
        self.message = {}

    # --- the record ---------------------------------------------------------------------------

    def note(self, text):
        self.keep(b"! " + text.encode())

    def keep(self, line):
        os.write(self.record, line.removesuffix(b"\n") + b"\n")

    def write(self, data):
        """Write lines, and keep them first."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self.keep(b"< " + line)
        if rest:
            self.keep(b"- " + rest)
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]

    def leave(self):
        self.note("leaves")
        os._exit(0)

    # --- what comes in ------------------------------------------------------------------------

    def take(self, line):
        message = json.loads(line)
        kind = message.get("type")
        if kind == "supply-info":
            self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
        elif kind == "player-gained":
            self.gains += 1
            if message["player_number"] == self.number:
                card = message["gained"]
                self.owned[card] = self.owned.get(card, 0) + 1
        elif kind == "player-trashed" and message["player_number"] == self.number:
            for card in message["trashed"]:
                self.owned[card] = self.owned.get(card, 0) - 1
        elif kind == "player-name-request":
            self.number = message["player_number"]
            self.answer(HANDSHAKES[self.plan["handshake"]](self))
        elif kind == "play-turn":
            if self.answered:
                self.answered -= 1
                return False
            self.message = message
            if self.ended:
                self.turns += 1
                self.replies = 0
                self.bought = self.ended = False
            self.replies += 1
            if self.turns > self.plan["turns"] or self.replies > MOST_REPLIES:
                self.leave()
            self.answer(self.turn_reply(message))
        elif kind == "attack-request":
            self.message = message
            self.answer(self.attack_reply(message))
        return kind == "game-end"

    def answer(self, reply):
        """Write a reply: a JSON object, or bytes as they are."""
        if not isinstance(reply, bytes):
            reply = encode(reply)
        self.write(reply)

    # --- replies ------------------------------------------------------------------------------

    def turn_reply(self, message):
        for place, name in enumerate(self.tricks):
            trick, _, argument = name.partition(":")
            reply = TURN_TRICKS[trick](self, argument) if trick in TURN_TRICKS else None
            if reply is not None:
                del self.tricks[place]
                self.note("trick " + name)
                self.ended = trick in ENDING or is_cleanup(reply)
                return reply
        reply = self.legal(message)
        self.ended = is_cleanup(reply)
        return reply

    def legal(self, message):
        """A reply without fault."""
        if message["actions"]:
            for card in self.plan["plays"]:
                if card in message["hand"]:
                    parameters = self.parameters(card)
                    if parameters is not None:
                        return action(card, **parameters)
        if message["buys"] and not self.bought:
            self.bought = True
            treasures = self.treasures()
            money = message["extra_money"] + sum(WORTH[card] for card in treasures)
            return buy(treasures, self.wishes(money, message["buys"]))
        return cleanup()

    def treasures(self):
        return [card for card in self.message["hand"] if card in WORTH]

    def wishes(self, money, buys):
        """What the plan wants of what can be had."""
        left = dict(self.supply)
        owned = dict(self.owned)
        found = []
        while len(found) < buys:
            for card, most in self.plan["buys"]:
                if left[card] and COST[card] <= money and owned.get(card, 0) < most:
                    if self.plan["patient"] and self.would_end(left, card):
                        continue
                    break
            else:
                break
            found.append(card)
            left[card] -= 1
            owned[card] = owned.get(card, 0) + 1
            money -= COST[card]
        return found

    def would_end(self, left, card):
        after = {**left, card: left[card] - 1}
        return not after["province"] or list(after.values()).count(0) >= 3

    def rest(self, card):
        """The hand without the card that is played."""
        hand = list(self.message["hand"])
        hand.remove(card)
        return hand

    def gainable(self, limit, among=COST):
        return [card for card in among if self.supply[card] and COST[card] <= limit]

    def wanted(self, cards):
        """One of these that can be gained, the dearest as often as any."""
        if self.plan["patient"]:
            cards = [card for card in cards if not self.would_end(self.supply, card)]
        if not cards:
            return None
        for card, most in self.plan["gains"]:
            if card in cards and self.owned.get(card, 0) < most:
                return card
        if self.plan["only"]:
            return None
        dear = max(COST[card] for card in cards)
        if self.chance.random() < 0.5:
            cards = [card for card in cards if COST[card] == dear]
        return self.chance.choice(cards)

    def parameters(self, card):
        """Right parameters of an action card; None if it has no use."""
        hand = self.rest(card)
        if card == "cellar":
            dull = [other for other in hand if other not in WORTH and other not in ACTIONS]
            return {"cards": dull or hand[:1]}
        if card == "mine":
            for trashed in self.chance.sample(list(WORTH), 3):
                if trashed in hand:
                    wish = self.wanted(self.gainable(COST[trashed] + 3, WORTH))
                    if wish is not None:
                        return {"card_to_trash": trashed, "desired_card": wish}
            return None
        if card == "remodel":
            if not hand:
                return None
            best = "gold" if "gold" in hand else min(hand, key=_regret)
            wish = self.wanted(self.gainable(COST[best] + 2))
            return None if wish is None else {"card_to_trash": best, "desired_card": wish}
        if card == "workshop":
            wish = self.wanted(self.gainable(4))
            return None if wish is None else {"desired_card": wish}
        return {}

    def attack_reply(self, message):
        for place, name in enumerate(self.tricks):
            if name in ATTACK_TRICKS:
                reply = ATTACK_TRICKS[name](self)
                if reply is not None:
                    del self.tricks[place]
                    self.note("trick " + name)
                    return reply
        if "moat" in message["options"] and self.chance.random() < 0.5:
            return {"type": "attack-reply-reaction", "reaction": "moat"}
        return self.discards()

    def discards(self):
        """A right answer to a militia, in an order that nobody would choose by itself."""
        dull = sorted(self.message["options"], key=lambda card: (card in WORTH, card))
        return {"type": "attack-reply", "discard": dull[: self.message["discard"]][::-1]}

    # --- waiting for others -------------------------------------------------------------------

    def other_record(self):
        other = "player2" if self.number == "player1" else "player1"
        return os.path.join(os.path.dirname(sys.argv[1]), other + ".record")

    def await_other(self, what, enough):
        """Wait until another probe's record has enough lines that hold these bytes."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            try:
                with open(self.other_record(), "rb") as file:
                    if file.read().count(what) >= enough:
                        self.note("came")
                        return
            except FileNotFoundError:
                pass
            time.sleep(TICK_SECONDS)
        self.note("came not")


def _regret(card):
    """How little one wants to trash it."""
    return (card != "copper") + 2 * (card in ACTIONS) if card in WORTH or card in ACTIONS else 0
