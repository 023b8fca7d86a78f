"""`referee page`: make an HTML file of matches, or a folder of pages for a tournament."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from referee.cli.console import OK, code_of, fail, printing_to, say
from referee.cli.files import check_files
from referee.cli.options import Options, argument, flag, option
from referee.cli.progress import working
from referee.cli.running import load_numpy
from referee.cli.settings import force_option, game_of_files_option, title_option
from referee.cli.values import GameName, TurnRange
from referee.errors import LogReadError, UsageError
from referee.interrupts import Interrupts
from referee.logs.outputs import PAGE
from referee.logs.packed import SUFFIXES


class PageOptions(Options):
    """Make one HTML file of match records or spectator logs. It opens from disk in any browser,
    without a network. A record also shows hands, faults, requests and replies. A spectator log
    shows the public messages. If you give the store of a tournament, the result is a folder of
    pages, to publish or to open from disk.
    """

    exit_codes = (
        (0, "written"),
        (1, "a file is not a log"),
    )
    examples = (
        ("referee page game.record.jsonl -o match.html", "a match, to look at or to send"),
        ("referee page games/*.record.jsonl --open", "many: the page begins with a list"),
        ("referee page night.sqlite --records night -o site", "a tournament, as a folder"),
    )

    files: tuple[str, ...] = argument(
        "FILE",
        "a match record or a spectator log, plain, .gz or .zst; or one store of a tournament",
        at_least_one=True,
    )
    game: tuple[GameName, ...] = game_of_files_option()
    output: str | None = option(
        "FILE",
        None,
        'where to write the page; "-" is stdout (default: the name of the FILE with .html, in this '
        "folder); of a store, the folder for its pages (default: the name of the FILE with -site)",
        flags="-o, --output",
    )
    force: bool = force_option()
    records: str | None = option("DIR", None, "the records of the tournament, for pages of matches")
    turns: TurnRange | None = option("FIRST-LAST", None, "only these turns")
    title: str | None = title_option("the page")
    lines: bool = flag("keep every line that was sent, however many")
    open: bool = flag("open the page in the browser")


def run(options: PageOptions, interrupts: Interrupts) -> int:
    from referee.web.file import cut, page_file
    from referee.web.recorded import read_match
    from referee.web.server.library import is_store

    if options.output == "-" and options.open:
        raise UsageError("--open needs a file: give another --output")
    check_files([name for name in options.files if name != "-"])
    if any(os.path.isfile(name) and is_store(name) for name in options.files):
        return _site(options, interrupts)
    _check_records(options)
    page = options.output or _page_name(options.files)
    matches = []
    code = OK
    with interrupts.raising():
        for name in options.files:
            try:
                match = read_match(name)
            except LogReadError as error:
                code = max(code, fail(code_of(error), str(error)))
                continue
            if options.turns is not None:
                match = cut(match, *options.turns)
            matches.append(match)
        if not matches:
            return code
        text = page_file(matches, all_lines=options.lines, heading=options.title or "")
        output = None if page == "-" else page
        with printing_to(output, PAGE, options.files, force=options.force, whole=True) as file:
            file.write(text)
    if output is not None:
        say(f"{output}: {len(text.encode()) / 1000:.0f} KB")
    if options.open:
        webbrowser.open(Path(page).absolute().as_uri())
    return code


def _check_records(options: PageOptions) -> None:
    if options.records is not None:
        raise UsageError("--records is for the store of a tournament")
    # We read each file twice, the first time just to recognise its format. That doesn't work with
    # stdin.
    if "-" in options.files:
        raise UsageError('"-" is not supported here: save standard input to a file')
    for name in options.files:
        if not os.path.isfile(name):
            raise UsageError(f"{name} is a pipe, and a page reads a file twice: save it to a file")


def _site(options: PageOptions, interrupts: Interrupts) -> int:
    load_numpy()
    from referee.tournament.store import Store
    from referee.web.site import check_site, write_site

    for flag_name in ("turns", "force"):
        if getattr(options, flag_name):
            raise UsageError(f"--{flag_name} is for pages of matches: leave it out for a store")
    if len(options.files) > 1:
        raise UsageError("a folder of pages is of one tournament: give one store")
    if options.output == "-":
        raise UsageError("a tournament becomes a folder: give another --output")
    (file,) = options.files
    stem = Path(file).stem
    folder = options.output or f"{stem}-site"
    records = None if options.records is None else Path(options.records)
    if records is not None and not records.is_dir():
        raise UsageError(f"cannot read {records}: it is not a folder")
    # We check this first, because making all these pages takes a while.
    check_site(folder)
    with (
        Store.for_reading(file) as store,
        interrupts.raising(),
        working(store.count()[0], "matches", quiet=False) as show,
    ):
        made = write_site(
            store,
            options.title or store.title or stem,
            records,
            folder,
            all_lines=options.lines,
            show=show,
        )
    if made.wrong:
        first = f"match {made.wrong[0]}"
        if len(made.wrong) > 1:
            first += f" and {len(made.wrong) - 1} more"
        say(f"no page for {first}: the record is damaged, or is of another match")
    index = Path(folder, "index.html")
    watched = f"{made.matches} match{'es' * (made.matches != 1)} to watch"
    say(f"{index}: {made.files} files, {made.size / 1e6:.1f} MB, {watched}")
    if options.open:
        webbrowser.open(index.absolute().as_uri())
    return OK


def _page_name(files: Sequence[str]) -> str:
    """Name the page after the first file, e.g. "game.html" for "game.jsonl.gz"."""
    name = os.path.basename(files[0])
    for suffix in (*SUFFIXES, ".jsonl"):
        name = name.removesuffix(suffix)
    more = f"-and-{len(files) - 1}-more" if len(files) > 1 else ""
    return f"{name}{more}.html"
