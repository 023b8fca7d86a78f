"""Files and folders that a command is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.cli.console import check_other_file
from referee.errors import UsageError, cannot_write
from referee.inputs import STDIN, check_input


def check_files(names: Sequence[str], *, written: str | None = None) -> None:
    """See that files can be read.

    Args:
        written: a file that is to be written, which none of them may be.

    Raises:
        UsageError: one cannot be read, or standard input is named twice.
    """
    if names.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    for name in names:
        if name != STDIN:
            check_input(name)
    if written is not None:
        check_other_file(written, names)


def made_folder(name: str) -> Path:
    """Create the folder for output files if it does not exist.

    As with a file, the folder that it is to be in must be there: a slip in a long path makes none.

    Raises:
        UsageError: it cannot be made.
    """
    path = Path(name)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(name, error) from error
    return path
