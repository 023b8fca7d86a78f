"""The command `referee`: the only place that prints.

    entry.py      arguments -> exit code
    arguments.py  how arguments are read
    console.py    messages, exit codes, terminals
    work.py       what commands that work for long share
    play.py, conform.py, replay.py, verify.py, validate.py, bots.py
                  a command each: `add` says its arguments, `run` does it

What is heavy is imported where it is used: most of a command's time would be imports otherwise.
"""

from referee.cli.entry import main

__all__ = ["main"]
