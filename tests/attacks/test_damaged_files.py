"""A short run of `tools.attacks.damaged_files`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.attacks.damaged_files import COMMANDS, attack


@pytest.mark.slow
def test_no_damage_ends_in_anything_but_0_or_1_and_one_line(tmp_path: Path) -> None:
    outcomes = attack(range(30), 1, tmp_path, matches=4)
    assert outcomes.wrong == []
    assert outcomes.codes.total() == 30 * len(COMMANDS)
