"""Test errors for files that aren't UTF-8. The first bytes tell which encoding they have."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from referee.cli.values import GivenSeed, seed_in_file
from referee.errors import LogReadError
from referee.games import GAMES
from referee.logs.header import read_header
from referee.logs.source import LogReader
from referee.rulefiles.bot import vocabulary_of
from referee.rulefiles.reading import read
from referee.text.encoding import wide_encoding

TEXT = '{"type": "play-reply"}\n'


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16(encoding: str) -> None:
    assert wide_encoding(TEXT.encode(encoding)) == "UTF-16"


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be"])
def test_utf_32(encoding: str) -> None:
    assert wide_encoding(TEXT.encode(encoding)) == "UTF-32"


@pytest.mark.parametrize("data", [b"", b"\0", TEXT.encode(), b"\0" + TEXT.encode(), b"\0" * 9])
def test_other_bytes(data: bytes) -> None:
    assert wide_encoding(data) == ""


def test_a_log_is_not_read_on(tmp_path: Path) -> None:
    file = tmp_path / "log"
    for text in (TEXT, TEXT.rstrip()):
        file.write_text(text, encoding="utf-16-le")
        with (
            LogReader(str(file)) as reader,
            pytest.raises(LogReadError, match="line 1: the file is UTF-16: save it as UTF-8"),
        ):
            list(reader)
    file.write_text(TEXT + "\ufeff\n", encoding="utf-8")
    with LogReader(str(file)) as reader:
        assert len(list(reader)) == 2


def test_a_record_with_a_mark_or_line_ends_of_windows() -> None:
    for line, says in (
        (b"\xef\xbb\xbf{}\n", "it begins with a byte order mark: save it as UTF-8 without one"),
        (b"{}\r\n", "a record's in \\n: save it with Unix line ends"),
    ):
        assert says in getattr(read_header(line), "text", "")


def test_a_rule_file() -> None:
    book, (problem,) = read("{}".encode("utf-16"), vocabulary_of(GAMES["dominion"]), "dominion")
    assert book is None
    assert problem.text == "this is UTF-16: save the file as UTF-8"


def test_a_seed(tmp_path: Path) -> None:
    file = tmp_path / "seed"
    file.write_text("5\n", encoding="utf-8-sig")
    assert seed_in_file(str(file)) == GivenSeed(5, str(file))
    file.write_text("5\n", encoding="utf-16")
    with pytest.raises(argparse.ArgumentTypeError, match="it is UTF-16; save it as UTF-8"):
        seed_in_file(str(file))
