"""Logs whose hidden draws are guessed: what can be known is said, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import referee
from referee import cli
from referee.games import find_game
from tests.support.own_game import clean_games

TRICKS = '''
from referee.games.small import Game, sees

class Tricks(Game):
    """Each plays one of its 13 cards; the higher card of two takes the trick."""

    def start(self):
        deck = [*range(52)]
        self.chance.shuffle(deck)
        self.hands, self.table, self.won = [sorted(deck[:13]), sorted(deck[13:26])], [], [0, 0]

    def legal(self, seat):
        return self.hands[seat]

    def apply(self, move):
        self.hands[self.to_move].remove(move)
        self.table.append(move)
        self.to_move = 1 - self.to_move
        if len(self.table) == 2:
            self.won[int(self.table[1] > self.table[0])] += 1
            self.table = []
            if not self.hands[0]:
                self.to_move = None

    def scores(self):
        return self.won

    def view(self, viewer):
        hands = [hand if sees(viewer, seat) else None for seat, hand in enumerate(self.hands)]
        return {"table": self.table, "hands": hands SHOWN}
'''


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


def logged(tmp_path: Path, shown: str) -> tuple[str, Path]:
    """The file of the game, which shows more to all, and a log of it."""
    file, log = str(tmp_path / "tricks.py"), tmp_path / "log"
    Path(file).write_text(TRICKS.replace(" SHOWN", shown))
    find_game(file)

    def last(message: dict) -> object:  # type: ignore[type-arg]
        return (
            {"type": "move-reply", "move": message["moves"][-1]}
            if message["type"] == "move-request"
            else None
        )

    referee.play_match([last, last], game=file, seed=5, log=str(log))
    return file, log


def validate(file: str, log: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = cli.main(["validate", str(log), "--game", file])
    return code, capsys.readouterr().out


def test_hands_of_13_of_52_cards_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, log = logged(tmp_path, "")
    assert validate(file, log, capsys) == (0, f"{log}: valid\n")


def test_a_card_that_was_played_cannot_be_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, log = logged(tmp_path, "")
    lines = log.read_text().splitlines(keepends=True)
    first = json.loads(lines[3])["moves"]["player1"]
    other = json.loads(lines[5])
    assert other["moves"].keys() == {"player1"}
    other["moves"]["player1"] = first
    lines[5] = json.dumps(other, separators=(",", ":")) + "\n"
    log.write_text("".join(lines))
    code, out = validate(file, log, capsys)
    assert code == 1
    assert "expected: a legal move" in out


def test_a_log_that_nobody_can_follow_is_not_called_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The product of seven hidden cards is public, which no exchange of two cards leads to."""
    shown = ', "product": __import__("math").prod(card + 1 for card in self.hands[0][:7]) % 9973'
    file, log = logged(tmp_path, shown)
    code, out = validate(file, log, capsys)
    assert code == 0
    assert "the rules are not checked from there on: " in out
    code = cli.main(["validate", str(log), "--game", file, "--format", "json"])
    assert json.loads(capsys.readouterr().out)["unchecked"]["line"] == 3
