"""Test the single-player environments with Gymnasium's own checker, and what it doesn't check."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pytest

from referee.bots.bot import Failure
from referee.env import botwars_v1, botwars_v2, dominion_v1
from referee.errors import UsageError
from referee.games.interface.faults import Disqualification
from tests.support.helpers import name_line

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install -e '.[rl]'")
pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")
import gymnasium
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

pytestmark = pytest.mark.extras


def passive(message: dict[str, Any]) -> dict[str, Any] | None:
    """Reply without buying any card in Dominion, or moving any botlet in Bot Wars."""
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
        assert info == {"seed": seed, "rank": 0, "score": 0, "margin": 0, "disqualified": 0}
        terminated, rewards = False, []
        while not terminated:
            assert (seen["action_mask"] == env.action_masks()).all()
            action = np.flatnonzero(seen["action_mask"])[-1]  # buy the last card that we can afford
            seen, reward, terminated, truncated, info = env.step(action)
            rewards.append(reward)
            assert not truncated
        assert env.reason == "turn-limit"
        assert set(rewards[:-1]) == {0.0}
        assert (rewards[-1] < 0) == (info["rank"] == 2)
        with pytest.raises(UsageError, match="call reset"):
            env.step(0)


def test_an_illegal_action_ends_the_match() -> None:
    env = dominion_v1.gym_env([None, passive])
    env.reset(seed=1)
    illegal = dominion_v1.choices.index("buy province")
    _, reward, terminated, _, _ = env.step(illegal)
    assert (reward, terminated, env.reason) == (-1.0, True, "illegal-action")
    with pytest.raises(UsageError, match="call reset"):
        env.step(illegal)
    env.reset()
    with pytest.raises(UsageError, match="97 is not an action of Discrete"):
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
    with pytest.raises(UsageError, match=r"one None, .* for more there is env\(\)"):
        dominion_v1.gym_env([None, "minimal", None])


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.filterwarnings("ignore:.*BotWars-v1 is out of date:DeprecationWarning")
@pytest.mark.parametrize(
    "id", ["Dominion-v1", "BotWars-v1", "BotWars-v2", "StarRealms-v2", "Tribute-v2"]
)
def test_each_game_has_an_id(id: str, normalised: bool) -> None:
    env = gymnasium.make(
        f"referee.env.registration:referee/{id}", max_turns=9, normalised=normalised
    )
    check_env(env.unwrapped)
    env.close()


def test_an_observation_can_be_normalised() -> None:
    plain, scaled = (
        dominion_v1.gym_env([None, passive], max_turns=9, normalised=normalised)
        for normalised in (False, True)
    )
    bounds = plain.observation_space["observation"]
    (seen, _), (same, _) = plain.reset(seed=5), scaled.reset(seed=5)
    terminated = False
    while not terminated:
        assert same["observation"].dtype == np.float32
        span = bounds.high - bounds.low
        assert same["observation"] * span + bounds.low == pytest.approx(seen["observation"])
        action = np.flatnonzero(seen["action_mask"])[-1]
        seen, _, terminated, _, _ = plain.step(action)
        same = scaled.step(action)[0]


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_a_vector_environment_resets_by_itself_and_its_masks_can_be_sampled(kind: Any) -> None:
    make = partial(dominion_v1.gym_env, [None, passive], max_turns=5)
    envs = kind([make] * 3)
    seen, _ = envs.reset(seed=1)
    random, ended = np.random.default_rng(1), 0
    for _ in range(300):
        assert seen["action_mask"].any(axis=1).all()
        actions = [random.choice(np.flatnonzero(mask)) for mask in seen["action_mask"]]
        seen, rewards, terminated, truncated, _ = envs.step(np.array(actions))
        assert not truncated.any()
        # An illegal action would end the match with -1 immediately.
        assert (abs(rewards) <= terminated).all()
        ended += terminated.sum()
    assert ended > 5
    envs.close()


@pytest.mark.parametrize("name", ["dominion, first", "botwars"])
def test_a_copy_is_an_environment_for_all_seats(name: str) -> None:
    env = MADE[name]()
    seen, _ = env.reset(seed=3)
    copy = env.copy()
    agent = f"player_{env._seat + 1}"
    observe = copy.observe if name != "botwars" else lambda seat: copy._episode.observe(env._seat)
    assert str(observe(agent)) == str(seen)
    assert copy.possible_agents == ["player_1", "player_2"]
    assert env.copy(viewer=agent, seed=4).agents == copy.agents


class Leaves:
    """Leave in the second match, before the opponent gets a request."""

    matches = 0

    def reply(self, lines: Sequence[bytes]) -> bytes | Failure:
        if b"player-name-request" in lines[-1]:
            Leaves.matches += 1
            return name_line(0)
        if Leaves.matches == 2:
            return Failure(Disqualification.EXITED, "it has crashed")
        return msgspec.json.encode(passive(msgspec.json.decode(lines[-1])))


def test_an_opponent_that_leaves_before_the_first_action_ends_no_run() -> None:
    Leaves.matches = 0
    options = {"opponents": [Leaves, None], "max_turns": 2}
    envs = gymnasium.make_vec("referee.env.registration:referee/Dominion-v1", 1, **options)
    seen, _ = envs.reset(seed=1)
    ends = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while len(ends) < 3:
            actions = seen["action_mask"].argmax(axis=1)
            seen, rewards, terminated, _, infos = envs.step(actions)
            if terminated[0]:
                ends.append((rewards[0], int(infos["rank"][0])))
    (warning,) = caught
    assert "player1, was disqualified: exited, it has crashed" in str(warning.message)
    assert ends[1] == (1.0, 1)
    with pytest.raises(UsageError, match="call reset"):
        envs.envs[0].unwrapped.step(0)


def test_a_match_that_was_over_at_its_reset_ends_at_the_first_step() -> None:
    Leaves.matches = 1
    env = dominion_v1.gym_env([Leaves, None], max_turns=2)
    with pytest.warns(RuntimeWarning, match="was disqualified"):
        env.reset(seed=1)
    assert env.step(0)[2]
    with pytest.raises(UsageError, match="call reset"):
        env.step(0)


def test_a_library_that_tries_a_render_mode_gets_a_warning() -> None:
    """`make_vec_env` of Stable-Baselines3 tries a render mode, and only catches a TypeError."""
    id = "referee.env.registration:referee/Dominion-v1"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        env = gymnasium.make(id, render_mode="rgb_array")
    assert any("nothing is rendered" in str(warning.message) for warning in caught)
    env.reset(seed=1)
    assert env.step(env.unwrapped.action_masks().argmax())[1] == 0
    with pytest.raises(TypeError, match="unexpected keyword argument 'turns'"):
        gymnasium.make(id, turns=3)


def test_version_2_of_bot_wars_has_one_row_of_actions() -> None:
    row, grid = botwars_v2.gym_env(**SMALL), botwars_v1.gym_env(**SMALL)
    assert (row.action_space.shape, grid.action_space.shape) == ((20,), (4, 5))
    assert str(row.reset(seed=3)) == str(grid.reset(seed=3))
    over = False
    while not over:
        action = row.action_space.sample()
        *_, over, _, _ = result = row.step(action)
        assert str(result) == str(grid.step(action.reshape(4, 5)))
    assert pickle.loads(pickle.dumps(botwars_v1.gym_env)).__self__ is botwars_v1
    for version in (grid, row):
        version.reset(seed=1)
        assert version.copy().action_space("player_1") == version.action_space


@pytest.mark.parametrize("reward", ["margin", "score"])
def test_rewards_by_points_are_the_changes_of_each_step(reward: str) -> None:
    env = dominion_v1.gym_env(reward=reward, max_turns=15)
    plain = dominion_v1.gym_env(max_turns=15)
    seen, _ = env.reset(seed=3)
    plain.reset(seed=3)
    total, early, over = 0.0, 0, False
    random = np.random.default_rng(1)
    while not over:
        action = random.choice(np.flatnonzero(seen["action_mask"]))
        seen, paid, over, _, info = env.step(action)
        assert plain.step(action)[4] == info
        total += paid
        early += bool(paid and not over)
    assert total == info[reward] - (3 if reward == "score" else 0)  # a deck starts with 3 points
    assert early > 1
    with pytest.raises(UsageError, match="give one of: result, margin, score"):
        dominion_v1.gym_env(reward="win")
