"""Measure a step in our environments, and in environments of PettingZoo and RLCard.

    .venv/bin/python -m tools.benchmarks.steps [--steps 3000]

The first table is about Gymnasium, against each game's usual bot: the CPU time of one core, in
microseconds per step and match. In the second table one program plays all seats, and a step is one
action of one player, along with the observation that it needs for that.

The program acts at random. Each way to play has five rounds, in turns, and the best one counts,
since anything else on this machine can only make it slower. Needs the extra `rl`; the rows of other
libraries need `rlcard`, `pygame` and `chess`, and say so if they're missing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import gymnasium
import numpy as np

import referee.env.registration  # noqa: F401

GAMES = ("Dominion-v1", "StarRealms-v2", "Tribute-v2", "BotWars-v2")
MATCHES = 64
WAYS: dict[str, Any] = {
    "make": gymnasium.make,
    "make_vec, 64": lambda name: gymnasium.make_vec(name, num_envs=MATCHES),
}


OURS = ("referee.env.dominion_v1", "referee.env.starrealms_v2", "referee.env.tribute_v2")
CLASSIC = tuple(
    f"pettingzoo.classic.{game}"
    for game in (
        "tictactoe_v3",
        "connect_four_v3",
        "leduc_holdem_v4",
        "texas_holdem_v4",
        "chess_v6",
    )
)
RLCARD = ("leduc-holdem", "uno", "gin-rummy")
# A function that makes this many steps, and returns the CPU time per step.
Walk = Callable[[int, np.random.Generator], float]


def seconds(env: Any, steps: int, random: np.random.Generator) -> float:
    spent, seen = 0.0, env.reset(seed=1)[0]
    at_once = getattr(env, "num_envs", 0)
    for _ in range(steps // (at_once or 1)):
        if isinstance(seen, dict):
            mask = seen["action_mask"]
            actions = (random.random(mask.shape) * mask).argmax(axis=-1)
        else:
            actions = random.integers(0, 5, env.action_space.shape)
        began = time.process_time()
        seen, _, over, _, _ = env.step(actions)
        if not at_once and over:
            seen, _ = env.reset()
        spent += time.process_time() - began
    return spent / steps


def by_turns(module: str) -> Walk:
    """Return a walk for an environment of PettingZoo in which players take turns."""
    env: Any = import_module(module).env()
    seeds = iter(range(10**9))

    def walk(steps: int, random: np.random.Generator) -> float:
        env.reset(seed=next(seeds))
        began = time.process_time()
        for _ in range(steps):
            seen, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.reset(seed=next(seeds))
                continue
            mask = seen["action_mask"] if "action_mask" in seen else info["action_mask"]
            legal = mask.nonzero()[0]
            env.step(int(legal[int(random.random() * len(legal))]))
        return (time.process_time() - began) / steps

    return walk


def of_rlcard(game: str) -> Walk:
    import rlcard

    env: Any = rlcard.make(game, config={"seed": 1})

    def walk(steps: int, random: np.random.Generator) -> float:
        began = time.process_time()
        state, _ = env.reset()
        for _ in range(steps):
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(random.random() * len(legal))])
            if env.is_over():
                state, _ = env.reset()
        return (time.process_time() - began) / steps

    return walk


def print_all_seats(steps: int, random: np.random.Generator) -> None:
    walks: dict[str, Walk] = {}
    missing: dict[str, str] = {}
    kinds = [*((by_turns, name) for name in (*OURS, *CLASSIC)), *((of_rlcard, n) for n in RLCARD)]
    for make, name in kinds:
        title = name if make is by_turns else f"RLCard {name}"
        try:
            walks[title] = make(name)
        except ImportError as error:
            missing[title] = str(error).splitlines()[0]
    rounds = [{title: walk(steps, random) for title, walk in walks.items()} for _ in range(5)]
    print("\n| all seats | a step |\n|---|---|")
    for title in walks:
        print(f"| {title} | {1e6 * min(each[title] for each in rounds):.0f} µs |")
    for title, problem in missing.items():
        print(f"| {title} | not measured: {problem} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3000, help="in each round")
    options = parser.parse_args()
    random = np.random.default_rng(1)
    print("| game |", " | ".join(WAYS), "|")
    print("|---" * (len(WAYS) + 1) + "|")
    for game in GAMES:
        envs = {way: make(f"referee/{game}") for way, make in WAYS.items()}
        rounds = [
            {way: seconds(env, options.steps, random) for way, env in envs.items()}
            for _ in range(5)
        ]
        best = [1e6 * min(each[way] for each in rounds) for way in WAYS]
        print(f"| {game} |", " | ".join(f"{each:.0f} µs" for each in best), "|", flush=True)
    print_all_seats(options.steps, random)


if __name__ == "__main__":
    main()
