"""Play random tournaments of all formats in several ways. Their stores must have the same rows.

    python -m tools.attacks.random_tournaments [--tournaments 20] [--kills 3] [--seed 1]

Each tournament is played with one job, with two jobs, and with two jobs while the command is killed
(SIGKILL) several times and started again. Prints a line per tournament, and exits with 1 if rows
differ. The bots are deterministic; one of them crashes in some matches.
"""

from __future__ import annotations

import argparse
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from referee.tournament.store import Store
from tests.support.live import hostile
from tests.support.stores import rows

BOTS = {
    "dominion": ("big_money", "smithy_big_money", "militia_money", "minimal", "village_engine"),
    "botwars": ("gatherer", "formation", "one=gatherer", "two=formation", "three=gatherer"),
    "starrealms": ("admiral", "one=admiral", "two=admiral", "three=admiral"),
}
KILL_SECONDS = 1.5


def options_of(dice: random.Random) -> list[str]:
    """Choose the options of a tournament."""
    pairing = dice.choice(["round-robin", "gauntlet", "swiss", "knockout", "sprt"])
    game = dice.choice([*BOTS])
    count = 2 if pairing == "sprt" else dice.randint(3, len(BOTS[game]))
    words = list(BOTS[game][:count])
    if game == "dominion" and dice.random() < 0.6:  # it crashes in long matches only
        words[-1] = f"crash={hostile('exit_at', dice.randint(8, 30))}"
    words += ["--game", game, "--pairing", pairing, "--deals", str(dice.randint(3, 12))]
    if game == "dominion" and pairing in ("round-robin", "gauntlet") and dice.random() < 0.4:
        words += ["--players", "3"]
    words += ["--max-turns", str(dice.randint(3, 12)), "--seed", str(dice.randrange(10**9))]
    words += dice.choice([[], ["--withdraw-after", "2"], ["--withdraw-after", "never"]])
    words += dice.choice([[], ["--opening", str(dice.randint(1, 5))]])
    words += dice.choice([[], ["--no-keep-alive"]])
    return [*words, "--sandbox", "none", "--quiet", "--format", "json"]


def command(words: Sequence[str], jobs: int, store: Path) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", "referee", "tournament", *words, "--jobs", str(jobs)]
    return subprocess.Popen(
        [*line, "--store", str(store)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def played(words: Sequence[str], jobs: int, store: Path, kills: Sequence[float] = ()) -> int:
    """Play a tournament. Kill it after each of these seconds, and start it again.

    Returns how many times it was really killed.
    """
    killed = 0
    for seconds in kills:
        run = command(words, jobs, store)
        until = time.monotonic() + seconds
        while time.monotonic() < until and run.poll() is None:
            time.sleep(0.01)
        killed += run.poll() is None
        run.kill()
        run.communicate()
    run = command(words, jobs, store)
    _, said = run.communicate()
    if run.returncode not in (0, 1):
        raise RuntimeError(f"exit {run.returncode}: {said.decode()[-500:]}")
    return killed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tournaments", type=int, default=20)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong = 0
    for number in range(options.tournaments):
        dice = random.Random(f"{options.seed} {number}")
        words = options_of(dice)
        kills = [dice.uniform(0.2, KILL_SECONDS) for _ in range(options.kills)]
        with tempfile.TemporaryDirectory() as folder:
            stores = [Path(folder) / f"{name}.sqlite" for name in ("one", "two", "killed")]
            began = time.monotonic()
            played(words, 1, stores[0])
            played(words, 2, stores[1])
            killed = played(words, 2, stores[2], kills)
            found = []
            for file in stores:
                with Store.for_reading(str(file)) as store:
                    found.append(rows(store))
        is_same = found[0] == found[1] == found[2]
        wrong += not is_same
        matches, seconds = len(found[0]["matches"]), time.monotonic() - began
        verdict = "same" if is_same else "DIFFERENT"
        shown = shlex.join(words[:-5]).replace(sys.executable, "python")
        print(f"{verdict}: {matches} matches, {killed} kills, {seconds:.0f} s: {shown}", flush=True)
    print(f"{wrong} of {options.tournaments} tournaments differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
