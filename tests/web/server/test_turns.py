"""Slow pages don't delay other pages (spec/serve.md, 4)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import trio
import trio.lowlevel

from referee.web.server import library, turns
from referee.web.server.app import Site
from referee.web.server.library import Library
from referee.web.server.tournaments import Tournaments
from tests.support.live import ROOT
from tests.support.made_up import made_setup
from tests.web.server.test_pages import RECORD, stored

SLOW = "slow.sqlite"


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The page of the slow store is only computed once this event is set.

    `tmp_path` also gets a quick store and a record.
    """
    for name in (SLOW, "quick.sqlite"):
        stored(tmp_path, made_setup(2, deals=1), name)
    (tmp_path / RECORD).write_bytes((ROOT / "spec" / "examples" / RECORD).read_bytes())
    event, shown = threading.Event(), Tournaments.shown

    def waiting(self: Tournaments, file: Any) -> Any:
        if file.id == SLOW:
            event.wait()
        return shown(self, file)

    monkeypatch.setattr(Tournaments, "shown", waiting)
    yield event
    event.set()


def client_of(folder: Path) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(Site(Library([str(folder)])).app())
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000")


@pytest.mark.slow
async def test_a_slow_page_holds_up_no_other_page(
    released: threading.Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds even if many clients request the slow page. Too many of them get a 503."""
    monkeypatch.setattr(turns, "LARGE", 0)
    found: list[int] = []

    async def ask() -> None:
        found.append((await client.get(f"/store/{SLOW}")).status_code)

    with trio.fail_after(60):
        async with client_of(tmp_path) as client, trio.open_nursery() as nursery:
            for _ in range(turns.MOST_WAITING + 3):
                nursery.start_soon(ask)
            while len(found) < 2:
                await trio.lowlevel.checkpoint()
            for url in ("/store/quick.sqlite", "/store/quick.sqlite/matches", f"/match/{RECORD}"):
                assert (await client.get(url)).status_code == 200
            assert found == [503, 503]
            released.set()
    assert sorted(found) == [200] * (turns.MOST_WAITING + 1) + [503, 503]


async def test_too_many_who_ask_for_one_match_are_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / RECORD).write_bytes((ROOT / "spec" / "examples" / RECORD).read_bytes())
    async with client_of(tmp_path) as client:
        assert (await client.get(f"/match/{RECORD}/header")).status_code == 200
        monkeypatch.setattr(turns, "MOST_WAITING", 0)
        assert (await client.get(f"/match/{RECORD}/header")).status_code == 503


async def test_some_wait_behind_any_number_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream of events does, because its page is open already."""
    monkeypatch.setattr(turns, "MOST_WAITING", 0)
    (tmp_path / "file.jsonl").touch()
    files = Library([str(tmp_path)])
    files.look()
    file = files.log("file.jsonl")
    assert file is not None
    order, held = list[str](), turns.Turns()

    async def wait() -> None:
        async with held.of(file, patient=True):
            order.append("patient")

    async with trio.open_nursery() as nursery, held.of(file, patient=True):
        nursery.start_soon(wait)
        with pytest.raises(turns.BusyError):
            async with held.of(file):
                pass
        order.append("first")
    assert order == ["first", "patient"]


async def test_a_list_waits_for_few_files_that_were_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / RECORD).write_bytes((ROOT / "spec" / "examples" / RECORD).read_bytes())
    with monkeypatch.context() as changed:
        changed.setattr(library, "READ_SECONDS", -1)
        async with client_of(tmp_path) as client:
            found = (await client.get("/?format=json")).json()
    assert "not read yet" in found["matches"][0]["problem"]
    assert found["unread"] == 1


def test_a_look_at_the_folders_waits_for_no_other_look(tmp_path: Path) -> None:
    """One look may take long, e.g. on a slow disk. The others use the last result meanwhile."""
    found = Library([str(tmp_path)])
    found.look()
    with found._looking:
        found._looked -= library.LOOK_SECONDS
        found.look()
