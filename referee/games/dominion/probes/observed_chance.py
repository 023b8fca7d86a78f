"""The random choices of another referee, read from its messages.

Every request shows the complete hand of a seat, and the seat draws at most once between two
requests. To find out which cards were drawn, we look at the hand in the seat's next request, and
put these cards on top of the deck if they're in it. If they aren't, the hands differ, and we'll
find that when we compare the requests. Draws without a later request don't matter. The seat's next
hand also shows which cards were discarded at random (7.4), and the last of them is on top of the
pile.
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
        # The hands of each seat and the top discards of each player that are still to come.
        self._hands = [
            [hand for m in each if (hand := _hand_of(m)) is not None] for each in received
        ]
        # All seats get the public messages until they leave, so the longest list has all of them.
        public = max(received, key=len)
        self._tops: dict[object, list[object]] = {seat_id(n): [] for n in range(len(received))}
        for message in public:
            if message.get("type") == "player-top-discard":
                self._tops.get(str(message.get("player_number")), []).append(message.get("card"))
        self._taken = False  # True if cards were taken at random since the last request

    def shuffle(self, stream: str, items: list[str]) -> None:
        pass  # We don't know the order yet. Each draw looks it up.

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Put the cards of the next hand on top of the deck, if the deck has them."""
        top: list[str] = []
        for card in _minus(self._next_hand(stream) or (), hand):
            if len(top) < count and card in deck:
                deck.remove(card)
                top.append(card)
        # The last card of a deck is drawn first.
        deck += top[::-1]

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        """Take the cards that are missing in the next hand. The last one is on top of the pile."""
        self._taken = True
        top = [str(card) for card in self._tops[owner][:1]]
        shown = self._next_hand(owner)
        kept = _minus(items, top) if shown is None else shown
        left: list[str] = []
        taken: list[str] = []
        for card in items:
            (left if [card] == kept[len(left) :][:1] else taken).append(card)
        # More cards should be missing in the next hand. Take any cards, since the comparison will
        # find the difference.
        while len(taken) < count:
            taken.append(left.pop())
        items[:] = taken[count:] + left
        taken = taken[:count]
        return _minus(taken, top) + [card for card in top if card in taken]

    def choose(self, stream: str, count: int) -> int:
        raise NotImplementedError(stream)  # Dominion has no such draws

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
