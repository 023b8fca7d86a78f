"""A run of the cases as a page: one file of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from referee.conformance.causes import causes
from referee.conformance.text import by_chapter, specification, why_unjudged
from referee.conformance.verdict import Report
from referee.text.html import render


def page(report: Report, chapters: Mapping[str, str]) -> str:
    """The report as HTML, with cleaned and escaped text; `chapters` are number -> title."""
    found = causes(report.cases, strict=report.strict)
    return render(
        Path(__file__).with_name("page.html"),
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
