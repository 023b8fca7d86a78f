"""A person who plays a small game: the state in words, and a choice among the legal moves."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from referee.games.interface.capabilities import Phrase
from referee.games.interface.dialogue import Choice, Decision, Question
from referee.games.interface.turns import Turn, TurnListener
from referee.games.small.author import Game
from referee.games.small.messages import MoveRequest


class Person(TurnListener[Turn]):
    """Implements `interface.dialogue.Dialogue`. A subclass names the author's class."""

    verbs: ClassVar[dict[str, str]] = {"plays": "plays"}
    kind: ClassVar[type[Game]]

    def tell(self, turn: Turn) -> list[str]:
        """Say what others did in a turn; of a turn of all, what all did."""
        if turn.player_number:
            return super().tell(turn)
        said = ", ".join(action.card for action in turn.actions)
        return [f"Turn {turn.turn}: {said}."] if said else []

    def decide(self, request: Struct) -> Decision:
        """Ask for one of the legal moves."""
        assert isinstance(request, MoveRequest)
        names = [_typed(self.kind.words(move)) for move in request.moves]
        (pick,) = yield Question(
            "Which move do you play?",
            [Choice(name) for name in names],
            title=f"Turn {request.turn}: {' to '.join(map(str, request.scores))}",
            state=phrases(request.state),
            help=(" ".join(cleandoc(self.kind.__doc__ or "").split()),),
        )
        return {"type": "move-reply", "move": request.moves[pick]}


def _typed(words: str) -> str:
    """A name that can be typed, and is not the number of a choice."""
    name = "-".join(words.lower().split()) or "nothing"
    return f"move-{name}" if name.isdigit() else name


def phrases(state: Mapping[str, Any]) -> list[Phrase]:
    """A view as labelled lines; a board has one for each row."""
    made: list[Phrase] = []
    for name, value in state.items():
        if is_board(value):
            made += [Phrase(f"{name} {row}", " ".join(line)) for row, line in enumerate(value, 1)]
        else:
            made.append(Phrase(name, _words(value)))
    return made


def is_board(value: object) -> bool:
    """Whether a value of a view is a board: at least two texts of one length, above 1."""
    if not isinstance(value, list) or len(value) < 2:
        return False
    lengths = {len(line) if isinstance(line, str) else 0 for line in value}
    return len(lengths) == 1 and lengths.pop() > 1


def _words(value: Any) -> str:
    match value:
        case None:
            return "?"
        case str():
            return value
        case list():
            return ", ".join(map(_words, value)) or "none"
        case dict():
            return ", ".join(f"{key} {_words(part)}" for key, part in value.items()) or "none"
    return msgspec.json.encode(value).decode()
