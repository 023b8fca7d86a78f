"""The part of a game in `referee conform --referee`, which checks other referees of it.

A *probe* plays one seat of another referee's match. It replies as its `Plan` says, and knows which
conformance cases each reply is there for. When the match is over our own rules play it again. Their
random source is an `ObservedChance`, which draws what the other referee drew. The first line that
is not what our rules send ends the comparison of that match.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from referee.games.interface.random_source import RandomSource

Message = Mapping[str, Any]
"""A message as a JSON object."""


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """How one seat of a probe match is played; a game adds how it plays legally.

    Attributes:
        stays: how it ends: "" with its input, "a little" after it, "yes" not even by SIGTERM.
    """

    tricks: str = ""  # done once each, as soon as a request fits, separated by spaces
    handshake: str = ""  # a trick in its answer to `player-name-request`; empty: it answers rightly
    stays: str = ""


class ProbeMatch(Struct, frozen=True):
    """A match that is played for named cases.

    Attributes:
        controls: ids, or patterns of ids, of earlier matches without the subject of this one: the
            same deviation there is not counted again.
    """

    id: str
    covers: tuple[str, ...]  # the ids of the cases that it is there for, or patterns of them
    seats: tuple[Plan, ...]  # one plan a seat
    controls: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()  # the cases that it shows to hold if all of it is right


class ProbeAction(Struct, frozen=True):
    """A probe's answer to a request.

    Attributes:
        cases: the cases that this is there for; none: it is what every match has.
        then: the next step: "", "exit", "close" (standard output), or "block": the text is more
            than a pipe holds, and nothing is read until it has been taken.
        awaits: a type of message, and how many of it another seat must have been sent before.
    """

    data: bytes = b""  # written to standard output, line ends and all; empty: nothing is
    cases: tuple[str, ...] = ()
    noise: int = 0  # bytes to write to standard error before
    delay: float = 0.0  # seconds before anything is written
    then: str = ""
    awaits: tuple[str, int] | None = None


class ProbePlayer(Protocol):
    """A probe's play of one game."""

    def observe(self, message: Message) -> None:
        """Take a message that asks for nothing."""

    def reply(self, request: Message) -> ProbeAction:
        """Answer a request."""

    def plain(self) -> Message | None:
        """Return a legal reply with an effect that everybody sees; None without one.

        Tricks that are about the way in which lines are written dress it up.
        """


class ObservedChance(RandomSource, Protocol):
    """The random choices of another referee, read from its messages."""

    def sent(self, message: Message, seat: int | None) -> Iterable[str]:
        """Take a message that was right, to a seat or to all; returns the cases that it shows."""


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
