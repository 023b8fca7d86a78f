"""Copies of a table. They share all cards but agents in play, which have hit points."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from copy import copy
from typing import Any, TypeVar

from msgspec import structs

from referee.games.interface.table import copied
from referee.games.tribute.rules.table import Choice, Due, Table

A = TypeVar("A", bound=Any)


def copy_of(table: Table, asked: A) -> tuple[Table, A]:
    """Copy a table, and its choice or actions.

    The copy shares the table's generators.
    """
    agents: dict[Any, Any] = {each: copy(each) for p in table.players for each in p.agents}

    def dues(waiting: Iterable[Due]) -> list[Due]:
        return [due._replace(source=agents.get(due.source, due.source)) for due in waiting]

    players = [
        copied(
            player,
            agents=[agents[each] for each in player.agents],
            made=copied(player.made, missed=player.made.missed.copy()),
        )
        for player in table.players
    ]
    made = copied(
        table,
        events=[],
        players=players,
        me=players[table.me.seat],
        other=players[table.other.seat],
        favours={each: p and players[p.seat] for each, p in table.favours.items()},
        queue=deque(dues(table.queue)),
        discards=dues(table.discards),
        waiting={deck: [dues(level) for level in ls] for deck, ls in table.waiting.items()},
    )
    if not isinstance(asked, Choice):
        return made, asked
    cards = [agents.get(card, card) for card in asked.cards]
    source = agents.get(asked.source, asked.source)
    return made, structs.replace(asked, source=source, cards=cards)
