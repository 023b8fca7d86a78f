"""Random games on the second rules, which can then be replayed on other implementations.

`random_game(n)` creates game number n with its options, seed, replies and messages. Most replies
are legal, and some of the legal ones are written in an unusual way. Choices are uniform, but
actions are uniform only in some games: uniform play ends turns early, destroys its coins and hardly
buys anything. In the other games, some kinds of actions are preferred to others.

In about a third of the games, some replies have one of the mistakes in 14.5. These are either one
reply in twenty, or one in four of the replies to a `choose-request`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from random import Random

from tests.games.tribute.second.cards import (
    CARD_SETS,
    OFFERED,
    TREASURY,
    Json,
    Options,
    card_set,
)
from tests.games.tribute.second.engine import LEFT, SEATS, Fault, Game
from tests.games.tribute.second.lines import DEEPEST, encoded, read

NAMES = ("Ann", "Bjørn")
WRONG: tuple[dict[str, float], ...] = (
    *({}, {}, {}, {}),
    dict.fromkeys(("patron-request", "play-turn", "choose-request"), 0.05),
    {"choose-request": 0.25},
)
"""Probability of a wrong reply for each type of request. Each game uses one of these entries."""
ODD = 0.1


@dataclass(frozen=True)
class Script:
    """A finished random game.

    Attributes:
        replies: the bots' lines without line ends, in the order of the requests. None means that
            the bot left instead of replying.
        messages: the output of `transcript` over the whole game.
    """

    options: Options
    seed: int
    absent: tuple[int, ...]
    replies: list[bytes | None]
    messages: list[str]


def random_game(number: int) -> Script:
    random = Random(number)
    options = _options(random)
    seed = random.choice((number, random.randrange(2**53), 2**53 - 1 - number))
    absent = random.choice(((0,), (1,), (0, 1))) if random.random() < 0.01 else ()
    wrong = random.choice(WRONG)
    taste = Taste(random)
    game = Game(options, seed, NAMES, absent)
    replies: list[bytes | None] = []
    messages = transcript(game)
    while game.request is not None:
        line = _reply(random, game, wrong, taste)
        replies.append(line)
        game.answer(LEFT if line is None else read(line))
        messages += transcript(game)
    return Script(options, seed, absent, replies, messages)


def transcript(game: Game) -> list[str]:
    """Return the events since the last call, and then the next request or the result.

    Returns:
        Lines that begin with the addressee: "all" or a player. Lines that begin with "fault" or
        "end" aren't sent to anybody.
    """
    told = []
    for event in game.events:
        if isinstance(event, Fault):
            told.append(fault_line(event.seat, event.code, event.section))
        else:
            told.append(f"all {encoded(event)}")
    game.events.clear()
    if game.request is not None:
        told.append(f"{SEATS[game.request.seat]} {encoded(game.request.message)}")
    if game.outcome is not None:
        scores = [player.prestige for player in game.players]
        turns = [player.turns for player in game.players]
        told.append(end_line(game.outcome.reason, game.outcome.ranks, scores, turns, game.turn))
    return told


def fault_line(seat: int, code: str, section: str) -> str:
    return f"fault {SEATS[seat]} {code} {section}"


def end_line(
    reason: str, ranks: Sequence[int], scores: Sequence[int], turns: Sequence[int], all_turns: int
) -> str:
    figures = f"ranks {[*ranks]}, scores {[*scores]}, turns {[*turns]}, {all_turns}"
    return f"end {reason}, {figures}"


def _options(random: Random) -> Options:
    cards = random.choice(CARD_SETS)
    patrons = [patron for patron in OFFERED if patron in card_set(cards).decks]
    chosen: tuple[str, ...] = ()
    if random.random() < 0.7:
        chosen = tuple(random.sample(patrons, random.randint(4, len(patrons))))
    return Options(
        cards=cards,
        patrons=chosen,
        max_turns=random.choice((1, 20, 60, 500, 500)),
        max_actions=random.choice((1, 6, 10, 40, 1000, 1000, 1000, 1000)),
        chance=random.choice(("streams", "engine")),
    )


class Taste:
    """Relative weights for choosing actions, different in each game."""

    def __init__(self, random: Random) -> None:
        self._uniform = random.random() < 0.2
        kinds = ("activate-agent", "attack", "buy-card", "call-patron")
        self._kinds: dict[str, float] = {kind: random.choice((1, 10, 10, 100)) for kind in kinds}
        self._kinds |= {"play-card": random.choice((100, 10000))}
        self._kinds |= {"end-turn": random.choice((0.01, 1))}
        self._patrons = {patron: random.choice((0.1, 1, 1)) for patron in OFFERED}
        self._patrons[TREASURY] = random.choice((0.0001, 0.0001, 1))
        self._dear = random.choice((0, 2, 4))  # how strongly it prefers expensive cards

    def weight(self, action: Json, game: Game) -> float:
        if self._uniform:
            return 1
        weight: float = self._kinds[action["type"]]
        if action["type"] == "call-patron":
            weight *= self._patrons[action["patron"]]
        elif action["type"] == "buy-card":
            [cost] = [card.of.cost for card in game.row if card.uid == action["card"]]
            weight *= (cost / 5) ** self._dear
        return weight


def _reply(random: Random, game: Game, wrong: dict[str, float], taste: Taste) -> bytes | None:
    assert game.request is not None
    request = game.request.message
    right = _right(random, game, request, taste)
    if random.random() < wrong.get(request["type"], 0):
        return random.choice(_WAYS[request["type"]] + _NO_OBJECTS)(random, request, right, game)
    if random.random() < ODD:
        return _odd(random, request, right)
    return encoded(right).encode()


def _right(random: Random, game: Game, request: Json, taste: Taste) -> Json:
    """A legal reply."""
    kind = request["type"]
    if kind == "patron-request":
        return {"type": "patron-reply", "patron": random.choice(request["available"])}
    if kind == "play-turn":
        actions = request["actions"]
        weights = [taste.weight(action, game) for action in actions]
        return {"type": "play-reply", "action": random.choices(actions, weights)[0]}
    if request["effects"]:
        return {"type": "choose-reply", "effect": random.randrange(2)}
    uids = [card["uid"] for card in request["cards"]]
    sizes = range(request["min"], min(request["max"], len(uids)) + 1)
    [size] = random.choices(sizes, [comb(len(uids), size) for size in sizes])
    return {"type": "choose-reply", "cards": random.sample(uids, size)}


# --- the right reply in an odd way ----------------------------------------------------------------


def _odd(random: Random, request: Json, right: Json) -> bytes:
    """The same reply in an unusual spelling, such as with additional fields (1.1, 1.5, 14.4)."""
    right = dict(right)
    if request["type"] == "play-turn" and random.random() < 0.5:
        index = request["actions"].index(right["action"])
        right["index"] = random.choice((index, float(index), -0.0 if index == 0 else index))
        if random.random() < 0.5:
            del right["action"]
        else:
            right["action"] = None
    elif "action" in right:
        right["index"] = random.choice((-1, "x", 10**30))
    elif "effect" in right:
        right["effect"] = float(right["effect"])
        right["cards"] = [1]
    elif "cards" in right:
        right["cards"] = [float(uid) for uid in right["cards"]]
        right["effect"] = 7
    if isinstance(right.get("action"), dict) and random.random() < 0.5:
        action = {**right["action"], "why": ["é"]}
        if "card" in action:
            action["card"] = float(action["card"])
        else:
            action["card"] = None
        right["action"] = action
    fields = list(right.items())
    random.shuffle(fields)
    text = json.dumps(dict(fields), ensure_ascii=random.random() < 0.5)
    ignored = random.choice(
        (
            '"more":' + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1),
            '"more":' + "9" * 5000,
            '"more":"\\ud83d\\ude00 \\\\ud800 ]]]"',
            '"type":"end-turn","more":1e5',
            '"\\u0074ype":null',
        )
    )
    text = "{" + ignored + "," + text[1:]  # A parser uses the last of two equal keys.
    return (random.choice(("", " ", "\t\r ")) + text + random.choice(("", "\r", " \t"))).encode()


# --- wrong replies (14.5) -------------------------------------------------------------------------

Way = Callable[[Random, Json, Json, Game], bytes | None]


def _leaves(random: Random, request: Json, right: Json, game: Game) -> bytes | None:
    return None


def _no_json(random: Random, request: Json, right: Json, game: Game) -> bytes | None:
    line = encoded(right).encode()
    more = line[:-1]
    return random.choice(
        (
            b"hello",
            b"[" + line + b"]",
            b"17",
            b"null",
            b'"' + str(right["type"]).encode() + b'"',
            b"{}",
            more,
            line + b"}",
            line + b" x",
            b"\xef\xbb\xbf" + line,
            line.replace(b":", b":\xc2\xa0", 1),
            line + b"\x0b",
            b"\x0c",
            more + b',"more":"\xff"}',
            more + b',"more":"\xed\xa0\x80"}',
            more + b',"more":NaN}',
            more + b',"more":-Infinity}',
            more + b',"more":"\t"}',
            more + b',"more":"\\ud800"}',
            more + b',"more":"\\udc00\\ud800"}',
            more + b',"\\udfff":1}',
            more + b',"more":' + b"[" * DEEPEST + b"]" * DEEPEST + b"}",
            more + b',"more":01}',
            more + b",}",
            line.replace(b'"', b"'"),
        )
    )


def _no_type(random: Random, request: Json, right: Json, game: Game) -> bytes | None:
    types = (None, 1, "", "PLAY-REPLY", "play-turn", "player-name-reply", ["play-reply"])
    others = ("patron-reply", "play-reply", "choose-reply")
    wrong = dict(right)
    wrong["type"] = random.choice([*types, *(kind for kind in others if kind != right["type"])])
    if random.random() < 0.2:
        del wrong["type"]
    return encoded(wrong).encode()


def _patron(random: Random, request: Json, right: Json, game: Game) -> bytes | None:
    wrong = {**right, "patron": random.choice(_NO_STRINGS)}
    if random.random() < 0.7:
        name = right["patron"]
        others = ("TREASURY", "", "x", name.lower(), f" {name}", f"{name},{name}", "0")
        wrong["patron"] = random.choice([*others, *request["picked"], *game.options.offered])
    elif random.random() < 0.2:
        del wrong["patron"]
    return encoded(wrong).encode()


def _action(random: Random, request: Json, right: Json, game: Game) -> bytes | None:
    """Write a reply whose action has the wrong format."""
    card = random.choice(("play-card", "attack", "buy-card", "activate-agent"))
    actions: tuple[object, ...] = (
        *("end-turn", [], 0, True, {}, ["end-turn"]),
        *({"type": kind} for kind in (None, 3, "", "END_TURN", "play-reply", card, "call-patron")),
        *({"type": card, "card": uid} for uid in _NO_INTEGERS),
        {"type": card, "patron": "HLAALU"},
        *({"type": "call-patron", "patron": patron} for patron in _NO_STRINGS),
        {"type": "call-patron", "card": 10000},
    )
    wrong: Json = {"type": "play-reply", "action": random.choice(actions), "index": 0}
    if random.random() < 0.2:
        wrong = {"type": "play-reply", "index": random.choice(_NO_INTEGERS)}
    elif random.random() < 0.1:
        wrong = {"type": "play-reply", "action": None}
    return encoded(wrong).encode()


def _illegal(random: Random, request: Json, right: Json, game: Game) -> bytes | None:
    """An action that is usually illegal, though it can happen to be legal."""
    cards = [*game.me.hand, *game.me.agent_cards, *game.other.agent_cards, *game.row]
    cards += [*game.other.hand, *game.me.played, *game.me.pile, *game.deck]
    uids = [random.choice(cards).uid, random.choice(cards).uid, 0, -1, 10**30, 9999, 99999]
    kind = random.choice(("play-card", "attack", "buy-card", "activate-agent"))
    action = {"type": kind, "card": random.choice(uids)}
    if random.random() < 0.3:
        patron = random.choice([*game.table, *OFFERED, "", "hlaalu"])
        action = {"type": "call-patron", "patron": patron}
    wrong: Json = {"type": "play-reply", "action": action}
    if random.random() < 0.3:
        count = len(request["actions"])
        wrong = {"type": "play-reply", "index": random.choice((-1, count, count + 0.0, 10**30))}
    return encoded(wrong).encode()


def _choice(random: Random, request: Json, right: Json, game: Game) -> bytes | None:
    listed = [card["uid"] for card in request["cards"]]
    wrong: Json
    if request["effects"]:
        values = (*_NO_INTEGERS, [0], 2, -1, 10**30, 2.0)
        wrong = {"type": "choose-reply", "effect": random.choice(values), "cards": []}
        if random.random() < 0.1:
            del wrong["effect"]
    else:
        cards = right["cards"]
        values = (
            *(None, "", "10000", {}, 10000, True),
            *([*cards, bad] for bad in (*_NO_INTEGERS, [10000])),
            [*cards, 0],
            [*cards, -1],
            [*cards, 10**30],
            [*cards, game.row[0].uid if game.row else 1],
            [*cards, *cards, *listed[:1], *listed[:1]],
            [*listed, *listed],
            [],
            listed,
            listed[: request["max"] + 1],
            listed[: max(0, request["min"] - 1)],
        )
        wrong = {"type": "choose-reply", "cards": random.choice(values), "effect": 0}
        if random.random() < 0.1:
            del wrong["cards"]
    return encoded(wrong).encode()


_NO_STRINGS: tuple[object, ...] = (None, 0, True, [], ["ANSEI"], {})
_NO_INTEGERS: tuple[object, ...] = (None, "0", "", True, False, 0.5, 10000.25, {}, [])
_NO_OBJECTS: list[Way] = [_leaves, _no_json, _no_type]
_WAYS: dict[str, list[Way]] = {
    "patron-request": [_patron, _patron],
    "play-turn": [_action, _illegal, _illegal],
    "choose-request": [_choice] * 6,
}
