"""Measure how fast `serve` answers during attacks: `python -m tools.benchmarks.hostile_clients`.

We keep five kinds of hostile connections open: HTTP/2 with a window of 0 and 50 open streams,
`Upgrade: h2c`, bodies that arrive one byte at a time, clients that don't read, and event streams.
If the server closes a connection, we open it again. They all come from this machine.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import h2.config
import h2.connection
import h2.settings
import trio

from tests.support.live import ROOT
from tests.support.serving import running

RECORD = ROOT / "spec" / "examples" / "four-players.record.jsonl"
# Number of streams in each HTTP/2 connection.
STREAMS = 50
ORDER = b" HTTP/1.1\r\nHost: localhost\r\n"
UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAQAAAAA\r\n\r\n"
MATCH = b"GET /match/game.jsonl?format=json" + ORDER
FIRST = {
    "h2c": MATCH + UPGRADE,
    "slow body": b"POST /play" + ORDER + b"Content-Length: 60000\r\n\r\n",
    "reads nothing": 40 * (MATCH + b"\r\n"),
    "event stream": b"GET /match/live.jsonl/events" + ORDER + b"\r\n",
}
KINDS = ("window 0", *FIRST)


def over_http2() -> bytes:
    """Open an HTTP/2 connection, and send requests whose responses the server can't send.

    We announce a window of 0 bytes and never enlarge it.
    """
    made = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
    made.local_settings[h2.settings.SettingCodes.INITIAL_WINDOW_SIZE] = 0
    made.initiate_connection()
    for number in range(STREAMS):
        headers = [(":method", "GET"), (":path", "/match/game.jsonl?format=json")]
        headers += [(":scheme", "http"), (":authority", "localhost")]
        made.send_headers(2 * number + 1, headers, end_stream=True)
    return bytes(made.data_to_send())


async def attack(kind: str, address: tuple[str, int], opened: Counter[str]) -> None:
    """Keep a connection open. If it ends, open it again, until we're cancelled."""
    first = over_http2() if kind == "window 0" else FIRST[kind]
    while True:
        with trio.socket.socket() as made, suppress(OSError):
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await made.connect(address)
            opened[kind] += 1
            await made.send(first)
            while kind == "slow body":
                await made.send(b"x")
                await trio.sleep(0.5)
            if kind == "reads nothing":
                await trio.sleep(20)  # longer than the server waits
            else:
                while await made.recv(4096):
                    pass
        await trio.sleep(0.1)


async def measure(address: tuple[str, int], count: int) -> tuple[list[float], Counter[bytes]]:
    took, statuses = [], Counter[bytes]()
    for number in range(count):
        path = (b"/", b"/match/game.jsonl")[number % 2]
        begun = time.perf_counter()
        status = b"none"
        with trio.move_on_after(30), suppress(OSError):
            async with await trio.open_tcp_stream(*address) as stream:
                await stream.send_all(b"GET " + path + ORDER + b"Connection: close\r\n\r\n")
                answer = b"".join([bytes(part) async for part in stream])
                status = answer[9:12]
        took.append(time.perf_counter() - begun)
        statuses[status] += 1
    return took, statuses


async def work(address: tuple[str, int], hostile: int, count: int) -> None:
    await measure(address, 20)
    alone, _ = await measure(address, count)
    opened = Counter[str]()
    async with trio.open_nursery() as nursery:
        for number in range(hostile):
            nursery.start_soon(attack, KINDS[number % len(KINDS)], address, opened)
        await trio.sleep(2)
        beside, statuses = await measure(address, count)
        nursery.cancel_scope.cancel()
    answered = {status.decode(): number for status, number in statuses.items()}
    print(f"{hostile} hostile connections, opened so many times: {dict(opened)}")
    print(f"{count} requests, by status: {answered}")
    for name, took in (("idle server", alone), ("beside them", beside)):
        middle, slow = statistics.median(took), max(took)
        print(f"{name}: median {1000 * middle:.1f} ms, longest {1000 * slow:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hostile", type=int, default=20, help="connections (default: 20)")
    parser.add_argument("--requests", type=int, default=200, help="(default: 200)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        lines = RECORD.read_bytes().splitlines(keepends=True)
        (Path(name) / "game.jsonl").write_bytes(b"".join(lines))
        (Path(name) / "live.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
        with running("--play", "big_money", name) as (_, page):
            url = urlsplit(page)
            assert url.hostname is not None
            assert url.port is not None
            trio.run(work, (url.hostname, url.port), options.hostile, options.requests)


if __name__ == "__main__":
    main()
