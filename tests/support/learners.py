"""Play environments with random policies, and matches with the same bots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import Struct

from referee.env.episode import Episode
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.game import Game, GameSetup
from referee.match.machine import Match, Sent

Policy = Callable[[Any], Any]


def at_random(seed: int) -> Policy:
    """Return a seeded random policy. In Dominion it only takes legal actions."""
    random = Random(seed)
    return lambda seen: chosen(random, seen)


def chosen(random: Random, seen: Any) -> Any:
    if isinstance(seen, dict):
        return random.choice(np.flatnonzero(seen["action_mask"]).tolist())
    cells = seen.shape[:2]
    return np.array([random.randrange(5) for _ in range(cells[0] * cells[1])]).reshape(cells)


class Watched:
    """Records the replies that a game gets.

    Attributes:
        replies: seat and reply, in order.
        game: the game that is being played.
    """

    def __init__(self, definition: GameDefinition) -> None:
        self.replies: list[tuple[int, Struct]] = []
        self.game: Any = None
        self._definition = definition

    def begin(self, episode: Episode, seed: int) -> None:
        """Begin a match of an episode, and watch it to its end."""
        definition = msgspec.structs.replace(self._definition, new=self._new)
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(GAMES.data, definition.name, definition)
            episode.begin(seed)

    def _new(self, setup: GameSetup) -> Game:
        self.game = game = self._definition.new(setup)
        watched = self

        class Proxy:
            def __getattr__(self, name: str) -> Any:
                return getattr(game, name)

            def advance(self, replies: Any) -> None:
                watched.replies += replies.items()
                game.advance(replies)

        return Proxy()  # type: ignore[return-value]


def play_episode(episode: Episode, policies: Sequence[Policy], seed: int) -> int:
    episode.begin(seed)
    actions = 0
    while episode.due:
        for seat in episode.due:
            episode.act(seat, policies[seat](episode.observe(seat)))
            actions += 1
    return actions


def play_match(
    game: str, seed: int, bots: Sequence[Callable[[list[bytes]], bytes]], **options: Any
) -> Match:
    definition, seats = GAMES[game], len(bots)
    match = Match(definition, seats=seats, seed=seed, options=definition.options(**options))
    new: list[list[bytes]] = [[] for _ in bots]
    match.start()
    while match.due:
        for entry in match.take_entries():
            if isinstance(entry, Sent):
                for seat in range(seats) if entry.to is None else (entry.to,):
                    new[seat].append(entry.line.rstrip(b"\n"))
        for seat in match.due:
            lines, new[seat] = new[seat], []
            match.receive(seat, bots[seat](lines))
    return match
