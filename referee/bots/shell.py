"""Detect syntax of a shell in a command line. The referee starts bots without a shell.

A quoted word is always an argument. Therefore `sh -c "a && b"` contains no operator.
"""

from __future__ import annotations

import re

_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", re.DOTALL)
_OPERATOR = re.compile(r"(\d*[<>].*|&>.*|[|&;]+)|.+?([;&]+)").fullmatch
_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.ASCII).fullmatch
_IN_PROGRAM = re.compile(r"[;|&<>()`]+").search
_EXPANDED = re.compile(r"~|.*[$]").match


def why_shell(command: str) -> str:
    """Name the shell operator in a command line, and the next step, in one clause.

    An operator is a separate word, such as `>`, `2>&1` or `&&`, or ends a word, as in `a;`.

    Returns:
        An empty string if there is none.
    """
    for word in _without_quotes(command).split():
        if operator := _OPERATOR(word):
            return _operator_message(operator[1] or operator[2])
    return ""


def why_shell_program(command: str) -> str:
    """Like `why_shell`, for a command line whose first word is not a program.

    The first word may set a variable, contain an operator, or be text that a shell expands.
    """
    first, *rest = _without_quotes(command).split() or [""]
    if rest and _VARIABLE(first):
        return (
            f'no shell runs the command, so {first} sets no variable: write "env {command}", '
            "or use --env"
        )
    if operator := _IN_PROGRAM(first):
        return _operator_message(operator[0])
    if _EXPANDED(first):
        return f"no shell runs the command, so nothing expands {first}: give the whole path"
    return ""


def _without_quotes(command: str) -> str:
    """Replace each quoted part of a command line by a letter."""
    return _QUOTED.sub("x", command)


def _operator_message(operator: str) -> str:
    return (
        f"no shell runs the command, so {operator} does nothing: put the command into a script and "
        f"give that, or quote {operator} if it is an argument"
    )
