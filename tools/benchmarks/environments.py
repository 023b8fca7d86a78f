"""Measure steps and episodes per second of the environments, with random players.

    .venv/bin/python -m tools.benchmarks.environments [--rounds 5] [--episodes 20]

We measure CPU time, so other work on the machine has little effect. In the last column, only the
rules run, with the same replies. Needs the extra `rl`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np

from referee.env import botwars_v1, dominion_v1
from referee.env.episode import Episode
from referee.games import GAMES
from referee.games.interface.game import GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.interface.seats import seat_ids
from tests.support.helpers import cautious
from tests.support.learners import Watched, at_random, play_episode


class Figures(NamedTuple):
    """Steps and seconds of some episodes. In Bot Wars, both players' actions are one step."""

    steps: int
    episodes: int
    seconds: float


def sequential(env: Any, episodes: int) -> Figures:
    random = Random(1)
    steps = 0
    started = time.process_time()
    for seed in range(episodes):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            seen, _, terminated, _, _ = env.last()
            if terminated:
                env.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            env.step(legal[int(random.random() * len(legal))])
            steps += 1
    return Figures(steps, episodes, time.process_time() - started)


def simultaneous(env: Any, episodes: int) -> Figures:
    steps = 0
    started = time.process_time()
    for seed in range(episodes):
        env.reset(seed=seed)
        while env.agents:
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
            steps += 1
    return Figures(steps, episodes, time.process_time() - started)


def against(opponent: Any, clock: Callable[[], float], episodes: int) -> Figures:
    env = dominion_v1.gym_env([None, opponent])
    random = Random(1)
    env.reset(seed=0)  # starting processes and importing doesn't count
    steps = 0
    started = clock()
    for seed in range(episodes):
        seen, _ = env.reset(seed=seed)
        terminated = False
        while not terminated:
            legal = np.flatnonzero(seen["action_mask"])
            seen, _, terminated, _, _ = env.step(legal[int(random.random() * len(legal))])
            steps += 1
    seconds = clock() - started
    env.close()
    return Figures(steps, episodes, seconds)


def rules_alone(game: str, seats: int, episodes: int) -> Figures:
    """Record replies of random players, and measure the rules with these replies."""
    seconds = 0.0
    steps = 0
    for seed in range(episodes):
        watched = Watched(GAMES[game])
        episode = Episode(watched.definition, seats, {})
        steps += play_episode(episode, [at_random(seed + seat) for seat in range(seats)], seed)
        setup = GameSetup(
            chance=SeededRandomSource(seed), names=seat_ids(seats), options=GAMES[game].options()
        )
        replies = iter(watched.replies)
        started = time.process_time()
        again = GAMES[game].new(setup)
        while again.requests:
            again.advance(dict(next(replies) for _ in again.requests))
            again.take_events()
        seconds += time.process_time() - started
    return Figures(steps, episodes, seconds)


ROWS: dict[str, tuple[Callable[[int], Figures], Callable[[int], Figures]]] = {
    "dominion_v1.raw_env, 2 players": (
        partial(sequential, dominion_v1.raw_env(2)),
        partial(rules_alone, "dominion", 2),
    ),
    "dominion_v1.env, 2 players": (
        partial(sequential, dominion_v1.env(2)),
        partial(rules_alone, "dominion", 2),
    ),
    "dominion_v1.raw_env, 4 players": (
        partial(sequential, dominion_v1.raw_env(4)),
        partial(rules_alone, "dominion", 4),
    ),
    "botwars_v1.parallel_env, 20 by 20": (
        partial(simultaneous, botwars_v1.parallel_env()),
        partial(rules_alone, "botwars", 2),
    ),
    "dominion_v1.gym_env, cautious (a function)": (
        partial(against, cautious, time.process_time),
        partial(rules_alone, "dominion", 2),
    ),
    "dominion_v1.gym_env, big_money (in this process; elapsed time)": (
        partial(against, "big_money", time.perf_counter),
        partial(rules_alone, "dominion", 2),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--episodes", type=int, default=20)
    options = parser.parse_args()
    print("| environment | steps/s | episodes/s | steps an episode | rules alone, episodes/s |")
    print("|---|---|---|---|---|")
    for name, (measure, beside) in ROWS.items():
        mine, others = [], []
        for _ in range(options.rounds):
            figures = measure(options.episodes)
            mine.append(figures.episodes / figures.seconds)
            alone = beside(options.episodes)
            others.append(alone.episodes / alone.seconds)
        each = figures.steps / figures.episodes
        rate = statistics.median(mine)
        alone_rate = statistics.median(others)
        print(f"| {name} | {rate * each:.0f} | {rate:.0f} | {each:.0f} | {alone_rate:.0f} |")


if __name__ == "__main__":
    main()
