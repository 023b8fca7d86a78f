"""Test standings, statistics and notable losses, with made-up matches."""

from __future__ import annotations

import html
import io
import itertools
import re
import shlex
import sys
from collections.abc import Collection
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from rich.console import Console

from referee.games.interface.capabilities import StatisticsTable
from referee.tournament.rating import ratings
from referee.tournament.rating.sprt import Sprt
from referee.tournament.report.formats import (
    KnockoutPair,
    KnockoutStanding,
    _next_byes,
    sprt_standing,
    swiss_standing,
)
from referee.tournament.report.history import history
from referee.tournament.report.notable_losses import (
    MOST_LOSSES,
    NotableLoss,
    _notable_loss,
    notable_losses,
)
from referee.tournament.report.played import played_of
from referee.tournament.report.report import read_shown
from referee.tournament.report.standings import (
    Difference,
    Meeting,
    Standings,
    count_matches,
    forfeits_of,
    standings,
)
from referee.tournament.report.statistics import (
    BotDisqualification,
    _percentile,
    statistics,
)
from referee.tournament.report.terminal import new_grid, ranking, standings_text, table_text
from referee.tournament.report.words import duel, headline, repeats
from referee.tournament.rows import (
    LEFT_OUT,
    REACHED,
    WORKER_KILLED,
    Entrant,
    MatchRow,
    Plan,
    forfeit_row,
    points_of,
    unplayed_row,
)
from referee.tournament.schedule.format import Knockout
from referee.tournament.schedule.sprt import sequential
from referee.tournament.schedule.swiss import SwissTable
from referee.tournament.schedule.withdrawals import Withdrawal
from referee.tournament.setup import setup as tournament
from referee.tournament.stages import Rounds, stages
from referee.tournament.store import Store
from referee.web.pages.pages import standings_file
from tests.support.made_up import Left, Result, left, made_setup, play, played, row, void


def better_wins(plan: Plan, **changes: Any) -> MatchRow:
    """The bot with the lower number wins."""
    return row(plan, [1 + sorted(plan.players).index(bot) for bot in plan.players], **changes)


def of(found: Standings, name: str) -> Any:
    (bot,) = [bot for bot in found.bots if bot.name == name]
    return bot


def test_counts_of_a_round_robin() -> None:
    found = standings(played(made_setup(3, deals=5), better_wins))
    assert [bot.name for bot in found.bots] == ["bot0", "bot1", "bot2"]
    assert [bot.rank for bot in found.bots] == [1, 2, 3]
    assert [bot.points for bot in found.bots] == [20, 10, 0]
    middle = found.bots[1]
    assert (middle.matches, middle.wins, middle.draws, middle.losses) == (20, 10, 0, 10)
    # One bot won everything and another one nothing, so their distance to the others is unbounded.
    assert (middle.rating_low, middle.rating_high) == (None, None)
    assert [bot.rating_low is None for bot in found.bots] == [False, True, True]
    assert (found.matches, found.void, found.planned, found.deals) == (30, 0, 30, 15)
    assert found.head_to_head["bot0"] == {
        "bot1": Meeting(10, 10, 0, 0, 10),
        "bot2": Meeting(10, 10, 0, 0, 10),
    }
    assert found.head_to_head["bot2"]["bot1"] == Meeting(10, 0, 0, 10, 0)
    assert middle.reported_name == "Bot 1"
    assert [seat.share for seat in found.seats] == [0.5, 0.5]


def test_differences_are_one_minus_the_other() -> None:
    found = standings(played(made_setup(4, deals=3)))
    for one in found.bots:
        assert set(found.differences[one.name]) == {b.name for b in found.bots} - {one.name}
        for other in found.bots:
            if one is other:
                continue
            difference = found.differences[one.name][other.name]
            assert difference.elo == pytest.approx(one.rating - other.rating, abs=0.03)
            assert difference.low < difference.elo < difference.high
            back = found.differences[other.name][one.name]
            assert (back.elo, back.low, back.high) == pytest.approx(
                (-difference.elo, -difference.high, -difference.low)
            )


def test_the_mean_is_1500_or_the_anchor_is_what_was_said() -> None:
    store = played(made_setup(3, deals=4))
    free = standings(store)
    assert sum(bot.rating for bot in free.bots) / 3 == pytest.approx(1500, abs=0.02)
    fixed = standings(store, (1, -200.0))
    assert of(fixed, "bot1").rating == -200
    assert fixed.anchor == "bot1"
    assert of(fixed, "bot0").rating + 200 == pytest.approx(
        free.differences["bot0"]["bot1"].elo, abs=0.05
    )


def test_a_bot_with_void_matches_alone_has_no_shares() -> None:
    def result(plan: Plan) -> MatchRow:
        return void(plan) if 2 in plan.players else better_wins(plan)

    found = standings(played(made_setup(3, deals=2), result))
    assert of(found, "bot2").mean_points is None
    assert of(found, "bot2").win_rate is None
    assert of(found, "bot0").mean_points.share == 1


def test_void_matches_are_counted_and_do_not_count() -> None:
    def result(plan: Plan) -> MatchRow:
        return void(plan) if plan.match in (0, 5) else better_wins(plan)

    store = played(made_setup(3, deals=2), result)
    found = standings(store)
    assert (found.matches, found.void, found.planned) == (10, 2, 12)
    assert sum(bot.matches for bot in found.bots) == 20
    facts = statistics(store)
    assert (facts.matches, facts.late) == (10, 8)


def failing(*bots: int) -> Result:
    """The bot with the lower number wins, but these bots are disqualified in all their matches."""

    def result(plan: Plan) -> MatchRow:
        fails = [bot in bots for bot in plan.players]
        ranks = [1 + fail for fail in fails] if any(fails) else None
        reasons = [left() if fail else None for fail in fails]
        return row(plan, ranks, left=reasons) if ranks else better_wins(plan)

    return result


def text_of(found: Standings, store: Store, width: int = 80) -> str:
    """Return the standings as printed on a terminal."""
    console = Console(file=io.StringIO(), width=width)
    for part in standings_text(found, statistics(store), width):
        console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_forfeits_count_in_the_points_and_in_nothing_else() -> None:
    store = played(made_setup(4, deals=5, withdraw_after=3), failing(2))
    found = standings(store)
    own = [match for match in store.matches() if 2 in match.players]
    counting = [match for match in own if not match.void]
    assert (len(own), len(counting)) == (30, 3)
    assert (found.matches, found.void, found.forfeits, found.planned) == (33, 0, 27, 60)
    bot = of(found, "bot2")
    assert (bot.matches, bot.losses, bot.forfeits_won, bot.forfeits_lost) == (3, 3, 0, 27)
    assert bot.points == 0
    first = of(found, "bot0")
    assert first.forfeits_won + first.matches == 30
    assert first.points == 30
    assert sum(bot.points for bot in found.bots) == 60
    assert found.withdrawn == {"bot2": Withdrawal(counting[-1].match, "timeout")}
    # Everything that measures strength only uses matches that were played.
    without = played(made_setup(4, deals=5), failing(2))
    forfeited = [row.match for row in store.matches() if row.void]
    for table in ("seats", "matches"):
        for match in forfeited:
            list(without.select(f"DELETE FROM {table} WHERE match = ?", (match,)))
    expected = standings(without)
    for name in ("head_to_head", "differences", "seats", "deals"):
        assert getattr(found, name) == getattr(expected, name)
    for bot in found.bots:
        same = ("rank", "rating", "rating_low", "rating_high", "los", "mean_points", "win_rate")
        other = of(expected, bot.name)
        assert [getattr(bot, each) for each in same] == [getattr(other, each) for each in same]


def test_the_text_of_a_withdrawn_bot() -> None:
    store = played(made_setup(4, deals=5, withdraw_after=3), failing(2))
    found = standings(store)
    text = text_of(found, store)
    assert text.startswith("dominion, round robin of 4 bots; 33 of 60 matches in ")
    assert "; 27 forfeits" in " ".join(text.split())
    line = next(line for line in text.splitlines() if " bot2 " in line).split()
    assert line[2] == "(withdrawn)"
    assert line[-2:] == ["-27", "0.0%"]
    match = found.withdrawn["bot2"].match
    says = (
        "bot2 is withdrawn: it was disqualified in 3 consecutive matches (timeout), the last is "
        f"match {match}; its later matches are forfeits, not played."
    )
    assert says in " ".join(text.split())
    page = standings_file(store, read_shown(store, 0))
    assert says in html.unescape(re.sub(r"\s+", " ", page))
    assert max(map(len, text.splitlines())) <= 80


def test_without_forfeits_the_text_has_no_column_for_them() -> None:
    store = played(made_setup(4, deals=5, withdraw_after=3), better_wins)
    assert "forfeit" not in text_of(standings(store), store)


# Headings that need no explanation. The legend begins with a sentence about the rating, and with
# one about the interval.
PLAIN_HEADS = ["#", "bot", "matches", "won", "drawn", "lost"]


def test_every_column_is_on_the_page_and_in_its_legend() -> None:
    store = played(made_setup(3, deals=4, withdraw_after=2), failing(2))
    found = standings(store)
    (table, *_), legend = standings_page_parts(store)
    heads = re.findall(r"<th(?: [^>]*)?>([^<]*)", table.partition("<tbody>")[0])
    assert [head for head in heads if head] == [*heads_of(found, 200), "last 8"]
    for head in heads:
        word = {"rating": "Elo, 1500 on average", "95% interval": "An interval holds"}.get(head)
        assert (word or f"{head}: ") in legend or head in ["", *PLAIN_HEADS], head
    (cells, *_) = table.partition("<tbody>")[2].split("</tr>")
    assert cells.count("<td") + cells.count("<th") == len(heads)
    text = " ".join(text_of(found, store).split())
    assert "; LOS: how likely a bot is better than the next one." in text
    assert ". forfeits: matches that" in text


def standings_page_parts(store: Store) -> tuple[list[str], str]:
    """Return the tables of the ranking, and the legend below them."""
    page = standings_file(store, read_shown(store, 0.0))
    ranking = page.partition('data-key="ranking"')[2]
    tables = re.findall('<table class="ranking">.*?</table>', ranking, re.DOTALL)
    return tables, ranking.partition('<p class="dim">')[2].partition("</p>")[0]


def heads_of(found: Standings, width: int) -> list[str]:
    return [str(column.header) for column in ranking(found, width).columns]


def test_a_narrow_terminal_drops_the_columns_in_the_order_of_the_page() -> None:
    found = standings(played(made_setup(3, deals=4, withdraw_after=2), failing(2)))
    dropped = [heads_of(found, width) for width in range(90, 20, -1)]
    gone = [sorted({*more} - {*fewer}) for more, fewer in itertools.pairwise(dropped)]
    assert [heads for heads in gone if heads] == [
        ["drawn", "lost", "won"],
        *(["LOS"], ["matches"], ["forfeits"], ["95% interval"]),
    ]
    assert dropped[-1] == ["#", "bot", "rating", "points"]


def test_the_others_of_a_forfeit_share_its_points() -> None:
    store = played(made_setup(4, players=4, matches=20, withdraw_after=2), failing())
    plan = Plan(20, 5, 9, (0, 1, 2, 3))
    store.add([forfeit_row(plan, {1}), forfeit_row(replace_match(plan, 21), {1, 2})])
    store.add([forfeit_row(replace_match(plan, 22), {0, 1, 2, 3})])
    before = standings(played(made_setup(4, players=4, matches=20), failing()))
    found = forfeits_of(store)
    assert found.points == pytest.approx({0: 2 / 3 + 5 / 6, 2: 2 / 3, 3: 2 / 3 + 5 / 6})
    assert found.won == {0: 2, 2: 1, 3: 2}
    assert found.lost == {0: 1, 1: 3, 2: 2, 3: 1}
    assert forfeits_of(store, {3}) == ({}, {}, {})
    assert before.forfeits == 0


def replace_match(plan: Plan, match: int) -> Plan:
    return msgspec.structs.replace(plan, match=match)


@pytest.mark.parametrize("format", ["sprt", "gauntlet", "round-robin"])
def test_two_bots_have_no_verdict_if_one_is_withdrawn(format: Any) -> None:
    store = played(made_setup(2, format=format, deals=30, withdraw_after=5), failing(1))
    found = standings(store)
    assert (found.matches, found.forfeits, found.planned) == (5, 0, 5)
    text = " ".join(text_of(found, store).split())
    assert "bot0 against bot1: no verdict, because bot1 is withdrawn." in text
    assert "(timeout), the last is match 4, so the matches end." in text
    assert "Elo (" not in text
    if found.sprt is not None:
        assert found.sprt.verdict is None
        assert "The test ended: no verdict, because bot1 is withdrawn." in text
        assert "is accepted" not in text


@pytest.mark.untraced
@pytest.mark.parametrize("until", [None, 0, 1])
@pytest.mark.parametrize(
    "setup",
    [
        made_setup(4, players=3, deals=2),
        made_setup(4, format="swiss", rounds=2, deals=1),
        made_setup(4, format="knockout", deals=1),
        made_setup(2, format="sprt", deals=5),
        made_setup(3, format="gauntlet", deals=2),
    ],
    ids=lambda setup: f"{setup.format} of {setup.players}",
)
def test_at_any_time(setup: Any, until: int | None) -> None:
    """Reports must also work before the first match, and for bots that haven't played."""
    store = Store.in_memory()
    store.add_stage(setup)
    if until != 0:
        play(store, until=until, most=1)
    shown = read_shown(store, 0)
    found, facts = shown.found, shown.facts
    assert found.matches == facts.matches == store.count()[0]
    assert found.planned >= found.matches
    assert len(found.bots) == len(found.differences) == len(setup.bots)
    text = standings_file(store, shown)
    assert all(f"bot{number}" in text for number in range(len(setup.bots)))


def test_the_state_of_a_sequential_test() -> None:
    setup = made_setup(2, format="sprt", deals=99, sprt=Sprt(0, 60))
    store = Store.in_memory()
    store.add_stage(setup)
    play(store, better_wins, until=4, most=1)
    assert standings(store).planned == 198
    sprt = standings(store).sprt
    assert sprt is not None
    assert sprt.verdict is None
    assert sprt.lower < 0 < sprt.llr < sprt.upper
    play(store, better_wins)
    found = standings(store)
    assert found.sprt is not None
    assert found.sprt.verdict == "H1"
    assert found.sprt.llr >= found.sprt.upper
    assert found.sprt.counts == [0, 0, 0, 0, found.deals]
    assert found.planned == found.matches < 198  # the test is over


@pytest.mark.parametrize(
    ("work", "matches"),
    [(12, [8, 16, 24]), (15, [8, 16, 24]), (20, [5, 10, 15, 20, 24]), (4, [12, 24])],
)
def test_the_history_of_many_bots_has_few_steps(
    work: int, matches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.tournament.report.history._WORK", work)
    store = played(made_setup(4, deals=2), better_wins)
    last = standings(store)
    found = history(store, played_of(store).deals, last)
    assert found.matches == matches
    assert {name: own[-1] for name, own in found.ratings.items()} == {
        bot.name: bot.rating for bot in last.bots
    }


def test_bots_whose_files_have_changed_are_named() -> None:
    store = played(made_setup(3, deals=2), better_wins)
    store.add_versions({"bot0": "1", "bot1": "1"})
    store.add_versions({"bot1": "2"})
    assert standings(store).changed == ["bot1"]


def test_the_name_that_a_bot_has_told_most_often_is_shown() -> None:
    def result(plan: Plan) -> MatchRow:
        told = ["Ann" if plan.match in (2, 3, 5) else "Zoe", "Ben" if plan.match else "Carl"]
        return better_wins(plan, names=[told[bot] for bot in plan.players])

    store = played(made_setup(2, deals=4), result)
    names = {bot.name: bot.reported_name for bot in standings(store).bots}
    assert names == {"bot0": "Zoe", "bot1": "Ben"}
    (first, second) = Store.in_memory(), Store.in_memory()
    for store, told in ((first, ["A", "B", "B"]), (second, ["B", "B", "A"])):
        store.add_stage(made_setup(2, deals=4))
        store.add([row(Plan(n, n, 1, (0, 1)), names=[name, name]) for n, name in enumerate(told)])
        assert standings(store).bots[0].reported_name == "B"


def test_deals_with_a_void_match_are_no_pairs() -> None:
    def result(plan: Plan) -> MatchRow:
        """Bot 0 wins both matches of deals 0 and 2; the first seat wins those of deal 1."""
        ranks = [1, 2] if plan.deal == 1 or plan.players[0] == 0 else [2, 1]
        return void(plan) if plan.match == 5 else row(plan, ranks)

    assert standings(played(made_setup(2, deals=3), result)).pairs == [0, 0, 1, 0, 1]


def test_a_test_that_a_withdrawal_ended_has_no_verdict() -> None:
    setup = made_setup(2, format="sprt", deals=99, sprt=Sprt(0, 60))
    test = sequential(setup, played(setup, better_wins).matches())
    assert test is not None
    found = [sprt_standing(test, is_ended=is_ended) for is_ended in (False, True)]
    assert [each and each.verdict for each in found] == ["H1", None]


def test_scores_that_differ_by_a_rounding_error_share_a_place() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(3, format="swiss", rounds=2, deals=1))
    for points, opponents, places in (
        ([0.1 + 0.2, 0.3, 0.4], [1, 1, 0], [1, 2, 2]),
        ([0.3, 0.3, 0.3], [0.1 + 0.2, 0.3, 0.2], [1, 1, 3]),
        ([0.3, 0.3, 0.3], [0.1, 0.2, 0.3], [1, 2, 3]),
    ):
        table: Any = SwissTable()
        table.points, table.opponents = points, partial(list, opponents)
        found = swiss_standing(store, Rounds(table, [], None))
        assert found is not None
        assert [place.place for place in found.places] == places


def test_who_is_out_or_withdrawn_has_no_bye() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(5, format="swiss", rounds=2, deals=1))
    store.add([unplayed_row(Plan(0, 0, 1, (0, 3)), {3}, WORKER_KILLED, "")])
    store.settle([], [], {2: Withdrawal(0, "timeout")})
    stage: Any = SimpleNamespace(line_ups=[(0, 1)])
    assert _next_byes(store, stage, store.names) == ["bot4"]
    assert _next_byes(store, None, store.names) == []


def test_an_anchor_that_has_not_played_keeps_its_rating() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(4, deals=2))
    store.add([row(Plan(n, n, 1, (0, 3)), [1, 2]) for n in range(4)])
    found = {bot.name: bot.rating for bot in standings(store, anchor=(1, 1000.0)).bots}
    assert found["bot1"] == 1000.0
    assert found["bot2"] is None
    assert found["bot0"] is not None
    assert found["bot3"] is not None
    assert found["bot0"] > found["bot3"]


def test_matches_that_end_before_a_turn_are_counted_unless_they_are_void() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(2, deals=4))
    turns = [4, 5, 6, 4]
    plans = [Plan(number, number, 1, (0, 1)) for number in range(4)]
    store.add([row(plan, turns=turns[plan.match], void=plan.match == 3) for plan in plans])
    assert [count_matches(store, "NOT void AND turns < ?", turn) for turn in (4, 5, 6, 7)] == [
        0,
        1,
        2,
        3,
    ]


# --- statistics -----------------------------------------------------------------------------------


def test_facts_of_each_bot() -> None:
    def result(plan: Plan) -> MatchRow:
        seat = plan.players.index(1)
        faults: list[dict[str, int]] = [{}, {}]
        out: list[Any] = [None, None]
        faults[seat] = {"bad-buy": 2}
        out[seat] = left("timeout") if plan.match == 0 else None
        return better_wins(plan, faults=faults, left=out, turns=20 + plan.match)

    facts = statistics(played(made_setup(2, deals=2), result), details=True)
    assert facts.mean_turns == 21.5
    assert facts.reasons == {"provinces-empty": 4}
    assert facts.bots["bot0"].faults == {}
    bad = facts.bots["bot1"]
    assert (bad.faults, bad.disqualified) == ({"bad-buy": 8}, {"timeout": 1})
    assert (bad.replies, bad.longest_reply) == (200, 0.01)
    assert bad.mean_reply == pytest.approx(0.002)
    assert bad.mean_score == 34.0
    # Bucket 40 ends at 2**(41 / 4) microseconds.
    assert bad.reply_99 == pytest.approx(2 ** (41 / 4) / 1e6)


@pytest.mark.parametrize(
    ("counts", "longest", "bucket"),
    [
        ({}, None, None),
        ({8: 1}, None, 8),
        ({8: 99, 20: 1}, None, 8),
        ({8: 98, 20: 2}, None, 20),
        ({0: 1, 20: 99}, None, 20),
        ({0: 100}, 9.0, 0),
    ],
)
def test_the_time_of_99_in_100_replies_is_the_end_of_a_bucket(
    counts: dict[int, int], longest: float | None, bucket: int | None
) -> None:
    buckets = [counts.get(number, 0) for number in range(30)]
    expected = None if bucket is None else pytest.approx(2 ** ((bucket + 1) / 4) / 1e6)
    assert _percentile(buckets, 0.99, longest) == expected


def test_who_has_never_replied_has_no_longest_reply() -> None:
    made = played(made_setup(2), lambda plan: row(plan, replies=0, reply_histogram={99: 0}))
    bot = statistics(made, details=True).bots["bot0"]
    assert (bot.replies, bot.mean_reply, bot.longest_reply, bot.reply_99) == (0, None, None, None)


def test_nearly_all_replies_take_no_longer_than_the_longest() -> None:
    # The longest reply is inside bucket 53.
    made = played(made_setup(2), lambda plan: row(plan, reply_histogram={53: 50}))
    bot = statistics(made, details=True).bots["bot0"]
    assert bot.reply_99 == bot.longest_reply == 0.01


def test_standings_have_no_field_for_what_a_tournament_does_not_have() -> None:
    found = msgspec.to_builtins(standings(played(made_setup(3))))
    optional = {"limits_of_bots", "too_early", "by_seat", "position", "knockout", "opening"}
    assert found.keys().isdisjoint(optional)
    assert "matches" in found


@pytest.mark.parametrize("head", ["bot", "against"])
def test_a_name_is_cut_off_and_a_number_is_not(head: str) -> None:
    grid = new_grid(head, "points")
    grid.add_row("a" * 30, "1,234.5")
    text = io.StringIO()
    Console(file=text, width=20).print(grid)
    assert text.getvalue().splitlines()[1] == f"{'a' * 11}… 1,234.5"


def test_reply_times_of_all_matches_count() -> None:
    made = played(
        made_setup(2, deals=6),
        lambda plan: row(plan, reply_histogram={20: 50} if plan.match else {20: 9, 53: 1}),
    )
    assert statistics(made, details=True).bots["bot0"].reply_99 < 0.001


def test_why_a_bot_was_disqualified_is_told_by_the_first_match_of_each_code() -> None:
    def result(plan: Plan) -> MatchRow:
        out: list[Any] = [None, None]
        if plan.match > 1:
            code = "timeout" if plan.match < 6 else "exited"
            out[plan.players.index(1)] = Left(code, f"in {plan.match}", ["Traceback", "KeyError"])
        return better_wins(plan, left=out)

    facts = statistics(played(made_setup(2, deals=6), result)).bots["bot1"]
    assert facts.disqualified == {"exited": 6, "timeout": 4}
    assert facts.first_disqualifications == [
        BotDisqualification("exited", 6, "in 6", ["Traceback", "KeyError"], ""),
        BotDisqualification("timeout", 2, "in 2", ["Traceback", "KeyError"], ""),
    ]


@pytest.mark.parametrize(
    ("sandbox", "code", "error", "is_said"),
    [
        ("bwrap", "exited", "FileNotFoundError: [Errno 2] No such file: '../weights.json'", True),
        ("bwrap", "exited", "PermissionError: [Errno 13] Permission denied: 'log'", True),
        ("bwrap", "exited", "OSError: [Errno 30] Read-only file system: 'log'", True),
        ("bwrap", "exited", "KeyError: 'copper'", False),
        ("bwrap", "timeout", "No such file", False),
        ("none", "exited", "FileNotFoundError: [Errno 2] No such file: '../weights.json'", False),
    ],
)
def test_a_crash_that_the_sandbox_explains_says_so_without_asking_for_the_bot(
    sandbox: str, code: str, error: str, is_said: bool
) -> None:
    def result(plan: Plan) -> MatchRow:
        out: list[Any] = [None, None]
        out[plan.players.index(1)] = Left(code, "its process ended", [error])
        return better_wins(plan, left=out)

    store = played(made_setup(2, deals=1, sandbox=sandbox), result)
    page = read_shown(store, 0)
    hint = page.facts.bots["bot1"].first_disqualifications[0].hint
    assert ("outside its folder a bot in the sandbox sees only" in hint) == is_said
    for text in (
        " ".join(" ".join(shown(store)).split()),
        standings_file(store, page),
    ):
        assert hint in text
        assert ("outside its folder" in text) == is_said


def test_a_limit_that_a_bot_reached_is_named_in_every_format() -> None:
    def result(plan: Plan) -> MatchRow:
        found = better_wins(plan)
        if plan.match:
            found.seats[plan.players.index(0)].detail = f"{REACHED}process-limit"
        return found

    store = played(made_setup(2, deals=5), result)
    page = read_shown(store, 0)
    found = page
    assert found.facts.bots["bot0"].reached == {"process-limit": 9}
    assert found.facts.bots["bot1"].reached == {}
    assert "bot0 reached process-limit in 9 matches." in shown(store)
    page = standings_file(store, page)
    assert page.count("<dt>Limits reached<dd>process-limit 9") == 1


def test_cards_are_counted_in_matches_that_were_played_to_their_end() -> None:
    smithies = [b'{"bought":{"smithy":[1,3]}}', b"{}"]

    def result(plan: Plan) -> MatchRow:
        if plan.match % 2:  # the match ended before anybody could buy a smithy
            return better_wins(plan, reason="last-player-standing", statistics=[b"{}", b"{}"])
        return better_wins(plan, statistics=smithies[:: 1 if plan.players[0] == 0 else -1])

    store = played(made_setup(2, deals=3), result)
    # By default we don't decode them, because it's slow.
    assert statistics(store).game is msgspec.UNSET
    (table,) = statistics(store, details=True).game
    (row,) = table.rows
    cells = dict(zip(table.columns, row, strict=True))
    assert (cells["bot"], cells["matches"], cells["share"]) == ("bot0", 3, 1)
    assert cells["points without"] is None


@pytest.mark.parametrize("width", [50, 60, 80, 120])
def test_a_table_of_a_game_fits_and_no_number_is_cut(width: int) -> None:
    heads = ("bot", "result", "botlets gathered", "moves", "ignored moves", "spawn disabled")
    cells = ["a bot with a long name", "won", 53.5, 1927.5, 12_345, 0.5]
    table = StatisticsTable("Botlets", heads, [tuple(cells)], percent=("spawn disabled",))
    console = Console(file=io.StringIO(), width=width)
    for part in table_text(table, width):
        console.print(part)
    lines = console.file.getvalue().splitlines()
    assert all(len(line.rstrip()) <= width for line in lines)
    assert lines[-1].split()[-5:] == ["won", "53.5", "1927.5", "12,345", "50.0%"]
    assert lines[-1].startswith("a bot with a long name" if width > 60 else "a bot")


# --- the table of a Swiss tournament --------------------------------------------------------------


def test_a_swiss_table_has_scores_byes_and_the_opponents_scores() -> None:
    setup = made_setup(5, format="swiss", rounds=2, deals=1, seed=2)
    store = played(setup, better_wins)
    table = standings(store).swiss
    assert table is not None
    assert (table.rounds, table.next) == (2, [])
    scores = {place.name: place.score for place in table.places}
    assert sum(scores.values()) == 2 * (2 + 1)  # each round has two pairs and a bye
    assert sum(place.byes for place in table.places) == 2
    met: dict[str, set[str]] = {name: set() for name in scores}
    for line in store.matches():
        one, other = (f"bot{bot}" for bot in line.players)
        met[one].add(other)
        met[other].add(one)
    for place in table.places:
        lower = sum(other > place.name for other in met[place.name])
        assert place.score == lower + place.byes
        assert place.opponents == sum(scores[other] for other in met[place.name])
    keys = [(-place.score, -place.opponents) for place in table.places]
    assert keys == sorted(keys)
    assert [place.place for place in table.places] == [1 + keys.index(key) for key in keys]


def test_there_is_no_swiss_table_before_the_first_round_is_over() -> None:
    setup = made_setup(4, format="swiss", rounds=2, deals=2)
    for until, tables in ((1, 0), (10, 1)):
        with played(setup, better_wins, until=until, most=1) as store:
            assert sum("by points:" in line for line in shown(store)) == tables
            page = standings_file(store, read_shown(store, 0.0))
            assert page.count("<h2>Points after") == tables
            assert f"<h2>Round {1 + tables} of 2</h2>" in page


def test_a_round_that_is_not_over_is_not_in_the_swiss_table() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(4, format="swiss", rounds=2, deals=2))
    play(store, better_wins, until=10, most=1, jobs=1)  # a round has 8 matches
    table = standings(store).swiss
    assert table is not None
    begun = {frozenset(f"bot{bot}" for bot in row.players) for row in store.matches(8)}
    assert begun < {frozenset(each.bots) for each in table.next}
    assert [(each.played, each.matches) for each in table.next] == [(2, 4), (0, 4)]
    assert sum(table.next[0].points) == 2
    assert sum(table.next[1].points) == 0
    assert table.first_matches == [0, 8]
    assert table.rounds == 1
    assert sum(place.score for place in table.places) == 2


def test_a_round_is_over_in_the_swiss_table_when_all_is_played_but_the_matches_of_who_is_out() -> (
    None
):
    store = Store.in_memory()
    store.add_stage(made_setup(4, format="swiss", rounds=1, deals=2))
    first = next(stages(store)).plans(0)
    store.add([unplayed_row(first[0], {first[0].players[0]}, WORKER_KILLED, "")])
    table = standings(store).swiss
    assert table is not None
    assert table.rounds == 0
    store.add([better_wins(plan) for plan in next(stages(store)).plans(2)])
    store.add([better_wins(plan) for plan in next(stages(store)).plans(3)])
    table = standings(store).swiss
    assert table is not None
    assert table.rounds == 1
    assert [place.score for place in table.places] == [1, 1, 0, 0]


def test_a_swiss_table_has_the_bots_that_were_added_later() -> None:
    store = played(made_setup(4, format="swiss", rounds=2, deals=1), better_wins)
    store.add_stage(made_setup(6, format="swiss", rounds=4, deals=1))
    table = standings(store).swiss
    assert table is not None
    assert table.rounds == 2
    scores = {place.name: place.score for place in table.places}
    assert (scores.pop("bot4"), scores.pop("bot5"), sum(scores.values())) == (0, 0, 2 * 2)
    assert {place.byes for place in table.places} == {0}
    play(store, better_wins)
    table = standings(store).swiss
    assert table is not None
    assert table.rounds == 4
    assert sum(place.score for place in table.places) == 2 * 2 + 2 * 3


def test_two_bots_in_fixed_seats_have_no_pairs() -> None:
    store = played(made_setup(2, deals=8, seats="fixed"))
    assert standings(store).pairs is None
    lines = " ".join(shown(store))
    assert "Of 8 matches it won" in lines
    assert "Deals in which" not in lines


# --- the bracket of a knockout --------------------------------------------------------------------


def rows_of(lines: list[str], head: str) -> list[list[str]]:
    """Return the rows of the table below this line, without the column headings."""
    first = lines.index(head) + 2
    return [line.split() for line in itertools.takewhile(bool, lines[first:])]


def test_a_narrow_terminal_has_names_before_intervals() -> None:
    store = played(made_setup(4, deals=2), better_wins)
    found = standings(store)
    long = [replace(bot, name=f"{bot.name} of a long name") for bot in found.bots]
    wide = ranking(replace(found, bots=long), 80)
    narrow = ranking(replace(found, bots=long), 40)
    heads = [[column.header for column in grid.columns] for grid in (wide, narrow)]
    assert "95% interval" in heads[0]
    assert heads[1] == ["#", "bot", "rating", "points"]
    assert "in percent:" in text_of(found, store, 28)
    assert " 100 " in text_of(found, store, 28)


def test_a_bracket_has_the_final_first_and_no_byes() -> None:
    setup = made_setup(5, format="knockout", deals=1, knockout=Knockout(third_place=True))
    store = played(setup, better_wins)
    rows = rows_of(shown(store), "The bracket, the last round first:")
    assert rows[:5] == [
        ["final", "bot0", "2", "to", "0", "bot1"],
        ["third", "place", "bot2", "2", "to", "0", "bot3"],
        ["semi-final", "bot0", "2", "to", "0", "bot3"],
        ["semi-final", "bot1", "2", "to", "0", "bot2"],
        ["quarter-final", "bot3", "2", "to", "0", "bot4"],
    ]
    found = standings(store).knockout
    assert isinstance(found, KnockoutStanding)
    assert [(each.place, each.name) for each in found.places] == [
        *((1, "bot0"), (2, "bot1"), (3, "bot2"), (4, "bot3"), (5, "bot4")),
    ]
    page = standings_file(store, read_shown(store, 0.0))
    rounds = re.split('<div class="round(?: joined| champion)?">', page)[1:]
    heads = [each.partition("<h3>")[2].partition("</h3>")[0] for each in rounds]
    assert heads[-2:] == ["final", "third place"]
    assert rounds[heads.index("semi-final")].count('class="pair"') == 2
    champion = page.partition("wins the cup")[0].rpartition("<strong>")[2]
    assert champion.endswith("bot0</bdi></strong>")
    assert "no opponent" in rounds[0]


def test_a_semi_final_that_nobody_won_gives_the_other_finalist_a_bye() -> None:
    def killing(plan: Plan) -> MatchRow:
        both = {0, 3} == {*plan.players}
        return unplayed_row(plan, {0, 3}, WORKER_KILLED, "") if both else better_wins(plan)

    store = played(made_setup(4, format="knockout", deals=1), killing)
    rows = rows_of(shown(store), "The bracket, the last round first:")
    assert rows[:3] == [
        ["final", "bot1", "no", "opponent"],
        ["semi-final", "bot0", "nobody", "won", "bot3"],
        ["semi-final", "bot1", "2", "to", "0", "bot2"],
    ]
    page = standings_file(store, read_shown(store, 0.0))
    assert "bot1 won: it had no opponent in the final." in page
    assert "nobody won" in page


def test_a_pair_that_has_not_played_is_shown_without_points() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(4, format="knockout", deals=2))
    play(store, better_wins, until=9, most=1)
    rows = rows_of(shown(store), "The bracket, the last round first:")
    assert rows[:2] == [["final", "bot0", "bot1"], ["semi-final", "bot0", "4", "to", "0", "bot3"]]


def test_a_pair_with_equal_points_is_marked() -> None:
    store = played(made_setup(2, format="knockout", deals=1), lambda plan: row(plan, [1, 1]))
    (final, *_) = rows_of(shown(store), "The bracket, the last round first:")
    assert final == ["final", "bot0", "1", "to", "1*", "bot1"]


def test_a_pair_without_a_match_that_counts_has_no_points() -> None:
    def absent(plan: Plan) -> MatchRow:
        return unplayed_row(plan, {0}, LEFT_OUT, "it could not start")

    store = played(made_setup(2, format="knockout", deals=1), absent)
    (final, *_) = rows_of(shown(store), "The bracket, the last round first:")
    assert final == ["final", "bot1", "none", "bot0"]


@pytest.mark.parametrize(
    ("bots", "is_over", "points", "is_level"),
    [
        (("a", "b"), True, (2.0, 2.0), True),
        (("a", "b"), True, (2.5, 1.5), False),
        (("a", "b"), False, (0.0, 0.0), False),
        (("a", None), True, (0.0, 0.0), False),
    ],
)
def test_only_two_bots_that_have_played_can_be_level(
    bots: tuple[str, str | None], is_over: bool, points: tuple[float, float], is_level: bool
) -> None:
    assert KnockoutPair("final", bots, is_over, points, (0, 0), None).is_level == is_level


def test_the_places_of_a_knockout_are_in_order() -> None:
    setup = made_setup(4, format="knockout", deals=1, knockout=Knockout((3, 2, 1, 0)))
    found = standings(played(setup, lambda plan: row(plan, [1, 1], scores=[9, 9]))).knockout
    assert isinstance(found, KnockoutStanding)
    assert [(each.place, each.name) for each in found.places] == [
        (1, "bot3"),
        (2, "bot2"),
        (3, "bot0"),
        (3, "bot1"),
    ]


# --- texts ----------------------------------------------------------------------------------------


def shown(store: Store, **how: Any) -> list[str]:
    """Return the lines of the standings at a width of 80."""
    console = Console(width=80, file=io.StringIO(), highlight=False)
    for part in standings_text(standings(store, **how), statistics(store), console.width):
        console.print(part)
    lines: list[str] = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= 80
    return lines


def starting(lines: list[str], start: str) -> str:
    line = next(line for line in lines if line.startswith(start))
    return " ".join(line.split())


def upset(plan: Plan) -> MatchRow:
    """The lower number wins, except in every fifth deal. The last bot always loses."""
    last = 3 in plan.players
    won = [1 + sorted(plan.players).index(bot) for bot in plan.players]
    return row(plan, won if last or plan.deal % 5 else [3 - rank for rank in won])


def test_a_bot_outside_the_average_is_marked_and_has_an_open_end() -> None:
    store = played(made_setup(4, deals=10), upset)
    lines = shown(store)
    assert re.match(r"4 bot3 \d+\* \d+ or less 60 ", starting(lines, "4 bot3"))
    assert starting(lines, "* not in the average")
    assert "*" not in starting(lines, "3 bot2")
    assert not any(line.startswith("*") for line in shown(store, anchor=(0, 1500.0)))


def test_a_few_deals_are_too_few_to_say() -> None:
    assert "too few to say" in starting(shown(played(made_setup(2, deals=4), upset)), "1 bot0")
    assert " to " in starting(shown(played(made_setup(2, deals=5), upset)), "1 bot0")


def test_a_bot_without_matches_has_no_rating() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(4, deals=10))
    store.add([*played(made_setup(3, deals=10), upset).matches()])
    assert starting(shown(store), "4 bot3").startswith("4 bot3 - - 0 ")


def test_an_excluded_bot_has_no_row_and_the_others_are_compared() -> None:
    found = standings(played(made_setup(3, deals=10), upset), without={1})
    assert {bot.name for bot in found.bots} == {"bot0", "bot2"}
    (line, *_) = duel(found)
    assert line.startswith("bot0 against bot2: ")
    assert headline(found).startswith("dominion, round robin of 3 bots; ")
    assert not found.has_no_verdict


@pytest.mark.parametrize("anchor", [None, (1, 1700.0), (1_500, 1700.0)])
def test_bots_without_matches_change_no_rating_and_enter_no_matrix(
    anchor: tuple[int, float] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a small store names thousands of bots, it mustn't take longer than its matches require."""
    sizes = []

    def recorded(function: Any) -> Any:
        def call(table: Any, **options: Any) -> Any:
            sizes.append(table.size)
            return function(table, **options)

        return call

    for place, name in (("standings", "rate"), ("history", "rating_alone")):
        where = f"referee.tournament.report.{place}.{name}"
        monkeypatch.setattr(where, recorded(getattr(ratings, name)))
    few = played(made_setup(3, deals=5), better_wins)
    many = Store.in_memory()
    many.add_stage(made_setup(2_000, deals=5))
    many.add([*few.matches()])
    wanted, found = standings(few), standings(many, anchor)
    if anchor is None:
        assert found.bots[:3] == wanted.bots
        assert {name: found.differences[name] for name in wanted.differences} == wanted.differences
    assert found.differences["bot7"] == {}
    assert found.apart("bot7", "bot0") == Difference(None, None, None, None)
    assert [bot.rank for bot in found.bots] == [*range(1, 2_001)]
    assert len({bot.name for bot in found.bots}) == 2_000
    curves = history(many, played_of(many).deals, found, anchor)
    assert curves.ratings["bot7"] == [None] * len(curves.matches)
    assert max(sizes) <= 4
    many.close()
    few.close()


def test_of_many_bots_only_those_that_met_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    with played(made_setup(4, deals=2), better_wins, until=6) as store:
        every = standings(store)
        monkeypatch.setattr("referee.tournament.report.standings.MOST_COMPARED", 4)
        assert standings(store).differences == every.differences
        monkeypatch.setattr("referee.tournament.report.standings.MOST_COMPARED", 3)
        found = standings(store)
    met = [(one, other) for one, row in found.head_to_head.items() for other in row]
    assert 0 < len(met) < sum(map(len, every.differences.values()))
    assert met == [(one, other) for one, row in found.differences.items() for other in row]
    assert all(found.apart(*pair) == every.apart(*pair) for pair in met)
    assert found.bots == every.bots


def test_of_many_bots_the_first_are_compared() -> None:
    store = played(made_setup(5, deals=3), better_wins)
    every, found = standings(store), standings(store, most_paired=2)
    assert found.bots == every.bots
    first = [bot.name for bot in found.bots[:2]]
    pairs = {tuple(first), tuple(first[::-1])}
    assert {(one, two) for one, row in found.head_to_head.items() for two in row} == pairs
    assert {(one, two) for one, row in found.differences.items() for two in row} == pairs
    assert found.apart(*first) == every.apart(*first)
    assert found.head_to_head.keys() == found.differences.keys() == every.differences.keys()


def test_a_page_of_many_bots_has_the_first_ones_head_to_head() -> None:
    store = played(made_setup(5, deals=3), better_wins)
    pages = {most: standings_file(store, read_shown(store, 0), most) for most in (3, None)}
    tables = {most: page.partition('<table class="matrix">')[2] for most, page in pages.items()}
    rows = {most: table.partition("</table>")[0].count("<tr") for most, table in tables.items()}
    assert rows == {3: 1 + 3, None: 1 + 5}
    assert "The first 3 bots." in pages[3]
    assert "The first 5 bots." not in pages[None]


def test_two_bots_have_a_summary() -> None:
    lines = shown(played(made_setup(2, deals=10), upset))
    assert re.fullmatch(
        r"bot0 against bot1: \+\d+ Elo \([-+]\d+ to \+\d+\); LOS: \d\d.\d%.",
        starting(lines, "bot0 against"),
    )
    assert "Of 20 matches it won 16, drew 0 (0.0%) and lost 4." in lines
    assert "Deals in which it took 0, 0.5, 1, 1.5 and 2 points: 2, 0, 0, 0, 8." in lines


def test_the_page_says_how_it_was_played_and_lists_matches(monkeypatch: Any) -> None:
    monkeypatch.setattr("referee.web.pages.pages.MOST_MATCHES", 3)
    setup = made_setup(2, deals=3, settings={"time_limit": 2.0, "max_turns": 30})
    words = ["Traceback", "<b>KeyError"]
    out = [Left("exited", "exit code 48", words), None]
    store = played(setup, lambda plan: row(plan, left=out))
    text = standings_file(store, read_shown(store, 1_767_268_800))
    # The tournament had no sandbox. But bot0 may be a stranger's, so the command we show has one.
    command = "referee tournament bot0 bot1 --deals 3 --seed 1 --withdraw-after never"
    command += " --sandbox bwrap --time-limit 2 --max-turns 30 --time-bank none --cpu-limit none"
    assert command in html.unescape(text)
    assert "<dt>Page made<dd>2026-01-01 12:00 UTC" in text
    assert "<code>time_limit 2.0</code>" in text
    assert "exit code 48" in text
    assert "&lt;b&gt;KeyError" in text
    assert "6 matches, the first 3 here" in text
    assert text.count("<td>the province pile was empty") == 3


# --- notable losses -------------------------------------------------------------------------------


def losses_of(store: Store, without: Collection[int] = ()) -> dict[str, list[NotableLoss]]:
    found, deals = standings(store, without=without), played_of(store, without).deals
    return notable_losses(store, found, deals)


def test_lost_matches_to_learn_from() -> None:
    def result(plan: Plan) -> MatchRow:
        out: list[Any] = [None, None]
        if plan.match == 6:
            out[plan.players.index(1)] = left("timeout")
        return better_wins(plan, left=out)

    store = played(made_setup(2, deals=6, settings={"max_turns": 30, "time_limit": 2.0}), result)
    found = losses_of(store)
    assert found["bot0"] == []  # it hasn't lost any
    assert len(found["bot1"]) == MOST_LOSSES
    first = found["bot1"][0]
    assert (first.match, first.why) == (6, "disqualified, timeout")
    lost = [loss.match // 2 for loss in found["bot1"]]
    assert len(set(lost)) == MOST_LOSSES  # each from a different deal
    (line,) = [line for line in store.matches() if line.match == 6]
    bots = [f"bot{number}" for number in line.players]
    words = shlex.split(first.command)
    assert words[:2] == ["referee", "play"]
    assert [word for word in words if word.startswith("bot")] == bots
    assert words[words.index("--seed") + 1] == str(line.seed)
    assert words[-6:] == ["--sandbox", "bwrap", "--time-limit", "2", "--max-turns", "30"]


def test_what_is_worth_a_look_comes_by_weight() -> None:
    """First disqualifications, then faults, then deals with few points; never what was won."""
    out, late = left("exited"), {"late": 2}

    def result(plan: Plan) -> MatchRow:
        """Bot 1 loses deal 0 and 5, and has trouble in the first match of other deals."""
        wins, faulty, gone = 0, {}, None
        if plan.match % 2 == 0:
            wins, faulty, gone = {
                0: (0, {}, None),
                1: (0, late, None),
                2: (0, late, out),
                3: (1, late, out),  # it has won nevertheless
                4: (None, late, None),  # a draw isn't won
                5: (0, {}, None),
                6: (0, late, out),  # void
            }[plan.deal]
        elif plan.deal in (3, 6):
            wins = 1
        ranks = [1 if wins in (bot, None) else 2 for bot in plan.players]
        faults = [faulty if bot == 1 else {} for bot in plan.players]
        lefts = [gone if bot == 1 else None for bot in plan.players]
        is_void = plan.deal == 6 and plan.match % 2 == 0
        return row(plan, ranks, faults=faults, left=lefts, void=is_void)

    store = played(made_setup(2, deals=7), result)
    found = losses_of(store)
    assert [(loss.match, loss.why) for loss in found["bot1"]] == [
        (4, "disqualified, exited"),
        (2, "2 faults"),
        (8, "2 faults"),
    ]
    lost = [(loss.match, loss.why) for loss in found["bot0"]]
    assert [match for match, _ in lost] == [6, 13]
    assert lost[0][1].startswith("0% of the points of the deal, ")
    assert lost[0][1].endswith("it was player 1")


def test_the_match_of_a_deal_to_look_at_is_one_that_was_not_won() -> None:
    there, back = Plan(0, 0, 1, (0, 1)), Plan(1, 0, 1, (1, 0))
    out, late = left("exited"), {"late": 2}
    trouble: list[tuple[Any, Any, str]] = [
        ({"left": [None, out]}, {"left": [out, None]}, "disqualified, exited"),
        ({"faults": [{}, late]}, {"faults": [late, {}]}, "2 faults"),
        ({"left": [None, out]}, {"faults": [late, {}]}, "2 faults"),
        ({}, {}, "50% of the points of the deal, 75% expected; scores 34 37, it was player 1"),
    ]
    for won, lost, why in trouble:
        matches = [row(there, [2, 1], **won), row(back, [2, 1], **lost)]
        for order in (matches, matches[::-1]):
            deal = [(match, points_of(match.ranks)) for match in order]
            assert _notable_loss(1, deal, 0.75) == (matches[1], why)
    # Trouble in a draw counts, and a disqualification more than a fault.
    matches = [row(there, [1, 1], faults=[{}, late]), row(back, [1, 1], left=[out, None])]
    found = _notable_loss(1, [(match, points_of(match.ranks)) for match in matches], 0.75)
    assert found == (matches[1], "disqualified, exited")


def test_matches_that_do_not_count_are_not_worth_a_look() -> None:
    """Bot 1 only has trouble in matches with bot 2, which is left out, and in a void one."""

    def result(plan: Plan) -> MatchRow:
        if plan.match == 0:
            return row(plan, [2, 1], left=[left(), left()], void=True)
        faults = [{"late": 1} if 2 in plan.players else {} for _ in plan.players]
        return better_wins(plan, faults=faults)

    store = played(made_setup(3, deals=2), result)
    found = losses_of(store, {2})
    assert {name: len(losses) for name, losses in found.items()} == {
        "bot0": 0,
        "bot1": 2,
        "bot2": 0,
    }
    for loss in found["bot1"]:
        assert (loss.match != 0, loss.against) == (True, ["bot0"])
        assert loss.why.startswith("0% of the points of the deal, ")


def test_a_bot_without_matches_has_no_rating_to_expect_points_from() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(3))
    store.add([better_wins(Plan(n, 0, 1, players)) for n, players in enumerate(((0, 1), (1, 0)))])
    assert [len(losses) for losses in losses_of(store).values()] == [0, 1, 0]
    found, deals = standings(store), played_of(store).deals
    assert history(store, deals, found).ratings["bot2"] == [None, None]


def test_a_void_match_of_a_deal_is_not_worth_a_look() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(2))
    gone = better_wins(Plan(0, 0, 1, (0, 1)), left=[None, left()], void=True)
    store.add([gone, better_wins(Plan(1, 0, 1, (1, 0)), faults=[{"late": 1}, {}])])
    assert [loss.match for loss in losses_of(store)["bot1"]] == [1]


def test_before_the_first_match_there_is_no_history() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(2))
    found = history(store, played_of(store).deals, standings(store))
    assert (found.matches, found.ratings) == ([], {"bot0": [], "bot1": []})


def test_faults_beside_a_bot_that_is_left_out_are_not_worth_a_look() -> None:
    """Bot 1 wins all deals that count. It has faults in others, before and after the last."""

    def result(plan: Plan) -> MatchRow:
        return better_wins(plan, faults=[{"late": 1} if 0 in plan.players else {}] * 2)

    found = losses_of(played(made_setup(3, deals=2), result), {0})
    assert {name: len(losses) for name, losses in found.items()} == {
        "bot0": 0,
        "bot1": 0,
        "bot2": 2,
    }


def test_the_line_of_a_lost_match_has_the_limits_of_single_bots() -> None:
    own = (("time_limit", 2.0), ("memory_limit", None))
    bots = (Entrant("good", "good"), Entrant("bad", "bad", limits=own))
    store = played(tournament(bots, game="dominion", seed=1, deals=1), better_wins)
    for loss in losses_of(store)["bad"]:
        seat = 1 + (" bad good " not in loss.command)
        # `memory_limit` isn't in the command, because it must not lift a limit of the sandbox.
        assert loss.command.endswith(f"--limit-of {seat}:time-limit=2")


def test_a_lesson_starts_a_bot_where_it_is_with_its_environment(tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text("")
    bots = (Entrant("good", "good"), Entrant("bad", "bot.py", str(tmp_path), (("LEVEL", "3"),)))
    setup = msgspec.structs.replace(made_setup(2), bots=bots)
    store = played(setup, better_wins)
    command = shlex.split(losses_of(store)["bad"][0].command)
    (bot,) = [word for word in command if word.startswith("env ")]
    assert shlex.split(bot) == ["env", "-C", str(tmp_path), "LEVEL=3", sys.executable, str(program)]


def test_line_ups_that_repeat_their_matches_are_named() -> None:
    def same(plan: Plan) -> MatchRow:
        """In each line-up of two of the first four bots, both seatings are always the same."""
        varies = 4 in plan.players
        return row(plan, messages=plan.seed + plan.match if varies else 1 + min(plan.players))

    found = standings(played(made_setup(5, deals=3), same))
    assert [(each.bots, each.matches, each.different) for each in found.repeats[:2]] == [
        (["bot0", "bot1"], 6, 1),
        (["bot0", "bot2"], 6, 1),
    ]
    assert len(found.repeats) == 6
    (first, *_, last) = repeats(found)
    assert first == "bot0 and bot1: 6 matches, 1 different one; --opening varies them."
    assert last == "In 3 more line-ups most matches repeat others, too."
    (first, *_) = repeats(replace(found, opening=2, repeats=found.repeats[:4]))
    assert first.endswith("; a longer --opening varies them.")
    (*_, last) = repeats(replace(found, repeats=found.repeats[:4]))
    assert last == "In 1 more line-up most matches repeat others, too."
    assert len([*repeats(replace(found, repeats=found.repeats[:3]))]) == 3
    # All deals of a bot against the first four count as one, but the bot of the varied matches has
    # as many deals as it has played.
    assert {bot.name: bot.deals for bot in found.bots} == {
        **{f"bot{number}": 3 + 3 for number in range(4)},
        "bot4": 12,
    }
