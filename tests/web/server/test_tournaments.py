"""What the pages of tournaments read from stores, and what they keep of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from referee.logs.record import Place
from referee.tournament.report.report import match_context
from referee.tournament.rows import Entrant, MatchRow, Plan
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.web.data import Item
from referee.web.server import tournaments
from referee.web.server.app import Site
from referee.web.server.library import File, Library
from referee.web.server.tournaments import MatchesChosen, Tournaments
from tests.support.made_up import Left, left, made_setup, row


def plan(match: int, *players: int) -> Plan:
    return Plan(match, match // 2, 1, players)


def made_store(folder: Path, rows: Sequence[MatchRow], name: str = "night.sqlite") -> File:
    with Store.for_writing(str(folder / name)) as store:
        store.add_stage(made_setup(3, deals=4))
        store.add(rows)
    library = Library([str(folder)])
    library.look()
    file = library.store(name)
    assert file is not None
    return file


OUT: list[Left | None] = [left(), None]


@pytest.mark.parametrize(
    ("chosen", "matches"),
    [
        (MatchesChosen(), [6, 5, 4, 2, 1, 0]),
        (MatchesChosen(0), [6, 5, 4, 2, 1, 0]),
        (MatchesChosen(1), [6, 2, 1, 0]),
        (MatchesChosen(2), [5, 4]),
        (MatchesChosen(0, 2), [5, 4]),
        (MatchesChosen(1, 2), []),
        (MatchesChosen(0, result="won"), [5, 4, 0]),
        (MatchesChosen(1, result="won"), [6, 2]),
        (MatchesChosen(0, 1, result="won"), [0]),
        (MatchesChosen(0, result="drawn"), [1]),
        (MatchesChosen(1, result="drawn"), [1]),
        (MatchesChosen(0, result="lost"), [6, 2]),
        (MatchesChosen(1, result="lost"), [0]),
        (MatchesChosen(0, result="disqualified"), [2]),
        (MatchesChosen(1, result="disqualified"), []),
        (MatchesChosen(result="disqualified"), [2]),
        (MatchesChosen(result="drawn"), [1]),
        (MatchesChosen(2, result="faults"), [5]),
        (MatchesChosen(0, result="faults"), []),
        (MatchesChosen(reason="turn-limit"), [6, 0]),
        (MatchesChosen(0, result="won", reason="turn-limit"), [0]),
    ],
)
def test_matches_are_chosen_newest_first_and_by_page(
    chosen: MatchesChosen, matches: list[int], tmp_path: Path
) -> None:
    limit = "turn-limit"
    file = made_store(
        tmp_path,
        [
            row(plan(0, 0, 1), [1, 2], reason=limit),
            row(plan(1, 1, 0), [1, 1]),
            row(plan(2, 0, 1), [2, 1], left=OUT),
            row(plan(3, 0, 1), [1, 1], left=OUT, void=True, reason=limit),
            row(plan(4, 0, 2), [1, 2]),
            row(plan(5, 2, 0), [2, 1], faults=[{"late": 1}, {}]),
            row(plan(6, 0, 1), [2, 1], reason=limit),
        ],
    )
    for first, count in ((0, 50), (0, 1), (1, 2)):
        total, found = Tournaments().matches(file, chosen, first, count)
        assert total == len(matches)
        assert [line.match for line in found] == matches[first : first + count]


@pytest.mark.parametrize(
    ("match", "deal", "before", "after"),
    [(0, [0, 1], None, 1), (1, [0, 1], 0, 4), (4, [4, 5], 1, 5), (5, [4, 5], 4, None)],
)
def test_a_match_has_its_deal_and_its_neighbours(
    match: int, deal: list[int], before: int | None, after: int | None
) -> None:
    with Store.in_memory() as store:
        store.add_stage(made_setup(3, deals=4))
        store.add([row(plan(number, 0, 1)) for number in (0, 1, 4, 5)])
        found = match_context(store, "night", match)
    assert [each.match for each in found.deal] == deal
    assert (found.before and found.before.match) == before
    assert (found.after and found.after.match) == after


@pytest.mark.slow
def test_the_stores_viewed_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "_KEPT", 2)
    rows = [row(plan(number, 0, 1)) for number in range(2)]
    files = [made_store(tmp_path, rows, f"{name}.sqlite") for name in "abc"]
    known = Tournaments()
    first, second, third = (known.shown(file) for file in files)
    assert known.cached(files[0]) is None
    assert known.cached(files[2]) is third
    assert known.cached(files[1]) is second  # so this is the one viewed last
    again = known.shown(files[0])
    assert again is not first
    assert [known.cached(file) is None for file in files] == [False, False, True]
    seasons = [files[:2], files[1:], files[::2]]
    found = [known.season(stores) for stores in seasons]
    assert known.season(seasons[2]) is found[2]
    assert known.season(seasons[1]) is found[1]
    assert known.season(seasons[0]) is not found[0]
    assert known.season(seasons[1]) is found[1]


def test_details_of_an_older_state_are_not_kept_for_a_newer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store changes while one thread reads it, and another thread has read it again."""
    monkeypatch.setattr(tournaments, "IDLE", 0)
    file = made_store(tmp_path, [row(plan(0, 0, 1))])
    shown, opened = Tournaments(), tournaments._opened

    @contextmanager
    def slow(file: File) -> Iterator[Store]:
        with opened(file) as store:
            yield store
        monkeypatch.setattr(tournaments, "_opened", opened)
        with Store.for_writing(file.path) as store:
            store.add([row(plan(1, 1, 0))])
        shown.shown(file)

    shown.shown(file)
    monkeypatch.setattr(tournaments, "_opened", slow)
    assert [shown.detailed(file).facts.matches for _ in range(2)] == [1, 2]


async def test_a_bot_with_a_long_name_is_chosen_by_its_beginning(tmp_path: Path) -> None:
    """An address has only the first 200 characters of a name."""
    name = "x" * 201
    with Store.for_writing(str(tmp_path / "night.sqlite")) as store:
        entrants = [Entrant(name, "./a"), Entrant("b", "./b"), Entrant("c", "./c")]
        store.add_stage(setup(entrants, game="dominion", seed=1, deals=1))
        store.add([row(plan(0, 0, 1)), row(plan(2, 1, 2))])
    transport = httpx.ASGITransport(Site(Library([str(tmp_path)])).app())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for bot in (name, name[:200]):
            found = await client.get(f"/store/night.sqlite/matches?bot={bot}&format=json")
            assert found.json()["total"] == 1


def test_a_match_in_progress_belongs_to_the_store_that_does_not_have_it_yet(
    tmp_path: Path,
) -> None:
    file = made_store(tmp_path, [row(plan(0, 0, 1))])
    known = Tournaments()
    own = made_setup(3, deals=4).digest
    for place, found in (
        (Place(own, 1), ["night.sqlite"]),
        (Place(own, 0), []),
        (Place("sha256:other", 1), []),
        (None, []),
    ):
        assert known.playing([file], place) == found


def test_a_record_is_a_match_of_a_store_by_its_digest(tmp_path: Path) -> None:
    """A claim that was found to be false is none. Its place only tells equal matches apart."""
    own = made_setup(3, deals=4).digest
    rows = [row(plan(number, 0, 1), digest=f"sha256:{number // 2}") for number in range(4)]
    file = made_store(tmp_path, rows)
    known = Tournaments()
    for digest, checked, place, match in (
        ("sha256:1", None, None, 2),
        ("sha256:1", True, Place(own, 3), 3),
        ("sha256:1", True, Place(own, 0), 2),
        ("sha256:1", False, Place(own, 3), None),
        ("sha256:9", None, Place(own, 3), None),
        ("", None, None, None),
        ("", None, Place(own, 3), None),  # the store has this match of its own
    ):
        item = Item("game", "record", digest=digest, checked=checked, place=place)
        context = known.context([file], item)
        assert (context and context.match) == match


async def test_a_season_has_two_tournaments_or_more_but_not_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.web.server.app.MOST_IN_SEASON", 2)
    for name in "abc":
        made_store(tmp_path, [row(plan(0, 0, 1))], f"{name}.sqlite")
    transport = httpx.ASGITransport(Site(Library([str(tmp_path)])).app())
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for names, status in (("aa", 404), ("aab", 200), ("abc", 404)):
            query = "&".join(f"store={name}.sqlite" for name in names)
            answer = await client.get(f"/season?format=json&{query}")
            assert answer.status_code == status
