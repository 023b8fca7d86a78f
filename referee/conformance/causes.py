"""Failed cases by cause: one mistake of a bot usually fails many cases."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from referee.conformance import verdict
from referee.conformance.verdict import Result, Status, Violation
from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE

_VALUE = re.compile(r"""\{.*\}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b\d[\d.]*""")
_SEVERAL = re.compile(r"\.\.\.(?:, ?\.\.\.)+")
_STRAY = {verdict.EARLY, verdict.UNASKED, verdict.SURPLUS}
"""A stray line is one mistake, before whatever reply it is found."""
_LINES = {INVALID_JSON, WRONG_TYPE}
"""The faults whose detail is about a line, which is another one each time."""


class Example(Struct, frozen=True):
    """A case that failed for a cause, and its violation."""

    result: Result
    violation: Violation


class Cause(Struct, frozen=True):
    """A mistake, one example for each case that failed for it, and whether it counts.

    `key` is equal for the same mistake in other cases.
    """

    examples: list[Example]
    counts: bool
    key: tuple[str, ...]

    @property
    def shown(self) -> Example:
        """The example that shows it best: of a case about the very section, if there is one."""
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
        """The mistake of the bot, in one clause for all cases; "..." replaces parts that differ."""
        actual = {example.violation.actual for example in self.examples}
        return actual.pop() if len(actual) == 1 else _pattern(self.shown.violation.actual)


def causes(results: Iterable[Result], *, strict: bool) -> list[Cause]:
    """Why cases failed: first what counts for the verdict, as SHOULD does if the run is strict."""
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
    """A key that is equal for cases that fail because of the same mistake."""
    kind = violation.kind
    if result.again:
        return kind, violation.expected, violation.actual  # each case of a referee is a rule
    if kind in _STRAY:
        return (kind,)
    if kind in (verdict.EXITED, verdict.NOT_STARTED):
        return *violation.key, _pattern(result.stderr[-1]) if result.stderr else ""
    if violation.rule and kind not in _LINES:
        return *violation.key, _pattern(violation.actual)
    return violation.key


def _pattern(text: str) -> str:
    """A clause without its values: equal for the same mistake with other cards."""
    return _SEVERAL.sub("...", _VALUE.sub("...", text))
