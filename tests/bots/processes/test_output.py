"""Splitting a bot's output into lines, with exact limits (protocol, 1.1 to 1.3). No processes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.bots.processes.output import Output, OutputLimitError
from referee.match.decode import is_blank
from referee.match.limits import Limits

LIMITS = Limits(line_limit=20, queue_limit=30, output_limit=200)
ENDS = st.sampled_from([b"\n", b"\r\n", b"~~"])
PIECES = st.lists(st.sampled_from([b"{}", b"abc", b" ", b"\t\r", b"\n", b"\r\n", b"~", b"~~"]))


def outcome(output: Output) -> list[bytes | str]:
    """Return all complete lines. If a limit was exceeded, the last item is the error message."""
    lines: list[bytes | str] = []
    try:
        while (line := output.next_line()) is not None:
            lines.append(line)
            output.check_queue()
    except OutputLimitError as error:
        lines.append(str(error))
    return lines


@given(PIECES, ENDS)
def test_bytes_one_by_one_are_the_same_lines(pieces: list[bytes], end: bytes) -> None:
    """It also makes no difference if we look for a line after each byte."""
    roomy = Limits(line_limit=10**6, queue_limit=10**6, output_limit=10**6)
    data = b"".join(pieces)
    at_once, in_drips = Output(roomy, end), Output(roomy, end)
    at_once.feed(data)
    lines: list[bytes | str] = []
    for place in range(len(data)):
        in_drips.feed(data[place : place + 1])
        lines += outcome(in_drips)
    assert outcome(at_once) == lines == [x for x in data.split(end)[:-1] if not is_blank(x)]
    assert at_once.unread == in_drips.unread == data.split(end)[-1]
    assert at_once.is_blank_so_far == in_drips.is_blank_so_far


@given(PIECES, ENDS)
def test_a_usual_reply_is_the_line_that_would_be_read(pieces: list[bytes], end: bytes) -> None:
    data = b"".join(pieces)
    quick, usual = Output(LIMITS, end), Output(LIMITS, end)
    reply = quick.whole_reply(data)
    usual.feed(data)
    if reply is None:
        assert outcome(quick) == outcome(usual)
    else:
        assert data == reply + end
        assert [reply] == outcome(usual)
        assert quick.is_empty
    # From here on, both must count the same number of bytes towards the limits.
    for output in (quick, usual):
        output.clear()
        output.feed(b"x" * (199 - len(data)) + b"\n" if len(data) < 199 else b"")
    assert str(outcome(quick)) == str(outcome(usual))


@pytest.mark.parametrize(
    ("data", "reply"),
    [
        (b'{"a":1}\n', b'{"a":1}'),
        (b"{" + b"x" * 18 + b"}\n", b"{" + b"x" * 18 + b"}"),  # the longest line that is allowed
        (b"{" + b"x" * 19 + b"}\n", None),
        (b"{}", None),
        (b"{}\n{", None),
        (b"{}\n{}\n", None),
        (b"[]\n", None),
        (b" {}\n", None),
        (b"\n{}\n", None),
        (b"\n", None),
    ],
)
def test_a_usual_reply_is_one_object_in_one_piece(data: bytes, reply: bytes | None) -> None:
    output = Output(LIMITS)
    assert output.whole_reply(data) == reply
    assert output.unread == (b"" if reply else data)


@pytest.mark.parametrize(("length", "passes"), [(20, True), (21, False)])
@pytest.mark.parametrize("is_complete", [True, False])
def test_the_limit_of_a_line_is_exact(length: int, passes: bool, is_complete: bool) -> None:
    """A line counts even before its line end arrives (1.3)."""
    output = Output(LIMITS)
    output.feed(b"x" * length + b"\n" * is_complete)
    if passes:
        assert output.next_line() == (b"x" * length if is_complete else None)
    else:
        with pytest.raises(OutputLimitError, match="a line of more than 20 bytes"):
            output.next_line()


def test_the_lines_after_a_blank_one_are_no_part_of_it() -> None:
    output = Output(LIMITS)
    output.feed(b"\n" + b"x" * 20 + b"\n")
    assert output.next_line() == b"x" * 20


@pytest.mark.parametrize(("length", "passes"), [(30, True), (31, False)])
def test_the_limit_of_what_nobody_has_asked_for_is_exact(length: int, passes: bool) -> None:
    output = Output(LIMITS)
    output.feed(b"reply\n" + b"x" * length)
    assert output.next_line() == b"reply"
    if passes:
        output.check_queue()
    else:
        with pytest.raises(OutputLimitError, match="more than 30 bytes that no request asked for"):
            output.check_queue()


@pytest.mark.parametrize(("count", "passes"), [(15, True), (16, False)])
def test_blank_lines_count_until_the_next_line(count: int, passes: bool) -> None:
    """Blank lines are skipped, but a bot can't write an unlimited number of them (1.1)."""
    output = Output(LIMITS)
    output.feed(b" \n" * count)
    if passes:
        assert output.next_line() is None
        assert output.is_blank_so_far
        output.feed(b"{}\n" + b" \n" * count)
        assert (output.next_line(), output.next_line()) == (b"{}", None)
    else:
        with pytest.raises(OutputLimitError, match="more than 30 bytes"):
            output.next_line()


def test_what_was_discarded_is_no_part_of_the_next_line() -> None:
    output = Output(LIMITS)
    output.feed(b"half a line")
    assert output.next_line() is None
    output.clear()
    assert (output.is_empty, output.unread) == (True, b"")
    output.feed(b"\n{}\n")
    assert output.next_line() == b"{}"


def test_all_output_of_a_match_counts_whichever_way_it_was_taken() -> None:
    output = Output(LIMITS)
    reply = b'{"x":"' + b"x" * 11 + b'"}'  # 20 bytes including the line end
    for _ in range(9):
        assert output.whole_reply(reply + b"\n") == reply
    output.feed(b"dropped\n")
    output.clear()
    assert output.whole_reply(b"{}         \n") == b"{}         "
    assert output.next_line() is None  # this is byte 200
    assert output.whole_reply(b"{}\n") is None  # this line contains byte 201
    with pytest.raises(OutputLimitError, match="more than 200 bytes of output in this match"):
        output.next_line()


@pytest.mark.parametrize(("length", "overfull"), [(51, False), (52, True)])
def test_too_much_whatever_the_first_line_is(length: int, overfull: bool) -> None:
    output = Output(LIMITS)
    output.feed(b"x" * length)
    assert output.is_overfull == overfull
