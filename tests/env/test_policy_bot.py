"""A policy must play the same in an environment and as a bot."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.bots.command import PythonBot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import Case
from referee.env import PolicyBot, dominion_v1
from referee.env.episode import Episode
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.dominion.rules.messages import PlayReply
from tests.support import toy
from tests.support.conforming import failures, some_and_rest
from tests.support.helpers import TIMES
from tests.support.learners import at_random, play_episode, play_match
from tests.support.live import referee

PROGRAM = """
from random import Random

import numpy as np

from referee.bots.command import PythonBot
from referee.bots.in_process import InProcessBot
from referee.env import PolicyBot

random = Random(1)
PolicyBot(lambda seen: random.choice(np.flatnonzero(seen["action_mask"]).tolist())).run()
"""


@settings(max_examples=4 * TIMES)
@given(
    st.integers(0, 2**53 - 1), st.sampled_from([("dominion", 2), ("dominion", 4), ("botwars", 2)])
)
def test_it_plays_the_match_of_the_environment(seed: int, what: tuple[str, int]) -> None:
    game, seats = what
    episode = Episode(GAMES[game], seats, {"max_turns": 8})
    play_episode(episode, [at_random(seed + seat) for seat in range(seats)], seed)
    bots = [PolicyBot(at_random(seed + seat), game) for seat in range(seats)]
    match = play_match(game, seed, [bot.reply for bot in bots], max_turns=8)
    assert match.names == ["Policy"] * seats
    assert match.faults == [Counter()] * seats
    assert match.outcome == episode.outcome
    scores = [standing.score for standing in match.standings()]
    assert scores == [episode.facts(seat)["score"] for seat in range(seats)]


def test_it_plays_match_after_match() -> None:
    """Between matches, the bot must forget its state, because the number of players may change."""
    sizes = set()
    choose = at_random(1)

    def policy(seen: Any) -> Any:
        sizes.add(len(seen["observation"]))
        return choose(seen)

    bot = PolicyBot(policy, name="Mine")
    for seats, place in ((2, 0), (3, 2), (2, 1)):
        others = [PolicyBot(at_random(seat)) for seat in range(seats)]
        players = [*others[:place], bot, *others[place + 1 :]]
        match = play_match("dominion", 5, [player.reply for player in players], max_turns=9)
        assert match.names[place] == "Mine"
        assert sizes == {len(dominion_v1.observation_names(seats))}
        sizes.clear()
        assert match.keep_alive == set(range(seats))
        assert match.faults == [Counter()] * seats


@pytest.mark.slow
def test_its_own_replies_are_shown_to_the_tracker() -> None:
    """The referee doesn't repeat them."""

    class Noted:
        def __init__(self, tracker: Any) -> None:
            self.view, self._tracker = tracker.view, tracker

        def observe(self, message: Any) -> None:
            seen.append(type(message))
            self._tracker.observe(message)

    seen: list[type] = []
    bots = [PolicyBot(at_random(seat)) for seat in range(2)]
    new = bots[0]._environment.tracker
    bots[0]._environment = replace(
        bots[0]._environment, tracker=lambda seat, seats: Noted(new(seat, seats))
    )
    match = play_match("dominion", 1, [bot.reply for bot in bots], max_turns=3)
    assert seen.count(PlayReply) == match.requests[0] > 3


def test_a_program_that_runs_it_plays(tmp_path: Path) -> None:
    program = tmp_path / "policy.py"
    program.write_text(PROGRAM)
    command = ("play", str(program), "minimal", "--max-turns", "5", "--format", "json")
    player = json.loads(referee(*command).stdout)["players"][0]
    assert (player["name"], player["disqualified"], player["faults"]) == ("Policy", None, {})


@pytest.mark.slow
@some_and_rest(pytest.mark.slow)
async def test_it_conforms(cases: list[Case]) -> None:
    """Some cases start in the middle of a match, which the bot must infer from the messages."""
    source = PythonBot("policy", lambda: InProcessBot(PolicyBot(at_random(1))))
    assert await failures(source, cases) == []


def test_a_policy_that_is_wrong_says_so() -> None:
    bot: Any = PolicyBot(lambda seen: len(seen["action_mask"]))
    with pytest.raises(UsageError, match="not legal now"):
        play_match("dominion", 1, [bot.reply, bot.reply])


def test_wrong_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        UsageError, match="no game 'chess'; there are: dominion, botwars, starrealms, tribute"
    ):
        PolicyBot(np.argmax, "chess")
    monkeypatch.setitem(GAMES, "toy", toy.RULES)
    with pytest.raises(UsageError, match="toy has no environment"):
        PolicyBot(np.argmax, "toy")
    with pytest.raises(UsageError, match="not a request"):
        PolicyBot(np.argmax).reply([b'{"type":"player-name","player_number":"player1","name":""}'])
