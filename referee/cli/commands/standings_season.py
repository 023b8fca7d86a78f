"""`referee standings` for a season, i.e. with several stores."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from referee.cli.console import print_json, printing_rich
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.tournament.report.season import Season
    from referee.tournament.store import Store


@contextmanager
def open_stores(files: Sequence[str]) -> Iterator[dict[str, Store]]:
    """Open stores for reading, for a `with` block.

    Yields:
        The stores by the name of their tournament.

    Raises:
        UsageError: a store cannot be read, or is given twice.
    """
    from referee.tournament.report.season import tournament_names
    from referee.tournament.store import Store

    real = [os.path.realpath(file) for file in files]
    for place, file in enumerate(files):
        if real[place] in real[:place]:
            raise UsageError(f"{file} is given twice")
    with ExitStack() as opened:
        yield {
            name: opened.enter_context(Store.for_reading(file))
            for name, file in zip(tournament_names(files), files, strict=True)
        }


def read_season(
    stores: Mapping[str, Store], anchor: tuple[int, float] | None, excluded: Collection[int]
) -> Season:
    """Compute the standings of a season.

    Args:
        anchor: the index of a bot in `season_names`, and the rating that it's fixed to.
        excluded: the indexes of bots whose matches do not count.
    """
    from referee.tournament.report.season import season, season_names

    names = season_names(stores.values())
    fixed = None if anchor is None else (names[anchor[0]], anchor[1])
    return season(stores, fixed, [names[bot] for bot in excluded])


def print_season(found: Season, format: str, title: str, stores: Mapping[str, Store]) -> None:
    """Print the standings of a season.

    Args:
        format: "text", "json" or "html".
        title: the title. If it's empty, a default is used.
        stores: the stores from which `found` was computed.
    """
    if format == "json":
        from msgspec.structs import asdict

        print_json({"title": title, **asdict(found)} if title else found)
    elif format == "text":
        from referee.tournament.report.terminal import season_text

        with printing_rich(title) as console:
            for part in season_text(found, console.width):
                console.print(part)
    else:
        from referee.tournament.report.season import season_names
        from referee.web.pages.links import Links
        from referee.web.pages.pages import season_page

        bots = season_names(stores.values())
        print(season_page(Links(), found, time.time(), title, bots=bots))
