"""Compare two checkouts of the referee, in turns: CPU time, and time of tournaments.

    python -m tools.benchmarks.versions OLD NEW [--rounds 7] [--only WORD]

Each folder contains the code of a version and a `.venv` in which it is installed. Prints the
medians of both, and the median of the ratios of old to new: above 1, the new version is faster.

A match without bots gets the replies of an earlier run. A request and the fixed part of a match,
with reused processes, are CPU time of the referee and the bots on one core (`kept_alive`). An
episode is wall time on one core. A tournament has two jobs; its wall time includes the start of the
command, its workers and its bots, and the ratio compares matches per second.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from rich import box
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
RULES = "bench.rules_alone(20); begun = time.thread_time(); bench.rules_alone(300)"
OBJECTS = """
import referee
bots = [bench.BigMoney, bench.BigMoney]
referee.play_matches(bots, 3, seed=0)
begun = time.thread_time()
referee.play_matches(bots, 100, seed=1)
"""
TRIBUTE = """
from tools.benchmarks.tribute import with_messages
with_messages(1)
begun = time.thread_time()
with_messages(6)
"""
TRIBUTE_ALONE = """
from tools.benchmarks import tribute
new = tribute.Match
given = []
class Noted(new):
    def start(self):
        given.append([])
        super().start()
    def receive(self, seat, line):
        given[-1].append((seat, line))
        super().receive(seat, line)
tribute.Match = Noted
tribute.with_messages(6)
def again():
    for seed, replies in enumerate(given):
        match = new(tribute.RULES, seats=2, seed=seed)
        match.start()
        for seat, line in replies:
            match.receive(seat, line)
            match.take_entries()
again()
begun = time.thread_time()
again()
"""
STAR_REALMS = """
from tools.benchmarks.starrealms import dear_first, rules_alone
rules_alone(3, dear_first)
begun = time.thread_time()
rules_alone(60, dear_first)
"""
ONE_CORE = "import os; os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})\n"
KEPT = """
from tools.benchmarks.kept_alive import played
short, few = played({bot!r}, {matches}, 1, "dominion", "none")
whole, many = played({bot!r}, {matches}, 0, "dominion", "none")
request = (whole - short) / (many - few)
print({result})
"""
FIGURES = {"a request": "request", "fixed part of a match": "short - request * few"}
EPISODE = """
from referee.env.episode import Episode
from referee.games import GAMES
episode = Episode(GAMES["dominion"], None, {{"max_turns": 40}}, [None, {bot!r}])
def play(count):
    for seed in range(count):
        episode.begin(seed)
        while episode.due:
            for seat in episode.due:
                mask = episode.observe(seat)["action_mask"]
                episode.act(seat, mask.nonzero()[0][-1])
play(3)
begun = time.monotonic()
play(150)
print((time.monotonic() - begun) / 150)
"""


def code_seconds(folder: Path, code: str) -> float:
    """Run code in a version. Return the seconds that it prints, or its CPU time since `begun`."""
    whole = f"import time\nfrom tools.benchmarks import bench\n{code}\n"
    if "print(" not in code:
        whole += "print(time.thread_time() - begun)"
    words = [str(folder / ".venv/bin/python"), "-c", whole]
    return float(subprocess.run(words, cwd=folder, check=True, capture_output=True).stdout)


def tournament_seconds(folder: Path, bot: str, matches: int, sandbox: str = "none") -> float:
    words = [
        str(folder / ".venv/bin/python"),
        "-m",
        "referee",
        "tournament",
        f"a={bot}",
        f"b={bot}",
    ]
    words += ["--matches", str(matches), "--jobs", "2", "--seed", "1", "--sandbox", sandbox]
    begun = time.monotonic()
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs=2, type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", metavar="WORD")
    options = parser.parse_args()
    codes = {
        "rules of Dominion": RULES,
        "rules of Star Realms": STAR_REALMS,
        "play_matches of two objects": OBJECTS,
        "Scripts of Tribute with all messages": TRIBUTE,
        "Scripts of Tribute with all messages, without its bots": TRIBUTE_ALONE,
    }
    bots = {
        "start of a tournament": ("big_money", 20),
        "start of a tournament, sandbox": ("big_money", 20, "bwrap"),
        "tournament, Python": ("big_money", 600),
        "tournament, Python, sandbox": ("big_money", 600, "bwrap"),
    }
    programs = {"Python": ("big_money", 100)}
    table = Table("what", "old, s", "new, s", "old to new", box=box.MARKDOWN)
    with tempfile.TemporaryDirectory() as folder:
        if compiler := shutil.which("cc"):
            program = f"{folder}/big_money"
            source = ROOT / "example_bots" / "dominion" / "big_money.c"
            subprocess.run([compiler, "-O2", "-o", program, str(source)], check=True)
            bots["tournament, C"] = (program, 2000)
            bots["tournament, C, sandbox"] = (program, 2000, "bwrap")
            programs["C"] = (program, 200)
        for language, (bot, matches) in programs.items():
            for what, result in FIGURES.items():
                code = KEPT.format(bot=bot, matches=matches, result=result)
                codes[f"{what}, {language}"] = ONE_CORE + code
            path = bot if language == "C" else str(ROOT / "example_bots/dominion/big_money.py")
            codes[f"episode against a process, {language}"] = ONE_CORE + EPISODE.format(bot=path)
        for what in (*codes, *bots):
            if options.only not in what:
                continue
            found = [
                [
                    code_seconds(each.absolute(), codes[what])
                    if what in codes
                    else tournament_seconds(each.absolute(), *bots[what])
                    for each in options.folders
                ]
                for _ in range(options.rounds)
            ]
            old, new = (median(column) for column in zip(*found, strict=True))
            ratio = median(before / after for before, after in found)
            table.add_row(what, f"{old:.3g}", f"{new:.3g}", f"{ratio:.3f}")
            print(f"{what}: {ratio:.3f}", file=sys.stderr, flush=True)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
