"""The data that a match page loads: a header, steps, turns, and lines; and rows of lists.

tools/javascript/page-data.md, 1 and 5, describes the fields. A step is a state of the match, with
the events that led to it. There may be thousands of steps, so they don't contain whole views: for
each viewer, a step only has the top-level fields that have changed. The page can still go back and
forth, and all it takes is a shallow copy per step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct, field

from referee.games.interface.capabilities import Phrase, Picture
from referee.games.interface.game import Score
from referee.games.interface.page import Now
from referee.games.interface.sentence import Part
from referee.games.interface.table import Move
from referee.logs.record import Place

T = TypeVar("T")


class Mark(Struct, frozen=True):
    """An event that the page lists with a link to its step, e.g. a fault or a disqualification."""

    kind: str
    seat: int | None = None
    code: str = ""
    section: str = ""
    detail: str = ""


class Step(Struct, frozen=True, omit_defaults=True):
    """A state of the match, together with the events that led to it.

    The last step of a turn may already show the state at the start of the next turn. In this case,
    `turn` is the next turn, and `ends` is the number of the turn that has ended.
    """

    turn: int
    lines: tuple[int, int]
    seats: tuple[int, ...] = ()
    set: dict[str, dict[str, Any]] = {}
    now: dict[str, Now] = {}
    moves: dict[str, list[Move]] = {}
    values: dict[str, list[float]] = {}
    marks: Sequence[Mark] = ()
    time: float | None = None
    ends: int = 0


class TurnText(Struct):
    """A description of a turn, and the range of its steps.

    We add the description when the turn has ended.
    """

    turn: int
    first: int
    last: int
    title: str = ""
    seats: tuple[int, ...] = ()
    line: list[Part] = []
    scores: Sequence[Score] | None = None
    show: list[Phrase | Picture] = field(default_factory=list)


class Line(Struct, frozen=True, array_like=True):
    """A line of the match. `seat` is None if the line isn't to or from a single seat."""

    kind: str
    seat: int | None
    text: str


class SeatHeader(Struct, frozen=True):
    """A player. People see `name` (`referee.names`). `bot` is the BOT argument, or ""."""

    id: str
    name: str
    bot: str


class Ended(Struct, frozen=True):
    """The end of a match. `winners` are seats, and scores and ranks are in seat order.

    `reason` is a code (9), and `why` explains it in words.
    """

    reason: str
    why: str
    winners: tuple[int, ...]
    scores: list[Score]
    ranks: tuple[int, ...] = ()


class Rule(Struct, frozen=True):
    """The section of the game's protocol that explains a code. The text is Markdown."""

    kind: str
    section: str
    title: str
    text: str


class Header(Struct, kw_only=True):
    """Everything about a match that isn't part of its steps.

    Attributes:
        heard: when the last public message of a match in progress came, in seconds since 1970.
        asked: the seats whose reply a match in progress waits for. None if the file doesn't say.
    """

    format: str = "referee-page"
    version: int = 2
    kind: str
    game: str
    title: str
    source: str = ""
    seats: list[SeatHeader]
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
    asked: Sequence[int] | None = None


class Moment(Struct, frozen=True, omit_defaults=True):
    """A turning point of a match.

    Attributes:
        kind: "lead" (the seat takes the lead), "decided", or "think" (the longest thinking time).
        at: index of the step.
        before: scores before the turn, in seat order. For "think", the list is empty.
        seconds: thinking time of "think".
    """

    kind: str
    turn: int
    at: int
    seat: int | None = None
    before: Sequence[Score] = ()
    seconds: float = 0.0


class MatchPage(Struct):
    """A match, ready for its page. `turned` are the turning points."""

    header: Header
    turns: list[TurnText]
    steps: list[Step]
    lines: list[Line]
    turned: list[Moment] = []


def course_of(match: MatchPage) -> dict[str, Any]:
    """Encode the steps of a match.

    Viewers often know the same facts, e.g. both players see a card that is played. Such facts are
    written only once, under a key with the names of all these viewers.
    """
    # A step with one viewer stays as it is, or a long log would be here twice.
    steps = [
        step
        if len({*step.set, *step.now, *step.moves}) < 2
        else msgspec.structs.replace(
            step, set=_shared(step.set), now=_shared(step.now), moves=_shared(step.moves)
        )
        for step in match.steps
    ]
    return {"turns": match.turns, "steps": steps, "turned": match.turned}


def _shared(by_viewer: Mapping[str, T]) -> dict[str, T]:
    groups: list[tuple[list[str], T]] = []
    for viewer, known in by_viewer.items():
        # Views aren't hashable, so we can't use a dictionary, but there are only a few viewers.
        same = next((viewers for viewers, other in groups if other == known), None)
        if same is None:
            groups.append(([viewer], known))
        else:
            same.append(viewer)
    return {" ".join(viewers): known for viewers, known in groups}


class Item(Struct, frozen=True):
    """A match in the list. tools/javascript/page-data.md, 5, describes the fields.

    `names` are the names from the handshakes or, as long as we don't know them, the BOT arguments.
    `shown` are the names to display (see `referee.names`).

    Attributes:
        given: the names in a record's header, which may be empty.
        checked: True if `digest` is the digest of the record's lines, False if it isn't, and None
            if nobody has read the lines yet.
        tournaments: the stores that have a match with this digest, by their names in addresses.
        place: the match's tournament and its number there, as claimed by the record.
    """

    id: str
    kind: str
    game: str = ""
    names: list[str] = []
    shown: list[str] = []
    given: list[str] = []
    bots: list[str] = []
    ranks: list[int] = []
    scores: list[Score] = []
    disqualified: list[str | None] = []
    reason: str = ""
    seed: int | None = None
    started: str = ""
    digest: str = ""
    checked: bool | None = None
    tournaments: list[str] = []
    place: Place | None = None
    live: bool = False
    problem: str = ""

    def seats_of(self, bot: str) -> list[int]:
        """Return the seats whose name or BOT argument contains `bot`.

        If `bot` is empty, return all seats.
        """
        wanted = bot.casefold()
        none = [""] * len(self.names)
        known = zip(self.names, self.bots or none, self.shown, strict=False)
        return [
            seat
            for seat, texts in enumerate(known)
            if any(wanted in text.casefold() for text in texts)
        ]

    def has_result(self, seat: int, result: str) -> bool:
        """Check whether this seat has won, drawn, lost or been disqualified."""
        if result == "disqualified":
            return seat < len(self.disqualified) and self.disqualified[seat] is not None
        if seat >= len(self.ranks):
            return False
        rank = self.ranks[seat]
        shared = self.ranks.count(1) > 1
        return {"won": rank == 1 and not shared, "drawn": rank == 1 and shared, "lost": rank > 1}[
            result
        ]


class MatchSummary(NamedTuple):
    """A match in progress, as a row of a table.

    Attributes:
        names: names in seat order.
        scores: scores in seat order. The list is empty until the first turn has ended.
        turn: number of the current turn, or 0 before the first turn.
        last: a sentence about the last finished turn, which may be empty.
    """

    names: list[str]
    scores: list[Score]
    turn: int
    last: str


class StoreSummary(Struct, frozen=True):
    """An entry in a list of stores (page-data.md, 5). `problem` says why we can't show it."""

    id: str
    title: str
    changed: float
    game: str = ""
    format: str = ""
    bots: int = 0
    matches: int = 0
    problem: str = ""
