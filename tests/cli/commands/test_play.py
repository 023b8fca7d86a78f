"""The names of bots in `referee play`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from referee import cli
from tests.support.live import entries


def test_a_bot_has_the_name_before_it(tmp_path: Path, capsys: Any) -> None:
    record = tmp_path / "r.jsonl"
    words = ["play", "new=minimal", "minimal", "--max-turns", "1", "--seed", "1"]
    assert cli.main([*words, "--record", str(record)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"player1  new +\d", out)
    assert "referee play new=minimal minimal" in out
    assert entries(record)[0]["names"] == ["new", ""]
