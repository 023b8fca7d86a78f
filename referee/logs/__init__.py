"""The two logs of a match (spec/log-format.md).

    files.py    log files: opened all or none, written in whole lines
    packed.py   compressed log files, in blocks that survive a crash
    record.py   the match record: its lines as structs, and its writer
    source.py   reading lines of a log, plain or compressed, in bounded memory
    verify.py   runs a record's match again and compares
    validate.py checks a spectator log against the protocol

The spectator log needs no writer of its own: it is the public lines, as they are.
"""
