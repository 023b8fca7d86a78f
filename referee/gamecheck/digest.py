"""Prints a digest of some random matches: python -m referee.gamecheck.digest GAME SEED.

If two processes print different digests, the game isn't reproducible (hash_seed.py).
"""

from __future__ import annotations

import hashlib
import sys

from referee.gamecheck.check import play_all
from referee.gamecheck.findings import Findings
from referee.gamecheck.guard import Guard, watching
from referee.games import GAMES, find_game

_MATCHES = 4


def main(game: str, seed: str) -> None:
    """Play some matches of a game and print their digest."""
    findings = Findings()
    with watching(findings):
        played = play_all(
            GAMES[find_game(game)],
            _MATCHES,
            int(seed),
            Guard(findings, 20.0),
            findings,
            checks=False,
        )
    digest = hashlib.sha256()
    for match in played:
        digest.update(b"\n".join([*match.trace, b""]))
    sys.stdout.write(f"{digest.hexdigest()}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
