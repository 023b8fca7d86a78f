"""Defines the verdict on a tested program and the result of each case, and computes them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from referee.conformance.case import Case, Rule
from referee.games.interface.faults import Disqualification
from referee.match.sandbox import SandboxKind
from referee.text.terminal import plain

# The kinds of violations. For a fault that the game has found, the kind is the fault code instead.
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
"""Violations that only a bot with its own process can commit."""
OF_A_SERVER = {UNREACHABLE, HTTP_STATUS, HTTP_ERROR}
"""Violations that only bots behind HTTP can commit. Except in basic cases, we judge them as if a
process had exited."""

LAST_LINES = 12
"""We show this many lines from the end of a conversation."""
MOST_LINE = 2000
"""Lines are cut after this many characters."""

BY_THE_CLOCK = {NO_REPLY, TIMEOUT, STAYS, NOT_KEPT}
"""Violations for which a busy machine may be to blame."""
UNANSWERED = {NO_REPLY, TIMEOUT}
"""The bot doesn't reply within the time limit, and we don't know why."""

Key: TypeAlias = tuple[str, str]
"""Identifies a mistake by the kind of violation and the type of the request."""
Known: TypeAlias = Mapping[Key, Sequence[str]]
"""The mistakes that basic cases have found, with the ids of these cases."""

Hung: TypeAlias = dict[str, tuple[str, "Violation"]]
"""Maps the types of requests that the bot never answers to the id of a case and its violation.

The case has waited twice for a reply to this type of request.
"""

OF_THE_NAME = {NAME_PLAYER, NAME_NAME, OTHER_VERSION, NO_VERSION, KEEP_ALIVE}
"""Handshake mistakes that don't stop a match. Only cases about these mistakes look at them."""


class Violation(Struct, frozen=True):
    """A mistake of the bot.

    Attributes:
        kind: a constant of this module, or a fault code of the game.
        section: section of the protocol, or "http-bots.md 3".
        expected, actual: one clause each.
        rule: the rule as stated by the section, or "" if `expected` is sufficient.
        request: the request as the bot received it, or "" if there wasn't one.
        reply: the reply to the request, or "" if there wasn't one.
        conversation: the last lines before the mistake. Lines to the bot begin with "> ", lines
            from the bot with "< ", and notes with "! ".
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
        """Identifies the mistake. Two violations with the same key count as the same mistake."""
        return self.kind, request_type(self.request)


def request_type(request: str | bytes) -> str:
    """Return the type of a request. It may be "", because some dialects don't use JSON."""
    try:
        return str(json.loads(request.splitlines()[-1])["type"])
    except (ValueError, LookupError, TypeError):
        return ""


class Observed(Struct):
    """Our observations in one run of a case.

    Attributes:
        violations: the bot's violations, in order. Only the first one with each key is kept.
        counts: the number of violations of each kind.
        stderr: an excerpt of the bot's stderr.
        complete: True if the case ran to its end.
        seconds: how long it took.
        inapplicable: why the case doesn't apply to this bot, or "" if it does.
        notes: sentences about behaviour that's legal, but probably not intended.
    """

    violations: list[Violation] = []
    counts: dict[str, int] = {}
    stderr: list[str] = []
    complete: bool = False
    seconds: float = 0.0
    inapplicable: str = ""
    notes: list[str] = []


def shown(line: bytes) -> str:
    """Make a line safe to print.

    We can't print the raw line, because a bot may write anything, even escape sequences for the
    terminal.
    """
    return plain(line[:MOST_LINE].decode(errors="backslashreplace"))


class Status(StrEnum):
    """The status of a case."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "not-judged"
    SKIPPED = "skipped"


class Result(Struct, frozen=True):
    """The result of a case.

    Attributes:
        id, level, section, requirement: as in the case.
        status: passed; failed; not judged, because another failure prevented it; skipped, because
            the tested program does not support it.
        violations: the reasons of a failure, or an obstacle that belongs to no case.
        counts: how often each kind of violation occurred.
        because: ids of the failed cases that prevented this case from being judged.
        stderr: excerpt of stderr if the case did not pass.
        seconds: duration.
        why: the reason why a case was skipped, or a referee's case was not judged.
        again: options that repeat the match in which a referee's case failed.
        note: a remark about the match, if the case did not pass.
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
    """The report of a run of the cases.

    Attributes:
        tested: kind of the tested program.
        command: the BOT argument, or the referee's command line.
        game: a key of `GAMES`.
        protocol: version of the protocol.
        seed: seed of the matches.
        strict: True if SHOULD affects the verdict.
        conforms: the verdict.
        passed, failed, not_judged, skipped: number of cases.
        seconds: duration.
        cases: the results, sorted by section.
        notes: legal but probably unintended behaviour, one sentence each.
        sandbox: the sandbox in which a bot that is a process ran.
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
    sandbox: SandboxKind = "none"


def judge(
    case: Case, observed: Observed, known: Known, control: Mapping[str, Sequence[str]]
) -> Result:
    """Decide on the result of a case.

    A bot usually makes the same mistake in every match, but only the case that's about the mistake
    should fail. We ignore mistakes that a basic case has found, and mistakes that the bot also
    makes in the case's control.

    Args:
        known: the mistakes that basic cases have found.
        control: the kinds of violations in the case's controls, with the ids of these controls.
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
        # A violation may be in section 6, because this section has the rules for all cards, while
        # the case is about the card in 6.4.
        return kind not in control or f"{case.section}.".startswith(f"{violation.section}.")

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
        last = others[-1]  # this violation ended the case
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
    """Create the result of a case. Fields that you don't pass are empty."""
    empty = {"violations": [], "counts": {}, "because": [], "stderr": [], "seconds": 0.0}
    values = {**empty, **found}
    return Result(case.id, case.level, case.section, case.requirement, status, **values)


def summarize(results: list[Result], *, strict: bool, seconds: float, **run: Any) -> Report:
    """Create the report of a run from its results.

    The verdict is "conforms" if no MUST failed, and all of them could be judged. With `strict`, the
    same is true of SHOULD. Pass the other fields of a `Report` as keyword arguments.
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
