"""A person at the terminal: the state and the choices of a game (`GameDefinition.person`).

A game describes its state and choices as plain data and doesn't print anything. The code that
displays the data and reads input is the same for all games (`referee.bots.person`,
`referee.cli.human_terminal`).

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
"""Indices of the chosen choices, in the order in which they were typed."""


class Choice(Struct, frozen=True):
    """One of the choices of a question.

    Attributes:
        name: the text to type, or its beginning. Several choices may have the same name.
        cells: texts for the other columns of the question.
        key: a key that selects the choice and can't be combined, such as "r". Empty: the choice has
            a number, counted from 1 among the choices without a key. If equal to the name, the name
            itself is typed, for example a number.
        barred: the reason why it can't be chosen now, such as "costs 6, you have 5". The choice
            keeps its number but is hidden.
        verb, thing: the action in two parts, for graphical programs: "buy", "duchy for 5". If
        `thing` is empty, the name is used instead. If `verb` is empty, the name describes the whole
        action.
    """

    name: str
    cells: Sequence[str] = ()
    key: str = ""
    barred: str = ""
    verb: str = ""
    thing: str = ""

    @property
    def is_typed(self) -> bool:
        """True if the name itself is typed, e.g. a number."""
        return self.key == self.name


class InfoTable(Struct, frozen=True):
    """A table that the person can look at before choosing. Rows have one text per column."""

    key: str
    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class Question(Struct, frozen=True):
    """A question with choices.

    Attributes:
        title: a heading that starts a new part, such as a turn. Can be empty.
        columns: headings of the columns, beginning with the names. Narrow terminals only show the
            first two columns. Empty: the choices are in one row.
        remarks: notes, for example about choices that aren't possible.
        least, most: number of choices per answer.
        repeats: True if a choice may be picked more than once.
        enter: the meaning of an empty line, which picks nothing. Empty: not allowed.
        check: returns the problem with a combination of valid picks. Empty: none.
        doubts: index of a choice, or -1 for an empty line -> the reason why it may be a mistake. A
            graphical program asks for confirmation.
        ends: indices of choices that end the turn. A graphical program doesn't send them at the
            first click, but when the person ends the turn.
        targets: for each choice, the item of the game's drawing that represents it, so that a
            person can click on it. None: no item. Empty: the drawing finds the choices by name.
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
    """Create the question for the next action of a turn. An empty line ends the turn.

    Args:
        can: verbs of useful actions that are still possible. A graphical program asks for
            confirmation before ending a turn in which such actions are left.
        shown: other fields of the question.
    """
    left = " or ".join(dict.fromkeys(can))
    doubts = {-1: f"You can still {left}. Do you end your turn?"} if left else {}
    shown |= {"columns": ("action", "what it brings"), "enter": "end your turn"}
    return Question("What do you do?", choices, least=0, doubts=doubts, **shown)


def problem_with(question: Question, picks: Picks) -> str:
    """Return the problem with some picks in a sentence, or "" if they are valid.

    The picks can be any integers.
    """
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
    # A choice with a key can't be combined, so `least` and `most` don't apply to it.
    if chosen[0].key:
        return ""
    if not question.least <= len(picks) <= question.most:
        return f"That is {len(picks)}."
    if not question.repeats and len(set(picks)) < len(picks):
        return "Each can be chosen once."
    problem = question.check(picks)
    return f"{problem}." if problem else ""


Decision: TypeAlias = Generator[Question, Picks, Mapping[str, Any]]
"""Yields questions, receives picks, and returns the reply as a JSON object."""


class Dialogue(Protocol):
    """One match from a player's view, based on the lines sent to that seat.

    The messages come from a match that follows the rules, so there's no need to check them.
    """

    def observe(self, message: Struct) -> Sequence[str]:
        """Read a public message or a request. Returns news as sentences."""

    def disqualify(self, seat: int) -> Sequence[str]:
        """Read the disqualification of another seat. The caller announces it."""

    def end(self) -> Sequence[str]:
        """Read the end of the match. Returns the remaining news."""

    def decide(self, request: Struct) -> Decision:
        """Ask for the reply to a request. The request must have been passed to `observe` before."""
