"""spec/python-rl.md: its code runs and prints what stands there, and its tables are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.env import botwars_v1, dominion_v1
from tests.support.live import ROOT

PAGE = (ROOT / "spec" / "python-rl.md").read_text()


def test_each_piece_of_code_prints_what_the_page_shows(tmp_path: Path) -> None:
    pytest.importorskip(
        "pettingzoo.utils.env", reason="PettingZoo is not installed: pip install -e '.[rl]'"
    )
    found = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", PAGE, re.S | re.M)
    assert len(found) == PAGE.count("```python")
    mark = "-- next --"
    program = tmp_path / "program.py"
    program.write_text("".join(f"{code}\nprint({mark!r})\n" for code, _ in found))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.split(mark + "\n")[:-1] == [output for _, output in found]


def test_every_kind_of_action_and_number_is_on_the_page() -> None:
    shown = set(re.findall(r"`([^`\n]+)`", PAGE))
    cards = {name.removeprefix("buy ") for name in dominion_v1.choices if name.startswith("buy ")}

    def general(name: str) -> str:
        name = re.sub(r"^opponent \d", "opponent N", re.sub("^stage .*", "stage ...", name))
        start, _, last = name.rpartition(" ")
        return f"{start} C" if last in cards else name

    for name in (*dominion_v1.choices, *dominion_v1.observation_names(3)):
        assert name in shown or general(name) in shown, name
    assert f"below {len(dominion_v1.choices)}" in PAGE
    assert ", ".join(f"{n} `{name}`" for n, name in enumerate(botwars_v1.choices)) in PAGE.replace(
        "\n", " "
    )
