"""Test sending directories to workers: contents, modes and links must stay the same."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.tournament.playing import directories
from referee.tournament.playing.directories import cache, pack, place, unpack


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "lib" / "empty").mkdir(parents=True)
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o750)
    (folder / "lib" / "data.bin").write_bytes(b"\0\xff" * 1000)
    (folder / "lib" / "data.bin").chmod(0o640)
    (folder / "inside").symlink_to("lib/data.bin")
    (folder / "outside").symlink_to(tmp_path)
    (folder / "second_name.sh").hardlink_to(folder / "run.sh")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.txt")).write_text("no UTF-8")
    return folder


def contents(folder: Path) -> dict[str, tuple[int, str | bytes]]:
    found: dict[str, tuple[int, str | bytes]] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = 0, os.readlink(path)
        else:
            found[name] = path.stat().st_mode, b"" if path.is_dir() else path.read_bytes()
    return found


def test_comes_out_as_it_went_in(bot: Path) -> None:
    packed = pack(str(bot))
    unpack(packed)
    assert contents(place(packed.digest)) == contents(bot)
    assert len(contents(bot)) == 8


def test_what_versions_and_python_keep_there_stays_here(bot: Path) -> None:
    before = pack(str(bot))
    for folder in (bot / ".git", bot / "lib" / "__pycache__"):
        folder.mkdir()
        (folder / "file").touch()
    os.mkfifo(bot / "fifo")
    assert pack(str(bot)).digest == before.digest
    (bot / "lib" / ".git").write_text("a file that only has this name")
    assert pack(str(bot)).digest != before.digest


def test_the_digest_is_of_contents_and_modes_alone(bot: Path, tmp_path: Path) -> None:
    digest = pack(str(bot)).digest
    copy = shutil.copytree(bot, tmp_path / "copy", symlinks=True)
    os.utime(copy / "run.sh", (1, 1))
    assert pack(str(copy)).digest == digest
    (copy / "run.sh").chmod(0o640)
    assert pack(str(copy)).digest != digest
    (copy / "run.sh").chmod(0o750)
    (copy / "run.sh").write_text("#!/bin/sh\n#")
    assert pack(str(copy)).digest != digest


def test_a_read_only_folder_can_be_unpacked(bot: Path) -> None:
    (bot / "lib").chmod(0o550)
    try:
        packed = pack(str(bot))
        unpack(packed)
        assert contents(place(packed.digest)) == contents(bot)
    finally:
        (bot / "lib").chmod(0o750)


def test_several_may_unpack_at_once(bot: Path) -> None:
    packed = pack(str(bot))
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(unpack, [packed] * 8))
    assert [path.name for path in cache().iterdir()] == [packed.digest]
    assert contents(place(packed.digest)) == contents(bot)


def test_a_cache_that_cannot_be_written_says_so(bot: Path) -> None:
    packed = pack(str(bot))
    cache().parent.mkdir(parents=True)
    cache().touch()
    with pytest.raises(OSError, match="exists"):
        unpack(packed)


def test_what_is_too_large_or_cannot_be_read_is_refused(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*nothing.*: No such file"):
        pack(str(bot / "nothing"))
    monkeypatch.setattr(directories, "MAX_BYTES", 1_000)
    with pytest.raises(UsageError, match="too large"):
        pack(str(bot))


def test_a_folder_of_just_the_largest_size_can_be_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 9)
    monkeypatch.setattr(directories, "MAX_BYTES", 9)
    assert pack(str(file)).digest
    monkeypatch.setattr(directories, "MAX_BYTES", 8)
    with pytest.raises(UsageError, match="too large"):
        pack(str(file))


@pytest.mark.parametrize("own", ["", "/caches"])
def test_where_bots_of_other_machines_are_kept(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", own)
    monkeypatch.setenv("HOME", "/home/ann")
    folder = own or "/home/ann/.cache"
    assert str(directories.cache()) == f"{folder}/referee/bots"
