"""`referee export`: the matches of a tournament, one row per match."""

from __future__ import annotations

import contextlib
import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from referee.cli.console import OK, json_line, printing_to
from referee.cli.options import Options, argument, option
from referee.cli.settings import force_option, game_of_files_option
from referee.cli.values import GameName
from referee.interrupts import Interrupts
from referee.logs.outputs import report_kind
from referee.text.terminal import command_line, csv_text

if TYPE_CHECKING:
    from referee.tournament.rows import MatchRow
    from referee.tournament.store import Store


class ExportOptions(Options):
    """Print the matches of a tournament, one row per match, in the order of the schedule. Void
    matches are skipped.
    """

    epilog = """
Lists are in seat order. In csv their items are separated by spaces, and items with white space,
quotes or a backslash are quoted like in a shell. Texts that a spreadsheet would run as a formula
begin with an apostrophe."""
    exit_codes = (
        (0, "printed"),
        (2, "wrong usage, or the file is not a store"),
    )
    examples = (("referee export night.sqlite --output night.csv", "for a spreadsheet"),)

    store: str = argument("FILE.sqlite", "the store of a tournament")
    game: tuple[GameName, ...] = game_of_files_option()
    format: Literal["csv", "jsonl"] = option(None, "csv", "(default: %(default)s)")
    output: str | None = option("FILE", None, "write to this file instead of stdout")
    force: bool = force_option()


def run(options: ExportOptions, interrupts: Interrupts) -> int:
    from referee.tournament.store import Store

    kind = report_kind(options.format)
    with (
        Store.for_reading(options.store) as store,
        interrupts.raising(),
        printing_to(options.output, kind, [options.store], force=options.force, whole=True) as file,
        contextlib.redirect_stdout(file),
    ):
        if options.format == "csv":
            _csv(store)
        else:
            for row in _rows(store):
                print(json_line(row))
    return OK


COLUMNS = (
    *("match", "deal", "seed", "players", "ranks", "scores", "turns", "reason", "faults"),
    *("disqualified", "detail", "seconds", "digest", "cause"),
)
_OF_SEATS = {"ranks": "rank", "scores": "score", "faults": "fault_count"}
_OF_SEATS |= {name: name for name in ("disqualified", "detail", "cause")}
_TEXTS = ("players", "reason", "disqualified", "detail", "cause", "digest")
_AMBIGUOUS = re.compile(r"[\s'\"\\]").search


def _rows(store: Store) -> Iterator[dict[str, Any]]:
    names = store.shown_names
    for match in store.matches():
        if not match.void:
            yield {column: _cell(match, column, names) for column in COLUMNS}


def _cell(match: MatchRow, column: str, names: Sequence[str]) -> Any:
    if column == "players":
        return [names[seat.bot] for seat in match.seats]
    if column in _OF_SEATS:
        return [getattr(seat, _OF_SEATS[column]) for seat in match.seats]
    return getattr(match, column)


def _csv(store: Store) -> None:
    def spaced(parts: Iterable[object]) -> str:
        words = ("null" if part is None else str(part) for part in parts)
        return " ".join(command_line([word]) if _AMBIGUOUS(word) else word for word in words)

    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in _rows(store):
        row |= {name: spaced(cell) for name, cell in row.items() if isinstance(cell, list | tuple)}
        writer.writerow(row | {name: csv_text(row[name]) for name in _TEXTS})
