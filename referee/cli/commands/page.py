"""`referee page`: matches as one HTML file."""

from __future__ import annotations

import argparse
import re
import webbrowser
from pathlib import Path

from referee.cli.arguments import AddParser, check_files
from referee.cli.console import FAILED, OK, fail, printing, say
from referee.errors import LogReadError, UsageError
from referee.interrupts import Interrupts


def add(add_parser: AddParser) -> None:
    page = add_parser(
        description="Make one HTML file of match records or spectator logs. It opens from disk in "
        "any browser, without a network. A record also shows hands, faults, requests and "
        "replies. A spectator log shows the public messages.",
        exit_codes={0: "written", 1: "a file is not a log", 2: "wrong usage"},
        examples=(
            ("referee page game.record.jsonl -o match.html", "a match, to look at or to send"),
            ("referee page games/*.record.jsonl --open", "many: the page begins with a list"),
        ),
    )
    arg = page.add_argument
    log = "a match record or a spectator log, plain, .gz or .zst"
    arg("files", nargs="+", metavar="FILE", help=log)
    output = 'where to write the page; "-" is stdout (default: match.html)'
    arg("-o", "--output", metavar="FILE", default="match.html", help=output)
    arg("--turns", type=_turns, metavar="FIRST-LAST", help="only these turns")
    lines = "keep every line that was sent, however many"
    arg("--lines", action="store_true", help=lines)
    arg("--open", action="store_true", help="open the page in the browser")


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from referee.web.file import cut, page_file
    from referee.web.recorded import read_match

    if options.output == "-" and options.open:
        raise UsageError("--open needs a file: give another --output")
    if "-" in options.files:
        raise UsageError('"-" is not supported here: save standard input to a file')
    check_files(options.files)
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
        with printing(output, options.files, whole=True) as file:
            file.write(text)
    if output is not None:
        say(f"{output}: {len(text.encode()) / 1000:.0f} KB")
    if options.open:
        webbrowser.open(Path(options.output).absolute().as_uri())
    return code


def _turns(text: str) -> tuple[int, int]:
    given = re.fullmatch(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?", text)
    first, last = (int(given[1]), int(given[2] or given[1])) if given else (1, 0)
    if first > last:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of turns, such as 10-20")
    return first, last
