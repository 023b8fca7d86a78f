"""A knockout: bots play in pairs, and the loser of each pair is eliminated.

The bracket follows from the seeds. The two best seeds can meet only in the final, the four best
only in the semi-finals, and so on. If the number of bots is not a power of two, the best seeds have
a bye in the first round. A pair plays all its deals, and the points of all its matches decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from referee.errors import UsageError
from referee.tournament.rows import LEFT_OUT, WORKER_KILLED, MatchRow, table_points
from referee.tournament.schedule.format import Format, Knockout, LineUp, TournamentSetup
from referee.tournament.schedule.pairing import Repeated

FINAL = "final"
THIRD_PLACE = "third place"
# Names of rounds, by the number of places that they start with, including empty ones.
_ROUNDS = {2: FINAL, 4: "semi-final", 8: "quarter-final"}
# With three bots, one of the two semi-finals is a bye, so nobody would play for third place.
WITH_THIRD_PLACE = 4


class Pair(NamedTuple):
    """Two bots that meet in the bracket, better seed first.

    Attributes:
        round: the name of the round.
        bots: the numbers of the bots. If a number is None, the other bot has a bye.
        loser_place: the final place of the loser.
        points: the points of both bots in all their matches in this round.
        scores: the sums of both bots' scores in the game.
        winner: the bot that advances, or None if the pair has not played or neither bot can
            continue.
    """

    round: str
    bots: tuple[int | None, int | None]
    loser_place: int
    points: tuple[float, float] = (0.0, 0.0)
    scores: tuple[float, float] = (0.0, 0.0)
    winner: int | None = None

    @property
    def is_last(self) -> bool:
        """True for the final and the match for third place."""
        return self.round in (FINAL, THIRD_PLACE)

    @property
    def loser(self) -> int | None:
        """The bot that lost, or None."""
        return None if self.winner is None else next(b for b in self.bots if b != self.winner)


class KnockoutTable:
    """The bracket with the results so far.

    The bot with more points wins its pair. If points are equal, the higher sum of scores wins, and
    if these are equal too, the better seed. A bot that is out, withdrawn or left out in a round
    loses its pair.

    Attributes:
        rounds: the pairs of each finished round. The last round consists of the final and maybe the
            match for third place.
        playing: the pairs of the current round. The list is empty before the first round and after
            the last.
    """

    def __init__(self) -> None:
        self.rounds: list[list[Pair]] = []
        self.playing: list[Pair] = []
        self._seed: dict[int | None, int] = {}
        self._left: list[int | None] = []  # remaining bots in the order of the bracket

    @property
    def is_over(self) -> bool:
        """Whether the final has been played."""
        return len(self._left) == 1

    def next_round(self, setup: TournamentSetup) -> Sequence[LineUp]:
        """Pair the next round, and return its line-ups, each of them once per deal."""
        assert isinstance(setup.knockout, Knockout)  # set by `settle`
        if not self._left:
            bots = setup.knockout.seeding or tuple(range(len(setup.bots)))
            # An empty place counts as the worst seed.
            self._seed = {bot: seed for seed, bot in enumerate((*bots, None))}
            places = bracket(len(bots))
            self._left = [bots[seed] if seed < len(bots) else None for seed in places]
        size = len(self._left)
        round = _ROUNDS.get(size, f"round of {size}")
        self.playing = [
            self._pair(round, self._left[first : first + 2], size // 2 + 1)
            for first in range(0, size, 2)
        ]
        if setup.knockout.third_place and size == 2:
            losers = [pair.loser for pair in self.rounds[-1]]
            self.playing.append(self._pair(THIRD_PLACE, losers, WITH_THIRD_PLACE))
        pairs = [
            (one, other)
            for one, other in (pair.bots for pair in self.playing)
            if one is not None and other is not None
        ]
        return Repeated(pairs, setup.deals or 1)

    def add(
        self,
        line_ups: Sequence[LineUp],
        matches: Iterable[MatchRow],
        withdrawn: Iterable[int] = (),
    ) -> None:
        """Add the results of the current round, which eliminate the losers.

        Args:
            matches: the matches of the round.
            withdrawn: the bots that were withdrawn in this round or an earlier one.
        """
        points: defaultdict[int | None, float] = defaultdict(float)
        scores: defaultdict[int | None, float] = defaultdict(float)
        gone: set[int | None] = {None, *withdrawn}
        for match in matches:
            for seat, own in zip(match.seats, table_points(match), strict=True):
                points[seat.bot] += own
                scores[seat.bot] += 0 if match.void else seat.score
                if seat.disqualified in (WORKER_KILLED, LEFT_OUT):
                    gone.add(seat.bot)
        over = []
        for pair in self.playing:
            one, other = pair.bots
            # A rounding error must not break a tie.
            score = {bot: round(scores[bot], 6) for bot in pair.bots}
            winner = max(
                {one, other} - gone,
                key=lambda bot: (points[bot], score[bot], -self._seed[bot]),
                default=None,
            )
            pair = pair._replace(points=(points[one], points[other]), winner=winner)
            over.append(pair._replace(scores=(score[one], score[other])))
        self.rounds.append(over)
        # The last pair may have played for third place. We cut it off here, since its winner is not
        # in the next round.
        self._left = [pair.winner for pair in over[: len(self._left) // 2]]
        self.playing = []

    def finished_bots(self) -> set[int]:
        """Return the bots that have no match left."""
        return {*self.places()}

    def places(self) -> dict[int, int]:
        """Return the final places by bot, of those that have no match left.

        Bots that lost in the same round share a place.
        """
        found: dict[int, int] = {}
        for pair in chain.from_iterable(self.rounds):
            for bot in pair.bots:
                if bot is not None and bot != pair.winner:
                    found[bot] = pair.loser_place
            if pair.is_last and pair.winner is not None:
                if pair.round == THIRD_PLACE:
                    # A semi-final in which neither bot could continue sent nobody to this match.
                    for bot, place in found.items():
                        found[bot] = WITH_THIRD_PLACE if place == WITH_THIRD_PLACE - 1 else place
                found[pair.winner] = pair.loser_place - 1
        # The losers of the semi-finals don't have a place before the match for third place.
        yet_to_play = {bot for pair in self.playing for bot in pair.bots}
        return {bot: place for bot, place in found.items() if bot not in yet_to_play}

    def _pair(self, round: str, bots: Sequence[int | None], loser_place: int) -> Pair:
        first, second = sorted(bots, key=self._seed.__getitem__)
        return Pair(round, (first, second), loser_place)


def bracket(bots: int) -> list[int]:
    """Return the seeds, from 0, in the order of the bracket.

    The first two seeds meet in the first round, and so do the next two. The winners of these two
    pairs meet in the second round, and so on. For example, the result for four bots is 0, 3, 1, 2.
    If the number of bots isn't a power of two, there are more seeds than bots, and their places
    stay empty.
    """
    order = [0]
    while len(order) < bots:
        # The seeds of a pair always add up to this number, so the best plays against the worst.
        last = 2 * len(order) - 1
        order = [place for seed in order for place in (seed, last - seed)]
    return order


class KnockoutFormat(Format):
    """The format `knockout`."""

    own = (("knockout", "--seeding and --third-place"),)
    takes_matches = False
    can_grow = False

    def settle(self, setup: TournamentSetup) -> TournamentSetup:
        """Check that each match has two players, and that there are enough bots for third place."""
        if setup.players != 2:
            raise UsageError("--pairing knockout plays matches of two")
        chosen = Knockout() if setup.knockout is UNSET else setup.knockout
        if chosen.third_place and len(setup.bots) < WITH_THIRD_PLACE:
            raise UsageError(f"--third-place needs {WITH_THIRD_PLACE} bots: two lose a semi-final")
        if chosen.seeding and sorted(chosen.seeding) != [*range(len(setup.bots))]:
            raise UsageError("the seeding of a knockout must have each bot once")
        return replace(setup, knockout=chosen)

    def line_ups(
        self, setup: TournamentSetup, before: TournamentSetup | None, table: KnockoutTable
    ) -> Iterator[Sequence[LineUp]]:
        while not table.is_over:
            yield table.next_round(setup)

    def count(self, setup: TournamentSetup, before: TournamentSetup | None) -> int:
        assert isinstance(setup.knockout, Knockout)  # settle() has set it
        return (len(setup.bots) - 1 + setup.knockout.third_place) * (setup.deals or 1)

    def table(self) -> KnockoutTable:
        return KnockoutTable()


FORMAT = KnockoutFormat()
