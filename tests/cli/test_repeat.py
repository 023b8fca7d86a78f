"""Each printed command that repeats a match really repeats it, with the same sandbox and limits."""

from __future__ import annotations

import contextlib
import html
import json
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from referee.bots.bundled import rule_files
from referee.bots.command import PythonBot, bot_folder, find_bot
from referee.bots.repeat import repeat_words
from referee.logs.zstd import zstd
from referee.match.spec import match_spec
from referee.tournament.report.notable_losses import repeat_command
from referee.tournament.rows import Entrant, Plan
from referee.tournament.setup import setup
from referee.web.pages import pages
from referee.web.recorded import read_match
from tests.support.live import ROOT, referee, without_times
from tests.support.made_up import row
from tests.support.marks import slow
from tests.support.sandboxed import needs_bwrap
from tests.support.serving import running

MINIMAL = (ROOT / "example_bots" / "dominion" / "minimal.py").read_text()
_READS = "                open('../weights.json').close()\n"
READER = MINIMAL.replace('case "supply-info":\n', f'case "supply-info":\n{_READS}')
"""A bot that opens a file next to its folder. It plays normally, and exits inside the sandbox."""


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three bots' folders, as submitted, below the current directory."""
    monkeypatch.delenv("REFEREE_SANDBOX")
    monkeypatch.chdir(tmp_path)
    for name, program, command in (
        ("my bot", MINIMAL, f"{sys.executable} bot.py"),
        ("reader", READER, f"{sys.executable} bot.py"),
        ("rules", rule_files("dominion")["smithy.json"].read_text(), "bot.json"),
    ):
        folder = tmp_path / "bots" / name
        folder.mkdir(parents=True)
        (folder / f"bot.{'json' if name == 'rules' else 'py'}").write_text(program)
        (folder / "bot.toml").write_text(f'command = "{command}"\n')
    (tmp_path / "bots" / "weights.json").write_text("{}")
    return tmp_path


def shell(line: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a printed line as a shell does: its commands one after the other."""
    for command in re.split(r"; (?=referee )", line.strip()):
        program, *words = shlex.split(command)
        assert program == "referee"
        done = referee(*words, *more)
    return done


def replayed(line: str, folder: Path) -> list[dict[str, Any]]:
    """Run a printed command and return the record of its match, without times."""
    record = folder / "again.jsonl"
    record.unlink(missing_ok=True)
    done = referee(*shlex.split(line)[1:], "--record", str(record))
    assert done.returncode in (0, 1), done.stderr
    return without_times(record)


def same_match(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> bool:
    """Compare two records. Their headers may name the same bots differently."""

    def compared(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        other = ("bots", "names", "place", "digest", "seconds")
        return [
            {key: value for key, value in line.items() if key not in other}
            for line in lines
            if line["entry"] != "exit"  # a bot that plays on doesn't exit
        ]

    return compared(found) == compared(wanted)


@pytest.mark.slow
@needs_bwrap
def test_the_lines_of_a_tournament(folders: Path) -> None:
    """The same commands are in text, HTML, JSON and on the web pages, and they work."""
    words = ["tournament", "bots/my bot", "bots/reader", "bots/rules", "minimal", "--deals", "1"]
    words += ["--seed", "4", "--max-turns", "4", "--process-limit", "64", "--time-bank", "50"]
    words += ["--withdraw-after", "never"]
    words += [
        "--records",
        "records",
        "--keep-records",
        "all",
        "--store",
        "s.sqlite",
        "-q",
        "--jobs",
        "1",
    ]
    assert referee(*words).returncode == 0
    losses = json.loads(referee("standings", "s.sqlite", "--format", "json").stdout)[
        "notable_losses"
    ]
    commands = {loss["command"]: loss["match"] for each in losses.values() for loss in each}
    assert any("'bots/my bot'" in command for command in commands)
    assert any("bots/rules" in command for command in commands)
    page = html.unescape(referee("standings", "s.sqlite", "--format", "html").stdout)
    for name, of_bot in losses.items():
        text = referee("standings", "s.sqlite", "--bot", name).stdout
        assert all(f"  {loss['command']}\n" in text for loss in of_bot)
        assert all(f"<code>{loss['command']}</code>" in page for loss in of_bot)
    for command, match in commands.items():
        played = unpacked(folders / "records" / f"{match:06}.record.jsonl.zst", folders)
        assert same_match(replayed(command, folders), played), command
    exited = [loss for loss in losses["reader"] if loss["why"] == "disqualified, exited"]
    assert len(exited) == 3
    with running("s.sqlite") as (_, url):
        served = httpx.get(f"{url}store/s.sqlite/bot/1", timeout=60).text
    assert all(loss["command"] in html.unescape(served) for loss in losses["reader"])
    whole = re.search(r"<dt>Command<dd><code>(.*?)</code>", page)
    assert whole is not None
    assert shell(whole[1], "--store", "other.sqlite", "-q").returncode == 0
    assert digests("other.sqlite") == digests("s.sqlite")


@pytest.mark.slow
@needs_bwrap
def test_the_line_of_a_bot_with_a_directory_of_its_own(folders: Path) -> None:
    """Only a configuration file can give a bot a directory."""
    (folders / "bots" / "reader" / "bot.toml").unlink()
    command, directory = json.dumps(f"{sys.executable} bot.py"), json.dumps("bots/reader")
    Path("cup.toml").write_text(
        f'[[bot]]\nname = "one"\ncommand = {command}\ndirectory = {directory}\n'
        '[[bot]]\nname = "two"\ncommand = "smithy.json"\n'
    )
    words = ["--config", "cup.toml", "--deals", "1", "--max-turns", "2", "--jobs", "1", "-q"]
    words += ["--records", "records", "--keep-records", "all", "--store", "s.sqlite"]
    assert referee("tournament", *words).returncode == 0
    (loss,) = json.loads(referee("standings", "s.sqlite", "--format", "json").stdout)[
        "notable_losses"
    ]["one"]
    file = folders / "records" / f"{loss['match']:06}.record.jsonl.zst"
    again = replayed(loss["command"], folders)
    assert same_match(again, unpacked(file, folders))
    assert "disqualified" in [line["entry"] for line in again]


def unpacked(file: Path, folder: Path) -> list[dict[str, Any]]:
    """Decompress a record and return its lines, without times."""
    plain = folder / "plain.jsonl"
    plain.write_bytes(zstd.decompress(file.read_bytes()))
    return without_times(plain)


def digests(store: str) -> list[str]:
    with contextlib.closing(sqlite3.connect(store)) as connection:
        return [row[0] for row in connection.execute("SELECT digest FROM matches ORDER BY match")]


@needs_bwrap
@pytest.mark.parametrize("kind", ["none", slow("bwrap"), slow("auto")])
def test_the_line_of_a_match(kind: str, folders: Path) -> None:
    """The records must be the same: `reader` exits in the sandbox, and plays normally outside."""
    words = ["play", "bots/reader", "bots/my bot", "--sandbox", kind, "--max-turns", "3"]
    words += ["--seed", "2", "--memory-limit", "1G", "--time-limit", "9.25", "--env", "A=b c"]
    done = referee(*words, "--record", "r.jsonl")
    assert done.returncode == (kind != "none")
    (line,) = re.findall(r"The same match again:\n(.*)\n", done.stdout)
    played = without_times(folders / "r.jsonl")
    assert replayed(line, folders) == played
    from_record = read_match(str(folders / "r.jsonl")).header.command
    assert from_record is not None
    # the command asks for a sandbox even if the record says `none`
    assert "--sandbox bwrap" in from_record
    if kind != "none":
        again = replayed(from_record, folders)
        assert [line for line in again if line["entry"] == "disqualified"] == [
            line for line in played if line["entry"] == "disqualified"
        ]


@pytest.mark.slow
@needs_bwrap
def test_the_line_that_checks_a_bot(folders: Path) -> None:
    """The bot reads a file outside its folder, so the check must use a sandbox to reproduce it."""
    (folders / "bots/reader/bot.py").write_text("open('../weights.json').close()\n")
    words = ["play", "bots/reader", "minimal", "--sandbox", "bwrap", "--process-limit", "64"]
    done = referee(*words)
    (line,) = re.findall(r"To check the handshake of player1:\n(.*)\n", done.stdout)
    assert "--sandbox bwrap --process-limit 64" in line
    first = shell(line)
    assert first.returncode == 1
    again = re.findall(r"of each kind of failure, again:\n(.*)\n", first.stdout)[0]
    assert "--sandbox bwrap" in again
    assert "--process-limit 64" in again
    assert shell(again).returncode == 1


@pytest.mark.slow
@needs_bwrap
def test_no_line_lets_the_author_of_a_file_choose_what_runs_outside(folders: Path) -> None:
    """A store may claim that there was no sandbox, and a bot's command may look like an option."""
    bots = (
        Entrant("bomb", f"sh -c {shlex.quote('touch ran; ' * 2)}"),
        Entrant("--store=stolen", "--record=stolen"),
        Entrant("x", "bots/my bot"),
    )
    limits = {"process_limit": None, "memory_limit": None}
    made = setup(bots, game="dominion", seed=1, deals=2, settings=limits, sandbox="none")
    found = [pages.command(made)]
    found += [repeat_command(row(Plan(0, 0, 5, (first, 2))), made) for first in range(2)]
    for line in found:
        words = shlex.split(line)
        assert words[words.index("--sandbox") + 1] == "bwrap"
        assert not {"--process-limit", "--memory-limit"} & {*words}
        assert not any(word.startswith(("--record", "--store")) for word in words)
        shell(line)
        assert not (folders / "ran").exists()
        assert not (folders / "stolen").exists()


def test_a_name_that_the_command_line_cannot_take_is_left_out() -> None:
    names = {"n" * 65: "big_money", "two words": "minimal", "x": "village_smithy"}
    bots = [Entrant(name, bot) for name, bot in names.items()]
    made = setup(bots, game="dominion", seed=1, deals=2)
    words = shlex.split(pages.command(made))
    assert words[2:5] == ["big_money", "minimal", "x=village_smithy"]


def test_a_name_that_was_given_is_in_the_command() -> None:
    """Names are left out if they can't be typed, or if they're what the bot has anyway."""
    bots = ["big_money", "minimal", "./my bot.py", "-x"]
    for names, typed in (
        (
            ("Zoe", "", "my bot.py", "two words"),
            ["Zoe=big_money", "minimal", "./my bot.py", "./-x"],
        ),
        (("big_money", "-Ann", "Bob", "C=D"), ["big_money", "minimal", "Bob=./my bot.py", "./-x"]),
        ((), ["big_money", "minimal", "./my bot.py", "./-x"]),
    ):
        spec = replace(match_spec(bots, seed=4), names=names)
        assert repeat_words(spec, recorded=False)[2:6] == typed


def test_a_bundled_bot_with_variables_of_a_file_asks_for_the_sandbox(folders: Path) -> None:
    """Variables such as LD_PRELOAD can make a bundled bot run any program."""
    bots = Entrant("a", "minimal", env=(("LD_PRELOAD", "x.so"),)), Entrant("b", "big_money")
    made = setup(bots, game="dominion", seed=1, deals=2, settings={}, sandbox="none")
    for line in (pages.command(made), repeat_command(row(Plan(0, 0, 5, (0, 1))), made)):
        words = shlex.split(line)
        assert words[words.index("--sandbox") + 1] == "bwrap"


def test_no_line_shows_a_folder_because_a_store_names_it() -> None:
    bots = Entrant("a", "./a"), Entrant("b", "./b")
    made = setup(bots, game="dominion", seed=1, deals=2, settings={}, sandbox="bwrap")
    made = replace(made, sandbox_read=("/home",))
    for line in (pages.command(made), repeat_command(row(Plan(0, 0, 5, (0, 1))), made)):
        assert "bwrap" in line
        assert "/home" not in line


@pytest.mark.parametrize("name", ["smithy.json", "human", "minimal"])
def test_no_file_here_turns_a_bundled_name_into_a_program(name: str, tmp_path: Path) -> None:
    """Commands with bundled bots only have no sandbox, so a file must not replace such a bot."""
    folder, program = tmp_path / "folder" / name, tmp_path / "smithy.json"
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text('command = "bot.py"\n')
    (folder / "bot.py").write_text(MINIMAL)
    assert bot_folder(name, "dominion", str(folder.parent)) is None
    assert bot_folder(f"./{name}", "dominion", str(folder.parent)) is not None
    program.write_bytes(rule_files("dominion")["smithy.json"].read_bytes())
    program.chmod(0o700)
    assert isinstance(find_bot(program.name, "dominion", str(tmp_path)), PythonBot)


@pytest.mark.slow
@needs_bwrap
def test_the_line_on_the_page_of_a_match(folders: Path) -> None:
    """`page` and `serve` must show the same command, and it must repeat the match."""
    words = ["play", "bots/my bot", "bots/reader", "--sandbox", "bwrap", "--max-turns", "3"]
    assert referee(*words, "--seed", "2", "--record", "r.jsonl", "--quiet").returncode == 1
    assert referee("page", "r.jsonl", "--output", "r.html").returncode == 0
    (inside,) = re.findall(r'"command":("(?:[^"\\]|\\.)*")', Path("r.html").read_text())
    with running("r.jsonl") as (_, url):
        served = httpx.get(f"{url}match/r.jsonl/header", timeout=60).json()["command"]
    assert json.loads(inside) == served
    assert same_match(replayed(served, folders), without_times(folders / "r.jsonl"))


@pytest.mark.slow
@needs_bwrap
def test_the_line_of_a_match_that_was_continued(folders: Path) -> None:
    """The printed command resumes the same record at the same turn, in the same sandbox."""
    assert (
        referee("play", "minimal", "minimal", "--seed", "6", "--record", "r.jsonl").returncode == 0
    )
    words = ["play", "bots/my bot", "bots/reader", "--resume", "r.jsonl", "--turn", "4"]
    done = referee(*words, "--sandbox", "bwrap", "--max-turns", "5", "--record", "s.jsonl")
    assert done.returncode == 1
    (line,) = re.findall(r"The same match again:\n(.*)\n", done.stdout)
    assert replayed(line, folders) == without_times(folders / "s.jsonl")


def test_the_line_of_a_match_with_limits_of_single_bots(folders: Path) -> None:
    """Resuming a record keeps its limits per bot, and they're in the printed command."""
    bots = ["big_money.json", "smithy.json"]
    words = ["play", *bots, "--max-turns", "2", "--record", "r.jsonl"]
    own = ["--limit-of", "1:memory-limit=none", "--limit-of", "player2:time-limit=4"]
    assert referee(*words, *own, "--sandbox", "none").returncode == 0
    resume = ["--resume", "r.jsonl", "--turn", "2", "--record", "s.jsonl"]
    done = referee("play", *bots, *resume)
    assert done.returncode == 0
    (line,) = re.findall(r"The same match again:\n(.*)\n", done.stdout)
    assert line.endswith("--max-turns 2 --limit-of 2:time-limit=4")
    header = without_times(folders / "s.jsonl")[0]
    assert header["limits_of_bots"] == [{}, {"time_limit": 4.0}]
    assert replayed(line, folders)[0]["limits_of_bots"] == header["limits_of_bots"]
    wrong = referee("play", *bots, "--limit-of", "3:time-limit=4")
    assert wrong.stderr == "referee: --limit-of: there is no player 3 of 2\n"


@pytest.mark.slow
@needs_bwrap
def test_the_line_that_shows_the_turn_in_which_a_bot_failed(folders: Path) -> None:
    """Without a record, the printed command first makes one with the same sandbox and limits."""
    late = MINIMAL.replace('case "play-turn" if', 'case "play-turn" if message["junk"] and')
    assert late != MINIMAL
    Path("bots/my bot/bot.py").write_text(late)
    for more in ([], ["--record", "kept.jsonl"]):
        done = referee("play", "bots/my bot", "minimal", "--seed", "3", "--sandbox", "bwrap", *more)
        assert "player1, bots/my bot, was disqualified: exited" in " ".join(done.stdout.split())
        (line,) = re.findall(r"To see that turn:\n(.*)\n", done.stdout)
        assert ("--sandbox bwrap" in line) == (not more)
        shown = shell(line)
        assert shown.returncode == 0, shown.stderr
        assert "player1" in shown.stdout
        assert "exited" in shown.stdout
