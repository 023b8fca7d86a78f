"""A position in a recorded match, from which new matches can start."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from referee.match.decode import is_blank
from referee.match.machine import MAX_SEED, Redeal
from referee.match.spec import MatchSpec


class Position(Struct, frozen=True):
    """The first decision of a turn in a recorded match.

    Matches that start here share everything up to this turn, but not the hidden cards (`Redeal`).

    Attributes:
        record: file name of the record.
        turn: number of the turn, from 1, counting the turns of all players.
        seed: seed of the recorded match.
        redeals: redeals of the recorded match before this turn.
        answers: for each seat, the lines that the bot wrote before this turn. The first entry is
            None, because every new bot answers the handshake itself.
    """

    record: str
    turn: Annotated[int, Meta(ge=1)]
    seed: Annotated[int, Meta(ge=0, lt=MAX_SEED)]
    redeals: tuple[Redeal, ...]
    answers: tuple[tuple[bytes | None, ...], ...]

    def redealt(self, spec: MatchSpec, luck: int) -> MatchSpec:
        """Change a spec so that its match starts here.

        Args:
            luck: the seed of the hidden cards, and of all random numbers from this turn on.
        """
        return replace(spec, seed=self.seed, redeals=(*self.redeals, Redeal(self.turn, luck)))

    def is_same(self, other: Position) -> bool:
        """Return True if both are the same position, even if the names of the files differ."""
        return replace(self, record="") == replace(other, record="")

    @property
    def is_valid(self) -> bool:
        """True if all redeals come before this turn, in order.

        Each answer must also be a single line that isn't blank.
        """
        turns = [*(redeal.turn for redeal in self.redeals), self.turn]
        return all(before < turn for before, turn in pairwise(turns)) and all(
            lines[:1] == (None,)
            and all(line and b"\n" not in line and not is_blank(line) for line in lines[1:])
            for lines in self.answers
        )

    def __str__(self) -> str:
        return f"turn {self.turn} of {self.record}"
