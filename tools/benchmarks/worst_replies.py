"""Measure the most expensive replies: CPU time, and bytes of the record.

    python -m tools.benchmarks.worst_replies [--game G] [--times 20] [--rows 6]

The bots reply to every other request with a 64 KiB line from `tests.support.worst_lines`, and to
the others with random legal replies. The record and the spectator log are in memory. We measure the
time from a reply to the next request.

Prints the most expensive lines for each game, and two known ones for comparison: the median time of
a reply, and how many bytes the record has per byte of the reply, including faults. The unit of time
is what `json.loads` takes for a list of numbers of the same length in the same run.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Iterator
from itertools import count, islice
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from referee.cli.running import GARBAGE_AFTER
from referee.games import GAMES
from referee.games.interface.faults import Fault
from referee.logs.record import RecordWriter, line_of
from referee.logs.sink import MemorySink
from referee.match.machine import Received, Sent
from referee.match.spec import match_spec
from tests.support.helpers import name_line
from tests.support.legal import Legal
from tests.support.worst_lines import BYTES, worst_lines

MAX_TURNS = 200


class Cost(NamedTuple):
    """The cost of one reply: CPU seconds, and bytes of the record per byte of the line."""

    seconds: float
    recorded: float


def costs(game: str, line: bytes) -> Iterator[Cost]:
    """Play matches in which bots send this line. Yield the cost of each such reply, forever."""
    for seed in count():
        spec = match_spec(["a", "b"], game=game, seed=seed, options={"max_turns": MAX_TURNS})
        match, legal = spec.new_match(), Legal(spec, seed)
        record, log = MemorySink(), MemorySink()
        writer = RecordWriter(record, spec, "2026-11-20T23:28:09.499+00:00")
        match.start()
        for seat in match.due:
            match.receive(seat, name_line(seat))
        match.take_entries()
        for number in count():
            if not match.due:
                break
            worst = number % 2 == 1
            replies = {seat: line if worst else legal.reply(match, seat) for seat in match.due}
            started = time.process_time()
            for seat, reply in replies.items():
                match.receive(seat, reply)
            entries = match.take_entries()
            writer.write(entries, number / 10)
            log.write(b"".join([e.line for e in entries if type(e) is Sent and e.to is None]))
            seconds = time.process_time() - started
            if worst:
                of_it = [e for e in entries if isinstance(e, Received | Fault)]
                recorded = sum(len(b"".join(line_of(entry, b"}\n"))) for entry in of_it)
                yield Cost(seconds / len(replies), recorded / (len(replies) * len(line)))


def json_loads(times: int) -> float:
    text = json.dumps([1] * (BYTES // 3))
    seconds = []
    for _ in range(times):
        started = time.process_time()
        json.loads(text)
        seconds.append(time.process_time() - started)
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", choices=GAMES, action="append")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--rows", type=int, default=6)
    options = parser.parse_args()
    gc.set_threshold(GARBAGE_AFTER)
    table = Table("game", "reply", "ms", "to json.loads", "record, of a byte")
    for game in options.game or GAMES:
        rows = []
        for name, line in worst_lines(GAMES[game]).items():
            found = [*islice(costs(game, line), options.times)]
            seconds = statistics.median(cost.seconds for cost in found)
            ratio = seconds / json_loads(options.times)
            rows.append((seconds, ratio, max(cost.recorded for cost in found), name))
        rows.sort(reverse=True)
        known = [row for row in rows if row[3] in ("opening brackets", "\\u0001")]
        longest = max(rows, key=lambda row: row[2])
        for seconds, ratio, recorded, name in dict.fromkeys(
            [*rows[: options.rows], longest, *known]
        ):
            table.add_row(game, name, f"{seconds * 1000:.2f}", f"{ratio:.2f}", f"{recorded:.2f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
