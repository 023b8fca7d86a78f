"""Test the environments with PettingZoo's own tests, and what those don't check."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from referee.bots.bot import Failure
from referee.env import botwars_v1, dominion_v1
from referee.errors import UsageError
from referee.games.interface.faults import Disqualification
from tests.support.helpers import cautious, name_line
from tests.support.learners import chosen

pytest.importorskip(
    "pettingzoo.utils.env", reason="PettingZoo is not installed: pip install -e '.[rl]'"
)
from pettingzoo import test as theirs
from pettingzoo.test.max_cycles_test import max_cycles_test

pytestmark = pytest.mark.extras
SMALL = {"rows": 5, "cols": 6, "max_turns": 40}

# PettingZoo warns about every environment that it doesn't know by name and that has masks, or moves
# with many parts. It also warns because an agent's mask is all zeros after the end.
EXPECTED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action space for each agent probably should be",
    "Action mask numpy array is all zeros",
)


@pytest.fixture(autouse=True)
def _expected_warnings() -> Any:
    with warnings.catch_warnings():
        for text in EXPECTED:
            warnings.filterwarnings("ignore", text, UserWarning)
        yield


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("make", [dominion_v1.env, dominion_v1.raw_env])
def test_dominion_passes_their_api_test(make: Callable[..., Any], players: int) -> None:
    theirs.api_test(make(players, max_turns=20), num_cycles=1000)  # each match is finished
    theirs.api_test(make(players), num_cycles=20)  # the match is abandoned


def test_dominion_passes_their_seed_test() -> None:
    theirs.seed_test(lambda: dominion_v1.env(3, max_turns=20))


def test_bot_wars_passes_their_parallel_tests() -> None:
    theirs.parallel_api_test(botwars_v1.parallel_env(**SMALL))
    theirs.parallel_api_test(botwars_v1.parallel_env(), num_cycles=20)
    theirs.parallel_seed_test(lambda: botwars_v1.parallel_env(**SMALL))


def test_bot_wars_passes_their_api_test() -> None:
    theirs.api_test(botwars_v1.env(**SMALL), num_cycles=100)
    theirs.seed_test(lambda: botwars_v1.env(**SMALL))


def test_with_opponents_there_are_fewer_agents() -> None:
    env = dominion_v1.env(opponents=[None, cautious, None], max_turns=20)
    assert env.possible_agents == ["player_1", "player_3"]
    theirs.api_test(env, num_cycles=1000)
    wars = botwars_v1.parallel_env(opponents=["gatherer", None], **SMALL)
    assert wars.possible_agents == ["player_2"]
    theirs.parallel_api_test(wars)
    wars.close()


def test_max_turns_is_what_they_call_max_cycles() -> None:
    max_cycles_test(
        SimpleNamespace(
            env=lambda max_cycles: botwars_v1.env(max_turns=max_cycles),
            parallel_env=lambda max_cycles: botwars_v1.parallel_env(max_turns=max_cycles),
        )
    )


def test_a_match_of_dominion() -> None:
    env = dominion_v1.env(3, max_turns=5)
    env.reset(seed=7)
    assert env.possible_agents == ["player_1", "player_2", "player_3"]
    random = Random(1)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        totals[agent] += reward
        assert info["seed"] == 7
        assert not truncated
        for other in env.agents:
            assert env.observe(other)["action_mask"].any() == (agent == other and not terminated)
        if terminated:
            assert env.unwrapped.reason == "turn-limit"
        env.step(None if terminated else chosen(random, seen))
    assert set(totals.values()) <= {-1.0, -0.5, 0.0, 0.5, 1.0}
    assert sum(totals.values()) == 0
    assert env.agents == []


def test_an_illegal_action_ends_the_match() -> None:
    """In PettingZoo, the agent with the illegal action gets -1 and the others get 0."""
    env = dominion_v1.env(2)
    env.reset(seed=1)
    env.step(dominion_v1.choices.index("buy province"))
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], terminated, _, _ = env.last()
        assert terminated
        env.step(None)
    assert rewards == {"player_1": -1.0, "player_2": 0.0}
    env.reset(seed=1)
    assert env.agents == ["player_1", "player_2"]
    assert not any(env.terminations.values())


def test_without_wrappers_an_illegal_action_changes_nothing() -> None:
    env = dominion_v1.raw_env(2)
    env.reset(seed=1)
    with pytest.raises(UsageError, match="not legal now"):
        env.step(dominion_v1.choices.index("buy province"))
    env.step(dominion_v1.choices.index("buy copper"))


def test_a_turn_of_bot_wars_needs_all_actions() -> None:
    env = botwars_v1.parallel_env(rows=4, cols=5)
    env.reset(seed=1)
    still = np.zeros((4, 5), int)
    for actions in (
        {},
        {"player_1": still},
        {"player_1": still, "player_2": still[:3]},
        {"player_1": still, "player_2": still + 5},
    ):
        with pytest.raises(UsageError, match=r"player_[12] needs an action of MultiDiscrete"):
            env.step(actions)
    env.step({"player_1": still, "player_2": still})


def test_a_refused_turn_keeps_no_action() -> None:
    """Booleans pass the check of the space, but the second player's translator rejects them.

    In that case, we mustn't keep the first player's action for the next step.
    """
    env, same = (botwars_v1.parallel_env(rows=4, cols=5) for _ in range(2))
    still = np.zeros((4, 5), int)
    for each in (env, same):
        each.reset(seed=1)
    with pytest.raises(UsageError, match="an action is an array of integers"):
        env.step({"player_1": still + 4, "player_2": still > 0})
    actions = {"player_1": still + 1, "player_2": still + 3}
    assert str(env.step(actions)) == str(same.step(actions))
    assert str(env.step(actions)) == str(same.step(actions))


def test_a_terminated_match_of_bot_wars_goes_no_further() -> None:
    env = botwars_v1.parallel_env(rows=4, cols=4, max_turns=1)
    seen, _ = env.reset(seed=1)
    still = np.zeros((4, 4), int)
    _, rewards, terminated, truncated, infos = env.step(dict.fromkeys(seen, still))
    assert rewards == {"player_1": 0.0, "player_2": 0.0}
    assert all(terminated.values())
    assert not any(truncated.values())
    assert infos["player_1"]["rank"] == 1
    assert env.reason == "turn-limit"
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize(
    "env",
    [dominion_v1.env(3, max_turns=9), dominion_v1.raw_env(), botwars_v1.parallel_env(rows=7)],
)
def test_an_environment_travels_to_another_process(env: Any) -> None:
    """The arguments are pickled, but not the match."""
    there = pickle.loads(pickle.dumps(env))
    agent = env.possible_agents[0]
    assert there.possible_agents == env.possible_agents
    assert there.observation_space(agent) == env.observation_space(agent)
    assert str(there) == str(env)


def test_what_makes_an_environment_travels_too() -> None:
    there = pickle.loads(pickle.dumps(dominion_v1.env))
    assert str(there(players=4)) == "dominion_v1"


def test_what_is_rendered() -> None:
    env = dominion_v1.env(render_mode="ansi")
    env.reset(seed=7)
    assert env.render().startswith("player_1\nown turn 1; buy\n")
    wars = botwars_v1.parallel_env(rows=4, cols=4, render_mode="ansi")
    wars.reset(seed=7)
    assert wars.render() == "player_1\n....\n....\n....\n...."
    with pytest.warns(UserWarning, match='rgb_array.*; give "ansi" or "human"'):
        assert dominion_v1.raw_env(render_mode="rgb_array").render_mode is None
    env = dominion_v1.raw_env()
    env.reset()
    with pytest.warns(UserWarning, match="render"):
        assert env.render() is None


def test_who_takes_turns_has_no_parallel_environment() -> None:
    assert not hasattr(dominion_v1, "parallel_env")
    assert hasattr(botwars_v1, "parallel_env")


def test_a_copy_is_an_environment_of_its_own_and_can_be_restored() -> None:
    env = dominion_v1.raw_env()
    env.reset(seed=3)
    random = Random(1)
    for _ in range(20):
        env.step(chosen(random, env.last()[0]))
    saved = env.copy()
    before = str(env.last())
    assert str(saved.last()) == before
    while not env.terminations[env.agent_selection]:
        env.step(chosen(random, env.last()[0]))
    assert str(saved.last()) == before
    with pytest.raises(UsageError, match="the match is over"):
        env.copy()
    for _ in range(2):
        env.restore(saved)
        assert str(env.last()) == before
        env.step(chosen(random, env.last()[0]))
    assert str(saved.last()) == before


def test_a_copy_for_a_viewer_deals_again_what_it_cannot_know() -> None:
    env = dominion_v1.raw_env()
    env.reset(seed=3)
    other = env.copy(viewer="player_1", seed=11)
    assert str(other.observe("player_1")) == str(env.observe("player_1"))
    assert other.infos["player_1"]["seed"] == 11
    with pytest.raises(UsageError, match="player_2 has no action due"):
        env.copy(viewer="player_2")
    with pytest.raises(UsageError, match="has no action due"):
        env.copy(viewer="player_x")


def test_in_a_copy_the_program_plays_the_seats_of_the_opponents_too() -> None:
    env = dominion_v1.raw_env(opponents=[cautious, None])
    env.reset(seed=3)
    copy = env.copy()
    assert env.possible_agents == ["player_2"]
    assert copy.agents == ["player_1", "player_2"]
    assert copy.agent_selection == "player_2"
    random = Random(1)
    for _ in copy.agent_iter():
        seen, _, terminated, _, _ = copy.last()
        copy.step(None if terminated else chosen(random, seen))
    with pytest.raises(UsageError, match="bots cannot return"):
        env.restore(env.copy())
    wars = botwars_v1.parallel_env(**SMALL)
    wars.reset(seed=1)
    assert wars.copy().agents == ["player_1", "player_2"]


class Leaves:
    """Pass one handshake, and then leave at the first request of any kind."""

    matches = 0

    def reply(self, lines: Sequence[bytes]) -> bytes | Failure:
        if b"player-name-request" in lines[-1]:
            self.matches += 1
            if self.matches == 1:
                return name_line(0)
        return Failure(Disqualification.EXITED, "it has crashed")


def test_a_match_can_be_over_before_the_first_action() -> None:
    env = dominion_v1.env(opponents=[Leaves(), None])
    with pytest.warns(RuntimeWarning, match="it has crashed"):
        env.reset(seed=1)
    ends = []
    for agent in env.agent_iter():
        _, reward, terminated, _, info = env.last()
        ends.append((agent, reward, terminated, info["rank"]))
        env.step(None)
    assert ends == [("player_2", 1.0, True, 1)]
    wars = botwars_v1.parallel_env(opponents=[Leaves(), None], **SMALL)
    wars.reset(seed=1)
    with pytest.warns(RuntimeWarning, match="it has crashed"):
        wars.reset(seed=2)
    _, rewards, terminated, _, _ = wars.step({})
    assert (rewards, terminated) == ({"player_2": 1.0}, {"player_2": True})
    assert wars.agents == []


@pytest.mark.parametrize("normalised", [False, True])
def test_the_state_has_the_observations_of_all_agents(normalised: bool) -> None:
    env = dominion_v1.raw_env(3, normalised=normalised)
    env.reset(seed=1)
    of_agents = [env.observe(agent)["observation"] for agent in env.agents]
    assert (env.state() == np.concatenate(of_agents)).all()
    wars = botwars_v1.parallel_env(normalised=normalised, **SMALL)
    wars.reset(seed=1)
    for each in (env, wars):
        assert each.state() in each.state_space


def test_with_human_each_step_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    env: Any = dominion_v1.raw_env(render_mode="human")
    against: Any = dominion_v1.gym_env(render_mode="human")
    wars: Any = botwars_v1.parallel_env(render_mode="human", **SMALL)
    for each in (env, against, wars):
        each.reset(seed=7)
        first = capsys.readouterr().out
        assert first.startswith("player_1\n")
        still = {agent: np.zeros((5, 6), int) for agent in each.agents} if each is wars else 0
        each.step(still)
        assert capsys.readouterr().out.startswith("player_")
        assert each.render() is None


def test_an_unknown_keyword_is_a_type_error() -> None:
    for make in (dominion_v1.env, dominion_v1.gym_env, botwars_v1.parallel_env):
        with pytest.raises(
            TypeError, match="keyword argument 'turns'; it has the options players,"
        ):
            make(turns=3)
    with pytest.raises(TypeError, match="and the limits of bots"):
        dominion_v1.gym_env([None, "minimal"], turns=3)


def test_infos_have_the_same_keys_and_numbers_only() -> None:
    env = dominion_v1.raw_env(max_turns=1)
    env.reset(seed=1)
    found = set()
    while True:
        for info in env.infos.values():
            found.add(tuple((key, isinstance(value, int)) for key, value in info.items()))
        if env.terminations[env.agent_selection]:
            break
        env.step(0)
    keys = ("seed", "rank", "score", "margin", "disqualified")
    assert found == {tuple((key, True) for key in keys)}


@pytest.mark.parametrize("reward", ["margin", "score"])
def test_agents_are_rewarded_for_the_steps_of_the_others_too(reward: str) -> None:
    env = dominion_v1.env(3, reward=reward, max_turns=8)
    theirs.api_test(env, num_cycles=50)
    env.reset(seed=3)
    random, totals = Random(1), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, paid, terminated, _, info = env.last()
        totals[agent] += paid
        if terminated:
            assert totals[agent] == info[reward] - (3 if reward == "score" else 0)
        env.step(None if terminated else chosen(random, seen))
    wars = botwars_v1.parallel_env(reward=reward, **SMALL)
    theirs.parallel_api_test(wars, num_cycles=20)
