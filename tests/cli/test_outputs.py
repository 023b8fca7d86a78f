"""Options that name an output file must never overwrite one that the user wants to keep."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from referee import cli
from referee.cli.console import json_line, print_json
from referee.tournament.rows import Entrant
from referee.tournament.setup import setup
from referee.tournament.store import Store
from tests.support.batches import play_in_a_thread
from tests.support.live import ROOT, one_line
from tests.support.made_up import made_setup, play

EXAMPLES = ROOT / "spec" / "examples"
COMMANDS = (["standings", "--format", "json"], ["export", "--format", "jsonl"])
RECORD, LOG = (str(EXAMPLES / f"two-players.{kind}.jsonl") for kind in ("record", "log"))
BOTS = ("big_money.json", "smithy.json", "--seed", "1", "--max-turns", "1")
PROBED = "false {players}"
TOURNAMENT = ("--deals", "1", "--jobs", "1", "-q", "--sandbox", "none")
STORE = "STORE"
SHORT = "SHORT"
OUT = "OUT"

OUTPUTS: dict[str, Sequence[tuple[Sequence[str], str]]] = {
    # Maps a command and an option to command lines. Each has the name of the file that it creates
    # in OUT, or "" if that is OUT itself.
    "play --log": [(["play", *BOTS, "-q", "--log", OUT], "")],
    "play --record": [(["play", *BOTS, "-q", "--record", OUT], "")],
    "play --stderr": [
        (["play", BOTS[0], "minimal", *BOTS[2:], "-q", "--stderr", OUT], "player2.stderr")
    ],
    "conform --output": [
        (["conform", "minimal", "--case", "3.4/1", "--format", form, "--output", OUT], "")
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
    "page --output": [(["page", SHORT, "--output", OUT], "")],
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
CASES = [
    pytest.param(words, file, id=f"{option} {number}")
    for option, cases in OUTPUTS.items()
    for number, (words, file) in enumerate(cases)
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    name = str(tmp_path_factory.mktemp("store") / "night.sqlite")
    with pytest.MonkeyPatch.context() as patch:
        play_in_a_thread(patch)
        assert cli.main(["tournament", *BOTS, *TOURNAMENT, "--store", name]) == 0
    return name


@pytest.fixture
def named(store: str, short_record: Path, tmp_path: Path) -> dict[str, str]:
    return {STORE: store, SHORT: str(short_record), OUT: str(tmp_path / "out")}


@pytest.mark.usefixtures("in_a_thread")
@pytest.mark.parametrize(("words", "file"), CASES)
def test_an_output_replaces_only_files_of_the_referee(
    words: Sequence[str],
    file: str,
    named: dict[str, str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"

    def run(*more: str) -> int:
        return cli.main([*(named.get(word, word) for word in words), *more])

    path = out / file if file else out
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("print('my bot')\n")
    before = {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*")}

    assert run() == 2
    err = one_line(capfd.readouterr().err)
    assert err.startswith(
        (f"referee: {path} is not a ", f"referee: the folder {out} has records of an")
    )
    assert "; choose another " in err
    assert ", or add --force" in err
    assert {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*")} == before

    done = 1 if PROBED in words else 0  # that is no right referee
    assert run("--force") == done
    assert not path.exists() or not path.read_bytes().startswith(b"print")
    written = {each.name for each in tmp_path.rglob("*")}

    assert run() == done  # our own output may be overwritten
    assert {each.name for each in tmp_path.rglob("*")} == written

    path.write_bytes(b"")
    assert run() == done


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


@pytest.mark.slow
def test_a_match_that_was_cut_off_continues_in_its_record(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    lines = Path(RECORD).read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:340]))
    assert cli.main(["play", "--resume", str(record), "--record", str(record), "-q"]) == 0
    assert b'{"entry":"end"' in record.read_bytes()


def test_a_store_is_not_replaced_by_its_export(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "night.sqlite"
    with Store.for_writing(str(file)) as made:
        made.add_stage(made_setup(2, deals=1))
        play(made)
    before = file.read_bytes()
    assert cli.main(["export", str(file), "--output", str(file), "--force"]) == 2
    assert "are the same file" in one_line(capfd.readouterr().err)
    assert file.read_bytes() == before


def test_links_replace_no_other_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record, links = tmp_path / "game.jsonl", tmp_path / "game.jsonl.seats"
    links.write_text("a list of seats\n")
    assert cli.main(["play", "--page", "human", "minimal", "--record", str(record)]) == 2
    assert f"{links} is not a file with the links of a match" in one_line(capfd.readouterr().err)
    assert not record.exists()


# --- files that a user protects, and files that happen to have a similar name ---------------------


@pytest.mark.slow
def test_a_read_only_page_is_not_replaced(
    short_record: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = tmp_path / "match.html"
    assert cli.main(["page", str(short_record), "-o", str(page)]) == 0
    before = page.read_bytes()
    capfd.readouterr()
    access = os.access  # root may write to any file
    monkeypatch.setattr(
        os, "access", lambda path, mode: mode != os.W_OK and access(path, mode), raising=True
    )
    assert cli.main(["page", LOG, "-o", str(page)]) == 2
    assert f"cannot write {page}: Permission denied" in one_line(capfd.readouterr().err)
    assert page.read_bytes() == before


def test_no_file_beside_an_output_is_touched(short_record: Path, tmp_path: Path) -> None:
    (tmp_path / "match.html.part").write_text("mine\n")
    assert cli.main(["page", str(short_record), "-o", str(tmp_path / "match.html")]) == 0
    assert (tmp_path / "match.html.part").read_text() == "mine\n"
    assert len(list(tmp_path.iterdir())) == 2


def test_transcripts_that_cannot_be_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["conform", "--referee", PROBED, "--case", "3.1/2", "-q"]
    words += ["--transcripts", str(tmp_path)]
    (tmp_path / "names-1").touch()
    assert cli.main(words) == 2
    problem = f"cannot write {tmp_path / 'names-1'}: it exists, and is not a folder"
    assert problem in one_line(capfd.readouterr().err)
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
