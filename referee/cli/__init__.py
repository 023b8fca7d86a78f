"""The command `referee`: the only place that prints.

    entry.py      arguments -> exit code
    commands.py   the commands by name, and their parsers
    arguments.py  how arguments are read, and the help of a command
    console.py    messages, exit codes, terminals
    work.py       what commands that work for long share
    many_files.py what verify and validate share: work on many files, a report on them
    play.py, conform.py, help.py and so on
                  a command each: `add` says its arguments, `run` does it

What is heavy is imported where it is used: most of a command's time would be imports otherwise.
"""

from referee.cli.entry import main

__all__ = ["main"]
