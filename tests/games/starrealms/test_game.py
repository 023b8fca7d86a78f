"""Whole Star Realms matches with random bots keep their invariants, and seeds are reproducible."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE
from referee.games.interface.game import ALL
from referee.games.starrealms import RULES
from referee.games.starrealms.rules.cards import EXPLORER, STARTING_DECK, TRADE_DECK
from tests.games.starrealms.star_matches import Choose, mixed, new_match, new_setup, right, wrong
from tests.support.helpers import TIMES, Announced, name_line, to_line

Json = dict[str, Any]
SEEDS = st.integers(0, 2**53 - 1)


def owned(view: Any) -> Counter[str]:
    """All cards in the game, wherever they are."""
    cards = Counter({EXPLORER: view.explorers}) + Counter(view.trade_row)
    for seat in view.seats:
        cards += Counter(seat.hand) + Counter(seat.deck) + Counter(seat.discard)
        cards += Counter(piece.card for piece in seat.in_play)
        assert Counter(seat.hidden) == Counter(seat.hand) + Counter(seat.deck)
    return cards


def played(seed: int, choose: Choose, **options: Any) -> Announced:
    """Play a match, check it after each reply, and return all messages."""
    match = new_match(seed, **options)
    dice = Random(seed)
    scrapped: Counter[str] = Counter()
    all_cards = Counter([*TRADE_DECK, *STARTING_DECK, *STARTING_DECK])
    all_cards[EXPLORER] = RULES.options(**options).explorers
    match.start()
    entries = match.take_entries()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    while True:
        new = match.take_entries()
        entries += new
        told = Announced(new)
        for message in told.public:
            if message["type"] == "player-scrapped" and message["card"] != EXPLORER:
                scrapped[message["card"]] += 1
        view: Any = match.view(ALL)
        cards = owned(view) + scrapped
        assert cards <= all_cards
        assert cards.total() + view.trade_deck == all_cards.total()
        assert min(view.trade, view.combat, view.trade_deck, view.explorers) >= 0
        if not match.due:
            return Announced(entries)
        (seat,) = match.due
        ((to, request),) = told.requests
        assert to == f"player{seat + 1}"
        check_request(request, view.seats[seat])
        match.receive(seat, choose(dice, request))


def check_request(request: Json, seat: Any) -> None:
    """The state in a request must be the real one, and its actions must differ from each other."""
    state = request["state"]
    assert (state["hand"], state["deck"]) == (seat.hand, sorted(seat.deck))
    assert (state["discard"], state["authority"]) == (seat.discard, seat.authority)
    if request["type"] == "choose":
        assert 0 <= request["least"] <= request["most"] <= len(request["options"])
        assert request["most"] >= 1
    else:
        actions = [json.dumps(action) for action in request["actions"]]
        assert len(set(actions)) == len(actions)
        assert request["actions"][-1] == {"action": "end-turn"}


@pytest.mark.untraced
@settings(max_examples=4 * TIMES)
@given(SEEDS, st.sampled_from([right, mixed, wrong]), st.sampled_from([0, 1, 10]))
def test_whatever_bots_do_no_card_is_lost(seed: int, choose: Choose, explorers: int) -> None:
    told = played(seed, choose, explorers=explorers, max_turns=6)
    assert told.public[-1]["type"] == "game-end"
    if choose is right:
        assert told.faults == []


@pytest.mark.slow
def test_a_match_goes_through_all_that_can_happen() -> None:
    """Make sure that the random bots reach every message and every fault."""
    told = Counter(message["type"] for seed in range(2) for message in played(seed, right).public)
    assert {struct.__struct_config__.tag for struct in RULES.public} <= told.keys()
    faults = {(code, where) for seed in range(3) for _, code, where in played(seed, mixed).codes()}
    shared = {(code, where) for code in (INVALID_JSON, WRONG_TYPE) for where in ("5.3", "6.3")}
    assert faults == {*RULES.faults.items()} | shared


def test_the_deal_of_a_seed() -> None:
    """A record must replay the same forever, so the deal of a seed is fixed here (4.11)."""
    game = RULES.new(new_setup(1))
    view: Any = game.view(ALL)
    assert view.trade_row == [
        *("Defense Center", "Trading Post", "Trade Bot", "Survey Ship", "Imperial Frigate")
    ]
    assert view.seats[0].hand == ["Scout", "Viper", "Scout"]
    assert view.seats[1].hand == ["Scout", "Scout", "Viper", "Viper", "Scout"]


def first(dice: Random, request: Json) -> bytes:
    if request["type"] == "choose":
        return to_line({"type": "choose-reply", "picks": [0]})
    return to_line({"type": "play-reply", "actions": request["actions"][:1]})


def test_the_same_seed_is_the_same_match() -> None:
    """A record must replay the same forever, so we compare with a fixed digest."""
    public = json.dumps(played(1, first, max_turns=12).public)
    assert hashlib.sha256(public.encode()).hexdigest()[:16] == "8cadbf425ca2f304"
