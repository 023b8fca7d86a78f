"""Measure a step in the environments of Gymnasium, against the usual bot of each game.

    .venv/bin/python -m tools.benchmarks.steps [--steps 3000]

Prints the CPU time of one core, in microseconds per step and match. Each way to play has five
rounds, in turns, and the best one counts. The program acts at random. Needs the extra `rl`.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium
import numpy as np

import referee.env.registration  # noqa: F401

GAMES = ("Dominion-v1", "StarRealms-v2", "Tribute-v2", "BotWars-v2")
MATCHES = 64
WAYS: dict[str, Any] = {
    "make": gymnasium.make,
    "make_vec, 64": lambda name: gymnasium.make_vec(name, num_envs=MATCHES),
    "make_vec, 64, sync": lambda name: gymnasium.make_vec(
        name, num_envs=MATCHES, vectorization_mode="sync"
    ),
}


def seconds(env: Any, steps: int, random: np.random.Generator) -> float:
    """Continue for some steps. Return the CPU time per step."""
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


if __name__ == "__main__":
    main()
