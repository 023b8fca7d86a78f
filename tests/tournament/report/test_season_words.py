"""Test the words of a season at their boundaries, without any matches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from referee.tournament.report.season import (
    SeasonTournament,
    TournamentRating,
    _repeated_deals,
)
from referee.tournament.report.season_words import (
    change,
    change_interval,
    details,
    head,
    headline,
    improved,
    legend,
    missing,
    places,
    rating,
    remarks,
    whole_rating,
)
from referee.tournament.report.words import ENOUGH_DEALS
from referee.tournament.rows import Plan
from referee.tournament.store import Store
from tests.support.made_up import made_setup, row


def rated(now: float | None = 1510.0, **values: Any) -> TournamentRating:
    """Return a rating with an interval of 10 on each side, and by default without a change."""
    end = 0 if now is None else now
    of: dict[str, Any] = {
        "rating_low": end - 10,
        "rating_high": end + 10,
        "deals": ENOUGH_DEALS,
        "changed": False,
    }
    of |= {"in_rating_pool": True, "change": None, "change_low": None, "change_high": None}
    return TournamentRating(now, **of | values)


def held(name: str = "one", **values: Any) -> SeasonTournament:
    """Return a tournament that is over."""
    of: Any = {"format": "round-robin", "bots": 2, "matches": 4, "void": 0, "forfeits": 0}
    of |= {"planned": 4, "deals": 2, "repeated_deals": 0, "left_out": {}, "removed": []}
    of |= {"withdrawn": [], "position": None, "is_other_game": False}
    return SeasonTournament(name, **of | values)


def bot(name: str, *tournaments: TournamentRating | None, **values: Any) -> Any:
    of = {"rating": 1500.0, "rating_low": 1490.0, "rating_high": 1510.0} | values
    return SimpleNamespace(name=name, tournaments=[*tournaments], **of)


def season(tournaments: list[SeasonTournament], *bots: Any, **values: Any) -> Any:
    of = {"game": "dominion", "matches": 1000, "deals": 1, "anchor": None, "excluded": []}
    of |= {"pool": [], "is_pool_unchanged": False}
    return SimpleNamespace(tournaments=tournaments, bots=[*bots], **of | values)


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["week1", "week2"], ["week1", "week2"]),
        (["first week of May", "second week of May"], ["first we...", "second w..."]),
        (["a week in May", "a week in June"], ["1", "2"]),
    ],
)
def test_a_tournament_has_a_label_on_an_axis(names: list[str], labels: list[str]) -> None:
    found: Any = SimpleNamespace(tournaments=[*map(held, names)], excluded=[])
    assert places(found) == labels


def test_the_headline_and_the_marks_of_a_tournament() -> None:
    running = held(matches=3)
    found = season([held(), running], bot("a", rated()))
    line = "dominion, 2 tournaments of 1 bots; 1,000 matches in 1 deal"
    assert headline(found) == line
    assert [head(each, found) for each in found.tournaments] == ["one", "one~"]
    assert (missing(held(), found), missing(running, found)) == (0, 1)
    found.excluded = ["b", "c"]
    assert headline(found) == f"{line}; without b, c"
    assert (head(running, found), missing(running, found)) == ("one", 0)


def changed(now: float, low: float | None, deals: int = ENOUGH_DEALS) -> TournamentRating:
    return rated(change=now, change_low=low, change_high=now + 5, deals=deals)


@pytest.mark.parametrize(
    ("bots", "says"),
    [
        ([changed(9, 4), changed(8, 7)], "a improved most: +9 Elo (95% interval: +4 to +14)"),
        # A bot with too few deals or without a lower end is passed over.
        ([changed(9, 4, ENOUGH_DEALS - 1), changed(8, 7)], "b improved most: +8 Elo"),
        ([changed(9, None), changed(8, 7)], "b improved most: +8 Elo"),
        ([None, changed(8, 7)], "b improved most: +8 Elo"),
        ([rated(), changed(8, 7)], "b improved most: +8 Elo"),
        ([changed(9, 0)], "a improved most: +9 Elo (95% interval: +0 to +14; that may be chance)"),
        ([changed(9, 1)], "a improved most: +9 Elo (95% interval: +1 to +14)"),
        ([changed(0, -5)], "no bot has improved"),
        ([changed(1, -5)], "a improved most: +1 Elo"),
        ([changed(9, None)], None),
        ([], None),
    ],
)
def test_who_improved_most_in_the_last_tournament(
    bots: list[TournamentRating | None], says: str | None
) -> None:
    named = [bot(name, None, each) for name, each in zip("ab", bots, strict=False)]
    found = [*improved(season([held(), held("two")], *named))]
    assert [line.startswith(f"In two {says}") for line in found] == [True] * (says is not None)


def test_who_improved_most_over_the_season() -> None:
    held_ = [held("one"), held("two"), held("three", matches=3)]
    bots = (bot("a", rated(1500), rated(1600), None), bot("b", rated(1700), None, rated(1720)))
    (says,) = improved(season(held_, *bots, pool=["a"]))
    assert says.startswith("Over the season a improved most, from one to two: +100 Elo")
    few = rated(1500, deals=ENOUGH_DEALS - 1)
    (says,) = improved(season(held_, bot("a", few, rated(1600), None), bots[1], pool=["a"]))
    assert says.startswith("Over the season a improved most")
    few = rated(1600, deals=ENOUGH_DEALS - 1)
    (says,) = improved(season(held_, bot("a", rated(1500), few, None), bots[1], pool=["a"]))
    assert says.startswith("Over the season b improved most, from one to three: +20 Elo")
    once = bot("a", rated(1500), None, changed(9, 4))
    (says,) = improved(season(held_, once))  # without a pool, no change over the season is known
    assert says.startswith("In three so far (3 of 4 matches) a improved most")
    assert not [*improved(season(held_, bot("a", rated(), None, None), pool=["a"]))]
    assert not [*improved(season(held_[:2], bots[0], pool=["a"]))]


def test_a_rating_with_its_marks() -> None:
    assert [rating(each) for each in (None, rated(None), rated(), rated(changed=True))] == [
        *("-", "-", "1510", "1510^")
    ]
    opened = [rated(rating_low=None), rated(rating_high=None, changed=True)]
    assert [rating(each) for each in opened] == ["1510*", "1510*^"]
    whole = [bot("a"), bot("a", rating=None), bot("a", rating_low=None), bot("a", rating_high=None)]
    assert [whole_rating(each) for each in whole] == ["1500", "-", "1500*", "1500*"]


def test_a_change_with_its_interval() -> None:
    moved = changed(-9, -14)
    assert [change(each) for each in (None, rated(), moved)] == ["-", "-", "-9"]
    assert [change_interval(each) for each in (None, rated(), moved)] == ["-", "-", "-14 to -4"]
    assert details(rated()) == "1500 to 1520"
    assert details(moved) == "1500 to 1520; change -9 (-14 to -4)"
    assert details(rated(None)) == ""


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"anchor": "a", "pool": ["a"]}, "Elo, a fixed in every tournament."),
        (
            {"pool": ["a"], "is_pool_unchanged": True},
            "Elo; 1500 for a, which has not changed.",
        ),
        (
            {"pool": ["a", "b"], "is_pool_unchanged": True},
            "Elo; 1500 on average for a, b, which have not changed.",
        ),
        ({"pool": [*"abcde"]}, "Elo; 1500 on average for a, b, c, d, e, which every tournament"),
        ({"pool": [*"abcdef"]}, "Elo; 1500 on average for 6 bots, which every tournament"),
        ({}, "Elo, 1500 on average in each tournament. No bot has won and lost"),
    ],
)
def test_what_ratings_are_relative_to(values: dict[str, Any], says: str) -> None:
    first, last = legend(season([held()], **values))
    assert first.startswith(says)
    assert last.startswith("change: ")


@pytest.mark.parametrize(
    ("one", "two", "bots", "marks"),
    [
        (held(), held(), [bot("a", rated(), None)], []),
        (held(), held(matches=3), [bot("a", rated(), None)], ["~"]),
        (held(), held(), [bot("a", None, rated(changed=True)), bot("b", rated())], ["^"]),
        (held(), held(), [bot("a", rated(rating_low=None)), bot("b", rated())], ["*"]),
        (held(), held(), [bot("a", rated(), rating_high=None)], ["*"]),
        (held(), held(), [bot("a", rated(None, rating_low=None), rating=None)], []),
    ],
)
def test_only_marks_that_are_used_are_explained(
    one: SeasonTournament, two: SeasonTournament, bots: list[Any], marks: list[str]
) -> None:
    _, _, *lines = legend(season([one, two], *bots))
    assert [line[0] for line in lines] == marks


def test_what_is_unusual_about_a_tournament() -> None:
    assert not [*remarks(season([held()], bot("a", rated())))]
    odd = held(
        matches=2,
        planned=9,
        void=3,
        forfeits=1,
        repeated_deals=1,
        withdrawn=["w"],
        removed=["r"],
        left_out={"l": "l does not build"},
        position="turn 5 of game.jsonl",
        is_other_game=True,
    )
    words = (
        *("all matches begin at turn 5", "it is of another version", "3 of 9 matches are not"),
        *(
            "an earlier tournament had the seed of 1 deal too",
            "3 matches are void",
            "1 matches are",
        ),
        *("w is withdrawn", "r is", "left out of the last run: l does not build"),
    )
    for line, start in zip(remarks(season([odd])), words, strict=True):
        assert line.startswith(f"one: {start}")


@pytest.mark.parametrize(
    ("first", "second", "advice"),
    [((True, False), (False, True), True), ((True, True), (True, False), False)],
)
def test_names_that_look_alike_are_of_one_bot_unless_both_played(
    first: tuple[bool, ...], second: tuple[bool, ...], advice: bool
) -> None:
    bots = (
        bot(name, *(rated() if there else None for there in played))
        for name, played in (("Bot", first), ("B0t", second))
    )
    (line,) = remarks(season([held(), held("two")], *bots))
    assert line.endswith("give it the same name each time.") == advice


def test_deals_are_repeated_if_any_earlier_tournament_counted_them() -> None:
    def store(seed: int, *, void: bool = False) -> Store:
        made = Store.in_memory()
        made.add_stage(made_setup(2))
        made.add([row(Plan(0, 0, seed, (0, 1)), void=void)])
        return made

    stores = [store(1), store(2), store(1, void=True), store(1)]
    assert [*_repeated_deals(stores)] == [0, 0, 0, 1]
