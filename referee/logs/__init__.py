"""The two logs of a match (spec/log-format.md) and functions that read them (spec/reading-logs.md).

    sink.py     the targets of a log's lines
    outputs.py  checks which existing files an output may replace
    files.py    log files, written in whole lines
    packed.py   compression in blocks that survive a crash
    zstd.py     Zstandard, from the standard library or its backport
    record.py   the match record: its entries as structs, and its writer
    stderr_excerpt.py  shortens a bot's stderr for its author
    stderr.py   files with the stderr of bots, beside a record
    source.py   reads lines of a log, plain or compressed, in bounded memory
    parsing.py  decodes these lines into entries and messages, and finds their game
    header.py   the first line of a record
    entries.py  entries of a record and messages of a log as structs, for other programs
    conversation.py  the recorded replies and requests of a match
    rerun.py    runs a recorded match again, round by round
    decisions.py     compares the decisions of a recorded match with a rule file
    verify.py   runs a record's match again and compares every line
    inferred.py runs the rules of a game behind a spectator log
    validate.py checks a spectator log against the protocol
    replay/     shows a log turn by turn, for people

The spectator log needs no writer: it consists of the public lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee._lazy import lazy

if TYPE_CHECKING:
    from referee.logs.entries import RecordSummary as RecordSummary
    from referee.logs.entries import message_of as message_of
    from referee.logs.entries import read_log as read_log
    from referee.logs.entries import read_record as read_record
    from referee.logs.entries import summaries as summaries
    from referee.logs.record import DisqualifiedEntry as DisqualifiedEntry
    from referee.logs.record import EndEntry as EndEntry
    from referee.logs.record import ExitEntry as ExitEntry
    from referee.logs.record import FaultEntry as FaultEntry
    from referee.logs.record import Header as Header
    from referee.logs.record import PlayerEnd as PlayerEnd
    from referee.logs.record import ReceivedEntry as ReceivedEntry
    from referee.logs.record import RecordEntry as RecordEntry
    from referee.logs.record import SentEntry as SentEntry
    from referee.logs.record import StderrEntry as StderrEntry
    from referee.logs.validate import validate_log as validate_log
    from referee.logs.verify import Kind as Kind
    from referee.logs.verify import Verdict as Verdict
    from referee.logs.verify import verify_record as verify_record

if not TYPE_CHECKING:  # with a module __getattr__, type checkers would accept any name
    __getattr__, __dir__ = lazy(__name__)
