"""Sets the limits that the system enforces, before the bot's program starts (limits.md).

A shell runs before the bot. It joins the bot's control group, sets the limits of single processes
(`ulimit`), and then becomes the bot or its sandbox, so the limits apply from the first moment. We
don't use a `preexec_fn`, because that runs in our own process after a fork, where a thread that
doesn't exist anymore may have held a lock.
"""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Sequence

from referee.bots.processes import cgroups
from referee.match.limits import Limits, LimitsBy
from referee.match.sandbox import Sandbox

# For these limits, we need a control group or `ulimit`.
_OF_THE_SYSTEM = (
    "cpu_limit",
    "memory_limit",
    "process_limit",
    "open_file_limit",
    "file_size_limit",
)
_SHELL = "/bin/sh"
_BLOCK = 512  # unit of `ulimit -f` in bytes
NOT_REACHED = 125
"""Exit code of the shell if it fails before it has started the bot's program."""


def limits_by(limits: Limits, sandbox: Sandbox) -> LimitsBy:
    """Return how the system enforces the limits of a bot, as in the header of a record.

    The result is "none" if the system doesn't have to enforce anything.
    """
    return enforced_by() if _is_wanted(limits, sandbox) else "none"


def enforced_by() -> LimitsBy:
    """Return the best way to enforce limits on this machine.

    That's control groups if we may create them. Otherwise, it's `ulimit` ("rlimits").
    """
    home = cgroups.home()
    return "rlimits" if home is None else home.name


def unenforced_limits() -> list[str]:
    """Describe the limits of sandboxed bots that can't be enforced here (limits.md, 3)."""
    if enforced_by() != "rlimits":
        return []
    found = [
        "a bot can exceed its memory limit between two looks",
        "CPU time of processes without a waiting parent does not count",
    ]
    if os.geteuid() == 0:
        found.append("processes are not limited, as the referee is root")
    return found


def get_groups(words: str) -> str:
    """Return a command line that runs `referee` with permission to create control groups.

    The command needs systemd. We don't check whether systemd is running.

    Args:
        words: the subcommand and its arguments.
    """
    user = "" if os.geteuid() == 0 else "--user "
    return f"systemd-run {user}--scope -p Delegate=yes referee {words}"


def new_cgroup(limits: Limits, sandbox: Sandbox) -> cgroups.Cgroup | None:
    """Return a control group for a bot, or None if it doesn't need one or we can't create it.

    The group doesn't exist yet: `make` creates it.
    """
    home = cgroups.home() if _is_wanted(limits, sandbox) else None
    return None if home is None else cgroups.Cgroup(home)


def _is_wanted(limits: Limits, sandbox: Sandbox) -> bool:
    wanted = any(getattr(limits, name) < math.inf for name in _OF_THE_SYSTEM)
    return wanted or sandbox.kind != "none"


def inner_words(
    limits: Limits, sandbox: Sandbox, cgroup: cgroups.Cgroup | None, token: str
) -> list[str]:
    """Return the words to put before the bot's command inside of a sandbox.

    These words limit the number of processes. The kernel counts processes per user and user
    namespace, so outside of the sandbox, it would count all processes of the referee's user.
    """
    if (
        sandbox.kind == "none"
        or cgroup is not None
        or not _lowers("RLIMIT_NPROC", limits.process_limit)
    ):
        return []
    most = int(limits.process_limit)
    # bash calls this option -u, dash calls it -p.
    return _shell([f"ulimit -u {most} 2>/dev/null || ulimit -p {most}"], token)


def outer_words(limits: Limits, cgroup: cgroups.Cgroup | None, token: str) -> list[str]:
    """Return the words to put before the sandbox's command (or the bot's, without a sandbox).

    Args:
        token: a secret. If a step fails, the shell writes the token and the step to stderr, and
            exits with `NOT_REACHED`. A bot can't forge that, because it doesn't know the token.
    """
    lines = []
    if cgroup is not None:
        lines += [f"echo 0 >{shlex.quote(file)}" for file in cgroup.joining]
    for letter, most, unit, kind in (
        ("n", limits.open_file_limit, 1, "RLIMIT_NOFILE"),
        ("f", limits.file_size_limit, _BLOCK, "RLIMIT_FSIZE"),
        # We don't limit the address space (-v), because node, Java and Go reserve far more than
        # they ever use.
        ("d", limits.memory_limit if cgroup is None else math.inf, 1024, "RLIMIT_DATA"),
    ):
        if _lowers(kind, most):
            lines.append(f"ulimit -{letter} {max(1, int(most) // unit)}")
    return _shell(lines, token) if lines else []


def _lowers(kind: str, most: float) -> bool:
    import resource  # some systems don't have the `resource` module

    # We can't raise a hard limit, so we only set a limit that is lower than the current hard limit.
    hard = resource.getrlimit(getattr(resource, kind))[1]
    return most < math.inf and (hard == resource.RLIM_INFINITY or most < hard)


def _shell(lines: Sequence[str], token: str) -> list[str]:
    steps = []
    # If a line fails, the shell doesn't start the bot. It prints the token and the line, so that we
    # can report which one it was (see `outer_words`).
    for line in lines:
        said = shlex.quote(f"{token} {line}")
        steps.append(f"{{ {line}; }} || {{ echo {said} >&2; exit {NOT_REACHED}; }}")
    # The shell has set these two variables to the referee's folder.
    return [_SHELL, "-c", "\n".join([*steps, "unset PWD OLDPWD", 'exec "$@"']), "sh"]
