"""The results of a run of the cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from referee.conformance.case import Case, Rule
from referee.games.interface.faults import Disqualification
from referee.match.sandbox import Kind
from referee.text.terminal import plain

# Kinds of violations; a fault of a game has its code as its kind.
NOT_STARTED = "not-started"
NO_REPLY = "no-reply"
NO_FLUSH = "no-flush"
NO_LINE_END = "no-line-end"
EARLY = "early-output"
UNASKED = "unasked-output"
SURPLUS = "surplus-output"
NO_JSON = "no-json"
NAME_TYPE = "name-type"
NAME_PLAYER = "name-player"
NAME_NAME = "name-name"
OTHER_VERSION = "other-version"
NO_VERSION = "no-version"
KEEP_ALIVE = "keep-alive"
NOT_KEPT = "not-kept"
TIMEOUT = "timeout"
EXITED = "exited"
OUTPUT_LIMIT = "output-limit"
MEMORY_LIMIT = str(Disqualification.MEMORY_LIMIT)
STEP_LIMIT = str(Disqualification.STEP_LIMIT)
STAYS = "stays"
UNREACHABLE = str(Disqualification.UNREACHABLE)
HTTP_STATUS = str(Disqualification.HTTP_STATUS)
HTTP_ERROR = str(Disqualification.HTTP_ERROR)

OF_A_PROCESS = {NOT_STARTED, NO_FLUSH, NO_LINE_END, EARLY, UNASKED, SURPLUS, STAYS, NOT_KEPT}
"""What a process alone can do wrong: it has an output of its own, and an end."""
OF_A_SERVER = {UNREACHABLE, HTTP_STATUS, HTTP_ERROR}
"""What a bot behind HTTP alone can do wrong. Basic cases name it; in others it is an exit."""

LAST_LINES = 12
"""Lines of a conversation that are shown."""
MOST_LINE = 2000
"""Characters of a line that are kept."""

BY_THE_CLOCK = {NO_REPLY, TIMEOUT, STAYS, NOT_KEPT}
"""What a busy machine can bring about as well."""
UNANSWERED = {NO_REPLY, TIMEOUT, NO_FLUSH, NO_LINE_END}
"""What shows as a request without a reply for the whole time limit."""

Key: TypeAlias = tuple[str, str]
"""What makes two violations the same mistake: their kind, and the type of the request."""
Known: TypeAlias = Mapping[Key, Sequence[str]]
"""Mistakes that were found already, each with the ids of the cases that failed for it."""

Hung: TypeAlias = dict[str, tuple[str, "Violation"]]
"""Type of a request -> the case that waited for its reply twice in vain, and what that showed."""

OF_THE_NAME = {NAME_PLAYER, NAME_NAME, OTHER_VERSION, NO_VERSION, KEEP_ALIVE}
"""What stops nothing, and is judged by the cases that are about it alone."""


class Violation(Struct, frozen=True):
    """Something that the bot did wrong.

    Attributes:
        kind: a constant of this module, or a fault code of the game.
        section: of the protocol, or "http-bots.md 3".
        expected, actual: one clause each.
        rule: the rule in the words of the section; empty if `expected` says everything.
        request: the request, as the bot received it; empty without one.
        reply: the line that answered it; empty if none did.
        conversation: the last lines before it: "> " was sent, "< " was written by the bot, "! " is
            a note.
    """

    kind: str
    section: str
    expected: str
    actual: str
    request: str = ""
    reply: str = ""
    conversation: list[str] = []
    rule: str = ""

    @property
    def key(self) -> Key:
        """A key that is equal for violations with the same mistake."""
        return self.kind, request_type(self.request)


def request_type(request: str | bytes) -> str:
    """The type of a request as the bot received it; empty without a request or a type."""
    try:
        return str(json.loads(request.splitlines()[-1])["type"])
    except (ValueError, LookupError, TypeError):
        return ""


class Observed(Struct):
    """What one run of a case showed.

    Attributes:
        violations: in the order in which they happened; the first of each key.
        counts: kind -> how often.
        stderr: the part of the bot's standard error to show.
        complete: whether the case came to its end.
        seconds: how long it took.
        inapplicable: why the case cannot be tried with this bot; empty if it can.
        notes: legal behaviour that is probably not intended.
    """

    violations: list[Violation] = []
    counts: dict[str, int] = {}
    stderr: list[str] = []
    complete: bool = False
    seconds: float = 0.0
    inapplicable: str = ""
    notes: list[str] = []


def shown(line: bytes) -> str:
    """A line that a stranger wrote, to be shown within a sentence."""
    return plain(line[:MOST_LINE].decode(errors="backslashreplace"))


class Status(StrEnum):
    """How a case came out."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "not-judged"
    SKIPPED = "skipped"


class Result(Struct, frozen=True):
    """How a case came out.

    Attributes:
        id, level, section, requirement: of the case.
        status: passed; failed; not judged, because another failure prevented it; skipped, because
            the tested program does not support it.
        violations: the reasons of a failure, or the obstacle if it does not belong to a case.
        counts: kind of violation -> how often it happened.
        because: ids of the failed cases that were in the way.
        stderr: the part of its standard error to show if the case did not pass.
        seconds: how long it took.
        why: why a case was skipped, or a referee's was not judged.
        again: the options that have the match played again in which a referee's case failed.
        note: what to know of the match, of a case that did not pass.
    """

    id: str
    level: Literal["MUST", "SHOULD"]
    section: str
    requirement: str
    status: Status
    violations: list[Violation]
    counts: dict[str, int]
    because: list[str]
    stderr: list[str]
    seconds: float
    why: str = ""
    again: list[str] = []
    note: str = ""


class Report(Struct, frozen=True):
    """A run of the cases.

    Attributes:
        tested: kind of the tested program.
        command: the BOT argument, or the referee's command line.
        game: a key of `GAMES`.
        protocol: its version.
        seed: of the matches.
        strict: whether SHOULD counts.
        conforms: the verdict.
        passed, failed, not_judged, skipped: how many cases.
        seconds: how long it took.
        cases: their results, in the order of the sections.
        notes: legal behaviour that is probably not intended, one sentence each.
        sandbox: of a bot that is a program.
    """

    tested: Literal["bot", "referee"]
    command: str
    game: str
    protocol: int
    seed: int
    strict: bool
    conforms: bool
    passed: int
    failed: int
    not_judged: int
    seconds: float
    cases: list[Result]
    skipped: int = 0
    notes: list[str] = []
    sandbox: Kind = "none"


def judge(
    case: Case, observed: Observed, known: Known, control: Mapping[str, Sequence[str]]
) -> Result:
    """How a case came out.

    Args:
        known: what basic cases failed for.
        control: kind of violation -> ids of the case's controls that failed for it.
    """

    def counts(violation: Violation) -> bool:
        kind = violation.kind
        if kind in OF_A_SERVER and not case.basic:
            kind = EXITED
        if kind not in case.about and (case.about or kind in OF_THE_NAME):
            return False
        if case.basic:
            return True
        if violation.key in known:
            return False
        return kind not in control or _is_about(case, violation)

    mine = list(filter(counts, observed.violations))
    if observed.inapplicable and not mine:
        return result_of(case, Status.SKIPPED, why=observed.inapplicable)
    others = [violation for violation in observed.violations if violation not in mine]
    status = Status.PASSED
    if mine:
        status = Status.FAILED
    elif others and not observed.complete:
        status = Status.NOT_JUDGED
    because: list[str] = []
    if status == Status.NOT_JUDGED:
        last = others[-1]  # what ended the case
        because = [*known.get(last.key, ()), *control.get(last.kind, ())]
    told = [] if status == Status.PASSED or because else mine or others
    begun = any(request_type(violation.request) != "player-name-request" for violation in told)
    return result_of(
        case,
        status,
        violations=told,
        counts={violation.kind: observed.counts[violation.kind] for violation in told},
        because=because,
        stderr=observed.stderr if told else [],
        seconds=observed.seconds,
        note=case.note if begun else "",
    )


def result_of(case: Rule, status: Status, **found: Any) -> Result:
    """The result of a case of any kind, with the other fields of a `Result` that are not empty."""
    empty = {"violations": [], "counts": {}, "because": [], "stderr": [], "seconds": 0.0}
    values = {**empty, **found}
    return Result(case.id, case.level, case.section, case.requirement, status, **values)


def _is_about(case: Case, violation: Violation) -> bool:
    """Whether it breaks the very section of the case; bad parameters of all cards break 6."""
    return f"{case.section}.".startswith(f"{violation.section}.")


def summarize(results: list[Result], *, strict: bool, seconds: float, **run: Any) -> Report:
    """The report of a run: it conforms if nothing failed and nothing was left unjudged.

    Args:
        strict: whether SHOULD counts.
        run: the other fields of a `Report`.
    """
    count = Counter(result.status for result in results)
    left = (Status.FAILED, Status.NOT_JUDGED)
    return Report(
        strict=strict,
        conforms=not any(r.status in left and (strict or r.level == "MUST") for r in results),
        passed=count[Status.PASSED],
        failed=count[Status.FAILED],
        not_judged=count[Status.NOT_JUDGED],
        seconds=round(seconds, 3),
        cases=results,
        skipped=count[Status.SKIPPED],
        **run,
    )
