"""A run of the cases as JUnit XML, as build servers read it: a test suite a chapter."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from xml.etree import ElementTree

from referee.conformance.text import specification
from referee.conformance.verdict import Report, Result, Status, Violation
from referee.terminal import plain_lines


def junit(report: Report, chapters: Mapping[str, str]) -> str:
    """The report as an XML document.

    What does not count for the verdict is skipped: a failed SHOULD unless the run was strict. What
    could not be judged is an error.

    Args:
        chapters: number -> title.
    """
    suites = ElementTree.Element("testsuites", _counts(report.cases, strict=report.strict))
    suites.set("name", plain_lines(f"referee conform {report.command}"))
    suites.set("time", str(report.seconds))
    for chapter, cases in groupby(report.cases, lambda result: result.section.partition(".")[0]):
        results = list(cases)
        suite = ElementTree.SubElement(suites, "testsuite", _counts(results, strict=report.strict))
        suite.set("name", f"{chapter} {chapters.get(chapter, '')}".rstrip())
        for result in results:
            suite.append(_case(result, specification(report.game), strict=report.strict))
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _outcome(result: Result, *, strict: bool) -> str:
    """The element that says how a case came out; empty if it passed."""
    if result.status == Status.PASSED:
        return ""
    if result.status == Status.SKIPPED or (result.level == "SHOULD" and not strict):
        return "skipped"
    return "failure" if result.status == Status.FAILED else "error"


def _counts(results: list[Result], *, strict: bool) -> dict[str, str]:
    outcomes = [_outcome(result, strict=strict) for result in results]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("skipped")),
    }


def _case(result: Result, page: str, *, strict: bool) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        classname=f"{page} {result.section}",
        name=f"{result.id} {result.level} {result.requirement}",
        time=str(result.seconds),
    )
    outcome = _outcome(result, strict=strict)
    if outcome:
        message = result.why or f"see {', '.join(result.because)}"
        if result.status == Status.NOT_JUDGED:
            message = f"not judged: {message}"
        if result.violations:
            first = result.violations[0]
            message = f"{first.section}: expected {first.expected}; {first.actual}"
        element = ElementTree.SubElement(case, outcome, message=plain_lines(message))
        notes = [result.note] if result.note else []
        element.text = plain_lines("\n\n".join([*map(_details, result.violations), *notes]))
    if result.stderr:
        ElementTree.SubElement(case, "system-err").text = plain_lines("\n".join(result.stderr))
    return case


def _details(violation: Violation) -> str:
    lines = [
        f"section:  {violation.section}, {violation.kind}",
        *([f"rule:     {violation.rule}"] if violation.rule else []),
        f"expected: {violation.expected}",
        f"actual:   {violation.actual}",
    ]
    if violation.request:
        lines.append(f"request:  {violation.request}")
    if violation.reply:
        lines.append(f"reply:    {violation.reply}")
    return "\n".join([*lines, "last lines:", *violation.conversation])
