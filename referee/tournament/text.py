"""Standings for people, as what rich draws; printing it is the caller's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from referee.seam.capabilities import Table
from referee.terminal import duration, plain
from referee.tournament.lessons import Lesson
from referee.tournament.standings import BotStanding, SprtStanding, Standings
from referee.tournament.statistics import BotFacts, Statistics

MOST_IN_MATRIX = 10
"""A head-to-head matrix of more bots does not fit on a terminal."""

PUT_OUT = (
    "is out: it kills the process that plays its match, also when it plays against itself alone; "
    "its other matches are not played"
)


def standings_text(found: Standings, facts: Statistics) -> Iterator[RenderableType]:
    """The standings: a table, what is to be known of all matches, who beat whom."""
    yield Text(_headline(found), style="bold")
    yield ""
    if found.matches:
        yield _ranking(found)
        yield ""
    if found.sprt is not None:
        yield Text(sprt_line(found.sprt), style="bold")
        yield ""
    yield from map(_line, _remarks(found, facts))
    if 2 < len(found.bots) <= MOST_IN_MATRIX and found.matches:
        yield ""
        yield Text("Points of the row against the column:", style="bold")
        yield _matrix(found)


def bot_text(
    bot: BotStanding,
    found: Standings,
    facts: BotFacts,
    tables: Sequence[Table],
    lessons: Sequence[Lesson],
) -> Iterator[RenderableType]:
    """All that is known of one bot."""
    yield Text(f"{plain(bot.name)}: rank {bot.rank} of {len(found.bots)}", style="bold")
    names = ", ".join(map(plain, facts.calls_itself))
    if names and names != plain(bot.name):
        yield Text(f"It calls itself {names}.")
    yield ""
    yield _against(bot, found)
    yield ""
    yield from map(_line, _bot_remarks(facts))
    for table in tables:
        yield ""
        yield from table_text(table, bot.name)
    if lessons:
        yield ""
        yield Text("Matches to learn from:", style="bold")
    for lesson in lessons:
        yield _line(f"match {lesson.match}: {lesson.why}")
        yield Text(f"  {lesson.command}", no_wrap=True, overflow="ignore")


def _headline(found: Standings) -> str:
    kind = {"round-robin": "round robin", "swiss": "Swiss", "sprt": "SPRT"}
    parts = [
        f"{found.game}, {kind.get(found.format, found.format)} of {len(found.bots)} bots",
        f"{found.matches:,} of {found.planned:,} matches in {found.deals:,} deals",
        f"seed {found.seed}",
    ]
    if found.void:
        parts.append(f"{found.void:,} void")
    return "; ".join(parts)


def _ranking(found: Standings) -> Grid:
    grid = _grid()
    grid.add_column("#", justify="right", no_wrap=True)
    grid.add_column("bot", ratio=1, overflow="ellipsis", no_wrap=True)
    for head in ("rating", "95% interval", "> next", "matches", "won", "drawn", "lost"):
        grid.add_column(head, justify="right", no_wrap=True)
    grid.add_column("points", justify="right", no_wrap=True)
    for bot in found.bots:
        grid.add_row(
            str(bot.rank),
            plain(bot.name) + " (out)" * (bot.name in found.out),
            f"{bot.rating:.0f}",
            f"{bot.rating_low:.0f} to {bot.rating_high:.0f}",
            "" if bot.above_next is None else share(bot.above_next),
            f"{bot.matches:,}",
            f"{bot.wins:,}",
            f"{bot.draws:,}",
            f"{bot.losses:,}",
            share(bot.mean_points.share if bot.mean_points else None),
        )
    return grid


def sprt_line(sprt: SprtStanding) -> str:
    """Where a sequential test stands."""
    hypotheses = f"elo0 {sprt.elo0:g} against elo1 {sprt.elo1:g}"
    llr = f"LLR {sprt.llr:.2f} ({sprt.lower:.2f} to {sprt.upper:.2f})"
    deals = " ".join(map(str, sprt.counts))
    verdict = {
        None: "not decided yet",
        "H0": f"H0: the first bot is not better by {sprt.elo1:g}",
        "H1": f"H1: the first bot is better by more than {sprt.elo0:g}",
    }
    return f"{hypotheses}: {llr}, {verdict[sprt.verdict]}; deals with 0 to 2 points: {deals}"


def _remarks(found: Standings, facts: Statistics) -> Iterator[str]:
    seats = ", ".join(
        f"seat {number} {share(seat.share)} ({share(seat.low)} to {share(seat.high)})"
        for number, seat in enumerate(found.seats, 1)
    )
    if seats:
        yield f"Points by seat: {seats}."
    if facts.mean_turns is not None:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in facts.reasons.items())
        yield f"{facts.mean_turns:.1f} turns a match; ended by {reasons}."
    for name, bot in facts.bots.items():
        trouble = [f"{code} {count:,}" for code, count in bot.faults.items()]
        if trouble:
            yield f"{plain(name)} made faults: {', '.join(trouble)}."
        trouble = [f"{code} {count:,}" for code, count in bot.disqualified.items()]
        if trouble:
            yield f"{plain(name)} was disqualified: {', '.join(trouble)}."
    if facts.late:
        yield (
            f"{facts.late:,} times a bot timed out while the referee itself was late; "
            "these matches were played again."
        )
    for name in found.out:
        yield f"{plain(name)} {PUT_OUT}."
    if found.void:
        yield (
            f"{found.void:,} matches are void: each time they were played the referee was late, or "
            "was killed."
        )
    if facts.restarts:
        yield (
            f"{facts.restarts:,} matches were played again with new processes: a bot that said "
            "keep_alive did not answer a second handshake."
        )


def _matrix(found: Standings) -> Grid:
    grid = _grid()
    grid.add_column("#", justify="right")
    grid.add_column("bot", overflow="ellipsis", no_wrap=True, max_width=20)
    for bot in found.bots:
        grid.add_column(str(bot.rank), justify="right", no_wrap=True)
    for bot in found.bots:
        met = found.head_to_head[bot.name]
        cells = [
            share(met[other.name].points / met[other.name].matches) if other.name in met else "-"
            for other in found.bots
        ]
        grid.add_row(str(bot.rank), plain(bot.name), *cells)
    return grid


def _against(bot: BotStanding, found: Standings) -> Grid:
    grid = _grid()
    grid.add_column("against", ratio=1, overflow="ellipsis", no_wrap=True)
    for head in ("matches", "points", "better by", "95% interval"):
        grid.add_column(head, justify="right", no_wrap=True)
    met = found.head_to_head[bot.name]
    for other in found.bots:
        if other.name == bot.name:
            continue
        difference = found.differences[bot.name][other.name]
        meeting = met.get(other.name)
        grid.add_row(
            plain(other.name),
            f"{meeting.matches:,}" if meeting else "0",
            share(meeting.points / meeting.matches) if meeting else "-",
            f"{difference.elo:+.0f}",
            f"{difference.low:+.0f} to {difference.high:+.0f}",
        )
    return grid


def _bot_remarks(facts: BotFacts) -> Iterator[str]:
    if facts.mean_score is not None:
        yield f"Mean score {facts.mean_score:.1f}."
    if facts.mean_reply is not None and facts.reply_99 is not None:
        yield (
            f"Reply time: mean {duration(facts.mean_reply)}, 99% within "
            f"{duration(facts.reply_99)}, longest {duration(facts.longest_reply or 0)}."
        )
    for what, found in (("Faults", facts.faults), ("Disqualified", facts.disqualified)):
        yield f"{what}: {counts(found)}."


def counts(found: Mapping[str, int]) -> str:
    """Codes with how often each."""
    return ", ".join(f"{code} {count:,}" for code, count in found.items()) or "none"


def table_text(table: Table, bot: str) -> Iterator[RenderableType]:
    """What a table of a game's statistics has on a bot."""
    column_of_bots = table.columns.index("bot")
    rows = [row for row in table.rows if row[column_of_bots] == bot]
    if not rows:
        return
    yield Text(table.title, style="bold")
    grid = _grid()
    for number, column in enumerate(table.columns):
        cells = [row[number] for row in rows]
        is_text = any(isinstance(value, str) for value in cells)
        grid.add_column(column, justify="left" if is_text else "right", no_wrap=is_text)
    for row in rows:
        grid.add_row(
            *(
                cell(value, column in table.percent)
                for value, column in zip(row, table.columns, strict=True)
            )
        )
    yield grid


def cell(value: str | float | None, percent: bool) -> str:
    """A cell of a game's table."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return plain(value)
    if percent:
        return share(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"


def _line(text: str) -> Text:
    """A line with codes and reasons in it, which may be a stranger's."""
    return Text(plain(text))


def _grid() -> Grid:
    return Grid(
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="dim",
    )


def share(part: float | None) -> str:
    """A share of 1 as a percentage."""
    return "-" if part is None else f"{100 * part:.1f}%"
