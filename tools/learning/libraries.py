"""Run the programs of spec/rl-libraries.md, each with its library, and print a table.

    python -m tools.learning.libraries [--only Stable-Baselines3] [--folder FOLDER]

We make a virtual environment with Python 3.11 in FOLDER for each library, or reuse it. Into this we
install the library, PyTorch and this clone. A program prints a line for each game and each way to
use the library. The table has a row for each way, with its games. If a program fails, its last row
has the last line of the error. Takes about ten minutes, and 8 GB in FOLDER.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "spec" / "rl-libraries.md"
TORCH = "torch==2.13.0"
PACKAGES = {
    "Stable-Baselines3": ("stable-baselines3", "sb3-contrib"),
    "TorchRL": ("torchrl",),
    "tianshou": ("tianshou",),
    "SuperSuit": ("supersuit",),
    "AgileRL": ("agilerl", "peft"),  # agilerl imports peft, but doesn't declare it
}
SECONDS = 900


def programs() -> dict[str, str]:
    text = PAGE.read_text()
    found = re.findall(r"^## \d+ (.+?)$.*?^```python\n(.*?)^```", text, re.S | re.M)
    return dict(found)


def python_with(library: str, folder: Path, base: str) -> Path:
    """Return the Python of a library's environment, which we create if it doesn't exist."""
    home = folder / library.lower()
    python = home / "bin" / "python"
    if not (home / "made").exists():
        subprocess.run([base, "-m", "venv", home], check=True)
        install = [python, "-m", "pip", "install", "-q", "--no-compile"]
        subprocess.run([*install, TORCH, *PACKAGES[library], f"{ROOT}[rl]"], check=True)
        (home / "made").touch()
    return python


def versions(library: str, python: Path) -> str:
    names = PACKAGES[library]
    code = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    done = subprocess.run([python, "-c", code, *names], capture_output=True, text=True, check=True)
    return ", ".join(f"{name} {one}" for name, one in zip(names, done.stdout.split(), strict=True))


def rows(library: str, python: Path, program: str) -> Iterator[tuple[str, str, str]]:
    """Run a program. Yield rows: how it used the library, the games, and whether that works."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(program)
        command = [python, "-W", "ignore", file]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, timeout=SECONDS, check=False
        )
    ways: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        game, _, way = line.partition(" ")
        if re.fullmatch(r"\w+[-_]v\d", game):
            ways.setdefault(way, []).append(game)
    for way, games in ways.items():
        yield way, ", ".join(games), "works"
    if done.returncode:
        yield "the next", "", f"fails: {(done.stderr.splitlines() or ['?'])[-1]}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the programs of spec/rl-libraries.md.")
    parser.add_argument("--only", choices=PACKAGES, help="one library")
    parser.add_argument("--folder", type=Path, help="of the environments; else a temporary one")
    parser.add_argument("--python", default="python3.11", help="which makes them")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        print("| library | way of use | games | result |\n|---|---|---|---|")
        for library, program in programs().items():
            if options.only not in (None, library):
                continue
            python = python_with(library, folder.resolve(), options.python)
            name = versions(library, python)
            for row in rows(library, python, program):
                failed |= row[-1] != "works"
                print(f"| {name} | {' | '.join(row)} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
