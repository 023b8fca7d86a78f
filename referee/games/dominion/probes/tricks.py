"""What probes do to see what another referee makes of it, from tricks.json, and why.

A trick is done once, at the first request that gives it an occasion: all conditions of `when`
hold, which are parted by commas. `reply` is what it answers, in JSON, or in full if it is a string;
with none the probe leaves. "$word" in it is a value, "*word" a list whose members are meant, and
there is no occasion without them. Such a word, or a condition, is an attribute or a method of
`Eye`, with its arguments behind it. A row with `cards` is a trick for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.dominion.probes.sight import Sight, action, buy
from referee.games.dominion.rules.cards import COST, KINGDOM, WORTH
from referee.seam.probing import Deed

_GROUPS = {"": (*COST,), "treasure": (*WORTH,), "kingdom": KINGDOM}


class Trick(Struct, frozen=True, forbid_unknown_fields=True):
    """One trick.

    Attributes:
        cases: ids of what it is there for.
        attack: whether it answers an attack-request.
        awaits: a type of message: another seat must have been sent as many as this one before.
    """

    name: str
    cases: str
    when: str = ""
    reply: Any = ""
    attack: bool = False
    awaits: str = ""
    cards: str = ""

    def deed(self, eye: Eye) -> Deed | None:
        """What it does now; None if there is no occasion."""
        conditions = self.when.split(", ") if self.when else []
        try:
            if self.attack == eye.asks_to_play or not all(map(eye.holds, conditions)):
                return None
            reply = eye.filled(self.reply)
        except NoOccasionError:
            return None
        awaits = (self.awaits, eye.gains) if self.awaits else None
        return deed(reply, self.cases, awaits=awaits, then="" if reply else "exit")

    def each(self) -> Iterator[Trick]:
        """The tricks of a row."""
        text = msgspec.json.encode(self).decode()
        for card in self.cards.split():
            number = KINGDOM.index(card) + 1 if card in KINGDOM else 0
            made = text.replace("{card}", card).replace("{number}", str(number))
            yield msgspec.json.decode(made, type=Trick)
        if not self.cards:
            yield self


def deed(reply: Any, cases: str = "", **fields: Any) -> Deed:
    """A deed that writes a reply, and what it is there for."""
    data = reply.encode() if isinstance(reply, str) else msgspec.json.encode(reply)
    return Deed(data + b"\n" if data else b"", tuple(cases.split()), **fields)


class NoOccasionError(Exception):
    """There is nothing now that a trick could be done with."""


def _any(cards: list[str]) -> str:
    if not cards:
        raise NoOccasionError
    return cards[0]


class Eye(Sight):
    """What tricks look for by name: the attributes of a `Sight`, and the methods here."""

    def holds(self, condition: str) -> bool:
        """Whether a condition holds."""
        bare = condition.removeprefix("not ")
        return bool(self.value(bare)) != (bare != condition)

    def filled(self, reply: Any) -> Any:
        """A reply with the values that it names."""
        if isinstance(reply, dict):
            return {name: self.filled(value) for name, value in reply.items()}
        if isinstance(reply, list):
            parts = [self.value(v[1:]) if _is_part(v) else [self.filled(v)] for v in reply]
            return [value for part in parts for value in part]
        return self.value(reply[1:]) if str(reply).startswith("$") else reply

    def value(self, text: str) -> Any:
        """A value by its name: of a list the card at a place; a number is compared."""
        name, *words = text.split()
        found = getattr(self, name)
        if callable(found):
            return found(*words)
        for word in words:
            if isinstance(found, list):
                found = _any(found[int(word) :])
            else:
                found = found[word] if isinstance(found, Mapping) else found >= int(word)
        return found

    # --- conditions and cards ---------------------------------------------------------------------

    def has(self, card: str, count: str = "1") -> bool:
        """Whether it has a card in hand, or so many of it."""
        return self.hand.count(card) >= int(count)

    def can_play(self, card: str) -> bool:
        """Whether there is an occasion to play an action."""
        return bool(self.actions and self.buys and self.has(card))

    def dull(self) -> str:
        """A card of the hand that is no treasure."""
        return _any([card for card in self.hand if card not in WORTH])

    def held(self, *cards: str) -> str:
        """One of these cards that is in hand."""
        return _any([card for card in cards if self.has(card)])

    def top(self, *among: str) -> str:
        """A card to lie on top, another one than the referee would pick."""
        played = self.played
        there = [card for name in among for card in getattr(self, name)]
        return _any([card for card in there if card != played[-1]])

    def absent(self, group: str = "") -> str:
        """A card of a group that it has neither in hand nor in play."""
        there = self.hand + self.played
        return _any([card for card in _GROUPS[group][::-1] if card not in there])

    def pile(self, low: str, high: str, stock: str = "left", more: int = 0) -> str:
        """A card that costs from `low` to `high`, of which there is something left, or nothing."""
        return _any(self._piles(int(low) + more, int(high) + more, stock))

    def buyable(self, low: str, high: str, stock: str = "left") -> str:
        """A card that costs so much more than there is."""
        return self.pile(low, high, stock, self.money)

    def _piles(self, low: int, high: int, stock: str) -> list[str]:
        left = self.supply
        return [c for c in COST if low <= COST[c] <= high and bool(left[c]) == (stock == "left")]

    # --- buys -------------------------------------------------------------------------------------

    def too_many(self) -> list[str]:
        """One more copper than it has buys."""
        return ["copper"] * (self.buys + 1)

    def coins(self, card: str, less: str) -> list[str]:
        """Treasures worth just what a card costs, or so much less."""
        wanted = COST[card] - int(less)
        found = []
        # Dear ones first: every sum that is there is reached so, if there are coppers enough.
        for coin in sorted(self.treasures, key=lambda coin: -WORTH[coin]):
            if WORTH[coin] <= wanted:
                found.append(coin)
                wanted -= WORTH[coin]
        if wanted:
            raise NoOccasionError
        return found

    def worth(self, treasure: str, less: str) -> dict[str, Any]:
        """A buy with one kind of treasure, worth as much as a card costs, or so much less."""
        for count in range(self.treasures.count(treasure), 0, -1):
            cost = count * WORTH[treasure] + int(less)
            for card in self._piles(cost, cost, "left"):
                return buy([treasure] * count, [card])
        raise NoOccasionError

    # --- parameters of actions --------------------------------------------------------------------

    def beside(self, card: str, place: str) -> str:
        """A card of the hand but for the one that is played."""
        return _any(self.rest(card)[int(place) :])

    def rest_reversed(self, card: str) -> list[str]:
        """The hand without the card that is played, its last first."""
        return self.rest(card)[::-1]

    def one_more(self, card: str) -> list[str]:
        """Another card, once more than it is in hand."""
        first = self.beside(card, "0")
        return [first] * (self.rest(card).count(first) + 1)

    def dull_beside(self, card: str) -> str:
        """Another card, and no treasure."""
        return _any([other for other in self.rest(card) if other not in WORTH])

    def trashable(self, card: str, *for_nothing: str) -> str:
        """A card to trash for which something can be gained, or else nothing."""
        found = []
        for trashed, limit, among in self._trades(card):
            found += [trashed] * (bool(self.gainable(limit, among)) != bool(for_nothing))
        return _any(found)

    def exchange(self, card: str, low: str, high: str, stock: str = "left") -> dict[str, Any]:
        """A mine or remodel for a card that costs so much more than the one that is trashed."""
        for trashed, limit, among in self._trades(card):
            cost = COST[trashed]
            piles = self._piles(cost + int(low), cost + int(high), stock)
            found = sorted((c for c in piles if c in among), key=COST.__getitem__)
            if found and self.gainable(limit, among):
                return action(card, card_to_trash=trashed, desired_card=found[0])
        raise NoOccasionError

    def _trades(self, card: str) -> list[tuple[str, int, tuple[str, ...]]]:
        """What a mine or remodel can trash, the highest cost for it, and what it can be then."""
        among, more = (_GROUPS["treasure"], 3) if card == "mine" else (_GROUPS[""], 2)
        held = [other for other in among if other in self.rest(card)]
        return [(c, COST[c] + more, among) for c in sorted(held, key=COST.__getitem__)]

    # --- discards ---------------------------------------------------------------------------------

    def some(self, more: str) -> list[str]:
        """As many cards as are asked for, and so many more."""
        return self.hand[: self.message["discard"] + int(more)]

    def rare(self) -> list[str]:
        """A card more often than it is held."""
        hand, count = self.hand, self.message["discard"]
        return [_any([card for card in hand if hand.count(card) < count])] * count


def _is_part(value: object) -> bool:
    return isinstance(value, str) and value.startswith("*")


_ROWS = msgspec.json.decode(Path(__file__).with_name("tricks.json").read_bytes(), type=list[Trick])
TRICKS: Mapping[str, Trick] = {trick.name: trick for row in _ROWS for trick in row.each()}
