"""Tricks of bots that leave, and of one that stays."""

import os
import signal
import sys
import time

from occasions import at_first, first, small_buy
from replies import buy, cleanup, encode

LITTLE_SECONDS = 0.2
STAY_SECONDS = 20


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


LEAVING_TRICKS = {
    "leave-turn": leave_turn,
    "leave-leading": leave_leading,
    "close-output": at_first(lambda bot: close_output(bot, "")),
    "last-words": last_words,
    "torn": torn,
}


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
