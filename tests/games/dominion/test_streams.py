"""All randomness is derived from the seed, in separate streams (protocol-v1, 4.7)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.dominion.rules.cards import KINGDOM
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.player import Player
from referee.games.dominion.rules.table import Table
from referee.games.interface.random_source import SeededRandomSource
from referee.match.machine import Match
from tests.support.helpers import (
    COST,
    WORTH,
    Imposed,
    new_match,
    play_out,
    seat_of,
    stream,
    to_line,
)
from tests.support.random_players import mixed, nonsense

Json = dict[str, Any]
Decide = Callable[[Json], Json | bytes]


# --- the streams as the protocol writes them down -----------------------------------------------


def shuffled(cards: Sequence[str], chance: Random) -> list[str]:
    """Shuffle like the page says: Fisher-Yates, starting at the end (4.7)."""
    order = list(cards)
    for i in reversed(range(1, len(order))):
        j = int(chance.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


@given(st.integers(0, 2**53 - 1), st.integers(0, 3))
@settings(max_examples=50)
def test_deal_and_reshuffle_follow_the_stream_of_the_seat(seed: int, seat: int) -> None:
    chance = stream(seed, f"player{seat + 1}")
    player = Player(seat, SeededRandomSource(seed))
    deck = shuffled(["copper"] * 7 + ["estate"] * 3, chance)
    assert player.hand == deck[:-6:-1]
    assert player.deck == deck[:5]
    for _ in range(3):
        cards = [f"card {n}" for n in range(12)]
        player.deck = []
        player.hand = []
        player.discard_pile = cards.copy()
        player.draw(4)
        deck = shuffled(cards, chance)
        assert player.hand == deck[:-5:-1]
        assert player.deck == deck[:-4]


@given(st.integers(0, 2**53 - 1))
@settings(max_examples=50)
def test_random_discards_follow_the_stream_of_the_referee(seed: int) -> None:
    chance = stream(seed, "referee")
    table = Table(SeededRandomSource(seed), 4, KINGDOM)
    for player in table.players:
        hand = [f"card {n}" for n in range(7)]
        player.hand = hand.copy()
        expected = [hand.pop(int(chance.random() * len(hand))) for _ in range(4)]
        assert table.take_at_random(player, 4) == expected
        assert player.hand == hand


def test_the_first_hand_that_the_protocol_shows() -> None:
    assert Player(0, SeededRandomSource(4)).hand == [
        "estate",
        "copper",
        "estate",
        "copper",
        "copper",
    ]


def test_streams_differ_by_seed_and_owner() -> None:
    starts = {
        tuple(stream(seed, owner).random() for _ in range(2))
        for seed in range(50)
        for owner in ("player1", "player2", "player3", "player4", "referee")
    }
    assert len(starts) == 250


# --- nothing else is random -------------------------------------------------------------------


@pytest.mark.parametrize("choose", [mixed, nonsense])
def test_the_global_stream_is_neither_used_nor_changed(choose: Any) -> None:
    def lines() -> list[Any]:
        chance = Random(6)
        supply = dict.fromkeys(COST, 10)
        match = new_match(3, seed=8, max_turns=15)
        return play_out(match, lambda number, request: choose(chance, request, supply))

    random.seed(1)
    before = random.getstate()
    first = lines()
    assert random.getstate() == before
    random.seed(2)
    assert lines() == first


# --- a seat's luck does not depend on what the others do --------------------------------------


CLEANUP = {"type": "play-reply", "phase": "cleanup"}


def buys(*wanted: str) -> Decide:
    """Play militias, and buy the first wanted card that the money is enough for."""

    def decide(request: Json) -> Json:
        if request["type"] == "attack-request":
            return {"type": "attack-reply", "discard": request["options"][: request["discard"]]}
        if request["actions"] and "militia" in request["hand"]:
            return {"type": "play-reply", "phase": "action", "card": "militia"}
        if not request["buys"]:
            return CLEANUP
        treasures = [card for card in request["hand"] if card in WORTH]
        money = request["extra_money"] + sum(WORTH[card] for card in treasures)
        card = next((card for card in wanted if COST[card] <= money), "copper")
        reply = {"type": "play-reply", "phase": "buy"}
        return {**reply, "played_treasures": treasures, "cards_to_buy": [card]}

    return decide


def idle(request: Json) -> Json:
    if request["type"] == "attack-request":
        return {"type": "attack-reply", "discard": request["options"][-request["discard"] :]}
    return CLEANUP


def silent(request: Json) -> bytes:
    return b"?"


def careless_under_attack(request: Json) -> Json | bytes:
    return b"?" if request["type"] == "attack-request" else buys("gold", "silver")(request)


OPPONENTS: dict[str, Decide] = {
    "idle": idle,
    "silent": silent,
    "money": buys("gold", "silver"),
    "curses": buys("curse"),
    "careless": careless_under_attack,
}


def hands(*decide: Decide, seed: int, seat: int = 0, turns: int = 20) -> list[list[str]]:
    """Play a match and return the hands with which this seat began its turns."""
    seen: dict[int, list[str]] = {}
    imposed = Imposed({"dealt": True})
    match = Match(imposed.definition, seats=len(decide), seed=seed, options=Options(turns))

    def answer(number: str, request: Json) -> bytes:
        asked = seat_of(number)
        if asked == seat and request["type"] == "play-turn":
            turn = imposed.game.table.players[seat].turns
            seen.setdefault(turn, request["hand"])
        reply = decide[asked](request)
        return reply if isinstance(reply, bytes) else to_line(reply)

    play_out(match, answer)
    return [hand for _, hand in sorted(seen.items())]


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("own", [("silver",), ("militia", "silver"), ("smithy", "estate")])
def test_the_opponent_does_not_change_the_order_of_the_cards(
    seed: int, own: tuple[str, ...]
) -> None:
    alone = hands(buys(*own), idle, seed=seed)
    assert len(alone) == 20
    assert len({tuple(hand) for hand in alone}) > 5
    for opponent in OPPONENTS.values():
        assert hands(buys(*own), opponent, seed=seed) == alone


@pytest.mark.parametrize("seed", range(1))
def test_the_number_of_opponents_does_not_change_the_order_of_the_cards(seed: int) -> None:
    alone = hands(buys("militia", "silver"), idle, seed=seed, turns=12)
    others = list(OPPONENTS.values())
    assert hands(buys("militia", "silver"), *others[:2], seed=seed, turns=12) == alone
    assert hands(buys("militia", "silver"), *others[2:], seed=seed, turns=12) == alone


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_every_seat_has_luck_of_its_own(seat: int) -> None:
    players = [buys("silver")] * 4
    # Stop after nine turns, while the supply still has silver for everyone.
    own = hands(*players, seed=7, seat=seat, turns=9)
    assert own != hands(*players, seed=7, seat=0, turns=9)
    others = [OPPONENTS["money"]] * 4
    others[seat] = buys("silver")
    assert hands(*others, seed=7, seat=seat, turns=9) == own
    assert hands(*players, seed=8, seat=seat, turns=9) != own
