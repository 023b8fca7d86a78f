"""Writes the report that a bot's author gets after a match."""

from __future__ import annotations

import json
from collections.abc import Sequence

from referee.bots.only_game import libraries
from referee.bots.process_report import ProcessReport
from referee.diagnosis.ending import (
    headline,
    limit_reached,
    missed,
    started_in,
    why_ended,
    why_exited,
)
from referee.diagnosis.fields import ignored_fields, missing_for_null
from referee.diagnosis.lines import quoted, why_no_reply
from referee.diagnosis.no_reply import why_not_returned, why_silent
from referee.diagnosis.reading import as_object
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialect import Adapter, Wrong
from referee.games.interface.faults import BAD_NAME_REPLY, Disqualification, Fault
from referee.games.interface.seats import seat_id
from referee.interrupts import signal_name
from referee.match.evidence import Evidence, SeenFault
from referee.match.machine import Disqualified
from referee.match.messages import PlayerNameReply
from referee.match.pages import SHARED
from referee.match.result import Diagnosis, DisqualificationReport, FirstFault

# People often misunderstand these limits, so we explain them after a disqualification.
_ADVICE = {
    Disqualification.TIME_BANK: "all its replies of a match share this time: divide the rest of "
    "it by the number of replies to come",
    Disqualification.CPU_LIMIT: "all its threads and processes count together: a second on each of "
    "four cores is four",
    Disqualification.KEPT_RUNNING: "a bot in a sandbox is stopped while another bot has to reply: "
    "send signals only to processes that it has started",
    Disqualification.MEMORY_LIMIT: "all its processes count together; some runtimes use all "
    "memory of the machine unless you limit them (java -Xmx512m, node --max-old-space-size=512)",
}


def diagnosis(
    definition: GameDefinition,
    evidence: Evidence,
    words: ProcessReport | None,
    *,
    sent: bytes,
    bot: str,
    left: Disqualified | None,
    requests: int,
    exit_code: int | None,
    count: int,
    notes: Sequence[str] = (),
) -> Diagnosis:
    """Create the report for a bot's author.

    Args:
        evidence: the bot's first lines and faults.
        words: the output and state of the bot's process, or None if the bot isn't a process.
        sent: the last request if the bot speaks a dialect, otherwise b"".
        bot: the BOT argument.
        left: the disqualification, or None if the bot played to the end.
        requests: how many requests the bot got after the handshake.
        exit_code: exit code of the process.
        count: how many faults the bot made.
        notes: hints from the game about bad moves.
    """
    # If BOT is a folder, the prefix isn't in the argument, but in the command of the process.
    prefix = (words and words.prefix) or bot.partition(":")[0]
    adapter = definition.adapters.get(prefix)
    kind = definition.dialects.get(prefix)
    stderr = None if words is None else words.stderr
    unasked = 0 if words is None else words.unasked
    wrong = None if kind is None else kind.wrong
    seen = list(evidence.faults.values())
    faults, has_stray = _faults(seen, definition, wrong, words, adapter)
    all_notes = []
    if words is not None and unasked and not has_stray:
        all_notes.append(_unasked(words))
    all_notes += ignored_fields(evidence.lines, definition.replies)
    if left is None:
        if 2 * count < requests:  # if there are more faults, they explain the bad moves
            all_notes += notes
        if words is not None:
            all_notes += notes_on_exit(exit_code, words)
    departure = None
    if left is not None:
        asked = " ".join(sent.decode().split()) or left.asked.decode().rstrip("\n")
        cause = _cause(definition, left, words, exit_code, requests, sent, adapter)
        if not requests and kind is None and adapter is None:
            cause = "; ".join(filter(None, (cause, dialects_for(definition, bot))))
        departure = DisqualificationReport(left.detail, cause, evidence.turn, requests, asked)
    return Diagnosis(departure, faults, all_notes, stderr)


def explained(
    definition: GameDefinition,
    wrong: Wrong | None,
    fault: Fault,
    asked: bytes,
    line: bytes,
    said: bytes,
    adapter: Adapter | None = None,
) -> str:
    """Explain a fault to the author of the bot, in the terms of the bot's dialect or library.

    If the line isn't a reply at all, the explanation quotes it.

    Args:
        wrong: the dialect's function that explains faults, or None if the bot doesn't speak a
            dialect.
        asked: the request, in protocol version 1.
        line: the reply, in protocol version 1.
        said: the reply as the bot wrote it.
        adapter: the adapter, if the author writes methods for a library instead of replies.
    """
    if adapter is not None and (reply := as_object(line)) is not None:
        return adapter.wrong(fault, json.loads(asked), reply)
    if wrong is not None:
        return f"the answer {quoted(said, '')} {wrong(fault, json.loads(asked), said)}"
    if words := _why_no_reply(definition, fault, line):
        return words
    detail = missing_for_null(fault.detail, line)
    if fault.code == BAD_NAME_REPLY and detail.startswith("`player_number`"):
        return f'{detail}, but the request says "{seat_id(fault.seat)}"'
    reply = as_object(line)
    if definition.hint is None or reply is None:
        return detail
    hint = definition.hint(fault.code, json.loads(asked), reply)
    return f"{detail}: {hint}" if hint else detail


def _why_no_reply(definition: GameDefinition, fault: Fault, line: bytes) -> str:
    is_name = fault.code == BAD_NAME_REPLY
    return why_no_reply(line, (PlayerNameReply,) if is_name else definition.replies)


def _faults(
    seen: Sequence[SeenFault],
    definition: GameDefinition,
    wrong: Wrong | None,
    words: ProcessReport | None,
    adapter: Adapter | None,
) -> tuple[list[FirstFault], bool]:
    """Explain the first fault of each kind.

    The second value is True if one or more of the faults happened because the bot wrote extra lines
    that nobody had requested.
    """
    found: list[FirstFault] = []
    stray = False
    for each in seen:
        fault = each.fault
        detail = explained(definition, wrong, fault, each.asked, each.line, each.said, adapter)
        follows = stray
        if words is not None and words.unasked and not stray:
            # The bot wrote extra lines, and we took them for replies. After that, every reply is
            # one or more requests late, so later faults say nothing about the bot's moves.
            if wrong is None and _why_no_reply(definition, fault, each.line):
                stray = True
                detail = f"{detail}; {_out_of_step(words.unasked, each.line)}"
            # With just one extra line, we can't blame it, because it may come after the last reply.
            elif words.unasked > 1 and each.request > 1:
                stray = wrong is not None or not why_no_reply(
                    words.first_unasked, definition.replies
                )
                if stray:
                    # `detail` may contain a hint about the move, which would be misleading here.
                    own = fault.detail if wrong is None else detail
                    detail = f"{_unasked(words)}. One of them probably answered this request: {own}"
        found.append(each.reported(detail, follows=follows))
    return found, stray


def _out_of_step(unasked: int, line: bytes) -> str:
    others = {1: "", 2: ", and one other"}.get(unasked, f", and {unasked - 1} others")
    late = "every later reply is one behind" if unasked == 1 else "every later reply comes too late"
    words = f"this line came without a request{others}, so {late}"
    return f"{words}; only requests are answered, news are not" if as_object(line) else words


def _unasked(words: ProcessReport) -> str:
    line = quoted(words.first_unasked)
    if words.unasked == 1:
        return f"it wrote a line without a request, {line}: write one line per request"
    return (
        f"it wrote {words.unasked} lines without a request, such as {line}: "
        "write one line per request, and nothing after news"
    )


def notes_on_exit(exit_code: int | None, words: ProcessReport) -> list[str]:
    """Return a note if a process played to the end, but then was killed or exited with an error."""
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


def dialects_for(definition: GameDefinition, bot: str) -> str:
    """Suggest the dialects of the game for a bot that doesn't answer the handshake.

    If the bot imports a library that we have an adapter for, suggest the adapter instead. Returns
    "" if the game has neither.
    """
    for name, adapter in definition.adapters.items():
        if adapter.library and adapter.library in libraries(bot):
            return f"it imports the library {adapter.library}: give it as {name}:{bot}"
    by_http = bot.startswith(("http://", "https://"))
    given = [
        name
        for name, kind in definition.dialects.items()
        if not (kind.tells_hidden or kind.greets)
        and (kind.over_http if by_http else not kind.form_field)
    ]
    if not given:
        return ""
    spoken = "a dialect" if len(given) == 1 else " or ".join(given)
    return f'if it speaks {spoken}, give it as "{given[0]}:{bot}"'


def _cause(
    definition: GameDefinition,
    left: Disqualified,
    words: ProcessReport | None,
    exit_code: int | None,
    requests: int,
    sent: bytes,
    adapter: Adapter | None,
) -> str:
    if words is None:
        return ""
    if left.code in _ADVICE:
        return _ADVICE[left.code]
    if words.silence is not None:
        game = definition.name if requests == 1 else ""
        asked = "" if sent else json.loads(left.asked)["type"]
        if adapter is not None:
            return why_not_returned(words.silence, asked, adapter)
        return why_silent(words.silence, asked, game)
    if left.code == Disqualification.EXITED:
        if words.unfinished.strip():
            line = quoted(words.unfinished)
            return f"its last line, {line}, has no line end, so it is not a reply"
        if adapter is None:
            why = why_exited(exit_code, words.stderr.lines, requests)
        else:
            method = adapter.methods[json.loads(left.asked)["type"]]
            why = why_ended(exit_code, words.stderr.lines, method)
        where = started_in(words.sandbox, words.folder, words.stderr.lines)
        hidden = missed(words.sandbox, words.stderr.lines)
        return "; ".join(filter(None, (why, limit_reached(exit_code, words), where, hidden)))
    if left.code == Disqualification.OUTPUT_LIMIT and words.unasked:
        return f"it wrote lines without a request, such as {quoted(words.first_unasked)}"
    return ""
