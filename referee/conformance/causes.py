"""Group failed cases by cause.

One mistake of a bot usually fails many cases, but its author should only have to read about it
once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from referee.conformance import verdict
from referee.conformance.verdict import Result, Status, Violation
from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE

_VALUE = re.compile(r"""\{.*\}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b\d[\d.]*""")
_SEVERAL = re.compile(r"\.\.\.(?:, ?\.\.\.)+")
# An unexpected line is always the same mistake, even if it was mistaken for the reply to different
# requests.
_STRAY = {verdict.EARLY, verdict.UNASKED, verdict.SURPLUS}
# The details of these faults quote the line, so they differ each time.
_LINES = {INVALID_JSON, WRONG_TYPE}


class Example(Struct, frozen=True):
    """A case that failed because of a cause, and its violation."""

    result: Result
    violation: Violation


class Cause(Struct, frozen=True):
    """A mistake, with an example for each case that failed because of it.

    `key` is the same if the mistake occurs in other cases. `counts` is False if the mistake doesn't
    affect the verdict.
    """

    examples: list[Example]
    counts: bool
    key: tuple[str, ...]

    @property
    def shown(self) -> Example:
        """The best example, which is a case about the violated section if possible."""
        section = self.examples[0].violation.section
        own = [e for e in self.examples if f"{e.result.section}.".startswith(f"{section}.")]
        return (own or self.examples)[0]

    @property
    def others(self) -> list[str]:
        """The ids of the other cases."""
        shown = self.shown.result.id
        return [e.result.id for e in self.examples if e.result.id != shown]

    @property
    def what(self) -> str:
        """The mistake in one clause that fits all cases. "..." stands for the parts that differ."""
        actual = {example.violation.actual for example in self.examples}
        return actual.pop() if len(actual) == 1 else _pattern(self.shown.violation.actual)


def causes(results: Iterable[Result], *, strict: bool) -> list[Cause]:
    """Return the causes of failures. Causes that affect the verdict come first.

    Args:
        strict: if True, SHOULD affects the verdict.
    """
    found: dict[tuple[str, ...], Cause] = {}
    for result in results:
        counts = strict or result.level == "MUST"
        for violation in result.violations if result.status == Status.FAILED else ():
            key = (str(counts), violation.section, *_reason(result, violation))
            cause = found.setdefault(key, Cause([], counts, key))
            if all(example.result is not result for example in cause.examples):
                cause.examples.append(Example(result, violation))
    return sorted(found.values(), key=lambda cause: not cause.counts)


def _reason(result: Result, violation: Violation) -> tuple[str, ...]:
    """Return a key that is equal for all cases that fail because of the same mistake."""
    kind = violation.kind
    if result.again:
        # A referee's cases are rules of their own, so they don't fail because of each other.
        return kind, violation.expected, violation.actual
    if kind in _STRAY:
        return (kind,)
    if kind in (verdict.EXITED, verdict.NOT_STARTED):
        return *violation.key, _pattern(result.stderr[-1]) if result.stderr else ""
    if violation.rule and kind not in _LINES:
        return *violation.key, _pattern(violation.actual)
    return violation.key


def _pattern(text: str) -> str:
    return _SEVERAL.sub("...", _VALUE.sub("...", text))
