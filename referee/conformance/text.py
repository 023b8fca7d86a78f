"""Formats the report of a run as text for 80 columns.

We never rely on colours alone, because some people can't see them, and some terminals can't show
them.
"""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TypeVar

from referee.bots.repeat import as_bot
from referee.conformance.case import OTHER_DIALECT, Rule
from referee.conformance.causes import Example, causes
from referee.conformance.verdict import (
    Report,
    Result,
    Status,
    Violation,
    request_type,
)
from referee.games import DEFAULT_GAME, GAMES, game_words
from referee.match.pages import game_page
from referee.text.terminal import cells, command_line, cut, paint, plain, wrap_words

Listed = TypeVar("Listed", bound=Rule | Result)
# Longer lines are hard to read, even if the terminal is wider.
_MAX_WIDTH = 120
_INDENT = 6
_LABEL = 10
_LEVEL = 8
_NO_BREAK = "\u00a0"
_SHOWN_IDS = 8
# Requests and replies are cut after this many characters.
_MOST_JSON = 1000


def specification(game: str) -> str:
    """Return the specification page to which a game's section numbers refer."""
    return game_page(GAMES[game]).place


def by_chapter(cases: Sequence[Listed]) -> list[tuple[str, list[Listed]]]:
    """Group cases by chapter number."""
    chapters = groupby(cases, lambda case: case.section.partition(".")[0])
    return [(chapter, list(group)) for chapter, group in chapters]


def why_unjudged(results: Sequence[Result]) -> dict[tuple[Status, str], list[Result]]:
    """Group the cases that were skipped or not judged, by status and reason."""
    found: dict[tuple[Status, str], list[Result]] = defaultdict(list)
    for result in results:
        if result.status in (Status.SKIPPED, Status.NOT_JUDGED):
            reason = result.why or "; ".join(v.actual for v in result.violations)
            found[result.status, reason or f"see {some(result.because)}"].append(result)
    return found


def of_other_dialect(result: Result) -> bool:
    """Return True if the case doesn't apply because the bot speaks another dialect."""
    return result.status == Status.SKIPPED and result.why.startswith(OTHER_DIALECT)


def _not_applied(count: int) -> str:
    return "1 does not apply" if count == 1 else f"{count} do not apply"


def some(ids: Sequence[str]) -> str:
    """Shorten a list of ids so that it fits into a sentence."""
    more = f" and {len(ids) - _SHOWN_IDS} more" if len(ids) > _SHOWN_IDS else ""
    return ", ".join(ids[:_SHOWN_IDS]) + more


class TextReport:
    """Formats a report.

    Args:
        chapters: the titles of the chapters, by number.
        game: the game of the bot.
        strict: if True, a failed SHOULD affects the verdict, too.
        options: command-line options of this run. We repeat them in the commands that we suggest.
    """

    def __init__(
        self,
        chapters: Mapping[str, str],
        *,
        width: int,
        colour: bool,
        game: str = DEFAULT_GAME,
        strict: bool = False,
        options: Sequence[str] = (),
    ) -> None:
        self._chapters = chapters
        self._full_width = max(width, 60)
        self._width = min(self._full_width, _MAX_WIDTH)
        self._colour = colour
        self._game = game
        self._shown: set[tuple[str, ...]] = set()  # keys of causes that `new_failures` has shown
        self._shown_stderr: set[tuple[str, ...]] = set()
        self._strict = strict
        self._options = options

    def listed(self, cases: Sequence[Rule | Result]) -> Iterator[str]:
        """Yield the cases under the titles of their chapters. Results also show their status."""
        width = max((len(case.id) for case in cases), default=0)
        for place, (chapter, group) in enumerate(by_chapter(cases)):
            if place:
                yield ""
            yield paint(self._title(chapter), "bold", colour=self._colour)
            for case in group:
                word = self._word(case) if isinstance(case, Result) else None
                lines = self._headed(word, self._start(case, width), case.requirement)
                yield from (f"  {line}" for line in lines)

    def failures(
        self, results: Sequence[Result], *, verbose: bool = False, brief: bool = False
    ) -> Iterator[str]:
        """Yield all failures. Cases that failed because of the same mistake are shown once.

        Args:
            verbose: if True, show the last lines of the conversation even if we can show the reply.
            brief: if True, only show details for the first mistake.
        """
        width = max((len(result.id) for result in results), default=0)
        self._shown_stderr.clear()
        before: Result | None = None
        for place, cause in enumerate(causes(results, strict=self._strict)):
            result = cause.shown.result
            word = self._word(result)
            if len(cause.examples) > 1:
                text = f"{len(cause.examples)} cases: {plain(cause.what)}"
                yield from self._headed(word, "", text)
                yield from self._part("case", f"{result.id} {result.level} {result.requirement}")
            elif before is not result:
                yield from self._headed(word, self._start(result, width), result.requirement)
            before = result if len(cause.examples) == 1 else None
            if brief and place:
                continue
            yield from self._cause(cause.shown, verbose=verbose)
            if cause.others:
                yield from self._part("also", some(cause.others))
            yield ""

    def new_failures(self, result: Result, *, verbose: bool = False) -> Iterator[str]:
        """Yield the failures of a case, without mistakes that earlier calls have shown."""
        is_first = True
        for cause in causes([result], strict=self._strict):
            if cause.key in self._shown:
                continue
            self._shown.add(cause.key)
            if is_first:
                start = self._start(result, len(result.id))
                yield from self._headed(self._word(result), start, result.requirement)
            is_first = False
            yield from self._cause(cause.shown, verbose=verbose)
            yield ""

    def repeated(self, results: Sequence[Result]) -> Iterator[str]:
        """Yield the mistakes that made more than one case fail, with the ids of the cases."""
        for cause in causes(results, strict=self._strict):
            if len(cause.examples) > 1:
                first, *others = (example.result.id for example in cause.examples)
                text = f"{len(cause.examples)} cases: {plain(cause.what)}"
                yield from self._headed(self._word(cause.shown.result), "", text)
                yield from self._part("first", f"{first}, shown above")
                yield from self._part("also", some(others))
                yield ""

    def counts(self, results: Sequence[Result]) -> Iterator[str]:
        """Yield the number of passed cases per chapter."""
        titles = {chapter: self._title(chapter) for chapter, _ in by_chapter(results)}
        room = max(map(len, titles.values()), default=0)
        for chapter, cases in by_chapter(results):
            applied = [case for case in cases if not of_other_dialect(case)]
            came_out = Counter(case.status for case in applied)
            parts = [f"{came_out[Status.PASSED]} of {len(applied)} passed"] if applied else []
            others = (Status.FAILED, Status.NOT_JUDGED, Status.SKIPPED)
            parts += [f"{came_out[s]} {s.replace('-', ' ')}" for s in others if came_out[s]]
            if len(applied) < len(cases):
                parts.append(_not_applied(len(cases) - len(applied)))
            text = f"{titles[chapter]:{room}}  {', '.join(parts)}"
            yield from textwrap.wrap(text, self._width, subsequent_indent=" " * (room + 2))

    def unjudged(self, results: Sequence[Result]) -> Iterator[str]:
        """Yield the cases that were skipped or not judged, with the reasons."""
        for (status, reason), cases in why_unjudged(results).items():
            ids = some([case.id for case in cases])
            text = f"{ids} {status.replace('-', ' ')}: {plain(reason)}"
            if of_other_dialect(cases[0]):
                text = f"{_not_applied(len(cases))}, {plain(reason)}: {ids}"
            yield from wrap_words(text, self._width, others="  ")

    def verdict(self, report: Report) -> Iterator[str]:
        """Yield the verdict, with the number of cases and the time."""
        failed = [result for result in report.cases if result.status == Status.FAILED]
        must = sum(result.level == "MUST" for result in failed)
        verdict = "conforms" if report.conforms else "does not conform"
        others = sum(map(of_other_dialect, report.cases))
        apply = " that apply to its dialect" if others else ""
        parts = [f"{report.passed} of {len(report.cases) - others} cases{apply} passed"]
        if must:
            parts.append(f"{must} that must pass failed")
        if must < len(failed):
            parts.append(f"{len(failed) - must} that should pass failed")
        if report.skipped > others:
            parts.append(f"{report.skipped - others} skipped")
        if report.not_judged:
            parts.append(f"{report.not_judged} could not be judged")
        time = f"{report.seconds:.1f}{_NO_BREAK}s"
        where = f", sandbox {report.sandbox}" if report.sandbox != "none" else ""
        text = f"{plain(report.command)} {verdict}: {', '.join(parts)}, in {time}{where}."
        for line in wrap_words(text, self._width):
            line = line.replace(_NO_BREAK, " ")
            yield paint(line, "green" if report.conforms else "red", colour=self._colour)

    def notes(self, report: Report) -> Iterator[str]:
        """Yield notes about behaviour that is legal but probably unintended."""
        for note in report.notes:
            text = f"Note, which breaks no rule: {plain(note)}"
            yield from wrap_words(text, self._width)

    def commands(self, report: Report) -> Iterator[str]:
        """Yield commands that help with the failures: read a section, run the cases again."""
        found = causes(report.cases, strict=self._strict)
        if not found:
            return
        game = game_words(report.game)
        section = found[0].shown.violation.section
        yield f"Sections are those of {specification(report.game)}. To read one:"
        yield "  " + command_line(["referee", "explain", section, *game])
        shown = list({cause.shown.result.id: cause.shown.result for cause in found}.values())
        yield "A case of each kind of failure, again:"
        yield from (f"  {command_line(words)}" for words in self._again(report, shown, game))

    def _again(
        self, report: Report, results: Sequence[Result], game: Sequence[str]
    ) -> Iterator[list[str]]:
        results, options = results[:_SHOWN_IDS], [*game, *self._options]
        if report.tested == "bot":
            cases = [word for result in results for word in ("--case", result.id)]
            words = ["--seed", str(report.seed), *cases]
            yield ["referee", "conform", as_bot(report.command), *options, *words]
            return
        seeds: dict[tuple[str, ...], dict[str, None]] = {}
        for result in results:
            seeds.setdefault(tuple(result.again[:2]), {}).update(dict.fromkeys(result.again[3:]))
        for seed, matches in seeds.items():
            words = [*seed, *(word for match in matches for word in ("--match", match))]
            yield ["referee", "conform", "--referee", report.command, *options, *words]

    def _title(self, chapter: str) -> str:
        return f"{chapter} {self._chapters.get(chapter, '')}".rstrip()

    def _word(self, result: Result) -> tuple[str, str]:
        if result.status == Status.FAILED and result.level == "SHOULD" and not self._strict:
            return "warn", "yellow"
        return _WORDS[result.status]

    def _start(self, case: Rule | Result, width: int) -> str:
        return f"{case.id:{width}}  {case.level:{_LEVEL}}"

    def _headed(self, word: tuple[str, str] | None, start: str, text: str) -> Iterator[str]:
        painted = ""
        if word is not None:
            painted = paint(word[0], word[1], colour=self._colour) + " " * (_INDENT - len(word[0]))
        indent = (_INDENT if word is not None else 0) + len(start)
        yield from self._hanging(painted + start, indent, text, 2)

    def _hanging(self, start: str, indent: int, text: str, margin: int = 0) -> Iterator[str]:
        lines = textwrap.wrap(text, self._width - indent - margin, break_on_hyphens=False)
        yield start + next(iter(lines), "")
        yield from (" " * indent + line for line in lines[1:])

    def _cause(self, example: Example, *, verbose: bool) -> Iterator[str]:
        result, violation = example.result, example.violation
        yield from self._mistake(result, violation)
        if violation.conversation and (verbose or not violation.reply):
            room = self._full_width - _INDENT - 2
            lines = [cut(plain(line), room) for line in violation.conversation]
            yield from self._quoted("last lines", lines)
        if result.stderr and tuple(result.stderr) not in self._shown_stderr:
            self._shown_stderr.add(tuple(result.stderr))
            yield from self._quoted("stderr", result.stderr)

    def _mistake(self, result: Result, violation: Violation) -> Iterator[str]:
        count = result.counts.get(violation.kind, 1)
        times = f" ({count} times, this is the first)" if count > 1 else ""
        yield from self._part("section", f"{violation.section}: {violation.kind}{times}")
        if violation.rule:
            yield from self._part("rule", plain(violation.rule))
        for label in ("expected", "actual", "request", "reply"):
            if text := getattr(violation, label):
                yield from self._json(label, text)
        if result.note:
            yield from self._part("note", result.note)
        if not result.again and (section := self._reply_section(violation)):
            words = command_line(["referee", "explain", section, *game_words(self._game)])
            yield from self._part("to write", f"the reply of section {section}: {words}")

    def _reply_section(self, violation: Violation) -> str:
        """Return the section that explains how to write the reply.

        Returns "" if the violation is in the same chapter, because we show its own section anyway.
        """
        page = game_page(GAMES[self._game])
        section = page.reply_section(request_type(violation.request))
        chapter = section.partition(".")[0]
        return "" if violation.section.partition(".")[0] == chapter else section

    def _part(self, label: str, text: str) -> Iterator[str]:
        head = " " * _INDENT + paint(f"{label:{_LABEL}}", "dim", colour=self._colour)
        yield from self._hanging(head, _INDENT + _LABEL, text)

    def _json(self, label: str, text: str) -> Iterator[str]:
        # We can't use textwrap, because it only breaks lines at spaces. Compact JSON has none.
        label = paint(f"{label:{_LABEL}}", "dim", colour=self._colour)
        text = cut(plain(text), _MOST_JSON)
        room = self._full_width - _INDENT - _LABEL
        while text:
            line = text[:room]
            while cells(line) > room:
                line = line[:-1]
            end = max(line.rfind(","), line.rfind(" ")) + 1
            if len(line) < len(text) and end > room // 2:
                line = line[:end]
            yield " " * _INDENT + label + line
            label, text = " " * _LABEL, text[len(line) :]

    def _quoted(self, label: str, lines: Sequence[str]) -> Iterator[str]:
        yield " " * _INDENT + paint(label, "dim", colour=self._colour)
        for line in lines:
            yield " " * (_INDENT + 2) + line


_WORDS = {
    Status.PASSED: ("ok", "green"),
    Status.FAILED: ("FAIL", "red"),
    Status.NOT_JUDGED: ("-", ""),
    Status.SKIPPED: ("-", ""),
}
