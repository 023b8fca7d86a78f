"""Test vectors for chance and whole games of random bots, made by another implementation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from itertools import chain, combinations
from math import comb
from typing import Any, ClassVar, Union

import msgspec
import pytest

from referee.games.interface.game import PUBLIC, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.tribute import RULES
from referee.games.tribute.rules.chance import Generator, generators
from tests.support.helpers import ROOT
from tests.support.marks import slow

Json = dict[str, Any]

VECTORS: Json = json.loads((ROOT / "tests" / "games" / "tribute" / "vectors.json").read_text())
STREAMS = ("tavern", "player1", "player2")
REPLY: Any = Union[RULES.replies]  # noqa: UP007


def test_the_numbers_of_a_seed() -> None:
    """The generator's numbers must be those of the engine (4.11)."""
    generator = Generator(VECTORS["generator"]["seed"])
    assert [generator.next() for _ in range(10)] == VECTORS["generator"]["first_ten"]


@pytest.mark.parametrize("streams", VECTORS["streams"], ids=lambda streams: streams["seed"])
def test_the_first_states_of_streams(streams: Json) -> None:
    """Each stream has its own generator (4.11)."""
    made = generators("streams", SeededRandomSource(streams["seed"]), 0, STREAMS[1:])
    assert [made[stream].state for stream in STREAMS] == streams["first_states"]


def new_game(seed: int, **options: Any) -> Any:
    setup = GameSetup(
        chance=SeededRandomSource(seed),
        names=("Ann", "Ben"),
        options=RULES.options(**options),
        seed=seed,
    )
    return RULES.new(setup)


def pick(game: Any, patrons: list[str]) -> None:
    """Draft the patrons so that the table has them in this order."""
    for patron in (patrons[0], patrons[1], patrons[3], patrons[4]):
        (asked,) = game.requests
        game.advance({asked.seat: RULES.replies[0](patron=patron)})


@pytest.mark.parametrize("set_up", VECTORS["set_ups"], ids=lambda set_up: f"{set_up['seed']}")
def test_a_set_up(set_up: Json) -> None:
    """The cards must be dealt in the same order, which we compare by uid (4.2)."""
    game = new_game(set_up["seed"], cards=set_up["card_set"], chance="engine")
    pick(game, set_up["patrons"])
    table = game.table
    tavern = [card.uid - 10_000 for card in table.row + table.deck]
    assert tavern == set_up["tavern_order"]
    assert len(tavern) == set_up["tavern_cards"]
    assert [card.ref.card for card in table.row] == set_up["row"]
    for player in table.players:
        cards = player.hand + player.draw_pile
        starters = sorted(cards, key=lambda card: card.uid)
        assert [card.ref.card for card in starters] == set_up["starters"]
        assert [starters.index(card) for card in cards] == set_up[f"{player.number}_order"]
        assert len(player.hand) == 5
    assert table.generators["tavern"].state == set_up["state_after"]


# --- whole games ------------------------------------------------------------------------------


def nth_subset(count: int, least: int, most: int, index: int) -> list[int]:
    """Choice number `index` of the possible subsets, sorted by size and then by positions."""
    for size in range(least, most + 1):
        if index < comb(count, size):
            return list(
                next(c for i, c in enumerate(combinations(range(count), size)) if i == index)
            )
        index -= comb(count, size)
    raise AssertionError(index)


def decide(request: Json, draw: Callable[[], int], late: bool) -> Json:
    """Decide like one of the engine's random bots.

    If `late` is true, the bot ends its turn only if nothing else is left.
    """
    if request["type"] == "patron-request":
        available = request["available"]
        return {"type": "patron-reply", "patron": available[draw() % len(available)]}
    if request["type"] == "play-turn":
        count = len(request["actions"]) - late
        return {"type": "play-reply", "index": draw() % count if count else 0}
    if request["effects"]:
        return {"type": "choose-reply", "effect": draw() % 2}
    uids = [card["uid"] for card in request["cards"]]
    least, most = request["min"], min(request["max"], len(uids))
    subsets = sum(comb(len(uids), size) for size in range(least, most + 1))
    chosen = nth_subset(len(uids), least, most, draw() % subsets)
    return {"type": "choose-reply", "cards": [uids[place] for place in chosen]}


class Completed:
    """Builds the engine's list of completed actions from public messages and the card table."""

    WITHOUT_SOURCE = ("AGENT_DEATH", "KNOCKOUT_ALL")
    WITH_AMOUNT = (
        *("GAIN_COIN", "GAIN_POWER", "GAIN_PRESTIGE", "OPP_LOSE_PRESTIGE", "DRAW"),
        "ADD_PATRON_CALLS",
    )
    WITH_BOTH = (
        *("ACQUIRE_CARD", "REPLACE_TAVERN", "DESTROY_CARD", "DISCARD", "REFRESH", "TOSS"),
        "KNOCKOUT",
    )
    ACTIONS: ClassVar = {
        "buy-card": "BUY_CARD",
        "play-card": "PLAY_CARD",
        "activate-agent": "ACTIVATE_AGENT",
    }

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rows: dict[str, Json] = {}
        self.cards: dict[int, str] = {}

    def observe(self, message: Json) -> None:
        kind = message["type"]
        if kind == "game-info":
            self.rows = {row["card"]: row for row in message["card_table"]}
        elif kind == "table-set":
            for card in [*message["row"], *message["tavern_deck"], *chain(*message["starters"])]:
                self.cards[card["uid"]] = card["card"]
        elif kind == "action":
            self.action(message["action"])
        elif kind == "event" and message["kind"] != "agent-hit":
            self.event(message)

    def action(self, action: Json) -> None:
        kind = action["type"]
        if kind == "end-turn":
            self.lines.append("END_TURN ")
        elif kind == "call-patron":
            self.lines.append(f"ACTIVATE_PATRON {action['patron']}")
        elif kind in self.ACTIONS:
            self.lines.append(f"{self.ACTIONS[kind]} {self.shown(self.card(action['card']))}")

    def event(self, event: Json) -> None:
        kind = event["kind"].upper().replace("-", "_")
        source, target, amount = event["source"], event["target"], event["amount"]
        if isinstance(target, dict):
            self.cards[target["uid"]] = target["card"]
        if kind in self.WITHOUT_SOURCE:
            words = [self.shown(target)]
        elif kind == "ATTACK_AGENT":
            words = [self.shown(target), str(amount)]
        elif kind in self.WITH_AMOUNT:
            words = [self.shown(source), str(amount)]
        elif kind in self.WITH_BOTH:
            words = [self.shown(source), self.shown(target)]
        elif kind == "HEAL_AGENT":
            words = [self.shown(source), self.shown(target), str(amount)]
        else:
            words = [self.shown(source)]
        self.lines.append(" ".join([kind, *words]))

    def card(self, uid: int) -> Json:
        return {"uid": uid, "card": self.cards[uid]}

    def shown(self, card: Json | str) -> str:
        if isinstance(card, str):
            return card
        row = self.rows[card["card"]]
        return (
            f"Card: {row['name']}, Deck: {row['deck']}, Cost: {row['cost']}, Type: {row['type']}, "
            f"UniqueId: {card['uid']}"
        )


def name_of(game: Json) -> str:
    return f"{game['cards']}-{game['chance']}-{game['bots'][0]}-{game['seed']}-{game['offered'][0]}"


@pytest.mark.parametrize(
    "expected",
    [game if game["decisions"] < 600 else slow(game) for game in VECTORS["games"]],
    ids=name_of,
)
def test_a_whole_game(expected: Json) -> None:
    """Every message must match byte for byte (4), and so must the completed actions (15.7)."""
    game = new_game(
        expected["seed"],
        cards=expected["cards"],
        chance=expected["chance"],
        patrons=tuple(expected["offered"]),
    )
    draws = [Generator(123).next, Generator(123).next]
    late = ["WithoutEndTurn" in bot for bot in expected["bots"]]
    encode = msgspec.json.Encoder().encode
    completed = Completed()
    public = [*game.take_events()]
    decisions = 0
    while game.requests:
        (asked,) = game.requests
        request = msgspec.to_builtins(asked.message)
        decisions += request["type"] != "patron-request"
        reply = decide(request, draws[asked.seat], late[asked.seat])
        game.advance({asked.seat: msgspec.convert(reply, REPLY)})
        public += game.take_events()
    for message in public:
        completed.observe(msgspec.to_builtins(message))
    told = public[1:]  # all except game-info
    assert {
        "patrons": list(game.view(PUBLIC).favours),
        "reason": game.outcome.reason,
        "winners": [f"player{seat + 1}" for seat in game.outcome.winners],
        "scores": [standing.score for standing in game.standings()],
        "turns": game.turns,
        "decisions": decisions,
        "states_after": [game.table.generators[stream].state for stream in STREAMS],
        "completed_actions": len(completed.lines),
        "completed_actions_sha256": hashlib.sha256("\n".join(completed.lines).encode()).hexdigest(),
        "public_lines": len(told),
        "public_sha256": hashlib.sha256(b"".join(encode(m) + b"\n" for m in told)).hexdigest(),
    } == {name: expected[name] for name in RESULT}


RESULT = (
    *("patrons", "reason", "winners", "scores", "turns", "decisions", "states_after"),
    *("completed_actions", "completed_actions_sha256", "public_lines", "public_sha256"),
)
