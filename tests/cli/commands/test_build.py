"""`referee build`: what it builds and when, how a build fails, and that no leftovers remain."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee import cli
from referee.bots import building
from referee.interrupts import Interrupted
from referee.match.limits import MIB
from tests.support.forked_referee import ForkedReferee
from tests.support.live import one_line, referee
from tests.support.sandboxed import needs_bwrap

PLAYS = "command = './bot'\n"
NAMED = '{"type":"player-name-reply","player_number":"player1","name":"Bot","version":1}'
SOURCE = f"#!/bin/sh\nread -r asked\necho '{NAMED}'\ncat > /dev/null\n"
"""A bot that answers the name request as player1 and then only reads."""
COPIES = "cp source bot && chmod +x bot"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bot(name: str, build: str, more: str = "") -> Path:
    """Make a bot's folder with a source file and a `bot.toml` that has this build command."""
    folder = Path(name)
    folder.mkdir()
    (folder / "source").write_text(SOURCE)
    (folder / "bot.toml").write_text(f'{PLAYS}build = """{build}"""\n{more}')
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rows(printed: str) -> list[list[str]]:
    """The rows of the printed table, without the build times."""
    return [line.split(", ")[0].split() for line in printed.splitlines()[1:-2]]


def test_a_bot_that_was_built_and_cannot_be_started() -> None:
    folder = bot("a", COPIES)
    bot("b", COPIES)
    (folder / "source").write_text("#!/bin/sh\necho no weights >&2\nexit 3\n")
    done = referee("build", "a", "b")
    assert done.returncode == 1
    why = "its process ended with exit code 3; its last words on stderr: no weights"
    assert one_line(done.stderr) == f"referee: a: {why}\n"
    assert [line.split(", ")[-1] for line in done.stdout.splitlines()[1:2]] == ["cannot be started"]
    assert done.stdout.splitlines()[-1] == "1 of 2 can be played; sandbox of the builds: none"


@pytest.mark.parametrize(
    ("command", "why"),
    [("./none", "BOT ./none not found"), ("sh ../b/source", "BOT ../b/source is outside")],
)
def test_a_program_that_is_not_in_its_folder(command: str, why: str) -> None:
    """The message must name the folder, because many bots may have the same command."""
    bot("b", COPIES)
    Path("a").mkdir()
    Path("a/bot.toml").write_text(f'command = "{command}"\n')
    done = referee("build", "a", "b")
    assert done.returncode == 1
    assert one_line(done.stderr).startswith(f"referee: a/bot.toml: command: {why}")
    assert done.stdout.splitlines()[-1] == "1 of 2 can be played; sandbox of the builds: none"


@pytest.mark.slow
def test_it_shows_how_many_bots_were_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bot that hangs takes its whole start-up limit, so the user needs to see some progress."""
    monkeypatch.setattr("referee.cli.progress.LINE_SECONDS", 0)
    bot("a", COPIES)
    assert cli.main(["build", "a", "--sandbox", "none"]) == 0
    assert "1 of 1 bots started" in capsys.readouterr().err


def test_a_signal_while_the_bots_are_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start_once(*bots: object) -> None:
        raise Interrupted(signal.SIGINT)

    monkeypatch.setattr("referee.tournament.playing.starting.start_once", start_once)
    folder = bot("a", COPIES)
    assert cli.main(["build", "a", "--quiet", "--sandbox", "none"]) == 130
    said = "referee: interrupted while bots were being started; all builds are done\n"
    assert capsys.readouterr() == ("", said)
    assert (folder / ".built").exists()


@pytest.mark.slow
def test_each_is_built_once_until_it_changes() -> None:
    a, b = bot("a", COPIES), bot("b", COPIES, "name = 'Bee'\nlanguage = 'C++'\n")
    before = contents(a)
    done = referee("build", "a", "b/", "a")
    assert (done.returncode, done.stderr) == (0, "")
    assert rows(done.stdout) == [["a", "-", "built"], ["Bee", "C++", "built"]]
    assert done.stdout.splitlines()[-1] == "2 of 2 can be played; sandbox of the builds: none"
    after = contents(a)
    # the build must not touch the sources
    assert {name: after[name] for name in before} == before
    assert after[".built/bot/bot"] == SOURCE.encode()
    assert not Path("a/.building").exists()
    assert rows(referee("build", "a", "b").stdout)[0] == ["a", "-", "up", "to", "date"]
    assert rows(referee("build", "--rebuild", "a").stdout) == [["a", "-", "built"]]
    (b / "source").write_text(SOURCE.replace("Bot", "Tob"))
    assert one_line(referee("play", "a", "b", "--log", "x").stderr).startswith(
        "referee: b is not built, or changed since: referee build b"
    )
    assert [row[2] for row in rows(referee("build", "a", "b").stdout)] == ["up", "built"]
    assert contents(b)[".built/bot/bot"] == (b / "source").read_bytes()


def test_a_folder_without_a_build_command_has_nothing_to_build() -> None:
    bot("a", "")
    Path("a/bot.toml").write_text("command = 'minimal'")
    done = referee("build", "a")
    assert rows(done.stdout) == [["a", "-", "nothing", "to", "build"]]
    assert not Path("a/.built").exists()


def test_two_folders_with_one_name_are_told_apart(here: Path) -> None:
    for folder in ("a", "b", "other"):
        bot(folder, "")
        name = "x" if folder != "other" else "other"
        Path(folder, "bot.toml").write_text(f"name = '{name}'\ncommand = 'minimal'")
    done = referee("build", "a", "b", "other")
    assert [row[0] for row in rows(done.stdout)] == ["a", "b", "other"]


@pytest.mark.parametrize(
    ("build", "why"),
    [
        ("echo oops >&2; exit 3", "exit code 3"),
        ("no_such_compiler x", "the program no_such_compiler is not on PATH (referee doctor lists"),
        ("pyhton3 x", "the program pyhton3 is not on PATH; did you mean python3?"),
        ("echo no_such > b.sh; sh b.sh", "the program no_such is not on PATH"),
        ("./source", "the program ./source cannot be run: it is not executable: chmod +x source"),
        ("./no_such", "the program ./no_such cannot be run: it does not exist"),
        ("exit 127", "exit code 127"),
        ("kill -s SEGV $$", "ended by SIGSEGV"),
        ("true", "it made no program for command: BOT ./bot not found"),
        ("cp source bot", "it made no program for command: BOT ./bot is not executable"),
        ("sleep 100 & sleep 100", "it took more than 0.2 s (--time-limit)"),
        ("mkdir bot", "it made no program for command: BOT ./bot is a directory"),
    ],
)
def test_a_build_that_fails(build: str, why: str) -> None:
    before = contents(bot("bad", build))
    done = referee("build", "bad", "--time-limit", "0.2" if "sleep" in build else "60")
    assert done.returncode == 1
    assert f"referee: bad: the build failed: {why}" in done.stderr
    assert ("bad| oops\n" in done.stderr) == ("oops" in build)
    assert [row[2] for row in rows(done.stdout)] == ["failed"]
    assert done.stdout.splitlines()[-1].startswith("0 of 1 can be played")
    assert contents(Path("bad")) == before
    assert not Path("bad/.building").exists()


def test_the_other_bots_are_built_beside_one_that_fails() -> None:
    # Nothing waits for what it left in the background, and it succeeds whatever it says.
    bot("good", f"sleep 100 & echo No space left on device; {COPIES}")
    bot("bad", "exit 3")
    done = referee("build", "bad", "good", "--time-limit", "60")
    assert done.returncode == 1
    assert [row[2] for row in rows(done.stdout)] == ["failed", "built"]
    assert done.stdout.splitlines()[-1].startswith("1 of 2 can be played")


FILLS = {
    "a file": "head -c 2000000 /dev/zero >zeros",
    "removed, open": "exec 9>zeros; rm zeros; head -c 2000000 /dev/zero >&9",
    "the archive": "! readlink /proc/*/fd/* | grep /.building; "
    "head -c 2000000 /dev/zero >/proc/1/fd/1",
    "small files": "for n in 1 2 3; do head -c 700000 /dev/zero >$n; done",
}


@needs_bwrap
@pytest.mark.parametrize("how", FILLS)
def test_a_build_that_fills_the_disk(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit also counts files that were deleted but are still open."""
    monkeypatch.setattr(building, "DISK_LIMIT", 2 * MIB if how == "small files" else MIB)
    before = contents(bot("a", f"set -e; {FILLS[how]}; {COPIES}"))
    done = referee("build", "a", "--sandbox", "bwrap")
    assert "a: the build failed: its files take more than " in done.stderr
    assert contents(Path("a")) == before
    assert not Path("a/.building").exists()


@pytest.mark.slow
@needs_bwrap
def test_a_build_that_makes_many_empty_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty files take no disk space, but they can use up the inodes."""
    monkeypatch.setattr(building, "FILES_LIMIT", 10)
    before = contents(bot("a", f"touch 1 2 3 4 5 6 7 8 9; {COPIES}"))
    done = referee("build", "a", "--sandbox", "bwrap")
    assert "it made more than 10 files\n" in done.stderr
    assert contents(Path("a")) == before


def test_what_was_built_stays_if_the_next_build_fails() -> None:
    folder = bot("a", f"{COPIES}; test ! -e slow || sleep 60")
    referee("build", "a")
    built = contents(folder / ".built")
    (folder / "slow").touch()
    assert referee("build", "a", "--rebuild", "--time-limit", "0.1").returncode == 1
    assert contents(folder / ".built") == built


def test_its_output_has_the_bots_name_and_is_cut() -> None:
    bot("a", COPIES + "; seq 100000; printf '\\\\033[2J\\\\377'; seq -s, 1000", "name = 'Al'\n")
    lines = referee("build", "a").stderr.splitlines()
    assert lines[0] == "Al| 1"
    assert len(lines) == 41
    assert lines[20] == "Al| ... 99961 lines left out"
    assert lines[-2] == "Al| 100000"
    assert lines[-1].startswith("Al| ?[2J\ufffd1,2,3,4")
    assert max(map(len, lines)) <= 160
    assert referee("build", "a", "--rebuild", "--quiet").stderr == ""


def test_what_is_wrong_with_folders_is_told_before_anything_is_built(here: Path) -> None:
    good, bad = bot("good", COPIES), bot("bad", COPIES, "biuld = 'x'\n")
    done = referee("build", "good", "bad", "minimal", str(here))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "referee: bad/bot.toml: unknown key 'biuld'; did you mean build?",
        "referee: BOT minimal is not a folder with a bot.toml, which says how to build it",
        f"referee: BOT {here} is not a folder with a bot.toml, which says how to build it",
        "referee: nothing was built; --skip-broken builds the other folders",
    ]
    assert not (good / ".built").exists()
    assert bad.is_dir()


def test_folders_with_a_mistake_are_skipped_if_the_organiser_wants(here: Path) -> None:
    good = bot("good", COPIES)
    bot("bad", COPIES, "biuld = 'x'\n")
    Path("empty").mkdir()
    done = referee("build", "bad", "good", "empty", "--skip-broken")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "referee: bad/bot.toml: unknown key 'biuld'; did you mean build?",
        "referee: BOT empty is not a folder with a bot.toml, which says how to build it",
    ]
    assert rows(done.stdout) == [["good", "-", "built"]]
    assert done.stdout.splitlines()[-1] == "1 of 3 can be played; sandbox of the builds: none"
    assert (good / ".built").exists()
    done = referee("build", "bad", "empty", "--skip-broken")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("command", ["play", "conform", "tournament", "build"])
def test_every_command_tells_all_mistakes(command: str) -> None:
    Path("a").mkdir()
    Path("a/bot.toml").write_text("comand = 'x'\nfiles = 3\n")
    words = ["a", "minimal"] if command in ("play", "tournament") else ["a"]
    done = referee(command, *words)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "referee: a/bot.toml: unknown key 'comand'; did you mean command?",
        "referee: a/bot.toml: files: Expected `array`, got `int`",
        "referee: a/bot.toml: command is missing: give the command that starts the bot",
    ]


def test_no_two_builds_of_one_folder_at_a_time() -> None:
    folder = bot("a", COPIES)
    fd = os.open(folder, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        done = referee("build", "a")
    finally:
        os.close(fd)
    assert done.returncode == 1
    assert "a: the build failed: another referee builds it at this moment" in done.stderr


def test_what_a_killed_referee_left_is_removed() -> None:
    folder = bot("a", COPIES)
    (folder / ".building/new/bot").mkdir(parents=True)
    (folder / ".building/new/bot").chmod(0)
    assert referee("build", "a").returncode == 0
    assert not (folder / ".building").exists()


def test_links_and_modes_of_strangers_lead_nowhere(here: Path) -> None:
    folder = bot(
        "a", f"{COPIES}; chmod 4711 bot; ln -s ../../../mine out; mkdir deep; chmod 0 deep"
    )
    mine = here / "mine"
    mine.mkdir()
    (mine / "file").touch()
    for name in (".built", ".building", "inner"):
        (folder / name).symlink_to(mine)
    for _ in range(2):
        assert referee("build", "a", "--rebuild").returncode == 0
    assert (mine / "file").exists()
    assert (folder / ".built/bot/inner").is_symlink()
    assert (folder / ".built/bot/bot").stat().st_mode & 0o7777 == 0o711


# Deeper than Python may call itself, and longer than a path may be.
NEST = "import os\nfor _ in range(1100): os.mkdir('dddd'); os.chdir('dddd')\n"


@pytest.mark.slow
def test_folders_in_folders_in_folders_are_no_trouble(here: Path) -> None:
    before = contents(bot("a", f'{COPIES}; exec python3 -c "{NEST}"'))
    done = referee("build", "a")
    assert done.returncode == 1
    assert "a: the build failed: " in done.stderr
    assert contents(Path("a")) == before
    assert not Path("a/.building").exists()
    subprocess.run([sys.executable, "-c", NEST], cwd="a", check=True)
    try:
        for command in (["build", "a"], ["play", "a", "minimal"]):
            said = referee(*command)
            assert (said.returncode in (1, 2), len(said.stderr.splitlines())) == (True, 1)
    finally:
        subprocess.run(["rm", "-rf", "a"], check=True)


def test_special_files_are_refused() -> None:
    os.mkfifo(bot("a", COPIES) / "fifo")
    done = referee("build", "a")
    assert "a/fifo is neither a file, a folder nor a link: remove it" in done.stderr
    assert done.returncode == 1


@pytest.mark.slow
def test_a_signal_in_the_middle_leaves_nothing_half_built(tmp_path: Path) -> None:
    folder = bot("slow", f"{COPIES}; echo > {tmp_path}/began; exec sleep 1000")
    before = contents(folder)
    os.mkfifo("began")
    process = ForkedReferee("build", "slow", stderr=subprocess.PIPE, text=True)
    Path("began").read_text()
    assert (folder / ".building/new/bot/bot").exists()
    assert (folder / ".building").stat().st_mode & 0o777 == 0o700
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert one_line(said) == "referee: interrupted after 0 of 1; no other bot was changed\n"
    assert contents(folder) == before
    assert not (folder / ".building").exists()


# --- in a sandbox ---------------------------------------------------------------------------------


@pytest.mark.slow
@needs_bwrap
def test_a_build_sees_and_changes_nothing_but_its_copy(here: Path) -> None:
    (here / "secret").write_text("seed 7")
    tries = f"""
        cat {here}/secret {here}/other/source ../secret && exit 1
        echo > {here}/written
        echo > /usr/written
        echo > ../written
        [ $(ls /sys/class/net 2>/dev/null | wc -l) -le 1 ] || exit 4
        ls /proc | grep -c '^[0-9]' > processes
        ! ls {here} || exit 5
        {COPIES}
    """
    bot("other", COPIES)
    folder = bot("a", tries)
    done = referee("build", "a", "--sandbox", "bwrap")
    assert done.returncode == 0, done.stderr
    assert "sandbox of the builds: bwrap" in done.stdout
    assert int((folder / ".built/bot/processes").read_text()) < 8
    assert {path.name for path in here.iterdir()} == {"secret", "other", "a"}
    assert {path.name for path in folder.iterdir()} == {"source", "bot.toml", ".built"}


SET_ID = {
    "chmod": "chmod 4755 bot",
    "group": "chmod g+s .",
    "open": "python3 -c \"import os; os.open('x', os.O_CREAT, 0o4755)\"",
    "mknod": "python3 -c \"import os; os.mknod('x', 0o104755)\"",
    "fchmod": "python3 -c \"import os; os.fchmod(os.open('bot', 0), 0o2755)\"",
}


@needs_bwrap
@pytest.mark.parametrize("how", SET_ID)
def test_no_build_makes_a_program_that_has_its_owners_rights(how: str) -> None:
    """A set-user-ID program made by a bot's build would run with the organiser's rights."""
    bot("a", f"{COPIES} && chmod 750 bot && {SET_ID[how]}")
    done = referee("build", "a", "--sandbox", "bwrap")
    assert done.returncode == 1
    assert "Operation not permitted" in done.stderr


@needs_bwrap
@pytest.mark.parametrize(
    ("build", "why"),
    [
        ("ln -s ../../../../source bot", "it made no program for command: BOT ./bot not found"),
        (f"{COPIES}; rm bot.toml", "it has removed its bot.toml"),
        (f"{COPIES}; mkfifo pipe; kill -s SEGV $$", "ended by SIGSEGV"),
        ("exit 3", "exit code 3"),
        ("sleep 100 & sleep 100", "it took more than 1 s (--time-limit)"),
        ("no_such_compiler", "the program no_such_compiler is not on PATH (referee doctor lists"),
    ],
)
def test_a_build_in_a_sandbox_that_fails(build: str, why: str) -> None:
    before = contents(bot("a", build))
    limit = "1" if "sleep" in build else "60"
    done = referee("build", "a", "--sandbox", "bwrap", "--time-limit", limit)
    assert f"referee: a: the build failed: {why}" in done.stderr
    assert contents(Path("a")) == before
    assert not Path("a/.building").exists()


@needs_bwrap
def test_a_program_that_is_hidden_in_the_sandbox_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = here / "opt/bin/no_such_compiler"
    compiler.parent.mkdir(parents=True)
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{compiler.parent}")
    bot("a", "no_such_compiler")
    done = referee("build", "a", "--sandbox", "bwrap")
    why = f"the sandbox does not show the program {compiler}: give --sandbox-read {here}/opt"
    assert f"referee: a: the build failed: {why}" in done.stderr


def test_a_rule_file_that_a_build_links_to_is_not_read(here: Path) -> None:
    (here / "theirs.json").write_text('{"token": "secret"}')
    bot("a", f"ln -s {here}/theirs.json mine.json")
    text = Path("a/bot.toml").read_text().replace("./bot", "mine.json")
    Path("a/bot.toml").write_text(text)
    says = (
        "a: the build failed: it made no program for command: BOT mine.json is outside the folder"
    )
    said = one_line(referee("build", "a").stderr)
    assert said.startswith(f"referee: {says}")
    assert "token" not in said


@pytest.mark.slow
@needs_bwrap
@pytest.mark.skipif(os.geteuid() != 0, reason="the devices are root's")
def test_a_build_as_root_does_not_change_devices() -> None:
    mode = oct(os.stat("/dev/null").st_mode)[-3:]
    bot("a", f"{COPIES}; echo > /dev/null || exit 1; chmod {mode} /dev/null && exit 2; true")
    done = referee("build", "a", "--sandbox", "bwrap")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@needs_bwrap
def test_what_was_built_in_a_sandbox_plays_in_one() -> None:
    folder = bot("a", COPIES)
    (folder / "source").write_text("#!/bin/sh\ncat weights >&2\npwd >&2\n" + SOURCE)
    (folder / "weights").write_text("3\n")
    assert referee("build", "a", "--sandbox", "bwrap").returncode == 0
    words = ["a", "minimal", "--sandbox", "bwrap", "--stderr", "said", "--time-limit", "0.2"]
    referee("play", *words)
    assert Path("said/player1.stderr").read_text() == "3\n/bot\n"
