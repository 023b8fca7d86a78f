"""Measure Star Realms: `starrealms.py [MATCHES]`.

At first we only run the rules, with two policies. One chooses random legal actions. The other plays
all cards, buys expensive ones and attacks, with lists of actions as replies. Then two objects with
the second policy play whole matches.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from typing import TypeAlias

import msgspec

import referee
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.starrealms import RULES, StarRealms
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.messages import (
    Action,
    Choose,
    ChooseReply,
    PlayReply,
    PlayTurn,
)
from referee.match.messages import PlayerNameReply, PlayerNameRequest

Policy: TypeAlias = Callable[[PlayTurn | Choose], PlayReply | ChooseReply]

RUNS = 5


def anything(dice: Random) -> Policy:
    def reply(message: PlayTurn | Choose) -> PlayReply | ChooseReply:
        if type(message) is Choose:
            count = dice.randint(message.least, message.most)
            return ChooseReply(dice.sample(range(len(message.options)), count))
        *others, end = message.actions  # type: ignore[union-attr]
        return PlayReply([entry(dice.choice(others or [end]))])

    return reply


def dear_first(message: PlayTurn | Choose) -> PlayReply | ChooseReply:
    """Play the hand, use bases, then ally abilities, then everything else, each as a list."""
    if type(message) is Choose:
        return ChooseReply(list(range(message.least)))
    found: dict[str, list[Action]] = {}
    for action in message.actions:  # type: ignore[union-attr]
        found.setdefault(action.action, []).append(action)
    plays = [{"action": "play", "card": card} for card in message.state.hand]
    plays += [entry(action) for action in found.get("use-base", [])]
    if not plays:
        plays = [entry(action) for action in found.get("use-ally", [])]
    if plays:
        return PlayReply(plays)
    trade = message.state.trade
    for action in sorted(found.get("buy", []), key=cost, reverse=True):
        if action.to == "discard" and cost(action) <= trade:
            trade -= cost(action)
            plays.append(entry(action))
    attacks = found.get("attack-base", found.get("attack-player", []))[:1]
    plays += [entry(action) for action in attacks]
    if not attacks or attacks[0].action == "attack-player":
        plays.append({"action": "end-turn"})
    return PlayReply(plays)


def cost(action: Action) -> int:
    return CARDS[str(action.card)].cost


def entry(action: Action) -> dict[str, str]:
    fields = {"action": action.action, "card": action.card, "to": action.to}
    return {name: value for name, value in fields.items() if isinstance(value, str)}


def rules_alone(matches: int, policy: Policy) -> tuple[float, int, int]:
    """Play matches without messages. Return CPU seconds in the rules, requests and turns."""
    taken = 0.0
    requests = turns = 0
    for seed in range(matches):
        setup = GameSetup(
            chance=SeededRandomSource(seed), names=("a", "b"), options=RULES.options()
        )
        started = time.process_time()
        game = StarRealms(setup)
        taken += time.process_time() - started
        while game.requests:
            (asked,) = game.requests
            reply = policy(asked.message)  # type: ignore[arg-type]
            started = time.process_time()
            game.advance({asked.seat: reply})
            game.take_events()
            taken += time.process_time() - started
            requests += 1
        turns += game.turns
    return taken, requests, turns


class DearFirst:
    """The policy `dear_first` as an object that gets lines. It only reads the last one."""

    def reply(self, lines: Sequence[bytes]) -> bytes:
        asked = _decoder.decode(lines[-1])
        if isinstance(asked, PlayerNameRequest):
            return msgspec.json.encode(PlayerNameReply(asked.player_number, "Dear First", 1))
        return msgspec.json.encode(dear_first(asked))


_decoder = msgspec.json.Decoder(PlayTurn | Choose | PlayerNameRequest)


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name, policy in (("anything legal", anything(Random(1))), ("in lists", dear_first)):
        runs = [rules_alone(matches, policy) for _ in range(RUNS)]
        each = sorted(seconds / requests * 1e6 for seconds, requests, _ in runs)
        rate = matches / median(seconds for seconds, _, _ in runs)
        _, requests, turns = runs[0]
        print(
            f"rules alone, {name}: {each[RUNS // 2]:.1f} us a request ({each[0]:.1f} to "
            f"{each[-1]:.1f}), {rate:.0f} matches/s; {requests / matches:.0f} requests and "
            f"{turns / matches:.0f} turns a match"
        )
    # The imports shouldn't count.
    referee.play_matches([DearFirst, DearFirst], 1, game="starrealms", seed=0)
    rates = []
    for number in range(RUNS):
        started = time.process_time()
        referee.play_matches([DearFirst, DearFirst], matches, game="starrealms", seed=number)
        rates.append(matches / (time.process_time() - started))
    print(f"play_matches, in lists: {median(rates):.0f} matches/s")


if __name__ == "__main__":
    main()
