"""The result of a match for people, as text; printing it is the caller's.

It reads well at 80 columns, and nothing is said by colour alone. Plain text is made here and not
by rich because loading rich takes longer than the match (tests/benchmarks, (c)).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, get_type_hints

from referee.games import GAMES
from referee.play import Played
from referee.result import MatchResult, PlayerResult
from referee.seam.faults import Disqualification, Fault, Termination
from referee.seam.seats import seat_id
from referee.terminal import cells, command_line, cut, duration, paint, plain

MAX_NAME = 24
"""A longer name is cut in the table."""
_ASKED_CAP = 600
"""More of a request's line than this is not shown."""
_GAP = "  "

Cell: TypeAlias = tuple[str, str]
"""A text and its style, as for `referee.terminal.paint`."""
Paint: TypeAlias = Callable[[Cell], str]
"""Styles a cell's text, if the terminal shall see colours."""


def match_report(played: Played, again: Sequence[str], *, width: int, colour: bool) -> str:
    """Everything that a person wants to know of a match, in reading order.

    Args:
        again: the command that plays the same match again, as a list of words.
        width: columns to wrap at. What is there to be copied is never wrapped.
        colour: whether to style text by escape sequences.
    """

    def painted(cell: Cell) -> str:
        return paint(*cell, colour=colour)

    result = played.result
    lines = [*_players(result, painted), "", *_facts(result, painted)]
    lines += [painted((line, "bold")) for line in textwrap.wrap(_verdict(result), width)]
    shown = sorted(played.first_faults, key=lambda fault: (fault.seat, fault.section, fault.code))
    if shown:
        lines += ["", "Faults, each with the section of the protocol and its first case:"]
        lines += _faults(result, shown, width, painted)
    for seat in sorted(played.disqualified):
        lines += ["", *_disqualification(played, seat, width)]
    lines += ["", f"Seed {result.seed}. The same match again:", "  " + command_line(again)]
    return "\n".join(lines) + "\n"


def _players(result: MatchResult, painted: Paint) -> Iterator[str]:
    heads = ("seat", "name", "score", "turns", "faults", "longest\nreply", "what happened")
    to_right = (False, False, True, True, True, True, False)
    rows: list[tuple[Cell, ...]] = []
    for player in result.players:
        faults = sum(player.faults.values())
        rows.append(
            (
                (player.player_number, ""),
                (cut(_name(player), MAX_NAME), ""),
                (str(player.score), ""),
                (str(player.turns), ""),
                (str(faults), "yellow" if faults else ""),
                (duration(player.reply_seconds.max) if player.requests else "-", ""),
                _what_happened(player, result),
            )
        )
    return _table(heads, to_right, rows, painted)


def _facts(result: MatchResult, painted: Paint) -> Iterator[str]:
    """What the game counts besides, where it is a number or yes or no."""
    kinds = get_type_hints(GAMES[result.game].facts)
    names = [name for name, kind in kinds.items() if kind in (int, float, bool)]
    if not names:
        return
    rows = [
        ((player.player_number, ""), *((_fact(getattr(player, name)), "") for name in names))
        for player in result.players
    ]
    heads = ["seat", *(name.replace("_", "\n", 1).replace("_", " ") for name in names)]
    yield from _table(heads, [False] + [True] * len(names), rows, painted)
    yield ""


def _fact(value: float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}"


def _table(
    heads: Sequence[str],
    to_right: Sequence[bool],
    rows: Sequence[Sequence[Cell]],
    painted: Paint,
) -> Iterator[str]:
    """Lines of a table.

    Args:
        heads: of the columns; one or two lines each.
        to_right: for each column whether it is aligned to the right.
    """
    widths = [
        max(*(cells(line) for line in head.split("\n")), *(cells(row[column][0]) for row in rows))
        for column, head in enumerate(heads)
    ]

    def join(row: Iterable[Cell]) -> str:
        parts = []
        for cell, size, right in zip(row, widths, to_right, strict=True):
            space = " " * (size - cells(cell[0]))
            parts.append(space + painted(cell) if right else painted(cell) + space)
        return _GAP.join(parts).rstrip()

    tall = [("\n" + head).split("\n")[-2:] for head in heads]
    yield join((top, "") for top, _ in tall)
    yield join((bottom, "") for _, bottom in tall)
    yield "-" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    yield from map(join, rows)


def _name(player: PlayerResult) -> str:
    return plain(player.name) or "(no name)"


def _what_happened(player: PlayerResult, result: MatchResult) -> Cell:
    if player.disqualified:
        return f"disqualified: {player.disqualified}", "red"
    if player.player_number not in result.winners:
        return f"{_ordinal(player.rank)} of {len(result.players)}", ""
    return "won" if len(result.winners) == 1 else "shared the win", "green"


def _ordinal(number: int) -> str:
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


_LATE = (Disqualification.TIMEOUT, Disqualification.STARTUP_TIMEOUT)
_REASONS: dict[str, str] = {
    Termination.TURN_LIMIT: "the turn limit was reached",
    Termination.LAST_PLAYER_STANDING: "nobody else was left",
    Termination.NO_PLAYERS: "no player was left",
}


def _verdict(result: MatchResult) -> str:
    """One sentence: who won, and why the match was over."""
    # A game's own reasons read as they are.
    why = _REASONS.get(result.reason, result.reason.replace("-", " "))
    rules = GAMES[result.game]
    and_in = f" and in {rules.tie_break}" if rules.tie_break else ""
    winners = [player for player in result.players if player.player_number in result.winners]
    turns = f"after {result.turns} turns" if result.turns != 1 else "after 1 turn"
    if not winners:
        return f"Nobody won: {why}, {turns}."
    names = " and ".join(f"{_name(winner)} ({winner.player_number})" for winner in winners)
    if result.reason == Termination.LAST_PLAYER_STANDING:
        return f"{names} won: {why}, {turns}."
    if len(winners) > 1:
        return f"{names} share the win: {why}, {turns}; equal in points{and_in}."
    others = [
        player.score
        for player in result.players
        if not player.disqualified and player.player_number not in result.winners
    ]
    score = winners[0].score
    if others and max(others) == score:
        return f"{names} won: {why}, {turns}; {score} points each, but fewer {rules.tie_break}."
    against = f" to {max(others)}" if others else ""
    return f"{names} won with {score}{against} points: {why}, {turns}."


def _faults(
    result: MatchResult, faults: Sequence[Fault], width: int, painted: Paint
) -> Iterator[str]:
    counts = [f"{result.players[fault.seat].faults[fault.code]}x" for fault in faults]
    count_width = max(map(len, counts))
    code_width = max(len(fault.code) for fault in faults)
    for fault, count in zip(faults, counts, strict=True):
        code = painted((fault.code, "yellow")) + " " * (code_width - len(fault.code))
        start = f"  {seat_id(fault.seat)}  {count:>{count_width}}  "
        indent = len(start) + code_width + len(_GAP) + 3 + len(_GAP)
        first, *rest = textwrap.wrap(fault.detail, max(width - indent, 20)) or [""]
        yield f"{start}{code}{_GAP}{fault.section:3}{_GAP}{first}"
        for line in rest:
            yield " " * indent + line


def _disqualification(played: Played, seat: int, width: int) -> Iterator[str]:
    left = played.disqualified[seat]
    player = played.result.players[seat]
    said = f"{seat_id(seat)}, {player.bot}, was disqualified: {left.code}, {left.detail}."
    yield from textwrap.wrap(plain(said), width, break_long_words=False, break_on_hyphens=False)
    if left.code in _LATE and played.last_stderr[seat] is not None:
        hint = "If it did answer: does it flush its output, and read its input line by line?"
        yield from textwrap.wrap(f"{hint} (protocol-v1, 10)", width)
    asked = plain(left.asked.decode().rstrip())
    if len(asked) > _ASKED_CAP:
        asked = asked[:_ASKED_CAP] + "..."
    yield "  It was asked:"
    yield f"    {asked}"
    lines = played.last_stderr[seat]
    if lines is None:
        return
    if not lines:
        yield "  It wrote nothing on stderr."
        return
    yield "  Its last lines on stderr:"
    for text in lines:
        yield f"    {text}"
