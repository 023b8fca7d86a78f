r"""A bot that checks referees: it plays as its plan says, and writes down all that it sees.

    python probe PLAN

PLAN is the name of a JSON file (the fields: see `Plan` in plans.py). The record goes to a file of
the same name with `.record` in place of `.json`, one line each, written before anything else
happens, so that it holds for a probe that is killed as well:

    "# "  a JSON object on the process, first
    "> "  a line that was read; "~ " one that has no line end
    "< "  a line that is written; "- " one that is written without its line end
    "! "  a note: what the probe does or sees besides

It is a real bot of its own: this folder runs by itself, needs the standard library alone and knows
nothing of the suite. It plays its tricks, each as soon as there is an occasion, and legally
otherwise.

bot.py         what it has seen, and how it plays
tricks.py      all tricks at a play-turn: framing.py, leaving.py, buys.py, actions.py
occasions.py   when they are played
attacks.py     tricks at an attack-request
handshakes.py  replies to a name request
replies.py     the replies there are, and the cards
"""

import json
import os
import sys

from bot import Bot
from leaving import stay


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
