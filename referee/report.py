"""The result of a match for people, as rich renderables; printing them is the caller's.

Only text that wraps well at 80 columns, and nothing that colour alone says.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from referee.game import Fault, Termination, player_number
from referee.play import Played
from referee.result import MatchResult, PlayerResult

_ASKED_CAP = 600
"""More of a request's line than this is not shown."""


def match_report(
    played: Played, faults: Iterable[Fault], again: Sequence[str]
) -> Iterator[RenderableType]:
    """Everything that a person wants to know of a match, in reading order.

    Args:
        faults: the first of each seat and code.
        again: the command that plays the same match again, as a list of words.
    """
    result = played.result
    yield _table(result)
    yield Text()
    yield Text(_verdict(result), style="bold")
    shown = sorted(faults, key=lambda fault: (fault.seat, fault.section, fault.code))
    if shown:
        yield Text()
        yield Text("Faults, each with the section of the protocol and its first case:")
        yield Padding(_fault_table(result, shown), (0, 0, 0, 2))
    for seat in sorted(played.disqualified):
        yield Text()
        yield from _disqualification(played, seat)
    yield Text()
    yield Text(f"Seed {result.seed}. The same match again:")
    yield Text("  " + shlex.join(again), no_wrap=True)


def _table(result: MatchResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("seat", no_wrap=True)
    table.add_column("name", overflow="fold", max_width=24)
    table.add_column("score", justify="right")
    table.add_column("turns", justify="right")
    table.add_column("faults", justify="right")
    table.add_column("longest reply", justify="right", max_width=8)
    table.add_column("what happened", overflow="fold")
    for player in result.players:
        faults = sum(player.faults.values())
        table.add_row(
            player.player_number,
            Text(player.name or "(no name)"),
            str(player.score),
            str(player.turns),
            Text(str(faults), style="yellow" if faults else ""),
            _duration(player.reply_seconds.max) if player.requests else "-",
            _what_happened(player, result),
        )
    return table


def _what_happened(player: PlayerResult, result: MatchResult) -> Text:
    if player.disqualified:
        return Text(f"disqualified: {player.disqualified}", style="red")
    if player.player_number not in result.winners:
        return Text(f"{_ORDINALS[player.rank]} of {len(result.players)}")
    return Text("won" if len(result.winners) == 1 else "shared the win", style="green")


_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}


def _duration(seconds: float) -> str:
    if seconds < 0.0995:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds:.2f} s"


_REASONS = {
    Termination.TURN_LIMIT: "the turn limit was reached",
    Termination.LAST_PLAYER_STANDING: "nobody else was left",
    Termination.NO_PLAYERS: "no player was left",
}


def _verdict(result: MatchResult) -> str:
    """One sentence: who won, and why the match was over."""
    by_number = {player.player_number: player for player in result.players}
    why = _REASONS.get(Termination(result.reason)) if result.reason in _REASONS else None
    why = why or result.reason.replace("-", " ")  # a game's own reasons read as they are
    winners = [by_number[number] for number in result.winners]
    turns = f"after {result.turns} turns" if result.turns != 1 else "after 1 turn"
    if not winners:
        return f"Nobody won: {why}, {turns}."
    names = " and ".join(
        f"{winner.name or '(no name)'} ({winner.player_number})" for winner in winners
    )
    if result.reason == Termination.LAST_PLAYER_STANDING:
        return f"{names} won: {why}, {turns}."
    if len(winners) > 1:
        return f"{names} share the win: {why}, {turns}; equal in points and in turns taken."
    others = [
        player.score
        for player in result.players
        if not player.disqualified and player.player_number not in result.winners
    ]
    score = winners[0].score
    if others and max(others) == score:
        return f"{names} won: {why}, {turns}; {score} points each, but fewer turns taken."
    against = f" to {max(others)}" if others else ""
    return f"{names} won with {score}{against} points: {why}, {turns}."


def _fault_table(result: MatchResult, faults: Sequence[Fault]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for fault in faults:
        player = result.players[fault.seat]
        table.add_row(
            player.player_number,
            f"{player.faults[fault.code]}x",
            Text(fault.code, style="yellow"),
            fault.section,
            Text(fault.detail),
        )
    return table


def _disqualification(played: Played, seat: int) -> Iterator[RenderableType]:
    left = played.disqualified[seat]
    player = played.result.players[seat]
    line = Text(f"{player_number(seat)}, {player.bot}, was disqualified: ")
    line.append(left.code, style="red")
    line.append(f", {left.detail}.")
    yield line
    asked = left.asked.decode().rstrip()
    if len(asked) > _ASKED_CAP:
        asked = asked[:_ASKED_CAP] + "..."
    yield Text("  It was asked:")
    yield Text(f"    {asked}", no_wrap=True)
    lines = played.last_stderr[seat]
    if not lines:
        yield Text("  It wrote nothing on stderr.")
        return
    yield Text("  Its last lines on stderr:")
    for text in lines:
        yield Text(f"    {text}", no_wrap=True)
