"""A bot for the dialects that picks what comes first and then ends every turn: ENDTURN.

It reads as a simple foreign bot reads: all lines up to EOT are joined, and the end is split into
four words, or it breaks.
"""

import json
import sys


def message():
    lines = iter(sys.stdin.readline, "EOT\n")
    return "".join(line.rstrip("\n") for line in lines)


for _ in range(2):
    patrons, _round = sys.stdin.readline().split()
    print(patrons.split(",")[0], flush=True)
while not (data := message()).startswith("FINISHED"):
    json.loads(data)
    print("ENDTURN", flush=True)
_, winner, reason, context = data.split(" ", 3)
print(winner, reason, file=sys.stderr)
