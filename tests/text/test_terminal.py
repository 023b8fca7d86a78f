"""Text from strangers must be safe to print."""

from __future__ import annotations

import json
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.text.terminal import (
    as_text,
    command_line,
    csv_text,
    escaped,
    json_escaped,
    plain,
    plain_lines,
    terminal_safe,
)

DANGEROUS = [
    "\x1b",  # starts an escape sequence
    "\x07",
    "\x9b",  # the same as ESC [
    "\u202e",  # reverses the text direction
    "\u2066",
    "\u2028",  # a line separator
    "\u200b",  # invisible
    "\ufeff",
    "\U000e0041",  # an invisible tag character
    "\ue000",  # private use: its look depends on the font
    "\udce9",  # a surrogate for a byte that isn't UTF-8
    "\n",
    "\r",
]


@pytest.mark.parametrize("letter", DANGEROUS)
def test_what_cannot_be_printed_is_replaced_or_escaped(letter: str) -> None:
    text = f"a{letter}b"
    assert plain(text) == "a?b"
    assert escaped(text).isprintable()
    assert escaped(text) == f"a{letter.encode('unicode_escape').decode()}b"


@pytest.mark.parametrize("letter", [letter for letter in DANGEROUS if letter != "\udce9"])
def test_json_stays_the_same_value_without_what_cannot_be_printed(letter: str) -> None:
    value = {f"a{letter}b": ["Zoë 漢字 🃏", "\x7f"]}
    line = json.dumps(value, ensure_ascii=False)
    assert json_escaped(line).isprintable()
    assert json.loads(json_escaped(line)) == value
    assert terminal_safe(f"{line}\n".encode()) == f"{json_escaped(line)}\n".encode()


@pytest.mark.parametrize("text", ["", "Zoë", "漢字", "🃏", "a b", "?", "'\"<&>"])
def test_what_can_be_printed_stays(text: str) -> None:
    assert plain(text) == escaped(text) == as_text(text) == text


@settings(max_examples=60)
@given(st.text())
def test_whatever_the_text_it_becomes_printable(text: str) -> None:
    assert plain(text).isprintable()
    assert len(plain(text)) == len(text)
    assert escaped(text).isprintable()
    assert plain_lines(text).replace("\n", "").isprintable()
    assert plain_lines(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff20"])
def test_no_text_is_a_formula_in_a_spreadsheet(first: str) -> None:
    assert csv_text(f"{first}1+1").startswith("'")
    assert csv_text(f"a{first}1").startswith("a")


def test_a_command_can_be_copied_into_a_shell() -> None:
    words = ["a b", "it's", "\x1b[31mred", "\\\n'", "caf\udce9", "\u202eoko", "$HOME"]
    line = command_line(words)
    assert line.isprintable()
    script = f"printf '%s\\0' {line}"
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, check=True)
    given = [word.encode(errors="surrogateescape") for word in words]
    assert done.stdout.split(b"\0")[:-1] == given


def test_bytes_that_are_no_utf_8_can_be_written_as_json() -> None:
    assert as_text("caf\udce9") == "caf\\xe9"
    assert as_text("café") == "café"
    json.dumps(as_text("caf\udce9")).encode()
