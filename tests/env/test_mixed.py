"""Test environments of a game in which some rounds ask several players, and others only one."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

from referee.env.environments import Environments
from referee.env.episode import Episode
from referee.errors import UsageError
from referee.games import GAMES
from tests.support import mixed
from tests.support.helpers import name_line
from tests.support.learners import at_random, play_match
from tests.support.mixed import NumberReply

pytest.importorskip(
    "pettingzoo.utils.env", reason="PettingZoo is not installed: pip install -e '.[rl]'"
)
from pettingzoo import test as theirs

from referee.env.sequential import SequentialEnv
from referee.env.simultaneous import SimultaneousEnv
from referee.env.single import SingleEnv


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "mixed", mixed.RULES)


def legal(random: Random, seen: Any) -> int:
    actions = np.flatnonzero(seen["action_mask"]).tolist()
    return int(random.choice(actions or [0]))


def simple(message: dict[str, Any]) -> dict[str, Any] | None:
    """Always bid 2."""
    asked = message["type"] == "number-request"
    return {"type": "number-reply", "number": 2} if asked else None


@pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_the_seats_of_a_round_act_one_after_the_other() -> None:
    theirs.api_test(SequentialEnv("mixed", "mixed_v1", None), num_cycles=100)
    env = SequentialEnv("mixed", "mixed_v1", None)
    env.reset(seed=1)
    order = []
    for agent in env.agent_iter():
        _, _, terminated, _, _ = env.last()
        order.append(int(agent[-1]))
        env.step(None if terminated else order[-1] % 3)
    # In the first round, everyone bids. The second player bids most, so it acts alone next and sits
    # out the following round.
    assert order[:8] == [1, 2, 3, 2, 1, 3, 1, 1]


def test_a_parallel_step_takes_the_actions_that_are_due() -> None:
    env = SimultaneousEnv("mixed", "mixed_v1", None)
    seen, _ = env.reset(seed=1)
    seen, *_ = env.step({"player_1": 1, "player_2": 2, "player_3": 0})
    due = {agent: bool(each["action_mask"].any()) for agent, each in seen.items()}
    assert due == {"player_1": False, "player_2": True, "player_3": False}
    with pytest.raises(UsageError, match="player_2 needs an action of"):
        env.step({"player_1": 0, "player_3": 0})
    random = Random(1)
    env.step({"player_2": 0})
    while env.agents:
        seen, rewards, *_ = env.step({agent: legal(random, seen[agent]) for agent in env.agents})
    assert sum(rewards.values()) == pytest.approx(0)


def test_it_is_the_match_of_bots_with_the_same_replies() -> None:
    episode = Episode(mixed.RULES, 3, {})
    policies = [at_random(seat) for seat in range(3)]
    replies: list[list[bytes]] = [[name_line(seat)] for seat in range(3)]
    episode.begin(5)
    copies = []
    while episode.due:
        for seat in episode.due:
            copies.append((episode.copy(), [len(own) for own in replies]))
            action = policies[seat](episode.observe(seat))
            replies[seat].append(msgspec.json.encode(NumberReply(int(action) + 1)))
            episode.act(seat, action)
    rest = [iter(own) for own in replies]
    match = play_match("mixed", 5, [lambda new, own=own: next(own) for own in rest])
    assert match.outcome == episode.outcome
    for copy, made in copies:  # this includes copies made in the middle of a round
        left = [iter(own[since:]) for own, since in zip(replies, made, strict=True)]
        while copy.due:
            for seat in copy.due:
                copy.act(seat, msgspec.json.decode(next(left[seat]))["number"] - 1)
        assert copy.outcome == episode.outcome
        assert copy.rewards() == episode.rewards()


def test_against_bots_a_seat_that_sits_out_is_not_asked() -> None:
    env = SingleEnv("mixed", [simple, None, simple])
    random, actions = Random(2), 0
    seen, _ = env.reset(seed=3)
    over = False
    while not over:
        assert seen["action_mask"].any()
        seen, _, over, _, info = env.step(legal(random, seen))
        actions += 1
    assert env.reason == "all-bid"
    assert info["rank"] > 0
    assert actions < 8
    env.close()


def test_choices_follow_from_the_options() -> None:
    assert mixed.RULES.environment is not None
    some = Environments("mixed", mixed.RULES.environment)
    assert some.choices == ("number 1", "number 2", "number 3")
    assert some.choice_names(top=2) == ("number 1", "number 2")
    env = some.raw_env(top=7)
    env.reset(seed=1)
    assert env.action_space("player_1").n == 7
    assert env.observe("player_1")["action_mask"].tolist() == [1] * 7
    env.step(6)
    env.close()


def test_a_copy_for_a_viewer_is_made_before_the_round_has_a_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mixed.Mixed, "copy", lambda game, chance: deepcopy(game), raising=False)
    monkeypatch.setattr(mixed.Mixed, "redeal", lambda game, seats, chance: None, raising=False)
    env = SequentialEnv("mixed", "mixed_v1", None)
    env.reset(seed=1)
    env.copy(viewer="player_2")
    env.step(0)
    assert env.copy().agent_selection == "player_2"
    with pytest.raises(UsageError, match="another player has acted in this round"):
        env.copy(viewer="player_2")
