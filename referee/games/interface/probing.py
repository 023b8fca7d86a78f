"""A game's part of `referee conform --referee`, which tests other referees of the game.

A *probe* plays one seat of another referee's match. It replies according to its `Plan`, and knows
which conformance cases each reply tests. After the match, our own rules play it again. Their random
source is an `ObservedChance`, which draws the cards that the other referee drew. The comparison
ends at the first line that differs from ours.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from referee.games.interface.random_source import RandomSource

Message = Mapping[str, Any]
"""A message as a JSON object."""


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """The behaviour of one seat of a probe match. Games add their legal moves.

    Attributes:
        stays: when its process exits: "" at the end of input, "a little" after it, "yes" not even
            after SIGTERM.
    """

    tricks: str = (
        ""  # names separated by spaces; each trick is used once, at the first suitable request
    )
    handshake: str = ""  # a trick in the reply to `player-name-request`. Empty: none
    stays: str = ""


class ProbeMatch(Struct, frozen=True):
    """A match that is played for certain cases.

    Attributes:
        controls: ids, or patterns of ids, of earlier matches without the tested behaviour. A
            deviation that they show too is not counted again.
    """

    id: str
    covers: tuple[str, ...]  # ids or patterns of the tested cases
    seats: tuple[Plan, ...]  # one plan per seat
    controls: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()  # cases that hold if the match has no deviation


class ProbeAction(Struct, frozen=True):
    """A probe's reaction to a request.

    Attributes:
        cases: the cases that it tests. Empty: normal play.
        then: the next step: "", "exit", "close" (standard output), or "block" (the text exceeds the
            capacity of a pipe, and nothing is read until it was written).
        awaits: a message type, and how many of it another seat must have received before.
    """

    data: bytes = b""  # bytes for standard output, including line ends. Empty: none
    cases: tuple[str, ...] = ()
    noise: int = 0  # number of bytes to write to standard error first
    delay: float = 0.0  # seconds to wait before writing
    then: str = ""
    awaits: tuple[str, int] | None = None


class ProbePlayer(Protocol):
    """Plays one seat of the game for a probe."""

    def observe(self, message: Message) -> None:
        """Read a message that is not a request."""

    def reply(self, request: Message) -> ProbeAction:
        """React to a request."""

    def plain(self) -> Message | None:
        """Return a legal reply with a public effect, or None.

        Tricks about the form of lines modify it.
        """


class ObservedChance(RandomSource, Protocol):
    """The random choices of another referee, read from its messages."""

    def sent(self, message: Message, seat: int | None) -> Iterable[str]:
        """Read a correct message to a seat or to all. Returns the cases that it shows to hold."""


class Probes(Struct, frozen=True):
    """How another referee of a game is checked.

    Attributes:
        cases: the file of its cases for referees, in spec/.
        matches: in order; a match comes after its controls.
        player: makes a probe's play, from its plan (the game's own), seat, and a seed.
        observed_chance: makes one, from one list a seat of the messages that it was sent.
        about: the cases that are broken if a message is wrong and no reply of a probe was there for
            a case. "TYPE WHAT" -> case ids: those of the match, or else all. WHAT is "missing", or
            a field, each perhaps followed by " at the start"; or "extra", for a request that is not
            due. TYPE -> its section, for a missing message.
        shared: which cases are about what is looked at in any game: the tricks of line_tricks.py by
            name, those of handshakes with "handshake " before it, and the words of `named`.
        seeded: from the cases that a match showed to hold to those that show if it is also the one
            that its seed makes. The first is broken if it is not.
        names: the words for cards and the like.
    """

    cases: str
    matches: tuple[ProbeMatch, ...]
    player: Callable[[Any, int, str], ProbePlayer]
    observed_chance: Callable[[Sequence[Sequence[Message]]], ObservedChance]
    about: Mapping[str, str]
    shared: Mapping[str, str]
    seeded: Callable[[Collection[str]], tuple[str, ...]]
    names: frozenset[str]

    def named(self, *looked_at: str) -> tuple[str, ...]:
        """The cases that are about what is looked at in any game, such as "session"."""
        return tuple(case for name in looked_at for case in self.shared[name].split())
