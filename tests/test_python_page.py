"""The code on spec/python.md runs, prints the output that is shown, and passes mypy."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import referee
from tests.support.live import ROOT

PAGE = (ROOT / "spec" / "python.md").read_text()
TYPED = """
import pathlib
from collections.abc import Sequence

import referee


class Mine:
    def __init__(self, level: int = 1) -> None:
        self.level = level

    def reply(self, lines: Sequence[bytes]) -> bytes:
        return lines[-1]


def function(message: dict[str, object]) -> dict[str, object] | None:
    return message


async def asynchronous(message: dict[str, object]) -> None: ...


bots: list[referee.BotLike] = ["a", pathlib.Path("b"), ["node", "c.js"], Mine(), Mine, function]
bots += [lambda: Mine(2), lambda message: None, referee.resolve_bot("minimal")]
result: referee.MatchResult = referee.play_match(bots, seed=7, log=pathlib.Path("log"))
player: referee.PlayerResult = referee.play_matches([Mine(), "a"], 3).players(0)[0]
reveal_type(referee.play_match([Mine, function, Mine(), "big_money"]).winners)

referee.play_match([Mine(), 3])  # type: ignore[list-item]
referee.play_match([asynchronous, "a"])  # type: ignore[list-item]
referee.play_match(["a", "b"], seed="7")  # type: ignore[arg-type]
referee.play_match(["a", "b"], options=["max_turns"])  # type: ignore[arg-type]
referee.play_matches(["a", "b"])  # type: ignore[call-arg]
referee.play_macht(["a", "b"])  # type: ignore[attr-defined]
"""


class Snippet(NamedTuple):
    """A piece of code on the page. `output` is None if the page shows no output."""

    code: str
    output: str | None


def snippets() -> list[Snippet]:
    found = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", PAGE, re.S | re.M)
    assert len(found) == PAGE.count("```python")
    return [Snippet(code, output or None) for code, output in found]


@pytest.mark.slow
def test_each_piece_of_code_prints_what_the_page_shows(tmp_path: Path) -> None:
    mark = "-- next --"
    program = tmp_path / "program.py"
    pieces = [f"{snippet.code}\nprint({mark!r})\n" for snippet in snippets()]
    program.write_text("".join(pieces))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""
    printed = done.stdout.split(mark + "\n")[:-1]
    assert [text or None for text in printed] == [snippet.output for snippet in snippets()]


def test_every_name_of_the_package_is_on_the_page() -> None:
    words = set(re.findall(r"\w+", PAGE))
    assert set(referee.__all__) <= words


@pytest.mark.slow  # it takes as long as checking all of `referee`
def test_mypy_strict_on_programs_of_users(tmp_path: Path) -> None:
    """mypy must also find the mistakes.

    In strict mode, an ignore comment without an error is an error.
    """
    pytest.importorskip("mypy", reason="mypy is not installed (the extra `check`)")
    (tmp_path / "typed.py").write_text(TYPED)
    (tmp_path / "page.py").write_text("\n".join(snippet.code for snippet in snippets()))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--config-file="),
            *("--cache-dir", str(ROOT / ".mypy_cache" / "users"), "typed.py", "page.py"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    note, verdict = done.stdout.splitlines()
    assert note.endswith('Revealed type is "list[str]"')
    assert verdict == "Success: no issues found in 2 source files"
