"""The environment of a small game: its actions, and a view as numbers."""

from __future__ import annotations

from typing import Any

import pytest

from referee.errors import GameError, UsageError
from referee.games.small import ALL, Game, definition
from referee.games.small.environment import BOUND, all_moves
from referee.games.small.messages import MoveReply, MoveRequest, View


class Piles(Game):
    """Cards go from a pile to a place."""

    moves = {"from": (0, 1), "to": ("a", "b")}  # noqa: RUF012
    symbols = ("J", "Q", "~")

    def start(self) -> None:
        pass

    def legal(self, seat: int) -> list[Any]:
        return [{"to": "b", "from": 0}, {"to": "a", "from": 1}]

    def apply(self, move: Any) -> None:
        pass

    def view(self, viewer: Any) -> dict[str, Any]:
        return {"top": "Q", "rows": ["~J", "JJ"], "more": {"hidden": None, "count": 7}}

    def scores(self) -> list[float]:
        return [0, 2]


def translator(kind: type[Game] = Piles, state: Any = None) -> Any:
    if state is not None:
        kind = type("Other", (kind,), {"view": lambda self, viewer: state})
    environment = definition(kind, "piles").environment
    assert environment is not None
    made: Any = environment.translator(0, 2, definition(kind, "piles").options())
    state = kind().view(0)
    made.look(View(1, [0, 2], [*kind().legal(0)], state), asked=True)
    return made


def test_each_move_is_an_action() -> None:
    assert all_moves(Piles) == [
        {"from": 0, "to": "a"},
        {"from": 0, "to": "b"},
        {"from": 1, "to": "a"},
        {"from": 1, "to": "b"},
    ]
    made = translator()
    assert made.legal().tolist() == [0, 1, 1, 0]
    for action in (0, 3, 4, -1, 1.5):
        with pytest.raises(UsageError):
            made.act(action)
    assert made.act(2) == MoveReply({"to": "a", "from": 1})
    assert made.legal().tolist() == [0, 0, 0, 0]
    assert [*translator().actions_of(MoveReply({"from": 1, "to": "a"}))] == [2]


def test_a_view_is_a_row_of_numbers() -> None:
    """Symbols count from 1, other texts are read letter by letter, and None is -1."""
    numbers = [0, 2, 2, 3, 1, 1, 1, -1, 7]
    assert translator().observe().tolist() == numbers
    environment = definition(Piles, "piles").environment
    assert environment is not None
    layout = environment.observation(2, definition(Piles, "piles").options())
    assert layout.names == tuple(map(str, range(len(numbers))))
    assert {*layout.low.tolist()} == {-(2**20)}
    assert {*layout.high.tolist()} == {2**20}


@pytest.mark.parametrize(
    ("value", "number"),
    [(BOUND, BOUND), (BOUND + 1, BOUND), (-BOUND - 1, -BOUND), (True, 1), (False, 0), (2.75, 2.75)],
)
def test_numbers_of_an_observation(value: Any, number: float) -> None:
    assert translator(state={"n": value}).observe().tolist() == [0, 2, number]


def test_a_legal_move_that_is_not_in_moves_is_a_mistake() -> None:
    moves = [{"to": "a", "from": 1}, {"to": "c", "from": 0}]
    kind = type("Other", (Piles,), {"legal": lambda self, seat: moves})
    says = r"line \d+, in legal: it lists \{.*\}, which is not in `moves`"
    with pytest.raises(GameError, match=says):
        translator(kind).legal()


@pytest.mark.parametrize("text", ["K", "JK", ""])
def test_a_text_that_is_no_symbol_is_a_mistake(text: str) -> None:
    with pytest.raises(GameError, match="list the text or its letters in `symbols`"):
        translator(state={"n": text}).observe()


class Hides(Piles):
    """Each seat sees its own text, and nobody sees the last one."""

    def view(self, viewer: Any) -> dict[str, Any]:
        seen = [text if viewer in (seat, ALL) else None for seat, text in enumerate(("JQ~", "JJ"))]
        last = "unknown" if viewer is ALL else None
        rows = {"first": seen[1], "second": "Q"} if seen[1] else None
        return {"texts": seen, "more": {"rows": rows, "last": last}}


def test_a_hidden_value_has_as_many_places_as_the_value() -> None:
    """The last text is never shown, so its letters do not have to be symbols."""
    environment = definition(Hides, "hides").environment
    options = definition(Hides, "hides").options()
    assert environment is not None
    count = len(environment.observation(2, options).names)
    for seat, seen in enumerate(([1, 2, 3, -1, -1, -1, -1, -1], [-1, -1, -1, 1, 1, 1, 1, 2])):
        made: Any = environment.translator(seat, 2, options)
        made.look(View(1, [0, 2], [*Hides().legal(0)], Hides().view(seat)), asked=True)
        assert made.observe().tolist() == [0, 2, *seen, *[-1] * len("unknown")]
        assert len(made.observe()) == count


def test_a_hidden_symbol_has_one_place() -> None:
    class Symbol(Piles):
        symbols = ("red",)

        def view(self, viewer: Any) -> dict[str, Any]:
            return {"colour": "red" if viewer is ALL else None}

    environment = definition(Symbol, "symbol").environment
    assert environment is not None
    made: Any = environment.translator(0, 2, definition(Symbol, "symbol").options())
    made.look(View(1, [0, 2], [*Symbol().legal(0)], Symbol().view(0)), asked=True)
    assert made.observe().tolist() == [0, 2, -1]


def test_a_game_can_make_its_own_observation() -> None:
    own = type("Own", (Piles,), {"observe": classmethod(lambda cls, view: [view["more"]["count"]])})
    assert translator(own).observe().tolist() == [7]
    odd = type("Odd", (Piles,), {"observe": classmethod(lambda cls, view: ["x"])})
    with pytest.raises(GameError, match="in observe: it must return numbers: could not convert"):
        translator(odd).observe()


def test_two_moves_do_not_have_the_same_words() -> None:
    same = type("Same", (Piles,), {"words": classmethod(lambda cls, move: move["to"])})
    with pytest.raises(GameError, match="two of `moves` have the same words"):
        assert definition(same, "same").environment


def test_a_request_has_the_whole_state() -> None:
    environment = definition(Piles, "piles").environment
    assert environment is not None
    tracker: Any = environment.tracker(0, 2)
    tracker.observe(MoveRequest(3, "player1", [1], [0, 2], {"n": 1}))
    tracker.observe(MoveReply(2))
    assert tracker.view() == View(3, [0, 2], [1], {"n": 1})


def test_an_observation_that_does_not_fit_its_space_is_the_authors_mistake() -> None:
    made = translator()
    made.look(View(1, [0, 2], [*Piles().legal(0)], {"n": 1}), asked=True)
    says = (
        r"the game .* has a mistake: .*, in Piles: an observation has 3 numbers, and 9 at the start"
    )
    with pytest.raises(GameError, match=says):
        made.observe()
