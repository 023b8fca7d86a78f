"""The part of the small games' page that is generated for each game."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, structs

from referee import cli
from referee.games.small import Game, definition
from referee.games.small.author import WrongMove
from referee.match.pages import SHARED, game_page, load_page
from tests.support.own_game import SMALL_GAMES, clean_games


class Complete(Game):
    """Has all the methods of a game and no docstrings."""

    def start(self) -> None:
        pass

    def legal(self, seat: int) -> Any:
        return [1]

    def apply(self, move: Any) -> None:
        pass

    def view(self, viewer: Any) -> Any:
        return {}

    def scores(self) -> list[float]:
        return [0, 0]


class Described(Complete):
    """Take a number.

    The highest one wins.
    """

    players = (2, 4)
    secrets = "numbers"

    class Options:
        """The numbers that there are."""

        most: Annotated[int, Meta(ge=2, description="The highest number.")] = 9
        order: Literal["up", "down"] = "up"
        names: tuple[str, ...] = ("a",)

    def legal(self, seat: int) -> Any:
        """All numbers that are left."""

    def view(self, viewer: Any) -> Any:
        """`left`: the numbers that nobody has taken."""


class Bare(Complete):
    wrong_move = "random"


def text_of(kind: type[Game], number: str) -> str:
    return game_page(definition(kind, "numbers")).sections[number].text


def test_the_docstrings_and_attributes_are_in_the_sections() -> None:
    assert text_of(Described, "4").split("\n\n") == [
        "Take a number.",
        "The highest one wins.",
        "`numbers` is a game for 2 to 4 players.",
        "`moves` of a `move-request`: All numbers that are left.",
        "`state` of a `move-request`: `left`: the numbers that nobody has taken.",
        "Hidden from spectators: numbers.",
    ]
    assert text_of(Described, "2.6") == load_page("small-games/protocol").sections["2.6"].text
    assert text_of(Described, "4.3").splitlines() == [
        "The numbers that there are.",
        "",
        "`--set NAME=VALUE` chooses an option.",
        "",
        "| option | default | |",
        "|---|---|---|",
        "| `most` | 9 | integer, at least 2. The highest number. |",
        '| `order` | "up" | "down" or "up". |',
        '| `names` | ["a"] | array. |',
        "| `max_turns` | 500 | integer from 1 to 10000. Turns per player. |",
    ]


def test_the_reasons_of_a_game_come_before_those_of_all_games() -> None:
    kind = type("Knocking", (Bare,), {"reasons": {"knocked": "by a knock"}})
    shared = load_page("small-games/protocol").sections[SHARED.codes].text
    row = "| `finished` |"
    assert text_of(kind, SHARED.codes) == shared.replace(
        row, f"| `knocked` | [4](#4-game) | by a knock |\n{row}"
    )
    assert text_of(Bare, SHARED.codes) == shared


def test_a_game_without_docstrings() -> None:
    assert text_of(Bare, "4").split("\n\n") == [
        "`Bare` has no docstring with rules.",
        "`numbers` is a game for 2 players.",
    ]


@pytest.mark.parametrize("costs", ["loses", "first", "random"])
def test_the_cost_of_a_wrong_move(costs: WrongMove) -> None:
    """The page describes only the penalty that applies to this game."""
    kind = type("Other", (Bare,), {"wrong_move": costs})
    words = {"loses": "The player loses", "first": "The first legal move", "random": "at random"}
    text = text_of(kind, "5.2")
    assert [word in text for word in words.values()] == [name == costs for name in words]
    assert ("never sent" in text_of(kind, "2.5")) == (costs != "loses")
    assert ("by a wrong move" in text_of(kind, "4.2")) == (costs == "loses")


def test_the_marks_and_edges_of_a_board() -> None:
    marked = type("Marked", (Described,), {"marks": {"X": 0, "#": ("wall", "gray")}})
    assert "On a board, `X` is player1, `#` is wall." in text_of(marked, "4")
    named = type("Named", (Described,), {"edges": ("ab", "21")})
    assert "columns of a board are called `a b`, and its rows `2 1`." in text_of(named, "4")
    assert "board" not in text_of(Described, "4")


class Silent(Described):
    def leave(self, seat: int) -> None:
        pass


def test_a_player_who_leaves() -> None:
    class Leaving(Described):
        def leave(self, seat: int) -> None:
            """The numbers of the player go to nobody."""

    assert "the other player wins" in text_of(Bare, "4.2")
    assert "the first legal move is played" in text_of(Described, "4.2")
    assert text_of(Leaving, "4.2").endswith("continues. The numbers of the player go to nobody.")
    assert text_of(Silent, "4.2").endswith("continues. Its rules say what happens then.")


def test_limits_of_the_game() -> None:
    kind = structs.replace(
        definition(Bare, "numbers"), limits={"time_limit": float("inf"), "line_limit": 512}
    )
    sections = game_page(kind).sections
    assert "The time limit of `numbers` is none unless" in sections["8.1"].text
    assert sections["1.3"].text.endswith("The line limit of `numbers` is 0.5 KiB.")


def test_other_sections_are_those_of_all_small_games() -> None:
    base, page = load_page("small-games/protocol"), game_page(definition(Described, "numbers"))
    assert page.codes == base.codes
    assert page.sections.keys() == {*base.sections, "4.3"}
    assert page.place == "the page of numbers"
    alone = structs.replace(definition(Described, "numbers"), specification_text="")
    assert game_page(alone) == base


def test_commands_name_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    with clean_games():
        game = ["--game", SMALL_GAMES["kuhn"]]
        assert cli.main(["explain", "4", *game]) == 0
        assert "Two players, and a deck of J, Q and K." in capsys.readouterr().out
        assert cli.main(["explain", "options", *game]) == 0
        assert "`hands`" in capsys.readouterr().out
        assert cli.main(["explain", "7", *game]) == 2
        assert "is not a section, title or code of the page of kuhn" in capsys.readouterr().err
