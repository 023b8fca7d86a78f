"""What a bot in the sandbox can see and do, and how it is killed (sandbox.md)."""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from referee.bots.command import BotCommand, find_bot
from referee.bots.processes import sandbox
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.orphans import descendants
from referee.errors import BotNotFoundError
from referee.match.limits import Limits
from referee.match.sandbox import Sandbox
from tests.support.batches import batch, kept, name_of, play_all, worker
from tests.support.live import entries, referee
from tests.support.marks import slow
from tests.support.sandboxed import needs_bwrap

pytestmark = needs_bwrap
TMP_BYTES = 1 << 20
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
# A bot that reports what it sees. {told} is the list of things to look for.
PROBE = """
import errno, json, os, socket

told = {told}


def tried(do, *arguments):
    try:
        return do(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]


def write(path, size=1):
    try:
        with open(path, "wb", 0) as file:
            file.write(bytes(size))
            file.write(b"x")
    finally:
        os.path.exists(path) and os.remove(path)
    return "written"


def read(path):
    with open(path, "rb") as file:
        return file.read().decode(errors="replace")


status = dict(line.split(":\\t", 1) for line in read("/proc/self/status").splitlines())
print(json.dumps({{
    "folder": os.getcwd(),
    "files": sorted(os.listdir("/bot")),
    "root": sorted(os.listdir("/")),
    "environment": dict(os.environ),
    "all_environments": read("/proc/self/environ") + read("/proc/1/environ"),
    "writes": {{path: tried(write, path + "/x") for path in told["folders"]}},
    "fills": {{path: tried(write, path + "/x", told["size"]) for path in ("/tmp", "/dev/shm")}},
    "listed": {{path: tried(os.listdir, path) for path in told["outside"]}},
    "opened": {{path: tried(read, path) for path in told["files"]}},
    "processes": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
    "signalled": tried(os.kill, told["pid"], 0),
    "user": [os.getuid(), os.geteuid(), os.getgid(), os.getegid()],
    "status": status,
    "namespaces": {{name: os.readlink("/proc/self/ns/" + name) for name in told["namespaces"]}},
    "interfaces": [line.split(":")[0].strip() for line in read("/proc/net/dev").splitlines()[2:]],
    "connected": tried(socket.create_connection, ("127.0.0.1", told["port"])),
    "descriptors": [os.readlink("/proc/self/fd/" + name) for name in os.listdir("/proc/self/fd")
        if os.path.exists("/proc/self/fd/" + name)],
    "hostname": os.uname().nodename,
    "session": [os.getsid(0), os.getpgid(0)],
}}))
"""


def command(*argv: str, directory: str = "") -> BotCommand:
    return BotCommand(" ".join(argv), argv, directory=directory)


def started(
    *argv: str, directory: str = "", limits: Limits | None = None, place: Sandbox | None = None
) -> LaunchedBot:
    """Start a bot in the sandbox."""
    place = place or sandbox.resolve("bwrap")
    return LaunchedBot(command(*argv, directory=directory), limits or Limits(), place)


def output(bot: LaunchedBot) -> str:
    """Return the stdout of a bot after its exit."""
    assert bot.popen is not None
    said, complaint = bot.popen.communicate(timeout=30)
    bot.end()
    assert complaint == b""
    return said.decode()


def shell(script: str, **settings: Any) -> str:
    """Run a shell script in the sandbox and return its output."""
    return output(started("/bin/sh", "-c", script, **settings))


# --- Visible files --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a tournament's folder, with secrets in it."""
    cup = tmp_path_factory.mktemp("cup")
    for name in ("bots/anna", "bots/ben", "records"):
        (cup / name).mkdir(parents=True)
    for name in ("seed", "bots/ben/bot.py", "bots/anna/book.txt", "records/000001.record.jsonl"):
        (cup / name).write_text("secret")
    return cup


@pytest.fixture(scope="module")
def seen(cup: Path) -> dict[str, Any]:
    """Return what Anna's bot sees of the folder, and of the machine."""
    listener = socket.create_server(("127.0.0.1", 0))
    inherited = os.open(cup / "seed", os.O_RDONLY)
    os.set_inheritable(inherited, True)
    files = [cup / "seed", cup / "records/000001.record.jsonl", cup / "bots/ben/bot.py"]
    told = {
        "folders": ["/", "/bot", "/etc", "/usr", "/usr/bin", "/dev", "/proc", "/tmp", "/dev/shm"],
        "size": TMP_BYTES + 4096,
        "outside": [
            *map(str, (cup, cup / "bots/anna", Path.home(), Path.cwd())),
            *("/tmp", "/dev/shm", "/home", "/root", "/var", "/run", "/sys"),
        ],
        "files": ["/bot/book.txt", *map(str, files)],
        "pid": os.getpid(),
        "namespaces": NAMESPACES,
        "port": listener.getsockname()[1],
    }
    (cup / "bots/anna/probe.py").write_text(PROBE.format(told=told))
    argv = (sys.executable, "-I", "-S", str(cup / "bots/anna/probe.py"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REFEREE_SEED", "a-secret")
        bot = started(*argv, limits=Limits(tmp_limit=TMP_BYTES))
        found: dict[str, Any] = json.loads(output(bot))
    listener.close()
    os.close(inherited)
    return found


def test_its_own_folder_is_at_bot(seen: dict[str, Any]) -> None:
    assert (seen["folder"], seen["files"]) == ("/bot", ["book.txt", "probe.py"])
    assert seen["opened"].pop("/bot/book.txt") == "secret"


def test_it_can_write_to_tmp_alone_and_not_much(seen: dict[str, Any]) -> None:
    writable = [path for path, result in seen["writes"].items() if result == "written"]
    assert writable == ["/tmp", "/dev/shm"]
    assert seen["fills"] == {"/tmp": "ENOSPC", "/dev/shm": "ENOSPC"}


def test_it_sees_no_file_of_anybody_else(seen: dict[str, Any], cup: Path) -> None:
    files = {path: result for path, result in seen["opened"].items() if path.startswith(str(cup))}
    assert set(files.values()) == {"ENOENT"}
    ways = [os.path.abspath(sys.executable), os.path.realpath(sys.executable), sandbox.__file__]
    for path, names in seen["listed"].items():
        if names != "ENOENT":  # the parents of an interpreter's folder are visible
            assert [
                n for n in names if not any(f"{w}/".startswith(f"{path}/{n}/") for w in ways)
            ] == []
    assert {seen["listed"][str(path)] for path in (cup, cup / "bots/anna")} == {"ENOENT"}


def test_it_sees_no_process_but_its_own(seen: dict[str, Any]) -> None:
    assert seen["processes"] == [1, 2]  # the sandbox's first process, and the shell
    assert seen["signalled"] == "ESRCH"
    assert seen["session"] == [1, 1]


def test_it_has_no_network(seen: dict[str, Any]) -> None:
    assert (seen["interfaces"], seen["connected"]) == (["lo"], "EAFNOSUPPORT")


def test_it_can_make_no_terminal() -> None:
    """The kernel's memory for a terminal counts for nobody."""
    assert shell("ls -A /dev/pts; test -e /dev/ptmx || echo none") == "none\n"


def test_it_is_nobody_and_can_become_nobody(seen: dict[str, Any]) -> None:
    assert seen["user"] == [1000] * 4
    capabilities = [seen["status"][f"Cap{name}"] for name in ("Inh", "Prm", "Eff", "Bnd", "Amb")]
    assert {int(value, 16) for value in capabilities} == {0}
    assert (seen["status"]["NoNewPrivs"], seen["status"]["Seccomp"]) == ("1", "2")
    outside = {name: os.readlink(f"/proc/self/ns/{name}") for name in NAMESPACES}
    assert [name for name in NAMESPACES if outside[name] == seen["namespaces"][name]] == []
    assert seen["hostname"] == "bot"


def test_it_has_nothing_from_the_referee(seen: dict[str, Any], cup: Path) -> None:
    """The sandbox's first process is checked too, because the bot can read its environment."""
    named = {"HOME": "/tmp", "TMPDIR": "/tmp", "PWD": "/bot", "LANG": "C.UTF-8"}
    assert seen["environment"] == {**named, "PATH": os.environ["PATH"]}
    assert "a-secret" not in seen["all_environments"]
    assert os.getcwd() not in seen["all_environments"].replace(os.environ["PATH"], "")
    assert all(name.startswith("pipe:") for name in seen["descriptors"])
    assert len(seen["descriptors"]) == 3


HONEST = """
import fcntl, multiprocessing, os, shutil, sqlite3
with open("/tmp/file", "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
os.utime("/tmp/file", (1, 1))
shutil.copy2("/usr/bin/env", "/tmp/copy")
for mode in ("delete", "wal"):
    with sqlite3.connect("/tmp/" + mode) as book:
        book.execute("pragma journal_mode=" + mode)
        book.execute("create table moves (card)")
        book.execute("insert into moves values ('Gold')")
    print(*sqlite3.connect(f"file:/tmp/{mode}?mode=ro", uri=True).execute("select * from moves"))
with multiprocessing.Lock():
    print("locked")
"""


def test_honest_programs_lock_files_and_set_times() -> None:
    """In the sandbox these calls do nothing but succeed. SQLite wouldn't work if they failed."""
    assert output(started(sys.executable, "-c", HONEST)) == "('Gold',)\n('Gold',)\nlocked\n"


# --- The bot's own files --------------------------------------------------------------------------


def program(file: Path, text: str) -> str:
    """Write an executable file and return its path."""
    file.write_text(text)
    file.chmod(0o755)
    return str(file)


def test_a_bot_beside_what_the_referee_writes_does_not_see_it(cup: Path) -> None:
    """Neither links nor a readable folder give access to the referee's files and journals."""
    bot = program(
        cup / "bot", f"#!/bin/sh\n(ls -A . {cup}; cat seed linked {cup}/seed) 2>/dev/null\n"
    )
    for name in ("log", "seed-journal"):
        (cup / name).write_text("secret")
    (cup / "linked").symlink_to(cup / "seed")
    hidden = [str(cup / name) for name in ("seed", "records", "log")]
    shown = ["bot", "bots", "linked"]
    for readable in ([], [str(cup)]):
        place = sandbox.resolve("bwrap", readable, hidden)
        found = output(started(bot, place=place)).split()
        assert found == ([".:", f"{cup}:", *shown] if readable else [".:", *shown])


@pytest.mark.parametrize("first", ["{tool}", "/usr/bin/env -S -u {tool} sh", "{link}", "link"])
def test_its_first_line_and_its_links_show_no_folder(first: str, tmp_path: Path) -> None:
    """Only interpreters on the PATH are visible.

    Otherwise a bot could name any file as its interpreter to see the folder.
    """
    secret, folder = tmp_path / "secret", tmp_path / "bot"
    (secret / "bin").mkdir(parents=True)
    folder.mkdir()
    tool = program(secret / "bin" / "tool", "#!/bin/sh\n")
    (folder / "link").symlink_to(tool)
    line = first.format(tool=tool, link=folder / "link")
    script = program(folder / "bot", f"#!{line}\n")
    bot = started(str(folder / "link") if first == "link" else script)
    assert bot.popen is not None
    words = list(bot.popen.args)
    bot.end()
    bound = [path for option, path in itertools.pairwise(words) if option == "--ro-bind"]
    assert str(folder) in bound
    assert [path for path in bound if secret.is_relative_to(path) or str(secret) in path] == []


def test_a_virtual_environment_is_found_and_what_lies_beside_it_is_not(tmp_path: Path) -> None:
    """Here the environment is the tournament's folder itself, which also has a seed in it."""
    venv.create(tmp_path, symlinks=True)
    (tmp_path / "seed").write_text("secret")
    site = next(tmp_path.glob("lib/python3*/site-packages"))
    (site / "theirs.py").write_text("NAME = 'found'")
    (tmp_path / "bots").mkdir()
    looks = f"import os, theirs\nprint(theirs.NAME, os.path.exists('{tmp_path}/seed'))\n"
    (tmp_path / "bots" / "bot.py").write_text(looks)
    python, bot = (str(tmp_path / name) for name in ("bin/python", "bots/bot.py"))
    assert output(started(python, bot)) == "found False\n"
    script = program(tmp_path / "bots" / "bot", f"#!{python}\n{looks}")
    assert output(started(script)) == "found False\n"


def test_recorded_bots_see_only_folders_that_the_user_names(tmp_path: Path) -> None:
    """A record may name any path, so only folders that the user allows are visible.

    That applies to virtual environments, working directories and files. The bot's own folder keeps
    its path.
    """
    for name in ("anna", "keys"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "key").write_text(name)
    venv.create(tmp_path / "env", symlinks=True)
    python = str(tmp_path / "env/bin/python")
    cases: list[tuple[list[str], str, list[str]]] = [
        (["/bin/ls", f"{tmp_path}/keys/key"], "", ["keys"]),
        (["/bin/ls"], f"{tmp_path}/keys", ["keys"]),
        ([python, "-c", "print()"], "", ["env"]),
        (["/bin/ls", f"{tmp_path}/anna/key"], "", []),
    ]
    place = sandbox.resolve("bwrap", [str(tmp_path / "anna")])._replace(recorded=True)
    for argv, directory, missing in cases:
        named = command(*argv, directory=directory)
        wanted = [str(tmp_path / name) for name in missing]
        assert sandbox.unnamed_folders(named, place) == wanted
        bot = LaunchedBot(named, Limits(), place)
        assert bot.popen is not None
        bound = [path for option, path in itertools.pairwise(bot.popen.args) if "bind" in option]
        bot.end()
        own = [path for path in bound if path.startswith(str(tmp_path))]
        assert set(own) == {str(tmp_path / "anna")}
    assert output(started("/bin/cat", f"{tmp_path}/anna/key", place=place)) == "anna"


def test_its_variables_are_not_those_of_the_sandbox(tmp_path: Path) -> None:
    """With the bot's `LD_PRELOAD`, bubblewrap would load the library outside the sandbox."""
    named = command("/usr/bin/env")._replace(
        env=(("LD_PRELOAD", "none.so"), ("LONG", "x" * 90_000), ("HOME", "/home/anna"))
    )
    bot = LaunchedBot(named, Limits(), sandbox.resolve("bwrap"))
    assert bot.popen is not None
    environment = Path(f"/proc/{bot.popen.pid}/environ").read_bytes()
    said, complaint = bot.popen.communicate(timeout=30)
    bot.end()
    assert b"none.so" not in environment
    assert b"LD_PRELOAD=none.so\n" in said
    assert b"LONG=xxx" in said
    assert b"HOME=/tmp\n" in said
    assert complaint.count(b"none.so") == 1  # the message of the bot's own loader


@pytest.mark.parametrize(
    ("user", "builds", "program"),
    [(0, True, "unshare"), (0, False, "bwrap"), (1000, True, "bwrap"), (1000, False, "bwrap")],
)
def test_only_a_build_by_root_has_devices_that_cannot_be_changed(
    user: int, builds: bool, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other users have no right to change them, nor to mount anything over them."""
    place = sandbox.resolve("bwrap")._replace(writable=builds)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    prepared = sandbox.prepare(command("/usr/bin/env"), {}, place)
    sandbox.close(prepared)
    assert os.path.basename(prepared.argv[0]) == program


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """Create two bots' folders beside folders that resemble a Python installation."""
    for name in ("anna", "ben", "bin/env/bin", "lib/python3.9", "pyvenv.cfg", "records"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "anna/book").write_text("secret")
    return tmp_path


def sees(folder: Path, words: str, **settings: Any) -> str:
    """Run a bot in its folder and return the output, which is empty if the bot can't start."""
    (folder / "bot.toml").write_text("")
    bot = started(*words.split(), directory=str(folder), **settings)
    assert bot.popen is not None
    said, _ = bot.popen.communicate(timeout=30)
    bot.end()
    return said.decode()


def test_a_bots_folder_is_its_own_whatever_its_command_names(bots: Path) -> None:
    """Files of other bots stay hidden, and so do files that the referee writes into the folder."""
    program(bots / "ben/look.sh", f"#!/bin/sh\nls /bot; ls {bots}/anna\n")
    program(bots / "anna/a.sh", "#!/bin/sh\nls /bot\n")
    (bots / "again").symlink_to(bots)
    (bots / "ben/g.jsonl").touch()
    place = sandbox.resolve("bwrap", hidden=[str(bots / "again/ben/g.jsonl")])
    assert sees(bots / "ben", "/bin/sh look.sh", place=place) == "bot.toml\nlook.sh\n"
    assert sees(bots / "ben", f"/bin/sh {bots}/anna/a.sh", place=place) == ""
    assert sees(bots / "ben", "/bin/sh ../anna/a.sh", place=place) == ""


def test_a_folder_that_the_referee_writes_into_is_not_shown(bots: Path) -> None:
    bot = program(bots / "records/bot", "#!/bin/sh\nls /bot\n")
    (bots / "records/000001.record.jsonl").touch()
    place = sandbox.resolve("bwrap", hidden=[str(bots / "records")])
    assert output(started(bot, place=place)) == "bot\n"


def test_neighbours_that_look_like_a_python_show_nothing(bots: Path) -> None:
    """Bots' folders named bin and lib could be mistaken for a Python installation."""
    (bots / "lib/python3.9/os.py").touch()
    (bots / "bin/env/pyvenv.cfg").touch()
    program(bots / "bin/python", f"#!/bin/sh\nls {bots} {bots}/anna\n")
    (bots / "bin/env/bin/python").symlink_to(bots / "bin/python")
    script = program(bots / "bin/run", f"#!{bots}/bin/env/bin/python\n")
    for word in ("bin/run", "bin/env/bin/python", "bin/python"):
        assert "anna" not in sees(bots / "bin", str(bots / word))
    bot = started(script)
    assert bot.popen is not None
    assert bot.popen.communicate(timeout=30)[0] == b""
    bot.end()
    with_script = started(f"{bots}/bin/env/bin/python", f"{bots}/anna/book")
    assert with_script.popen is None
    assert with_script.error.startswith("the sandbox does not show the interpreter")


def test_a_virtual_environment_of_a_bot_shows_no_other_folder(bots: Path) -> None:
    """A link out of the environment is broken, and another bot's environment is hidden."""
    for name in ("anna", "ben"):
        venv.create(bots / name / "env", symlinks=True)
    link = bots / "ben/env/lib64"
    link.unlink(missing_ok=True)
    link.symlink_to(bots)
    (bots / "ben/look.py").write_text(
        "import os, sys\nprint(sys.prefix, os.path.exists('env/bin'))"
    )
    assert sees(bots / "ben", f"{bots}/ben/env/bin/python look.py") == "/bot/env True\n"
    (bots / "ben/look.py").write_text(f"import os\nprint(os.listdir('{link}'))")
    assert sees(bots / "ben", f"{bots}/ben/env/bin/python look.py") == ""
    script = program(bots / "ben/bot", f"#!{bots}/anna/env/bin/python\nprint('seen')\n")
    assert sees(bots / "ben", script) == ""


# --- Its end --------------------------------------------------------------------------------------


SIGNALS = [*range(1, signal.SIGRTMIN), signal.SIGRTMIN, signal.SIGRTMAX]
FATAL = [n for n in SIGNALS if n not in (17, 18, 19, 20, 21, 22, 23, 28, 32, 33)]


@pytest.mark.parametrize(
    ("codes", "fatal"),
    [
        ((0, 128, 255), (signal.SIGHUP, signal.SIGKILL, signal.SIGRTMAX)),
        slow((0, 1, 3, 125, 126, 127, 128, 200, 255), FATAL),
    ],
    ids=["some", "all"],
)
def test_exit_codes_and_signals_are_those_of_the_bot(
    codes: Sequence[int], fatal: Sequence[int]
) -> None:
    """Like a shell, bwrap exits with 128 + N for signal N, so the referee has to undo that."""
    endings = [f"exit {code}" for code in codes]
    endings += [f"kill -{int(number)} $$" for number in fatal]
    bots = [started("/bin/sh", "-c", ending) for ending in endings]
    for bot, ending in zip(bots, endings, strict=True):
        assert bot.popen is not None
        bot.popen.wait(30)
        assert bot.was_started()
        bot.end()
        assert (ending, bot.exit_code) == (ending, int(ending.split()[1]))


@pytest.mark.parametrize("killed", ["outer", "inner"])
def test_nothing_of_a_bot_stays_when_its_sandbox_is_killed(killed: str) -> None:
    """Children in other sessions are killed too, even if their parents have exited."""
    sleeps = "setsid sh -c 'echo; exec sleep 600'"
    bot = started(
        "/bin/sh", "-c", f'{sleeps} & ({sleeps} &) ; setsid sh -c "{sleeps} & wait" & wait'
    )
    assert bot.popen is not None
    assert bot.popen.stdout is not None
    for _ in range(3):
        bot.popen.stdout.readline()
    inner = sandbox.first_inside(bot.popen.pid)
    assert inner is not None
    processes = [os.pidfd_open(pid) for pid in descendants(bot.popen.pid)]
    os.kill(bot.popen.pid if killed == "outer" else inner, signal.SIGKILL)
    for process in processes:  # a pidfd is readable after the process has exited
        assert select.select([process], [], [], 30)[0]
        os.close(process)
    assert len(processes) >= 5
    bot.end()


@pytest.mark.slow
def test_bots_play_on_in_their_sandbox() -> None:
    """One process plays several matches (protocol, 8.4)."""
    matches = batch(["big_money", kept()], (1, 2, 3))
    inside = structs.replace(matches.spec, sandbox=sandbox.resolve("bwrap"))
    with worker() as executor:
        rows = play_all(executor, structs.replace(matches, spec=inside))
    assert [name_of(row, 1) for row in rows] == ["match 1", "match 2", "match 3"]


FAILING = {
    "no run bit": ("#!/bin/sh\n", 0o644),
    "no first line": ("echo\n", 0o755),
    "no interpreter": ("#!/no/such/program\n", 0o755),
    "Windows line ends": ("#!/bin/sh\r\nexit\r\n", 0o755),
    "a folder as interpreter": ("#!/usr\n", 0o755),
    "a program for Windows": ("MZ" + "\0" * 60, 0o755),
    "another processor": ("\x7fELF" + "\0" * 60, 0o755),
    "not there": (None, 0),
}


@pytest.mark.parametrize("what", FAILING)
def test_what_cannot_be_started_fails_as_without_it(what: str, tmp_path: Path) -> None:
    file = tmp_path / "bot"
    content, mode = FAILING[what]
    if content is not None:
        file.write_text(content)
        file.chmod(mode)
    found = []
    for place in (sandbox.NO_SANDBOX, sandbox.resolve("bwrap")):
        bot = LaunchedBot(command(str(file)), Limits(), place)
        found.append((bot.popen, bot.error))
        bot.end()
    assert found[0] == found[1]
    assert found[0][1] != ""


@pytest.mark.parametrize("room", range(3))
def test_a_shortage_of_descriptors_costs_none(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a pipe can't be created, the earlier ones are closed again."""
    pipe, calls = os.pipe, itertools.count()

    def short() -> tuple[int, int]:
        if next(calls) >= room:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return pipe()

    place = sandbox.resolve("bwrap")
    before = set(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "pipe", short)
    with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
        sandbox.prepare(command("/bin/true"), {}, place)
    assert set(os.listdir("/proc/self/fd")) == before


# --- Commands -------------------------------------------------------------------------------------


def play(*options: str, first: str = "minimal") -> subprocess.CompletedProcess[str]:
    return referee("play", first, "minimal", "--max-turns", "1", "--seed", "1", *options)


@pytest.mark.slow
def test_a_match_says_that_it_was_played_in_it(tmp_path: Path) -> None:
    record = tmp_path / "record"
    done = play("--sandbox", "auto", "--record", str(record), "--format", "json")
    assert json.loads(done.stdout)["sandbox"] == "bwrap"
    assert entries(record)[0]["sandbox"] == "bwrap"


def test_conform_tries_a_bot_in_it(tmp_path: Path) -> None:
    """The report mentions the sandbox, because the result might differ without it."""
    bot = program(tmp_path / "bot", f"#!/bin/sh\ncat {tmp_path}/bot >&2\n")
    done = referee("conform", bot, "--sandbox", "bwrap", "--case", "3")
    assert done.returncode == 1
    assert "No such file or directory" in done.stdout
    shown = " ".join(done.stdout.split())
    assert re.search(r"could not be judged, in [\d.]+ s, sandbox bwrap\. ", shown)
    assert shown.endswith(f" referee conform {bot} --sandbox bwrap --seed 1 --case 3.4/1")
    done = referee(
        "conform", "minimal", "--sandbox", "bwrap", "--case", "3.1/1", "--format", "json"
    )
    assert (done.returncode, json.loads(done.stdout)["sandbox"]) == (0, "bwrap")


def test_an_interpreter_that_is_hidden_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter may come from a script's first line or from the command.

    Both suggested remedies must work.
    """
    shell = tmp_path / "opt/bin/python3"
    shell.parent.mkdir(parents=True)
    shutil.copy("/bin/sh", shell)
    (tmp_path / "own").mkdir()
    bot = program(tmp_path / "own/bot", f"#!{shell}\nexit 9\n")
    says = {
        (bot,): f"the interpreter of its first line, {shell}: put {shell.parent} on the PATH of",
        (str(shell), bot): f"the interpreter {shell}: put {shell.parent} on the PATH of the",
    }

    def exit_code(*words: str, **settings: Any) -> int | None:
        bot = started(*words, **settings)
        assert bot.popen is not None
        bot.popen.wait(30)
        bot.end()
        return bot.exit_code

    done = play("--sandbox", "bwrap", "--format", "json", first=bot)
    details = [json.loads(done.stdout)["players"][0]["disqualification"]["detail"]]
    details.append(started(str(shell), bot).error)
    for (words, what), detail in zip(says.items(), details, strict=True):
        assert detail.startswith(f"the sandbox does not show {what}")
        assert detail.endswith(f"or give --sandbox-read {tmp_path}/opt")
        readable = sandbox.resolve("bwrap", [f"{tmp_path}/opt"])
        assert exit_code(*words, place=readable) == 9
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{shell.parent}")
    for words in says:
        assert exit_code(*words) == 9


def test_nobody_is_advised_to_show_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger chose the interpreter, so we don't suggest exposing a whole home directory."""
    monkeypatch.setattr(sandbox, "_homes", lambda: {str(tmp_path)})
    for place in (tmp_path / "x", tmp_path / "bin/x"):
        said = sandbox.why_hidden("the interpreter ", str(place))
        assert f"--sandbox-read {tmp_path} " not in f"{said} "
    assert "move it to a folder of its own" in sandbox.why_hidden("the ", str(tmp_path / "x"))
    shown = {"bin/x": "bin", ".local/bin/x": ".local/bin", "opt/.tool/bin/x": "opt/.tool"}
    for program, folder in shown.items():
        said = sandbox.why_hidden("the ", f"{tmp_path}/{program}")
        assert said.endswith(f"-read {tmp_path}/{folder}")


def test_a_loader_that_is_hidden_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "loader", lambda _: "/opt/lib/ld.so")
    assert sandbox.why_not_inside(sys.executable) == (
        "the sandbox does not show the loader that it needs, /opt/lib/ld.so: "
        "give --sandbox-read /opt/lib"
    )
    monkeypatch.setattr(sandbox, "loader", lambda _: "")
    assert "a file that it needs" in sandbox.why_not_inside(sys.executable)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with the folder of a bot that needs a file beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own/book").write_text("")
    (tmp_path / "own/bot.py").write_text("open('book').close(); raise SystemExit(9)\n")
    return tmp_path


@pytest.mark.parametrize("kind", ["none", "bwrap"])
@pytest.mark.parametrize("bot", ["own/bot.py", "python3 -I -S own/bot.py --depth 3"])
def test_a_bot_starts_in_the_same_folder_with_and_without_it(
    own: Path, kind: str, bot: str
) -> None:
    place = sandbox.resolve("bwrap") if kind == "bwrap" else sandbox.NO_SANDBOX
    launched = LaunchedBot(find_bot(bot, "dominion"), Limits(), place)
    assert launched.popen is not None
    launched.popen.wait(30)
    launched.end()
    assert launched.exit_code == 9


def test_the_folder_is_told_if_an_argument_may_be_a_path_in_it(own: Path) -> None:
    done = play("--format", "json", first="python3 -I -S own/bot.py own/x")
    cause = json.loads(done.stdout)["players"][0]["disqualification"]["cause"]
    assert cause.endswith(f"it was started in {own}, and a relative path begins there")


def test_what_a_bot_missed_there_is_explained(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "book").write_text("")
    bot = program(tmp_path / "bot" / "bot", f"#!/bin/sh\ncat {tmp_path}/book; exit 3\n")
    causes = []
    for kind in ("none", "bwrap"):
        done = play("--sandbox", kind, "--format", "json", first=bot)
        causes.append(json.loads(done.stdout)["players"][0]["disqualification"]["cause"])
    said = f"its stderr says: cat: {tmp_path}/book: No such file or directory"
    start = f"it was started in /bot, which is {tmp_path}/bot"
    place = (
        "outside its folder a bot in the sandbox sees only the system, read-only, and no network"
    )
    assert causes == ["", f"{said}; {start}; {place} (spec/sandbox.md)"]


def test_what_to_try_next_is_tried_in_it(tmp_path: Path) -> None:
    bot = program(tmp_path / "bot", "#!/bin/sh\n")
    done = play("--sandbox", "bwrap", "--sandbox-read", "/etc", first=bot)
    words = "--sandbox bwrap --sandbox-read /etc"
    assert f"  referee play {bot} minimal --seed 1 {words} --max-turns 1\n" in done.stdout
    assert f"  referee conform {bot} {words} --case 3\n" in done.stdout


# --- Files that the sandbox may not read ----------------------------------------------------------

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def folder_of_anna(tmp_path: Path, *, folder: int, file: int, owner: int) -> Path:
    """Create a bot's folder with these modes and owner, as unpacking an archive might."""
    anna = tmp_path / "anna"
    anna.mkdir()
    (anna / "bot.toml").write_text('command = "python3 -I -S bot.py"\n')
    (anna / "bot.py").write_text("print()\n")
    for path, mode in ((anna / "bot.py", file), (anna, folder)):
        path.chmod(mode)
        if owner:
            os.chown(path, owner, owner)
    return anna


@needs_root
@pytest.mark.parametrize(
    ("folder", "file", "owner", "seen"),
    [
        (0o755, 0o644, 0, True),
        (0o755, 0o644, 3000, True),
        (0o700, 0o600, 0, True),
        (0o711, 0o644, 3000, True),
        (0o700, 0o644, 3000, False),
        (0o750, 0o644, 3000, False),
        (0o755, 0o600, 3000, False),
        (0o755, 0o640, 3000, False),
        (0o600, 0o644, 0, False),
        (0o755, 0o000, 0, False),
    ],
)
def test_files_that_the_sandbox_may_not_read_are_the_folder_owners_business(
    folder: int, file: int, owner: int, seen: bool, tmp_path: Path
) -> None:
    """The bot isn't disqualified. Instead, an error names the bot, the file and the remedy."""
    anna = folder_of_anna(tmp_path, folder=folder, file=file, owner=owner)
    bot = find_bot(str(anna), "dominion")
    place = sandbox.resolve("bwrap")
    if seen:
        assert output(LaunchedBot(bot, Limits(), place)) == "\n"
    else:
        with pytest.raises(BotNotFoundError) as raised:
            LaunchedBot(bot, Limits(), place)
        said = str(raised.value)
        assert said.startswith(f"BOT {anna}: the sandbox may not read {anna}")
        assert said.endswith(f"(chmod -R a+rX {anna})")
        assert "\n" not in said


def test_a_path_outside_its_folder_that_nobody_may_read_is_only_a_word(tmp_path: Path) -> None:
    """The path could be any word, so the bot starts and then fails to open the file."""
    anna, other = tmp_path / "anna", tmp_path / "secret"
    anna.mkdir()
    (anna / "bot.py").write_text("import sys; open(sys.argv[1])\n")
    other.write_text("")
    other.chmod(0)
    named = find_bot(f"python3 -I -S {anna / 'bot.py'} {other}", "dominion")
    bot = LaunchedBot(named, Limits(), sandbox.resolve("bwrap"))
    assert bot.popen is not None
    _, complaint = bot.popen.communicate(timeout=30)
    bot.end()
    assert b"FileNotFoundError" in complaint


def test_an_own_file_without_rights_is_named_too(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("print()\n")
    file.chmod(0)
    done = referee("play", f"python3 {file}", "minimal", "--sandbox", "bwrap", "--seed", "1")
    assert done.returncode == 2
    assert f"the sandbox may not read {file}" in done.stderr
