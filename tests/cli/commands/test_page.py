"""`referee page`: the file it writes, its exit codes, and its messages about unusable files."""

from __future__ import annotations

import os
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from referee import cli
from referee.web import file
from tests.support.live import ROOT

RECORD = ROOT / "spec" / "examples" / "two-players.record.jsonl"
LOG = ROOT / "spec" / "examples" / "four-players.log.jsonl"


def said(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_a_file_is_written(
    short_record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "match.html"
    assert cli.main(["page", str(short_record), "-o", str(page)]) == 0
    assert said(capsys) == f"referee: {page}: {page.stat().st_size / 1000:.0f} KB\n"
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert 'id="header-0"' in page.read_text()


def test_many_files_are_one_page_and_what_is_none_is_told(
    short_record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, page = tmp_path / "wrong", tmp_path / "match.html"
    wrong.write_text("no log\n")
    assert cli.main(["page", str(short_record), str(wrong), str(LOG), "-o", str(page)]) == 1
    problem, written = said(capsys).splitlines()
    assert problem.startswith(
        f"referee: {wrong}, line 1: this is not a match record or a spectator"
    )
    assert "give a file that --record or --log has written" in problem
    assert written.startswith(f"referee: {page}: ")
    assert "<title>2 matches</title>" in page.read_text()


@pytest.mark.parametrize(
    ("files", "page"),
    [
        (["games/a.record.jsonl.zst"], "a.record.html"),
        (["games/a.jsonl", "b"], "a-and-1-more.html"),
    ],
)
def test_a_page_is_named_after_its_match(
    short_record: Path,
    files: list[str],
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games").mkdir()
    for name in files:
        Path(name).write_bytes(short_record.read_bytes())
    for _ in range(2):
        assert cli.main(["page", *files]) == 0
        assert said(capsys).startswith(f"referee: {page}: ")
    assert page in os.listdir()


def test_nothing_is_written_where_nothing_can_be_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, page = tmp_path / "wrong", tmp_path / "match.html"
    wrong.write_text("no log\n")
    assert cli.main(["page", str(wrong), "-o", str(page)]) == 1
    assert said(capsys).count("\n") == 1
    assert not page.exists()


def test_to_standard_output(short_record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["page", str(short_record), "-o", "-"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("<!DOCTYPE html>")
    assert err == ""


@pytest.mark.slow
def test_it_needs_no_locale(tmp_path: Path) -> None:
    page = tmp_path / "match.html"
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run(
        [sys.executable, "-m", "referee", "page", str(RECORD), "-o", str(page)],
        check=True,
        capture_output=True,
        env=os.environ | ascii_only,
    )
    assert "■" in page.read_text("utf-8")


def test_a_page_can_have_a_title(
    short_record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "final.html"
    for files in ([short_record], [short_record, LOG]):
        words = ["page", *map(str, files), "-o", str(page), "--title", 'Final <"1">', "--force"]
        assert cli.main(words) == 0
        text = page.read_text()
        assert "<title>Final &lt;&#34;1&#34;&gt;</title>" in text
        kind = "title" if len(files) == 1 else "list"
        assert f'data-{kind}="Final &lt;&#34;1&#34;&gt;"' in text
        assert (r'"title":"Final \u003c\"1\">"' in text) == (len(files) == 1)


def test_some_turns_alone(
    short_record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "match.html"
    assert cli.main(["page", str(short_record), "-o", str(page)]) == 0
    whole = page.stat().st_size
    assert cli.main(["page", str(short_record), "-o", str(page), "--turns", "3-4"]) == 0
    assert page.stat().st_size < whole


def test_it_is_opened(
    short_record: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    page = tmp_path / "a match.html"
    assert cli.main(["page", str(short_record), "-o", str(page), "--open"]) == 0
    assert opened == [page.as_uri()]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["missing"], "cannot read missing: No such file or directory"),
        (["."], "cannot read .: it is a directory; name the files in it: ./*"),
        (["-"], '"-" is not supported here: save standard input to a file'),
        (["fifo"], "fifo is a pipe, and a page reads a file twice: save it to a file"),
        ([RECORD, "-o", "-", "--open"], "--open needs a file: give another --output"),
        ([RECORD, "--turns", "9-3"], "'9-3' is not a range of turns, such as 10-20"),
        ([RECORD, "--turns", "0"], "'0' is not a range of turns, such as 10-20"),
        ([RECORD, "--turns", "900-901"], "--turns 900-901: the match has 38 turns"),
        (
            [RECORD, "-o", "missing/match.html"],
            "cannot write missing/match.html: the folder does not exist: missing",
        ),
        ([RECORD, "-o", RECORD], "two-players.record.jsonl are the same file"),
    ],
)
def test_wrong_usage_is_one_sentence(
    words: list[object],
    problem: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    before = RECORD.read_bytes()
    assert cli.main(["page", *map(str, words)]) == 2
    err = said(capsys)
    assert problem in " ".join(err.split())
    assert RECORD.read_bytes() == before


def test_a_page_too_large_is_one_sentence(
    short_record: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(file, "MAX_FILE", 100)
    assert cli.main(["page", str(short_record)]) == 2
    assert "give fewer files, or part of the match with --turns FIRST-LAST" in said(capsys)
