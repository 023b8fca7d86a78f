"""Runs as the process of a probe, and passes data between the tested referee and the suite.

    python relay.py SOCKET SEAT SECONDS

The tested referee starts this process as a bot. The process connects to the suite, which makes all
decisions, and exits if the connection is closed. It also exits SECONDS after the end of its stdin.
It counts these seconds itself, because the suite may be busy, and the bot must not look slow.

Both sides write frames. A frame is a letter, the length of the data in four bytes, and the data.

To the suite:
    H   the first frame: seat, session and group, working directory, separated by NUL
    R   data from stdin
    E   end of stdin
    T   SIGTERM has arrived (the process ignores it)
    B   the last frame: the process exits by itself

From the suite:
    W   write this data to stdout
    N   write this many bytes to stderr
    C   close stdout
"""

# signal and socket import enum, and that alone takes longer than everything else at start-up. We
# use _signal and _socket to save that time.
import _signal
import _socket
import os
import select
import sys
import time

TERMINATE = 15


def main():
    """Relay until both sides are closed."""
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
    os._exit(0)  # Even after an OSError. It means that the referee or the suite has exited.
