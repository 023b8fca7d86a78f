"""The two logs of a match (spec/log-format.md), and reading them (spec/reading-logs.md).

    files.py    log files: opened all or none, written in whole lines
    packed.py   compressing them, in blocks that survive a crash
    record.py   the match record: its lines as structs, and its writer
    source.py   reading lines of a log, plain or compressed, in bounded memory
    lines.py    what these lines are: typed entries and messages, of which game
    read.py     both for programs that look at many of them
    verify.py   runs a record's match again and compares
    validate.py checks a spectator log against the protocol

The spectator log needs no writer of its own: it is the public lines, as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.logs.read import (
        RecordSummary,
        message_of,
        read_log,
        read_record,
        summaries,
    )
    from referee.logs.record import (
        DisqualifiedEntry,
        EndEntry,
        ExitEntry,
        FaultEntry,
        Header,
        PlayerEnd,
        ReceivedEntry,
        RecordEntry,
        SentEntry,
    )
    from referee.logs.validate import validate_log
    from referee.logs.verify import Kind, Verdict, verify_record

_HOMES = {
    "referee.logs.read": ("RecordSummary", "message_of", "read_log", "read_record", "summaries"),
    "referee.logs.record": (
        "DisqualifiedEntry",
        "EndEntry",
        "ExitEntry",
        "FaultEntry",
        "Header",
        "PlayerEnd",
        "ReceivedEntry",
        "RecordEntry",
        "SentEntry",
    ),
    "referee.logs.validate": ("validate_log",),
    "referee.logs.verify": ("Kind", "Verdict", "verify_record"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "DisqualifiedEntry",
    "EndEntry",
    "ExitEntry",
    "FaultEntry",
    "Header",
    "Kind",
    "PlayerEnd",
    "ReceivedEntry",
    "RecordEntry",
    "RecordSummary",
    "SentEntry",
    "Verdict",
    "message_of",
    "read_log",
    "read_record",
    "summaries",
    "validate_log",
    "verify_record",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'referee.logs' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
