"""JUnit XML, as build servers read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias
from xml.etree import ElementTree

from referee.terminal import plain, plain_lines

Outcome: TypeAlias = Literal["passed", "failure", "error", "skipped"]
"""What a test case came to: the name of its element, but for what passed."""


class Case(NamedTuple):
    """A test case.

    Attributes:
        classname: what it is a test of, such as a section of the protocol.
        name: its own.
        outcome: what it came to.
        message: one line, of what did not pass.
        text: more of that.
        seconds: how long it took, if that is known.
        stderr: what was written there.
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
    """A document with test suites, by their names.

    Args:
        name: of the whole.
        seconds: that it took, if that is known.
    """
    every = [case for cases in suites.values() for case in cases]
    root = ElementTree.Element("testsuites", {"name": plain_lines(name), **_counts(every)})
    _set_time(root, seconds)
    for title, cases in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": title, **_counts(cases)})
        suite.extend(map(_element, cases))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(cases: Iterable[Case]) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("skipped")),
    }


def _element(case: Case) -> ElementTree.Element:
    element = ElementTree.Element("testcase", classname=case.classname, name=plain(case.name))
    _set_time(element, case.seconds)
    if case.outcome != "passed":
        message = plain_lines(case.message)
        outcome = ElementTree.SubElement(element, case.outcome, message=message)
        outcome.text = plain_lines(case.text)
    if case.stderr:
        ElementTree.SubElement(element, "system-err").text = plain_lines(case.stderr)
    return element


def _set_time(element: ElementTree.Element, seconds: float | None) -> None:
    if seconds is not None:
        element.set("time", str(seconds))
