"""The rules of the toy card game."""

from __future__ import annotations

from collections.abc import Generator
from typing import Annotated

from msgspec import Meta, Struct

from referee.games.interface import table
from referee.games.interface.faults import INVALID_JSON, WRONG_TYPE
from referee.games.interface.game import GameSetup, Outcome, Request, SeatState, Viewer, ranks
from referee.games.interface.seats import seat_id

from . import messages as say
from .view import View, request_of, view_of

CARDS = range(1, 53)
BAD_CARD = "bad-card"
SECTIONS = {BAD_CARD: "5", INVALID_JSON: "5", WRONG_TYPE: "5"}
ALL_PLAYED = "all-played"


class Options(Struct, frozen=True):
    hand_size: Annotated[int, Meta(ge=1, le=13)] = 12


class Facts(Struct, frozen=True):
    best: Annotated[int, Meta(description="The highest card played.")]


class Player:
    """The state of one seat."""

    def __init__(self, seat: int, hand: list[int]) -> None:
        self.seat, self.number, self.hand = seat, seat_id(seat), hand
        self.turns = self.score = self.best = 0
        self.left = False


class Table(table.Table[Player]):
    """The players, the current trick and the cards that nobody was dealt."""

    sections = SECTIONS

    def __init__(self, setup: GameSetup) -> None:
        size = setup.options.hand_size
        self.deck, self.trick, self.turn = [*CARDS], dict[int, int](), 0
        setup.chance.shuffle("deal", self.deck)
        hands = [[self.deck.pop() for _ in range(size)] for _ in setup.names]
        super().__init__([Player(seat, hand) for seat, hand in enumerate(hands)])
        self.events.append(say.GameInfo(size))


class ToyCards(table.TableGame[Table]):
    """One game; implements `referee.games.interface.game.Game`."""

    def __init__(self, setup: GameSetup) -> None:
        super().__init__(Table(setup))
        self.begin(self._play(setup.options.hand_size), setup.absent)

    def standings(self) -> list[SeatState]:
        return [SeatState(p.score, p.turns, Facts(p.best)) for p in self.table.players]

    def view(self, viewer: Viewer) -> View:
        return view_of(self.table, self.requests, viewer)

    def _play(self, tricks: int) -> Generator[Request, object, None]:
        table, leader = self.table, 0
        for _ in range(tricks):
            table.trick = {}
            for player in table.players[leader:] + table.players[:leader]:
                if not player.left:
                    yield from self._move(player)
            if table.trick:  # empty if everybody in this trick has left
                leader = max(table.trick, key=table.trick.__getitem__)
                table.players[leader].score += 1
                scores = [player.score for player in table.players]
                table.events.append(say.TrickTaken(seat_id(leader), scores))
        keys = [(p.left, -p.score) for p in table.players]
        self.outcome = Outcome(ALL_PLAYED, ranks(keys))

    def _move(self, player: Player) -> Generator[Request, object, None]:
        """Ask for a card and play it. A bad reply plays the lowest card instead."""
        table = self.table
        table.turn += 1
        player.turns += 1
        reply = yield request_of(table, player)
        if player.left:
            return
        card = min(player.hand)
        if not isinstance(reply, say.PlayReply):
            table.no_reply(player, reply, "this is not a play-reply", "5")
        elif type(reply.card) is not int or reply.card not in player.hand:
            table.fault(player, BAD_CARD, "this card is not in the hand")
        else:
            card = reply.card
        player.hand.remove(card)
        player.best = max(player.best, card)
        table.trick[player.seat] = card
        table.events.append(say.CardPlayed(table.turn, player.number, card))
