"""The seam between games and the rest: what a game is, to a match.

A game is a state machine without I/O (sans-IO). It stands at one `Request` (a decision of one
seat) until `reply` gives it the answer or `disqualify` takes the seat away; then it runs on to
its next request or to its outcome, and leaves what happened in between, in order, to be
collected with `take_events`. Everything it does follows from its chance, its options and the
replies, so giving the same replies to a new game is at once replay, snapshot and verification.

    rules = GAMES["dominion"]
    game = rules.new(Setup(chance=SeededChance(7), names=("Ann", "Ben"), max_turns=500))
    game.start()
    while game.request is not None:
        game.reply(decide(game.request.seat, game.request.message))
        for event in game.take_events(): ...
    print(game.outcome)

Seats are counted from 0 here and in all Python code; on the wire they are "player1" and up
(`player_number`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Protocol

from msgspec import Meta, Struct

from referee.seam.chance import Chance
from referee.seam.probing import Probes


class Disqualification(StrEnum):
    """Why a bot left the match (protocol-v1, 9). All of them are about the process or the clock."""

    FAILED_TO_START = "failed-to-start"
    STARTUP_TIMEOUT = "startup-timeout"
    UNSUPPORTED_VERSION = "unsupported-version"
    TIMEOUT = "timeout"
    EXITED = "exited"
    OUTPUT_LIMIT = "output-limit"
    MEMORY_LIMIT = "memory-limit"
    CPU_LIMIT = "cpu-limit"


class Termination(StrEnum):
    """How a match can end in any game (protocol-v1, 9); games add reasons of their own."""

    TURN_LIMIT = "turn-limit"
    LAST_PLAYER_STANDING = "last-player-standing"
    NO_PLAYERS = "no-players"


# The fault codes that belong to no game: what a line can be that is no reply at all.
INVALID_JSON = "invalid-json"
WRONG_TYPE = "wrong-type"
BAD_NAME_REPLY = "bad-name-reply"


class Request(Struct, frozen=True, gc=False):
    """A decision that the game waits for.

    Attributes:
        seat: who is asked, counted from 0.
        message: the private message that asks, one of the game's request structs.
    """

    seat: int
    message: Struct


class Malformed(Struct, frozen=True):
    """What stands in for a reply when a line could not be read as one.

    Attributes:
        code: `INVALID_JSON` (no JSON object) or `WRONG_TYPE` (an object of no known type).
        detail: one clause for the bot's author.
    """

    code: str
    detail: str


class Gone(Struct, frozen=True):
    """What stands in for a reply when the seat that was asked has left the match."""


GONE = Gone()


class Fault(Struct, frozen=True):
    """A bot's mistake: counted and reported, and the rules say how the game goes on.

    Attributes:
        seat: whose mistake, counted from 0.
        code: one of the codes of protocol-v1, 9.
        section: the section of the protocol that the reply breaks, such as "5.2".
        detail: one sentence on what was wrong with this reply.
    """

    seat: int
    code: str
    section: str
    detail: str


class Outcome(Struct, frozen=True):
    """How a match ended.

    Attributes:
        reason: an end reason of protocol-v1, 9.
        winners: the seats that won, counted from 0, ascending; several share the win.
    """

    reason: str
    winners: tuple[int, ...]


class Standing(Struct, frozen=True):
    """Where one seat stands, now or at the end.

    Attributes:
        score: its points.
        turns: turns that it began.
        cards: card -> how many it owns, in the game's own order, without zeros.
    """

    score: int
    turns: int
    cards: dict[str, int]


class Setup(Struct, frozen=True, kw_only=True):
    """What a new game is made of.

    Attributes:
        chance: all that is random comes from it; this game's alone.
        names: the players' names, one entry a seat, in seat order.
        max_turns: turns a player after which the game ends.
    """

    chance: Chance
    names: tuple[str, ...]
    max_turns: int


class Game(Protocol):
    """One game as a state machine. See the module's text for how it is driven."""

    @property
    def request(self) -> Request | None:
        """The decision that the game waits for; None before `start` and once it is over."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by its own rules; None while it goes on."""

    def start(self) -> None:
        """Deal, and run to the first request, if two seats are left to play."""

    def reply(self, reply: object) -> None:
        """Answer the request: a reply struct of the game, or `Malformed`."""

    def disqualify(self, seat: int) -> None:
        """Take a seat out of the game (protocol-v1, 8.3), whether it is being asked or not."""

    def take_events(self) -> list[Struct]:
        """Public messages and `Fault`s since the last call, in the order they happened."""

    def standings(self) -> Sequence[Standing]:
        """One entry a seat, in seat order."""


class Finding(Struct, frozen=True):
    """Something in a log that the protocol does not allow.

    Attributes:
        line: where, counted from 1.
        section: the section of the protocol that it breaks, such as "4.6".
        expected: what would be right there.
        found: what is there.
        count: on how many lines this was found; `line` is the first.
    """

    line: int
    section: str
    expected: str
    found: str
    count: int = 1


class Observer(Protocol):
    """Follows one game by its public messages alone, and finds what the rules do not allow.

    What it reports is certain: a log of a game by the rules has no findings. Having reported
    something it goes on as well as it can.
    """

    def see(self, line: int, message: Struct) -> list[Finding]:
        """Take one of the game's public messages."""

    def leave(self, line: int, seat: int, code: str) -> list[Finding]:
        """Take the disqualification of a seat."""

    def end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        """Take the end of the match: scores in seat order, winners as player numbers."""


class Phrase(Struct, frozen=True):
    """A line of a turn, for people.

    Attributes:
        label: one word.
        text: parts separated by ", ", where it may be wrapped.
        style: "", "bold", "red", "green" or "yellow".
    """

    label: str
    text: str
    style: str = ""


class Story(Protocol):
    """Tells a match turn by turn, from a record or from its public messages alone.

    It is told of players of this match alone, in any order of messages that a damaged log may have.
    A turn is a struct of the game's own, with at least the fields `turn` (counted from 1 over all
    players), `player_number`, `player_turn` (counted from 1), `gained`, `bought`, `scores` (in seat
    order) and `cards` (card -> count that this player owns), all after the turn.
    """

    def tell(self, message: Struct, to: int | None) -> Sequence[Any]:
        """Take a message, to all or to one seat; returns the turns that are over by now."""

    def fault(self, fault: Fault) -> Sequence[Any]:
        """Take a fault."""

    def leave(self, seat: int, text: str) -> Sequence[Any]:
        """Take the disqualification of a seat."""

    def end(self) -> Sequence[Any]:
        """The match is over, or its log is; returns the turns that were not told yet."""

    def show(self, turn: Any) -> list[Phrase]:
        """A turn for people."""


class Rules(Struct, frozen=True):
    """A game's entry in `referee.games.GAMES`.

    Attributes:
        name: the game's id in logs, such as "dominion".
        protocol: the version of the wire protocol that it speaks.
        min_seats, max_seats: how many can play.
        new: makes a game, not yet started.
        public: the structs of its public messages.
        requests: the structs of its requests.
        replies: the structs of its replies.
        faults: its fault codes, each with the section that defines it.
        reasons: its own end reasons, beside `Termination`.
        observer: makes an observer; takes the players' names, in seat order.
        story: makes a story, likewise.
        turn: what its turns are, a line of `referee replay --format json`.
        situation: makes a game that begins in the middle, from a JSON object that says where
            (spec/vectors/README.md).
        simplest_reply: the simplest legal reply to a request, both as JSON objects.
        probes: how other referees of it are checked; loaded when it is called.
    """

    name: str
    protocol: int
    min_seats: int
    max_seats: int
    new: Callable[[Setup], Game]
    public: tuple[type[Struct], ...]
    requests: tuple[type[Struct], ...]
    replies: tuple[type[Struct], ...]
    faults: Mapping[str, str]
    reasons: tuple[str, ...]
    observer: Callable[[Sequence[str]], Observer]
    story: Callable[[Sequence[str]], Story]
    turn: type[Struct]
    situation: Callable[[Setup, Mapping[str, Any]], Game]
    simplest_reply: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    probes: Callable[[], Probes]


PLAYER_NUMBERS = ("player1", "player2", "player3", "player4")
"""All seats' names on the wire, in seat order (protocol-v1, 1.6)."""

PlayerNumber = Annotated[
    str,
    Meta(
        description="A seat's name on the wire (1.6).",
        extra_json_schema={"enum": list(PLAYER_NUMBERS)},
    ),
]


def player_number(seat: int) -> str:
    """The seat's name on the wire (protocol-v1, 1.6): 0 -> "player1"."""
    return PLAYER_NUMBERS[seat]


_SHOWN = 40  # characters of a bot's string in a message


def describe(value: Any) -> str:
    """A bot's value in one short, printable, deterministic phrase for a message to its author."""
    if isinstance(value, str):
        import json  # not needed by bots that make no mistakes

        # Escaped first, then cut: an escape is up to twelve characters for one.
        shown = json.dumps(value[:_SHOWN])[1:-1]
        cut = len(value) > _SHOWN or len(shown) > _SHOWN
        return f'"{shown[:_SHOWN]}..."' if cut else f'"{shown}"'
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value) if isinstance(value, int) and abs(value) < 10**15 else "a number"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "an object"
