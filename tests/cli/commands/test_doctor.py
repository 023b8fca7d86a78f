"""`referee doctor`: what is there, what is missing, what it is for and how to get it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.bots.processes import sandbox
from referee.cli.commands import doctor
from referee.starters import LANGUAGES
from tests.support.live import referee


def checks(**env: str) -> dict[str, dict[str, Any]]:
    done = referee("doctor", "--format", "json", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["ok"] is True
    return {check["name"]: check for check in report["checks"]}


def test_the_text_fits_80_columns_and_says_how_to_get_what_is_missing() -> None:
    done = referee("doctor", env={"PATH": "/nonexistent"})
    lines = done.stdout.splitlines()
    assert done.returncode == 0  # a match of bots in Python needs nothing of the PATH
    assert lines[-1] == "Matches can be played here."
    assert max(map(len, lines)) <= 80
    at = next(number for number, line in enumerate(lines) if line.startswith("  --  C++ "))
    assert lines[at].split("  ")[-1].strip() == "c++ is not installed"
    assert [line.strip() for line in lines[at + 1 : at + 3]] == [
        "for bots in C++",
        "do: apt-get install g++",
    ]


def test_json_has_the_same() -> None:
    found = checks()
    assert found["Python"]["status"] == found["a match"]["status"] == "ok"
    assert {language.title for language in LANGUAGES.values()} <= found.keys()
    assert found["a match"]["found"].endswith("sandbox none")
    assert {check["section"] for check in found.values()} == {
        *("matches", "strangers' bots", "machine", "languages", "extras")
    }
    for check in found.values():
        assert check["status"] in ("ok", "missing", "problem")
        assert check["found"]
        assert check["purpose"]
        assert not (check["get"] and check["status"] == "ok")


def test_a_compiler_that_hangs_or_fails_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PROBE_SECONDS", 0.2)
    for name, body in (("node", "sleep 100"), ("perl", "exit 3"), ("cc", "echo; echo cc 1.2")):
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)
    found = checks(PATH=f"{tmp_path}:/usr/bin:/bin")
    for name, program in (("JavaScript", "node"), ("Perl", "perl")):
        assert found[name]["status"] == "missing"
        assert found[name]["found"] == f"{tmp_path}/{program} does not run"
    assert (found["C"]["status"], found["C"]["found"]) == ("ok", "cc 1.2")


def test_a_machine_without_bubblewrap_is_told_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        sandbox, "unavailable_reason", lambda: f"bwrap is not installed: {sandbox.INSTALL}"
    )
    check = checks()["bubblewrap"]
    assert check["status"] == "missing"
    assert "apt-get install bubblewrap" in check["found"]


def test_what_cannot_be_found_out_does_not_end_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_PROC", tmp_path)  # as in a container that hides it
    found = checks()
    assert found["memory"]["status"] == found["pipes"]["status"] == "missing"
    assert "cannot be found out" in found["memory"]["found"]


def test_where_no_match_can_be_played_the_exit_code_is_1() -> None:
    words = ["sh", "-c", 'ulimit -n 40; exec "$0" -m referee doctor', sys.executable]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 1, done
    assert "  NO  a match         a match needs 48 file descriptors (ulimit -n)" in done.stdout
    assert done.stdout.endswith("No match can be played here: see NO.\n")
