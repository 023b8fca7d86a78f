"""What is found in many files, one after the other: as text, as JSON or as JUnit XML.

With `--output` the report goes to that file, and stdout shows the text all the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TextIO

from referee.terminal import escaped

if TYPE_CHECKING:
    from referee.junit import Case

FORMATS = ("text", "json", "junit")


def add_output(parser: argparse.ArgumentParser, *, formats: str) -> None:
    """Add `--format` and `--output`; `formats` says what the formats are."""
    add = parser.add_argument
    add("--format", choices=FORMATS, default="text", help=formats)
    output = "write the report there; on stdout the text is shown all the same"
    add("--output", metavar="FILE", help=output)


class Findings:
    """Prints what is found as soon as it is known; a JUnit document at the end of the block.

    Args:
        name: of the report.
        options: `--format` and `--output`.
        text: where the text is shown.
        report: where the report goes, `text` or the file.
    """

    def __init__(
        self, name: str, options: argparse.Namespace, text: TextIO, report: TextIO
    ) -> None:
        self._name = name
        self._format = options.format
        self._report = report
        self._texts: list[TextIO] = []
        if options.format == "text" or options.output is not None:
            self._texts.append(text)
        if options.format == "text" and options.output is not None:
            self._texts.append(report)
        self._cases: list[Case] = []

    def __enter__(self) -> Findings:
        return self

    def add(self, lines: Iterable[str], value: Any, case: Callable[[], Case]) -> None:
        """Add what was found in one file.

        Args:
            lines: for people.
            value: for JSON.
            case: makes the case for JUnit.
        """
        self.say(lines)
        if self._format == "json":
            import msgspec

            print(msgspec.json.encode(value).decode(), file=self._report, flush=True)
        elif self._format == "junit":
            self._cases.append(case())

    def say(self, lines: Iterable[str]) -> None:
        """Show lines to people, if they are shown any."""
        for line in lines:
            for file in self._texts:
                print(escaped(line), file=file, flush=True)

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if self._format == "junit" and kind is None:
            from referee.junit import document

            text = document(self._name, {self._name: self._cases})
            print(text, end="", file=self._report)
