"""Base class for showing a match turn by turn, to people and to scripts.

Each game has a subclass, which reads the messages one by one and fills in the current turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from msgspec import Meta, Struct

from referee.games.interface.capabilities import Phrase, Picture, Summary
from referee.games.interface.data import about
from referee.games.interface.faults import Fault
from referee.games.interface.game import Score
from referee.games.interface.seats import seat_id, seat_index, seat_of
from referee.games.interface.sentence import Part, Seat, joined, listed

MAX_KEPT = 1000
"""The maximum length of each list in a turn. Only a damaged log can have longer lists."""


class Note(Struct, frozen=True):
    """A fault or a disqualification."""

    player_number: Annotated[str, about("The player that it is about.")]
    what: Annotated[str, Meta(extra_json_schema={"enum": ["fault", "disqualified"]})]
    text: Annotated[str, about("Code and explanation. For a fault, also the section.")]
    stderr: Annotated[
        list[str], about("Last lines on standard error of a disqualified bot, if stored.")
    ] = []


class Action(Struct):
    """An action of a player."""

    what: Annotated[str, about('A verb of the game, such as "plays".')]
    card: Annotated[str, about("The card, or another object of the action. May be empty.")] = ""
    effects: Annotated[list[str], about("Effects in words.")] = []


class Turn(Struct, kw_only=True):
    """One turn. Games add fields."""

    turn: Annotated[int, about("Number of the turn, from 1, over all players.")]
    player_number: Annotated[
        str, about("The player on turn. Empty if unknown, or if all move at once.")
    ] = ""
    actions: Annotated[list[Action], about("The actions, in order.")] = []
    scores: Annotated[
        Sequence[Score] | None,
        about("Scores after the turn, in seat order. Null if the log does not show them."),
    ] = None
    notes: Annotated[list[Note], about("Faults and disqualifications, in order.")] = []
    omitted: Annotated[
        int, about("Number of entries omitted from its lists, beyond the first 1,000.")
    ] = 0


T = TypeVar("T", bound=Turn)


class TurnReader(ABC, Generic[T]):
    """Reads a match and returns its turns.

    It works with all messages of a record, and also with only the public ones. Messages may only
    mention seats of this match. They may come in the wrong order, as in a damaged log.

    Args:
        names: the players' names, in seat order.

    Attributes:
        styles: how to show actions, by `Action.what` (see `Phrase`).
        columns: fields of a turn to show in `summary`. If the field is a list, the value is the
            noun for the number of its items. If it's a number, the value is "".
        now: the current turn.
        called: what to call the players in sentences, in seat order. By default they're called
            "player1" and so on, but the page sets their names.
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
        """Read a message, and return the turns that end with it.

        `to` is the seat that received the message, or None for a public message.
        """

    def fault(self, fault: Fault) -> None:
        """Add a fault to the current turn. Only records contain faults."""
        self.note("fault", fault.seat, f"{fault.code} ({fault.section}): {fault.detail}")

    def disqualify(self, seat: int, text: str, stderr: Sequence[str] = ()) -> list[T]:
        """Add a disqualification to the current turn, and return the turns that end with it.

        Args:
            text: the reason in words.
            stderr: the last lines that the bot wrote to standard error.
        """
        self.note("disqualified", seat, text, stderr)
        return []

    def end(self) -> list[T]:
        """Called when the match or its log is over. Returns the turns that weren't returned yet."""
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

        If any actions have a style other than "dim", only those are shown. Otherwise we show the
        actions without a style.
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
        """Return a heading for a turn, e.g. the player and the scores. It may be empty."""
        name = "".join(self._names[seat] for seat in self.seats(turn))
        return f"{name}, {_to(turn.scores)}" if turn.scores else name

    def show(self, turn: T) -> list[Phrase | Picture]:
        """Describe everything that happened in a turn. Faults and disqualifications come last."""
        notes = [phrase for note in turn.notes for phrase in self._phrases(note)]
        more = [Phrase("left out", f"{turn.omitted} more", "red")] if turn.omitted else []
        return [*self.words(turn), *notes, *more]

    def state(self, turn: T) -> Sequence[Phrase]:
        """Describe the state after a turn. Only the terminal shows it, because pages draw it."""
        return ()

    def words(self, turn: T) -> list[Phrase | Picture]:
        """Describe the actions of a turn, in order. Repeated actions are counted."""
        parts: list[Phrase | Picture] = []
        for what, actions in groupby(turn.actions, key=attrgetter("what")):
            said = ", ".join(counted(map(self.in_words, actions), "x"))
            if said:
                parts.append(Phrase(what, said, self.styles.get(what, "")))
        return parts

    def in_words(self, action: Action) -> str:
        """Describe an action with its effects, but without its verb, e.g. "Ram (5 combat)"."""
        to, effects = self.object_of(action), "; ".join(action.effects)
        return f"{to} ({effects})" if to and effects else to or effects

    def object_of(self, action: Action) -> str:
        """Return the grammatical object of an action, usually a card. It may be empty."""
        return action.card

    def part_of(self, action: Action) -> Part:
        """Like `object_of`, but as a part of a sentence, so that a page can draw the card."""
        return self.object_of(action)

    def summary(self, turns: Sequence[T]) -> Summary:
        """Return a table with a row for each turn. You can also pass only some of the turns."""
        rows, totals = [], []
        for turn in turns:
            made = (getattr(turn, name) for name in self.columns)
            cells = [", ".join(of) if isinstance(of, list) else str(of) for of in made]
            rows.append([str(turn.turn), turn.player_number, *cells, _to(turn.scores or [])])
        for name, noun in self.columns.items():
            # Columns with a noun contain lists of names, and we count the names. Other columns
            # contain numbers, and we add them up.
            total = sum(len(getattr(t, name)) if noun else getattr(t, name) for t in turns)
            totals.append(f"{total} {noun}".rstrip())
        columns = ["turn", "player", *self.columns, "scores"]
        return Summary(columns, rows, [["all", "", *totals, ""]])

    def call(self, player: str) -> str:
        """Replace a player number by the player's name in `called`. Keep any other text."""
        seat = seat_of(player, len(self.called))
        return player if seat is None else self.called[seat]

    def _phrases(self, note: Note) -> Iterator[Phrase]:
        yield Phrase(note.what, f"{self.call(note.player_number)}: {note.text}", "red")
        for place, line in enumerate(note.stderr):
            yield Phrase("" if place else "stderr", line, "raw")

    def losses(self, turn: T) -> Iterator[list[Part]]:
        """Yield a clause for each disqualification in a turn."""
        for note in turn.notes:
            if note.what == "disqualified":
                yield [Seat(seat_index(note.player_number)), " is disqualified"]

    # --- for subclasses ---------------------------------------------------------------------------

    def begin(self, turn: int, player: str) -> list[T]:
        """Begin a player's turn, and return the turns that end now.

        If the current turn doesn't have a player yet, its actions become part of the new turn.
        """
        over = self.end() if self.now.player_number else []
        self.now.turn, self.now.player_number = turn, player
        return over

    def was_started(self) -> bool:
        """True if anything is known about the current turn."""
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
        # If anything was omitted, the action that has these effects may not be in the list.
        if self.now.actions and not self.now.omitted:
            for effect in effects:
                self.append_limited(self.now.actions[-1].effects, effect)

    def note(self, what: str, seat: int, text: str, stderr: Sequence[str] = ()) -> None:
        """Add a fault or a disqualification to the current turn."""
        self.append_limited(self.now.notes, Note(seat_id(seat), what, text, list(stderr)))

    def append_limited(self, items: list[Any], item: Any) -> None:
        """Append to a list of the current turn. If the list is full, count the item as omitted."""
        if len(items) < MAX_KEPT:
            items.append(item)
        else:
            self.now.omitted += 1


class TurnListener(Generic[T]):
    """Base class for a `Dialogue`. It tells a person about the turns of the other players.

    Attributes:
        verbs: the verb to use in a sentence for each `Action.what`. We don't report actions that
            aren't in it.
    """

    reader_type: Callable[[Sequence[str]], TurnReader[T]]
    verbs: ClassVar[Mapping[str, str]] = {}

    def __init__(self, names: Sequence[str], seat: int) -> None:
        # Several seats may be played by the same bot.
        self._names = [
            f"{name} ({seat_id(place)})" if names.count(name) > 1 else name
            for place, name in enumerate(names)
        ]
        self._seat, self._number = seat, seat_id(seat)
        self._turns = self.reader_type(names)

    def observe(self, message: Struct) -> list[str]:
        """Read a public message or a request. Returns sentences about the turns that it ends."""
        return [line for turn in self._turns.read(message, None) for line in self.tell(turn)]

    def end(self) -> list[str]:
        """Read the end of the match. Returns sentences about the last turn."""
        return [line for turn in self._turns.end() for line in self.tell(turn)]

    def tell(self, turn: T) -> list[str]:
        """Describe a turn in sentences. We say nothing about the person's own turns."""
        if turn.player_number in ("", self._number):
            return []
        name = self._names[self._turns.seats(turn)[0]]
        return [
            f"{name} {self.verbs[part.label]} {part.text}."
            for part in self._turns.words(turn)
            if isinstance(part, Phrase) and part.label in self.verbs
        ]


def counted(words: Iterable[str], times: str = "") -> Iterator[str]:
    """Count words that are repeated, as in "2 copper", or with `times` as in "2x copper"."""
    for word, same in groupby(words):
        count = len([*same])
        yield f"{count}{times} {word}" if count > 1 else word


def _to(scores: Sequence[Score]) -> str:
    return " to ".join(map(str, scores))
