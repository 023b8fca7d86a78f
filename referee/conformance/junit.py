"""Writes the report of a run as JUnit XML, with one test suite per chapter."""

from __future__ import annotations

from collections.abc import Mapping

from referee.conformance.text import by_chapter, specification
from referee.conformance.verdict import Report, Result, Status, Violation
from referee.text.junit import Case, Outcome, document


def junit(report: Report, chapters: Mapping[str, str]) -> str:
    """Return the report as an XML document.

    JUnit doesn't have warnings. If a failure doesn't affect the verdict, we report the test as
    skipped. Examples are SHOULD cases, unless the run was strict, and notes, which are in a suite
    of their own. Cases that couldn't be judged are errors.

    Args:
        chapters: the titles of the chapters, by number.
    """
    page = specification(report.game)
    suites: dict[str, list[Case]] = {}
    for chapter, results in by_chapter(report.cases):
        name = f"{chapter} {chapters.get(chapter, '')}".rstrip()
        suites[name] = [_case(result, page, strict=report.strict) for result in results]
    if report.notes:
        suites["notes"] = [
            Case(page, f"note {number}, which breaks no rule", "skipped", note)
            for number, note in enumerate(report.notes, 1)
        ]
    return document(f"referee conform {report.command}", suites, seconds=report.seconds)


def _outcome(result: Result, *, strict: bool) -> Outcome:
    if result.status == Status.PASSED:
        return "passed"
    if result.status == Status.SKIPPED or (result.level == "SHOULD" and not strict):
        return "skipped"
    return "failure" if result.status == Status.FAILED else "error"


def _case(result: Result, page: str, *, strict: bool) -> Case:
    message = result.why or f"see {', '.join(result.because)}"
    if result.status == Status.NOT_JUDGED:
        message = f"not judged: {message}"
    if result.violations:
        first = result.violations[0]
        message = f"{first.section}: expected {first.expected}; {first.actual}"
    notes = [result.note] if result.note else []
    return Case(
        f"{page} {result.section}",
        f"{result.id} {result.level} {result.requirement}",
        _outcome(result, strict=strict),
        message,
        "\n\n".join([*map(_details, result.violations), *notes]),
        result.seconds,
        "\n".join(result.stderr),
    )


def _details(violation: Violation) -> str:
    labels = ("rule", "expected", "actual", "request", "reply")
    said = [(label, getattr(violation, label)) for label in labels]
    lines = [f"section:  {violation.section}, {violation.kind}"]
    lines += [f"{label + ':':10}{text}" for label, text in said if text]
    return "\n".join([*lines, "last lines:", *violation.conversation])
