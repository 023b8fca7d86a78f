"""`referee validate`: exit codes, formats, and messages about files that are not logs."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import tracemalloc
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from msgspec.structs import replace

from referee import cli
from referee.cli.commands.validate import _lines
from referee.games import GAMES
from referee.games.interface.capabilities import Finding, Unchecked
from referee.logs import source
from referee.logs.validate import MAX_FINDINGS, CheckedLog
from referee.logs.zstd import zstd
from tests.support.forked_referee import ForkedReferee, forked_referee
from tests.support.live import ROOT, check_output_option, referee, schema

SCHEMA = schema("validation")
LOG = ROOT / "spec" / "examples" / "two-players.log.jsonl"


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """A log with two mistakes: the supply has 41 silver, and the first score has an extra digit."""
    lines = LOG.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b'"silver","count":40', b'"silver","count":41')
    lines[-1] = lines[-1].replace(b'"scores":[', b'"scores":[1')
    file = tmp_path / "wrong.log.jsonl"
    file.write_bytes(b"".join(lines))
    return file


def test_a_valid_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", str(LOG)]) == 0
    assert capsys.readouterr().out == f"{LOG}: valid\n"


def test_of_a_game_without_a_checker_only_the_lines_are_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wrong: Path, tmp_path: Path
) -> None:
    monkeypatch.setitem(GAMES, "dominion", replace(GAMES["dominion"], checker=None))
    note = f"referee: {wrong}: the rules of dominion are not checked, only the lines of its logs\n"
    # Only the rules know that there should be 40 silver.
    assert cli.main(["validate", str(wrong), str(LOG)]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [f"{wrong}: valid", f"{LOG}: valid", "2 logs: 2 valid, 0 not"]
    assert err == note
    torn = tmp_path / "torn"
    torn.write_bytes(LOG.read_bytes().replace(b'"version":1', b'"version":"1"')[:-1])
    assert cli.main(["validate", str(torn)]) == 1
    out, err = capsys.readouterr()
    assert "expected: an integer as `version` of player-name" in out
    assert "a truncated last line" in out
    assert err.count("\n") == 1


def test_a_log_of_an_unknown_game_is_one_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = b'{"type":"player-name","player_number":"player1","name":"A","version":1}\n'
    file = tmp_path / "log"
    file.write_bytes(name + b'{"type":"game-info","game":"chess"}\n{"type":"move"}\n')
    assert cli.main(["validate", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"{file}, line 2: protocol-v1, 2",
        f"  expected: a public message of a game that this referee knows ({', '.join(GAMES)})",
        '  found:    one of the game "chess"; if it is a game of your own, add --game FILE',
    ]
    assert not err


def test_findings_name_line_section_expected_and_found(
    wrong: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["validate", str(LOG), str(wrong)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        f"{LOG}: valid",
        f"{wrong}, line 4: protocol-v1, 4.2",
        "  expected: silver 40",
        "  found:    silver 41",
    ]
    last = len(LOG.read_bytes().splitlines())
    assert f"{wrong}, line {last}: protocol-v1, 4.5" in lines
    assert lines[-1] == "2 logs: 1 valid, 1 not (2 findings)"


def test_a_log_with_too_many_findings_says_so() -> None:
    found = [Finding(n, "2", "x", "y") for n in range(MAX_FINDINGS)]
    assert _lines("f", CheckedLog(found, "protocol"))[-1] == (
        f"f: {MAX_FINDINGS} different findings or more; the rest was not looked at"
    )
    assert "or more" not in _lines("f", CheckedLog(found[1:], "protocol"))[-1]


def test_what_is_wrong_on_many_lines_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log"
    lines = LOG.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], *[b'{"type":"chess"}\n'] * 3, *lines[2:]]))
    assert cli.main(["validate", str(file)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"{file}, line 3: protocol-v1, 2, the first of 3 lines"
    assert said[2] == '  found:    type "chess"'
    assert cli.main(["validate", "--format", "junit", str(file)]) == 1
    assert "the first of 3 lines" in capsys.readouterr().out


def test_quiet_says_nothing_of_valid_logs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", "--quiet", str(LOG)]) == 0
    assert capsys.readouterr().out == ""


def test_quiet_still_shows_findings(wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", "--quiet", str(wrong)]) == 1
    assert f"{wrong}, line " in capsys.readouterr().out


def test_findings_count_more_than_where_the_check_stopped() -> None:
    stopped = Unchecked(9, "a draw is not in it")
    (valid,) = _lines("log", CheckedLog([], "page", stopped=stopped))
    assert valid.startswith("log: valid; from line 9 on the rules are not checked, because a draw")
    for count, times in ((1, ""), (2, ", the first of 2 lines")):
        finding = Finding(3, "4.6", "one", "two", count=count, stops=count > 1)
        head, *_, last = _lines("log", CheckedLog([finding], "page", stopped=stopped))
        assert head == f"log, line 3: page, 4.6{times}"
        assert ("were not checked after" in last) == (count > 1)


def test_json_is_an_object_a_log(wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", "--format", "json", str(LOG), str(wrong)]) == 1
    valid, invalid = map(json.loads, capsys.readouterr().out.splitlines())
    for told in (valid, invalid):
        jsonschema.Draft202012Validator(SCHEMA).validate(told)
    assert valid == {"name": str(LOG), "valid": True, "findings": []}
    assert invalid["valid"] is False
    expected = {"line": 4, "section": "4.2", "expected": "silver 40", "found": "silver 41"}
    expected |= {"count": 1, "stops": False}
    assert invalid["findings"][0] == expected


def test_junit_is_a_case_a_log(wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validate", "--format", "junit", str(LOG), str(wrong)]) == 1
    suites = ElementTree.fromstring(capsys.readouterr().out)
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    good, bad = suites.iter("testcase")
    assert good.find("failure") is None
    failure = bad.find("failure")
    assert failure is not None
    assert failure.get("message") == "line 4: protocol-v1, 4.2"
    assert "found:    silver 41" in str(failure.text)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress, bytes])
def test_standard_input_plain_and_compressed(pack: type[bytes], tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(pack(LOG.read_bytes()))
    with file.open() as stdin:
        done = forked_referee("validate", "-", stdin=stdin)
    assert (done.returncode, done.stdout) == (0, "-: valid\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none"], "cannot read none: No such file"),
        ([str(ROOT)], "directory"),
        (["-", "-"], "once"),
        ([], "required"),
        ([str(LOG), "--format", "yaml"], "yaml"),
    ],
)
def test_wrong_usage_is_one_line_and_2(arguments: list[str], says: str) -> None:
    done = referee("validate", *arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert says in done.stderr
    assert done.stdout == ""


def test_a_line_that_does_not_end_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file has 200 MB without a newline, but reading must stop at the longest line."""
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 2**20)
    file = tmp_path / "huge"
    with file.open("wb") as huge:
        huge.truncate(2 * 10**8)
    tracemalloc.start()
    try:
        assert cli.main(["validate", str(file)]) == 1
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "longer than 1 MiB" in capsys.readouterr().out
    assert most < 10 * 2**20


@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
def test_the_longest_beginning_of_a_line(
    more: int,
    fits: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, _ = LOG.read_bytes().split(b"\n", 1)
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 2**20)
    file = tmp_path / "log"
    file.write_bytes(first + b" " * (2**20 + more - len(first)))
    assert cli.main(["validate", str(file)]) == 1  # it was cut short
    assert ("longer than 1 MiB" in capsys.readouterr().out) != fits


def test_a_record_is_named_in_the_command_for_its_log(tmp_path: Path) -> None:
    record = tmp_path / "my game"
    record.write_text('{"entry":"header"}\n')
    assert f"referee verify '{record}' --log FILE" in referee("validate", str(record)).stdout


@pytest.mark.slow
def test_many_logs_in_several_processes(wrong: Path, short_record: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert referee("verify", str(short_record), "--log", str(log)).returncode == 0
    files = [log, wrong, *[log] * 5, wrong]
    words = ["validate", *map(str, files)]
    alone = referee(*words, "--jobs", "1")
    assert alone.returncode == 1
    assert alone.stdout.count("silver 41") == 2
    done = forked_referee(*words, "--jobs", "2")
    assert (done.stderr, done.returncode) == ("", 1)
    assert done.stdout == alone.stdout


def test_a_report_in_a_file_beside_the_text(wrong: Path, tmp_path: Path) -> None:
    check_output_option("validate", str(wrong), report=tmp_path / "report")


def test_a_report_that_cannot_be_written(tmp_path: Path) -> None:
    done = referee("validate", str(LOG), "--output", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"referee: cannot write {tmp_path}: Is a directory\n"


def test_an_interrupt_says_how_far_it_came() -> None:
    words = ("validate", "--format", "json", "--jobs", "1", *[str(LOG)] * 3000)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with ForkedReferee(*words, **pipes) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.fullmatch(r"referee: interrupted; \d+ of 3000 logs were looked at\n", errors)
