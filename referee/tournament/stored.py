"""Checks the rows of a store, which any program may have written (spec/store.md, 2).

We check a store when it's opened, so the code that reads it later can rely on the rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise, zip_longest
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.tournament.rows import Faults, Histogram, MatchColumns, SeatRow, buckets, counts
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.setup import check_extension, setup

Select = Callable[[str], Iterator[tuple[Any, ...]]]
_ROWS = 1_000  # fetched at a time
# Remember up to this many valid texts. The same texts occur again and again, e.g. for matches
# without any faults, so we rarely have to decode one.
_TEXTS = 1_000
TABLES: dict[str, type[Struct]] = {"matches": MatchColumns, "seats": SeatRow}
_DECODE: dict[type, Callable[[str], object]] = {Faults: counts, Histogram: buckets}


def check_rows(select: Select, stages: Sequence[TournamentSetup]) -> None:
    """Raise `UsageError` unless all rows of a store are valid and fit together."""
    _check_stages(stages)
    last = stages[-1]
    found = select("SELECT * FROM bots ORDER BY bot")
    for number, (row, wanted) in enumerate(zip_longest(found, bot_rows(last))):
        if row != wanted:
            raise UsageError(f"table bots, bot {number}: it differs from the stages")
    for table, kind in TABLES.items():
        _check_types(select, table, kind)
    players, bots, deal = last.players, len(last.bots), last.matches_a_deal
    is_no_match = (
        f"count(*) != {players} OR max(seat) >= {players} OR count(DISTINCT bot) != {players} "
        f"OR max(bot) >= {bots} OR min(rank) < 1 OR max(rank) > {players}"
    )
    seated = f"seats 0 to {players - 1}, as many of the {bots} bots, ranks 1 to {players}"
    checks = {
        ("matches", f"it is not of deal match / {deal}"): (
            f"SELECT match FROM matches WHERE deal != match / {deal}"
        ),
        ("matches", "it has no row in seats"): (
            "SELECT match FROM matches EXCEPT SELECT match FROM seats"
        ),
        ("seats", "it has no row in matches"): (
            "SELECT match FROM seats EXCEPT SELECT match FROM matches"
        ),
        ("seats", f"its rows are not {seated}"): (
            f"SELECT match FROM seats GROUP BY match HAVING {is_no_match}"
        ),
        ("seats", "another match of its deal has other bots"): (
            "SELECT max(match) FROM matches JOIN seats USING (match) "
            f"GROUP BY deal HAVING count(DISTINCT bot) != {players}"
        ),
    }
    for (table, problem), query in checks.items():
        for (match,) in select(f"{query} LIMIT 1"):
            raise UsageError(f"table {table}, match {match}: {problem}")


def bot_rows(setup: TournamentSetup) -> list[tuple[object, ...]]:
    """Return the rows that the table `bots` has for this setup."""
    return [
        (number, bot.name, bot.bot, bot.directory, msgspec.json.encode(bot.env).decode())
        for number, bot in enumerate(setup.bots)
    ]


def _check_stages(stages: Sequence[TournamentSetup]) -> None:
    # If the settings are complete, nothing changes when we complete them again. This also checks
    # each field.
    where = "table about, stages"
    if not stages:
        raise UsageError(f"{where}: there are none")
    for stage in stages:
        fields = msgspec.structs.asdict(stage)
        try:
            again = setup(fields.pop("bots"), **fields)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from error
        # `settings` also includes defaults, and another version may have more of these, so it may
        # differ.
        if msgspec.structs.replace(again, settings=stage.settings) != stage:
            raise UsageError(f"{where}: incomplete settings of a {stage.format} tournament")
    for before, after in pairwise(stages):
        try:
            check_extension(before, after)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from error


def _check_types(select: Select, table: str, kind: type[Struct]) -> None:
    names = kind.__struct_fields__
    key = [name for name in ("match", "seat") if name in names]
    rows = select(f"SELECT {', '.join(names)} FROM {table} ORDER BY {', '.join(key)}")
    while chunk := list(islice(rows, _ROWS)):
        try:
            msgspec.convert(chunk, list[kind], dec_hook=_decode)  # type: ignore[valid-type]
        except msgspec.ValidationError as error:
            problem, _, path = str(error).rpartition(" - at ")
            row, column = map(int, re.findall(r"\d+", path)[:2])
            where = ", ".join(f"{name} {chunk[row][names.index(name)]!r:.20}" for name in key)
            raise UsageError(f"table {table}, {where}: {names[column]}: {problem}") from error


def _decode(kind: type, text: object) -> object:
    if not isinstance(text, str):
        raise TypeError(f"Expected `str`, got `{type(text).__name__}`")
    return _valid(kind, text)


@lru_cache(_TEXTS)
def _valid(kind: type, text: str) -> object:
    try:
        _DECODE[kind](text)
    except (msgspec.MsgspecError, RecursionError) as error:  # convert() adds the path
        raise ValueError(str(error)) from error
    return kind(text)
