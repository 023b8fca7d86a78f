"""The same matches in other processes, whose sets have other orders.

Python gives the texts of a set in another order in each process. A game that takes them in this
order cannot be played again from its seed.
"""

from __future__ import annotations

import os
import subprocess
import sys

_SECONDS = 60.0


def is_stable(game: str, seed: int) -> bool:
    """Whether random matches are the same in processes with different orders of sets.

    Args:
        game: a game of the referee, or the file of one.
        seed: of the first match.
    """
    words = [sys.executable, "-m", "referee.gamecheck.digest", game, str(seed)]
    children = [
        subprocess.Popen(
            words,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for hash_seed in "123456"
    ]
    try:
        digests = {child.communicate(timeout=_SECONDS)[0] for child in children}
    except subprocess.TimeoutExpired:
        return True  # nobody knows
    finally:
        for child in children:
            child.kill()
            child.wait()
    return len(digests) == 1
