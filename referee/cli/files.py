"""Checks files and folders that people name on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.cli.console import check_other_file
from referee.errors import UsageError, cannot_write
from referee.inputs import STDIN, check_input


def check_files(names: Sequence[str], *, written: str | None = None) -> None:
    """Check that all these files can be read.

    Args:
        written: the command's output file, which must not be among them.

    Raises:
        UsageError: a file cannot be read, or standard input is named twice.
    """
    if names.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    for name in names:
        if name != STDIN:
            check_input(name)
    if written is not None:
        check_other_file(written, names)


def make_folder(name: str) -> Path:
    """Create a folder for output files if it does not exist.

    We don't create its parents, just as for a file. Otherwise you'd never notice a typing mistake
    in a long path.

    Raises:
        UsageError: the folder cannot be created.
    """
    path = Path(name)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(name, error) from error
    return path
