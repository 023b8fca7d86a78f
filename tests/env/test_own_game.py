"""Environments of games that aren't bundled."""

from __future__ import annotations

import copy
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from referee.env import PolicyBot, environments_of
from referee.errors import GameError, UsageError
from tests.support.any_game import TOY_FOLDER
from tests.support.own_game import STICKS, clean_games

GAME = str(TOY_FOLDER)


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


def test_a_game_without_an_environment() -> None:
    for make in (environments_of, lambda game: PolicyBot(lambda seen: 0, game)):
        with pytest.raises(UsageError, match="sticks has no environment"):
            make(str(STICKS))


def test_they_are_made_from_a_file_and_can_be_pickled() -> None:
    pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")
    made = environments_of(GAME)
    assert made.name == "toy_cards_v1"
    again = pickle.loads(pickle.dumps(made))
    assert repr(again) == "<environments toy_cards_v1>"
    assert again.choice_names() == again.choices
    env, random = pickle.loads(pickle.dumps(made.raw_env())), Random(1)
    env.reset(seed=1)
    for _ in env.agent_iter():
        seen, _, terminated, _, _ = env.last()
        legal = [] if terminated else seen["action_mask"].nonzero()[0].tolist()
        env.step(random.choice(legal) if legal else None)
    assert terminated


def test_an_action_that_is_a_fault_is_the_games_mistake(tmp_path: Path) -> None:
    pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")
    folder = tmp_path / "cards"
    shutil.copytree(TOY_FOLDER, folder)
    file = folder / "environment.py"
    text = file.read_text()
    wrong = text.replace("PlayReply((yield {f", "PlayReply(-(yield {f", 1)
    assert wrong != text
    file.write_text(wrong)
    env = environments_of(str(folder)).raw_env()
    env.reset(seed=1)
    legal = env.last()[0]["action_mask"].nonzero()[0].tolist()
    with pytest.raises(GameError, match="toy_cards: a legal action has led to a fault: this card"):
        env.step(legal[0])


VOTES = """
from referee.games.small import Game


class Votes(Game):
    \'\'\'Three seats vote 0 or 1 at the same time.\'\'\'

    players, moves = 3, (0, 1)

    def start(self):
        self.sum, self.to_move = 0, (0, 1, 2)

    def legal(self, seat):
        return [0, 1]

    def apply(self, votes):
        self.sum += sum(votes.values())
        self.to_move = None if self.sum > 9 else self.to_move

    def view(self, viewer):
        return {"sum": self.sum}

    def scores(self):
        return [self.sum, 0, 0]
"""


def test_a_copy_keeps_the_replies_of_a_round_in_which_others_are_due(tmp_path: Path) -> None:
    pytest.importorskip("pettingzoo.utils.env", reason="PettingZoo is not installed")
    file = tmp_path / "votes.py"
    file.write_text(VOTES)
    with clean_games():
        env = environments_of(str(file)).env()
        env.reset(seed=1)
        env.step(1)
        pickled = pickle.loads(pickle.dumps(env))
        for each in (
            env,
            copy.deepcopy(env),
            env.unwrapped.copy(),
            pickled,
            copy.deepcopy(pickled),
        ):
            assert each.agent_selection == "player_2"
            for _ in range(2):
                each.step(0)
            assert each.unwrapped._episode._match.view(0).state == {"sum": 1}
