"""Defines the settings of a tournament, and the base class of formats."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import fields, replace

from referee.match.limits import MAX_COUNT
from referee.match.machine import MAX_SEED
from referee.match.position import Position
from referee.match.sandbox import Sandbox, SandboxKind
from referee.match.spec import MAX_OPENING, MatchSpec, match_spec
from referee.tournament.choices import DEALS, Pairing, Seats
from referee.tournament.rating.sprt import Sprt
from referee.tournament.rows import Entrant

Count = Annotated[int, Meta(ge=1, le=MAX_COUNT)]
Opening = Annotated[int, Meta(ge=1, le=MAX_OPENING)]
Seed = Annotated[int, Meta(ge=0, lt=MAX_SEED)]
LineUp = tuple[int, ...]


class Knockout(Struct, frozen=True):
    """The settings that only a knockout has.

    Attributes:
        seeding: the numbers of all bots, best seed first. If it's empty, bots are seeded in the
            order of their numbers.
        third_place: if True, the losers of the semi-finals play for third place.
    """

    seeding: tuple[int, ...] = ()
    third_place: bool = False


class TournamentSetup(Struct, frozen=True, kw_only=True):
    """All settings of a tournament.

    They determine all its matches, except that later rounds of some formats also depend on results.

    Attributes:
        deals: number of deals per pairing or line-up, or None if `matches` is given.
        matches: total number of matches, rounded up to whole deals, or None if `deals` is given.
        rounds: number of rounds of a Swiss tournament. This is None in other formats.
        challengers: in a gauntlet, the first bots are the challengers, and this is their number. In
            other formats it's None.
        sprt: the sequential test, which only the format `sprt` has.
        withdraw_after: a bot is withdrawn after this many consecutive matches with the same
            disqualification. If it's None, no bot is withdrawn.
        knockout: settings of a knockout. This field is missing in other formats and in older
            stores.
        seats: how often a deal is played: once per rotation of its seats, once per order of its
            seats, or only once with the bots in the given order.
        deal_seeds: seeds that each pair of bots plays, in this order. If missing, the seeds of
            deals follow from `seed`.
        settings: all options of the game and limits of the bots, as in a record.
        sandbox: the kind of sandbox for bots that are programs.
        sandbox_read: folders that are readable in the sandbox (`Sandbox.readable`).
        position: the position from which all matches start. If it's unset, they start at the
            beginning.
        opening: in this number of rounds of each match, the replies are drawn at random. If it's
            unset, there are none.
    """

    game: str
    format: Pairing = "round-robin"
    players: int = 0
    deals: Count | None = None
    matches: Count | None = None
    rounds: Count | None = None
    challengers: Count | None = None
    sprt: Sprt | None = None
    knockout: Knockout | UnsetType = UNSET
    seats: Seats = "rotate"
    seed: int
    deal_seeds: tuple[Seed, ...] | UnsetType = UNSET
    keep_alive: bool = True
    withdraw_after: Count | None = None
    settings: dict[str, Any]
    sandbox: SandboxKind = "none"
    sandbox_read: tuple[str, ...] = ()
    bots: tuple[Entrant, ...]
    position: Position | UnsetType = UNSET  # missing in older stores
    opening: Opening | UnsetType = UNSET  # missing in older stores

    @property
    def digest(self) -> str:
        """Digest of all settings that stay the same when a tournament is extended.

        Settings with default values aren't included, so a newer referee with more settings computes
        the same digest.
        """
        same = replace(self, deals=None, matches=None, rounds=None)
        every = [(field.name, getattr(same, field.name), field.default) for field in fields(same)]
        chosen = {name: value for name, value, default in every if value != default}
        data = msgspec.json.encode(chosen, order="deterministic")
        return f"sha256:{hashlib.sha256(data).hexdigest()}"

    @property
    def matches_a_deal(self) -> int:
        """Number of matches per deal."""
        return len(seatings(self.players, self.seats))

    @property
    def ends_with_withdrawal(self) -> bool:
        """True if every bot plays in every match. The first withdrawal then ends the tournament."""
        return len(self.bots) == self.players

    @property
    def total_deals(self) -> int | None:
        """Number of deals that are needed for `matches`, or None if `deals` is given."""
        return None if self.matches is None else math.ceil(self.matches / self.matches_a_deal)

    @property
    def any_match(self) -> MatchSpec:
        """The options and limits that all matches have in common, as a match without bots."""
        return self.spec([""] * self.players)

    def spec(self, bots: Sequence[str], seed: int = 0, hidden: tuple[str, ...] = ()) -> MatchSpec:
        """Return the settings of one match.

        Args:
            bots: the BOT arguments, in seat order.
            seed: the seed of the deal.
            hidden: `Sandbox.hidden`.
        """
        sandbox = Sandbox(self.sandbox, self.sandbox_read, hidden)
        settings = self.settings
        spec = match_spec(bots, game=self.game, seed=seed, options=settings, sandbox=sandbox)
        spec = replace(spec, opening=self.opening or 0)
        return self.position.redealt(spec, seed) if self.position else spec


class Format:
    """Base class of tournament formats, which generate the line-ups.

    Attributes:
        own: the settings that only this format has. Each is a pair: a field of `TournamentSetup`,
            and the command's options for it.
        deals: default number of deals per pairing or line-up.
        takes_matches: True if `TournamentSetup.matches` can be given.
        can_grow: True if a tournament can be extended by bots, deals or rounds.
    """

    own: tuple[tuple[str, str], ...] = ()
    deals = DEALS
    takes_matches = True
    can_grow = True

    def settle(self, setup: TournamentSetup) -> TournamentSetup:
        """Check the settings in `own`, and return the setup with their defaults filled in.

        Raises:
            UsageError: the format can't be played with this setup.
        """
        return setup

    def line_ups(
        self, setup: TournamentSetup, before: TournamentSetup | None, table: Any
    ) -> Iterator[Sequence[LineUp]]:
        """Yield the line-ups of each stage, one line-up per deal.

        Before you ask for the next stage, play this one and add its results to the table.

        Args:
            before: the setup that `setup` extends, if its matches were already played.
            table: the result of `Format.table`.
        """
        raise NotImplementedError

    def count(self, setup: TournamentSetup, before: TournamentSetup | None) -> int:
        """Return the number of line-ups in all stages. This must not depend on results."""
        return sum(map(len, self.line_ups(setup, before, None)))

    def table(self) -> Any:
        """Create a table of results, if later line-ups depend on them. Otherwise return None.

        Its method `add` takes the line-ups and the matches of each stage that was played.
        """
        return None


def seatings(players: int, kind: Seats) -> tuple[tuple[int, ...], ...]:
    """Return the orders in which the bots of a line-up take their seats, one for each match.

    Args:
        kind: all rotations, all orders, or only the order of the line-up.

    Returns:
        `players`, `players`! or 1 permutations of the seats. Seat s gets the bot
        `line_up[seating[s]]`. The first permutation is the order of the line-up. Unless seats are
        fixed, each bot has each seat equally often.
    """
    if kind == "fixed":
        return (tuple(range(players)),)
    if kind == "all":
        return tuple(permutations(range(players)))
    return tuple(
        tuple((first + seat) % players for seat in range(players)) for first in range(players)
    )
