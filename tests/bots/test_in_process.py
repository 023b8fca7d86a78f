"""Bots that are Python objects: matches without processes, several requests at once, and clocks."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import trio

from referee import objects
from referee.bots.bot import Answer, Failure
from referee.bots.command import PythonBot, new_objects
from referee.bots.in_process import InProcessBot
from referee.course import Course, Played
from referee.errors import BotError
from referee.games.interface.faults import Disqualification
from referee.logs.files import open_logs
from referee.logs.record import without_time
from referee.logs.sink import MemorySink
from referee.logs.verify import Kind, verify_record
from referee.match.spec import MatchSpec, match_spec
from referee.objects import play_objects
from referee.runner import NEWS_SECONDS, Runner, play_once
from tests.support.awaited_bot import AwaitedBot
from tests.support.live import entries, without_times

EXITED = Failure(Disqualification.EXITED, "as the script says")


class Script:
    """Answers the handshake, and then gives its scripted answers in order."""

    def __init__(self, name: str, *answers: object) -> None:
        self.heard: list[list[bytes]] = []
        self._name = name
        self._answers = list(answers)

    def reply(self, lines: Sequence[bytes]) -> Answer:
        self.heard.append(list(lines))
        asked = msgspec.json.decode(lines[-1])
        if asked["type"] == "player-name-request":
            number = asked["player_number"]
            reply: object = {
                "type": "player-name-reply",
                "player_number": number,
                "name": self._name,
            }
        else:
            reply = self._answers.pop(0)
        if isinstance(reply, int):
            reply = {"type": "number-reply", "number": reply}
        return reply if isinstance(reply, bytes | Failure) else msgspec.json.encode(reply)


class Late(AwaitedBot):
    """Waits until the bot in `after` has answered, unless that bot has left."""

    def __init__(self, player: Script) -> None:
        super().__init__(player)
        self.after: Late | None = None
        self.answered = trio.Semaphore(0)
        self.is_here = True

    async def reply(self, deadline: float) -> Answer:
        if self.after is not None and self.after.is_here:
            await self.after.answered.acquire()
        answer = await super().reply(deadline)
        self.answered.release()
        self.is_here = not isinstance(answer, Failure)
        return answer


def toy(*names: str, **options: Any) -> MatchSpec:
    return match_spec(names, game="toy", seed=1, options=options)


async def play(folder: Path, spec: MatchSpec, bots: Sequence[InProcessBot]) -> Played:
    """Play a match that is logged to `folder/log` and `folder/record`."""
    log, record = open_logs([str(folder / "log"), str(folder / "record")])
    assert log is not None
    assert record is not None
    try:
        runner = Runner(Course(spec, bots, log=log, record=record))
        await runner.run()
        return await runner.close()
    finally:
        log.close()
        record.close()


class Behind(MemorySink):
    """A log whose reader has to be waited for after each write."""

    is_behind = False

    def write(self, lines: bytes) -> None:
        super().write(lines)
        self.is_behind = True

    @property
    def behind(self) -> bool:
        return self.is_behind

    def push(self) -> None:
        self.is_behind = False


class Raising:
    """Raises an error at its request, and notes what it hears after that."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.heard: list[object] = []

    def reply(self, lines: Sequence[bytes]) -> Answer:
        raise self.error

    def notify(self, lines: Sequence[bytes]) -> None:
        assert lines
        self.heard += lines


@pytest.mark.parametrize(
    ("error", "name", "says"),
    [
        (ValueError("no"), "", "the bot Raising raised ValueError: no"),
        (ValueError("no"), "Ann", "the bot Ann raised ValueError: no"),
        (SystemExit(), "Ann", "the bot Ann raised SystemExit"),
        (BotError("as it is"), "Ann", "as it is"),
    ],
)
def test_an_error_in_a_bot_names_it(error: BaseException, name: str, says: str) -> None:
    with pytest.raises(BotError) as caught:
        InProcessBot(Raising(error), name).answer([b"{}"])
    assert str(caught.value) == says


async def test_a_bot_that_has_left_hears_and_plays_nothing_more() -> None:
    player = Raising(ValueError())
    bot = InProcessBot(player)
    bot.push(b"1\n2\n")
    await bot.finish(0)
    await bot.finish(0)  # there's nothing new
    assert player.heard == [b"1", b"2"]
    await bot.kill()
    bot.push(b"3\n")
    await bot.finish(0)
    assert player.heard == [b"1", b"2"]
    left = Failure(Disqualification.EXITED, "it has left a match before")
    assert await bot.reply(0) == left


def test_times_count_from_the_start_of_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count(1000)
    monkeypatch.setattr(objects, "time", SimpleNamespace(monotonic=lambda: next(now)))
    record = MemorySink()
    bots = [InProcessBot(Script("Ann", 1)), InProcessBot(Script("Ben", 1))]
    played = play_objects(Course(toy("a", "b", turns=1), bots, record=record, diagnose=True))
    assert 0 < played.answers[0].seconds < played.answers[-1].seconds < 100
    times = [entry.get("time", 0) for entry in map(msgspec.json.decode, record.data.splitlines())]
    assert times == sorted(times)
    assert 0 < times[-1] < 100
    assert times[-2] <= played.result.duration_seconds < 100
    assert played.reply_seconds == [[1], [1]]


def test_a_slow_reader_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []

    class Waited(Behind):
        fd = 7

        def push(self) -> None:
            assert waited.pop() == 7
            super().push()

    select = SimpleNamespace(select=lambda reads, writes, errors: waited.extend(writes))
    monkeypatch.setattr(objects, "select", select)
    bots = [InProcessBot(Script("Ann", 1)), InProcessBot(Script("Ben", 1))]
    log = Waited()
    play_objects(Course(toy("a", "b", turns=1), bots, log))
    assert not log.is_behind


async def test_a_slow_reader_of_the_record_gets_its_end() -> None:
    record = Behind()
    reader, record.fd = os.pipe()
    for _ in range(2):
        bots = [InProcessBot(Script("Ann", 1)), InProcessBot(Script("Ben", 1))]
        if not record.data:
            play_objects(Course(toy("a", "b", turns=1), bots, record=record))
        else:
            runner = Runner(Course(toy("a", "b", turns=1), bots, record=record))
            await runner.run()
            await runner.close()
        assert not record.is_behind
    for fd in (reader, record.fd):
        os.close(fd)


async def test_a_match_without_a_process(tmp_path: Path) -> None:
    scripts = [Script("Ann", 1, 2, 3), Script("Ben", 3, 2, 2)]
    played = await play(tmp_path, toy("a", "b"), [InProcessBot(script) for script in scripts])
    result = played.result
    assert [player.score for player in result.players] == [6, 7]
    assert [player.exit_code for player in result.players] == [None, None]
    assert [player.stderr for player in result.players] == [None, None]
    assert verify_record(str(tmp_path / "record")).kind == Kind.VALID
    # Each call gets all new messages. The last one is the request.
    kinds = [[msgspec.json.decode(line)["type"] for line in lines] for lines in scripts[0].heard]
    assert kinds == [
        ["player-name-request"],
        ["player-name", "player-name", "game-info", "number-request"],
        ["numbers-named", "number-request"],
        ["numbers-named", "number-request"],
    ]


async def test_who_answers_first_makes_no_difference(tmp_path: Path) -> None:
    """The log and the record stay the same, even if bots make faults or leave in that round."""
    seen = []
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        folder = tmp_path / str(order)
        folder.mkdir()
        scripts = [
            Script("Ann", 1, b"nonsense", EXITED),
            Script("Ben", {"type": "number-reply"}, 2, EXITED),
            Script("Cid", 1, EXITED),
        ]
        bots = [Late(script) for script in scripts]
        for first, second in pairwise(order):
            bots[second].after = bots[first]
        played = await play(folder, toy("a", "b", "c"), bots)
        assert played.result.reason == "no-players"
        assert played.result.winners == []
        assert verify_record(str(folder / "record")).kind == Kind.VALID
        record = [entry for entry in without_times(folder / "record") if entry["entry"] != "end"]
        seen.append((entries(folder / "log"), record, played.result.players[0].faults))
    assert seen[0] == seen[1] == seen[2]
    left = [(e["player_number"]) for e in seen[0][0] if e["type"] == "player-disqualified"]
    assert left == ["player3", "player1", "player2"]


class Thinker(AwaitedBot):
    """Thinks for `seconds` before each answer except the handshake, or until the deadline."""

    def __init__(self, player: Script, seconds: float) -> None:
        super().__init__(player)
        self.killed_at = 0.0
        self._seconds = seconds
        self._is_up = False

    async def reply(self, deadline: float) -> Answer:
        with trio.move_on_at(deadline):
            await trio.sleep(self._seconds if self._is_up else 0)
            self._is_up = True
            return await super().reply(deadline)
        return Failure(Disqualification.TIMEOUT, "no reply in time")

    async def kill(self) -> None:
        self.killed_at = trio.current_time()
        await super().kill()


async def test_all_who_are_due_think_at_once_each_on_its_clock(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    """A bot that times out is killed at once, even if others are still thinking (8.1, 8.3)."""
    spec = toy("a", "b", "c", turns=1, time_limit=4)
    numbers = (EXITED, 1, 1)
    bots = [
        Thinker(Script(name, number), seconds)
        for name, number, seconds in zip("abc", numbers, (2, 3, 5), strict=True)
    ]
    started = trio.current_time()
    played = await play(tmp_path, spec, bots)
    assert trio.current_time() - started == pytest.approx(4)
    assert [bot.killed_at - started for bot in bots if bot.killed_at] == pytest.approx([2, 4])
    players = played.result.players
    assert [player.disqualified for player in players] == ["exited", None, "timeout"]
    assert [player.reply_seconds.max for player in players] == pytest.approx([2, 3, 4])
    assert played.disqualified[2].detail == "no reply in time (4 s)"


@pytest.mark.parametrize(("clock", "thinks", "lost"), [("", 3, []), ("turn 1", 3, [0])])
async def test_requests_of_a_seat_that_name_a_clock_share_its_limit(
    tmp_path: Path, autojump_clock: trio.abc.Clock, clock: str, thinks: float, lost: list[int]
) -> None:
    """For each seat, requests with the same clock name share a limit.

    Without a name, each reply has its own.
    """
    spec = toy("a", "b", turns=3, time_limit=8, clock=clock)
    bots = [Thinker(Script("a", 1, 1, 1), thinks), Thinker(Script("b", 1, 1, 1), 2.5)]
    played = await play(tmp_path, spec, bots)
    assert list(played.disqualified) == lost
    if lost:
        assert played.disqualified[0].code == "timeout"
        assert played.disqualified[0].detail == "no reply in time (8 s for turn 1)"
        assert played.result.players[0].reply_seconds.total == pytest.approx(8)


async def test_a_bot_that_was_disqualified_fails_in_a_later_match(tmp_path: Path) -> None:
    bots = [InProcessBot(Script("Ann", 1, 1, 1)), InProcessBot(Script("Ben", EXITED))]
    await play(tmp_path, toy("a", "b"), bots)
    again = await play(tmp_path, toy("a", "b"), bots)
    assert [player.disqualified for player in again.result.players] == [None, "exited"]
    assert again.result.players[1].requests == 0


async def test_an_exception_in_a_bot_of_this_program_ends_the_match(tmp_path: Path) -> None:
    bots = [InProcessBot(Script("Ann", 1)), InProcessBot(Script("Ben"))]
    with pytest.raises(BotError, match="the bot Script raised IndexError") as caught:
        await play(tmp_path, toy("a", "b"), bots)
    assert isinstance(caught.value.__cause__, IndexError)
    assert verify_record(str(tmp_path / "record")).kind == Kind.TRUNCATED


async def test_news_come_in_time_while_another_thinks(autojump_clock: trio.abc.Clock) -> None:
    """Each line arrives once, and within a few hundredths of a second (1.1)."""
    spec = match_spec(["a", "b"], seed=1, options={"max_turns": 1})
    pushed: list[tuple[float, bytes]] = []

    class Listener(InProcessBot):
        def push(self, lines: bytes) -> None:
            pushed.append((trio.current_time(), lines))
            super().push(lines)

    class Slow(AwaitedBot):
        async def reply(self, deadline: float) -> Answer:
            await trio.sleep(5)
            return await super().reply(deadline)

    cleanup = {"type": "play-reply", "phase": "cleanup"}
    bots = [Slow(Script("Ann", cleanup)), Listener(Script("Ben", cleanup))]
    started = trio.current_time()
    await Runner(Course(spec, bots)).run()
    names, dealt, *_ = pushed
    assert names == (
        started,
        b'{"type":"player-name-request","player_number":"player2","version":1}\n',
    )
    assert dealt[0] - started == pytest.approx(5 + NEWS_SECONDS)  # after the other bot's handshake
    assert dealt[1].count(b"\n") == 4
    assert pushed[2][0] - started >= 10


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (b'{"type":"number-reply","number":1}\n', '{"type":"number-reply","number":1}'),
        (b'{"type":"number-reply",\n"number":1}', '{"type":"number-reply",\r"number":1}'),
        (b" \r", "null"),
        (b"", "null"),
        (b" 7\r", " 7\r"),
    ],
)
async def test_what_is_no_line_becomes_one(tmp_path: Path, reply: bytes, line: str) -> None:
    bots = [InProcessBot(Script("Ann", reply)), InProcessBot(Script("Ben", 1))]
    await play(tmp_path, toy("a", "b", turns=1), bots)
    received = [e for e in entries(tmp_path / "record") if e["entry"] == "received"]
    assert received[2]["line"] == line


async def test_text_is_no_reply(tmp_path: Path) -> None:
    class Text(Script):
        def reply(self, lines: Sequence[bytes]) -> Answer:
            return super().reply(lines).decode()  # type: ignore[union-attr,return-value]

    bots = [InProcessBot(Text("Ann")), InProcessBot(Script("Ben"))]
    with pytest.raises(BotError, match="the bot Text replied with str; its reply has to be bytes"):
        await play(tmp_path, toy("a", "b"), bots)


# --- without an event loop ------------------------------------------------------------------------

SCRIPTS: list[list[tuple[Any, ...]]] = [
    [("Ann", 1, 2, 3), ("Ben", 3, 2, 2)],
    [("Ann", 1, b"nonsense", EXITED), ("Ben", {"type": "number-reply"}, 2, 5), ("Cid", 1, EXITED)],
    [("Ann", b""), ("Ben", EXITED)],
]
"""The bots of each match: their names, followed by their answers."""


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_plain_loop_plays_the_same_match(
    tmp_path: Path, scripts: list[tuple[Any, ...]]
) -> None:
    """With or without trio, the bots get the same lines, and log, record and result are equal."""
    spec = toy(*(name for name, *_ in scripts))
    told = []
    for plain in (False, True):
        bots = [Listening(*script) for script in scripts]
        sources = [PythonBot(bot.name, partial(InProcessBot, bot)) for bot in bots]
        log, record = MemorySink(), MemorySink()
        if plain:
            played = play_objects(Course(spec, new_objects(sources), log, record, diagnose=True))
        else:
            played = await play_once(spec, sources, log, record)
        result = msgspec.to_builtins(played.result)
        del result["duration_seconds"]
        for player in result["players"]:
            del player["reply_seconds"]
        file = tmp_path / f"{plain}"
        file.write_bytes(record.data)
        assert verify_record(str(file)).kind == Kind.VALID
        lines = [without_time(line) for line in record.data.splitlines(keepends=True)]
        heard = [(bot.heard, bot.last) for bot in bots]
        left = played.disqualified
        told.append((log.data, lines, played.digest, result, left, heard))
    assert told[0] == told[1]


class Listening(Script):
    """Also keeps the lines that come after the last request."""

    def __init__(self, name: str, *answers: object) -> None:
        super().__init__(name, *answers)
        self.name = name
        self.last: list[bytes] = []

    def notify(self, lines: Sequence[bytes]) -> None:
        self.last += lines


def test_a_plain_loop_waits_for_the_reader_of_a_log(tmp_path: Path) -> None:
    """The log of a round has been written completely before the next request."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    (log,) = open_logs([str(fifo)])
    assert log is not None
    filler = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    filled = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            filled += os.write(filler, bytes(4096))
    os.close(filler)
    os.set_blocking(reader, True)
    read: list[bytes] = []

    def read_all() -> None:
        while data := os.read(reader, 65536):
            read.append(data)

    thread = threading.Thread(target=read_all)
    behind = []

    class Starting(Script):
        def reply(self, lines: Sequence[bytes]) -> Answer:
            behind.append(log.behind)
            if not self.heard:
                thread.start()
            return super().reply(lines)

    bots = [InProcessBot(Script("Ann", 1)), InProcessBot(Starting("Ben", 1))]
    play_objects(Course(toy("a", "b", turns=1), bots, log))
    log.close()
    thread.join()
    os.close(reader)
    lines = b"".join(read)[filled:].splitlines()
    assert msgspec.json.decode(lines[-1])["type"] == "game-end"
    assert behind == [False, False]
