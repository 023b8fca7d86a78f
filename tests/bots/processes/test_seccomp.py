"""The system call filter, interpreted in the way the kernel does it."""

from __future__ import annotations

import fcntl
import re
import signal
import socket
import struct
from pathlib import Path

import pytest

from referee.bots.processes.seccomp import (
    CLONE,
    CLONE3,
    DENIED,
    FCNTL,
    IOCTL,
    MACHINES,
    MODES,
    OPENAT2,
    PERSONALITY,
    PRCTL,
    PRETENDED,
    PRETENDED_TO_ROOT,
    SENDS,
    SETSOCKOPT,
    SOCKET,
    SOCKETPAIR,
    UNKNOWN,
    seccomp_filter,
)

ALLOWED, EPERM, ENOSYS, KILLED = 0x7FFF0000, 0x50001, 0x50026, 0x80000000
PRETENDS, EAFNOSUPPORT = 0x50000, 0x50061
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
READ = {"x86_64": 0, "aarch64": 63}
BY_ARGUMENT = {
    "clone": CLONE,
    "clone3": CLONE3,
    "ioctl": IOCTL,
    "personality": PERSONALITY,
    "fcntl": FCNTL,
    "socket": SOCKET,
    "socketpair": SOCKETPAIR,
    "prctl": PRCTL,
    "setsockopt": SETSOCKOPT,
}
HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}
machines = pytest.mark.parametrize("machine", MACHINES)


def verdict(
    machine: str,
    number: int,
    *arguments: int,
    audit: int | None = None,
    root: bool = False,
    builds: bool = False,
) -> int:
    """Run the filter on a system call and return the verdict, like the kernel's BPF machine."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, AUDIT[machine] if audit is None else audit, 0, *padded)
    program = [*struct.iter_unpack("=HBBI", seccomp_filter(machine, root, builds))]
    accumulator = at = 0
    while True:
        code, then, otherwise, value = program[at]
        at += 1
        match code:
            case 0x20:  # load a word
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x54:  # and
                accumulator &= value
            case 0x06:  # return
                return int(value)
            case 0x15 | 0x35 | 0x45:  # jump if equal, if greater or equal, or if any bit is set
                holds = {0x15: accumulator == value, 0x35: accumulator >= value}
                at += then if holds.get(code, bool(accumulator & value)) else otherwise
            case _:
                raise AssertionError(f"no instruction of the filter: {code:#x}")


@machines
def test_what_is_denied_is_refused_and_the_rest_is_not(machine: str) -> None:
    """During a build, programs may also lock files and change modes and times."""
    column = MACHINES[machine].column
    denied, pretended, for_root, special = (
        {pair[column] for pair in table.values()} - {-1}
        for table in (DENIED, PRETENDED, PRETENDED_TO_ROOT, BY_ARGUMENT)
    )
    assert {verdict(machine, number) for number in range(UNKNOWN, 600)} == {ENOSYS}
    for number in set(range(UNKNOWN)) - special - {OPENAT2[column]}:
        in_build = EPERM if number in denied else ALLOWED
        assert verdict(machine, number, root=True, builds=True) == in_build, number
        expected = PRETENDS if number in pretended else in_build
        assert verdict(machine, number) == expected, number
        expected = PRETENDS if number in for_root else expected
        assert verdict(machine, number, root=True) == expected, number


def test_which_calls_are_denied_or_do_nothing() -> None:
    """These are all that reach other processes, the user's keys, mounts or the machine."""
    denied = """
        ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp perf_event_open
        add_key request_key keyctl mount umount2 pivot_root chroot open_tree move_mount fsopen
        fsconfig fsmount fspick mount_setattr open_tree_attr name_to_handle_at open_by_handle_at
        quotactl quotactl_fd fanotify_init inotify_init inotify_init1 shmget semget msgget
        memfd_secret vmsplice seccomp landlock_create_ruleset sched_setaffinity unshare setns bpf
        io_uring_setup io_uring_enter io_uring_register userfaultfd timer_create mq_notify
        kexec_load kexec_file_load init_module finit_module delete_module reboot swapon swapoff acct
        syslog iopl ioperm
    """
    for_root = """
        chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat file_setattr
    """
    pretended = """
        flock utime utimes futimesat utimensat setxattr lsetxattr fsetxattr setxattrat removexattr
        lremovexattr fremovexattr removexattrat
    """
    assert {*DENIED} == {*denied.split()}
    assert {*PRETENDED} == {*pretended.split()}
    assert {*PRETENDED_TO_ROOT} == {*for_root.split()}
    sends = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal"
    assert {*SENDS} == {*sends.split()}
    modes = "chmod fchmod fchmodat fchmodat2 mknod mknodat creat open openat"
    assert {*MODES} == {*modes.split()}


@machines
def test_no_lock_lease_or_hint_is_left_on_a_file(machine: str) -> None:
    """Unknown commands are refused, because newer kernels add more of them."""
    number = FCNTL[MACHINES[machine].column]
    for lock in (fcntl.F_SETLK, fcntl.F_SETLKW, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW):
        assert verdict(machine, number, 0, lock) == PRETENDS
        # The kernel ignores the upper half of the argument.
        assert verdict(machine, number, 0, lock | 1 << 32) == PRETENDS
        assert verdict(machine, number, 0, lock, builds=True) == ALLOWED
    set_write_hint, set_delegation = 1036, 1040
    for command in (fcntl.F_SETLEASE, fcntl.F_NOTIFY, set_write_hint, set_delegation, 5000):
        for builds in (False, True):
            assert verdict(machine, number, 0, command, builds=builds) == EPERM
    for command in (fcntl.F_GETFL, fcntl.F_SETFD, fcntl.F_GETLK, fcntl.F_DUPFD_CLOEXEC):
        assert verdict(machine, number, 0, command) == ALLOWED


@machines
@pytest.mark.parametrize("builds", [False, True])
def test_the_only_sockets_are_between_own_processes(machine: str, builds: bool) -> None:
    """They are streams, and pairs of packets, with which Rust starts programs."""
    stream, packets = (
        (socket.AF_UNIX, kind) for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET)
    )
    for call, allowed in ((SOCKET, {stream}), (SOCKETPAIR, {stream, packets})):
        number = call[MACHINES[machine].column]
        for family in range(64):  # AF_VSOCK is 40
            for kind in range(7):  # SOCK_PACKET is 10, and for AF_PACKET only
                for flags in (0, socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK):
                    expected = ALLOWED if (family, kind) in allowed else EAFNOSUPPORT
                    found = verdict(machine, number, family, kind | flags, builds=builds)
                    assert found == expected, (family, kind)


@machines
@pytest.mark.parametrize("builds", [False, True])
def test_a_socket_holds_no_more_than_the_system_gives_it(machine: str, builds: bool) -> None:
    """SO_SNDBUF, SO_RCVBUF and their FORCE forms; SO_ATTACH_... (FILTER, BPF, REUSEPORT_...)."""
    number = SETSOCKOPT[MACHINES[machine].column]
    holding = {7, 8, 32, 33, 26, 50, 51, 52}
    for option in range(100):
        expected = PRETENDS if option in holding else ALLOWED
        found = verdict(machine, number, 3, socket.SOL_SOCKET, option, builds=builds)
        assert found == expected, option
        assert verdict(machine, number, 3, socket.IPPROTO_TCP, option, builds=builds) == ALLOWED


@machines
@pytest.mark.parametrize("builds", [False, True])
def test_no_filter_and_no_table_of_futexes_takes_memory(machine: str, builds: bool) -> None:
    """PR_SET_SECCOMP and PR_FUTEX_HASH."""
    number = PRCTL[MACHINES[machine].column]
    for control in range(100):
        expected = EPERM if control in {22, 78} else ALLOWED
        assert verdict(machine, number, control, builds=builds) == expected, control


@machines
@pytest.mark.parametrize("name", MODES)
def test_a_build_gives_no_file_the_rights_of_its_owner(machine: str, name: str) -> None:
    """A build may set other modes. Calls that only open a file may have any mode argument."""
    column = MACHINES[machine].column
    number, place = MODES[name][column], MODES[name][2]
    if number < 0:  # ARM64 only has the newer calls
        return
    creates = 0o100  # O_CREAT; __O_TMPFILE is 0o20000000
    for flags in (creates, 0o20000000):
        before = [0] * (place - 1) + [flags]
        for mode in (0o4755, 0o2755, 0o6000, 0o104755):
            assert verdict(machine, number, *before, mode, builds=True) == EPERM
            assert verdict(machine, number, *before, mode) == ALLOWED
        assert verdict(machine, number, *before, 0o1755, builds=True, root=True) == ALLOWED
    opened = verdict(machine, number, *[0] * place, 0o4755, builds=True)
    assert opened == (ALLOWED if name.startswith("open") else EPERM)
    # The filter can't see the mode, which is passed in a struct.
    assert verdict(machine, OPENAT2[column], builds=True) == ENOSYS


@machines
def test_new_namespaces_are_refused_however_a_process_is_made(machine: str) -> None:
    clone, clone3 = (pair[MACHINES[machine].column] for pair in (CLONE, CLONE3))
    fork, thread = 0x11, 0x3D0F00
    assert verdict(machine, clone, fork) == verdict(machine, clone, thread) == ALLOWED
    # time, mount, cgroup, uts, ipc, user, pid, net: /usr/include/linux/sched.h
    for flag in (0x80, *(1 << bit for bit in (17, 25, 26, 27, 28, 29, 30))):
        assert verdict(machine, clone, fork | flag) == EPERM
    assert verdict(machine, clone3) == ENOSYS  # the filter can't read its flags


@machines
def test_nothing_in_the_sandbox_sends_the_signal_that_wakes_a_stopped_process(
    machine: str,
) -> None:
    """The kernel can't be made to send it either, e.g. when a parent dies (limits.md, 5)."""
    column = MACHINES[machine].column
    for row in SENDS.values():
        before = [1] * row[2]
        # The kernel ignores the upper half of the argument.
        for wakes in (signal.SIGCONT, signal.SIGCONT | 1 << 32):
            assert verdict(machine, row[column], *before, wakes) == EPERM
        assert verdict(machine, row[column], *before, signal.SIGTERM) == ALLOWED
    clone, prctl, control = CLONE[column], PRCTL[column], FCNTL[column]
    # The lowest byte is the signal that the parent gets when the child exits.
    assert verdict(machine, clone, signal.SIGCONT) == EPERM
    assert verdict(machine, clone, 0x4100 | signal.SIGCONT) == EPERM
    assert verdict(machine, clone, 0x4100 | signal.SIGCHLD) == ALLOWED
    at_death, timer_slack = 1, 29
    assert verdict(machine, prctl, at_death, signal.SIGCONT) == EPERM
    assert verdict(machine, prctl, at_death, signal.SIGKILL) == ALLOWED
    assert verdict(machine, prctl, timer_slack, signal.SIGCONT) == ALLOWED
    assert verdict(machine, control, 0, fcntl.F_SETSIG, signal.SIGCONT) == EPERM
    assert verdict(machine, control, 0, fcntl.F_GETSIG) == ALLOWED
    for name in ("timer_create", "mq_notify"):
        assert verdict(machine, DENIED[name][column]) == EPERM


@machines
def test_no_input_is_put_into_a_terminal(machine: str) -> None:
    number = IOCTL[MACHINES[machine].column]
    for request in (0x5412, 0x541C, 0x1_0000_5412):  # the kernel ignores the upper half
        assert verdict(machine, number, 0, request) == EPERM
    assert verdict(machine, number, 0, 0x541B) == ALLOWED  # FIONREAD


@machines
def test_no_other_personality(machine: str) -> None:
    number = PERSONALITY[MACHINES[machine].column]
    assert verdict(machine, number, 0) == verdict(machine, number, 0xFFFFFFFF) == ALLOWED
    assert verdict(machine, number, 0x0040000) == EPERM  # ADDR_NO_RANDOMIZE


def test_calls_of_another_architecture_end_the_process() -> None:
    i386 = 0x40000003
    assert verdict("x86_64", READ["x86_64"], audit=i386) == KILLED
    assert verdict("x86_64", 0x40000000 | READ["x86_64"]) == KILLED  # x32
    assert verdict("aarch64", READ["aarch64"], audit=AUDIT["x86_64"]) == KILLED


def test_there_is_none_for_a_machine_that_is_not_known() -> None:
    assert seccomp_filter("riscv64") == b""


@machines
def test_the_numbers_are_those_of_the_kernel(machine: str) -> None:
    file = Path(HEADERS[machine])
    if not file.exists():
        pytest.skip(f"{file} is not on this machine: apt-get install linux-libc-dev")
    defined = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", file.read_text(), re.MULTILINE)
    known = {name: int(number) for name, number in defined}
    tables = {**DENIED, **PRETENDED, **PRETENDED_TO_ROOT, **BY_ARGUMENT, "openat2": OPENAT2}
    modes = {name: (row[0], row[1]) for name, row in {**MODES, **SENDS}.items()}
    for name, pair in {**tables, **modes}.items():
        number = pair[MACHINES[machine].column]
        if number >= 0 and name in known:
            assert known[name] == number, name
        elif number >= 0:  # the machine's headers are too old for it
            assert number >= 440, name
