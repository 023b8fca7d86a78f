"""A gauntlet: the first bots play against all others."""

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
    """Return the line-ups of a gauntlet. Each has one challenger and some of the other bots.

    Challengers never meet each other. With two players, the other bots don't meet each other
    either. With more players, the other bots are lined up as in a round robin with one seat fewer,
    and every challenger plays each of these line-ups.

    The challengers take turns, deal by deal. You can stop after any deal, and their numbers of
    deals only differ by 1 at most. With two or three players, this is also true for the other bots.
    With more players, all challengers play the same line-up before the next one begins.

    Args:
        bots: total number of bots.
        challengers: number of challengers, at least 1.
        deals: number of deals for each pair of a challenger and another bot. All other arguments
            are the same as in `round_robin`.

    Raises:
        UsageError: there are too few other bots.
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
    length, line_up = pairing.balanced_list(others, players - 1)
    both = lcm(length, challengers)

    def at(deal: int) -> LineUp:
        # In `length * challengers` deals, each challenger plays each of `length` line-ups. The next
        # deal gets the next challenger and the next line-up. If both numbers have a common factor,
        # the same combinations would come again after `both` deals, so we skip one challenger then.
        cycle, place = divmod(deal, length * challengers)
        challenger = first[(place + place // both) % challengers]
        met = [rest[bot] for bot in line_up(cycle * length + place % length)]
        return pairing.seated([challenger, *met], seed, deal)

    return pairing.LineUps(many, at)


class Gauntlet(pairing.Listed):
    """The format `gauntlet`."""

    own = (("challengers", "--challengers"),)

    def settle(self, setup: TournamentSetup) -> TournamentSetup:
        """Check that the challengers have opponents, and set their default number."""
        challengers = setup.challengers or CHALLENGERS
        if challengers >= len(setup.bots):
            raise UsageError(f"--challengers {challengers}: nobody is left to play against")
        return replace(setup, challengers=challengers)

    def listed(self, setup: TournamentSetup, length: TournamentSetup) -> pairing.LineUps:
        assert setup.challengers is not None  # settle() has set it
        return gauntlet(
            len(setup.bots),
            setup.challengers,
            setup.players,
            deals=length.deals,
            total=length.total_deals,
            seed=setup.seed,
        )

    def missed_deals(
        self, setup: TournamentSetup, before: TournamentSetup
    ) -> Iterator[pairing.LineUps]:
        """Yield the deals that the challengers would have played against the new bots."""
        assert setup.challengers is not None  # settle() has set it
        order = [*range(setup.challengers), *range(len(before.bots), len(setup.bots))]
        if len(order) - setup.challengers >= setup.players - 1:
            line_ups = gauntlet(
                len(order), setup.challengers, setup.players, deals=before.deals, seed=setup.seed
            )
            yield pairing.with_numbers(line_ups, order)


FORMAT = Gauntlet()
