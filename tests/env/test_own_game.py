"""Environments of games that aren't bundled."""

from __future__ import annotations

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
