"""Options that name an output file must never overwrite one that the user wants to keep."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from referee import cli
from referee.cli.console import json_line, print_json
from referee.cli.registry import parser
from referee.tournament.rows import Entrant
from referee.tournament.setup import setup
from referee.tournament.store import Store
from tests.support.live import ROOT, one_line
from tests.support.made_up import play

EXAMPLES = ROOT / "spec" / "examples"
COMMANDS = (["standings", "--format", "json"], ["export", "--format", "jsonl"])
RECORD, LOG = (str(EXAMPLES / f"two-players.{kind}.jsonl") for kind in ("record", "log"))
BOTS = ("big_money", "minimal", "--seed", "1")
PROBED = "referee play -q {players} --seed {seed}"
TOURNAMENT = ("--deals", "1", "--jobs", "1", "-q", "--sandbox", "none")
STORE = "STORE"
OUT = "OUT"

OUTPUTS: dict[str, Sequence[tuple[Sequence[str], str]]] = {
    # Maps a command and an option to command lines. Each has the name of the file that it creates
    # in OUT, or "" if that is OUT itself.
    "play --log": [(["play", *BOTS, "-q", "--log", OUT], "")],
    "play --record": [(["play", *BOTS, "-q", "--record", OUT], "")],
    "play --stderr": [(["play", *BOTS, "-q", "--stderr", OUT], "player2.stderr")],
    "conform --output": [
        (["conform", "minimal", "--case", "3.1", "--format", form, "--output", OUT], "")
        for form in ("text", "json", "junit", "html")
    ],
    "conform --transcripts": [
        (["conform", "--referee", PROBED, "--case", "3.1/2", "--transcripts", OUT], file)
        for file in ("names-1/player1.txt", "names-1/stderr.txt")
    ],
    "tournament --records": [
        (["tournament", *BOTS, *TOURNAMENT, "--records", OUT], file)
        for file in ("000000.record.jsonl.zst", "000001.player2.stderr")
    ],
    "standings --output": [
        (["standings", STORE, "--format", form, "--output", OUT], "")
        for form in ("text", "json", "csv", "html")
    ],
    "export --output": [
        (["export", STORE, "--format", form, "--output", OUT], "") for form in ("csv", "jsonl")
    ],
    "page --output": [(["page", RECORD, "--output", OUT], "")],
    "game --output": [(["game", "page", "botwars", "--output", OUT], "")],
    "verify --log": [(["verify", RECORD, "--log", OUT], "")],
    "verify --output": [
        *[
            (["verify", RECORD, "--format", form, "--output", OUT], "")
            for form in ("text", "json", "junit")
        ],
        (["verify", "--store", STORE, "--run-recorded", "--output", OUT], ""),
    ],
    "validate --output": [
        (["validate", LOG, "--format", form, "--output", OUT], "")
        for form in ("text", "json", "junit")
    ],
}
OTHERS = {
    "new folder",  # the folder must not exist yet
    "tournament --store",  # only adds to a store: tests/tournament/test_store.py
    "serve --save-games",  # chooses random file names
    # The following arguments are read, or aren't names of files.
    *("play bots", "play --resume", "conform bot", "build bots"),
    *("conform --referee", "conform --case", "conform --match", "rules files", "rules --replay"),
    *("tournament bots", "tournament --config", "tournament --cluster", "tournament --seeding"),
    *("standings stores", "standings --exclude", "export store", "serve paths", "serve --play"),
    *("tournament --position", "page --records"),
    *(f"{command} --title" for command in ("tournament", "standings", "serve", "page")),
    *("replay files", "page files", "verify files", "verify --store", "verify --records"),
    *("validate logs", "bots --show", "new --language", "explain what", "help command"),
    *(f"{command} --set" for command in ("play", "tournament", "serve")),
    *(f"{command} --allowed-host" for command in ("play", "serve")),
    *(f"{command} --listen" for command in ("play", "serve")),
    *(f"{command} --anchor" for command in ("tournament", "standings")),
    *(f"{command} --bot" for command in ("tournament", "standings")),
    *(f"{name} --sandbox-read" for name in ("play", "conform", "build", "tournament", "doctor")),
    "verify --sandbox-read",
}
CASES = [
    pytest.param(words, file, id=f"{option} {number}")
    for option, cases in OUTPUTS.items()
    for number, (words, file) in enumerate(cases)
]


def takes_a_name(action: argparse.Action) -> bool:
    """Return True if an argument could be the name of a file."""
    if action.nargs == 0 or action.choices is not None:
        return False
    try:
        return action.type is None or bool(action.type("a-file.jsonl"))  # type: ignore[operator]
    except argparse.ArgumentTypeError:
        return False


def test_every_argument_that_could_name_an_output_is_known() -> None:
    """If you add an option, put it into `OUTPUTS` with a command line, or into `OTHERS`."""
    found = {
        f"{command} {(action.option_strings or [action.dest])[-1]}"
        for command, each in parser().commands.choices.items()
        for action in each._actions
        if takes_a_name(action)
    }
    assert found == OUTPUTS.keys() | OTHERS


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    name = str(tmp_path_factory.mktemp("store") / "night.sqlite")
    assert cli.main(["tournament", *BOTS, *TOURNAMENT, "--store", name]) == 0
    return name


def run(words: Sequence[str], store: str, out: Path, *more: str) -> int:
    known = {STORE: store, OUT: str(out)}
    return cli.main([*(known.get(word, word) for word in words), *more])


@pytest.mark.parametrize(("words", "file"), CASES)
def test_an_output_replaces_only_files_of_the_referee(
    words: Sequence[str],
    file: str,
    store: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    out = tmp_path / "out"
    path = out / file if file else out
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("print('my bot')\n")
    before = {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*")}

    assert run(words, store, out) == 2
    err = one_line(capfd.readouterr().err)
    assert err.startswith(
        (f"referee: {path} is not a ", f"referee: the folder {out} has records of an")
    )
    assert "; choose another " in err
    assert ", or add --force" in err
    assert {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*")} == before

    assert run(words, store, out, "--force") == 0
    assert not path.exists() or not path.read_bytes().startswith(b"print")
    written = {each.name for each in tmp_path.rglob("*")}

    assert run(words, store, out) == 0  # our own output may be overwritten
    assert {each.name for each in tmp_path.rglob("*")} == written

    path.write_bytes(b"")
    assert run(words, store, out) == 0


# --- two files of one command that are the same ---------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["play", *BOTS, "-q", "--record", "same", "--log", "same"],
        ["play", *BOTS[:2], "-q", "--seed-file", "same", "--log", "same"],
        ["play", *BOTS[:2], "-q", "--seed-file", "same", "--stderr", "."],
        ["play", "big_money", "./same", "-q", "--record", "same"],
        ["play", *BOTS[:2], "-q", "--resume", "same", "--turn", "3", "--log", "same"],
        ["play", *BOTS[:2], "-q", "--resume", "same", "--turn", "3", "--record", "same"],
        ["conform", "./same", "--output", "same"],
        ["verify", "same", "--log", "same"],
        ["verify", "same", "--output", "same"],
        ["verify", RECORD, "--log", "new", "--output", "new"],
        ["validate", "same", "--output", "same"],
        ["page", "same", "-o", "same"],
    ],
)
def test_no_file_is_an_input_and_an_output(
    words: list[str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "1\n" if "--seed-file" in words else Path(RECORD).read_text()
    Path("same").write_text(text)
    Path("same").chmod(0o755)
    Path("player2.stderr").symlink_to("same")
    assert cli.main([*words, "--force"]) == 2
    assert "are the same file" in one_line(capfd.readouterr().err)
    assert Path("same").read_text() == text
    assert not Path("new").exists()


def test_a_match_that_was_cut_off_continues_in_its_record(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    lines = Path(RECORD).read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:100]))
    assert cli.main(["play", "--resume", str(record), "--record", str(record), "-q"]) == 0
    assert b'{"entry":"end"' in record.read_bytes()


def test_links_replace_no_other_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record, links = tmp_path / "game.jsonl", tmp_path / "game.jsonl.seats"
    links.write_text("a list of seats\n")
    assert cli.main(["play", "--page", "human", "minimal", "--record", str(record)]) == 2
    assert f"{links} is not a file with the links of a match" in one_line(capfd.readouterr().err)
    assert not record.exists()


# --- files that a user protects, and files that happen to have a similar name ---------------------


def test_a_read_only_page_is_not_replaced(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "match.html"
    assert cli.main(["page", RECORD, "-o", str(page)]) == 0
    before = page.read_bytes()
    capfd.readouterr()
    access = os.access  # root may write to any file
    monkeypatch.setattr(
        os, "access", lambda path, mode: mode != os.W_OK and access(path, mode), raising=True
    )
    assert cli.main(["page", LOG, "-o", str(page)]) == 2
    assert f"cannot write {page}: Permission denied" in one_line(capfd.readouterr().err)
    assert page.read_bytes() == before


def test_no_file_beside_an_output_is_touched(tmp_path: Path) -> None:
    (tmp_path / "match.html.part").write_text("mine\n")
    assert cli.main(["page", RECORD, "-o", str(tmp_path / "match.html")]) == 0
    assert (tmp_path / "match.html.part").read_text() == "mine\n"
    assert len(list(tmp_path.iterdir())) == 2


def test_transcripts_that_cannot_be_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    words = ["conform", "--referee", PROBED, "--case", "3.1/2", "-q"]
    words += ["--transcripts", str(tmp_path)]
    (tmp_path / "names-1").touch()
    assert cli.main(words) == 2
    assert f"cannot write {tmp_path / 'names-1'}: File exists" in one_line(capfd.readouterr().err)
    access = os.access  # root may write to any folder
    monkeypatch.setattr(os, "access", lambda path, *more: path != tmp_path and access(path, *more))
    assert cli.main(words) == 2
    assert f"cannot write {tmp_path}: Permission denied" in one_line(capfd.readouterr().err)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_json_has_no_command_for_a_terminal(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = [Entrant(name, "minimal") for name in ("a\x9b2J", "b\u202ec")]
    path = str(tmp_path / "night.sqlite")
    with Store.for_writing(path) as store:
        store.add_stage(setup(bots, game="dominion", seed=1, deals=1))
        play(store)
    assert cli.main([words[0], path, *words[1:]]) == 0
    printed = capsys.readouterr().out
    assert printed.replace("\n", "").isprintable()
    said = str(json.loads(printed.splitlines()[0]))
    assert all(repr(bot.name)[1:-1] in said for bot in bots)


def test_large_json_is_not_copied_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def most(work: Callable[[], object]) -> int:
        tracemalloc.start()
        work()
        _, found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return found

    value = "\u20ac" * 2_000_000
    with open(os.devnull, "w") as nothing:
        assert most(lambda: print_json(value, nothing)) < most(lambda: json_line(value))
    monkeypatch.setattr("referee.cli.console._LETTERS", 2)  # cuts a character in two
    found = io.StringIO()
    print_json("\u20ac\x9b", found)
    assert found.getvalue() == json_line("\u20ac\x9b") + "\n"
