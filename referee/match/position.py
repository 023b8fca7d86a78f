"""A turn of a recorded match, from which other matches are played."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from referee.match.decode import is_blank
from referee.match.machine import MAX_SEED, Redeal
from referee.match.spec import MatchSpec


class Position(Struct, frozen=True):
    """The first decision of a turn. Matches from there differ in what no seat knew (`Redeal`).

    Attributes:
        record: name of the file.
        turn: counted from 1; all players' turns count.
        seed: of the recorded match.
        redeals: of the recorded match, before this turn.
        answers: for each seat its lines before this turn, in order. The first is None: each bot
            answers the handshake itself.
    """

    record: str
    turn: Annotated[int, Meta(ge=1)]
    seed: Annotated[int, Meta(ge=0, lt=MAX_SEED)]
    redeals: tuple[Redeal, ...]
    answers: tuple[tuple[bytes | None, ...], ...]

    def redealt(self, spec: MatchSpec, luck: int) -> MatchSpec:
        """A match of the same game, from this position, with the luck that follows from a seed."""
        return replace(spec, seed=self.seed, redeals=(*self.redeals, Redeal(self.turn, luck)))

    def is_same(self, other: Position) -> bool:
        """Whether another position is the same, whatever its file is called."""
        return replace(self, record="") == replace(other, record="")

    @property
    def is_valid(self) -> bool:
        """Whether bots can have written these answers, before redeals at ascending turns."""
        turns = [*(redeal.turn for redeal in self.redeals), self.turn]
        return all(before < turn for before, turn in pairwise(turns)) and all(
            lines[:1] == (None,) and all(map(_is_line, lines[1:])) for lines in self.answers
        )

    def __str__(self) -> str:
        return f"turn {self.turn} of {self.record}"


def _is_line(line: bytes | None) -> bool:
    return line is not None and b"\n" not in line and not is_blank(line)
