"""Each bot on spec/other-languages.md plays without a fault, exactly as it is printed there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.live import ROOT, referee
from tests.support.marks import slow

PAGE = (ROOT / "spec" / "other-languages.md").read_text()
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
NEEDS = {"JavaScript": "node", "Java": "javac", "C": "cc", "Rust": "rustc", "Go": "go"}


def test_every_language_of_the_page_is_tested() -> None:
    assert {*SECTIONS} == {*NEEDS}


@pytest.mark.parametrize(
    "language", ["JavaScript", *map(slow, sorted({*SECTIONS} - {"JavaScript"}))]
)
def test_the_bot_of_the_page_plays_without_a_fault(language: str, tmp_path: Path) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"{language}: no {NEEDS[language]} on this machine")
    text = SECTIONS[language]
    (name,) = re.findall(r"^Save it as `(.*?)`", text, re.MULTILINE)
    (code,) = re.findall(r"^```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (tmp_path / name).write_text(code)
    for build in re.findall(r"Run `(.*?)`", text):
        subprocess.run(build, shell=True, cwd=tmp_path, check=True)
    (command,) = re.findall(r"play it with `referee play (.*?) minimal`", text, re.IGNORECASE)
    done = referee(
        *("play", command.strip('"'), "militia_money", "--seed", "4", "--format", "json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    player = json.loads(done.stdout)["players"][0]
    assert player["requests"] > 20
    assert (player["faults"], player["disqualified"]) == ({}, None)
