"""Lets a person play like a bot: messages become text, and requests become questions.

A `HumanTerminal` prints text and reads answers. The game's
`referee.games.interface.dialogue.Dialogue` decides what to say and what to ask. People have no time
limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, Union

import msgspec
import trio
from msgspec import Struct

from referee.bots.bot import Answer, Failure, NoProcess, split_lines
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialogue import Dialogue, Picks, Question
from referee.games.interface.faults import Disqualification
from referee.games.interface.seats import seat_id, seat_index
from referee.match import messages as say
from referee.names import PERSON, shown_names


def person_rules(game: str) -> GameDefinition:
    """Return the definition of a game, after checking that people can play it.

    Args:
        game: a key of `GAMES`.

    Raises:
        UsageError: the game can only be played by bots.
    """
    definition = GAMES[game]
    if definition.person is None:
        raise UsageError(f"BOT human: {game} cannot be played by a person yet, only by bots")
    return definition


class HumanTerminal(Protocol):
    """A user interface for people. It may serve several people, one per seat."""

    def tell(self, seat: int, lines: Sequence[str]) -> None:
        """Show text to a person, either immediately or before the next question."""

    def turn_of(self, seat: int) -> AbstractAsyncContextManager[None]:
        """Return a context manager for a block in which we only ask this person.

        If two people share a keyboard, the other one mustn't see this person's cards.
        """

    async def ask(self, question: Question) -> Picks | None:
        """Ask until the person makes a valid choice. Returns None if the person leaves."""


class PersonBot(NoProcess):
    """Lets a person play. The game's `GameDefinition.person` writes the texts and the questions."""

    def __init__(self, definition: GameDefinition, terminal: HumanTerminal) -> None:
        self._definition = definition
        self._terminal = terminal
        kinds = (
            say.PlayerNameRequest,
            *say.SHARED_PUBLIC,
            *definition.public,
            *definition.requests,
        )
        self._decoder = msgspec.json.Decoder(Union[kinds])  # noqa: UP007
        self._seat = 0
        self._names: list[str] = []
        self._dialogue: Dialogue | None = None
        self._asked: Struct | None = None
        self._has_left = False

    def push(self, lines: bytes) -> None:
        told: list[str] = []
        for line in split_lines(lines):
            told += self._describe(self._decoder.decode(line))
        self._terminal.tell(self._seat, told)

    def _describe(self, message: Struct) -> Sequence[str]:
        if isinstance(message, self._definition.requests):
            self._asked = message
        elif isinstance(message, say.PlayerNameRequest):
            self._asked = message
            self._seat = seat_index(message.player_number)
            return []
        elif isinstance(message, say.PlayerName):
            self._names.append(message.name)
            return []
        elif isinstance(message, say.PlayerDisqualified):
            name = self._names[seat_index(message.player_number)]
            return [f"{name} left the match: {message.reason}."]
        elif isinstance(message, say.GameEnd):
            told = [] if self._dialogue is None else self._dialogue.end()
            return [*told, "The match is over.", ""]
        if self._dialogue is None:
            assert self._definition.person is not None  # person_rules() has checked that
            self._names = shown_names(self._names)
            self._dialogue = self._definition.person(self._names, self._seat)
            others = [seat for seat in range(len(self._names)) if seat != self._seat]
            against = ", ".join(self._names[seat] for seat in others)
            return [
                f"You are {seat_id(self._seat)}. You play against {against}.",
                *self._dialogue.observe(message),
            ]
        return self._dialogue.observe(message)

    async def reply(self, deadline: float) -> Answer:
        await trio.lowlevel.checkpoint()
        asked = self._asked
        if self._has_left:
            return Failure(Disqualification.EXITED, "it has left a match before")
        if isinstance(asked, say.PlayerNameRequest):
            return msgspec.json.encode(say.PlayerNameReply(asked.player_number, PERSON, 1))
        assert asked is not None  # push() has set the request
        assert self._dialogue is not None  # the first public message has created the dialogue
        decision = self._dialogue.decide(asked)
        try:
            question = next(decision)
            async with self._terminal.turn_of(self._seat):
                while True:
                    picks = await self._terminal.ask(question)
                    if picks is None:
                        return Failure(Disqualification.EXITED, "the person left the match")
                    question = decision.send(picks)
        except StopIteration as over:
            return msgspec.json.encode(over.value)

    async def finish(self, grace: float) -> None:
        await trio.lowlevel.checkpoint()

    async def kill(self) -> None:
        self._has_left = True
        await trio.lowlevel.checkpoint()
