"""Checking the matches of a store: each is run again from its record, or played again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

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
        how: "record" if it was run again from its record, "played" if the bots played it again.
    """

    match: int
    how: str
    problem: str = ""


def sampled(store: Store, sample: int | None) -> list[MatchRow]:
    """Matches that count: all of them, or a sample drawn by lot."""
    matches = [match for match in store.matches() if not match.void]
    if sample is None or sample >= len(matches):
        return matches
    chosen = random.SystemRandom().sample(range(len(matches)), sample)
    return [matches[index] for index in sorted(chosen)]


def without_record(matches: list[MatchRow], records: Path | None) -> list[MatchRow]:
    """Those of the matches that can only be checked by playing them again."""
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
    """Check matches, those first that have a record. None now and then, to look around."""
    digests = {match.match: match.digest for match in again}
    for match in matches:
        if records is not None and match.match not in digests:
            yield _from_record(match, record_of(records, match.match))
    plans = [Plan(match.match, match.deal, match.seed, match.players) for match in again]
    for rows in dispatcher.play(setup, iter(plans)):
        if not rows:
            yield None
        for row in rows:
            stored, problem = digests[row.match], ""
            if row.problem:
                problem = row.problem
            elif row.digest != stored:
                problem = (
                    f"played again it went otherwise (digest {row.digest}, not {stored}): "
                    "a bot is not deterministic or has changed, or the result was modified"
                )
            yield Checked(row.match, "played", problem)


def _from_record(match: MatchRow, path: Path) -> Checked:
    verdict = verify_record(str(path))
    if verdict.kind != Kind.VALID:
        return Checked(match.match, "record", verdict.text)
    (summary,) = summaries([path])
    if summary.end is None or summary.end.digest != match.digest:
        problem = f"{path} is the record of another match than the store has"
        return Checked(match.match, "record", problem)
    return Checked(match.match, "record")
