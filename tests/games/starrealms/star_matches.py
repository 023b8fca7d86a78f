"""Star Realms matches inside the test process, and a short notation for messages and actions."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from referee.games.interface.faults import Disqualification
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.starrealms import RULES
from referee.match.machine import Entry, Match
from tests.support.helpers import Announced, name_line, seat_of, to_line

Json = dict[str, Any]


class Kept(SeededRandomSource):
    """A random source that never shuffles, so the newest card of a pile is on top."""

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Keep the order."""


def new_setup(seed: int = 1, **options: Any) -> GameSetup:
    return GameSetup(
        chance=SeededRandomSource(seed), names=("Ann", "Ben"), options=RULES.options(**options)
    )


def new_match(seed: int = 1, **options: Any) -> Match:
    return Match(RULES, seats=2, seed=seed, options=RULES.options(**options))


# --- short words --------------------------------------------------------------------------------


def short(message: Json) -> str:
    """Write a public message as its type and values, separated by bars."""
    values = [value for name, value in message.items() if name not in ("type", "game")]
    words = [
        ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
        for value in values
    ]
    return " | ".join([message["type"], *words])


def short_state(state: Json) -> Json:
    """Flatten a state, and write the cards in play as strings."""
    flat = {name: value for name, value in state.items() if name != "opponent"}
    flat |= {f"opponent.{name}": value for name, value in state["opponent"].items()}
    flat["in_play"] = [
        piece["card"] + " used" * piece["used"] + " ally-used" * piece["ally_used"]
        for piece in state["in_play"]
    ]
    return flat


def short_action(action: Json) -> str:
    """Write an action as a string, such as "buy Ram deck"."""
    return " ".join(action.values())


def long_action(words: str) -> Json:
    """Parse an action that is written like "buy Ram deck"."""
    action, _, card = words.partition(" ")
    if action == "buy" and card.rpartition(" ")[2] in ("deck", "discard"):
        card, _, to = card.rpartition(" ")
        return {"action": action, "card": card, "to": to}
    return {"action": action, "card": card} if card else {"action": action}


def short_option(option: Json) -> str:
    """Write an option as a string, such as "Scout from hand" or "1: trade 3"."""
    if "card" in option:
        return f"{option['card']} from {option['from']}"
    effects = [
        f"{word} {number}" for effect in option["effects"] for word, number in effect.items()
    ]
    return f"{option['option']}: {', '.join(effects)}"


# --- scenarios ----------------------------------------------------------------------------------


class Scene:
    """Plays a scenario step by step, starting from its situation (scenarios/README.md)."""

    def __init__(self, scenario: Json) -> None:
        before = {"trade_row": [], "trade_deck": []} | scenario.get("before", {})
        rules = RULES
        if not scenario.get("dealt"):
            rules = msgspec.structs.replace(RULES, new=lambda setup: RULES.situation(setup, before))
        self.match = Match(
            rules,
            seats=2,
            seed=1,
            options=RULES.options(**scenario.get("options", {})),
            chance=Kept(1),
        )
        self.state: Json = {}
        self.entries: list[Entry] = []
        self.match.start()
        self.match.take_entries()
        for seat, number in enumerate(("player1", "player2")):
            if number in scenario.get("absent", []):
                self.match.disqualify(seat, Disqualification.STARTUP_TIMEOUT, "not there")
            else:
                self.match.receive(seat, name_line(seat))
        self.start = self._result()

    def step(self, step: Json) -> Json:
        """Send the reply of a step, and return the result."""
        (seat,) = self.match.due
        if "leave" in step:
            self.match.disqualify(seat, Disqualification(step["leave"]), "as the scenario says")
        elif "line" in step:
            self.match.receive(seat, step["line"].encode())
        elif "picks" in step:
            self.match.receive(seat, to_line({"type": "choose-reply", "picks": step["picks"]}))
        else:
            actions = [long_action(words) for words in step["do"]]
            self.match.receive(seat, to_line({"type": "play-reply", "actions": actions}))
        return self._result()

    def _result(self) -> Json:
        entries = self.match.take_entries()
        self.entries += entries
        told = Announced(entries)
        result: Json = {}
        if told.public:
            result["told"] = [short(message) for message in told.public]
        if told.faults:
            result["faults"] = [f"{f.seat + 1} {f.code} {f.section}" for f in told.faults]
            assert all(fault.detail and fault.detail.isprintable() for fault in told.faults)
        if not told.requests:
            assert self.match.outcome is not None
            result["winners"] = [f"player{seat + 1}" for seat in self.match.outcome.winners]
            return result
        ((to, message),) = told.requests
        assert self.match.due == (seat_of(to),)
        state = short_state(message["state"])
        changed = {name: value for name, value in state.items() if self.state.get(name) != value}
        self.state = state
        if changed:
            result["changed"] = changed
        if message["type"] == "choose":
            result["asks"] = f"{to} {message['kind']} for {message['card']}"
            result["options"] = [short_option(option) for option in message["options"]]
            result["picks_due"] = [message["least"], message["most"]]
        else:
            result["asks"] = to
            result["actions"] = [short_action(action) for action in message["actions"]]
        return result


# --- players that choose at random --------------------------------------------------------------


Choose = Callable[[Random, Json], bytes]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 10**30, 1.5, 0.0, "", "ram", "Ram", [], {}, [[]], ["Ram"]),
    *("deck", "buy", "end-turn", "play", "Explorer", "Stealth Needle"),
]
NONSENSE = [b"?", b"null", b"[]", b"{", b"\xff", b"[" * 200, b'{"type":"play-reply"}', b"{}"]


def right(dice: Random, request: Json) -> bytes:
    """A random legal reply. It rarely ends the turn while other actions are possible."""
    if request["type"] == "choose":
        indices = range(len(request["options"]))
        picks = dice.sample(indices, dice.randint(request["least"], request["most"]))
        return to_line({"type": "choose-reply", "picks": picks})
    *others, end = request["actions"]
    actions = [dice.choice(others)] if others and dice.random() < 0.95 else [end]
    if dice.random() < 0.05:
        actions.append(end)
    return to_line({"type": "play-reply", "actions": actions})


def wrong(dice: Random, request: Json) -> bytes:
    """Often an illegal reply, and sometimes a line of random bytes, which is never blank."""
    if dice.random() < 0.2:
        garbage = dice.randbytes(dice.randint(0, 30)).replace(b"\n", b"").strip(b" \t\r")
        return dice.choice([*NONSENSE, garbage or b"?"])
    entry = {name: dice.choice(VALUES) for name in ("action", "card", "to")}
    picks = [dice.choice([*VALUES, 0, 1, 1.0]) for _ in range(dice.randint(0, 3))]
    kind = dice.choice(["play-reply", "choose-reply", "player-name-reply"])
    actions = dice.choice([[entry], [*request.get("actions", []), entry], dice.choice(VALUES)])
    return to_line({"type": kind, "actions": actions, "picks": dice.choice([picks, picks, 0])})


def mixed(dice: Random, request: Json) -> bytes:
    """A legal reply in nine of ten cases, so that the match makes progress."""
    return dice.choices([right, wrong], [9, 1])[0](dice, request)
