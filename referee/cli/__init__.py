"""The command `referee`: the only place that prints.

    entry.py      arguments -> exit code
    registry.py   the commands by name, and their parsers
    table.py      the arguments of a command, from its table commands/NAME.toml
    arguments.py  how arguments are read, and the help of a command
    foreign_options.py
                  options of other tools, and what to use here
    settings.py   options that are also keys of a configuration
    consent.py    which programs a command may start
    console.py    messages, exit codes, terminals
    work.py       what commands that work for long share
    serving.py    what commands share that show something in the browser
    watching.py   `--browser`: the server that shows a running match or tournament
    many_files.py work that verify and validate share: many files, and a report on them
    human_terminal.py, typed.py
                  a person at the terminal: questions, and what is typed
    result.py     the result of a match for people
    commands/     a module and a table for each command

Heavy modules are imported where they are used. Otherwise imports would take most of a command's
time.
"""

from referee.cli.entry import main

__all__ = ["main"]
