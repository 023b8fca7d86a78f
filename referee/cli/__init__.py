"""The command `referee`: the only place that prints.

    entry.py      arguments -> exit code
    registry.py   the commands by name, and their parsers
    options.py    the options of a command, as the typed fields of a class
    values.py     the values that options take
    parser.py     the parser of a command: its help, and errors in one line
    foreign_options.py
                  options of other tools, and what to use here
    settings.py   options with which matches are played
    config.py     options from a configuration file
    files.py      files and folders that a command is given
    consent.py    which programs a command may start
    console.py    messages, exit codes, terminals
    running.py    how commands run that work for long: garbage, trio, signals, numpy
    progress.py   how far a command is
    serving.py    what commands share that show something in the browser
    watching.py   `--browser`: the server that shows a running match or tournament
    many_files.py work that verify and validate share: many files, and a report on them
    live_stderr.py
                  `--stderr -`: what bots write on stderr, shown at once
    human_terminal.py, human_answer.py
                  a person at the terminal: questions, and what is typed
    result.py     the result of a match for people
    commands/     a module for each command: its options, and what it does

Heavy modules are imported where they are used. Otherwise imports would take most of a command's
time.
"""

from referee.cli.entry import main

__all__ = ["main"]
