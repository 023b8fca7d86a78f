"""What a step holds."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

import referee
from referee.web.recorded import read_match
from tests.support.watched import watched


def test_a_step_has_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_bytes(watched("dominion", 2, max_turns=5).record)
    page = read_match(str(path))
    for viewer in page.header.viewers:
        view: dict[str, object] = {}
        for step in page.steps:
            for name, value in step.set.get(viewer, {}).items():
                assert name not in view or view[name] != value
                view[name] = value
    values: dict[str, list[float]] = {}
    for step in page.steps:
        assert all(values.get(name) != of for name, of in step.values.items())
        values |= step.values
    assert "seats" not in msgspec.to_builtins(page.steps[-1])  # what is empty is not there


def test_one_track_where_nothing_is_hidden(tmp_path: Path) -> None:
    path = tmp_path / "record"
    for game, viewers in (
        ("botwars", ["all"]),
        ("dominion", ["all", "public", "0", "1"]),
    ):
        referee.play_match(
            {"botwars": ["gatherer", "gatherer"], "dominion": ["minimal", "minimal"]}[game],
            game=game,
            seed=1,
            options={"max_turns": 3},
            record=path,
        )
        page = read_match(str(path))
        assert page.header.viewers == viewers
        assert {viewer for step in page.steps for viewer in step.set} <= set(viewers)


def test_faults_of_the_handshake_are_marked_at_the_first_step(tmp_path: Path) -> None:
    path = tmp_path / "record"
    bot = [sys.executable, "-c", "input(); print('[]', flush=True); input()"]
    referee.play_match(["minimal", bot], seed=1, options={"max_turns": 2}, record=path)
    page = read_match(str(path))
    (mark,) = page.steps[0].marks
    assert (mark.kind, mark.seat, mark.code, mark.section) == ("fault", 1, "bad-name-reply", "3.2")
    assert page.header.rules["bad-name-reply"].text
    assert ["received", 1, "[]"] in msgspec.to_builtins(page.lines[: page.steps[0].lines[1]])


def test_stderr_stands_before_the_answer_that_it_belongs_to(tmp_path: Path) -> None:
    path = tmp_path / "record"
    code = (
        "import sys; input(); print('hello', file=sys.stderr, flush=True); "
        "print('[]', flush=True); input(); print('bye', file=sys.stderr)"
    )
    bots = ["minimal", [sys.executable, "-c", code]]
    referee.play_match(bots, seed=1, options={"max_turns": 2}, record=path, record_stderr=True)
    page = read_match(str(path))
    said = msgspec.to_builtins(page.lines)
    assert said.index(["stderr", 1, "hello\n"]) < said.index(["received", 1, "[]"])
    marks = [(step, m.kind, m.seat) for step, s in enumerate(page.steps) for m in s.marks]
    assert (0, "stderr", 1) in marks
    last = page.steps[-1]
    assert ["stderr", 1, "bye\n"] in said[slice(*last.lines)]
    assert "stderr" in [mark.kind for mark in last.marks]
