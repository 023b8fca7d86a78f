"""Train MaskablePPO for Dominion against a bot, measure how it learns, and save the bot.

    .venv/bin/python -m tools.learning.maskable_ppo [--opponent big_money] [--minutes 60]
        [--every 5] [--deals 200] [--seed 1] [--curve FILE.svg] [--bot trained_bot.py]

After every few minutes of training, and at its end, the policy plays both seats of the deals, with
its best action each time. The deals are the same in all tests, and the training never sees them.
At the end we save the model as trained_bot.zip, and the bot that plays it as trained_bot.py. Needs
the extra `rl` and sb3-contrib (spec/rl-libraries.md, 1).
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import Any

import torch
from gymnasium import Wrapper
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

from tools.learning.picture import picture
from tools.learning.policy_gradient import FIRST_TRAINING_SEED, MARGIN, made, played, points_text

ENVS, STEPS, BATCH, RATE, ENTROPY = 16, 1024, 1024, 0.001, 0.01


class Deals(Wrapper):  # type: ignore[type-arg]
    """Plays a new deal after each reset, and adds the margin of points to the result."""

    def __init__(self, env: Any, number: int) -> None:
        super().__init__(env)
        self._next = FIRST_TRAINING_SEED + number

    def reset(self, **kwargs: Any) -> Any:
        self._next += ENVS
        return self.env.reset(seed=self._next - ENVS)

    def step(self, action: Any) -> Any:
        seen, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            reward = float(reward) + info["margin"] / MARGIN
        return seen, reward, terminated, truncated, info

    def action_masks(self) -> Any:
        return self.env.get_wrapper_attr("action_masks")()


class Curve(BaseCallback):
    """Tests the policy between two rounds of training, and ends it when its time is over."""

    def __init__(self, opponent: str, minutes: float, every: float, deals: int) -> None:
        super().__init__()
        self._tests = [made(seat, opponent) for seat in (0, 1)]
        self._minutes, self._every, self._deals = minutes, every, deals
        self._trained = 0.0
        self._since = time.process_time()
        self.points: list[tuple[float, float, float]] = []

    def _on_rollout_start(self) -> None:
        self._trained += (time.process_time() - self._since) / 60
        if self._trained >= len(self.points) * self._every:
            self._test()
        self._since = time.process_time()

    def _on_step(self) -> bool:
        return self._trained < self._minutes

    def _on_training_end(self) -> None:
        if self.points[-1][0] < self._trained:
            self._test()

    def _test(self) -> None:
        def best(seen: Any) -> int:
            action, _ = self.model.predict(
                seen, action_masks=seen["action_mask"], deterministic=True
            )
            return int(action)

        share, error = played(best, self._tests, self._deals)
        self.points.append((self._trained, share, error))
        steps = f"{self._trained:.1f} minutes, {self.num_timesteps:,} steps"
        print(f"{steps}: {points_text(share, error)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--opponent", default="big_money", help="a bot of Dominion")
    parser.add_argument("--minutes", type=float, default=60, help="of processor time, for training")
    parser.add_argument("--every", type=float, default=5, help="minutes from test to test")
    parser.add_argument("--deals", type=int, default=200, help="of each test, in both seats")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve", help="a file for the learning curve")
    parser.add_argument("--bot", type=Path, default="trained_bot.py", help="the file of the bot")
    options = parser.parse_args()
    torch.set_num_threads(1)
    envs = DummyVecEnv([lambda n=n: Deals(made(n % 2, options.opponent), n) for n in range(ENVS)])
    model = MaskablePPO(
        "MultiInputPolicy",
        envs,
        n_steps=STEPS,
        batch_size=BATCH,
        learning_rate=RATE,
        ent_coef=ENTROPY,
        policy_kwargs={"net_arch": [128, 128]},
        # A match has about a hundred actions, and nearly all of the reward comes at its end.
        gamma=1.0,
        gae_lambda=0.99,
        seed=options.seed,
        device="cpu",
    )
    curve = Curve(options.opponent, options.minutes, options.every, options.deals)
    model.learn(10**9, callback=curve)
    model.save(options.bot.with_suffix(".zip"))
    shutil.copy(Path(__file__).with_name("trained_bot.py"), options.bot)
    print(f"saved; to play it: referee play {options.bot} {options.opponent}")
    if options.curve:
        last = curve.points[-1][0]
        points = [(at / last, share, error) for at, share, error in curve.points]
        text = picture(points, [(0, "0"), (1, f"{last:.0f} minutes")])
        Path(options.curve).write_text(text)


if __name__ == "__main__":
    main()
