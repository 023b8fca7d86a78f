"""`referee page`: matches as one HTML file."""

from __future__ import annotations

import argparse
import os
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from referee.cli.arguments import check_files
from referee.cli.console import FAILED, OK, fail, printing_to, say
from referee.errors import LogReadError, UsageError
from referee.interrupts import Interrupts
from referee.logs.outputs import PAGE
from referee.logs.packed import SUFFIXES


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from referee.web.file import cut, page_file
    from referee.web.recorded import read_match

    if options.output == "-" and options.open:
        raise UsageError("--open needs a file: give another --output")
    if "-" in options.files:
        raise UsageError('"-" is not supported here: save standard input to a file')
    check_files(options.files)
    for name in options.files:
        if not os.path.isfile(name):
            raise UsageError(f"{name} is a pipe, and a page reads a file twice: save it to a file")
    if options.output is None:
        options.output = _page_name(options.files)
    matches = []
    code = OK
    with interrupts.raising():
        for name in options.files:
            try:
                match = read_match(name)
            except LogReadError as error:
                code = fail(FAILED, str(error))
                continue
            if options.turns is not None:
                match = cut(match, *options.turns)
            matches.append(match)
        if not matches:
            return code
        text = page_file(matches, all_lines=options.lines)
        output = None if options.output == "-" else options.output
        with printing_to(output, PAGE, options.files, force=options.force, whole=True) as file:
            file.write(text)
    if output is not None:
        say(f"{output}: {len(text.encode()) / 1000:.0f} KB")
    if options.open:
        webbrowser.open(Path(options.output).absolute().as_uri())
    return code


def _page_name(files: Sequence[str]) -> str:
    """The name of the page without `--output`: the name of the first file, with another ending.

    The page of several matches has their number in its name.
    """
    name = os.path.basename(files[0])
    for suffix in (*SUFFIXES, ".jsonl"):
        name = name.removesuffix(suffix)
    more = f"-and-{len(files) - 1}-more" if len(files) > 1 else ""
    return f"{name}{more}.html"
