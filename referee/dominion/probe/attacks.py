"""Tricks at an attack-request, by their names in a plan."""

from replies import COST, cleanup, without


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
