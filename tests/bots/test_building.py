"""Building a submitted bot: sizes, rights and places (spec/organisers.md, 3). No sandbox."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from referee.bots import building
from referee.bots.building import (
    COPY,
    _Archive,
    _copy,
    _make_writable,
    _places,
    _read_rest,
    _replace_result,
    _why_not_run,
)
from referee.bots.folder import BotFolder
from referee.bots.processes.stderr import StderrKeeper
from referee.match.sandbox import NO_SANDBOX, Sandbox


def test_an_archive_has_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "DISK_LIMIT", 10)
    file = BytesIO()
    archive = _Archive(file)
    archive.feed(b"x" * 9)
    archive.feed(b"y")
    assert (archive.is_full, file.getvalue()) == (False, b"xxxxxxxxxy")
    archive.feed(b"z")
    assert (archive.is_full, file.getvalue()) == (True, b"xxxxxxxxxy")


def test_no_other_user_may_enter_what_is_being_built(tmp_path: Path) -> None:
    """Whoever owns the folder above it, and whatever new folders there inherit from it."""
    submitted, at = tmp_path / "bot", tmp_path / "built"
    for folder in (submitted, at):
        folder.mkdir()
    (submitted / "bot.toml").write_text('command = "./run"\n')
    at.chmod(0o2777)
    _copy(str(submitted), at / "building" / "new")
    assert (at / "building").stat().st_mode & 0o7777 == 0o700
    assert (at / "building" / "new" / COPY / "bot.toml").is_file()


def test_what_was_built_can_be_removed_and_gives_no_rights(tmp_path: Path) -> None:
    """A program of root's with the setuid bit would run as root."""
    program, data, folder = tmp_path / "program", tmp_path / "data", tmp_path / "folder"
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.touch(mode=0o400)
    for path, mode in ((program, 0o4555), (data, 0o044)):
        path.touch()
        path.chmod(mode)
    folder.mkdir()
    folder.chmod(0o2550)
    (tmp_path / "link").symlink_to(outside)
    _make_writable(tmp_path)
    modes = [path.stat().st_mode & 0o7777 for path in (program, data, folder, outside)]
    assert modes == [0o755, 0o644, 0o750, 0o400]


def test_a_build_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    at, built = _places(str(tmp_path))
    assert (at.name, built.name) == (".building", ".built")
    for text in ("first", "second"):
        (at / "new").mkdir(parents=True)
        (at / "new" / "file").write_text(text)
        _replace_result(at, built)
        assert (built / "file").read_text() == text
    assert (at / "old" / "file").read_text() == "first"
    built.rename(tmp_path / "elsewhere")
    built.symlink_to("elsewhere")  # a submitted folder may have any link there
    (at / "old").rename(tmp_path / "oldest")
    (at / "new").mkdir()
    _replace_result(at, built)
    assert not built.is_symlink()
    assert (tmp_path / "elsewhere" / "file").exists()
    (at / "old").unlink()
    (built).rename(tmp_path / "newest")
    built.symlink_to("nowhere")
    (at / "new").mkdir()
    _replace_result(at, built)
    assert built.is_dir()


def test_output_in_the_background_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "read_now", lambda fd: b"x")
    taken: list[bytes] = []
    _read_rest(0, taken.append)
    assert taken == [b"x"] * 64
    given = iter([b"a", b"b", None, b"c"])
    monkeypatch.setattr(building, "read_now", lambda fd: next(given))
    taken.clear()
    _read_rest(0, taken.append)
    assert taken == [b"a", b"b"]


@pytest.mark.parametrize(
    ("said", "kind", "why"),
    [
        ("sh: 1: nocc: not found", "none", "the program nocc is not on PATH (referee doctor"),
        ("/bin/bash: line 1: nocc: command not found", "none", "the program nocc is not on PATH"),
        ("make[1]: nocc: No such file or directory", "bwrap", "the program nocc is not on PATH"),
        ("sh: 1: sh: not found", "bwrap", "the sandbox does not show the program "),
        ("sh: 1: ./run: Permission denied", "none", "the program ./run cannot be run: it is not"),
        ("sh: 1: first: not found\nsh: 1: nocc: not found", "none", "the program nocc is"),
        ("something else: not found", "none", ""),
        ("", "none", ""),
    ],
)
def test_why_a_shell_did_not_run_a_program(said: str, kind: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "run").touch(mode=0o644)
    folder = BotFolder(str(tmp_path), "bot", "./run", "make", "", ())
    output = StderrKeeper(None)
    output.feed(said.encode())
    found = _why_not_run(folder, NO_SANDBOX if kind == "none" else Sandbox("bwrap"), output)
    assert found.startswith(why)
    assert bool(found) == bool(why)
