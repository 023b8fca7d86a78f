"""The settings of a tournament, and the base of tournament formats."""

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
from referee.match.sandbox import Kind, Sandbox
from referee.match.spec import MatchSpec, match_spec
from referee.tournament.choices import DEALS, FORMATS, Seats
from referee.tournament.rating.sprt import Sprt
from referee.tournament.rows import Entrant

Count = Annotated[int, Meta(ge=1, le=MAX_COUNT)]
Seed = Annotated[int, Meta(ge=0, lt=MAX_SEED)]
LineUp = tuple[int, ...]
Name = Annotated[str, Meta(pattern=f"^({'|'.join(FORMATS)})$")]


class Knockout(Struct, frozen=True):
    """The settings of a knockout.

    Attributes:
        seeding: the numbers of all bots, the best seed first; empty: in their order.
        third_place: whether the losers of the semi-finals play for the third place.
    """

    seeding: tuple[int, ...] = ()
    third_place: bool = False


class TournamentSetup(Struct, frozen=True, kw_only=True):
    """The settings of a tournament. Equal setups have the same matches.

    Attributes:
        deals: of each pairing or line-up; None if `matches` is given.
        matches: in all, rounded up to whole deals; None if `deals` is given.
        rounds: of a Swiss tournament; else None.
        challengers: of a gauntlet, how many bots at the beginning are; else None.
        sprt: of a sequential test; else None.
        withdraw_after: the number of consecutive matches in which a bot is disqualified with one
            code, after which it is withdrawn; None: no bot is.
        knockout: of a knockout; else missing, as in a store of an older referee.
        seats: each deal is played once for each rotation, or each order, of its seats; or only
            once, with the bots in the order in which they were named.
        deal_seeds: seeds of the deals of each line-up, in their order; else missing.
        settings: options of the game and limits of the bots, all of them, as a record has them.
        sandbox: of the bots that are programs.
        sandbox_read: folders that are readable in it (`Sandbox.readable`).
        position: from which all matches are played; unset: from the beginning.
    """

    game: str
    format: Name = "round-robin"
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
    sandbox: Kind = "none"
    sandbox_read: tuple[str, ...] = ()
    bots: tuple[Entrant, ...]
    position: Position | UnsetType = UNSET  # older stores do not have it

    @property
    def digest(self) -> str:
        """A digest of the settings that no extension changes.

        Settings with their defaults are left out: a newer referee, which may have more of them,
        gives the same digest.
        """
        same = replace(self, deals=None, matches=None, rounds=None)
        every = [(field.name, getattr(same, field.name), field.default) for field in fields(same)]
        chosen = {name: value for name, value, default in every if value != default}
        data = msgspec.json.encode(chosen, order="deterministic")
        return f"sha256:{hashlib.sha256(data).hexdigest()}"

    @property
    def matches_a_deal(self) -> int:
        """How often a deal is played."""
        return len(seatings(self.players, self.seats))

    @property
    def ends_with_withdrawal(self) -> bool:
        """Whether all matches end when a bot is withdrawn, because each of them has every bot."""
        return len(self.bots) == self.players

    @property
    def total_deals(self) -> int | None:
        """`matches` as deals."""
        return None if self.matches is None else math.ceil(self.matches / self.matches_a_deal)

    @property
    def any_match(self) -> MatchSpec:
        """The options and limits of all matches, in a match without bots."""
        return self.spec([""] * self.players)

    def spec(self, bots: Sequence[str], seed: int = 0, hidden: tuple[str, ...] = ()) -> MatchSpec:
        """A match of these BOT arguments; `seed` is that of a deal, `hidden` as of `Sandbox`."""
        sandbox = Sandbox(self.sandbox, self.sandbox_read, hidden)
        settings = self.settings
        spec = match_spec(bots, game=self.game, seed=seed, options=settings, sandbox=sandbox)
        return self.position.redealt(spec, seed) if self.position else spec


class Format:
    """How line-ups are made.

    Attributes:
        own: the settings that no other format takes: field of `TournamentSetup`, options of the
            command.
        deals: of each pairing or line-up, if nothing is chosen.
        takes_matches: whether `TournamentSetup.matches` can be given.
        can_grow: whether more bots, deals or rounds can be added to a tournament.
    """

    own: tuple[tuple[str, str], ...] = ()
    deals = DEALS
    takes_matches = True
    can_grow = True

    def settle(self, setup: TournamentSetup) -> TournamentSetup:
        """Return the setup with defaults for the settings in `own`, or raise `UsageError`."""
        return setup

    def line_ups(
        self, setup: TournamentSetup, before: TournamentSetup | None, table: Any
    ) -> Iterator[Sequence[LineUp]]:
        """The line-ups, one per deal, in stages of which each is played before the next.

        Args:
            before: the matches played already, if `setup` extends them.
            table: what `table` gave, with all results so far.
        """
        raise NotImplementedError

    def count(self, setup: TournamentSetup, before: TournamentSetup | None) -> int:
        """How many line-ups there are in all."""
        return sum(map(len, self.line_ups(setup, before, None)))

    def table(self) -> Any:
        """Return the table that follows the results, if line-ups depend on them; else None.

        Its `add` is called with the line-ups and the matches of each stage that was played.
        """
        return None


def seatings(players: int, kind: Seats) -> tuple[tuple[int, ...], ...]:
    """The orders in which a line-up is seated, the line-up's own first.

    Args:
        kind: each rotation, or each order, or only the line-up's own order.

    Returns:
        `players`, `players`! or 1 permutations: seat s has bot `line_up[seating[s]]`. Unless the
        seats are fixed, each bot is in each seat equally often.
    """
    if kind == "fixed":
        return (tuple(range(players)),)
    if kind == "all":
        return tuple(permutations(range(players)))
    return tuple(
        tuple((first + seat) % players for seat in range(players)) for first in range(players)
    )
