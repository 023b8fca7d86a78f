"""The game of Scripts of Tribute as a match sees it: options, requests, faults, outcome.

The theory of operation: the whole game is one generator (`turn.py`), which yields what is to be
decided. Here that becomes a request, and a reply becomes a decision or a mistake. A mistake ends
the game. A generator cannot be copied: a state is the chance and the replies so far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, convert
from msgspec.structs import force_setattr

from referee.errors import UsageError
from referee.games.interface.faults import Fault, Termination
from referee.games.interface.game import LEFT, Outcome, Request, Setup, Standing, Viewer, ranks
from referee.games.tribute.rules.cards import PATRONS, TREASURY, card_set
from referee.games.tribute.rules.chance import generators
from referee.games.tribute.rules.faults import BAD_PATRON, SECTIONS
from referee.games.tribute.rules.messages import GameInfo
from referee.games.tribute.rules.replies import Asked, Mistake, read
from referee.games.tribute.rules.situation import Situation
from referee.games.tribute.rules.table import PLAYERS, Made, Missed, Table
from referee.games.tribute.rules.turn import (
    DRAFT,
    PATRON_FAVOUR,
    PRESTIGE_40,
    PRESTIGE_80,
    Pick,
    play,
    play_on,
    show,
)
from referee.games.tribute.rules.view import View, request_of, view_of

ILLEGAL_REPLY = "illegal-reply"
REASONS = (PRESTIGE_80, PRESTIGE_40, PATRON_FAVOUR, ILLEGAL_REPLY, BAD_PATRON)


class Options(Struct, frozen=True):
    """What can be chosen for a game of Scripts of Tribute.

    Attributes:
        cards: the card set (7).
        patrons: that may be picked, in the order in which they are offered. Those that the card
            set has not are left out at once, so that a record's header says what `game-info` says.
        max_turns: turns, of both players together, after which the game is a draw (4.10).
        max_actions: of a turn, after which it can only be ended (4.3).
        chance: how the seed becomes shuffles (4.11).
    """

    cards: Literal["2025-04", "2024-02", "2023-06", "2023-02"] = "2025-04"
    patrons: tuple[str, ...] = PATRONS
    max_turns: Annotated[int, Meta(ge=1, le=10_000)] = 500
    max_actions: Annotated[int, Meta(ge=1, le=100_000)] = 1_000
    chance: Literal["streams", "engine"] = "streams"

    def __post_init__(self) -> None:
        """Look at the patrons, and leave out those that there are not.

        Raises:
            UsageError: they are none that can be picked from.
        """
        for patron in self.patrons:
            if patron not in PATRONS:
                raise UsageError(f"no patron {patron!r}; there are: {', '.join(PATRONS)}")
            if self.patrons.count(patron) > 1:
                raise UsageError(f"the patron {patron} is named twice")
        there = card_set(self.cards).starters
        patrons = tuple(patron for patron in self.patrons if patron in there)
        if len(patrons) < len(DRAFT):
            text = f"{len(DRAFT)} patrons at least must be there to pick from"
            raise UsageError(f"{text}; of the card set {self.cards} there are {len(patrons)}")
        force_setattr(self, "patrons", patrons)


class Facts(Struct, frozen=True):
    """What is known of a seat besides its score, which is its prestige, and its turns."""

    cards: Annotated[dict[str, int], Meta(description="Card -> count owned at the end.")]


class Tribute:
    """One game of Scripts of Tribute; implements `referee.games.interface.game.Game`.

    Args:
        setup: as of every game; its options are `Options`.
        situation: where it begins; None with the draft.

    Attributes:
        requests: the decision that the game waits for, if it is not over.
        outcome: set once it is.
        table: the state.
        asked: what the rules wait for (`turn.py`).
    """

    __slots__ = ("_script", "asked", "outcome", "requests", "table")

    def __init__(self, setup: Setup, situation: Situation | None = None) -> None:
        options: Options = setup.options
        self.requests: tuple[Request, ...] = ()
        self.outcome: Outcome | None = None
        self.asked: Asked | None = None
        cards = card_set(options.cards)
        lcgs = generators(options.chance, setup.chance, setup.seed, PLAYERS)
        self.table = table = Table(cards, lcgs)
        decks = {*options.patrons, TREASURY}
        table.events.append(
            GameInfo(
                options.cards,
                list(options.patrons),
                options.max_turns,
                options.max_actions,
                options.chance,
                [kind.row for kind in cards.kinds.values() if kind.deck in decks],
                list(setup.names),
            )
        )
        limits = options.max_turns, options.max_actions
        if situation is None:
            self._script = play(table, options.patrons, *limits)
        else:
            situation.lay_out(table)
            show(table)
            self._script = play_on(table, *limits)
        for seat in setup.absent:
            table.players[seat].left = True
        if setup.absent:
            self._end_by_leaving()
        else:
            self._go_on(None)

    @property
    def turns(self) -> int:
        """Turns begun, of both players together."""
        return sum([player.turns for player in self.table.players])

    def advance(self, replies: Mapping[int, object]) -> None:
        """Answer the request and run to the next one, or to the end."""
        (request,) = self.requests
        seat = request.seat
        reply = replies[seat]
        if reply is LEFT:
            self.table.players[seat].left = True
            self._end_by_leaving()
            return
        assert self.asked is not None  # there is a request
        decision = read(self.asked, reply)
        if type(decision) is Mistake:
            code, detail = decision
            self.table.events.append(Fault(seat, code, SECTIONS[code], detail))
            reason = BAD_PATRON if type(self.asked) is Pick else ILLEGAL_REPLY
            self._end(reason, 1 - seat)
        else:
            self._go_on(decision)

    def take_events(self) -> list[Struct]:
        """Public messages and faults since the last call, oldest first."""
        events = self.table.events
        self.table.events = []
        return events

    def standings(self) -> list[Standing]:
        """One entry a seat, in seat order."""
        return [
            Standing(
                player.prestige,
                player.turns,
                Facts(dict(sorted(Counter(c.kind.card for c in player.owned()).items()))),
            )
            for player in self.table.players
        ]

    def view(self, viewer: Viewer) -> View:
        """What a viewer may see: hands are hidden, and the order of decks."""
        asked = self.asked
        player = asked.seat if type(asked) is Pick else self.table.me.seat
        return view_of(self.table, self.requests, viewer, player)

    def missed(self) -> list[Missed]:
        """What was left undone; in seat order."""
        return [player.missed for player in self.table.players]

    def made(self) -> list[Made]:
        """What was done; in seat order."""
        return [player.made for player in self.table.players]

    def _go_on(self, decision: Any) -> None:
        try:
            self.asked = asked = self._script.send(decision)
        except StopIteration as ended:
            reason, winner = ended.value
            self._end(reason, None if winner is None else winner.seat)
        else:
            self.requests = (request_of(self.table, asked),)

    def _end(self, reason: str, winner: int | None) -> None:
        self.requests = ()
        places = [winner is not None and seat != winner for seat in range(len(PLAYERS))]
        self.outcome = Outcome(reason, ranks(places))

    def _end_by_leaving(self) -> None:
        """End the game, since fewer than two players are left in it (8.3)."""
        self.requests = ()
        left = [player.left for player in self.table.players]
        reason = Termination.NO_PLAYERS if all(left) else Termination.LAST_PLAYER_STANDING
        self.outcome = Outcome(reason, ranks(left))


def begin_at(setup: Setup, state: Mapping[str, Any]) -> Tribute:
    """Make a game that begins in the middle.

    Args:
        state: a `Situation` as a JSON object.
    """
    return Tribute(setup, convert(state, Situation))
