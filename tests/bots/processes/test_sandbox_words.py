"""What bubblewrap is told to show and to hide (sandbox.md). Nothing is started here."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest

from referee.bots.command import BotCommand
from referee.bots.processes import sandbox
from referee.bots.processes.sandbox import _is_in, _is_visible, _Place, _prepared, _system, resolve
from referee.errors import BotNotFoundError, UsageError
from referee.match.sandbox import NO_SANDBOX, Sandbox

BWRAP = Sandbox("bwrap")


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder with a bot, the record of its match, and more."""
    folder = tmp_path / "bot"
    folder.mkdir()
    for name in ("run", "record", "record-wal", "record2"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    (folder / "link").symlink_to("/etc")
    return folder


def place(*argv: str, directory: Path | str = "", where: Sandbox = BWRAP) -> _Place:
    return _Place(BotCommand("bot", argv, directory=str(directory)), where)


def mounts(found: _Place) -> set[tuple[str, ...]]:
    words = found.binds()
    return {tuple(words[at : at + 3]) for at in range(0, len(words), 3)}


def test_the_folder_of_a_bot_is_shown_and_its_words_are_translated(bot: Path) -> None:
    words = ("./run", "record", str(bot / "link"), "-x", "none", "/etc/passwd", "/usr/bin/env")
    found = place(*words, directory=bot)
    assert found.binds() == ["--ro-bind", str(bot), "/bot"]
    assert found.argv == ["./run", "record", "/bot/link", "-x", "none", *words[-2:]]
    found = place(str(bot / "run"), "record")
    assert found.folder == str(bot)
    assert found.argv == ["/bot/run", "record"]


def test_only_a_build_may_write(bot: Path) -> None:
    found = place("./run", directory=bot, where=BWRAP._replace(writable=True))
    assert found.binds() == ["--bind", str(bot), "/bot"]
    apart = BWRAP._replace(writable=True, room=9)
    assert place("./run", directory=bot, where=apart).binds() == [
        *("--ro-bind", str(bot), "/sources"),
        *("--size", "9", "--tmpfs", "/bot"),
    ]


def test_what_is_hidden_is_left_out_with_its_journals(bot: Path) -> None:
    where = BWRAP._replace(hidden=(str(bot / "record"),))
    assert mounts(place("./run", directory=bot, where=where)) == {
        ("--ro-bind", str(bot / "run"), "/bot/run"),
        ("--ro-bind", str(bot / "record2"), "/bot/record2"),
        ("--symlink", "/etc", "/bot/link"),
    }


def test_of_a_folder_that_is_hidden_the_named_files_are_shown(bot: Path) -> None:
    where = BWRAP._replace(hidden=(str(bot),))
    found = place("./run", "record2", directory=bot, where=where)
    assert found.folder == ""
    files = ("run", "record2")
    assert mounts(found) == {("--ro-bind", str(bot / name), f"/bot/{name}") for name in files}
    assert found.argv == ["/bot/run", "/bot/record2"]


@pytest.mark.parametrize("named", ["", "folder", "other"])
def test_a_recorded_bot_is_shown_only_in_a_folder_that_the_user_names(
    named: str, bot: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    readable = {"": (), "folder": (str(bot),), "other": (str(tmp_path / "other"),)}[named]
    where = BWRAP._replace(recorded=True, readable=readable)
    found = place(str(bot / "run"), directory=bot, where=where)
    assert found.folder == (str(bot) if named == "folder" else "")
    shown = {("--ro-bind", folder, folder) for folder in readable}
    own = {("--ro-bind", str(bot), "/bot")} if named == "folder" else set()
    assert mounts(found) == shown | own
    assert found.argv == ["/bot/run" if named == "folder" else str(bot / "run")]


@pytest.mark.parametrize(
    ("mode", "is_folder", "is_visible"),
    [
        (0o400, False, True),
        (0o100, False, True),
        (0o200, False, False),
        (0o077, False, False),  # the owner's rights count
        (0o100, True, True),
        (0o677, True, False),
    ],
)
def test_what_somebody_without_privileges_may_enter_or_read(
    mode: int, is_folder: bool, is_visible: bool, tmp_path: Path
) -> None:
    """Inside, not even root has any."""
    path = tmp_path / "path"
    path.mkdir() if is_folder else path.touch()
    path.chmod(mode)
    assert _is_visible(str(path)) == is_visible


def test_a_bot_that_may_not_be_read_is_named(bot: Path) -> None:
    bot.chmod(0o600)
    with pytest.raises(BotNotFoundError, match=r"BOT bot: the sandbox may not read .*chmod -R a"):
        place("/bin/sh", str(bot / "run"), directory=bot)
    bot.chmod(0o755)  # so that it can be removed


@pytest.mark.parametrize(
    ("path", "folder", "is_in"),
    [
        ("/a/b", "/a", True),
        ("/a/b", "/a/", True),
        ("/a", "/a", True),
        ("/ab", "/a", False),
        ("/a", "/a/b", False),
        ("/a", "/", True),
    ],
)
def test_what_is_in_a_folder(path: str, folder: str, is_in: bool) -> None:
    assert _is_in(path, folder) == is_in


def options(words: tuple[str, ...] | list[str], *names: str) -> list[tuple[str, ...]]:
    """Return the values of options that have as many values as the name says, as in `--uid=1`."""
    found = []
    for name in names:
        option, _, count = name.partition("=")
        at = words.index(option)
        found.append(tuple(words[at + 1 : at + 1 + int(count)]))
    return found


def test_everything_of_the_machine_is_apart() -> None:
    """Each of these is a row of the tables in sandbox.md."""
    words = _system(100)
    assert {word for word in words if word.startswith("--unshare")} == {
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
        "--unshare-cgroup-try",
    }
    assert {"--die-with-parent", "--new-session"} < {*words}
    names = ("--uid=1", "--gid=1", "--hostname=1", "--cap-drop=1", "--proc=1", "--dev=1", "--dir=1")
    assert options(words, *names) == [
        *(("1000",), ("1000",), ("bot",), ("ALL",)),
        *(("/proc",), ("/dev",), ("/bot",)),
    ]
    sizes = [words[at - 4 : at + 2] for at, word in enumerate(words) if word == "--tmpfs"]
    size = ("--perms", "0700", "--size", "100", "--tmpfs")
    assert sizes[:2] == [(*size, "/tmp"), (*size, "/dev/shm")]
    # Empty, and nothing can be written there.
    assert [mount for *_, mount in sizes[2:]] == ["/dev/pts"]
    assert ("--remount-ro", "/dev/pts") in pairs(words)
    assert "--size" not in _system()
    assert all(
        os.path.islink(folder)
        or not os.path.exists(folder)
        or ("--ro-bind", folder) in pairs(words)
        for folder in sandbox._SYSTEM
    )


def pairs(words: tuple[str, ...]) -> set[tuple[str, str]]:
    return {*pairwise(words)}


def test_what_is_in_memory_cannot_be_changed_and_variables_are_not_on_the_command_line() -> None:
    prepared = _prepared(["bwrap"], ["--ro-bind", "/a", "/bot"], ["run"], {}, b"", [("A", "1")])
    try:
        fds = {*map(str, prepared.fds)}
        words = prepared.argv
        assert words[:2] == ["bwrap", "--args"]
        assert words[-13:] == [
            *("--ro-bind", "/a", "/bot"),
            *("--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/"),
            *("--chdir", "/bot", "--", "run"),
        ]
        assert {*words} & fds == fds
        assert os.read(prepared.fds[-1], 100) == b"--setenv\0A\x001\0"
    finally:
        sandbox.close(prepared)


@pytest.mark.parametrize(
    ("choice", "problem", "expected"),
    [
        ("none", "", NO_SANDBOX),
        ("auto", "", BWRAP),
        ("auto", "it is broken", NO_SANDBOX),
        ("bwrap", "", BWRAP),
        ("bwrap", "it is broken", None),
    ],
)
def test_which_sandbox_is_meant(
    choice: str, problem: str, expected: Sandbox | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "unavailable_reason", lambda: problem)
    if expected is None:
        with pytest.raises(UsageError, match="--sandbox bwrap: it is broken"):
            resolve(choice)
    else:
        assert resolve(choice) == expected


def test_folders_to_read_are_there_and_go_with_a_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "unavailable_reason", lambda: "")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    found = resolve("bwrap", ["a"], ["b"])
    assert (found.readable, found.hidden) == ((f"{tmp_path}/a",), (f"{tmp_path}/b",))
    with pytest.raises(UsageError, match="--sandbox-read b: the folder does not exist"):
        resolve("auto", ["a", "b"])
    with pytest.raises(UsageError, match="--sandbox-read goes with a sandbox"):
        resolve("none", ["a"])
