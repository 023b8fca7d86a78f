"""A gauntlet: the first bots against all others."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from msgspec.structs import replace

from referee.errors import UsageError
from referee.tournament.choices import CHALLENGERS
from referee.tournament.schedule import pairing
from referee.tournament.schedule.format import LineUp, TournamentSetup


def gauntlet(
    bots: int,
    challengers: int,
    players: int = 2,
    *,
    deals: int | None = None,
    total: int | None = None,
    seed: int = 0,
) -> pairing.LineUps:
    """The first bots against all others: each line-up is one challenger and others.

    Challengers never meet, and with two players the others do not either. After any deal, the
    numbers of deals of two challengers differ by at most 1. The others are lined up as in a
    round robin among themselves with one seat fewer. Every challenger plays each of these line-ups.
    With two or three players, the challengers take turns, one round of line-ups each; with more,
    each plays all its line-ups before the next. With two or three players the others' numbers of
    deals therefore differ by at most 1 too, after any deal.

    Args:
        bots: challengers and others together.
        challengers: how many of the bots are challengers, at least 1.
        deals: as of `round_robin`, for each challenger and each other bot; so are the rest.

    Raises:
        UsageError: there are too few others.
    """
    others = bots - challengers
    if others < players - 1:
        raise UsageError(
            f"a gauntlet of {challengers} in matches of {players} needs at least "
            f"{challengers + players - 1} bots, not {bots}"
        )
    many = pairing.deals_in_all(deals, total, challengers * others, players - 1)
    first = pairing.shuffled(range(challengers), seed, "challengers")
    rest = pairing.shuffled(range(challengers, bots), seed, "others")
    length, line_up = pairing.lists(others, players - 1)
    both = lcm(length, challengers)

    def at(deal: int) -> LineUp:
        # Each challenger plays each of `length` line-ups in length * challengers deals, through
        # which both go round; where they would come together again, the challengers skip one.
        cycle, place = divmod(deal, length * challengers)
        challenger = first[(place + place // both) % challengers]
        met = [rest[bot] for bot in line_up(cycle * length + place % length)]
        return pairing.seated([challenger, *met], seed, deal)

    return pairing.LineUps(many, at)


class Gauntlet(pairing.Listed):
    """The first bots against all others."""

    own = (("challengers", "--challengers"),)

    def settle(self, setup: TournamentSetup) -> TournamentSetup:
        """See that somebody is left to play against."""
        challengers = setup.challengers or CHALLENGERS
        if challengers >= len(setup.bots):
            raise UsageError(f"--challengers {challengers}: nobody is left to play against")
        return replace(setup, challengers=challengers)

    def listed(self, setup: TournamentSetup, length: TournamentSetup) -> pairing.LineUps:
        """As many line-ups as `length` has, of the bots of `setup`."""
        assert setup.challengers is not None  # settled
        return gauntlet(
            len(setup.bots),
            setup.challengers,
            setup.players,
            deals=length.deals,
            total=length.total_deals,
            seed=setup.seed,
        )

    def missed(self, setup: TournamentSetup, before: TournamentSetup) -> Iterator[pairing.LineUps]:
        """The challengers against the new bots."""
        assert setup.challengers is not None  # settled
        order = [*range(setup.challengers), *range(len(before.bots), len(setup.bots))]
        if len(order) - setup.challengers >= setup.players - 1:
            line_ups = gauntlet(
                len(order), setup.challengers, setup.players, deals=before.deals, seed=setup.seed
            )
            yield pairing.renumbered(line_ups, order)


FORMAT = Gauntlet()
