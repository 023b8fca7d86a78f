"""Checks the rules of my_game."""

import subprocess
import unittest
from pathlib import Path

from my_game import MyGame

from referee.games.small import Chance


def new_game(sticks):
    """Start a game with this many sticks."""
    game = MyGame()
    game.options, game.seats, game.chance = MyGame.Options(), 2, Chance.of_seed(1)
    game.options.sticks = sticks
    game.start()
    return game


class TestMyGame(unittest.TestCase):
    def test_the_player_who_takes_the_last_stick_wins(self):
        game = new_game(sticks=4)
        game.apply(1)
        game.apply(3)
        assert game.scores() == [0, 1]
        assert game.to_move is None

    def test_nobody_takes_more_sticks_than_there_are(self):
        assert new_game(sticks=2).legal(0) == [1, 2]

    def test_random_matches_find_no_mistake(self):
        command = ["referee", "game", "check", "my_game.py"]
        done = subprocess.run(command, cwd=Path(__file__).parent)
        assert done.returncode == 0, "see above what referee game check says"


if __name__ == "__main__":
    unittest.main()
