"""The toy card game for programs that learn. There is one number and one action for each card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.games.interface.choices import Choices, ChoosingTranslator
from referee.games.interface.environment import Environment, Numbers

from .messages import PlayReply, PlayRequest
from .rules import CARDS, Options
from .view import View

CHOICES = tuple(f"play {card}" for card in CARDS)
NAMES = ("turn", *(f"{place} {card}" for place in ("hand", "trick") for card in CARDS))


def layout(seats: int, options: Options) -> Numbers:
    """Describe the entries of an observation and their bounds."""
    high = np.ones(len(NAMES), np.int32)
    high[0] = seats * options.hand_size
    return Numbers(NAMES, np.zeros_like(high), high)


class Translator(ChoosingTranslator, choices=CHOICES, names=NAMES):
    """Implements `referee.games.interface.environment.Translator`."""

    def choices(self) -> Choices:
        return PlayReply((yield {f"play {card}": card for card in self.view.request.hand}))

    def chosen(self, reply: Any) -> Iterable[str]:
        return [f"play {reply.card}"]

    def observe(self) -> NDArray[np.int32]:
        hand, trick = self.view.hands[self.seat] or (), self.view.trick.values()
        places = [card in place for place in (hand, trick) for card in CARDS]
        return np.array([self.view.turn, *places], np.int32)


class ToyTracker:
    """Implements `referee.games.interface.environment.StateTracker`. The last request is enough."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat, self._seats = seat, seats
        self._request: PlayRequest

    def observe(self, message: Struct) -> None:
        if isinstance(message, PlayRequest):
            self._request = message

    def view(self) -> View:
        own = self._request
        hands = [own.hand if seat == self._seat else None for seat in range(self._seats)]
        return View(own.turn, own.trick, own.scores, own.hand_sizes, hands, None, own)


ENVIRONMENT = Environment(
    id="ToyCards",
    opponent="",
    version=1,
    choices=lambda options: CHOICES,
    observation=layout,
    translator=lambda seat, seats, options: Translator(seat, seats),
    tracker=ToyTracker,
)
