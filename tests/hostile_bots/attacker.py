"""A Big Money bot that attacks other processes, files or the system.

    attacker.py ATTACK ARGUMENT ...

It runs its attacks at the third request and then plays on. For each attack it reports on stderr
whether it succeeded, with the result or the reason. The function of an attack returns a description
of its success, or an empty string if it failed. It returns None if only the referee can tell. An
OSError also means that the attack failed.

The targets are the bot's parent, which should be the referee, and the parent's other children. In a
sandbox, other processes have their places and are attacked instead.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hostile import await_pid, detached, legal, write

STRIKES_AT = 3
C = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_PRIVATE_REC = 0x44000
FLOCK = "hhqqi4x"
"""The layout of `struct flock`: type, whence, start, length, pid."""
F_GET_RW_HINT, F_SET_RW_HINT = 1035, 1036
IN_OPEN = 0x20
SYSCALLS = {
    "x86_64": {"io_uring_setup": 425, "bpf": 321, "perf_event_open": 298, "add_key": 248},
    "aarch64": {"io_uring_setup": 425, "bpf": 280, "perf_event_open": 241, "add_key": 217},
}[os.uname().machine]


def checked(result):
    """Return the result of a C library call.

    Raises:
        OSError: the call failed.
    """
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def syscall(name, *arguments):
    return checked(C.syscall(ctypes.c_long(SYSCALLS[name]), *arguments))


def referee():
    """Return the process id of the referee.

    Raises:
        OSError: it is not visible.
    """
    with open(f"/proc/{os.getppid()}/cmdline", "rb") as file:
        if b"\0-m\0referee\0" not in file.read():
            raise ProcessLookupError("no referee to be seen")
    return os.getppid()


def opponent():
    """Return the process id of the opponent. Raises like `referee`."""
    for pid in parents_children():
        return pid
    raise ProcessLookupError("no opponent to be seen")


def parents_children():
    """Return the ids of the parent's other children, except guardians."""
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{int(name)}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{name}/cmdline", "rb") as file:
                guards = file.read().startswith(b"/bin/sh")
            if parent == os.getppid() and int(name) != os.getpid() and not guards:
                found.append(int(name))
    return found


def writable_memory(pid):
    """Yield the writable parts of a process's memory, as bytes."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            place, rights, *_ = line.split()
            start, end = (int(number, 16) for number in place.split("-"))
            if rights.startswith("rw") and "[v" not in line:
                with contextlib.suppress(OSError):
                    memory.seek(start)
                    while start < end and (data := memory.read(min(end - start, 1 << 24))):
                        start += len(data)
                        yield data


def as_python(number):
    """Return a number of up to 60 bits as Python stores it in memory."""
    return struct.pack("=II", number & (1 << 30) - 1, number >> 30)


# --- 1: signals -----------------------------------------------------------------------------------


def kill_parent(argument):
    os.kill(os.getppid(), signal.SIGKILL)


def stop_parent(argument):
    os.kill(os.getppid(), signal.SIGSTOP)


def kill_siblings(argument):
    for pid in parents_children():
        os.kill(pid, signal.SIGKILL)


def stop_siblings(argument):
    for pid in parents_children():
        os.kill(pid, signal.SIGSTOP)


# --- 2: the opponent's output ---------------------------------------------------------------------


def write_as_opponent(argument):
    """Write an overlong line to the opponent's stdout."""
    with open(f"/proc/{opponent()}/fd/1", "wb") as pipe:
        pipe.write(b"x" * 200_000)


# --- 3: reading -----------------------------------------------------------------------------------


def seed_in_cmdline(argument):
    """Find the seed in the referee's command line.

    ARGUMENT is the seed written backwards, so that we don't find it in our own command line.
    """
    with open(f"/proc/{os.getppid()}/cmdline", "rb") as file:
        return argument[::-1].encode() in file.read()


def seed_in_file(argument):
    """Find the seed in a file. ARGUMENT is FILE:SEED, with the seed written backwards."""
    name, _, seed = argument.partition(":")
    with open(name) as file:
        return seed[::-1] in file.read()


def seed_in_descriptors(argument):
    seed, pid = argument[::-1].encode(), os.getppid()
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        if os.path.isfile(path):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                if seed in file.read():
                    return f"in descriptor {name}"
    return ""


def seed_in_memory(argument):
    seed = argument[::-1]
    for data in writable_memory(os.getppid()):
        if seed.encode() in data or as_python(int(seed)) in data:
            return "in its memory"
    return ""


def secret_in_environment(argument):
    """Find ARGUMENT in the environment of this process or of the referee."""
    for pid in ("self", os.getppid()):
        with open(f"/proc/{pid}/environ", "rb") as file:
            if argument.encode() in file.read():
                return f"in that of {pid}"
    return ""


def opponents_memory(argument):
    return f"{sum(map(len, writable_memory(opponent())))} bytes"


def read_file(path):
    with open(path, "rb") as file:
        return file.read(100)


def read_folder(path):
    """List a folder, without the folders that lead to the Python interpreter."""
    ways = [os.path.abspath(sys.executable), os.path.realpath(sys.executable)]
    names = os.listdir(path)
    return " ".join(n for n in names if not any(w.startswith(f"{path}/{n}/") for w in ways))


def descriptors(argument):
    """Find inherited descriptors other than the three pipes.

    Descriptors that Python itself opens aren't inheritable, so they aren't counted.
    """
    own = {os.readlink(f"/proc/self/fd/{number}") for number in range(3)}
    with os.scandir("/proc/self/fd") as entries:
        found = {os.readlink(entry) for entry in entries if os.get_inheritable(int(entry.name))}
    return " ".join(sorted(found - own))


# --- 4: other processes ---------------------------------------------------------------------------


def trace(pid):
    checked(C.ptrace(PTRACE_ATTACH, pid, None, None))
    os.waitpid(pid, 0x40000000)  # __WALL
    C.ptrace(PTRACE_DETACH, pid, None, None)
    return f"traced {pid}"


def trace_referee(argument):
    return trace(os.getppid())


def trace_opponent(argument):
    return trace(opponent())


def limit_referee(argument):
    return resource.prlimit(referee(), resource.RLIMIT_CORE, (0, 0))


def limit_opponent(argument):
    return resource.prlimit(opponent(), resource.RLIMIT_CORE, (0, 0))


# --- 5: CPU ---------------------------------------------------------------------------------------


def burners(argument):
    """Start N children that burn CPU time in their own sessions."""
    for _ in range(int(argument)):
        if os.fork() == 0:
            os.setsid()
            os.closerange(0, 3)
            time.sleep(0.2)  # let the bot reply first
            while True:
                pass


# --- 6: files -------------------------------------------------------------------------------------


def write_to_referees_output(argument):
    for number in (1, 2):
        with open(f"/proc/{referee()}/fd/{number}", "ab", 0) as file:
            file.write(b"a bot was here\n")
    return "written"


def write_in_folder(folder):
    """Create a file in a folder and delete it again. The folder "own" is the bot's."""
    folder = os.path.dirname(os.path.abspath(__file__)) if folder == "own" else folder
    path = f"{folder}/attack-{os.getpid()}"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    os.unlink(path)
    return f"written in {folder}"


def open_to_write(path):
    """Open a file for writing. Nothing is written, because the machine may need the file."""
    os.close(os.open(path, os.O_WRONLY))
    return "opened"


def change_device(path):
    """Set mode, owner, ACL and times of a device to their current values."""
    before, got = os.stat(path), []
    rights = b"".join(struct.pack("=HHi", who, before.st_mode >> 6 & 7, -1) for who in (1, 4, 32))
    for name, change in (
        ("mode", lambda: os.chmod(path, before.st_mode & 0o7777)),
        ("owner", lambda: os.chown(path, before.st_uid, before.st_gid)),
        ("rights", lambda: os.setxattr(path, "system.posix_acl_access", b"\2\0\0\0" + rights)),
        ("times", lambda: os.utime(path)),
    ):
        with contextlib.suppress(OSError):
            change()
            got.append(name)
    return " ".join(got) if os.stat(path).st_ctime_ns != before.st_ctime_ns else ""


def fill(folder):
    """Write eight files of 10 MiB each."""
    os.makedirs(folder, exist_ok=True)
    names = [f"{folder}/{number}" for number in range(8)]
    try:
        for name in names:
            with open(name, "wb", 0) as file:
                for _ in range(10):
                    if file.write(bytes(1 << 20)) < 1 << 20:
                        raise OSError("a part was written")
    finally:
        for name in names:
            with contextlib.suppress(OSError):
                os.unlink(name)
    return "80 MiB"


# --- 7: files that other bots see -----------------------------------------------------------------


def lock(path):
    """Lock a byte of a file, and check that another open file sees the lock and its position."""
    place, got = 4711, []
    with open(path, "rb") as one, open(path, "rb") as other:
        for name in ("F_OFD_SETLK", "F_SETLK"):
            fcntl.fcntl(one, getattr(fcntl, name), flock(fcntl.F_RDLCK, place, 1))
            seen = fcntl.fcntl(other, fcntl.F_OFD_GETLK, flock(fcntl.F_WRLCK, 0, 0))
            if seen == flock(fcntl.F_RDLCK, place, 1, pid=struct.unpack(FLOCK, seen)[-1]):
                got.append(name)
            fcntl.fcntl(one, getattr(fcntl, name), flock(fcntl.F_UNLCK, place, 1))
        fcntl.flock(one, fcntl.LOCK_EX)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            got.append("flock")
    return " ".join(got)


def flock(kind, start, length, pid=0):
    return struct.pack(FLOCK, kind, os.SEEK_SET, start, length, pid)


def lease(path):
    """Take a lease on a file, which would block others who want to write.

    Release it immediately.
    """
    with open(path, "rb") as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return "leased"


def hint(path):
    """Set the expected lifetime of a file's data, and read it back."""
    with open(path, "rb") as file:
        fcntl.fcntl(file, F_SET_RW_HINT, struct.pack("=Q", 2))
        return fcntl.fcntl(file, F_GET_RW_HINT, bytes(8))[0]


def watch(folder):
    """Use inotify to notice when others open files in a folder."""
    with os.fdopen(checked(C.inotify_init1(0)), "rb") as events:
        checked(C.inotify_add_watch(events.fileno(), folder.encode(), IN_OPEN))
    return "watched"


def notify(folder):
    """Use signals to notice when others read files in a folder."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.fcntl(opened, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    finally:
        os.close(opened)
    return "watched"


# --- 8: rights ------------------------------------------------------------------------------------


def privileges(argument):
    """Report capabilities, and whether the bot could gain some or use all system calls."""
    with open("/proc/self/status") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    got = [
        f"{name} {status[name]}" for name in status if name[:3] == "Cap" and int(status[name], 16)
    ]
    if status["NoNewPrivs"] != "1":
        got.append("new privileges")
    if status["Seccomp"] != "2":
        got.append("all system calls")
    return ", ".join(got)


def connect(port):
    with socket.create_connection(("127.0.0.1", int(port)), 1):
        return "connected"


def connect_abstract(name):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + name)
        return "connected"


def in_child(attempt):
    """Run an attack in a child, so that only the child is changed by it.

    Returns or raises like the attack.
    """
    pid = os.fork()
    if pid == 0:
        try:
            attempt()
        except OSError as error:
            os._exit(error.errno or 1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(code, os.strerror(code) if code > 0 else f"signal {-code}")
    return "done"


def other_sockets(argument):
    """Open sockets of all families and types, except the streams between own processes."""
    got = []
    for family in socket.AddressFamily:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
            if (family, kind) != (socket.AF_UNIX, socket.SOCK_STREAM):
                with contextlib.suppress(OSError), socket.socket(family, kind):
                    got.append(f"{family.name} {kind.name}")
    return ", ".join(got)


def all_cores(argument):
    """Try to run on all cores, as if the referee had not pinned this match to some (--pin)."""
    os.sched_setaffinity(0, range(os.cpu_count()))
    return f"runs on {os.sched_getaffinity(0)}"


def user_namespace(argument):
    return in_child(lambda: checked(C.unshare(CLONE_NEWUSER)))


def mount(argument):
    """Mount a tmpfs in a child, if possible in its own mount namespace."""

    def attempt():
        if C.unshare(CLONE_NEWNS) == 0:
            checked(C.mount(b"none", b"/", None, MS_PRIVATE_REC, None))
        checked(C.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None))

    return in_child(attempt)


def keyring(argument):
    # -2 stands for the keyring of this process.
    return syscall("add_key", b"user", b"attack", b"x", 1, -2) and "a key"


def io_uring(argument):
    return f"descriptor {syscall('io_uring_setup', 1, ctypes.create_string_buffer(120))}"


def bpf(argument):
    """Create a BPF array with one element."""
    attributes = struct.pack("=IIII", 2, 4, 4, 1).ljust(128, b"\0")
    return f"descriptor {syscall('bpf', 0, attributes, 128)}"


def perf(argument):
    """Count the page faults of this process."""
    attributes = struct.pack("=IIQ", 1, 64, 2).ljust(64, b"\0")
    return f"descriptor {syscall('perf_event_open', attributes, 0, -1, -1, 0)}"


# --- Allowed up to a limit ------------------------------------------------------------------------


def fork_bomb(argument):
    """Have N children at the same time, and then kill them."""
    children = []
    try:
        for _ in range(int(argument)):
            pid = os.fork()
            if pid == 0:
                signal.pause()
            children.append(pid)
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return f"{len(children)} processes"


def daemons(file):
    """Start daemons that can't be traced back to this bot, not even by their environment."""
    code = (
        "import os, signal\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            signal.pause()\n"
        "        os._exit(0)\n"
        f"open({file!r}, 'w').write('started')\n"
    )
    detached(code, env={}).wait()
    await_pid(file)


def try_out(name, argument):
    """Run an attack and return a line for stderr."""
    try:
        got = globals()[name](argument)
    except OSError as error:
        return f"attack {name} fails: {error}\n"
    if got is None:
        return f"attack {name} was made\n"
    return f"attack {name} succeeds: {got}\n" if got else f"attack {name} fails\n"


def main():
    for number, message in enumerate(asked(sys.stdin.buffer)):
        if number == STRIKES_AT:
            for name, argument in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
                sys.stderr.write(try_out(name, argument))
            sys.stderr.flush()
        write(legal(message))


def asked(lines):
    """Yield the messages that need a reply."""
    for line in lines:
        message = json.loads(line)
        if message["type"] in ("player-name-request", "play-turn", "attack-request"):
            yield message


main()
