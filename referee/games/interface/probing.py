"""A game's part of `referee conform --referee`, which tests other referees of the game.

A *probe* plays one seat of another referee's match. It replies according to its `Plan`, and each
reply has a list of the conformance cases that it tests. After the match, we play the match again by
our own rules. The random source is an `ObservedChance`, which draws the cards that the other
referee drew. We compare up to the first line that differs from ours. Later differences mean little,
because the two matches aren't the same any more.
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
        stays: when its process exits. "": at the end of input. "a little": shortly after it. "yes":
            not even after SIGTERM.
    """

    # Names separated by spaces. Each trick is used once, at the first suitable request.
    tricks: str = ""
    handshake: str = ""  # a trick in the reply to `player-name-request`. Empty: none
    stays: str = ""


class ProbeMatch(Struct, frozen=True):
    """A match that is played for certain cases.

    Attributes:
        controls: ids, or patterns of ids, of earlier matches without the tested behaviour. A
            deviation that also occurs in such a match isn't counted again.
    """

    id: str
    covers: tuple[str, ...]  # ids or patterns of the tested cases
    seats: tuple[Plan, ...]  # one plan per seat
    controls: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()  # cases that pass if the match has no deviation


class ProbeAction(Struct, frozen=True):
    """A probe's reaction to a request.

    Attributes:
        cases: the cases that it tests. Empty: normal play.
        then: the next step: "", "exit", "close" (standard output), or "block" (the text exceeds the
            capacity of a pipe, and the probe doesn't read until the text was written).
        awaits: a message type, and the number of such messages that another seat must have received
            before.
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
        """Read a message that isn't a request."""

    def reply(self, request: Message) -> ProbeAction:
        """React to a request, by the plan or by a normal move."""

    def plain(self) -> Message | None:
        """Return a legal reply with a public effect, or None.

        Tricks with the form of lines modify this reply.
        """


class ObservedChance(RandomSource, Protocol):
    """The random choices of another referee, read from its messages."""

    def sent(self, message: Message, seat: int | None) -> Iterable[str]:
        """Read a correct message to a seat or to all. Returns the cases that it confirms."""


class Probes(Struct, frozen=True):
    """The tests of other referees of a game.

    Attributes:
        cases: the file of its cases for referees, in spec/.
        matches: in order. A match comes after its controls.
        player: creates the player of a probe from its plan (of the game), its seat, and a seed.
        observed_chance: creates the random source from the messages received by each seat.
        about: the cases that are violated if a message is wrong and no reply of a probe tested a
            case. "TYPE WHAT" -> ids of cases. If the match tests some of these cases, only those
            count. WHAT is "missing", "extra" (a request that isn't due), the name of a field, or
            that name with " at the start". TYPE -> section, for a missing message.
        shared: cases for checks that all games share. Keys are the tricks of line_tricks.py, with
            the prefix "handshake " in handshakes, and the arguments of `named`.
        seeded: takes the cases that a match confirmed. Returns the cases that are confirmed if the
            match is also the one determined by its seed. If it isn't, the first of these is
            violated.
        names: the words for cards and similar things.
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
        """Return the cases for these checks, which all games share, e.g. "session"."""
        return tuple(case for name in looked_at for case in self.shared[name].split())
