"""Observations reach every bound that the environment declares, so none of them is too wide.

Real matches are too short for that. We start from situations that put all cards in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from referee.games import GAMES
from referee.games.dominion.rules.cards import KINGDOM, STARTING_DECK
from referee.games.dominion.rules.supply import Supply
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.starrealms.rules.cards import CARDS, EXPLORER, TRADE_DECK
from referee.games.tribute.rules.cards import PATRONS, card_set
from tests.support.learners import chosen
from tests.support.marks import all_cases, slow

NOT_REACHED = {
    "dominion": {"turns", "chosen cellar"},
    "starrealms": {"turn"},
    "tribute": {"turn"},
}
"""Entries that we skip, since reaching them takes a full-length match or buying ten cellars."""


def dominion() -> Iterator[dict[str, Any]]:
    supply = Supply(2, KINGDOM).counts
    owned = [*STARTING_DECK, *(card for card, count in supply.items() for _ in range(count))]
    rich = {"actions": 11, "buys": 21, "money": 32}
    for place in ("hand", "deck", "discard_pile", "in_play"):
        seats = {"player1": {place: owned}, "player2": {"hand": owned}}
        yield {"seats": seats, "turn": rich}
    for cards in (["curse"] * 10, [card for card in owned if card != "curse"]):
        yield {"seats": {"player1": {"hand": cards}, "player2": {"hand": cards}}}
    # The cellar discards all copies of the card, which leaves one other card in the hand.
    for card in supply.keys() - {"cellar"}:
        other = "curse" if card == "workshop" else "workshop"
        yield {"seats": {"player1": {"hand": ["cellar", *[card] * owned.count(card), other]}}}


def starrealms() -> Iterator[dict[str, Any]]:
    owned = [card for card in CARDS for _ in range(10 if card == EXPLORER else CARDS[card].copies)]
    bases = [card for card in owned if not CARDS[card].is_ship]
    for place, cards in (("hand", owned), ("deck", owned), ("discard", owned), ("bases", bases)):
        seat = {place: cards, "authority": 200, "due": 10 if place == "deck" else 0}
        seats = {"player1": seat | {"due": 0}, "player2": seat}
        yield {"seats": seats, "trade_row": list(TRADE_DECK), "trade": 100, "combat": 100}
        yield {"seats": {"player1": seat | {"hand": owned[:5], "due": 5}, "player2": seat}}


def tribute() -> Iterator[dict[str, Any]]:
    for patrons in (PATRONS[:4], PATRONS[4:8], PATRONS[5:]):
        decks = (*patrons, "TREASURY")
        kinds = [kind for kind in card_set("2025-04").kinds.values() if kind.deck in decks]
        owned = [kind.card for kind in kinds for _ in range(kind.copies or 10)]
        agents = [{"card": k.card} for k in kinds if k.is_agent for _ in range(k.copies or 10)]
        piles: dict[str, Any] = dict.fromkeys(("hand", "draw_pile", "cooldown", "played"), owned)
        for favoured, (place, cards) in enumerate((piles | {"agents": agents}).items()):
            seat = {place: cards, "coins": 100, "power": 100, "patron_calls": 10}
            seat |= {"known": len(owned)} if place == "draw_pile" else {}
            seat |= {"prestige": 100} if place == "agents" else {}
            favours = dict.fromkeys(patrons, f"player{1 + favoured % 2}")
            places = {"row": owned, "tavern_deck": owned, "favours": favours}
            yield {"patrons": patrons, "seats": {"player1": seat, "player2": seat}} | places


def botwars() -> Iterator[dict[str, Any]]:
    for energy in ((66, 0), (0, 66)):
        yield {"grid": "." * 400, "energy": energy}


@pytest.mark.untraced
@pytest.mark.parametrize("name", [slow(dominion), slow(starrealms), all_cases(tribute), botwars])
def test_every_bound_is_reached(name: Any) -> None:
    """Entries with the bound 1 may stay at 0, since some of them can only be 0.

    The situations contain more cards than a match does, so observations may exceed other bounds.
    """
    definition = GAMES[name.__name__]
    environment, options = definition.environment, definition.options()
    assert environment is not None
    assert definition.situation is not None
    numbers = environment.observation(2, options)
    least, most = numbers.high.copy(), numbers.low.copy()
    players = [environment.translator(seat, 2, options) for seat in range(2)]
    setups = [(state, play) for state in (*name(), None) for play in range(-1, 3)]
    names = np.broadcast_to(np.array(numbers.names), most.shape)

    def not_reached() -> set[str]:
        less = (most < numbers.high) & ~((numbers.high == 1) & (most == 0))
        less |= (numbers.low < 0) & (least > numbers.low)
        return {*names[less].tolist()} - NOT_REACHED.get(name.__name__, set())

    for number, (state, play) in enumerate(setups):
        if not not_reached():
            break
        random = Random(number)
        setup = GameSetup(chance=SeededRandomSource(number), names=("A", "B"), options=options)
        game = definition.new(setup) if state is None else definition.situation(setup, state)
        for _ in range(300):
            asked = {request.seat: None for request in game.requests}
            replies = {}
            for seat, player in enumerate(players):
                player.look(game.view(seat), asked=seat in asked)
                while seat not in replies:
                    seen, legal = player.observe(), player.legal()
                    np.minimum(least, seen, out=least)
                    np.maximum(most, seen, out=most)
                    if seat not in asked:
                        break
                    if legal is None or play == 2:
                        action = chosen(random, seen if legal is None else {"action_mask": legal})
                    else:  # The last, the first or the second legal action.
                        actions = np.flatnonzero(legal)
                        action = actions[min(play, len(actions) - 1)]
                    reply = player.act(action)
                    if reply is not None:
                        replies[seat] = reply
            if not replies:
                break
            game.advance(replies)
    assert not_reached() == set()
