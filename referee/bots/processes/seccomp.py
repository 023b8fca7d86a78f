"""The system calls that a bot in a sandbox cannot make: a filter for the kernel (seccomp).

The namespaces and the missing capabilities of the sandbox refuse most of these already. The filter
is there for a kernel with a bug in one of them, and for what no capability guards. It is a
program of classic BPF over `struct seccomp_data`, made here in a few lines: libseccomp's Python
bindings come with the system's Python alone, so a virtual environment has none.
"""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import NamedTuple

# name: x86_64, aarch64 (-1: has none)
DENIED = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    # the keys of the user
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # mounts, roots, handles of files that are not visible
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # namespaces
    "unshare": (272, 97),
    "setns": (308, 268),
    # large parts of the kernel that no bot needs
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    # the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "iopl": (172, -1),
    "ioperm": (173, -1),
}
"""Refused with EPERM, whatever the arguments."""
DENIED_TO_ROOT = {
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
}
"""Likewise where the referee is root: its bot owns /dev/null of the machine, and could close it."""
CLONE, CLONE3, IOCTL, PERSONALITY = (56, 220), (435, 435), (16, 29), (135, 92)
NEW_NAMESPACES = 0x7E020080
"""CLONE_NEW...: user, pid, net, ipc, uts, cgroup, mount, time."""
TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which put characters into a terminal's input."""
PERSONALITIES = (0, 0xFFFFFFFF)
"""The usual one, and the question which it is."""


class Machine(NamedTuple):
    """What the filter must know of an architecture.

    Attributes:
        audit: AUDIT_ARCH of its own system calls; others, as of 32-bit programs, kill the process.
        column: of the tables above.
        foreign: from this number on they are of another ABI (x32); 0: there is none.
    """

    audit: int
    column: int
    foreign: int = 0


MACHINES = {
    "x86_64": Machine(0xC000003E, 0, 0x40000000),
    "aarch64": Machine(0xC00000B7, 1),
}

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # offsets; arguments are of 64 bits
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38


@cache
def seccomp_filter(machine: str = os.uname().machine, root: bool = os.geteuid() == 0) -> bytes:
    """The filter, as bubblewrap reads it; empty for a machine that it is not written for.

    Args:
        machine: as `uname` calls it.
        root: whether the referee's user is root.
    """
    known = MACHINES.get(machine)
    if known is None:
        return b""
    denied = [*DENIED.values(), *(DENIED_TO_ROOT.values() if root else ())]
    numbers = sorted(pair[known.column] for pair in denied if pair[known.column] >= 0)
    clone, clone3, ioctl, personality = (
        pair[known.column] for pair in (CLONE, CLONE3, IOCTL, PERSONALITY)
    )
    refuse = _do(_RETURN, _ERROR | _EPERM)
    program = [
        _do(_LOAD, _ARCHITECTURE),
        _jump(_EQUAL, known.audit, 1, 0),
        _do(_RETURN, _KILL),
        _do(_LOAD, _NUMBER),
    ]
    if known.foreign:
        program += [_jump(_ABOVE, known.foreign, 0, 1), _do(_RETURN, _KILL)]
    for number in numbers:
        program += [_jump(_EQUAL, number, 0, 1), refuse]
    # Its flags are in memory, where a filter cannot look; the C library then calls clone.
    program += [_jump(_EQUAL, clone3, 0, 1), _do(_RETURN, _ERROR | _ENOSYS)]
    for number, argument, tests in (
        (clone, _FIRST, [_jump(_ANY_BIT, NEW_NAMESPACES, 0, 1), refuse]),
        # The kernel looks at the lower 32 bits of these alone, and so must we.
        (ioctl, _SECOND, [i for v in TERMINAL_INPUT for i in (_jump(_EQUAL, v, 0, 1), refuse)]),
        (
            personality,
            _FIRST,
            [*(_jump(_EQUAL, v, 2 - n, 0) for n, v in enumerate(PERSONALITIES)), refuse],
        ),
    ):
        program += [
            _jump(_EQUAL, number, 0, len(tests) + 2),
            _do(_LOAD, argument),
            *tests,
            _do(_RETURN, _ALLOW),
        ]
    program.append(_do(_RETURN, _ALLOW))
    return b"".join(program)


def _do(code: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, value)


def _jump(code: int, value: int, then: int, otherwise: int) -> bytes:
    """Skip so many instructions if the test holds, and so many if it does not."""
    return struct.pack("=HBBI", code, then, otherwise, value)
