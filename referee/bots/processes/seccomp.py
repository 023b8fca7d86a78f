"""Builds the seccomp filter that denies system calls to a bot in a sandbox.

The namespaces of the sandbox and its missing capabilities already deny most of these calls. We
filter them anyway, because the kernel may have a bug there, and because some calls don't need a
capability at all. The filter is a program of classic BPF over `struct seccomp_data`, which we write
ourselves. The Python bindings of libseccomp only come with the system's Python, so they're missing
from every virtual environment.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

# The numbers of each call on x86_64 and aarch64. -1 means that it doesn't exist there.
DENIED = {
    # reading and controlling other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    # keys that the kernel stores for the user
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # mounts, other root folders, and handles that open files which the bot can't see
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
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # observe how others use shared files
    "fanotify_init": (300, 262),
    "inotify_init": (253, -1),
    "inotify_init1": (294, 26),
    # memory outside all processes, which the referee cannot count
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    # leave the cores of the bot's own match (`--pin`)
    "sched_setaffinity": (203, 122),
    # namespaces
    "unshare": (272, 97),
    "setns": (308, 268),
    # large parts of the kernel that bots do not need
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    # signals that the kernel sends later: SIGCONT would wake a stopped process
    "timer_create": (222, 107),
    "mq_notify": (244, 184),
    # control of the whole machine
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
"""These calls always fail with EPERM."""
PRETENDED = {
    "flock": (73, 32),
    "utime": (132, -1),
    "utimes": (235, -1),
    "futimesat": (261, -1),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
}
"""These calls do nothing, but report success.

The kernel keeps the access list of a file in memory that counts for nobody, and the list is an
extended attribute.

Two bots could use a lock on a shared file, or the times of a device, to send messages to each
other. The filter can't see which file is meant, so we can't allow only harmless calls. We also
can't return an error, because that breaks honest programs: SQLite locks databases that it only
reads, and Java prints a warning on stdout if it can't lock its file in /tmp. Nobody needs these
locks, since two bots can never write to the same file."""
_CHMOD = {"chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452)}
PRETENDED_TO_ROOT = {
    **_CHMOD,
    "chown": (92, -1),
    "lchown": (94, -1),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "file_setattr": (469, 469),
}
"""If the referee is root, these calls also do nothing, but report success. In this case, bots own
devices of the machine, such as /dev/null, and mustn't change them.
"""
UNKNOWN = 470
"""We haven't reviewed system calls with this number or higher (added after Linux 6.18). They fail
as if the kernel didn't have them.
"""
CLONE, CLONE3, IOCTL, PERSONALITY = (56, 220), (435, 435), (16, 29), (135, 92)
FCNTL, SOCKET, SOCKETPAIR, PRCTL = (72, 25), (41, 198), (53, 199), (157, 167)
SETSOCKOPT = (54, 208)
NEW_NAMESPACES = 0x7E020080
"""The CLONE_NEW... flags: user, pid, net, ipc, uts, cgroup, mount, time."""
TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which insert characters into a terminal's input."""
PERSONALITIES = (0, 0xFFFFFFFF)
"""Allowed arguments: PER_LINUX, and the value that only queries the current personality."""
LOCKS = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW and F_OFD_...: handled like `PRETENDED`."""
FCNTL_COMMANDS = (
    *(0, 1, 2, 3, 4),  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL
    *(5, 36),  # F_GETLK, F_OFD_GETLK
    *(8, 9, 11, 15, 16),  # F_SETOWN, F_GETOWN, F_GETSIG, F_SETOWN_EX, F_GETOWN_EX
    *(1027, 1028, 1030),  # F_DUPFD_QUERY, F_CREATED_QUERY, F_DUPFD_CLOEXEC
    *(1031, 1032, 1033, 1034),  # F_SETPIPE_SZ, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS
)
"""All other commands of fcntl are denied.

A lease stops other processes that open the file. F_NOTIFY reports the activity of others in a
folder, F_SET_RW_HINT stores a number in a file, and F_SETSIG chooses a signal that the kernel sends
later."""
SENDS = {
    "kill": (62, 129, 1),
    "tkill": (200, 130, 1),
    "tgkill": (234, 131, 2),
    "rt_sigqueueinfo": (129, 138, 1),
    "rt_tgsigqueueinfo": (297, 240, 2),
    "pidfd_send_signal": (424, 424, 1),
}
"""Calls that send a signal. The third number is the index of the argument with the signal.

Bots can't use them to send SIGCONT. Without a control group, we stop a waiting bot with SIGSTOP
(limits.md, 5), and its processes mustn't wake each other up."""
SIGCONT = 18
SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG, which sets the signal that a process gets when its parent dies."""
HOLDING_CONTROLS = (22, 78)
"""PR_SET_SECCOMP and PR_FUTEX_HASH. The latter takes a gigabyte of the kernel's memory at once."""
AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET, SOCK_TYPES = 1, 1, 5, 0xF
"""The only sockets that a program without a network needs are Unix streams, and pairs of packets,
which the library of Rust opens whenever it starts a program.

Only their memory is bounded by their number and by the size of their buffers. Datagrams stay after
their sender has closed, and some families aren't counted by control groups. AF_VSOCK even reaches
the hypervisor of a virtual machine."""
SOL_SOCKET, HOLDING = 1, (7, 8, 26, 32, 33, 50, 51, 52)
"""SO_SNDBUF and SO_RCVBUF, with and without FORCE, and the options that attach a filter. They're
handled like `PRETENDED`, because they enlarge the memory that a socket can hold.
"""


class Machine(NamedTuple):
    """System call numbers and other constants that the filter needs for one CPU architecture.

    Attributes:
        audit: AUDIT_ARCH of its native system calls. Any other call, e.g. of a 32-bit program,
            kills the process.
        foreign: the first number that belongs to another ABI (x32), or 0 if there isn't one.
    """

    audit: int
    column: int
    foreign: int = 0


MACHINES = {
    "x86_64": Machine(0xC000003E, 0, 0x40000000),
    "aarch64": Machine(0xC00000B7, 1),
}
MODES = {
    **{name: (*row, 2 if "at" in name else 1) for name, row in _CHMOD.items()},
    "mknod": (133, -1, 1),
    "mknodat": (259, 33, 2),
    "creat": (85, -1, 1),
    "open": (2, -1, 2),
    "openat": (257, 56, 3),
}
"""Calls that set the mode of a file. The third number is the index of the argument with the
mode."""
OPENAT2 = (437, 437)
SET_ID = 0o6000
"""S_ISUID and S_ISGID, which make a program run with the rights of its owner or group."""
CREATES = 0o20000100
"""O_CREAT, and the bit that makes O_TMPFILE out of O_DIRECTORY. Without either of them, `open`
ignores its mode argument, which may then have any value.
"""

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in `struct seccomp_data`
_FIRST, _SECOND, _THIRD = 16, 24, 32  # offsets of the call's arguments, which have 64 bits
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_PRETEND, _EPERM, _ENOSYS, _EAFNOSUPPORT = (_ERROR | errno for errno in (0, 1, 38, 97))


@cache
def seccomp_filter(
    machine: str = os.uname().machine, root: bool = os.geteuid() == 0, builds: bool = False
) -> bytes:
    """Return the filter in bubblewrap's format, or b"" if we don't support this machine.

    Args:
        machine: the name from `uname`.
        root: True if the referee's user is root.
        builds: True for a build, since compilers have to lock files and change modes and times.
    """
    known = MACHINES.get(machine)
    if known is None:
        return b""
    tables = [(DENIED, _EPERM)]
    if not builds:
        tables += [(PRETENDED, _PRETEND), (PRETENDED_TO_ROOT if root else {}, _PRETEND)]
    program = [
        _do(_LOAD, _ARCHITECTURE),
        _jump(_EQUAL, known.audit, 1, 0),
        _do(_RETURN, _KILL),
        _do(_LOAD, _NUMBER),
    ]
    if builds:
        program += _no_set_id(known.column)
    if known.foreign:
        program += _return_if(_ABOVE, known.foreign, _KILL)
    program += _return_if(_ABOVE, UNKNOWN, _ENOSYS)
    for table, answer in tables:
        for numbers in table.values():
            if numbers[known.column] >= 0:
                program += _return_if(_EQUAL, numbers[known.column], answer)
    # A filter can't look at the flags of clone3, because they're in memory. But if the call fails
    # with ENOSYS, the C library tries clone instead, and there they're in a register.
    program += _return_if(_EQUAL, CLONE3[known.column], _ENOSYS)
    for numbers, argument, tests, otherwise in _argument_tests(builds):
        program += [
            _jump(_EQUAL, numbers[known.column], 0, len(tests) + 2),
            _do(_LOAD, argument),
            *tests,
            _do(_RETURN, otherwise),
        ]
    program.append(_do(_RETURN, _ALLOW))
    return b"".join(program)


def _argument_tests(builds: bool) -> Iterator[tuple[tuple[int, int], int, list[bytes], int]]:
    # Each test here only looks at the lower 32 bits of an argument. That's enough, because the
    # kernel ignores the upper half of these arguments as well.
    wakes = _return_if(_EQUAL, SIGCONT, _EPERM)
    # The lowest byte of clone's flags is the signal that the parent gets when the new process ends,
    # so a bot could use it to send SIGCONT.
    at_its_end = [_do(_AND, 0xFF), *wakes]
    yield CLONE, _FIRST, _return_if(_ANY_BIT, NEW_NAMESPACES, _EPERM) + at_its_end, _ALLOW
    yield IOCTL, _SECOND, _return_if_in(TERMINAL_INPUT, _EPERM), _ALLOW
    yield PERSONALITY, _FIRST, _return_if_in(PERSONALITIES, _ALLOW), _EPERM
    locks = _return_if_in(LOCKS, _ALLOW if builds else _PRETEND)
    yield FCNTL, _SECOND, _return_if_in(FCNTL_COMMANDS, _ALLOW) + locks, _EPERM
    for call, kinds in ((SOCKET, [SOCK_STREAM]), (SOCKETPAIR, [SOCK_STREAM, SOCK_SEQPACKET])):
        of_kind = [_do(_LOAD, _SECOND), _do(_AND, SOCK_TYPES), *_return_if_in(kinds, _ALLOW)]
        yield call, _FIRST, [_jump(_EQUAL, AF_UNIX, 0, len(of_kind)), *of_kind], _EAFNOSUPPORT
    death = [_jump(_EQUAL, SET_DEATH_SIGNAL, 0, 3), _do(_LOAD, _SECOND), *wakes]
    yield PRCTL, _FIRST, _return_if_in(HOLDING_CONTROLS, _EPERM) + death, _ALLOW
    kept = _return_if_in(HOLDING, _PRETEND)
    sizes = [_jump(_EQUAL, SOL_SOCKET, 0, len(kept) + 1), _do(_LOAD, _THIRD), *kept]
    yield SETSOCKOPT, _SECOND, sizes, _ALLOW
    for x86_64, aarch64, index in SENDS.values():
        yield (x86_64, aarch64), _FIRST + 8 * index, wakes, _ALLOW


def _return_if(code: int, value: int, answer: int) -> list[bytes]:
    return [_jump(code, value, 0, 1), _do(_RETURN, answer)]


def _return_if_in(values: Sequence[int], answer: int) -> list[bytes]:
    return [instruction for value in values for instruction in _return_if(_EQUAL, value, answer)]


def _do(code: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, value)


def _jump(code: int, value: int, then: int, otherwise: int) -> bytes:
    """Skip `then` instructions if the test is true, and `otherwise` if it is false."""
    return struct.pack("=HBBI", code, then, otherwise, value)


def _no_set_id(column: int) -> list[bytes]:
    # As with clone3, the mode of openat2 is in memory, so we pretend that the kernel is too old for
    # openat2. Programs then use openat.
    found = [_jump(_EQUAL, OPENAT2[column], 0, 1), _do(_RETURN, _ERROR | _ENOSYS)]
    for name, row in MODES.items():
        tests = [
            _do(_LOAD, _FIRST + 8 * row[2]),
            _jump(_ANY_BIT, SET_ID, 0, 1),
            _do(_RETURN, _ERROR | _EPERM),
            _do(_RETURN, _ALLOW),
        ]
        if name.startswith("open"):
            flags = _do(_LOAD, _FIRST + 8 * (row[2] - 1))
            tests = [flags, _jump(_ANY_BIT, CREATES, 0, 3), *tests]
        if row[column] >= 0:
            found += [_jump(_EQUAL, row[column], 0, len(tests)), *tests]
    return found
