"""Measure the referee. Each figure is a ratio to a simpler program in the same run.

    python -m tools.benchmarks.bench [--rounds N]

(a) One request in a whole match (rules, JSON, both logs on) against a bare trio loop that sends
    the same bytes to the same bot program and reads its line: no rules, no JSON, no logs.
(b) Only the rules, in process, with events: Big Money against Big Money.
(c) `referee play` as a process, against two bare Pythons that run in parallel, and against a
    Python that imports trio and exits.
(d) `referee verify` on the records of new matches, against playing them, one after the other in
    one process; and on two cores against one.
(e) `play_matches` with functions in process, against processes of the same bot that are reused,
    and against new processes for each match; one at a time, the same matches.
(f) `play_matches` with two objects, against a plain loop over `Match` with the same objects and
    matches: CPU time, so that other work on the machine has little effect.
(g) `validate` on the spectator log of a match, against `verify` on its record, in one process: the
    CPU time of matches between random bots with legal moves.

The machine is noisy, so the two sides of a ratio take turns, and medians are printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import msgspec
import trio
from rich import box
from rich.console import Console
from rich.table import Table

import referee
from referee.bots.bundled import bundled_bots
from referee.bots.command import BotCommand, resolve_bot
from referee.bots.processes.launch import launch_bots
from referee.games import GAMES
from referee.games.dominion.rules.cards import WORTH
from referee.games.dominion.rules.messages import PlayReply, PlayTurn
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.logs.files import open_logs
from referee.logs.validate import validate_log
from referee.logs.verify import verify_record
from referee.match.machine import Match, Sent
from referee.match.messages import PlayerNameReply, PlayerNameRequest
from referee.match.spec import match_spec
from referee.runner import play_once
from tests.support.fuzzed import fuzzed_match

SEEDS = range(1, 6)
RULES = GAMES["dominion"]


# --- (a) ------------------------------------------------------------------------------------------


def conversations(record: Path) -> list[tuple[int, bytes]]:
    """Return what the bots were sent: the seat of each of their lines, and all bytes before it."""
    pending = [b"", b""]
    exchanges: list[tuple[int, bytes]] = []
    for line in record.read_bytes().splitlines():
        entry = msgspec.json.decode(line)
        if entry["entry"] == "sent":
            message = msgspec.json.encode(entry["message"]) + b"\n"
            for seat in (0, 1):
                if entry["to"] in ("all", f"player{seat + 1}"):
                    pending[seat] += message
        elif entry["entry"] == "received":
            seat = int(entry["player_number"][-1]) - 1
            exchanges.append((seat, pending[seat]))
            pending[seat] = b""
    return exchanges


async def match_seconds(commands: list[BotCommand], seed: int, folder: Path) -> tuple[float, int]:
    """Return seconds from the first to the last request of a match, and the number of requests."""
    log, record = open_logs([str(folder / "log"), str(folder / "record")])
    for file in (log, record):
        assert file is not None
        file.begin()
    spec = match_spec([command.argument for command in commands], seed=seed)
    with launch_bots(commands, spec.limits) as started:
        await play_once(spec, started, log=log, record=record)
    for file in (log, record):
        file.close()
    times = [
        entry["time"]
        for entry in map(msgspec.json.decode, (folder / "record").read_bytes().splitlines())
        if entry["entry"] == "received"
    ]
    return times[-1] - times[1], len(times) - 2


async def echo_seconds(commands: list[BotCommand], exchanges: list[tuple[int, bytes]]) -> float:
    """Return the seconds for the same exchanges in a bare loop, without the handshake.

    The difference to a real match is the referee's own work.
    """
    processes = [
        subprocess.Popen(command.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        for command in commands
    ]
    pipes = [
        (
            trio.lowlevel.FdStream(os.dup(p.stdin.fileno())),
            trio.lowlevel.FdStream(os.dup(p.stdout.fileno())),
        )
        for p in processes
    ]
    started = 0.0
    for number, (seat, batch) in enumerate(exchanges):
        if number == len(commands):
            started = time.perf_counter()
        to_bot, from_bot = pipes[seat]
        await to_bot.send_all(batch)
        line = b""
        while not line.endswith(b"\n"):
            line += await from_bot.receive_some(65536)
    taken = time.perf_counter() - started
    for process, (to_bot, from_bot) in zip(processes, pipes, strict=True):
        process.kill()
        process.wait()
        await to_bot.aclose()
        await from_bot.aclose()
    return taken


def bench_requests(rounds: int) -> list[tuple[str, ...]]:
    rows = []
    for name in ("big_money", "village_engine"):
        commands = [resolve_bot(name)] * 2
        ratios, ours, bare = [], [], []
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            for _ in range(rounds):
                for seed in SEEDS:
                    seconds, requests = trio.run(match_seconds, commands, seed, folder)
                    echo = trio.run(echo_seconds, commands, conversations(folder / "record"))
                    ours.append(seconds / requests * 1e6)
                    bare.append(echo / requests * 1e6)
                    ratios.append(seconds / echo)
        rows.append(
            (
                f"(a) one request, {name}",
                f"{median(ours):.0f} us",
                "bare trio echo loop",
                f"{median(bare):.0f} us",
                f"{median(ratios):.2f}",
                "at most 2.0",
            )
        )
    return rows


# --- (b) ------------------------------------------------------------------------------------------


def big_money(message: PlayTurn) -> PlayReply:
    if not message.buys:
        return PlayReply("cleanup")
    treasures = [card for card in message.hand if card in WORTH]
    money = sum([WORTH[card] for card in treasures])
    bought = (
        ["province"] if money >= 8 else ["gold"] if money >= 6 else ["silver"] if money >= 3 else []
    )
    return PlayReply("buy", played_treasures=treasures, cards_to_buy=bought)


def rules_alone(matches: int) -> float:
    started = time.perf_counter()
    for seed in range(matches):
        setup = GameSetup(
            chance=SeededRandomSource(seed), names=("a", "b"), options=RULES.options()
        )
        game = RULES.new(setup)
        while game.requests:
            game.advance({asked.seat: big_money(asked.message) for asked in game.requests})  # type: ignore[arg-type]
            game.take_events()
    return matches / (time.perf_counter() - started)


def python_speed() -> float:
    """Return the speed of pure Python, in millions of loop steps per second."""
    started = time.perf_counter()
    total = 0
    for number in range(1_000_000):
        total += number & 1
    return 1 / (time.perf_counter() - started)


def bench_rules(rounds: int) -> list[tuple[str, ...]]:
    rates, ratios, speeds = [], [], []
    for _ in range(rounds):
        rate, speed = rules_alone(1000), python_speed()
        rates.append(rate)
        speeds.append(speed)
        ratios.append(rate / speed)
    return [
        (
            "(b) rules alone",
            f"{median(rates):.0f} matches/s",
            "1e6 loop steps",
            f"{median(speeds):.1f} /s",
            f"{median(ratios):.0f}",
            "at least 1500 matches/s",
        )
    ]


# --- (c) ------------------------------------------------------------------------------------------


def wall(commands: list[list[str]]) -> float:
    # Some machines disable bytecode with this variable, but users don't.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    processes = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
        for command in commands
    ]
    for process in processes:
        process.wait()
    return time.perf_counter() - started


def bench_start(rounds: int) -> list[tuple[str, ...]]:
    play = [sys.executable, "-m", "referee", "play", "big_money", "big_money", "--seed"]
    bare = [sys.executable, "-c", ""]
    trio_alone = [sys.executable, "-c", "import trio"]
    ours, two_bare, with_trio = [], [], []
    for number in range(rounds * 5):
        ours.append(wall([[*play, str(number)]]))
        two_bare.append(wall([bare, bare]))
        with_trio.append(wall([trio_alone]))
    rows = []
    for name, beside in (("two bare Pythons", two_bare), ("import trio", with_trio)):
        ratio = median(a / b for a, b in zip(ours, beside, strict=True))
        figures = (f"{median(ours):.3f} s", name, f"{median(beside):.3f} s", f"{ratio:.1f}")
        rows.append(("(c) referee play", *figures, "at most 0.25 s"))
    return rows


# --- (d) ------------------------------------------------------------------------------------------

# Matches per round, and how many copies of each record we verify.
PLAYED, COPIES = 40, 25


def bench_verify(rounds: int) -> list[tuple[str, ...]]:
    played, one, two = [], [], []
    verify = [sys.executable, "-m", "referee", "verify", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            started = time.perf_counter()
            for seed in range(PLAYED):
                record = f"{folder}/{seed}.jsonl"
                referee.play_match(["big_money"] * 2, seed=number * PLAYED + seed, record=record)
            played.append(PLAYED / (time.perf_counter() - started))
            records = [f"{folder}/{seed}.jsonl" for seed in range(PLAYED)] * COPIES
            for jobs, rates in ((1, one), (2, two)):
                seconds = wall([[*verify, "--jobs", str(jobs), *records]])
                rates.append(len(records) / seconds)
    ratio = median(a / b for a, b in zip(one, played, strict=True))
    cores = median(a / b for a, b in zip(two, one, strict=True))
    beside = ("the same, played", f"{median(played):.0f} matches/s")
    first = ("(d) verify", f"{median(one):.0f} matches/s", *beside, f"{ratio:.1f}", "at least 10")
    beside = ("one core", f"{median(one):.0f} matches/s")
    on_two = f"{median(two):.0f} matches/s"
    return [first, ("(d) on two cores", on_two, *beside, f"{cores:.2f}", "at least 1.7")]


# --- (e) ------------------------------------------------------------------------------------------

WANTED = {"province": 8, "gold": 6, "silver": 3}


class Minimal:
    """The bundled bot `minimal`, called with messages."""

    def __call__(self, message: dict[str, Any]) -> dict[str, Any] | None:
        match message["type"]:
            case "supply-info":
                self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
            case "play-turn" if message["buys"] > 0:
                coins = [card for card in message["hand"] if card in WORTH]
                money = message["extra_money"] + sum(WORTH[card] for card in coins)
                wanted = [card for card, cost in WANTED.items() if cost <= money]
                wanted = [card for card in wanted if self.supply[card]][:1]
                return {
                    "type": "play-reply",
                    "phase": "buy",
                    "played_treasures": coins,
                    "cards_to_buy": wanted,
                }
            case "play-turn":
                return {"type": "play-reply", "phase": "cleanup"}
            case "attack-request":
                return {"type": "attack-reply", "discard": message["options"][: message["discard"]]}
        return None


def bench_in_process(rounds: int) -> list[tuple[str, ...]]:
    # A bot given by name would run in this process, but one given by path doesn't.
    minimal = bundled_bots("dominion")["minimal"]
    kinds: dict[str, tuple[list[referee.BotLike], bool, int]] = {
        "in process": ([Minimal, Minimal], True, 200),
        "kept alive": ([minimal, minimal], True, 100),
        "started for each": ([minimal, minimal], False, 20),
    }
    rates: dict[str, list[float]] = {kind: [] for kind in kinds}
    for number in range(rounds):
        scores = []
        for kind, (bots, keep_alive, n) in kinds.items():
            started = time.perf_counter()
            matches = referee.play_matches(bots, n, seed=number, keep_alive=keep_alive)
            rates[kind].append(n / (time.perf_counter() - started))
            scores.append([[p.score for p in result.players] for result in matches.results[:20]])
        assert scores[0] == scores[1] == scores[2]
    own = rates.pop("in process")
    rows = []
    for kind, beside in rates.items():
        ratio = median(a / b for a, b in zip(own, beside, strict=True))
        figures = (f"{median(own):.0f} matches/s", kind, f"{median(beside):.0f} matches/s")
        rows.append(("(e) in process", *figures, f"{ratio:.1f}", ""))
    return rows


# --- (f) ------------------------------------------------------------------------------------------


class BigMoney:
    """Big Money as an object that gets all lines, but only reads the last one."""

    def reply(self, lines: Sequence[bytes]) -> bytes:
        asked = _ask_decoder.decode(lines[-1])
        if isinstance(asked, PlayTurn):
            return msgspec.json.encode(big_money(asked))
        if isinstance(asked, PlayerNameRequest):
            return msgspec.json.encode(PlayerNameReply(asked.player_number, "Big Money", 1))
        raise AssertionError("nobody attacks")


_ask_decoder = msgspec.json.Decoder(PlayTurn | PlayerNameRequest)


def bare_match(seed: int) -> list[int]:
    match = Match(RULES, seats=2, seed=seed)
    bots = [BigMoney(), BigMoney()]
    new: list[list[bytes]] = [[], []]
    match.start()
    while match.due:
        for entry in match.take_entries():
            if isinstance(entry, Sent):
                for seat in (0, 1) if entry.to is None else (entry.to,):
                    new[seat].append(entry.line[:-1])
        for seat in match.due:
            lines, new[seat] = new[seat], []
            match.receive(seat, bots[seat].reply(lines))
    return [standing.score for standing in match.standings()]


def bench_objects(rounds: int) -> list[tuple[str, ...]]:
    n = 100
    referee.play_matches([BigMoney, BigMoney], 1, seed=0)  # the imports shouldn't count
    ours, bare = [], []
    for number in range(rounds * 3):
        started = time.process_time()
        matches = referee.play_matches([BigMoney, BigMoney], n, seed=number)
        between = time.process_time()
        scores = [bare_match(result.seed) for result in matches.results]
        bare.append(time.process_time() - between)
        ours.append(between - started)
        assert scores == [[p.score for p in result.players] for result in matches.results]
    figures = [f"{n / median(seconds):.0f} matches/s" for seconds in (ours, bare)]
    ratio = median(a / b for a, b in zip(ours, bare, strict=True))
    row = ("(f) play_matches", figures[0], "plain loop", figures[1], f"{ratio:.2f}", "at most 1.4")
    return [row]


# --- (g) ------------------------------------------------------------------------------------------

# Matches of each game; each is checked once per round.
LOGS = 15


def bench_validate(rounds: int) -> list[tuple[str, ...]]:
    def rate(check: Callable[[str], object], files: Sequence[Path]) -> float:
        started = time.process_time()
        for file in files:
            check(str(file))
        return len(files) / (time.process_time() - started)

    rows = []
    for game in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            logs = [Path(folder, f"{seed}.jsonl") for seed in range(LOGS)]
            records = [Path(folder, f"{seed}.record.jsonl") for seed in range(LOGS)]
            for seed, (log, record) in enumerate(zip(logs, records, strict=True)):
                played = fuzzed_match(game, Random(seed), max_turns=100, only_legal=True)
                log.write_bytes(played.log)
                record.write_bytes(played.record)
            validated, verified = [], []
            for _ in range(rounds + 1):
                validated.append(rate(validate_log_to_its_end, logs))
                verified.append(rate(verify_record, records))
        pairs = zip(validated[1:], verified[1:], strict=True)  # the first round also loads the game
        ratio = median(mine / other for mine, other in pairs)
        beside = ("verify", f"{median(verified[1:]):.0f} records/s")
        validate = f"{median(validated[1:]):.0f} logs/s"
        rows.append((f"(g) validate, {game}", validate, *beside, f"{ratio:.2f}", ""))
    return rows


def validate_log_to_its_end(name: str) -> None:
    """Check all lines of a log.

    Raises:
        AssertionError: the log is not valid.
    """
    assert not list(validate_log(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=tuple("abcdefg"))
    options = parser.parse_args()
    benches: dict[str, Callable[[int], list[tuple[str, ...]]]] = {
        "a": bench_requests,
        "b": bench_rules,
        "c": bench_start,
        "d": bench_verify,
        "e": bench_in_process,
        "f": bench_objects,
        "g": bench_validate,
    }
    columns = ("what", "median", "beside it", "median", "ratio", "bound")
    table = Table(*columns, box=box.MARKDOWN)
    for letter, bench in benches.items():
        if options.only in (None, letter):
            for row in bench(options.rounds):
                table.add_row(*row)
    Console(width=110).print(table)
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
