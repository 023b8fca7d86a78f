"""The bots that `referee new` makes: in each language they build, play and follow the protocol.

The tests marked `slow` also play with plain starters and with other languages, most of which must
be compiled. They run the own test of a few starters, which runs all of `conform`; with `all_cases`,
those of all starters run. The Dominion starter with the kit is shown in spec/organisers.md. The
plain starter and the one for Star Realms are compared with a bundled bot.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import trio

from referee import cli
from referee.bots.command import find_bot
from referee.bots.folder import read_folder
from referee.bots.processes.sandbox import unavailable_reason
from referee.errors import UsageError
from referee.games import GAMES
from referee.starters import LANGUAGES, Language, make_bot
from tests.support import toy
from tests.support.helpers import newer_form, to_line
from tests.support.live import ROOT, entries, one_line, play, referee
from tests.support.marks import all_cases, slow

PLAIN = ["python --plain", *(language for language in LANGUAGES if language != "python")]
WARS = ["python", "javascript", "c"]
STARS = ["python", "javascript"]
STARTERS = [
    *(("dominion", language) for language in ["python", *PLAIN]),
    *(("botwars", language) for language in WARS),
    *((game, language) for game in ("starrealms", "tribute") for language in STARS),
]
starters = pytest.mark.parametrize(("game", "language"), STARTERS, ids=map("-".join, STARTERS))
SOME = (("dominion", "python"), ("tribute", "javascript"))
some_starters = pytest.mark.parametrize(
    ("game", "language"),
    [
        *SOME,
        *(slow(*row) for row in STARTERS if row not in SOME),
    ],
)
PLAYED = [("dominion", "c"), ("dominion", "perl"), ("botwars", "c"), ("tribute", "python")]
played_starters = pytest.mark.parametrize(
    ("game", "language"),
    [slow(*row) if row in PLAYED else all_cases(*row) for row in STARTERS],
    ids=map("-".join, STARTERS),
)
TESTED = [("botwars", "python"), ("dominion", "python --plain"), ("dominion", "c")]
"""The starters whose own test is marked `slow`. For the others it is marked `all_cases`.

Together those of Dominion in other languages take 35 s of CPU, most of it in starting the bots.
"""
START = (ROOT / "spec" / "python-bots.md").read_text()


def language_of(arguments: str) -> Language:
    """Return the language of an argument such as "python --plain"."""
    return LANGUAGES[arguments.split()[0]]


def new(folder: Path, language: str, game: str = "dominion") -> list[str]:
    """Make a starter, and return the two commands to paste after `cd`.

    LANGUAGE may end with `--plain`.
    """
    done = referee("new", str(folder), "--game", game, "--language", *language.split())
    assert (done.returncode, done.stderr) == (0, "")
    commands: list[str] = re.findall("^  (.*)$", done.stdout, re.MULTILINE)
    assert commands[0] == f"cd {folder}"
    assert len(commands) == 3
    return commands[1:]


def built(folder: Path, language: str, game: str = "dominion") -> list[str]:
    """Make a starter and build it. Skip the test if a tool is missing on this machine."""
    needs, build = language_of(language).needs, language_of(language).build
    if needs and shutil.which(needs) is None:
        pytest.skip(f"{language}: no {needs} on this machine")
    commands = new(folder, language, game)
    if build:
        subprocess.run(build, shell=True, cwd=folder, check=True, capture_output=True)
    return commands


def paste(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a starter's command as a user would, but with the `referee` that we are testing."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


# --- the bots -------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_there", [True, False])
def test_what_a_language_needs_is_named_only_if_it_is_not_there(
    is_there: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    needs = language_of("c").needs
    assert needs is not None
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / needs).touch(0o700 if is_there else 0o600)
    assert cli.main(["new", str(tmp_path / "bot"), "--language", "c"]) == 0
    assert (f"Install {needs} first" in capsys.readouterr().out) != is_there


def test_there_is_a_starter_for_all_that_is_offered() -> None:
    found = set()
    for game in GAMES:
        definition = GAMES[game]
        assert definition.starters is not None
        found |= {(game, file.parent.name) for file in definition.starters.folder.glob("*/*y*ot.*")}
    languages = {"dominion": LANGUAGES, "botwars": WARS, "starrealms": STARS}
    languages["tribute"] = [*STARS, "sot"]
    assert found == {("dominion", "python-kit")} | {
        (game, language) for game in languages for language in languages[game]
    }


async def test_the_starter_in_python_plays_a_match(tmp_path: Path) -> None:
    new(tmp_path / "my_bot", "python")
    bot = str(tmp_path / "my_bot" / "my_bot.py")
    played = await play(tmp_path, bot, "minimal", patient=[1], max_turns=12)
    mine, _ = played.result.players
    assert (mine.name, mine.faults, mine.exit_code) == ("My Bot", {}, 0)


@played_starters
def test_a_starter_plays_as_the_smallest_bundled_bot(
    game: str, language: str, tmp_path: Path
) -> None:
    """It wins the match of the last command, also in a sandbox. Then it's sent two old matches."""
    folder = tmp_path / "my_bot"
    *_, last = built(folder, language, game)
    plays_a_match(last, game, folder)
    if game == "dominion" and not unavailable_reason():  # sandbox.md, 3
        plays_a_match(f"{last} --sandbox bwrap", game, folder)
    if game == "botwars":
        walks_at_random(language, folder)
    elif game == "starrealms":
        sent, lines = two_matches(game, "cadet", "random_pilot")
        replies = [json.loads(line.replace("Cadet", "My Bot")) for line in lines]
        assert said_by(language, folder, sent) == replies
    elif game == "tribute":  # no bundled bot is that small, so compare with Python
        sent, _ = two_matches(game, "random", "random")
        other = tmp_path / "other" / "my_bot"
        other.parent.mkdir()
        built(other, "python", game)
        assert said_by(language, folder, sent) == said_by("python", other, sent)
    elif language in PLAIN:
        plays_as_minimal_does(language, folder)


def plays_a_match(last: str, game: str, folder: Path) -> None:
    done = paste(f"{last} --format json", folder)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    mine, other = result["players"]
    assert (mine["name"], mine["faults"], mine["exit_code"]) == ("My Bot", {}, 0)
    opponents = {
        "dominion": "minimal",
        "botwars": "random_walker",
        "starrealms": "random_pilot",
        "tribute": "random",
    }
    assert other["bot"] == opponents[game]
    if game == "dominion":
        assert result["winners"] == ["player1"]


@cache
def two_matches(game: str, *bots: str) -> tuple[bytes, list[bytes]]:
    """Play two matches. Return all that the first bot is sent, and its replies."""
    sent, replies = [], []
    for seed in (1, 2):
        with TemporaryDirectory() as folder:
            trio.run(partial(play, Path(folder), *bots, seed=seed, game=game))
            record = entries(Path(folder) / "record")
        for entry in record:
            if entry["entry"] == "sent" and entry["to"] in ("all", "player1"):
                sent.append(to_line(entry["message"]) + b"\n")
            elif entry["entry"] == "received" and entry["player_number"] == "player1":
                replies.append(entry["line"])
    return b"".join(sent), replies


def said_by(language: str, folder: Path, sent: bytes) -> list[Any]:
    """Return a starter's replies.

    The input ends in the middle of a line, as if the referee had crashed.
    """
    done = subprocess.run(
        shlex.split(language_of(language).bot),
        cwd=folder,
        input=sent + sent[:40],
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def plays_as_minimal_does(language: str, folder: Path) -> None:
    sent, lines = two_matches("dominion", "minimal", "militia_money", "random_legal")
    assert b"attack-request" in sent
    replies = [json.loads(line) for line in lines]
    for reply in replies:
        if "name" in reply:
            assert reply["keep_alive"] is True
            reply["name"] = "My Bot"
    assert said_by(language, folder, sent) == replies
    newer = [to_line(newer_form(json.loads(line))) for line in sent.splitlines()]
    assert said_by(language, folder, b"\n".join(newer) + b"\n") == replies


def walks_at_random(language: str, folder: Path) -> None:
    sent, lines = two_matches("botwars", "random_walker", "gatherer")
    asked = [json.loads(line) for line in sent.splitlines()]
    asked = [message for message in asked if message["type"].endswith("-request")]
    said = said_by(language, folder, sent)
    taken: set[tuple[int, int]] = set()
    for request, reply, other in zip(asked, said, map(json.loads, lines), strict=True):
        if request["type"] == "player-name-request":
            assert reply == other | {"name": "My Bot"}
            assert reply["keep_alive"] is True
            continue
        assert reply.keys() == other.keys()
        moved, ought = ([move["from"] for move in said["moves"]] for said in (reply, other))
        assert moved == ought
        for move in reply["moves"]:
            row, column = divmod(move["from"], request["state"]["cols"])
            to_row, to_column = divmod(move["to"], request["state"]["cols"])
            assert to_row < request["state"]["rows"]
            taken.add((to_row - row, to_column - column))
    assert taken == {(-1, 0), (1, 0), (0, -1), (0, 1)}


@pytest.mark.parametrize(
    ("game", "language"),
    [
        *[("dominion", name) for name in ("python", "python --plain", "javascript", "perl")],
        *[(game, name) for game in ("botwars", "starrealms", "tribute") for name in STARS],
    ],
)
def test_a_starter_is_short(game: str, language: str, tmp_path: Path) -> None:
    new(tmp_path / "my_bot", language, game)
    source = (tmp_path / "my_bot" / language_of(language).source).read_text()
    assert len(source.splitlines()) <= 60


@some_starters
def test_an_organiser_can_play_the_folder(game: str, language: str, tmp_path: Path) -> None:
    new(tmp_path / "my_bot", language, game)
    folder = read_folder(str(tmp_path / "my_bot"))
    known = language_of(language)
    assert (folder.problems, folder.name, folder.language) == ((), "my_bot", known.title)
    assert (folder.build, folder.command) == (known.build, known.bot)
    if not folder.build:
        find_bot(folder.path, game)


@some_starters
def test_the_readme_is_short_and_of_this_bot(game: str, language: str, tmp_path: Path) -> None:
    test, _ = new(tmp_path / "my_bot", language, game)
    text = (tmp_path / "my_bot" / "README.md").read_text()
    assert len(text.splitlines()) <= 10
    assert text.startswith("# My Bot\n")
    assert f"`{test}`" in text
    build = language_of(language).build
    assert f"`{build}`" in text or not build
    for page in re.findall(r"spec/[a-z0-9/-]+\.md", text):
        assert (ROOT / page).exists()
    sections = re.findall("`referee (explain [^`]*)`", text)
    assert sections
    for section in sections:
        assert referee(*section.split()).returncode == 0
    assert "{" not in text


# --- the test that comes along --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "language"),
    [slow(*row) if row in TESTED else all_cases(*row) for row in STARTERS],
    ids=map("-".join, STARTERS),
)
def test_a_starter_passes_the_test_that_comes_along(
    game: str, language: str, tmp_path: Path
) -> None:
    test, _ = built(tmp_path / "my_bot", language, game)
    done = paste(test, tmp_path / "my_bot")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " conforms: " in " ".join(done.stdout.split())


@pytest.mark.all_cases
def test_a_wrong_bot_fails_the_test_that_comes_along(tmp_path: Path) -> None:
    test, _ = built(tmp_path / "my_bot", "python --plain")
    source = tmp_path / "my_bot" / language_of("python").source
    text = source.read_text()
    source.write_text(text.replace("attack-reply", "attack"))
    assert source.read_text() != text
    done = paste(test, tmp_path / "my_bot")
    assert done.returncode == 1
    assert "does not conform" in " ".join(done.stdout.split())
    assert "My Bot does not conform: see above what" in done.stderr


# --- the first steps of spec/python-bots.md -------------------------------------------------------


def test_the_start_page_shows_the_output_of_new(tmp_path: Path) -> None:
    block = re.search(r"\$ referee new my_bot\n(.*?)^```\n", START, re.DOTALL | re.MULTILINE)
    assert block is not None
    assert referee("new", "my_bot", cwd=tmp_path).stdout == block[1]


@pytest.mark.slow
def test_the_change_on_the_start_page_wins_as_it_says(tmp_path: Path) -> None:
    new(tmp_path / "my_bot", "python")
    source = tmp_path / "my_bot" / "my_bot.py"
    text = source.read_text()
    diff = re.search(r"```diff\n(.*?)^```\n", START, re.DOTALL | re.MULTILINE)
    assert diff is not None
    for hunk in diff[1].split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old, changed = ("".join(line[1:] for line in lines if line[0] in f" {c}") for c in "-+")
        assert text.count(old) == 1
        text = text.replace(old, changed)
    source.write_text(text)
    command, table = re.findall(
        r"\$ (referee tournament [^\n]*my_bot[^\n]*)\n(.*?)^```\n", START, re.DOTALL | re.MULTILINE
    )[0]
    table = re.sub(r"; sandbox\s+bwrap", "", table)  # the tests run without a sandbox
    assert paste(command, tmp_path / "my_bot").stdout == table


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "called", "java"),
    [
        ("my_bot", "My Bot", "MyBot"),
        ("smithy2", "Smithy2", "Smithy2Bot"),
        ("list", "List", "ListBot"),  # Java already has a List
        ("bigRobot", "BigRobot", "BigRobot"),
        ("a__b_", "A B", "ABBot"),
    ],
)
def test_a_bot_has_the_name_of_its_folder(
    name: str, called: str, java: str, tmp_path: Path
) -> None:
    new(tmp_path / name, "python")
    assert f'name = "{called}"\n' in (tmp_path / name / f"{name}.py").read_text()
    assert f"# {called}\n" in (tmp_path / name / "README.md").read_text()
    assert f"./{name}.py" in (tmp_path / name / f"test_{name}.py").read_text()
    (tmp_path / "java").mkdir()
    new(tmp_path / "java" / name, "java")
    source = (tmp_path / "java" / name / f"{java}.java").read_text()
    assert f"class {java} {{" in source
    assert "MyBot" not in source.replace(java, "")


def test_the_commands_can_be_pasted_wherever_the_folder_is(tmp_path: Path) -> None:
    home = tmp_path / "it's\x1b[31m here"
    home.mkdir()
    done = referee("new", str(home / "my_bot"))
    assert done.stdout.replace("\n", "").isprintable()
    cd = re.findall("^  (.*)$", done.stdout, re.MULTILINE)[0]
    words = ["bash", "-c", f"{cd} && ls"]
    pasted = subprocess.run(words, capture_output=True, text=True, check=True)
    assert pasted.stdout.split() == ["README.md", "bot.toml", "my_bot.py", "test_my_bot.py"]


@pytest.mark.parametrize("text", ["c++", "C++", "cpp", "CPP"])
def test_a_language_may_be_called_as_people_do(text: str, tmp_path: Path) -> None:
    new(tmp_path / "my_bot", text)
    assert (tmp_path / "my_bot" / "my_bot.cpp").exists()


def test_the_help_has_every_language() -> None:
    text = referee("new", "--help").stdout
    for language in LANGUAGES:
        assert re.search(rf"\b{language}\b", text)


# --- mistakes -------------------------------------------------------------------------------------


def refused(*arguments: str) -> str:
    """Return the line that explains why no starter is made."""
    done = referee("new", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    return one_line(done.stderr)


@pytest.mark.parametrize("name", ["my-bot", "2fast", "_", "my bot", "my.bot", "ü", "a" * 41, ".."])
def test_a_bad_name(name: str, tmp_path: Path) -> None:
    assert "letters, digits and _" in refused(f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["json", "random", "referee"])
def test_a_name_that_would_shadow_a_module(name: str, tmp_path: Path) -> None:
    assert f"{name}_bot" in refused(str(tmp_path / name))
    new(tmp_path / name, "c")  # C has no such module


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("phyton", "did you mean python?"),
        ("javascirpt", "did you mean javascript?"),
        ("cobol", "there are python, javascript, java, c, cpp, rust, perl, go"),
    ],
)
def test_an_unknown_language(text: str, says: str, tmp_path: Path) -> None:
    assert says in refused(str(tmp_path / "my_bot"), "--language", text)
    assert list(tmp_path.iterdir()) == []


def test_a_language_that_a_game_has_no_starter_in(tmp_path: Path) -> None:
    says = refused(str(tmp_path / "my_bot"), "--game", "botwars", "--language", "rust")
    assert "botwars has no bot to start from in Rust yet; there are python, javascript, c" in says
    assert list(tmp_path.iterdir()) == []


def test_a_game_that_has_no_starters(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="toy has no bot to start from yet"):
        make_bot(tmp_path / "my_bot", toy.RULES, "python")


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "my_bot").mkdir()
    (tmp_path / "my_bot" / "my_bot.py").write_text("precious")
    assert "is there already" in refused(str(tmp_path / "my_bot"))
    assert [file.read_text() for file in (tmp_path / "my_bot").iterdir()] == ["precious"]


def test_no_folder_to_make_it_in(tmp_path: Path) -> None:
    assert f"the folder does not exist: {tmp_path}/none" in refused(
        str(tmp_path / "none" / "my_bot")
    )
    (tmp_path / "file").write_text("")
    assert "Not a directory" in refused(str(tmp_path / "file" / "my_bot"))


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    assert "cannot make /proc/my_bot: " in refused("/proc/my_bot")


def test_half_a_folder_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "chmod", full)
    assert "No space left on device" in refused(str(tmp_path / "my_bot"))
    assert list(tmp_path.iterdir()) == []


# --- the bot that comes along ---------------------------------------------------------------------


async def test_a_copy_of_minimal_is_not_called_minimal(tmp_path: Path) -> None:
    copy = tmp_path / "my_bot.py"
    copy.write_text(referee("bots", "--show", "minimal").stdout)
    played = await play(tmp_path, str(copy), "minimal", patient=[1], max_turns=1)
    assert [player.name for player in played.result.players] == ["My Bot", "Minimal"]
