"""Errors for code that uses a match or a game in the wrong order, and other corner cases."""

from __future__ import annotations

import msgspec
import pytest

from referee.errors import ProtocolMisuseError
from referee.games.dominion import RULES, Dominion
from referee.games.interface.faults import Fault, describe
from referee.match.machine import Match
from tests.support.helpers import Imposed, answer, decoded, new_setup, to_line


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


@pytest.mark.parametrize(
    ("card", "given", "detail"),
    [
        ("mine", {"card_to_trash": "copper", "desired_card": 5}, "`desired_card` is 5"),
        ("mine", {"card_to_trash": "copper", "desired_card": "x"}, '`desired_card` is "x"'),
        (
            "mine",
            {"card_to_trash": "copper", "desired_card": "village"},
            '`desired_card` is "village", which is not a treasure',
        ),
        (
            "mine",
            {"card_to_trash": "copper", "desired_card": "gold"},
            '`desired_card` is "gold", which costs 6, not up to 3',
        ),
        (
            "mine",
            {"card_to_trash": "copper", "desired_card": "silver"},
            '`desired_card` is "silver", whose pile is empty',
        ),
        ("mine", {"card_to_trash": "estate"}, '`card_to_trash` is "estate"'),
        ("mine", {"card_to_trash": "gold"}, '`card_to_trash` is "gold", which is not in hand'),
        (
            "remodel",
            {"card_to_trash": "estate", "desired_card": "duchy"},
            '`desired_card` is "duchy", which costs 5, not up to 4',
        ),
        ("workshop", {}, "`desired_card` is null"),
        (
            "workshop",
            {"desired_card": "market"},
            '`desired_card` is "market", which costs 5, not up to 4',
        ),
    ],
)
def test_the_author_is_told_why_a_card_is_not_gained(
    card: str, given: dict[str, object], detail: str
) -> None:
    hand = [card, "copper", "estate"]
    imposed = Imposed({"seats": {"player1": {"hand": hand}}, "supply": {"silver": 0}})
    game = imposed.definition.new(new_setup(2))
    game.take_events()
    reply = {"type": "play-reply", "phase": "action", "card": card, "additional_parameters": given}
    answer(game, decoded(to_line(reply)))
    faults = [event.detail for event in game.take_events() if isinstance(event, Fault)]
    assert faults == [f"{card}: {detail}"]


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"phase": "action"}, "`card` is missing, which is not an action card"),
        ({"phase": "action", "card": None}, "`card` is null, which is not an action card"),
        ({"phase": "action", "card": "moat"}, '`card` is "moat", which is not in hand'),
        (
            {"played_treasures": ["gold", "moat"]},
            'played_treasures[1] is "moat", which is not a treasure',
        ),
        (
            {"played_treasures": ["gold", "gold"]},
            'played_treasures[1] is "gold", which is not in hand (any more)',
        ),
        ({"played_treasures": [["gold"]]}, "played_treasures[0] is a list of 1, which is not a"),
        ({"cards_to_buy": ["copper", "x"]}, 'cards_to_buy[1] is "x", which is not a card'),
        ({"cards_to_buy": ["silver"]}, 'cards_to_buy[0] is "silver", whose pile is empty'),
        ({"cards_to_buy": ["curse"] * 3}, 'cards_to_buy[2] is "curse", with no buys left'),
        (
            {"played_treasures": ["gold"], "cards_to_buy": ["estate", "estate"]},
            'cards_to_buy[1] is "estate", which costs 2, with 1 left',
        ),
    ],
)
def test_the_author_is_told_the_place_of_a_mistake(changes: dict[str, object], detail: str) -> None:
    state = {"seats": {"player1": {"hand": ["gold", "market"], "deck": []}}}
    imposed = Imposed({**state, "supply": {"silver": 0}})
    game = imposed.definition.new(new_setup(2))
    for reply in ({"phase": "action", "card": "market"}, {"phase": "buy", **changes}):
        if reply.get("phase") == "buy":
            imposed.game.turn.money = 0
        game.take_events()
        answer(game, decoded(to_line({"type": "play-reply", **reply})))
    (fault,) = (event.detail for event in game.take_events() if isinstance(event, Fault))
    assert fault.startswith(detail)


@pytest.mark.parametrize(
    ("discard", "problem"),
    [
        (["gold", "silver"], 'discards "gold", which is not in hand (any more)'),
        (["copper", 3], "discards 3, which is not in hand (any more)"),
        (["copper"], "discards 1 cards where 2 are due"),
        (["copper"] * 3, "discards 3 cards where 2 are due"),
        ("copper", '`discard` is "copper", not a list'),
    ],
)
def test_the_author_is_told_the_first_mistake_of_a_discard(discard: object, problem: str) -> None:
    game = Imposed({"seats": {"player1": {"hand": ["militia"]}}}).definition.new(new_setup(2))
    play = {"type": "play-reply", "phase": "action", "card": "militia"}
    for reply in (play, {"type": "attack-reply", "discard": discard}):
        game.take_events()
        answer(game, decoded(to_line(reply)))
    faults = [event.detail for event in game.take_events() if isinstance(event, Fault)]
    assert faults == [problem]


@pytest.mark.parametrize("char", ["x", "é", "漢", "\U0001f0cf", '"', "\x1b"])
def test_a_bots_string_is_shown_short_and_plain(char: str) -> None:
    for length in (1, 39, 40, 41, 10_000):
        shown = describe(char * length)
        assert len(shown) < 50
        assert shown.isascii()
        assert shown.isprintable()
