"""Check whether 24 busy processes of a bot make its opponent late (limits.md, 5).

    python -m tools.benchmarks.burners [--sandbox none]

The opponent needs 20 ms of CPU time for each of 200 replies, and has 100 ms. In Dominion, only one
bot at a time has a request; in Bot Wars both have. Prints a line per match: the number of its
replies above the limit, and the longest. You should also try it as an ordinary user, e.g. with
`setpriv --reuid 65534 --clear-groups python -m ...`.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

import trio

from referee.bots.command import find_bot
from referee.bots.processes.confinement import limits_by
from referee.bots.processes.launch import launch_bots
from referee.bots.processes.sandbox import resolve
from referee.match.limits import SANDBOXED
from referee.match.spec import match_spec
from referee.runner import play_once

REPLIES = 200
LIMIT = 0.1
NEEDS = 0.02
BURNERS = 24
_PLAYER = """
import json, subprocess, sys, time
burners, needs = int(sys.argv[1]), float(sys.argv[2])
for _ in range(burners):
    null = subprocess.DEVNULL
    words = [sys.executable, "-ISc", "while True: pass"]
    subprocess.Popen(words, stdin=null, stdout=null, stderr=null, start_new_session=True)
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "player-name-request":
        seat = message["player_number"]
        reply = {"type": "player-name-reply", "player_number": seat, "name": "B"}
    elif kind == "play-turn":
        reply = {"type": "play-reply", "phase": "cleanup"}
    elif kind == "move-request":
        reply = {"type": "move-reply", "moves": []}
    else:
        continue
    until = time.process_time() + needs
    while kind != "player-name-request" and time.process_time() < until:
        pass
    print(json.dumps(reply), flush=True)
"""


async def measured(game: str, sandbox: str, burners: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bot.py"
        file.write_text(_PLAYER)
        words = [
            [sys.executable, "-IS", str(file), *of] for of in (("0", "0.02"), (str(burners), "0"))
        ]
        bots = [shlex.join(each) for each in words]
        place = resolve(sandbox)
        # We don't set the limit, because we want to count all replies above it.
        chosen = {} if place.kind == "none" else dict(SANDBOXED)
        spec = match_spec(
            bots, game=game, seed=1, options=chosen | {"max_turns": REPLIES}, sandbox=place
        )
        with launch_bots([find_bot(bot, game) for bot in bots], spec.limits, place) as started:
            played = await play_once(spec, started)
    seconds = played.reply_seconds[0]
    late = sum(each > LIMIT for each in seconds)
    held = limits_by(spec.limits, place)
    print(
        f"{game:9} {burners:2} burning  sandbox {place.kind}, {held:9} "
        f"{len(seconds)} replies, {late} late, longest {1000 * max(seconds):.0f} ms, "
        f"mean {1000 * sum(seconds) / len(seconds):.1f} ms",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sandbox", default="bwrap")
    options = parser.parse_args()
    for game in ("dominion", "botwars"):
        for burners in (0, BURNERS):
            trio.run(measured, game, options.sandbox, burners)


if __name__ == "__main__":
    main()
