"""Writes JUnit XML, which most build servers can show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from referee.text.terminal import plain, plain_lines

Outcome: TypeAlias = Literal["passed", "failure", "error", "skipped"]
"""The result of a test case. All of them except "passed" are also names of XML elements."""


class Case(NamedTuple):
    """A test case.

    Attributes:
        classname: subject of the test, such as a section of the protocol.
        message, text: a one-line and a long description of a failure.
    """

    classname: str
    name: str
    outcome: Outcome = "passed"
    message: str = ""
    text: str = ""
    seconds: float | None = None
    stderr: str = ""


def document(
    name: str, suites: Mapping[str, Sequence[Case]], *, seconds: float | None = None
) -> str:
    """Create a JUnit document. `suites` maps the name of each test suite to its cases.

    Args:
        seconds: the time that all tests took together.
    """
    from xml.etree.ElementTree import Element, SubElement, indent, tostring  # slow to import

    every = [case for cases in suites.values() for case in cases]
    root = Element("testsuites", {"name": plain_lines(name), **_counts(every), **_time(seconds)})
    for title, cases in suites.items():
        suite = SubElement(root, "testsuite", {"name": title, **_counts(cases)})
        for case in cases:
            names = {"classname": case.classname, "name": plain(case.name)}
            element = SubElement(suite, "testcase", names | _time(case.seconds))
            if case.outcome != "passed":
                outcome = SubElement(element, case.outcome, message=plain_lines(case.message))
                outcome.text = plain_lines(case.text)
            if case.stderr:
                SubElement(element, "system-err").text = plain_lines(case.stderr)
    indent(root)
    text = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(cases: Iterable[Case]) -> dict[str, str]:
    outcomes = [str(case.outcome) for case in cases]
    names = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {name: str(outcomes.count(outcome)) for name, outcome in names.items()}
    return {"tests": str(len(outcomes))} | counts


def _time(seconds: float | None) -> dict[str, str]:
    return {} if seconds is None else {"time": str(seconds)}
