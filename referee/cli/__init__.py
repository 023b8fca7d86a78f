"""The command `referee`: the only package that prints.

    entry.py      arguments -> exit code
    registry.py   the commands by name, and their parsers
    options.py    the options of a command, as the typed fields of a class
    values.py     the types of option values
    parser.py     the parser of a command: its help, and errors in one line
    foreign_options.py
                  suggestions for options of other tools
    settings.py   options for limits, seeds and sandboxes
    config.py     options from a configuration file
    files.py      checks of files and folders in arguments
    consent.py    decides which programs a command may start
    console.py    messages, exit codes, terminals
    running.py    long-running commands: garbage collection, trio, signals, numpy
    progress.py   progress on a terminal
    serving.py    options and checks of commands with a page in the browser
    watching.py   `--browser`: the server for a running match or tournament
    many_files.py reports of verify and validate on many files
    live_stderr.py
                  `--stderr -`: shows the stderr of bots while they run
    human_terminal.py, human_answer.py
                  a person at the terminal: questions and typed answers
    result.py     the result of a match for people
    commands/     a module for each command: its options, and `run`

Heavy modules are imported where they are used. Otherwise imports would take most of a command's
time.
"""

from referee.cli.entry import main

__all__ = ["main"]
