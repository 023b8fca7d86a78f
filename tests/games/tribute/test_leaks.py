"""The "leaks" dialects, which show the card orders that the engine reveals (protocol, 6.10)."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from referee.diagnosis.author import dialects_for
from referee.games.interface.game import ALL
from referee.games.tribute import RULES
from referee.games.tribute.leaks import Leaky, LeakyIndex
from referee.games.tribute.rules.cards import card_set
from tests.games.tribute.test_classic import Json
from tests.games.tribute.test_vectors import VECTORS
from tests.games.tribute.tribute_matches import new_match, right
from tests.support.helpers import TIMES, Announced, name_line, seat_of, to_line

PLACES = {card: place for place, card in enumerate(card_set("2025-04").kinds)}
PELIN = {"type": "call-patron", "patron": "PELIN"}


def uids(cards: list[Json]) -> list[int]:
    return [card["UniqueId"] for card in cards]


def by_card(cards: Any) -> list[int]:
    """Sort cards by their number and return their uids. Equal cards keep their order."""
    return [card.uid for card in sorted(cards, key=lambda card: PLACES[card.card])]


class Known:
    """Counts the cards of its draw pile that a player knows, in the same way as the engine.

    Cards that are put back on top count, except for those of Pelin. They stop counting when they're
    drawn or tossed.
    """

    def __init__(self, seat: int) -> None:
        self.player = f"player{seat + 1}"
        self.count = 0
        self.forgot = 0

    def observe(self, message: Json) -> None:
        if message.get("player_number") != self.player:
            return
        if message["type"] == "player-drew":
            self.count = max(0, self.count - message["count"])
        elif message["type"] == "event" and message["kind"] == "toss":
            self.count -= 1
        elif message["type"] == "event" and message["kind"] == "refresh":
            from_pelin = message["source"] == "PELIN"
            self.count += not from_pelin
            self.forgot += from_pelin

    def ask(self, request: Json) -> None:
        if request.get("follow_up") == "toss-cards":
            self.count = max(self.count, len(request["cards"]))


def played(seed: int, kinds: tuple[type[Leaky], type[Leaky]], **options: Any) -> int:
    """Play a match of random bots, and check that each state shows the real order of the piles.

    Returns:
        How many cards Pelin put back.
    """
    match = new_match(seed, **options)
    dialects = [kind(seat, seed, "bot") for seat, kind in enumerate(kinds)]
    counts = [Known(seat) for seat in (0, 1)]
    dice = Random(seed)
    match.start()
    while True:
        told = Announced(match.take_entries())
        for message in told.public:
            for dialect, known in zip(dialects, counts, strict=True):
                dialect.send(to_line(message))
                known.observe(message)
        if not match.due:
            return sum(known.forgot for known in counts)
        for to, request in told.requests:
            seat = seat_of(to)
            data = dialects[seat].send(to_line(request))
            if request["type"] == "player-name-request":
                match.receive(seat, dialects[seat].answer() or b"")
                continue
            if request["type"] != "patron-request":
                counts[seat].ask(request)
                shown = json.loads(data.removesuffix(b"EOT\n"))
                state = shown.get("State", shown)
                view: Any = match.view(ALL)
                me, other = view.seats[seat], view.seats[1 - seat]
                pile = [card.uid for card in me.draw_pile]
                assert uids(state["CurrentPlayer"]["DrawPile"]) == pile
                assert uids(state["CurrentPlayer"]["KnownPile"]) == pile[: counts[seat].count]
                hidden = by_card(other.draw_pile + other.hand)
                assert uids(state["EnemyPlayer"]["HandAndDraw"]) == hidden
                assert uids(state["TavernCards"]) == by_card(view.tavern_deck)
            if PELIN in request.get("actions", ()):
                match.receive(seat, to_line({"type": "play-reply", "action": PELIN}))
            else:
                match.receive(seat, right(dice, request))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2 * TIMES))
def test_states_have_the_orders_of_the_engine(seed: int) -> None:
    chance = ("streams", "engine")[seed % 2]
    patrons = ("PELIN", "SAINT_ALESSIA", "PSIJIC", "RED_EAGLE")
    assert played(seed, (Leaky, LeakyIndex), chance=chance, patrons=patrons, max_turns=30)


def test_the_first_state_of_the_engines_example() -> None:
    """The state must show the orders that result from the engine's shuffles (4.2, 4.11)."""
    set_up = VECTORS["set_ups"][0]
    seed, first = set_up["seed"], 10_000
    match = new_match(seed, cards=set_up["card_set"], chance="engine")
    dialect = Leaky(0, seed, "bot")
    picks = [set_up["patrons"][place] for place in (0, 1, 3, 4)]
    asked: Json = {}
    match.start()
    while asked.get("type") != "play-turn":
        told = Announced(match.take_entries())
        for message in told.public:
            dialect.send(to_line(message))
        for to, asked in told.requests:
            seat = seat_of(to)
            if asked["type"] == "player-name-request":
                match.receive(seat, name_line(seat))
            elif asked["type"] == "patron-request":
                match.receive(seat, to_line({"type": "patron-reply", "patron": picks.pop(0)}))
    state = json.loads(dialect.send(to_line(asked)).removesuffix(b"EOT\n"))
    # For each patron, player 1's starters are numbered before player 2's. The third has six Gold.
    starters = [[99, 101, *range(103, 109), 115, 117], [100, 102, *range(109, 115), 116, 118]]
    orders = [
        [starters[seat][place] for place in set_up[f"player{seat + 1}_order"]] for seat in (0, 1)
    ]
    me = state["CurrentPlayer"]
    assert uids(me["Hand"] + me["DrawPile"]) == [first + place for place in orders[0]]
    tavern = [first + place for place in set_up["tavern_order"]]
    assert uids(state["TavernAvailableCards"]) == tavern[:5]
    other = [first + place for place in orders[1][5:] + orders[1][:5]]
    piles = (state["TavernCards"], tavern[5:]), (state["EnemyPlayer"]["HandAndDraw"], other)
    for cards, order in piles:
        assert sorted(uids(cards)) == sorted(order)
        for one, next_ in pairwise(cards):
            if one["name"] == next_["name"]:
                assert order.index(one["UniqueId"]) < order.index(next_["UniqueId"])


def test_authors_are_not_told_of_them() -> None:
    advice = dialects_for(RULES, "bot.py")
    assert advice == 'if it speaks classic or classic-index, give it as "classic:bot.py"'
