"""Check the second rules against the test vectors for chance and the recorded games.

The games were played by two of the engine's random bots. Their decisions can be reproduced: each is
the legal reply number `next() mod n`.
"""

from __future__ import annotations

import hashlib
import json
from itertools import combinations

from tests.games.tribute.second.cards import FOLDER, Generator, Json, Options, card_set
from tests.games.tribute.second.engine import SEATS, Fault, Game
from tests.games.tribute.second.lines import encoded

BOT_SEED = 123


def vectors() -> Json:
    found: Json = json.loads((FOLDER / "vectors.json").read_bytes())
    return found


def legal_replies(request: Json) -> list[Json]:
    """List all legal replies to a request, in the order of 3.1 and 6."""
    if request["type"] == "patron-request":
        return [{"type": "patron-reply", "patron": patron} for patron in request["available"]]
    if request["type"] == "play-turn":
        return [{"type": "play-reply", "action": action} for action in request["actions"]]
    if request["effects"]:
        return [{"type": "choose-reply", "effect": index} for index in (0, 1)]
    uids = [card["uid"] for card in request["cards"]]
    sizes = range(request["min"], request["max"] + 1)
    return [
        {"type": "choose-reply", "cards": list(chosen)}
        for size in sizes
        for chosen in combinations(uids, size)
    ]


class CompletedActions:
    """Builds the list of completed actions (15.7) from the public messages."""

    def __init__(self, cards: str) -> None:
        self._cards = card_set(cards).cards
        # An `action` contains only the card's uid, so we remember the names.
        self._names: dict[int, str] = {}
        self.lines: list[str] = []

    def observe(self, message: Json) -> None:
        self._learn(message)
        if message["type"] == "action":
            self._of_action(message["action"])
        elif message["type"] == "event" and message["kind"] != "agent-hit":
            self._of_event(message)

    def _learn(self, value: object) -> None:
        if isinstance(value, dict):
            if "uid" in value:
                self._names[value["uid"]] = value["card"]
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                self._learn(item)

    def _of_action(self, action: Json) -> None:
        kind = action["type"]
        if kind == "end-turn":
            self.lines.append("END_TURN ")
        elif kind == "call-patron":
            self.lines.append(f"ACTIVATE_PATRON {action['patron']}")
        elif kind != "attack":
            self.lines.append(f"{kind.upper().replace('-', '_')} {self._card(action['card'])}")

    def _of_event(self, event: Json) -> None:
        kind = event["kind"]
        words: list[object] = [kind.upper().replace("-", "_")]
        source = event["source"]
        if isinstance(source, dict):
            words.append(self._card(source["uid"]))
        elif source is not None:
            words.append(source)
        if event["target"] is not None and not kind.startswith("add-"):
            words.append(self._card(event["target"]["uid"]))
        figures = ("gain-", "opp-lose", "draw", "add-patron", "heal-", "attack-")
        if kind.startswith(figures):
            words.append(event["amount"])
        self.lines.append(" ".join(str(word) for word in words))

    def _card(self, uid: int) -> str:
        of = self._cards[self._names[uid]]
        return (
            f"Card: {of.name}, Deck: {of.deck}, Cost: {of.cost}, Type: {of.type}, UniqueId: {uid}"
        )


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def replay(wanted: Json) -> Json:
    """Replay a recorded game. Returns the fields of the vector except for `bots`."""
    options = Options(
        cards=wanted["cards"], patrons=tuple(wanted["offered"]), chance=wanted["chance"]
    )
    game = Game(options, wanted["seed"], wanted["bots"])
    dice = [Generator(BOT_SEED), Generator(BOT_SEED)]
    decisions = 0
    while game.request is not None:
        legal = legal_replies(game.request.message)
        if wanted["bots"][game.request.seat] == "RandomWithoutEndTurnBot":
            # With only one reply left, this bot doesn't draw a random number.
            legal = [reply for reply in legal if not _ends_turn(reply)] or legal[-1:]
        seat = game.request.seat
        forced = wanted["bots"][seat] == "RandomWithoutEndTurnBot" and _ends_turn(legal[0])
        # The vectors don't count the draft as decisions.
        decisions += game.request.message["type"] != "patron-request"
        game.answer(legal[0 if forced else dice[seat].next() % len(legal)])
    assert game.outcome is not None
    actions = CompletedActions(options.cards)
    public: list[str] = []
    for event in game.events:
        assert not isinstance(event, Fault)
        actions.observe(event)
        if public or event["type"] == "patron-picked":
            public.append(encoded(event) + "\n")
    return {
        "patrons": game.table,
        "reason": game.outcome.reason,
        "winners": [SEATS[seat] for seat in game.outcome.winners],
        "scores": [player.prestige for player in game.players],
        "turns": game.turn,
        "decisions": decisions,
        "states_after": [generator.state for generator in game.generators],
        "completed_actions": len(actions.lines),
        "completed_actions_sha256": digest("\n".join(actions.lines)),
        "public_lines": len(public),
        "public_sha256": digest("".join(public)),
    }


def _ends_turn(reply: Json) -> bool:
    action: Json = reply.get("action", {})
    return action.get("type") == "end-turn"


def set_up(wanted: Json) -> Json:
    """Deal the cards with the seed and patrons of a vector, and return its fields."""
    table = wanted["patrons"]
    picks = [patron for patron in table if patron != "TREASURY"]
    options = Options(cards=wanted["card_set"], patrons=tuple(picks), chance="engine")
    game = Game(options, wanted["seed"], ("A", "B"))
    for patron in picks:
        game.answer({"type": "patron-reply", "patron": patron})
    cards = game.row + game.deck
    first = 10000 + len(cards)
    starters: list[list[str]] = [[], []]
    places: list[dict[int, int]] = [{}, {}]
    uid = first
    for patron in table:
        card, copies = game.set.starters[patron]
        for seat in (0, 1):
            for _ in range(copies):
                places[seat][uid] = len(starters[seat])
                starters[seat].append(card)
                uid += 1
    assert starters[0] == starters[1]
    orders = [
        [places[seat][card.uid] for card in player.hand + player.pile]
        for seat, player in enumerate(game.players)
    ]
    return {
        "tavern_cards": len(cards),
        "tavern_order": [card.uid - 10000 for card in cards],
        "row": [card.of.id for card in game.row],
        "starters": starters[0],
        "player1_order": orders[0],
        "player2_order": orders[1],
        "state_after": game.generators[0].state,
    }


def departures(wanted: Json, found: Json) -> list[str]:
    """Describe the fields of `found` that differ from the vector."""
    return [
        f"{name}: expected {wanted[name]}, found {value}"
        for name, value in found.items()
        if wanted[name] != value
    ]
