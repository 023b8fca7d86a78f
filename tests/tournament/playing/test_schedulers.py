"""Anything may answer at the address of a Dask scheduler. It costs one line and some seconds."""

from __future__ import annotations

import gc
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from referee.errors import UsageError
from referee.tournament.playing import cluster as playing
from referee.tournament.playing.cluster import MAX_LOSSES, Cluster
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.run import Run
from referee.tournament.store import Store
from tests.support.made_up import made_setup

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("ignore")]  # Dask causes some
pytest.importorskip("distributed", reason="Dask is not installed: pip install -e '.[cluster]'")

HELLO = {"compression": None, "python": (3, 13), "pickle-protocol": 5}
IDENTITY = {"type": "Scheduler", "id": "S", "address": "tcp://x", "services": {}, "workers": {}}
IDENTITY |= {"started": 0.0, "n_workers": 0, "total_threads": 0, "total_memory": 0}
START = [{"op": "stream-start"}]
HUGE = struct.pack("<Q", 1 << 62)  # the length of a message


def frames(message: object) -> bytes:
    """Return a message as Dask sends it."""
    from distributed.protocol import dumps

    parts = [bytes(part) for part in dumps(message)]
    lengths = struct.pack(f"<{1 + len(parts)}Q", len(parts), *map(len, parts))
    body = lengths + b"".join(parts)
    return struct.pack("<Q", len(body)) + body


def messages(connection: socket.socket) -> Iterator[dict[str, Any]]:
    """Yield the requests of a client, after its handshake."""
    from distributed.protocol import loads

    with connection.makefile("rb") as stream:
        for number, head in enumerate(iter(lambda: stream.read(8), b"")):
            body = stream.read(*struct.unpack("<Q", head))
            (count,) = struct.unpack_from("<Q", body)
            lengths, at, parts = struct.unpack_from(f"<{count}Q", body, 8), 8 + 8 * count, []
            for length in lengths:
                parts.append(body[at : at + length])
                at += length
            if number:
                requests = loads(parts, deserialize=False)
                yield from requests if isinstance(requests, list | tuple) else [requests]


@contextmanager
def server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Start a server that calls `answer` with each connection, in a thread."""
    connections = []

    def serve_one(connection: socket.socket) -> None:
        with suppress(OSError, struct.error):
            answer(connection)

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                connections.append(connection)
                threading.Thread(target=serve_one, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def play(address: str) -> Store:
    store = Store.in_memory()
    store.add_stage(made_setup(2, deals=1, withdraw_after=None))
    dask = Cluster(address, {}, print)
    with Dispatcher(dask.workers, lambda: dask.threads) as dispatcher:
        Run(store).play(dispatcher)
    return store


@pytest.fixture(autouse=True)
def _short_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No scheduler of these tests is sound, so none is harmed if the limits are too short."""
    monkeypatch.setattr(playing, "_LOST_SECONDS", 1.0)
    monkeypatch.setattr(playing, "LOOK_SECONDS", 0.05)
    yield
    gc.collect()  # Dask forgets to wait for some of its own tasks, which pytest reports here


def closing(connection: socket.socket) -> None:
    connection.close()


def sending(data: bytes, *, again: bool = False) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.sendall(data)
        while again:
            connection.sendall(data)

    return answer


FOREIGN = {
    "closes": closing,
    "silent": sending(b""),
    "noise": sending(bytes(range(256)) * 9),
    "zeros": sending(bytes(1 << 16)),
    "flood of zeros": sending(bytes(1 << 16), again=True),
    "HTTP": sending(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
    "SSH": sending(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "huge": sending(HUGE),
    "half a message": sending(frames(HELLO)[:20]),
    "then silent": sending(frames(HELLO)),
    "flood": sending(frames(HELLO), again=True),
    "null": sending(frames(None)),
    "list": sending(frames([1, 2])),
    "an error": sending(frames(HELLO) + frames({"status": "error", "message": "no\x1b[2J"})),
    "a worker": sending(frames(HELLO) + frames({"type": "Worker"}) * 2),
}


@pytest.mark.parametrize("answer", FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_scheduler(
    answer: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "CONNECT_SECONDS", 1.0)
    with server(answer) as address, pytest.raises(UsageError) as told:
        play(address)
    assert str(told.value).startswith(f"no Dask scheduler at {address}: ")
    assert len(str(told.value).splitlines()) == 1


def scheduler(**answers: bytes | None) -> Callable[[socket.socket], None]:
    """A scheduler that registers clients, and gives these answers. None closes the connection."""
    usual = {"identity": frames(IDENTITY), "register_client": frames(START)}
    usual["ncores"] = frames({"tcp://127.0.0.1:1": 1})

    def answer(connection: socket.socket) -> None:
        connection.sendall(frames(HELLO))
        for message in messages(connection):
            name = message["op"].replace("-", "_")
            data = answers.get(name, usual.get(name, b""))
            if data is None:
                connection.close()
                return
            connection.sendall(data)

    return answer


LOST = {
    "closes": scheduler(update_graph=None),
    "garbage": scheduler(register_client=frames(START) + os.urandom(1) * 99),
    "huge": scheduler(register_client=frames(START) + HUGE),
    "number": scheduler(register_client=frames(START) + frames([7])),
    "close": scheduler(register_client=frames(START) + frames([{"op": "close"}])),
    "wrong workers": scheduler(ncores=frames([1])),
    "no workers": scheduler(ncores=None),
    "silent": scheduler(ncores=b""),
}


@pytest.mark.parametrize("answer", LOST.values(), ids=LOST)
def test_a_scheduler_that_is_lost_again_and_again(answer: Callable[[socket.socket], None]) -> None:
    connected = []

    def counting(connection: socket.socket) -> None:
        connected.append(connection)
        answer(connection)

    with server(counting) as address, pytest.raises(UsageError) as told:
        play(address)
    assert str(told.value).startswith(f"the Dask scheduler at {address} is lost: ")
    assert len(str(told.value).splitlines()) == 1
    assert len(connected) >= MAX_LOSSES
