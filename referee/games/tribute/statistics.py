"""Statistics over many matches: how they end, yield of turns, purchases and calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from referee.games.interface.capabilities import SeatFacts, StatisticsTable
from referee.games.interface.card_sums import SHARES, CardSums, Count, Row, by_bot
from referee.games.tribute.rules.cards import PATRONS, TREASURY
from referee.games.tribute.rules.game import Tribute

_Counts = dict[str, Count]
_ENDS = ("prestige-80", "prestige-40", "patron-favour", "turn-limit")


class SeatMatch(Struct, frozen=True):
    """The numbers of one seat in one match."""

    first: bool
    reason: str
    turns: Count
    prestige: Count
    power: Count
    coins: Count
    bought: _Counts
    cost: Count  # total cost of the bought cards
    patrons: list[str]  # patrons at the table, without the Treasury
    calls: _Counts
    favours: list[str]  # patrons that favour the player at the end
    agents: Count  # number of times that an agent came into play
    lost: tuple[Count, Count, Count]  # agents that were killed, knocked out, destroyed
    standing: Count  # agents in play at the end


_Bots = Sequence[tuple[str, Sequence[tuple[float, SeatMatch]]]]


class _Matches(list[tuple[float, SeatMatch]]):
    def add(self, points: float, match: SeatMatch) -> None:
        self.append((points, match))


class TributeStatistics:
    """Implements `referee.games.interface.capabilities.Statistics` for Scripts of Tribute."""

    def of_match(self, game: Tribute) -> list[bytes]:
        assert game.outcome is not None
        favours = game.table.favours
        return [
            msgspec.json.encode(
                SeatMatch(
                    first=player.seat == 0,
                    reason=game.outcome.reason,
                    turns=player.turns,
                    prestige=player.prestige,
                    power=made.power,
                    coins=made.coins,
                    bought=dict(Counter(kind.card for kind in made.bought)),
                    cost=sum(kind.cost for kind in made.bought),
                    patrons=[patron for patron in favours if patron != TREASURY],
                    calls=dict(Counter(made.called)),
                    favours=[patron for patron, who in favours.items() if who is player],
                    agents=made.agents,
                    lost=(made.killed, made.knocked_out, made.destroyed),
                    standing=made.agents - made.killed - made.knocked_out - made.destroyed,
                )
            )
            for player in game.table.players
            for made in (player.made,)
        ]

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        bots = by_bot(seats, SeatMatch, _Matches)
        return [make(bots) for make in (_ends, _turns, _calls, _agents, _cards)]


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def _ends(bots: _Bots) -> StatisticsTable:
    rows = []
    for bot, matches in bots:
        reasons = Counter(match.reason for _, match in matches)
        shares = [reasons[reason] / len(matches) for reason in _ENDS]
        seats = ((True, False), (True,), (False,))  # both seats, the first, the second
        points = [_mean(p for p, match in matches if match.first in among) for among in seats]
        rows.append((bot, len(matches), *shares, max(0.0, 1 - sum(shares)), *points))
    numbers = (*_ENDS, "other end", "points", "points as first", "as second")
    return StatisticsTable("How matches end", ("bot", "matches", *numbers), rows, percent=numbers)


def _numbers(m: SeatMatch) -> Sequence[int]:
    bought, calls = sum(m.bought.values()), sum(m.calls.values())
    return (m.turns, m.cost, m.prestige, m.power, m.coins, bought, calls, m.agents)


def _turns(bots: _Bots) -> StatisticsTable:
    rows = []
    for bot, matches in bots:
        columns = zip(*(_numbers(match) for _, match in matches), strict=True)
        turns, cost, *sums = map(sum, columns)
        *made, calls, agents = [amount / turns if turns else None for amount in sums]
        paid = cost / sums[3] if sums[3] else None
        rows.append((bot, turns / len(matches), *made, paid, calls, agents))
    heads = (
        "bot",
        "own turns",
        "prestige",
        "power to prestige",
        "coins left over",
        "bought",
        "paid",
    )
    title = "Mean per turn, paid per card; turns per match"
    return StatisticsTable(title, (*heads, "calls", "agents"), rows)


def _calls(bots: _Bots) -> StatisticsTable:
    """Create the table of calls: for each patron, the matches in which it was at the table."""
    rows: list[Row] = []
    for bot, matches in bots:
        for patron in (*PATRONS, TREASURY):
            is_treasury = patron == TREASURY  # at every table, and favours nobody
            here = [
                (points, match)
                for points, match in matches
                if patron in match.patrons or (is_treasury and match.patrons)
            ]
            if here:
                calls = _mean(match.calls.get(patron, 0) for _, match in here)
                favour = None if is_treasury else _mean(patron in m.favours for _, m in here)
                points = _mean(points for points, _ in here)
                rows.append((bot, patron, len(here), calls, favour, points))
    shares = ("favour at the end", "points")
    columns = ("bot", "patron", "matches", "calls", *shares)
    return StatisticsTable("Calls per match, by patron at the table", columns, rows, percent=shares)


def _agents(bots: _Bots) -> StatisticsTable:
    rows = []
    for bot, matches in bots:
        agents = sum(match.agents for _, match in matches)
        fates = zip(*[(*match.lost, match.standing) for _, match in matches], strict=True)
        shares = [sum(fate) / agents if agents else None for fate in fates]
        rows.append((bot, agents / len(matches), *shares))
    ends = ("killed", "knocked out", "destroyed", "in play at the end")
    title = "Agents per match, and what happened to them"
    return StatisticsTable(title, ("bot", "agents", *ends), rows, percent=ends)


def _cards(bots: _Bots) -> StatisticsTable:
    """Create the table of bought cards, sorted by share, highest first."""
    rows: list[Row] = []
    for bot, matches in bots:
        sums = CardSums()
        for points, match in matches:
            sums.add(points, {card: (count, 0) for card, count in match.bought.items()})
        for *shown, with_it, without, count, _ in sums.rows(bot, lambda card: card):
            rows.append((*shown, count, with_it, without))
    columns = ("bot", "card", "matches", "share", "count", "points with", "points without")
    title = "Cards bought; count is the mean over the matches with the card"
    return StatisticsTable(title, columns, rows, percent=SHARES)
