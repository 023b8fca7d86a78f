"""The page of a record or spectator log shows the same as the match did while it was played."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, compress, pairwise
from operator import or_
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import referee
from referee.bots.bot import Failure
from referee.bots.bundled import bundled_bots
from referee.bots.from_python import bundled_class
from referee.errors import GameError, LogReadError, UsageError
from referee.games.interface.capabilities import Phrase
from referee.games.interface.faults import Disqualification
from referee.logs import read_record
from referee.logs.rerun import Rerun
from referee.match.machine import Redeal
from referee.match.spec import match_spec
from referee.web.data import MatchPage, Moment
from referee.web.file import cut
from referee.web.recorded import _command, from_answers, read_match
from tests.support.batches import kept
from tests.support.damage import damage
from tests.support.fuzzed import fuzzed_match
from tests.support.helpers import ROOT, TIMES, cautious, name_line
from tests.support.marks import slow
from tests.support.watched import Watched, watched

GAMES = {
    "dominion": {"max_turns": 5},
    "botwars": {"rows": 7, "cols": 7, "max_turns": 9},
    "starrealms": {"max_turns": 5},
    "tribute": {"max_turns": 3, "cards": "2023-02"},
}
RECORDS = [
    *(ROOT / "spec" / "examples").glob("*.record.jsonl"),
    *(ROOT / "tests" / "golden").glob("*.jsonl"),
]
LOG = ROOT / "spec" / "examples" / "two-players.log.jsonl"
Read = Callable[[bytes], MatchPage]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return a function that reads a file with these bytes."""

    def page(data: bytes) -> MatchPage:
        file = tmp_path / "file"
        file.write_bytes(data)
        return read_match(str(file))

    return page


@pytest.fixture(
    scope="module",
    params=[(game, seed) for game in GAMES for seed in range(1, 1 + 2 * TIMES)],
    ids=str,
)
def match(request: pytest.FixtureRequest) -> Watched:
    game, seed = request.param
    return watched(game, seed, **GAMES[game])


def folded(page: MatchPage, viewer: str) -> Iterator[dict[str, Any]]:
    """Yield this viewer's whole view at each step."""
    view: dict[str, Any] = {}
    for step in page.steps:
        view = view | step.set.get(viewer, {})
        yield msgspec.to_builtins(view)


def with_moves(view: dict[str, Any]) -> dict[str, Any]:
    """Undo what a page does with the moves of Bot Wars, to be smaller."""
    if "grid" not in view:
        return view
    moves = {
        colour: [{"from": cell, "to": cell + by} for cell, by in moves]
        for colour, moves in view["moves"].items()
    }
    return view | {"moves": moves}


def test_it_is_the_match(match: Watched, read: Read) -> None:
    """A record's page has everything for all viewers. A log's page has the public part."""
    page = read(match.record)
    ends = [step.time is not None for step in page.steps]  # at the end of a round
    for viewer in match.states[0].views:
        track = viewer if viewer in page.header.viewers else page.header.viewers[0]
        shown = [with_moves(view) for view in compress(folded(page, track), ends)]
        assert shown == [state.views[viewer] for state in match.states]
    said = [line for step in page.steps for line in page.lines[slice(*step.lines)]]
    assert said == page.lines
    assert [tuple(msgspec.to_builtins(line)) for line in page.lines] == match.lines
    marks = [mark for step in page.steps for mark in step.marks]
    faults = Counter((mark.seat, mark.code) for mark in marks if mark.kind == "fault")
    counted = enumerate(match.match.faults)
    assert faults == {(seat, code): n for seat, codes in counted for code, n in codes.items()}
    left = {mark.seat: mark.code for mark in marks if mark.kind == "disqualified"}
    assert left == {seat: gone.code for seat, gone in match.match.disqualified.items()}
    of_marks = Counter(
        step.ends or step.turn for step in page.steps for mark in step.marks if mark.kind != "end"
    )
    told = Counter(
        turn.turn
        for turn in page.turns
        for part in turn.show
        if isinstance(part, Phrase) and part.label in ("fault", "disqualified")
    )
    assert of_marks == told
    assert {mark.code for mark in marks} == set(page.header.rules)
    outcome, ended = match.match.outcome, page.header.outcome
    assert outcome is not None
    assert ended is not None
    scores = [standing.score for standing in match.match.standings()]
    assert (ended.reason, ended.winners, ended.ranks, ended.scores) == (
        *(outcome.reason, outcome.winners, outcome.ranks, scores),
    )
    assert marks[-1].kind == "end"
    assert page.header.problem == ""
    values: dict[str, list[float]] = {}
    for step in page.steps:
        values |= step.values
    assert values[page.header.series[0]["name"]] == scores

    of_log = read(match.log)
    assert (of_log.header.viewers, of_log.header.problem) == (["public"], "")
    assert of_log.header.facts == page.header.facts
    assert {line.kind for line in of_log.lines} == {"all"}
    assert {key for step in of_log.steps for key in step.set} == {"public"}
    after = {
        step.lines[1]: view
        for step, view in zip(of_log.steps, folded(of_log, "public"), strict=True)
    }
    for state in match.states:
        assert with_moves(after[state.public]) == state.views["public"]
    of_end = of_log.header.outcome
    assert of_end is not None
    assert (of_end.reason, of_end.winners, of_end.scores) == (ended.reason, ended.winners, scores)


def test_each_card_that_is_played_or_gained_is_a_step(read: Read) -> None:
    match = watched("dominion", 0)
    page = read(match.record)
    assert len(page.steps) > len(match.states)
    for before, after in pairwise(folded(page, "all")):
        assert sum(before["supply"].values()) - sum(after["supply"].values()) <= 1
        for was, now in zip(before["seats"], after["seats"], strict=True):
            if was["own"]["turns"] == now["own"]["turns"]:
                assert len(now["own"]["in_play"]) - len(was["own"]["in_play"]) <= 1


def test_a_state_of_bot_wars_is_with_the_turn_that_led_to_it(read: Read) -> None:
    match = watched("botwars", 1, max_turns=4)
    for page, viewer in ((read(match.record), "all"), (read(match.log), "public")):
        turns = [view["turnsElapsed"] for view in folded(page, viewer)]
        assert [step.turn for step in page.steps] == [max(turn, 1) for turn in turns]
        assert max(turns) == 4


def test_a_part_of_a_match_has_the_same_views(match: Watched, read: Read) -> None:
    whole, chance = read(match.record), Random(1)
    turns = [turn.turn for turn in whole.turns]
    first, last = sorted(chance.choices(turns, k=2))
    steps = [i for i, step in enumerate(whole.steps) if first <= step.turn <= last]
    # The step after the last turn shows the effect of that turn, so it's included.
    steps += [i for i in (steps[-1] + 1,) if i < len(whole.steps)]
    views = {viewer: list(folded(whole, viewer)) for viewer in whole.header.viewers}
    said = [whole.lines[slice(*whole.steps[i].lines)] for i in steps]
    newest = [*accumulate((step.values | step.now for step in whole.steps), or_)]
    whole.turned = [Moment("lead", i, i, 0, []) for i in range(len(whole.steps))]
    part = cut(whole, first, last)
    for viewer in part.header.viewers:
        assert list(folded(part, viewer)) == [views[viewer][i] for i in steps]
    assert [part.lines[slice(*step.lines)] for step in part.steps] == said
    known = [*accumulate((step.values | step.now for step in part.steps), or_)]
    assert known == [newest[i] for i in steps]
    assert [(moment.at, moment.turn) for moment in part.turned] == [*enumerate(steps)]
    assert [turn.turn for turn in part.turns] == [n for n in turns if first <= n <= last]
    for turn in part.turns:
        assert part.steps[turn.first].turn == part.steps[turn.last].turn == turn.turn


def test_there_are_no_turns_but_those_of_the_match(read: Read) -> None:
    page = read(watched("botwars", 1, max_turns=3).record)
    with pytest.raises(UsageError, match="--turns 8-9: the match has 3 turns"):
        cut(page, 8, 9)


@pytest.mark.parametrize(
    "name",
    [path if path.name.startswith("two") else slow(path) for path in RECORDS],
    ids=lambda path: path.name,
)
def test_its_end_is_that_of_the_record(name: Path) -> None:
    *_, end = read_record(name)
    shown = read_match(str(name)).header.outcome
    assert isinstance(end, referee.EndEntry)
    assert shown is not None
    players = [(player.score, player.rank) for player in end.players]
    assert (shown.reason, list(zip(shown.scores, shown.ranks, strict=True))) == (
        end.reason,
        players,
    )
    assert [f"player{seat + 1}" for seat in shown.winners] == end.winners


def test_what_decided_a_level_match_comes_before_why_it_ended(tmp_path: Path) -> None:
    bots = [bundled_class(bundled_bots()[name]) for name in ("minimal", "big_money")]
    record = tmp_path / "record"
    referee.play_match(bots, game="dominion", seed=705331696, record=record)
    outcome = read_match(str(record)).header.outcome
    assert outcome is not None
    assert (outcome.winners, outcome.scores) == ((1,), [27, 27])
    assert outcome.why == "level, won with fewer turns taken; the province pile was empty"


def test_the_limits_of_one_bot_are_with_its_name(read: Read) -> None:
    data = watched("dominion", 1, max_turns=3).record
    own = b'"limits_of_bots":[{},{"time_limit":2.5,"cpu_limit":null}],"started":'
    header = read(data.replace(b'"started":', own, 1)).header
    (name,) = [name for name in header.limits if name.startswith("of ")]
    assert name == f"of {header.seats[1].name}"
    assert header.limits[name] == {"time_limit": 2.5, "cpu_limit": None}


def test_a_match_that_was_just_played_is_that_of_its_record(tmp_path: Path) -> None:
    """A notebook shows the match without a record.

    Its page has no file name, date or digest, and its times aren't rounded.
    """
    record = tmp_path / "record"
    result = referee.play_match([cautious] * 3, seed=3, options={"max_turns": 4}, record=record)
    of_record = read_match(str(record))
    shown: Any = result.__dict__["show"]
    page = from_answers(*shown.args)
    others = {"source": "", "date": "", "digest": ""}
    assert page.header == msgspec.structs.replace(of_record.header, **others)
    assert (page.turns, page.lines) == (of_record.turns, of_record.lines)
    without = [msgspec.structs.replace(step, time=None) for step in page.steps]
    assert without == [msgspec.structs.replace(step, time=None) for step in of_record.steps]


@pytest.mark.parametrize("game", GAMES)
def test_a_file_that_was_cut_short_goes_as_far_as_it_goes(game: str, read: Read) -> None:
    match = watched(game, 3, **GAMES[game])
    for data, problem in (
        (match.record, "The record was cut short: this is as far as it goes."),
        (match.log, "The log ends before the match."),
    ):
        whole = read(data)
        lines = data.splitlines(keepends=True)
        page = read(b"".join(lines[: len(lines) * 2 // 3]))
        assert page.header.problem == problem
        assert page.header.outcome is None
        assert 1 < len(page.steps) < len(whole.steps)
        many = len(page.steps) - 1
        for viewer in whole.header.viewers:
            track = viewer if viewer in page.header.viewers else page.header.viewers[0]
            assert list(folded(page, track))[:many] == list(folded(whole, viewer))[:many]


def test_a_match_whose_game_fails_at_once_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(rerun: object) -> Any:
        raise GameError("its code fails")

    monkeypatch.setattr(Rerun, "rounds", fail)
    with pytest.raises(GameError, match="its code fails"):
        read_match(str(RECORDS[0]))


def test_a_match_from_a_position_can_only_be_repeated_from_its_record() -> None:
    spec = replace(match_spec(["a", "b"], seed=1), redeals=(Redeal(3, 5),))
    assert _command("", spec) == ""
    assert "--resume r.jsonl --turn 3" in _command("r.jsonl", spec)
    assert "--seed 1" in _command("", replace(spec, redeals=()))


class Leaving:
    """Leaves at its second request."""

    def reply(self, lines: Sequence[bytes]) -> bytes | Failure:
        if b"player-name-request" in lines[-1]:
            return name_line(1)
        return Failure(Disqualification.EXITED, "it has left")


def test_stderr_that_is_kept_elsewhere_comes_before_the_bot_leaves_or_at_the_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "r.jsonl"
    referee.play_match(["big_money.json", Leaving()], seed=1, record=path)
    page = read_match(str(path), stderr=["one", "other"])
    said = [
        line.text for line in page.lines if line.kind == "stderr" or "disqualified" in line.text
    ]
    assert [said[0], said[-1], len(said)] == ["other", "one", 3]


def test_stderr_in_the_record_is_better(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    options = {"max_turns": 1}
    bots: list[Any] = [kept(), cautious]
    referee.play_match(bots, options=options, record=path, record_stderr=True)
    page = read_match(str(path), stderr=["elsewhere", "other"])
    said = {line.text for line in page.lines if line.kind == "stderr"}
    assert said == {"match 1\n", "other"}


def test_the_page_of_a_record_without_a_right_last_line_says_so(read: Read) -> None:
    *lines, end = watched("botwars", 1, max_turns=2).record.splitlines(keepends=True)
    cut = "The record was cut short: this is as far as it goes."
    other = "The last line does not follow from the others, so the record was modified."
    for last, problem in (
        (end, ""),
        (b"", cut),
        (end[: end.index(b"sha256:") + 9], cut),
        (end[:-1], cut),
        (end.replace(b'"rank":1', b'"rank":2', 1), other),
        (re.sub(rb"sha256:[0-9a-f]{64}", b"sha256:" + b"0" * 64, end), other),
    ):
        header = read(b"".join([*lines, last])).header
        assert (header.problem, bool(header.digest)) == (problem, not problem)


def test_a_record_with_unknown_fields_is_no_log(read: Read) -> None:
    data = watched("botwars", 1, max_turns=2).record
    assert read(data.replace(b'"seed":', b'"type":"new","seed":', 1)).header.kind == "record"


def test_the_page_of_a_record_ends_where_it_does_not_follow(read: Read) -> None:
    lines = watched("botwars", 1, max_turns=2).record.splitlines(keepends=True)
    at = max(i for i, line in enumerate(lines) if line.startswith(b'{"entry":"sent"')) - 1
    lines[at] = lines[at].replace(b'"type":"', b'"type":"x', 1)
    page = read(b"".join(lines))
    assert page.header.problem.startswith("The record is damaged: ")
    assert f"line {at + 1}: does not follow" in page.header.problem
    with pytest.raises(LogReadError, match="does not follow"):
        read(b"".join([lines[0], *lines[2:]]))


def test_the_page_of_a_log_ends_with_its_match_or_before_a_foreign_line(read: Read) -> None:
    lines = LOG.read_bytes().splitlines(keepends=True)
    whole = read(b"".join(lines))
    assert read(b"".join([*lines, *lines[9:20], b"{}\n"])) == whole
    gone = b'{"type":"player-disqualified","player_number":"player3","reason":"timeout"}\n'
    for line in (gone, b"what?\n", b'{"type":"new"}\n'):
        page = read(b"".join([*lines[:10], line, *lines[10:]]))
        assert page.header.problem == (
            "Line 11 does not belong to such a log, so the page ends here."
        )
        assert page.header.outcome is None
    unnamed = read(b"".join(lines[2:]))
    assert [seat.name for seat in unnamed.header.seats] == ["player1", "player2"]
    assert unnamed.header.problem == ""
    assert len(unnamed.steps) == len(whole.steps)


def test_a_file_that_ends_before_the_game_shows_nothing(read: Read) -> None:
    match = watched("dominion", 1)
    for data, many, problem in (
        (match.record, 2, "no state of a game comes before this, so nothing can be shown"),
        (match.log, 1, "the log has no line of a game that this referee knows"),
        (b'{"type":"player-name"}\n' + match.log, None, "no state of a game comes before this"),
    ):
        with pytest.raises(LogReadError, match=problem):
            read(b"".join(data.splitlines(keepends=True)[:many]))


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"{}\n", b"[]\n", b"\x1f\x8b\x08", b"<!DOCTYPE html>\n", b'{"type":"x"}\n']
)
def test_a_foreign_file_is_none(data: bytes, read: Read) -> None:
    with pytest.raises(LogReadError) as raised:
        read(data)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("game", referee.GAMES)
def test_a_log_that_begins_with_a_player_who_leaves_is_no_crash(game: str, read: Read) -> None:
    """At that time the state of the game is not known yet, and the rules don't allow it."""
    first = fuzzed_match(game, Random(1), max_turns=1).log.splitlines(keepends=True)
    names = [line for line in first if b'"type":"player-name"' in line]
    info = next(line for line in first if b'"type":"game-info"' in line)
    left = b'{"type":"player-disqualified","player_number":"player1","reason":"timeout"}\n'
    end = b'{"type":"game-end","scores":[0,0],"winners":["player2"],"reason":"turn-limit"}\n'
    for early in ([left], [end], [left, end]):
        try:
            page = read(b"".join([*names, *early, info]))
        except LogReadError:
            continue
        assert page.header.problem or page.header.outcome


def test_a_damaged_file_is_a_sentence(read: Read) -> None:
    """The reader either raises LogReadError, or shows the part before the damage with a problem."""
    matches = [watched(game, 5, max_turns=2) for game in GAMES]
    files = [file for match in matches for file in (match.record, match.log)]
    read_so_far = 0
    for number in range(20 * TIMES):
        damages, data = damage(Random(number), files)
        try:
            page = read(data)
        except LogReadError:
            continue
        read_so_far += 1
        assert page.header.problem.isprintable(), damages
        assert page.steps, damages
        assert page.header.outcome or page.header.problem, damages
        msgspec.json.encode(page)
    assert read_so_far > 3 * TIMES
