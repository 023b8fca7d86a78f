"""Groups failed cases by cause.

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
# A bot that prints extra lines makes one mistake, no matter which requests these lines seem to
# answer.
_STRAY = {verdict.EARLY, verdict.UNASKED, verdict.SURPLUS}
# The details of these faults quote the bot's line, so they're different in each case.
_LINES = {INVALID_JSON, WRONG_TYPE}


class Example(Struct, frozen=True):
    """A failed case, and the violation that shows the mistake."""

    result: Result
    violation: Violation


class Cause(Struct, frozen=True):
    """A mistake that the bot makes, with every case that failed because of it.

    `counts` is False if the mistake doesn't affect the verdict. `key` identifies the mistake, so
    that you can recognise it in the results of other cases.
    """

    examples: list[Example]
    counts: bool
    key: tuple[str, ...]

    @property
    def shown(self) -> Example:
        """The example to show. We prefer a case about the section that the bot violated."""
        section = self.examples[0].violation.section
        own = [e for e in self.examples if f"{e.result.section}.".startswith(f"{section}.")]
        return (own or self.examples)[0]

    @property
    def others(self) -> list[str]:
        """The ids of the cases that we don't show."""
        shown = self.shown.result.id
        return [e.result.id for e in self.examples if e.result.id != shown]

    @property
    def what(self) -> str:
        """The mistake in one clause for all cases. Parts that differ are replaced by "..."."""
        actual = {example.violation.actual for example in self.examples}
        return actual.pop() if len(actual) == 1 else _pattern(self.shown.violation.actual)


def causes(results: Iterable[Result], *, strict: bool) -> list[Cause]:
    """Return the mistakes behind all failures. The ones that affect the verdict come first.

    Args:
        strict: if True, a failed SHOULD affects the verdict, too.
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
        # This is the result of checking a referee, where each case tests a different rule.
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
