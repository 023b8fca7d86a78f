"""Play Star Realms against `admiral` with a tree search by copies of the environment.

    .venv/bin/python -m tools.learning.tree_search [--searches 0 1] [--deals 400]
        [--minutes 9] [--seed 1] [--curve FILE.csv]

Each search of an action plays in a copy in which all that the player cannot know is dealt again. It
goes down a tree by upper confidence bounds (UCT) to an action that it has not tried. From there
both players follow a rule of thumb to the next own turn. The value of that turn was learnt from
matches by the rule of thumb. Needs the extra `rl`.
"""

from __future__ import annotations

import argparse
import math
import time
from functools import cache
from random import Random
from typing import Any

import numpy as np

from referee.env import starrealms_v2
from referee.games.starrealms.rules.cards import CARDS

EXPLORATION = 0.1
WORLDS = 2  # in which unknown cards are dealt differently
WIDTH = 5  # choices that are tried
TURNS = 2  # that are played to their end, the current one included
KINDS = ("play", "use-base", "use-ally", "attack-base", "attack-player", "buy", "pick", "done")
FIRST_TRAINING_SEED = 1_000_000  # the deals have smaller ones


@cache
def rank(choice: int) -> float:
    """Return how good a choice is by the rule of thumb: play all, attack, buy the dearest card."""
    name = starrealms_v2.choices[choice]
    if name == "end-turn":
        return 0
    cost = next((card.cost for card in CARDS.values() if f" {card.name}" in name), 0)
    for place, kind in enumerate(KINDS):
        if name.startswith(kind):
            mine = name.endswith((" hand", " discard")) and kind == "pick"
            return 100 - 10 * place + (-cost if mine else cost) / 10  # discard and scrap the worst
    return -1  # keep what could be scrapped


def learnt(matches: int) -> Any:
    """Return weights of the entries that foretell the result of matches by the rule of thumb.

    They are fitted by least squares to a player's observations at the beginning of its turns.
    """
    seen, results = [], list[float]()
    for number in range(matches):
        env = made(number)
        env.reset(seed=FIRST_TRAINING_SEED + number)
        (agent,) = env.agents
        begun = 0
        while not env.terminations[agent]:
            entries = env.observe(agent)["observation"]
            if entries[0] > begun:
                begun = entries[0]
                seen.append(entries)
            env.step(legal(env)[0])
        results += [env.rewards[agent]] * (len(seen) - len(results))
        env.close()
    known = np.array(seen, float)
    mean, result = known.mean(axis=0), float(np.mean(results))
    products = (known - mean).T @ (known - mean) + 50 * np.eye(known.shape[1])
    found: Any = np.linalg.solve(products, (known - mean).T @ (np.array(results) - result))
    return found


class Node:
    """An action that was tried: how often, and its mean value for the player who acts."""

    def __init__(self) -> None:
        self.visits, self.mean = 0, 0.0
        self.children: dict[int, Node] = {}

    def select(self, choices: list[int]) -> int:
        """Return an untried choice, or else the one with the best bound."""
        untried = [choice for choice in choices if choice not in self.children]
        if untried:
            return max(untried, key=rank)
        total = math.log(self.visits)
        return max(choices, key=lambda choice: self.children[choice].bound(total))

    def bound(self, total: float) -> float:
        """Return the upper confidence bound."""
        return self.mean + EXPLORATION * math.sqrt(total / self.visits)


def legal(env: Any) -> list[int]:
    """List the legal choices, the best ones by the rule of thumb first."""
    mask = env.action_mask(env.agent_selection)
    return sorted(np.flatnonzero(mask).tolist(), key=rank, reverse=True)


def search(env: Any, agent: str, searches: int, weights: Any, random: Random) -> int:
    """Return the action that a tree search has found best."""
    choices = legal(env)[:WIDTH]
    if len(choices) == 1 or not searches or starrealms_v2.choices[choices[0]].startswith("play "):
        return choices[0]  # a card in hand is always played first
    means = dict.fromkeys(choices, 0.0)
    for _ in range(WORLDS):
        world = env.copy(viewer=agent, seed=random.randrange(2**32))
        root = Node()
        for _ in range(len(choices) + searches):
            descend(world.copy(), root, agent, weights)
        for action in choices:
            means[action] += root.children[action].mean
    return max(choices, key=lambda action: (round(means[action], 9), rank(action)))


def descend(copy: Any, root: Node, agent: str, weights: Any) -> None:
    """Play a copy to the end of a turn, and note its value on the path through the tree."""
    path, grown, turns, whose = [root], False, 0, agent
    while not copy.terminations[agent]:
        if copy.agent_selection != whose:
            whose, turns = copy.agent_selection, turns + 1
            if turns == TURNS:
                break
        choices = legal(copy)
        if grown or whose != agent:
            action = choices[0]
        else:
            action = path[-1].select(choices[:WIDTH])
            grown = action not in path[-1].children
            path.append(path[-1].children.setdefault(action, Node()))
        copy.step(action)
    if copy.terminations[agent]:
        result = 2 * float(copy.rewards[agent])
    else:
        result = float(weights @ copy.observe(agent)["observation"])
    for node in path:
        node.visits += 1
        node.mean += (result - node.mean) / node.visits


def made(deal: int) -> Any:
    """Make the environment of a deal. The program has the first seat in every second one."""
    opponents: list[Any] = ["admiral", "admiral"]
    opponents[deal % 2] = None
    return starrealms_v2.raw_env(opponents=opponents)


def play(deal: int, searches: int, weights: Any, seed: int) -> float:
    """Play one deal, in the first or in the second seat; returns the share of points."""
    env = made(deal)
    env.reset(seed=deal)
    (agent,) = env.agents
    random = Random(f"{seed}/{deal}")
    while not env.terminations[agent]:
        env.step(search(env, agent, searches, weights, random))
    points = (env.rewards[agent] + 1) / 2
    env.close()
    return float(points)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--searches", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--minutes", type=float, default=9, help="after them no deal begins")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--matches", type=int, default=500, help="to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve", help="a file for the shares of points")
    options = parser.parse_args()
    began = time.process_time()
    weights = learnt(options.matches)
    print(
        f"{options.matches} matches to learn from, {(time.process_time() - began) / 60:.1f} minutes"
    )
    curve = []
    for searches in options.searches:
        began = time.process_time()
        points = [
            play(deal, searches, weights, options.seed)
            for deal in range(options.deals)
            if time.process_time() - began < 60 * options.minutes
        ]
        minutes = (time.process_time() - began) / 60
        share, error = np.mean(points), np.std(points, ddof=1) / len(points) ** 0.5
        curve.append((searches, minutes, share, error))
        print(
            f"{searches} searches for each action: {share:.1%} of the points, standard error "
            f"{error:.1%}, {len(points)} deals, {minutes:.1f} minutes",
            flush=True,
        )
    if options.curve:
        np.savetxt(options.curve, curve, "%.4f", ",", header="searches,minutes,share,error")


if __name__ == "__main__":
    main()
