"""Let a person play a game (`GameDefinition.person`).

A game describes its state and choices as plain data and doesn't print anything. The code that
displays the data and reads the input is the same for all games (`referee.bots.person`,
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
"""Indices of the choices that the person picked, in the order in which they were typed."""


class Choice(Struct, frozen=True):
    """One of the choices of a question.

    Attributes:
        name: people choose by typing this, or the beginning of it. Several choices may have the
            same name.
        cells: texts for the other columns of the question.
        key: a key to type instead, such as "r". The choice then can't be combined with others. If
            the key equals the name, people have to type the name, for example a number. Choices
            without a key are numbered from 1.
        barred: why this can't be chosen now, e.g. "costs 6, you have 5". The choice isn't shown,
            but it keeps its number.
        verb, thing: the action in two parts for a graphical program, such as "buy" and "duchy for
            5". If `thing` is empty, use the name. If `verb` is empty, the name describes the whole
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
        """True if people choose this only by typing its name, e.g. a number."""
        return self.key == self.name


class InfoTable(Struct, frozen=True):
    """A table that the person can look at before choosing, by typing its key.

    Each row has one text per column.
    """

    key: str
    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class Question(Struct, frozen=True):
    """A question with choices.

    Attributes:
        title: a heading, shown when something new begins, such as a turn. May be empty.
        columns: headings of the columns, beginning with the names. A narrow terminal only shows the
            first two columns. Without columns, all choices are shown in one row.
        remarks: notes, for example about choices that aren't possible.
        least, most: how many choices an answer may have.
        repeats: True if a choice may be picked more than once.
        enter: the effect of an empty line, e.g. "end your turn". If this is "", the person has to
            pick something.
        check: returns what's wrong with a combination of picks, or "".
        read: returns the index of the choice that a text means in the game's own notation, or None.
            It may add a choice that isn't listed.
        doubts: why a choice may be a mistake, by its index, or -1 for an empty line. A graphical
            program asks the person to confirm it.
        ends: indices of choices that end the turn. A graphical program doesn't send such a choice
            when the person clicks on it, but when the person ends the turn.
        targets: what to click on in the game's drawing for each choice, or None if there's nothing
            to click on. Without targets, the drawing looks for the names of the choices.
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
    read: Callable[[str], int | None] = lambda text: None
    views: Sequence[InfoTable] = ()
    help: Sequence[str] = ()
    doubts: Mapping[int, str] = {}
    ends: Sequence[int] = ()
    targets: Sequence[Any] = ()


def turn_question(choices: Sequence[Choice], can: Iterable[str], **shown: Any) -> Question:
    """Create the question for the next action of a turn. An empty line ends the turn.

    Args:
        can: verbs of useful actions that the person can still do, such as "buy". If there are any,
            a graphical program asks for confirmation before it ends the turn.
        shown: other fields of the question.
    """
    left = " or ".join(dict.fromkeys(can))
    doubts = {-1: f"You can still {left}. Do you end your turn?"} if left else {}
    shown |= {"columns": ("action", "what it brings"), "enter": "end your turn"}
    return Question("What do you do?", choices, least=0, doubts=doubts, **shown)


def problem_with(question: Question, picks: Picks) -> str:
    """Return a sentence about what's wrong with the picks, or "" if they're a valid answer.

    The picks may be any integers, including indices that don't exist.
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
    """Tells a person about a match and asks for decisions. There's one object for each person.

    It gets the messages that are sent to the person's seat. They come from a match that follows the
    rules, so there's no need to check them.
    """

    def observe(self, message: Struct) -> Sequence[str]:
        """Read a public message or a request. Returns sentences to show to the person."""

    def end(self) -> Sequence[str]:
        """Read the end of the match. Returns the sentences that weren't shown yet."""

    def decide(self, request: Struct) -> Decision:
        """Ask for the reply to a request. You have to pass the request to `observe` first."""
