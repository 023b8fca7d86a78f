"""Test how the game of a spectator log is recognised, and how its lines are parsed."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from referee.errors import LogReadError
from referee.games import ADD_GAME, GAMES
from referee.games.interface.definition import GameDefinition
from referee.logs import message_of, read_log, read_record
from referee.logs.parsing import Line, Messages, entry_kinds, has_spaces, max_seats
from referee.logs.record import SentEntry
from referee.logs.replay.reader import Replay
from referee.logs.source import LogReader
from tests.support.helpers import ROOT

LOG = (ROOT / "spec" / "examples" / "two-players.log.jsonl").read_bytes().splitlines(keepends=True)
RECORD = (ROOT / "spec" / "examples" / "two-players.record.jsonl").read_bytes()
NAMES, GAME_INFO, SUPPLY = LOG[:2], LOG[2], LOG[3]
MOVE = b'{"type":"move","to":"e4"}\n'


class Move(Struct, frozen=True, tag_field="type", tag="move"):
    to: str


class GameInfo(Struct, frozen=True, tag_field="type", tag="game-info"):
    game: str


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> GameDefinition:
    """Register a second game that shares all types with Dominion except `move`."""
    first = GAMES["dominion"]
    public = (GameInfo, *first.public[1:], Move)
    definition = replace(first, name="other", is_game_info=None, public=public)
    monkeypatch.setitem(GAMES, "other", definition)
    return definition


def read(lines: list[bytes]) -> tuple[str, list[Line]]:
    """Return the name of the game, or "" if it's unknown, and the lines."""
    messages = Messages(lines)
    found = list(messages)
    assert [line.raw for line in found] == lines
    assert [line.number for line in found] == list(range(1, len(lines) + 1))
    return messages.definition.name if messages.definition else "", found


@pytest.mark.parametrize(
    ("lines", "game"),
    [
        ([*NAMES, GAME_INFO], "dominion"),
        ([*NAMES, b'{"type":"game-info","game":"other"}\n'], "other"),
        ([*NAMES, b"what?\n", b"[]\n", b'{"type":[]}\n', GAME_INFO], "dominion"),
        ([*NAMES, MOVE], "other"),  # only this game has this type
        ([*NAMES, SUPPLY, SUPPLY, MOVE], "other"),
        ([*NAMES, SUPPLY], ""),  # both games have it
        ([*NAMES, b'{"type":"game-info"}\n', MOVE], "other"),
        ([*NAMES, b'{"type":"game-info","game":"chess"}\n', MOVE], ""),
        ([*NAMES, b'{"type":"game-info","game":["other"]}\n', MOVE], ""),
        ([*NAMES, b"x" * 300_000 + b"\n", GAME_INFO], ""),
        (NAMES, ""),
        ([], ""),
    ],
)
def test_the_game_of_a_log(lines: list[bytes], game: str, other: GameDefinition) -> None:
    found, _ = read(lines)
    assert found == game


def test_lines_before_the_game_is_known_are_of_it(other: GameDefinition) -> None:
    game, (supply, move) = read([SUPPLY, MOVE])
    assert game == "other"
    assert supply.kind == "supply-info"
    assert supply.content is not None
    assert move.content == Move("e4")


def test_a_line_that_cannot_be_read_comes_after_those_before_it() -> None:
    def lines() -> Iterator[bytes]:
        yield from NAMES
        raise LogReadError("log", 3, "damaged")

    messages = Messages(lines())
    read = iter(messages)
    assert [next(read).raw for _ in NAMES] == NAMES
    with pytest.raises(LogReadError, match="line 3"):
        next(read)


def test_what_a_line_is() -> None:
    kinds = entry_kinds(GAMES["dominion"])
    whole = RECORD.splitlines(keepends=True)[1]
    assert isinstance(kinds.line(2, whole).content, SentEntry)
    for raw, kind, is_json in (
        (b'{"entry":"mood"}\n', "mood", True),
        (b'{"entry":"exit"}\n', "exit", True),
        (b"{}\n", None, True),
        (b"7\n", None, True),
        (b"{\n", None, False),
        (b"[" * 5000 + b"\n", None, False),
        (whole.replace(b'"to"', b'"new":"\xff","to"'), None, False),
    ):
        line = kinds.line(2, raw)
        assert line.content is None
        assert (line.kind, isinstance(line.value, dict | int)) == (kind, is_json)
        assert not line.torn
    assert kinds.line(2, whole[:-1]).torn


@pytest.mark.parametrize(
    ("line", "spaces"),
    [
        (b'{"a":1,"b":[2]}', False),
        (b'{"a": 1}', True),
        (b'{"a":[1,\t2]}', True),
        (b'{"a":"b c"}', False),
        (b'{"a":"\\" b"}', False),  # the quote is escaped
        (b'{"a":"\\\\", "b":1}', True),  # the backslash is
        (b'{"a":1}\n', False),
    ],
)
def test_spaces_between_tokens(line: bytes, spaces: bool) -> None:
    assert has_spaces(line) == spaces


def test_a_log_of_an_unknown_game_may_have_as_many_players_as_any() -> None:
    most = [max_seats(definition) for definition in GAMES.values()]
    assert max_seats(None) == sorted(most)[-1] > sorted(most)[0]


def test_a_log_of_an_unknown_game_is_an_error_of_one_line(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"".join([*NAMES, b'{"type":"game-info","game":"chess"}\n', MOVE]))
    with LogReader(str(file)) as reader, pytest.raises(LogReadError) as shown:
        list(Replay(reader).items())
    with pytest.raises(LogReadError) as listed:
        list(read_log(file))
    problem = f"{file}, line 3: the log is of a game that this referee does not know; {ADD_GAME}"
    assert str(shown.value) == str(listed.value) == problem
    file.write_bytes(RECORD.replace(b'"game":"dominion"', b'"game":"chess"', 1))
    with pytest.raises(LogReadError, match='line 1: the game is "chess"; there are: '):
        list(read_record(file))


def test_a_log_that_ends_within_the_names_has_them(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"".join(NAMES))
    assert len(list(read_log(tmp_path / "log"))) == len(NAMES)


def test_an_entry_knows_its_game(other: GameDefinition, tmp_path: Path) -> None:
    entry = b'{"entry":"sent","to":"all","message":{"type":"move","to":"e4"},"time":1}\n'
    header = RECORD.splitlines(keepends=True)[0].replace(b'"dominion"', b'"other"')
    (tmp_path / "record").write_bytes(header + entry)
    _, sent = read_record(tmp_path / "record")
    assert isinstance(sent, SentEntry)
    assert message_of(sent) == Move("e4")
    with pytest.raises(LogReadError, match="does not belong to dominion"):
        message_of(sent, "dominion")


def test_a_line_of_many_strings_takes_no_memory() -> None:
    """In a line of 16 MiB, each string that is copied takes ten times its text."""
    line = b'{"a b":[%b"c"]}' % (b'"",' * 100_000)
    tracemalloc.start()
    try:
        assert not has_spaces(line)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(line)
    finally:
        tracemalloc.stop()
