"""Tests for reports on several tournaments, with made-up matches."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from referee.errors import UsageError
from referee.games.outside import Source
from referee.match.position import Position
from referee.tournament.report.season import Season, change_between, season, tournament_names
from referee.tournament.report.season_words import improved
from referee.tournament.report.standings import standings
from referee.tournament.report.terminal import season_text
from referee.tournament.rows import Entrant, MatchRow, Plan
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.web.pages.links import Links
from referee.web.pages.pages import season_page
from tests.support.made_up import left, made_setup, played, row


def of_bots(*names: str, seed: int = 1, deals: int = 12, **options: Any) -> Store:
    """Play a tournament. The bots are named from the strongest to the weakest."""
    entrants = [Entrant(name, name) for name in names]
    return played(setup(entrants, game="dominion", seed=seed, deals=deals, **options))


def ranks_of(plan: Plan) -> list[int]:
    """The third bot always loses. The other two are equal."""
    if 2 in plan.players:
        return [2 if bot == 2 else 1 for bot in plan.players]
    return [1, 2] if plan.deal % 2 else [2, 1]


def shown(found: Season, width: int = 80) -> list[str]:
    console = Console(width=width, highlight=False, markup=False)
    with console.capture() as text:
        for part in season_text(found, width):
            console.print(part)
    return [line.rstrip() for line in text.get().splitlines()]


def row_of(lines: list[str], name: str) -> list[str]:
    (line,) = [line for line in lines if line.split()[1:2] == [name]]
    return line.split()


def bots(found: Season) -> dict[str, Any]:
    return {bot.name: bot for bot in found.bots}


def test_each_tournament_and_all_together() -> None:
    stores = {"one": of_bots("a", "b", "c"), "two": of_bots("a", "b", "c", seed=2)}
    found = season(stores)
    assert (found.matches, found.deals, found.pool) == (144, 72, ["a", "b", "c"])
    assert [bot.rank for bot in found.bots] == [1, 2, 3]
    for place, store in enumerate(stores.values()):
        for bot in standings(store).bots:
            rating = bots(found)[bot.name].tournaments[place]
            assert (rating.rating, rating.rating_low) == (bot.rating, bot.rating_low)
    for bot in found.bots:
        first, last = bot.tournaments
        assert first.change is None
        assert last.change == pytest.approx(last.rating - first.rating, abs=0.011)
        reach = math.hypot(last.rating - last.rating_low, first.rating_high - first.rating)
        assert last.change_low == pytest.approx(last.change - reach, abs=0.011)
        # With twice as many matches, the interval is smaller.
        assert bot.rating_high - bot.rating_low < last.rating_high - last.rating_low
        assert bot.matches == 96
        assert min(first.rating, last.rating) - 5 < bot.rating < max(first.rating, last.rating) + 5


@pytest.mark.parametrize("format", ["round-robin", "sprt"])
def test_a_season_of_one_tournament_has_its_intervals(format: str) -> None:
    """After a sequential test they are wider (spec/rating-formulas.md, 5)."""
    store = played(made_setup(2, format=format, deals=9), lambda plan: row(plan, [1, 2]))
    (expected, other), found = standings(store).bots, bots(season({"one": store}))
    for bot in (expected, other):
        assert found[bot.name].rating_low == pytest.approx(bot.rating_low, abs=0.011)
        assert found[bot.name].rating_high == pytest.approx(bot.rating_high, abs=0.011)


def test_an_anchor_without_any_match_is_no_pool() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(2))
    found = season({"one": store, "two": store}, ("bot0", 1200.0))
    assert (found.pool, found.is_pool_unchanged) == ([], False)


def test_one_sequential_test_widens_the_intervals_of_its_season() -> None:
    def width(*formats: str) -> float:
        made = [made_setup(2, format=format, deals=9) for format in formats]
        stores = [played(setup, lambda plan: row(plan, [1, 2])) for setup in made]
        bot = season({str(number): store for number, store in enumerate(stores)}).bots[0]
        return bot.rating_high - bot.rating_low

    one, both, none = (
        width(*formats)
        for formats in (("sprt", "round-robin"), ("sprt", "sprt"), ("round-robin", "round-robin"))
    )
    assert one == pytest.approx(both, abs=0.03)
    assert one > none + 1


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        ((1500, 1497, 1504), (1520.004, 1517.004, 1524.004), (20, 15, 25)),
        ((1500, None, 1504), (1520, 1517, 1524), (20, 15, None)),
        ((1500, 1497, None), (1520, 1517, 1524), (20, None, 25)),
        ((1500, 1497, 1504), (1520, None, 1524), (20, None, 25)),
        ((1500, 1497, 1504), (1520, 1517, None), (20, 15, None)),
        ((1500, 1497, 1504), (1420, 1380, 1445), (-80, -120.2, -54.82)),
        ((None, None, None), (1520, 1517, 1524), None),
        ((1500, 1497, 1504), (None, None, None), None),
    ],
)
def test_the_ends_of_a_change_are_those_of_both_ratings_together(
    before: Any, now: Any, change: tuple[float | None, ...] | None
) -> None:
    one, other = (
        SimpleNamespace(rating=rating, rating_low=low, rating_high=high)
        for rating, low, high in (before, now)
    )
    found: Any = change_between(one, other)  # type: ignore[arg-type]
    assert found == change


def test_matches_are_missing_unless_a_test_may_end_at_any_time() -> None:
    store = played(made_setup(3, deals=2), until=8, most=1)
    (found,) = season({"one": store, "two": store}).tournaments[:1]
    assert (found.planned, found.missing) == (12, 4)
    for changes, missing in (
        ({"format": "sprt"}, 0),
        ({"void": 1}, 3),
        ({"forfeits": 1}, 3),
        ({"planned": 7}, 0),
    ):
        assert replace(found, **changes).missing == missing


def test_the_mean_is_of_the_bots_that_every_tournament_compares() -> None:
    found = season({"one": of_bots("a", "b", "c"), "two": of_bots("b", "c", "d", seed=2)})
    assert found.pool == ["b", "c"]
    for place in (0, 1):
        ratings = [bots(found)[name].tournaments[place].rating for name in "bc"]
        assert sum(ratings) / 2 == pytest.approx(1500, abs=0.011)
    assert bots(found)["a"].tournaments[1] is None
    assert not bots(found)["d"].tournaments[1].in_rating_pool
    assert bots(found)["d"].tournaments[1].change is None
    lines = shown(found)
    assert "Elo; 1500 on average for b, c, which every tournament compares." in lines
    assert row_of(lines, "a")[3:5] == ["-", "-"]


def test_the_mean_is_of_the_bots_that_have_not_changed() -> None:
    one, two = of_bots("a", "b", "c"), of_bots("a", "b", "c", seed=2)
    one.add_versions({"a": "1", "b": "1", "c": "1"})
    two.add_versions({"a": "2", "b": "1", "c": "1"})
    found = season({"one": one, "two": two})
    assert (found.pool, found.is_pool_unchanged) == (["b", "c"], True)
    for place in (0, 1):
        ratings = [bots(found)[name].tournaments[place].rating for name in "bc"]
        assert sum(ratings) / 2 == pytest.approx(1500, abs=0.011)
    assert "Elo; 1500 on average for b, c, which have not changed." in shown(found)
    two.add_versions({"b": "2", "c": "2"})
    found = season({"one": one, "two": two})
    assert (found.pool, found.is_pool_unchanged) == (["a", "b", "c"], False)


def test_a_bot_that_won_nothing_is_marked() -> None:
    stores = {"one": of_bots("a", "b", "c"), "two": of_bots("a", "b", "c", seed=2)}
    assert not any("*" in line for line in shown(season(stores)))
    hopeless = [
        played(made_setup(3, deals=6, seed=seed), lambda plan: row(plan, ranks_of(plan)))
        for seed in (1, 2)
    ]
    lines = shown(season({"one": hopeless[0], "two": hopeless[1]}))
    assert all(cell.endswith("*") for cell in row_of(lines, "bot2")[2:4])
    assert "* against these bots it won everything, lost everything, or never played." in lines


def test_a_change_is_since_the_last_tournament_in_which_the_bot_played() -> None:
    stores = {
        "one": of_bots("a", "b", "c"),
        "two": of_bots("a", "b", seed=2),
        "three": of_bots("a", "b", "c", seed=3),
    }
    c = bots(season(stores))["c"].tournaments
    assert c[1] is None
    assert c[2].change == pytest.approx(c[2].rating - c[0].rating, abs=0.011)


def test_tournaments_without_common_bots_show_no_change() -> None:
    found = season({"one": of_bots("a", "b"), "two": of_bots("c", "d", seed=2)})
    assert found.pool == []
    assert all(rating.change is None for bot in found.bots for rating in bot.tournaments if rating)
    assert "no change is known" in " ".join(shown(found))


def test_a_bot_of_two_tournaments_shows_no_change_if_no_bot_is_in_all() -> None:
    found = season(
        {"one": of_bots("a", "b"), "two": of_bots("b", "c", seed=2), "three": of_bots("c", "d")}
    )
    assert found.pool == []
    assert all(rating.change is None for bot in found.bots for rating in bot.tournaments if rating)


def test_a_bot_whose_files_changed_is_marked() -> None:
    one, two, three = (of_bots("a", "b", "c", seed=seed) for seed in (1, 2, 3))
    one.add_versions({"a": "1", "b": "1", "c": "1"})
    two.add_versions({"a": "2", "b": "1"})
    two.add_versions({"b": "2"})
    three.add_versions({"a": "2", "b": "2", "c": "2"})
    three.add_versions({"c": "3"})
    found = season({"one": one, "two": two, "three": three})
    changed = {bot.name: [each.changed for each in bot.tournaments] for bot in found.bots}
    assert changed == {
        "a": [False, True, False],
        "b": [False, True, False],
        "c": [False, False, True],  # its version in the second tournament is unknown
    }
    lines = shown(found)
    assert row_of(lines, "a")[3].endswith("^")
    assert "^ the files of the bot have changed since then." in lines


def test_bots_are_matched_by_the_names_that_tables_show() -> None:
    found = season({"1": of_bots("week1/a", "week1/b"), "2": of_bots("week2/a", "week2/b")})
    assert [bot.name for bot in found.bots] == ["a", "b"]
    assert all(all(bot.tournaments) for bot in found.bots)


def test_a_bot_has_one_name_even_if_one_table_shows_whole_names() -> None:
    stores = {"1": of_bots("x/bot.py", "y/bot.py", "z/it.py"), "2": of_bots("x/bot.py", "z/it.py")}
    found = season(stores)
    assert {bot.name for bot in found.bots} == {"x/bot.py", "y/bot.py", "z/it.py"}
    assert all(all(bot.tournaments) for bot in found.bots if bot.name != "y/bot.py")


def test_deals_of_two_tournaments_with_one_seed_are_reported() -> None:
    found = season({"1": of_bots("a", "b"), "2": of_bots("a", "b", deals=13)})
    assert [each.repeated_deals for each in found.tournaments] == [0, 12]
    (line,) = [line for line in shown(found, 200) if "--seed" in line]
    assert line.startswith("2: an earlier tournament had the seed of 12 deals too")


def test_an_anchor_is_fixed_in_every_tournament() -> None:
    stores = {"one": of_bots("a", "b", "c"), "two": of_bots("a", "b", seed=2)}
    found = season(stores, anchor=("b", -100.0))
    assert [each.rating for each in bots(found)["b"].tournaments] == [-100, -100]
    assert (found.anchor, bots(found)["b"].rating) == ("b", -100)
    with pytest.raises(UsageError, match="--anchor c: it has no match in"):
        season(stores, anchor=("c", 0.0))


def test_excluded_bots_have_no_matches() -> None:
    stores = {"one": of_bots("a", "b", "c"), "two": of_bots("a", "b", "c", seed=2)}
    found = season(stores, without=["c", "nobody"])
    assert (found.matches, found.excluded) == (48, ["c"])
    assert bots(found)["c"].tournaments == [None, None]
    assert bots(found)["c"].rating is None


@pytest.mark.parametrize(
    "other",
    [
        lambda: played(made_setup(2, game="starrealms", deals=1)),
        lambda: played(made_setup(3, players=3, deals=1)),
    ],
)
def test_a_season_has_one_game(other: Any) -> None:
    with pytest.raises(UsageError, match=r"^two is .* of \d players, and one is dominion of 2"):
        season({"one": of_bots("a", "b"), "two": other()})


def test_a_tournament_that_has_only_begun() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(3, deals=2))
    found = season({"one": of_bots("bot0", "bot1"), "two": store})
    assert bots(found)["bot0"].rating is not None
    assert bots(found)["bot2"].tournaments == [None, None]
    lines = shown(found)
    assert "two: 12 of 12 matches are not played." in lines
    assert any(" two~ " in line for line in lines)
    assert any(line.startswith("~ not all matches are played:") for line in lines)
    nothing = season({"one": store, "two": store})
    assert nothing.matches == 0
    assert season_page(Links(), nothing, 0).startswith("<!DOCTYPE html>")


def test_versions_of_a_bot_that_the_store_does_not_have_do_not_matter() -> None:
    one, two = of_bots("a", "b"), of_bots("a", "b", seed=2)
    two.add_versions({"zzz": "1"})
    two.add_versions({"zzz": "2"})
    assert season({"one": one, "two": two}).pool == ["a", "b"]


def test_a_tournament_from_a_position_or_of_another_version_of_the_game_is_named() -> None:
    start = Position("game.jsonl", 5, 1, (), ((None,), (None,)))
    stores = {
        "one": of_bots("a", "b"),
        "two": of_bots("a", "b", seed=2, position=start),
        "three": of_bots("a", "b", seed=3),
    }
    stores["three"].add_game_file(Source("kuhn.py", "sha256:1"))
    lines = shown(season(stores))
    assert "two: all matches begin at turn 5 of game.jsonl." in lines
    assert "three: it is of another version of the game than the first tournament." in lines
    assert not [line for line in lines if line.startswith("one:")]


def test_the_bot_that_improved_most_is_named() -> None:
    """Name one for the latest tournament, which may still be running, and one for the season."""
    order = ["a", "b", "c", "d", "e"]
    one, two = of_bots(*order), of_bots(*order, seed=2)
    entrants = [Entrant(name, name) for name in order]
    wanted = setup(entrants, game="dominion", seed=3, deals=12)
    three = played(wanted, lambda plan: row(plan, ranks_of_e(plan)), until=200)
    (latest, whole) = improved(season({"one": one, "two": two, "three": three}))
    found = r"e improved most{}: \+\d+ Elo \(95% interval: \+\d+ to \+\d+\)\."
    assert re.fullmatch(r"In three so far \(200 of 240 matches\) " + found.format(""), latest)
    over = found.format(", from one to three")
    assert re.fullmatch("Over the season " + over, whole)
    (same,) = improved(season({"one": one, "two": one}))
    assert same == "In two no bot has improved."
    (chance,) = improved(season({"one": one, "two": two}))
    assert chance.endswith("; that may be chance).")
    assert not list(improved(season({"one": one, "two": of_bots("f", "g")})))


def ranks_of_e(plan: Plan) -> list[int]:
    """The last bot wins three of four deals. The others are equal."""
    if 4 in plan.players and plan.deal % 4:
        return [1 if bot == 4 else 2 for bot in plan.players]
    return [1, 2] if plan.deal % 2 else [2, 1]


def test_a_bot_that_was_left_out_is_named() -> None:
    two = of_bots("a", "b", seed=2)
    two.leave_out({"b": "b does not build"})
    found = season({"one": of_bots("a", "b"), "two": two})
    assert "two: left out of the last run: b does not build" in shown(found)
    assert "left out of the last run: b does not build" in season_page(Links(), found, 0)


def test_a_narrow_terminal_shows_the_last_tournaments() -> None:
    names = ["somebody", "a"]
    stores = {f"week{week}": of_bots(*names, seed=week, deals=2) for week in range(1, 9)}
    found = season(stores)
    for width in (33, 34, 46, 60, 79, 80, 119):
        lines = shown(found, width)
        assert max(map(len, lines)) <= width
        assert row_of(lines, "somebody")
        assert "week8" in " ".join(lines)
    assert "week1 " in " ".join(shown(found, 160))
    assert "earlier tournaments are in" in " ".join(shown(found, 60))


def test_names_that_look_alike_in_two_tournaments_are_reported() -> None:
    stores = {"one": of_bots("Carl", "b", "c"), "two": of_bots("carl", "b", "c", seed=2)}
    said = " ".join(" ".join(shown(season(stores))).split())
    assert re.search("Carl and carl|carl and Carl", said)
    assert "look alike, but are two bots. If they are one bot, give" in said
    stores = {"one": of_bots("Carl", "carl", "c"), "two": of_bots("Carl", "b", "c", seed=2)}
    said = " ".join(" ".join(shown(season(stores))).split())
    assert "look alike, but are two bots." in said
    assert "If they are one bot" not in said


def test_two_stores_of_one_name_are_told_apart_by_their_folders() -> None:
    assert tournament_names(["a/week1.sqlite", "b/week2.sqlite"]) == ["week1", "week2"]
    assert tournament_names(["a/w.sqlite", "b/w.sqlite"]) == ["a/w.sqlite", "b/w.sqlite"]


def test_a_withdrawn_bot_and_its_forfeits() -> None:
    def failing(plan: Plan) -> MatchRow:
        return row(plan, left=[left("timeout") if bot == 2 else None for bot in plan.players])

    bots = [Entrant(name, name) for name in "abc"]
    weeks = {
        "one": of_bots("a", "b", "c"),
        "two": played(setup(bots, game="dominion", seed=2, deals=12, withdraw_after=3), failing),
    }
    found = season(weeks)
    first, second = found.tournaments
    assert (first.forfeits, first.withdrawn) == (0, [])
    assert second.forfeits > 0
    assert second.withdrawn == ["c"]
    lost = {bot.name: (bot.forfeits_won > 0, bot.forfeits_lost) for bot in found.bots}
    assert lost == {"a": (True, 0), "b": (True, 0), "c": (False, second.forfeits)}
    assert "two: c is withdrawn." in shown(found)


@pytest.mark.parametrize("chosen", [{"format": "swiss", "rounds": 3}, {"format": "knockout"}])
def test_no_matches_are_missing_after_a_withdrawal_that_shortens_a_tournament(
    chosen: dict[str, Any],
) -> None:
    """A withdrawn bot is in no later round, so there are fewer matches than in the schedule."""

    def failing(plan: Plan) -> MatchRow:
        return row(plan, left=[left("timeout") if bot in (0, 3) else None for bot in plan.players])

    bots = [Entrant(name, name) for name in "abcd"]
    wanted = setup(bots, game="dominion", seed=2, deals=3, withdraw_after=3, **chosen)
    found = season({"one": of_bots("a", "b"), "two": played(wanted, failing)})
    two = found.tournaments[1]
    assert two.planned == two.matches + two.void + two.forfeits < 36
    assert not any("not played" in line for line in shown(found, 200))


def test_no_matches_are_missing_after_a_withdrawal_that_ends_a_tournament() -> None:
    def failing(plan: Plan) -> MatchRow:
        return row(plan, left=[left("timeout") if bot == 1 else None for bot in plan.players])

    bots = [Entrant(name, name) for name in "ab"]
    ended = played(setup(bots, game="dominion", seed=2, deals=12, withdraw_after=3), failing)
    found = season({"one": of_bots("a", "b"), "two": ended})
    assert [each.planned for each in found.tournaments] == [24, 3]
    assert not any("not played" in line for line in shown(found, 200))
