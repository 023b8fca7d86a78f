"""Parsing of command lines, and the help text."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from referee.cli.registry import COMMANDS, parser, read_words
from tests.support.live import ROOT, entries, one_line, referee

PARSERS = {"": parser(), **parser().commands.choices}


# --- what the help says ---------------------------------------------------------------------------


@pytest.mark.parametrize("command", PARSERS)
def test_help_reads_well_at_80_columns(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = PARSERS[command].format_help()
    assert max(map(len, said.splitlines())) <= 80
    assert "\nexamples:\n" in said


@pytest.mark.parametrize(
    "words", [["--help"], ["-h"], ["help"], ["play", "--help"], ["play", "-h"], ["help", "play"]]
)
def test_every_way_to_ask_for_help(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (command,) = {*words} & {"play"} or [""]
    done = referee(*words)
    assert (done.returncode, done.stdout) == (0, PARSERS[command].format_help())


@pytest.mark.parametrize("command", PARSERS)
def test_every_option_says_what_it_is_for(command: str) -> None:
    for action in PARSERS[command]._actions:
        assert action.help or isinstance(action.choices, dict), action


EXAMPLES = [example for each in PARSERS.values() for example, _ in each.examples]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_a_right_command_line(example: str) -> None:
    within = re.search(r"\$\((.*)\)", example)  # the shell runs this part first
    program, *words = shlex.split(
        (within[1] if within else example).split(" > ")[0].split(" | ")[0]
    )
    assert program == "referee"
    run, options = read_words(words)
    assert callable(run)
    assert options.words == words


def test_the_help_names_every_command_once() -> None:
    lines = referee("help").stdout.splitlines()
    for command in COMMANDS:
        assert sum(line.startswith(f"  {command} ") for line in lines) == 1


def test_the_version() -> None:
    assert referee("-V").stdout == referee("--version").stdout
    assert referee("-V").stdout.startswith("referee ")


# --- what was misspelt ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["plya", "big_money", "minimal"], "unknown command 'plya'; did you mean play?"),
        (["tournement"], "did you mean tournament?"),
        (["qqq"], "unknown command 'qqq' (see referee --help)"),
        (["help", "plya"], "unknown command 'plya'; did you mean play?"),
        (["help", "qqq"], "unknown command 'qqq': new, play, conform"),
        (
            ["play", "big_money", "minimal", "--sed", "3"],
            "unknown option --sed; did you mean --seed?",
        ),
        (["play", "big_money", "minimal", "--sed=3"], "unknown option --sed; did you mean --seed?"),
        (["play", "big_money", "--recrod", "f", "minimal"], "--recrod; did you mean --record?"),
        (["play", "big_money", "minimal", "-z"], "unknown option -z (see referee play --help)"),
        (["conform", "minimal", "--timeot", "3"], "did you mean --time-limit?"),
        (["--sed", "3", "play"], "unknown option --sed: the COMMAND comes first"),
        (["play", "smithy_bigmoney", "minimal"], "did you mean smithy_big_money?"),
        (["play", "big_money.js", "minimal"], "referee bots --show big_money.js > my_bot.js"),
    ],
)
def test_a_misspelt_word(words: list[str], says: str) -> None:
    done = referee(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in one_line(done.stderr)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("play a b --rounds 9", "unknown option --rounds; it is an option of referee tournament"),
        ("conform a --bot a", "--bot; it is an option of referee tournament, referee standings ("),
        ("validate a --port 8", "unknown option --port; did you mean --format?"),
    ],
)
def test_an_option_of_another_command(
    words: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        read_words(words.split())
    assert caught.value.code == 2
    assert says in one_line(capsys.readouterr().err)


# --- options between the other arguments ----------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["play", "a", "--seed", "2", "b"], "bots"),
        (["play", "--seed", "2", "a", "-q", "b"], "bots"),
        (["play", "a", "b", "--seed", "2"], "bots"),
        (["tournament", "a", "--deals", "2", "b"], "bots"),
        (["verify", "a", "-q", "b"], "files"),
        (["validate", "a", "-q", "b"], "logs"),
        (["replay", "a", "--summary", "b"], "files"),
    ],
)
def test_options_may_stand_anywhere(words: list[str], names: str) -> None:
    assert getattr(read_words(words)[1], names) == ("a", "b")


def test_after_two_dashes_nothing_is_an_option() -> None:
    _, options = read_words(["validate", "-q", "--", "-a", "--b"])
    assert options.given["logs"] == ["-a", "--b"]


def test_an_option_between_bots_counts(tmp_path: Path) -> None:
    record = tmp_path / "record"
    words = ["play", "big_money.json", "--record", str(record), "smithy.json", "--seed", "3"]
    words += ["--max-turns", "1", "-q"]
    assert referee(*words).returncode == 0
    (header, *_) = entries(record)
    assert (header["bots"], header["seed"]) == (["big_money.json", "smithy.json"], 3)


# --- no limit of time -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["none", "inf"])
def test_a_match_without_a_clock(text: str, tmp_path: Path) -> None:
    record = tmp_path / "record"
    words = ["play", "minimal", "smithy.json", "--max-turns", "1", "--record", str(record)]
    done = referee(*words, "--time-limit", text)
    assert done.returncode == 0
    assert done.stdout.endswith(" --time-limit none --max-turns 1\n")
    options = entries(record)[0]["options"]
    assert (options["time_limit"], options["startup_limit"]) == (None, None)
    assert referee("verify", str(record)).returncode == 0
    assert referee("replay", str(record), "--summary").returncode == 0


def test_each_clock_can_be_chosen(tmp_path: Path) -> None:
    for words, found in (
        (["--time-limit", "none", "--startup-limit", "3"], (None, 3)),
        (["--startup-limit", "none"], (10, None)),
        (["--set", "time_limit=none"], (None, 10)),
    ):
        record = tmp_path / "record"
        short = ["play", "big_money.json", "smithy.json", "--max-turns", "1", "-q"]
        assert referee(*short, "--record", str(record), *words).returncode == 0
        options = entries(record)[0]["options"]
        assert (options["time_limit"], options["startup_limit"]) == found


@pytest.mark.parametrize("words", [["--time-limit", "none"], ["--set", "startup_limit=none"]])
def test_a_tournament_has_a_clock(words: list[str]) -> None:
    done = referee("tournament", "minimal", "big_money", *words)
    assert done.returncode == 2
    one_line(done.stderr)


# --- where files are written ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["play", "minimal", "minimal", "--log"],
        ["play", "minimal", "minimal", "--record"],
        ["play", "minimal", "minimal", "--stderr"],
        ["tournament", "minimal", "big_money", "--deals", "1", "--records"],
        ["conform", "minimal", "--output"],
        ["conform", "--referee", "sh {player1} {player2}", "--transcripts"],
        ["verify", str(ROOT / "spec/examples/two-players.record.jsonl"), "--log"],
    ],
)
def test_no_option_makes_more_than_one_folder(words: list[str], tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    done = referee(*words, str(missing / "new"))
    assert done.returncode == 2
    assert f"cannot write {missing / 'new'}: the folder does not exist: {missing}" in one_line(
        done.stderr
    )
    assert not missing.exists()


# --- old names ------------------------------------------------------------------------------------


def test_conform_still_takes_its_old_timeout() -> None:
    for name in ("--timeout", "--time-limit"):
        _, options = read_words(["conform", "minimal", name, "3"])
        assert options.time_limit == 3
    assert "--timeout" not in referee("conform", "--help").stdout
