"""What probes do to see what another referee makes of it, and the cases that each is there for.

A trick is done once, at the first request that gives it an occasion: `reply(sight)` is a JSON
object or a `Deed` then, and false as long as there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from referee.games.dominion.probes.sight import Sight, action, buy, cleanup
from referee.games.dominion.rules.cards import COST, KINGDOM, WORTH
from referee.seam.probing import Deed

Reply = Callable[[Sight], Any]


class Trick(Struct, frozen=True):
    """One trick.

    Attributes:
        cases: ids of what it is there for; behind a ":" those that its messages are about besides.
        reply: what it answers.
        attack: whether it answers an attack-request.
    """

    cases: str
    reply: Reply
    attack: bool = False


def small_buy(sight: Sight) -> dict[str, Any]:
    """A buy that everybody notices."""
    return buy(sight.treasures, ["copper"])


def _without(reply: Mapping[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in reply.items() if name != field}


# --- top discard, buys ----------------------------------------------------------------------------


def _top(sight: Sight, among: list[str]) -> Any:
    """Another card than the referee would pick."""
    others = [card for card in among if card != sight.played[-1]] if sight.over else []
    return others and cleanup(top_discard=others[0])


def _bad_top(sight: Sight) -> Any:
    there = sight.hand + sight.played
    return cleanup(top_discard=next(card for card in COST if card not in there))


def _dull(sight: Sight) -> list[str]:
    return [card for card in sight.hand if card not in WORTH]


def _treasures(change: Callable[[list[str], list[str]], Any]) -> Reply:
    """Treasures that are not quite right: takes those of the hand, and what else is there."""

    def reply(sight: Sight) -> Any:
        good, dull = sight.treasures, _dull(sight)
        return sight.fresh and good and dull and buy(change(good, dull), ["copper"])

    return reply


def _purchase(cards: Callable[[Sight], Any]) -> Reply:
    """A buy of these, with all treasures; no occasion if there are none."""

    def reply(sight: Sight) -> Any:
        wanted = cards(sight) if sight.buys else ()
        return wanted != () and buy(sight.treasures, wanted)

    return reply


def _dear(sight: Sight) -> Any:
    dear = [card for card in sight.gainable(sight.money + 1) if COST[card] == sight.money + 1]
    return [dear[0], "copper"] if dear else ()


def _dear_second(sight: Sight) -> Any:
    dear = ["province"] * (sight.money < 11)
    return ["silver", *dear, "copper"] if sight.buys > 1 and sight.money >= 3 else ()


def _empty_pile(sight: Sight) -> Any:
    empty = [card for card in COST if not sight.supply[card] and COST[card] <= sight.money]
    return [empty[0], "copper"] if empty else ()


def _costs(card: str, less: int) -> Reply:
    """Buy a card with just its cost in treasures, or with less."""

    def reply(sight: Sight) -> Any:
        wanted = COST[card] - less
        if not sight.fresh or not sight.supply[card] or wanted < 0:
            return None
        found = []
        # Dear ones first: every sum that is there is reached so, if there are coppers enough.
        for coin in sorted(sight.treasures, key=lambda coin: -WORTH[coin]):
            if WORTH[coin] <= wanted:
                found.append(coin)
                wanted -= WORTH[coin]
        return not wanted and buy(found, [card])

    return reply


def _worth(treasure: str, more: int) -> Reply:
    """Play one kind of treasure, worth as much as a card costs, or so much less."""

    def reply(sight: Sight) -> Any:
        coins = [card for card in sight.treasures if card == treasure] if sight.fresh else []
        for count in range(len(coins), 0, -1):
            for card in sight.gainable(MOST_COST):
                if COST[card] == count * WORTH[treasure] + more:
                    return buy(coins[:count], [card])
        return None

    return reply


MOST_COST = max(COST.values())


def _first(change: Callable[[dict[str, Any]], Any]) -> Reply:
    """Something else in place of a small buy that begins a turn."""
    return lambda sight: sight.first and change(small_buy(sight))


# --- actions --------------------------------------------------------------------------------------


def _actions(sight: Sight) -> list[str]:
    return [card for card in KINGDOM if card in sight.hand]


def _play(card: str, among: tuple[str, ...] = ()) -> Reply:
    """Play a card that does nothing legal: with an action left, and one of `among` in hand."""
    return lambda sight: (
        sight.actions
        and sight.buys
        and (not among or set(among) & {*sight.hand})
        and action(card, desired_card="copper")
    )


def _not_held(sight: Sight) -> Any:
    missing = sight.absent(KINGDOM)
    return sight.actions and sight.buys and action(missing[-1], desired_card="copper")


def _plain(parameters: Any) -> Reply:
    """A card without parameters, with something in their place."""

    def reply(sight: Sight) -> Any:
        for card in ("smithy", "market", "village", "woodcutter", "moat"):
            if sight.can_play(card):
                return {**action(card), "additional_parameters": parameters}
        return None

    return reply


def _cellar(cards: Callable[[list[str]], Any], least: int = 0) -> Reply:
    """A cellar: takes the rest of the hand, which has so many cards at least."""

    def reply(sight: Sight) -> Any:
        hand = sight.rest("cellar") if sight.can_play("cellar") else []
        named = cards(hand) if sight.can_play("cellar") and len(hand) >= least else ()
        return named != () and action("cellar", cards=named)

    return reply


def _absent_from(hand: list[str]) -> str:
    return next(card for card in COST if card not in hand)


def _bad_trash(card: str, trashed: Callable[[list[str], list[str]], Any]) -> Reply:
    """A mine or remodel with a wrong card to trash: takes the rest of the hand, and what counts."""
    among = list(WORTH if card == "mine" else COST)

    def reply(sight: Sight) -> Any:
        named = trashed(sight.rest(card), among) if sight.can_play(card) else None
        return named is not None and action(card, card_to_trash=named, desired_card="copper")

    return reply


def _exchange(card: str, wish: Callable[[Sight, int, str], Any], *, nothing: bool = False) -> Reply:
    """A mine or remodel with this wish: takes the highest cost, and the card that is trashed.

    Args:
        nothing: whether the occasion is that nothing can be gained.
    """
    among = list(WORTH if card == "mine" else COST)
    more = 3 if card == "mine" else 2

    def reply(sight: Sight) -> Any:
        if not sight.can_play(card):
            return None
        for trashed in sorted({*sight.rest(card)} & {*among}, key=lambda other: COST[other]):
            limit = COST[trashed] + more
            if bool(sight.gainable(limit, among)) == nothing:
                continue
            wished = wish(sight, limit, trashed)
            if wished is not None:
                wished = {} if wished == {} else {"desired_card": wished}
                return action(card, card_to_trash=trashed, **wished)
        return None

    return reply


def _least(cards: list[str]) -> str | None:
    return min(cards, key=lambda card: COST[card], default=None)


def _wishes(card: str) -> dict[str, Reply]:
    """The wishes that a mine and a remodel can have alike."""
    among = list(WORTH if card == "mine" else COST)

    def of(test: Callable[[Sight, int, str, str], bool]) -> Reply:
        return _exchange(
            card,
            lambda sight, limit, trashed: _least(
                [other for other in among if test(sight, limit, trashed, other)]
            ),
        )

    return {
        "top": of(lambda s, limit, t, o: bool(s.supply[o]) and COST[o] == limit),
        "same": of(lambda s, limit, t, o: bool(s.supply[o]) and COST[o] == COST[t]),
        "cheap": of(lambda s, limit, t, o: bool(s.supply[o]) and COST[o] < COST[t]),
        "dear": of(lambda s, limit, t, o: bool(s.supply[o]) and COST[o] > limit),
        "empty": of(lambda s, limit, t, o: not s.supply[o] and COST[o] <= limit),
        "missing": _exchange(card, lambda s, limit, t: {}),
        "unknown": _exchange(card, lambda s, limit, t: "witch"),
        "null": lambda s: _nulled(_exchange(card, lambda s, limit, t: "witch")(s)),
    }


def _nulled(reply: Any) -> Any:
    """A wish that is null."""
    if reply:
        reply["additional_parameters"]["desired_card"] = None
    return reply


def _workshop(test: Callable[[Sight, str], bool]) -> Reply:
    def reply(sight: Sight) -> Any:
        found = [card for card in COST if sight.can_play("workshop") and test(sight, card)]
        return found and action("workshop", desired_card=found[0])

    return reply


# --- militia and moat -----------------------------------------------------------------------------


def _discard(cards: Callable[[list[str], int], Any]) -> Reply:
    """Discards: takes the hand, and how many are due."""

    def reply(sight: Sight) -> Any:
        named = cards(sight.hand, sight.message["discard"])
        return named != () and {"type": "attack-reply", "discard": named}

    return reply


def _held_once(hand: list[str], count: int) -> Any:
    """Name a card more often than it is held."""
    rare = [card for card in hand if hand.count(card) < count]
    return [rare[0]] * count if rare else ()


def _reaction(reply: Mapping[str, Any], held: bool = True) -> Reply:
    """A reaction, with a moat in hand or without."""
    return lambda sight: (
        ("moat" in sight.hand) == held and {"type": "attack-reply-reaction", **reply}
    )


# --- leaving --------------------------------------------------------------------------------------


def _leave(when: Callable[[Sight], Any]) -> Reply:
    return lambda sight: when(sight) and Deed(then="exit")


def _news(sight: Sight) -> Any:
    """End a turn only when the other one has heard of its buy."""
    bought = sight.over and sight.message["cards_bought"]
    clean = msgspec.json.encode(cleanup()) + b"\n"
    return bought and Deed(clean, awaits=("player-gained", sight.gains))


def _tricks() -> dict[str, Trick]:
    of: dict[str, tuple[str, Reply]] = {
        "top": ("5.1/1", lambda s: _top(s, s.hand + s.played)),
        "top-hand": ("5.1/1", lambda s: _top(s, s.hand)),
        "top-played": ("5.1/1", lambda s: s.over and _top(s, s.played)),
        "top-null": ("5.6/1 5.1/2", lambda s: s.over and cleanup(top_discard=None)),
        "top-null-unplayed": ("5.6/1 5.1/2", lambda s: s.first and cleanup(top_discard=None)),
        "top-number": ("5.1/3", lambda s: s.over and cleanup(top_discard=1)),
        "top-list": ("5.1/3", lambda s: s.over and cleanup(top_discard=s.played[:1])),
        "top-card": ("5.1/3", lambda s: s.over and _bad_top(s)),
        "top-card-unplayed": ("5.1/3", lambda s: s.first and _bad_top(s)),
        "pass": ("5.1/2", lambda s: s.first and cleanup()),
        "news": ("1.1/3", _news),
        # Buys.
        "treasure-none": ("5.2/2", _treasures(lambda good, dull: [good[0], dull[0], *good[1:]])),
        "treasure-twice": ("5.2/2", _treasures(lambda good, dull: [*good, good[0]])),
        "treasure-value": ("5.2/2", _treasures(lambda good, dull: [good[0], 7, *good[1:]])),
        "treasure-null": ("5.6/2 5.2/8", _treasures(lambda good, dull: None)),
        "treasure-string": ("5.2/8", _treasures(lambda good, dull: good[0])),
        "treasure-missing": (
            "5.2/7",
            lambda s: s.fresh and s.treasures and _without(small_buy(s), "played_treasures"),
        ),
        "cards-missing": ("5.2/7", lambda s: s.buys and _without(small_buy(s), "cards_to_buy")),
        "cards-null": ("5.6/2 5.2/8", _purchase(lambda s: None)),
        "cards-string": ("5.2/8", _purchase(lambda s: "copper")),
        "cards-unknown": ("5.2/3", _purchase(lambda s: ["witch", "copper"])),
        "cards-empty": ("5.2/4", _purchase(_empty_pile)),
        "cards-dear": ("5.2/5", _purchase(_dear)),
        "cards-dear-second": ("5.2/5", _purchase(_dear_second)),
        "cards-many": ("5.2/6", _purchase(lambda s: ["copper"] * (s.buys + 1))),
        "cards-two": (
            "5.2/1 : 2.15/3 2.4/2 2.5/1",
            _purchase(lambda s: ["silver", "copper"] if s.buys > 1 and s.money >= 3 else ()),
        ),
        **{f"exact-{card}": ("4.3/1", _costs(card, 0)) for card in COST},
        **{f"short-{card}": ("4.3/1", _costs(card, 1)) for card in COST},
        **{f"worth-{card}": ("4.3/2", _worth(card, 0)) for card in WORTH},
        **{f"worth-{card}-short": ("4.3/2", _worth(card, 1)) for card in WORTH},
        # Replies of no kind.
        "phase-missing": ("5.5/3", _first(lambda reply: _without(reply, "phase"))),
        "phase-bad": ("5.5/3", _first(lambda reply: {**reply, "phase": "Buy"})),
        "phase-list": ("5.5/3", _first(lambda reply: {**reply, "phase": ["buy"]})),
        "type-missing": ("5.5/2", _first(lambda reply: _without(reply, "type"))),
        "type-bad": ("5.5/2", _first(lambda reply: {**reply, "type": "play-turn"})),
        "type-attack": (
            "5.5/2",
            _first(lambda reply: {**reply, "type": "attack-reply", "discard": []}),
        ),
        "no-json": ("5.5/1", _first(lambda reply: Deed(b"{]\n"))),
        "second-buy": ("5.5/5", lambda s: s.over and small_buy(s)),
        # Actions.
        "no-actions": (
            "5.5/4",
            lambda s: (
                not s.actions
                and s.buys
                and (
                    action(_actions(s)[0], desired_card="copper", cards=[]) if _actions(s) else None
                )
            ),
        ),
        "no-actions-bad": (
            "5.5/6",
            lambda s: (
                not s.actions and s.buys and action("copper" if "copper" in s.hand else "smithy")
            ),
        ),
        "action-missing": (
            "5.4/1",
            lambda s: s.actions and s.buys and {"type": "play-reply", "phase": "action"},
        ),
        "action-treasure": ("5.4/1", _play("copper", ("copper",))),
        "action-victory": ("5.4/1", _play("estate", ("estate",))),
        "action-unknown": ("5.4/1", _play("witch")),
        "action-list": (
            "5.4/1",
            lambda s: s.actions and s.buys and {**action("smithy"), "card": ["smithy"]},
        ),
        "action-not-held": ("5.4/2", _not_held),
        "plain-null": ("5.3/2", _plain(None)),
        "plain-list": ("5.3/2", _plain(["copper"])),
        "cellar-all": ("6.1/1", _cellar(lambda hand: hand[::-1], 2)),
        "cellar-empty": ("6.1/4", _cellar(lambda hand: [])),
        "cellar-missing": ("6.1/4", lambda s: s.can_play("cellar") and action("cellar")),
        "cellar-object": (
            "5.3/2",
            lambda s: (
                s.can_play("cellar")
                and {**action("cellar"), "additional_parameters": s.rest("cellar")[:1]}
            ),
        ),
        "cellar-null": ("6.1/3 5.6/2", _cellar(lambda hand: None)),
        "cellar-string": ("6.1/3", _cellar(lambda hand: hand[0], 1)),
        "cellar-itself": (
            "6.1/2",
            _cellar(lambda hand: ["cellar"] if "cellar" not in hand else ()),
        ),
        "cellar-twice": (
            "6.1/2",
            _cellar(lambda hand: [hand[0]] * (hand.count(hand[0]) + 1) + hand[1:2], 2),
        ),
        "cellar-value": ("6.1/2", _cellar(lambda hand: [hand[0], ["copper"], hand[1]], 2)),
        "cellar-not-held": (
            "6.1/2",
            _cellar(lambda hand: [hand[0], _absent_from(hand), hand[1]], 2),
        ),
        "workshop-top": ("6.10/1", _workshop(lambda s, o: bool(s.supply[o]) and COST[o] == 4)),
        "workshop-cheap": ("6.10/1", _workshop(lambda s, o: bool(s.supply[o]) and COST[o] < 2)),
        "workshop-dear": ("6.10/2", _workshop(lambda s, o: bool(s.supply[o]) and COST[o] == 5)),
        "workshop-empty": ("6.10/2", _workshop(lambda s, o: not s.supply[o] and COST[o] < 5)),
        "workshop-missing": ("6.10/2", lambda s: s.can_play("workshop") and action("workshop")),
        "workshop-null": (
            "5.6/1 6.10/2",
            lambda s: s.can_play("workshop") and action("workshop", desired_card=None),
        ),
        "workshop-unknown": (
            "6.10/2",
            lambda s: s.can_play("workshop") and action("workshop", desired_card="witch"),
        ),
        "mine-other": ("6.4/3", _exchange("mine", lambda s, limit, t: "estate")),
        "mine-nothing": ("6.4/4", _exchange("mine", lambda s, limit, t: {}, nothing=True)),
        "remodel-itself": (
            "6.6/4",
            lambda s: (
                s.can_play("remodel")
                and (
                    "remodel" not in s.rest("remodel")
                    and action("remodel", card_to_trash="remodel", desired_card="silver")
                )
            ),
        ),
        "remodel-second": (
            "6.6/1",
            lambda s: (
                s.can_play("remodel")
                and (
                    "remodel" in s.rest("remodel")
                    and action("remodel", card_to_trash="remodel", desired_card="silver")
                )
            ),
        ),
        # Leaving.
        "leave": ("8.2/1 8.3/1 : 2.13/1", _leave(lambda s: s.turns > 2 and s.over)),
        "leave-in-a-turn": ("8.3/2 : 2.13/1 2.15/7", _leave(lambda s: s.turns > 5 and s.over)),
        "leave-at-the-end": ("8.3/6", _leave(lambda s: s.over and not s.supply["province"])),
        "leave-leading": ("8.3/2", _leave(lambda s: s.first and s.owned["estate"] > 3)),
    }
    for number, card in ((4, "mine"), (6, "remodel")):
        right = f"6.{number}/1"
        for name, wish in _wishes(card).items():
            cases = right if name in ("top", "same", "cheap") else f"6.{number}/3"
            of[f"{card}-{name}"] = (f"5.6/1 {cases}" if name == "null" else cases, wish)
        bad = {
            "missing": lambda hand, among: UNSET,
            "value": lambda hand, among: ["copper"],
            "unknown": lambda hand, among: "witch",
            "other": lambda hand, among: next((c for c in hand if c not in among), None),
            "not-held": lambda hand, among: next((c for c in among if c not in hand), None),
        }
        for name, trashed in bad.items():
            of[f"{card}-trash-{name}"] = (f"6.{number}/2", _bad_trash(card, trashed))
    attacks: dict[str, tuple[str, Reply]] = {
        "few": ("7.2/2", _discard(lambda hand, count: hand[: count - 1])),
        "many": ("7.2/2", _discard(lambda hand, count: hand[: count + 1])),
        "not-held": (
            "7.2/3",
            _discard(lambda hand, count: [*hand[: count - 1], _absent_from(hand)]),
        ),
        "held-once": ("7.2/3", _discard(_held_once)),
        "no-list": ("7.2/4", _discard(lambda hand, count: None)),
        "no-discard": ("7.2/4", lambda s: {"type": "attack-reply"}),
        "moat": ("7.3/1 : 2.9/1", _reaction({"reaction": "moat"})),
        "moat-discards": ("7.2/1", lambda s: "moat" in s.hand and s.discards()),
        "moat-not-held": ("7.3/3", _reaction({"reaction": "moat"}, held=False)),
        "reaction-bad": ("7.3/2", _reaction({"reaction": "Moat"})),
        "reaction-missing": ("7.3/2", _reaction({})),
        "attack-json": ("7.4/1", lambda s: Deed(b"{]\n")),
        "attack-untyped": ("7.4/2", lambda s: _without(s.discards(), "type")),
        "attack-type": ("7.4/2", lambda s: {**s.discards(), "type": "attack-request"}),
        "attack-play": ("7.4/2", lambda s: cleanup(discard=s.discards()["discard"])),
        "leave-attack": ("8.3/3", lambda s: Deed(then="exit")),
    }
    tricks = {name: Trick(cases, reply) for name, (cases, reply) in of.items()}
    return tricks | {name: Trick(cases, r, attack=True) for name, (cases, r) in attacks.items()}


TRICKS: Mapping[str, Trick] = _tricks()
