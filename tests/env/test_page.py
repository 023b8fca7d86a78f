"""Test the pages on learning: the code must print the output shown, and tables must be complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.env.environments import environments
from tests.support.live import ROOT

PAGES = "".join(
    (ROOT / "spec" / page).read_text() for page in ("python-rl.md", "rl-training.md")
).replace("time.process_time() + 60", "time.process_time() + 0.01")
SPACES = (ROOT / "spec" / "rl-spaces.md").read_text()


@pytest.mark.extras
def test_each_piece_of_code_prints_what_the_page_shows(tmp_path: Path) -> None:
    pytest.importorskip(
        "pettingzoo.utils.env", reason="PettingZoo is not installed: pip install -e '.[rl]'"
    )
    found = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", PAGES, re.S | re.M)
    assert len(found) == PAGES.count("```python")
    mark = "-- next --"
    program = tmp_path / "program.py"
    program.write_text("".join(f"{code}\nprint({mark!r})\n" for code, _ in found))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.split(mark + "\n")[:-1] == [output for _, output in found]


@pytest.mark.parametrize("name", environments())
def test_the_page_of_spaces_has_the_sizes_and_a_meaning_for_each_row(name: str) -> None:
    one = environments()[name]
    sections = re.split(r"^## .*", SPACES, flags=re.M)[1:]
    (section,) = [section for section in sections if f"`{name}`" in section]
    rows = re.findall(r"^\| \d.*", section, re.M)
    assert len(rows) > 10
    assert not [row for row in rows if re.search(r"\| +\|", row)]
    for count in (len(one.choices), len(one.observation_names())):
        assert f"{count:,} " in section or count < 10
