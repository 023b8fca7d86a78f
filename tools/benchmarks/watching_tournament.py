"""Measure a tournament with an open page: `python -m tools.benchmarks.watching_tournament`.

The same tournament is played with `--browser`, in turns without and with a client that acts like an
open page: it reads the stream of the standings, loads them again when they change, and reads the
stream of a running match.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import trio

from referee.cli.watching import yield_to_match

BOTS = ("gatherer", "other=gatherer", "--game", "botwars", "--set", "max_turns=1500")


async def follow(client: httpx.AsyncClient, page: str) -> None:
    """Read the stream of the standings until the server ends."""
    async with client.stream("GET", f"{page}/events") as stream:
        async for line in stream.aiter_lines():
            if line.startswith("event: standings"):
                await client.get(page)


async def follow_matches(client: httpx.AsyncClient) -> None:
    """Read the streams of running matches, one after the other."""
    while True:
        listed = (await client.get("/", params={"format": "json"})).json()["matches"]
        for match in (item["id"] for item in listed if item["live"]):
            async with client.stream("GET", f"/match/{match}/events") as stream:
                async for line in stream.aiter_lines():
                    if line == "event: end":
                        break
            break
        await trio.sleep(1)


async def look(page: str) -> None:
    url = urlsplit(page)
    async with httpx.AsyncClient(base_url=f"{url.scheme}://{url.netloc}", timeout=None) as client:
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(follow, client, url.path)
                nursery.start_soon(follow_matches, client)
        except* httpx.TransportError:
            pass  # the server has ended, because the tournament is over


def play(deals: int, *, watched: bool) -> float:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        looking = None
        if watched:  # the client has to connect before the tournament begins
            words = [sys.executable, "-m", "tools.benchmarks.watching_tournament", "--be"]
            looking = stack.enter_context(
                subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                )
            )
            assert looking.stdout is not None
            looking.stdout.readline()
        command = [sys.executable, "-m", "referee", "tournament", "--browser", "-q", *BOTS]
        process = stack.enter_context(
            subprocess.Popen(
                [*command, "--deals", str(deals), "--seed", "5", "--store", f"{folder}/it.sqlite"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        assert process.stderr is not None
        page = process.stderr.readline().split()[-1]
        begun = time.monotonic()
        if looking is not None:
            assert looking.stdin is not None
            looking.stdin.write(page)
            looking.stdin.close()
        assert "stays" in process.stderr.readline()
        seconds = time.monotonic() - begun
        if looking is not None:
            looking.kill()
        process.send_signal(signal.SIGINT)
        return seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--deals", type=int, default=5)
    parser.add_argument("--be", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.be:
        print("ready", flush=True)
        page = sys.stdin.read()
        yield_to_match(os.getpid())  # low priority, because a real browser doesn't use our cores
        trio.run(look, page)
        return
    ratios = []
    for _ in range(options.rounds):
        alone, watched = (play(options.deals, watched=watched) for watched in (False, True))
        ratios.append(watched / alone)
        print(f"alone {alone:.2f} s, with an open page {watched:.2f} s", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
