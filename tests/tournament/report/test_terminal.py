"""Standings on a terminal: what is left out when it's narrow, and the cells of each table."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from referee.games.interface.capabilities import StatisticsTable
from referee.tournament.report import terminal, words
from referee.tournament.report.terminal import columns_needed, new_grid


def rows(grid: Any) -> list[list[str]]:
    """Return a table's heads and cells, row by row."""
    columns = [[str(column.header), *map(str, column.cells)] for column in grid.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def lines(*shown: Any, width: int = 200) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    for each in shown:
        console.print(each)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_a_table_needs_a_space_between_columns_and_some_room_for_names() -> None:
    grid = new_grid("#", "bot", "points")
    grid.add_row("10", "n" * 30, "50.0%")
    assert columns_needed(grid) == 2 + 1 + 12 + 1 + 6
    assert columns_needed(grid, 40) == 2 + 1 + 30 + 1 + 6
    grid.add_row("1,000", "n", "50.0%")
    assert columns_needed(grid) == 5 + 1 + 12 + 1 + 6


DROPPED = [
    " ".join(column.head for column in words.COLUMNS if column.dropped == step)
    for step in range(1, max(column.dropped for column in words.COLUMNS) + 1)
]


def whole_ranking() -> Any:
    """Return a table with all columns. Each cell is as wide as its head, and names are long."""
    grid = new_grid(*(column.head for column in words.COLUMNS))
    grid.add_row(*(c.head if c.head != "bot" else "n" * 30 for c in words.COLUMNS))
    return grid


def test_a_narrow_terminal_drops_columns_one_step_after_the_other() -> None:
    heads = [column.head for column in words.COLUMNS]
    for step in range(len(DROPPED) + 1):
        left = [head for head in heads if head not in " ".join(DROPPED[:step]).split(" ")]
        left = [head for head in left if head != "95% interval" or step < len(DROPPED)]
        sizes = [len(head) for head in left if head != "bot"]
        # Before the interval goes, names may get as few as 20 columns in place of 12.
        needed = sum(sizes) + len(sizes) + (20 if step == len(DROPPED) - 1 else 12)
        fitted = terminal._fitted(whole_ranking(), needed)
        assert rows(fitted)[0] == left
        assert rows(fitted)[1][left.index("bot")] == "n" * 30
        if step < len(DROPPED):
            assert rows(terminal._fitted(whole_ranking(), needed - 1))[0] != left


def test_headings_are_folded_before_numbers_are_cut() -> None:
    columns = {"bot": ["n" * 20], "mean points per match": ["1.0"]}
    assert terminal._widths(columns, 100) == {"bot": 20, "mean points per match": 21}
    assert terminal._widths(columns, 20 + 1 + 21) == {"bot": 20, "mean points per match": 21}
    assert terminal._widths(columns, 20 + 1 + 20) == {"bot": 20, "mean points per match": 20}
    assert terminal._widths(columns, 20 + 1 + 3) == {"bot": 20, "mean points per match": 3}
    assert terminal._widths(columns, 20 + 1 + 2) == {"bot": 19, "mean points per match": 3}
    assert terminal._widths(columns, 5) == {"bot": 6, "mean points per match": 3}
    assert terminal._widths({"a": ["1"]}, 0) == {"a": 1}


def test_the_rows_of_a_games_table_about_one_bot_have_no_name() -> None:
    table = StatisticsTable(
        "Cards", ["bot", "card", "share"], [("a", "moat", 0.5), ("b", "mine", None)], {"share"}
    )
    assert lines(*terminal.table_text(table, 80))[1:] == [
        "Cards",
        "bot card share",
        "a   moat 50.0%",
        "b   mine     -",
    ]
    assert lines(*terminal.table_text(table, 80, "b"))[1:] == ["Cards", "card share", "mine     -"]
    assert [*terminal.table_text(table, 80, "c")] == []


def bot(name: str, rank: int, **fields: Any) -> Any:
    plain = {"matches": 4, "deals": 5, "tournaments": []}
    return SimpleNamespace(name=name, rank=rank, **(plain | fields))


def met(matches: int = 4, wins: int = 1, draws: int = 1, losses: int = 2) -> Any:
    points = wins + draws / 2
    return SimpleNamespace(matches=matches, wins=wins, draws=draws, losses=losses, points=points)


def three(**fields: Any) -> Any:
    bots = [bot("a", 1), bot("b\x1b", 2), bot("c", 3)]
    plain = {
        "bots": bots,
        "head_to_head": {"a": {"b\x1b": met(), "c": met(4_000, 4_000, 0, 0)}, "b\x1b": {}, "c": {}},
        "apart": lambda one, other: SimpleNamespace(elo=-7.4, low=-50.0, high=None, los=0.25),
        "left_out": {},
        "withdrawn": {},
        "sandbox": "none",
        "matches": 8,
    }
    return SimpleNamespace(**(plain | fields))


def test_a_cell_of_the_matrix_is_a_share_of_the_row_against_the_column() -> None:
    found = three()
    assert rows(terminal._matrix(found, found.bots)) == [
        ["#", "bot", "1", "2", "3"],
        ["1", "a", "-", "37.5%", "100.0%"],
        ["2", "b?", "-", "-", "-"],
        ["3", "c", "-", "-", "-"],
    ]
    short = terminal._matrix(found, found.bots[:2], is_short=True)
    assert rows(short)[1] == ["1", "a", "-", "38"]
    assert short.columns[1].max_width == 8


def test_a_bot_is_compared_with_each_other_bot() -> None:
    found = three()
    cells = rows(terminal._against(found.bots[0], found))
    assert cells[1:] == [
        ["b?", "4", "1", "1", "2", "37.5%", "-7", "-50 or more", "25.0%"],
        ["c", "4,000", "4,000", "0", "0", "100.0%", "-7", "-50 or more", "25.0%"],
    ]
    found.bots[0].deals, found.bots[2].deals = 4, 5
    assert rows(terminal._against(found.bots[2], found))[1] == [
        *("a", "0", "-", "-", "-", "-", "-7", "too few to say", "25.0%")
    ]
    found.apart = lambda one, other: SimpleNamespace(elo=None, low=None, high=None, los=None)
    assert rows(terminal._against(found.bots[1], found))[2][-3:] == ["-", "-", "-"]


NO_FACTS: Any = SimpleNamespace(
    reported_names=["a"],
    mean_score=None,
    mean_reply=None,
    reply_99=None,
    faults={},
    disqualified={},
    reached={},
    first_disqualifications=[],
)


def text(found: Any, *, losses: Any = (), **facts: Any) -> list[str]:
    known = SimpleNamespace(**(vars(NO_FACTS) | facts))
    return lines(*terminal.bot_text(found.bots[0], found, known, [], losses, 80))


def test_the_page_of_a_bot_begins_with_its_name_and_what_keeps_it_from_playing() -> None:
    assert text(three())[:2] == ["a: rank 1 of 3", ""]
    named = text(three(), reported_names=["x", "y\x1b"])
    assert named[:2] == ["a: rank 1 of 3", "It calls itself x, y?."]
    assert text(three(), reported_names=[])[1] == ""
    assert text(three(left_out={"a": "gone"}))[1] == "Left out of the last run: gone"
    none = three()
    none.bots[0].matches = 0
    assert text(none) == ["a: rank 1 of 3", "It has no matches."]


def test_matches_to_learn_from_end_with_their_command() -> None:
    losses = [SimpleNamespace(match=3, against=["b", "c"], why="lost", command="referee play a b")]
    said = text(three(), losses=losses)
    assert said[-4:] == [
        "",
        "Matches to learn from:",
        "match 3 against b, c: lost",
        "  referee play a b",
    ]
    assert "Matches to learn from:" not in text(three())


@pytest.fixture
def season(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A season of three tournaments whose words are as short as possible."""
    shown = {
        "head": lambda each, found: each,
        "rating": lambda each: each,
        "change": lambda each: "+1",
        "change_interval": lambda each: "c",
        "whole_rating": lambda each: "w",
    }
    for name, function in shown.items():
        monkeypatch.setattr(terminal.season_words, name, function)
    monkeypatch.setattr(terminal.words, "rating_interval", lambda each: "i")
    names = ["t1", "t2", "t3"]
    return SimpleNamespace(tournaments=names, bots=[bot("a", 1, tournaments=names, matches=9)])


def test_a_narrow_season_drops_matches_old_tournaments_and_then_intervals(season: Any) -> None:
    """The interval of all tournaments together is the last one to go."""
    interval = "95% interval"
    tables = [
        (["t1", "t2", "t3", "change", interval, "all", interval, "matches"], 0),
        (["t1", "t2", "t3", "change", interval, "all", interval], 0),
        (["t2", "t3", "change", interval, "all", interval], 1),
        (["t3", "change", interval, "all", interval], 2),
        (["t3", "change", "all", interval], 2),
        (["t3", "change", "all"], 2),
    ]
    for heads, missing in tables:
        whole = terminal._season_table(season, missing, 3)
        assert rows(whole)[0][:2] == ["#", "bot"]
        width = 1 + 1 + len("bot") + sum(1 + len(head) for head in heads)
        table, left = terminal._fitted_season(season, width)
        assert (rows(table)[0][2:], left) == (heads, missing)
        if len(heads) > 3:
            narrower, _ = terminal._fitted_season(season, width - 1)
            assert rows(narrower)[0][2:] != heads


def test_the_cells_of_a_season(season: Any) -> None:
    assert rows(terminal._season_table(season, 1, 3))[1] == [
        *("1", "a", "t2", "t3", "+1", "c", "w", "i", "9")
    ]


def test_each_seat_has_its_points_and_its_score() -> None:
    points = SimpleNamespace(share=0.5, low=0.4, high=0.6)
    seat = SimpleNamespace(
        wins=1_000, draws=2, losses=3, score=4.04, score_low=None, score_high=1.0
    )
    both = SimpleNamespace(**(vars(seat) | {"score_low": 3.0, "score_high": 5.04}))
    found: Any = SimpleNamespace(seats=[points, points], by_seat=[seat, both])
    assert rows(terminal._by_seat(found))[1:] == [
        ["1", "50.0%", "40.0 to 60.0", "1,000", "2", "3", "4.0", "-"],
        ["2", "50.0%", "40.0 to 60.0", "1,000", "2", "3", "4.0", "3.0 to 5.0"],
    ]


def test_a_row_of_the_bracket_names_the_winner_first() -> None:
    pair = SimpleNamespace(
        round="final", bots=("a\x1b", "b"), points=(1, 3), winner="b", is_over=True, is_level=False
    )
    table: Any = SimpleNamespace(rounds={"final": [pair]})
    assert rows(terminal._bracket(table))[1] == ["final", "b", "3 to 1", "a?"]


def headings(monkeypatch: pytest.MonkeyPatch, most: int | None, **fields: Any) -> list[str]:
    """Return the headings of the sections of these standings."""
    names = {"headline": "headline", "duel": ["duel"], "sprt": ["test"], "legend": ["legend"]}
    for name, said in (names | {"remarks": ["remark"]}).items():
        monkeypatch.setattr(words, name, lambda *found, said=said: said)
    monkeypatch.setattr(terminal, "ranking", lambda found, width: "ranking")
    plain = {"swiss": None, "knockout": None, "by_seat": None, "position": "r"}
    shown = terminal.standings_text(three(**(plain | fields)), NO_FACTS, 80, most)
    return [str(each) for each in shown if each and isinstance(each, str | Text)]


ALWAYS = ["headline", "ranking", "legend", "duel", "test", "remark"]
MATRIX = ["Points of the row against the column:"]


@pytest.mark.parametrize(
    ("most", "fields", "said"),
    [
        (None, {}, [*ALWAYS, *MATRIX]),
        (2, {}, [*ALWAYS, *MATRIX]),
        (1, {}, ALWAYS),
        (None, {"matches": 0}, ["headline", "duel", "test", "remark"]),
        (None, {"bots": [bot("a", 1), bot("c", 2)]}, ALWAYS),
        (
            None,
            {"swiss": SimpleNamespace(rounds=2, places=[])},
            [
                *ALWAYS[:-1],
                "After 2 rounds, by points:",
                words.SWISS_LEGEND,
                "remark",
                *MATRIX,
            ],
        ),
        (None, {"swiss": SimpleNamespace(rounds=0, places=[])}, [*ALWAYS, *MATRIX]),
        (None, {"knockout": SimpleNamespace(pairs=[], rounds={})}, [*ALWAYS, *MATRIX]),
    ],
)
def test_a_section_is_shown_if_there_is_something_in_it(
    most: int | None, fields: dict[str, Any], said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert headings(monkeypatch, most, **fields) == said


@pytest.mark.parametrize(
    ("count", "most", "is_shown"), [(10, None, True), (11, None, False), (11, 11, True)]
)
def test_a_matrix_of_many_bots_is_shown_on_request(
    count: int, most: int | None, is_shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [bot(f"b{number}", number) for number in range(count)]
    fields = {"bots": bots, "head_to_head": {each.name: {} for each in bots}}
    assert (headings(monkeypatch, most, **fields)[-1] in MATRIX) == is_shown
