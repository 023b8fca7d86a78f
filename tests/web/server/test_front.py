"""A tournament's front page with made-up matches, rendered without a server."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from referee.tournament.choices import WITHDRAW_AFTER
from referee.tournament.report import standings as report_standings
from referee.tournament.report import words
from referee.tournament.report.report import read_shown
from referee.tournament.rows import WORKER_KILLED, Entrant, MatchRow, Plan, unplayed_row
from referee.tournament.schedule.format import Knockout
from referee.tournament.setup import setup
from referee.tournament.stages import stages
from referee.tournament.store import Store
from referee.web.data import Item
from referee.web.pages import pages
from referee.web.pages.charts import colour_of
from referee.web.pages.links import Links, ServedLinks
from referee.web.pages.pages import Front, standings_file, standings_page
from referee.web.server import app, tournaments
from referee.web.server.app import Site
from referee.web.server.library import Library
from referee.web.site import write_site
from tests.support.made_up import Result, made_setup, play, played, row, void


def page_of(store: Store) -> str:
    with store:
        return standings_file(store, read_shown(store, 0.0))


def winner_of(*draws: int, voids: tuple[int, ...] = ()) -> Result:
    """Return a function that lets the bot with the lowest number win, except in these matches."""

    def result(plan: Plan) -> MatchRow:
        if plan.match in voids:
            return void(plan)
        ranks = [1 + sorted(plan.players).index(bot) for bot in plan.players]
        return row(plan, [1] * len(ranks) if plan.match in draws else ranks)

    return result


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "--deals 10 --seed 1 --sandbox none"),
        ({"opening": 3}, "--opening 3 --seed 1 --sandbox none"),
        ({"keep_alive": False}, "--no-keep-alive --sandbox none"),
        ({"sandbox": "bwrap"}, "--seed 1 --sandbox bwrap"),
        ({"withdraw_after": None}, "--withdraw-after never"),
        ({"withdraw_after": 3}, "--withdraw-after 3"),
        ({"players": 3}, "--players 3 "),
        (
            {"format": "knockout", "knockout": Knockout((2, 0, 1, 3), third_place=True)},
            " c=minimal a=minimal b=minimal d=minimal --pairing knockout --deals 10 --seed 1 "
            "--third-place",
        ),
    ],
)
def test_the_command_of_a_tournament(options: dict[str, Any], words: str) -> None:
    bots = [Entrant(name, "minimal") for name in "abcd"]
    usual = {"game": "dominion", "seed": 1, "withdraw_after": WITHDRAW_AFTER}
    assert words in pages.command(setup(bots, **usual | options))


@pytest.mark.parametrize(
    ("name", "word"),
    [("new", "new=minimal"), ("minimal", "minimal"), ("a=b", "minimal"), ("-x", "minimal")],
)
def test_a_bot_has_its_name_in_a_command_if_it_can_be_typed(name: str, word: str) -> None:
    assert pages._named(Entrant(name, "minimal"), "minimal") == word


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0, "a minute"), (44, "a minute"), (45, "1 minute"), (100, "2 minutes")),
        *((2_699, "45 minutes"), (2_700, "1 hour"), (9_000, "2 hours"), (9_100, "3 hours")),
    ],
)
def test_a_time_in_a_few_words(seconds: float, text: str) -> None:
    assert pages._about(seconds) == text


def test_what_a_page_shows_of_many_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last round of a knockout is always there, and an outlier is drawn at the edge."""
    monkeypatch.setattr(pages, "MOST_PAIRS", 1)
    monkeypatch.setattr(pages, "store_page", lambda *_, **values: seen.append(values))
    monkeypatch.setattr(pages.charts, "curves", lambda matches, ratings, colour: ratings)
    seen: list[dict[str, Any]] = []
    wanted = made_setup(8, format="knockout", deals=2)
    for until in (1, 17, 25, None):  # of 16 + 8 + 4
        with played(wanted, winner_of(voids=(2,)), until=until, most=1, jobs=1) as store:
            shown = read_shown(store, 0.0)
            found = [bot for bot in shown.found.bots if bot.rating is not None]
            least = found[len(found) // 2].rating or 0.0
            monkeypatch.setattr(pages.charts, "far_below", lambda _, least=least: least)
            standings_page(ServedLinks(), shown)
            standings_file(store, shown)
            counting = [match.match for match in store.matches() if not match.void]
        served, file = seen[-2:]
        assert (served["is_hidden"], file["is_hidden"]) == (until is not None, False)
        assert [match.match for match in file["matches"]] == counting
        assert served["racing"] == [bot.name for bot in found if (bot.rating or 0) >= least]
        drawn = [value for curve in served["curves"].values() for value in curve if value]
        assert min(drawn) == least
    rounds = [(len(each["earlier_rounds"]), len(each["rounds"])) for each in seen[::2]]
    assert rounds == [(0, 1), (1, 1), (2, 1), (2, 1)]


def test_a_bot_has_the_colour_of_its_name_in_tables() -> None:
    colour = colour_of(["a", "b"])
    assert colour("b") != colour("a")
    assert colour("c") == "line-other"


def test_a_draw_has_no_winner_in_a_list() -> None:
    page = page_of(played(made_setup(2, deals=2), winner_of(1)))
    assert page.count('<span class="player first">') == 3
    assert page.count('<span class="player shared">') == 2
    assert page.count('<span class="note">drawn</span>') == 1


def test_an_unknown_interval_has_no_bar() -> None:
    page = page_of(played(made_setup(3, deals=9), winner_of()))
    assert page.count('<td class="n more less">unknown') == 1  # only the second of the three bots
    assert page.count('class="dot hollow"') == 1
    few = page_of(played(made_setup(4, deals=1)))
    assert few.count('class="dot hollow"') == few.count('less">too few to say') == 4
    assert 'class="bar"' not in few


def test_a_head_counts_void_matches() -> None:
    page = page_of(played(made_setup(3, deals=2), winner_of(voids=(0, 5))))
    assert re.search("<span>10 of 12 matches, 2 void</span>", page)


def test_a_round_says_who_plays_who_is_done_and_who_has_a_bye() -> None:
    wanted = made_setup(7, format="swiss", rounds=2, deals=1)
    with played(wanted, winner_of(), until=7, most=1) as store:  # 6 matches per round
        shown = read_shown(store, 0.0)
        round = shown.found.swiss
        assert round is not None
        first, second, third = round.next
        (bye,) = round.next_byes
        tables = [(Item("second", "log", shown=second.bots[::-1]), None)]
        page = standings_page(Links(), shown, front=Front(tables=tables))
    assert (first.played, third.played) == (1, 0)
    assert {bye, *first.bots, *second.bots, *third.bots} == {*shown.names}
    box = page[page.index("<h2>Round 2 of 2") : page.index("<h2>Points after 1 of 2")]
    lines = [re.sub("<[^>]*>", "", small).strip() for small in re.findall("<small>(?!\\().*", box)]
    assert lines == ["1 of 2 matches", "playing 0 of 2 matches", "not begun"]
    assert re.findall('<div class="pair( now| waiting|)"', box) == ["", " now", " waiting"]
    assert f"<bdi>{bye}</bdi>: no opponent in this round, a bye" in box


def test_a_swiss_table_has_its_own_points_and_their_legend() -> None:
    swiss = page_of(played(made_setup(4, format="swiss", rounds=1, deals=1)))
    usual = page_of(played(made_setup(4, deals=1)))
    for page, own in ((swiss, True), (usual, False)):
        table = page[page.index('<table class="ranking">') : page.index("last 8: the latest")]
        heads = re.findall("<th[^>]*>([^<]*)", table[: table.index("</thead>")])
        assert ("opponents" in heads, "LOS" in heads, heads.count("points")) == (own, not own, 1)
        assert (words.SWISS_LEGEND in table) == own


def test_the_page_of_a_bot_says_why_it_does_not_play() -> None:
    store = played(made_setup(3, deals=1), until=2)
    store.leave_out({store.names[1]: "no file"})
    store.withdraw(2, 1)
    plans = [*next(stages(store)).plans(2)]
    store.add([unplayed_row(plans[0], {plans[0].players[0]}, WORKER_KILLED, "")])
    with store:
        shown = read_shown(store, 0.0)
        found = shown.found
        texts = {bot.name: pages.of_bot(bot, found) for bot in found.bots}
    out = {name for name, each in texts.items() if each["why_out"] == words.PUT_OUT}
    assert out == {shown.names[plans[0].players[0]]} == {*found.removed}
    assert {name for name, each in texts.items() if each["why_withdrawn"]} == {shown.names[2]}


def test_a_pair_whose_matches_are_all_void_is_not_over_with_a_result() -> None:
    wanted = made_setup(4, format="swiss", rounds=2, deals=1)
    with played(wanted, winner_of(voids=(0, 1)), until=3, most=1) as store:
        page = standings_page(Links(), read_shown(store, 0.0), front=Front())
    assert page.count("<small>void: not played</small>") == 1


def test_a_bracket_shows_the_pair_in_progress() -> None:
    wanted = made_setup(4, format="knockout", deals=2)
    # All 4 matches of the first semi-final, and one of the second.
    page = page_of(played(wanted, winner_of(), until=5, most=1, jobs=1))
    assert re.findall("<small>(.*?)</small></div>", page) == [
        "4 of 4 matches",
        "1 of 4 matches",
    ]


def test_a_bracket_leads_to_its_champion() -> None:
    wanted = made_setup(4, format="knockout", deals=2)
    page = page_of(played(wanted, winner_of()))
    rounds = re.findall('<div class="round( joined|)"><h3>(.*?)</h3>', page)
    assert rounds == [(" joined", "semi-final"), ("", "final")]
    assert re.findall('<div class="pair( won|)"', page) == ["", "", " won"]
    (final,) = re.findall('<div class="pair won">(.*?)</div>', page, re.DOTALL)
    (winner,) = re.findall('<span class="seat first">.*?<bdi>(.*?)</bdi>', final)
    (champion,) = re.findall('<div class="round champion">.*?<bdi>(.*?)</bdi>', page)
    assert champion == winner


def test_a_bracket_that_is_not_over_has_no_champion() -> None:
    page = page_of(played(made_setup(4, format="knockout", deals=2), winner_of(), until=11, most=1))
    assert "champion" not in page[page.index("<body") :]


def test_the_first_rounds_of_a_large_bracket_are_in_a_fold() -> None:
    page = page_of(played(made_setup(33, format="knockout", deals=1), winner_of()))
    seen, earlier = page.split('<details data-key="earlier">')
    heads = [re.findall("<h3>(.*?)</h3>", part) for part in (seen, earlier)]
    last = ["round of 32", "round of 16", "quarter-final", "semi-final", "final"]
    assert heads[0] == last
    assert heads[1][0] == "round of 64"


def test_the_last_lost_match_of_a_bot_is_first(tmp_path: Path) -> None:

    def result(plan: Plan) -> MatchRow:
        lost = plan.players.index(max(plan.players))
        scores = [20 if seat == lost else 30 for seat in range(2)]
        return row(plan, [2 if seat == lost else 1 for seat in range(2)], scores=scores)

    wanted = made_setup(4, format="swiss", rounds=2, deals=1)
    with played(wanted, result) as store:
        folder = tmp_path / "site"
        write_site(store, "night", None, str(folder))
        number = store.names.index("bot3")
        lost = [match for match in store.matches() if 3 in match.players]
        names = store.names
    page = (folder / "bot" / f"{number}.html").read_text()
    section = page[page.index("<h2>Last lost matches") : page.index("<h2>Faults")]
    rows = [
        re.sub("<[^>]*>", " ", line).split() for line in section.splitlines() if "<tr><td" in line
    ]
    assert [int(cells[0]) for cells in rows] == [match.match for match in lost[::-1]]
    other = next(bot for bot in lost[-1].players if bot != 3)
    assert rows[0][1:6] == ["2", names[other], "20", ":", "30"]
    listed = re.findall('data-label="match">(\\d+)', (folder / "matches.html").read_text())
    assert [int(number) for number in listed] == [*range(7, -1, -1)]


def test_48_bots_have_different_colours_and_signs() -> None:
    names = [f"bot{number}" for number in range(49)]
    colours = {name: colour_of(names)(name) for name in names}
    assert len({*colours.values()}) == 48
    assert colours["bot48"] == colours["bot0"] == "line-1"
    assert colours["bot12"] != colours["bot0"]


async def test_a_bot_has_one_colour_in_all_weeks_and_on_the_page_of_the_season(
    tmp_path: Path,
) -> None:
    """In the second week there's another bot, so ranks and the order of bots change."""

    def colours(page: str) -> dict[str, str]:
        table = re.findall('<table class="ranking">.*?</table>', page, re.DOTALL)[0]
        return dict(map(reversed, re.findall('swatch (.*?)"></i>.*?<bdi>(.*?)</bdi>', table)))

    weeks = {"one": "abc", "two": "dcba"}
    for number, (name, bots) in enumerate(weeks.items()):
        path = tmp_path / f"{name}.sqlite"
        entrants = [Entrant(bot, bot) for bot in bots]
        with Store.for_writing(str(path)) as store:
            store.add_stage(setup(entrants, game="dominion", seed=number, deals=1))
            play(store)
        os.utime(path, (number, number))
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(Site(Library([str(tmp_path)])).app()),
        base_url="http://127.0.0.1:8000",
    )
    async with client:
        pages = [(await client.get(f"/store/{name}.sqlite")).text for name in weeks] + [
            (await client.get("/season?store=one.sqlite&store=two.sqlite")).text
        ]
    first, second, season = map(colours, pages)
    assert second == season == {"a": "line-1", "b": "line-2", "c": "line-3", "d": "line-4"}
    assert first == {name: season[name] for name in "abc"}
    curve = re.findall('<text class="(line-\\d+)"[^>]*>(\\w)', pages[1])
    assert {name: kind for kind, name in curve} == second


@pytest.mark.slow
async def test_a_folder_opens_with_the_tournament_that_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If two are played, the page doesn't jump from one to the other until the first is over.

    The cards of the others have their titles and champions. A card that we have no time for only
    has the title.
    """
    wanted = {"cup": made_setup(2, format="knockout", deals=2), "league": made_setup(2, deals=2)}
    now = time.time()

    def write(name: str, until: int | None, changed: float) -> None:
        with Store.for_writing(str(tmp_path / f"{name}.sqlite")) as store:
            if not store.stages:
                store.add_stage(wanted[name])
                store.set_title(f"The {name}")
            play(store, winner_of(), until=until, most=1)
        os.utime(tmp_path / f"{name}.sqlite", (changed, changed))

    (tmp_path / "damaged.sqlite").write_text("hello")
    monkeypatch.setattr(tournaments, "IDLE", 0)  # show each change at once
    site = Site(Library([str(tmp_path)]))
    transport = httpx.ASGITransport(site.app())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

        async def front() -> tuple[str, list[tuple[str, str]]]:
            page = (await client.get("/")).text
            cards = re.findall("<article.*?</article>", page, re.DOTALL)
            named = [re.findall("<bdi>(.*?)</bdi>", card) for card in cards]
            return re.findall("<h1>(.*?)</h1>", page)[0], [(*each, "")[:2] for each in named]

        write("cup", 1, now - 9)
        write("league", 1, now - 8)
        assert (await client.get("/store/cup.sqlite?format=json")).status_code == 200
        assert not site._cards_known  # only pages have cards
        assert (await front())[0] == "The league"
        write("cup", 2, now - 7)
        assert (await front())[0] == "The league"
        write("league", None, now - 6)
        write("cup", None, now - 5)
        title, cards = await front()
        assert title == "The cup"
        assert sorted(cards) == [("The cup", "bot0"), ("The league", "bot0"), ("damaged", "")]
        monkeypatch.setattr(app, "CARD_SECONDS", 0)
        site._cards_known.clear()
        _, cards = await front()
        assert sorted(cards) == [("The cup", ""), ("The league", ""), ("damaged", "")]


def test_bots_about_which_nothing_is_known_have_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With very many bots, such rows made up most of a site."""
    monkeypatch.setattr(report_standings, "MOST_COMPARED", 3)
    with played(made_setup(8, format="knockout", deals=1)) as store:
        write_site(store, "cup", None, str(tmp_path / "site"))
        met = [{*match.players} for match in store.matches()]
    for bot in range(8):
        page = (tmp_path / "site" / "bot" / f"{bot}.html").read_text()
        table = page[page.index("<h2>Against") : page.index('<p class="dim">points: of')]
        opponents = {other for pair in met if bot in pair for other in pair} - {bot}
        assert table.count('<tr><th scope="row">') == len(opponents)
        assert f"It has not met the other {7 - len(opponents)} bot" in table
