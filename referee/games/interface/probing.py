"""The interface for testing other referees of a game with `referee conform --referee`.

A *probe* plays one seat in a match of the other referee. It replies according to its `ProbePlan`,
and each of its replies tests some conformance cases. After the match, we play it again with our own
rules. Our random source is an `ObservedChance`, so we draw the same cards as the other referee.
Then we compare the lines, up to the first one that differs from ours. Later differences mean
little, because from there on the two matches aren't the same any more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from referee.games.interface.random_source import RandomSource

Message = Mapping[str, Any]
"""A message as a JSON object."""


class ProbePlan(Struct, frozen=True, forbid_unknown_fields=True):
    """How one seat behaves in a probe match. Games add fields for the moves to play.

    Attributes:
        tricks: names separated by spaces. Each trick is used once, at the first request that suits
            it.
        handshake: a trick to use in the reply to `player-name-request`, if any.
        stays: if this is "", the process exits at the end of its input. With "a little" it exits
            shortly afterwards, and with "yes" it doesn't even exit after SIGTERM.
    """

    tricks: str = ""
    handshake: str = ""
    stays: str = ""


class ProbeMatch(Struct, frozen=True):
    """A match that we play to test certain cases.

    Attributes:
        covers: the cases, as ids or patterns of ids.
        controls: earlier matches without the behaviour that we test here, as ids or patterns. A
            deviation that already occurred in a control isn't counted again.
        shows: cases that pass if the referee doesn't deviate anywhere in the match.
    """

    id: str
    covers: tuple[str, ...]
    seats: tuple[ProbePlan, ...]
    controls: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


class ProbeAction(Struct, frozen=True):
    """The reaction of a probe to a request.

    Attributes:
        data: what to write to standard output, including newlines.
        cases: the cases that this tests. A normal move doesn't test any.
        noise: how many bytes to write to standard error first.
        delay: seconds to wait before writing.
        then: what to do afterwards: "" (nothing), "exit", "close" (standard output) or "block". To
            block, a probe writes more than fits into a pipe, and doesn't read before the whole
            output was written.
        awaits: a message type and a number. Before it writes, the probe waits until at least one
            other seat has received this many messages of the type, but only for a few seconds.
    """

    data: bytes = b""
    cases: tuple[str, ...] = ()
    noise: int = 0
    delay: float = 0.0
    then: str = ""
    awaits: tuple[str, int] | None = None


class ProbePlayer(Protocol):
    """Plays one seat of the game for a probe."""

    def observe(self, message: Message) -> None:
        """Read a message that isn't a request."""

    def reply(self, request: Message) -> ProbeAction:
        """Return the next action of the plan, or a normal move if the plan has none."""

    def plain(self) -> Message | None:
        """Return a legal reply whose effect is public, or None if there isn't one.

        Tricks such as unusual spaces in a line need a legal reply, and use this one.
        """


class ObservedChance(RandomSource, Protocol):
    """Reads the random choices of another referee from its messages, and repeats them."""

    def sent(self, message: Message, seat: int | None) -> Iterable[str]:
        """Read a correct message. Returns the cases that pass because of it.

        `seat` is None if all seats get the message.
        """


class Probes(Struct, frozen=True):
    """The tests for other referees of a game.

    Attributes:
        cases: the file in spec/ with the cases for referees.
        matches: the matches to play, in this order. A match must come after its controls.
        player: creates the player of a probe from the plan, the seat and a seed.
        observed_chance: creates the random source from the messages that each seat received.
        about: which cases fail if a message is wrong, as ids separated by spaces. We look here if
            the replies before the message didn't test any cases, and for every extra request. The
            keys are "TYPE WHAT". WHAT can be "missing", "extra" (the request isn't due), the name
            of a field, or that name with " at the start". If the match tests some of the cases,
            only those fail. If no key fits, we blame the section under the key that is just TYPE.
        shared: the cases for checks that are the same in all games. The keys are the tricks of
            line_tricks.py (with the prefix "handshake " in a handshake) and the arguments of
            `named`.
        seeded: takes the cases that passed in a match, and returns the cases that pass, too, if the
            seed leads to exactly this match. If it leads to another one, the first of them fails.
        names: the names of cards and similar things. A referee that mentions one in an extra field
            gives away a secret.
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
        """Return the cases for some checks that all games share, e.g. "session"."""
        return tuple(case for name in looked_at for case in self.shared[name].split())
