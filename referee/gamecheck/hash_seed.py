"""Find out if a game depends on the order of sets, by playing matches in several processes.

In each process, Python uses different hashes for strings, and therefore another order for the
strings in a set. If a game depends on this order, we can't reproduce a match from its seed. Within
a single process, such a game looks fine.
"""

from __future__ import annotations

import os
import subprocess
import sys

_SECONDS = 60.0


def is_stable(game: str, seed: int) -> bool:
    """Return True if random matches are the same in processes with different hash seeds.

    If the matches take too long, we can't tell, and return True.

    Args:
        game: the name of the game, or the path of its file or folder.
        seed: the seed of the first match.
    """
    words = [sys.executable, "-m", "referee.gamecheck.check", game, str(seed)]
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
        # If all processes crash, the order of sets isn't the reason.
        results = {(*child.communicate(timeout=_SECONDS), child.returncode) for child in children}
    except subprocess.TimeoutExpired:
        return True
    finally:
        for child in children:
            child.kill()
            child.wait()
    return len(results) == 1
