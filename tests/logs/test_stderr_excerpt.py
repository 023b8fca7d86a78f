"""Test excerpts of a long stderr. They must contain the frames of the bot's own files."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.logs.stderr_excerpt import shortened
from referee.match.result import Stderr

DEBUG = [f"debug {number}" for number in range(30)]
KIT = [
    line
    for number in range(8)
    for line in (f'  File "/x/games/dominion/kit.py", line {number}, in run', "    run()")
]
PYTHON = [
    "Traceback (most recent call last):",
    '  File "/home/ann/my_bot.py", line 13, in <module>',
    "    MyBot.run()",
    *KIT,
    '  File "/home/ann/my_bot.py", line 7, in play_turn',
    '    if state.can_buy("slver"):',
    "       ^^^^^^^^^^^^^^^^^^^^^^",
    *KIT,
    "ValueError: there is no card 'slver'",
]
AGAIN = "During handling of the above exception, another exception occurred:"
NODE = [
    "TypeError: Cannot read properties of undefined",
    "    at pick (/home/ann/bot.js:2:35)",
    "    at Interface.emit (node:events:524:28)",
    *[f"    at listener (node:internal/{number})" for number in range(20)],
]
JAVA = [
    'Exception in thread "main" java.lang.IllegalStateException: no turn',
    *[f"        at java.base/java.util.List.get(List.java:{number})" for number in range(20)],
    *["        at Bot.search(Bot.java:3)"] * 300,
    "        at Bot.main(Bot.java:6)",
]
RUST = [
    "thread 'main' panicked at src/main.rs:1:33:",
    "index out of bounds: the len is 1 but the index is 7",
    "stack backtrace:",
    *[
        line
        for number in range(20)
        for line in (
            f"   {number}: core::panicking::panic",
            "             at /rustc/1/src/panic.rs",
        )
    ],
    "  20: my_bot::pick",
    "             at ./src/main.rs:1:33",
]
RUBY = [
    "bot.rb:3:in `buy': no card (KeyError)",
    *[f"        from /usr/lib/ruby/3.1.0/set.rb:{number}:in `each'" for number in range(20)],
    "        from bot.rb:9:in `<main>'",
]


def show(lines: list[str]) -> Stderr:
    return shortened(list(enumerate(lines)), 8)


@pytest.mark.parametrize("before", [[], DEBUG], ids=["alone", "after prints"])
@pytest.mark.parametrize(
    ("trace", "needed"),
    [
        (PYTHON, [PYTHON[1], *PYTHON[19:22], PYTHON[-1]]),
        ([*PYTHON, "", AGAIN, "", *PYTHON[:-1], "OSError"], [*PYTHON[19:22], AGAIN, "OSError"]),
        (NODE, NODE[:2]),
        (JAVA, [JAVA[0], *JAVA[-2:]]),
        (RUST, [RUST[0], *RUST[-2:]]),
        (RUBY, [RUBY[0], RUBY[-1]]),
    ],
    ids=["python", "chained", "node", "java", "rust", "ruby"],
)
def test_the_error_and_the_authors_frames_are_shown(
    trace: list[str], needed: list[str], before: list[str]
) -> None:
    shown = show([*before, *trace]).lines
    assert [line for line in needed if line not in shown] == []
    assert len(shown) <= 36
    library = ("kit.py", "node:internal", "java.base", "/rustc/", "/lib/ruby")
    assert not any(word in line for line in shown for word in library)


def test_what_is_short_is_shown_whole() -> None:
    lines = [*PYTHON[:3], *KIT[:4], PYTHON[-1]]
    assert show(lines) == Stderr(lines)


def test_a_trace_of_libraries_alone_is_no_trace_of_nothing() -> None:
    lines = [PYTHON[0], *KIT, *KIT, PYTHON[-1]]
    assert [line for line in KIT if line not in show(lines).lines] == []


def test_of_very_many_frames_those_at_both_ends_are_shown() -> None:
    frames = [f"    at f{number} (bot.js:{number})" for number in range(5000)]
    shown = show(["Error", *frames])
    assert shown.lines == ["Error", *frames[:7], "... 4969 lines left out", *frames[-24:]]
    assert shown.omitted == 4969


LINES = st.sampled_from([*PYTHON, *NODE[:5], *RUST[:7], *JAVA[:3], "", "    ", "| +", "at", "at x"])


@given(st.lists(LINES, max_size=80))
@example(NODE)  # it ends with frames that aren't shown
def test_every_line_is_shown_or_counted(lines: list[str]) -> None:
    shown = show(lines)
    marks = [line for line in shown.lines if line.endswith(" left out")]
    assert len(shown.lines) - len(marks) + shown.omitted == len(lines)
    assert sum(int(mark.split()[1]) for mark in marks) == shown.omitted
    assert shown.lines[-1:] == lines[-1:] or marks
