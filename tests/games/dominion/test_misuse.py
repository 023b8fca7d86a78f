"""Errors for code that uses a match or a game in the wrong order, and other corner cases."""

from __future__ import annotations

import msgspec
import pytest

from referee.errors import ProtocolMisuseError
from referee.games.dominion import RULES, Dominion
from referee.games.interface.faults import describe
from referee.match.machine import Match
from tests.support.helpers import Imposed, new_setup


def test_a_match_is_started_once() -> None:
    match = Match(RULES, seats=2, seed=1)
    match.start()
    with pytest.raises(ProtocolMisuseError):
        match.start()


def test_a_seat_that_does_not_exist_is_not_due() -> None:
    match = Match(RULES, seats=2, seed=1)
    match.start()
    with pytest.raises(ProtocolMisuseError):
        match.receive(5, b"{}")


def test_everybody_leaves_after_the_last_province() -> None:
    imposed = Imposed({"supply": {"province": 0}})
    game = imposed.definition.new(new_setup(2, absent=[0, 1]))
    assert not game.requests
    assert game.outcome is not None
    assert game.outcome.winners == ()


def test_a_supply_message_cannot_be_changed() -> None:
    game = Dominion(new_setup(2))
    supply = game.take_events()[1]
    assert hash(supply) == hash(msgspec.structs.replace(supply))  # frozen, all the way down


@pytest.mark.parametrize("char", ["x", "é", "漢", "\U0001f0cf", '"', "\x1b"])
def test_a_bots_string_is_shown_short_and_plain(char: str) -> None:
    for length in (1, 39, 40, 41, 10_000):
        shown = describe(char * length)
        assert len(shown) < 50
        assert shown.isascii()
        assert shown.isprintable()
