"""Makes a canonical bot of a classic one, with the dialect: `classic_adapter.py PROGRAM...`.

`referee conform` checks processes that speak the canonical messages.
"""

from __future__ import annotations

import json
import subprocess
import sys

from referee.games.botwars.dialect import Classic

classic = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert classic.stdin is not None
assert classic.stdout is not None
dialect = Classic(0, 1, "Classic")
lines = []
for line in sys.stdin.buffer:
    if not line.endswith(b"\n"):
        break
    lines.append(line[:-1])
    if json.loads(line).get("type") not in ("player-name-request", "move-request"):
        continue
    data = dialect.request(lines)
    if data is None:
        reply = dialect.answer_for(lines[-1])
    else:
        classic.stdin.write(data + b"\n")
        classic.stdin.flush()
        reply = dialect.reply(classic.stdout.readline().rstrip(b"\n"))
    lines.clear()
    sys.stdout.buffer.write(reply + b"\n")
    sys.stdout.flush()
classic.stdin.close()
classic.wait()
