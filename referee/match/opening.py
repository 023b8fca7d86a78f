"""Draws the first replies of a match at random, so that matches of a game without luck differ.

An opening depends only on the game, its options and the seed of the deal, so all matches of a deal
have the same one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.errors import GameError, UsageError
from referee.games.interface.definition import GameDefinition
from referee.match.machine import Match, Sent
from referee.match.players import Players, name_line
from referee.match.spec import MAX_OPENING, MatchSpec

# If an opening ends the game, we draw another one, up to this many times.
TRIES = 20


def check_opening(definition: GameDefinition, opening: int) -> None:
    """Raise `UsageError` if this game has no opening of this length."""
    if not 1 <= opening <= MAX_OPENING:
        raise UsageError(f"--opening {opening}: give a number from 1 to {MAX_OPENING:,}")
    if not Players.can_play(definition):
        raise UsageError(f"--opening: {definition.name} has no list of legal replies to draw from")


def with_opening(
    spec: MatchSpec, opening: int, before: Sequence[Sequence[bytes | None]]
) -> tuple[MatchSpec, list[list[bytes | None]]]:
    """Give a match an opening. Returns the match, and `opening_answers`."""
    check_opening(spec.definition, opening)
    spec = replace(spec, opening=opening)
    return spec, opening_answers(spec, before)


def opening_answers(
    spec: MatchSpec, before: Sequence[Sequence[bytes | None]] = ()
) -> list[list[bytes | None]]:
    """Draw the opening of a match.

    Args:
        spec: the match. Its `opening` must pass `check_opening`.
        before: for each seat, the recorded replies that come before the opening, as in `Position`.
            It can be empty.

    Returns:
        For each seat, all replies before the bots play on their own. The first one is None, because
        a bot answers the handshake itself.

    Raises:
        UsageError: the game ends in all openings that were drawn.
        GameError: the game made a mistake.
    """
    for attempt in range(TRIES):
        drawn = _drawn(spec, before, attempt)
        if drawn is not None:
            return drawn
    raise UsageError(
        f"--opening {spec.opening}: with seed {spec.luck} the game ends so early in {TRIES} of "
        f"{TRIES} openings; give a smaller number"
    )


def _drawn(
    spec: MatchSpec, before: Sequence[Sequence[bytes | None]], attempt: int
) -> list[list[bytes | None]] | None:
    match, seats = spec.new_match(), len(spec.bots)
    players = Players(
        spec.definition, tuple(match.names), spec.options, f"{spec.luck}/opening {attempt}"
    )
    recorded = [deque(lines[1:]) for lines in before or [()] * seats]
    answers: list[list[bytes | None]] = [[None] for _ in range(seats)]
    match.start()
    for seat in match.due:
        match.receive(seat, name_line(seat, match.names[seat]))
    left = spec.opening
    while left and match.due:
        requests = _hear(match, players, spec.definition.requests)
        is_drawn = not any(recorded)
        left -= is_drawn
        for seat in match.due:
            line = recorded[seat].popleft() if recorded[seat] else None
            if line is None:
                view = match.view(seat)
                assert view is not None  # the handshake is over
                line = players.reply(seat, requests[seat], view)
            answers[seat].append(line)
            match.receive(seat, line)
    if any(match.faults):
        raise GameError(f"{spec.game}: its list of legal replies has one that is a fault")
    return None if left or match.outcome is not None else answers


def _hear(match: Match, players: Players, kinds: tuple[type[Struct], ...]) -> dict[int, Struct]:
    """Show new messages to the players. Returns the requests, by seat."""
    requests = {}
    for entry in match.take_entries():
        if isinstance(entry, Sent):
            message = entry.message
            if isinstance(message, kinds):
                # The struct may have JSON in place of values, because it's made to be sent.
                message = msgspec.json.decode(entry.line, type=type(message))
            for seat in range(len(match.names)) if entry.to is None else [entry.to]:
                players.observe(seat, message)
            if entry.to is not None:
                requests[entry.to] = message
    return requests
