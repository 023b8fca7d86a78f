"""Dominion for programs that learn: what a seat knows as numbers, its replies from integers."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.errors import UsageError
from referee.games.dominion.environment.actions import NAMES
from referee.games.dominion.environment.choices import (
    STAGES,
    Choice,
    Choices,
    attack_choices,
    turn_choices,
)
from referee.games.dominion.environment.knowledge import WORTHS, Knowledge
from referee.games.dominion.rules.cards import CARDS, KINGDOM, MILITIA_HAND_SIZE, POINTS
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.messages import AttackRequest
from referee.games.dominion.rules.supply import Supply
from referee.games.dominion.rules.view import View
from referee.games.interface.environment import Numbers

_STAGE = {stage: place for place, stage in enumerate(STAGES)}
_OWN_CARDS = ("chosen", "hand", "in play", "discard pile", "deck")
_NOT_ASKED = Choice("", ())


def layout(seats: int, options: Options) -> Numbers:
    """What an observation is made of; `Translator.observe` has its entries in the same order."""
    full = Supply(seats).counts
    # A kingdom card is in one place at a time and is played once a turn.
    plays = {card: full[card] for card in KINGDOM}
    owned = {card: full[card] + 10 for card in CARDS}  # with those that were dealt
    coins = sum(owned[card] * WORTHS[place] for place, card in enumerate(CARDS))
    extra = sum(plays[card] * CARDS[card].money for card in KINGDOM)
    most = sum(owned[card] * worth for card, worth in POINTS.items() if worth > 0)
    least = sum(owned[card] * worth for card, worth in POINTS.items() if worth < 0)
    entries: list[tuple[str, int, int]] = [(f"stage {stage}", 0, 1) for stage in STAGES]
    entries += [
        ("actions", 0, 1 + sum(plays[card] * CARDS[card].actions for card in KINGDOM)),
        ("buys", 0, 1 + sum(plays[card] * CARDS[card].buys for card in KINGDOM)),
        ("extra money", 0, extra),
        ("money", 0, extra + coins),
        ("due", 0, sum(owned.values()) - MILITIA_HAND_SIZE),
        ("turns", 0, options.max_turns),
        ("seat", 0, seats - 1),
        ("score", least, most),
    ]
    for place in _OWN_CARDS:
        entries += [(f"{place} {card}", 0, owned[card]) for card in CARDS]
    entries += [(f"supply {card}", 0, full[card]) for card in CARDS]
    for other in range(1, seats):
        entries.append((f"opponent {other} score", least, most))
        entries += [(f"opponent {other} owns {card}", 0, owned[card]) for card in CARDS]
    names, low, high = zip(*entries, strict=True)
    return Numbers(names, np.array(low, np.int32), np.array(high, np.int32))


class Translator:
    """Implements `referee.games.interface.environment.Translator` for Dominion."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        # In turn order from the left.
        self._others = [(seat + step) % seats for step in range(1, seats)]
        self._known: Knowledge
        self._choices: Choices[Struct] | None = None
        self._choice = _NOT_ASKED

    def look(self, view: View, *, asked: bool) -> None:
        """Take what the seat knows now."""
        self._known = Knowledge(self._seat, view)
        self._choices, self._choice = None, _NOT_ASKED
        if asked:
            attacked = isinstance(view.request, AttackRequest)
            self._choices = (attack_choices if attacked else turn_choices)(self._known)
            self._choice = next(self._choices)

    def observe(self) -> NDArray[np.int32]:
        """What the seat knows, as `layout` says."""
        known = self._known
        numbers = [0] * len(STAGES)
        if self._choice.stage:
            numbers[_STAGE[self._choice.stage]] = 1
        numbers += (known.actions, known.buys, known.extra_money, known.money)
        numbers += (known.due, known.turns, self._seat, known.scores[self._seat])
        for cards in known.own():
            numbers += cards
        numbers += known.supply
        for other in self._others:
            numbers.append(known.scores[other])
            numbers += known.owned[other]
        return np.array(numbers, np.int32)

    def legal(self) -> NDArray[np.int8]:
        """1 for each action that is legal now, else 0."""
        mask = np.zeros(len(NAMES), np.int8)
        mask[list(self._choice.legal)] = 1
        return mask

    def act(self, action: Any) -> Struct | None:
        """Take an action; returns the reply once it is complete.

        Raises:
            UsageError: it is no legal action; nothing has changed.
        """
        try:
            number = index(action)  # of any type of integers
        except TypeError:
            number = -1
        if number not in self._choice.legal or self._choices is None:
            raise UsageError(self._why_not(action))
        try:
            self._choice = self._choices.send(number)
        except StopIteration as done:
            self._choices, self._choice = None, _NOT_ASKED
            reply: Struct = done.value
            return reply
        return None

    def show(self) -> str:
        """What the seat knows, for people."""
        known = self._known
        lines = [
            f"turn {known.turns}; {self._choice.stage or 'not asked'}",
            f"actions {known.actions}, buys {known.buys}, money {known.money}",
        ]
        lines += [
            f"{place}: {_listed(cards)}"
            for place, cards in zip(_OWN_CARDS, known.own(), strict=True)
        ]
        lines.append(f"supply: {_listed(known.supply)}")
        lines.append(f"legal: {', '.join(NAMES[action] for action in self._choice.legal)}")
        return "\n".join(lines)

    def _why_not(self, action: object) -> str:
        if not self._choice.legal:
            return f"action {action}: this seat is not asked"
        legal = ", ".join(f"{number} {NAMES[number]}" for number in self._choice.legal)
        return f"action {action} is not legal now; legal are: {legal}"


def _listed(cards: Sequence[int]) -> str:
    shown = [f"{count} {card}" for card, count in zip(CARDS, cards, strict=True) if count]
    return ", ".join(shown) or "none"
