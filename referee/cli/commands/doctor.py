"""`referee doctor`: check what works on this machine, and tell people how to get the rest."""

from __future__ import annotations

import math
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from referee._version import __version__
from referee.bots.processes.cgroups import cpu_quota, home
from referee.bots.processes.confinement import get_groups, unenforced_limits
from referee.bots.processes.seccomp import seccomp_filter
from referee.capacity import check_descriptors, cores
from referee.cli.consent import chosen_sandbox
from referee.cli.console import FAILED, OK, PLAIN_WIDTH, has_colour, print_json, printing, width
from referee.cli.options import Options, option
from referee.cli.running import load_numpy, run_in_trio
from referee.cli.settings import sandbox_options
from referee.cli.values import SandboxChoice
from referee.errors import RefereeError, ShortageError
from referee.games import DEFAULT_GAME
from referee.interrupts import Interrupts
from referee.text.terminal import duration, escaped, wrap_words

if TYPE_CHECKING:
    from referee.match.result import MatchResult
    from referee.match.sandbox import Sandbox
    from referee.starters import Language

# A program that takes longer than this to print its version counts as missing.
PROBE_SECONDS = 5.0
_CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""Programs for the tests of the pages. The first has no window, and takes half of the CPU."""
_ALONE = "add --jobs 1, which plays one match at a time in its own process (spec/ci.md)"
_LEAST_LIMIT = 1024
_LEAST_BYTES = 1_000_000_000
_NAME_WIDTH = 16
_PROC = Path("/proc")


@dataclass(frozen=True)
class Check:
    """The result of a check.

    Attributes:
        status: "missing" if matches work anyway, "problem" if matches or tournaments don't work.
        found: the version or state. If something is missing, the reason.
        purpose: what people need it for.
        get: a command that installs it, or another step to take. It can be empty.
    """

    section: str
    name: str
    status: Literal["ok", "missing", "problem"]
    found: str
    purpose: str = ""
    get: str = ""


@dataclass(frozen=True)
class Checkup:
    """The output of `referee doctor --format json`.

    Attributes:
        ok: True if matches and tournaments work.
    """

    ok: bool
    checks: list[Check]


class Found(NamedTuple):
    """The outcome of a probe.

    Attributes:
        ok: True if the probe succeeded.
        text: describes the outcome.
        get: if the probe failed, a step that may help.
    """

    ok: bool
    text: str
    get: str = ""


class DoctorOptions(Options):
    """Check this machine for matches and tournaments: a sandbox, limits, languages of bots. Prints
    missing parts, their purpose, and how to get them.
    """

    exit_codes = (
        (0, "a match and a tournament were played here"),
        (1, "matches, or tournaments in several processes, do not work here"),
    )
    examples = (
        ("referee doctor", "check the machine before a tournament"),
        ("referee doctor --sandbox bwrap", "fail without a sandbox"),
    )

    format: Literal["text", "json"] = option(None, "text", "text; json: one object")
    sandbox: SandboxChoice = sandbox_options("auto")


def run(options: DoctorOptions, interrupts: Interrupts) -> int:
    sandbox = chosen_sandbox(options.sandbox, ())
    checks = []
    for check in run_checks(sandbox, interrupts):
        checks.append(check)
        interrupts.check()
    report = Checkup(all(check.status != "problem" for check in checks), checks)
    with interrupts.raising(), printing():
        if options.format == "json":
            print_json(report)
        else:
            for line in _text(report):
                print(line)
    return OK if report.ok else FAILED


def _text(report: Checkup) -> Iterator[str]:
    section = ""
    for check in report.checks:
        if check.section != section:
            yield f"{check.section}:" if not section else f"\n{check.section}:"
            section = check.section
        mark = {"ok": "ok", "missing": "--", "problem": "NO"}[check.status]
        space = " " * (_NAME_WIDTH + 6)
        parts = [(f"  {mark}  {check.name:{_NAME_WIDTH}}", check.found)]
        if check.status != "ok":
            parts.append((space, f"for {check.purpose}"))
            parts += [(space, f"do: {check.get}")] if check.get else []
        for start, text in parts:
            yield from wrap_words(escaped(text), PLAIN_WIDTH, start, space)
    yield ""
    problems = {check.section for check in report.checks if check.status == "problem"}
    if "matches" in problems:
        yield "No match can be played here: see NO."
    elif problems:
        alone = any(check.get == _ALONE for check in report.checks)
        rest = "and tournaments with --jobs 1" if alone else "but no tournament"
        yield f"Matches can be played here, {rest}: see NO."
    else:
        yield "Matches and tournaments can be played here."


def run_checks(sandbox: Sandbox, interrupts: Interrupts) -> Iterator[Check]:
    """Run all checks and yield their results. The match and the interpreters run in the sandbox."""
    from referee.starters import LANGUAGES

    match = partial(_match, sandbox, interrupts)
    tournament = partial(_tournament, sandbox, max(2, cores()))
    memory = "limits of memory, CPU time and processes without gaps"
    files = partial(_limit, resource.RLIMIT_NOFILE, "-n")
    processes = partial(_limit, resource.RLIMIT_NPROC, "-u")
    yield _check("matches", "Python", _python, "the referee", needed=True)
    yield _check("matches", "/bin/sh", _shell, "ending bots in every case", needed=True)
    yield _check("matches", "a match", match, "everything: minimal against minimal", needed=True)
    yield _check("tournaments", "a tournament", tournament, "matches in processes", needed=True)
    for section, name, look, purpose in (
        ("strangers' bots", "bubblewrap", _bubblewrap, "--sandbox, for bots with unknown code"),
        ("strangers' bots", "user namespaces", _namespaces, "bubblewrap, unless as root"),
        ("strangers' bots", "seccomp", _seccomp, "the sandbox's filter of system calls"),
        ("strangers' bots", "control groups", _cgroups, memory),
        ("machine", "cores", _cores, "honest reply times"),
        ("machine", "memory", _memory, "tournaments"),
        ("machine", "disk space here", _disk, "records and stores"),
        ("machine", "open files", files, "many bots at a time"),
        ("machine", "processes", processes, "many bots at a time"),
        ("machine", "pipes", _pipes, "large messages without a wait"),
        ("machine", "terminal", _terminal, "tables and progress"),
    ):
        yield _check(section, name, look, purpose)
    for language in LANGUAGES.values():
        look = partial(_language, language, sandbox)
        yield _check("languages", language.title, look, f"bots in {language.title}")
    for name, modules, purpose in (
        ("cluster", ("distributed",), "tournaments on several machines"),
        ("rl", ("pettingzoo", "gymnasium"), "programs that learn"),
        ("browser", ("playwright",), "tests of the pages"),
    ):
        yield _check("extras", name, partial(_extra, name, modules), purpose)
    yield _check("extras", "Chromium", _chromium, "tests of the pages")


def _check(
    section: str, name: str, look: Callable[[], Found], purpose: str, *, needed: bool = False
) -> Check:
    try:
        found = look()
    except OSError as error:  # this happens if a file in /proc is missing, for example
        found = Found(False, f"cannot be found out: {error}")
    missing: Literal["missing", "problem"] = "problem" if needed else "missing"
    get = "" if found.ok else found.get
    return Check(section, name, "ok" if found.ok else missing, found.text, purpose, get)


def _python() -> Found:
    return Found(True, f"{sys.version.split()[0]}, referee {__version__}")


def _shell() -> Found:
    return Found(os.access("/bin/sh", os.X_OK), os.path.realpath("/bin/sh"))


def _match(sandbox: Sandbox, interrupts: Interrupts) -> Found:
    from referee.bots.command import find_bot
    from referee.match_plan import MatchPlan, settled_spec

    began = time.monotonic()
    try:
        check_descriptors()
        sources = [find_bot("minimal", DEFAULT_GAME) for _ in range(2)]
        spec = settled_spec(sources, seed=1, options={"max_turns": 4}, sandbox=sandbox)
        plan = MatchPlan(sources, spec)
        with plan.launched() as started:
            played = run_in_trio(lambda _: plan.play(started, alone=True), interrupts)
    except RefereeError as error:
        return Found(False, str(error))
    return _played([played.result], began, f"sandbox {sandbox.kind}")


def _tournament(sandbox: Sandbox, jobs: int) -> Found:
    """Play a tournament. `play_matches` only starts other processes if there are several jobs."""
    from referee.api import play_matches

    began = time.monotonic()
    try:
        load_numpy()
        played = play_matches(
            ["minimal", "minimal"],
            n=2 * jobs,
            seed=1,
            options={"max_turns": 4},
            jobs=jobs,
            sandbox=sandbox.kind,
        )
    except RefereeError as error:
        alone = jobs > 1 and _tournament(sandbox, 1).ok
        return Found(False, str(error), _ALONE if alone else "")
    if played.void:
        return Found(False, f"{played.void} of {2 * jobs} matches did not count")
    how = f"{len(played.results)} matches in {jobs} processes"
    return _played(played.results, began, how)


def _played(results: list[MatchResult], began: float, how: str) -> Found:
    # These bots make no mistakes, so a disqualification is the machine's fault.
    players = [player for result in results for player in result.players]
    details = [lost.detail for player in players if (lost := player.disqualification)]
    if details:
        return Found(False, "; ".join(dict.fromkeys(details)))
    return Found(True, f"played in {duration(time.monotonic() - began)}, {how}")


def _bubblewrap() -> Found:
    from referee.bots.processes.sandbox import unavailable_reason

    try:
        problem = unavailable_reason()  # the text also says what to do
    except ShortageError as error:
        problem = str(error)
    if problem:
        return Found(False, problem)
    return Found(True, f"{_first_line(['bwrap', '--version'])}, works")


def _namespaces() -> Found:
    if _first_line(["unshare", "--user", "echo", "ok"]) == "ok":
        return Found(True, "can be made")
    for name, refuses, allows in (
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
        ("user.max_user_namespaces", "0", "15000"),
    ):
        file = _PROC / "sys" / name.replace(".", "/")
        if file.exists() and file.read_text().strip() == refuses:
            return Found(False, f"refused: {name}={refuses}", f"sysctl -w {name}={allows}")
    return Found(False, "refused", "in a container: allow them where it is started")


def _seccomp() -> Found:
    machine = os.uname().machine
    if not seccomp_filter():
        return Found(False, f"no filter exists for {machine}")
    known = (_PROC / "self/status").read_text()
    return Found("\nSeccomp:" in known, f"filter for {machine}")


def _cgroups() -> Found:
    found, gaps = home(), unenforced_limits()
    if found is None:
        return Found(False, f"none can be made here: {'; '.join(gaps)}", get_groups("..."))
    parts = [f"{found.name.removeprefix('cgroup-')}: {', '.join(sorted(found.folders))}", *gaps]
    return Found(True, "; ".join(parts))


def _cores() -> Found:
    load, count, quota = os.getloadavg()[0], os.cpu_count() or 1, cpu_quota()
    text = f"{cores()}" if cores() == count else f"{cores()} of {count}"
    # `count` is often the number of cores of the whole machine. In a container, only a part of them
    # may be available, which the quota shows.
    if quota < count:
        text += f" (control groups: {quota:g})"
    text += f", load {load:.1f}"
    if quota < 1:
        return Found(False, text, "give the container one core, or bots may time out")
    return Found(load < count + 0.5, text, "wait until the machine is idle, or bots may time out")


def _memory() -> Found:
    known = dict(line.split(":", 1) for line in (_PROC / "meminfo").read_text().splitlines())
    free, total = (int(known[name].split()[0]) * 1024 for name in ("MemAvailable", "MemTotal"))
    text = f"{free / 1e9:.1f} of {total / 1e9:.1f} GB free"
    return Found(free >= _LEAST_BYTES, text, "end other programs, or use fewer --jobs")


def _disk() -> Found:
    free = shutil.disk_usage(".").free
    return Found(free >= _LEAST_BYTES, f"{free / 1e9:.1f} GB free", "go to another folder")


def _limit(kind: int, option: str) -> Found:
    soft, hard = (math.inf if n == resource.RLIM_INFINITY else n for n in resource.getrlimit(kind))
    text = f"at most {soft}" if soft < math.inf else "no limit"
    if soft < hard:
        text += f", can be raised to {hard}" if hard < math.inf else ", can be raised"
    get = f"ulimit {option} {_LEAST_LIMIT}"
    if hard < _LEAST_LIMIT:
        get = "let root raise it: /etc/security/limits.conf"
    return Found(soft >= _LEAST_LIMIT, text, get)


def _pipes() -> Found:
    most = int((_PROC / "sys/fs/pipe-max-size").read_text())
    get = "sysctl -w fs.pipe-max-size=1048576"
    return Found(most >= 1024 * 1024, f"up to {most // 1024} KiB", get)


def _terminal() -> Found:
    if not sys.stdout.isatty():
        return Found(True, f"none (a file or a pipe): {PLAIN_WIDTH} columns, no colours")
    colours = "colours" if has_colour(sys.stdout) else "no colours (NO_COLOR, TERM)"
    return Found(True, f"{width(sys.stdout)} columns, {colours}")


def _language(language: Language, sandbox: Sandbox) -> Found:
    program = language.needs
    if not program:
        return Found(True, f"{sys.version.split()[0]}, the Python of the referee")
    get = f"apt-get install {language.package}"
    path = shutil.which(program)
    if path is None:
        return Found(False, f"{program} is not installed", get)
    # A program that exists may still not find its libraries in the sandbox, so run it.
    said = _first_line([path, language.version], sandbox)
    if said is None:
        where = "" if sandbox.kind == "none" else " in the sandbox (--sandbox-read shows a folder)"
        return Found(False, f"{path} does not run{where}", get)
    return Found(True, said)


def _extra(name: str, modules: tuple[str, ...]) -> Found:
    try:
        return Found(True, ", ".join(f"{module} {version(module)}" for module in modules))
    except PackageNotFoundError:
        return Found(False, "not installed", f"pip install '.[{name}]' in a clone of the referee")


def find_chromium() -> str | None:
    """Return the path of a Chromium for the tests of the pages, or None."""
    return next(filter(None, map(shutil.which, _CHROMIUMS)), None)


def _chromium() -> Found:
    path = find_chromium()
    if path is None:
        return Found(False, "not there", "apt-get install chromium")
    return Found(True, path)


def _first_line(words: list[str], sandbox: Sandbox | None = None) -> str | None:
    from referee.bots.command import BotCommand
    from referee.bots.processes.launch import LaunchedBot
    from referee.match.limits import Limits
    from referee.match.sandbox import NO_SANDBOX

    # Start the program in the same way as a bot, so that we notice if the sandbox hides it.
    path = shutil.which(words[0])
    if path is None:
        return None
    asked = LaunchedBot(
        BotCommand(words[0], (path, *words[1:])),
        Limits(),
        sandbox or NO_SANDBOX,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )
    try:
        if asked.popen is None:
            return None
        said, _ = asked.popen.communicate(timeout=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    finally:
        asked.end()
    lines = [line.strip() for line in said.decode(errors="replace").splitlines() if line.strip()]
    return lines[0] if lines and not asked.popen.returncode else None
