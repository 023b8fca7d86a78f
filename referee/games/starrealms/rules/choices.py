"""Questions in the middle of a turn: their options, and the meaning of a reply (protocol, 6)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any, TypeAlias

from referee.games.interface.faults import describe
from referee.games.interface.game import Request
from referee.games.starrealms.rules.cards import Card
from referee.games.starrealms.rules.faults import BAD_PICKS
from referee.games.starrealms.rules.messages import Choose, ChooseReply, Option
from referee.games.starrealms.rules.player import Turn
from referee.games.starrealms.rules.table import Table
from referee.games.starrealms.rules.view import state_of

Decisions: TypeAlias = Generator[Request, Any, None]
"""Yields each request and receives its reply: a reply struct or `InvalidReply`."""


def cards_in(place: str, cards: Iterable[str]) -> list[Option]:
    """Cards of a place as options."""
    return [Option(card, place) for card in cards]


def ask(
    table: Table,
    turn: Turn,
    kind: str,
    card: Card | None,
    options: Sequence[Option],
    *,
    most: int = 1,
    must: bool = False,
) -> Generator[Request, Any, Sequence[int]]:
    """Have the player pick up to `most` options, or exactly so many if it must.

    Returns:
        Their indices, in order; none without options, and then the player does not get a request.
    """
    if not options:
        return ()
    most = min(most, len(options))
    least = most if must else 0
    name = None if card is None else card.name
    turn.question = Choose(kind, name, list(options), least, most, state_of(table, turn))
    reply = yield Request(turn.player.seat, turn.question)
    turn.question = None
    if type(reply) is ChooseReply:
        problem = _problem(reply.picks, least, most, len(options))
        if not problem:
            return [int(pick) for pick in reply.picks]
        table.fault(turn.player, BAD_PICKS, problem)
    else:
        table.no_reply(turn.player, reply, "a play-reply answers a choose", "6.3")
    return range(least)


def _problem(picks: Any, least: int, most: int, options: int) -> str:
    if not isinstance(picks, list):
        return f"`picks` is {describe(picks)}, not a list"
    for place, pick in enumerate(picks):
        # For Python true is an integer, for JSON it is no number.
        if type(pick) not in (int, float) or pick not in range(options):
            return f"picks[{place}] is {describe(pick)}, not an index from 0 to {options - 1}"
        if pick in picks[:place]:
            return f"picks[{place}] is {describe(pick)}, which was picked before"
    if not least <= len(picks) <= most:
        wanted = str(most) if least == most else f"{least} to {most}"
        return f"{len(picks)} picks where {wanted} are due"
    return ""
