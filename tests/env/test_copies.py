"""Test that an environment copied with `copy.deepcopy` or `pickle` continues the match."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from referee.errors import UsageError
from tests.support.helpers import cautious
from tests.support.learners import chosen
from tests.support.own_game import SMALL_GAMES, clean_games

pytest.importorskip(
    "pettingzoo.utils.env", reason="PettingZoo is not installed: pip install -e '.[rl]'"
)
import gymnasium

from referee.env import botwars_v1, dominion_v1, environments_of, starrealms_v2, tribute_v2

pytestmark = pytest.mark.extras
IDS = ("Dominion-v1", "BotWars-v1", "StarRealms-v2", "Tribute-v2")
SMALL = {"rows": 4, "cols": 5, "max_turns": 12}


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def restored(env: Any) -> Any:
    other = type(env)(*env._ezpickle_args, **env._ezpickle_kwargs)
    other.reset(seed=9)
    other.restore(env.copy())
    return other


WAYS: tuple[Callable[[Any], Any], ...] = (copy.deepcopy, pickled)


def play_alone(env: Any, seed: int, steps: int | None = None) -> list[str]:
    """Step a sequential environment with random actions. Return everything it returned."""
    random, seen = Random(seed), []
    while (steps is None or len(seen) < steps) and not env.terminations[env.agent_selection]:
        seen.append(str((env.agent_selection, env.last(), env.agents)))
        env.step(chosen(random, env.last()[0]))
    return [*seen, str(env.infos)]


def play_against(env: Any, seed: int, steps: int | None = None) -> list[str]:
    """Step a Gymnasium environment with random legal actions. Return the results as text."""
    random, results = np.random.default_rng(seed), list[Any]()
    while (steps is None or len(results) < steps) and not (results and results[-1][2]):
        masks = env.unwrapped.action_masks()
        results.append(env.step(random.choice(np.flatnonzero(masks))))
    return [str(result) for result in results]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("game", [dominion_v1, starrealms_v2, tribute_v2])
def test_a_copy_continues_the_match(game: Any, way: Callable[[Any], Any]) -> None:
    env = game.raw_env(max_turns=4, reward="score")
    env.reset(seed=3)
    for steps in (0, 5):
        play_alone(env, 1, steps)
        other = way(env)
        assert type(other) is type(env)
        assert play_alone(way(other), 2) == play_alone(other, 2)
    redealt = env.copy(viewer=env.agent_selection, seed=5)
    assert play_alone(way(redealt), 2) == play_alone(redealt, 2)


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_a_parallel_environment(way: Callable[[Any], Any]) -> None:
    env = botwars_v1.parallel_env(**SMALL)
    env.reset(seed=3)
    still = dict.fromkeys(env.agents, np.full((4, 5), 3))
    env.step(still)
    other = way(env)
    while env.agents:
        assert str(other.step(still)) == str(env.step(still))
    assert other.agents == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("id", [id for id in IDS if id != "BotWars-v1"])
def test_against_a_bundled_bot_a_copy_continues_with_it(id: str, way: Callable[[Any], Any]) -> None:
    env = gymnasium.make(f"referee.env.registration:referee/{id}", max_turns=20, reward="score")
    env.reset(seed=3)
    for steps in (1, 6):
        play_against(env, 1, steps)
        other = way(env)
        assert play_against(way(other), 2) == play_against(other, 2)
    assert play_against(way(env), 2) == play_against(env, 2)


@pytest.mark.parametrize("way", WAYS)
def test_with_opponents_the_program_plays_all_seats_as_in_copy(way: Callable[[Any], Any]) -> None:
    env = dominion_v1.raw_env(opponents=[cautious, None], max_turns=6)
    env.reset(seed=3)
    play_alone(env, 1, 5)
    other = way(env)
    assert other.agents == ["player_1", "player_2"]
    for space in (other.action_space, other.observation_space):
        assert space("player_1") is not space("player_2")  # each agent seeds its own
    assert play_alone(other, 2) == play_alone(env.copy(), 2)


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_for_all_seats_has_the_same_rewards(way: Callable[[Any], Any]) -> None:
    env = starrealms_v2.gym_env(max_turns=6, reward="score")
    env.reset(seed=3)
    assert play_alone(way(env.copy()), 2) == play_alone(env.copy(), 2)


@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_copied(way: Callable[[Any], Any]) -> None:
    env = dominion_v1.raw_env(max_turns=1)
    assert way(env).possible_agents == env.possible_agents  # no match has begun
    env.reset(seed=1)
    play_alone(env, 1)
    against = dominion_v1.gym_env([None, "minimal"], max_turns=1)
    assert way(against).action_space == against.action_space
    against.reset(seed=1)
    play_against(against, 1)
    for each in (env, against):
        with pytest.raises(UsageError, match="the match is over, or none was begun"):
            way(each)
    with_object = dominion_v1.gym_env([None, cautious])
    with_object.reset(seed=1)
    with pytest.raises(UsageError, match=r"only bundled bots can be copied .*: use copy\(\)"):
        way(with_object)


def test_before_the_first_match_every_method_says_so() -> None:
    env: Any = dominion_v1.raw_env(render_mode="ansi")
    wars: Any = botwars_v1.parallel_env(render_mode="ansi")
    against: Any = dominion_v1.gym_env(render_mode="ansi")
    for call in (
        *(lambda: env.step(0), lambda: env.observe("player_1"), env.render, env.last),
        *(lambda: env.action_mask("player_1"), lambda: next(iter(env.agent_iter()))),
        *(lambda: wars.step({}), wars.render),
        *(lambda: against.step(0), against.render, against.action_masks),
    ):
        with pytest.raises((UsageError, AttributeError), match="call reset"):
            call()
    for each in (env, wars, against):
        with pytest.raises(UsageError, match="or none was begun"):
            each.copy()
    with pytest.raises(AttributeError, match="has no attribute 'wins'"):
        print(env.wins)


@pytest.mark.parametrize("way", [*WAYS, lambda env: env.copy(), restored])
def test_a_copy_keeps_the_rewards_that_an_agent_has_not_seen_yet(way: Callable[[Any], Any]) -> None:
    with clean_games():
        env = environments_of(SMALL_GAMES["kuhn"]).raw_env(reward="score")
        env.reset(seed=3)
        seen = []
        for _ in range(6):
            env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
            other = way(env)
            assert str((other.last(), other.rewards)) == str((env.last(), env.rewards))
            assert other._cumulative_rewards == env._cumulative_rewards
            seen += env.rewards.values()
        assert any(seen)
