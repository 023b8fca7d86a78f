"""A probe's process: it hands over what it reads, and writes what it is given.

    python relay.py SOCKET SEAT SECONDS

SECONDS is how long it stays when its input has ended. It does that by itself: a suite that is busy
elsewhere must not make a bot look slow.
It is started as a bot by the referee that is checked, and connects to the suite, which decides all.
Both sides write frames: a letter, the length of the data in four bytes, the data. To the suite:
H (first: seat, session and group, working directory, parted by NUL), R (read from
standard input), E (it ended), T (SIGTERM came; it is only noted), B (last: it ends by itself).
From the suite: W (write to standard output), N (write so many bytes to standard error), C (close
standard output). The end of the connection ends it.
"""

# Without the modules around them, which import enum: that takes longer than all else here.
import _signal
import _socket
import os
import select
import sys
import time

TERMINATE = 15


def main():
    """Relay until there is nothing more to relay."""
    suite = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    suite.connect(sys.argv[1])
    read, write = os.pipe()
    os.set_blocking(write, False)
    _signal.signal(TERMINATE, lambda number, frame: None)
    _signal.set_wakeup_fd(write)

    def send(kind, data=b""):
        suite.sendall(kind + len(data).to_bytes(4, "big") + data)

    hello = [sys.argv[2], f"{os.getsid(0)} {os.getpgid(0)}", os.getcwd()]
    send(b"H", "\0".join(hello).encode(errors="surrogateescape"))
    sources = [0, suite, read]
    frames = b""
    end = None
    while end is None or time.monotonic() < end:
        left = None if end is None else max(0, end - time.monotonic())
        ready = select.select(sources, [], [], left)[0]
        if read in ready:
            os.read(read, 1)
            send(b"T")
        if 0 in ready:
            data = os.read(0, 65536)
            send(b"R" if data else b"E", data)
            if not data:
                sources.remove(0)
                end = time.monotonic() + float(sys.argv[3])
        if suite in ready:
            more = suite.recv(65536)
            if not more:
                return
            frames += more
            while len(frames) >= 5:
                size = 5 + int.from_bytes(frames[1:5], "big")
                if len(frames) < size:
                    break
                kind, data, frames = frames[:1], frames[5:size], frames[size:]
                if kind == b"C":
                    os.close(1)
                else:
                    view = memoryview(data if kind == b"W" else b"x" * int(data))
                    while view:
                        view = view[os.write(1 if kind == b"W" else 2, view) :]
    send(b"B")


try:
    main()
finally:
    os._exit(0)  # an OSError means that the referee or the suite has ended
