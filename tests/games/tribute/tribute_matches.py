"""Tribute matches inside the test process, and a short notation for messages and actions."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec

from referee.games.interface.game import ALL, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.tribute import RULES
from referee.match.machine import Entry, Match
from tests.support.helpers import Announced, name_line, seat_of, to_line

Json = dict[str, Any]

SHORT = {
    "play": "play-card",
    "activate": "activate-agent",
    "attack": "attack",
    "buy": "buy-card",
    "call": "call-patron",
    "end": "end-turn",
}
LONG = {long: short for short, long in SHORT.items()}


def new_setup(seed: int = 1, **options: Any) -> GameSetup:
    chance = SeededRandomSource(seed)
    return GameSetup(
        chance=chance, names=("Ann", "Ben"), options=RULES.options(**options), seed=seed
    )


def new_match(seed: int = 1, **options: Any) -> Match:
    return Match(RULES, seats=2, seed=seed, options=RULES.options(**options))


# --- short words --------------------------------------------------------------------------------


def card_name(card: Any) -> str:
    """Write a card or a patron without its uid."""
    return card["card"] if isinstance(card, dict) else str(card)


def short_agent(agent: Json) -> str:
    return f"{agent['card']} {agent['hp']}" + " activated" * agent["activated"]


def short_waiting(waiting: Json) -> str:
    return f"{waiting['source']['card']} {waiting['level']} {waiting['effect']}"


class Names:
    """The names of all cards that have appeared so far, by uid."""

    def __init__(self) -> None:
        self.cards: dict[int, str] = {}

    def learn(self, value: Any) -> None:
        """Remember the names of all cards in a message."""
        if isinstance(value, dict):
            if "uid" in value:
                self.cards[value["uid"]] = value["card"]
            for inner in value.values():
                self.learn(inner)
        elif isinstance(value, list):
            for inner in value:
                self.learn(inner)

    def action(self, action: Json) -> str:
        """Write an action in short form."""
        words = [LONG[action["type"]]]
        if "card" in action:
            words.append(self.cards[action["card"]])
        return " ".join([*words, *([action["patron"]] if "patron" in action else [])])

    def message(self, message: Json) -> str:
        """Write a public message in short form."""
        kind = message["type"]
        player = message.get("player_number", "")
        if kind == "action":
            return f"action {player} {self.action(message['action'])}"
        if kind == "chosen":
            what = [card["card"] for card in message["cards"]]
            if message["effect"] is not None:
                what.append(("left", "right")[message["effect"]])
            return " ".join(["chosen", player, message["follow_up"], *what])
        if kind == "event":
            return short_event(message)
        if kind == "row-refilled":
            return (
                f"row-refilled {message['place']} {(message['card'] or {'card': 'none'})['card']}"
            )
        if kind == "turn-ended":
            cards = [card["card"] for card in message["discarded"]] or ["none"]
            shown = map(str, message["prestige"])
            return " ".join([kind, str(message["turn"]), player, *cards, *shown])
        if kind == "turn-started":
            return f"{kind} {message['turn']} {player} {message['coins']}"
        if kind == "game-end":
            return f"{kind} {message['reason']}"
        if kind == "player-drew":
            return f"{kind} {player} {message['count']}"
        return f"{kind} {player}"


def short_event(event: Json) -> str:
    """Write an event as its kind, source, target and amount, without what the kind implies."""
    words = [event["kind"]]
    target = event["target"]
    if event["source"] is not None:
        words.append(card_name(event["source"]))
    if target is not None and event["source"] != target:
        words.append(target["card"])
    if target is None or event["kind"] in ("attack-agent", "agent-hit", "heal-agent"):
        words.append(str(event["amount"]))
    return " ".join(words)


# --- scenarios ----------------------------------------------------------------------------------


class Scene:
    """Plays a scenario step by step, starting from its situation (scenarios/README.md)."""

    def __init__(self, scenario: Json) -> None:
        rules = RULES
        before = scenario.get("before")
        if before is not None:
            rules = msgspec.structs.replace(RULES, new=lambda setup: RULES.situation(setup, before))
        options = RULES.options(**scenario.get("options", {}))
        self.match = Match(rules, seats=2, seed=1, options=options)
        self.names = Names()
        self.request: Json = {}
        self.match.start()
        self.match.take_entries()
        for seat in (0, 1):
            self.match.receive(seat, name_line(seat))
        self.told = Announced(self._take())

    def do(self, deeds: str) -> None:
        """Send replies that are written like "play GOLD; end; choose SWIPE; left"."""
        entries: list[Entry] = []
        for deed in deeds.split("; ") if deeds else ():
            (seat,) = self.match.due
            self.match.receive(seat, self.line(deed))
            entries += self._take()
        self.told = Announced(entries)

    def line(self, deed: str) -> bytes:
        """Turn a reply in short form into a line."""
        verb, _, rest = deed.partition(" ")
        if verb == "reply":
            return rest.encode()
        if verb == "pick":
            return to_line({"type": "patron-reply", "patron": rest})
        if verb in ("left", "right"):
            return to_line({"type": "choose-reply", "effect": int(verb == "right")})
        if verb == "choose":
            listed = self.request["cards"].copy()
            uids = []
            for name in rest.split():
                card = next(card for card in listed if card["card"] == name)
                listed.remove(card)
                uids.append(card["uid"])
            return to_line({"type": "choose-reply", "cards": uids})
        actions = {self.names.action(action): action for action in self.request["actions"]}
        return to_line({"type": "play-reply", "action": actions[deed]})

    def value(self, name: str) -> Any:
        """Look up a value of the current state by its name (scenarios/README.md)."""
        view: Json = msgspec.to_builtins(self.match.view(ALL))
        if name[:2] in ("1.", "2."):
            return self._of_seat(view["seats"][int(name[0]) - 1], name[2:])
        first, _, rest = name.partition(" ")
        if first == "favour":
            return view["favours"][rest]
        request = self.request
        match name:
            case "row":
                return [card["card"] for card in view["row"]]
            case "deck":
                return [card["card"] for card in view["tavern_deck"]]
            case "patrons":
                return list(view["favours"])
            case "asks":
                (seat,) = self.match.due
                return f"player{seat + 1} {request.get('follow_up', request['type'])}"
            case "cards":
                return [card["card"] for card in request["cards"]]
            case "range":
                return [request["min"], request["max"]]
            case "effects" | "level":
                return request[name]
            case "upcoming":
                return [short_waiting(waiting) for waiting in request["upcoming"]]
            case "actions":
                return [self.names.action(action) for action in request["actions"]]
            case "told":
                return [self._shown(message) for message in self.told.public]
            case "events":
                events = [m for m in self.told.public if m["type"] == "event"]
                return [self._shown(event) for event in events]
            case "fault":
                (fault,) = self.told.faults
                assert fault.section == RULES.faults[fault.code]
                assert fault.detail.isprintable()
                return fault.code
            case "over":
                assert self.match.outcome is not None
                winners = [f"player{seat + 1}" for seat in self.match.outcome.winners]
                return f"{winners[0] if len(winners) == 1 else 'draw'} {self.match.outcome.reason}"
            case "uids":
                uids = [card["uid"] for seat in view["seats"] for card in seat["hand_and_draw"]]
                uids += [card["uid"] for card in view["row"] + view["tavern_deck"]]
                return "all different" if len({*uids}) == len(uids) else uids
        raise AssertionError(f"no such name: {name}")

    def _of_seat(self, seat: Json, name: str) -> Any:
        if name == "agents":
            return [short_agent(agent) for agent in seat["agents"]]
        if name == "calls":
            return seat["patron_calls"]
        if name == "draw_size":
            return len(seat["draw_pile"])
        if name == "gold":
            return sum(card["card"] == "GOLD" for card in seat["hand_and_draw"])
        if name == "hand starts":
            return [card["card"] for card in seat["hand"]][:2]
        value = seat["draw_pile" if name == "draw" else name]
        return [card["card"] for card in value] if isinstance(value, list) else value

    def _shown(self, message: Json) -> str:
        """Write a message in short form.

        The player is named only if somebody else acted, for instance when Morihaus gives a coin.
        """
        shown = self.names.message(message)
        acting = [
            earlier["player_number"]
            for earlier in self.told.public[: self.told.public.index(message)]
            if earlier["type"] in ("action", "chosen")
        ]
        if message["type"] == "event" and {message["player_number"]} != {*acting[-1:]}:
            return f"{shown} for {message['player_number']}"
        return shown

    def _take(self) -> list[Entry]:
        entries = self.match.take_entries()
        told = Announced(entries)
        for message in told.public:
            self.names.learn(message)
        for to, message in told.requests:
            assert self.match.due == (seat_of(to),)
            self.names.learn(message)
            self.request = message
        return entries


# --- players that choose at random --------------------------------------------------------------

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 10**30, 1.5, 0.0, 10_100, 10_100.0, "", "ANSEI", "gold", [], {}),
    *([[]], ["ANSEI"], [10_100], "end-turn", "play-card", "call-patron", "TREASURY"),
]
NONSENSE = [b"?", b"null", b"[]", b"{", b"\xff", b"[" * 200, b'{"type":"play-reply"}', b"{}"]


def right(dice: Random, request: Json) -> bytes:
    """A random legal reply. It rarely ends a turn while other actions are possible."""
    if request["type"] == "patron-request":
        return to_line({"type": "patron-reply", "patron": dice.choice(request["available"])})
    if request["type"] == "choose-request":
        if request["effects"]:
            return to_line({"type": "choose-reply", "effect": dice.choice([0, 1, 1.0])})
        uids = [card["uid"] for card in request["cards"]]
        count = dice.randint(request["min"], min(request["max"], len(uids)))
        return to_line({"type": "choose-reply", "cards": dice.sample(uids, count)})
    actions = request["actions"]
    index = dice.randrange(max(1, len(actions) - (dice.random() < 0.9)))
    if dice.random() < 0.5:
        return to_line({"type": "play-reply", "index": index})
    return to_line({"type": "play-reply", "action": actions[index], "index": "?"})


def wrong(dice: Random, request: Json) -> bytes:
    """Often an illegal reply, and sometimes a line of random bytes, which is never blank."""
    if dice.random() < 0.2:
        garbage = dice.randbytes(dice.randint(0, 30)).replace(b"\n", b"").strip(b" \t\r")
        return dice.choice([*NONSENSE, garbage or b"?"])
    if dice.random() < 0.5:  # has the right form
        uids = [card["uid"] for card in request.get("cards", ())]
        if request["type"] == "choose-request":
            cards = [*uids, *dice.sample([*uids, 1], 1)]
            return to_line({"type": "choose-reply", "cards": cards, "effect": 2})
        action = {"type": "buy-card", "card": dice.choice([9_999, 10_000, 10_110])}
        reply = {"patron": "TREASURY", "action": action}
        return to_line(
            {"type": request["type"].replace("-turn", "-request")[:-7] + "reply"} | reply
        )
    kind = dice.choice(["play-reply", "choose-reply", "patron-reply", "player-name-reply"])
    action = {name: dice.choice(VALUES) for name in ("type", "card", "patron")}
    reply = {name: dice.choice(VALUES) for name in ("index", "cards", "effect", "patron")}
    return to_line(reply | {"type": kind, "action": dice.choice([action, *VALUES])})


def mostly_right(dice: Random, request: Json) -> bytes:
    """A reply that is rarely wrong, so that the match makes progress."""
    return (wrong if dice.random() < 0.01 else right)(dice, request)


def played(seed: int, choose: Any, **options: Any) -> tuple[Match, list[Entry]]:
    """Play a match to its end. Both seats reply with `choose`."""
    match = new_match(seed, **options)
    dice = Random(seed)
    match.start()
    entries = match.take_entries()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    while True:
        new = match.take_entries()
        entries += new
        if not match.due:
            return match, entries
        (seat,) = match.due
        ((_, request),) = Announced(new).requests
        match.receive(seat, choose(dice, request))


def dumped(message: Any) -> str:
    return json.dumps(msgspec.to_builtins(message), separators=(",", ":"))
