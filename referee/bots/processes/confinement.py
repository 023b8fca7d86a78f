"""Apply the limits that the system enforces on a bot from its start (sandbox.md).

A shell goes before the bot. It joins the bot's control group, sets the limits that are of each
process (`ulimit`), and becomes the bot or its sandbox: so no moment passes without them. Nothing
of this runs in the referee's own process after a fork, which in a program with threads may not be.
"""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Sequence

from referee.bots.processes import cgroups
from referee.match.limits import Limits, LimitsBy
from referee.match.sandbox import Sandbox

_OF_THE_SYSTEM = (
    "cpu_limit",
    "memory_limit",
    "process_limit",
    "open_file_limit",
    "file_size_limit",
)
"""The limits that a process has from its start."""
_SHELL = "/bin/sh"
_BLOCK = 512  # bytes; what `ulimit -f` counts
NOT_REACHED = 125
"""Exit code of the shell if it has not reached the bot's program."""


def limits_by(limits: Limits, sandbox: Sandbox) -> LimitsBy:
    """The mechanism that enforces these limits: "cgroup-v2", "cgroup-v1", "rlimits", or "none"."""
    return held_by() if _is_wanted(limits, sandbox) else "none"


def held_by() -> LimitsBy:
    """The mechanism that this machine has for limits."""
    home = cgroups.home()
    return "rlimits" if home is None else home.name


def not_held() -> list[str]:
    """What the limits of a bot in a sandbox do not hold here, in words (sandbox.md, 10)."""
    if held_by() == "cgroup-v1":
        return ["sockets may take a quarter of the memory limit beside it"]
    if held_by() == "cgroup-v2":
        return []
    found = [
        "a bot can exceed its memory limit between two looks",
        "CPU time of processes that nobody waits for does not count",
    ]
    if os.geteuid() == 0:
        found.append("processes are not limited, as the referee is root")
    return found


def get_groups(words: str) -> str:
    """The command that gives these words of the referee control groups, where there is systemd."""
    user = "" if os.geteuid() == 0 else "--user "
    return f"systemd-run {user}--scope -p Delegate=yes referee {words}"


def new_cgroup(limits: Limits, sandbox: Sandbox) -> cgroups.Cgroup | None:
    """A control group for a bot, not made yet; None if it is not needed or not possible."""
    home = cgroups.home() if _is_wanted(limits, sandbox) else None
    return None if home is None else cgroups.Cgroup(home)


def _is_wanted(limits: Limits, sandbox: Sandbox) -> bool:
    wanted = any(getattr(limits, name) < math.inf for name in _OF_THE_SYSTEM)
    return wanted or sandbox.kind != "none"


def inner_words(
    limits: Limits, sandbox: Sandbox, cgroup: cgroups.Cgroup | None, token: str
) -> list[str]:
    """What goes before the bot's command inside a sandbox.

    The number of processes is counted for a user in a user namespace. Outside of the sandbox it
    would be that of all processes of the referee's user.
    """
    if (
        sandbox.kind == "none"
        or cgroup is not None
        or not _lowers("RLIMIT_NPROC", limits.process_limit)
    ):
        return []
    most = int(limits.process_limit)
    # bash and dash do not agree on the letter.
    return _shell([f"ulimit -u {most} 2>/dev/null || ulimit -p {most}"], token)


def outer_words(limits: Limits, cgroup: cgroups.Cgroup | None, token: str) -> list[str]:
    """What goes before the command of the sandbox, or of the bot without one.

    Args:
        token: a secret. If a line fails, the shell writes the token and the line on stderr, and
            exits with `NOT_REACHED`. No bot can write it.
    """
    lines = []
    if cgroup is not None:
        lines += [f"echo 0 >{shlex.quote(file)}" for file in cgroup.joining]
    for letter, most, unit, kind in (
        ("n", limits.open_file_limit, 1, "RLIMIT_NOFILE"),
        ("f", limits.file_size_limit, _BLOCK, "RLIMIT_FSIZE"),
        # Not of the address space: node, Java and Go reserve much more than they use.
        ("d", limits.memory_limit if cgroup is None else math.inf, 1024, "RLIMIT_DATA"),
    ):
        if _lowers(kind, most):
            lines.append(f"ulimit -{letter} {max(1, int(most) // unit)}")
    return _shell(lines, token) if lines else []


def _lowers(kind: str, most: float) -> bool:
    """Whether a limit is below the hard limit of this process, which nobody can raise."""
    import resource  # not on every system

    hard = resource.getrlimit(getattr(resource, kind))[1]
    return most < math.inf and (hard == resource.RLIM_INFINITY or most < hard)


def _shell(lines: Sequence[str], token: str) -> list[str]:
    """A shell that runs these lines and becomes the bot; if one fails, it writes the token."""
    steps = []
    for line in lines:
        said = shlex.quote(f"{token} {line}")
        steps.append(f"{{ {line}; }} || {{ echo {said} >&2; exit {NOT_REACHED}; }}")
    # A shell adds where it is, and it is where the referee is.
    return [_SHELL, "-c", "\n".join([*steps, "unset PWD OLDPWD", 'exec "$@"']), "sh"]
