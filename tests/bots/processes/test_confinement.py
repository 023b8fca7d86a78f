"""If a bot doesn't start, we can tell whether the bot or the wrapper around it failed."""

from __future__ import annotations

import os
import resource
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

import referee
from referee.bots.command import find_bot
from referee.bots.from_python import bundled_here
from referee.bots.processes import cgroups, confinement
from referee.bots.processes.confinement import (
    inner_words,
    limits_by,
    new_cgroup,
    outer_words,
    unenforced_limits,
)
from referee.errors import ShortageError, UsageError
from referee.games.interface.faults import Disqualification
from referee.match.limits import Limits
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.match.spec import match_spec
from tests.support.live import play_bots
from tests.support.sandboxed import needs_bwrap

BWRAP = Sandbox("bwrap", (), ())
PLAYS_UNDER_A_HARD_LIMIT = """
import resource, sys
import referee
from referee.bots.processes import cgroups
cgroups.home = lambda: None  # as for an ordinary user
resource.setrlimit(resource.RLIMIT_NPROC, (200, 200))
result = referee.play_match(["minimal", "minimal"], seed=1, sandbox="bwrap",
                            options={"max_turns": 2, "process_limit": 256})
print([player.disqualified for player in result.players])
"""


@pytest.mark.slow
@needs_bwrap
def test_a_limit_above_the_hard_one_is_left_at_the_hard_one() -> None:
    """The referee can't raise a hard limit, and a bot mustn't be disqualified because of that."""
    done = subprocess.run(
        [sys.executable, "-c", PLAYS_UNDER_A_HARD_LIMIT], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[None, None]\n"


async def play(bot: str, **options: object) -> str | None:
    spec = match_spec(["minimal", bot], seed=1, options={"max_turns": 2, **options})
    sound = bundled_here("minimal", "dominion")
    assert sound is not None
    played = await play_bots(spec, [sound, find_bot(bot, "dominion")])
    return played.result.players[1].disqualified


@pytest.mark.parametrize(
    "step",
    [
        "echo 0 >/nowhere/cgroup.procs",
        "ulimit -n none",
        "false",
        "ulimit -n 64; kill -0 0 && false",
    ],
)
async def test_a_limit_that_cannot_be_set_is_not_the_fault_of_a_bot(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match fails with an error that names the bot and the step."""

    def failing(limits: Limits, cgroup: cgroups.Cgroup | None, token: str) -> list[str]:
        return confinement._shell([step], token)

    monkeypatch.setattr("referee.bots.processes.launch.outer_words", failing)
    with pytest.raises(ShortageError) as raised:
        await play("big_money")
    name, _, said = str(raised.value).removeprefix("cannot start ").partition(": ")
    assert name == "big_money"
    assert said.startswith(f"{step} failed")
    assert "\n" not in said


@needs_bwrap
async def test_the_same_inside_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: object) -> list[str]:
        return confinement._shell(["ulimit -n none"], str(arguments[-1]))

    monkeypatch.setattr("referee.bots.processes.launch.inner_words", failing)
    spec = match_spec(["minimal", "minimal"], seed=1, sandbox=BWRAP)
    with pytest.raises(ShortageError, match="cannot start minimal: ulimit -n none failed"):
        await play_bots(spec, [find_bot("minimal", "dominion")] * 2)


@pytest.mark.parametrize(
    ("code", "limit"), [(125, {"open_file_limit": 64}), (126, {}), (127, {"open_file_limit": 64})]
)
async def test_a_bot_that_exits_with_such_a_code_has_left(code: int, limit: dict[str, int]) -> None:
    """The bot can imitate the wrapper's message, but it doesn't know the token in it."""
    text = "echo 0123456789abcdef ulimit -n 64 >&2"
    bot = shlex.join(["sh", "-c", f"{text}; exit {code}"])
    assert await play(bot, **limit) == Disqualification.EXITED


@pytest.fixture
def ignores_sigchld() -> Iterator[None]:
    """Ignore SIGCHLD. We would never learn that a bot has exited."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGCHLD, before)


@pytest.mark.usefixtures("ignores_sigchld")
def test_a_program_that_ignores_sigchld_starts_no_bot() -> None:
    with pytest.raises(UsageError, match="this program ignores SIGCHLD"):
        referee.play_match(["minimal", "minimal"], seed=1)


@pytest.mark.slow
def test_the_command_does_not_inherit_that_sigchld_is_ignored() -> None:
    start = "import signal, os, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    words = [sys.executable, "-m", "referee", "play", "minimal", "minimal", "-q", "--seed", "1"]
    done = subprocess.run(
        [sys.executable, "-c", f"{start}os.execv({words[0]!r}, {words!r})"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- the words before a bot's command -------------------------------------------------------------

CGROUP = cgroups.Cgroup(cgroups.Home("cgroup-v2", {"pids": "/a b", "memory": "/a b"}))


def lines_of(words: list[str]) -> list[str]:
    """Return the steps that the shell takes before it becomes the bot."""
    if not words:
        return []
    shell, option, script, name = words
    assert (shell, option, name) == ("/bin/sh", "-c", "sh")
    *steps, unset, start = script.splitlines()
    assert (unset, start) == ("unset PWD OLDPWD", 'exec "$@"')
    for step in steps:
        assert step.endswith("; exit 125; }")
    return [step.removeprefix("{ ").partition("; } ||")[0] for step in steps]


@pytest.fixture
def hard(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Return the hard limits, which a test can set. All others are infinite."""
    limits: dict[int, int] = {}
    monkeypatch.setattr(
        resource, "getrlimit", lambda kind: (0, limits.get(kind, resource.RLIM_INFINITY))
    )
    return limits


def test_each_limit_of_single_processes_in_its_unit(hard: dict[int, int]) -> None:
    """A limit below a unit is one unit, because 0 would let nothing start."""
    limits = Limits(open_file_limit=64, file_size_limit=1535, memory_limit=4095)
    assert lines_of(outer_words(limits, None, "t")) == [
        "ulimit -n 64",
        "ulimit -f 2",
        "ulimit -d 3",
    ]
    low = Limits(file_size_limit=511, memory_limit=1023)
    assert lines_of(outer_words(low, None, "t")) == ["ulimit -f 1", "ulimit -d 1"]
    assert outer_words(Limits(), None, "t") == []


def test_a_control_group_is_joined_and_limits_the_memory(hard: dict[int, int]) -> None:
    limits = Limits(open_file_limit=64, memory_limit=4096)
    (folder,) = CGROUP.folders
    assert lines_of(outer_words(limits, CGROUP, "t")) == [
        f"echo 0 >'{folder}/cgroup.procs'",
        "ulimit -n 64",
    ]


@pytest.mark.parametrize(("most", "is_set"), [(63, True), (64, False), (65, False)])
def test_only_a_limit_below_the_hard_one_is_set(
    most: int, is_set: bool, hard: dict[int, int]
) -> None:
    hard[resource.RLIMIT_NOFILE] = hard[resource.RLIMIT_NPROC] = 64
    limits = Limits(open_file_limit=most, process_limit=most)
    assert bool(outer_words(limits, None, "t")) == is_set
    assert bool(inner_words(limits, BWRAP, None, "t")) == is_set


def test_processes_are_counted_inside_a_sandbox_without_a_group(hard: dict[int, int]) -> None:
    limits = Limits(process_limit=9)
    assert lines_of(inner_words(limits, BWRAP, None, "t")) == [
        "ulimit -u 9 2>/dev/null || ulimit -p 9"
    ]
    assert inner_words(limits, NO_SANDBOX, None, "t") == []
    assert inner_words(limits, BWRAP, CGROUP, "t") == []
    assert inner_words(Limits(), BWRAP, None, "t") == []


@pytest.mark.parametrize(
    ("limits", "sandbox", "wanted"),
    [
        ({}, NO_SANDBOX, False),
        ({}, BWRAP, True),
        *(({name: 9}, NO_SANDBOX, True) for name in confinement._OF_THE_SYSTEM),
        ({"time_limit": 9, "output_limit": 9, "tmp_limit": 9}, NO_SANDBOX, False),
    ],
)
def test_what_the_system_has_to_hold(
    limits: dict[str, int], sandbox: Sandbox, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only then is there a control group, and a word in the header of the record."""
    home = cgroups.Home("cgroup-v1", {"pids": "/a"})
    for place, name in ((home, "cgroup-v1"), (None, "rlimits")):
        monkeypatch.setattr(cgroups, "home", lambda place=place: place)
        has_group = new_cgroup(Limits(**limits), sandbox) is not None  # type: ignore[arg-type]
        assert has_group == (wanted and place is not None)
        assert limits_by(Limits(**limits), sandbox) == (name if wanted else "none")  # type: ignore[arg-type]


@pytest.mark.parametrize(("user", "count"), [(0, 3), (1000, 2)])
def test_which_limits_are_not_exact(user: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    for name, found in (("cgroup-v2", 0), ("cgroup-v1", 0), ("rlimits", count)):
        monkeypatch.setattr(confinement, "enforced_by", lambda name=name: name)
        assert len(unenforced_limits()) == found
