"""A run of the cases as text: readable at 80 columns, and nothing is said by colour alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from referee.conformance.case import Stated
from referee.conformance.verdict import Report, Result, Status, Violation
from referee.games import GAMES
from referee.terminal import cells, command_line, cut, paint, plain

_MAX_WIDTH = 120
"""Longer lines are hard to read, however wide the terminal is."""
_INDENT = 9
_LABEL = 10
_LEVEL = 8
_NO_BREAK = "\u00a0"
_SHOWN_IDS = 8
_MOST_JSON = 1000
"""More characters of a request or a reply are not shown."""


def specification(game: str) -> str:
    """The page that the sections of a game's cases are of."""
    return f"spec/{GAMES[game].specification}.md"


class Table:
    """The lines of a table that is printed while the cases run.

    Args:
        chapters: number -> title.
        ids: of all cases that run.
        width: columns.
        colour: whether to style by escape sequences.
        strict: whether SHOULD counts.
        quiet: whether to show failures alone.
    """

    def __init__(
        self,
        chapters: Mapping[str, str],
        ids: Sequence[str],
        *,
        width: int,
        colour: bool,
        strict: bool = False,
        quiet: bool = False,
    ) -> None:
        self._chapters = chapters
        self._id = max(map(len, ids), default=0)
        self._full_width = max(width, 60)
        self._width = min(self._full_width, _MAX_WIDTH)
        self._colour = colour
        self._strict = strict
        self._quiet = quiet
        self._chapter = ""
        self._reason = ""
        self._shown: dict[tuple[str, str], str] = {}

    def listed(self, case: Stated) -> Iterator[str]:
        """A case that is listed, not run."""
        yield from self._heading(case.section)
        yield from self._line("", "", case)

    def result(self, result: Result) -> Iterator[str]:
        """A case that was run."""
        if self._quiet and result.status != Status.FAILED:
            return
        yield from self._heading(result.section)
        word, style = _WORDS[result.status]
        if result.status == Status.FAILED and result.level == "SHOULD" and not self._strict:
            word, style = "warn", "yellow"
        yield from self._line(word, style, result)
        if result.status in _UNJUDGED and not result.violations:
            reason = result.why or f"see {_some(result.because)}"
            if reason != self._reason:  # it is mostly one for many
                self._reason = reason
                word = "skipped" if result.status == Status.SKIPPED else "not judged"
                yield from self._part("", f"{word}: {reason}")
        shown_before = True
        for violation in result.violations:
            count = result.counts.get(violation.kind, 1)
            first = self._shown.setdefault((violation.section, violation.kind), result.id)
            if first == result.id:
                shown_before = False
                yield from self._violation(violation, count)
            else:
                yield from self._repeated(violation, first)
        if result.stderr and not shown_before:
            yield from self._quoted("stderr", result.stderr)

    def verdict(self, report: Report) -> Iterator[str]:
        """The verdict, and the commands to go on with."""
        failed = [result for result in report.cases if result.status == Status.FAILED]
        must = [result.id for result in failed if result.level == "MUST"]
        should = [result.id for result in failed if result.level == "SHOULD"]
        verdict = "conforms" if report.conforms else "does not conform"
        parts = [f"{report.passed} of {len(report.cases)} cases passed"]
        if must:
            parts.append(f"{len(must)} that must pass failed")
        if should:
            parts.append(f"{len(should)} that should pass failed")
        if report.skipped:
            parts.append(f"{report.skipped} skipped")
        if report.not_judged:
            parts.append(f"{report.not_judged} could not be judged")
        time = f"{report.seconds:.1f}{_NO_BREAK}s"
        text = f"{plain(report.command)} {verdict}: {', '.join(parts)}, in {time}."
        yield ""
        for line in textwrap.wrap(text, self._width, break_on_hyphens=False):
            line = line.replace(_NO_BREAK, " ")
            yield paint(line, "green" if report.conforms else "red", colour=self._colour)
        if failed:
            first = [r for r in failed if r.id in self._shown.values()][:_SHOWN_IDS]
            page = specification(report.game)
            text = f"Sections are those of {page}. A case of each kind of failure, again:"
            yield from textwrap.wrap(text, self._width)
            if report.tested == "bot":
                cases = [word for result in first for word in ("--case", result.id)]
                game = [] if report.game == next(iter(GAMES)) else ["--game", report.game]
                words = [report.command, *game, "--seed", str(report.seed), *cases]
                yield "  " + command_line(["referee", "conform", *words])
            seeds: dict[tuple[str, ...], dict[str, None]] = {}
            for result in first if report.tested == "referee" else ():
                seeds.setdefault(tuple(result.again[:2]), {}).update(
                    dict.fromkeys(result.again[3::2])
                )
            for seed, matches in seeds.items():
                words = [*seed, *(word for match in matches for word in ("--match", match))]
                yield "  " + command_line(
                    ["referee", "conform", "--referee", report.command, *words]
                )

    def _heading(self, section: str) -> Iterator[str]:
        chapter = section.partition(".")[0]
        if chapter != self._chapter:
            if self._chapter:
                yield ""
            self._chapter = chapter
            title = f"{chapter} {self._chapters.get(chapter, '')}".rstrip()
            yield paint(title, "bold", colour=self._colour)

    def _line(self, word: str, style: str, case: Stated) -> Iterator[str]:
        painted = paint(word, style, colour=self._colour) + " " * (6 - len(word))
        start = f"{case.id:{self._id}}  {case.level:{_LEVEL}}"
        indent = (2 + 6 if word else 2) + len(start)
        first, *rest = textwrap.wrap(case.requirement, self._width - indent)
        yield f"  {painted if word else ''}{start}{first}"
        for line in rest:
            yield " " * indent + line

    def _violation(self, violation: Violation, count: int) -> Iterator[str]:
        times = f" ({count} times, this is the first)" if count > 1 else ""
        yield from self._part("section", f"{violation.section}: {violation.kind}{times}")
        yield from self._part("expected", plain(violation.expected))
        yield from self._part("actual", plain(violation.actual))
        if violation.request:
            yield from self._json("request", violation.request)
        if violation.reply:
            yield from self._json("reply", violation.reply)
        if violation.conversation:
            yield from self._quoted("last lines", violation.conversation)

    def _part(self, label: str, text: str) -> Iterator[str]:
        first, *rest = textwrap.wrap(
            text, self._width - _INDENT - _LABEL, break_on_hyphens=False
        ) or [""]
        head = f"{label:{_LABEL}}" if label else ""
        yield " " * _INDENT + paint(head, "dim", colour=self._colour) + first
        for line in rest:
            yield " " * (_INDENT + len(head)) + line

    def _repeated(self, violation: Violation, first: str) -> Iterator[str]:
        """A violation of a kind that an earlier case has shown."""
        yield from self._part("section", f"{violation.section}: {violation.kind}, as in {first}")
        yield from self._part("actual", plain(violation.actual))

    def _json(self, label: str, text: str) -> Iterator[str]:
        """A line of JSON: there are no words to wrap at."""
        label = paint(f"{label:{_LABEL}}", "dim", colour=self._colour)
        text = cut(plain(text), _MOST_JSON)
        room = self._full_width - _INDENT - _LABEL
        while text:
            line = text[:room]
            while cells(line) > room:
                line = line[:-1]
            yield " " * _INDENT + label + line
            label, text = " " * _LABEL, text[len(line) :]

    def _quoted(self, label: str, lines: Sequence[str]) -> Iterator[str]:
        yield " " * _INDENT + paint(label, "dim", colour=self._colour)
        for line in lines:
            yield " " * (_INDENT + 2) + cut(plain(line), self._full_width - _INDENT - 2)


_UNJUDGED = (Status.NOT_JUDGED, Status.SKIPPED)
_WORDS = {
    Status.PASSED: ("ok", "green"),
    Status.FAILED: ("FAIL", "red"),
    Status.NOT_JUDGED: ("-", ""),
    Status.SKIPPED: ("-", ""),
}


def _some(ids: Sequence[str]) -> str:
    """The first of the ids, for a sentence."""
    more = f" and {len(ids) - _SHOWN_IDS} more" if len(ids) > _SHOWN_IDS else ""
    return ", ".join(ids[:_SHOWN_IDS]) + more
