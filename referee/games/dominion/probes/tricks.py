"""What probes do to see what another referee makes of it, from tricks.json, and why.

A trick is done once, at the first request that fits: all conditions of `when`, separated by commas,
are true. `reply` is the answer, in JSON, or in full if it is a string; without one the probe
leaves. "$word" in it is a value, "*word" the members of a list; if they do not exist, the request
does not fit. Such a word, or a condition, is an attribute of `ProbeState` or a row of `_WORDS`,
followed by its arguments. A row with `cards` is a trick for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.dominion.probes.probe_state import ProbeState, Style, action, buy
from referee.games.dominion.rules.cards import COST, KINGDOM, WORTH
from referee.games.dominion.rules.choices import EXCHANGES
from referee.games.interface.probing import Message, ProbeAction

_MOST_REPLIES = 100
"""To one turn; one that takes more does not end."""


class Trick(Struct, frozen=True, forbid_unknown_fields=True):
    """One trick.

    Attributes:
        cases: ids of the cases that it covers.
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

    def probe_action(self, sight: ProbeState) -> ProbeAction | None:
        """Return its answer now; None if the request does not fit."""
        if self.attack == sight.asks_to_play:
            return None
        try:
            for condition in filter(None, self.when.split(", ")):
                if not _holds(sight, condition):
                    return None
            reply = _filled(sight, self.reply)
        except (LookupError, StopIteration):
            return None
        awaits = (self.awaits, sight.gains) if self.awaits else None
        return probe_action(reply, self.cases, awaits=awaits, then="" if reply else "exit")

    def each(self) -> Iterator[Trick]:
        """The tricks of a row."""
        text = msgspec.json.encode(self).decode()
        for card in self.cards.split() or [""]:
            number = KINGDOM.index(card) + 1 if card in KINGDOM else 0
            made = text.replace("{card}", card).replace("{number}", str(number))
            yield msgspec.json.decode(made, type=Trick)


def probe_action(reply: Any, cases: str = "", **fields: Any) -> ProbeAction:
    """Make an action that writes a reply, with its cases."""
    data = reply.encode() if isinstance(reply, str) else msgspec.json.encode(reply)
    return ProbeAction(data + b"\n" if data else b"", tuple(cases.split()), **fields)


class DominionProbePlayer(ProbeState):
    """Implements `referee.games.interface.probing.ProbePlayer`."""

    def __init__(self, plan: Style, seat: int, seed: str) -> None:
        super().__init__(plan, seat, seed)
        self._tricks = [TRICKS[name] for name in plan.tricks.split() if name in TRICKS]
        self._replies = 0

    def reply(self, request: Message) -> ProbeAction:
        self.look(request)
        self._replies = 0 if self.first else self._replies + 1
        if self.turn > self.style.turns or self._replies > _MOST_REPLIES:
            return ProbeAction(then="exit")
        for trick in self._tricks:
            done = trick.probe_action(self)
            if done is not None:
                self._tricks.remove(trick)
                return done
        if not self.asks_to_play:
            answer = self.attack_reply()
            return probe_action(answer, "7.2/1" if "discard" in answer else "7.3/1")
        play = self.turn_reply()
        if play["phase"] != "action":
            return probe_action(play)
        return probe_action(play, self.style.cases or f"6.{KINGDOM.index(play['card']) + 1}/1")

    def plain(self) -> Message | None:
        """A small buy at the start of a turn."""
        return buy(self.treasures, ["copper"]) if self.asks_to_play and self.first else None


# --- words: without an occasion they raise LookupError or StopIteration ---------------------------


def _holds(sight: ProbeState, condition: str) -> bool:
    bare = condition.removeprefix("not ")
    return bool(_value(sight, bare)) != (bare != condition)


def _filled(sight: ProbeState, reply: Any) -> Any:
    if isinstance(reply, dict):
        return {name: _filled(sight, value) for name, value in reply.items()}
    if isinstance(reply, list):
        parts = [
            _value(sight, value[1:]) if str(value).startswith("*") else [_filled(sight, value)]
            for value in reply
        ]
        return [value for part in parts for value in part]
    return _value(sight, reply[1:]) if str(reply).startswith("$") else reply


def _value(sight: ProbeState, text: str) -> Any:
    """A value by its name: of a list the card at a place; a number is compared."""
    name, *words = text.split()
    if name in _WORDS:
        return _WORDS[name](sight, *words)
    found = getattr(sight, name)
    for word in words:
        if isinstance(found, int):
            return found >= int(word)
        found = found[int(word) if isinstance(found, list) else word]
    return found


def _piles(sight: ProbeState, low: int, high: int, stock: str = "left") -> list[str]:
    """The cards that cost from `low` to `high`, of which there is something left, or nothing."""
    left = sight.supply
    return [c for c in COST if low <= COST[c] <= high and bool(left[c]) == (stock == "left")]


def _coins(sight: ProbeState, card: str, less: str) -> list[str]:
    """Treasures of the hand that are worth what the card costs, or so much less."""
    wanted = COST[card] - int(less)
    found = []
    # Dear ones first: every sum that is there is reached so, if there are coppers enough.
    for coin in sorted(sight.treasures, key=lambda coin: -WORTH[coin]):
        if WORTH[coin] <= wanted:
            found.append(coin)
            wanted -= WORTH[coin]
    if wanted:
        raise LookupError
    return found


def _worth(sight: ProbeState, treasure: str, less: str) -> dict[str, Any]:
    """A buy with one kind of treasure, worth as much as a card costs, or so much less."""
    for count in range(sight.treasures.count(treasure), 0, -1):
        cost = count * WORTH[treasure] + int(less)
        for card in _piles(sight, cost, cost):
            return buy([treasure] * count, [card])
    raise LookupError


def _exchange(
    sight: ProbeState, card: str, low: str, high: str, stock: str = "left"
) -> dict[str, Any]:
    """An exchange for a card that costs so much more."""
    among = EXCHANGES[card]
    for trashed, gainable in sight.trades(card):
        cost = COST[trashed]
        piles = _piles(sight, cost + int(low), cost + int(high), stock)
        found = sorted((c for c in piles if c in among), key=COST.__getitem__)
        if found and gainable:
            return action(card, card_to_trash=trashed, desired_card=found[0])
    raise LookupError


_WORDS: Mapping[str, Callable[..., Any]] = {
    # Conditions: a card is in hand, or owned, so many times; an action can be played, or was
    # played in this turn.
    "has": lambda sight, card, count="1": sight.hand.count(card) >= int(count),
    "owns": lambda sight, card, count: sight.count(card) >= int(count),
    "can_play": lambda sight, card: bool(sight.buys and card in sight.playable),
    "played": lambda sight, card: card in sight.cards_played,
    # Cards of the hand: no treasure; one of these; one for the top that nobody would pick.
    "dull": lambda sight: next(card for card in sight.hand if card not in WORTH),
    "held": lambda sight, *cards: next(card for card in cards if card in sight.hand),
    "top": lambda sight, *among: next(
        card for name in among for card in getattr(sight, name) if card != sight.cards_played[-1]
    ),
    # A card of a group that is neither in hand nor in play.
    "absent": lambda sight, group="": next(
        card
        for card in {"": [*COST], "treasure": [*WORTH], "kingdom": [*KINGDOM]}[group][::-1]
        if card not in sight.hand + sight.cards_played
    ),
    # A card of the supply by its cost; by how much more it costs than there is money.
    "pile": lambda sight, low, high, *stock: _piles(sight, int(low), int(high), *stock)[0],
    "buyable": lambda sight, low, high, *stock: _piles(
        sight, sight.money + int(low), sight.money + int(high), *stock
    )[0],
    # Buys: one more copper than there are buys.
    "too_many": lambda sight: ["copper"] * (sight.buys + 1),
    "coins": _coins,
    "worth": _worth,
    # The hand without the card that is played: at a place; its last first; its first once more than
    # it is there; no treasure of it.
    "beside": lambda sight, card, place: sight.rest(card)[int(place)],
    "rest_reversed": lambda sight, card: sight.rest(card)[::-1],
    "one_more": lambda sight, card: (
        [sight.rest(card)[0]] * (sight.rest(card).count(sight.rest(card)[0]) + 1)
    ),
    "dull_beside": lambda sight, card: next(c for c in sight.rest(card) if c not in WORTH),
    # A card to trash for which something can be gained, or else nothing.
    "trashable": lambda sight, card, *for_nothing: next(
        trashed for trashed, gainable in sight.trades(card) if bool(gainable) != bool(for_nothing)
    ),
    "exchange": _exchange,
    # Discards: as a militia asks; so many more than it asks for; a card more often than it is held.
    "discards": lambda sight: sight.discards(),
    "some": lambda sight, more: sight.hand[: sight.request["discard"] + int(more)],
    "rare": lambda sight: (
        [next(c for c in sight.hand if sight.hand.count(c) < sight.request["discard"])]
        * sight.request["discard"]
    ),
}

_ROWS = msgspec.json.decode(Path(__file__).with_name("tricks.json").read_bytes(), type=list[Trick])
TRICKS: Mapping[str, Trick] = {trick.name: trick for row in _ROWS for trick in row.each()}
