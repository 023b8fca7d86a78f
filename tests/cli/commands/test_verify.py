"""`referee verify`: its output, exit codes and worker processes."""

from __future__ import annotations

import gzip
import json
import os
import select
import signal
import sqlite3
import subprocess
from concurrent.futures import Future
from contextlib import closing, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from referee import cli
from referee.cli import many_files
from tests.support.forked_referee import ForkedReferee, forked_referee
from tests.support.live import (
    ROOT,
    check_output_option,
    is_running,
    referee,
    schema,
)

SCHEMA = schema("verdict")
EXAMPLES = ROOT / "spec" / "examples"
TWO = EXAMPLES / "two-players.record.jsonl"
FOUR = EXAMPLES / "four-players.record.jsonl"
LOG = EXAMPLES / "two-players.log.jsonl"


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    """A record with one word changed in line 26."""
    lines = TWO.read_bytes().splitlines(keepends=True)
    assert b"silver" in lines[25]
    lines[25] = lines[25].replace(b"silver", b"golden", 1)
    file = tmp_path / "edited.jsonl"
    file.write_bytes(b"".join(lines))
    return file


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A record truncated in the middle of line 101."""
    file = tmp_path / "cut.jsonl"
    file.write_bytes(b"".join(TWO.read_bytes().splitlines(keepends=True)[:101])[:-5])
    return file


def test_one_record_that_holds() -> None:
    done = referee("verify", str(TWO))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"{TWO}: valid (372 lines, seed 20, big_money vs village_engine, player2 won)\n"
    )
    assert referee("verify", "-q", str(TWO)).stdout == ""


def test_one_that_does_not(edited: Path, cut: Path) -> None:
    done = referee("verify", "--quiet", str(edited))
    assert (done.returncode, done.stderr) == (1, "")
    first, expected, found = done.stdout.splitlines()
    assert first.startswith(f"{edited}, line 26: modified: ")
    assert first.endswith("(log-format 2.2)")
    assert expected.startswith("  expected: ")
    assert "silver" in expected
    assert found.startswith("  found:    ")
    assert "golden" in found
    done = referee("verify", str(cut))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == f"{cut}: truncated after line 100, valid so far\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_many_in_the_order_of_the_arguments(edited: Path, cut: Path, jobs: str) -> None:
    """With 8 files there are worker processes, if --jobs wants them."""
    files = [TWO, cut, FOUR, TWO, TWO, edited, LOG, FOUR]
    run = referee if jobs == "1" else forked_referee
    done = run("verify", "--jobs", jobs, *map(str, files))
    assert (done.returncode, done.stderr) == (1, "")
    lines = [line for line in done.stdout.splitlines() if not line.startswith("  ")]
    failures = [str(cut), str(edited), str(LOG)]
    assert len(lines) == 4
    for line, file in zip(lines, failures, strict=False):
        assert line.startswith(file)
    assert lines[-1] == "8 records: 5 valid, 1 truncated, 1 modified, 1 not a record"


def test_json_is_an_object_a_record(edited: Path, cut: Path) -> None:
    files = [TWO, cut, edited, LOG]
    done = referee("verify", "--jobs", "1", "--format", "json", *map(str, files))
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    schema = jsonschema.Draft202012Validator(SCHEMA)
    for verdict in verdicts:
        schema.validate(verdict)
    assert [verdict["name"] for verdict in verdicts] == list(map(str, files))
    assert [verdict["line"] for verdict in verdicts if verdict["kind"] != "valid"] == [100, 26, 1]


def test_a_game_that_is_not_there_is_no_mistake_of_the_record(tmp_path: Path, edited: Path) -> None:
    file = tmp_path / "other.jsonl"
    file.write_bytes(TWO.read_bytes().replace(b'"game":"dominion"', b'"game":"chess"', 1))
    for names, code in (([TWO, file], 2), ([edited, file], 1), ([TWO, TWO], 0)):
        assert cli.main(["verify", "--jobs", "1", *map(str, names)]) == code


def test_many_that_all_hold() -> None:
    done = referee("verify", *[str(FOUR)] * 2)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 records: all valid\n", "")


def test_the_log_that_follows(tmp_path: Path, edited: Path) -> None:
    log = tmp_path / "log"
    assert referee("verify", str(TWO), "--log", str(log)).returncode == 0
    assert log.read_bytes() == LOG.read_bytes()
    done = referee("verify", str(TWO), "--log", "-")
    assert done.stdout == LOG.read_text()
    assert "valid" in done.stderr
    # The log of an edited record stops at the edit.
    done = referee("verify", str(edited), "--log", "-")
    assert done.returncode == 1
    assert LOG.read_text().startswith(done.stdout)


def test_standard_input(tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(TWO.read_bytes()))
    with packed.open() as stdin:
        done = forked_referee("verify", "-", stdin=stdin)
    assert done.returncode == 0
    assert done.stdout.startswith("standard input: valid")


def test_wrong_usage_is_found_before_anything_starts(tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.write_bytes(TWO.read_bytes())
    for arguments, text in {
        (): "RECORD",
        ("none",): "cannot read none: No such file",
        (str(TWO), "none"): "cannot read none: No such file",
        (str(tmp_path),): "directory",
        ("-", "-"): "only once",
        (str(TWO), str(FOUR), "--log", "x"): "--log takes one RECORD",
        (str(TWO), "--log", "-", "--format", "json"): "both want stdout",
        (str(TWO), "--log", str(tmp_path / "no" / "log")): "cannot write",
        (str(record), "--log", str(record)): "are the same file",
        (str(TWO), "--jobs", "0"): "--jobs",
    }.items():
        done = referee("verify", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert text in done.stderr
    assert record.read_bytes() == TWO.read_bytes()


class InOrder:
    """Replaces the pool of worker processes. It has the number of files in each task."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, work: Any, each: Any, names: list[str]) -> Future[list[str]]:
        self.sizes.append(len(names))
        done = Future[list[str]]()
        done.set_result(work(each, names))
        return done


@pytest.mark.parametrize(
    ("count", "jobs", "sizes"),
    [(7, 2, []), (8, 1, []), (8, 3, [1] * 8), (24, 2, [3] * 8), (260, 4, [16] * 16 + [4])],
)
def test_many_files_are_shared_out_to_processes(
    count: int, jobs: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = InOrder()
    monkeypatch.setattr(many_files.workers, "worker_processes", lambda *_, **__: nullcontext(made))
    interrupts: Any = SimpleNamespace(raising=lambda _: nullcontext(), check=lambda: None)
    names = [*map(str, range(count))]
    assert [*many_files._results(str, names, jobs, interrupts)] == names
    assert made.sizes == sizes
    # Only this process can read stdin.
    assert [*many_files._results(str, [*names, "-"], jobs, interrupts)] == [*names, "-"]
    assert made.sizes == sizes


def test_a_signal_is_noticed_while_a_task_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(range(3))

    def nothing_yet(futures: Any, timeout: float) -> Any:
        assert next(looks, None) is not None, "it goes on after the signal"
        return SimpleNamespace(done=set())

    def check() -> None:
        raise KeyboardInterrupt

    pool = SimpleNamespace(submit=lambda *_: Future[list[str]]())
    monkeypatch.setattr(many_files.workers, "worker_processes", lambda *_, **__: nullcontext(pool))
    monkeypatch.setattr("concurrent.futures.wait", nothing_yet)
    interrupts: Any = SimpleNamespace(raising=lambda _: nullcontext(), check=check)
    with pytest.raises(KeyboardInterrupt):
        next(many_files._results(str, [*map(str, range(8))], 2, interrupts))


@pytest.fixture
def _small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the workers one record at a time, so that they end soon."""
    monkeypatch.setattr(many_files, "MAX_CHUNK", 1)


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start verifying 5000 records and wait for the first result."""
    words = ("verify", "--format", "json", *arguments, *[str(FOUR)] * 5000)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = ForkedReferee(*words, **pipes)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def workers(process: subprocess.Popen[str]) -> list[int]:
    """Return the process ids of the referee's workers, which are forks of it."""
    file = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    pids = file.read_text().split()
    return [int(pid) for pid in pids if b"tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.usefixtures("_small_tasks")
@pytest.mark.parametrize(
    ("number", "text", "jobs"),
    [
        (signal.SIGINT, "interrupted", "1"),
        (signal.SIGTERM, "ended by SIGTERM", "2"),
    ],
)
def test_a_signal_ends_all_processes(number: signal.Signals, text: str, jobs: str) -> None:
    process = start("--jobs", jobs)
    pids = workers(process)
    assert len(pids) == (2 if jobs == "2" else 0)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert errors.startswith(f"referee: {text}; ")
    assert errors.endswith(" of 5000 records were looked at\n")
    assert errors.count("\n") == 1
    assert not any(map(is_running, pids))


@pytest.mark.slow
@pytest.mark.usefixtures("_small_tasks")
def test_a_worker_that_dies_is_one_line() -> None:
    process = start("--jobs", "2")
    os.kill(workers(process)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 70
    assert errors.startswith("referee: a process ended by itself")
    assert errors.count("\n") == 1


@pytest.mark.usefixtures("_small_tasks")
def test_workers_do_not_outlive_a_killed_parent() -> None:
    process = start("--jobs", "2")
    ends = [os.pidfd_open(pid) for pid in workers(process)]
    assert len(ends) == 2
    process.kill()
    process.communicate(timeout=60)
    for end in ends:
        ended, _, _ = select.select([end], [], [], 60)
        assert ended
        os.close(end)


@pytest.mark.slow
@pytest.mark.usefixtures("_small_tasks")
def test_a_reader_that_has_enough() -> None:
    process = start("--jobs", "2")
    pids = workers(process)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == ""
    assert process.wait(60) == 141
    assert not any(map(is_running, pids))


# --- reports --------------------------------------------------------------------------------------


def test_junit_is_a_case_a_record(edited: Path, cut: Path) -> None:
    done = referee("verify", str(TWO), str(edited), str(cut), "--format", "junit")
    assert (done.returncode, done.stderr) == (1, "")
    suites = ElementTree.fromstring(done.stdout)
    assert (suites.get("tests"), suites.get("failures")) == ("3", "2")
    cases = list(suites.iter("testcase"))
    assert [case.get("name") for case in cases] == [str(TWO), str(edited), str(cut)]
    assert cases[0].find("failure") is None
    failures = [case.find("failure") for case in cases[1:]]
    assert failures[0] is not None
    assert failures[1] is not None
    assert str(failures[0].get("message")).startswith(f"{edited}, line 26: modified: ")
    assert "  expected: " in str(failures[0].text)
    assert "truncated after line 100" in str(failures[1].get("message"))


def test_a_report_in_a_file_beside_the_text(edited: Path, tmp_path: Path) -> None:
    check_output_option("verify", str(edited), report=tmp_path / "report")


def test_a_report_is_not_lost_to_a_slip_of_the_keyboard(tmp_path: Path) -> None:
    report = tmp_path / "report"
    report.write_text("precious")
    assert referee("verify", "none", "--output", str(report)).returncode == 2
    assert report.read_text() == "precious"


def test_a_log_on_stdout_and_a_report_in_a_file(tmp_path: Path) -> None:
    words = ["verify", str(TWO), "--log", "-", "--format", "junit"]
    assert "both want stdout" in referee(*words).stderr
    done = referee(*words, "--output", str(tmp_path / "report"))
    assert (done.returncode, done.stdout) == (0, LOG.read_text())
    assert "valid" in done.stderr


@pytest.mark.usefixtures("in_a_thread")
def test_a_store_that_was_edited_in_junit(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    words = ["smithy.json", "engine.json", "--deals", "1", "--max-turns", "2", "-q", "--seed", "3"]
    words += ["--jobs", "1"]
    assert referee("tournament", *words, "--store", str(store)).returncode == 0
    with closing(sqlite3.connect(store)) as database, database:
        database.execute("update matches set digest = 'sha256:0' where match = 1")
    done = referee("verify", "--store", str(store), "--jobs", "1", "--format", "junit")
    assert done.returncode == 1
    suites = ElementTree.fromstring(done.stdout)
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    (failure,) = suites.iter("failure")
    assert "digest" in str(failure.get("message"))
