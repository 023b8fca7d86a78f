"""Why a process ended: the line of its stderr that says so, or else its exit code."""

from __future__ import annotations

import signal

import pytest

from referee.bots.process_report import ProcessReport
from referee.diagnosis.ending import (
    headline,
    limit_reached,
    missed,
    started_in,
    why_ended,
    why_exited,
)
from referee.match.limits import Limits
from referee.match.result import Stderr

PYTHON = """\
starting
Traceback (most recent call last):
  File "my_bot.py", line 3, in <module>
    import numpy
ModuleNotFoundError: No module named 'numpy'
"""
CHAINED = """\
Traceback (most recent call last):
  File "my_bot.py", line 3, in <module>
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "my_bot.py", line 5, in <module>
ValueError: bad
"""
SYNTAX = """\
  File "my_bot.py", line 3
    def f()
           ^
SyntaxError: expected ':'
"""
NODE = """\
/home/me/my_bot.js:3
const x = null.y;
               ^

TypeError: Cannot read properties of null (reading 'y')
    at Object.<anonymous> (/home/me/my_bot.js:3:16)
    at Error.captureStackTrace (x)

Node.js v20.1.0
"""
JAVA = """\
Exception in thread "main" java.lang.NullPointerException: no hand
\tat MyBot.main(MyBot.java:4)
Caused by: java.lang.IllegalStateException: other
"""
RUST = """\
thread 'main' panicked at src/main.rs:3:5:
index out of bounds: the len is 0 but the index is 0
"""


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        (PYTHON, "ModuleNotFoundError: No module named 'numpy'"),
        (CHAINED, "ValueError: bad"),
        (SYNTAX, "SyntaxError: expected ':'"),
        (NODE, "TypeError: Cannot read properties of null (reading 'y')"),
        ("Error: no hand\n    at my_bot.js:3:16\nError: no end", "Error: no hand"),
        (JAVA, 'Exception in thread "main" java.lang.NullPointerException: no hand'),
        (RUST, "thread 'main' panicked at src/main.rs:3:5:"),
        ("sh: 1: nodejs: not found", "sh: 1: nodejs: not found"),
        ("syntax error at bot.pl line 3, near", "syntax error at bot.pl line 3, near"),
        ("thinking\nhand: copper", ""),
        ("", ""),
    ],
)
def test_the_line_that_names_the_error(stderr: str, line: str) -> None:
    assert headline(stderr.splitlines()) == line


@pytest.mark.parametrize(
    ("exit_code", "requests", "says"),
    [
        (0, 3, "in the middle of the match"),
        (0, 0, "before the match began"),
        (139, 3, "means SIGSEGV"),
        (129, 3, "exit code 129 of a shell means SIGHUP"),
        (128, 3, ""),
        (3, 3, ""),
        (-11, 3, ""),  # SIGSEGV is named elsewhere in the report
        (None, 3, ""),
    ],
)
def test_an_exit_without_a_word(exit_code: int | None, requests: int, says: str) -> None:
    said = why_exited(exit_code, ["thinking"], requests)
    assert says in said
    assert bool(says) == bool(said)


def test_an_error_says_more_than_an_exit_code() -> None:
    assert why_exited(0, ["Error: no"], 3) == "its stderr says: Error: no"


def test_windows_line_ends_in_the_first_line() -> None:
    for line in (
        "/usr/bin/env: \u2018python3\\r\u2019: No such file or directory",
        "env: 'node\r': No such file or directory",
    ):
        assert "carriage return" in why_exited(127, [line], 0)
    assert "carriage" not in why_exited(127, ["env: 'node': No such file or directory"], 0)


@pytest.mark.parametrize(
    "said",
    [
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/w'",
        "Error: ENOENT: no such file or directory, open 'data/w'",
        "java.nio.file.NoSuchFileException: data/w",
        'called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No '
        'such file or directory" }',
        "Error: (os error 2)",
    ],
)
def test_the_folder_of_a_bot_that_does_not_find_a_file(said: str) -> None:
    found = started_in("none", "/home/anna", ["x", said])
    assert found == "it was started in /home/anna, and a relative path begins there"
    assert (
        started_in("bwrap", "/home/anna", [said]) == "it was started in /bot, which is /home/anna"
    )
    assert started_in("bwrap", "", [said]) == ""


@pytest.mark.parametrize(
    "said", ["/usr/bin/env: \u2018node\u2019: No such file or directory", "env: node: No such file"]
)
def test_an_interpreter_that_env_does_not_find(said: str) -> None:
    why = why_exited(127, [said], 0)
    assert "its first line names node, which is not on the PATH of the referee: install it" in why
    assert started_in("none", "/home/anna", [said]) == ""


def test_a_bot_behind_an_adapter_that_ended() -> None:
    for code, stderr, why in (
        (0, ["picking"], "its play() called exit"),
        (1, ["Traceback (most recent call last):", "KeyError: 1"], "its stderr says: KeyError: 1"),
        (1, ["Traceback (most recent call last):", "  x", "Odd"], "its stderr says: Odd"),
        (-9, [], ""),
        (None, [], ""),
        (128, [], "its play() called exit"),
        (129, [], "exit code 129 of a shell means SIGHUP"),
    ):
        assert why_ended(code, stderr, "its play()") == why


def test_the_folder_is_not_named_for_other_causes() -> None:
    assert started_in("none", "/home/anna", ["KeyError: 'a'"]) == ""
    windows = "/usr/bin/env: 'python3\\r': No such file or directory"
    assert started_in("none", "/home/anna", [windows]) == ""


@pytest.mark.parametrize(
    ("exit_code", "said", "names"),
    [
        (-signal.SIGXFSZ, "", "--file-size-limit 7"),
        (128 + signal.SIGXFSZ, "", "--file-size-limit 7"),
        (-signal.SIGKILL, "", ""),
        (1, "OSError: [Errno 24] Too many open files", "--open-file-limit 8"),
        (1, "MemoryError", ""),  # it has no such limit
        (1, "MemoryError: EMFILE", "--open-file-limit 8"),
    ],
)
def test_a_limit_is_named_that_the_bot_has(exit_code: int, said: str, names: str) -> None:
    limits = Limits(file_size_limit=7, open_file_limit=8)
    reached = limit_reached(exit_code, ProcessReport(Stderr([said]), limits=limits))
    assert reached == (names and f"it had reached a limit of the match: {names}")


@pytest.mark.parametrize(
    ("sandbox", "said", "is_told"),
    [("bwrap", "ENOENT", True), ("none", "ENOENT", False), ("bwrap", "KeyError", False)],
)
def test_only_a_sandbox_hides_files(sandbox: str, said: str, is_told: bool) -> None:
    assert bool(missed(sandbox, ["x", said])) == is_told


def test_a_long_headline_is_cut() -> None:
    assert headline(["Error: " + "x" * 300]) == "Error: " + "x" * 193
