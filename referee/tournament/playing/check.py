"""Checking the matches of a store: each is run again from its record, or played again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from referee.logs.read import summaries
from referee.logs.verify import Kind, verify_record
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.run import record_of
from referee.tournament.rows import MatchRow, Plan
from referee.tournament.store import Store


class Checked(Struct, frozen=True):
    """A match that was checked.

    Attributes:
        match: its number.
        how: "record" if it was run again from its record, "played" if the bots played it again.
        problem: what differs; empty if nothing does.
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


def check(
    store: Store, matches: list[MatchRow], dispatcher: Dispatcher, records: Path | None
) -> Iterator[Checked | None]:
    """Check matches, those first that have a record.

    Args:
        records: the folder of the match records, or None.

    Yields:
        A match that was checked, or None now and then, so that the caller can look around.
    """
    digests = {}
    plans = []
    for match in matches:
        path = records and record_of(records, match.match)
        if path is not None and path.exists():
            yield _from_record(match, path)
        else:
            digests[match.match] = match.digest
            plans.append(Plan(match.match, match.deal, match.seed, match.players))
    for rows in dispatcher.play(store.stages[-1], iter(plans)):
        if not rows:
            yield None
        for row in rows:
            found = digests[row.match]
            problem = "" if row.digest == found else _played_differently(found, row.digest)
            yield Checked(row.match, "played", problem)


def _from_record(match: MatchRow, path: Path) -> Checked:
    verdict = verify_record(str(path))
    if verdict.kind != Kind.HOLDS:
        return Checked(match.match, "record", verdict.text)
    (summary,) = summaries([path])
    if summary.end is None or summary.end.digest != match.digest:
        problem = f"{path} is the record of another match than the store has"
        return Checked(match.match, "record", problem)
    return Checked(match.match, "record")


def _played_differently(stored: str, played: str) -> str:
    return (
        f"played again it went otherwise (digest {played}, not {stored}): "
        "a bot is not deterministic or has changed, or the result was edited"
    )
