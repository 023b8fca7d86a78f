"""Short runs of `tools.attacks.outputs`: closed pipes and full disks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.attacks.outputs import Attack, printing, small_file_system, writing


@pytest.mark.all_cases
def test_a_reader_that_goes_before_the_first_byte(tmp_path: Path) -> None:
    attack = Attack(tmp_path)
    for words in printing(tmp_path):
        attack.without_reader(words, 0)
    assert attack.problems == []


@pytest.mark.slow
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """Logs must be valid up to the last line that was written."""
    attack = Attack(tmp_path)
    for words, names in writing(tmp_path):
        attack.limited(words, tmp_path, names, 4096)
    small_file_system(attack, 16)
    assert attack.problems == []
