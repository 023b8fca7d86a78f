"""A round robin: every bot plays against every other."""

from __future__ import annotations

from collections.abc import Iterator

from referee.tournament.schedule import pairing
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.gauntlet import gauntlet


def round_robin(
    bots: int,
    players: int = 2,
    *,
    deals: int | None = None,
    total: int | None = None,
    seed: int = 0,
) -> pairing.LineUps:
    """Return the line-ups of a round robin, in which every pair of bots meets equally often.

    With two players, every pair meets once in each cycle of bots * (bots - 1) / 2 deals. You can
    stop after any deal: no pair will have played more than one deal more than another pair, and the
    same is true for single bots. We use rounds of the circle method for an even number of bots, and
    Walecki's Hamiltonian cycles for an odd number. (See Suksompong, Scheduling asynchronous
    round-robin tournaments, 2016, for a proof that a difference of 1 is possible for odd numbers.)
    No bot waits longer than `bots` deals.

    With more players, the lists are only nearly balanced (see `blocks`). If `deals` is given, with
    up to 12 bots and four players, each pair meets in at most one deal more or less than that. With
    more bots, the difference is 2 in rare cases. Two bots differ by at most two deals at any time.

    Args:
        bots: number of bots, at least `players`.
        players: number of seats per match, 2 to `MAX_PLAYERS`.
        deals: how often each pair meets. This is exact for two players. With more players it's an
            average, and we round up to whole deals. Give either `deals` or `total`.
        total: total number of deals.
    """
    many = pairing.deals_in_all(deals, total, bots * (bots - 1), players * (players - 1))
    names = pairing.shuffled(range(bots), seed, "bots")
    line_up = pairing.balanced_list(bots, players)[1]
    return pairing.LineUps(
        many, lambda deal: pairing.seated([names[bot] for bot in line_up(deal)], seed, deal)
    )


class RoundRobin(pairing.Listed):
    """The format `round-robin`."""

    def listed(self, setup: TournamentSetup, length: TournamentSetup) -> pairing.LineUps:
        bots, deals, total = len(setup.bots), length.deals, length.total_deals
        return round_robin(bots, setup.players, deals=deals, total=total, seed=setup.seed)

    def missed_deals(
        self, setup: TournamentSetup, before: TournamentSetup
    ) -> Iterator[pairing.LineUps]:
        """Yield the deals of new bots against old bots, then the deals among the new bots."""
        old, everybody = len(before.bots), range(len(setup.bots))
        new, players = everybody[old:], setup.players
        order = [*new, *everybody[:old]]
        line_ups = gauntlet(len(order), len(new), players, deals=before.deals, seed=setup.seed)
        yield pairing.with_numbers(line_ups, order)
        if len(new) >= players:
            line_ups = round_robin(len(new), players, deals=before.deals, seed=setup.seed)
            yield pairing.with_numbers(line_ups, new)


FORMAT = RoundRobin()
