"""Renders standings and seasons for a terminal, with rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from referee.games.interface.capabilities import StatisticsTable
from referee.text.terminal import duration, plain
from referee.tournament.report import season_words, words
from referee.tournament.report.formats import KnockoutStanding, Swiss
from referee.tournament.report.notable_losses import NotableLoss
from referee.tournament.report.season import Season
from referee.tournament.report.standings import BotStanding, Standings
from referee.tournament.report.statistics import BotStatistics, Statistics
from referee.tournament.report.words import MOST_IN_MATRIX, share

# We drop columns of a table if the names of bots would otherwise get less room than this.
_ROOM_FOR_NAMES = 12
# The last column to go is the interval. We only drop it if names would otherwise get less room than
# this.
_NAMES_BEFORE_INTERVALS = 20


def standings_text(
    found: Standings, facts: Statistics, width: int, most_paired: int | None = None
) -> Iterator[RenderableType]:
    """Render the standings: a table, remarks on all matches, head-to-head results.

    Args:
        width: width of the terminal. If it's narrow, tables leave out some columns.
        most_paired: show head-to-head results of this many bots, from the top of the ranking. If
            it's None, we show them only if there are at most `MOST_IN_MATRIX` bots.
    """
    yield Text(words.headline(found), style="bold")
    yield ""
    if found.matches:
        yield from _section("", ranking(found, width), words.legend(found))
    if summary := [*words.duel(found), *words.sprt(found)]:
        yield from map(Text, summary)
        yield ""
    if found.swiss is not None and found.swiss.rounds:
        title = f"After {found.swiss.rounds} rounds, by points:"
        yield from _section(title, _swiss(found.swiss), [words.SWISS_LEGEND])
    if found.knockout and found.knockout.pairs:
        title = "The bracket, the last round first:"
        yield from _section(title, _bracket(found.knockout), [words.KNOCKOUT_LEGEND])
    if found.by_seat:
        yield from _section(f"By seat, from {plain(str(found.position))}:", _by_seat(found))
    yield from map(_line, words.remarks(found, facts))
    paired = found.bots[:most_paired]
    is_asked = most_paired is not None or len(paired) <= MOST_IN_MATRIX
    if len(found.bots) > 2 and len(paired) > 1 and is_asked and found.matches:
        yield ""
        grid, unit = _matrix(found, paired), ""
        # If the matrix is too wide, round it to whole percents and shorten the names.
        if columns_needed(grid) > width:
            grid, unit = _matrix(found, paired, is_short=True), ", in percent"
        yield Text(f"Points of the row against the column{unit}:", style="bold")
        yield grid


def _section(title: str, grid: Grid, legend: Iterable[str] = ()) -> Iterator[RenderableType]:
    if title:
        yield Text(title, style="bold")
    yield grid
    yield from (Text(line, style="dim") for line in legend)
    yield ""


def bot_text(
    bot: BotStanding,
    found: Standings,
    facts: BotStatistics,
    tables: Sequence[StatisticsTable],
    losses: Sequence[NotableLoss],
    width: int,
) -> Iterator[RenderableType]:
    """Render the report on one bot. See `standings_text` for `width`."""
    yield Text(f"{plain(bot.name)}: rank {bot.rank} of {len(found.bots)}", style="bold")
    names = ", ".join(map(plain, facts.reported_names))
    if names and names != plain(bot.name):
        yield Text(f"It calls itself {names}.")
    if bot.name in found.left_out:
        yield _line(f"{words.LEFT_OUT} {found.left_out[bot.name]}")
    if bot.name in found.withdrawn:
        yield _line(f"It {words.why_withdrawn(bot.name, found)}.")
    if not bot.matches:
        yield "It has no matches."
        return
    yield ""
    yield from _section("", _fitted(_against(bot, found), width))
    yield from map(_line, words.bot_remarks(facts))
    for table in tables:
        yield from table_text(table, width, bot.name)
    if losses:
        yield ""
        yield Text("Matches to learn from:", style="bold")
        if note := words.sandbox_note(found, losses):
            yield _line(note)
    for loss in losses:
        yield _line(f"match {loss.match} against {', '.join(loss.against)}: {loss.why}")
        yield Text(f"  {loss.command}", no_wrap=True, overflow="ignore")


def statistics_text(found: Standings, facts: Statistics, width: int) -> Iterator[RenderableType]:
    """Render the reply times and the game's tables, for all bots.

    Args:
        facts: the result of `statistics(..., details=True)`.
        width: see `standings_text`.
    """
    grid = new_grid("bot", "mean score", "replies", "mean reply", "99% within", "longest")
    for bot in found.bots:
        known = facts.bots[bot.name]
        times = (known.mean_reply, known.reply_99, known.longest_reply)
        grid.add_row(
            plain(bot.name),
            "-" if known.mean_score is None else f"{known.mean_score:.1f}",
            f"{known.replies:,}",
            *(duration(each) if isinstance(each, float) else "-" for each in times),
        )
    yield ""
    yield grid
    for table in facts.game or ():
        yield from table_text(table, width)


def season_text(found: Season, width: int) -> Iterator[RenderableType]:
    """Render a season: a table of the bots, and remarks.

    Args:
        width: width of the terminal. If the table is too wide, we first drop the number of matches,
            then the oldest tournaments, then the interval of the change, and finally the interval
            of the combined rating.
    """
    yield Text(season_words.headline(found), style="bold")
    yield from map(Text, season_words.improved(found))
    yield ""
    if found.matches:
        table, missing = _fitted_season(found, width)
        yield table
        if missing:
            yield Text(f"{missing} earlier tournaments are in --format csv and html.", style="dim")
        yield from (Text(line, style="dim") for line in season_words.legend(found))
        yield ""
    yield from map(Text, season_words.remarks(found))


def _fitted_season(found: Season, width: int) -> tuple[Grid, int]:
    """Return the widest table that fits, and the number of tournaments that it leaves out."""
    last = len(found.tournaments) - 1
    most = 3
    choices = [(0, most), *((first, most - 1) for first in range(last + 1))]
    for first, more in [*choices, *((last, more) for more in reversed(range(most - 1)))]:
        table = _season_table(found, first, more)
        if columns_needed(table) <= width:
            break
    return table, first


def _season_table(found: Season, first: int, more: int) -> Grid:
    """Create the table, with the tournaments from `first` on.

    Args:
        more: number of optional columns. 1 adds the interval of the combined rating, 2 also the
            interval of the change, and 3 also the number of matches.
    """
    names = [season_words.head(tournament, found) for tournament in found.tournaments[first:]]
    has_whole, has_interval, has_counts = more > 0, more > 1, more > 2
    grid = new_grid(
        *("#", "bot", *names, "change", *["95% interval"] * has_interval),
        *("all", *["95% interval"] * has_whole, *["matches"] * has_counts),
    )
    for bot in found.bots:
        last = bot.tournaments[-1]
        grid.add_row(
            str(bot.rank),
            plain(bot.name),
            *map(season_words.rating, bot.tournaments[first:]),
            season_words.change(last),
            *[season_words.change_interval(last)] * has_interval,
            season_words.whole_rating(bot),
            *[words.rating_interval(bot)] * has_whole,
            *[f"{bot.matches:,}"] * has_counts,
        )
    return grid


def ranking(found: Standings, width: int) -> Grid:
    """Return the table of the standings. See `standings_text` for `width`."""
    columns = words.columns(found)
    grid = new_grid(*(column.head for column in columns))
    for bot in found.bots:
        grid.add_row(*(column.cell(bot, found) or "" for column in columns))
    return _fitted(grid, width)


def _swiss(table: Swiss) -> Grid:
    grid = new_grid("place", "bot", "points", "byes", "opponents")
    for row in table.places:
        numbers = (f"{row.score:g} of {table.rounds}", str(row.byes), f"{row.opponents:g}")
        grid.add_row(str(row.place), plain(row.name), *numbers)
    return grid


def _bracket(table: KnockoutStanding) -> Grid:
    grid = new_grid("round", "bot", "points", "against")
    grid.columns[0].justify = "left"
    for pair in words.pairs_shown(table):
        one, points, other = words.pair_result(pair)
        grid.add_row(pair.round, plain(one or ""), points, plain(other or ""))
    return grid


def _by_seat(found: Standings) -> Grid:
    grid = new_grid("seat", "points", "interval", "won", "drawn", "lost", "score", "interval")
    for number, (points, seat) in enumerate(zip(found.seats, found.by_seat or (), strict=True), 1):
        low, high = seat.score_low, seat.score_high
        grid.add_row(
            str(number),
            share(points.share),
            f"{100 * points.low:.1f} to {100 * points.high:.1f}",
            *(f"{count:,}" for count in (seat.wins, seat.draws, seat.losses)),
            f"{seat.score:.1f}",
            "-" if low is None or high is None else f"{low:.1f} to {high:.1f}",
        )
    return grid


def _matrix(found: Standings, bots: Sequence[BotStanding], *, is_short: bool = False) -> Grid:
    grid = new_grid()
    grid.add_column("#", justify="right")
    grid.add_column("bot", overflow="ellipsis", no_wrap=True, max_width=8 if is_short else 20)
    for bot in bots:
        grid.add_column(str(bot.rank), justify="right", no_wrap=True)
    percent = (lambda part: f"{100 * part:.0f}") if is_short else share
    for bot in bots:
        met = found.head_to_head[bot.name]
        cells = [
            percent(met[other.name].points / met[other.name].matches) if other.name in met else "-"
            for other in bots
        ]
        grid.add_row(str(bot.rank), plain(bot.name), *cells)
    return grid


def _against(bot: BotStanding, found: Standings) -> Grid:
    counts = ("matches", "won", "drawn", "lost", "points")
    grid = new_grid("against", *counts, "Elo", "95% interval", "LOS")
    for other in found.bots:
        if other.name == bot.name:
            continue
        apart = found.apart(bot.name, other.name)
        met = found.head_to_head[bot.name].get(other.name)
        counted = (met.matches, met.wins, met.draws, met.losses) if met else ()
        deals, elo = min(bot.deals, other.deals), apart.elo
        grid.add_row(
            plain(other.name),
            *([f"{count:,}" for count in counted] or "0---"),
            share(met.points / met.matches if met else None),
            "-" if elo is None else f"{elo:+.0f}",
            "-" if elo is None else words.interval(apart.low, apart.high, deals, "+.0f"),
            share(apart.los),
        )
    return grid


def table_text(
    table: StatisticsTable, width: int, bot: str | None = None
) -> Iterator[RenderableType]:
    """Render a game's table after an empty line, or only the rows about one bot, if any."""
    place = table.columns.index("bot")
    rows = [row for row in table.rows if bot in (None, row[place])]
    if not rows:
        return
    yield ""
    yield Text(table.title, style="bold")
    columns = {
        name: [words.cell(value, name in table.percent) for value in values]
        for name, values in zip(table.columns, zip(*rows, strict=True), strict=True)
        if name != "bot" or bot is None
    }
    grid = new_grid()
    for name, size in _widths(columns, width).items():
        is_text = any(isinstance(row[table.columns.index(name)], str) for row in rows)
        grid.add_column(
            name,
            justify="left" if is_text else "right",
            width=size,
            overflow="ellipsis" if is_text else "fold",
            no_wrap=is_text,
        )
    for row in zip(*columns.values(), strict=True):
        grid.add_row(*row)
    yield grid


def _widths(columns: Mapping[str, Sequence[str]], width: int) -> dict[str, int]:
    """Return a width for each column. On a narrow terminal, we fold headings before we cut numbers.

    Args:
        columns: heading -> cells.
        width: width of the terminal.
    """
    found = {name: max(map(cell_len, cells)) for name, cells in columns.items()}
    room = width + 1 - sum(1 + size for size in found.values())
    if room < 0 and "bot" in found:
        found["bot"] = max(_ROOM_FOR_NAMES // 2, found["bot"] + room)
    # Give the room that is left to the headings: first to their longest words, then to whole ones.
    for is_whole in (False, True):
        for name, size in found.items():
            wanted = cell_len(name if is_whole else max(name.split(), key=cell_len))
            more = max(0, min(wanted - size, room))
            found[name] += more
            room -= more
    return found


def _line(text: str) -> Text:
    """Escape a line. Strangers may have written the names, codes and reasons in it."""
    return Text(plain(text))


def _fitted(grid: Grid, width: int) -> Grid:
    """Drop columns until the table fits and leaves enough room for names."""
    steps = {column.head: column.dropped for column in words.COLUMNS}
    last = max(steps.values())
    for step in range(1, last + 1):
        room = _NAMES_BEFORE_INTERVALS if step == last else _ROOM_FOR_NAMES
        if columns_needed(grid, room) <= width:
            break
        kept = [column for column in grid.columns if steps.get(str(column.header)) != step]
        grid = new_grid(*(str(column.header) for column in kept))
        for row in zip(*(column.cells for column in kept), strict=True):
            grid.add_row(*row)
    return grid


def columns_needed(grid: Grid, room: int = _ROOM_FOR_NAMES) -> int:
    """Return how wide the terminal must be to show a table with `room` columns for names."""
    needed = -1  # there's no space after the last column
    for column in grid.columns:
        cells = max(cell_len(str(cell)) for cell in (column.header, *column.cells))
        needed += 1 + (cells if column.no_wrap else min(cells, room))
    return needed


def new_grid(*heads: str) -> Grid:
    """Create a table with these columns. If it's too wide, only the names of bots are cut off."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for head in heads:
        if head in ("bot", "against"):
            grid.add_column(head, overflow="ellipsis")
        else:
            grid.add_column(head, justify="right", no_wrap=True)
    return grid
