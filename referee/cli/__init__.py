"""The command line. This is the only package that prints.

    entry.py      runs a command and returns its exit code
    registry.py   all commands, and their parsers
    options.py    describes the options of a command as typed fields of a class
    values.py     types for the values of options
    parser.py     an argparse parser with our own help and error messages
    settings.py   options for limits, seeds and sandboxes
    config.py     reads options from a configuration file
    files.py      checks of files and folders that people name
    consent.py    decides which programs a command may start
    console.py    messages, exit codes, printing
    running.py    for long-running commands: garbage collection, trio, signals, numpy
    progress.py   shows the progress on a terminal
    serving.py    options of commands that show a page in the browser
    watching.py   `--browser`: the server for a running match or tournament
    many_files.py reports of verify and validate on many files
    live_stderr.py
                  `--stderr -`: shows the stderr of bots while they run
    human_terminal.py, human_answer.py
                  let people play at the terminal
    result.py     formats the result of a match for people
    commands/     a module for each command, with its options and its function `run`

We import slow modules only where we use them, because otherwise most commands would spend their
time on imports.
"""

from referee.cli.entry import main

__all__ = ["main"]
