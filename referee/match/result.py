"""Defines the result of a match, which `referee play --format json` prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Struct

from referee.games import GAMES
from referee.games.interface.data import about
from referee.games.interface.definition import GameDefinition
from referee.games.interface.game import Score
from referee.games.interface.seats import SeatId, seat_id
from referee.match.machine import Match
from referee.match.sandbox import SandboxKind

T = TypeVar("T", bound=Struct)


class ReplySeconds(Struct, frozen=True):
    """A bot's reply times in seconds, not counting the handshake.

    A reply time starts when the request is written to the pipe (protocol, 8.1).
    """

    total: float
    max: float


class DisqualificationReport(Struct, frozen=True):
    """The cause of a disqualification."""

    detail: Annotated[str, about("The reason in one clause, as in the record.")]
    cause: Annotated[str, about("The mistake that most likely caused it, in a sentence; or empty.")]
    turn: Annotated[int, about("Turn of the match; 0 before the first turn.")]
    request: Annotated[int, about("Number of the request to this bot; 0: handshake.")]
    asked: Annotated[str, about("The unanswered request, as sent.")]


class FirstFault(Struct, frozen=True):
    """A seat's first fault with a certain code."""

    code: str
    section: Annotated[str, about("Section of the game's protocol.")]
    detail: Annotated[str, about("The mistake, in a sentence for the author.")]
    turn: Annotated[int, about("Turn of the match; 0 before the first turn.")]
    request: Annotated[int, about("Number of the request to this bot; 0: handshake.")]
    line: Annotated[str, about("The reply as written by the bot; shortened if long.")]
    follows: Annotated[bool, about("True if an earlier fault already names the cause.")] = False


class Stderr(Struct, frozen=True):
    """The end of a bot's stderr, escaped, for its author."""

    lines: Annotated[list[str], about('Omitted lines are replaced by "... 3 lines left out".')] = []
    omitted: Annotated[int, about("Number of omitted lines.")] = 0


class Diagnosis(Struct, frozen=True):
    """The fields of `PlayerResult` that are meant for the author of the bot."""

    disqualification: DisqualificationReport | None = None
    first_faults: list[FirstFault] = []
    notes: list[str] = []
    stderr: Stderr | None = None


class PlayerResult(Struct, frozen=True):
    """The result of one seat. Each game appends its own fields."""

    player_number: SeatId
    name: Annotated[str, about("The name from the handshake.")]
    bot: Annotated[str, about("The BOT argument.")]
    score: Score
    turns: Annotated[int, about("Turns that this player began.")]
    rank: Annotated[
        int, about("1 is best; ties share a rank; disqualified players share the last.")
    ]
    disqualified: Annotated[str | None, about("Code of the disqualification, or null.")]
    faults: Annotated[dict[str, int], about("Code -> count; no zeros.")]
    requests: Annotated[int, about("Requests sent to the bot after the handshake.")]
    reply_seconds: ReplySeconds
    exit_code: Annotated[
        int | None, about("Exit code of the process; -N for signal N; null if it never started.")
    ]
    disqualification: Annotated[
        DisqualificationReport | None, about("Only for disqualified players.")
    ] = None
    first_faults: Annotated[
        list[FirstFault], about("The first fault of each code, in order of occurrence.")
    ] = []
    notes: Annotated[
        list[str], about("Legal but probably unintended behaviour, one sentence each.")
    ] = []
    stderr: Annotated[Stderr | None, about("Output on stderr; null if none.")] = None


class MatchResult(Struct, frozen=True, dict=True):
    """The result of a match."""

    # dict=True lets show_by() attach a function to an instance. It isn't a field, so it's not
    # compared, copied or encoded.

    game: str
    protocol: int
    seed: Annotated[int, about("Seed of the match, or of its last redeal.")]
    reason: Annotated[str, about("End reason (protocol, 9).")]
    turns: Annotated[int, about("Turns begun by all players; a simultaneous turn counts once.")]
    winners: list[SeatId]
    duration_seconds: Annotated[
        float, about("From the start of the first bot to the exit of the last.")
    ]
    players: Annotated[list[PlayerResult], about("In seat order.")]
    sandbox: Annotated[SandboxKind, about("Sandbox of the bot processes.")] = "none"

    def show_by(self, show: Callable[[str], str]) -> None:
        """Set the function that notebooks use to show this result as HTML. It gets `repr(self)`."""
        self.__dict__["show"] = show

    def _repr_html_(self) -> str | None:
        show = self.__dict__.get("show")
        return None if show is None else show(repr(self))

    def __repr__(self) -> str:
        """Show only the outcome, because the whole result would fill pages."""
        what = f"{self.game}, seed {self.seed}, {self.reason} in turn {self.turns}"
        ends = (
            f"{p.name!r} {p.score}{' won' * (p.player_number in self.winners)}"
            for p in self.players
        )
        return f"<MatchResult: {what}; {', '.join(ends)}>"


@cache
def player_result_type(definition: GameDefinition) -> type[PlayerResult]:
    """Create a subclass of `PlayerResult` with a game's fields. Its instances can be pickled."""

    def reduce(result: PlayerResult) -> tuple[Any, ...]:
        return _unpickled, (definition.name, msgspec.structs.asdict(result))

    # pickle looks up classes by name, but this class is created at run time, so it needs a
    # __reduce__.
    return with_facts(PlayerResult, definition, __reduce__=reduce)


def _unpickled(game: str, fields: dict[str, Any]) -> PlayerResult:
    return player_result_type(GAMES[game])(**fields)


def with_facts(struct: type[T], definition: GameDefinition, **namespace: Any) -> type[T]:
    """Create a subclass of a struct that also has the fields of a game's `facts`."""
    facts = [(field.name, field.type) for field in msgspec.structs.fields(definition.facts)]
    # Some of the struct's own fields have defaults, so the new ones have to be keyword-only.
    return narrowed(struct, *facts, kw_only=True, **namespace)


def narrowed(
    struct: type[T], *fields: tuple[str, Any], kw_only: bool = False, **namespace: Any
) -> type[T]:
    """Define a subclass with the same name and tag, but with more fields or other types."""
    config = struct.__struct_config__
    return msgspec.defstruct(  # type: ignore[return-value]
        struct.__name__,
        fields,
        bases=(struct,),
        namespace={"__doc__": struct.__doc__, **namespace},
        tag_field=config.tag_field,
        tag=config.tag,
        frozen=True,
        kw_only=kw_only,
    )


def seat_ends(match: Match) -> list[dict[str, Any]]:
    """Return the fields that results and records have in common, as a dict per seat.

    Call this only after the end of the match.
    """
    assert match.outcome is not None
    places = zip(match.names, match.standings(), match.outcome.ranks, strict=True)
    return [
        {
            "name": name,
            "score": standing.score,
            "turns": standing.turns,
            "rank": rank,
            "disqualified": match.disqualified[seat].code if seat in match.disqualified else None,
            **msgspec.structs.asdict(standing.facts),
        }
        for seat, (name, standing, rank) in enumerate(places)
    ]


def player_results(
    definition: GameDefinition,
    match: Match,
    bots: Sequence[str],
    reply_seconds: list[ReplySeconds],
    exit_codes: list[int | None],
    diagnoses: Sequence[Diagnosis],
) -> list[PlayerResult]:
    """Return the results of a finished match. All sequences are in seat order."""
    player_result = player_result_type(definition)
    return [
        player_result(
            player_number=seat_id(seat),
            bot=bots[seat],
            faults=dict(sorted(match.faults[seat].items())),
            requests=match.requests[seat],
            reply_seconds=reply_seconds[seat],
            exit_code=exit_codes[seat],
            **msgspec.structs.asdict(diagnoses[seat]),
            **end,
        )
        for seat, end in enumerate(seat_ends(match))
    ]
