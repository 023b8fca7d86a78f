"""Measure the cost of spectators: `python -m tools.benchmarks.watching [--viewers N] [--rounds N]`.

The same match is played with `--browser`, in turns without and with spectators. A tenth of the
spectators read nothing. Then streams of one match are disconnected, and the server's memory is
printed.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import trio

from referee.cli.watching import yield_to_match
from tests.support.live import ROOT
from tests.support.serving import running

MATCH = ("--game", "botwars", "gatherer", "gatherer", "--seed", "3", "--set", "max_turns=1500")
RECORD = ROOT / "spec" / "examples" / "two-players.record.jsonl"


def request(page: str) -> tuple[tuple[str, int], bytes]:
    """Return the address of a page's event stream, and the bytes of the request for it."""
    url = urlsplit(page)
    assert url.hostname is not None
    assert url.port is not None
    path = url.path.replace("/watch/", "/match/")
    asked = f"GET {path}/events HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n"
    return (url.hostname, url.port), asked.encode()


def watch(viewers: int) -> None:
    """Simulate spectators of the page named on stdin, until killed."""
    print("ready", flush=True)
    page = sys.stdin.read()
    yield_to_match(os.getpid())  # low priority, because real spectators don't use our cores
    address, asked = request(page)
    stuck = [socket.create_connection(address) for _ in range(viewers // 10)]
    for made in stuck:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.sendall(asked)

    async def follow() -> None:
        async with await trio.open_tcp_stream(*address) as stream:
            await stream.send_all(asked)
            async for _ in stream:
                pass

    async def work() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(viewers - len(stuck)):
                nursery.start_soon(follow)

    trio.run(work)


def play(viewers: int) -> float:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        record = Path(folder) / "match.jsonl"
        watching = None
        if viewers:  # they have to connect before the match begins
            words = [sys.executable, "-m", "tools.benchmarks.watching", "--be"]
            watching = stack.enter_context(
                subprocess.Popen(
                    [*words, "--viewers", str(viewers)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                )
            )
            assert watching.stdout is not None
            watching.stdout.readline()
        command = [sys.executable, "-m", "referee", "play", "--browser", "-q", *MATCH]
        process = stack.enter_context(
            subprocess.Popen([*command, "--record", str(record)], stderr=subprocess.PIPE, text=True)
        )
        assert process.stderr is not None
        page = process.stderr.readline().split()[-1]
        if watching is not None:
            assert watching.stdin is not None
            watching.stdin.write(page)
            watching.stdin.close()
        assert "stays" in process.stderr.readline()
        end = msgspec.json.decode(record.read_bytes().splitlines()[-1])
        if watching is not None:
            watching.kill()
        process.send_signal(signal.SIGINT)
        return float(end["time"])


def memory(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def cut(streams: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "match.jsonl"
        file.write_bytes(b"".join(RECORD.read_bytes().splitlines(keepends=True)[:-30]))
        with running(folder) as (process, url):
            address, asked = request(f"{url}watch/match.jsonl")
            for number in range(streams + 1):
                if number % (streams // 5) == 0:
                    print(f"{number:5} streams cut off: {memory(process.pid):.1f} MB", flush=True)
                with socket.create_connection(address) as made:
                    made.sendall(asked)
                    made.recv(2000)
                if number % 100 == 0:
                    os.utime(file)  # the file has to look like a match that's still being written


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--viewers", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cut", type=int, default=1000)
    parser.add_argument("--be", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.be:
        watch(options.viewers)
        return
    ratios = []
    for _ in range(options.rounds):
        alone, watched = play(0), play(options.viewers)
        ratios.append(watched / alone)
        print(f"alone {alone:.2f} s, {options.viewers} spectators {watched:.2f} s", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}")
    begun = time.monotonic()
    cut(options.cut)
    print(f"in {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main()
