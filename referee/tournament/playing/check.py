"""Check the matches in a store by replaying their records or by playing them again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from referee.games.interface.faults import OUT_OF_TIME
from referee.logs.entries import summaries
from referee.logs.verify import Kind, verify_record
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.records import record_of
from referee.tournament.rows import MatchRow, Plan
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.store import Store


class Checked(Struct, frozen=True):
    """A match that was checked.

    Attributes:
        how: "record" if its record was replayed, "played" if the bots played the match again.
    """

    match: int
    how: str
    problem: str = ""


def sampled(store: Store, sample: int | None) -> list[MatchRow]:
    """Return the matches that count, or a random sample of them."""
    matches = [match for match in store.matches() if not match.void]
    if sample is None or sample >= len(matches):
        return matches
    # The choice is unpredictable, so nobody knows in advance which matches we check.
    chosen = random.SystemRandom().sample(range(len(matches)), sample)
    return [matches[index] for index in sorted(chosen)]


def without_record(matches: list[MatchRow], records: Path | None) -> list[MatchRow]:
    """Return the matches without a record. We can only check them by playing them again."""
    if records is None:
        return matches
    return [match for match in matches if not record_of(records, match.match).exists()]


def check(
    setup: TournamentSetup,
    matches: list[MatchRow],
    again: list[MatchRow],
    dispatcher: Dispatcher,
    records: Path | None,
) -> Iterator[Checked | None]:
    """Check matches. Matches with a record come first.

    Yields None from time to time, so that the caller can update its display.
    """
    stored = {match.match: match for match in again}
    for match in matches:
        if records is not None and match.match not in stored:
            yield _from_record(match, record_of(records, match.match))
    names = [bot.name for bot in setup.bots]
    for is_last in (False, True):
        plans = [Plan(match.match, match.deal, match.seed, match.players) for match in again]
        again = []
        for rows in dispatcher.play(setup, iter(plans)) if plans else ():
            if not rows:
                yield None
            for row in rows:
                before = stored[row.match]
                if not is_last and row.digest != before.digest and _is_late(row):
                    # A machine that's busy for a moment can make a bot late, so it gets another
                    # try.
                    again.append(before)
                else:
                    yield Checked(row.match, "played", _difference(before, row, names))


def _is_late(row: MatchRow) -> bool:
    return bool(row.late) or any(seat.disqualified in OUT_OF_TIME for seat in row.seats)


def _difference(stored: MatchRow, row: MatchRow, names: list[str]) -> str:
    """Describe how a match went otherwise than the stored one, or return "" if it's the same."""
    if row.problem or row.digest == stored.digest:
        return row.problem
    if row.void:
        return (
            "not checked, because the referee was late in each attempt: try it on an idle machine"
        )
    now, before = (
        {names[seat.bot]: seat.detail for seat in match.seats if seat.disqualified in OUT_OF_TIME}
        for match in (row, stored)
    )
    for name in now.keys() - before.keys():
        return (
            f"played again, {name} was out of time ({now[name]}), so the rest says nothing: "
            "try it on an idle machine"
        )
    for name in before.keys() - now.keys():
        return (
            f"{name} was out of time ({before[name]}) in the tournament, and was not when it was "
            "played again"
        )
    return (
        f"played again it went otherwise (digest {row.digest}, not {stored.digest}): "
        "a bot is not deterministic or has changed, or the result was modified"
    )


def _from_record(match: MatchRow, path: Path) -> Checked:
    verdict = verify_record(str(path))
    if verdict.kind != Kind.VALID:
        return Checked(match.match, "record", verdict.text)
    (summary,) = summaries([path])
    if summary.end is None or summary.end.digest != match.digest:
        problem = f"{path} is the record of another match than the store has"
        return Checked(match.match, "record", problem)
    return Checked(match.match, "record")
