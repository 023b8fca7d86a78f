"""Base class of readers that show a match to people and scripts, turn by turn.

The reader of a game reads its messages one by one and fills in the current turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from msgspec import Meta, Struct

from referee.games.interface.capabilities import Phrase, Picture, Summary
from referee.games.interface.faults import Fault
from referee.games.interface.game import Score
from referee.games.interface.seats import seat_id, seat_index, seat_of
from referee.games.interface.sentence import Part, Seat, joined, listed

MAX_KEPT = 1000
"""Maximum entries in a list of a turn. No legal turn has more, but a damaged log may."""


class Note(Struct, frozen=True):
    """A fault or a disqualification."""

    player_number: Annotated[str, Meta(description="The player that it is about.")]
    what: Annotated[str, Meta(extra_json_schema={"enum": ["fault", "disqualified"]})]
    text: Annotated[str, Meta(description="Code and explanation. For a fault, also the section.")]
    stderr: Annotated[
        list[str],
        Meta(description="Last lines on standard error of a disqualified bot, if stored."),
    ] = []


class Action(Struct):
    """An action of a player."""

    what: Annotated[str, Meta(description='A verb of the game, such as "plays".')]
    card: Annotated[
        str, Meta(description="The card, or another object of the action. May be empty.")
    ] = ""
    effects: Annotated[list[str], Meta(description="Effects in words.")] = []


class Turn(Struct, kw_only=True):
    """One turn. Games add fields."""

    turn: Annotated[int, Meta(description="Number of the turn, from 1, over all players.")]
    player_number: Annotated[
        str, Meta(description="The player on turn. Empty if unknown, or if all move at once.")
    ] = ""
    actions: Annotated[list[Action], Meta(description="The actions, in order.")] = []
    scores: Annotated[
        Sequence[Score] | None,
        Meta(
            description="Scores after the turn, in seat order. Null if the log does not show them."
        ),
    ] = None
    notes: Annotated[list[Note], Meta(description="Faults and disqualifications, in order.")] = []
    omitted: Annotated[
        int, Meta(description="Number of entries omitted from its lists, beyond the first 1,000.")
    ] = 0


T = TypeVar("T", bound=Turn)


class TurnReader(ABC, Generic[T]):
    """Reads a match turn by turn, from a record or only from its public messages.

    All messages must be about seats of this match. Their order can be wrong, as in a damaged log.

    Args:
        names: the players' names, in seat order.

    Attributes:
        styles: `Action.what` -> style.
        columns: field of a turn -> noun for its total, or "" for a number. `summary` shows these
            fields.
        now: the current turn.
        called: the players' names in sentences, in seat order. By default these are their ids, but
            a page can set names.
    """

    turn_type: type[T]
    styles: ClassVar[Mapping[str, str]] = {}
    columns: ClassVar[Mapping[str, str]] = {}

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self.called: Sequence[str] = [seat_id(seat) for seat in range(len(names))]
        self.now = self.turn_type(turn=1)

    @abstractmethod
    def read(self, message: Struct, to: int | None) -> list[T]:
        """Read a message to all, or to one seat. Returns the turns that it ends."""

    def fault(self, fault: Fault) -> None:
        """Read a fault. Only records contain faults."""
        self.note("fault", fault.seat, f"{fault.code} ({fault.section}): {fault.detail}")

    def disqualify(self, seat: int, text: str, stderr: Sequence[str] = ()) -> list[T]:
        """Read the disqualification of a seat.

        Args:
            text: the reason in words.
            stderr: the last lines on the bot's standard error.

        Returns:
            The turns that it ends.
        """
        self.note("disqualified", seat, text, stderr)
        return []

    def end(self) -> list[T]:
        """Read the end of the match, or of its log. Returns the remaining turns."""
        return [self.close()] if self.was_started() else []

    # --- formatting -------------------------------------------------------------------------------

    def seats(self, turn: T) -> tuple[int, ...]:
        """Return the seats that moved in the turn."""
        seat = seat_of(turn.player_number, len(self._names))
        return () if seat is None else (seat,)

    def active(self) -> tuple[int, ...]:
        """Return the seats that move in the current turn, if known."""
        return self.seats(self.now)

    def line(self, turn: T) -> list[Part]:
        """Summarise a turn in one line, without its player and scores.

        The line has the actions with a style, or all actions if none has one.
        """
        styles = self.styles
        told = [action for action in turn.actions if styles.get(action.what) != "dim"]
        chief = [action for action in told if styles.get(action.what)]
        clauses: list[list[Part]] = []
        for what, actions in groupby(chief or told, key=attrgetter("what")):
            objects = listed(part for part in map(self.part_of, actions) if part)
            clauses.append([f"{what} ", *objects] if objects else [what])
        return joined([*clauses, *self.losses(turn)])

    def title(self, turn: T) -> str:
        """Return a heading, e.g. the player on turn. May be empty."""
        name = "".join(self._names[seat] for seat in self.seats(turn))
        return f"{name}, {_to(turn.scores)}" if turn.scores else name

    def show(self, turn: T) -> list[Phrase | Picture]:
        """Describe the events of a turn: its actions, then faults and disqualifications."""
        notes = [phrase for note in turn.notes for phrase in self._phrases(note)]
        more = [Phrase("left out", f"{turn.omitted} more", "red")] if turn.omitted else []
        return [*self.words(turn), *notes, *more]

    def words(self, turn: T) -> list[Phrase | Picture]:
        """Describe the actions of a turn, in order. Repeated actions are counted."""
        parts: list[Phrase | Picture] = []
        for what, actions in groupby(turn.actions, key=attrgetter("what")):
            said = ", ".join(counted(map(self.in_words, actions), "x"))
            if said:
                parts.append(Phrase(what, said, self.styles.get(what, "")))
        return parts

    def in_words(self, action: Action) -> str:
        """Describe an action with its effects: "Ram (5 combat)"."""
        to, effects = self.object_of(action), "; ".join(action.effects)
        return f"{to} ({effects})" if to and effects else to or effects

    def object_of(self, action: Action) -> str:
        """Return the object of an action. May be empty."""
        return action.card

    def part_of(self, action: Action) -> Part:
        """Return the object of an action as a part of a sentence."""
        return self.object_of(action)

    def summary(self, turns: Sequence[T]) -> Summary:
        """Return a table with one row per turn. `turns` may be empty or a part of a match."""
        rows, totals = [], []
        for turn in turns:
            made = (getattr(turn, name) for name in self.columns)
            cells = [", ".join(of) if isinstance(of, list) else str(of) for of in made]
            rows.append([str(turn.turn), turn.player_number, *cells, _to(turn.scores or [])])
        for name, noun in self.columns.items():
            # A column with a noun contains lists of names, and its total is their number. Other
            # columns contain numbers, which are added up.
            total = sum(len(getattr(t, name)) if noun else getattr(t, name) for t in turns)
            totals.append(f"{total} {noun}".rstrip())
        columns = ["turn", "player", *self.columns, "scores"]
        return Summary(columns, rows, [["all", "", *totals, ""]])

    def call(self, player: str) -> str:
        """Return a player's name in sentences. Other texts are returned unchanged."""
        seat = seat_of(player, len(self.called))
        return player if seat is None else self.called[seat]

    def _phrases(self, note: Note) -> Iterator[Phrase]:
        yield Phrase(note.what, f"{self.call(note.player_number)}: {note.text}", "red")
        for place, line in enumerate(note.stderr):
            yield Phrase("" if place else "stderr", line, "raw")

    def losses(self, turn: T) -> Iterator[list[Part]]:
        """Describe the disqualifications in a turn."""
        for note in turn.notes:
            if note.what == "disqualified":
                yield [Seat(seat_index(note.player_number)), " is disqualified"]

    # --- for subclasses ---------------------------------------------------------------------------

    def begin(self, turn: int, player: str) -> list[T]:
        """Begin a player's turn. Earlier actions without a player are added to it."""
        over = self.end() if self.now.player_number else []
        self.now.turn, self.now.player_number = turn, player
        return over

    def was_started(self) -> bool:
        """True if the current turn has any content."""
        return bool(self.now.player_number or self.now.actions or self.now.notes)

    def close(self) -> T:
        """End the current turn and begin the next one."""
        over = self.now
        self.now = self.turn_type(turn=over.turn + 1)
        return over

    def act(self, what: str, card: str, *effects: str) -> None:
        """Add an action to the current turn."""
        self.append_limited(self.now.actions, Action(what, card, list(effects)))

    def add_effects(self, *effects: str) -> None:
        """Add effects to the last action."""
        # If the last action was omitted, these effects belong to an action that isn't in the list.
        if self.now.actions and not self.now.omitted:
            for effect in effects:
                self.append_limited(self.now.actions[-1].effects, effect)

    def note(self, what: str, seat: int, text: str, stderr: Sequence[str] = ()) -> None:
        """Add a note to the current turn."""
        self.append_limited(self.now.notes, Note(seat_id(seat), what, text, list(stderr)))

    def append_limited(self, items: list[Any], item: Any) -> None:
        """Add an entry to a list of the turn, or count it as omitted."""
        if len(items) < MAX_KEPT:
            items.append(item)
        else:
            self.now.omitted += 1


class TurnListener(Generic[T]):
    """The part of a `Dialogue` that reports other players' turns.

    Attributes:
        verbs: label of an action -> its verb in a sentence. Other actions aren't reported.
    """

    reader_type: Callable[[Sequence[str]], TurnReader[T]]
    verbs: ClassVar[Mapping[str, str]] = {}

    def __init__(self, names: Sequence[str], seat: int) -> None:
        self._names = list(names)
        self._seat, self._number = seat, seat_id(seat)
        self._turns = self.reader_type(names)

    def observe(self, message: Struct) -> list[str]:
        """Read a public message or a request. Returns news."""
        return [line for turn in self._turns.read(message, None) for line in self.tell(turn)]

    def disqualify(self, seat: int) -> list[str]:
        """Do nothing, because the caller announces it."""
        return []

    def end(self) -> list[str]:
        """Read the end of the match. Returns the actions of the last turn."""
        return [line for turn in self._turns.end() for line in self.tell(turn)]

    def tell(self, turn: T) -> list[str]:
        """Describe another player's turn. Empty for the person's own turn."""
        if turn.player_number in ("", self._number):
            return []
        name = self._names[self._turns.seats(turn)[0]]
        return [
            f"{name} {self.verbs[part.label]} {part.text}."
            for part in self._turns.words(turn)
            if isinstance(part, Phrase) and part.label in self.verbs
        ]


def counted(words: Iterable[str], times: str = "") -> Iterator[str]:
    """Merge repeated words and put the count before them: "2 copper", or "2x copper"."""
    for word, same in groupby(words):
        count = len([*same])
        yield f"{count}{times} {word}" if count > 1 else word


def plural(count: Score, what: str) -> str:
    """Format a count with its noun: "1 point", "2 points"."""
    return f"{count} {what}" if abs(count) == 1 else f"{count} {what}s"


def ordinal(number: int) -> str:
    """Format an ordinal number: "1st", "12th"."""
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _to(scores: Sequence[Score]) -> str:
    return " to ".join(map(str, scores))
