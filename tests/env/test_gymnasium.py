"""The environment of one player as Gymnasium has it: its own test, and what that leaves out."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

from referee.env import botwars_v1, dominion_v1
from referee.errors import UsageError

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install -e '.[rl]'")
pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")
from gymnasium.utils.env_checker import check_env


def passive(message: dict[str, Any]) -> dict[str, Any] | None:
    """Buys nothing in Dominion, and moves nothing in Bot Wars."""
    match message["type"]:
        case "play-turn":
            return {"type": "play-reply", "phase": "cleanup"}
        case "attack-request":
            return {"type": "attack-reply", "discard": message["options"][: message["discard"]]}
        case "move-request":
            return {"type": "move-reply", "moves": []}
    return None


SMALL = {"rows": 4, "cols": 5, "max_turns": 9}
MADE = {
    "dominion, first": lambda: dominion_v1.gym_env([None, passive], render_mode="ansi"),
    "dominion, last": lambda: dominion_v1.gym_env([passive, passive, None], max_turns=30),
    "dominion, a process": lambda: dominion_v1.gym_env(["minimal", None]),
    "botwars": lambda: botwars_v1.gym_env([passive, None], **SMALL),
}


@pytest.mark.parametrize("name", MADE)
def test_it_passes_their_test(name: str) -> None:
    env = MADE[name]()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*not having a spec")
        check_env(env)
    env.close()


def test_a_match_to_its_end() -> None:
    env = dominion_v1.gym_env([passive, None], max_turns=12)
    for seed in (3, 4):
        seen, info = env.reset(seed=seed)
        assert info == {"seed": seed}
        terminated, rewards = False, []
        while not terminated:
            assert (seen["action_mask"] == env.action_masks()).all()
            action = np.flatnonzero(seen["action_mask"])[-1]  # it buys what it can
            seen, reward, terminated, truncated, info = env.step(action)
            rewards.append(reward)
            assert not truncated
        assert info["reason"] == "turn-limit"
        assert set(rewards[:-1]) == {0.0}
        assert (rewards[-1] < 0) == (info["rank"] == 2)
        with pytest.raises(UsageError, match="call reset"):
            env.step(0)


def test_an_illegal_action_ends_the_match() -> None:
    env = dominion_v1.gym_env([None, passive])
    env.reset(seed=1)
    illegal = dominion_v1.choices.index("buy province")
    _, reward, terminated, _, info = env.step(illegal)
    assert (reward, terminated, info["reason"]) == (-1.0, True, "illegal-action")
    with pytest.raises(UsageError, match="call reset"):
        env.step(illegal)
    env.reset()
    with pytest.raises(UsageError, match="97 is no action of Discrete"):
        env.step(97)


def test_where_all_is_legal_the_mask_is_of_ones() -> None:
    env = botwars_v1.gym_env([None, passive], **SMALL)
    env.reset(seed=1)
    assert env.action_masks().shape == (4 * 5 * 5,)
    assert env.action_masks().all()


def test_it_travels_to_another_process() -> None:
    there = pickle.loads(pickle.dumps(dominion_v1.gym_env(["minimal", None], max_turns=9)))
    assert there.action_space == dominion_v1.gym_env([None, passive]).action_space


def test_several_seats_of_the_program_are_for_pettingzoo() -> None:
    for opponents in (None, [None, "minimal", None]):
        with pytest.raises(UsageError, match=r"one None, .* for more there is env\(\)"):
            dominion_v1.gym_env(opponents)
