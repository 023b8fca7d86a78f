"""What follows from messages alone: who owns what, and what a seat knows of its own cards.

Who stands beside a live game looks at its view instead (`rules/view.py`). This is for logs of
other referees, and for bots, which are sent nothing but messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from referee.games.dominion.events import Kind
from referee.games.dominion.rules.cards import CARDS, STARTING_DECK, points_of
from referee.games.dominion.rules.messages import (
    AttackReply,
    AttackReplyReaction,
    AttackRequest,
    PlayerGained,
    PlayerShuffled,
    PlayerTopDiscard,
    PlayerTrashed,
    PlayReply,
    PlayTurn,
    SupplyInfo,
)
from referee.games.dominion.rules.view import OwnCards, SeatView, View
from referee.seam.seats import seat_id, seat_index


class Ledger:
    """The cards of a match, as far as they are public.

    Attributes:
        supply: card -> cards left; empty before the first `supply-info`.
        owned: what each seat owns, in seat order.
    """

    def __init__(self, seats: int) -> None:
        self.supply: dict[str, int] = {}
        self.owned = [Counter(STARTING_DECK) for _ in range(seats)]

    def show(self, message: SupplyInfo) -> None:
        """Take the piles as they are now."""
        self.supply = {pile.card: pile.count for pile in message.cards}

    def count(self, seat: int, kind: str, cards: Iterable[str], sign: int = 1) -> None:
        """Count what a seat has gained or trashed; any other kind of event changes nothing.

        Args:
            sign: -1 takes it back.
        """
        if kind == Kind.TRASHED:
            sign = -sign
        elif kind != Kind.GAINED:
            return
        owned = self.owned[seat]
        for card in cards:
            if card in CARDS:  # there is no end of other names
                owned[card] += sign
                if not owned[card]:
                    del owned[card]

    def scores(self) -> list[int]:
        """The points of what each seat owns, in seat order."""
        return [points_of(owned) for owned in self.owned]


class SeatLedger:
    """Implements `referee.seam.environment.Follower` for Dominion: of a bot that plays legally."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat, self._number = seat, seat_id(seat)
        self._ledger = Ledger(seats)
        self._hand: list[str] = []
        self._in_play: list[str] = []
        self._discard_pile: list[str] = []
        self._aside: list[str] = []  # what it is about to discard
        self._turns = 0
        self._in_turn = False
        self._gains_to_hand = False
        self._request: PlayTurn | AttackRequest | None = None

    def hear(self, message: Struct) -> None:
        """Take a public message, a request to this seat, or its reply."""
        match message:
            case SupplyInfo():
                self._ledger.show(message)
            case PlayerGained(player_number=number, gained=card):
                self._ledger.count(seat_index(number), Kind.GAINED, [card])
                if number == self._number and not self._gains_to_hand:
                    self._discard_pile.append(card)
            case PlayerTrashed(player_number=number, trashed=cards):
                self._ledger.count(seat_index(number), Kind.TRASHED, cards)
            case PlayerTopDiscard(player_number=self._number):
                self._discard_pile += self._aside
                self._aside = []
            case PlayerShuffled(player_number=self._number):
                self._discard_pile = []
            case PlayTurn(hand=hand, cards_played=in_play):
                self._request = message
                self._hand, self._in_play = hand.copy(), in_play.copy()
                self._turns += not self._in_turn
                self._in_turn, self._gains_to_hand = True, False
            case AttackRequest(options=hand):
                self._request = message
                self._hand = hand.copy()
            case PlayReply():
                self._request = None
                self._play(message)
            case AttackReply(discard=cards):
                self._request = None
                self._put_aside(cards)
            case AttackReplyReaction():
                self._request = None

    def _play(self, reply: PlayReply) -> None:
        if reply.phase == "action":
            card: str = reply.card  # type: ignore[assignment]
            parameters = reply.additional_parameters or {}
            self._hand.remove(card)
            self._in_play.append(card)
            self._put_aside(parameters.get("cards", []))
            self._gains_to_hand = card == "mine"
        elif reply.phase == "buy":
            for card in reply.played_treasures or ():
                self._hand.remove(card)
                self._in_play.append(card)
        else:
            self._aside = self._hand + self._in_play
            self._hand, self._in_play, self._in_turn = [], [], False

    def _put_aside(self, cards: list[str]) -> None:
        for card in cards:
            self._hand.remove(card)
        self._aside = list(cards)

    def view(self) -> View:
        """What the seat knows: as `Game.view` would say it."""
        seats = []
        for seat, owned in enumerate(self._ledger.owned):
            own = None
            if seat == self._seat:
                away = Counter(self._hand + self._in_play + self._discard_pile)
                deck = sorted((owned - away).elements())
                pile = sorted(self._discard_pile)
                own = OwnCards(self._hand.copy(), self._in_play.copy(), pile, deck, self._turns)
            cards = {card: owned[card] for card in CARDS if owned[card]}
            seats.append(SeatView(cards, points_of(owned), own))
        asked = None if self._request is None else self._seat
        return View(self._ledger.supply, seats, asked, self._request)
