"""The process of a probe: passes data between the tested referee and the suite.

    python relay.py SOCKET SEAT SECONDS

The process stays for SECONDS after the end of its input. It does this by itself, because a busy
suite mustn't make a bot look slow.

The tested referee starts this process as a bot. It connects to the suite, which makes all
decisions. Both sides write frames, which consist of a letter, the length of the data in four bytes,
and the data. To the suite: H (first: seat, session and group, working directory, separated by NUL),
R (read from standard input), E (end of input), T (SIGTERM arrived, which is only reported), B
(last: the process exits by itself). From the suite: W (write to standard output), N (write this
many bytes to standard error), C (close standard output). If the connection is closed, the process
exits.
"""

# The modules signal and socket import enum, which would take most of the start-up time. That's why
# we use _signal and _socket.
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
    os._exit(0)  # After an OSError, the referee or the suite has exited.
