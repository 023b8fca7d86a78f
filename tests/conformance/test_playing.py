"""Test what the server of the relays notes about each seat, with streams in memory."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from referee.conformance.referee_side.playing import _RELAY, _Room
from referee.conformance.referee_side.recording import RecordedSeat
from referee.games.interface.probing import ProbeAction


class FakeProbe:
    """A probe whose reply to "ask" waits until another seat has got one "news"."""

    def __init__(self) -> None:
        self.seat = RecordedSeat()
        self.sent: dict[str, int] = {}

    def take(self, line: bytes) -> ProbeAction | None:
        kind = line.decode()
        self.sent[kind] = self.sent.get(kind, 0) + 1
        return ProbeAction(awaits=("news", 1)) if kind == "ask" else None


async def send(relay: Any, kind: bytes, data: bytes = b"") -> None:
    await relay.send_all(kind + len(data).to_bytes(4, "big") + data)
    await trio.testing.wait_all_tasks_blocked()


async def connected(nursery: trio.Nursery, count: int) -> tuple[list[RecordedSeat], list[Any]]:
    probes: Any = [FakeProbe() for _ in range(count)]
    room, relays = _Room(probes), []
    for number in range(count):
        relay, stream = trio.testing.memory_stream_pair()
        nursery.start_soon(room.serve, stream)
        await send(relay, b"H", f"{number}\x001 1\0/folder".encode())
        relays.append(relay)
    return [probe.seat for probe in probes], relays


async def test_patience_ends_with_the_first_signal(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        (seat,), (relay,) = await connected(nursery, 1)
        await trio.sleep(4)
        await send(relay, b"R", b"line\n")
        await trio.sleep(2)
        await send(relay, b"T")
        await trio.sleep(7)
        await send(relay, b"B")  # it exits by itself
        await relay.aclose()
    assert (seat.patience, seat.terminated, seat.killed) == (2, True, False)


async def test_patience_ends_when_the_bot_is_killed(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        (seat,), (relay,) = await connected(nursery, 1)
        await send(relay, b"R", b"line\n")
        await trio.sleep(3)
        await relay.aclose()
    assert (seat.patience, seat.terminated, seat.killed) == (3, False, True)


async def test_a_reply_waits_until_one_of_the_others_has_the_message(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with trio.open_nursery() as nursery:
        (asked, *_), relays = await connected(nursery, 3)
        await send(relays[0], b"R", b"ask\n")
        assert asked.waited is False
        await send(relays[2], b"R", b"news\n")
        assert asked.waited is True
        for relay in relays:
            await relay.aclose()


async def test_a_reply_does_not_wait_for_ever(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        (asked, _), relays = await connected(nursery, 2)
        await send(relays[0], b"R", b"ask\n")
        await trio.sleep(3)
        await send(relays[1], b"R", b"news\n")
        assert asked.waited is False
        for relay in relays:
            await relay.aclose()


def test_a_relay_reports_the_end_of_its_input_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("here")
        listener.listen()
        with subprocess.Popen([*_RELAY, "here", "0", "0.02"], stdin=subprocess.DEVNULL):
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as stream:
                kinds = b""
                while header := stream.read(5):
                    kinds += header[:1]
                    stream.read(int.from_bytes(header[1:], "big"))
    assert kinds == b"HEB"
