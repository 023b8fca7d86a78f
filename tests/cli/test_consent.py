"""No command starts a program that only a file names, unless the user says so (SECURITY.md)."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import sqlite3
import sys
from pathlib import Path

import httpx
import pytest

from referee.bots.command import BotCommand
from referee.bots.processes import sandbox
from referee.cli import consent
from referee.cli.values import SandboxChoice
from referee.errors import UsageError
from tests.support.batches import play_in_a_thread
from tests.support.live import ROOT, referee
from tests.support.sandboxed import needs_bwrap
from tests.support.serving import running

MINIMAL = (ROOT / "example_bots" / "dominion" / "minimal.py").read_text()
SHORT = ["--max-turns", "1", "--seed", "1"]


LEAVES = """
import contextlib, os
with contextlib.suppress(OSError):
    open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ran"), "w").close()
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's record and store, made without a sandbox. Their bot creates the file `ran`."""
    made = tmp_path_factory.mktemp("theirs")
    (made / "bot.py").write_text(LEAVES + MINIMAL)
    none = ["--sandbox", "none", *SHORT]
    played = ["play", "./bot.py", "smithy.json", "--record", "r.jsonl"]
    assert referee(*played, *none, cwd=made).returncode == 0
    words = ["./bot.py", "smithy.json", "--deals", "1", "--jobs", "1", "--store", "s.sqlite", "-q"]
    with pytest.MonkeyPatch.context() as patch:
        play_in_a_thread(patch)
        assert referee("tournament", *words, *none, cwd=made).returncode == 0
    (made / "ran").unlink()
    return made


@pytest.fixture
def folder(theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the stranger's files, and the current directory of the test."""
    shutil.copytree(theirs, tmp_path, dirs_exist_ok=True)
    monkeypatch.delenv("REFEREE_SANDBOX")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_bwrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_probed", lambda: ((), "bwrap is not installed"))


FROM = ["play", "--resume", "r.jsonl", "--turn", "1"]
VERIFY = ["verify", "--store", "s.sqlite"]


@pytest.mark.parametrize(
    ("words", "lacks"),
    [
        (FROM, "--run-recorded --sandbox-read ."),
        ([*FROM, "--run-recorded"], "--sandbox-read ."),
        ([*FROM, "--sandbox-read", "."], "--run-recorded"),
        ([*FROM, "--sandbox", "none"], "--run-recorded"),
        (VERIFY, "--run-recorded --sandbox none"),
        ([*VERIFY, "--sample", "1", "--sandbox", "bwrap"], "--run-recorded --sandbox none"),
        ([*VERIFY, "--run-recorded"], "--sandbox none"),
        ([*VERIFY, "--sandbox", "none"], "--run-recorded"),
    ],
)
def test_programs_that_only_a_file_names_are_listed(
    words: list[str], lacks: str, folder: Path
) -> None:
    done = referee(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"referee: {words[2]} names programs that you did not type: ")
    assert f"{sys.executable} bot.py" in done.stderr.replace("./bot.py", "bot.py")
    assert done.stderr.endswith(f", add {lacks}\n")
    assert done.stderr.count("\n") == 1
    assert not (folder / "ran").exists()


def test_an_address_in_a_record_is_a_program(folder: Path) -> None:
    record = folder / "r.jsonl"
    bots = '"bots":["http://127.0.0.1:1","smithy.json"]'
    record.write_text(re.sub('"bots":.*?"smithy.json"]', bots, record.read_text(), count=1))
    done = referee(*FROM)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did not type: http://127.0.0.1:1. To start them, add --run-recorded" in done.stderr


@pytest.mark.usefixtures("no_bwrap")
def test_auto_is_no_way_out_of_the_sandbox_for_programs_of_a_record(folder: Path) -> None:
    words = ["--run-recorded", "--sandbox-read", ".", "--sandbox", "auto"]
    for chosen in (words, words[:3]):
        done = referee(*FROM, *chosen)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("referee: --sandbox bwrap: bwrap is not installed")
    assert not (folder / "ran").exists()


def against_a_person(record: Path) -> str:
    """The text of the record, with a person in place of the bot's opponent."""
    text = record.read_text()
    assert '"smithy.json"]' in text
    return text.replace('"smithy.json"]', '"human"]', 1)


def test_a_person_in_the_browser_starts_no_program_of_a_record(folder: Path) -> None:
    (folder / "p.jsonl").write_text(against_a_person(folder / "r.jsonl"))
    done = referee("play", "--page", "--resume", "p.jsonl", "--turn", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "names programs that you did not type" in done.stderr
    assert not (folder / "ran").exists()


@needs_bwrap
def test_programs_of_a_record_get_the_sandbox(folder: Path) -> None:
    """The record says that it was played without one."""
    done = referee(*FROM, "--run-recorded", "--sandbox-read", ".", "--format", "json")
    assert json.loads(done.stdout)["sandbox"] == "bwrap"
    assert not (folder / "ran").exists()


def test_programs_of_a_record_have_no_sandbox_if_that_is_typed(folder: Path) -> None:
    done = referee(*FROM, "--run-recorded", "--sandbox", "none")
    assert done.returncode == 0
    assert (folder / "ran").exists()


def test_a_tournament_without_a_sandbox_is_played_again_without_one(folder: Path) -> None:
    done = referee(*VERIFY, "--run-recorded", "--sandbox", "none", "--jobs", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "ran").exists()


@needs_bwrap
def test_what_the_tournament_hid_is_hidden_when_it_is_played_again(folder: Path) -> None:
    sees = 'import os\nassert not any("seen" in n for n in os.listdir("."))\n'
    (folder / "sees.py").write_text(sees + MINIMAL)
    (folder / "t.toml").write_text(
        f'sandbox = "bwrap"\n[[bot]]\ncommand = "{sys.executable} sees.py"\n'
        '[[bot]]\ncommand = "minimal"\n'
    )
    words = ["--config", "t.toml", "--deals", "1", "--jobs", "1", "--store", "seen.sqlite", "-q"]
    assert referee("tournament", *words, *SHORT, cwd=folder).returncode == 0
    words = ["verify", "--store", "seen.sqlite", "--run-recorded", "--sandbox-read", "."]
    done = referee(*words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


READS = f"""
import pathlib, sys
try:
    found = pathlib.Path(sys.argv[1]).read_text()
except OSError:
    found = "nothing"
{MINIMAL.replace('"Minimal"', 'f"saw {found}"')}"""


@pytest.mark.slow
@needs_bwrap
def test_a_record_chooses_no_folder_of_the_reader(folder: Path) -> None:
    """Absolute paths, `..` and links show a bot nothing, unless the user names the folder."""
    for name in (".keys", "bots"):
        (folder / name).mkdir()
    (folder / ".keys" / "key").write_text("SECRET")
    (folder / "bots" / "link").symlink_to(folder / ".keys")
    record = (folder / "r.jsonl").read_text()

    def resumed(path: str, *words: str) -> tuple[int, str]:
        bots = json.dumps([shlex.join([sys.executable, "-c", READS, path]), "smithy.json"])
        changed = re.sub(
            r'"bots":\[.*?"smithy.json"\]', lambda _: f'"bots":{bots}', record, count=1
        )
        (folder / "k.jsonl").write_text(changed)
        done = referee(
            *FROM[:2], "k.jsonl", *FROM[3:], "--run-recorded", "-q", "--log", "-", *words
        )
        return done.returncode, done.stdout + done.stderr

    bots = ["--sandbox-read", "bots"]
    for path, more, named in (
        (f"{folder}/.keys/key", [], ".keys"),
        ("bots/../.keys/key", bots, ".keys"),
        ("bots/link/key", bots, "bots/link"),
    ):
        code, said = resumed(path, *more)
        assert code == 2
        assert said.endswith(
            f"They start only if --sandbox-read names the folders that they need: {named}\n"
        )
    done = referee(*FROM[:2], "k.jsonl", *FROM[3:], "-q")
    assert done.stderr.endswith(
        "They start only with --run-recorded, and if --sandbox-read names the folders that they "
        "need: bots/link\n"
    )
    code, said = resumed(f"--file={folder}/.keys/key")
    assert (code, "saw nothing" in said) == (0, True)
    code, said = resumed(".keys/key", "--sandbox-read", ".keys")
    assert (code, "saw SECRET" in said) == (0, True)


@pytest.mark.slow
@needs_bwrap
def test_the_folders_of_a_store_are_shown_only_if_they_are_named(folder: Path) -> None:
    """The store may list readable folders, but that alone shows nothing to the bots.

    If one folder has all bots, the message asks for it once.
    """
    (folder / "data").mkdir()
    (folder / "data" / "weights").touch()
    sees = f"import os\nassert not os.path.exists('{folder}/data/weights')\n"
    for name in ("anna", "ben"):
        (folder / "bots" / name).mkdir(parents=True)
        (folder / "bots" / name / "bot.py").write_text(sees + MINIMAL)
        (folder / "bots" / name / "bot.toml").write_text(f'command = "{sys.executable} bot.py"')
    words = ["bots/anna", "bots/ben", "--deals", "1", "--store", "f.sqlite", "-q", "--jobs", "1"]
    assert referee("tournament", *words, "--sandbox", "bwrap", *SHORT).returncode == 0
    with contextlib.closing(sqlite3.connect("f.sqlite")) as connection, connection:
        changed = "UPDATE about SET value = replace(value, ?, ?) WHERE key = 'stages'"
        shown = f'"sandbox_read":["{folder}/data"]'
        connection.execute(changed, ('"sandbox_read":[]', shown))
    assert "--sandbox-read" not in referee("standings", "f.sqlite", "--bot", "anna").stdout
    verify = ["verify", "--store", "f.sqlite", "--jobs", "1", "--run-recorded"]
    done = referee(*verify)
    assert done.returncode == 2
    line = "To start them and show them this folder of yours, add --sandbox-read bots\n"
    assert done.stderr.endswith(line)
    done = referee(*verify, "--sandbox-read", "bots")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("no_bwrap")
def test_records_of_a_tournament_in_a_sandbox_are_verified_without_one(folder: Path) -> None:
    words = ["minimal", "big_money", "--deals", "1", "--store", "w.sqlite", "--records", "w", "-q"]
    assert referee("tournament", *words, "--sandbox", "none", *SHORT).returncode == 0
    with contextlib.closing(sqlite3.connect("w.sqlite")) as connection, connection:
        changed = "UPDATE about SET value = replace(value, ?, ?) WHERE key = 'stages'"
        connection.execute(changed, ('"sandbox":"none"', '"sandbox":"bwrap"'))
    done = referee("verify", "--store", "w.sqlite", "--records", "w")
    assert (done.returncode, done.stderr) == (0, "")


def test_what_came_with_the_referee_needs_no_option(folder: Path) -> None:
    words = ["minimal", "smithy.json", "--deals", "1", "--store", "b.sqlite", "-q"]
    assert referee("tournament", *words, "--sandbox", "none", *SHORT).returncode == 0
    done = referee("verify", "--store", "b.sqlite", "--jobs", "1")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_bundled_file_of_rules_is_no_program_here(is_folder: bool, folder: Path) -> None:
    """Commands that we print for this bot have no sandbox, so no file of that name may run."""
    program = folder / "smithy.json"
    if is_folder:
        program.mkdir()
        (program / "bot.toml").write_text('command = "./bot"')
        program /= "bot"
    program.write_text("#!/bin/sh\ntouch ran")
    program.chmod(0o755)
    done = referee("play", "smithy.json", "minimal", *SHORT)
    assert done.returncode == (0 if is_folder else 2)
    assert is_folder or "smithy.json, line 1: not JSON" in done.stderr
    assert not list(folder.rglob("ran"))


def test_a_variable_in_a_store_makes_a_bundled_bot_a_program(folder: Path) -> None:
    """`LD_PRELOAD` would even affect the sandbox program."""
    words = ["minimal", "big_money", "--env", "LD_PRELOAD=./evil.so", "--deals", "1", "-q"]
    referee("tournament", *words, "--store", "e.sqlite", "--sandbox", "none", *SHORT)
    done = referee("verify", "--store", "e.sqlite", "--jobs", "1", "--sandbox", "none")
    assert done.returncode == 2
    assert "LD_PRELOAD=./evil.so" in done.stderr


@needs_bwrap
def test_a_store_does_not_take_the_sandbox_from_those_who_go_on(folder: Path) -> None:
    words = ["./bot.py", "smithy.json", "--deals", "2", "--store", "s.sqlite"]
    words += ["--extend", "-q"]
    done = referee("tournament", *words, *SHORT)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--sandbox none continues without it" in done.stderr
    assert not (folder / "ran").exists()


@pytest.mark.usefixtures("no_bwrap")
@pytest.mark.parametrize("command", ["build", "tournament", "play", "conform"])
def test_a_folder_is_not_started_without_a_sandbox_unless_that_is_typed(
    command: str, folder: Path
) -> None:
    """The user typed the folder's name, but its author wrote the command in `bot.toml`."""
    bot = folder / "anna"
    bot.mkdir()
    (folder / "bot.py").rename(bot / "bot.py")
    build = 'build = "touch ../../../ran"\n' if command == "build" else ""
    (bot / "bot.toml").write_text(f'command = "{sys.executable} bot.py"\n{build}')
    more = {"play": ["minimal"], "tournament": ["minimal", "--deals", "1"]}.get(command, [])
    done = referee(command, "anna", *more, "--sandbox", "auto")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("referee: --sandbox bwrap: bwrap is not installed")
    assert "--sandbox none" in done.stderr
    assert not (folder / "ran").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["verify", "r.jsonl"],
        ["validate", "r.jsonl"],
        ["replay", "r.jsonl"],
        ["page", "r.jsonl", "--output", "page.html"],
        ["standings", "s.sqlite", "--bot", "./bot.py"],
        ["standings", "s.sqlite", "--format", "json"],
        ["standings", "s.sqlite", "--format", "html", "--output", "s.html"],
        ["export", "s.sqlite"],
    ],
    ids=" ".join,
)
def test_reading_a_file_starts_nothing_of_it(words: list[str], folder: Path) -> None:
    done = referee(*words)
    assert done.returncode in (0, 1), done.stderr  # 1: a record is not a spectator log
    assert not (folder / "ran").exists()


@pytest.mark.slow
def test_visitors_play_only_against_bots_that_were_typed(folder: Path) -> None:
    """A saved game may name other bots, but the server doesn't start them for visitors."""
    games = folder / "games"
    games.mkdir()
    cut = against_a_person(folder / "r.jsonl").splitlines(keepends=True)[:-1]
    (games / "g.jsonl").write_text("".join(cut))
    (games / "g.jsonl.seats").write_text(json.dumps({"id": "g", "digests": {1: "x"}, "port": 1}))
    with running("--play", "minimal", "--save-games", str(games), str(folder)) as (_, url):
        assert httpx.get(f"{url.removesuffix('play')}seat/g", timeout=60).status_code == 404
    assert not (folder / "ran").exists()


def test_a_directory_that_no_system_has(folder: Path) -> None:
    """A NUL is possible in a store, but not in a path. Standings work, and `verify` is refused."""
    with contextlib.closing(sqlite3.connect("s.sqlite")) as connection, connection:
        changed = "UPDATE about SET value = replace(value, ?, ?) WHERE key = 'stages'"
        connection.execute(changed, ('"directory":""', r'"directory":"a\u0000b"'))
        connection.execute("UPDATE bots SET directory = ?", ("a\0b",))
    assert referee("standings", "s.sqlite", "--bot", "./bot.py").returncode == 0
    done = referee(*VERIFY)
    assert (done.returncode, done.stdout) == (2, "")
    assert all("NUL" in line for line in done.stderr.splitlines())


def test_programs_and_their_folders_are_named_in_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "unnamed_folders", lambda bot, _: [bot.argument])
    monkeypatch.setattr(sandbox, "is_private_folder", "/home".__eq__)
    choice = SandboxChoice(None, ())
    for parent, number, words in (
        ("/x", 8, "; 8. To start them and show them this folder of yours, add --sandbox-read /x"),
        ("/x", 9, "; 8 and 1 more. To start"),
        ("/home", 2, "1; 2. To start them and show them these folders of yours, add "),
    ):
        bots = [BotCommand(f"{parent}/{n}", (f"{n}",)) for n in range(1, number + 1)]
        with pytest.raises(UsageError, match=words):
            consent.sandbox_of_recorded(choice, "r", bots, "dominion", run_recorded=True)
    assert consent.chosen_sandbox(choice, [], recorded=True).recorded
