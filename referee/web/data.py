"""What a page has of a match: a header, its states as steps, its turns, and its lines.

spec/page-data.md, 1, describes these fields. A step is a state, and what happened on the way to it.
Each viewer's view is kept as the fields of its first level that changed, so that a page can go back
and forth with one shallow copy a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from referee.games.interface.capabilities import Phrase, Picture
from referee.games.interface.game import Score
from referee.games.interface.page import Now
from referee.games.interface.sentence import Part
from referee.games.interface.table import Move

T = TypeVar("T")


class Mark(Struct, frozen=True):
    """Something to be found on the way to a step."""

    kind: str
    seat: int | None = None
    code: str = ""
    section: str = ""
    detail: str = ""


class Step(Struct, frozen=True, omit_defaults=True):
    """A state of a match, and what happened on the way to it.

    `ends` is the turn that this ended, if the state is one of a later turn.
    """

    turn: int
    lines: tuple[int, int]
    seats: tuple[int, ...] = ()
    set: dict[str, dict[str, Any]] = {}
    now: dict[str, Now] = {}
    moves: dict[str, list[Move]] = {}
    values: dict[str, list[float]] = {}
    marks: list[Mark] = []
    time: float | None = None
    ends: int = 0


class TurnText(Struct):
    """A turn as text: its steps, the seats that move, and what happened, empty until it is over."""

    turn: int
    first: int
    last: int
    title: str = ""
    seats: tuple[int, ...] = ()
    line: list[Part] = []
    scores: Sequence[Score] | None = None
    show: list[Phrase | Picture] = field(default_factory=list)


class Line(Struct, frozen=True, array_like=True):
    """A line that was said; the seat is None if the line does not belong to one."""

    kind: str
    seat: int | None
    text: str


class Seat(Struct, frozen=True):
    """A player: its id, the name that is shown (`referee.names`), and its BOT argument or ""."""

    id: str
    name: str
    bot: str


class Ended(Struct, frozen=True):
    """How a match ended: the reason; winners as seats; scores and ranks in seat order."""

    reason: str
    winners: tuple[int, ...]
    scores: list[Score]
    ranks: tuple[int, ...] = ()


class Rule(Struct, frozen=True):
    """The text on a code from the game's page, as Markdown."""

    kind: str
    section: str
    title: str
    text: str


class Header(Struct, kw_only=True):
    """The facts about a match that its steps do not have."""

    format: str = "referee-page"
    version: int = 2
    kind: str
    game: str
    title: str
    source: str = ""
    seats: list[Seat]
    options: Mapping[str, Any] = {}
    limits: Mapping[str, Any] = {}
    seed: int | None = None
    command: str = ""
    date: str = ""
    outcome: Ended | None = None
    problem: str = ""
    tournaments: list[str] = []
    digest: str = ""
    hidden: str = ""
    viewers: list[str]
    series: list[dict[str, str]]
    facts: Mapping[str, Any] = {}
    rules: dict[str, Rule] = {}
    omitted: str = ""
    heard: float | None = None


class Moment(Struct, frozen=True, omit_defaults=True):
    """One thing that made the match what it was.

    Attributes:
        kind: "lead" (the seat takes it from another), "decided" or "think".
        at: the step.
        before: the scores before the turn, in seat order; of a think empty.
        seconds: of a think.
    """

    kind: str
    turn: int
    at: int
    seat: int | None = None
    before: Sequence[Score] = ()
    seconds: float = 0.0


class MatchPage(Struct):
    """All that a page shows of a match."""

    header: Header
    turns: list[TurnText]
    steps: list[Step]
    lines: list[Line]
    turned: list[Moment] = []


def course_of(match: MatchPage) -> dict[str, Any]:
    """The steps of a match as they are written: what several viewers know stands there once."""
    steps = [
        msgspec.structs.replace(
            step, set=_shared(step.set), now=_shared(step.now), moves=_shared(step.moves)
        )
        for step in match.steps
    ]
    return {"turns": match.turns, "steps": steps, "turned": match.turned}


def _shared(by_viewer: Mapping[str, T]) -> dict[str, T]:
    groups: list[tuple[list[str], T]] = []
    for viewer, known in by_viewer.items():
        same = next((viewers for viewers, other in groups if other == known), None)
        if same is None:
            groups.append(([viewer], known))
        else:
            same.append(viewer)
    return {" ".join(viewers): known for viewers, known in groups}
