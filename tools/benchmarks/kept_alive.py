"""Measure a request and a match of bots in reused processes, compared with a bare pipe.

    python -m tools.benchmarks.kept_alive [--rounds N] [--matches N] [--bot BOT ...] [--once]

All figures are CPU time of the referee and the bots together, on one core. We play a match as a
whole, and again only to its first turn. The difference is the cost of its requests. The rest is the
fixed cost of a match. For comparison, a loop of blocking reads and writes sends the same bytes to
the same bots. They take turns, and we print medians.

`--once` compares a request of `referee play` with both logs and one in a tournament that keeps
records.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import trio
from rich import box
from rich.console import Console
from rich.table import Table

import referee
from referee.bots.command import resolve_bot
from referee.bots.processes.launch import launch_bots
from referee.logs.files import open_logs
from referee.match.spec import match_spec
from referee.runner import play_once
from referee.tournament.playing.batch import Batch
from referee.tournament.playing.task import play_batch
from referee.tournament.playing.worker import end_bots
from referee.tournament.rows import Entrant, Plan
from tools.benchmarks.bench import conversations

ROOT = Path(__file__).parents[2]


def bots_seconds() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    nanoseconds = 0
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            for thread in Path(f"/proc/{child}/task").iterdir():
                nanoseconds += int((thread / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9 + ended.ru_utime + ended.ru_stime


@contextmanager
def counted(found: list[float]) -> Iterator[None]:
    begun = time.process_time() + bots_seconds()
    yield
    found.append(time.process_time() + bots_seconds() - begun)


def played(bot: str, matches: int, max_turns: int, game: str, keep: str) -> tuple[float, int]:
    """Return CPU seconds and requests per match, with reused processes."""
    entrants = {number: Entrant(name, bot) for number, name in enumerate(("one", "two"))}
    found: list[float] = []
    requests = 0

    def play(count: int) -> int:
        plans = tuple(Plan(number, number, number, (0, 1)) for number in range(count))
        settings = {"max_turns": max_turns} if max_turns else {}
        spec = match_spec([bot, bot], game=game, seed=0, options=settings)
        replies = 0
        while plans:
            rows = play_batch(Batch(spec, entrants, plans, keep=keep))
            assert isinstance(rows, list), rows
            plans = plans[len(rows) :]
            replies += sum(seat.replies for row in rows for seat in row.seats)
        return replies

    play(3)
    with counted(found):
        requests = play(matches)
    end_bots()
    return found[0] / matches, round(requests / matches)


def played_once(bot: str, matches: int, max_turns: int, game: str) -> tuple[float, int]:
    """Return the same with new processes and both logs, like in `referee play`."""
    seconds: list[float] = []
    requests = 0
    settings = {"max_turns": max_turns} if max_turns else {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(matches):
            log, record = open_logs([f"{folder}/log", f"{folder}/record"])
            spec = match_spec([bot, bot], game=game, seed=seed, options=settings)
            with launch_bots([resolve_bot(bot)] * 2, spec.limits) as started, counted(seconds):
                play = partial(play_once, spec, started, log, record, alone=True)
                result = trio.run(play).result
            requests += sum(player.requests for player in result.players)
            for file in (log, record):
                assert file is not None
                file.close()
    return sum(seconds) / matches, round(requests / matches)


def piped(bot: str, game: str, matches: int) -> tuple[float, int]:
    with tempfile.TemporaryDirectory() as folder:
        exchanges = []
        for seed in range(matches):
            record = Path(folder) / "record"
            referee.play_match([bot, bot], game=game, seed=seed, record=str(record))
            exchanges += conversations(record)
    command = resolve_bot(bot)
    pipes = [
        subprocess.Popen(
            command.argv, cwd=command.directory or None, stdin=-1, stdout=-1, bufsize=0
        )
        for _ in range(2)
    ]
    found: list[float] = []

    def ask(seat: int, lines: bytes) -> None:
        stdin, stdout = pipes[seat].stdin, pipes[seat].stdout
        assert stdin is not None
        assert stdout is not None
        os.write(stdin.fileno(), lines)
        answer = b""
        while not answer.endswith(b"\n"):
            answer += os.read(stdout.fileno(), 65536)

    for seat, lines in exchanges[:40]:
        ask(seat, lines)
    with counted(found):
        for seat, lines in exchanges:
            ask(seat, lines)
    for pipe in pipes:
        pipe.kill()
        pipe.wait()
    return found[0] / len(exchanges), len(exchanges)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--game", default="dominion")
    parser.add_argument("--keep", default="none")
    parser.add_argument("--bot", nargs="*")
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    beside = "request of play" if options.once else "bare pipe"
    table = Table("bot", "request", beside, "ratio", "match before it", box=box.MARKDOWN)
    with tempfile.TemporaryDirectory() as folder:
        bots = options.bot
        if not bots:
            bots = ["big_money"]
            if compiler := shutil.which("cc"):
                program = f"{folder}/big_money"
                source = ROOT / "example_bots" / "dominion" / "big_money.c"
                subprocess.run([compiler, "-O2", "-o", program, str(source)], check=True)
                bots.append(program)
        for bot in bots:
            requests, bares, fixed = [], [], []
            for _ in range(options.rounds):
                if options.once:
                    options.keep = "all"
                    short, few = played_once(bot, options.matches, 1, options.game)
                    whole, many = played_once(bot, options.matches, 0, options.game)
                    bare = (whole - short) / (many - few)
                else:
                    bare, _ = piped(bot, options.game, options.matches // 3)
                short, few = played(bot, options.matches, 1, options.game, options.keep)
                whole, many = played(bot, options.matches, 0, options.game, options.keep)
                bares.append(bare)
                requests.append((whole - short) / (many - few))
                fixed.append(short - requests[-1] * few)
            ratio = median(a / b for a, b in zip(requests, bares, strict=True))
            ratio = 1 / ratio if options.once else ratio
            table.add_row(
                Path(bot).name,
                f"{median(requests) * 1e6:.1f} us",
                f"{median(bares) * 1e6:.1f} us",
                f"{ratio:.2f}",
                f"{median(fixed) * 1e3:.2f} ms",
            )
    Console(width=100).print(table)
    print(f"Python {sys.version.split()[0]}, one core")


if __name__ == "__main__":
    main()
