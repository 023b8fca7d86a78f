"""Check what Dominion rule files decide in given situations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from referee.games.dominion.rules.game import Dominion, begin_at
from referee.games.dominion.vocabulary import VOCABULARY
from referee.rulefiles.reading import read
from referee.rulefiles.scores import Book
from tests.support.helpers import answer, asked, decoded, from_struct, new_setup, to_line

Json = dict[str, Any]


def book_of(**fields: Any) -> Book:
    """Return a rule file with these fields. It must be valid."""
    file = {"name": "x", "author": "y", **fields}
    book, problems = read(json.dumps(file).encode(), VOCABULARY, "dominion")
    assert problems == []
    assert book is not None
    return book


def averages(count: int) -> Json:
    """Return the fields of a rule file whose first decision takes 36 steps per average."""
    names = [f"a{number}" for number in range(count)]
    conditions = {f"supply_card_info_avg_{name}": "< 9" for name in names}
    return {
        "cardInfo": [{"card": "*", "info": dict.fromkeys(names, 1)}],
        "buyRules": [{"card": "curse", "rules": [conditions | {"score": -1}]}],
    }


def said(book: Book, game: Dominion) -> Json:
    """Return a rule file's reply to the game's request, without missing and null fields."""
    reply = VOCABULARY.rule_player(book).reply(game.view(asked(game).seat))
    found: Mapping[str, Any] = from_struct(reply)
    return {name: value for name, value in found.items() if value is not None and name != "type"}


def does(game: Dominion, **reply: Any) -> None:
    answer(game, decoded(to_line(reply)))


def in_turn(
    hand: str,
    *,
    turn: Json | None = None,
    supply: Mapping[str, int] | None = None,
    players: int = 2,
    **cards: Any,
) -> Dominion:
    """Return a game in which player 1 has this hand and it's their turn.

    The hand is a string of card names separated by spaces.
    """
    seats = {"player1": {"hand": hand.split(), **cards}}
    state = {"seats": seats, "turn": turn or {}, "supply": supply or {}}
    return begin_at(new_setup(players), state)


def under_attack(hand: str) -> Dominion:
    seats = {"player1": {"hand": ["militia"]}, "player2": {"hand": hand.split()}}
    game = begin_at(new_setup(2), {"seats": seats})
    does(game, type="play-reply", phase="action", card="militia")
    return game
