"""The server's pages and JSON, and the requests that it refuses."""

from __future__ import annotations

import gzip
import html
import json
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import msgspec
import pytest

import referee
from referee import cli
from referee.games.botwars.statistics import _COUNTS as FIGURES
from referee.match.position import Position
from referee.tournament.rating.sprt import Sprt
from referee.tournament.report.report import MatchContext
from referee.tournament.rows import WORKER_KILLED, Entrant, MatchRow, Plan, unplayed_row
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.web.pages import pages
from referee.web.pages.links import ServedLinks
from referee.web.server import app as application
from referee.web.server import guard, library, tournaments
from referee.web.server.app import Site
from referee.web.server.library import Library
from referee.web.server.tournaments import Tournaments
from tests.support.damage import log_of
from tests.support.helpers import cautious
from tests.support.live import ROOT
from tests.support.made_up import Left, made_setup, play, row

EXAMPLES = ROOT / "spec" / "examples"
RECORD = "two-players.record.jsonl"
NAMES = ["Big Money", "Village Engine"]
HOSTILE = "<script>alert(1)</script>\u202e\x1b[2J</title><!--"
ADDRESS = re.compile(r'(?:href|src|action)="([^"]*)"')


@asynccontextmanager
async def serving(*names: Path | str, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    site = Site(Library([str(name) for name in names]))
    transport = httpx.ASGITransport(site.app(**options))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client


def stored(
    folder: Path, wanted: TournamentSetup, name: str = "night.sqlite", result: Any = row
) -> Path:
    path = folder / name
    with Store.for_writing(str(path)) as store:
        store.add_stage(wanted)
        play(store, result)
    return path


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder with a record and a spectator log."""
    folder = tmp_path / "records"
    folder.mkdir()
    for file in EXAMPLES.glob("*-players.*.jsonl"):
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def bot(message: Mapping[str, Any]) -> Any:
    if message["type"] == "player-name-request":
        number = message["player_number"]
        name = NAMES[int(number[-1]) - 1]
        return {"type": "player-name-reply", "player_number": number, "name": name}
    return cautious(message)


@pytest.fixture(scope="session")
def short(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The record of a match of two turns. Pages of it cost little."""
    return record_of_two_turns(tmp_path_factory.mktemp("short"), seed=1)


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return record_of_two_turns(tmp_path_factory.mktemp("other"), seed=2)


def record_of_two_turns(folder: Path, seed: int) -> bytes:
    path = folder / "two-turns"
    referee.play_match([bot, bot], seed=seed, options={"max_turns": 2}, record=path)
    return path.read_bytes()


def digest_of(record: bytes) -> str:
    digest: str = json.loads(record.splitlines()[-1])["digest"]
    return digest


async def got(client: httpx.AsyncClient, url: str, status: int = 200) -> httpx.Response:
    answer = await client.get(url)
    assert answer.status_code == status, answer.text
    return answer


async def parsed(client: httpx.AsyncClient, url: str, status: int = 200) -> Any:
    answer = await got(client, url, status)
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


async def test_a_tournament_is_live_while_its_store_is_written(tmp_path: Path) -> None:
    """While a tournament runs, SQLite only writes to the `-wal` file, so the store looks old."""
    path = tmp_path / "night.sqlite"
    with Store.for_writing(str(path)) as store:
        store.add_stage(made_setup(2, deals=9))
        play(store, until=4)
        os.utime(path, (0, 0))
        async with serving(tmp_path) as client:
            assert ">LIVE<" in (await got(client, "/store/night.sqlite")).text
        os.utime(f"{path}-wal", (0, 0))
        async with serving(tmp_path) as client:
            assert ">LIVE<" not in (await got(client, "/store/night.sqlite")).text


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wanted",
    [
        made_setup(3, deals=2),
        made_setup(3, players=3, deals=2),
        made_setup(4, format="swiss", rounds=1, deals=1),
        made_setup(4, format="knockout", deals=1),
        made_setup(2, format="sprt", sprt=Sprt(0, 60), deals=5),
    ],
    ids=lambda wanted: f"{wanted.format} of {len(wanted.bots)}, {wanted.players}",
)
async def test_the_figures_are_those_of_the_command(
    wanted: TournamentSetup, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path, wanted)
    assert cli.main(["standings", str(path), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert cli.main(["standings", str(path), "--format", "json", "--statistics"]) == 0
    detailed = json.loads(capsys.readouterr().out)["statistics"]
    assert all("reply_99" in bot for bot in detailed["bots"].values())
    async with serving(tmp_path) as client:
        whole = await parsed(client, "/store/night.sqlite?format=json")
        history = whole.pop("history")
        assert whole.pop("playing") == []
        assert whole.pop("evening")["form"].keys() == whole["statistics"]["bots"].keys()
        assert whole == printed
        assert await parsed(client, "/store/night.sqlite/statistics?format=json") == detailed
        for bot in printed["bots"][:2]:
            assert history["ratings"][bot["name"]][-1] == bot["rating"]
            number = [entrant.name for entrant in wanted.bots].index(bot["name"])
            one = await parsed(client, f"/store/night.sqlite/bot/{number}?format=json")
            assert one["bot"] == bot
            assert one["statistics"] == detailed["bots"][bot["name"]]
            assert one["notable_losses"] == printed["notable_losses"][bot["name"]]
            assert one["head_to_head"] == printed["head_to_head"][bot["name"]]
            for result, count in (("won", "wins"), ("drawn", "draws"), ("lost", "losses")):
                query = f"bot={bot['name']}&result={result}&format=json"
                listed = await parsed(client, f"/store/night.sqlite/matches?{query}")
                assert listed["total"] == bot[count]
        pair = await parsed(client, "/store/night.sqlite/pair/0/1?format=json")
        assert pair["head_to_head"] == printed["head_to_head"]["bot0"].get("bot1")
        assert pair["total"] == (pair["head_to_head"] or {"matches": 0})["matches"]


async def test_the_page_of_a_bot_has_its_rows_of_the_games_tables(tmp_path: Path) -> None:
    counts = dict.fromkeys(FIGURES, 4) | {"spawn_disabled": 1}

    def result(plan: Plan) -> MatchRow:
        return row(plan, statistics=[msgspec.json.encode(counts)] * 2)

    stored(tmp_path, made_setup(3, game="botwars", deals=2, players=2), result=result)
    async with serving(tmp_path) as client:
        for number in range(3):
            page = (await client.get(f"/store/night.sqlite/bot/{number}")).text
            table = page.partition("Botlets and energy")[2].partition("</table>")[0]
            headings = re.findall("<th>", table)
            rows = table.split("<tr>")[2:]
            assert rows
            assert all(len(re.findall("<td", each)) == len(headings) for each in rows)


LEFT_OUT = {"bot0": "bots/eli is not built", "bot1": "<i>zoe</i>: exit code 1"}


def left_out(folder: Path) -> Path:
    """Return a store whose last run excluded two bots."""
    path = stored(folder, made_setup(4, deals=1))
    with Store.for_writing(str(path)) as store:
        store.leave_out(LEFT_OUT)
    return path


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_every_format_names_the_bots_that_were_left_out(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["standings", str(left_out(tmp_path)), "--format", form]) == 0
    said = capsys.readouterr().out
    if form == "json":
        assert json.loads(said)["left_out"] == LEFT_OUT
        return
    if form == "html":
        assert "&lt;i&gt;zoe&lt;/i&gt;: exit code 1</strong>" in said
        said = html.unescape(re.sub("<[^>]*>", "", said))
    said = " ".join(said.split())
    assert "; 2 left out" in said
    assert "bot0 (left out)" in said
    assert all(f"Left out of the last run: {reason}" in said for reason in LEFT_OUT.values())


def test_the_part_on_a_bot_says_why_it_was_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "night.sqlite"
    with Store.for_writing(str(path)) as store:
        store.add_stage(made_setup(2, deals=1))
        store.leave_out(LEFT_OUT)
    assert cli.main(["standings", str(path), "--bot", "bot0"]) == 0
    part = " ".join(capsys.readouterr().out.partition("bot0: rank")[2].split())
    assert part.endswith("Left out of the last run: bots/eli is not built It has no matches.")


async def test_the_served_pages_name_the_bots_that_were_left_out(tmp_path: Path) -> None:
    left_out(tmp_path)
    async with serving(tmp_path) as client:
        page = (await got(client, "/store/night.sqlite")).text
        of_bot = (await got(client, "/store/night.sqlite/bot/0")).text
        found = (await got(client, "/store/night.sqlite?format=json")).json()
    assert "Left out of the last run: bots/eli is not built</strong>" in page
    assert "Left out of the last run:</strong> <bdi>bots/eli is not built</bdi>" in of_bot
    assert found["left_out"] == LEFT_OUT


async def test_the_served_pages_show_withdrawn_bots_and_forfeits(tmp_path: Path) -> None:
    def result(plan: Plan) -> MatchRow:
        reasons = [Left("exited", "", []) if bot == 1 else None for bot in plan.players]
        return row(plan, left=reasons)

    stored(tmp_path, made_setup(3, deals=4, withdraw_after=3), result=result)
    says = "is withdrawn: it was disqualified in 3 consecutive matches (exited), the last is match"
    async with serving(tmp_path) as client:
        page = (await got(client, "/store/night.sqlite")).text
        assert "bot1 " + says in page
        assert '<th class="n more">forfeits' in page
        assert " (withdrawn)" in page
        # All matches have been played, so the command with the seed is public.
        assert "<dt>Command" in page
        bot = (await got(client, "/store/night.sqlite/bot/1")).text
        assert "It " + says in bot
        assert re.search(r"<b>-\d+</b> forfeits", bot)
        (found,) = [
            bot
            for bot in (await parsed(client, "/store/night.sqlite?format=json"))["bots"]
            if bot["name"] == "bot1"
        ]
        assert found["matches"] == 3
        assert found["forfeits_lost"] > 0


@pytest.mark.slow
async def test_the_file_and_the_served_page_say_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path, made_setup(3, deals=2, settings={"stderr_limit": "none"}))
    assert cli.main(["standings", str(path), "--format", "html"]) == 0
    file = capsys.readouterr().out
    async with serving(tmp_path) as client:
        page = (await got(client, "/store/night.sqlite")).text

    def ranking(text: str) -> str:
        (table,) = re.findall(r'<table class="ranking">.*?</table>', text, re.DOTALL)
        return " ".join(html.unescape(re.sub("<[^>]*>", " ", table)).split())

    assert ranking(file) == ranking(page)
    assert "<code>stderr_limit none</code>" in file
    assert "<code>stderr_limit none</code>" in page
    assert re.findall('<svg class="curves".*?</svg>', file) == re.findall(
        '<svg class="curves".*?</svg>', page
    )
    assert "<script" not in file
    assert all(link.startswith("#") for link in ADDRESS.findall(file))


# --- what is there --------------------------------------------------------------------------------


@pytest.mark.slow
async def test_readers_of_the_same_state_share_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = made_setup(3, deals=2)
    path = stored(tmp_path, wanted)
    rendered = []
    render = pages.standings_page
    monkeypatch.setattr(
        pages, "standings_page", lambda *args, **more: rendered.append(1) or render(*args, **more)
    )
    monkeypatch.setattr(tournaments, "IDLE", 0)
    async with serving(tmp_path) as client:
        first = (await got(client, "/")).text
        assert (await got(client, "/store/night.sqlite")).text == first
        assert len(rendered) == 1
        with Store.for_writing(str(path)) as store:
            store.add_stage(msgspec.structs.replace(wanted, deals=3))
            play(store)
        assert (await got(client, "/")).text != first


async def test_the_seed_is_hidden_until_all_is_played(tmp_path: Path) -> None:
    """With the seed, one could predict how the remaining matches are shuffled."""
    with Store.for_writing(str(tmp_path / "night.sqlite")) as store:
        store.add_stage(made_setup(2, deals=2, seed=987654321))
        async with serving(tmp_path) as client:
            assert "987654321" not in (await got(client, "/store/night.sqlite")).text
            assert (await parsed(client, "/store/night.sqlite?format=json"))["seed"] is None
        play(store)
    async with serving(tmp_path) as client:
        assert "--seed 987654321" in (await got(client, "/store/night.sqlite")).text
        assert (await parsed(client, "/store/night.sqlite?format=json"))["seed"] == 987654321


async def test_the_seed_stays_hidden_when_a_bot_is_out(tmp_path: Path) -> None:
    def result(plan: Plan) -> MatchRow:
        return unplayed_row(plan, {2}, WORKER_KILLED, "") if 2 in plan.players else row(plan)

    with Store.for_writing(str(tmp_path / "night.sqlite")) as store:
        store.add_stage(made_setup(3, deals=4, seed=987654321))
        play(store, result, until=5, jobs=1, most=1)
        assert store.bots_out() == {2}
        async with serving(tmp_path) as client:
            assert "987654321" not in (await got(client, "/store/night.sqlite")).text
        play(store, result)
        assert store.count()[0] < 24  # the other matches of this bot are not played
    async with serving(tmp_path) as client:
        assert "--seed 987654321" in (await got(client, "/store/night.sqlite")).text


async def test_the_list_has_records_logs_and_stores(records: Path) -> None:
    stored(records, made_setup(2, deals=1))
    (records / "cut.record.jsonl").write_bytes(
        b"".join((EXAMPLES / RECORD).read_bytes().splitlines(keepends=True)[:40])
    )
    os.utime(records / "cut.record.jsonl", (0, 0))  # the mtime is old, so nobody is writing to it
    (records / "notes.jsonl").write_text("hello\n")
    (records / "no.sqlite").write_text("hello\n")
    (records / "page.html").write_text("<p>")
    async with serving(records) as client:
        found = await parsed(client, "/?format=json")
        page = "".join([(await got(client, path)).text for path in ("/", "/matches")])
    items = {item["id"]: item for item in found["matches"]}
    assert sorted(items) == [
        "cut.record.jsonl",
        "four-players.log.jsonl",
        "four-players.record.jsonl",
        "notes.jsonl",
        "two-players.log.jsonl",
        RECORD,
    ]
    record, log = items[RECORD], items["two-players.log.jsonl"]
    assert record["names"] == log["names"] == ["Big Money", "Village Engine"]
    assert record["scores"] == log["scores"] == [27, 39]
    assert record["reason"] == log["reason"] == "provinces-empty"
    assert record["ranks"] == log["ranks"] == [2, 1]
    assert (record["kind"], log["kind"]) == ("record", "log")
    assert record["game"] == log["game"] == "dominion"
    assert items["cut.record.jsonl"]["reason"] == ""
    assert "neither" in items["notes.jsonl"]["problem"]
    stores = {store["id"]: store for store in found["tournaments"]}
    assert stores["night.sqlite"]["matches"] == 2
    assert "cannot use no.sqlite as a store" in stores["no.sqlite"]["problem"]
    assert str(records) not in page + json.dumps(found)
    assert "not finished" in page


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("search=two&bot=village", {RECORD, "two-players.log.jsonl"}),
        ("search=two&bot=village&result=won", {RECORD, "two-players.log.jsonl"}),
        ("search=two&bot=village&result=lost", set()),
        ("search=two&result=lost", {RECORD, "two-players.log.jsonl"}),
        ("search=FOUR-players", {"four-players.record.jsonl", "four-players.log.jsonl"}),
        ("reason=provinces-empty&search=two", {RECORD, "two-players.log.jsonl"}),
        ("reason=no-players", set()),
        ("result=unfinished", set()),
        ("page=2", set()),
    ],
)
async def test_filters(query: str, ids: set[str], records: Path) -> None:
    async with serving(records) as client:
        found = await parsed(client, f"/?{query}&format=json")
    assert {item["id"] for item in found["matches"]} == ids


async def test_pages_of_a_list(tmp_path: Path, short: bytes) -> None:
    for number in range(application.ON_A_PAGE + 1):
        (tmp_path / f"{number:03}.jsonl").write_bytes(short)
        os.utime(tmp_path / f"{number:03}.jsonl", (number, number))
    async with serving(tmp_path) as client:
        first, second = [await parsed(client, f"/?page={page}&format=json") for page in (1, 2)]
        page = (await got(client, "/?page=2&bot=money")).text
    assert [item["id"] for item in second["matches"]] == ["000.jsonl"]
    assert first["matches"][0]["id"] == "050.jsonl"
    assert first["total"] == 51
    assert 'rel="prev" href="/?bot=money"' in page
    assert 'rel="next"' not in page


async def test_a_file_that_changes_is_read_again(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "LOOK_SECONDS", 0)
    async with serving(records) as client:
        await got(client, "/")
        (records / RECORD).write_bytes((EXAMPLES / "four-players.record.jsonl").read_bytes())
        (records / "four-players.record.jsonl").unlink()
        found = await parsed(client, "/?search=record&format=json")
    (item,) = found["matches"]
    assert (item["id"], len(item["names"])) == (RECORD, 4)


async def test_lost_matches_can_be_watched(records: Path) -> None:
    """Records are found by the digest in the store. The name of the file doesn't matter."""
    digest = json.loads((records / RECORD).read_bytes().splitlines()[-1])["digest"]

    def result(plan: Plan) -> MatchRow:
        return row(plan, [1, 2] if plan.match else [2, 1], digest=digest if plan.match == 0 else "")

    stored(records, made_setup(2, deals=6), result=result)
    async with serving(records) as client:
        page = (await got(client, "/store/night.sqlite/matches")).text
        assert page.count(f'href="/match/{RECORD}"') == 1
        assert page.count("not kept") == 11
        assert page.count("not checked") == 1
        listed = await parsed(client, "/store/night.sqlite/matches?format=json")
        assert listed["matches"][-1]["record"] == RECORD


async def test_bots_have_the_names_that_the_organiser_gave(tmp_path: Path, short: bytes) -> None:
    """Once the record is checked, the organiser's names replace the names that the bots report."""
    records = tmp_path
    (records / RECORD).write_bytes(short)
    header, *_, end = (json.loads(line) for line in short.splitlines())
    own = [player["name"] for player in end["players"]]
    digest = end["digest"]

    def result(plan: Plan) -> MatchRow:
        return row(plan, names=own, digest=digest if plan.match == 0 else "")

    async with serving(records) as client:
        page = (await got(client, f"/?search={header['bots'][0]}")).text
        assert set(own) <= set(re.findall(r"<bdi>([^<]*)</bdi>", page))
    bots = [Entrant("anna", "a"), Entrant("ben", "b")]
    stored(records, setup(bots, game="dominion", deals=1, seed=1), result=result)
    async with serving(records) as client:
        page = (await got(client, "/?search=two-players.record")).text
        assert "not checked" in page
        assert "<bdi>anna</bdi>" not in page
        match = await parsed(client, f"/match/{RECORD}?format=json")
        page = (await got(client, "/?search=two-players.record")).text
    assert "not checked" not in page
    assert match["header"]["tournaments"] == ["night.sqlite"]
    assert {"anna", "ben"} <= set(re.findall(r"<bdi>([^<]*)</bdi>", page))
    assert sorted(seat["name"] for seat in match["header"]["seats"]) == ["anna", "ben"]
    assert match["header"]["title"] in ("anna vs ben", "ben vs anna")
    assert own[0] not in json.dumps(match["turns"])


def with_digest(record: bytes, digest: str) -> bytes:
    """Return the record's bytes with another digest in its last line, as in a forgery."""
    return re.sub(rb"sha256:[0-9a-f]{64}", digest.encode(), record)


async def test_a_record_that_only_claims_a_digest_is_no_match_of_a_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: bytes, other: bytes
) -> None:
    """The digest is checked when the record is shown, or if a second file has the same digest."""
    monkeypatch.setattr(library, "LOOK_SECONDS", 0)
    digest = digest_of(short)
    wanted = setup([Entrant("anna", "a"), Entrant("ben", "b")], game="dominion", deals=1, seed=1)
    out = [Left("exited", "it ended", ["oh no"]), None]
    stored(
        tmp_path,
        wanted,
        result=lambda plan: row(plan, left=out, digest="" if plan.match else digest),
    )
    forged, honest = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    forged.write_bytes(with_digest(other, digest))
    matches = "/store/night.sqlite/matches"
    async with serving(tmp_path) as client:
        (listed,) = (await parsed(client, "/?format=json"))["matches"]
        assert (listed["tournaments"], listed["checked"]) == (["night.sqlite"], None)
        assert "anna" not in listed["shown"]
        assert (await got(client, matches)).text.count("not checked") == 1
        match = await parsed(client, "/match/a.jsonl?format=json")
        assert (match["header"]["tournaments"], match["header"]["digest"]) == ([], "")
        assert match["header"]["problem"].startswith("The last line does not follow")
        assert "oh no" not in json.dumps(match)
        (listed,) = (await parsed(client, "/?format=json"))["matches"]
        assert (listed["tournaments"], listed["checked"]) == ([], False)
        assert "modified" in (await got(client, "/matches")).text
        assert (await got(client, matches)).text.count("not kept") == 2
        forged.touch()  # with a new mtime, it has to be checked again
        honest.write_bytes(short)
        first = (await parsed(client, f"{matches}?format=json"))["matches"][-1]
        assert (first["record"], first["checked"]) == ("b.jsonl", None)
        match = await parsed(client, "/match/b.jsonl?format=json")
        assert match["header"]["tournaments"] == ["night.sqlite"]
        assert "oh no" in json.dumps(match)
        crumbs = (await got(client, "/match/b.jsonl")).text.partition("<main")[0]
        assert '<a class="night" href="/store/night.sqlite"><bdi>night</bdi></a>' in crumbs
        assert '<a href="/store/night.sqlite/bot/0"><bdi>anna</bdi></a>' in crumbs
        assert "match 0<" in crumbs


async def test_the_last_line_of_a_checked_record_follows_from_its_lines(
    tmp_path: Path, short: bytes
) -> None:
    """The digest doesn't cover the last line, so anybody could write another winner into it."""
    lines = short.splitlines(keepends=True)
    digest = digest_of(short)
    stored(tmp_path, made_setup(2, deals=1), result=lambda plan: row(plan, digest=digest))
    swapped = lines[-1].replace(b'"rank":1', b'"rank":2', 1)
    assert swapped != lines[-1]
    more = b'{"entry":"stderr","player_number":"player1","text":"I cheat","time":9.0}\n'
    (tmp_path / "a.jsonl").write_bytes(b"".join([*lines[:-1], swapped]))
    (tmp_path / "b.jsonl").write_bytes(b"".join([*lines, more]))
    async with serving(tmp_path) as client:
        for name in ("a", "b"):
            match = await parsed(client, f"/match/{name}.jsonl?format=json")
            assert match["header"]["tournaments"] == []
        listed = (await parsed(client, "/?format=json"))["matches"]
    found = {item["id"]: (item["tournaments"], item["checked"]) for item in listed}
    assert found == {"a.jsonl": ([], False), "b.jsonl": ([], None)}


async def test_a_record_that_is_replaced_is_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: bytes
) -> None:
    """A new file may have the same size and mtime as the old one. Anybody can set those."""
    monkeypatch.setattr(library, "LOOK_SECONDS", 0)
    data, digest = short, digest_of(short)
    stored(tmp_path, made_setup(2, deals=1), result=lambda plan: row(plan, digest=digest))
    file = tmp_path / "a.jsonl"
    file.write_bytes(data)
    os.utime(file, (1, 1))
    async with serving(tmp_path) as client:

        async def shown() -> tuple[bool | None, list[str], bool | None]:
            before, match, after = [
                await parsed(client, f"{page}format=json")
                for page in ("/?", "/match/a.jsonl?", "/?")
            ]
            each = [found["matches"][0]["checked"] for found in (before, after)]
            return each[0], match["header"]["tournaments"], each[1]

        assert await shown() == (None, ["night.sqlite"], True)
        new = tmp_path / "other"
        new.write_bytes(data.replace(b"market", b"cellar", 1))
        os.utime(new, (1, 1))
        new.replace(file)
        assert await shown() == (None, [], False)


async def test_a_store_renames_no_bots_of_another_tournament(tmp_path: Path, short: bytes) -> None:
    """If two tournaments claim a record with different names, the bots' own names are shown."""
    digest = digest_of(short)
    (tmp_path / "a.jsonl").write_bytes(short)
    for store, names in (("own", ("anna", "ben")), ("stranger", ("ben", "anna"))):
        bots = [Entrant(name, name[0]) for name in names]
        wanted = setup(bots, game="dominion", deals=1, seed=1)
        result = lambda plan: row(plan, digest="" if plan.match else digest)  # noqa: E731
        stored(tmp_path, wanted, f"{store}.sqlite", result)
    async with serving(tmp_path) as client:
        header = (await parsed(client, "/match/a.jsonl?format=json"))["header"]
    assert header["tournaments"] == ["own.sqlite", "stranger.sqlite"]
    assert [seat["name"] for seat in header["seats"]] == NAMES


async def test_a_record_of_a_tournament_has_its_names_without_the_store(
    tmp_path: Path, short: bytes
) -> None:
    records, lines = tmp_path, short
    names = b'"names":["anna <i>","ben"],"options":'
    (records / RECORD).write_bytes(lines.replace(b'"options":', names, 1))
    async with serving(records) as client:
        listed = await parsed(client, "/?bot=anna&format=json")
        page = (await got(client, "/?search=anna")).text
        match = await parsed(client, f"/match/{RECORD}?format=json")
    assert [item["shown"] for item in listed["matches"]] == [["anna <i>", "ben"]]
    assert "<bdi>anna &lt;i&gt;</bdi>" in page
    assert [seat["name"] for seat in match["header"]["seats"]] == ["anna <i>", "ben"]


async def test_a_match_has_the_stderr_that_its_tournament_knows(
    tmp_path: Path, short: bytes
) -> None:
    """A stderr file beside the record has priority, because it has more of the bot's output."""
    records = tmp_path
    (records / RECORD).write_bytes(short)

    def result(plan: Plan) -> MatchRow:
        out = [Left("exited", "it ended", ["<b>oh no", "line 2"]), None]
        return row(plan, left=out, digest=digest_of(short) if plan.match == 0 else "")

    stored(records, made_setup(2, deals=1), result=result)

    async def said() -> list[Any]:
        async with serving(records) as client:
            match = await parsed(client, f"/match/{RECORD}?format=json")
            assert (await got(client, f"/match/{RECORD}")).text.count("oh no") == 0
        return [line for line in match["lines"] if line[0] == "stderr"]

    assert await said() == [["stderr", 0, "<b>oh no\nline 2"]]
    (records / RECORD.replace(".record.jsonl", ".player1.stderr")).write_text("beside\n")
    assert await said() == [["stderr", 0, "beside\n"]]


@pytest.mark.parametrize("stderr", [None, "", "oh no"])
async def test_a_bot_without_stderr_is_not_said_to_have_written_nothing(
    stderr: str | None, tmp_path: Path
) -> None:
    def result(plan: Plan) -> MatchRow:
        made = row(plan, left=[Left("timeout", "it was slow", []), None])
        made.seats[0].stderr = stderr
        return made

    path = stored(tmp_path, made_setup(2, deals=1), result=result)
    async with serving(tmp_path) as client:
        page = (await got(client, "/store/night.sqlite/bot/0")).text
        found = await parsed(client, "/store/night.sqlite/bot/0?format=json")
    (first,) = found["statistics"]["first_disqualifications"]
    assert first["stderr"] == (None if stderr is None else stderr.splitlines())
    assert ("It wrote nothing on stderr there." in page) == (stderr == "")
    assert cli.main(["standings", str(path), "--bot", "bot0"]) == 0


async def test_a_busy_machine_makes_no_standings_older(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CPU time used by other processes must not delay the next report."""
    clock = SimpleNamespace(monotonic=count(0, 100).__next__, thread_time=lambda: 0.0)
    monkeypatch.setattr(tournaments, "time", clock)
    path = stored(tmp_path, made_setup(2, deals=2))
    async with serving(tmp_path) as client:
        for matches in (4, 8):
            found = await parsed(client, "/store/night.sqlite?format=json")
            assert found["matches"] == matches
            with Store.for_writing(str(path)) as store:
                store.add_stage(made_setup(2, deals=4))
                play(store)


async def test_standings_are_renewed_before_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report takes a second of CPU time, so it's kept for `IDLE` seconds.

    Standings are renewed after `FRESH` seconds.
    """
    clock = SimpleNamespace(monotonic=lambda: 0.0, thread_time=count().__next__)
    monkeypatch.setattr(tournaments, "time", clock)
    path = tmp_path / "night.sqlite"
    with Store.for_writing(str(path)) as store:
        store.add_stage(made_setup(2, deals=4))
        play(store, until=4)
    async with serving(tmp_path) as client:

        async def figures(now: float) -> tuple[int, int]:
            clock.monotonic = lambda: now
            found = await parsed(client, "/store/night.sqlite?format=json")
            return found["matches"], sum(found["statistics"]["reasons"].values())

        assert await figures(0.0) == (4, 4)
        with Store.for_writing(str(path)) as store:
            play(store)
        assert await figures(tournaments.FRESH / 2) == (4, 4)
        assert await figures(tournaments.FRESH) == (8, 4)
        assert await figures(2.0 * tournaments.IDLE) == (8, 8)


# --- a match --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [RECORD, "two-players.log.jsonl"])
async def test_a_match_is_what_its_page_loads(name: str, tmp_path: Path, short: bytes) -> None:
    records = tmp_path
    (records / name).write_bytes(log_of(short) if name.endswith("log.jsonl") else short)
    async with serving(records) as client:
        whole = await parsed(client, f"/match/{name}?format=json")
        header = await parsed(client, f"/match/{name}/header")
        steps = await parsed(client, f"/match/{name}/steps")
        lines = await parsed(client, f"/match/{name}/lines")
        assert whole == {"header": header, **steps, "lines": lines}
        assert header["title"] == "Big Money vs Village Engine"
        page = (await got(client, f"/match/{name}")).text
        assert f'data-source="/match/{name}"' in page
        for link in ADDRESS.findall(page):
            await got(client, link)


async def test_every_module_that_is_imported_is_served(records: Path) -> None:
    async with serving(records) as client:
        names = ("dominion", "botwars", "dominion.seat", "server")
        todo, seen = [f"/static/{name}.js" for name in names], set()
        while todo:
            url = todo.pop()
            if url in seen:
                continue
            seen.add(url)
            module = await got(client, url)
            assert module.headers["content-type"].startswith("text/javascript")
            folder = url.rpartition("/")[0]
            todo += [f"{folder}/{name}" for name in re.findall(r'from "\./([^"]+)"', module.text)]
            tag = {"If-None-Match": module.headers["etag"]}
            assert (await client.get(url, headers=tag)).status_code == 304
    assert "/static/main.js" in seen


# --- security -------------------------------------------------------------------------------------


async def test_what_strangers_wrote_is_text_on_every_page(tmp_path: Path, short: bytes) -> None:
    def result(plan: Plan) -> MatchRow:
        out = [Left(f"<b>{HOSTILE}", HOSTILE, [HOSTILE]), None]
        return row(plan, [2, 1], names=[HOSTILE] * 2, left=out, reason=HOSTILE, digest=HOSTILE)

    bots = [Entrant(f"{HOSTILE}{number}", HOSTILE) for number in range(2)]
    stored(tmp_path, setup(bots, game="dominion", deals=1, seed=1), f"{HOSTILE[:8]}.sqlite", result)
    text = log_of(short).decode()
    shown = json.dumps(HOSTILE)[1:-1]
    (tmp_path / "<img src=x>\u202e\x1b.jsonl").write_text(text.replace("Big Money", shown))
    async with serving(tmp_path) as client:
        todo, seen = ["/"], dict[str, str]()
        while todo:
            url = html.unescape(todo.pop())
            if url in seen or not url.startswith("/") or url.startswith("/static"):
                continue
            seen[url] = (await got(client, url)).text
            if "format=json" not in url:
                todo += ADDRESS.findall(seen[url])
    pages = {url: text for url, text in seen.items() if "<!DOCTYPE" in text}
    assert len(pages) > 8
    for url, page in pages.items():
        assert "<script>" not in page, url
        assert "<!--" not in page, url
        assert "<img" not in page, url
        assert page.count("</title>") == 1, url
        assert all(line.isprintable() for line in page.split("\n")), url
        assert " style=" not in page, url
        assert not re.search(r"<\w+[^>]* on\w+=", page), url


async def test_what_strangers_wrote_is_short_on_every_page(tmp_path: Path) -> None:
    """Chromium hangs for minutes on a table with names of 10,000 letters."""
    long = "\u05d0a" * 1_000

    def result(plan: Plan) -> MatchRow:
        out = [Left(long, long, [long]), None]
        return row(plan, [2, 1], left=out, faults=[{long: 1}, {}], reason=long)

    bots = [Entrant(f"{long}{number}", "bot") for number in range(2)]
    stored(tmp_path, setup(bots, game="dominion", deals=2, seed=1), "long.sqlite", result)
    async with serving(tmp_path) as client:
        for part in ("", "/pair/0/1", "/matches", "/bot/0"):
            page = (await got(client, f"/store/long.sqlite{part}")).text
            # Commands aren't shortened, because people copy them.
            found = re.sub(r"<code>.*?</code>", "", page)
            assert long[:1_000] in page
            assert long[:1_010] not in found


async def test_headers(records: Path) -> None:
    async with serving(records) as client:
        for url, status in (("/", 200), ("/nothing", 404), ("/static/server.js", 200)):
            answer = await got(client, url, status)
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1:8000"}, 200),
        ({"Host": "localhost:8000"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "bots.example"}, 200),
        ({"Host": "BOTS.example:443"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "localhost.evil.example:8000"}, 421),
        ({"Host": "a@localhost"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "http://127.0.0.1:8000"}, 200),
        ({"Origin": "https://bots.example", "Host": "bots.example"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:9000"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_only_requests_for_this_server(
    headers: dict[str, str], status: int, records: Path
) -> None:
    async with serving(records, names=["bots.example"]) as client:
        assert (await client.get("/", headers=headers)).status_code == status


async def test_nothing_can_be_sent(records: Path) -> None:
    async with serving(records) as client:
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            assert (await client.request(method, "/")).status_code == 405
        assert (await client.head("/")).status_code == 200


async def test_too_many_requests(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_REQUESTS", 0)
    async with serving(records) as client:
        await got(client, "/", 503)


@pytest.mark.parametrize(
    "url",
    [
        "/match/secret.jsonl",
        "/match/../secret.jsonl",
        "/match/..%2fsecret.jsonl",
        "/match/%2e%2e/secret.jsonl",
        "/match//etc/passwd",
        "/match/link.jsonl",
        "/match/folder/secret.jsonl",
        "/match/.hidden.jsonl",
        "/match/a%00b",
        "/store/../secret.sqlite",
        "/store/link.sqlite",
        "/store/night.sqlite/bot/7",
        "/store/night.sqlite/bot/99999999999999999999999",
        "/store/night.sqlite/pair/0/0",
        "/store/night.sqlite/matches?bot=nobody",
        "/store/night.sqlite/matches?result=x",
        "/store/night.sqlite/matches?page=0",
        "/?page=x",
        "/?page=9999999999",
        "/?result=x",
        "/?format=xml",
        "/static/../app.py",
        "/static/app.py",
        "/nothing",
    ],
)
async def test_nothing_else_can_be_reached(url: str, guarded: Path) -> None:
    async with serving(guarded) as client:
        answer = await client.get(httpx.URL(url))
        assert answer.status_code == 404
        assert "This page cannot be shown" in answer.text
        join = "&" if "?" in url else "?"
        if "format" not in url:
            assert (await client.get(f"{url}{join}format=json")).json()["problem"]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, short: bytes) -> Path:
    """A folder with a store, and with links to what lies beside the folder."""
    records = tmp_path_factory.mktemp("guarded") / "records"
    records.mkdir()
    secret = records.parent / "secret"
    secret.mkdir()
    (secret / "secret.jsonl").write_bytes(short)
    (secret / "secret.sqlite").write_bytes(stored(records, made_setup(2, deals=1)).read_bytes())
    (records / "link.jsonl").symlink_to(secret / "secret.jsonl")
    (records / "link.sqlite").symlink_to(secret / "secret.sqlite")
    (records / "folder").symlink_to(secret)
    (records / ".hidden.jsonl").write_bytes(short)
    return records


async def test_a_file_that_became_a_link_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: bytes
) -> None:
    records = tmp_path / "records"
    records.mkdir()
    (records / RECORD).write_bytes(short)
    # Don't scan the folder again, or the server would notice that the file is a link now.
    monkeypatch.setattr(library, "LOOK_SECONDS", 1000.0)
    secret = records.parent / "secret.jsonl"
    secret.write_bytes(short)
    path = stored(records, made_setup(2, deals=1))
    async with serving(records) as client:
        await got(client, f"/match/{RECORD}")
        for file in (records / RECORD, path):
            file.rename(file.with_name(f"{file.name}.old"))
            file.symlink_to(secret)
        assert "is not there any more" in (await got(client, f"/match/{RECORD}", 422)).text
        assert "is not there any more" in (await got(client, "/store/night.sqlite", 422)).text


async def test_what_cannot_be_shown_is_said_without_the_servers_folders(tmp_path: Path) -> None:
    lines = (EXAMPLES / RECORD).read_bytes().splitlines(keepends=True)
    lines[30] = b'{"entry":"received"}\n'
    (tmp_path / "damaged.jsonl").write_bytes(b"".join(lines))
    (tmp_path / "none.jsonl").write_text("hello\n")
    path = stored(tmp_path, made_setup(2, deals=1))
    path.write_bytes(path.read_bytes()[:9_000])
    async with serving(tmp_path) as client:
        damaged = await parsed(client, "/match/damaged.jsonl/header")
        assert "line 31" in damaged["problem"]
        none = (await got(client, "/match/none.jsonl", 422)).text
        store = (await got(client, "/store/night.sqlite", 422)).text
    assert "night.sqlite" in store
    assert str(tmp_path) not in damaged["problem"] + none + store


async def test_a_file_that_unpacks_to_very_much_is_not_read_on(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "MOST_BYTES", 2**20)
    for name in (RECORD, "two-players.log.jsonl"):
        data = (records / name).read_bytes() + b"\n" * 2**21
        (records / f"long-{name}.gz").write_bytes(gzip.compress(data))
    async with serving(records) as client:
        found = await parsed(client, "/?format=json")
    long = [item for item in found["matches"] if item["id"].startswith("long")]
    assert len(long) == 2
    assert all("longer than 1 MiB, unpacked" in item["problem"] for item in long)


async def test_a_file_that_is_too_large_is_not_read(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = gzip.compress((records / RECORD).read_bytes() + b"\n" * 2**20)
    (records / "packed.jsonl.gz").write_bytes(packed)
    os.utime(records / "packed.jsonl.gz", (0, 0))  # too old to be live
    monkeypatch.setattr("referee.web.server.matches.MAX_FILE", 2**20)
    async with serving(records) as client:
        assert "1 MB, unpacked" in (await got(client, "/match/packed.jsonl.gz", 422)).text
    monkeypatch.setattr("referee.web.server.matches.MAX_FILE", 1_000)
    async with serving(records) as client:
        assert "referee page --turns" in (await got(client, f"/match/{RECORD}", 422)).text


# --- seasons --------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_season_is_chosen_in_the_list_and_shows_tournaments_together(
    tmp_path: Path,
) -> None:
    for number in (1, 2):
        stored(tmp_path, made_setup(3, deals=3, seed=number), f"week{number}.sqlite")
    stored(tmp_path, made_setup(4, players=4, deals=1), "four.sqlite")
    async with serving(tmp_path) as client:
        listed = (await got(client, "/")).text
        assert listed.count('<input type="checkbox" name="store"') == 3
        assert 'action="/season"' in listed
        address = "/season?store=week1.sqlite&store=week2.sqlite"
        page = (await got(client, address)).text
        assert "<h1>dominion: a season of 2 tournaments</h1>" in page
        assert '<p class="verdict">In week2 ' in page
        for link in ("/store/week1.sqlite", "/store/week2.sqlite"):
            assert f'href="{link}"' in page
            await got(client, link)
        (as_json,) = {
            html.unescape(link) for link in ADDRESS.findall(page) if "format=json" in link
        }
        found = await parsed(client, as_json)
        assert [each["name"] for each in found["tournaments"]] == ["week1", "week2"]
        assert found["matches"] == 36
        assert (await got(client, address)).text == page
        for wrong, problem in (
            ("/season", "two tournaments or more"),
            ("/season?store=week1.sqlite&store=week1.sqlite", "two tournaments or more"),
            ("/season?store=week1.sqlite&store=x", "There is no tournament x"),
        ):
            assert problem in (await got(client, wrong, 404)).text
        other = (await got(client, "/season?store=week1.sqlite&store=four.sqlite", 422)).text
        assert "a season has one game" in html.unescape(other)


async def test_the_list_can_have_a_title(tmp_path: Path) -> None:
    app = Site(Library([str(tmp_path)]), title="Class <9>").app()
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        page = (await got(client, "/")).text
    assert "<title>Class &lt;9&gt;</title>" in page
    assert "<h1>Class &lt;9&gt;</h1>" in page


async def test_the_title_of_a_store_is_on_its_page(tmp_path: Path) -> None:
    start = Position("game.jsonl", 5, 1, (), ((None,), (None,)))
    stored(tmp_path, made_setup(3, deals=1, position=start))
    with Store.for_writing(str(tmp_path / "night.sqlite")) as store:
        store.set_title("Class <9>")
    async with serving(tmp_path) as client:
        page = (await got(client, "/store/night.sqlite")).text
    assert "<h1>Class &lt;9&gt;</h1>" in page
    assert "<p>dominion: round robin of 3 bots, from turn 5 of game.jsonl</p>" in page


async def test_a_list_with_one_tournament_offers_no_season(tmp_path: Path) -> None:
    stored(tmp_path, made_setup(3, deals=1))
    async with serving(tmp_path) as client:
        assert "season" not in (await got(client, "/")).text


def test_the_time_left_follows_from_what_was_played_since_the_first_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, now = str(tmp_path / "night.sqlite"), [100.0]
    monkeypatch.setattr(tournaments.time, "monotonic", lambda: now[0])
    left = []
    with Store.for_writing(path) as store:
        store.add_stage(made_setup(3, deals=2))
    library, shown = Library([path]), Tournaments()
    library.look()
    (file,) = library.stores
    for until, seconds in ((3, 2.9), (4, 997.1), (6, 1_000.0), (12, 0.0)):
        with Store.for_writing(path) as store:
            play(store, until=until, most=1) if until < 12 else play(store)
        left.append(shown.shown(file).left)
        now[0] += seconds
    assert left == [None, None, 2_000.0, 0.0]  # the second look was too soon after the first


def test_a_match_has_links_to_its_deal_and_to_the_matches_around_it() -> None:
    """There's no link to the next match, because its record isn't on the server."""
    before, own, swapped, after = (
        msgspec.structs.replace(row(Plan(number, number // 2, 1, players)), digest=digest)
        for number, digest, players in (
            (3, "before", (1, 0)),
            (4, "own", (0, 1)),
            (5, "swapped", (1, 0)),
            (6, "after", (0, 1)),
        )
    )
    around = MatchContext("a/night.sqlite", 4, ["<Ann>", "Ben"], [own, swapped], before, after)

    def record_with(digest: str) -> library.Item | None:
        return None if digest == "after" else library.Item(f"{digest}.jsonl", "record")

    served = ServedLinks(around.store, record_with, "night")
    page = pages.crumbs(served, library.Item("own.jsonl", "record"), around)
    links = re.findall(r'<a[^>]*href="([^"]*)">(.*?)</a>', str(page))
    assert [(address, re.sub("</?bdi>", "", text)) for address, text in links] == [
        ("/", "All"),
        ("/store/a/night.sqlite", "night"),
        ("/store/a/night.sqlite/bot/0", "&lt;Ann&gt;"),
        ("/store/a/night.sqlite/bot/1", "Ben"),
        ("/match/swapped.jsonl", "the same deal, seats swapped"),
        ("/match/before.jsonl", "previous"),
    ]
