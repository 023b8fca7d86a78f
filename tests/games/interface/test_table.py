"""The base of games with a table: who leaves, who sees a move, copies and redeals."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import pytest
from msgspec import Struct

from referee.games.interface.faults import Fault, InvalidReply
from referee.games.interface.game import ALL, LEFT, PUBLIC, Outcome, Request
from referee.games.interface.random_source import SeededRandomSource
from referee.games.interface.table import (
    Move,
    Moved,
    Table,
    TableGame,
    copied,
    moves_of,
    redeal,
)


class Player:
    def __init__(self, seat: int) -> None:
        self.seat, self.turns, self.left = seat, seat, False


class Asks(Struct, frozen=True):
    """A request."""


class SmallTable(Table[Player]):
    sections = {"bad": "5.2"}  # noqa: RUF012


class Rounds(TableGame[SmallTable]):
    """Asks each player who is there in turn, for two rounds."""

    def __init__(self, seats: int, absent: Iterable[int] = ()) -> None:
        super().__init__(SmallTable([Player(seat) for seat in range(seats)]))
        self.heard: list[object] = []
        self.begin(self.rounds(), absent)

    def rounds(self) -> Generator[Request, object, None]:
        for _ in range(2):
            for player in self.table.players:
                if not player.left:
                    self.heard.append((yield Request(player.seat, Asks())))
        self.outcome = Outcome("over", (1,) * len(self.table.players))


def asked(game: Rounds) -> list[int]:
    return [request.seat for request in game.requests]


@pytest.mark.parametrize(
    ("absent", "first", "outcome"),
    [
        ((), [0], None),
        ((0,), [1], None),
        ((0, 1), [], Outcome("last-player-standing", (2, 2, 1))),
        ((0, 1, 2), [], Outcome("no-players", (1, 1, 1))),
    ],
)
def test_a_game_needs_two(absent: Iterable[int], first: list[int], outcome: Outcome | None) -> None:
    game = Rounds(3, absent)
    assert (asked(game), game.outcome) == (first, outcome)
    assert [player.left for player in game.table.players] == [seat in absent for seat in range(3)]
    assert game.turns == 0 + 1 + 2


def test_the_rules_hear_of_a_seat_that_leaves_unless_one_is_left() -> None:
    game = Rounds(3)
    game.advance({0: "a"})
    game.advance({1: LEFT})
    assert (game.heard, asked(game), game.outcome) == (["a", LEFT], [2], None)
    game.advance({2: "b"})
    assert asked(game) == [0]
    game.advance({0: LEFT})
    assert (game.heard, asked(game)) == (["a", LEFT, "b"], [])
    assert game.outcome == Outcome("last-player-standing", (2, 2, 1))


def test_the_last_reply_ends_the_rules() -> None:
    game = Rounds(2)
    for number in range(4):
        assert game.outcome is None
        game.advance({number % 2: number})
    assert (game.requests, game.outcome) == ((), Outcome("over", (1, 1)))


def test_who_sees_a_move() -> None:
    whole, own, public = ([Move(1, "deck", "hand", card)] for card in ("a", "b", ""))
    moved = Moved(1, whole, own, public, did=["draws a"], told=["draws"])
    viewers = (0, 1, 2, PUBLIC, ALL)
    assert [moved.moves_for(viewer) for viewer in viewers] == [public, own, public, public, whole]
    words = [moved.description_for(viewer) for viewer in viewers]
    assert words == [["draws"], ["draws a"], ["draws"], ["draws"], ["draws a"]]


def test_copies_of_a_card_move_together() -> None:
    assert moves_of(2, ["a", "b", "a"], "hand", "play") == [
        Move(2, "hand", "play", "a", 2),
        Move(2, "hand", "play", "b"),
    ]


def test_watchers_are_told_once_what_has_moved() -> None:
    table = SmallTable([Player(0)])
    told: list[Any] = []
    table.watchers += [told.append, told.append]
    table.flush()
    assert told == []
    table.note(0, [Move(0, "hand", "play", "a")], "plays a", got=["b"])
    table.moved(Moved(0, did=["ends"]))
    table.flush()
    first, second = told
    assert first == second
    noted, ended = first
    assert noted.moves_for(PUBLIC) == noted.moves_for(0) == [Move(0, "hand", "play", "a")]
    assert (noted.did, noted.told, noted.got) == (("plays a",), ("plays a",), ["b"])
    assert ended.did == ["ends"]
    table.note(0, ())
    table.flush()
    assert len(told) == 4
    assert len(told[-1]) == 1


def test_faults_of_a_reply() -> None:
    table = SmallTable([Player(0), Player(1)])
    player = table.players[1]
    table.fault(player, "bad", "one")
    table.fault(player, "bad", "two", section="7")
    table.no_reply(player, InvalidReply("invalid-json", "cut"), "no such reply", "5.5")
    table.no_reply(player, Asks(), "no such reply", "5.5")
    game = TableGame(table)
    assert game.take_events() == [
        Fault(1, "bad", "5.2", "one"),
        Fault(1, "bad", "7", "two"),
        Fault(1, "invalid-json", "5.5", "cut"),
        Fault(1, "wrong-type", "5.5", "no such reply"),
    ]
    assert game.take_events() == []


def test_a_copy_shares_no_list_dict_or_set() -> None:
    one = Player(3)
    vars(one).update(cards=["a"], counts={"a": 1}, seen={"a"}, owner=one)
    new: Any = copied(one, seat=4)
    assert (new.seat, one.seat, new.owner) == (4, 3, one)
    for name in ("cards", "counts", "seen"):
        assert getattr(new, name) == getattr(one, name)
        assert getattr(new, name) is not getattr(one, name)


def test_a_redeal_depends_only_on_which_cards_there_are() -> None:
    dealt = set()
    for luck in range(5):
        for piles in ([[*"ab"], [], [*"cde"]], [[*"ec"], [], [*"bad"]]):
            redeal(SeededRandomSource(luck), *piles)
            assert [len(pile) for pile in piles] == [2, 0, 3]
            assert sorted(card for pile in piles for card in pile) == [*"abcde"]
            dealt.add((luck, str(piles)))
    assert len(dealt) == 5
    assert len({piles for _, piles in dealt}) > 1


def test_cards_without_an_order_are_redealt_by_a_key() -> None:
    piles = [[{"n": 2}], [{"n": 1}]]
    redeal(SeededRandomSource(1), *piles, key=lambda card: card["n"])
    others = [[{"n": 1}], [{"n": 2}]]
    redeal(SeededRandomSource(1), *others, key=lambda card: card["n"])
    assert piles == others
