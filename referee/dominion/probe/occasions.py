"""When a trick at a play-turn has its occasion.

A trick is `(bot, argument) -> reply, or None as long as there is no occasion`.
"""

from replies import buy


def fresh(bot):
    """Whether there is an occasion to buy that nothing was done with yet."""
    return bot.message["buys"] == 1 and not bot.message["cards_played"]


def first(bot):
    return fresh(bot) and bot.message["actions"] == 1


def small_buy(bot):
    """A buy that everybody would notice."""
    return buy(bot.treasures(), ["copper"])


def at_first(reply):
    """A trick with a reply that ends the turn; there is money that could be spent."""
    return lambda bot, argument: reply(bot) if first(bot) else None
