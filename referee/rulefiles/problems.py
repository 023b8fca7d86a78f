"""What is wrong with a rule file."""

from __future__ import annotations

from msgspec import Struct


class Problem(Struct, frozen=True):
    """Something wrong in a file, or hardly meant so.

    Attributes:
        line: counted from 1.
        path: where in the JSON, such as "$.buyRules[0].rules[1].score".
        text: what is wrong, and what would be right.
        is_error: whether the file cannot be played with it.
    """

    line: int
    path: str
    text: str
    is_error: bool = True
