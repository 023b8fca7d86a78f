"""Statistics over many matches: how they end, what turns yield, and what bots buy and call."""

from __future__ import annotations

from collections import Counter, defaultdict
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
    """The facts that we store about a seat in a match."""

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
    favours: list[str]  # patrons that favoured the player at the end
    agents: Count  # how often an agent came into play
    lost: tuple[Count, Count, Count]  # how many agents were killed, knocked out and destroyed
    standing: Count  # agents still in play at the end


class _Sums:
    """Adds up a bot's points and any other numbers over its matches."""

    def __init__(self) -> None:
        self.matches = 0
        self.points = 0.0
        self.numbers: list[int] = []

    def add(self, points: float, numbers: Sequence[int] = ()) -> None:
        self.matches += 1
        self.points += points
        before = self.numbers or [0] * len(numbers)
        self.numbers = [one + other for one, other in zip(before, numbers, strict=True)]

    @property
    def mean_points(self) -> float | None:
        return self.points / self.matches if self.matches else None


class _Bot:
    """The sums over all matches of a bot. We don't keep the matches, as there may be too many."""

    def __init__(self) -> None:
        self.whole = _Sums()
        self.by_seat = {True: _Sums(), False: _Sums()}  # True stands for the first seat
        self.reasons: Counter[str] = Counter()
        self.calls: defaultdict[str, _Sums] = defaultdict(_Sums)
        self.cards = CardSums()

    def add(self, points: float, match: SeatMatch) -> None:
        self.whole.add(points, _numbers(match))
        self.by_seat[match.first].add(points)
        self.reasons[match.reason] += 1
        # The Treasury isn't in `patrons`, but it's at every table. If the match ended during the
        # draft, `patrons` is empty, and the Treasury wasn't there either.
        treasury = [TREASURY] if match.patrons else []
        for patron in [*match.patrons, *treasury]:
            numbers = (match.calls.get(patron, 0), patron in match.favours)
            self.calls[patron].add(points, numbers)
        # `CardSums` expects two numbers per card, but we only need one.
        self.cards.add(points, {card: (count, 0) for card, count in match.bought.items()})


_Bots = Sequence[tuple[str, _Bot]]


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
        bots = by_bot(seats, SeatMatch, _Bot)
        return [make(bots) for make in (_ends, _turns, _calls, _agents, _cards)]


def _ends(bots: _Bots) -> StatisticsTable:
    rows = []
    for bot, sums in bots:
        shares = [sums.reasons[reason] / sums.whole.matches for reason in _ENDS]
        seats = (sums.whole, sums.by_seat[True], sums.by_seat[False])
        points = [each.mean_points for each in seats]
        rows.append((bot, sums.whole.matches, *shares, max(0.0, 1 - sum(shares)), *points))
    numbers = (*_ENDS, "other end", "points", "points as first", "as second")
    return StatisticsTable("How matches end", ("bot", "matches", *numbers), rows, percent=numbers)


def _numbers(m: SeatMatch) -> Sequence[int]:
    bought, calls = sum(m.bought.values()), sum(m.calls.values())
    made = (m.prestige, m.power, m.coins, bought, calls, m.agents)
    return (m.turns, m.cost, *made, *m.lost, m.standing)


def _turns(bots: _Bots) -> StatisticsTable:
    rows = []
    for bot, sums in bots:
        # Turns are shown per match, and costs per card. All other numbers are shown per turn.
        turns, cost, *numbers = sums.whole.numbers[:8]
        *made, calls, agents = [amount / turns if turns else None for amount in numbers]
        paid = cost / numbers[3] if numbers[3] else None
        rows.append((bot, turns / sums.whole.matches, *made, paid, calls, agents))
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
    rows: list[Row] = []
    for bot, sums in bots:
        for patron in (*PATRONS, TREASURY):
            if patron in sums.calls:
                here = sums.calls[patron]
                calls, favours = (number / here.matches for number in here.numbers)
                favour = None if patron == TREASURY else favours  # it never favours anybody
                rows.append((bot, patron, here.matches, calls, favour, here.mean_points))
    shares = ("favour at the end", "points")
    columns = ("bot", "patron", "matches", "calls", *shares)
    return StatisticsTable("Calls per match, by patron at the table", columns, rows, percent=shares)


def _agents(bots: _Bots) -> StatisticsTable:
    rows = []
    for bot, sums in bots:
        agents, *fates = sums.whole.numbers[7:]
        shares = [fate / agents if agents else None for fate in fates]
        rows.append((bot, agents / sums.whole.matches, *shares))
    ends = ("killed", "knocked out", "destroyed", "in play at the end")
    title = "Agents per match, and what happened to them"
    return StatisticsTable(title, ("bot", "agents", *ends), rows, percent=ends)


def _cards(bots: _Bots) -> StatisticsTable:
    rows: list[Row] = []
    for bot, sums in bots:
        for *shown, with_it, without, count, _ in sums.cards.rows(bot, lambda card: card):
            rows.append((*shown, count, with_it, without))
    columns = ("bot", "card", "matches", "share", "count", "points with", "points without")
    title = "Cards bought; count is the mean over the matches with the card"
    return StatisticsTable(title, columns, rows, percent=SHARES)
