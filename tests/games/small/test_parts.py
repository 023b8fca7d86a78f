"""The parts of a view as they appear at the terminal."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from referee.games import GAMES
from referee.games.small import Game
from referee.games.small.messages import View
from referee.games.small.parts import Board, Cards, Hands, Part, Text, parts
from referee.games.small.person import choices, phrases
from tests.support.own_game import small_games

BOARDS = [
    ["X..", ".O."],
    [["X", "", None], ["", "O", ""]],
    [[1, 2, 3], [0, 0, 12]],
    "X..\n.O.\n",
]


@pytest.mark.parametrize("value", BOARDS)
def test_rows_of_one_length_are_a_board(value: Any) -> None:
    (board,) = parts(Game, {"board": value}, 3)
    assert isinstance(board, Board)
    assert board.shape == (2, 3)


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ([["J"], ["Q"]], Hands("x", [["J"], ["Q"]])),
        ([["J", 7], None], Hands("x", [["J", 7], None])),
        ([None, None], Hands("x", [None, None])),
        ([None] * 3, Cards("x", [None] * 3)),
        (["J", "Queen", 3, None], Cards("x", ["J", "Queen", 3, None])),
        ([], Cards("x", [])),
        (["KH", "7S", "TD"], Cards("x", ["KH", "7S", "TD"])),
        (["", "a"], Cards("x", ["", "a"])),
        (["a" * 16], Cards("x", ["a" * 16])),
        ([*range(40)], Cards("x", [*range(40)])),
        ([["abcdef", ""]] * 3, Board("x", [["abcdef", ""]] * 3)),
        ([["abcdefg", ""]] * 3, Text("x", "; ".join(["abcdefg, "] * 3))),
        (["a.", "a."], Board("x", ["a.", "a."])),
        (["ab", "ac"], Cards("x", ["ab", "ac"])),
        ("ab\nac", Board("x", ["ab", "ac"])),
        ("a\nb", Text("x", "a\nb")),
        ([["abc"]], Text("x", "abc")),
        (["a" * 17], Text("x", "a" * 17)),
        ([*range(41)], Text("x", ", ".join(map(str, range(41))))),
        ([["a", "b"], ["c"], []], Text("x", "a, b; c; none")),
        ([["long word", "b"], ["c", "d"], ["e", "f"]], Text("x", "long word, b; c, d; e, f")),
        ({"gold": 3, "done": True}, Text("x", "gold 3, done yes")),
        ("one\nlonger", Text("x", "one\nlonger")),
        (0.5, Text("x", "0.5")),
        (None, Text("x", None)),
        ({}, Text("x", "none")),
    ],
)
def test_other_values(value: Any, part: Any) -> None:
    assert parts(Game, {"x": value}, 2) == [part]


@pytest.mark.parametrize(
    ("value", "marks", "is_board"),
    [
        (["bet", "bet"], {}, False),
        (["X.", ".O"], {}, False),  # as different as cards
        (["X..", "..O"], {}, True),
        (["XOX", "OXO"], {}, False),
        (["XOX", "OXO"], {"X": 0}, True),
        (["bet", "bet"], {"X": 0}, False),
        (["XO", "--"], {"X": 0}, True),
    ],
)
def test_a_list_of_texts_is_a_board_if_it_looks_like_one_or_has_marks(
    value: Any, marks: Any, is_board: bool
) -> None:
    (part,) = parts(type("Own", (Game,), {"marks": marks}), {"x": value}, 3)
    assert isinstance(part, Board if is_board else Cards)


@pytest.mark.parametrize(
    ("edges", "across", "down"),
    [
        (("abc", "21"), ["a", "b", "c"], ["2", "1"]),
        (("abc", ""), ["a", "b", "c"], []),
        (((), "21"), [], ["2", "1"]),
        (("ab", "21"), [], []),
        (("abc", "2"), [], []),
        # A board whose size is an option.
        (("abcd", "321"), ["a", "b", "c"], ["3", "2"]),
    ],
)
def test_rows_and_columns_have_the_names_that_the_game_gives(
    edges: Any, across: list[str], down: list[str]
) -> None:
    (board,) = parts(type("Own", (Game,), {"edges": edges}), {"x": ["X..", ".O."]}, 3)
    assert isinstance(board, Board)
    assert ([*board.across], [*board.down]) == (across, down)


def test_a_dict_with_lists_has_a_part_for_each() -> None:
    made = parts(Game, {"player": {"hand": ["J"], "coins": {"gold": [1]}, "won": 3}}, 2)
    assert [part.label for part in made] == ["player hand", "player coins gold", "player won"]


def test_parts_as_lines() -> None:
    board = Board("sea", ["~?x", "~~ "], ["1", "2", "3"], ["A", "B"])
    shown: list[Part] = [board, Board("counts", [[1, 12], [0, 3]]), Hands("hands", [["J"], None])]
    lines = [(phrase.label, phrase.text) for phrase in phrases([*shown, Text("prize", None)])]
    assert lines == [
        ("sea", "  1 2 3"),
        ("", "A ~ ? x"),
        ("", "B ~ ~ ."),
        ("counts", " 1 12"),
        ("", " 0  3"),
        ("hands", "player1: J"),
        ("", "player2: ?"),
        ("prize", "?"),
    ]


def test_a_wide_board_has_no_spaces() -> None:
    for columns, text in ((30, ". " * 29 + "."), (31, "." * 31)):
        (first, _) = phrases([Board("b", ["." * columns] * 2)])
        assert first.text == text
    (first, _) = phrases([Board("b", [[10] * 31, [1] * 31])])
    assert first.text == " ".join(["10"] * 31)


@pytest.mark.parametrize(
    ("moves", "names", "keys"),
    [
        (["pass", "Raise 2"], ["pass", "raise-2"], ["", ""]),
        ([0, 10], ["0", "10"], ["0", "10"]),
        ([0, "pass"], ["0", "pass"], ["0", "pass"]),
        ([[1, 2], {"to": [3, -4]}], ["1-2", "to-3--4"], ["", ""]),
        ([[]], ["nothing"], [""]),
    ],
)
def test_a_move_is_a_word_to_type(moves: list[Any], names: list[str], keys: list[str]) -> None:
    made = choices(Game, moves)
    assert [choice.name for choice in made] == names
    assert [choice.key for choice in made] == keys


def test_a_part_says_its_kind_in_json() -> None:
    made = msgspec.to_builtins(parts(Game, {"said": ["bet"]}, 2))
    assert made == [{"kind": "cards", "label": "said", "cards": ["bet"]}]


def test_an_environment_shows_the_parts_as_text() -> None:
    with small_games():
        environment = GAMES["battleship"].environment
        assert environment is not None
        translator: Any = environment.translator(0, 2, GAMES["battleship"].options())
        state = {"first": ["~~S~"] * 4, "second": ["????"] * 4}
        translator.view = View(1, [0, 0], [], state)
        assert translator.show().splitlines()[:3] == [
            "first     1 2 3 4",
            "        A ~ ~ S ~",
            "        B ~ ~ S ~",
        ]
