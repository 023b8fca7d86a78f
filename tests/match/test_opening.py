"""Test the openings of matches, whose replies are drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from referee.errors import GameError, UsageError
from referee.games import GAMES, outside
from referee.games.interface.definition import GameDefinition
from referee.logs.conversation import position_at
from referee.match import opening
from referee.match.machine import Match, Redeal, Sent
from referee.match.opening import TRIES, check_opening, opening_answers
from referee.match.players import Players, name_line
from referee.match.spec import MatchSpec, match_spec
from tests.support.live import ROOT
from tests.support.own_game import STICKS, clean_games

GAMES_OF_SPEC = ROOT / "spec" / "examples" / "games"


@pytest.fixture
def connect4() -> Iterator[str]:
    with clean_games():
        yield outside.add(str(GAMES_OF_SPEC / "connect4.py"))


def spec_of(game: str, opening: int, seed: int = 1) -> MatchSpec:
    return replace(match_spec(["a", "b"], game=game, seed=seed), opening=opening)


def after(spec: MatchSpec, answers: list[list[bytes | None]]) -> Match:
    """Play the answers, and return the match after the last one."""
    match = spec.new_match()
    match.start()
    for seat in match.due:
        match.receive(seat, name_line(seat, "x"))
    left = [lines[1:] for lines in answers]
    while match.due and any(left):
        for seat in match.due:
            line = left[seat].pop(0)
            assert line is not None
            match.receive(seat, line)
    return match


@pytest.mark.parametrize("game", ["dominion", "botwars", "starrealms", "tribute"])
@pytest.mark.parametrize("rounds", [1, 5])
def test_an_opening_has_legal_replies_of_so_many_rounds(game: str, rounds: int) -> None:
    spec = spec_of(game, rounds)
    answers = opening_answers(spec)
    assert [lines[0] for lines in answers] == [None, None]
    count = sum(map(len, answers)) - 2
    # In Bot Wars both seats reply in each round.
    assert count == (2 * rounds if game == "botwars" else rounds)
    match = after(spec, answers)
    assert not any(match.faults)
    assert match.outcome is None
    assert answers == opening_answers(spec)


def test_each_deal_has_an_opening_of_its_own(connect4: str) -> None:
    found = [opening_answers(spec_of(connect4, 6, seed)) for seed in range(8)]
    assert len({str(answers) for answers in found}) > 4
    # The bots and their names don't matter, so both matches of a deal have the same opening.
    other = replace(spec_of(connect4, 6, 0), bots=("c", "d"), names=("c", "d"))
    assert opening_answers(other) == found[0]


def test_an_opening_that_ends_the_game_is_drawn_again(connect4: str) -> None:
    """Four in a row takes 7 moves at least, and a random game often ends before move 12."""
    for seed in range(10):
        spec = spec_of(connect4, 12, seed)
        assert after(spec, opening_answers(spec)).outcome is None
    with pytest.raises(UsageError, match=f"seed 1 the game ends so early in {TRIES} of {TRIES} "):
        opening_answers(spec_of(connect4, 42))


def test_an_opening_is_drawn_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """An opening whose last reply ends the game is none either."""
    spec = replace(match_spec(["a", "b"], game="botwars", options={"max_turns": 3}), opening=3)
    tries: list[int] = []
    drawn = opening._drawn
    monkeypatch.setattr(opening, "_drawn", lambda *given: tries.append(given[2]) or drawn(*given))
    with pytest.raises(UsageError, match="ends so early"):
        opening_answers(spec)
    assert tries == [*range(TRIES)]
    assert opening_answers(replace(spec, opening=2))


def test_a_player_sees_only_its_own_requests() -> None:
    match = spec_of("dominion", 1).new_match()
    match.start()
    seen: list[int] = []
    players: Any = SimpleNamespace(observe=lambda seat, message: seen.append(seat))
    kinds = GAMES["dominion"].requests
    assert opening._hear(match, players, kinds).keys() == {0, 1}
    for seat in (0, 1):
        match.receive(seat, name_line(seat, "x"))
    seen_before, public = [*seen], sum(e.to is None for e in match._entries if type(e) is Sent)
    opening._hear(match, players, kinds)
    assert (seen_before, len(seen)) == ([0, 1], 2 + 2 * public + 1)


def test_an_opening_comes_after_the_replies_of_a_position() -> None:
    record = str(ROOT / "spec" / "examples" / "two-players.record.jsonl")
    header, position = position_at(record, 20)
    spec = position.redealt(match_spec(header.bots, seed=0), 5)
    answers = opening_answers(replace(spec, opening=3), position.answers)
    before = [list(lines) for lines in position.answers]
    assert [lines[: len(own)] for lines, own in zip(answers, before, strict=True)] == before
    assert sum(map(len, answers)) == sum(map(len, before)) + 3
    assert spec.redeals[-1] == Redeal(20, 5)
    other = replace(position.redealt(spec, 6), opening=3)
    assert opening_answers(other, position.answers) != answers


@pytest.mark.parametrize(
    ("opening", "problem"), [(0, "from 1 to"), (1, ""), (1_000, ""), (1_001, "from 1 to 1,000")]
)
def test_the_length_of_an_opening(opening: int, problem: str) -> None:
    if not problem:
        check_opening(GAMES["dominion"], opening)
        return
    with pytest.raises(UsageError, match=f"--opening {opening}: .*{problem}"):
        check_opening(GAMES["dominion"], opening)


def test_a_game_that_lists_no_replies() -> None:
    bare: GameDefinition = replace(
        GAMES["dominion"], make_environment=None, person=None, simplest_reply=None
    )
    with pytest.raises(UsageError, match="dominion has no list of legal replies"):
        check_opening(bare, 1)


def test_a_game_whose_legal_replies_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Players, "reply", lambda *_: b'{"type":"nothing"}')
    with pytest.raises(
        GameError, match="dominion: its list of legal replies has one that is a fault"
    ):
        opening_answers(spec_of("dominion", 1))


def test_a_game_without_an_environment_has_openings() -> None:
    """Its players read requests like people."""
    with clean_games():
        game = outside.add(str(STICKS.with_name("pawns.py")))
        answers = opening_answers(spec_of(game, 4))
    assert [len(lines) for lines in answers] == [3, 3]
