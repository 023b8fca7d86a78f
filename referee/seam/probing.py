"""The seam's part for checking other referees: what a game gives to `referee conform --referee`.

A *probe* plays one seat of another referee's match. It replies as its `Plan` says, and knows which
conformance cases each reply is there for. When the match is over a *follower* makes our own rules
play it again: it is the chance of that game, and says what the other referee drew. What that
referee sent and the rules do not send is a `Mismatch`, and the follower names its case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from referee.seam.chance import Chance

Message = Mapping[str, Any]
"""A message as a JSON object."""


class Plan(Struct, frozen=True):
    """How one seat of a probe match is played.

    Attributes:
        tricks: what it does once each, as soon as there is an occasion; else it plays legally.
        handshake: a trick in its answer to `player-name-request`; empty: it answers rightly.
        stays: how it ends: "" with its input, "a little" after it, "yes" not even by SIGTERM.
        style: how it plays legally; the game's own.
    """

    tricks: tuple[str, ...] = ()
    handshake: str = ""
    stays: str = ""
    style: Any = None


class ProbeMatch(Struct, frozen=True):
    """A match that is played for named cases.

    Attributes:
        id: its name.
        covers: the ids of the cases that it is there for.
        seats: one plan a seat.
        basic: what every match does; what is wrong there is not counted again elsewhere.
        control: the id of a match without what this one is about; likewise.
        mixed: much at once; what is wrong there counts if nothing was wrong elsewhere.
    """

    id: str
    covers: tuple[str, ...]
    seats: tuple[Plan, ...]
    basic: bool = False
    control: str = ""
    mixed: bool = False


class Deed(Struct, frozen=True):
    """What a probe does in answer to a request.

    Attributes:
        data: written to standard output, line ends and all; empty: nothing is.
        cases: the cases that this is there for.
        also: the cases that messages which follow from it are about besides.
        special: whether it is what the match is about, and not what every match has.
        noise: so many bytes are written to standard error before.
        then: what follows: "", "exit", "close" (standard output), or "block": what is written is
            more than a pipe holds, and nothing is read until it has been taken.
        delay: seconds before anything is written.
        awaits: a type of message, and how many of it another seat must have been sent before.
    """

    data: bytes = b""
    cases: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    special: bool = True
    noise: int = 0
    delay: float = 0.0
    then: str = ""
    awaits: tuple[str, int] | None = None


class Player(Protocol):
    """A probe's play of one game."""

    def hear(self, message: Message) -> None:
        """Take a message that asks for nothing."""

    def reply(self, request: Message) -> Deed:
        """Answer a request."""

    def plain(self) -> Message | None:
        """A legal reply to the last request whose effect everybody sees; None if there is none.

        Tricks that are about the way in which lines are written dress it up.
        """


class ProbeStep(Struct, frozen=True):
    """From one reply to the next request.

    Attributes:
        seat: who replied; -1 at the start.
        request: what was answered, as our rules sent it; empty at the start.
        line: the reply; empty if the seat left instead.
        due: what the rules send now: public messages, then a request or `game-end`.
        to: who is asked then; -1 if nobody is.
    """

    seat: int
    request: Message
    line: bytes
    due: Sequence[Message]
    to: int = -1


class Mismatch(Struct, frozen=True):
    """What was sent is not what the rules send.

    Attributes:
        kind: "missing", "extra", "order", or "content": the right type with other fields.
        expected, actual: the message that is due, and what was sent; either may be None.
        field: for "content", the first field that differs; with ":order" behind it if it is a list
            of the same in another order.
    """

    kind: str
    expected: Message | None
    actual: Message | None
    field: str = ""

    @property
    def type(self) -> str:
        """The type of the message that it is about."""
        message = self.actual if self.kind == "extra" else self.expected
        return str((message or {}).get("type"))

    @property
    def signature(self) -> tuple[str, str, str]:
        """What it has in common with the same mistake elsewhere."""
        return self.kind, self.type, self.field


class Follower(Chance, Protocol):
    """The chance of another referee, read from what it showed, and what the cases make of it."""

    def asked(self, seat: int) -> None:
        """A request to this seat has been compared."""

    def held(self, step: ProbeStep) -> Sequence[str]:
        """The cases that a step shows by what is due in it, besides those of its reply."""

    def case_of(
        self, mismatch: Mismatch, step: ProbeStep, *, several: bool = False
    ) -> Sequence[str]:
        """The cases that are about a message that is wrong in this way, the most special first.

        With a "!" before it where it can be nothing else, whatever the step is there for.

        Args:
            several: whether more than that is wrong in this step.
        """


class Probes(Struct, frozen=True):
    """How another referee of a game is checked.

    Attributes:
        matches: what is played, the basic ones first.
        player: makes a probe's play, from its plan's style and tricks, seat, and a seed.
        follower: makes a follower, from one list a seat of the requests that it was sent and all
            public messages.
        common: case -> cases; if three of these are broken alike, it is what is broken.
        veils: case -> case: while the first is broken, nothing can be said of the second.
        secrets: words that show what somebody holds, such as the ids of cards.
    """

    matches: tuple[ProbeMatch, ...]
    player: Callable[[Plan, int, str], Player]
    follower: Callable[[Sequence[Sequence[Message]], Sequence[Message]], Follower]
    common: Mapping[str, frozenset[str]]
    veils: Mapping[str, str]
    secrets: frozenset[str]
