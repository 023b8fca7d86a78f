"""The memory of all processes of a bot together, where no control group counts it (Linux).

Then the system limits only the private memory of each process (`confinement.py`). So the referee
reads the memory itself (sandbox.md, 9). It first reads an upper bound, which is cheap: the private
memory of each process, all shared memory of the machine, and all its socket buffers. Honest bots
are within their limit already. If the bound is above the limit, the referee replaces one part after
the other by the memory of the bot alone, until the sum is within the limit or all are replaced.
"""

from __future__ import annotations

import math
import mmap
import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from referee.bots.processes.orphans import descendants
from referee.match.limits import MIB, Limits
from referee.match.sandbox import Sandbox

if TYPE_CHECKING:
    from referee.bots.processes.cgroups import Cgroup

_FILL_BYTES = 8 * 2**30
"""Memory that a bot can fill in a second, at most."""
_REST_SECONDS, _MOST_REST_SECONDS = 0.05, 0.25
_RESTS = 20
"""Looks take at most one part in so many of the time."""
_EXACT_SECONDS = 0.1
"""CPU seconds for each part that is replaced. What is not read in that time counts by the bound."""
_KIB = 1024
_PAGE = os.sysconf("SC_PAGE_SIZE")
_INODE_BYTES = 1300
"""Memory of the kernel for an empty file."""
_UNIX_SOCKET_BYTES = 208 * _KIB
"""What may wait in a Unix socket (net.core.wmem_default), which nothing shows."""
_OWN = re.compile(rb"^(?:RssAnon|VmPTE|VmSwap):\s+(\d+)", re.M)
_SHARED = re.compile(rb"^Shmem:\s+(\d+)", re.M)
_EXACT = re.compile(rb"^(?:Pss_Anon|SwapPss):\s+(\d+)", re.M)
_PAGE_TABLES = re.compile(rb"^VmPTE:\s+(\d+)", re.M)
_SOCKETS_USED = re.compile(rb"^sockets: used (\d+)", re.M)
_BUFFERS = re.compile(rb"^(?:TCP|UDP):.* mem (\d+)", re.M)
_QUEUES = re.compile(rb"^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):([0-9A-F]+) ", re.M)
_UNNAMED = re.compile(rb" (\w+):(\w+) \d+ +/dev/zero \(deleted\)$", re.M)
_ON_THEIR_WAY = re.compile(rb"^scm_fds:\s+(\d+)", re.M)
_MAPPING = re.compile(rb"^(\w+)-(\w+) \S+ (\w+) (\w+:\w+) (\d+)", re.M)


class Looking(Protocol):
    """What the referee itself has to look at in the memory of a bot.

    Attributes:
        look_at: when to look again, on `time.monotonic`.
    """

    look_at: float

    def exceeded(self, roots: Set[int]) -> str:
        """Look at the memory. Returns: the reason why it is too much; empty if it is not.

        Args:
            roots: the processes of the bot from which all others descend.
        """


def memory_watch(limits: Limits, sandbox: Sandbox, cgroup: Cgroup | None) -> Looking | None:
    """The looks that a bot needs; None if the system limits all of its memory, or none."""
    if limits.memory_limit == math.inf or sys.platform != "linux":
        return None
    if cgroup is None:
        return MemoryWatch(limits, is_inside=sandbox.kind == "bwrap")
    return SocketWatch(cgroup) if cgroup.socket_limit < math.inf else None


class SocketWatch:
    """Looks at the socket buffers of a group that counts them apart from its memory.

    The system refuses more than its limit, except the first bytes of each socket.
    """

    def __init__(self, cgroup: Cgroup) -> None:
        self._cgroup = cgroup
        self.look_at = 0.0

    def exceeded(self, roots: Set[int]) -> str:  # noqa: D102
        self.look_at = time.monotonic() + _MOST_REST_SECONDS
        used, most = self._cgroup.socket_bytes, 2 * self._cgroup.socket_limit
        if used <= most:
            return ""
        return (
            f"its sockets have taken {used / MIB:,.0f} MiB of memory beside that of its processes "
            f"(at most {most / MIB:,g} MiB)"
        )


class MemoryWatch:
    """Looks at a bot without a control group."""

    def __init__(self, limits: Limits, *, is_inside: bool) -> None:
        self._limit, self._file_limit = limits.memory_limit, limits.file_size_limit
        self._is_inside = is_inside
        self._rest(0.0, began=time.monotonic())

    def exceeded(self, roots: Set[int]) -> str:  # noqa: D102
        began = time.monotonic()
        pids = [each for root in roots for each in (root, *descendants(root))]
        used = self._used(pids) if pids else 0
        self._rest(used, began)
        if used <= self._limit:
            return ""
        return f"it has used {used / MIB:,.0f} MiB of memory (at most {self._limit / MIB:,g} MiB)"

    def _rest(self, used: float, began: float) -> None:
        """Look again when the rest of the limit can be filled, but not too often."""
        now = time.monotonic()
        rest = max((self._limit - used) / _FILL_BYTES, _REST_SECONDS, _RESTS * (now - began))
        self.look_at = now + min(rest, _MOST_REST_SECONDS)

    def _used(self, pids: list[int]) -> float:
        """The bytes of these processes; an upper bound if they are within the limit."""
        own = {pid: _kib(_OWN, _read(f"/proc/{pid}/status")) for pid in pids}
        private: float = sum(own.values())
        shared: float = _kib(_SHARED, _read("/proc/meminfo"))
        content = empty = buffers = 0
        network = _network(pids) if self._is_inside else None
        if network is not None:
            content, empty = _files(network.pid)
            buffers = network.most_buffers

        def is_above() -> bool:
            return private + shared + empty + buffers > self._limit

        if is_above():
            shared = min(shared, content + _unnamed(pids, self._file_limit))
        if network is not None and buffers and is_above():
            buffers = _buffers(network.pid)
        until = time.thread_time() + _EXACT_SECONDS
        for pid in sorted(own, key=own.__getitem__, reverse=True):
            if not is_above() or time.thread_time() > until:
                break
            private -= max(0.0, own[pid] - _own_share(pid))
        return private + shared + empty + buffers


def _own_share(pid: int) -> float:
    """The private memory of a process, with its share of the pages that others have as well.

    Returns: bytes; infinity if that cannot be found out.
    """
    exact = _read(f"/proc/{pid}/smaps_rollup")
    status = _read(f"/proc/{pid}/status")
    if _EXACT.search(exact):
        return _kib(_EXACT, exact) + _kib(_PAGE_TABLES, status)
    return math.inf if _OWN.search(status) else 0.0  # one that has ended has no memory


def _files(pid: int) -> tuple[int, int]:
    """The memory for the files of a sandbox: for their content, and for the files themselves."""
    content = count = 0
    for folder in ("tmp", "dev/shm"):
        with suppress(OSError):
            system = os.statvfs(f"/proc/{pid}/root/{folder}")
            content += (system.f_blocks - system.f_bfree) * system.f_frsize
            count += system.f_files - system.f_ffree
    return content, count * _INODE_BYTES


class _Network(NamedTuple):
    """The network of a sandbox: a process in it that lives, and at most so many socket buffers."""

    pid: int
    most_buffers: int


def _network(pids: Iterable[int]) -> _Network | None:
    for pid in pids:
        text = _read(f"/proc/{pid}/net/sockstat")
        if text:  # the buffers are those of the whole machine, and the sockets those of the sandbox
            sockets = sum(map(int, _SOCKETS_USED.findall(text)))
            waiting = sum(map(int, _BUFFERS.findall(text))) * _PAGE
            return _Network(pid, sockets and waiting + sockets * _UNIX_SOCKET_BYTES)
    return None


def _buffers(pid: int) -> int:
    """The socket buffers in the network of a process."""
    waiting = sum(
        int(number, 16)
        for name in ("tcp", "tcp6", "udp", "udp6")
        for numbers in _QUEUES.findall(_read(f"/proc/{pid}/net/{name}"))
        for number in numbers
    )
    sockets = _read(f"/proc/{pid}/net/unix").count(b"\n") - 1
    return waiting + max(0, sockets) * _UNIX_SOCKET_BYTES


def _unnamed(pids: list[int], file_limit: float) -> float:
    """Shared memory that has no name in a folder, such as that of `memfd_create`.

    It counts with its pages if a process has it open, else with the size of its mappings. A bot can
    let go of pages that stay in memory, and then nothing shows them. A file that is on its way
    through a socket counts with `file_limit`.

    Returns: bytes; infinity if that cannot be found out, or takes too long.
    """
    until = time.thread_time() + _EXACT_SECONDS
    device = _device()
    mapped, opened, on_their_way = dict[int, int](), dict[int, int](), 0
    for pid in pids:
        for inode, end in _mappings(pid, device):
            mapped[inode] = max(mapped.get(inode, 0), end)
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except PermissionError:  # it hides itself
            return math.inf
        except OSError:  # it has ended
            continue
        for name in names:
            if time.thread_time() > until:
                return math.inf
            with suppress(OSError):
                found = os.stat(f"/proc/{pid}/fd/{name}")
                if found.st_dev == device:
                    opened[found.st_ino] = found.st_blocks * 512
                elif stat.S_ISSOCK(found.st_mode):
                    text = _read(f"/proc/{pid}/fdinfo/{name}")
                    on_their_way += sum(map(int, _ON_THEIR_WAY.findall(text)))
    known = sum((mapped | opened).values())
    return known + on_their_way * file_limit if on_their_way else known


def _mappings(pid: int, device: int) -> Iterator[tuple[int, int]]:
    """The mappings of a process from a device: the inode, and where in it the mapping ends."""
    name = b"%02x:%02x" % (os.major(device), os.minor(device))
    for start, end, offset, at, inode in _MAPPING.findall(_read(f"/proc/{pid}/maps")):
        if at == name:
            yield int(inode), int(offset, 16) + int(end, 16) - int(start, 16)


@cache
def _device() -> int:
    """The device of all shared memory without a name."""
    with mmap.mmap(-1, _PAGE):  # not every Python has `os.memfd_create`
        found = _UNNAMED.search(_read("/proc/self/maps"))
    return os.makedev(*(int(number, 16) for number in found.groups())) if found else -1


def _kib(pattern: re.Pattern[bytes], text: bytes) -> int:
    """The sum of all numbers of KiB that a pattern finds, in bytes."""
    return sum(map(int, pattern.findall(text))) * _KIB


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""
