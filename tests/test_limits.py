"""Each limit of a bot, exceeded by real processes in every way (protocol, 1.3, 8.1; limits.md)."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from referee.bots.command import find_bot
from referee.bots.from_python import bundled_here
from referee.bots.processes import cgroups, sandbox
from referee.bots.processes.cpu import stat_fields
from referee.bots.processes.guardian import GUARDIAN
from referee.bots.processes.launch import LaunchedBot, launch_bots
from referee.course import Played
from referee.logs.verify import Kind, verify_record
from referee.match.limits import MIB, Limits
from referee.match.spec import match_spec
from tests.support.live import entries, hostile, play, play_bots, until
from tests.support.marks import slow
from tests.support.sandboxed import needs_bwrap

NO_CGROUPS = "this user can make no control groups here"
needs_cgroups = pytest.mark.skipif(cgroups.home() is None, reason=NO_CGROUPS)
needs_no_root = pytest.mark.skipif(os.geteuid() == 0, reason="the system counts root's not")


@pytest.fixture(params=["cgroup", "rlimits"])
def held_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Enforce the limits with a control group in one run and with rlimits in another."""
    if request.param == "rlimits":
        monkeypatch.setattr(cgroups, "home", lambda: None)
        return "rlimits"
    home = cgroups.home()
    if home is None:
        pytest.skip(NO_CGROUPS)
    return home.name


async def left(folder: Path, bot: str, **limits: Any) -> tuple[str | None, str, str]:
    """Play a bot as player 2. Return the code, the detail and the cause of its disqualification.

    Checks that the opponent isn't affected, and that the record is valid.
    """
    played = await play(folder, "big_money", bot, patient=[0], **limits)
    ours, other = played.result.players[1], played.result.players[0]
    assert other.disqualified is None
    assert other.faults == {}
    assert verify_record(str(folder / "record")).kind is Kind.VALID
    if ours.disqualified is None:
        return None, "", ""
    assert ours.disqualification is not None
    return ours.disqualified, played.disqualified[1].detail, ours.disqualification.cause


# --- 8.1: the time bank ---------------------------------------------------------------------------


async def test_many_replies_each_in_time_use_up_the_bank(tmp_path: Path) -> None:
    code, detail, _ = await left(tmp_path, hostile("think", 0.05), time_limit=60, time_bank=0.3)
    assert code == "time-bank"
    # Six replies take 0.3 s. On a busy machine, fewer replies can take as long.
    assert detail in [
        f"its 0.3 s for all replies of the match were over at reply {n}" for n in range(1, 8)
    ]


async def test_each_reply_adds_the_increment_to_the_bank(tmp_path: Path) -> None:
    how = {"time_limit": 60, "time_bank": 1.0, "max_turns": 3}
    assert (await left(tmp_path, hostile("think", 0.3), **how, increment=60))[0] is None
    code, detail, _ = await left(tmp_path, hostile("think", 0.3), **how, increment=0.001)
    assert code == "time-bank"
    said = "its 1 s for all replies of the match and 0.001 s for each were over at reply "
    assert detail.startswith(said)


async def test_the_limit_of_a_reply_holds_beside_the_bank(tmp_path: Path) -> None:
    code, _, _ = await left(tmp_path, hostile("sleep_at", 2), time_limit=2, time_bank=60)
    assert code == "timeout"


@pytest.mark.slow
async def test_one_reply_cannot_take_more_than_the_bank(tmp_path: Path) -> None:
    began = time.monotonic()
    code, _, _ = await left(tmp_path, hostile("sleep_at", 1), time_limit="none", time_bank=0.3)
    assert code == "time-bank"
    assert time.monotonic() - began < 5


async def test_the_handshake_is_not_of_the_bank(tmp_path: Path) -> None:
    """The handshake has a limit of its own (8.1)."""
    code, _, _ = await left(
        tmp_path, hostile("think_first", 2.5), time_bank=2, max_turns=1, startup_limit=60
    )
    assert code is None


# --- 1.3: CPU time --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "held_by"),
    [
        ("one", "cgroup"),
        ("one", "rlimits"),
        slow("child", "cgroup"),
        slow("child", "rlimits"),
        ("grandchild", "cgroup"),  # only a control group or a sandbox finds it
    ],
    indirect=["held_by"],
)
async def test_cpu_time_is_counted_wherever_it_is_used(
    where: str, tmp_path: Path, held_by: str
) -> None:
    code, detail, _ = await left(tmp_path, hostile("burn", where), cpu_limit=0.07, time_limit=60)
    assert code == "cpu-limit"
    used = float(detail.removeprefix("it has used ").partition(" ")[0])
    assert used >= 0.07
    assert detail.endswith(" s of CPU time (0.07 s a match)")


@pytest.mark.slow
async def test_cpu_time_adds_up_over_the_replies(tmp_path: Path, held_by: str) -> None:
    code, _, _ = await left(tmp_path, hostile("compute", 0.03), cpu_limit=0.3, time_limit=60)
    assert code == "cpu-limit"


@pytest.mark.slow
async def test_time_that_is_waited_is_no_cpu_time(tmp_path: Path, held_by: str) -> None:
    code, _, _ = await left(tmp_path, hostile("think", 0.05), cpu_limit=0.3, max_turns=6)
    assert code is None


# --- 1.3: memory ----------------------------------------------------------------------------------


@needs_cgroups
@pytest.mark.parametrize("count_and_size", [slow("1 200"), "2 45"], ids=["one", "many"])
async def test_too_much_memory_is_a_verdict_with_a_control_group(
    count_and_size: str, tmp_path: Path
) -> None:
    bot = hostile("take_memory", count_and_size)
    code, detail, cause = await left(tmp_path, bot, memory_limit=60 * MIB)
    assert code == "memory-limit"
    assert "has killed a process of it for using more than 60 MiB" in detail
    assert "-Xmx" in cause


async def test_too_much_memory_without_one_is_an_error_of_the_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "home", lambda: None)
    code, _, cause = await left(tmp_path, hostile("take_memory", "1 200"), memory_limit=100 * MIB)
    assert code == "exited"
    assert "MemoryError; it had reached a limit of the match: --memory-limit 104857600" in cause


@pytest.mark.parametrize("held_by", ["cgroup", slow("rlimits")], indirect=True)
async def test_a_limit_in_which_no_program_starts_is_named(tmp_path: Path, held_by: str) -> None:
    played = await play(tmp_path, "minimal", "minimal", memory_limit=5)
    for each in played.disqualified.values():
        assert "--memory-limit 5 is probably too low (5 bytes): give 64M" in each.detail


@pytest.mark.parametrize("held_by", ["cgroup", slow("rlimits")], indirect=True)
async def test_memory_within_the_limit_is_there(tmp_path: Path, held_by: str) -> None:
    bot = hostile("take_memory", "1 40")
    code, _, _ = await left(tmp_path, bot, memory_limit=100 * MIB, max_turns=1)
    assert code is None


# --- 1.3: what the system only refuses ------------------------------------------------------------


@needs_cgroups
@pytest.mark.parametrize("mode", ["fork", "threads"])
async def test_processes_and_threads_are_limited_together(mode: str, tmp_path: Path) -> None:
    code, _, cause = await left(tmp_path, hostile(mode, 200), process_limit=20)
    assert code == "exited"
    assert cause.endswith("it had reached a limit of the match: --process-limit 20")


@pytest.mark.parametrize("held_by", ["cgroup", slow("rlimits")], indirect=True)
async def test_open_files_are_limited(tmp_path: Path, held_by: str) -> None:
    code, _, cause = await left(tmp_path, hostile("open_files", 20_000), open_file_limit=100)
    assert code == "exited"
    assert cause.endswith("it had reached a limit of the match: --open-file-limit 100")


@pytest.mark.parametrize("held_by", ["cgroup", slow("rlimits")], indirect=True)
async def test_the_size_of_a_file_is_limited(tmp_path: Path, held_by: str) -> None:
    file = tmp_path / "big"
    bot = hostile("big_file", f"{file} 300")
    code, _, cause = await left(tmp_path, bot, file_size_limit=2 * MIB)
    assert code == "exited"
    assert cause.endswith("it had reached a limit of the match: --file-size-limit 2097152")
    assert file.stat().st_size == 2 * MIB


@pytest.mark.parametrize("held_by", ["cgroup", slow("rlimits")], indirect=True)
async def test_a_crash_that_has_nothing_to_do_with_a_limit_names_none(
    tmp_path: Path, held_by: str
) -> None:
    limits = dict.fromkeys(("memory_limit", "file_size_limit"), 500 * MIB)
    code, _, cause = await left(tmp_path, hostile("exit_at", 1), open_file_limit=100, **limits)
    assert (code, "limit" in cause) == ("exited", False)


# --- 1.3: output ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "size"), [("pad", 3_000), ("blank_drip", 3_000), ("pad", 20_001)])
async def test_all_output_of_a_match_is_limited(mode: str, size: int, tmp_path: Path) -> None:
    code, detail, _ = await left(tmp_path, hostile(mode, size), output_limit=20_000)
    assert (code, detail) == ("output-limit", "more than 20000 bytes of output in this match")


# --- how a bot starts within its limits -----------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "mode", "error"),
    [
        (
            "print()\n",
            0o755,
            "it is a text, and a script needs a first line such as #!/usr/bin/env node",
        ),
        (
            "#!/no/such/program\n",
            0o755,
            "its first line names the interpreter /no/such/program, which does not exist: "
            "install the interpreter, or change the line",
        ),
        (
            "#!/bin/sh\r\n",
            0o755,
            "its first line ends with a carriage return (Windows line ends): "
            r"save it with Unix line ends, such as by sed -i 's/\r$//' bot",
        ),
        ("#!/bin/sh\n", 0o644, "it is not executable: chmod +x bot"),
    ],
)
def test_what_cannot_be_started_fails_as_without_limits(
    content: str, mode: int, error: str, tmp_path: Path
) -> None:
    program = tmp_path / "bot"
    program.write_text(content)
    program.chmod(mode)
    command = find_bot("big_money", "dominion")._replace(argv=(str(program),))
    for limits in (Limits(), Limits(open_file_limit=64)):
        bot = LaunchedBot(command, limits)
        bot.end()
        assert (bot.popen, bot.error) == (None, error)


async def test_the_record_says_what_held_the_bots(tmp_path: Path, held_by: str) -> None:
    """The header says so if the match has limits of the system (log-format, 2.1)."""
    limits = {"max_turns": 1, "memory_limit": 200 * MIB}
    await play(tmp_path, "minimal", "minimal", patient=[0], **limits)
    header = entries(tmp_path / "record")[0]
    assert header["limits_by"] == held_by
    await play(tmp_path, "minimal", "minimal", patient=[0, 1], max_turns=1)
    assert "limits_by" not in entries(tmp_path / "record")[0]


# --- control groups -------------------------------------------------------------------------------


def groups_of(pid: int) -> list[str]:
    home = cgroups.home()
    assert home is not None
    return [
        name
        for folder in set(home.folders.values())
        for name in os.listdir(folder)
        if name.startswith(f"referee-{pid}-")
    ]


@needs_cgroups
def test_no_control_group_stays() -> None:
    sources = [find_bot("big_money", "dominion")] * 2
    for _ in range(2):
        with launch_bots(sources, Limits(memory_limit=100 * MIB)) as bots:
            assert len(groups_of(os.getpid())) >= 2
            assert all(isinstance(bot, LaunchedBot) and bot.popen for bot in bots)
    assert groups_of(os.getpid()) == []
    assert GUARDIAN.processes == set()


@needs_cgroups
def test_the_guardian_removes_those_of_a_referee_that_was_killed(tmp_path: Path) -> None:
    """Processes in another session are killed as well, even if they are frozen."""
    pid_file = tmp_path / "pid"
    code = (
        "import os, sys, time\n"
        "from referee.bots.command import find_bot\n"
        "from referee.bots.processes.launch import LaunchedBot\n"
        "from referee.match.limits import Limits\n"
        "bot = LaunchedBot(find_bot(sys.argv[1], 'dominion'), Limits(memory_limit=2**28))\n"
        "while not os.path.exists(sys.argv[2]): time.sleep(0.01)\n"
        "bot.cgroup.freeze()\n"
        "print(flush=True)\n"
        "time.sleep(60)\n"
    )
    new = f"{pid_file}.new"
    inner = (
        f"open({new!r}, 'w').write(str(os.getpid())); os.rename({new!r}, {str(pid_file)!r})\n"
        "while True: pass"
    )
    start = f"import os\nif not os.fork():\n os.setsid()\n exec({inner!r})"
    bot = shlex.join([sys.executable, "-I", "-S", "-c", start])
    words = [sys.executable, "-c", code, bot, str(pid_file)]
    referee = subprocess.Popen(words, stdout=subprocess.PIPE)
    with referee:
        assert referee.stdout is not None
        assert referee.stdout.readline()
        assert groups_of(referee.pid)
        referee.kill()
    until(lambda: not groups_of(referee.pid))
    assert stat_fields(int(pid_file.read_text()))[:1] in ([], [b"Z"])


# --- limits.md, 5: bots that wait -----------------------------------------------------------------


@needs_bwrap
async def test_a_bot_that_is_not_asked_does_not_run_while_a_slow_one_thinks(
    held_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = sandbox.resolve("bwrap")
    thinks, burning = hostile("think", 0.06), hostile("burn_between", 3)
    spec = match_spec([thinks, burning], seed=1, options={"max_turns": 2}, sandbox=place)
    used = list[float]()
    freeze, thaw = LaunchedBot.freeze, LaunchedBot.thaw

    def note(bot: LaunchedBot) -> None:
        is_new = not bot.is_frozen
        freeze(bot)
        if is_new and bot.argument == burning:
            used.append(bot.cpu_seconds or 0.0)

    def note_end(bot: LaunchedBot) -> None:
        if bot.is_frozen and bot.argument == burning:
            used[-1] = (bot.cpu_seconds or 0.0) - used[-1]
        thaw(bot)

    monkeypatch.setattr(LaunchedBot, "freeze", note)
    monkeypatch.setattr(LaunchedBot, "thaw", note_end)
    played = await play_bots(spec, [find_bot(bot, "dominion") for bot in spec.bots])
    assert [player.disqualified for player in played.result.players] == [None, None]
    # In each wait, the three busy processes could have run for 0.06 s each.
    assert len(used) >= 2
    assert sum(used) < 0.03 * len(used)


@needs_bwrap
async def test_a_frozen_bot_answers_and_ends_like_any_other(tmp_path: Path, held_by: str) -> None:
    place = sandbox.resolve("bwrap")
    spec = match_spec(
        [hostile("think", 0.02), hostile("think", 0.02)], options={"max_turns": 1}, sandbox=place
    )
    played = await play_bots(spec, [find_bot(bot, "dominion") for bot in spec.bots])
    for player in played.result.players:
        assert (player.disqualified, player.exit_code, player.faults) == (None, 0, {})


async def in_sandbox(bot: str, **limits: Any) -> Played:
    """Play a bot in a sandbox as player 2. Player 1 is an object."""
    place = sandbox.resolve("bwrap")
    spec = match_spec(["big_money", bot], seed=1, options=limits, sandbox=place)
    sound = bundled_here("big_money", "dominion")
    assert sound is not None
    return await play_bots(spec, [sound, find_bot(bot, "dominion")])


@needs_bwrap
async def test_in_a_sandbox_cpu_time_is_counted_wherever_it_is_used(held_by: str) -> None:
    played = await in_sandbox(hostile("burn", "grandchild"), cpu_limit=0.1, time_limit=60)
    assert played.disqualified[1].code == "cpu-limit"


@pytest.mark.parametrize("held_by", ["cgroup", slow("rlimits")], indirect=True)
@needs_bwrap
@pytest.mark.parametrize("kind", ["memfd", "unix"])
async def test_in_a_sandbox_memory_counts_that_is_of_no_process(kind: str, held_by: str) -> None:
    bot = hostile("take_as", f"{kind} 60")
    played = await in_sandbox(bot, memory_limit=30 * MIB, time_limit=60)
    assert played.disqualified[1].code == "memory-limit"


@needs_bwrap
@needs_no_root
@pytest.mark.parametrize("mode", ["fork", "threads"])
async def test_in_a_sandbox_processes_are_counted_without_a_control_group(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other processes of the user don't count."""
    monkeypatch.setattr(cgroups, "home", lambda: None)
    played = await in_sandbox(hostile(mode, 200), process_limit=20)
    left = played.result.players[1].disqualification
    assert left is not None
    assert left.cause.endswith("it had reached a limit of the match: --process-limit 20")


@pytest.mark.parametrize("held_by", ["cgroup", slow("rlimits")], indirect=True)
@needs_bwrap
async def test_the_tmp_of_a_sandbox_is_limited(held_by: str) -> None:
    played = await in_sandbox(hostile("big_file", "/tmp/x 3"), tmp_limit=MIB)
    left = played.result.players[1].disqualification
    assert left is not None
    assert left.cause.endswith("it had reached a limit of the match: --tmp-limit 1048576")
