"""Players that choose at random: legal replies, slightly wrong ones, or nonsense."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from tests.support.helpers import COST, KINGDOM, PILES, WORTH, to_line

Json = dict[str, Any]

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 10**30, 1.5, "", "Copper", "witch", [], {}, [[]], ["copper", 7]),
    *PILES,
]
PHASES = ["action", "buy", "cleanup"]
FIELDS = [
    *("type", "phase", "top_discard", "played_treasures", "cards_to_buy", "card"),
    *("additional_parameters", "discard", "reaction", "x"),
]
TYPES = ["play-reply", "attack-reply", "attack-reply-reaction", "player-name-reply", "x"]
NONSENSE = [b"?", b"null", b"[]", b"{", b"\xff", b"[" * 200, b'{"type":"play-reply","phase":1e999}']


def right(chance: Random, request: Json, supply: Mapping[str, int]) -> bytes:
    if request["type"] == "attack-request":
        hand = request["options"]
        if "moat" in hand and chance.random() < 0.5:
            return to_line({"type": "attack-reply-reaction", "reaction": "moat"})
        return to_line({"type": "attack-reply", "discard": chance.sample(hand, request["discard"])})
    reply: Json = {"type": "play-reply"}
    hand = request["hand"]
    if request["actions"] and chance.random() < 0.9:
        for card in chance.sample(KINGDOM, len(KINGDOM)):
            if card in hand:
                parameters = _parameters(chance, card, _without(hand, card), supply)
                if parameters is not None:
                    reply |= {"phase": "action", "card": card}
                    return to_line(reply | {"additional_parameters": parameters})
    if request["buys"] and chance.random() < 0.95:
        treasures = [card for card in hand if card in WORTH and chance.random() < 0.95]
        money = request["extra_money"] + sum(WORTH[card] for card in treasures)
        left = dict(supply)
        cards = []
        for _ in range(request["buys"]):
            choice = [card for card in PILES if left[card] and COST[card] <= money]
            if choice and chance.random() < 0.95:
                dear = max(COST[card] for card in choice)
                fitting = [card for card in choice if COST[card] >= dear - chance.choice([0, 1, 9])]
                cards.append(chance.choice(fitting))
                left[cards[-1]] -= 1
                money -= COST[cards[-1]]
        return to_line(
            reply | {"phase": "buy", "played_treasures": treasures, "cards_to_buy": cards}
        )
    reply["phase"] = "cleanup"
    cards = hand + request["cards_played"]
    if cards and chance.random() < 0.5:
        reply["top_discard"] = chance.choice(cards)
    return to_line(reply)


def _parameters(
    chance: Random, card: str, hand: list[str], supply: Mapping[str, int]
) -> Json | None:
    """Return legal parameters for a card, or None if it can't be played. `hand` excludes it."""
    if card == "cellar":
        return {"cards": chance.sample(hand, chance.randint(0, len(hand)))}
    if card == "workshop":
        return _desired(chance, PILES, 4, supply) or None
    if card not in ("mine", "remodel"):
        return {}
    among = list(WORTH) if card == "mine" else PILES
    choice = [held for held in hand if held in among]
    if not choice:
        return None
    trashed = chance.choice(choice)
    limit = COST[trashed] + (3 if card == "mine" else 2)
    return {"card_to_trash": trashed, **_desired(chance, among, limit, supply)}


def _desired(chance: Random, among: list[str], limit: int, supply: Mapping[str, int]) -> Json:
    choice = [card for card in among if supply[card] and COST[card] <= limit]
    return {"desired_card": chance.choice(choice)} if choice else {}


def _without(hand: list[str], card: str) -> list[str]:
    rest = hand.copy()
    rest.remove(card)
    return rest


def doubtful(chance: Random, request: Json, supply: Mapping[str, int]) -> bytes:
    """Return a well-formed reply that often names the wrong cards."""

    def card() -> Any:
        return chance.choice(
            [*request.get("hand", request.get("options", [])), *PILES, *VALUES[:9]]
        )

    def cards() -> Any:
        return [card() for _ in range(chance.randint(0, 5))] if chance.random() < 0.9 else card()

    if request["type"] == "attack-request" and chance.random() < 0.9:
        if chance.random() < 0.3:
            return to_line(
                {"type": "attack-reply-reaction", "reaction": chance.choice(["moat", 1])}
            )
        return to_line({"type": "attack-reply", "discard": cards()})
    parameters = {"cards": cards(), "card_to_trash": card(), "desired_card": card()}
    for parameter in chance.sample(list(parameters), chance.randint(0, 2)):
        del parameters[parameter]
    return to_line(
        {
            "type": "play-reply",
            "phase": chance.choice(PHASES),
            "top_discard": card(),
            "played_treasures": [held for held in request.get("hand", ()) if held in WORTH]
            if chance.random() < 0.7
            else cards(),
            "cards_to_buy": cards(),
            "card": card(),
            "additional_parameters": parameters,
        }
    )


def nonsense(chance: Random, request: Json, supply: Mapping[str, int]) -> bytes:
    if chance.random() < 0.3:
        garbage = chance.randbytes(chance.randint(0, 30)).replace(b"\n", b"")
        return chance.choice([*NONSENSE, garbage.strip(b" \t\r") or b"?"])
    fields = chance.sample(FIELDS, chance.randint(0, len(FIELDS)))
    reply: Json = {field: chance.choice(VALUES) for field in fields}
    if chance.random() < 0.8:
        reply["type"] = chance.choice(TYPES)
    if chance.random() < 0.8:
        reply["phase"] = chance.choice(PHASES)
    return to_line(reply)


def mixed(chance: Random, request: Json, supply: Mapping[str, int]) -> bytes:
    # Mostly legal replies, since with too many wrong ones the game would never get anywhere.
    choose = chance.choices([right, doubtful, nonsense], [8, 3, 1])[0]
    return choose(chance, request, supply)
