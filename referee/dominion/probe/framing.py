"""Tricks on how a reply is written: lines and JSON."""

import json
import os
import sys

from occasions import first, fresh, small_buy
from replies import LIMIT, cleanup, encode


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


FRAMING_TRICKS = {
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
}
