"""How a probe plays legally, from what another referee shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from referee.games.dominion.rules.cards import COST, KINGDOM, STARTING_DECK, WORTH
from referee.games.interface.probing import Message, Plan
from referee.games.interface.seats import seat_id

Wishes = tuple[tuple[str, int], ...]
"""Cards in the order in which they are wanted, each with how many of it are enough."""

MANY = 99
_CLEANUP = {"type": "play-reply", "phase": "cleanup"}


class Style(Plan, frozen=True):
    """A seat in matches.json: how a probe plays. Its fields: spec/vectors/README.md, 2.1.

    Words of one field are parted by spaces: "silver:2 moat" are two silvers at the most, then as
    many moats as there are.
    """

    plays: str = ""
    buys: str = ""
    gains: str = ""
    cases: str = ""
    only: bool = False
    patient: bool = False
    idle: bool = False
    turns: int = 60


def _wishes(text: str) -> Wishes:
    pairs = [word.partition(":") for word in text.split()]
    return tuple((card, int(count or MANY)) for card, _, count in pairs)


class Sight:
    """What one probe sees.

    Attributes:
        message: the last request; what follows up to `over` is read from it.
        asks_to_play: whether it is a play-turn.
        hand: in its order; of an attack-request the options.
        treasures: those of the hand.
        played: in this turn.
        actions, buys: that are left.
        extra: the money that cards gave.
        money: what can be spent.
        fresh: nothing was done in this turn but in vain.
        first: nothing was done in this turn at all.
        over: something was played, and nothing can be bought any more.
        supply: card -> cards left.
        owned: card -> how many it has.
        gains: how many `player-gained` it was sent.
        turns: turns begun.
    """

    def __init__(self, style: Style, seat: int, seed: str) -> None:
        self.style = style
        self._buys = _wishes(style.buys if style.only else f"{style.buys} province gold silver")
        self._gains = _wishes(style.gains)
        self.message: Message = {}
        self.supply: dict[str, int] = {}
        self.owned = Counter(STARTING_DECK)
        self.gains = 0
        self.turns = 0
        self.bought = False
        self._number = seat_id(seat)
        self._chance = Random(seed)

    def hear(self, message: Message) -> None:
        """Take a message that asks for nothing."""
        kind = message["type"]
        if kind == "supply-info":
            self.supply = {pile["card"]: pile["count"] for pile in message["cards"]}
        elif kind == "player-gained":
            self.gains += 1
            if message["player_number"] == self._number:
                self.owned[message["gained"]] += 1
        elif kind == "player-trashed" and message["player_number"] == self._number:
            self.owned.subtract(message["trashed"])

    def look(self, request: Message) -> None:
        """Take a request."""
        self.message = request
        self.asks_to_play = request["type"] == "play-turn"
        self.hand: list[str] = list(request["hand" if self.asks_to_play else "options"])
        self.treasures = [card for card in self.hand if card in WORTH]
        self.played: list[str] = list(request.get("cards_played", ()))
        self.actions: int = request.get("actions", 0)
        self.buys: int = request.get("buys", 0)
        self.extra: int = request.get("extra_money", 0)
        self.money = self.extra + sum(WORTH[card] for card in self.treasures)
        self.fresh = self.buys == 1 and not self.extra and not self.played
        self.first = self.fresh and self.actions == 1
        self.over = self.asks_to_play and not self.buys and bool(self.played)
        if self.first:
            self.turns += 1
            self.bought = False

    def rest(self, card: str) -> list[str]:
        """The hand without the card that is played."""
        hand = self.hand.copy()
        hand.remove(card)
        return hand

    def gainable(self, limit: int, among: Iterable[str] = COST) -> list[str]:
        """The cards up to this cost that are left."""
        return [card for card in among if self.supply[card] and COST[card] <= limit]

    # --- how it plays -----------------------------------------------------------------------------

    def turn_reply(self) -> dict[str, Any]:
        """A legal reply to a play-turn."""
        if self.style.idle:
            return dict(_CLEANUP)
        for card in self.style.plays.split() if self.actions else ():
            parameters = self._parameters(card) if card in self.hand else None
            if parameters is not None:
                return action(card, **parameters)
        if self.buys and not self.bought:
            self.bought = True
            return buy(self.treasures, self._purchases())
        return dict(_CLEANUP)

    def attack_reply(self) -> dict[str, Any]:
        """A legal reply to an attack: a moat in every second case that there is one."""
        if "moat" in self.hand and self._chance.random() < 0.5:
            return {"type": "attack-reply-reaction", "reaction": "moat"}
        return {"type": "attack-reply", "discard": self.discards()}

    def discards(self) -> list[str]:
        """What a militia asks for, in an order that nobody would choose by itself."""
        dull = sorted(self.hand, key=lambda card: (card in WORTH, card))
        return dull[: self.message["discard"]][::-1]

    def _purchases(self) -> list[str]:
        left, owned, money = dict(self.supply), self.owned.copy(), self.money
        found: list[str] = []
        while len(found) < self.buys:
            for card, enough in self._buys:
                has = left[card] and COST[card] <= money and owned[card] < enough
                if has and not (self.style.patient and _would_end(left, card)):
                    break
            else:
                break
            found.append(card)
            left[card] -= 1
            owned[card] += 1
            money -= COST[card]
        return found

    def _wanted(self, cards: Sequence[str]) -> str | None:
        """One of these that can be gained, the dearest as often as any."""
        if self.style.patient:
            cards = [card for card in cards if not _would_end(self.supply, card)]
        for card, enough in self._gains:
            if card in cards and self.owned[card] < enough:
                return card
        if self.style.only or not cards:
            return None
        if self._chance.random() < 0.5:
            dear = max(COST[card] for card in cards)
            cards = [card for card in cards if COST[card] == dear]
        return self._chance.choice(cards)

    def _parameters(self, card: str) -> dict[str, Any] | None:
        """Right parameters of an action card; None if it has no use."""
        hand = self.rest(card)
        if card == "cellar":
            return {"cards": [c for c in hand if not _is_useful(c)] or hand[:1]}
        if card == "workshop":
            wish = self._wanted(self.gainable(4))
            return None if wish is None else {"desired_card": wish}
        if card == "remodel" and hand:
            best = "gold" if "gold" in hand else min(hand, key=_regret)
            wish = self._wanted(self.gainable(COST[best] + 2))
            return None if wish is None else {"card_to_trash": best, "desired_card": wish}
        if card == "mine":
            for trashed in self._chance.sample(list(WORTH), 3):
                wish = self._wanted(self.gainable(COST[trashed] + 3, WORTH))
                if trashed in hand and wish is not None:
                    return {"card_to_trash": trashed, "desired_card": wish}
        return None if card in ("remodel", "mine") else {}


def action(card: str, **parameters: Any) -> dict[str, Any]:
    """An action reply."""
    reply = {"type": "play-reply", "phase": "action", "card": card}
    return {**reply, **({"additional_parameters": parameters} if parameters else {})}


def buy(treasures: Sequence[str], cards: Sequence[str]) -> dict[str, Any]:
    """A buy reply."""
    fields = {"played_treasures": treasures, "cards_to_buy": cards}
    return {"type": "play-reply", "phase": "buy", **fields}


def _would_end(left: Mapping[str, int], card: str) -> bool:
    after = {**left, card: left[card] - 1}
    return not after["province"] or list(after.values()).count(0) >= 3


def _is_useful(card: str) -> bool:
    return card in WORTH or card in KINGDOM


def _regret(card: str) -> int:
    """How little one wants to trash it."""
    return (card != "copper") + 2 * (card in KINGDOM) if _is_useful(card) else 0
