"""Formats the result of a match for people. The caller prints it.

The text fits into 80 columns, and doesn't rely on colours. We don't use rich here, because
importing it would take longer than the match (tools/benchmarks, (c)).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias, get_type_hints

from msgspec.structs import replace

from referee.bots.repeat import as_bot
from referee.course import Played
from referee.games import GAMES, game_words, outside_words
from referee.games.interface.counts import ordinal, plural
from referee.games.interface.faults import EndReason
from referee.match.limits import SANDBOXED, flag
from referee.match.result import DisqualificationReport, FirstFault, MatchResult, PlayerResult
from referee.names import short, shown_names
from referee.text.terminal import cells, command_line, duration, paint, plain, wrap_words

# Longer names are cut to this many columns in the table.
MAX_NAME = 24
# If you give these options to `play`, we repeat them in the `conform` command that we suggest.
_OF_BOTS = {"--sandbox", "--sandbox-read", "--env"}
_OF_BOTS |= set(map(flag, SANDBOXED))
# A longer request is cut to this many characters.
_ASKED_CAP = 600
_GAP = "  "

Cell: TypeAlias = tuple[str, str]
"""A text and the name of its style (see `referee.text.terminal.paint`)."""
Paint: TypeAlias = Callable[[Cell], str]
"""A function that returns the text of a cell, styled if the output has colours."""


def match_report(
    played: Played,
    again: Sequence[str],
    *,
    width: int,
    colour: bool,
    names: Sequence[str] = (),
    record: str | None = None,
    stderr: str | None = None,
    turn: int | None = None,
) -> str:
    """Format everything that people should know after a match, in reading order.

    Args:
        again: a command that plays the same match again, as words.
        turn: if the match began at a position, the first turn that was played.
        names: the names in `NAME=BOT`, in seat order. By default, bots have no such names.
        width: the width for wrapping. We never wrap commands and other text that people copy.
        record: the name of the match's record, or None.
        stderr: the place where people find the complete stderr of the bots, or None.
    """

    def painted(cell: Cell) -> str:
        return paint(*cell, colour=colour)

    result = _with_names(played.result, names)
    lines = [*_players(result, painted), "", *_facts(result, painted)]
    lines += [painted((line, "bold")) for line in textwrap.wrap(_verdict(result), width)]
    lines += _faults(result, width, painted)
    for player in result.players:
        if player.disqualification is not None:
            lines += ["", *_disqualification(player, player.disqualification, width)]
            if turn is not None and player.disqualification.turn < turn:
                text = f"That is before turn {turn}: the result says nothing about the position."
                lines += wrap_words(text, width)
    lines += _notes(result, width)
    # The stderr of disqualified players is shown above.
    others = [player for player in result.players if player.disqualification is None]
    wrote = [player.player_number for player in others if player.stderr and player.stderr.lines]
    if stderr is None and wrote:
        lines += ["", f"{' and '.join(wrote)} wrote on stderr; --stderr - shows it."]
    where = f", sandbox {result.sandbox}" if "--sandbox" in again else ""
    again_line = f"Seed {result.seed}{where}. The same match again:"
    lines += ["", again_line, "  " + command_line(again)]
    step = next_step(result, again, record)
    if step is not None:
        lines += [f"{step[0]}:", "  " + step[1]]
    return "\n".join(lines) + "\n"


def _with_names(result: MatchResult, given: Sequence[str]) -> MatchResult:
    own, bots = ([getattr(player, key) for player in result.players] for key in ("name", "bot"))
    players = zip(result.players, shown_names(own, given, bots), strict=True)
    return replace(result, players=[replace(player, name=name) for player, name in players])


def next_step(
    result: MatchResult, again: Sequence[str], record: str | None
) -> tuple[str, str] | None:
    """Suggest a command that helps to find a bot's mistake.

    Returns:
        Its purpose and the command line, or None if no bot made a mistake.
    """
    for player in result.players:
        left = player.disqualification
        if left is not None and left.request:
            return _look(result.game, left.turn, again, record)
        if left is not None:
            return _check_handshake(player, result.game, again)
    for _, player, fault in _first_faults(result):
        if fault.request:
            return _look(result.game, fault.turn, again, record)
        return _check_handshake(player, result.game, again)
    return None


def _look(game: str, turn: int, again: Sequence[str], record: str | None) -> tuple[str, str]:
    """Suggest a command that shows a turn.

    Without a record, the command has to play the match again first. It must be the same match,
    because the mistake may not happen in another match.
    """
    file = record or "match.jsonl"
    number = ["--turn", str(turn)] if turn else []  # turn 0 is before the first turn, e.g. a draft
    look = command_line(["referee", "replay", *outside_words(game), file, *number])
    what = "To see that turn" if turn else "To see the match"
    if record is not None:
        return what, look
    play = command_line([*again, "--quiet", "--record", file])
    return what, f"{play}; {look}"


def _check_handshake(player: PlayerResult, game: str, again: Sequence[str]) -> tuple[str, str]:
    """Suggest a command that tests the handshake.

    The handshake is the same in every match, so we don't need to repeat this match.
    """
    words = ["referee", "conform", as_bot(player.bot), *game_words(game)]
    for option, value in pairwise(again):
        if option in _OF_BOTS:
            words += [option, value]
    if GAMES[game].cases is not None:
        words += ["--case", "3"]
    return f"To check the handshake of {player.player_number}", command_line(words)


def _players(result: MatchResult, painted: Paint) -> Iterator[str]:
    heads = ("seat", "name", "score", "own\nturns", "faults", "longest\nreply", "what happened")
    to_right = (False, False, True, True, True, True, False)
    rows: list[tuple[Cell, ...]] = []
    for player in result.players:
        faults = sum(player.faults.values())
        rows.append(
            (
                (player.player_number, ""),
                (short(plain(player.name), MAX_NAME), ""),
                (str(player.score), ""),
                (str(player.turns), ""),
                (str(faults), "yellow" if faults else ""),
                (duration(player.reply_seconds.max) if player.requests else "-", ""),
                _what_happened(player, result),
            )
        )
    return _table(heads, to_right, rows, painted)


def _facts(result: MatchResult, painted: Paint) -> Iterator[str]:
    kinds = get_type_hints(GAMES[result.game].facts)
    names = [name for name, kind in kinds.items() if kind in (int, float, bool)]
    if not names:
        return
    rows = [
        ((player.player_number, ""), *((_fact(getattr(player, name)), "") for name in names))
        for player in result.players
    ]
    yield from _table(["seat", *names], [False] + [True] * len(names), rows, painted)
    yield ""


def _fact(value: float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}"


def _table(
    heads: Sequence[str], to_right: Sequence[bool], rows: Sequence[Sequence[Cell]], painted: Paint
) -> Iterator[str]:
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

    # If a heading has a single line, put it into the lower row.
    tall = [("\n" + head).split("\n")[-2:] for head in heads]
    if any(top for top, _ in tall):
        yield join((top, "") for top, _ in tall)
    yield join((bottom, "") for _, bottom in tall)
    yield "-" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    yield from map(join, rows)


def _what_happened(player: PlayerResult, result: MatchResult) -> Cell:
    rank = f"{ordinal(player.rank)} of {len(result.players)}"
    if player.disqualified:
        # Of two players, everybody knows the rank. If nobody is left, all share the first one.
        before = f"{rank}, " if len(result.players) > 2 and result.winners else ""
        return f"{before}disqualified: {player.disqualified}", "red"
    if player.player_number not in result.winners:
        return rank, ""
    if len(result.winners) == len(result.players):
        return "drew", ""
    return "won" if len(result.winners) == 1 else "shared the win", "green"


def _verdict(result: MatchResult) -> str:
    definition = GAMES[result.game]
    tie_break = definition.tie_break
    winners = [player for player in result.players if player.player_number in result.winners]
    seats = [seat for seat, player in enumerate(result.players) if player in winners]
    why = definition.why_ended(
        result.reason, [plain(player.name) for player in result.players], seats
    )
    turns = f"after {plural(result.turns, 'turn')}"
    if not winners:
        return f"Nobody won: {why}, {turns}."
    names = _names(winners)
    if result.reason == EndReason.LAST_PLAYER_STANDING:
        return f"{names} won: {why}, {turns}."
    scores = [winner.score for winner in winners]
    draw = f"A draw between {names}" if len(winners) == len(result.players) else ""
    if len(set(scores)) > 1:  # e.g. if the match is a draw because it reached the limit of turns
        each = _join_words([str(score) for score in scores])
        return f"{draw or f'{names} share the win'} with scores of {each}: {why}, {turns}."
    if len(winners) > 1:
        and_in = f" and in {tie_break}" if tie_break else ""
        return f"{draw or f'{names} share the win'}: {why}, {turns}; equal in score{and_in}."
    (score,) = scores
    others = [player for player in result.players if player not in winners]
    most = max((player.score for player in others if not player.disqualified), default=None)
    if most == score:
        tied = [player for player in others if player.score == most and not player.disqualified]
        same = f"a score of {score}" + (" each" if tied == others else f", like {_names(tied)}")
        fewer = f", but fewer {tie_break}" if tie_break else ""
        return f"{names} won: {why}, {turns}; {same}{fewer}."
    against = "" if most is None else f" to {most}"
    return f"{names} won with a score of {score}{against}: {why}, {turns}."


def _names(players: Sequence[PlayerResult]) -> str:
    names = [plain(player.name).removesuffix(f" ({player.player_number})") for player in players]
    seats = [player.player_number for player in players]
    return _join_words([f"{name} ({seat})" for name, seat in zip(names, seats, strict=True)])


def _join_words(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _first_faults(result: MatchResult) -> list[tuple[int, PlayerResult, FirstFault]]:
    found = [
        (player.faults[fault.code], player, fault)
        for player in result.players
        for fault in player.first_faults
    ]
    return sorted(found, key=lambda each: each[2].turn)


def _faults(result: MatchResult, width: int, painted: Paint) -> Iterator[str]:
    found = _first_faults(result)
    if not found:
        return
    yield ""
    text = "Faults, in the order in which they came first, with the section of the protocol:"
    yield from textwrap.wrap(text, width)
    count_width = max(len(f"{count}x") for count, _, _ in found)
    code_width = max(len(fault.code) for _, _, fault in found)
    for count, player, fault in found:
        code = painted((fault.code, "yellow")) + " " * (code_width - len(fault.code))
        follows = ", same cause" if fault.follows else ""
        head = f"  {player.player_number}  {f'{count}x':>{count_width}}  {code}"
        yield f"{head}{_GAP}{fault.section:3}{_GAP}{_where(fault)}{follows}"
        yield from wrap_words(plain(fault.detail), width, "    ", "    ")


def _notes(result: MatchResult, width: int) -> Iterator[str]:
    notes = [(player.player_number, note) for player in result.players for note in player.notes]
    if not notes:
        return
    yield ""
    yield "Notes (not faults):"
    for seat, note in notes:
        yield from wrap_words(plain(f"{seat}  {note}"), width, "  ", " " * 11)


def _where(event: FirstFault | DisqualificationReport) -> str:
    if not event.request:
        return "handshake"
    if not event.turn:
        return f"before the first turn of the match, request {event.request}"
    return f"turn {event.turn} of the match, request {event.request}"


def _disqualification(
    player: PlayerResult, left: DisqualificationReport, width: int
) -> Iterator[str]:
    who = f"{player.player_number}, {player.bot}"
    text = f"{who}, was disqualified: {player.disqualified}, {left.detail}."
    yield from wrap_words(plain(text), width)
    if left.cause:
        end = "" if left.cause.endswith(("?", "!", ".")) else "."
        yield from wrap_words(plain(f"{left.cause[0].upper()}{left.cause[1:]}{end}"), width)
    asked = plain(left.asked)
    if len(asked) > _ASKED_CAP:
        asked = asked[:_ASKED_CAP] + "..."
    yield f"  Its request ({_where(left)}):"
    yield f"    {asked}"
    stderr = player.stderr
    if stderr is None:
        return
    if not stderr.lines:
        yield "  It wrote nothing on stderr."
        return
    yield f"  It wrote on stderr{'; --stderr - shows all' if stderr.omitted else ''}:"
    yield from (f"    {line}" for line in stderr.lines)  # not wrapped, so that people can copy them
