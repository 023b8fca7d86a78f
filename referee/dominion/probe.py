#!/usr/bin/env python3
r"""A bot that checks referees: it plays as its plan says, and writes down all that it sees.

    probe.py PLAN

PLAN is the name of a JSON file (the fields: see `Plan` in plans.py). The record goes to a file of
the same name with `.record` in place of `.json`, one line each, written before anything else
happens, so that it holds for a probe that is killed as well:

    "# "  a JSON object on the process, first
    "> "  a line that was read; "~ " one that has no line end
    "< "  a line that is written; "- " one that is written without its line end
    "! "  a note: what the probe does or sees besides

It is a real bot of its own: it runs by itself, needs the standard library alone and knows nothing
of the suite. It plays its tricks, each as soon as there is an occasion, and legally otherwise.
"""

import json
import os
import random
import signal
import sys
import time

COST = {
    "curse": 0,
    "copper": 0,
    "silver": 3,
    "gold": 6,
    "estate": 2,
    "duchy": 5,
    "province": 8,
    "cellar": 2,
    "market": 5,
    "militia": 4,
    "mine": 5,
    "moat": 2,
    "remodel": 4,
    "smithy": 4,
    "village": 3,
    "woodcutter": 3,
    "workshop": 3,
}
WORTH = {"copper": 1, "silver": 2, "gold": 3}
ACTIONS = list(COST)[7:]
LIMIT = 65536
WAIT_SECONDS = 3.0
TICK_SECONDS = 0.003
MOST_REPLIES = 100  # to one turn; one that takes more does not end
LITTLE_SECONDS = 0.2
STAY_SECONDS = 20


def legal_name(bot):
    return {
        "type": "player-name-reply",
        "player_number": bot.number,
        "name": bot.plan["name"],
        "version": 1,
    }


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


def encode(reply):
    return json.dumps(reply, separators=(",", ":")).encode() + b"\n"


def action(card, **parameters):
    reply = {"type": "play-reply", "phase": "action", "card": card}
    return reply | ({"additional_parameters": parameters} if parameters else {})


def buy(treasures, cards):
    return {
        "type": "play-reply",
        "phase": "buy",
        "played_treasures": treasures,
        "cards_to_buy": cards,
    }


def cleanup(**fields):
    return {"type": "play-reply", "phase": "cleanup", **fields}


def is_cleanup(reply):
    return isinstance(reply, dict) and reply.get("phase") == "cleanup"


# --- handshakes -------------------------------------------------------------------------------


def changed(**changes):
    """A handshake with other fields; None takes one out."""

    def reply(bot):
        fields = {**legal_name(bot), **changes}
        return {name: value for name, value in fields.items() if value is not None}

    return reply


def long_name(bot):
    return {**legal_name(bot), "name": "\x07" + "N\u00e4me \U0001f0cf" * 40}


def side_by_side(bot):
    bot.await_other(b'"player-name-request"', 1)
    return legal_name(bot)


def wrong_number(bot):
    other = "player2" if bot.number == "player1" else "player1"
    return {**legal_name(bot), "player_number": other}


HANDSHAKES = {
    "": legal_name,
    "control": lambda bot: {**legal_name(bot), "name": "A\x00\tB\x1f\x7f\x9fC\n"},
    "long": long_name,
    "empty": lambda bot: {**legal_name(bot), "name": ""},
    "spaces": lambda bot: {**legal_name(bot), "name": "  two  words \u00a0 "},
    "json": lambda bot: b"Hello\n",
    "type": lambda bot: {**legal_name(bot), "type": "hello"},
    "no-name": changed(name=None),
    "bad-name": changed(name=7),
    "no-number": changed(player_number=None),
    "bad-number": wrong_number,
    "no-version": changed(version=None),
    "version-float": lambda bot: encode(legal_name(bot)).replace(b'"version":1', b'"version":1.0'),
    "version-2": changed(version=2, name=None),
    "version-string": changed(version="1"),
    "version-true": changed(version=True),
    "version-null": lambda bot: {**legal_name(bot), "version": None},
    "exit": lambda bot: bot.leave(),
    "side-by-side": side_by_side,
}


# --- tricks at a play-turn: (bot, argument) -> reply, or None as long as there is no occasion -----


def fresh(bot):
    """Whether there is an occasion to buy that nothing was done with yet."""
    return bot.message["buys"] == 1 and not bot.message["cards_played"]


def first(bot):
    return fresh(bot) and bot.message["actions"] == 1


def small_buy(bot):
    """A buy that everybody would notice."""
    return buy(bot.treasures(), ["copper"])


def framed(make):
    """A trick on how a buy is written."""

    def trick(bot, argument):
        return make(bot, encode(small_buy(bot)).rstrip(b"\n")) if first(bot) else None

    return trick


def spaces(bot, line):
    return b" \t" + json.dumps(json.loads(line), indent=1).replace("\n", "\t").encode() + b" \r\n"


def early(bot, line):
    bot.answered = 1
    return line + b"\n" + encode(cleanup())


def noise(bot, line):
    bot.note("noise")
    os.write(2, b"noise " * 8 * 1024 + b"\n")
    for _ in range(20):
        os.write(2, b"noise " * 8 * 1024 + b"\n")
    return line + b"\n"


def fields(bot, line):
    return line[:-1] + b',"x":[{"hand":["gold"]},null],"comment":"\\u00e9"}\n'


def duplicates(bot, line):
    return b'{"type":"attack-reply","phase":"cleanup","cards_to_buy":["curse"],' + line[1:] + b"\n"


def nested(depth, wrap=b"%s"):
    """A field with so many brackets; the object around it is one more."""

    def make(bot, line):
        inside = b"[" * (depth - 1) + b"]" * (depth - 1)
        return line[:-1] + b',"x":' + wrap % inside + b"}\n"

    return make


def with_field(text):
    return lambda bot, line: line[:-1] + b',"x":' + text + b"}\n"


def await_news(bot, argument):
    """Buy; and before the turn is ended see that another one has heard of it."""
    if fresh(bot) and bot.plan.get("awaits") is None:
        bot.plan["awaits"] = bot.gains + 1
        bot.tricks.append("await-news")
        return small_buy(bot)
    if bot.message["buys"] == 0 and bot.plan.get("awaits") == bot.gains:
        bot.await_other(b'"player-gained"', bot.gains)
        return cleanup()
    return None


def long_line(bot, argument):
    if not first(bot):
        return None
    bot.write(encode(small_buy(bot)).rstrip(b"\n").ljust(LIMIT + 1) + b"\n")
    bot.note("leaves")
    while sys.stdin.buffer.readline():
        pass
    return os._exit(0)


def leave_turn(bot, argument):
    """Leave in the N-th turn, having played something if there is a treasure."""
    if bot.turns < int(argument or 1):
        return None
    if bot.message["buys"] and bot.treasures():
        bot.tricks.append("leave-turn:" + argument)
        return buy(bot.treasures(), ["copper"])
    return bot.leave()


def leave_leading(bot, argument):
    """Leave with more points than the others have."""
    return bot.leave() if bot.owned["estate"] > 3 and first(bot) else None


def close_output(bot, argument):
    bot.note("closes its output")
    bot.note("leaves")
    os.close(1)
    while sys.stdin.buffer.readline():
        pass
    return os._exit(0)


def last_words(bot, argument):
    """Answer this request and the next one in advance, and be gone."""
    if not first(bot):
        return None
    bot.write(encode(small_buy(bot)) + encode(cleanup()))
    return bot.leave()


def torn(bot, argument):
    """A whole reply but for its line end."""
    if not first(bot):
        return None
    bot.write(encode(small_buy(bot)).rstrip(b"\n"))
    return bot.leave()


def top_choose(bot, argument):
    message = bot.message
    if message["buys"] or not message["cards_played"]:
        return None
    last = message["cards_played"][-1]
    others = [card for card in message["hand"] + message["cards_played"] if card != last]
    if argument == "hand":
        others = [card for card in message["hand"] if card != last]
    return cleanup(top_discard=others[0]) if others else None


def top_bad(bot, argument):
    """Name a card that is not there, or none at all; after buying, or with nothing played."""
    message = bot.message
    if bool(message["cards_played"]) == argument.endswith("unplayed"):
        return None
    if message["buys"] and message["cards_played"]:
        return None
    kind = argument.partition("-")[0]
    if kind == "null":
        return cleanup(top_discard=None)
    if kind == "number":
        return cleanup(top_discard=1)
    if kind == "list":
        return cleanup(top_discard=message["cards_played"][:1])
    there = message["hand"] + message["cards_played"]
    return cleanup(top_discard=next(card for card in COST if card not in there))


def treasure(bot, argument):
    if not fresh(bot):
        return None
    good = bot.treasures()
    dull = [card for card in bot.message["hand"] if card not in WORTH]
    if not good:
        return None
    if argument == "none":
        return buy([good[0], dull[0], *good[1:]], ["copper"]) if dull else None
    if argument == "twice":
        return buy([*good, good[0]], ["copper"])
    if argument == "value":
        return buy([good[0], 7, *good[1:]], ["copper"])
    if argument == "null":
        return buy(None, ["copper"])
    if argument == "string":
        return buy(good[0], ["copper"])
    reply = buy(good, ["copper"])
    del reply["played_treasures"]
    return reply


def cards(bot, argument):
    message = bot.message
    if not message["buys"]:
        return None
    money = message["extra_money"] + sum(WORTH[card] for card in bot.treasures())
    if argument == "dear":
        dear = [card for card in COST if COST[card] == money + 1 and bot.supply[card]]
        return buy(bot.treasures(), [dear[0], "copper"]) if dear else None
    if argument == "dear-second":
        if message["buys"] < 2 or money < 3:
            return None
        return buy(bot.treasures(), ["silver", *["province"] * (money < 11), "copper"])
    if argument == "empty":
        empty = [card for card in COST if not bot.supply[card] and COST[card] <= money]
        return buy(bot.treasures(), [empty[0], "copper"]) if empty else None
    if argument == "many":
        return buy(bot.treasures(), ["copper"] * (message["buys"] + 1))
    if argument == "two":
        if message["buys"] < 2 or money < 3:
            return None
        return buy(bot.treasures()[::-1], ["silver", "copper"])
    if argument == "unknown":
        return buy(bot.treasures(), ["witch", "copper"])
    if argument == "null":
        return buy(bot.treasures(), None)
    if argument == "string":
        return buy(bot.treasures(), "copper")
    reply = buy(bot.treasures(), [])
    del reply["cards_to_buy"]
    return reply


def costs(bot, argument):
    """Buy a card with just its cost in treasures, or with one less: "exact-gold"."""
    how, _, card = argument.partition("-")
    if not fresh(bot) or bot.message["extra_money"] or not bot.supply[card]:
        return None
    wanted = COST[card] - (how == "short")
    if wanted < 0:
        return None
    found = []
    # Dear ones first: every sum that is there can be reached so, if there are coppers enough.
    for coin in sorted(bot.treasures(), key=lambda coin: -WORTH[coin]):
        if WORTH[coin] <= wanted:
            found.append(coin)
            wanted -= WORTH[coin]
    return None if wanted else buy(found, [card])


def worth(bot, argument):
    """Play one kind of treasure that pays for something with nothing to spare, or one short."""
    argument, _, short = argument.partition("-")
    if not fresh(bot) or bot.message["extra_money"]:
        return None
    coins = [card for card in bot.treasures() if card == argument]
    for count in range(len(coins), 0, -1):
        for card in COST:
            if bot.supply[card] and COST[card] == count * WORTH[argument] + bool(short):
                return buy(coins[:count], [card])
    return None


def second_buy(bot, argument):
    if bot.message["buys"] or not bot.message["cards_played"]:
        return None
    return buy(bot.treasures(), ["copper"])


def no_actions(bot, argument):
    if bot.message["actions"]:
        return None
    held = [card for card in ACTIONS if card in bot.message["hand"]]
    if argument == "held":
        return action(held[0], desired_card="copper", cards=[]) if held else None
    return action(held[0] if held else "smithy")


def at_first(reply):
    """A trick with a reply that ends the turn; there is money that could be spent."""
    return lambda bot, argument: reply(bot) if first(bot) else None


def without(reply, field):
    return {name: value for name, value in reply.items() if name != field}


def bad_action(bot, argument):
    if not bot.message["actions"] or not bot.message["buys"]:
        return None
    hand = bot.message["hand"]
    if argument == "missing":
        return {"type": "play-reply", "phase": "action"}
    if argument == "treasure":
        return action("copper") if "copper" in hand else None
    if argument == "victory":
        return action("estate") if "estate" in hand else None
    if argument == "unknown":
        return action("witch")
    if argument == "list":
        return {"type": "play-reply", "phase": "action", "card": ["smithy"]}
    missing = [card for card in ACTIONS if card not in hand]
    return action(missing[-1], desired_card="copper") if missing else None


def plain(bot, argument):
    """A card without parameters, with something in their place."""
    hand = bot.message["hand"]
    held = [card for card in ("smithy", "market", "village", "woodcutter", "moat") if card in hand]
    if not bot.message["actions"] or not held:
        return None
    return {
        **action(held[0]),
        "additional_parameters": {"null": None, "list": ["copper"]}[argument],
    }


def playable(bot, card):
    return bot.message["actions"] and bot.message["buys"] and card in bot.message["hand"]


def cellar(bot, argument):
    if not playable(bot, "cellar"):
        return None
    hand = bot.rest("cellar")
    missing = next(card for card in COST if card not in hand)
    if argument == "missing":
        return {"type": "play-reply", "phase": "action", "card": "cellar"}
    if argument == "object":
        return {**action("cellar"), "additional_parameters": [hand[0]] if hand else []}
    if argument == "empty":
        return action("cellar", cards=[])
    if argument == "null":
        return action("cellar", cards=None)
    if argument == "string":
        return action("cellar", cards=hand[0]) if hand else None
    if argument == "itself":
        return action("cellar", cards=["cellar"]) if "cellar" not in hand else None
    if len(hand) < 2:
        return None
    if argument == "all":
        return action("cellar", cards=hand[::-1])
    if argument == "twice":
        return action("cellar", cards=[hand[0]] * (hand.count(hand[0]) + 1) + hand[1:2])
    if argument == "value":
        return action("cellar", cards=[hand[0], ["copper"], hand[1]])
    return action("cellar", cards=[hand[0], missing, hand[1]])


def exchange(card, among, more):
    """Tricks with mine and remodel: "trash-..." on `card_to_trash`, others on `desired_card`."""

    def trick(bot, argument):
        if not playable(bot, card):
            return None
        hand = bot.rest(card)
        held = [other for other in among if other in hand]
        missing = [other for other in among if other not in hand]
        if argument == "trash-missing":
            return action(card, desired_card="silver")
        if argument == "trash-value":
            return action(card, card_to_trash=["copper"], desired_card="copper")
        if argument == "trash-unknown":
            return action(card, card_to_trash="witch", desired_card="copper")
        if argument == "trash-other":
            dull = [other for other in hand if other not in among]
            return action(card, card_to_trash=dull[0], desired_card="copper") if dull else None
        if argument == "trash-not-held":
            if not missing:
                return None
            return action(card, card_to_trash=missing[0], desired_card="copper")
        if argument == "itself":
            if card in hand:
                return None
            return action(card, card_to_trash=card, desired_card="silver")
        if argument == "second":
            if card not in hand:
                return None
            return action(card, card_to_trash=card, desired_card="silver")
        for trashed in sorted(held, key=lambda other: COST[other]):
            limit = COST[trashed] + more
            wishes = bot.gainable(limit, among)
            if argument == "nothing":
                if not wishes:
                    return action(card, card_to_trash=trashed)
                continue
            if not wishes:
                continue
            if argument == "missing":
                return action(card, card_to_trash=trashed)
            if argument == "null":
                return action(card, card_to_trash=trashed, desired_card=None)
            if argument == "unknown":
                return action(card, card_to_trash=trashed, desired_card="witch")
            if argument == "other":
                return action(card, card_to_trash=trashed, desired_card="estate")
            found = {
                "dear": [other for other in among if COST[other] > limit and bot.supply[other]],
                "empty": [o for o in among if COST[o] <= limit and not bot.supply[o]],
                "top": [other for other in wishes if COST[other] == limit],
                "same": [other for other in wishes if COST[other] == COST[trashed]],
                "cheap": [other for other in wishes if COST[other] < COST[trashed]],
            }[argument]
            if found:
                wish = min(found, key=lambda other: COST[other])
                return action(card, card_to_trash=trashed, desired_card=wish)
        return None

    return trick


def workshop(bot, argument):
    if not playable(bot, "workshop"):
        return None
    if argument == "missing":
        return {"type": "play-reply", "phase": "action", "card": "workshop"}
    if argument in ("null", "unknown"):
        return action("workshop", desired_card={"null": None, "unknown": "witch"}[argument])
    found = {
        "dear": [card for card in COST if COST[card] == 5 and bot.supply[card]],
        "empty": [card for card in COST if COST[card] <= 4 and not bot.supply[card]],
        "top": [card for card in COST if COST[card] == 4 and bot.supply[card]],
        "cheap": [card for card in COST if COST[card] < 2 and bot.supply[card]],
    }[argument]
    return action("workshop", desired_card=found[0]) if found else None


TURN_TRICKS = {
    "spaces": framed(spaces),
    "blank-lines": framed(lambda bot, line: b" \n\t\r\n\n" + line + b"\n"),
    "early": framed(early),
    "noise": framed(noise),
    "limit-line": framed(lambda bot, line: line.ljust(LIMIT) + b"\n"),
    "fields": framed(fields),
    "duplicates": framed(duplicates),
    "deep": framed(nested(128)),
    "long-integer": framed(
        lambda bot, line: line.replace(b'["copper"]}', b'["copper",' + b"9" * 5000 + b"]}") + b"\n"
    ),
    "deep-string": framed(nested(1000, b'"%s"')),
    "json-utf8": framed(with_field(b'"\xff"')),
    "json-bom": framed(lambda bot, line: b"\xef\xbb\xbf" + line + b"\n"),
    "json-nan": framed(with_field(b"NaN")),
    "json-infinity": framed(with_field(b"-Infinity")),
    "json-control": framed(with_field(b'"\t"')),
    "json-surrogate": framed(with_field(rb'"\ud800"')),
    "json-deep": framed(nested(129)),
    "json-after": framed(lambda bot, line: line + b" {}\n"),
    "json-array": framed(lambda bot, line: b"[" + line + b"]\n"),
    "json-cut": framed(lambda bot, line: line[:-1] + b"\n"),
    "await-news": await_news,
    "long-line": long_line,
    "leave-turn": leave_turn,
    "leave-leading": leave_leading,
    "close-output": at_first(lambda bot: close_output(bot, "")),
    "last-words": last_words,
    "torn": torn,
    "pass": at_first(lambda bot: cleanup()),
    "top": top_choose,
    "top-bad": top_bad,
    "treasure": treasure,
    "cards": cards,
    "costs": costs,
    "worth": worth,
    "second-buy": second_buy,
    "no-actions": no_actions,
    "phase-missing": at_first(lambda bot: without(small_buy(bot), "phase")),
    "phase-bad": at_first(lambda bot: {**small_buy(bot), "phase": "Buy"}),
    "phase-list": at_first(lambda bot: {**small_buy(bot), "phase": ["buy"]}),
    "type-missing": at_first(lambda bot: without(small_buy(bot), "type")),
    "type-bad": at_first(lambda bot: {**small_buy(bot), "type": "play-turn"}),
    "type-attack": at_first(lambda bot: {**small_buy(bot), "type": "attack-reply", "discard": []}),
    "action": bad_action,
    "plain": plain,
    "cellar": cellar,
    "mine": exchange("mine", list(WORTH), 3),
    "remodel": exchange("remodel", list(COST), 2),
    "workshop": workshop,
}
ENDING = {
    *(trick for trick in TURN_TRICKS if trick.startswith(("json-", "phase-", "type-"))),
    *("early", "pass", "second-buy", "no-actions", "top-bad"),
}
"""What ends the turn although it is no clean-up reply, or more than one."""


# --- tricks at an attack-request ------------------------------------------------------------------


def discard(bot, cards):
    return {"type": "attack-reply", "discard": cards}


def not_held(bot):
    options, count = bot.message["options"], bot.message["discard"]
    missing = next(card for card in COST if card not in options)
    return discard(bot, [*options[: count - 1], missing])


def held_once(bot):
    """Name a card more often than it is held."""
    options, count = bot.message["options"], bot.message["discard"]
    for card in options:
        if options.count(card) < count:
            return discard(bot, [card] * count)
    return None


def leave_attack(bot):
    return bot.leave()


def moat_not_held(bot):
    if "moat" in bot.message["options"]:
        return None
    return {"type": "attack-reply-reaction", "reaction": "moat"}


def moat_held(reply):
    return lambda bot: reply(bot) if "moat" in bot.message["options"] else None


ATTACK_TRICKS = {
    "few": lambda bot: discard(bot, bot.message["options"][: bot.message["discard"] - 1]),
    "many": lambda bot: discard(bot, bot.message["options"][: bot.message["discard"] + 1]),
    "not-held": not_held,
    "held-once": held_once,
    "no-list": lambda bot: discard(bot, None),
    "no-discard": lambda bot: {"type": "attack-reply"},
    "moat": moat_held(lambda bot: {"type": "attack-reply-reaction", "reaction": "moat"}),
    "moat-discards": moat_held(lambda bot: bot.discards()),
    "moat-not-held": moat_not_held,
    "reaction-bad": moat_held(lambda bot: {"type": "attack-reply-reaction", "reaction": "Moat"}),
    "reaction-missing": moat_held(lambda bot: {"type": "attack-reply-reaction"}),
    "attack-json": lambda bot: b"{]\n",
    "attack-untyped": lambda bot: without(bot.discards(), "type"),
    "attack-type": lambda bot: {**bot.discards(), "type": "attack-request"},
    "attack-play": lambda bot: {**cleanup(), "discard": bot.discards()["discard"]},
    "leave-attack": leave_attack,
}


# --- the process ----------------------------------------------------------------------------------


def stay(bot):
    """Take some time to end, or do not end at all, not even for SIGTERM."""
    if bot.plan["stays"] == "a little":
        time.sleep(LITTLE_SECONDS)
        bot.note("ends by itself")
    elif bot.plan["stays"]:
        signal.signal(signal.SIGTERM, lambda number, frame: bot.note("terminated"))
        deadline = time.monotonic() + STAY_SECONDS
        while time.monotonic() < deadline:
            time.sleep(1)


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    name = sys.argv[1].removesuffix(".json") + ".record"
    record = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    bot = Bot(plan, record)
    process = {
        "pid": os.getpid(),
        "session": os.getsid(0),
        "group": os.getpgid(0),
        "folder": os.getcwd(),
        "token": os.environ.get("REFEREE_PROBE", ""),
    }
    bot.keep(b"# " + json.dumps(process).encode())
    over = False
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            bot.note("input ended")
            break
        bot.keep((b"> " if line.endswith(b"\n") else b"~ ") + line)
        try:
            over = bot.take(line) or over
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            # What it is sent is wrong; the suite will say why. There is nothing to answer.
            bot.note(f"gave up: {type(error).__name__} {error}")
            bot.leave()
    stay(bot)


main()
