"""Print digests of matches, to compare two versions of the referee.

    python -m tools.benchmarks.same [--matches 300] [--game NAME ...]

Prints two hashes for each game: one for matches with reused processes, and one with new processes
for each match. They differ, because a record has no exit code of a reused process. But ranks,
scores and faults must be equal, and we print whether they are.

Run this with both versions. Their output must be the same, unless the rules were changed on
purpose.
"""

from __future__ import annotations

import argparse
import hashlib

from referee.match.spec import match_spec
from referee.tournament.playing.batch import Batch
from referee.tournament.playing.task import play_batch
from referee.tournament.playing.worker import end_bots
from referee.tournament.rows import Entrant, Plan

BOTS = {
    "dominion": ("village_engine", "militia_money"),
    "botwars": ("formation", "gatherer"),
    "starrealms": ("cadet", "admiral"),
    "tribute": ("courtier", "magnate"),
}


def hashed(game: str, matches: int, keep_alive: bool) -> tuple[str, str]:
    """Play matches with these seeds. Return a hash of all digests, and one of all results."""
    digests, results = hashlib.sha256(), hashlib.sha256()
    entrants = {number: Entrant(str(number), bot) for number, bot in enumerate(BOTS[game])}
    plans = tuple(Plan(n, n, n, (n % 2, 1 - n % 2)) for n in range(matches))
    spec = match_spec(BOTS[game], game=game, seed=0)
    while plans:
        rows = play_batch(Batch(spec, entrants, plans, keep_alive=keep_alive))
        assert isinstance(rows, list), rows
        for row in rows:
            seats = [(seat.rank, seat.score, str(seat.faults)) for seat in row.seats]
            digests.update(row.digest.encode())
            results.update(repr((row.turns, row.reason, seats)).encode())
        plans = plans[len(rows) :]
    end_bots()
    return digests.hexdigest()[:16], results.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=300)
    parser.add_argument("--game", nargs="*", choices=tuple(BOTS), default=tuple(BOTS))
    options = parser.parse_args()
    for game in options.game:
        kept, new = (hashed(game, options.matches, keep) for keep in (True, False))
        same = "the same" if kept[1] == new[1] else "DIFFERENT"
        print(f"{game:12} kept {kept[0]}, started for each {new[0]}, results {same}", flush=True)


if __name__ == "__main__":
    main()
