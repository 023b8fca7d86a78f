"""The result of a match as one object: what `referee play --format json` prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.game import Score
from referee.games.interface.seats import SeatId, seat_id
from referee.match.machine import Match
from referee.match.sandbox import Kind

T = TypeVar("T", bound=Struct)


class ReplySeconds(Struct, frozen=True):
    """How long a bot took for its replies, in seconds, its handshake not counted.

    Each is counted from the moment the request was handed to the pipe (protocol, 8.1).
    """

    total: float
    max: float


class DisqualificationReport(Struct, frozen=True):
    """Why a seat was disqualified, and at what."""

    detail: Annotated[str, Meta(description="One clause; the record has it too.")]
    cause: Annotated[
        str,
        Meta(description="The most likely mistake for its author to fix, in a sentence; or empty."),
    ]
    turn: Annotated[int, Meta(description="Of the match, over all players; 0 before its first.")]
    request: Annotated[int, Meta(description="Which of those it was sent; 0 is the handshake.")]
    asked: Annotated[str, Meta(description="The request that it did not answer, as it was sent.")]


class FirstFault(Struct, frozen=True):
    """The first fault of a seat with a code."""

    code: str
    section: Annotated[str, Meta(description="Of the game's protocol.")]
    detail: Annotated[str, Meta(description="The mistake, in a sentence for its author.")]
    turn: Annotated[int, Meta(description="Of the match, over all players; 0 before its first.")]
    request: Annotated[int, Meta(description="Which of those it was sent; 0 is the handshake.")]
    line: Annotated[str, Meta(description="The reply as the bot gave it; a long one is cut.")]
    follows: Annotated[
        bool, Meta(description="Whether it follows from the cause that an earlier fault names.")
    ] = False


class Stderr(Struct, frozen=True):
    """The end of a bot's stderr, escaped, for its author."""

    lines: Annotated[
        list[str], Meta(description='With "... 3 lines left out" in the place of such.')
    ] = []
    omitted: Annotated[int, Meta(description="Lines of it that are not there.")] = 0


class Diagnosis(Struct, frozen=True):
    """The parts of a result for a bot's author; each field as in `PlayerResult`."""

    disqualification: DisqualificationReport | None = None
    first_faults: list[FirstFault] = []
    notes: list[str] = []
    stderr: Stderr | None = None


class PlayerResult(Struct, frozen=True):
    """The result of one seat; the facts of the game are added behind these fields."""

    player_number: SeatId
    name: Annotated[str, Meta(description="The name that the bot gave itself.")]
    bot: Annotated[str, Meta(description="The BOT argument, as it was given.")]
    score: Score
    turns: Annotated[int, Meta(description="Its own turns that it began.")]
    rank: Annotated[
        int, Meta(description="1 is best; shared on ties; the disqualified share the last.")
    ]
    disqualified: Annotated[str | None, Meta(description="A code, or null.")]
    faults: Annotated[dict[str, int], Meta(description="Code -> count; no zeros.")]
    requests: Annotated[int, Meta(description="Requests sent to it after the handshake.")]
    reply_seconds: ReplySeconds
    exit_code: Annotated[
        int | None,
        Meta(description="Of its process; -N after signal N; null if it never started."),
    ]
    disqualification: Annotated[
        DisqualificationReport | None, Meta(description="Of one that was disqualified.")
    ] = None
    first_faults: Annotated[
        list[FirstFault],
        Meta(description="The first of each code, in the order in which they came."),
    ] = []
    notes: Annotated[
        list[str],
        Meta(description="Legal behaviour that is probably not intended, one sentence each."),
    ] = []
    stderr: Annotated[Stderr | None, Meta(description="Its text on stderr; null without one.")] = (
        None
    )


class MatchResult(Struct, frozen=True, dict=True):
    """How a match ended."""

    # What shows the match itself stands beside the fields: nothing compares, copies or writes it.

    game: str
    protocol: int
    seed: Annotated[int, Meta(description="Of its luck: of the last redeal, if it has any.")]
    reason: Annotated[str, Meta(description="Why it ended (protocol, 9).")]
    turns: Annotated[
        int, Meta(description="Turns begun, of all players together where they take turns.")
    ]
    winners: list[SeatId]
    duration_seconds: Annotated[
        float, Meta(description="From the start of the bots to the end of the last.")
    ]
    players: Annotated[list[PlayerResult], Meta(description="In seat order.")]
    sandbox: Annotated[Kind, Meta(description="Of the bots that are programs.")] = "none"

    def show_by(self, show: Callable[[str], str]) -> None:
        """In a notebook be shown as this makes of what `repr` says, as HTML."""
        self.__dict__["show"] = show

    def _repr_html_(self) -> str | None:
        show = self.__dict__.get("show")
        return None if show is None else show(repr(self))

    def __repr__(self) -> str:
        """Show only the end: the whole result fills pages."""
        what = f"{self.game}, seed {self.seed}, {self.reason} in turn {self.turns}"
        ends = (
            f"{p.name!r} {p.score}{' won' * (p.player_number in self.winners)}"
            for p in self.players
        )
        return f"<MatchResult: {what}; {', '.join(ends)}>"


@cache
def player_result_type(rules: GameDefinition) -> type[PlayerResult]:
    """`PlayerResult` with the facts of a game; it can be pickled."""

    def reduce(result: PlayerResult) -> tuple[Any, ...]:
        return _unpickled, (rules.name, msgspec.structs.asdict(result))

    return with_facts(PlayerResult, rules, __reduce__=reduce)


def _unpickled(game: str, fields: dict[str, Any]) -> PlayerResult:
    return player_result_type(GAMES[game])(**fields)


def with_facts(struct: type[T], rules: GameDefinition, **namespace: Any) -> type[T]:
    """A struct of one seat's end, with the game's own facts as its last fields."""
    facts = [(field.name, field.type) for field in msgspec.structs.fields(rules.facts)]
    return narrowed(struct, *facts, kw_only=True, **namespace)  # some before have defaults


def narrowed(
    struct: type[T], *fields: tuple[str, Any], kw_only: bool = False, **namespace: Any
) -> type[T]:
    """A struct of the same name and tag, with more fields, or with other types of its own."""
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
    """The fields that a result and a record share, per seat, once the match is over."""
    assert match.outcome is not None  # it is over
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
    rules: GameDefinition,
    match: Match,
    bots: Sequence[str],
    reply_seconds: list[ReplySeconds],
    exit_codes: list[int | None],
    diagnoses: Sequence[Diagnosis],
) -> list[PlayerResult]:
    """One entry per seat, in seat order, once the match is over, as the arguments."""
    player_result = player_result_type(rules)
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
