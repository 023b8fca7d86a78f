"""A person at the terminal: the state and the choices of a game (`GameDefinition.person`).

A game describes its state and choices in plain data. The code that draws them, reads input and
helps does not know games (`referee.bots.person`, `referee.cli.human_terminal`).

    decision = dialogue.decide(request)
    question = next(decision)
    ...
    question = decision.send(picks)  # until it returns the reply
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from referee.games.interface.capabilities import Phrase

Picks: TypeAlias = tuple[int, ...]
"""The choices made: indices of the question's choices, in the order in which they were typed."""


class Choice(Struct, frozen=True):
    """Something that can be chosen.

    Attributes:
        name: to type, in full or its beginning. Several choices may have one name.
        cells: the texts beside it, one for each further column of the question.
        key: chooses it, such as "r", and cannot be combined; empty: it has a number, counted from 1
            over those without a key. If it is the name, the name is typed: a number is itself.
        barred: why it cannot be chosen now, such as "costs 6, you have 5" after its name; it keeps
            its number and is not shown.
    """

    name: str
    cells: Sequence[str] = ()
    key: str = ""
    barred: str = ""

    @property
    def is_typed(self) -> bool:
        """Whether its name is its key."""
        return self.key == self.name


class InfoTable(Struct, frozen=True):
    """Something that can be looked at before a choice; its rows have one text a column."""

    key: str
    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class Question(Struct, frozen=True):
    """Something to be chosen.

    Attributes:
        title: a heading, with which something new begins, such as a turn; may be empty.
        columns: headings of the choices' columns, first the names' heading; in little space only
            the first two are shown. Without them, the choices are in one row.
        remarks: what cannot be chosen and why, or the like.
        least, most: the number of choices in one answer.
        repeats: whether one may be chosen more than once.
        enter: the meaning of an empty line, which chooses nothing. Empty: such a line is not
            allowed.
        check: says what is wrong with picks that are right one by one; empty: nothing.
        doubts: index of a choice, or -1 for an empty line -> why it may be a slip. A program with a
            window asks once more before it sends such a choice.
        ends: indices of choices, or -1 for an empty line, that end the person's turn, so that they
            cannot be taken back.
        targets: for each choice the thing on the table that it names, as the game's drawing knows
            it, so that a person can click on it; None: it names nothing there. Empty: the drawing
            knows the choices by their names.
    """

    text: str
    choices: Sequence[Choice]
    title: str = ""
    state: Sequence[Phrase] = ()
    columns: Sequence[str] = ()
    remarks: Sequence[Phrase] = ()
    least: int = 1
    most: int = 1
    repeats: bool = False
    enter: str = ""
    check: Callable[[Picks], str] = lambda picks: ""
    views: Sequence[InfoTable] = ()
    help: Sequence[str] = ()
    doubts: Mapping[int, str] = {}
    ends: Sequence[int] = ()
    targets: Sequence[Any] = ()


def turn_question(choices: Sequence[Choice], can: Iterable[str], **shown: Any) -> Question:
    """Ask for the next action of a turn that an empty line ends; `can`: verbs of useful ones."""
    left = " or ".join(dict.fromkeys(can))
    doubts = {-1: f"You can still {left}. Do you end your turn?"} if left else {}
    shown |= {"columns": ("action", "what it brings"), "enter": "end your turn", "ends": (-1,)}
    return Question("What do you do?", choices, least=0, doubts=doubts, **shown)


def problem_with(question: Question, picks: Picks) -> str:
    """Say what is wrong with picks, any integers, in a sentence; empty if nothing is."""
    choices = question.choices
    if not picks:
        return "" if question.enter else "Nothing was chosen."
    if not all(0 <= pick < len(choices) for pick in picks):
        return "This is not one of the choices."
    chosen = [choices[pick] for pick in picks]
    if len(picks) > 1 and (keyed := [choice for choice in chosen if choice.key]):
        return f"{keyed[0].key} cannot be combined with other choices: {keyed[0].name}."
    for choice in chosen:
        if choice.barred:
            return f"{choice.name} {choice.barred}."
    if chosen[0].key:
        return ""
    if not question.least <= len(picks) <= question.most:
        return f"That is {len(picks)}."
    if not question.repeats and len(set(picks)) < len(picks):
        return "Each can be chosen once."
    problem = question.check(picks)
    return f"{problem}." if problem else ""


Decision: TypeAlias = Generator[Question, Picks, Mapping[str, Any]]
"""Yields questions and receives what was chosen; returns the reply, as a JSON object."""


class Dialogue(Protocol):
    """One match as one of its players sees it, from the lines sent to that seat.

    Its messages come from a match by the rules.
    """

    def observe(self, message: Struct) -> Sequence[str]:
        """Take a public message, or a request to be decided; returns news, as sentences."""

    def disqualify(self, seat: int) -> Sequence[str]:
        """Take the disqualification of another seat, which is announced anyway."""

    def end(self) -> Sequence[str]:
        """Take the end of the match; returns the remaining news."""

    def decide(self, request: Struct) -> Decision:
        """Ask what is to be replied to a request, which it has heard."""
