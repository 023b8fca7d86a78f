"""A short run of `tools.attacks.damaged_stores`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.attacks.damaged_stores import COMMANDS, KINDS, attack


@pytest.mark.slow
@pytest.mark.untraced
def test_no_damage_ends_in_anything_but_0_or_2_and_one_line(tmp_path: Path) -> None:
    outcomes = attack(8, 2, tmp_path)
    assert outcomes.wrong == []
    assert outcomes.codes.total() == 8 * len(KINDS) * (len(COMMANDS) + 1)
    assert all(outcomes.found[kind] > 0 for kind in KINDS)
