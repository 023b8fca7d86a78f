"""Play Star Realms against `admiral` with a search in copies of the environment.

    .venv/bin/python -m tools.learning.tree_search [--copies 0 1 4] [--deals 400]
        [--workers 2] [--seed 1] [--curve FILE.svg]

In each copy, everything that the player doesn't know is dealt again. We try every action in the
same copies, so all of them have the same luck. After the action both players follow a heuristic for
some turns, and then we count the leads in authority and in cards. The search only replaces the
heuristic's action if another one is better by more than its standard error. Otherwise we'd mostly
follow luck, because that's what makes the largest of a few uncertain means so large. Needs the
extra `rl`.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from referee.env import starrealms_v2
from referee.games.starrealms.rules.cards import CARDS
from tools.learning.picture import picture

TURNS = 5  # count leads after this many own turns, when a card bought now has been drawn
WIDTH = 5  # consider this many actions
WIN = 100  # a win is worth as much as this lead in authority
KINDS = ("play", "use-base", "use-ally", "attack-base", "attack-player", "buy", "pick", "done")
AT_ONCE = KINDS[:5]  # do these immediately, without a search


def rank(name: str) -> float:
    """Return a priority for a choice: play all cards, attack, then buy the most expensive card."""
    if name == "end-turn":
        return 1
    cost = next((card.cost for card in CARDS.values() if f" {card.name}" in name), 0)
    for place, kind in enumerate(KINDS):
        if name.startswith(kind):
            mine = name.endswith((" hand", " discard")) and kind == "pick"
            # When we scrap one of our own cards, we want the worst.
            return 100 - 10 * place + (-cost if mine else cost) / 10
    return 0.5  # only scrap cards if we must


def worth(entry: str) -> int:
    """Return the weight of an entry of an observation: 1 for authority, its cost for a card.

    The weight is negative for the other player's authority and cards.
    """
    if entry.endswith(" authority"):
        return 1 if entry.startswith("own") else -1
    for place in ("hidden ", "discard ", "in play "):
        if entry.removeprefix("other ").startswith(place):
            cost = CARDS[entry.removeprefix("other ").removeprefix(place)].cost
            return -cost if entry.startswith("other") else cost
    return 0


RANK = np.array([rank(name) for name in starrealms_v2.choices])
WORTH = np.array([worth(entry) for entry in starrealms_v2.observation_names()])


def by_thumb(env: Any) -> int:
    return int((env.action_mask(env.agent_selection) * RANK).argmax())


def lead(copy: Any, agent: str) -> float:
    """Play on with the heuristic in this copy, for some turns. Return the agent's lead."""
    turns, mover = 0, agent
    while not copy.terminations[agent]:
        if copy.agent_selection != mover:
            mover = copy.agent_selection
            turns += mover == agent
            if turns == TURNS:
                return float(WORTH @ copy.observe(agent)["observation"])
        copy.step(by_thumb(copy))
    return WIN * float(copy.rewards[agent])


def search(env: Any, agent: str, copies: int, random: Random) -> int:
    first = by_thumb(env)
    if not copies or starrealms_v2.choices[first].startswith(AT_ONCE):
        return first
    legal = np.flatnonzero(env.action_mask(agent))
    actions = legal[np.argsort(-RANK[legal], kind="stable")][:WIDTH].tolist()
    if len(actions) == 1:
        return first
    leads = np.zeros((copies, len(actions)))
    for row in leads:
        world = env.copy(viewer=agent, seed=random.randrange(2**32))
        for place, action in enumerate(actions):
            copy = world.copy()
            copy.step(action)
            row[place] = lead(copy, agent)
    better = leads - leads[:, :1]  # the first action is the heuristic's choice
    errors = better.std(axis=0, ddof=min(1, copies - 1)) / copies**0.5
    return actions[int((better.mean(axis=0) - errors).argmax())]


def play(copies: int, seed: int, deal: int) -> float:
    """Play a deal, in the first seat if its number is even. Return our share of the points."""
    opponents: list[Any] = ["admiral", "admiral"]
    opponents[deal % 2] = None
    env: Any = starrealms_v2.raw_env(opponents=opponents)
    env.reset(seed=deal)
    (agent,) = env.agents
    random = Random(f"{seed}/{deal}")
    while not env.terminations[agent]:
        env.step(search(env, agent, copies, random))
    points = (env.rewards[agent] + 1) / 2
    env.close()
    return float(points)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--copies", type=int, nargs="+", default=[0, 1, 4], help="for each action")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve", help="a file for the learning curve")
    options = parser.parse_args()
    curve = []
    for copies in options.copies:
        began = time.perf_counter()
        with ProcessPoolExecutor(options.workers) as workers:
            each = partial(play, copies, options.seed)
            points = list(workers.map(each, range(options.deals), chunksize=4))
        error = float(np.std(points, ddof=1)) / len(points) ** 0.5
        curve.append((len(curve) / max(1, len(options.copies) - 1), float(np.mean(points)), error))
        print(
            f"{copies} copies for each action: {curve[-1][1]:.1%} of the points, standard error "
            f"{error:.1%}, {len(points)} deals, {(time.perf_counter() - began) / 60:.1f} minutes",
            flush=True,
        )
    if options.curve:
        texts = [f"{copies}" for copies in options.copies[:-1]]
        texts.append(f"{options.copies[-1]} copies")
        ticks = [(x, text) for (x, _, _), text in zip(curve, texts, strict=True)]
        Path(options.curve).write_text(picture(curve, ticks))


if __name__ == "__main__":
    main()
