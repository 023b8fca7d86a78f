"""Parses the answer that a person has typed."""

from __future__ import annotations

import re

from referee.games.interface.dialogue import Choice, Picks, Question, problem_with

_DIGITS = re.compile("[0-9]{1,6}")


class Refusal(Exception):
    """Raised for an answer that isn't valid. The message often lists the valid answers."""


def read_answer(question: Question, text: str) -> Picks:
    """Return the choices that a person has typed.

    A line can have several words: numbers, names, or the beginnings of names. It can also be a
    single key, empty if the question allows that, or anything that `Question.read` understands.

    Raises:
        Refusal: this is not a valid answer to the question.
    """
    try:
        return _read(question, text)
    except Refusal:
        if (found := question.read(text)) is None:
            raise
        return (found,)


def _read(question: Question, text: str) -> Picks:
    words = re.split(r"[\s,]+", text.strip().lower().strip(","))
    if words == [""]:
        if question.enter:
            return ()
        raise Refusal(f"Nothing was chosen. {possible(question)}")
    picks: list[int] = []
    for word in words:
        picks.append(_pick(question, word, picks))
    if problem := problem_with(question, tuple(picks)):
        raise Refusal(f"{problem} {possible(question)}")
    return tuple(picks)


def possible(question: Question) -> str:
    """Describe the possible answers, e.g. "Type a number (1 to 3) or a name or ? for help."."""
    numbers = [number for number, choice in numbered(question) if not choice.barred]
    ways = [
        choice.key if choice.is_typed else f"{choice.key} ({choice.name})"
        for choice in question.choices
        if choice.key
    ]
    if question.enter:
        ways.append(f"Enter ({question.enter})")
    ways.append("? for help")
    if numbers:
        ways.insert(0, _numbers(question, numbers))
    return f"Type {', '.join(ways[:-1])} or {ways[-1]}."


def _numbers(question: Question, numbers: list[int]) -> str:
    run = f"{numbers[0]} to {numbers[-1]}"
    if len(numbers) <= 2 or numbers[-1] - numbers[0] >= len(numbers):
        run = " ".join(map(str, numbers))
    if question.most == 1:
        return f"a number ({run}) or a name"
    most = min(question.most, len(numbers)) if not question.repeats else question.most
    exact = "" if question.least == question.most else "up to "
    return f"{exact}{most} numbers ({run}) or names"


def numbered(question: Question) -> list[tuple[int, Choice]]:
    """Number the choices from 1. Choices with a key don't get a number."""
    return list(enumerate((choice for choice in question.choices if not choice.key), start=1))


def _pick(question: Question, word: str, picks: list[int]) -> int:
    choices = question.choices
    for index, choice in enumerate(choices):
        if choice.key == word:
            return index
    if _DIGITS.fullmatch(word):
        plain = [index for index, choice in enumerate(choices) if not choice.key]
        if not 1 <= int(word) <= len(plain):
            raise Refusal(f"{word} is not possible here. {possible(question)}")
        return plain[int(word) - 1]
    found = _named(question, word)
    if not found:
        raise Refusal(f'"{word}" is not a choice here. {possible(question)}')
    names = list(dict.fromkeys(choices[index].name for index in found))
    if len(names) > 1:
        raise Refusal(f'"{word}" can be {" or ".join(names)}: type more of it, or a number.')
    # There may be two equal cards. If the first has already been chosen, the person means the
    # second.
    free = [index for index in found if question.repeats or index not in picks]
    if not free:
        raise Refusal(f"Every {names[0]} is chosen already.")
    return free[0]


def _named(question: Question, word: str) -> list[int]:
    """Find the choices with this name, or else the choices whose names begin with it."""
    choices = enumerate(question.choices)
    names = [(index, choice.name.lower()) for index, choice in choices if not choice.key]
    # If somebody types the complete name of a choice, we ignore longer names that begin with it.
    exact = [index for index, name in names if name == word]
    return exact or [index for index, name in names if name.startswith(word)]
