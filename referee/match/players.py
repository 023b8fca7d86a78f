"""Plays legal moves at random.

The players don't know the rules, so they get the legal moves from the game's environment, from the
choices that it offers to people, or from its `simplest_reply`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialogue import Dialogue, Picks, Question
from referee.games.interface.seats import seat_id
from referee.match.messages import PlayerNameReply

_TRIES = 20


class Players:
    """Plays all seats of a match.

    Args:
        definition: a game for which `can_play` is True.
        names: the players' names, in seat order.
        options: the options of the game.
        seed: the same seed leads to the same choices.
    """

    def __init__(
        self, definition: GameDefinition, names: tuple[str, ...], options: Any, seed: int | str
    ) -> None:
        self._definition = definition
        self._dice = Random(f"{seed}/players")
        self._translators: list[Any] = []
        self._people: list[Dialogue] = []
        environment, seats = definition.environment, range(len(names))
        if environment is not None:
            self._choices = len(environment.choices(options))
            self._shape = environment.action_shape(options)
            self._translators = [environment.translator(s, len(seats), options) for s in seats]
        elif definition.person is not None:
            self._people = [definition.person(list(names), seat) for seat in seats]

    @staticmethod
    def can_play(definition: GameDefinition) -> bool:
        """Return True if the game has an environment, a `person` or a `simplest_reply`."""
        return bool(definition.environment or definition.person or definition.simplest_reply)

    @property
    def kind(self) -> str:
        """The word for a player in findings: "a person" or "a program"."""
        return "a person" if self._people else "a program"

    def observe(self, seat: int, message: Struct) -> None:
        """Pass a message to the person in a seat. Programs don't read messages."""
        if self._people:
            self._people[seat].observe(message)

    def end(self) -> None:
        """Announce the end of the match to people."""
        for person in self._people:
            person.end()

    def reply(self, seat: int, request: Struct, view: Struct) -> bytes:
        """Return a legal reply to a request, as a line."""
        if self._translators:
            return msgspec.json.encode(self._act(seat, view))
        if self._people:
            return msgspec.json.encode(self._decide(seat, request))
        assert self._definition.simplest_reply is not None
        asked = msgspec.json.decode(msgspec.json.encode(request))
        return msgspec.json.encode(self._definition.simplest_reply(asked))

    def _act(self, seat: int, view: Struct) -> Struct:
        player = self._translators[seat]
        player.look(view, asked=True)
        while True:
            legal = player.legal()
            if legal is None:
                action = self._array()
            else:
                (actions,) = legal.nonzero()
                if not len(actions):
                    raise ValueError(
                        "the environment has no legal action for a seat with a request"
                    )
                action = int(self._dice.choice(actions.tolist()))
            reply: Struct | None = player.act(action)
            if reply is not None:
                return reply

    def _array(self) -> Any:
        import numpy as np

        return np.random.default_rng(self._dice.randrange(2**32)).integers(
            self._choices, size=self._shape
        )

    def _decide(self, seat: int, request: Struct) -> Mapping[str, Any]:
        decision = self._people[seat].decide(request)
        try:
            question = next(decision)
            while True:
                question = decision.send(self._pick(question))
        except StopIteration as over:
            reply: Mapping[str, Any] = over.value
            return reply

    def _pick(self, question: Question) -> Picks:
        free = [
            at
            for at, each in enumerate(question.choices)
            if (each.is_typed or not each.key) and not each.barred
        ]
        keys = [at for at, each in enumerate(question.choices) if each.key]
        for _ in range(_TRIES):
            most = min(question.most, len(free))
            count = self._dice.randint(min(question.least, most), most)
            picks = tuple(self._dice.sample(free, count))
            if (picks or question.enter) and not question.check(picks):
                return picks
        return () if question.enter else tuple(keys[:1])


def name_line(seat: int, name: str) -> bytes:
    """Return the reply to a `player-name-request`."""
    return msgspec.json.encode(PlayerNameReply(seat_id(seat), name, 1))
