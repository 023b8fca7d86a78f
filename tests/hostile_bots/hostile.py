"""A Big Money bot that misbehaves in one way: hostile.py MODE [ARGUMENT [COPY]].

Its input is appended to the file COPY.

It plays legally until the request at which its mode strikes, so that a test sees only the effect of
the mode. Each mode is a function that is called with every request before it would be answered; it
returns None to answer as usual, or the bytes to write instead.

What few modes need is imported in them: the tests start many of these bots. They start them with
byte_code.py.
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
    """A mode whose argument is "N:REST": it strikes with REST at the N-th request."""

    def mode(message, number, argument):
        where, _, rest = argument.partition(":")
        return strike(rest) if number == int(where) else None

    return mode


def detached(code, **options):
    """Start a program that holds none of the bot's pipes."""
    import subprocess

    null = subprocess.DEVNULL
    words = [sys.executable, "-I", "-S", "-c", code]
    return subprocess.Popen(words, stdin=null, stdout=null, stderr=null, **options)


def await_pid(file):
    """Wait until a child has written its process id."""
    while not (os.path.exists(file) and os.path.getsize(file)):
        time.sleep(0.005)


# --- modes: (message, number of the request, argument) -> None or bytes; 0 is the handshake -------


def normal(message, number, argument):
    """Misbehave in no way."""


def await_news(message, number, argument):
    """Do not end the first turn before the other bot has heard of its buy."""
    if number == 2:
        with open(argument) as fifo:
            fifo.read()


def tell_news(message, number, argument):
    """Say through a FIFO that a gain was heard of; see main(), also for `long_line_early`."""


def meet(message, number, argument):
    """Answer the handshake only once another bot has been asked for its name, too: "r:FIFO"."""
    if number == 0:
        how, _, fifo = argument.partition(":")
        open(fifo, how).close()  # each end waits for the other


def exit_at(message, number, argument):
    """Exit with code 3 when asked for the N-th time, saying so on stderr."""
    if number == int(argument):
        print("giving up", file=sys.stderr)
        sys.exit(3)


@at_request
def die_at(what):
    """Send this signal to itself; to its "group" or, in a sandbox, to "all": "NUMBER:WHOM"."""
    number, _, whom = what.partition(":")
    with contextlib.suppress(OSError, ValueError):  # some can have no handler
        signal.signal(int(number), signal.SIG_DFL)  # Python ignores or handles some
    if whom == "all":
        with open("/proc/1/cmdline", "rb") as file:
            if os.path.basename(file.read().partition(b"\0")[0]) != b"bwrap":
                sys.exit("all would be all processes of the machine")
    with contextlib.suppress(ProcessLookupError):  # "all" excludes the sender
        os.kill({"": os.getpid(), "group": 0, "all": -1}[whom], int(number))


def last_words(message, number, argument):
    """Answer the N-th request and exit at once."""
    if number == int(argument):
        write(legal(message))
        os._exit(0)


def close_stdout(message, number, argument):
    if number == int(argument):
        os.close(1)
        sleep_forever()


def close_stdin(message, number, argument):
    """Close stdin, having answered; then live on."""
    if number == int(argument):
        write(legal(message))
        os.close(0)
        sleep_forever()


def sleep_at(message, number, argument):
    if number == int(argument):
        print("thinking", file=sys.stderr, flush=True)
        sleep_forever()


def stop_at(message, number, argument):
    """Stop the own process, as a debugger or Ctrl-Z would."""
    if number == int(argument):
        os.kill(os.getpid(), signal.SIGSTOP)


def stops_at_end(message, number, argument):
    """Stop the own process group at `game-end`: see main()."""


def drip(message, number, argument):
    """Write the reply byte by byte, always a little, never a line end."""
    if number == 1:
        while True:
            write(b" ")
            time.sleep(0.02)


def single_bytes(message, number, argument):
    """Write each reply byte by byte, as a line of so many bytes."""
    for byte in pad(message, number, argument):
        write(bytes([byte]))
    return b""


def unfinished(message, number, argument):
    """A whole reply but for its line end, then the end of the output."""
    if number == 1:
        write(legal(message).rstrip(b"\n"))
        os._exit(0)


def long_line(message, number, argument):
    """A legal reply in a line of N bytes, its end not counted."""
    if number == 1:
        reply = legal(message).rstrip(b"\n")
        return reply + b" " * (int(argument) - len(reply)) + b"\n"
    return None


def long_line_early(message, number, argument):
    """Write a line that is too long when a gain is heard of, then say so through a FIFO."""


def endless_line(message, number, argument):
    if number == 1:
        for _ in range(160):
            write(b"x" * 65536)


def early(message, number, argument):
    """Answer every buy and the clean-up after it in one go, before the clean-up is asked for."""
    if message["type"] == "play-turn":
        if not message["buys"]:
            return b""
        return legal(message) + b'\r\n \t\n{"type":"play-reply","phase":"cleanup"}\r\n'
    return None


def unasked(message, number, argument):
    """With one reply also N bytes in lines that nobody asked for."""
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
            write(b'{"type":"play-reply","phase":"cleanup"}\n' * 5000)  # over the limit at once


def blank_flood(message, number, argument):
    if number == 1:
        while True:
            write(b" \n" * 100_000)


def plays_on(message, number, argument):
    """Is there for another match after `game-end`, until its input ends."""


def stays(message, number, argument):
    """Ignore SIGTERM, and neither game-end nor the end of input make it exit."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def late_goodbye(message, number, argument):
    """Exit with code 7 on SIGTERM only."""
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(7))


def heir(message, number, argument):
    """Leave a child in the group that holds all pipes, write its pid to a file, and exit."""
    if number == 1:
        import subprocess

        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        with open(argument, "w") as file:
            file.write(str(child.pid))
        os._exit(0)


def daemon(message, number, argument):
    """Leave a child in a session of its own and play on."""
    if number == 1:
        code = f"import os, signal\nopen({argument!r}, 'w').write(str(os.getpid()))\nsignal.pause()"
        detached(code, start_new_session=True)
        await_pid(argument)


def daemon_and_hang(message, number, argument):
    """Leave a child in a session of its own, and answer nothing more."""
    if number == 1:
        daemon(message, number, argument)
        sleep_forever()


def lost_daemon(message, number, argument):
    """Leave a child in a session of its own whose parent has ended, and play on."""
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
    """Leave N children in sessions of their own that use all the CPU they get, and exit."""
    if number == 1:
        for _ in range(int(argument)):
            detached("while True: pass", start_new_session=True)
        os._exit(0)


# --- against its limits ---------------------------------------------------------------------------

BURN = "while True: pass"


def burn(message, number, argument):
    """Use CPU time at the first request: in "one" process, in a "child", or in its child's "child"
    in a session of its own, whose parent has ended.
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
    """Have N children in sessions of their own that use all the CPU they get; they stay."""
    if number == 0:
        for _ in range(int(argument)):
            detached(BURN, start_new_session=True)


def take_memory(message, number, argument):
    """Take MiB of memory in each of N processes, "N MiB", at the first request."""
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
    # One that is killed is not always the one that asks for more: it may have written before.
    if select.select([child.stdout for child in children], [], [], 5)[0]:
        sys.exit("a child has died")


TAKEN = []


def take_as(message, number, argument):
    """Take MiB of memory of a kind, "KIND MIB", at the first request, say so, and wait."""
    if number == 1:
        kind, size = argument.split()
        with contextlib.suppress(OSError):  # no open files left, or no room
            KINDS[kind](int(size))
        os.write(2, b"taken\n")
        sleep_forever()


def take_shared(size, *, let_go=False):
    """Shared memory; with `let_go` its pages stay, and belong to no process."""
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


def take_children(size):
    """Private memory of eight children together."""
    reads, writes = os.pipe()
    for _ in range(8):
        if os.fork() == 0:
            TAKEN.append(b"x" * (size << 17))
            os.write(writes, b".")
            sleep_forever()
        os.read(reads, 1)


def take_once(size):
    """Memory shared by eight children until a child writes."""
    TAKEN.append(b"x" * (size << 20))
    for _ in range(8):
        if os.fork() == 0:
            sleep_forever()


def take_files(size):
    """Empty files, at a little more than a KiB each."""
    for name in range(size << 10):
        os.close(os.open(f"/tmp/{name}", os.O_CREAT))


def take_sockets(size, kind, family="AF_INET"):
    """The buffers of sockets that nobody reads."""
    import socket

    kind, family = getattr(socket, kind), getattr(socket, family)
    server = None
    if family == socket.AF_INET and kind == socket.SOCK_STREAM:
        server = socket.create_server(("127.0.0.1", 0), backlog=1000)
    taken = 0
    while taken < size << 20:
        if family == socket.AF_UNIX:
            pair = socket.socketpair()
        elif server:
            one = socket.create_connection(server.getsockname())
            pair = (one, server.accept()[0])
        else:
            one = socket.socket(family, kind)
            one.bind(("127.0.0.1", 0))
            one.connect(one.getsockname())
            pair = (one,)
        TAKEN.append(pair)
        pair[0].setblocking(False)
        with contextlib.suppress(BlockingIOError):
            for _ in range(4 if kind == socket.SOCK_DGRAM else 128):  # what does not fit is lost
                taken += pair[0].send(bytes(1 << 15))


KINDS = {
    "shared": take_shared,
    "let-go": functools.partial(take_shared, let_go=True),
    "memfd": take_memfd,
    "children": take_children,
    "once": take_once,
    "files": take_files,
    "tcp": functools.partial(take_sockets, kind="SOCK_STREAM"),
    "udp": functools.partial(take_sockets, kind="SOCK_DGRAM"),
    "unix": functools.partial(take_sockets, kind="SOCK_STREAM", family="AF_UNIX"),
}


def fork(message, number, argument):
    """Start N children that stay, at the first request."""
    if number == 1:
        for _ in range(int(argument)):
            if os.fork() == 0:
                os.close(1)
                sleep_forever()


def threads(message, number, argument):
    """Start N threads that stay, at the first request."""
    if number == 1:
        import threading

        for _ in range(int(argument)):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def open_files(message, number, argument):
    """Open N files, at the first request."""
    if number == 1:
        argument = [os.open("/dev/null", os.O_RDONLY) for _ in range(int(argument))]


def big_file(message, number, argument):
    """Write a file of so many MiB, "FILE MIB", at the first request."""
    if number == 1:
        name, size = argument.split()
        with open(name, "wb") as file:
            for _ in range(int(size)):
                file.write(bytes(1 << 20))


def empty_files(message, number, argument):
    """Make so many empty files in a folder, "FOLDER COUNT", at the first request."""
    if number == 1:
        folder, count = argument.split()
        for name in range(int(count)):
            os.close(os.open(f"{folder}/{name}", os.O_CREAT))


def pad(message, number, argument):
    """Answer with lines of so many bytes."""
    reply = legal(message)
    return reply[:-1].ljust(int(argument) - 1) + b"\n"


def blank_drip(message, number, argument):
    """Write so many bytes of blank lines before each answer, 64 at a time."""
    for _ in range(int(argument) // 64):
        write(b" " * 63 + b"\n")


def think(message, number, argument):
    """Take so many seconds for each answer."""
    if number:
        time.sleep(float(argument))


def think_first(message, number, argument):
    """Take so many seconds for the handshake."""
    if not number:
        time.sleep(float(argument))


def compute(message, number, argument):
    """Compute so many seconds for each answer."""
    until = time.process_time() + float(argument)
    while number and time.process_time() < until:
        pass


# --- against the logs: each with the name of a file -----------------------------------------------


@at_request
def truncate(file):
    """Make a file empty."""
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
    """Put a link to another file in a file's place."""
    os.unlink(file)
    with open(file + ".other", "w") as other:
        other.write("precious\n")
    os.symlink(file + ".other", file)


@at_request
def put_folder(file):
    """Put a folder in a file's place."""
    os.unlink(file)
    os.mkdir(file)


@at_request
def remove_folder(file):
    import shutil

    shutil.rmtree(os.path.dirname(file))


# --- against people -------------------------------------------------------------------------------


def shout(message, number, argument):
    """Write the bytes of a file to stderr at the first request, and exit."""
    if number == 1:
        with open(argument, "rb") as opened:
            os.write(2, opened.read())
        os._exit(1)


def noisy(message, number, argument):
    """Write a megabyte to stderr at every request."""
    os.write(2, b"noise " * 1000 * 170 + b"\n")


@at_request
def garbage(file):
    """Answer with the bytes of a file."""
    with open(file, "rb") as opened:
        return opened.read()


@at_request
def signal_referee(what):
    """Send the referee this signal, and wait for its end; in a sandbox its place is another's.

    If it has ended already, the next parent may be the process that runs the tests.
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
