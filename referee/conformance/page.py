"""A run of the cases as a page: one file of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from referee._version import __version__
from referee.conformance.text import specification
from referee.conformance.verdict import Report
from referee.terminal import plain_lines


def page(report: Report, chapters: Mapping[str, str]) -> str:
    """The report as HTML; whatever a bot wrote is made plain and escaped.

    Args:
        chapters: number -> title.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: plain_lines(value) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    grouped = [
        (chapter, chapters.get(chapter, ""), list(results))
        for chapter, results in groupby(
            report.cases, lambda result: result.section.partition(".")[0]
        )
    ]
    return environment.get_template("page.html").render(
        report=report,
        chapters=grouped,
        specification=specification(report.game),
        version=__version__,
    )
