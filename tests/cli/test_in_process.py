"""Runs commands in this process. Most other tests start subprocesses, which coverage can't see."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from referee import cli
from tests.support.live import ROOT

EXAMPLES = ROOT / "spec" / "examples"
RECORD = str(EXAMPLES / "two-players.record.jsonl")
LOG = str(EXAMPLES / "two-players.log.jsonl")
FALSE = "false {player1} {player2}"
SILENT = f"{sys.executable} -I -S -c pass"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["conform", "minimal", "--case", "3"], 0, "minimal conforms"),
        (["conform", SILENT], 1, "22 not judged"),
        (["conform", SILENT, "--quiet"], 1, "does not conform"),
        (["conform", SILENT, "--case", "3", "--format", "json"], 1, '"conforms":false'),
        (["conform", SILENT, "--case", "3", "--format", "junit"], 1, "<testsuite"),
        (["conform", SILENT, "--case", "3", "--format", "html"], 1, "Does not conform"),
        (["conform", "--list", "--case", "7"], 0, "7.1/1"),
        (["conform", "--list", "--case", "7", "--format", "json"], 0, '"7.1/1"'),
        (["conform", "--referee", FALSE], 1, "FAIL  2.1/1"),
        (["conform", "--referee", FALSE, "--format", "json"], 1, '"conforms":false'),
        (["conform", "--referee", FALSE, "--list"], 0, "2.1/1"),
        (["verify", RECORD], 0, "valid"),
        (["verify", RECORD, LOG, "--jobs", "1"], 1, "1 valid, 1 not a record"),
        (["verify", RECORD, LOG, "--jobs", "1", "--format", "json"], 1, '"kind":"not-a-record"'),
        (["validate", LOG], 0, ""),
        (["validate", LOG, RECORD], 1, "expected: "),
        (["validate", LOG, RECORD, "--format", "json"], 1, "{"),
        (["validate", LOG, RECORD, "--format", "junit"], 1, "<testsuite"),
        (["bots", "--show", "minimal"], 0, "play-turn"),
        (["bots", "--show", "big_money.js"], 0, "play-turn"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command(
    arguments: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == code
    printed = capsys.readouterr()
    assert says in printed.out
    assert printed.err == ""


@pytest.mark.parametrize("form", ["text", "json", "junit", "html"])
def test_a_report_in_a_file(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report"
    arguments = ["conform", "minimal", "--case", "3.1", "--format", form, "--output", str(file)]
    assert cli.main(arguments) == 0
    assert "minimal conforms" in capsys.readouterr().out
    assert {"text": "3 Handshake"}.get(form, "3.1") in file.read_text()


def test_the_log_that_follows_from_a_record(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", RECORD, "--log", "-"]) == 0
    assert capfd.readouterr().out == Path(LOG).read_text()
