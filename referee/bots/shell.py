"""Detect shell syntax in a command line, since the referee starts bots without a shell.

`bot > log` would start a bot with two odd arguments, and its author would wonder for a long time
where the log is. A quoted word is always an argument, so `sh -c "a && b"` is fine.
"""

from __future__ import annotations

import re

_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", re.DOTALL)
_OPERATOR = re.compile(r"(\d*[<>].*|&>.*|[|&;]+)|.+?([;&]+)").fullmatch
_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.ASCII).fullmatch
_IN_PROGRAM = re.compile(r"[;|&<>()`]+").search
_EXPANDED = re.compile(r"~|.*[$]").match


def why_shell(command: str) -> str:
    """Return an error message if a command line contains a shell operator, otherwise "".

    An operator is either a word of its own, such as `>`, `2>&1` or `&&`, or the end of a word, as
    in `a;`. The message is a clause that also tells the user what to do.
    """
    for word in _without_quotes(command).split():
        if operator := _OPERATOR(word):
            return _operator_message(operator[1] or operator[2])
    return ""


def why_shell_program(command: str) -> str:
    """Like `why_shell`, for a command line whose first word isn't a program.

    The first word itself may be the cause. It may set a variable, contain an operator anywhere, or
    be something that a shell would expand.
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
    return _QUOTED.sub("x", command)


def _operator_message(operator: str) -> str:
    return (
        f"no shell runs the command, so {operator} does nothing: put the command into a script and "
        f"give that, or quote {operator} if it is an argument"
    )
