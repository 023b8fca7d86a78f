"""Starting a game in a given situation, and the public messages that explain how it got there."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any

import pytest

from referee.games.dominion import Dominion
from referee.games.dominion.rules.game import begin_at
from referee.games.dominion.rules.situation import simplest_reply
from referee.games.interface.random_source import SeededRandomSource
from tests.support.helpers import (
    PILES,
    answer,
    asked,
    decoded,
    from_struct,
    full_supply,
    new_setup,
    to_line,
)

END = {"type": "play-reply", "phase": "cleanup"}
BUY = {"type": "play-reply", "phase": "buy"}
TRASHED = "player-trashed"


def situation(state: dict[str, Any], players: int = 2, max_turns: int = 1) -> Dominion:
    return begin_at(new_setup(players, max_turns=max_turns), state)


def told(game: Dominion) -> list[dict[str, Any]]:
    return [from_struct(event) for event in game.take_events()]


def supply(messages: list[dict[str, Any]]) -> dict[str, int]:
    """The piles in the last `supply-info`."""
    last = [message for message in messages if message["type"] == "supply-info"][-1]
    return {pile["card"]: pile["count"] for pile in last["cards"]}


def request(game: Dominion) -> dict[str, Any]:
    value: dict[str, Any] = from_struct(asked(game).message)
    return value


def reply(game: Dominion, value: dict[str, Any]) -> None:
    answer(game, decoded(to_line(value)))


SEAT = {
    "hand": ["cellar", "gold", "curse"],
    "deck": ["silver", "estate", "copper", "copper", "village", "duchy"],
    "discard_pile": ["moat", "copper"],
    "in_play": ["market"],
}


def test_a_seat_holds_what_is_given() -> None:
    game = situation({"seats": {"player1": SEAT}})
    first = request(game)
    assert first["hand"] == SEAT["hand"]
    assert first["cards_played"] == ["market"]
    owned = Counter(card for cards in SEAT.values() for card in cards)
    first, second = game.standings()
    assert Counter(first.facts.cards) == owned
    assert second.facts.cards == {"copper": 7, "estate": 3}


def test_a_deck_is_drawn_from_its_first_card_on() -> None:
    game = situation({"seats": {"player1": SEAT}}, max_turns=2)
    reply(game, END)
    reply(game, END)
    assert request(game)["hand"] == SEAT["deck"][:5]


def test_a_given_discard_pile_becomes_the_deck() -> None:
    seat = {"hand": [], "discard_pile": ["gold", "silver", "estate"]}
    game = situation({"seats": {"player1": seat}}, max_turns=2)
    reply(game, END)
    reply(game, END)
    assert sorted(request(game)["hand"]) == ["estate", "gold", "silver"]
    assert [message for message in told(game) if message["type"] == "player-shuffled"] == [
        {"type": "player-shuffled", "player_number": "player1"}
    ]


def test_lists_that_are_missing_are_empty() -> None:
    game = situation({"seats": {"player1": {}}})
    assert request(game)["hand"] == []
    assert game.standings()[0].facts.cards == {}


def test_without_anything_it_is_the_deal() -> None:
    plain = Dominion(new_setup(max_turns=1))
    assert request(situation({})) == request(plain)


def test_the_first_turn_of_player_1_stands_where_it_is_said_to() -> None:
    turn = {"actions": 0, "buys": 3, "money": 7, "bought": ["silver"], "gained": ["gold", "silver"]}
    game = situation({"turn": turn}, max_turns=2)
    first = request(game)
    assert (first["actions"], first["buys"], first["extra_money"]) == (0, 3, 7)
    assert (first["cards_bought"], first["cards_gained"]) == (["silver"], ["gold", "silver"])
    # The given turn affects neither the opponent's turn nor the player's next one.
    for _ in range(2):
        reply(game, END)
        first = request(game)
        assert (first["actions"], first["buys"], first["extra_money"]) == (1, 1, 0)
        assert (first["cards_bought"], first["cards_gained"]) == ([], [])


def test_what_was_bought_was_gained_where_nothing_else_is_said() -> None:
    first = request(situation({"turn": {"bought": ["silver", "moat"]}}))
    assert (first["actions"], first["buys"], first["extra_money"]) == (1, 1, 0)
    assert first["cards_gained"] == first["cards_bought"] == ["silver", "moat"]


def test_the_way_there_is_told_card_by_card() -> None:
    """Extra cards are announced as gains, each with the supply, and missing cards as trashed."""
    seat = {"hand": ["gold", "gold", "copper", "estate"], "deck": ["copper"] * 6 + ["estate"]}
    game = situation({"seats": {"player2": seat}})
    messages = told(game)
    full = full_supply(2)
    kinds = [message["type"] for message in messages]
    assert kinds == ["game-info", "supply-info", *["player-gained", "supply-info"] * 2, TRASHED]
    assert supply(messages[:2]) == full | {"gold": full["gold"] + 2}
    gained = {"type": "player-gained", "player_number": "player2", "gained": "gold"}
    assert [messages[2], messages[4]] == [gained, gained]
    assert supply(messages[:4]) == full | {"gold": full["gold"] + 1}
    assert supply(messages) == full
    assert messages[6] == {"type": TRASHED, "player_number": "player2", "trashed": ["estate"]}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_supply_at_the_first_request_is_what_is_given(players: int) -> None:
    given = {"gold": 0, "province": 1, "silver": 7}
    seats = {
        "player1": {"hand": ["gold", "gold", "silver", "province"]},
        "player2": {"hand": ["silver", *["curse"] * 3], "deck": ["copper"] * 9},
    }
    messages = told(situation({"seats": seats, "supply": given}, players))
    assert supply(messages) == full_supply(players) | given
    assert list(supply(messages)) == PILES
    for message in messages:
        if message["type"] == "supply-info":
            assert all(pile["count"] >= 0 for pile in message["cards"])


def test_empty_piles_count_for_the_end() -> None:
    game = situation({"supply": dict.fromkeys(("moat", "smithy", "cellar"), 0)}, max_turns=9)
    reply(game, END)
    assert game.outcome is not None
    assert game.outcome.reason == "piles-empty"


def test_a_seat_that_left_before_is_not_asked() -> None:
    game = begin_at(new_setup(3, absent=[0]), {"turn": {"buys": 2}, "seats": {"player1": {}}})
    assert asked(game).seat == 1
    trashed = [message for message in told(game) if message["type"] == TRASHED]
    assert len(trashed) == 10


def test_the_simplest_reply_is_legal() -> None:
    asked = {"type": "attack-request", "discard": 2, "options": ["gold", "moat", "curse", "gold"]}
    assert simplest_reply(asked) == {"type": "attack-reply", "discard": ["gold", "moat"]}
    assert simplest_reply({"type": "play-turn"}) == {"type": "play-reply", "phase": "cleanup"}


def piles(game: Dominion, seat: int) -> tuple[list[str], list[str], list[str]]:
    player = game.table.players[seat]
    return [*player.hand], [*player.deck], [*player.discard_pile]


OTHER = {
    "hand": ["gold", "silver"],
    "deck": ["moat", "market", "mine"],
    "discard_pile": ["smithy", "village", "curse"],
}


def test_a_redeal_keeps_the_viewers_cards_and_each_top_discard() -> None:
    """A player knows its hand and discards, and of others only the top discard (2.8)."""
    hands, decks = set(), set()
    for luck in range(6):
        game = situation({"seats": {"player1": SEAT, "player2": OTHER}})
        hand, deck, discards = piles(game, 0)
        game.redeal([0], SeededRandomSource(luck))
        assert piles(game, 0)[::2] == (hand, discards)
        assert sorted(piles(game, 0)[1]) == sorted(deck)
        other = piles(game, 1)
        assert [*map(len, other)] == [2, 3, 3]
        assert other[2][-1] == "curse"
        assert sorted(chain(*other)) == sorted(chain(*OTHER.values()))
        hands.add((*other[0], *other[2]))
        decks.add((*piles(game, 0)[1],))
    assert len(hands) > 1
    assert len(decks) > 1


def test_a_reshuffle_shuffles_decks_alone() -> None:
    decks: list[set[tuple[str, ...]]] = [set(), set()]
    for luck in range(6):
        game = situation({"seats": {"player1": SEAT, "player2": OTHER}})
        before = [piles(game, seat) for seat in (0, 1)]
        game.redeal([0, 1], SeededRandomSource(luck))
        for seat in (0, 1):
            hand, deck, discards = piles(game, seat)
            assert (hand, discards) == before[seat][::2]
            assert sorted(deck) == sorted(before[seat][1])
            decks[seat].add(tuple(deck))
    assert all(len(each) > 1 for each in decks)


def test_a_copy_in_the_middle_of_a_turn_continues_alone() -> None:
    hand = ["gold", "gold", "militia"]
    turn = {"actions": 1, "buys": 2, "money": 1, "bought": ["moat"], "gained": ["moat", "curse"]}
    game = situation({"seats": {"player1": {"hand": hand}}, "turn": turn})
    copy = game.copy(SeededRandomSource(1))
    assert copy is not None
    assert request(copy) == request(game)
    reply(copy, {**BUY, "played_treasures": ["gold"], "cards_to_buy": ["cellar"]})
    first = request(copy)
    assert (first["cards_bought"], first["cards_gained"]) == (
        ["moat", "cellar"],
        ["moat", "curse", "cellar"],
    )
    assert request(game)["cards_bought"] == ["moat"]
    assert game.table.supply.counts["cellar"] == copy.table.supply.counts["cellar"] + 1
    counts = [each.table.players[0].gains[-1] for each in (game, copy)]
    assert counts[0] != counts[1]
    assert copy.table.players[0].turns == game.table.players[0].turns == 1
    reply(game, {"type": "play-reply", "phase": "action", "card": "militia"})
    assert asked(game).seat == 1
    assert game.copy(SeededRandomSource(1)) is None
    reply(copy, END)
    assert (asked(copy).seat, copy.turns) == (1, 2)
    reply(copy, END)
    assert copy.outcome is not None
    assert copy.copy(SeededRandomSource(1)) is None
