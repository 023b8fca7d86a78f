"""The base of a reader of turns: where a turn ends, what is kept, and its words."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from msgspec import Struct

from referee.games.interface import turns
from referee.games.interface.capabilities import Phrase
from referee.games.interface.faults import Fault
from referee.games.interface.sentence import Seat
from referee.games.interface.turns import Turn, TurnListener, TurnReader


class Counted(Turn):
    """A turn with a list of names and a number."""

    bought: list[str] = []  # noqa: RUF012 (a struct copies it)
    coins: int = 0


class Begins(Struct, frozen=True):
    turn: int
    player: str


class Reader(TurnReader[Counted]):
    turn_type = Counted
    styles: ClassVar[dict[str, str]] = {"draws": "dim", "wins": "bold"}
    columns: ClassVar[dict[str, str]] = {"bought": "cards", "coins": ""}

    def read(self, message: Struct, to: int | None) -> list[Counted]:
        assert isinstance(message, Begins)
        return self.begin(message.turn, message.player)


def reader() -> Reader:
    return Reader(["Ann", "Ben"])


def test_a_turn_ends_when_the_next_player_begins() -> None:
    made = reader()
    assert (made.end(), made.was_started()) == ([], False)
    made.act("starts", "")
    assert made.read(Begins(1, "player1"), None) == []
    assert [action.what for action in made.now.actions] == ["starts"]
    assert (made.active(), made.now.turn) == ((0,), 1)
    (first,) = made.read(Begins(2, "player2"), None)
    assert (first.turn, first.player_number) == (1, "player1")
    assert (made.now.turn, made.now.actions) == (2, [])
    (last,) = made.end()
    assert (last.turn, made.seats(last)) == (2, (1,))
    assert (made.end(), made.now.turn) == ([], 3)
    assert made.seats(Counted(turn=1)) == made.seats(Counted(turn=1, player_number="player3")) == ()


def test_a_note_alone_is_a_turn() -> None:
    made = reader()
    made.fault(Fault(1, "bad", "5.2", "no card"))
    assert made.disqualify(0, "too slow", ["one", "two"]) == []
    made.called = ["A", "B"]
    (turn,) = made.end()
    assert made.show(turn) == [
        Phrase("fault", "B: bad (5.2): no card", "red"),
        Phrase("disqualified", "A: too slow", "red"),
        Phrase("stderr", "one", "raw"),
        Phrase("", "two", "raw"),
    ]
    assert made.line(turn) == [Seat(0), " is disqualified"]
    assert made.call("player2") == "B"
    assert made.call("player3") == "player3"


def test_more_than_a_list_holds_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MAX_KEPT", 2)
    made = reader()
    made.add_effects("of nothing")
    made.act("plays", "a", "+1")
    made.add_effects("+2", "+3")
    assert (made.now.actions[0].effects, made.now.omitted) == (["+1", "+2"], 1)
    made = reader()
    for card in ("a", "b"):
        made.act("plays", card)
        assert made.now.omitted == 0
    made.act("plays", "c")
    made.add_effects("of c")
    assert [(action.card, action.effects) for action in made.now.actions] == [("a", []), ("b", [])]
    made.note("fault", 0, "late")
    (turn,) = made.end()
    assert made.show(turn) == [
        Phrase("plays", "a, b"),
        Phrase("fault", "player1: late", "red"),
        Phrase("left out", "1 more", "red"),
    ]


def test_the_words_of_a_turn() -> None:
    made = reader()
    made.begin(4, "player2")
    for what, card, *effects in (
        ("draws", "x"),
        ("plays", "a"),
        ("plays", "a"),
        ("plays", "b", "+1", "+2"),
        ("ends", ""),
        ("plays", "", "+3"),
    ):
        made.act(what, card, *effects)
    made.now.scores = [3, 0.5]
    (turn,) = made.end()
    assert made.words(turn) == [
        Phrase("draws", "x", "dim"),
        Phrase("plays", "2x a, b (+1; +2)"),
        Phrase("plays", "+3"),
    ]
    assert "".join(map(str, made.line(turn))) == "plays 2 a, b; ends; plays"
    assert made.title(turn) == "Ben, 3 to 0.5"
    turn.scores = []
    assert made.title(turn) == "Ben"
    made.act("draws", "x")
    made.act("plays", "a")
    made.act("wins", "b")
    assert made.line(made.now) == ["wins b"]


def test_a_summary_has_a_row_for_each_turn_and_their_sum() -> None:
    one = Counted(turn=1, player_number="player1", bought=["a", "b"], coins=3, scores=[1, 2])
    two = Counted(turn=2, player_number="player2", bought=["c"], coins=4)
    made = reader().summary([one, two])
    assert made.columns == ["turn", "player", "bought", "coins", "scores"]
    assert made.rows == [
        ["1", "player1", "a, b", "3", "1 to 2"],
        ["2", "player2", "c", "4", ""],
    ]
    assert made.totals == [["all", "", "3 cards", "7", ""]]


class Listener(TurnListener[Counted]):
    reader_type = Reader
    verbs: ClassVar[dict[str, str]] = {"plays": "has played"}


@pytest.mark.parametrize(
    ("player", "told"), [("player1", []), ("player2", ["Ben has played a."]), ("", [])]
)
def test_a_person_is_told_what_others_did(player: str, told: list[str]) -> None:
    listener: Any = Listener(["Ann", "Ben"], 0)
    for ends in (listener.end, lambda: listener.observe(Begins(2, "player1"))):
        listener._turns.begin(1, player)
        listener._turns.act("draws", "x")
        listener._turns.act("plays", "a")
        if player or ends is listener.end:
            assert ends() == told


def test_seats_of_one_name_are_told_apart() -> None:
    listener: Any = Listener(["Ann", "Bot", "Bot"], 0)
    listener._turns.begin(1, "player3")
    listener._turns.act("plays", "a")
    assert listener.end() == ["Bot (player3) has played a."]
