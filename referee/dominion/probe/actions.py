"""Tricks with action cards."""

from replies import ACTIONS, COST, WORTH, action


def no_actions(bot, argument):
    if bot.message["actions"]:
        return None
    held = [card for card in ACTIONS if card in bot.message["hand"]]
    if argument == "held":
        return action(held[0], desired_card="copper", cards=[]) if held else None
    return action(held[0] if held else "smithy")


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


ACTION_TRICKS = {
    "no-actions": no_actions,
    "action": bad_action,
    "plain": plain,
    "cellar": cellar,
    "mine": exchange("mine", list(WORTH), 3),
    "remodel": exchange("remodel", list(COST), 2),
    "workshop": workshop,
}
