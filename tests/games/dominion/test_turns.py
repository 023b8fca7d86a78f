"""Dominion matches turn by turn, especially turns that end without a clean-up."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.dominion.turns import Turns
from referee.games.interface.capabilities import Phrase
from referee.games.interface.faults import Disqualification
from referee.match.machine import Disqualified, Sent
from tests.support.any_game import Course
from tests.support.helpers import Imposed, name_line, new_match, to_line


def told(reader: Turns, entries: list[Any], *, public: bool = False) -> list[Any]:
    """Read the turns of a match, as from a record, or from the public log if `public` is true."""
    over = []
    for entry in entries:
        if isinstance(entry, Disqualified):
            over += reader.disqualify(entry.seat, entry.code)
        elif isinstance(entry, Sent) and not (public and entry.to is not None):
            over += reader.read(entry.message, entry.to)
    return over + reader.end()


@pytest.mark.parametrize("seed", range(4))
def test_a_turn_that_a_disqualification_ends_tells_what_was_done_until_then(seed: int) -> None:
    for rounds in range(1, 60, 7):
        course = Course("dominion", seed, max_turns=9)
        match, entries = course.match, []
        for number, more in enumerate(course.play()):
            entries += more
            if number == rounds:
                break
        if match.outcome is not None:
            continue
        game: Any = match._game
        number, turn = match.turns, game.turn
        done = turn.player.in_play.copy(), turn.bought.copy(), len(turn.gained) - len(turn.bought)
        while match.due:
            match.disqualify(match.due[0], Disqualification.EXITED, "gone")
        entries += match.take_entries()
        turns = told(Turns(course.names), entries)
        assert [each.turn for each in turns] == [*range(1, len(turns) + 1)]
        last = turns[number - 1]
        assert (last.played, last.bought, len(last.gained)) == done


def attacked(*, is_active_gone: bool = False) -> list[Any]:
    """A match whose third turn is cut short by a disqualification.

    Either player 1 leaves before it plays anything, or player 2 leaves while it is under attack.
    """
    seats = {"player1": {"hand": ["copper"] * 5, "deck": ["militia"] + ["copper"] * 4}}
    match = new_match(definition=Imposed({"seats": seats}).definition)
    match.start()
    for seat in (0, 1):
        match.receive(seat, name_line(seat))
    for seat in (0, 1):
        match.receive(seat, to_line({"type": "play-reply", "phase": "cleanup"}))
    if not is_active_gone:
        match.receive(0, to_line({"type": "play-reply", "phase": "action", "card": "militia"}))
    match.disqualify(match.due[0], Disqualification.EXITED, "gone")
    return match.take_entries()


def phrases(reader: Turns, turn: Any) -> dict[str, str]:
    return {part.label: part.text for part in reader.show(turn) if isinstance(part, Phrase)}


def test_an_attack_that_ends_the_match_is_told() -> None:
    reader = Turns(["Ann", "Ben"])
    *_, last = told(reader, attacked())
    assert (last.turn, last.finished, last.played, last.money) == (3, False, ["militia"], 2)
    said = phrases(reader, last)
    assert said["played"] == "militia"
    assert "bought" not in said


def test_a_finished_turn_in_which_nothing_was_played_says_so() -> None:
    reader = Turns(["Ann", "Ben"])
    first, *_ = told(reader, attacked())
    said = phrases(reader, first)
    assert (first.finished, said["played"], said["bought"]) == (
        True,
        "nothing",
        "nothing (0 of 0 money)",
    )


def test_a_turn_shows_the_piles_that_are_empty() -> None:
    reader = Turns(["Ann", "Ben"])
    first, *_ = told(reader, attacked())
    first.supply |= {"mine": 0, "moat": 1}
    assert phrases(reader, first)["supply"] == "8 province, no mine"


def test_who_fails_in_the_handshake_is_told_in_a_turn_of_nobody() -> None:
    match = new_match()
    match.start()
    match.receive(0, name_line(0))
    match.disqualify(1, Disqualification.FAILED_TO_START, "gone")
    reader = Turns(["Ann", "Ben"])
    (turn,) = told(reader, match.take_entries())
    assert (turn.turn, turn.player_number, reader.title(turn)) == (1, "", "")
    assert phrases(reader, turn) == {"disqualified": "player2: failed-to-start"}
    assert reader.summary([turn]).rows == []


def test_a_log_counts_a_turn_that_began_after_a_shuffle() -> None:
    match = new_match()
    match.start()
    for seat in (0, 1):
        match.receive(seat, name_line(seat))
    for seat in (0, 1, 0, 1):
        match.receive(seat, to_line({"type": "play-reply", "phase": "cleanup"}))
    match.disqualify(0, Disqualification.EXITED, "gone")
    *_, last = told(Turns(["Ann", "Ben"]), match.take_entries(), public=True)
    assert (last.turn, last.player_number, last.player_turn) == (5, "player1", 3)
    assert [note.what for note in last.notes] == ["disqualified"]


@pytest.mark.parametrize("is_active_gone", [False, True])
def test_a_log_has_the_disqualification_in_the_turn_of_the_record(is_active_gone: bool) -> None:
    entries = attacked(is_active_gone=is_active_gone)
    record = told(Turns(["Ann", "Ben"]), entries)
    reader = Turns(["Ann", "Ben"])
    log = told(reader, entries, public=True)
    noted = [[(turn.turn, turn.notes) for turn in turns if turn.notes] for turns in (record, log)]
    assert noted[0] == noted[1]
    # A public log shows played cards only at the clean-up.
    assert phrases(reader, log[-1])["played"] == "not known"
