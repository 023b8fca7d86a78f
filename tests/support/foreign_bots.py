"""Build the example bots that aren't written in Python."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.live import ROOT

BOTS = ROOT / "example_bots" / "dominion"
# File name -> (required program, build command or None, run command).
FOREIGN = {
    "big_money.js": ("node", None, "node {source}"),
    "big_money.pl": ("perl", None, "perl {source}"),
    "big_money.c": ("cc", "cc -O1 -o {out}/big_money_c {source}", "{out}/big_money_c"),
    "big_money.rs": ("rustc", "rustc -o {out}/big_money_rs {source}", "{out}/big_money_rs"),
    "BigMoney.java": (
        "javac",
        "javac -d {out} {source}",
        "java -XX:-UsePerfData -cp {out} BigMoney",
    ),
}


def build(name: str, out: Path) -> str:
    tool, compile_line, run_line = FOREIGN[name]
    if shutil.which(tool) is None:
        pytest.skip(f"{name}: no {tool} on this machine")
    names = {"source": BOTS / name, "out": out}
    if compile_line is not None:
        subprocess.run(compile_line.format(**names).split(), check=True, capture_output=True)
    return run_line.format(**names)
