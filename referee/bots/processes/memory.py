"""Measures the memory of all processes of a bot that has no control group (Linux).

Without a control group, the system can only limit the private memory of each single process
(`confinement.py`), so the referee itself has to measure the rest (limits.md, 2). Exact numbers are
expensive, though. We start with a cheap upper bound: the private memory of each process, all shared
memory of the machine, and what the bot's sockets and descriptors can hold. For an honest bot, even
this sum is below the limit. If it isn't, we replace one part after another by the bot's exact
share, until the sum is below the limit or all parts are exact.
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
from typing import TYPE_CHECKING

from referee.bots.processes.orphans import descendants
from referee.match.limits import MIB, Limits, memory_words
from referee.match.sandbox import Sandbox

if TYPE_CHECKING:
    from referee.bots.processes.cgroups import Cgroup

# No program fills memory faster than this many bytes per second, so we know how long we can wait
# before we measure again.
_FILL_BYTES = 8 * 2**30
_REST_SECONDS, _MOST_REST_SECONDS = 0.05, 0.25
# If a measurement took a second, we don't start the next one for this many seconds. The pause is
# never longer than `_MOST_REST_SECONDS`, though.
_RESTS = 20
# To get an exact number, we spend no more than this many CPU seconds. If that isn't enough, we use
# the upper bound.
_EXACT_SECONDS = 0.1
_KIB = 1024
_PAGE = os.sysconf("SC_PAGE_SIZE")
# Even an empty file uses this much kernel memory.
_INODE_BYTES = 1300
# A socket may hold this much: net.core.wmem_default, and a last message of half its size that still
# fits in, rounded up by the kernel. We can't measure how much it really holds.
_SOCKET_BYTES = 344 * _KIB
# Both ends of a pipe may hold two pages. For the first 1,024 pipes of a user it's more, see
# limits.md.
_DESCRIPTOR_BYTES = _PAGE
_OWN = re.compile(rb"^(?:RssAnon|VmPTE|VmSwap):\s+(\d+)", re.M)
_SHARED = re.compile(rb"^Shmem:\s+(\d+)", re.M)
_EXACT = re.compile(rb"^(?:Pss_Anon|SwapPss):\s+(\d+)", re.M)
_PAGE_TABLES = re.compile(rb"^VmPTE:\s+(\d+)", re.M)
_DESCRIPTORS = re.compile(rb"^FDSize:\s+(\d+)", re.M)
_SOCKETS = re.compile(rb"^sockets: used (\d+)", re.M)
_UNNAMED = re.compile(rb" (\w+):(\w+) \d+ +/dev/zero \(deleted\)$", re.M)
_ON_THEIR_WAY = re.compile(rb"^scm_fds:\s+(\d+)", re.M)
_MAPPING = re.compile(rb"^(\w+)-(\w+) \S+ (\w+) (\w+:\w+) (\d+)", re.M)


def memory_watch(limits: Limits, sandbox: Sandbox, cgroup: Cgroup | None) -> MemoryWatch | None:
    """Return an object that measures a bot's memory, or None if we don't need to or can't."""
    if limits.memory_limit == math.inf or sys.platform != "linux" or cgroup is not None:
        return None
    return MemoryWatch(limits, is_inside=sandbox.kind == "bwrap")


class MemoryWatch:
    """Measures the memory of a bot that has no control group from time to time.

    Attributes:
        look_at: when to measure again, on `time.monotonic`.
    """

    def __init__(self, limits: Limits, *, is_inside: bool) -> None:
        self._limit, self._file_limit = limits.memory_limit, limits.file_size_limit
        self._is_inside = is_inside
        self._rest(0.0, began=time.monotonic())

    def exceeded(self, roots: Set[int]) -> str:
        """Measure the memory. If the bot uses too much, return an explanation, otherwise "".

        Args:
            roots: the processes from which all other processes of the bot descend.
        """
        began = time.monotonic()
        pids = [each for root in roots for each in (root, *descendants(root))]
        used = self._used(pids) if pids else 0
        self._rest(used, began)
        if used <= self._limit:
            return ""
        most = memory_words(self._limit)
        return f"it has used {used / MIB:,.0f} MiB of memory (at most {most})"

    def _rest(self, used: float, began: float) -> None:
        # If there's a lot of memory left, the bot can't reach the limit for a while, so we don't
        # have to measure again so soon. If measuring takes long, we also do it less often.
        now = time.monotonic()
        rest = max((self._limit - used) / _FILL_BYTES, _REST_SECONDS, _RESTS * (now - began))
        self.look_at = now + min(rest, _MOST_REST_SECONDS)

    def _used(self, pids: list[int]) -> float:
        """Return how many bytes of memory these processes use.

        If an upper bound is below the limit, we return it, because the exact number is expensive.
        """
        status = {pid: _read(f"/proc/{pid}/status") for pid in pids}
        own = {pid: _kib(_OWN, text) for pid, text in status.items()}
        private: float = sum(own.values())
        shared: float = _kib(_SHARED, _read("/proc/meminfo"))
        content = kernel = 0
        if self._is_inside:
            content, kernel = _inside(pids)
            kernel += _DESCRIPTOR_BYTES * sum(_sum(_DESCRIPTORS, each) for each in status.values())

        def is_above() -> bool:
            return private + shared + kernel > self._limit

        if is_above():
            shared = min(shared, content + _unnamed(pids, self._file_limit))
        until = time.thread_time() + _EXACT_SECONDS
        # Begin with the largest process, where an exact number is likely to change the most.
        for pid in sorted(own, key=own.__getitem__, reverse=True):
            if not is_above() or time.thread_time() > until:
                break
            private -= max(0.0, own[pid] - _own_share(pid))
        return private + shared + kernel


def _own_share(pid: int) -> float:
    # In `status`, pages that are shared after a fork count for each process. Only smaps_rollup has
    # the proportional share, but the kernel has to walk through all pages to compute it.
    exact = _read(f"/proc/{pid}/smaps_rollup")
    status = _read(f"/proc/{pid}/status")
    if _EXACT.search(exact):
        return _kib(_EXACT, exact) + _kib(_PAGE_TABLES, status)
    return math.inf if _OWN.search(status) else 0.0  # a process that has ended has no memory


def _inside(pids: Iterable[int]) -> tuple[int, int]:
    """Return the size of a sandbox's files in memory, and what its files and sockets use besides.

    One process shows them for all.
    """
    for pid in pids:
        text = _read(f"/proc/{pid}/net/sockstat")
        if text:
            content, count = _files(pid)
            return content, count * _INODE_BYTES + _sum(_SOCKETS, text) * _SOCKET_BYTES
    return 0, 0


def _files(pid: int) -> tuple[int, int]:
    content = count = 0
    for folder in ("tmp", "dev/shm"):
        with suppress(OSError):
            system = os.statvfs(f"/proc/{pid}/root/{folder}")
            content += (system.f_blocks - system.f_bfree) * system.f_frsize
            count += system.f_files - system.f_ffree
    return content, count


def _unnamed(pids: list[int], file_limit: float) -> float:
    """Return the size of shared memory without a name, e.g. from `memfd_create`.

    If a process has such a file open, we count its pages in memory. If it's only mapped, we can't
    do that: a bot can unmap some of the pages, and they stay in memory where we don't see them. In
    this case, we count everything up to the end of the mapping. While a file is being sent through
    a socket, no process may have it open at all. We then assume that it's as large as `file_limit`.

    The result is infinity if we can't find out, or if it takes too long.
    """
    until = time.thread_time() + _EXACT_SECONDS
    device = _device()
    mapped, opened, on_their_way = dict[int, int](), dict[int, int](), 0
    for pid in pids:
        for inode, end in _mappings(pid, device):
            mapped[inode] = max(mapped.get(inode, 0), end)
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except PermissionError:  # the bot has hidden this process from us
            return math.inf
        except OSError:  # the process has ended
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
                    on_their_way += _sum(_ON_THEIR_WAY, text)
    known = sum((mapped | opened).values())
    return known + on_their_way * file_limit if on_their_way else known


def _mappings(pid: int, device: int) -> Iterator[tuple[int, int]]:
    name = b"%02x:%02x" % (os.major(device), os.minor(device))
    for start, end, offset, at, inode in _MAPPING.findall(_read(f"/proc/{pid}/maps")):
        if at == name:
            yield int(inode), int(offset, 16) + int(end, 16) - int(start, 16)


@cache
def _device() -> int:
    with mmap.mmap(-1, _PAGE):  # os.memfd_create() isn't always available
        found = _UNNAMED.search(_read("/proc/self/maps"))
    return os.makedev(*(int(number, 16) for number in found.groups())) if found else -1


def _kib(pattern: re.Pattern[bytes], text: bytes) -> int:
    return _sum(pattern, text) * _KIB


def _sum(pattern: re.Pattern[bytes], text: bytes) -> int:
    return sum(map(int, pattern.findall(text)))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""
