"""A run of the cases as a page: one file of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from referee.conformance.text import specification
from referee.conformance.verdict import Report
from referee.html import render


def page(report: Report, chapters: Mapping[str, str]) -> str:
    """The report as HTML; whatever a bot wrote is made plain and escaped.

    Args:
        chapters: number -> title.
    """
    grouped = [
        (chapter, chapters.get(chapter, ""), list(results))
        for chapter, results in groupby(
            report.cases, lambda result: result.section.partition(".")[0]
        )
    ]
    return render(
        Path(__file__).with_name("page.html"),
        report=report,
        chapters=grouped,
        specification=specification(report.game),
    )
