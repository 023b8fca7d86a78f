"""Formats a replay as text for terminals with 80 columns.

We never rely on colours alone, because some people can't see them, and some terminals can't show
them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from referee.games import GAMES
from referee.games.interface.capabilities import Phrase, Picture
from referee.games.interface.seats import seat_id, seat_ids
from referee.games.interface.turns import TurnReader
from referee.logs.replay.reader import CutShort, Skipped, Start
from referee.match.messages import GameEnd
from referee.names import clean
from referee.text.terminal import paint, plain, wrap_list

# The longest label of our games is "disqualified".
_LABEL = 13
# A field of a small game may have any name, but we leave at least this much room beside it.
_LEAST = 20
# Longer lines are hard to read, even if the terminal is wider.
_MAX_WIDTH = 120


class Painter:
    """Formats the parts of a replay as lines of text.

    Args:
        width: the columns of the terminal. We use 40 to 120 of them.
        colour: if True, style the text with escape sequences.
    """

    def __init__(self, width: int, *, colour: bool) -> None:
        self._width = max(min(width, _MAX_WIDTH), 40)
        self._colour = colour

    def start(self, start: Start) -> Iterator[str]:
        """Yield the players and the seed."""
        for seat, (name, own) in enumerate(zip(start.names, start.own_names, strict=True)):
            given = start.bots[seat] if seat < len(start.bots) else name
            bot = f" ({plain(given)})" if given != name else ""
            is_own = clean(own) in (name, name.removesuffix(f" ({seat_id(seat)})"))
            itself = "" if is_own else f", which calls itself {plain(own)}"
            text = f"{seat_id(seat)}: {plain(name) or '(no name)'}{bot}{itself}"
            yield from self._wrap(text, 2)
        if start.seed is None:
            hidden = GAMES[start.game].hidden
            text = f"A spectator log: it does not have {hidden}; a match record does."
            yield from self._wrap(text, 0)
        else:
            yield f"Seed {start.seed}."

    def turn(self, turn: Any, reader: TurnReader[Any]) -> Iterator[str]:
        """Yield a blank line and the lines of a turn."""
        title = plain(reader.title(turn))
        yield ""
        head = f"Turn {turn.turn}: {title}" if title else f"Turn {turn.turn}"
        yield from (self._paint(line, "bold") for line in self._wrap(head, 2))
        for part in (*reader.show(turn), *reader.state(turn)):
            yield from self._phrase(part) if isinstance(part, Phrase) else self._picture(part)

    def end(self, end: GameEnd, start: Start) -> Iterator[str]:
        """Yield the winners, the reason for the end, and the scores."""
        names = start.names
        players = seat_ids(len(names))
        scores = ", ".join(
            f"{seat_id(seat)} {score}" for seat, score in enumerate(end.scores[: len(names)])
        )
        winners = " and ".join(
            f"{player} {plain(names[players.index(player)])}"
            for player in end.winners
            if player in players
        )
        yield ""
        seats = [seat for seat, player in enumerate(players) if player in end.winners]
        won = f"{winners or 'Nobody'} {'share the win' if len(seats) > 1 else 'won'}"
        if len(seats) == len(players):
            won = f"A draw between {winners}"
        why = GAMES[start.game].why_ended(plain(end.reason), [*map(plain, names)], seats)
        text = f"{won}: {why}. Scores: {scores}."
        yield from (self._paint(line, "bold") for line in self._wrap(text, 2))

    def note(self, item: CutShort | Skipped) -> Iterator[str]:
        """Yield a warning that the log is incomplete or damaged."""
        yield ""
        if isinstance(item, CutShort):
            text = f"The log was cut short after line {item.line}: {plain(item.why)}."
        else:
            lines = "1 line does" if item.count == 1 else f"{item.count} lines do"
            text = f"{lines} not belong to such a log; the first is line {item.line}."
        yield from (self._paint(line, "yellow") for line in self._wrap(text, 0))

    def _phrase(self, phrase: Phrase) -> Iterator[str]:
        label = f"{plain(phrase.label):{_LABEL - 1}} "
        room = max(self._width - len(label) - 2, _LEAST)
        first, *rest = wrap_list(plain(phrase.text), room) or [""]
        yield f"  {self._paint(label, 'dim')}{self._paint(first, phrase.style)}"
        for line in rest:
            yield " " * (len(label) + 2) + self._paint(line, phrase.style)

    def _picture(self, picture: Picture) -> Iterator[str]:
        unstyled = [[""] * len(row) for row in picture.rows]
        for row, styles in zip(picture.rows, picture.styles or unstyled, strict=True):
            letters = zip(plain(row), styles, strict=True)
            runs = groupby(letters, key=itemgetter(1))
            painted = (
                self._paint("".join(letter for letter, _ in run), style) for style, run in runs
            )
            yield "  " + "".join(painted)

    def _wrap(self, text: str, indent: int) -> list[str]:
        return textwrap.wrap(text, self._width, subsequent_indent=" " * indent)

    def _paint(self, text: str, style: str) -> str:
        return paint(text, style, colour=self._colour)
