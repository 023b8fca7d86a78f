"""Tricks: replies that test how another referee reacts to them (tests/conformance/README.md, 5).

A probe uses a trick only once, at the first request where the trick is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec

from referee.games.dominion.probes.probe_state import ProbeState, action, buy
from referee.games.dominion.rules.cards import CARDS, COST, KINGDOM, WORTH
from referee.games.dominion.rules.choices import EXCHANGES
from referee.games.interface.probing import ProbeAction

Answer: TypeAlias = Callable[[ProbeState], Any]
"""A function that creates the reply: an object, a line of text, or `LEAVE`.

If the trick isn't possible at this request, it returns a false value, or raises LookupError or
StopIteration."""
LEAVE: Any = object()


class Trick(NamedTuple):
    """A reply that tests certain cases.

    Attributes:
        cases: ids of these cases.
        answer: creates the reply.
        attack: True if it's a reply to an `attack-request`, not to a `play-turn`.
        awaits: a type of message. Before it replies, the probe waits until another seat has
            received as many of these messages as this seat. If it's "", the probe doesn't wait.
    """

    cases: str
    answer: Answer
    attack: bool = False
    awaits: str = ""

    def probe_action(self, state: ProbeState) -> ProbeAction | None:
        if self.attack == state.asks_to_play:
            return None
        try:
            # Most tricks don't check first whether they're possible. If they aren't, `answer`
            # fails with one of the errors below.
            reply = self.answer(state)
        except (LookupError, StopIteration):
            return None
        if reply is LEAVE:
            return probe_action("", self.cases, then="exit")
        awaits = (self.awaits, state.gains) if self.awaits else None
        return probe_action(reply, self.cases, awaits=awaits) if reply else None


def probe_action(reply: Any, cases: str = "", **fields: Any) -> ProbeAction:
    """Create a `ProbeAction` that sends a reply. `cases` lists the cases that it tests."""
    data = reply.encode() if isinstance(reply, str) else msgspec.json.encode(reply)
    return ProbeAction(data + b"\n" if data else b"", tuple(cases.split()), **fields)


# --- parts of replies; they raise LookupError or StopIteration if impossible ----------------------


_CLEAN_UP = {"type": "play-reply", "phase": "cleanup"}


def _top_discard(card: Any) -> dict[str, Any]:
    return {**_CLEAN_UP, "top_discard": card}


def _copper(s: ProbeState) -> dict[str, Any]:
    return buy(s.treasures, ["copper"])


def _omit(field: str, reply: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reply.items() if name != field}


def _discard(cards: Any) -> dict[str, Any]:
    return {"type": "attack-reply", "discard": cards}


def _react(reaction: str) -> dict[str, Any]:
    return {"type": "attack-reply-reaction", "reaction": reaction}


def _can_play(s: ProbeState, card: str) -> bool:
    return bool(s.buys and card in s.playable)


def _held(s: ProbeState, *cards: str) -> str:
    return next(card for card in cards if card in s.hand)


def _no_treasure(cards: list[str]) -> str:
    return next(card for card in cards if card not in WORTH)


def _top(s: ProbeState, cards: list[str]) -> str:
    # If a bot doesn't choose a card, the last card played ends up on top. Only a different card
    # shows that the referee follows the reply.
    return next(card for card in cards if card != s.cards_played[-1])


def _absent(s: ProbeState, among: Iterable[str] = COST) -> str:
    return next(card for card in [*among][::-1] if card not in s.hand + s.cards_played)


def _piles(s: ProbeState, low: int, high: int, *, empty: bool = False) -> list[str]:
    """Return the cards that cost `low` to `high` and are in the supply or, if `empty`, sold out."""
    return [c for c in s.supply if low <= COST[c] <= high and bool(s.supply[c]) != empty]


def _buyable(s: ProbeState, low: int, high: int, *, empty: bool = False) -> str:
    """Return a card that costs `low` to `high` more than the money that we have."""
    return _piles(s, s.money + low, s.money + high, empty=empty)[0]


def _coins(s: ProbeState, wanted: int) -> list[str]:
    found = []
    # Take expensive treasures first. With enough coppers, this finds every possible sum.
    for coin in sorted(s.treasures, key=lambda coin: -WORTH[coin]):
        if WORTH[coin] <= wanted:
            found.append(coin)
            wanted -= WORTH[coin]
    if wanted:
        raise LookupError
    return found


def _one_more(cards: list[str]) -> list[str]:
    return [cards[0]] * (cards.count(cards[0]) + 1)


def _rare(s: ProbeState) -> list[str]:
    # If we have enough copies of every card in hand, next() raises StopIteration, and the trick
    # waits for another request.
    wanted = s.request["discard"]
    return [next(card for card in s.hand if s.hand.count(card) < wanted)] * wanted


def _some(s: ProbeState, more: int) -> list[str]:
    # If `more` is negative, there are too few cards.
    return s.hand[: s.request["discard"] + more]


def _trashable(s: ProbeState, card: str, *, for_nothing: bool = False) -> str:
    # Normally, we need a card that can be exchanged for another one. `for_nothing` looks for a card
    # that we would only lose.
    return next(trashed for trashed, gains in s.trades(card) if bool(gains) != for_nothing)


# --- replies with one wrong part ------------------------------------------------------------------


def _money(treasures: Callable[[ProbeState], Any]) -> Answer:
    # `_no_treasure` is only called as a check. It raises if the hand has only treasures.
    return lambda s: (
        s.fresh and s.treasures and _no_treasure(s.hand) and buy(treasures(s), ["copper"])
    )


def _cards(cards: Callable[[ProbeState], Any]) -> Answer:
    return lambda s: s.buys and buy(s.treasures, cards(s))


def _costs(card: str, less: int) -> Answer:
    # If `less` is 0, we have exactly enough money. If it's 1, we're one coin short.
    return lambda s: s.fresh and s.supply[card] and buy(_coins(s, COST[card] - less), [card])


def _worth(treasure: str, less: int) -> Answer:
    def answer(s: ProbeState) -> Any:
        # Play only one kind of treasure, so that other treasures can't hide a bug in its worth.
        for count in range(s.treasures.count(treasure), 0, -1) if s.fresh else ():
            cost = count * WORTH[treasure] + less
            for card in _piles(s, cost, cost):
                return buy([treasure] * count, [card])
        return None

    return answer


def _exchange(card: str, low: int, high: int, *, empty: bool = False) -> Answer:
    def answer(s: ProbeState) -> Any:
        for trashed, gains in s.trades(card) if _can_play(s, card) else ():
            piles = _piles(s, COST[trashed] + low, COST[trashed] + high, empty=empty)
            found = sorted((c for c in piles if c in EXCHANGES[card]), key=COST.__getitem__)
            if found and gains:
                return action(card, card_to_trash=trashed, desired_card=found[0])
        return None

    return answer


def _playing(card: str, parameters: Callable[[ProbeState], dict[str, Any]]) -> Answer:
    return lambda s: _can_play(s, card) and action(card, **parameters(s))


def _acting(card: Callable[[ProbeState], str]) -> Answer:
    return lambda s: s.actions and s.buys and action(card(s), desired_card="copper")


def _plain(parameters: Any) -> Answer:
    # These cards need no parameters, so a referee has to ignore any that are given.
    cards = ("smithy", "market", "village", "woodcutter", "moat")
    return lambda s: (
        s.actions and s.buys and {**action(_held(s, *cards)), "additional_parameters": parameters}
    )


def _cellar(cards: Callable[[list[str], ProbeState], Any]) -> Answer:
    return _playing("cellar", lambda s: {"cards": cards(s.rest("cellar"), s)})


def _workshop(card: Callable[[ProbeState], Any]) -> Answer:
    return _playing("workshop", lambda s: {"desired_card": card(s)})


def _trade(card: str, trashed: Callable[[ProbeState, str], Any], gained: str) -> Answer:
    return _playing(card, lambda s: {"card_to_trash": trashed(s, card), "desired_card": gained})


_REMODEL_ITSELF = _trade("remodel", lambda s, card: card, "silver")


def _exchanges(card: str) -> dict[str, Trick]:
    section = CARDS[card].section

    def wish(**desired: Any) -> Answer:
        return _playing(card, lambda s: {"card_to_trash": _trashable(s, card), **desired})

    def trash(**trashed: Any) -> Answer:
        return _playing(card, lambda s: {**trashed, "desired_card": "copper"})

    return {
        f"{card}-same": Trick(f"{section}/1", _exchange(card, 0, 0)),
        f"{card}-missing": Trick(f"{section}/3", wish()),
        # Dominion has a witch, but it isn't among our cards.
        f"{card}-unknown": Trick(f"{section}/3", wish(desired_card="witch")),
        f"{card}-null": Trick(f"5.6/1 {section}/3", wish(desired_card=None)),
        f"{card}-trash-missing": Trick(f"{section}/2", trash()),
        f"{card}-trash-value": Trick(f"{section}/2", trash(card_to_trash=["copper"])),
        f"{card}-trash-unknown": Trick(f"{section}/2", trash(card_to_trash="witch")),
    }


# --- the table of tricks --------------------------------------------------------------------------

_TOPS = {
    "top": Trick("5.1/1", lambda s: s.over and _top_discard(_top(s, s.hand + s.cards_played))),
    "top-hand": Trick("5.1/1", lambda s: s.over and _top_discard(_top(s, s.hand))),
    "top-played": Trick("5.1/1", lambda s: s.over and _top_discard(_top(s, s.cards_played))),
    "top-null": Trick("5.6/1 5.1/2", lambda s: s.over and _top_discard(None)),
    "top-null-unplayed": Trick("5.6/1 5.1/2", lambda s: s.first and _top_discard(None)),
    "top-number": Trick("5.1/3", lambda s: s.over and _top_discard(1)),
    "top-list": Trick("5.1/3", lambda s: s.over and _top_discard([s.cards_played[0]])),
    "top-card": Trick("5.1/3", lambda s: s.over and _top_discard(_absent(s))),
    "top-card-unplayed": Trick("5.1/3", lambda s: s.first and _top_discard(_absent(s))),
    "pass": Trick("5.1/2", lambda s: s.first and _CLEAN_UP),
    "news": Trick(
        "1.1/3",
        lambda s: s.over and s.request["cards_bought"] and _CLEAN_UP,
        awaits="player-gained",
    ),
}
_TREASURES = {
    "treasure-none": Trick("5.2/2", _money(lambda s: [*s.treasures, _no_treasure(s.hand)])),
    "treasure-twice": Trick("5.2/2", _money(lambda s: [*s.treasures, s.treasures[0]])),
    "treasure-value": Trick("5.2/2", _money(lambda s: [*s.treasures, 7])),
    "treasure-null": Trick("5.6/2 5.2/8", _money(lambda s: None)),
    "treasure-string": Trick("5.2/8", _money(lambda s: s.treasures[0])),
    "treasure-missing": Trick(
        "5.2/7", lambda s: s.fresh and s.treasures and _omit("played_treasures", _copper(s))
    ),
}
_BUYS = {
    "cards-missing": Trick("5.2/7", lambda s: s.buys and _omit("cards_to_buy", _copper(s))),
    "cards-null": Trick("5.6/2 5.2/8", _cards(lambda s: None)),
    "cards-string": Trick("5.2/8", _cards(lambda s: "copper")),
    "cards-unknown": Trick("5.2/3", _cards(lambda s: ["witch", "copper"])),
    "cards-empty": Trick("5.2/4", _cards(lambda s: [_buyable(s, -9, 0, empty=True), "copper"])),
    "cards-dear": Trick("5.2/5", _cards(lambda s: [_buyable(s, 1, 1), "copper"])),
    "cards-dear-second": Trick(
        "5.2/5",
        lambda s: (
            s.buys >= 2 and 3 <= s.money < 11 and buy(s.treasures, ["silver", "province", "copper"])
        ),
    ),
    "cards-many": Trick("5.2/6", _cards(lambda s: ["copper"] * (s.buys + 1))),
    "cards-two": Trick(
        "2.15/3 5.2/1",
        lambda s: s.buys >= 2 and s.money >= 3 and buy(s.treasures, ["silver", "copper"]),
    ),
    **{f"exact-{card}": Trick("4.3/1", _costs(card, 0)) for card in COST},
    **{f"short-{card}": Trick("4.3/1", _costs(card, 1)) for card in COST if COST[card]},
    **{f"worth-{treasure}": Trick("4.3/2", _worth(treasure, 0)) for treasure in WORTH},
    **{f"worth-{treasure}-short": Trick("4.3/2", _worth(treasure, 1)) for treasure in WORTH},
    "second-buy": Trick("5.5/5", lambda s: s.over and _copper(s)),
}
_FORMS = {
    "phase-missing": Trick("5.5/3", lambda s: s.first and _omit("phase", _copper(s))),
    "phase-bad": Trick("5.5/3", lambda s: s.first and {**_copper(s), "phase": "Buy"}),
    "phase-list": Trick("5.5/3", lambda s: s.first and {**_copper(s), "phase": ["buy"]}),
    "type-missing": Trick("5.5/2", lambda s: s.first and _omit("type", _copper(s))),
    "type-bad": Trick("5.5/2", lambda s: s.first and {**_copper(s), "type": "play-turn"}),
    "type-attack": Trick(
        "5.5/2", lambda s: s.first and {**_copper(s), "type": "attack-reply", "discard": []}
    ),
    "no-json": Trick("5.5/1", lambda s: s.first and "{]"),
}
_ACTIONS = {
    "no-actions": Trick(
        "5.5/4",
        lambda s: (
            not s.actions and s.buys and action(_held(s, *KINGDOM), desired_card="copper", cards=[])
        ),
    ),
    "no-actions-bad": Trick(
        "5.5/6", lambda s: not s.actions and s.buys and "copper" in s.hand and action("copper")
    ),
    "action-missing": Trick(
        "5.4/1", lambda s: s.actions and s.buys and {"type": "play-reply", "phase": "action"}
    ),
    "action-treasure": Trick("5.4/1", _acting(lambda s: _held(s, "copper"))),
    "action-victory": Trick("5.4/1", _acting(lambda s: _held(s, "estate"))),
    "action-unknown": Trick("5.4/1", _acting(lambda s: "witch")),
    "action-list": Trick("5.4/1", lambda s: s.actions and s.buys and action(["smithy"])),
    "action-not-held": Trick("5.4/2", _acting(lambda s: _absent(s, KINGDOM))),
    "plain-null": Trick("5.3/2", _plain(None)),
    "plain-list": Trick("5.3/2", _plain(["copper"])),
    "cellar-all": Trick("6.1/1", _cellar(lambda rest, s: rest[::-1])),
    "cellar-empty": Trick("6.1/4", _cellar(lambda rest, s: [])),
    "cellar-missing": Trick("6.1/4", _playing("cellar", lambda s: {})),
    "cellar-object": Trick(
        "5.3/2",
        lambda s: (
            _can_play(s, "cellar")
            and {**action("cellar"), "additional_parameters": [s.rest("cellar")[0]]}
        ),
    ),
    "cellar-null": Trick("6.1/3 5.6/2", _cellar(lambda rest, s: None)),
    "cellar-string": Trick("6.1/3", _cellar(lambda rest, s: rest[0])),
    "cellar-itself": Trick(
        "6.1/2", lambda s: s.hand.count("cellar") < 2 and _cellar(lambda *_: ["cellar"])(s)
    ),
    "cellar-twice": Trick("6.1/2", _cellar(lambda rest, s: [*_one_more(rest), rest[1]])),
    "cellar-value": Trick("6.1/2", _cellar(lambda rest, s: [rest[0], ["copper"], rest[1]])),
    "cellar-not-held": Trick("6.1/2", _cellar(lambda rest, s: [rest[0], _absent(s), rest[1]])),
    "militia-again": Trick(
        "7.1/2",
        lambda s: _can_play(s, "militia") and "militia" in s.cards_played and action("militia"),
    ),
}
_GAINS = {
    "workshop-top": Trick("6.10/1", _workshop(lambda s: _piles(s, 4, 4)[0])),
    "workshop-cheap": Trick("6.10/1", _workshop(lambda s: _piles(s, 0, 1)[0])),
    "workshop-dear": Trick("6.10/2", _workshop(lambda s: _piles(s, 5, 5)[0])),
    "workshop-empty": Trick("6.10/2", _workshop(lambda s: _piles(s, 0, 4, empty=True)[0])),
    "workshop-missing": Trick("6.10/2", _playing("workshop", lambda s: {})),
    "workshop-null": Trick("5.6/1 6.10/2", _workshop(lambda s: None)),
    "workshop-unknown": Trick("6.10/2", _workshop(lambda s: "witch")),
    **_exchanges("mine"),
    "mine-top": Trick("6.4/1", _exchange("mine", 3, 3)),
    "mine-dear": Trick("6.4/3", _exchange("mine", 4, 9)),
    "mine-empty": Trick("6.4/3", _exchange("mine", -9, 3, empty=True)),
    "mine-other": Trick("6.4/3", _trade("mine", _trashable, "estate")),
    "mine-nothing": Trick(
        "6.4/4",
        _playing("mine", lambda s: {"card_to_trash": _trashable(s, "mine", for_nothing=True)}),
    ),
    "mine-trash-not-held": Trick("6.4/2", _trade("mine", lambda s, _: _absent(s, WORTH), "copper")),
    "mine-trash-other": Trick(
        "6.4/2", _trade("mine", lambda s, card: _no_treasure(s.rest(card)), "copper")
    ),
    **_exchanges("remodel"),
    "remodel-top": Trick("6.6/1", _exchange("remodel", 2, 2)),
    "remodel-cheap": Trick("6.6/1", _exchange("remodel", -9, -1)),
    "remodel-dear": Trick("6.6/3", _exchange("remodel", 3, 9)),
    "remodel-empty": Trick("6.6/3", _exchange("remodel", -9, 2, empty=True)),
    "remodel-trash-not-held": Trick("6.6/2", _trade("remodel", lambda s, _: _absent(s), "copper")),
    "remodel-itself": Trick("6.6/4", lambda s: s.hand.count("remodel") < 2 and _REMODEL_ITSELF(s)),
    "remodel-second": Trick("6.6/1", lambda s: s.hand.count("remodel") >= 2 and _REMODEL_ITSELF(s)),
}
_LEAVES = {
    "leave": Trick("8.2/1 8.3/1", lambda s: s.over and s.turn >= 3 and LEAVE),
    "leave-in-a-turn": Trick("8.3/2", lambda s: s.over and s.turn >= 6 and LEAVE),
    "leave-at-the-end": Trick("8.3/6", lambda s: s.over and not s.supply["province"] and LEAVE),
    "leave-leading": Trick("8.3/2", lambda s: s.first and s.count("estate") >= 4 and LEAVE),
}
_ATTACKS: Mapping[str, tuple[str, Answer]] = {
    "few": ("7.2/2 7.4/3", lambda s: _discard(_some(s, -1))),
    "many": ("7.2/2 7.4/3", lambda s: _discard(_some(s, 1))),
    "not-held": ("7.2/3", lambda s: _discard([*_some(s, -1), _absent(s)])),
    "held-once": ("7.2/3", lambda s: _discard(_rare(s))),
    "no-list": ("7.2/4", lambda s: _discard(None)),
    "no-discard": ("7.2/4", lambda s: {"type": "attack-reply"}),
    "moat": ("7.3/1", lambda s: "moat" in s.hand and _react("moat")),
    "moat-discards": ("7.2/1", lambda s: "moat" in s.hand and _discard(s.discards())),
    "moat-not-held": ("7.3/3", lambda s: "moat" not in s.hand and _react("moat")),
    "reaction-bad": ("7.3/2", lambda s: "moat" in s.hand and _react("Moat")),
    "reaction-missing": (
        "7.3/2",
        lambda s: "moat" in s.hand and {"type": "attack-reply-reaction"},
    ),
    "attack-json": ("7.4/1", lambda s: "{]"),
    "attack-untyped": ("7.4/2", lambda s: {"discard": s.discards()}),
    "attack-type": ("7.4/2", lambda s: {"type": "attack-request", "discard": s.discards()}),
    "attack-play": ("7.4/2", lambda s: {**_CLEAN_UP, "discard": s.discards()}),
    "leave-attack": ("8.3/3", lambda s: LEAVE),
}
TRICKS: Mapping[str, Trick] = {
    **_TOPS,
    **_TREASURES,
    **_BUYS,
    **_FORMS,
    **_ACTIONS,
    **_GAINS,
    **_LEAVES,
    **{name: Trick(*trick, attack=True) for name, trick in _ATTACKS.items()},
}
