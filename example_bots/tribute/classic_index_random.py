#!/usr/bin/env python3
"""Random actions: play classic-index:classic_index_random.

It reads a state and a list of actions, which take several lines up to EOT, and writes an index. Run
your copy with `referee play --game tribute "classic-index:./my_bot.py" courtier`.
"""

import json
import random
import sys


def received():
    """Return the lines up to EOT as one string, or None if the referee is gone."""
    lines = []
    for line in sys.stdin:
        if line == "EOT\n":
            return "".join(lines)
        lines.append(line)
    return None


def main():
    chance = random.Random(sys.argv[1] if len(sys.argv) > 1 else "1")
    for _ in range(2):
        patrons = sys.stdin.readline().partition(" ")[0]  # a round number follows
        print(chance.choice(patrons.split(",")), flush=True)  # don't leave it in the buffer
    while (data := received()) is not None and not data.startswith("FINISHED"):
        actions = json.loads(data)["Actions"]
        # END_TURN is always last. It's rarely good as long as there are other actions.
        count = len(actions) - 1 if len(actions) > 1 and actions[-1] == "END_TURN" else len(actions)
        print(chance.randrange(count), flush=True)


if __name__ == "__main__":
    main()
