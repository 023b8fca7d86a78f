"""Keep track of a viewer's knowledge of the current turn: the last action and the cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from referee.games.interface.game import ALL, Viewer
from referee.games.interface.sentence import Part, Seat
from referee.games.interface.table import IN_PLAY, Move, Moved

MOST_CARDS = 100
"""A step shows at most this many of the last cards of a turn.

Each step of the turn has them again, and a stranger's log may have an endless turn."""


class Done(NamedTuple):
    """The actions in a turn so far, as far as a viewer knows them.

    Only the player on turn plays and receives cards. If another player does so, we know that a new
    turn has begun.

    Attributes:
        seat: the player who played or received cards.
        did: the last action as a sentence.
        played, got: the cards that were played and received.
        counters: values of the counters. We leave them out if we don't know them, or if they're
            already in the view.
    """

    seat: int | None = None
    did: Sequence[Part] = ()
    played: tuple[str, ...] = ()
    got: tuple[str, ...] = ()
    counters: Sequence[int] = ()

    def after(self, what: Moved, viewer: Viewer, seen: Sequence[Move]) -> Done:
        """Add an action. `seen` are the card moves that the viewer has noticed."""
        seat, did, played, got, counters = self
        said = what.description_for(viewer)
        own = what.counters if viewer is ALL or viewer == what.seat else ()
        came = what.got or what.shows or own
        if seat != what.seat and (came or any(move.to in IN_PLAY for move in seen)):
            seat, did, played, got, counters = what.seat, (), (), (), ()
        if said:
            did = [Seat(what.seat), " ", *said]
        for move in seen:
            if move.to in IN_PLAY and move.from_ == "hand":
                played += (move.card,)
            elif move.to == "hand" and move.from_ in IN_PLAY and move.card in played:
                # This card was taken back. If it was played twice, it doesn't matter which of the
                # two we remove.
                place = played.index(move.card)
                played = (*played[:place], *played[place + 1 :])
        shown, all_got = played or tuple(what.shows), (*got, *what.got)
        return Done(seat, did, shown[-MOST_CARDS:], all_got[-MOST_CARDS:], own or counters)

    def in_turn_of(self, seats: Sequence[int]) -> Done:
        """Return the actions with which a turn of these seats starts.

        Usually there aren't any. But if one of the seats has already acted, its actions stay.
        """
        return self if self.seat in seats else NOTHING


NOTHING = Done()
