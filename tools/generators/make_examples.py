"""Play the example transcripts again. Run it in the project's folder.

    python -m tools.generators.make_examples

The transcripts depend on the rules, the random streams, the example bots and the formats of logs.
If they differ afterwards, your change affects users, so mention it in the changelog.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "spec" / "examples"
MATCHES = {
    "two-players": ("big_money", "village_engine", "--seed", "20"),
    "four-players": ("militia_money", "village_engine", "random_legal", "minimal", "--seed", "1"),
}


def play(name: str, folder: Path) -> None:
    """Play one of `MATCHES` and write NAME.log.jsonl and NAME.record.jsonl."""
    files = ("--log", f"{folder}/{name}.log.jsonl", "--record", f"{folder}/{name}.record.jsonl")
    command = (sys.executable, "-m", "referee", "play", *MATCHES[name], *files, "--quiet")
    subprocess.run(command, check=True)


if __name__ == "__main__":
    EXAMPLES.mkdir(parents=True, exist_ok=True)
    for name in MATCHES:
        play(name, EXAMPLES)
