"""Writes the report of a run as a single HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from referee.conformance.causes import causes
from referee.conformance.text import by_chapter, specification, why_unjudged
from referee.conformance.verdict import Report
from referee.text.html import render
from referee.web.file import pages_policy, pages_style


def page(report: Report, chapters: Mapping[str, str]) -> str:
    """Return the report as HTML. Text from the bot isn't trusted, so we clean and escape it.

    Args:
        chapters: the titles of the chapters, by number.
    """
    found = causes(report.cases, strict=report.strict)
    return render(
        Path(__file__).with_name("page.html"),
        style=pages_style(),
        policy=pages_policy(),
        report=report,
        causes=found,
        cause_of={
            example.result.id: place
            for place, cause in reversed([*enumerate(found, 1)])
            for example in cause.examples
        },
        chapters=[
            (chapter, chapters.get(chapter, ""), results)
            for chapter, results in by_chapter(report.cases)
        ],
        unjudged=why_unjudged(report.cases),
        specification=specification(report.game),
    )
