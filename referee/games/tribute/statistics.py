"""How matches end, what turns bring, what bots buy and whom they call; over many matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from referee.games.interface.capabilities import SeatFacts, Table
from referee.games.interface.game import ALL
from referee.games.interface.seats import seat_id
from referee.games.tribute.rules.cards import PATRONS, TREASURY
from referee.games.tribute.rules.game import Tribute

_Count = Annotated[int, Meta(ge=0, lt=2**53)]
_Counts = dict[str, _Count]
_ENDS = ("prestige-80", "prestige-40", "patron-favour", "turn-limit")
_END_COLUMNS = ("bot", "matches", *_ENDS, "other end", "points", "points as first", "as second")
_TURN_COLUMNS = (
    *("bot", "turns", "prestige", "power to prestige", "coins left over", "bought", "paid"),
    *("calls", "agents"),
)
_CALL_COLUMNS = ("bot", "patron", "matches", "calls", "favour at the end", "points")
_AGENT_COLUMNS = ("bot", "agents", "killed", "knocked out", "destroyed", "in play at the end")
_CARD_COLUMNS = ("bot", "card", "matches", "share", "count", "points with", "points without")


class SeatMatch(Struct, frozen=True):
    """What one seat did in one match.

    Attributes:
        first: whether it began.
        reason: how the match ended.
        turns: begun.
        prestige: its score.
        power: that was left for prestige.
        coins: that were left over.
        bought: card -> how many.
        cost: of all of them.
        patrons: at the table but the treasury.
        calls: patron -> how often.
        favours: patrons that favour it at the end.
        agents: that came into play; every one counts each time.
        lost: how many were killed, knocked out, destroyed.
        standing: in play at the end.
    """

    first: bool
    reason: str
    turns: _Count
    prestige: _Count
    power: _Count
    coins: _Count
    bought: _Counts
    cost: _Count
    patrons: list[str]
    calls: _Counts
    favours: list[str]
    agents: _Count
    lost: tuple[_Count, _Count, _Count]
    standing: _Count


_Row = Sequence[str | float | None]
_Matches = Sequence[tuple[float, SeatMatch]]


class TributeStatistics:
    """Implements `referee.games.interface.capabilities.Statistics` for Scripts of Tribute."""

    def of_match(self, game: Tribute) -> list[bytes]:
        """A `SeatMatch` for each seat, as JSON."""
        assert game.outcome is not None
        favours = game.view(ALL).favours
        return [
            msgspec.json.encode(
                SeatMatch(
                    first=seat == 0,
                    reason=game.outcome.reason,
                    turns=standing.turns,
                    prestige=standing.score,
                    power=made.power,
                    coins=made.coins,
                    bought=dict(Counter(kind.card for kind in made.bought)),
                    cost=sum(kind.cost for kind in made.bought),
                    patrons=[patron for patron in favours if patron != TREASURY],
                    calls=dict(Counter(made.called)),
                    favours=[patron for patron, who in favours.items() if who == seat_id(seat)],
                    agents=made.agents,
                    lost=(made.killed, made.knocked_out, made.destroyed),
                    standing=made.agents - made.killed - made.knocked_out - made.destroyed,
                )
            )
            for seat, (standing, made) in enumerate(zip(game.standings(), game.made(), strict=True))
        ]

    def tables(self, seats: Iterable[SeatFacts]) -> list[Table]:
        """How matches end, what turns bring, calls, agents, and cards bought."""
        found: dict[str, list[tuple[float, SeatMatch]]] = {}
        decode = msgspec.json.Decoder(SeatMatch).decode
        for seat in seats:
            found.setdefault(seat.bot, []).append((seat.points, decode(seat.facts)))
        bots = sorted(found.items())
        shares = ("points", "points as first", "as second", "points with", "points without")
        ends = [_end_row(bot, matches) for bot, matches in bots]
        turns = [_turn_row(bot, [match for _, match in matches]) for bot, matches in bots]
        calls = [row for bot, matches in bots for row in _call_rows(bot, matches)]
        agents = [_agent_row(bot, [match for _, match in matches]) for bot, matches in bots]
        cards = [row for bot, matches in bots for row in _card_rows(bot, matches)]
        means = "Cards bought; count is the mean over the matches with the card"
        at_end = (*_ENDS, "other end")
        return [
            Table("How matches end", _END_COLUMNS, ends, percent=(*at_end, *shares[:3])),
            Table("Means of a turn, paid of a card; turns of a match", _TURN_COLUMNS, turns),
            Table(
                "Calls of a match, by patron at the table",
                _CALL_COLUMNS,
                calls,
                percent=("favour at the end", "points"),
            ),
            Table(
                "Agents of a match, and what became of them",
                _AGENT_COLUMNS,
                agents,
                percent=_AGENT_COLUMNS[2:],
            ),
            Table(means, _CARD_COLUMNS, cards, percent=("share", *shares[3:])),
        ]


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def _end_row(bot: str, matches: _Matches) -> _Row:
    reasons = Counter(match.reason for _, match in matches)
    shares = [reasons[reason] / len(matches) for reason in _ENDS]
    seats = [_mean(p for p, match in matches if match.first is first) for first in (True, False)]
    points = _mean(points for points, _ in matches)
    return (bot, len(matches), *shares, max(0.0, 1 - sum(shares)), points, *seats)


def _turn_row(bot: str, matches: Sequence[SeatMatch]) -> _Row:
    turns = sum(match.turns for match in matches)
    bought = sum(sum(match.bought.values()) for match in matches)
    made = ("prestige", "power", "coins")
    sums = [sum(getattr(match, what) for match in matches) for what in made]
    sums.append(bought)
    per_turn = [amount / turns if turns else None for amount in sums]
    paid = sum(match.cost for match in matches) / bought if bought else None
    calls = sum(sum(match.calls.values()) for match in matches)
    agents = sum(match.agents for match in matches)
    rest = [amount / turns if turns else None for amount in (calls, agents)]
    return (bot, turns / len(matches), *per_turn, paid, *rest)


def _call_rows(bot: str, matches: _Matches) -> list[_Row]:
    """A row a patron: over the matches in which it was at the table."""
    rows: list[_Row] = []
    for patron in (*PATRONS, TREASURY):
        here = [
            (points, match)
            for points, match in matches
            if patron in match.patrons or (patron == TREASURY and match.patrons)
        ]
        if here:
            calls = _mean(match.calls.get(patron, 0) for _, match in here)
            favour = _mean(patron in match.favours for _, match in here)
            points = _mean(points for points, _ in here)
            favours = None if patron == TREASURY else favour
            rows.append((bot, patron, len(here), calls, favours, points))
    return rows


def _agent_row(bot: str, matches: Sequence[SeatMatch]) -> _Row:
    agents = sum(match.agents for match in matches)
    fates = [sum(match.lost[fate] for match in matches) for fate in range(3)]
    fates.append(sum(match.standing for match in matches))
    return (bot, agents / len(matches), *(fate / agents if agents else None for fate in fates))


def _card_rows(bot: str, matches: _Matches) -> list[_Row]:
    """A row a card, the one with the greatest share first."""
    having: dict[str, list[tuple[float, int]]] = {}
    for points, match in matches:
        for card, count in match.bought.items():
            having.setdefault(card, []).append((points, count))
    everything = sum(points for points, _ in matches)
    rows: list[_Row] = []
    for card in sorted(having, key=lambda card: (-len(having[card]), card)):
        number = len(having[card])
        points, count = (sum(column) for column in zip(*having[card], strict=True))
        without = len(matches) - number
        others = (everything - points) / without if without else None
        share = number / len(matches)
        rows.append((bot, card, number, share, count / number, points / number, others))
    return rows
