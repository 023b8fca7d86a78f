"""Follow matches as a spectator while they are being played."""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from referee.games.interface.sentence import in_words
from referee.logs import outputs, packed
from referee.logs.files import opened
from referee.logs.outputs import Output
from referee.tournament.rows import Entrant
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.web.recorded import read_match
from referee.web.server import live
from referee.web.server.app import Site
from referee.web.server.library import Library
from referee.web.server.matches import PARTS
from tests.support.live import ROOT
from tests.support.made_up import made_setup, play, row
from tests.support.watched import watched

EXAMPLES = ROOT / "spec" / "examples"
RECORD = EXAMPLES / "two-players.record.jsonl"
LOG = EXAMPLES / "two-players.log.jsonl"
COMMENT = b":\n\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STEPS_SECONDS", "STANDINGS_SECONDS"):
        monkeypatch.setattr(live, name, 0.001)


class Client:
    """An ASGI client that receives a response part by part, as the app sends it."""

    def __init__(self, path: str, *, method: str = "GET", **headers: str) -> None:
        path, _, query = path.partition("?")
        self.status = 0
        self._rest = b""
        self._scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [
                (name.replace("_", "-").encode(), value.encode())
                for name, value in {"host": "localhost", **headers}.items()
            ],
        }
        self._sent, self._said = trio.open_memory_channel[bytes](0)
        self._left = trio.Event()
        self._asked = False

    async def run(self, app: Any) -> None:
        with self._sent:
            await app(self._scope, self._receive, self._send)

    async def body(self) -> bytes:
        return b"".join([part async for part in self._said])

    async def part(self) -> bytes:
        return await self._said.receive()

    async def event(self) -> tuple[str, str, Any]:
        """Wait for the next server-sent event, and return its name, id and data."""
        while b"\n\n" not in self._rest:
            self._rest = (self._rest + await self.part()).removeprefix(COMMENT)
        text, _, self._rest = self._rest.partition(b"\n\n")
        name, id, data = (line.partition(b": ")[2] for line in text.split(b"\n"))
        return name.decode(), id.decode(), msgspec.json.decode(data)

    def leave(self) -> None:
        self._left.set()

    async def _receive(self) -> dict[str, object]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request"}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["body"]:
            await self._sent.send(message["body"])


@asynccontextmanager
async def asking(folder: Path) -> AsyncIterator[Callable[..., Client]]:
    """Yield a function that sends a request to a server of this folder.

    All clients are cancelled when the block ends.
    """
    app = Site(Library([str(folder)])).app()
    async with trio.open_nursery() as nursery:

        def ask(path: str, **options: Any) -> Client:
            client = Client(path, **options)
            nursery.start_soon(client.run, app)
            return client

        yield ask
        nursery.cancel_scope.cancel()


async def said(client: Client) -> Any:
    """Return the decoded JSON of a client's response."""
    return msgspec.json.decode(await client.body())


def parts_of(file: Path, count: int) -> list[bytes]:
    lines = file.read_bytes().splitlines(keepends=True)
    size = -(-len(lines) // count)
    return [b"".join(lines[at : at + size]) for at in range(0, len(lines), size)]


def append(file: Path, data: bytes) -> None:
    with file.open("ab") as grown:
        grown.write(data)


def views(steps: list[Any], viewer: str = "public") -> list[dict[str, Any]]:
    """Fold the steps into what a viewer sees at each of them."""
    view: dict[str, Any] = {}
    found = []
    for step in steps:
        view = {**view, **step.get("set", {}).get(viewer, {})}
        found.append(view)
    return found


@pytest.mark.parametrize("source", [RECORD, LOG])
async def test_a_match_is_followed_to_its_end(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    first, *others = parts_of(source, 8)
    append(file, first)
    async with asking(tmp_path) as ask:
        client = ask("/match/game.jsonl/events")
        name, id, data = await client.event()
        assert (name, data["header"]["kind"], data["header"]["viewers"]) == (
            "reset",
            "live",
            ["public"],
        )
        assert data["header"]["heard"] == file.stat().st_mtime
        steps, lines = data["steps"], data["lines"]
        turns = {turn["turn"]: turn for turn in data["turns"]}
        for part in others:
            half = len(part) // 2
            append(file, part[:half])  # mostly in the middle of a line
            append(file, part[half:])
            if part is others[-1]:
                break
            name, id, data = await client.event()
            assert (name, id.split(".")[1]) == ("steps", str(len(steps + data["steps"]) - 1))
            steps += data["steps"]
            lines += data["lines"]
            turns |= {turn["turn"]: turn for turn in data["turns"]}
            assert data["heard"] <= file.stat().st_mtime
        while (event := await client.event())[0] == "steps":
            steps += event[2]["steps"]
            lines += event[2]["lines"]
            turns |= {turn["turn"]: turn for turn in event[2]["turns"]}
            data = event[2]
        assert event == ("end", "", None)
        whole = msgspec.json.decode(msgspec.json.encode(read_match(str(LOG))))
        assert steps == whole["steps"]
        assert lines == whole["lines"]
        assert list(turns.values()) == whole["turns"]
        assert [moment["kind"] for moment in whole["turned"]][-1:] == ["decided"]
        assert {moment["kind"] for moment in data["turned"]} == {"lead"}  # nobody has won yet
        leads = [moment for moment in whole["turned"] if moment["kind"] == "lead"]
        assert data["turned"] == leads
        header = await said(ask("/match/game.jsonl/header"))
        assert header["kind"] == ("record" if source is RECORD else "log")


async def test_a_client_comes_back_with_the_step_it_knows(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    first, second, _ = parts_of(RECORD, 3)
    append(file, first)
    async with asking(tmp_path) as ask:
        client = ask("/match/game.jsonl/events")
        _, id, data = await client.event()
        client.leave()
        append(file, second)
        for asked in (
            ask(f"/match/game.jsonl/events?after={id}"),
            ask("/match/game.jsonl/events?after=0", last_event_id=id),  # as a browser does
        ):
            name, new, more = await asked.event()
            assert name == "steps"
            assert new.split(".")[1] == str(len(data["steps"] + more["steps"]) - 1)
        (polled,) = await said(ask(f"/match/game.jsonl/events?format=json&after={id}"))
        assert polled == {"event": "steps", "id": new, "data": more}
        assert await said(ask(f"/match/game.jsonl/events?format=json&after={new}")) == []
        key = id.partition(".")[0]
        for unknown in ("", "7", f"{key}.99999", f"{key}.x", f"other{new}"):
            name, same, _ = await ask(f"/match/game.jsonl/events?after={unknown}").event()
            assert (name, same) == ("reset", new)


@pytest.mark.slow
async def test_a_spectator_sees_what_is_public_at_each_step(tmp_path: Path) -> None:
    whole = msgspec.json.decode(msgspec.json.encode(read_match(str(RECORD))))
    steps = zip(whole["steps"], views(whole["steps"]), strict=True)
    public = [view for step, view in steps if "time" in step]  # after each round
    lines = RECORD.read_bytes().splitlines(keepends=True)
    append(tmp_path / "game.jsonl", b"".join(lines[:-1]))
    async with asking(tmp_path) as ask:
        _, _, data = await ask("/match/game.jsonl/events").event()
    seen = views(data["steps"])
    # Each of these public views was shown to the spectator, in the same order.
    shown = iter(seen)
    for view in public:
        assert any(without_asked(other) == without_asked(view) for other in shown)


def without_asked(view: dict[str, Any]) -> dict[str, Any]:
    """Remove the fields about open requests. Spectators only learn those with the next message."""
    return {name: value for name, value in view.items() if name not in ("asked", "request")}


@pytest.mark.slow
async def test_what_is_hidden_shows_nowhere_before_the_end(tmp_path: Path) -> None:
    lines = RECORD.read_bytes().splitlines(keepends=True)
    public = [line for line in lines if b'"to":"all"' in line]
    header = msgspec.json.decode(lines[0])
    other = lines[0].replace(b'"seed":%d,' % header["seed"], b'"seed":77,')
    assert other != lines[0]
    answers, now = {}, time.time()
    for name, begin, rest in (("one", lines[0], lines[1:-1]), ("two", other, public)):
        folder = tmp_path / name
        folder.mkdir()
        append(folder / "game.jsonl", begin + b"".join(rest))
        os.utime(folder / "game.jsonl", (now, now))
        async with asking(folder) as ask:
            _, _, data = await ask("/match/game.jsonl/events").event()
            parts = ("header", "steps", "lines")
            answers[name] = [data] + [
                await ask(path).body()
                for path in (
                    *(f"/match/game.jsonl/{part}" for part in parts),
                    "/match/game.jsonl?format=json",
                    "/watch/game.jsonl",
                )
            ]
            (item,) = (await said(ask("/?format=json")))["matches"]
            assert (item["live"], item["seed"]) == (True, None)
    assert answers["one"] == answers["two"]


async def test_a_match_is_live_while_it_is_written(tmp_path: Path) -> None:
    """A record is live as long as the referee holds its lock, no matter how old the file is.

    If the referee dies, the record can be shown up to where it was cut off.
    """
    file = tmp_path / "game.jsonl"
    append(file, b"".join(RECORD.read_bytes().splitlines(keepends=True)[:60]))
    os.utime(file, (0, 0))
    async with asking(tmp_path) as ask:
        with file.open() as held:
            fcntl.flock(held, fcntl.LOCK_SH)  # as the referee does
            header = await said(ask("/match/game.jsonl/header"))
            assert (header["kind"], header["seed"]) == ("live", None)
            assert b">live<" in await ask("/").body()
            client = ask("/match/game.jsonl/events")
            assert (await client.event())[0] == "reset"
        assert (await client.event())[0] == "end"  # the referee has died
        header = await said(ask("/match/game.jsonl/header"))
        assert (header["kind"], header["outcome"]) == ("record", None)
        assert b">live<" not in await ask("/").body()


@pytest.mark.parametrize(
    ("game", "strange"),
    [(game, False) for game in ("botwars", "dominion", "starrealms", "tribute")]
    + [("dominion", True)],
)
async def test_a_record_shows_only_what_is_public_until_its_end(
    game: str, strange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spectators see the organiser's names, even though no message contains them.

    With `strange`, some messages are repeated in the wrong order. That mustn't reveal anything
    either. `_LOOK_SECONDS` is 0 so that the match is read in small parts, as on a busy machine.
    """
    monkeypatch.setattr(live, "_LOOK_SECONDS", 0.0)
    *lines, end = watched(game, 8, max_turns=4).record.splitlines(keepends=True)
    if strange:
        public = [line for line in lines if b'"to":"all"' in line]
        lines += [public[5], *public[:5]]
    append(tmp_path / "game.jsonl", b"".join(lines))
    async with asking(tmp_path) as ask:
        client = ask("/match/game.jsonl/events")
        _, _, data = await client.event()
        header = data["header"]
        assert (header["kind"], header["seed"]) == ("live", None)
        assert header["viewers"] == ["public"]
        assert header["seats"][0] == {"id": "player1", "name": "Ann", "bot": "./bot0.py"}
        turns = {turn["turn"] for turn in data["turns"]}
        assert strange or header["problem"] == ""
        while not strange and len(turns) < 4:
            turns |= {turn["turn"] for turn in (await client.event())[2]["turns"]}
        append(tmp_path / "game.jsonl", end)
        while (await client.event())[0] != "end":
            pass
        assert (await said(ask("/match/game.jsonl/header")))["kind"] == "record"


async def test_a_match_that_is_played_comes_first(tmp_path: Path) -> None:
    """A match in progress is above the standings on its tournament's page, which is the front page.

    Tournament `a` has the same bots, but must not list the match.
    """
    lines = RECORD.read_bytes().splitlines(keepends=True)
    append(tmp_path / "over.jsonl", b"".join(lines))
    header = msgspec.json.decode(lines[0])
    bots = [Entrant(f"team{seat}", bot) for seat, bot in enumerate(header["bots"])]
    nights = {
        name: setup(bots, game="dominion", deals=2, seed=seed)
        for seed, name in enumerate(["a", "b"])
    }
    for name, night in nights.items():
        with Store.for_writing(str(tmp_path / f"{name}.sqlite")) as store:
            store.add_stage(night)
    header |= {"place": {"tournament": nights["b"].digest, "match": 1}}
    header |= {"names": ["team0", "team1"], "started": header.pop("started")}
    lines[0] = msgspec.json.encode(header) + b"\n"
    append(tmp_path / "000001.live.jsonl", b"".join(lines[:80]))
    os.utime(tmp_path / "over.jsonl", (0, 0))
    async with asking(tmp_path) as ask:
        front = (await ask("/").body()).decode()
        parts = ["<h1>b<", "Now at the tables", "000001.live.jsonl", "Standings", "Tournaments"]
        places = [front.index(part) for part in parts]
        assert places == sorted(places)
        (live, *_) = (await said(ask("/matches?format=json")))["matches"]
        assert (live["tournaments"], live["place"]) == (["b.sqlite"], None)
        for name, playing in (("a", []), ("b", ["000001.live.jsonl"])):  # the bots are in both
            address = f"/store/{name}.sqlite"
            assert (await said(ask(f"{address}?format=json")))["playing"] == playing
            page = (await ask(address).body()).decode()
            assert ('href="/match/000001.live.jsonl"' in page) == bool(playing)
        assert re.search(r"turn \d+: team[01] \w", page)
        crumbs = (await ask("/match/000001.live.jsonl").body()).decode().partition("<main")[0]
        assert 'href="/store/b.sqlite/bot/1"' in crumbs
        assert "match 1<" in crumbs
        with Store.for_writing(str(tmp_path / "b.sqlite")) as store:
            play(store)
        assert (await said(ask("/store/b.sqlite?format=json")))["playing"] == []


async def test_the_referee_holds_what_it_writes(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    with opened([Output(str(file), outputs.RECORD)]) as (log,):
        assert log is not None
        log.write(RECORD.read_bytes().splitlines(keepends=True)[0])
        os.utime(file, (0, 0))
        library = Library([str(tmp_path)])
        library.look()
        (found,) = (library.log("game.jsonl"),)
        assert found is not None
        assert live.is_played(found)
    assert not live.is_played(found)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
async def test_a_compressed_record_is_shown_when_the_match_is_over(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server can't follow a compressed file, so it shows no part of it until the match ends."""
    monkeypatch.setattr(packed, "BLOCK_BYTES", 1)  # make each line readable as soon as it's written
    lines = RECORD.read_bytes().splitlines(keepends=True)
    async with asking(tmp_path) as ask:
        path = f"/match/game.jsonl{suffix}"
        with opened([Output(str(tmp_path / f"game.jsonl{suffix}"), outputs.RECORD)]) as (log,):
            assert log is not None
            log.begin()
            for line in lines[:-1]:
                log.write(line)
            (item,) = (await said(ask("/?format=json")))["matches"]
            assert (item["live"], item["seed"]) == (True, None)
            for address in (path, *(f"{path}/{part}" for part in (*PARTS, "events"))):
                client = ask(f"{address}?format=json")
                assert "when it is over" in (await said(client))["problem"]
                assert client.status == 404
            log.write(lines[-1])
        header = await said(ask(f"{path}/header"))
        assert (header["kind"], header["seed"]) == ("record", msgspec.json.decode(lines[0])["seed"])


async def test_a_match_that_has_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "COMMENT_SECONDS", 0.0)
    file = tmp_path / "game.jsonl"
    file.touch()
    async with asking(tmp_path) as ask:
        client = ask("/watch/game.jsonl")
        assert b'<meta http-equiv="refresh"' in await client.body()
        assert client.status == 404
        waiting = ask("/match/game.jsonl/events")
        # There's nothing to report yet, but comments keep the connection alive.
        assert await waiting.part() == COMMENT
        append(file, RECORD.read_bytes())
        while (event := await waiting.event())[0] != "end":
            assert event[0] == "reset"


async def test_another_match_in_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    append(file, parts_of(RECORD, 2)[0])
    async with asking(tmp_path) as ask:
        client = ask("/match/game.jsonl/events")
        _, id, _ = await client.event()
        file.write_bytes(parts_of(RECORD, 4)[0])
        assert (await client.event())[0] == "end"
        name, other, _ = await ask(f"/match/game.jsonl/events?after={id}").event()
        assert (name, other.partition(".")[0] == id.partition(".")[0]) == ("reset", False)


@pytest.mark.parametrize("damage", [b"nonsense\n", b'{"entry":"sent"}\n', b"\x00" * 100 + b"\n"])
async def test_a_damaged_line_ends_a_stream(damage: bytes, tmp_path: Path) -> None:
    append(tmp_path / "game.jsonl", parts_of(RECORD, 9)[0] + damage)
    async with asking(tmp_path) as ask:
        header = await said(ask("/match/game.jsonl/header"))
        assert "damaged" in header["problem"]
        assert (await ask("/match/game.jsonl/events").event())[0] == "end"


async def test_streams_are_bounded_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_STREAMS", 3)
    append(tmp_path / "game.jsonl", parts_of(RECORD, 9)[0])
    async with asking(tmp_path) as ask:
        path = "/match/game.jsonl/events"
        for _ in range(2):
            clients = [ask(path) for _ in range(3)]
            for client in clients:
                assert (await client.event())[0] == "reset"
            refused = ask(path)
            assert b"format=json" in await refused.body()
            assert refused.status == 503
            assert (await said(ask(f"{path}?format=json")))[0]["event"] == "reset"
            for client in clients:
                client.leave()
                assert await client.body() == b""


def test_an_id_is_a_step_of_this_match(tmp_path: Path) -> None:
    append(tmp_path / "game.jsonl", parts_of(RECORD, 2)[0])
    matches = [followed(tmp_path / "game.jsonl") for _ in range(2)]
    first, last = matches[0].event(None)
    assert first is not None
    assert last is not None
    key = first.id.partition(".")[0]
    steps = [*range(last.step + 1)]
    assert [matches[0].after(f"{key}.{step}.5") for step in steps] == [(step, 5) for step in steps]
    unknown = (f"{len(steps)}.0", "0", "0.0.0", "0.", ".0", "-1.0", "0.-1", "")
    for id in (*(f"{key}.{of}" for of in unknown), key, "", f"x{key}.0.0", ".0.0"):
        assert matches[0].after(id) is None
    assert matches[1].after(first.id) is None
    # A client that has all steps gets no event, and one that lacks the last gets only that.
    assert matches[0].event(last) == (None, last)
    event, now = matches[0].event(last._replace(step=last.step - 1))
    assert event is not None
    assert (event.name, event.id, now) == ("steps", f"{key}.{last.step}.{last.requests}", last)
    news = msgspec.json.decode(event.data)
    whole = msgspec.json.decode(first.data)
    assert news["steps"] == whole["steps"][-1:]
    assert news["lines"] == whole["lines"][-len(news["lines"]) :]


def test_a_client_learns_whose_reply_is_awaited(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    lines = RECORD.read_bytes().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b'"play-turn"' in line)
    append(path, b"".join(lines[:at]))
    match = followed(path)
    first, known = match.event(None)
    assert first is not None
    assert msgspec.json.decode(first.data)["header"]["asked"] == []
    asked = []
    for line in lines[at : at + 2]:  # the request, and its reply
        append(path, line)
        match.read_new()
        event, known = match.event(known)
        assert event is not None
        news = msgspec.json.decode(event.data)
        assert (event.name, news["steps"]) == ("steps", [])
        assert match.after(event.id) == known
        asked.append(news["asked"])
    assert asked == [[0], []]


@pytest.mark.parametrize(("room", "is_over"), [(1, False), (0, False), (-1, True)])
def test_a_file_that_grows_too_large_is_not_followed(
    room: int, is_over: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    append(path, parts_of(RECORD, 2)[0])
    monkeypatch.setattr(live, "MAX_FILE", path.stat().st_size + room)
    assert followed(path).over == is_over


def followed(path: Path) -> live.LiveMatch:
    """Read a file. Nothing else looks whether the match is still played."""
    library = Library([str(path.parent)])
    library.look()
    file = library.log(path.name)
    assert file is not None
    match = live.LiveMatch(file, list)
    while not match.over and match._offset < path.stat().st_size:
        match.read_new()  # on a busy machine, once may not be enough
    return match


def test_a_match_is_over_with_the_end_of_its_record(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    *lines, last = RECORD.read_bytes().splitlines(keepends=True)
    del lines[20:]
    append(path, b"".join(lines))
    assert not followed(path).over
    append(path, last)
    assert followed(path).over
    path.write_bytes(b"".join(lines) + b"no line of a record\n")
    assert followed(path).over


def test_a_log_is_over_with_the_end_of_the_match_or_a_wrong_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    *lines, last = LOG.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines))
    assert not followed(path).over
    append(path, last)
    assert followed(path).over
    path.write_bytes(b"".join(lines[:9]))
    assert not followed(path).over
    append(path, b'{"type":"no-such-message"}\n')
    assert followed(path).over


def test_a_row_of_a_table_has_the_last_score_and_turn(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    append(path, parts_of(RECORD, 2)[0])
    match = followed(path)
    page = msgspec.json.decode(match.parts.whole)
    turns = page["turns"]
    shown = match.summary
    assert shown is not None
    assert (shown.turn, len(shown.names)) == (turns[-1]["turn"], 2)
    scores = [turn["scores"] for turn in turns if turn.get("scores")]
    assert shown.scores == scores[-1]
    assert scores[-1] != scores[0]
    told = [turn for turn in turns if turn["line"]]
    assert told[-1]["line"] != told[0]["line"]
    (seat,) = told[-1]["seats"]
    assert shown.last.startswith(f"{shown.names[seat]} ")


async def test_what_came_while_the_whole_match_was_encoded_is_sent_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, event = tmp_path / "game.jsonl", live.LiveMatch.event
    first, rest = parts_of(RECORD, 2)
    append(path, first)

    def slow(playing: live.LiveMatch, after: live.Position | None) -> Any:
        found = event(playing, after)
        if after is None:  # another stream reads on to the end
            append(path, rest)
            while not playing.over:
                playing.read_new()
        return found

    monkeypatch.setattr(live.LiveMatch, "event", slow)
    async with asking(tmp_path) as ask:
        client = ask("/match/game.jsonl/events")
        assert [(await client.event())[0] for _ in range(3)] == ["reset", "steps", "end"]


def test_a_turn_of_all_seats_is_told_without_a_name_before_it(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    *lines, _ = watched("botwars", 8, max_turns=4).record.splitlines(keepends=True)
    append(path, b"".join(lines))
    shown = followed(path).summary
    assert shown is not None
    told = [turn for turn in read_match(str(path)).turns if turn.line]
    assert told[-1].seats == (0, 1)
    assert shown.last == in_words(told[-1].line, shown.names)


async def test_a_quiet_stream_has_a_comment_now_and_then(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def events() -> AsyncGenerator[bytes]:
        for second in range(int(3 * live.COMMENT_SECONDS) + 1):
            yield b"news" if second == 3 else b""
            await trio.sleep(1)

    begun = trio.current_time()
    found = [(data, trio.current_time() - begun) async for data in live.Live()._counted(events())]
    assert found == [
        (b"news", 3),
        (COMMENT, 3 + live.COMMENT_SECONDS),
        (COMMENT, 3 + 2 * live.COMMENT_SECONDS),
    ]


@pytest.mark.parametrize(("more", "is_over"), [(-1, False), (0, False), (1, True)])
def test_a_log_that_does_not_tell_its_game_is_given_up(
    more: int, is_over: bool, tmp_path: Path
) -> None:
    name = b'{"type":"player-name","player_number":"player1","name":"Ann"}\n'
    path = tmp_path / "game.jsonl"
    path.write_bytes(name * (live._MOST_AHEAD + more))
    assert followed(path).over == is_over


async def test_who_may_follow(tmp_path: Path) -> None:
    append(tmp_path / "game.jsonl", parts_of(RECORD, 2)[0])
    async with asking(tmp_path) as ask:
        for wanted, headers in (
            (421, {"host": "evil.example"}),
            (403, {"origin": "http://evil.example"}),
        ):
            client = ask("/match/game.jsonl/events", **headers)
            await client.body()
            assert client.status == wanted
        assert await ask("/match/game.jsonl/events", method="HEAD").body() == b""


async def test_standings_that_move(tmp_path: Path) -> None:
    with Store.for_writing(str(tmp_path / "night.sqlite")) as store:
        store.add_stage(made_setup(2, deals=2))
        async with asking(tmp_path) as ask:
            client = ask("/store/night.sqlite/events")
            assert await client.event() == ("standings", "", {"matches": 0})
            play(store, row)
            assert await client.event() == ("standings", "", {"matches": 4})
            missing = ask("/store/none.sqlite/events")
            await missing.body()
            assert missing.status == 404
