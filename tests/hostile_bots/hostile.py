"""A Big Money bot that misbehaves in one way: hostile.py MODE [ARGUMENT [COPY]].

Everything that the bot reads is appended to the file COPY.

It plays legally until the request at which its mode strikes, so that a test sees only the effect of
the mode. Each mode is a function that is called before every reply. It returns the bytes to write,
or None for the usual reply.

Tests start many of these bots, so modules that only a few modes need are imported in those modes.
For the same reason, the tests run byte_code.py instead of this file.
"""

import contextlib
import functools
import json
import mmap
import os
import select
import signal
import sys
import time

PARENT = os.getppid()
WORTH = {"copper": 1, "silver": 2, "gold": 3}


def write(data):
    os.write(1, data)


def sleep_forever():
    while True:
        signal.pause()


def legal(message):
    kind = message["type"]
    if kind == "player-name-request":
        number = message["player_number"]
        reply = {"type": "player-name-reply", "player_number": number, "name": "H", "version": 1}
    elif kind == "attack-request":
        reply = {"type": "attack-reply", "discard": message["options"][: message["discard"]]}
    elif not message["buys"]:
        reply = {"type": "play-reply", "phase": "cleanup"}
    else:
        treasures = [card for card in message["hand"] if card in WORTH]
        money = sum(WORTH[card] for card in treasures)
        buy = "province" if money >= 8 else "gold" if money >= 6 else "silver"
        bought = [buy] if money >= 3 else []
        reply = {
            "type": "play-reply",
            "phase": "buy",
            "played_treasures": treasures,
            "cards_to_buy": bought,
        }
    return json.dumps(reply).encode() + b"\n"


def at_request(strike):
    """Make a mode that calls `strike` with REST at the N-th request. Its argument is "N:REST"."""

    def mode(message, number, argument):
        where, _, rest = argument.partition(":")
        return strike(rest) if number == int(where) else None

    return mode


def detached(code, **options):
    """Start a Python program that doesn't inherit the bot's pipes."""
    import subprocess

    null = subprocess.DEVNULL
    words = [sys.executable, "-I", "-S", "-c", code]
    return subprocess.Popen(words, stdin=null, stdout=null, stderr=null, **options)


def await_pid(file):
    """Wait until a child has written its process id to this file."""
    while not (os.path.exists(file) and os.path.getsize(file)):
        time.sleep(0.005)


# --- modes: (message, number of the request, argument) -> None or bytes; 0 is the handshake -------


def normal(message, number, argument):
    """Do nothing wrong."""


def await_news(message, number, argument):
    """Don't end the first turn until the other bot has seen our buy."""
    if number == 2:
        with open(argument) as fifo:
            fifo.read()


def tell_news(message, number, argument):
    """Write to a FIFO after seeing a gain. See main(), also for `long_line_early`."""


def meet(message, number, argument):
    """Meet another bot at a FIFO before answering the handshake.

    The argument is "r:FIFO" or "w:FIFO".
    """
    if number == 0:
        how, _, fifo = argument.partition(":")
        open(fifo, how).close()  # blocks until the other end is opened


def exit_at(message, number, argument):
    """Write a line to stderr and exit with code 3 at the N-th request."""
    if number == int(argument):
        print("giving up", file=sys.stderr)
        sys.exit(3)


@at_request
def die_at(what):
    """Send itself a signal. The argument is "NUMBER:WHOM".

    WHOM is empty for this process, "group" for its process group, or "all" for all processes of the
    sandbox.
    """
    number, _, whom = what.partition(":")
    with contextlib.suppress(OSError, ValueError):  # some signals can't have a handler
        signal.signal(int(number), signal.SIG_DFL)  # undo Python's own handler
    if whom == "all":
        with open("/proc/1/cmdline", "rb") as file:
            if os.path.basename(file.read().partition(b"\0")[0]) != b"bwrap":
                sys.exit("all would be all processes of the machine")
    with contextlib.suppress(ProcessLookupError):  # "all" doesn't include us
        os.kill({"": os.getpid(), "group": 0, "all": -1}[whom], int(number))


def last_words(message, number, argument):
    """Answer the N-th request and exit immediately."""
    if number == int(argument):
        write(legal(message))
        os._exit(0)


def close_stdout(message, number, argument):
    if number == int(argument):
        os.close(1)
        sleep_forever()


def close_stdin(message, number, argument):
    """Close stdin after the N-th reply, and stay alive."""
    if number == int(argument):
        write(legal(message))
        os.close(0)
        sleep_forever()


def sleep_at(message, number, argument):
    if number == int(argument):
        print("thinking", file=sys.stderr, flush=True)
        sleep_forever()


def stop_at(message, number, argument):
    """Stop this process, as a debugger or Ctrl-Z would."""
    if number == int(argument):
        os.kill(os.getpid(), signal.SIGSTOP)


def stops_at_end(message, number, argument):
    """Stop the process group at `game-end`. See main()."""


def drip(message, number, argument):
    """Write one byte after another, but never end the line."""
    if number == 1:
        while True:
            write(b" ")
            time.sleep(0.02)


def single_bytes(message, number, argument):
    """Write each reply byte by byte, padded to N bytes."""
    for byte in pad(message, number, argument):
        write(bytes([byte]))
    return b""


def unfinished(message, number, argument):
    """Write a complete reply without its line end, and exit."""
    if number == 1:
        write(legal(message).rstrip(b"\n"))
        os._exit(0)


def long_line(message, number, argument):
    """Pad the first reply to N bytes, not counting the line end."""
    if number == 1:
        reply = legal(message).rstrip(b"\n")
        return reply + b" " * (int(argument) - len(reply)) + b"\n"
    return None


def long_line_early(message, number, argument):
    """After seeing a gain, write an overlong line and then write to a FIFO."""


def endless_line(message, number, argument):
    if number == 1:
        for _ in range(160):
            write(b"x" * 65536)


def early(message, number, argument):
    """Write the clean-up reply together with each buy, before it's requested."""
    if message["type"] == "play-turn":
        if not message["buys"]:
            return b""
        return legal(message) + b'\r\n \t\n{"type":"play-reply","phase":"cleanup"}\r\n'
    return None


def unasked(message, number, argument):
    """Add N bytes of lines that nobody requested to the first reply."""
    if number == 1:
        line = b'{"type":"play-reply","phase":"cleanup"}'
        rest = int(argument)
        extra = b""
        while rest:
            size = min(rest, 1000)
            extra += line.ljust(size - 1) + b"\n"
            rest -= size
        return legal(message) + extra
    return None


def flood(message, number, argument):
    if number == 1:
        while True:
            # A single write is enough to exceed the limit.
            write(b'{"type":"play-reply","phase":"cleanup"}\n' * 5000)


def blank_flood(message, number, argument):
    if number == 1:
        while True:
            write(b" \n" * 100_000)


def plays_on(message, number, argument):
    """After `game-end`, wait for another match until stdin is closed."""


def stays(message, number, argument):
    """Ignore SIGTERM, and don't exit at `game-end` or when stdin is closed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def late_goodbye(message, number, argument):
    """Exit only on SIGTERM, with code 7."""
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(7))


def heir(message, number, argument):
    """Exit, but leave a child in the same process group that keeps all pipes open.

    Its pid is written to a file.
    """
    if number == 1:
        import subprocess

        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        with open(argument, "w") as file:
            file.write(str(child.pid))
        os._exit(0)


def daemon(message, number, argument):
    """Start a child in its own session and play on."""
    if number == 1:
        code = f"import os, signal\nopen({argument!r}, 'w').write(str(os.getpid()))\nsignal.pause()"
        detached(code, start_new_session=True)
        await_pid(argument)


def daemon_and_hang(message, number, argument):
    """Start a child in its own session and stop answering."""
    if number == 1:
        daemon(message, number, argument)
        sleep_forever()


def lost_daemon(message, number, argument):
    """Leave a child in its own session whose parent has exited, and play on."""
    if number == 1:
        code = (
            "import os, signal\n"
            "if os.fork(): os._exit(0)\n"
            "os.setsid()\n"
            f"open({argument!r}, 'w').write(str(os.getpid()))\n"
            "signal.pause()"
        )
        detached(code).wait()
        await_pid(argument)


def swarm(message, number, argument):
    """Start N children that burn CPU time in their own sessions, and exit."""
    if number == 1:
        for _ in range(int(argument)):
            detached("while True: pass", start_new_session=True)
        os._exit(0)


# --- against its limits ---------------------------------------------------------------------------

BURN = "while True: pass"


def burn(message, number, argument):
    """Burn CPU time at the first request.

    The argument says where: in "one" process, in a "child", or in a "grandchild" that has another
    session and whose parent has exited.
    """
    if number != 1:
        return
    if argument == "one":
        while True:
            pass
    inner = f"import subprocess, sys; subprocess.Popen([sys.executable, '-ISc', {BURN!r}])"
    detached(BURN if argument == "child" else inner, start_new_session=argument != "child")
    sleep_forever()


def burn_between(message, number, argument):
    """Start N children that burn CPU time in their own sessions during the whole match."""
    if number == 0:
        for _ in range(int(argument)):
            detached(BURN, start_new_session=True)


def take_memory(message, number, argument):
    """Start N processes that take some MiB each at the first request. The argument is "N MIB"."""
    if number != 1:
        return
    count, size = map(int, argument.split())
    if count == 1:
        hog = b"x" * (size << 20)  # noqa: F841
        return
    import subprocess

    code = f"import time; hog = b'x' * ({size} << 20); print(flush=True); time.sleep(60)"
    words = [sys.executable, "-I", "-S", "-c", code]
    children = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(count)]
    for child in children:
        child.stdout.readline()
    # The kernel doesn't always kill the child that asks for more memory. It may also kill one that
    # has already written its line.
    if select.select([child.stdout for child in children], [], [], 5)[0]:
        sys.exit("a child has died")


TAKEN = []


def take_as(message, number, argument):
    """Take memory at the first request, write a line to stderr, and wait.

    The argument is "KIND MIB", with one of KINDS.
    """
    if number == 1:
        kind, size = argument.split()
        with contextlib.suppress(OSError):  # too many open files, or the disk is full
            KINDS[kind](int(size))
        os.write(2, b"taken\n")
        sleep_forever()


def take_shared(size, *, let_go=False):
    """Take shared memory. With `let_go`, the pages stay allocated but count for no process."""
    memory = mmap.mmap(-1, size << 20)
    TAKEN.append(memory)
    for at in range(size):
        memory[at << 20 : at + 1 << 20] = bytes(1 << 20)
        if let_go:
            memory.madvise(mmap.MADV_DONTNEED, at << 20, 1 << 20)


def take_memfd(size):
    for number in range(size):
        if number % 32 == 0:
            TAKEN.append(os.memfd_create("x"))
        os.write(TAKEN[-1], bytes(1 << 20))


def take_private(size):
    TAKEN.append(b"x" * (size << 20))


def take_in_children(take, size):
    """Let each of eight children take its part of it."""
    reads, writes = os.pipe()
    for _ in range(8):
        if os.fork() == 0:
            with contextlib.suppress(OSError):
                take(size // 8)
            os.write(writes, b".")
            sleep_forever()
        os.read(reads, 1)


def take_once(size):
    """Take memory that eight children share until one of them writes to it."""
    TAKEN.append(b"x" * (size << 20))
    for _ in range(8):
        if os.fork() == 0:
            sleep_forever()


def take_files(size):
    """Create empty files, which take a little more than a KiB each."""
    for name in range(size << 10):
        os.close(os.open(f"/tmp/{name}", os.O_CREAT))


def take_sockets(size, kind="SOCK_STREAM"):
    """Fill the buffers of pairs of sockets that nobody reads from."""
    import socket

    taken = 0
    while taken < size << 20:
        TAKEN.append(socket.socketpair(type=getattr(socket, kind)))
        one = TAKEN[-1][0]
        one.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            for _ in range(128):
                taken += one.send(bytes(1 << 15))


def take_pipes(size):
    """Fill pipes of a MiB each."""
    import fcntl

    for _ in range(size):
        TAKEN.append(os.pipe())
        fcntl.fcntl(TAKEN[-1][1], fcntl.F_SETPIPE_SZ, 1 << 20)
        os.write(TAKEN[-1][1], bytes(1 << 20))


def take_mappings(size):
    """Split a mapping page by page. The kernel's list takes about 200 bytes for each part."""
    import ctypes

    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    parts = (size << 20) // 200
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = libc.mmap(None, ctypes.c_size_t(parts * mmap.PAGESIZE), mmap.PROT_READ, kind, -1, 0)
    for part in range(0, parts, 2):
        address = ctypes.c_void_p(start + part * mmap.PAGESIZE)
        libc.mprotect(address, ctypes.c_size_t(mmap.PAGESIZE), 0)


def take_watches(size):
    """Watch a pipe by many epoll files. Each watch takes about 200 bytes of the kernel's memory."""
    reads, _ = os.pipe()
    files = [os.dup(reads) for _ in range(400)]
    for _ in range((size << 20) // (200 * len(files))):
        TAKEN.append(select.epoll())
        for file in files:
            TAKEN[-1].register(file)


KINDS = {
    "shared": take_shared,
    "let-go": functools.partial(take_shared, let_go=True),
    "memfd": take_memfd,
    "children": functools.partial(take_in_children, take_private),
    "once": take_once,
    "files": take_files,
    "unix": take_sockets,
    "packets": functools.partial(take_sockets, kind="SOCK_SEQPACKET"),
    "pipes": take_pipes,
    "mappings": functools.partial(take_in_children, take_mappings),
    "watches": functools.partial(take_in_children, take_watches),
}


def fork(message, number, argument):
    """Start N children at the first request, and keep them."""
    if number == 1:
        for _ in range(int(argument)):
            if os.fork() == 0:
                os.close(1)
                sleep_forever()


def threads(message, number, argument):
    """Start N threads at the first request, and keep them."""
    if number == 1:
        import threading

        for _ in range(int(argument)):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def open_files(message, number, argument):
    if number == 1:
        argument = [os.open("/dev/null", os.O_RDONLY) for _ in range(int(argument))]


def big_file(message, number, argument):
    """Write a big file at the first request. The argument is "FILE MIB"."""
    if number == 1:
        name, size = argument.split()
        with open(name, "wb") as file:
            for _ in range(int(size)):
                file.write(bytes(1 << 20))


def empty_files(message, number, argument):
    """Create empty files at the first request. The argument is "FOLDER COUNT"."""
    if number == 1:
        folder, count = argument.split()
        for name in range(int(count)):
            os.close(os.open(f"{folder}/{name}", os.O_CREAT))


def pad(message, number, argument):
    """Pad all replies to N bytes."""
    reply = legal(message)
    return reply[:-1].ljust(int(argument) - 1) + b"\n"


def blank_drip(message, number, argument):
    """Write N bytes of blank lines before each reply, 64 bytes at a time."""
    for _ in range(int(argument) // 64):
        write(b" " * 63 + b"\n")


def think(message, number, argument):
    """Sleep for some seconds before each reply."""
    if number:
        time.sleep(float(argument))


def think_first(message, number, argument):
    """Sleep for some seconds before the handshake reply."""
    if not number:
        time.sleep(float(argument))


def compute(message, number, argument):
    """Use some seconds of CPU time before each reply."""
    until = time.process_time() + float(argument)
    while number and time.process_time() < until:
        pass


# --- against the logs: each with the name of a file -----------------------------------------------


@at_request
def truncate(file):
    os.truncate(file, 0)


@at_request
def change(file):
    """Change one byte in the middle of a file."""
    with open(file, "r+b") as opened:
        opened.seek(os.path.getsize(file) // 2)
        byte = opened.read(1)
        opened.seek(-1, os.SEEK_CUR)
        opened.write(bytes([byte[0] ^ 1]))


@at_request
def add_lines(file):
    with open(file, "ab") as opened:
        opened.write(b'{"type":"game-end"}\n')


@at_request
def remove(file):
    os.unlink(file)


@at_request
def replace(file):
    """Replace a file with a link to another file."""
    os.unlink(file)
    with open(file + ".other", "w") as other:
        other.write("precious\n")
    os.symlink(file + ".other", file)


@at_request
def put_folder(file):
    """Replace a file with a folder."""
    os.unlink(file)
    os.mkdir(file)


@at_request
def remove_folder(file):
    import shutil

    shutil.rmtree(os.path.dirname(file))


# --- against people -------------------------------------------------------------------------------


def shout(message, number, argument):
    """Write the contents of a file to stderr at the first request, and exit."""
    if number == 1:
        with open(argument, "rb") as opened:
            os.write(2, opened.read())
        os._exit(1)


def noisy(message, number, argument):
    """Write a megabyte to stderr at every request."""
    os.write(2, b"noise " * 1000 * 170 + b"\n")


@at_request
def garbage(file):
    """Reply with the contents of a file."""
    with open(file, "rb") as opened:
        return opened.read()


@at_request
def signal_referee(what):
    """Send a signal to the referee and wait until it kills us.

    In a sandbox our parent is another process, so we play on. If the referee has already exited, we
    don't signal our new parent: that may be the process that runs the tests.
    """
    if os.getppid() == PARENT:
        os.kill(PARENT, int(what))
    if PARENT != 1:
        sleep_forever()


def main():
    mode = globals()[sys.argv[1]]
    argument = sys.argv[2] if len(sys.argv) > 2 else ""
    copy = open(sys.argv[3], "ab", buffering=0) if len(sys.argv) > 3 else None
    number = 0
    while True:
        line = sys.stdin.buffer.readline()
        if copy:
            copy.write(line)
        message = json.loads(line) if line else {"type": "game-end"}
        if message["type"] == "game-end":
            if mode is plays_on and line:
                continue
            if mode is stops_at_end:
                os.kill(0, signal.SIGSTOP)
            if mode in (stays, late_goodbye):
                sleep_forever()
            return
        heard = message["type"] == "player-gained" and argument
        if mode in (tell_news, long_line_early) and heard:
            if mode is long_line_early:
                write(b"x" * 65537 + b"\n")
            with open(argument, "w") as fifo:
                fifo.write("heard")
            argument = ""
        if message["type"] in ("player-name-request", "play-turn", "attack-request"):
            reply = mode(message, number, argument)
            write(legal(message) if reply is None else reply)
            number += 1


if __name__ == "__main__":
    main()
