"""`referee doctor`: what it finds, what is missing, and how to install it."""

from __future__ import annotations

import errno
import json
import math
import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from referee import play_match
from referee.bots.processes import cgroups, sandbox
from referee.bots.processes.guardian import GUARDIAN
from referee.cli.commands import doctor
from referee.match.limits import LimitsBy
from referee.starters import LANGUAGES
from tests.support.forked_referee import forked_referee
from tests.support.live import referee

NOTHING = {"PATH": "/nonexistent"}  # the programs of languages take long to say their versions


def checks(path: str = NOTHING["PATH"]) -> dict[str, dict[str, Any]]:
    done = referee("doctor", "--format", "json", env={"PATH": path})
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["ok"] is True
    return {check["name"]: check for check in report["checks"]}


@pytest.mark.slow
def test_the_text_fits_80_columns_and_says_how_to_get_what_is_missing() -> None:
    done = referee("doctor", env=NOTHING)
    lines = done.stdout.splitlines()
    assert done.returncode == 0  # Python bots don't need anything from PATH
    assert lines[-1] == "Matches and tournaments can be played here."
    assert max(map(len, lines)) <= 80
    at = next(number for number, line in enumerate(lines) if line.startswith("  --  C++ "))
    assert lines[at].split("  ")[-1].strip() == "c++ is not installed"
    assert [line.strip() for line in lines[at + 1 : at + 3]] == [
        "for bots in C++",
        "do: apt-get install g++",
    ]


@pytest.mark.slow
def test_json_has_the_same() -> None:
    found = checks()
    assert found["Python"]["status"] == found["a tournament"]["status"] == "ok"
    assert {language.title for language in LANGUAGES.values()} <= found.keys()
    assert found["a match"]["found"].endswith("sandbox none")
    assert {check["section"] for check in found.values()} == {
        *("matches", "tournaments", "strangers' bots", "machine", "languages", "extras")
    }
    for check in found.values():
        assert check["status"] in ("ok", "missing", "problem")
        assert check["found"]
        assert check["purpose"]
        assert not (check["get"] and check["status"] == "ok")


@pytest.mark.slow
def test_a_compiler_that_hangs_or_fails_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PROBE_SECONDS", 1.0)
    hangs = "exec /bin/sleep 100"
    for name, body in (("node", hangs), ("perl", "exit 3"), ("cc", "echo; echo cc 1.2")):
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)
    found = checks(str(tmp_path))
    for name, program in (("JavaScript", "node"), ("Perl", "perl")):
        assert found[name]["status"] == "missing"
        assert found[name]["found"] == f"{tmp_path}/{program} does not run"
    assert (found["C"]["status"], found["C"]["found"]) == ("ok", "cc 1.2")


@pytest.mark.slow
def test_a_machine_without_bubblewrap_is_told_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        sandbox, "unavailable_reason", lambda: f"bwrap is not installed: {sandbox.INSTALL}"
    )
    check = checks()["bubblewrap"]
    assert check["status"] == "missing"
    assert "apt-get install bubblewrap" in check["found"]


@pytest.mark.slow
def test_what_cannot_be_found_out_does_not_end_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_PROC", tmp_path)  # some containers hide /proc
    found = checks()
    assert found["memory"]["status"] == found["pipes"]["status"] == "missing"
    assert "cannot be found out" in found["memory"]["found"]


def test_where_no_match_can_be_played_the_exit_code_is_1() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

    done = forked_referee("doctor", preexec_fn=limit, env={**os.environ, **NOTHING})
    assert done.returncode == 1, done
    assert "  NO  a match         a match needs 48 file descriptors (ulimit -n)" in done.stdout
    assert done.stdout.endswith("No match can be played here: see NO.\n")


@pytest.mark.slow
def test_where_processes_share_no_memory_there_are_matches_and_tournaments_of_one_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This happens where /dev/shm isn't mounted."""

    def no_lock(*arguments: object, **options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", no_lock)
    done = referee("doctor", env=NOTHING)
    assert done.returncode == 1
    assert "  ok  a match  " in done.stdout
    assert "  NO  a tournament    processes cannot share memory (they need a" in done.stdout
    assert done.stdout.endswith(
        "\nMatches can be played here, and tournaments with --jobs 1: see NO.\n"
    )
    words = ("minimal", "minimal", "--deals", "1", "--max-turns", "1", "--quiet")
    assert [
        referee("tournament", *words, "--jobs", jobs, env=NOTHING).returncode for jobs in "12"
    ] == [0, 71]
    assert (
        GUARDIAN.processes == set()
    )  # the worker was a thread, so its bots must not wait for more
    report = json.loads(referee("doctor", "--format", "json", env=NOTHING).stdout)
    assert report["ok"] is False
    problems = [check["name"] for check in report["checks"] if check["status"] == "problem"]
    assert problems == ["a tournament"]


def test_a_match_in_which_a_bot_fails_is_a_problem() -> None:
    """`doctor` plays with bots that never make mistakes, so a failed bot points to the machine."""
    short = {"max_turns": 1}
    fine, failed = (
        play_match([bot, "smithy.json"], seed=1, options=short) for bot in ("minimal", "false")
    )
    lost = failed.players[0].disqualification
    assert lost is not None
    fails = [fine, failed, failed]
    assert doctor._played(fails, 0.0, "") == (False, lost.detail, "")
    assert doctor._played(fails[:1], 0.0, "in a test").ok


@pytest.mark.parametrize(
    ("name", "user", "status", "found"),
    [
        (None, 65534, False, "CPU time of processes without a waiting parent does not count"),
        (None, 0, False, "processes are not limited, as the referee is root"),
        ("cgroup-v1", 0, True, "v1: memory, pids"),
        ("cgroup-v2", 0, True, "v2: memory, pids"),
    ],
)
def test_what_no_limit_holds_is_named(
    name: LimitsBy | None,
    user: int,
    status: bool,
    found: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folders = dict.fromkeys(("pids", "memory"), "")
    for module in (cgroups, doctor):
        monkeypatch.setattr(module, "home", lambda: name and cgroups.Home(name, folders))
    monkeypatch.setattr(os, "geteuid", lambda: user)
    seen = doctor._cgroups()
    assert (seen.ok, found in seen.text) == (status, True), seen
    user_option = "" if user == 0 else "--user "
    get = f"systemd-run {user_option}--scope -p Delegate=yes referee ..."
    assert seen.get == ("" if status else get)


@pytest.mark.parametrize(
    ("quota", "status", "found"),
    [
        (math.inf, "ok", "8, load 0.5"),
        (8, "ok", "8, load 0.5"),
        (2.5, "ok", "2 of 8 (control groups: 2.5), load 0.5"),
        (1, "ok", "1 of 8 (control groups: 1), load 0.5"),
        (0.5, "missing", "1 of 8 (control groups: 0.5), load 0.5"),
    ],
)
def test_a_quota_of_cpu_time_is_shown(
    quota: float, status: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.5, 0.5, 0.5))
    for module in (cgroups, doctor):
        monkeypatch.setattr(module, "cpu_quota", lambda: quota)
    assert doctor._cores()[:2] == (status == "ok", found)


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        ((1024, 1024), (True, "at most 1024", "ulimit -n 1024")),
        ((256, 4096), (False, "at most 256, can be raised to 4096", "ulimit -n 1024")),
        ((256, -1), (False, "at most 256, can be raised", "ulimit -n 1024")),
        (
            (60, 60),
            (False, "at most 60", "let root raise it: /etc/security/limits.conf"),
        ),
        ((-1, -1), (True, "no limit", "ulimit -n 1024")),
    ],
)
def test_a_limit_says_how_far_it_can_be_raised(
    limits: tuple[int, int], found: tuple[bool, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "RLIM_INFINITY", -1)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits)
    assert doctor._limit(resource.RLIMIT_NOFILE, "-n") == found


@pytest.mark.parametrize(
    ("variables", "found"),
    [({"TERM": "xterm"}, "72 columns, colours"), ({"NO_COLOR": "1"}, "72 columns, no colours")],
)
def test_a_terminal_is_described(
    variables: dict[str, str], found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert doctor._terminal().text.startswith("none (a file or a pipe): 80 columns")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {"COLUMNS": "72", **variables}.items():
        monkeypatch.setenv(name, value)
    assert doctor._terminal().text.startswith(found)
