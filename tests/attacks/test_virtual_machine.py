"""Tests the parts of `tools.attacks.virtual_machine` that don't start a virtual machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.attacks import virtual_machine
from tools.attacks.hostile import prolonged


def test_a_module_of_the_kernel_comes_after_those_that_it_needs(tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "modules" / "6.1" / "kernel"
    folder.mkdir(parents=True)
    for name, needs in (("9p", "9pnet,netfs"), ("9pnet", ""), ("netfs", ""), ("other", "")):
        (folder / f"{name}.ko").write_bytes(b"ELF\0depends=%s\0name=x\0" % needs.encode())
    assert [*virtual_machine.modules(tmp_path)] == ["9pnet", "netfs", "9p"]


def test_each_part_of_the_first_files_begins_at_a_multiple_of_four() -> None:
    packed = virtual_machine.archive([("dev", 0o40755, b""), ("init", 0o100755, b"exec sh")])
    assert len(packed) % 4 == 0
    names = []
    while packed:
        assert packed.startswith(b"070701")
        size, length = int(packed[54:62], 16), int(packed[94:102], 16)
        names.append(packed[110 : 110 + length].rstrip(b"\0").decode())
        end = 110 + length + -(110 + length) % 4 + size
        packed = packed[end + -end % 4 :]
    assert names == ["dev", "init", "TRAILER!!!"]


def test_a_machine_without_qemu_gets_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["virtual_machine", "--cache", str(tmp_path / "cache")])
    assert virtual_machine.main() == 2
    said = "qemu-system-x86_64 is not installed; do: apt-get install qemu-system-x86\n"
    assert capsys.readouterr() == ("", said)


def test_on_a_slower_machine_all_limits_of_time_are_longer() -> None:
    words = ["--time-limit", "2", "--grace", "0.5", "--cpu-limit", "0.3", "--max-turns", "5"]
    longer = ["--time-limit", "16", "--grace", "4", "--cpu-limit", "2.4", "--max-turns", "5"]
    assert [*prolonged(words, 8)] == longer
    assert [*prolonged(words, 1)] == words


def test_on_a_busy_machine_the_cpu_limit_stays() -> None:
    """A bot that computes without end has to reach it before the time limit."""
    words = ["--time-limit", "2", "--cpu-limit", "0.3"]
    assert [*prolonged(words, 2, patience=6)] == ["--time-limit", "24", "--cpu-limit", "0.6"]
