"""Test environments of many matches, which `gymnasium.make_vec` makes."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import numpy as np
import pytest

from referee.env.policy_bot import PolicyBot
from referee.env.pool import Pool
from referee.errors import UsageError
from tests.support.helpers import cautious, name_line
from tests.support.live import hostile

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install -e '.[rl]'")
pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")
import gymnasium

import referee.env.registration  # noqa: F401

pytestmark = pytest.mark.extras
DOMINION = "referee/Dominion-v1"
SHORT: dict[str, dict[str, Any]] = {
    DOMINION: {"max_turns": 4, "normalised": True},
    "referee/BotWars-v2": {"rows": 4, "cols": 5, "max_turns": 4},
    "referee/StarRealms-v2": {"max_turns": 4, "reward": "margin"},
    "referee/Tribute-v2": {"max_turns": 4, "opponents": ["courtier", None]},
}


def made(name: str = DOMINION, count: int = 3, mode: str | None = None, **options: Any) -> Any:
    options = SHORT[name] | options
    return gymnasium.make_vec(name, num_envs=count, vectorization_mode=mode, **options)


def random_actions(envs: Any, seen: Any, random: np.random.Generator) -> Any:
    """Return a legal action for each match. In Bot Wars every action is legal."""
    if isinstance(seen, dict):
        return (random.random(seen["action_mask"].shape) * seen["action_mask"]).argmax(axis=1)
    return random.integers(0, 5, envs.action_space.shape)


def last_legal(seen: Any) -> Any:
    return seen["action_mask"].nonzero()[0][-1]


@pytest.mark.parametrize("name", SHORT)
def test_many_matches_are_played_to_their_ends(name: str) -> None:
    envs = made(name)
    random = np.random.default_rng(1)
    seen, _ = envs.reset(seed=[5, 6, 7])
    ends = 0
    for _ in range(60):
        seen, _, over, _, infos = envs.step(random_actions(envs, seen, random))
        assert infos["_seed"].all()
        ends += int(over.sum())
    assert ends > 1


def test_what_is_returned_is_not_changed_later() -> None:
    envs = made(max_turns=20)
    random = np.random.default_rng(1)
    kept = [envs.reset(seed=1)]
    shown = [repr(kept[0])]
    for _ in range(20):
        kept.append(envs.step(random_actions(envs, kept[-1][0], random)))
        shown.append(repr(kept[-1]))
    assert [repr(each) for each in kept] == shown


def test_an_illegal_action_ends_its_match_only() -> None:
    envs = made(max_turns=20)
    seen, _ = envs.reset(seed=1)
    actions = random_actions(envs, seen, np.random.default_rng(1))
    actions[1] = seen["action_mask"][1].argmin()
    seen, rewards, over, _, _ = envs.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert over.tolist() == [False, True, False]
    assert [env.reason for env in envs.envs] == [None, "illegal-action", None]
    assert seen["action_mask"][1].all()
    _, rewards, over, _, _ = envs.step(random_actions(envs, seen, np.random.default_rng(1)))
    assert (rewards.any(), over.any(), envs.envs[1].reason) == (False, False, None)


def test_an_action_that_does_not_exist_is_refused() -> None:
    envs = made()
    envs.reset(seed=1)
    with pytest.raises(UsageError, match=r"10000\)? is not an action of "):
        envs.step(np.array([0, 1, 10_000]))


def test_seeds_and_options_of_single_matches() -> None:
    envs = made(max_turns=20)
    _, infos = envs.reset(seed=[3, 1, 3])
    assert infos["seed"].tolist() == [3, 1, 3]
    seen, _ = envs.reset(seed=5)
    for _ in range(3):
        seen, *_, infos = envs.step(random_actions(envs, seen, np.random.default_rng(1)))
    assert infos["seed"].tolist() == [5, 6, 7]
    options = {"reset_mask": np.array([False, True, False])}
    after, infos = envs.reset(seed=[None, 9, None], options=options)
    assert infos["_seed"].tolist() == [False, True, False]
    for place in (0, 2):
        assert (after["observation"][place] == seen["observation"][place]).all()
    *_, infos = envs.step(random_actions(envs, after, np.random.default_rng(1)))
    assert infos["seed"].tolist() == [5, 9, 7]


def test_steps_in_other_threads() -> None:
    shown = []
    for threads in (1, 2):
        with ThreadPoolExecutor(threads) as elsewhere:
            envs = elsewhere.submit(made, opponents=[None, "random_legal"]).result()
            seen, _ = elsewhere.submit(envs.reset, seed=1).result()
            random = np.random.default_rng(1)
            for _ in range(20):
                actions = random_actions(envs, seen, random)
                seen, *others = elsewhere.submit(envs.step, actions).result()
            shown.append(repr((seen, others)))
    assert shown[0] == shown[1]


def test_wrappers_and_arguments_of_vectors_are_for_those_of_gymnasium() -> None:
    wrapper = gymnasium.wrappers.RecordEpisodeStatistics
    for options in ({"wrappers": [wrapper]}, {"vector_kwargs": {"copy": False}}):
        with pytest.raises(gymnasium.error.Error, match=r"vector_entry_point|through kwargs"):
            gymnasium.make_vec(DOMINION, num_envs=2, **options)
        envs = gymnasium.make_vec(DOMINION, num_envs=2, vectorization_mode="sync", **options)
        envs.reset(seed=1)
    assert repr(gymnasium.wrappers.vector.RecordEpisodeStatistics(made()).reset(seed=1))


class OneMatch:
    """A bot that can only play one match at a time."""

    def reply(self, lines: Sequence[bytes]) -> bytes:
        message = msgspec.json.decode(lines[-1])
        if message["type"] == "player-name-request":
            return name_line(1)
        return msgspec.json.encode(cautious(message))


def test_one_object_cannot_play_many_matches() -> None:
    for bots in ([None, OneMatch()], [None, Pool(["minimal", OneMatch()])]):
        with pytest.raises(UsageError, match=r"one OneMatch object cannot play 3 .*give its class"):
            made(opponents=bots)
        made(opponents=bots, count=1).reset(seed=1)
    envs = made(opponents=[None, OneMatch], max_turns=20)
    envs.reset(seed=1)


def test_a_policy_can_play_many_matches() -> None:
    for bots in ([None, PolicyBot(last_legal)], [None, Pool([PolicyBot(last_legal)])]):
        envs = made(opponents=bots, max_turns=8)
        seen, _ = envs.reset(seed=[1, 2, 1])
        ends = 0
        for _ in range(30):
            actions = [last_legal({"action_mask": mask}) for mask in seen["action_mask"]]
            seen, rewards, over, _, infos = envs.step(np.array(actions))
            assert (rewards[0], over[0]) == (rewards[2], over[2])
            assert not infos["disqualified"].any()
            ends += int(over.sum())
        assert ends > 2
        assert set(envs.envs[0].opponents.values()) == {"PolicyBot"}


@pytest.mark.filterwarnings("ignore:the opponent")
def test_a_crash_of_an_opponent_ends_its_match_only() -> None:
    bots = Pool([hostile("exit_at", 1), "minimal"], lambda match, bots: match % bots)
    envs = made(opponents=[bots, None], max_turns=3)
    seen, _ = envs.reset(seed=1)
    random = np.random.default_rng(1)
    crashed = 0
    for _ in range(20):
        seen, _, over, _, infos = envs.step(random_actions(envs, seen, random))
        crashed += int((over & (infos["disqualified"] > 0)).sum())
    envs.close()
    assert crashed > 2
