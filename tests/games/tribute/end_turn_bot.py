"""A classic bot that drafts the first patron on offer and then only ends its turns (ENDTURN).

It parses its input the way simple third-party bots do. It joins all lines up to EOT, and it
crashes if the message at the end of the match doesn't split into four words.
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
