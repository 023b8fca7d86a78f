"""A short run of `tools.attacks.hostile_tournament`."""

from __future__ import annotations

import sys

import pytest

from tools.attacks.hostile_tournament import main


@pytest.mark.slow
def test_sound_bots_come_to_the_same_results_beside_hostile_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["hostile_tournament.py", "--deals", "1"])
    assert main() == 0, capsys.readouterr().out
