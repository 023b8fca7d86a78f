"""Connects the rules of Scripts of Tribute to a match.

The rules in turn.py are a generator that runs through the whole game. It yields questions and
receives decisions (see also `referee.games.interface.table`). This module turns the questions into
requests, and gets the decisions from the replies. An illegal reply ends the game here, so the rules
don't have to deal with mistakes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict, force_setattr

from referee.errors import UsageError
from referee.games.interface.game import GameSetup, Outcome, SeatState, Viewer, beginning_at, ranks
from referee.games.interface.random_source import RandomSource
from referee.games.interface.table import CardFacts, TableGame, copied, redeal
from referee.games.tribute.rules import turn
from referee.games.tribute.rules.cards import PATRONS, TREASURY, card_set
from referee.games.tribute.rules.chance import Generator, generators
from referee.games.tribute.rules.faults import BAD_PATRON
from referee.games.tribute.rules.messages import GameInfo
from referee.games.tribute.rules.replies import Asked, Mistake, read
from referee.games.tribute.rules.situation import Situation
from referee.games.tribute.rules.table import PLAYERS, Choice, Table, copy_of
from referee.games.tribute.rules.view import View, request_of, view_of

ILLEGAL_REPLY = "illegal-reply"
REASONS = {
    turn.PRESTIGE_80: "{winner} reached 80 prestige",
    turn.PRESTIGE_40: "{winner} had 40 prestige and the lead",
    turn.PATRON_FAVOUR: "{winner} had the favour of all four patrons",
    ILLEGAL_REPLY: "a reply of {loser} was not legal",
    BAD_PATRON: "{loser} picked a patron that was not offered",
}


class Options(Struct, frozen=True):
    """The options of a game of Scripts of Tribute.

    Attributes:
        cards: the card set (7).
        patrons: patrons for the draft, in order. Patrons without cards in the card set are removed
            when the options are created, so that the header of a record agrees with `game-info`.
        max_turns: turns of both players together, after which the game is a draw (4.10).
        max_actions: actions per turn, after which the turn can only be ended (4.3).
        chance: the generators of random numbers (4.11).
    """

    cards: Literal["2025-04", "2024-02", "2023-06", "2023-02"] = "2025-04"
    patrons: tuple[str, ...] = PATRONS
    max_turns: Annotated[int, Meta(ge=1, le=10_000)] = 500
    max_actions: Annotated[int, Meta(ge=1, le=100_000)] = 1_000
    chance: Literal["streams", "engine"] = "streams"

    def __post_init__(self) -> None:
        """Remove patrons without cards in the card set.

        Raises:
            UsageError: a patron is unknown or listed twice, or too few patrons are left.
        """
        for patron in self.patrons:
            if patron not in PATRONS:
                raise UsageError(f"no patron {patron!r}; there are: {', '.join(PATRONS)}")
            if self.patrons.count(patron) > 1:
                raise UsageError(f"the patron {patron} is named twice")
        there = card_set(self.cards).starters
        patrons = tuple(patron for patron in self.patrons if patron in there)
        if len(patrons) < len(turn.DRAFT):
            text = f"{len(turn.DRAFT)} patrons at least must be there to pick from"
            raise UsageError(f"{text}; of the card set {self.cards} there are {len(patrons)}")
        # We can't assign to a field of a frozen struct, and __post_init__ can't return a new one.
        force_setattr(self, "patrons", patrons)


class Tribute(TableGame[Table]):
    """One game of Scripts of Tribute; implements `referee.games.interface.game.Game`."""

    def __init__(self, setup: GameSetup, situation: Situation | None = None) -> None:
        options: Options = setup.options
        self.asked: Asked | None = None  # the last question that the rules have asked
        cards = card_set(options.cards)
        lcgs = generators(options.chance, setup.chance, setup.seed, PLAYERS)
        table = Table(cards, lcgs)
        super().__init__(table)
        decks = {*options.patrons, TREASURY}
        table.events.append(
            GameInfo(
                **asdict(options) | {"patrons": list(options.patrons)},
                card_table=[kind.row for kind in cards.kinds.values() if kind.deck in decks],
                player_bot_names=list(setup.names),
            )
        )
        self._options = options
        self._limits = limits = options.max_turns, options.max_actions
        if situation is None:
            script = turn.play(table, options.patrons, *limits)
        else:
            situation.lay_out(table)
            turn.show(table)
            script = turn.play_on(table, *limits)
        self.begin(script, setup.absent)

    def run_to_request(self, reply: object) -> None:
        """Run to the next request, or to the end of the game. An illegal reply loses the game."""
        asked = self.asked
        decision = None if asked is None else read(asked, reply)
        if type(decision) is Mistake:
            code, detail = decision
            player = self._player()
            self.table.fault(self.table.players[player], code, detail)
            reason = BAD_PATRON if type(asked) is turn.Pick else ILLEGAL_REPLY
            self._end(reason, 1 - player)
            return
        try:
            self.asked = asked = self._script.send(decision)
        except StopIteration as ended:
            reason, winner = ended.value
            self._end(reason, None if winner is None else winner.seat)
            # Without this, the watchers would never get to see the moves of the last turn.
            self.table.flush()
        else:
            self.table.flush()
            self.requests = (request_of(self.table, asked),)

    def standings(self) -> list[SeatState]:
        found = []
        for player in self.table.players:
            cards = Counter(card.kind.card for card in player.owned())
            facts = CardFacts(dict(sorted(cards.items())))
            found.append(SeatState(player.prestige, player.turns, facts))
        return found

    def view(self, viewer: Viewer) -> View:
        """Return the game as a viewer sees it. Only hands and the order of decks are hidden."""
        return view_of(self.table, self.requests, viewer, self._player())

    def copy(self, chance: RandomSource) -> Tribute | None:
        """Copy the game. Returns None during the draft, and if the game is over."""
        if not self.requests or type(self.asked) is turn.Pick:
            return None
        table, asked = copy_of(self.table, self.asked)
        # With `engine`, all streams share one generator. They must also share it in the copy.
        new = {id(each): Generator(each.state) for each in table.generators.values()}
        table.generators = {name: new[id(each)] for name, each in table.generators.items()}
        script = turn.resume(table, asked if isinstance(asked, Choice) else None, *self._limits)
        return copied(self, table=table, asked=None).resume(script)

    def redeal(self, seats: Sequence[int], chance: RandomSource) -> None:
        """Deal all cards again that the seats don't know, including the hands of others (4.9)."""
        table, order = self.table, attrgetter("order")
        # Replace the generators as well. With the old ones, the next shuffle would have the same
        # result as in the real game.
        table.generators = generators(
            self._options.chance, chance, chance.choose("engine", 2**48), PLAYERS
        )
        # Everybody has seen the cards that were put on the bottom, so they stay there.
        above = table.deck[: len(table.deck) - table.known_below]
        redeal(chance, above, key=order)
        table.deck[: len(above)] = above
        for player in table.players:
            if player.seat in seats:
                below = player.draw_pile[player.known :]
                redeal(chance, below, key=order)
                player.draw_pile[player.known :] = below
            # The opponent can't tell which cards are in the hand, so deal both piles together.
            else:
                redeal(chance, player.hand, player.draw_pile, key=order)

    def _player(self) -> int:
        asked = self.asked
        return asked.seat if type(asked) is turn.Pick else self.table.me.seat

    def _end(self, reason: str, winner: int | None) -> None:
        places = [winner is not None and seat != winner for seat in range(len(PLAYERS))]
        self.outcome = Outcome(reason, ranks(places))


begin_at = beginning_at(Tribute, Situation)
