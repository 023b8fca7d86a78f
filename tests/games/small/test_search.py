"""Validating logs of games with hidden draws, which the checker has to guess.

It must report what is certainly wrong, and never call a possible log wrong.
"""

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
    """Play a match of TRICKS with `shown` added to its state. Returns the game and the log."""
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


def first_move(message: dict) -> object:  # type: ignore[type-arg]
    if message["type"] != "move-request":
        return None
    return {"type": "move-reply", "move": message["moves"][0]}


def validate(file: str, log: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = cli.main(["validate", str(log), "--game", file])
    return code, capsys.readouterr().out


@pytest.mark.slow
def test_hands_of_13_of_52_cards_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, log = logged(tmp_path, "")
    assert validate(file, log, capsys) == (0, f"{log}: valid\n")


@pytest.mark.slow
def test_an_illegal_move_of_a_hidden_hand_is_not_called_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log plays a card twice. The hidden hand may contain others, so we can't be sure."""
    file, log = logged(tmp_path, "")
    lines = log.read_text().splitlines(keepends=True)
    first = json.loads(lines[3])["moves"]["player1"]
    other = json.loads(lines[5])
    assert other["moves"].keys() == {"player1"}
    other["moves"]["player1"] = first
    lines[5] = json.dumps(other, separators=(",", ":")) + "\n"
    log.write_text("".join(lines))
    code, out = validate(file, log, capsys)
    assert code == 0
    assert "valid to line 5; the rules are not checked from there on: " in out


@pytest.mark.slow
def test_a_wrong_score_is_found_although_hands_are_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, log = logged(tmp_path, "")
    lines = log.read_text().splitlines(keepends=True)
    lines[6] = lines[6].replace('"scores":[', '"scores":[7')
    log.write_text("".join(lines))
    code, out = validate(file, log, capsys)
    assert code == 1
    assert out.startswith(f"{log}, line 7: the page of tricks, 2.4\n")
    assert "expected: moves-played with `scores[0]`" in out


HIDDEN = '''
from referee.games.small import Game

class Hidden(Game):
    """Chance says who begins and when the match ends. Three sixes of hidden dice are announced."""

    together, moves = False, (1, 2)

    def start(self):
        self.won, self.sixes = [0, 0], False
        self.to_move = self.chance.choose(2)

    def legal(self, seat):
        return self.moves

    def apply(self, move):
        self.won[self.to_move] += move
        self.sixes = [self.chance.choose(3) for _ in range(3)] == [2, 2, 2]
        self.to_move = None if self.chance.choose(20) == END else 1 - self.to_move

    def view(self, viewer):
        return {"sixes": self.sixes}

    def scores(self):
        return self.won
'''


@pytest.mark.slow
@pytest.mark.parametrize("end", ["0", "19"])
def test_draws_that_no_message_shows_make_no_finding(
    end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No message shows who begins, whether the match continues, or the single dice."""
    file, log = str(tmp_path / "hidden.py"), tmp_path / "log"
    Path(file).write_text(HIDDEN.replace("END", end))
    find_game(file)
    for seed in range(3):
        referee.play_match([first_move, first_move], game=file, seed=seed, log=str(log))
        assert validate(file, log, capsys) == (0, f"{log}: valid\n")


@pytest.mark.slow
def test_a_turn_with_too_many_draws_is_not_called_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three dice with 15 sides and one more draw are too many combinations to search.

    The changed log could be real, so it must not be called wrong.
    """
    file, log = str(tmp_path / "hidden.py"), tmp_path / "log"
    game = HIDDEN.replace("END", "19").replace("choose(3)", "choose(15)")
    Path(file).write_text(game.replace("[2, 2, 2]", "[14, 14, 14]"))
    find_game(file)
    referee.play_match([first_move, first_move], game=file, seed=1, log=str(log))
    lines = log.read_text().splitlines(keepends=True)
    lines[3] = lines[3].replace('"sixes":false', '"sixes":true')
    log.write_text("".join(lines))
    code, out = validate(file, log, capsys)
    assert (code, "the rules are not checked from there on" in out) == (0, True)


SEALED = '''
from referee.games.small import Game

class Sealed(Game):
    """All play one of their five hidden cards at once."""

    players, together = (2, 4), True

    def start(self):
        deck = [*range(1, 26)]
        self.chance.shuffle(deck)
        self.hands = [sorted(deck[5 * seat : 5 * seat + 5]) for seat in range(self.seats)]
        self.tricks, self.to_move = [0] * self.seats, tuple(range(self.seats))

    def legal(self, seat):
        return self.hands[seat]

    def apply(self, moves):
        for seat, card in moves.items():
            self.hands[seat].remove(card)
        self.tricks[max(moves, key=moves.get)] += 1
        if not self.hands[0]:
            self.to_move = None

    def view(self, viewer):
        return {}

    def scores(self):
        return self.tricks
'''
PLAYED = (
    {"player1": 2, "player2": 1, "player3": 8, "player4": 6},
    {"player1": 15, "player2": 22, "player3": 18, "player4": 25},
    {"player1": 3, "player2": 7, "player3": 19, "player4": 9},
    {"player1": 10, "player2": 13, "player3": 23, "player4": 17},
    {"player1": 12, "player2": 21, "player3": 20, "player4": 24},
)


@pytest.mark.slow
def test_the_smallest_cards_of_a_player_who_left_do_not_make_a_log_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After leaving, player4 always plays its smallest card, which limits the rest of its hand."""
    file, log = str(tmp_path / "sealed.py"), tmp_path / "log"
    Path(file).write_text(SEALED)
    find_game(file)
    lines = [
        {"type": "player-name", "player_number": f"player{seat}", "name": "Bot", "version": 1}
        for seat in (1, 2, 3, 4)
    ]
    lines += [{"type": "game-info", "game": "sealed", "options": {"max_turns": 500}, "state": {}}]
    scores = [0, 0, 0, 0]
    for turn, moves in enumerate(PLAYED, 1):
        if turn == 3:
            gone = {"type": "player-disqualified", "player_number": "player4"}
            lines.append(gone | {"reason": "timeout"})
        scores[[*moves.values()].index(max(moves.values()))] += 1
        played = {"type": "moves-played", "turn": turn, "moves": moves, "scores": [*scores]}
        lines.append(played | {"state": {}})
    end = {"type": "game-end", "scores": scores, "winners": ["player3"], "reason": "finished"}
    compact = json.JSONEncoder(separators=(",", ":")).encode
    log.write_text("".join(compact(line) + "\n" for line in [*lines, end]))
    code, out = validate(file, log, capsys)
    assert code == 0, out


@pytest.mark.slow
def test_a_log_that_nobody_can_follow_is_not_called_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The product of seven hidden cards is public. Swapping two cards at a time can't match it."""
    shown = ', "product": __import__("math").prod(card + 1 for card in self.hands[0][:7]) % 9973'
    file, log = logged(tmp_path, shown)
    code, out = validate(file, log, capsys)
    assert code == 0
    assert "the rules are not checked from there on: " in out
    code = cli.main(["validate", str(log), "--game", file, "--format", "json"])
    assert json.loads(capsys.readouterr().out)["unchecked"]["line"] == 3


PAIRS = '''
from referee.games.small import Game

class Pairs(Game):
    """Two dice of a stock are shown. A pair wins."""

    def start(self):
        self.stock = [self.chance.choose(20) for _ in range(40)]
        self.faces, self.won = [], [0, 0]

    def legal(self, seat):
        return ["roll"]

    def apply(self, move):
        self.faces = [self.stock.pop(0), self.stock.pop(0)]
        self.won = [1, 0] if self.faces[0] == self.faces[1] else [0, 1]
        self.to_move = None

    def view(self, viewer):
        return {"faces": self.faces}

    def scores(self):
        return self.won
'''


@pytest.mark.slow
def test_a_die_that_also_decides_who_wins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Changing one die of a pair would make the scores wrong, so the search has to change both."""
    file, log = tmp_path / "pairs.py", tmp_path / "log"
    file.write_text(PAIRS)
    find_game(str(file))
    referee.play_match([first_move, first_move], game=str(file), seed=1, log=str(log))
    lines = log.read_text().splitlines(keepends=True)
    played, end = json.loads(lines[3]), json.loads(lines[4])
    played["state"]["faces"], played["scores"], end["scores"] = [3, 3], [1, 0], [1, 0]
    end["winners"] = ["player1"]
    lines[3:] = [json.dumps(line, separators=(",", ":")) + "\n" for line in (played, end)]
    log.write_text("".join(lines))
    assert validate(str(file), log, capsys) == (0, f"{log}: valid\n")
