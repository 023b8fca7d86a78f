#!/usr/bin/env python3
"""At random: play classic-index:classic_index_random.

A state and a list of actions come in, over many lines up to EOT, and an index goes out. Run your
copy with `referee play --game tribute "classic-index:./my_bot.py" courtier`.
"""

import json
import random
import sys


def received():
    """All lines up to EOT, joined; None when the referee is gone."""
    lines = []
    for line in sys.stdin:
        if line == "EOT\n":
            return "".join(lines)
        lines.append(line)
    return None


def main():
    chance = random.Random(sys.argv[1] if len(sys.argv) > 1 else "1")
    for _ in range(2):
        patrons = sys.stdin.readline().partition(" ")[0]  # the round follows
        print(chance.choice(patrons.split(",")), flush=True)  # else the referee waits in vain
    while (data := received()) is not None and not data.startswith("FINISHED"):
        actions = json.loads(data)["Actions"]
        # END_TURN is the last action, and hardly ever good before the others.
        count = len(actions) - 1 if len(actions) > 1 and actions[-1] == "END_TURN" else len(actions)
        print(chance.randrange(count), flush=True)


if __name__ == "__main__":
    main()
