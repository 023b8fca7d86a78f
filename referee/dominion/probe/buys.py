"""Tricks at a buy or a clean-up, and replies that are neither."""

from occasions import at_first, fresh, small_buy
from replies import COST, WORTH, buy, cleanup, without


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


BUY_TRICKS = {
    "pass": at_first(lambda bot: cleanup()),
    "top": top_choose,
    "top-bad": top_bad,
    "treasure": treasure,
    "cards": cards,
    "costs": costs,
    "worth": worth,
    "second-buy": second_buy,
    "phase-missing": at_first(lambda bot: without(small_buy(bot), "phase")),
    "phase-bad": at_first(lambda bot: {**small_buy(bot), "phase": "Buy"}),
    "phase-list": at_first(lambda bot: {**small_buy(bot), "phase": ["buy"]}),
    "type-missing": at_first(lambda bot: without(small_buy(bot), "type")),
    "type-bad": at_first(lambda bot: {**small_buy(bot), "type": "play-turn"}),
    "type-attack": at_first(lambda bot: {**small_buy(bot), "type": "attack-reply", "discard": []}),
}
