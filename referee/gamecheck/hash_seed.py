"""The same matches in other processes, where sets have another order.

Python's hash of a string differs from process to process, and so does the order of strings in a
set. A game that depends on this order can't be reproduced from its seed. Within a single process
the game looks fine, so the check needs other processes.
"""

from __future__ import annotations

import os
import subprocess
import sys

_SECONDS = 60.0


def is_stable(game: str, seed: int) -> bool:
    """Return True if random matches are the same in processes with different hash seeds.

    Args:
        game: the name or the file of a game.
        seed: the seed of the first match.
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
        return True  # we can't know, so don't report a mistake
    finally:
        for child in children:
            child.kill()
            child.wait()
    return len(digests) == 1
