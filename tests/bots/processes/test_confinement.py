"""If a bot doesn't start, we can tell whether the bot or the wrapper around it failed."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

from referee.bots.command import find_bot
from referee.bots.processes import cgroups, confinement
from referee.errors import ShortageError
from referee.games.interface.faults import Disqualification
from referee.match.limits import Limits
from referee.match.sandbox import Sandbox
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


@needs_bwrap
def test_a_limit_above_the_hard_one_is_left_at_the_hard_one() -> None:
    """The referee can't raise a hard limit, and a bot mustn't be disqualified because of that."""
    done = subprocess.run(
        [sys.executable, "-c", PLAYS_UNDER_A_HARD_LIMIT], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[None, None]\n"


async def play(bot: str, **options: object) -> str | None:
    spec = match_spec(["minimal", bot], seed=1, options={"max_turns": 2, **options})
    played = await play_bots(spec, [find_bot(bot, "dominion") for bot in spec.bots])
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
    assert name in ("minimal", "big_money")  # either bot may be the first to fail
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


@pytest.mark.parametrize("code", [125, 126, 127])
@pytest.mark.parametrize("limit", [{}, {"open_file_limit": 64}])
async def test_a_bot_that_exits_with_such_a_code_has_left(code: int, limit: dict[str, int]) -> None:
    """The bot can imitate the wrapper's message, but it doesn't know the token in it."""
    text = "echo 0123456789abcdef ulimit -n 64 >&2"
    bot = shlex.join(["sh", "-c", f"{text}; exit {code}"])
    assert await play(bot, **limit) == Disqualification.EXITED


def test_a_program_that_ignores_sigchld_starts_no_bot() -> None:
    """With SIGCHLD ignored, we would never learn that a bot has exited.

    The command line resets SIGCHLD at the start. A library can't, so it refuses to run.
    """
    start = "import signal, os, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    words = [sys.executable, "-m", "referee", "play", "minimal", "minimal", "-q", "--seed", "1"]
    done = subprocess.run(
        [sys.executable, "-c", f"{start}os.execv({words[0]!r}, {words!r})"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    library = f"{start}import referee\nreferee.play_match(['minimal', 'minimal'])"
    done = subprocess.run(
        [sys.executable, "-c", library], capture_output=True, text=True, check=False
    )
    assert "UsageError: this program ignores SIGCHLD" in done.stderr.splitlines()[-1]
