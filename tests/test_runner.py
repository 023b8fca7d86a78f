"""How the runner waits: polling briefly, letting other tasks run, and noticing its own delays."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Sequence
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import trio
import trio.testing
from msgspec import structs

from referee import course
from referee import runner as module
from referee.bots.bot import Answer, Failure
from referee.bots.command import HUMAN, PythonBot, resolve_bot
from referee.bots.in_process import InProcessBot
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.process import BotProcess
from referee.bots.processes.stderr import StderrKeeper
from referee.course import Course
from referee.errors import GameError
from referee.games import GAMES
from referee.games.interface.faults import Disqualification
from referee.logs.sink import MemorySink
from referee.match.limits import Limits
from referee.match.sandbox import Sandbox, SandboxKind
from referee.match.spec import MatchSpec, match_spec
from referee.runner import SLICE_SECONDS, Runner, replayed
from tests.support import toy as toy_game
from tests.support.awaited_bot import AwaitedBot

EXITED = Failure(Disqualification.EXITED, "it has left")


class Named:
    """A `BotObject` that names the same number in every turn of the toy game."""

    def __init__(self, number: int) -> None:
        self.number = number

    def reply(self, lines: Sequence[bytes]) -> Answer:
        asked = msgspec.json.decode(lines[-1])
        if asked["type"] == "player-name-request":
            number = asked["player_number"]
            name = f"names {self.number}"
            reply = {"type": "player-name-reply", "player_number": number, "name": name}
        else:
            reply = {"type": "number-reply", "number": self.number}
        return msgspec.json.encode(reply)


class PipeBot(InProcessBot):
    """Replies through a pipe like a process, but only after a call of `let_answer`.

    Attributes:
        waits: how often the runner had to wait for a reply under trio.
        next: the bot that may reply as soon as this bot's reply was taken.
    """

    def __init__(self, number: int) -> None:
        super().__init__(Named(number))
        self.pipe = os.pipe()
        self.stdout_fd = self.pipe[0]
        self.waits = 0
        self.looks: list[float] = []
        self.next: PipeBot | None = None

    def let_answer(self) -> None:
        os.write(self.pipe[1], b".")

    def quick_reply(self, seconds: float) -> Any:
        self.looks.append(seconds)
        os.set_blocking(self.pipe[0], False)
        try:
            os.read(self.pipe[0], 1)
        except BlockingIOError:
            return None
        if self.next is not None:
            self.next.let_answer()
        return super().quick_reply(seconds)

    async def reply(self, deadline: float) -> Answer:
        self.waits += 1
        answer: Answer = super().quick_reply(0)
        return answer

    def close(self) -> None:
        for fd in self.pipe:
            os.close(fd)


class Thinker(AwaitedBot):
    """Takes the given seconds for its replies, beginning with the handshake.

    Attributes:
        given: the seconds that it had for each reply.
    """

    def __init__(self, seconds: Sequence[float] = ()) -> None:
        super().__init__(Named(1))
        self.seconds = [*reversed(seconds)]
        self.given: list[float] = []

    async def reply(self, deadline: float) -> Answer:
        left = deadline - trio.current_time()
        self.given.append(left)
        wanted = self.seconds.pop() if self.seconds else 0.0
        await trio.sleep(max(0.0, min(left, wanted)))
        if wanted > left:
            return Failure(Disqualification.TIMEOUT, "no reply in time")
        return await super().reply(deadline)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy", toy_game.RULES)


def toy(**options: Any) -> MatchSpec:
    return match_spec(["a", "b"], game="toy", seed=1, options=options)


@pytest.fixture
def bots() -> Any:
    bots = [PipeBot(1), PipeBot(2)]
    yield bots
    for bot in bots:
        bot.close()


async def test_one_look_takes_the_replies_of_all(bots: list[PipeBot]) -> None:
    """Polling is enough: the runner never has to wait for a bot under trio."""
    first, second = bots
    second.next, first.next = first, second  # each reply lets the other bot answer
    second.let_answer()
    runner = Runner(Course(toy(turns=3), bots), alone=True)
    await runner.run()
    played = await runner.close()
    assert [player.score for player in played.result.players] == [3, 6]
    assert [bot.waits for bot in bots] == [0, 0]
    assert [len(seconds) for seconds in played.reply_seconds] == [3, 3]


async def test_half_a_reply_is_not_looked_at_again(bots: list[PipeBot]) -> None:
    """The event loop waits for its rest, and for the other bot."""

    class Halves(PipeBot):
        left = 3

        def quick_reply(self, seconds: float) -> Any:
            if self.left:
                os.read(self.pipe[0], 1)
                self.left -= 1
                self.let_answer()  # the rest is there at once
            return None

    halves = Halves(2)
    halves.let_answer()
    runner = Runner(Course(toy(turns=1), [bots[0], halves]), alone=True)
    await runner.run()
    halves.close()
    assert [bots[0].waits, halves.waits] == [2, 2]


async def test_no_look_is_longer_than_the_time_that_is_left(bots: list[PipeBot]) -> None:
    for bot in bots:
        for _ in range(9):
            bot.let_answer()
    limit = module.QUICK_SECONDS / 4
    options = {"time_limit": limit, "max_turns": 2}
    spec = match_spec(["minimal", "minimal"], seed=1, options=options)
    runner = Runner(Course(spec, bots), alone=True)
    await runner.run()  # these bots don't know the game, so every reply is a fault
    looks = [seconds for bot in bots for seconds in bot.looks]
    assert 0 < max(looks) < limit * 1.001


async def test_no_look_waits_for_a_bot_whose_time_is_over(bots: list[PipeBot]) -> None:
    """Its reply counts if it's there already (8.1)."""
    for bot in bots:
        for _ in range(9):
            bot.let_answer()
    # The first reply takes longer than that, so the bank is overdrawn for the others.
    options = {"time_bank": 1e-9, "max_turns": 3}
    await Runner(Course(match_spec(["", ""], seed=1, options=options), bots), alone=True).run()
    assert {seconds for bot in bots for seconds in bot.looks[2:]} == {0.0}


async def test_what_takes_long_before_a_look_leaves_less_time_for_it(
    bots: list[PipeBot],
    autojump_clock: trio.testing.MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []

    class Poll:
        def register(self, fd: int, events: int) -> None: ...

        def poll(self, milliseconds: float) -> list[tuple[int, int]]:
            waited.append(milliseconds)
            return []

    def late(seconds: float) -> None:
        autojump_clock.jump(module.QUICK_SECONDS / 4)

    monkeypatch.setattr(module, "select", SimpleNamespace(poll=Poll, POLLIN=select.POLLIN))
    for bot in bots:
        bot.quick_reply = late  # type: ignore[assignment]
    await Runner(Course(toy(turns=1), bots), alone=True).run()
    assert waited == [pytest.approx(500 * module.QUICK_SECONDS)] * 2


async def test_beside_other_tasks_nobody_is_looked_at(bots: list[PipeBot]) -> None:
    runner = Runner(Course(toy(turns=3), bots))
    await runner.run()
    assert [bot.looks for bot in bots] == [[], []]
    assert [bot.waits for bot in bots] == [4, 4]


async def test_beside_other_tasks_a_quick_reply_to_one_request_opens_no_nursery(
    bots: list[PipeBot],
) -> None:
    for bot in bots:
        for _ in range(9):
            bot.let_answer()
    spec = match_spec(["a", "b"], seed=1, options={"max_turns": 2})
    await Runner(Course(spec, bots)).run()
    assert [bot.waits for bot in bots] == [1, 1]  # in the handshake, both have a request


@pytest.mark.parametrize(("limit", "waited"), [(0.003, 0.003), (1.0, module.QUICK_SECONDS)])
async def test_a_reply_is_waited_for_in_this_way_until_it_is_not_quick_or_late(
    bots: list[PipeBot], limit: float, waited: float, autojump_clock: trio.testing.MockClock
) -> None:
    class Silent(PipeBot):
        async def reply(self, deadline: float) -> Answer:
            asked.append(trio.current_time() - runner.asked_since)
            return await super().reply(deadline)

    asked: list[float] = []
    silent = Silent(1)
    spec = match_spec(["a", "b"], seed=1, options={"max_turns": 1, "time_limit": limit})
    runner = Runner(Course(spec, [silent, bots[1]]))
    await runner.run()
    silent.close()
    assert asked[1:] == [pytest.approx(waited)]


async def test_a_bot_without_a_descriptor_waits_for_no_look(bots: list[PipeBot]) -> None:
    """An HTTP bot has no descriptor. Its request is sent before we wait for the others."""
    piped, other = bots
    other.stdout_fd = -1
    other.quick_reply = lambda seconds: None  # type: ignore[method-assign]
    await Runner(Course(toy(turns=3), bots), alone=True).run()
    assert set(piped.looks) == {0.0}
    assert [bot.waits for bot in bots] == [4, 4]


async def test_other_tasks_run_between_quick_replies(
    bots: list[PipeBot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.0)
    for bot in bots:
        for _ in range(21):
            bot.let_answer()
    turns = []

    async def tick(runner: Runner) -> None:
        while True:
            turns.append(runner.match.turns)
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        runner = Runner(Course(toy(turns=20), bots), alone=True)
        nursery.start_soon(tick, runner)
        await runner.run()
        nursery.cancel_scope.cancel()
    assert [bot.waits for bot in bots] == [0, 0]
    assert len(set(turns)) > 10


async def test_a_bot_that_left_is_killed_before_others_are_looked_at_again(
    bots: list[PipeBot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE_SECONDS", 1000.0)
    killed_at = []

    class Leaver(PipeBot):
        async def kill(self) -> None:
            killed_at.append(runner.match.turns)
            await super().kill()

    leaver = Leaver(3)
    leaver.answer = lambda lines: EXITED  # type: ignore[method-assign]
    for bot in (*bots, leaver):
        for _ in range(9):
            bot.let_answer()
    spec = match_spec(["a", "b", "c"], game="toy", seed=1, options={"turns": 8})
    runner = Runner(Course(spec, [*bots, leaver]), alone=True)
    await runner.run()
    leaver.close()
    assert runner.match.turns == 8 * 3
    assert killed_at == [3]  # three seats began a turn in the first of eight rounds


class Noting(InProcessBot):
    """Notes what it's sent, and when."""

    def __init__(self) -> None:
        super().__init__(Named(2))
        self.pushed: list[tuple[float, list[bytes]]] = []

    def push(self, lines: bytes) -> None:
        self.pushed.append((trio.current_time(), lines.splitlines()))
        super().push(lines)

    def times(self) -> list[float]:
        """Return when it was sent lines after the first request."""
        return [time - self.pushed[0][0] for time, _ in self.pushed[1:]]


async def test_news_of_one_bot_do_not_wait_for_those_of_another(
    autojump_clock: trio.abc.Clock,
) -> None:
    """The first bot's news are younger, because it has just got its request."""
    waiting = Noting()
    spec = match_spec([""] * 3, seed=1, options={"max_turns": 1})
    await Runner(Course(spec, [Thinker([0, 0.01]), Thinker([0, 5]), waiting])).run()
    assert waiting.times()[0] == pytest.approx(module.NEWS_SECONDS)


def test_news_reach_a_bot_without_a_request_in_time() -> None:
    """The last bot gets the news after `NEWS_SECONDS`, and each line once."""
    clock = trio.testing.MockClock()

    class Moving(InProcessBot):
        def quick_reply(self, seconds: float) -> Answer:
            clock.jump(module.NEWS_SECONDS * (not runner.match.in_handshake))
            return super().quick_reply(seconds)

    async def main() -> None:
        nonlocal runner
        spec = match_spec([""] * 4, seed=1, options={"max_turns": 1})
        log = MemorySink()
        runner = Runner(
            Course(spec, [*(Moving(Named(1)) for _ in range(3)), waiting], log), alone=True
        )
        await runner.run()
        public = log.data.splitlines()
        assert [line for _, lines in waiting.pushed for line in lines if line in public] == public

    runner: Runner
    waiting = Noting()
    trio.run(main, clock=clock)
    times = waiting.times()
    # After the first bot's reply, with its own request after the third, and at the end.
    assert times == pytest.approx([module.NEWS_SECONDS, 3 * module.NEWS_SECONDS, times[-1]])


class Idle:
    """Stands in for the process of a bot that has no request to answer."""

    def __init__(self) -> None:
        self.is_frozen = False
        self.was_frozen: list[bool] = []
        self.attended = trio.Event()

    def freeze(self) -> None:
        self.is_frozen = True

    def thaw(self) -> None:
        self.was_frozen.append(self.is_frozen)
        self.is_frozen = False

    def is_stopped(self) -> bool:
        return self.is_frozen

    async def attend(self) -> None:
        self.attended.set()

    def read_stderr(self) -> None: ...


async def test_idle_bots_are_attended_to_and_frozen_at_the_first_slow_reply(
    autojump_clock: trio.abc.Clock,
) -> None:
    """The stderr of idle bots is read while another bot thinks (limits.md, 5; 1.4)."""
    idle = Idle()

    class Slow(AwaitedBot):
        async def reply(self, deadline: float) -> Answer:
            if not runner.match.in_handshake:
                idle.attended = trio.Event()  # the first one was set in the handshake
                await idle.attended.wait()
                frozen_before.append(idle.is_frozen)
                await trio.sleep(2 * module.QUICK_SECONDS)
                frozen_after.append(idle.is_frozen)
                assert not own.is_frozen
            return await super().reply(deadline)

    frozen_before, frozen_after = list[bool](), list[bool]()
    spec = match_spec(["minimal", "minimal"], seed=1, options={"max_turns": 1})
    runner = Runner(Course(spec, [Slow(Named(1)), InProcessBot(Named(2))]))
    own = Idle()
    runner._freezable = {0: own, 1: idle}  # type: ignore[dict-item]
    runner.processes = {1: idle}  # type: ignore[dict-item]
    kept = Idle()  # it waits for another match
    runner.idle = lambda: [kept]  # type: ignore[list-item]
    with trio.fail_after(60):
        await runner.run()
    assert kept.is_frozen
    assert frozen_before[0] is False
    assert frozen_after[0] is True
    assert True in idle.was_frozen  # it was thawed when its own request came


async def test_only_processes_that_wait_are_attended_to(autojump_clock: trio.abc.Clock) -> None:
    """A due process reads its own stderr, and so does one that is being killed."""
    attended = []

    class Watched(Idle):
        def __init__(self, seat: int) -> None:
            super().__init__()
            self.seat = seat

        async def attend(self) -> None:
            await trio.lowlevel.checkpoint()
            assert self.seat not in runner.match.due
            assert self.seat not in runner.match.disqualified
            attended.append((self.seat, runner.match.in_handshake))

    leaver = InProcessBot(Named(3))
    leaver.answer = lambda lines: EXITED  # type: ignore[method-assign]
    spec = match_spec(["a", "b", "c"], seed=1, options={"max_turns": 2})
    runner = Runner(Course(spec, [Thinker([1, 1, 1]), Thinker([2, 2]), leaver]))
    runner.processes = {seat: Watched(seat) for seat in range(3)}  # type: ignore[misc]
    await runner.run()
    # In the handshake, the second bot still thinks after the first one has replied.
    assert {*attended} == {(0, True), (0, False), (1, False)}


async def test_the_clock_starts_again_when_the_reader_of_a_log_has_caught_up(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """The referee waits for it after the request was sent (8.1)."""

    class Slow(MemorySink):
        behind = True

        def push(self) -> None:
            autojump_clock.jump(7)
            self.behind = False

    log = Slow()
    reader, log.fd = os.pipe()
    bot = Thinker([1, 2])
    spec = match_spec(["a", "b"], game="toy", seed=1, options={"turns": 1, "time_limit": 9})
    runner = Runner(Course(spec, [bot, Thinker()], log))
    pushed = bot.push
    bot.push = lambda lines: (pushed(lines), setattr(log, "behind", True))[0]  # type: ignore[method-assign]
    await runner.run()
    assert bot.given[1] == pytest.approx(9)
    assert runner.course.reply_seconds[0] == pytest.approx([2])
    for fd in (reader, log.fd):
        os.close(fd)


def lateness_noted(prepare: Callable[[Runner], object]) -> list[tuple[float, set[int]]]:
    """Let the referee be on time once and then 7 s late. Return the delays and seats it notes."""
    clock = trio.testing.MockClock()
    late: list[tuple[float, set[int]]] = []

    async def main() -> None:
        runner = Runner(Course(toy(), [InProcessBot(Named(1)), InProcessBot(Named(2))]), alone=True)
        runner.overslept = lambda seconds, seats: late.append((seconds, {*seats}))
        prepare(runner)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner._keep_on_time)
            await trio.testing.wait_all_tasks_blocked()
            for seconds in (module.NEWS_SECONDS, SLICE_SECONDS + 7):
                clock.jump(seconds)
                await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

    trio.run(main, clock=clock)
    return late


def test_lateness_is_noted_while_the_referee_waits() -> None:
    """A time-out doesn't count while the referee itself is late (tournaments.md)."""
    late = lateness_noted(lambda runner: None)
    assert late == [(pytest.approx(0), {0, 1}), (pytest.approx(7), {0, 1})]


@pytest.mark.parametrize("kind", ["none", "bwrap"])
def test_only_a_bot_in_a_sandbox_is_frozen(kind: SandboxKind) -> None:
    """Without one, lateness excuses all bots, because none of them can be stopped."""
    launched = LaunchedBot(resolve_bot("/bin/cat"), Limits())
    spec = structs.replace(toy(), sandbox=Sandbox(kind))
    bots = [BotProcess(launched, StderrKeeper(None)), InProcessBot(Named(1))]
    runner = Runner(Course(spec, bots))
    launched.end()
    assert runner._freezable == ({} if kind == "none" else {0: launched})
    assert runner._unstopped == ({0} if kind == "none" else set())


async def test_each_look_is_at_another_process_that_waits_for_a_match() -> None:
    looked: list[int] = []
    idle: Any = [
        SimpleNamespace(is_stopped=lambda number=number: looked.append(number))
        for number in range(3)
    ]
    runner = Runner(Course(toy(), [InProcessBot(Named(1)), InProcessBot(Named(2))]))
    runner.idle = lambda: idle
    for _ in range(4):
        assert runner._stopped() == set()
    assert {*looked[:3]} == {0, 1, 2}
    assert looked[3] == looked[0]


@pytest.mark.parametrize(
    ("source", "is_asked"),
    [
        (PythonBot("bot", lambda: InProcessBot(Named(1))), True),
        (PythonBot(HUMAN, lambda: InProcessBot(Named(1))), False),
        (PythonBot("rules.json", lambda: InProcessBot(Named(1)), is_file=True), False),
    ],
)
def test_neither_a_person_nor_a_rule_file_answers_recorded_requests_again(
    source: PythonBot, is_asked: bool
) -> None:
    asked: list[float] = []

    class Own(InProcessBot):
        def quick_reply(self, seconds: float) -> Answer:
            asked.append(seconds)
            return b"own"

    (bot,) = replayed([Own(Named(1))], [source], [[b"recorded"]])
    assert [bot.quick_reply(0), bot.quick_reply(1)] == [b"recorded", b"own"]
    assert asked == ([0, 1] if is_asked else [1])


@pytest.mark.parametrize("stopped", [True, False])
def test_a_bot_that_runs_cannot_make_the_referee_late_for_its_own_excuse(stopped: bool) -> None:
    """In a sandbox, lateness only excuses bots that were stopped all the time (tournaments.md)."""

    class Resisting(Idle):
        def is_stopped(self) -> bool:
            return stopped

    def put_into_sandbox(runner: Runner) -> None:
        runner._freezable = {0: Idle(), 1: Resisting()}  # type: ignore[dict-item]
        runner.processes = runner._freezable  # type: ignore[assignment]
        runner._freezable[1].freeze()

    late = lateness_noted(put_into_sandbox)
    assert late == [
        (pytest.approx(0), set()),  # at first it may not have been stopped yet
        (pytest.approx(7), {1} if stopped else set()),
    ]


# --- clocks (protocol, 8.1) -----------------------------------------------------------------------


async def given(*thinkers: Thinker, game: str = "toy", **options: Any) -> Runner:
    """Play a match, and return its runner."""
    spec = match_spec(["a", "b"], game=game, seed=1, options=options)
    runner = Runner(Course(spec, thinkers))
    await runner.run()
    return runner


async def test_a_reply_has_the_less_of_its_limit_and_the_bank(
    autojump_clock: trio.abc.Clock,
) -> None:
    """A reply adds the increment, so the first one has only the bank itself."""
    bot = Thinker([0, 3, 1, 0, 9, 9])
    how = {"turns": 6, "time_limit": 9.5, "time_bank": 10, "increment": 2}
    runner = await given(Thinker(), bot, **how)
    assert bot.given[1:] == pytest.approx([9.5, 9, 9.5, 9.5, 5])
    assert runner.course.reply_seconds[1] == pytest.approx([3, 1, 0, 9, 5])
    left = runner.match.disqualified[1]
    assert (left.code, left.detail) == (
        "time-bank",
        "its 10 s for all replies of the match and 2 s for each were over at reply 5",
    )
    assert runner.match.disqualified.keys() == {1}


@pytest.mark.parametrize(("bank", "code"), [(4, "timeout"), (3.9, "time-bank")])
async def test_the_bank_is_named_if_it_has_less_than_the_limit(
    bank: float, code: str, autojump_clock: trio.abc.Clock
) -> None:
    runner = await given(Thinker(), Thinker([0, 5]), time_limit=4, time_bank=bank)
    assert runner.match.disqualified[1].code == code


async def test_the_replies_of_a_clock_share_the_limit(autojump_clock: trio.abc.Clock) -> None:
    bot = Thinker([0, 3, 4, 9])
    runner = await given(Thinker([0, 7]), bot, clock="the game", turns=9, time_limit=8)
    assert bot.given[1:] == pytest.approx([8, 5, 1])
    # The other's reply changes nothing.
    assert runner.course.reply_seconds[0][0] == pytest.approx(7)
    assert runner.match.disqualified[1].detail == "no reply in time (8 s for the game)"
    assert runner.match.disqualified.keys() == {1}


async def test_the_handshake_has_a_limit_from_the_start_of_the_bot(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.abc.Clock
) -> None:
    """A bot that has waited for this match has the time from the request on (3.4)."""
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 1000.0))
    started, late, waited = Thinker([1]), Thinker([5]), Thinker([7])
    started.started, late.started = 997.0, 996.0
    spec = match_spec(["a", "b", "c"], game="toy", seed=1, options={"startup_limit": 8})
    runner = Runner(Course(spec, [started, late, waited]))
    await runner.run()
    assert [bot.given[0] for bot in (started, late, waited)] == pytest.approx([5, 4, 8])
    left = runner.match.disqualified
    assert (left[1].code, left[1].detail) == (
        "startup-timeout",
        "no reply to the handshake within 8 s",
    )
    assert left.keys() == {1}
    assert runner.course.reply_seconds == [pytest.approx([0, 0, 0]), [], pytest.approx([0, 0, 0])]
    played = await runner.close()
    assert played.result.duration_seconds == pytest.approx(4 + 7)  # from the first start on


@pytest.mark.parametrize(
    ("work", "of_the_other"),
    # In the handshake and the third reply, the bot is stopped while the other one thinks. It's
    # stopped before the second and the fourth request, because the reply before was slow.
    [("freeze", [5, 0, 5 - 3, 0]), ("thaw", [5, 0, 5, 0])],
)
async def test_the_time_that_it_takes_to_stop_or_wake_a_bot_is_its_own(
    work: str, of_the_other: list[float], autojump_clock: trio.testing.MockClock
) -> None:
    """The time is added to the bot's own next reply and to no other bot's (limits.md, 5)."""

    class Resisting(Idle):
        def freeze(self) -> None:
            super().freeze()
            autojump_clock.jump(3 * (work == "freeze"))

        def thaw(self) -> None:
            super().thaw()
            autojump_clock.jump(3 * (work == "thaw"))

    slow, other = Thinker([5, 5, 0, 5]), Thinker()
    runner = Runner(Course(match_spec(["a", "b"], seed=1, options={"max_turns": 4}), [slow, other]))
    runner._freezable = {1: Resisting()}  # type: ignore[dict-item]
    await runner.run()
    assert runner.course.reply_seconds[1] == pytest.approx([3, 3, 3, 3])
    assert other.given[1:] == pytest.approx([10 - 3] * 4)
    assert runner.course.reply_seconds[0] == pytest.approx(of_the_other)


async def test_a_late_look_at_a_slow_bot_is_lateness(bots: list[PipeBot]) -> None:
    """The delay is measured from the request until the referee begins to wait."""
    late: list[float] = []
    runner = Runner(Course(toy(turns=1), bots), alone=True)
    runner.overslept = lambda seconds, seats: late.append(seconds)
    look = runner._poll_bots

    def late_look(due: Sequence[int]) -> Sequence[int]:
        runner.asked_since -= 7
        return look(due)

    runner._poll_bots = late_look  # type: ignore[method-assign]
    await runner.run()
    assert max(late) == pytest.approx(7, abs=0.5)


@pytest.mark.parametrize("is_process", [True, False])
def test_the_time_that_an_object_takes_is_not_lateness(is_process: bool) -> None:
    """Otherwise, a slow object could excuse the time-outs of its opponent."""
    clock = trio.testing.MockClock()
    late: list[float] = []

    class Slow(InProcessBot):
        def quick_reply(self, seconds: float) -> Answer:
            clock.jump(7)
            return super().quick_reply(seconds)

    async def main() -> None:
        spec = match_spec(["a", "b"], seed=1, options={"max_turns": 2})
        runner = Runner(Course(spec, [Slow(Named(1)), InProcessBot(Named(2))]), alone=True)
        runner.overslept = lambda seconds, seats: late.append(seconds)
        if is_process:
            runner.processes = {0: Idle(), 1: Idle()}  # type: ignore[dict-item]
        await runner.run()

    trio.run(main, clock=clock)
    # The second bot, which replies at once, is never noted.
    assert late == ([pytest.approx(7 - module.QUICK_SECONDS)] * 2 if is_process else [])


async def test_only_objects_without_a_request_cannot_have_caused_a_delay(
    autojump_clock: trio.abc.Clock,
) -> None:
    innocent = set[frozenset[int]]()
    spec = match_spec(["a", "b"], seed=1, options={"max_turns": 1})
    runner = Runner(Course(spec, [Thinker([0, 1]), Thinker([0, 1])]))
    runner.overslept = lambda seconds, seats: innocent.add(frozenset(seats))
    await runner.run()
    # The runner looks after each slice of a second in which the other bot thinks.
    assert innocent == {frozenset(), frozenset({0}), frozenset({1})}


# --- the course of a match ------------------------------------------------------------------------


async def test_a_kept_bot_has_no_exit_code() -> None:
    """Whether it exits before the end of the match or after it depends on chance."""

    class Ended(InProcessBot):
        exit_code = 3

    record = MemorySink()
    bots = [Ended(Named(1)), Ended(Named(2))]
    runner = Runner(Course(toy(turns=1), bots, record=record))
    await runner.run()
    played = await runner.close({0})
    assert [player.exit_code for player in played.result.players] == [None, 3]
    lines = [msgspec.json.decode(line) for line in record.data.splitlines()]
    assert [line["exit_code"] for line in lines if line["entry"] == "exit"] == [None, 3]


def test_each_object_has_the_limits_of_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = toy(turns=1)
    each = [spec.limits._replace(time_limit=seconds) for seconds in (3.0, 4.0)]
    bots, given = [InProcessBot(Named(1)), InProcessBot(Named(2))], []
    monkeypatch.setattr(
        InProcessBot, "attach_limits", lambda bot, limits: given.append((bot, limits))
    )
    course.Course(msgspec.structs.replace(spec, limits_of_bots=tuple(each)), bots)
    assert given == [*zip(bots, each, strict=True)]


def test_a_bot_that_has_left_gets_no_more_lines() -> None:
    it = course.Course(toy(turns=1), [InProcessBot(Named(1)), InProcessBot(Named(2))])
    assert it.begin()[1]
    for lines in it.pending:
        lines.clear()
    it.give(0, EXITED, 0.0, None)
    request = b'{"type":"player-name-request","player_number":"player2"}'
    it.give(1, Named(2).reply([request]), 0.0, None)
    assert it.pending[0] == []
    assert it.pending[1]


async def test_the_messages_are_hashed_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number consists of the first 53 bits of a SHA-256 (`Played.messages`)."""

    async def played() -> tuple[int, list[bytes]]:
        bots = [InProcessBot(Named(n)) for n in (1, 2)]
        runner = Runner(Course(toy(turns=2), bots, messages=True), alone=True)
        lines: list[bytes] = []
        runner.course.listeners.append(
            lambda match, entries: lines.extend(e.line for e in entries if hasattr(e, "line"))
        )
        await runner.run()
        return (await runner.close()).messages, lines

    found, lines = await played()
    assert f"{found:053b}" == f"{int(sha256(b''.join(lines)).hexdigest(), 16):0256b}"[:53]
    monkeypatch.setattr(course, "_MOST_UNHASHED", 3)
    assert (await played())[0] == found


@pytest.mark.parametrize("is_process", [True, False])
def test_the_header_says_by_what_processes_are_limited(
    is_process: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "limits_by", lambda limits, sandbox: "rlimits")
    record = MemorySink()
    it = course.Course(toy(turns=1), [InProcessBot(Named(1)), InProcessBot(Named(2))], None, record)
    it.processes = {0: SimpleNamespace()} if is_process else {}
    it.write(it.begin()[0], 0.0)
    header = msgspec.json.decode(record.data.splitlines()[0])
    assert header.get("limits_by") == ("rlimits" if is_process else None)


async def test_the_reply_at_which_a_game_fails_is_in_the_record() -> None:
    """Without it, `verify` couldn't show the mistake."""
    record = MemorySink()
    bots = [InProcessBot(Named(1)), InProcessBot(Named(2))]
    runner = Runner(Course(toy(turns=1), bots, record=record), alone=True)
    receive = runner.match.receive

    def fail(seat: int, line: bytes) -> None:
        in_handshake = runner.match.in_handshake
        receive(seat, line)
        if not in_handshake:
            raise GameError("its mistake")

    runner.match.receive = fail  # type: ignore[method-assign]
    with pytest.raises(GameError):
        await runner.run()
    last = msgspec.json.decode(record.data.splitlines()[-1])
    assert (last["entry"], last["line"]) == ("received", '{"type":"number-reply","number":1}')


async def test_answers_are_kept_up_to_a_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The later ones are no use without the earlier. A failure takes no room."""

    class Leaving(InProcessBot):
        def quick_reply(self, seconds: float) -> Answer:
            return EXITED if self.turn == 3 else super().quick_reply(seconds)

        def push(self, lines: bytes) -> None:
            self.turn = getattr(self, "turn", 0) + 1
            super().push(lines)

    async def kept(most: int) -> list[course.RecordedReply]:
        monkeypatch.setattr(course, "MAX_ANSWERS", most)
        bots = [InProcessBot(Named(1)), Leaving(Named(2))]
        runner = Runner(Course(toy(turns=3), bots, diagnose=True), alone=True)
        await runner.run()
        return (await runner.close()).answers

    answers = [(seat, answer) for seat, answer, _ in await kept(10**6)]
    assert [seat for seat, _ in answers] == [0, 1] * 3
    assert answers[-1] == (1, EXITED)
    size = sum(len(answer) for _, answer in answers if isinstance(answer, bytes))
    assert [(seat, answer) for seat, answer, _ in await kept(size)] == answers
    assert await kept(size - 1) == []
