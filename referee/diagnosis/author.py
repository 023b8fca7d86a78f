"""What there is to tell the author of a bot after a match."""

from __future__ import annotations

import json
from collections.abc import Sequence

from referee.bots.last_words import LastWords
from referee.diagnosis.ending import headline, limit_reached, missed, why_exited
from referee.diagnosis.evidence import Evidence, SeenFault
from referee.diagnosis.fields import ignored_fields, missing_for_null
from referee.diagnosis.lines import quoted, why_no_reply
from referee.diagnosis.reading import as_object
from referee.diagnosis.silence import why_silent
from referee.games.interface.dialect import DialectKind
from referee.games.interface.faults import BAD_NAME_REPLY, Disqualification, Fault
from referee.games.interface.rules import Rules
from referee.games.interface.seats import seat_id
from referee.interrupts import signal_name
from referee.match.machine import Disqualified
from referee.match.messages import PlayerNameReply
from referee.match.pages import SHARED
from referee.match.result import Departure, Diagnosis, FirstFault

_MOST_LINE = 2000
"""More bytes of a reply are not given back."""
_ADVICE = {
    Disqualification.TIME_BANK: "all its replies of a match share this time: divide what is left "
    "of it by the replies that are still to come",
    Disqualification.CPU_LIMIT: "all its threads and processes count together: a second on each of "
    "four cores is four",
    Disqualification.MEMORY_LIMIT: "all its processes count together; some runtimes take what the "
    "machine has unless they are told less (java -Xmx512m, node --max-old-space-size=512)",
}
"""What helps a bot that was disqualified for this."""


def diagnosis(
    rules: Rules,
    evidence: Evidence,
    words: LastWords | None,
    *,
    bot: str,
    left: Disqualified | None,
    requests: int,
    exit_code: int | None,
    count: int,
    notes: Sequence[str] = (),
) -> Diagnosis:
    """What there is to tell the author of one bot.

    Args:
        words: what its process has left behind; None if it has none.
        bot: the BOT argument.
        left: why it was disqualified, if it was.
        requests: how many it was sent after its handshake.
        exit_code: of its process.
        count: how many faults it has made.
        notes: what the game has to say.
    """
    dialect = rules.dialects.get(bot.partition(":")[0])
    is_canonical = dialect is None
    stderr = None if words is None else words.stderr
    unasked = 0 if words is None else words.unasked
    faults, has_stray = _faults(
        list(evidence.faults.values()), rules if dialect is None else dialect(), unasked
    )
    all_notes = []
    if words is not None and unasked and not has_stray:
        all_notes.append(_unasked(words))
    all_notes += map(str, ignored_fields(evidence.lines, rules.replies))
    if left is None:
        if 2 * count < requests:  # else its faults say it
            all_notes += notes
        if words is not None:
            all_notes += about_end(exit_code, words)
    departure = None
    if left is not None:
        asked = left.asked.decode().rstrip("\n")
        cause = _cause(rules, left, words, exit_code, requests)
        if not requests and is_canonical:
            cause = "; ".join(filter(None, (cause, dialects_for(rules, bot))))
        departure = Departure(left.detail, cause, evidence.turn, requests, asked)
    return Diagnosis(departure, faults, all_notes, stderr)


def explained(rules: Rules | DialectKind, fault: Fault, asked: bytes, line: bytes) -> str:
    """A fault in words for the author of the bot, with the line where that is no reply at all.

    Args:
        rules: the dialect if the bot speaks one: then its line is not what it wrote.
        asked: the request, as the match has sent it.
        line: the reply, as the record has it.
    """
    if isinstance(rules, DialectKind):
        hint = rules.hint(line) if rules.hint else ""
        return f"{fault.detail}: {hint}" if hint else fault.detail
    if words := _why_no_reply(rules, fault, line):
        return words
    detail = missing_for_null(fault.detail, line)
    if fault.code == BAD_NAME_REPLY and detail.startswith("`player_number`"):
        return f'{detail}, but the request says "{seat_id(fault.seat)}"'
    reply = as_object(line)
    if rules.hint is None or reply is None:
        return detail
    hint = rules.hint(fault.code, json.loads(asked), reply)
    return f"{detail}: {hint}" if hint else detail


def _why_no_reply(rules: Rules, fault: Fault, line: bytes) -> str:
    is_name = fault.code == BAD_NAME_REPLY
    return why_no_reply(line, (PlayerNameReply,) if is_name else rules.replies)


def _faults(
    seen: Sequence[SeenFault], rules: Rules | DialectKind, unasked: int
) -> tuple[list[FirstFault], bool]:
    """The faults, and whether one of them is a line that nobody asked for.

    Args:
        rules: the dialect if the bot speaks one: then its lines are not what it wrote.
    """
    found: list[FirstFault] = []
    stray = False
    for each in seen:
        fault = each.fault
        detail = explained(rules, fault, each.asked, each.line)
        is_reply = isinstance(rules, DialectKind) or not _why_no_reply(rules, fault, each.line)
        follows = stray
        if unasked and not stray and not is_reply:
            # There were so many lines too many that some were taken for replies.
            stray = True
            detail = f"{detail}; {_behind(unasked, each.line)}"
        line = each.line[:_MOST_LINE].decode(errors="backslashreplace")
        found.append(
            FirstFault(fault.code, fault.section, detail, each.turn, each.request, line, follows)
        )
    return found, stray


def _behind(unasked: int, line: bytes) -> str:
    if unasked == 1:
        words = "nobody asked for this line, so every later reply is one behind"
    else:
        others = "one other" if unasked == 2 else f"{unasked - 1} others"
        words = f"nobody asked for this line and {others}, so every later reply comes too late"
    return f"{words}; only requests are answered, news are not" if as_object(line) else words


def _unasked(words: LastWords) -> str:
    line = quoted(words.first_unasked)
    if words.unasked == 1:
        return f"it wrote a line that nobody asked for, {line}: one line answers one request"
    return (
        f"it wrote {words.unasked} lines that nobody asked for, such as {line}: "
        "one line answers one request, and news are not answered"
    )


def about_end(exit_code: int | None, words: LastWords) -> list[str]:
    """What is to be said of the end of a process that has played to the end.

    Args:
        exit_code: -N after signal N.
    """
    if not exit_code:
        return []
    if exit_code < 0:
        return [
            f"it did not exit when its input had ended, as it must ({SHARED.after_match}), and was "
            f"ended by {signal_name(-exit_code)}"
        ]
    error = headline(words.stderr.lines)
    why = f" ({error})" if error else ""
    return [
        f"when its input had ended, it ended with exit code {exit_code}{why}: the end of the "
        f"input is where a bot leaves its loop ({SHARED.after_match})"
    ]


def dialects_for(rules: Rules, bot: str) -> str:
    """How to give a bot that does not answer the game's handshake; empty if there is no way.

    Args:
        bot: the BOT argument, which names no dialect.
    """
    by_http = bot.startswith(("http://", "https://"))
    kinds = {name: kind() for name, kind in rules.dialects.items()}
    given = [
        f'"{name}:{bot}"'
        for name, kind in kinds.items()
        if kind.advised and not kind.greets and (kind.over_http if by_http else not kind.form_field)
    ]
    return f"if it speaks a dialect, give it as {' or '.join(given)}" if given else ""


def _cause(
    rules: Rules,
    left: Disqualified,
    words: LastWords | None,
    exit_code: int | None,
    requests: int,
) -> str:
    if words is None:
        return ""
    if left.code in _ADVICE:
        return _ADVICE[left.code]
    if words.silence is not None:
        game = rules.name if requests == 1 else ""
        return why_silent(words.silence, json.loads(left.asked)["type"], game)
    if left.code == Disqualification.EXITED:
        if words.unfinished.strip():
            return f"its last line, {quoted(words.unfinished)}, has no line end, so it is no reply"
        why = why_exited(exit_code, words.stderr.lines, requests)
        hidden = missed(words.sandbox, words.stderr.lines)
        return "; ".join(filter(None, (why, limit_reached(exit_code, words), hidden)))
    if left.code == Disqualification.OUTPUT_LIMIT and words.unasked:
        return f"it wrote lines that nobody asked for, such as {quoted(words.first_unasked)}"
    return ""
