"""Test `verify` with valid and changed records."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee._version import __version__
from referee.errors import UsageError
from referee.games import outside
from referee.games.interface.faults import Disqualification
from referee.logs import source
from referee.logs.files import open_logs
from referee.logs.record import RecordWriter
from referee.logs.verify import Kind, Verdict, _excerpt, verify_record
from referee.match.spec import match_spec
from tests.support.damage import with_digest
from tests.support.garbage import garbage_of
from tests.support.helpers import TIMES
from tests.support.own_game import clean_games

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "spec" / "examples"
TWO = EXAMPLES / "two-players.record.jsonl"
FOUR = EXAMPLES / "four-players.record.jsonl"
GOLDEN = ROOT / "tests" / "golden"
FAULTS = GOLDEN / "faults.record.jsonl"
RECORDS = [TWO, FOUR, FAULTS]


def lines_of(file: Path = TWO) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


def index_of(lines: list[bytes], text: bytes) -> int:
    """Return the index of the first line that contains `text`."""
    return next(index for index, line in enumerate(lines) if text in line)


def failed_handshakes(folder: Path) -> Path:
    """Write a record of three bots, of which only the first one gets through its handshake."""
    file = folder / "failed"
    (log,) = open_logs([str(file)])
    assert log is not None
    spec = match_spec(["a", "b", "c"], seed=3)
    writer = RecordWriter(log, spec, "2026-01-01")
    match = spec.new_match()
    match.start()
    match.disqualify(2, Disqualification.FAILED_TO_START, "it could not be started")
    reply = b'{"type":"player-name-reply","player_number":"player%d","name":"A","version":%d}'
    match.receive(1, reply % (2, 2))
    match.receive(0, reply % (1, 1))
    writer.write(match.take_entries(), 0.5)
    writer.end(match, [0, -9, None], 1)
    log.close()
    return file


Check: TypeAlias = Callable[["bytes | list[bytes]"], Verdict]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Return a function that verifies a record, given its bytes or lines."""

    def verify(data: bytes | list[bytes]) -> Verdict:
        file = tmp_path / "record"
        file.write_bytes(data if isinstance(data, bytes) else b"".join(data))
        return verify_record(str(file))

    return verify


TIME = re.compile(
    rb',"(?:time":(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|started":"[^",\\]*")}\n$'
)


def without_times(data: bytes) -> list[bytes]:
    return [
        TIME.sub(b"}\n", line) if is_json(line) else line for line in data.splitlines(keepends=True)
    ]


def is_json(line: bytes) -> bool:
    """A line isn't JSON if it has, for example, a control character in a time, or invalid UTF-8."""
    try:
        json.loads(line.decode())
    except ValueError:
        return False
    return True


# --- valid records --------------------------------------------------------------------------------


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.name)
def test_a_record_holds_and_its_spectator_log_follows_from_it(file: Path, tmp_path: Path) -> None:
    (log,) = open_logs([str(tmp_path / "log")])
    assert log is not None
    verdict = verify_record(str(file), log=log)
    log.close()
    assert (verdict.kind, verdict.line, verdict.lines) == ("valid", None, len(lines_of(file)))
    public = [
        line[line.index(b'"message":') + 10 : line.rindex(b',"time"')] + b"\n"
        for line in lines_of(file)
        if line.startswith(b'{"entry":"sent","to":"all"')
    ]
    assert (tmp_path / "log").read_bytes() == b"".join(public)


def escapes(folder: Path) -> list[bytes]:
    """Return the lines of a record with replies that are recorded as Base64."""
    (log,) = open_logs([str(folder / "escapes")])
    assert log is not None
    spec = match_spec(["a", "b"], seed=3, options={"max_turns": 1})
    writer = RecordWriter(log, spec, "2026-01-01")
    match = spec.new_match()
    match.start()
    while match.due:
        for seat in match.due:
            match.receive(seat, b"\x01" * 100)
    writer.write(match.take_entries(), 0.5)
    writer.end(match, [0, 0], 1)
    log.close()
    return lines_of(folder / "escapes")


def test_a_reply_that_escapes_would_blow_up_holds(check: Check, tmp_path: Path) -> None:
    """Older versions wrote such replies as strings, which is still valid (log-format, 2.3)."""
    lines = escapes(tmp_path)
    assert check(lines).kind == Kind.VALID
    encoded = b'"base64":"' + base64.b64encode(b"\x01" * 100) + b'"'
    older = [line.replace(encoded, b'"line":"' + b"\\u0001" * 100 + b'"') for line in lines]
    assert older != lines
    assert check(older).kind == Kind.MODIFIED  # the digest has changed
    assert check(with_digest(older)).kind == Kind.VALID
    # This Base64 has unused bits that aren't zero. No referee writes that.
    strange = [line.replace(b"AQ==", b"AR==") for line in lines]
    assert strange != lines
    assert check(with_digest(strange)).kind == Kind.RULES_CHANGED
    plain = lines_of()
    at = index_of(plain, b'"line":')
    line = json.loads(plain[at])["line"].encode()
    text = re.search(rb'"line":"(?:[^"\\]|\\.)*"', plain[at])
    assert text is not None
    plain[at] = plain[at].replace(text[0], b'"base64":"' + base64.b64encode(line) + b'"')
    assert check(with_digest(plain)).kind == Kind.RULES_CHANGED


def test_what_holds_is_said_in_one_line() -> None:
    bots = "big_money vs village_engine"
    count = len(lines_of())
    text = f"{TWO}: valid ({count} lines, seed 20, {bots}, player2 won)"
    assert verify_record(str(TWO)).text == text


def test_times_are_not_compared(check: Check) -> None:
    lines = [re.sub(rb',"time":[^,]*}\n$', b',"time":12e3}\n', line) for line in lines_of()]
    lines[0] = re.sub(rb'"started":"[^"]*"', b'"started":"at night"', lines[0])
    assert check(lines).kind == Kind.VALID


@pytest.mark.parametrize("time", [b"x", b"-1", b"01", b"1.", b'"1"', b"1 ", b"[1]", b"1,2", b""])
def test_a_time_must_be_a_number(check: Check, time: bytes) -> None:
    lines = lines_of()
    lines[9] = re.sub(rb',"time":[^,]*}\n$', b',"time":%s}\n' % time, lines[9])
    verdict = check(lines)
    assert (verdict.kind, verdict.line) == (Kind.MODIFIED, 10)


def test_a_compressed_record_holds(check: Check) -> None:
    assert check(gzip.compress(TWO.read_bytes())).kind == Kind.VALID


@pytest.mark.parametrize("entry", [b'"entry":"fault"', b'"code":"unsupported-version"'])
def test_the_wording_of_a_detail_may_differ(check: Check, tmp_path: Path, entry: bytes) -> None:
    lines = lines_of(FAULTS if b"fault" in entry else failed_handshakes(tmp_path))
    index = index_of(lines, entry)
    for at in (number for number, line in enumerate(lines) if entry in line):
        lines[at] = re.sub(rb'"detail":"(\\.|[^"\\])*"', b'"detail":"so"', lines[at])
    assert check(with_digest(lines)).kind == Kind.VALID
    verdict = check(lines)  # names the first of them
    assert (verdict.kind, verdict.line) == (Kind.MODIFIED, index + 1)


def test_a_record_of_failed_handshakes_holds(tmp_path: Path) -> None:
    verdict = verify_record(str(failed_handshakes(tmp_path)))
    assert verdict.kind == Kind.VALID
    assert "player1 won" in verdict.text


@pytest.mark.parametrize("code", ["unsupported-version", "timeout", "nonsense"])
def test_a_disqualification_that_cannot_come_there(check: Check, tmp_path: Path, code: str) -> None:
    lines = lines_of(failed_handshakes(tmp_path))
    index = index_of(lines, b"failed-to-start")
    lines = [line.replace(b"failed-to-start", code.encode()) for line in lines]
    verdict = check(lines)
    assert (verdict.kind, verdict.line, verdict.section) == (Kind.MODIFIED, index + 1, "2.5")


# --- invalid records ------------------------------------------------------------------------------


def test_an_edited_line_is_shown_with_what_follows(check: Check) -> None:
    lines = lines_of()
    index = index_of(lines, b'"gained":"silver"')
    lines[index] = lines[index].replace(b"silver", b"golden")
    verdict = check(lines)
    assert (verdict.kind, verdict.line, verdict.section) == (Kind.MODIFIED, index + 1, "2.2")
    assert '"gained":"silver"' in verdict.expected
    assert '"gained":"golden"' in verdict.found


def test_an_edited_reply_is_reported_where_the_match_goes_another_way(check: Check) -> None:
    lines = lines_of()
    index = index_of(lines, rb"[\"silver\"]")
    lines[index] = lines[index].replace(rb"[\"silver\"]", rb"[\"copper\"]")
    verdict = check(lines)
    assert (verdict.kind, verdict.line) == (Kind.MODIFIED, index + 2)


def test_lines_that_fit_their_digest_but_do_not_follow_are_of_other_rules(check: Check) -> None:
    lines = lines_of()
    lines[0] = re.sub(rb'"referee":"[^"]*"', b'"referee":"0.0.7"', lines[0])
    index = index_of(lines, b'"gained":"silver"')
    lines[index] = lines[index].replace(b"silver", b"copper")
    verdict = check(with_digest(lines))
    assert (verdict.kind, verdict.line) == (Kind.RULES_CHANGED, index + 1)
    assert "referee 0.0.7" in verdict.text
    assert f"referee {__version__}" in verdict.text
    assert "one of the two was altered" not in verdict.text
    # Without its digest, a truncated record could be edited or from other rules.
    unreadable = b"[" * (source.LONG_LINE + 1) + b"\n"
    for rest in ([], [unreadable]):
        verdict = check([*with_digest(lines)[:-1], *rest])
        assert (verdict.kind, verdict.line) == (Kind.MODIFIED, index + 1)
        assert "the record is truncated, so its digest is missing" in verdict.text
        assert "it may be the rules too: referee 0.0.7 wrote it" in verdict.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"bots":["big_money"', b'"bots":["big_honey"'),
        (b'"time_limit":10.0', b'"time_limit":11.0'),
        (b'"exit_code":0', b'"exit_code":1'),
        (b'"digest":"sha256:', b'"digest":"sha256:0'),
        (b'"rank":2', b'"rank":1'),
        (b'"turns":', b'"turns":1'),
    ],
)
def test_an_edit_that_only_digest_or_last_line_can_see(
    check: Check, old: bytes, new: bytes
) -> None:
    data = TWO.read_bytes()
    assert old in data
    if b"sha256" in old:
        data = re.sub(
            rb"sha256:.", lambda match: b"sha256:" + b"01"[match[0][-1:] == b"0" :][:1], data
        )
    else:
        data = data.replace(old, new, 1)
    verdict = check(data)
    assert (verdict.kind, verdict.line) == (Kind.MODIFIED, len(lines_of()))


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.name)
def test_a_record_is_valid_up_to_wherever_it_was_cut(file: Path, check: Check) -> None:
    data = file.read_bytes()
    for end in random.Random(1).sample(range(len(data)), 8):
        verdict = check(data[:end])
        whole = data[:end].count(b"\n")
        assert (verdict.kind, verdict.line) == (Kind.TRUNCATED, whole)
        assert verdict.text.partition(":")[2].startswith((" truncated", " the file is empty"))
        assert f"truncated after line {whole}" in verdict.text


def test_a_file_without_a_line_is_called_empty(check: Check) -> None:
    assert check(b"").text.endswith(": the file is empty: truncated after line 0")


def test_a_record_that_was_cut_in_its_last_line_has_no_digest(check: Check) -> None:
    """This is so even if the whole digest is there, and only the line's end is missing."""
    *lines, end = lines_of()
    other = [line.replace(b'"gained":"silver"', b'"gained":"copper"') for line in lines]
    changed = with_digest([*other, end])
    assert check(changed).kind == Kind.RULES_CHANGED
    for length in (1, end.index(b'"digest"'), end.index(b"sha256:") + 9, len(end) - 1):
        verdict = check([*lines, end[:length]])
        assert (verdict.kind, verdict.line) == (Kind.TRUNCATED, len(lines))
        verdict = check([*changed[:-1], changed[-1][:length]])
        assert verdict.kind == Kind.MODIFIED
        assert "the record is truncated, so its digest is missing" in verdict.text


def test_a_cut_compressed_record_is_cut_short(check: Check) -> None:
    packed = gzip.compress(TWO.read_bytes())
    for end in (len(packed) // 2, len(packed) - 3):
        assert check(packed[:end]).kind == Kind.TRUNCATED


@pytest.mark.parametrize("position", [1, 5, 40, -6, -2, -1])
def test_lines_lost_doubled_swapped_or_added(check: Check, position: int) -> None:
    whole = lines_of()
    position %= len(whole)
    lost = whole[:position] + whole[position + 1 :]
    doubled = [*whole[: position + 1], *whole[position:]]
    swapped = [*whole]
    swapped[position - 1], swapped[position] = whole[position], whole[position - 1]
    added = [*whole[:position], b"{}\n", *whole[position:]]
    last = position == len(whole) - 1
    assert check(lost).kind == (Kind.TRUNCATED if last else Kind.MODIFIED)
    assert check(doubled).kind == Kind.MODIFIED
    assert check(added).kind == Kind.MODIFIED
    assert check(swapped).kind == (Kind.NOT_A_RECORD if position == 1 else Kind.MODIFIED)


@pytest.mark.parametrize("kind", [b"exit", b"fault"])
def test_exits_stand_in_the_order_of_seats(check: Check, kind: bytes) -> None:
    lines = lines_of()
    lines[-3] = lines[-2] if kind == b"exit" else lines_of(FAULTS)[index_of(lines_of(FAULTS), kind)]
    verdict = check(lines)
    assert (verdict.kind, verdict.line, verdict.section) == (Kind.MODIFIED, len(lines) - 2, "2.6")
    assert "the exit entry of player1 must follow here" in verdict.text
    expected = '{"entry":"exit","player_number":"player1","exit_code":0'
    assert verdict.expected == (expected if kind == b"exit" else None)


def test_a_fault_has_no_time(check: Check) -> None:
    lines = lines_of(FAULTS)
    at = index_of(lines, b'"entry":"fault"')
    lines[at] = lines[at].replace(b"}\n", b',"time":1.0}\n')
    verdict = check(with_digest(lines))
    assert (verdict.kind, verdict.line) == (Kind.RULES_CHANGED, at + 1)


KUHN = GOLDEN / "older" / "kuhn.record.jsonl"
SCORE = (b'"score":', b'"score":1')  # an edit of the end
BET = (b'"said":["pass"]', b'"said":["bet"]')  # an edit of a message


@pytest.mark.parametrize(
    ("edit", "other", "same"),
    [
        (lambda lines: lines, "valid", "valid"),
        (lambda lines: with_digest(edited(lines, BET)), "rules-changed", "rules-changed"),
        (lambda lines: edited(lines, BET)[:-1], "rules-changed", "modified"),
        (lambda lines: edited(lines, BET), "modified", "modified"),
        (lambda lines: with_digest([*lines[:9], b"{}\n", *lines[9:]]), "modified", "modified"),
        (lambda lines: with_digest([*lines[:9], b"{}\n", *lines[9:]])[:-1], "modified", "modified"),
        (lambda lines: edited(lines, SCORE), "rules-changed", "modified"),
    ],
)
def test_another_version_of_a_game_explains_other_lines(
    edit: Callable[[list[bytes]], list[bytes]], other: str, same: str, check: Check
) -> None:
    """It doesn't explain lines that aren't entries, or a digest that is wrong."""
    lines = lines_of(KUHN)
    of_other = with_digest([re.sub(rb'"digest":"[^"]+', b'"digest":"0', lines[0]), *lines[1:]])
    assert of_other[0] != lines[0]
    with clean_games():
        outside.add(str(KUHN.with_name("kuhn.py")))
        assert check(edit(lines)).kind == same
        verdict = check(edit(of_other))
    assert verdict.kind == other
    assert ("another version of the game" in verdict.text) == (other != "valid")


def edited(lines: list[bytes], edit: tuple[bytes, bytes]) -> list[bytes]:
    at = index_of(lines, edit[0])
    return [*lines[:at], lines[at].replace(*edit, 1), *lines[at + 1 :]]


def test_nothing_may_follow_the_end(check: Check) -> None:
    verdict = check(TWO.read_bytes() + b"{")
    assert (verdict.kind, verdict.line) == (Kind.MODIFIED, len(lines_of()) + 1)


# --- other files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", Kind.TRUNCATED),
        (b"\n", Kind.NOT_A_RECORD),
        (b"\x00\x01\xff" * 1000, Kind.NOT_A_RECORD),
        (b"[]\n", Kind.NOT_A_RECORD),
        (b"3\n", Kind.NOT_A_RECORD),
        (b"[" * 100_000 + b"\n", Kind.NOT_A_RECORD),
        (b'{"entry":"header"}\n', Kind.NOT_A_RECORD),
        (b"\xef\xbb\xbf" + TWO.read_bytes(), Kind.NOT_A_RECORD),
        (TWO.read_bytes().replace(b"\n", b"\r\n"), Kind.NOT_A_RECORD),
        ((EXAMPLES / "two-players.log.jsonl").read_bytes(), Kind.NOT_A_RECORD),
        (b"x" * 1_000_000, Kind.NOT_A_RECORD),
        (b"two\rlines\n", Kind.NOT_A_RECORD),
        (b'{"entry":"stderr","player_number":"player1","text":"","time":1}\n', Kind.NOT_A_RECORD),
    ],
    ids=range(13),
)
def test_what_is_no_record(
    check: Check, data: bytes, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 500_000)
    verdict = check(data)
    assert verdict.kind == kind
    assert "\n" not in verdict.text
    assert ("with Unix line ends" in verdict.text) == (b"\r\n" in data)
    if data.startswith(b"[]"):
        assert (verdict.lines, check(b"[]").lines) == (1, 1)


def test_a_spectator_log_is_sent_to_validate() -> None:
    verdict = verify_record(str(EXAMPLES / "two-players.log.jsonl"))
    assert "this is a spectator log" in verdict.text
    assert "referee validate" in verdict.text


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("version", 2, Kind.NEWER_FORMAT),
        ("version", 10**30, Kind.NEWER_FORMAT),
        ("version", 0, Kind.MODIFIED),
        ("version", "1", Kind.MODIFIED),
        ("game", "chess", Kind.OTHER_GAME),
        ("game", [], Kind.MODIFIED),
        ("protocol", 2, Kind.OTHER_GAME),
        ("protocol", 0, Kind.OTHER_GAME),
        ("protocol", True, Kind.MODIFIED),
        ("seed", "3", Kind.MODIFIED),
        ("seed", -1, Kind.MODIFIED),
        ("seed", 2**53, Kind.MODIFIED),
        ("redeals", [{"turn": 0, "seed": 1}], Kind.MODIFIED),
        ("redeals", [{"turn": 5, "seed": 1}, {"turn": 5, "seed": 2}], Kind.MODIFIED),
        ("redeals", [{"turn": 5, "seed": 1}, {"turn": 4, "seed": 2}], Kind.MODIFIED),
        ("seed", 10**400, Kind.MODIFIED),
        ("bots", [], Kind.MODIFIED),
        ("bots", ["minimal"], Kind.MODIFIED),
        ("bots", ["minimal"] * 5, Kind.MODIFIED),
        ("names", ["a"], Kind.MODIFIED),
        ("names", ["a", "b", "c"], Kind.MODIFIED),
        ("bots", "minimal", Kind.MODIFIED),
        ("options", {"max_turns": 0}, Kind.MODIFIED),
        ("options", {"max_turns": "many"}, Kind.MODIFIED),
        ("options", None, Kind.MODIFIED),
        ("options", {"memory_limit": 0}, Kind.MODIFIED),
        ("options", {"memory_limit": 2**50 + 1}, Kind.MODIFIED),
        ("limits_of_bots", [{}], Kind.MODIFIED),
        ("limits_of_bots", [{}] * 3, Kind.MODIFIED),
        ("limits_of_bots", [{"colour": 1}] * 2, Kind.MODIFIED),
        ("limits_of_bots", [{"max_turns": 1}] * 2, Kind.MODIFIED),
        ("limits_of_bots", [{"time_limit": -1}] * 2, Kind.MODIFIED),
        ("limits_of_bots", [{"grace": None}] * 2, Kind.MODIFIED),
        ("limits_of_bots", 7, Kind.MODIFIED),
        ("format", "x", Kind.NOT_A_RECORD),
        ("started", 7, Kind.MODIFIED),
        ("started", 'a"b', Kind.MODIFIED),
    ],
)
def test_headers_of_every_wrong_kind(check: Check, field: str, value: object, kind: Kind) -> None:
    first, *rest = lines_of()
    header = json.loads(first)
    started = header.pop("started")
    header = {"started": started} | header | {field: value}
    header["started"] = header.pop("started")  # the last field
    verdict = check([json.dumps(header, separators=(",", ":")).encode() + b"\n", *rest])
    assert (verdict.kind, verdict.line) == (kind, 1)


def test_the_start_is_the_last_field_of_a_header(check: Check) -> None:
    first, *rest = lines_of()
    verdict = check([first.replace(b"}\n", b',"new":7}\n'), *rest])
    assert (verdict.kind, verdict.line) == (Kind.MODIFIED, 1)
    assert "`started` is not the last field" in verdict.text


def test_a_huge_turn_limit_is_no_work(check: Check) -> None:
    lines = lines_of()
    lines[0] = re.sub(rb'"max_turns":\d+', b'"max_turns":' + b"9" * 18, lines[0])
    assert check(lines).kind == Kind.MODIFIED
    assert check(with_digest(lines)).kind == Kind.VALID


def test_excerpts_are_printable_and_short(check: Check) -> None:
    lines = lines_of()
    lines[30] = b'{"entry":"sent\x1b[31m' + b"\xff" * 100_000 + b"\n"
    verdict = check(lines)
    assert verdict.found.isprintable()
    assert len(verdict.found) < 210
    assert len(verdict.expected) < 210


@pytest.mark.parametrize(
    ("place", "length", "begin", "shown"),
    [
        (0, 200, 0, "{}"),
        (0, 201, 0, "{}..."),
        (79, 200, 0, "{}"),
        (79, 201, 0, "{}..."),
        (80, 220, 20, "...{}"),
        (80, 221, 20, "...{}..."),
        (81, 221, 21, "...{}"),
    ],
)
def test_an_excerpt_begins_60_characters_before_the_difference(
    place: int, length: int, begin: int, shown: str
) -> None:
    """It begins with the line if it would leave out fewer than 20."""
    line = "".join(chr(ord("a") + number % 23) for number in range(length))
    assert _excerpt(line.encode(), place) == shown.format(line[begin : begin + 200])


def test_an_excerpt_is_cut_when_its_characters_need_more_room() -> None:
    assert _excerpt(b"\x1b" * 50) == "\\x1b" * 50
    assert _excerpt(b"\x1b" * 51) == "\\x1b" * 50 + "..."


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        verify_record(str(tmp_path / "none"))


# --- random changes -------------------------------------------------------------------------------


@pytest.mark.untraced
@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.name)
def test_every_single_character_edit_is_reported_unless_it_is_in_a_time(
    file: Path, check: Check
) -> None:
    data = file.read_bytes()
    rng = random.Random(str(file.name))
    for _ in range(3 * TIMES):
        place = rng.randrange(len(data))
        new = bytes(
            [
                rng.choice(b'0123456789abcxyz",:{}[] \n\\')
                if rng.random() < 0.8
                else rng.randrange(256)
            ]
        )
        edited = data[:place] + new + data[place + 1 :]
        held = check(edited).kind == Kind.VALID
        assert held == (without_times(edited) == without_times(data)), (place, new)


SHORT = min(RECORDS, key=lambda file: file.stat().st_size).read_bytes()


@settings(max_examples=6 * TIMES)
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, len(SHORT)),
            st.integers(0, 300),
            st.one_of(
                st.binary(max_size=8),
                st.sampled_from(SHORT.splitlines(keepends=True)),
                st.sampled_from([b"null", b'"', b"[]", b"{}", b"1e999", b"\n", b"player9", b"-"]),
            ),
        ),
        min_size=1,
        max_size=4,
    ),
    whole_lines=st.booleans(),
)
def test_no_bytes_make_it_fail(
    tmp_path_factory: pytest.TempPathFactory,
    edits: list[tuple[int, int, bytes]],
    whole_lines: bool,
) -> None:
    data = SHORT
    for start, length, new in edits:
        if whole_lines:
            begin = data.rfind(b"\n", 0, start) + 1
            end = data.find(b"\n", begin + length) + 1
            data = data[:begin] + new + data[end:]
        else:
            data = data[:start] + new + data[start + length :]
    file = tmp_path_factory.getbasetemp() / "mutated"
    file.write_bytes(data)
    held = verify_record(str(file)).kind == Kind.VALID
    assert held == (without_times(data) == without_times(SHORT))


@pytest.mark.parametrize("at", [40, None], ids=["edited", "holds"])
def test_nothing_is_left_for_the_garbage_collector(check: Check, at: int | None) -> None:
    """The command disables garbage collection, so reference cycles would make its memory grow."""
    lines = lines_of()
    if at is not None:
        lines[at] = b"{}\n"
    check(lines)
    assert garbage_of(lambda: [check(lines) for _ in range(4)]) < 4
