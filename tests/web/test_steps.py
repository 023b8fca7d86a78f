"""The contents of the steps of a match page."""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

import referee
from referee.games import GAMES
from referee.games.interface.capabilities import Phrase
from referee.games.interface.page import Now
from referee.games.interface.sentence import Seat
from referee.games.interface.table import Move
from referee.web.data import MatchPage, Step, course_of
from referee.web.recorded import read_match
from tests.support.live import hostile
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
    assert "seats" not in msgspec.to_builtins(page.steps[-1])  # empty fields are omitted


def test_what_several_viewers_know_is_written_once() -> None:
    moves = [[Move(0, "deck", "hand")] for _ in range(2)]  # equal, and not the same
    step = Step(
        turn=1,
        lines=(0, 0),
        set={"all": {"a": [1]}, "public": {"a": [2]}, "0": {"a": [1]}},
        now={"all": Now(0, ()), "public": Now(0, ()), "0": Now(1, ())},
        moves={"all": moves[0], "0": moves[1]},
    )
    two = Step(turn=2, lines=(0, 0), moves={"all": moves[0], "0": moves[1]})
    page = MatchPage(None, [], [step, two], [])  # type: ignore[arg-type]
    shared, of_two = course_of(page)["steps"]
    assert shared.set == {"all 0": {"a": [1]}, "public": {"a": [2]}}
    assert shared.now == {"all public": Now(0, ()), "0": Now(1, ())}
    assert shared.moves == of_two.moves == {"all 0": moves[0]}


def test_one_track_where_nothing_is_hidden(tmp_path: Path) -> None:
    path = tmp_path / "record"
    for game, viewers in (
        ("botwars", ["all"]),
        ("dominion", ["all", "public", "0", "1"]),
    ):
        path.write_bytes(watched(game, 3, max_turns=3).record)
        page = read_match(str(path))
        assert page.header.viewers == viewers
        shown = [
            key for step in page.steps for of in (step.set, step.now, step.moves) for key in of
        ]
        assert set(shown) <= set(viewers)


def test_faults_of_the_handshake_are_marked_at_the_first_step(tmp_path: Path) -> None:
    path = tmp_path / "record"
    bot = [sys.executable, "-c", "input(); print('[]', flush=True); input()"]
    referee.play_match(["minimal", bot], seed=1, options={"max_turns": 2}, record=path)
    page = read_match(str(path))
    (mark,) = page.steps[0].marks
    assert (mark.kind, mark.seat, mark.code, mark.section) == ("fault", 1, "bad-name-reply", "3.2")
    assert page.header.rules["bad-name-reply"].text
    assert ["received", 1, "[]"] in msgspec.to_builtins(page.lines[: page.steps[0].lines[1]])


TALKER = """
import json, sys
for line in sys.stdin:
    kind = json.loads(line)["type"]
    if kind in ("player-name-request", "play-turn", "game-end"):
        print(kind, file=sys.stderr, flush=True)
    if kind == "player-name-request":
        print("[]", flush=True)
    elif kind == "play-turn":
        print('{"type":"play-reply","phase":"cleanup"}', flush=True)
"""


def test_stderr_beside_a_record_stands_where_its_bot_left(tmp_path: Path) -> None:
    """The stderr of bots that didn't fail is shown at the end of the match."""
    path = tmp_path / "7.record.jsonl"
    bots = [hostile("exit_at", 3), "minimal", "minimal"]
    referee.play_match(bots, seed=1, options={"max_turns": 5}, record=path)
    (tmp_path / "7.player1.stderr").write_text("why player2\n")
    (tmp_path / "7.player2.stderr").write_text("hello\n")
    given = ["not this", None, "from the store"]
    page = read_match(str(path), stderr=given)
    said = [
        (step, mark.seat) for step in page.steps for mark in step.marks if mark.kind == "stderr"
    ]
    left = next(
        step for step in page.steps if any(mark.kind == "disqualified" for mark in step.marks)
    )
    last = page.steps[-1]
    assert said == [(left, 0), (last, 1), (last, 2)]
    lines = page.lines[slice(*left.lines)]
    assert [line.text for line in lines if line.kind == "stderr"] == ["why player2\n"]
    ends = [line.text for line in page.lines[slice(*last.lines)] if line.kind == "stderr"]
    assert ends == ["hello\n", "from the store"]
    told = [part for turn in page.turns for part in turn.show if isinstance(part, Phrase)]
    assert Phrase("stderr", "why player2", "raw") in told


def test_stderr_in_a_record_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "7.record.jsonl"
    bots = [hostile("exit_at", 3), "minimal"]
    referee.play_match(bots, seed=1, record=path, record_stderr=True)
    (tmp_path / "7.player1.stderr").write_text("beside\n")
    page = read_match(str(path))
    assert [line.text for line in page.lines if line.kind == "stderr"] == ["giving up\n"]


def test_stderr_stands_before_the_answer_that_it_belongs_to(tmp_path: Path) -> None:
    """Output that arrives after the last reply appears in the last step."""
    path = tmp_path / "record"
    bots = ["minimal", [sys.executable, "-c", TALKER]]
    referee.play_match(bots, seed=1, options={"max_turns": 1}, record=path, record_stderr=True)
    page = read_match(str(path))
    said = [line.text.strip() for line in page.lines if line.kind == "stderr"]
    assert said == ["player-name-request", "play-turn", "game-end"]
    lines = msgspec.to_builtins(page.lines)
    assert lines.index(["stderr", 1, "player-name-request\n"]) < lines.index(["received", 1, "[]"])
    for step, text in ((0, "player-name-request"), (-1, "play-turn"), (-1, "game-end")):
        assert ["stderr", 1, f"{text}\n"] in lines[slice(*page.steps[step].lines)]
        assert ("stderr", 1) in [(mark.kind, mark.seat) for mark in page.steps[step].marks]


@pytest.mark.parametrize("game", ["dominion", "starrealms"])
def test_each_move_is_in_a_step_of_its_turn_and_ends_in_a_new_state(
    game: str, tmp_path: Path
) -> None:
    """The last move before a question is in the step of the question, unless a turn begins."""
    (tmp_path / "record").write_bytes(watched(game, 2, max_turns=3).record)
    steps = read_match(str(tmp_path / "record")).steps
    between = [step.time is None for step in steps]
    assert between.count(True) > 5
    for before, is_between, step in zip(steps, between, steps[1:], strict=False):
        assert step.ends == (before.turn if step.turn > before.turn else 0)
        if step.turn > before.turn:
            assert not step.moves
        elif is_between:
            assert step.set


def test_sentences_have_the_names_that_are_shown(tmp_path: Path) -> None:
    """The shown names aren't confused if a bot is named like another seat, or like another bot."""
    path = tmp_path / "record"
    path.write_bytes(watched("starrealms", 2, max_turns=8).record)
    for given in (["zorro", "player1"], ["Ann", "Ann"]):
        page = read_match(str(path), given)
        names = [seat.name for seat in page.header.seats]
        attacks = [
            (1 - turn.seats[0], part.text)
            for turn in page.turns
            for part in turn.show
            if isinstance(part, Phrase) and part.label == "attacks"
        ]
        assert attacks
        for hit, text in attacks:
            assert text.startswith(f"{names[hit]} (with ")


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_turn_has_its_seats_from_its_begin_and_then_its_line_and_scores(
    game: str, tmp_path: Path
) -> None:
    """A log shows the same as a record, except that the last turns may be without scores."""
    found = watched(game, 2, max_turns=4)
    (tmp_path / "log").write_bytes(found.log)
    (tmp_path / "record").write_bytes(found.record)
    log = read_match(str(tmp_path / "log"))
    record = read_match(str(tmp_path / "record"), [seat.name for seat in log.header.seats])
    over = [turn for turn in record.turns if turn.line]
    assert over
    for turn in over:
        assert turn.scores is not None
        assert "(" not in "".join(part for part in turn.line if isinstance(part, str))
    for one, other in zip(over, log.turns, strict=False):
        assert (one.turn, one.seats, one.line) == (other.turn, other.seats, other.line)
        assert other.scores in (None, one.scores)


def public_course(path: Path) -> tuple[list[Now], dict[int, Any]]:
    """Return the public actions in order, and the first and last public state of each turn."""
    course: list[Now] = []
    turns: dict[int, Any] = {}
    page = read_match(str(path))
    public = "public" if len(page.header.viewers) > 1 else page.header.viewers[0]
    for step in page.steps:
        new = step.now.get(public)
        assert new is None or [new] != course[-1:]
        course += [] if new is None else [new]
        seat, counters, *done = msgspec.structs.astuple(course[-1])
        begin, _ = turns.get(step.turn, ((seat, counters), done))
        turns[step.turn] = begin, done
    done = [now for now in course if now.did or now.played or now.got]
    return [now for now, _ in groupby(done)], turns


@pytest.mark.parametrize("game", sorted(GAMES))
def test_what_happens_now_is_as_public_in_a_record_as_in_its_log(game: str, tmp_path: Path) -> None:
    """A record has more steps, because a log only shows the effects of whole messages.

    Seeds 74 and 484 have turns without a public message.
    """
    for seed in (74, 484) if game == "dominion" else (2,):
        found = watched(game, seed, max_turns=8 if game == "dominion" else 5)
        (tmp_path / "log").write_bytes(found.log)
        (tmp_path / "record").write_bytes(found.record)
        record, turns = public_course(tmp_path / "record")
        log, same_turns = public_course(tmp_path / "log")
        assert turns == same_turns
        rest = iter(record)
        assert all(now in rest for now in log)
        assert bool(log) == (game != "botwars")


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("dominion", r" buys \w+ for \d of \d"),
        ("starrealms", r" buys [\w ]+ for \d of \d"),
        ("starrealms", r" attacks .* with \d"),  # without a card that moves
        ("tribute", r" buys [A-Z_]+ for \d of \d"),
    ],
)
def test_a_step_says_what_was_played_and_bought(game: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "record").write_bytes(watched(game, 2, max_turns=8).record)
    page = read_match(str(tmp_path / "record"))
    told = []
    for viewer in page.header.viewers:
        now, turn = page.steps[0].now[viewer], 0
        for step in page.steps:
            if step.turn > turn:
                played: list[str] = []
                got: list[str] = []
                turn = step.turn
            new = step.now.get(viewer, now)
            assert list(new.played[: len(played)]) == played
            assert list(new.got[: len(got)]) == got
            now, played, got = new, list(new.played), list(new.got)
            words = "".join(getattr(part, "card", "") or str(part) for part in now.did)
            told += [(viewer, words)] if re.search(said, words) else []
    assert {viewer for viewer, _ in told} == (
        {"all", "0", "1"} if game == "dominion" else set(page.header.viewers)
    )


def test_a_seat_knows_only_its_own_counters(tmp_path: Path) -> None:
    (tmp_path / "record").write_bytes(watched("dominion", 2, max_turns=8).record)
    page = read_match(str(tmp_path / "record"))
    assert any(step.now.get("1") for step in page.steps[1:])
    for step in page.steps:
        for viewer, now in step.now.items():
            if viewer == "all" and now.played:  # also set between two requests
                assert None not in [counter.value for counter in now.counters]
            if viewer != "all" and now.seat != int(viewer.replace("public", "-1")):
                assert [counter.value for counter in now.counters] == [None] * 3
                others = now.did[:1] != [Seat(int(viewer.replace("public", "-1")))]
                assert not (others and any(" of " in part for part in map(str, now.did)))


def test_moves_lead_from_state_to_state_and_show_nobody_a_hidden_card(tmp_path: Path) -> None:
    (tmp_path / "record").write_bytes(watched("dominion", 2, max_turns=12).record)
    page = read_match(str(tmp_path / "record"))
    places = {"hand": "hand", "in_play": "play", "discard_pile": "discard"}
    view: dict[str, Any] = {}
    drawn = 0
    for step in page.steps:
        before, view = view, view | step.set.get("all", {})
        for seat, (old, new) in enumerate(
            zip(before.get("seats", []), view["seats"], strict=False)
        ):
            moves = [move for move in step.moves.get("all", []) if move.seat == seat]
            for field, place in places.items():
                cards = Counter(old["own"][field])
                for move in moves:
                    assert move.card
                    cards[move.card] += move.count * ((move.to == place) - (move.from_ == place))
                if moves and new["own"]["shuffles"] == old["own"]["shuffles"]:
                    assert +cards == Counter(new["own"][field])
        for viewer, moves in step.moves.items():
            for move in moves if viewer != "all" else ():
                drawn += move.from_ == "deck"
                assert not (move.from_ == "deck" and move.card)
                assert viewer == str(move.seat) or (move.from_, move.to) not in HIDDEN
    assert drawn


@pytest.mark.parametrize(
    ("game", "deck", "places"),
    [
        ("starrealms", "deck", {"hand": "hand", "discard": "discard"}),
        ("tribute", "draw-pile", {"hand": "hand", "played": "played"}),
    ],
)
def test_moves_of_a_game_whose_actions_are_public(
    game: str, deck: str, places: dict[str, str], tmp_path: Path
) -> None:
    """Only drawn cards are hidden. Even their owner doesn't see them before the next request."""
    (tmp_path / "record").write_bytes(watched(game, 2, max_turns=6).record)
    page = read_match(str(tmp_path / "record"))
    view: dict[str, Any] = {}
    for step in page.steps:
        before, view = view, view | step.set.get("all", {})
        whole = step.moves.get("all", [])
        for viewer in ("public", "0", "1"):
            moves = step.moves.get(viewer, [])
            assert sum(move.count for move in moves) == sum(move.count for move in whole)
            assert all(move in whole for move in moves if move.card)
            assert not any(move.card for move in moves if (move.from_, move.to) == (deck, "hand"))
        if not before or not before["turn"] or any(move.from_ == deck for move in whole):
            continue
        for seat, (old, new) in enumerate(zip(before["seats"], view["seats"], strict=True)):
            for field, place in places.items():
                cards = Counter(names(old[field]))
                for move in whole:
                    if move.seat == seat:
                        there = (move.to == place) - (move.from_ == place)
                        cards[move.card] += move.count * there
                assert +cards == Counter(names(new[field]))


def names(cards: list[Any]) -> list[str]:
    return [card if isinstance(card, str) else card["card"] for card in cards]


HIDDEN = {("deck", "hand"), ("hand", "play")}
"""The only moves whose cards are hidden from other seats."""
