"""Train a policy for Dominion against a bot: a policy gradient in numpy.

    .venv/bin/python -m tools.learning.policy_gradient [--opponent big_money] [--minutes 1.8]
        [--deals 400] [--seed 1] [--curve FILE.svg]

The policy has one hidden layer. It is trained on the results of whole matches (REINFORCE), with
least squares as baseline and Adam as optimiser. It plays both seats of the deals, before and after
the training. Needs the extra `rl`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from referee.env import dominion_v1
from tools.learning.picture import picture

HIDDEN, BATCH, RATE, ENTROPY = 64, 32, 0.003, 0.02
# We add the margin of points to the result of a training match, divided by this.
MARGIN = 25
# Test deals have smaller seeds than this, so we never train on them.
FIRST_TRAINING_SEED = 1_000_000


class Policy:
    """A network that turns a normalised observation into probabilities of legal actions."""

    def __init__(self, size: int, choices: int, random: np.random.Generator) -> None:
        self.random = random
        self.parameters = [
            random.normal(0, size**-0.5, (size, HIDDEN)),
            np.zeros(HIDDEN),
            np.zeros((HIDDEN, choices)),
            np.zeros(choices),
        ]
        self._means = [np.zeros_like(each) for each in self.parameters]
        self._squares = [np.zeros_like(each) for each in self.parameters]
        self._steps = 0
        self._moments = np.eye(size + 1), np.zeros(size + 1)

    def probabilities(self, seen: Any, masks: Any) -> tuple[Any, Any]:
        """Return the hidden layer, and the probability of each action."""
        first, bias, second, last = self.parameters
        hidden = np.tanh(seen @ first + bias)
        logits = np.where(masks, hidden @ second + last, -1e9)
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return hidden, weights / weights.sum(axis=-1, keepdims=True)

    @property
    def is_trained(self) -> bool:
        """True after the first step of training.

        Before that, all actions have the same probability, and the best is always the first.
        """
        return self._steps > 0

    def choose(self, seen: Any) -> int:
        chances = self.probabilities(seen["observation"], seen["action_mask"])[1].cumsum()
        return int(np.searchsorted(chances, self.random.random() * chances[-1]))

    def best(self, seen: Any) -> int:
        return int(self.probabilities(seen["observation"], seen["action_mask"])[1].argmax())

    def expect(self, seen: Any, returns: Any) -> Any:
        """Return how far the results are above the baseline, and then update the baseline."""
        known = np.hstack([seen, np.ones((len(seen), 1))])
        products, sums = self._moments
        surprise = returns - known @ np.linalg.solve(products, sums)
        products *= 0.95
        sums *= 0.95
        products += known.T @ known + 0.05 * np.eye(len(sums))
        sums += known.T @ returns
        return surprise

    def learn(self, seen: Any, masks: Any, actions: Any, advantages: Any) -> None:
        hidden, chances = self.probabilities(seen, masks)
        logs = np.log(np.maximum(chances, 1e-9))
        spread = -(chances * logs).sum(axis=1, keepdims=True)
        slope = -chances * advantages[:, None] - ENTROPY * chances * (logs + spread)
        slope[np.arange(len(actions)), actions] += advantages
        slope /= len(actions)
        back = (slope @ self.parameters[2].T) * (1 - hidden**2)
        slopes = [seen.T @ back, back.sum(axis=0), hidden.T @ slope, slope.sum(axis=0)]
        self._steps += 1
        for values, each, mean, square in zip(
            self.parameters, slopes, self._means, self._squares, strict=True
        ):
            mean += 0.1 * (each - mean)
            square += 0.001 * (each**2 - square)
            scale = np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8
            values += RATE * mean / (1 - 0.9**self._steps) / scale


def play(env: Any, policy: Any, seed: int) -> tuple[list[Any], list[int], float, int]:
    """Play a match. Return observations, actions, the reward, and the margin of points."""
    seen, info = env.reset(seed=seed)
    sights, actions, reward, terminated = [], [], 0.0, False
    while not terminated:
        sights.append(seen)
        actions.append(policy(seen))
        seen, reward, terminated, _, info = env.step(actions[-1])
    return sights, actions, reward, info["margin"]


def train(policy: Policy, envs: list[Any], minutes: float) -> list[tuple[float, int, float]]:
    """Train for some minutes of CPU time.

    Returns:
        Minutes, matches and share of points, for each of twenty batches.
    """
    curve, rewards, matches = [], list[float](), 0
    end = time.process_time() + 60 * minutes
    while time.process_time() < end:
        sights, actions, returns, lengths = list[Any](), list[int](), [], []
        for _ in range(BATCH):
            env = envs[matches % 2]
            seen, chosen, reward, margin = play(env, policy.choose, FIRST_TRAINING_SEED + matches)
            sights += seen
            actions += chosen
            lengths.append(len(chosen))
            returns.append(reward + margin / MARGIN)
            rewards.append(reward)
            matches += 1
        seen = np.stack([each["observation"] for each in sights])
        masks = np.stack([each["action_mask"] for each in sights])
        advantages = policy.expect(seen, np.repeat(returns, lengths))
        advantages /= advantages.std() + 0.1
        policy.learn(seen, masks, np.array(actions), advantages)
        if len(rewards) >= 20 * BATCH:
            points = float(np.mean(rewards) + 1) / 2
            curve.append((time.process_time() / 60, matches, points))
            print(f"{curve[-1][0]:.1f} minutes, {matches} matches, {points:.1%}", flush=True)
            rewards.clear()
    return curve


def made(seat: int, opponent: str) -> Any:
    opponents: list[Any] = [opponent, opponent]
    opponents[seat] = None
    return dominion_v1.gym_env(opponents, normalised=True, max_turns=50)


def played(choose: Any, envs: list[Any], deals: int) -> tuple[float, float]:
    """Play both seats of some deals. Return the share of points and its standard error."""
    rewards = [[play(env, choose, deal)[2] for env in envs] for deal in range(deals)]
    shares = (np.mean(rewards, axis=1) + 1) / 2
    return float(shares.mean()), float(shares.std(ddof=1)) / deals**0.5


def points_text(share: float, error: float) -> str:
    return f"{share:.1%} of the points, standard error {error:.1%}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--opponent", default="big_money", help="a bot of Dominion")
    parser.add_argument("--minutes", type=float, default=1.8, help="of processor time")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve", help="a file for the learning curve")
    options = parser.parse_args()
    envs = [made(seat, options.opponent) for seat in (0, 1)]
    size = envs[0].observation_space["observation"].shape[0]
    policy = Policy(size, len(dominion_v1.choices), np.random.default_rng(options.seed))
    result = points_text(*played(policy.choose, envs, options.deals))
    print(f"untrained: {result}, {options.deals} deals", flush=True)
    curve = train(policy, envs, options.minutes)
    if options.curve:
        minutes, matches, _ = curve[-1]
        points = [(at / minutes, share, 0.0) for at, _, share in curve]
        ends = [(0, "0"), (1, f"{minutes:.1f} minutes, {matches:,} matches")]
        Path(options.curve).write_text(picture(points, ends))
    choose = policy.best if policy.is_trained else policy.choose
    result = points_text(*played(choose, envs, options.deals))
    print(f"trained: {result}, {options.deals} deals")


if __name__ == "__main__":
    main()
