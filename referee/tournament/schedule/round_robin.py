"""A round robin: everybody against everybody."""

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
    """Every bot meets every other equally often.

    Two players: in each cycle of bots * (bots - 1) / 2 deals every pair meets once, and after any
    deal pairs' counts differ by at most 1, and so do bots'. An even number of bots plays in rounds
    by the circle method, an odd one along Walecki's Hamiltonian cycles (that 1 can be kept for odd
    numbers: Suksompong, Scheduling asynchronous round-robin tournaments, 2016). Nobody waits longer
    than for `bots` deals.

    More players (`blocks`): with `deals`, up to 12 bots and four players, each pair meets so often
    within 1; with more bots a pair seldom differs by 2. Bots' counts differ by at most 2
    after any deal.

    Args:
        bots: at least `players`.
        players: 2 to `MAX_PLAYERS` seats of a match.
        deals: how often each pair meets: exactly for two players, else on average, rounded up to
            whole deals. Either this or `total` is given.
        total: how many deals in all.
    """
    many = pairing.deals_in_all(deals, total, bots * (bots - 1), players * (players - 1))
    names = pairing.shuffled(range(bots), seed, "bots")
    line_up = pairing.lists(bots, players)[1]
    return pairing.LineUps(
        many, lambda deal: pairing.seated([names[bot] for bot in line_up(deal)], seed, deal)
    )


class RoundRobin(pairing.Listed):
    """Everybody against everybody."""

    def listed(self, setup: TournamentSetup, length: TournamentSetup) -> pairing.LineUps:
        """As many line-ups as `length` has, of the bots of `setup`."""
        bots, deals, total = len(setup.bots), length.deals, length.total_deals
        return round_robin(bots, setup.players, deals=deals, total=total, seed=setup.seed)

    def missed(self, setup: TournamentSetup, before: TournamentSetup) -> Iterator[pairing.LineUps]:
        """The new bots against the old ones, and then among themselves."""
        old, everybody = len(before.bots), range(len(setup.bots))
        new, players = everybody[old:], setup.players
        order = [*new, *everybody[:old]]
        line_ups = gauntlet(len(order), len(new), players, deals=before.deals, seed=setup.seed)
        yield pairing.renumbered(line_ups, order)
        if len(new) >= players:
            line_ups = round_robin(len(new), players, deals=before.deals, seed=setup.seed)
            yield pairing.renumbered(line_ups, new)


FORMAT = RoundRobin()
