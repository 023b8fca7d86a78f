"""The toy card game at the terminal and in the browser, for a person who plays."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from referee.games.interface.capabilities import Phrase
from referee.games.interface.dialogue import Choice, Decision, Question
from referee.games.interface.turns import Turn, TurnListener

from .messages import PlayRequest
from .turns import Turns


class ToyDialogue(TurnListener[Turn]):
    """Implements `referee.games.interface.dialogue.Dialogue`."""

    reader_type = Turns
    verbs: ClassVar[dict[str, str]] = {"plays": "plays"}

    def decide(self, request: Struct) -> Decision:
        assert isinstance(request, PlayRequest)
        trick = ", ".join(f"{player} {card}" for player, card in request.trick.items())
        (pick,) = yield Question(
            "Which card do you play?",
            [Choice(f"card-{card}") for card in request.hand],
            title=f"Turn {request.turn}: {' to '.join(map(str, request.scores))}",
            state=[Phrase("trick", trick or "none")],
        )
        return {"type": "play-reply", "card": request.hand[pick]}
