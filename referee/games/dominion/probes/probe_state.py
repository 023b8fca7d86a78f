"""The legal moves of a probe, based on the messages of the referee that it tests.

We don't run our own rules in parallel to keep track of the game. If the other referee has a bug,
its game gets into a state that ours never would, and the probe has to continue from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from referee.games.dominion.kit import Memory, State
from referee.games.dominion.rules.cards import COST, POINTS, WORTH
from referee.games.dominion.rules.choices import Ask, first_way, gainable, trashable, without
from referee.games.interface.probing import Message, ProbePlan
from referee.games.interface.seats import seat_id

MANY = 99
_CLEANUP = {"type": "play-reply", "phase": "cleanup"}


class Style(ProbePlan, frozen=True):
    """The way in which a probe plays. For the fields, see tests/conformance/README.md, 5.

    The words in a field are separated by spaces. For example, "silver:2 moat" means that the probe
    wants at most two silvers, and as many moats as possible after that.
    """

    plays: str = ""
    buys: str = ""
    gains: str = ""
    cases: str = ""
    only: bool = False
    patient: bool = False
    idle: bool = False
    turns: int = 60


def _wishes(text: str) -> list[tuple[str, int]]:
    pairs = [word.partition(":") for word in text.split()]
    return [(card, int(count or MANY)) for card, _, count in pairs]


class ProbeState(State):
    """Everything that a probe knows at its last request, in addition to the kit's `State`.

    Attributes:
        request: the last request.
        asks_to_play: True if the request is a `play-turn`.
        fresh: True if nothing has been played or bought in this turn yet.
        first: True if no action has been lost either, so this is the first request of the turn.
        over: True if the probe has played cards and can only clean up now.
        gains: number of `player-gained` messages received in this match.
    """

    def __init__(self, style: Style, seat: int, seed: str) -> None:
        self.style = style
        self._buys = _wishes(style.buys if style.only else f"{style.buys} province gold silver")
        self._gains = _wishes(style.gains)
        self._memory = Memory(seat_id(seat))
        self._bought = False
        self._chance = Random(seed)
        self.gains = 0

    def observe(self, message: Message) -> None:
        self._memory.observe(message)
        self.gains += message["type"] == "player-gained"

    def look(self, request: Message) -> None:
        self.request = request
        self._memory.note(request)
        vars(self).update(vars(self._memory.state()))
        self.asks_to_play = request["type"] == "play-turn"
        self.fresh = self.buys == 1 and not self.extra_money and not self.cards_played
        self.first = self.fresh and self.actions == 1
        self.over = self.asks_to_play and not self.buys and bool(self.cards_played)
        self._bought = self._bought and not self.first

    def rest(self, card: str) -> list[str]:
        return without(card, self.hand)

    def trades(self, card: str) -> list[tuple[str, list[str]]]:
        """Return the cards that a mine or remodel can trash, each with the possible gains for it.

        Cheap cards come first.
        """
        held = sorted(trashable(card, self.rest(card)), key=COST.__getitem__)
        return [(trashed, gainable(card, self.supply, trashed)) for trashed in held]

    def turn_reply(self) -> dict[str, Any]:
        for card in self.style.plays.split():
            parameters = self._parameters(card) if card in self.playable else None
            if parameters is not None:
                return action(card, **parameters)
        if self.style.idle or self._bought or not self.buys:
            return dict(_CLEANUP)
        self._bought = True
        return buy(self.treasures, self._purchases())

    def attack_reply(self) -> dict[str, Any]:
        """Return a legal reply to an attack. Reveals a moat every second time."""
        if "moat" in self.hand and self._chance.random() < 0.5:
            return {"type": "attack-reply-reaction", "reaction": "moat"}
        return {"type": "attack-reply", "discard": self.discards()}

    def discards(self) -> list[str]:
        """Choose cards to discard for a militia, treasures last, and list them backwards."""
        dull = sorted(self.hand, key=lambda card: (card in WORTH, card))
        return dull[: self.request["discard"]][::-1]

    def _purchases(self) -> list[str]:
        found: list[str] = []
        for _ in range(self.buys):
            # Take the first card on the wish list that we can pay for and need more copies of.
            for card, enough in self._buys:
                few = self.count(card) + found.count(card) < enough
                if few and self.can_buy(*found, card) and self._can_take(card):
                    found.append(card)
                    break
        return found

    def _wanted(self, cards: Sequence[str]) -> str | None:
        cards = [card for card in cards if self._can_take(card)]
        for card, enough in self._gains:
            if card in cards and self.count(card) < enough:
                return card
        return None if self.style.only or not cards else self._chance.choice(cards)

    def _can_take(self, card: str) -> bool:
        after: Mapping[str, int] = {**self.supply, card: self.supply[card] - 1}
        # Patient probes never gain a card that would end the game.
        ends = not after["province"] or [*after.values()].count(0) >= 3
        return not (ends and self.style.patient)

    def _parameters(self, card: str) -> dict[str, Any] | None:
        def options(asked: Ask) -> Iterator[Any]:
            if asked.what == "discard":
                # Victory cards are useless in hand, so a cellar discards them first.
                yield [each for each in asked.cards if each in POINTS] or asked.cards[:1]
            elif asked.what == "trash":
                yield from sorted(asked.cards, key=COST.__getitem__)
            elif (wish := self._wanted(asked.cards)) is not None:
                yield wish

        return first_way(card, self.rest(card), self.supply, options)


def action(card: Any, **parameters: Any) -> dict[str, Any]:
    """Create an action reply. Tricks also pass values that aren't legal."""
    reply = {"type": "play-reply", "phase": "action", "card": card}
    return {**reply, **({"additional_parameters": parameters} if parameters else {})}


def buy(treasures: Any, cards: Any) -> dict[str, Any]:
    """Create a buy reply. Tricks also pass values that aren't legal."""
    fields = {"played_treasures": treasures, "cards_to_buy": cards}
    return {"type": "play-reply", "phase": "buy", **fields}
