"""Finds out the random choices of another referee by reading its messages.

A seat draws at most once between two requests, and each request shows its complete hand. If we want
to know which cards a seat has drawn, we can simply look at its next request. We put these cards on
top of our deck before the draw. If the deck doesn't contain them, we do nothing, and find the
mistake later when we compare the requests. If the seat gets no more requests, the draw doesn't
matter.

The next request also shows which cards the other referee has discarded at random (7.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from referee.games.dominion.probes.cases import ENDS, MESSAGES
from referee.games.interface.probing import Message
from referee.games.interface.seats import seat_id, seat_index


class DominionObservedChance:
    """Implements `referee.games.interface.probing.ObservedChance` for Dominion."""

    def __init__(self, received: Sequence[Sequence[Message]]) -> None:
        # `_hands` has the hands in each seat's requests, and `_tops` each player's top discards.
        # We delete an entry when we get to its message.
        self._hands = [
            [hand for m in each if (hand := _hand_of(m)) is not None] for each in received
        ]
        # A seat that leaves misses the public messages after that, so use the longest list.
        public = max(received, key=len)
        self._tops: dict[object, list[object]] = {seat_id(n): [] for n in range(len(received))}
        for message in public:
            if message.get("type") == "player-top-discard":
                self._tops.get(str(message.get("player_number")), []).append(message.get("card"))
        self._taken = False  # True if cards were taken at random since the last request

    def shuffle(self, stream: str, items: list[str]) -> None:
        pass  # We only find out the order of the cards when they are drawn.

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Put the cards that the seat is going to draw on top of the deck."""
        top: list[str] = []
        for card in _minus(self._next_hand(stream) or (), hand):
            if len(top) < count and card in deck:
                deck.remove(card)
                top.append(card)
        # The last card of a deck is drawn first.
        deck += top[::-1]

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        """Take the cards that are no longer in the seat's next hand.

        The last card in the result is the new top card of the discard pile.
        """
        self._taken = True
        top = [str(card) for card in self._tops[owner][:1]]
        shown = self._next_hand(owner)
        kept = _minus(items, top) if shown is None else shown
        left: list[str] = []
        taken: list[str] = []
        for card in items:
            (left if [card] == kept[len(left) :][:1] else taken).append(card)
        # The next hand still has too many cards, so the other referee has made a mistake. Take any
        # cards. We'll find the mistake when we compare the requests.
        while len(taken) < count:
            taken.append(left.pop())
        items[:] = taken[count:] + left
        taken = taken[:count]
        return _minus(taken, top) + [card for card in top if card in taken]

    def choose(self, stream: str, count: int) -> int:
        raise NotImplementedError(stream)  # Dominion only shuffles and takes cards

    def _next_hand(self, number: str) -> list[str] | None:
        return next(iter(self._hands[seat_index(number)]), None)

    def sent(self, message: Message, seat: int | None) -> Iterator[str]:
        yield from MESSAGES[message["type"]].split()
        if seat is not None and _hand_of(message) is not None:
            del self._hands[seat][:1]
            if self._taken:
                yield "7.4/3"
            self._taken = False
        if message["type"] == "player-top-discard":
            del self._tops[message["player_number"]][:1]
        if message["type"] == "game-end" and message["scores"]:
            yield from ENDS.get(message["reason"], "").split()
            scores, winners = message["scores"], message["winners"]
            best = [seat_id(seat) for seat, score in enumerate(scores) if score == max(scores)]
            # If the best score doesn't win, its player must have left.
            if not {*best} & {*winners}:
                yield "8.3/5"
            elif len(best) > 1 and message["reason"] != "last-player-standing":
                yield "4.5/2" if len(winners) == 1 else "4.5/3"


def _hand_of(message: Message) -> list[str] | None:
    hands = {"attack-request": "options", "play-turn": "hand"}
    if (kind := message.get("type")) not in hands:
        return None
    hand = message.get(hands[str(kind)])
    return [str(card) for card in hand] if isinstance(hand, list) else []


def _minus(cards: Sequence[str], others: Sequence[str]) -> list[str]:
    # Subtracting counters would lose the order of the cards.
    away = Counter(others)
    left = []
    for card in cards:
        if away[card]:
            away[card] -= 1
        else:
            left.append(card)
    return left
