"""Lets a person play a small game, by showing the state and offering the legal moves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import cleandoc
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.games.interface.capabilities import Phrase
from referee.games.interface.dialogue import Choice, Decision, Question
from referee.games.interface.seats import seat_id
from referee.games.interface.turns import Turn, TurnListener
from referee.games.small.author import Game, Move, words_of
from referee.games.small.cells import targets
from referee.games.small.machine import find, form
from referee.games.small.messages import MoveRequest, MovesPlayed, PlayerLost
from referee.games.small.parts import Board, Cards, Hands, Part, parts, word, words

_GAPS = re.compile(r"""[\s,:"\[\]{}]+""")
"""We replace these by hyphens in the names of choices, so that each name is a single word."""
_OTHERS = (
    "There are other legal moves. Type one as in JSON at a terminal: it counts, right or wrong."
)
MOST_COLUMNS = 60
"""If a row with spaces between the cells would be wider than this, we leave out the spaces."""


class Person(TurnListener[Turn]):
    """The `Dialogue` (interface/dialogue.py) of small games. There's a subclass for each game.

    Attributes:
        kind: the author's class.
    """

    verbs: ClassVar[dict[str, str]] = {"plays": "plays"}
    kind: ClassVar[type[Game]]
    _unlisted: Move | UnsetType = UNSET

    def tell(self, turn: Turn) -> list[str]:
        """Describe the moves in a turn.

        We leave out the person's own turns, except if all players move together.
        """
        if turn.player_number:
            return super().tell(turn)
        said = ", ".join(action.card for action in turn.actions)
        return [f"Turn {turn.turn}: {said}."] if said else []

    def observe(self, message: Struct) -> list[str]:
        """Read a message. If it shows that the person's move wasn't legal, say so."""
        told, player = super().observe(message), self._number
        if isinstance(message, PlayerLost) and message.player_number == player:
            told.append("That move is not legal, so you have lost.")
        if isinstance(message, MovesPlayed) and self.kind.shown is Game.shown:
            played = message.moves.get(player, self._unlisted)
            if self._unlisted is not UNSET and form(played) != form(self._unlisted):
                said = words_of(self.kind, played)
                told.insert(0, f"That move is not legal, so {said} is played instead.")
        return told

    def decide(self, request: Struct) -> Decision:
        """Let the person choose from the legal moves."""
        assert isinstance(request, MoveRequest)
        shown = parts(self.kind, request.state, len(request.scores))
        moves = [*request.moves]
        listed = choices(self.kind, moves)

        def read(text: str) -> int | None:
            try:
                move = msgspec.json.decode(text)
            except msgspec.DecodeError:
                return None
            place = find(moves, move)
            if place < 0 and request.more_moves is True:
                place = len(moves)
                moves.append(move)
                listed.append(Choice(text))
            return place if place >= 0 else None

        (pick,) = yield Question(
            "Which move do you play?",
            listed,
            title=f"Turn {request.turn}: {' to '.join(map(str, request.scores))}",
            state=[*phrases(shown), *_marks(self.kind.marks, shown)],
            remarks=[Phrase("", _OTHERS)] if request.more_moves is True else [],
            targets=targets(self.kind, shown, request.moves, self._seat),
            help=[*filter(None, map(_paragraph, (self.kind, self.kind.legal, self.kind.accepts)))],
            read=read,
        )
        self._unlisted = moves[pick] if pick >= len(request.moves) else UNSET
        return {"type": "move-reply", "move": moves[pick]}


def _paragraph(code: Any) -> str:
    # The author's docstring is wrapped to fit an editor, so join its lines again.
    return "" if code is Game.accepts else " ".join(cleandoc(code.__doc__ or "").split())


def choices(kind: type[Game], moves: Sequence[Move]) -> list[Choice]:
    """Return a choice for each move.

    If any move is a number, choices aren't numbered, and the person has to type a move's name.
    Otherwise "3" could mean two things.
    """
    names = ["-".join(filter(None, _GAPS.split(words_of(kind, move).lower()))) for move in moves]
    has_numbers = any(name.isdecimal() for name in names)
    return [Choice(name or "nothing", key=name if has_numbers else "") for name in names]


def phrases(shown: Sequence[Part]) -> list[Phrase]:
    """Return the parts of a view as labelled lines: one per row of a board, and one per hand."""
    made: list[Phrase] = []
    for part in shown:
        for place, text in enumerate(_lines(part)):
            made.append(Phrase("" if place else part.label, text))
    return made


def _marks(marks: Mapping[str, Any], shown: Sequence[Part]) -> Iterator[Phrase]:
    if marks and any(isinstance(part, Board) for part in shown):
        said: dict[str, list[str]] = {}
        for mark, means in marks.items():
            said.setdefault(meaning(means), []).append(mark)
        yield Phrase("marks", ", ".join(" ".join([*those, what]) for what, those in said.items()))


def meaning(means: Any) -> str:
    """Describe a value of `Game.marks`."""
    if isinstance(means, int):
        return seat_id(means)
    return means if isinstance(means, str) else str(means[0])


def _lines(part: Part) -> Iterator[str]:
    match part:
        case Board():
            yield from _rows(part)
        case Hands(_, hands):
            for seat, hand in enumerate(hands):
                yield f"{seat_id(seat)}: {words(hand)}"
        case Cards(_, cards):
            yield words(cards)
        case _:
            yield words(part.text)


def _rows(board: Board) -> Iterator[str]:
    rows = [[word(item).strip() or "." for item in row] for row in board.rows]
    if board.across:
        rows.insert(0, [*board.across])
    if board.down:
        names = [*[""] * bool(board.across), *board.down]
        rows = [[name, *row] for name, row in zip(names, rows, strict=True)]
    # A wide board of single characters, e.g. a sea of 40 columns, only fits without spaces.
    wide = len(rows[0]) * 2 > MOST_COLUMNS
    size = max(len(text) for row in rows for text in row)
    for row in rows:
        yield ("" if wide and size == 1 else " ").join(text.rjust(size) for text in row)
