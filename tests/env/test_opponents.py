"""Bots as opponents must play as they do in `play`, and leave no process."""

from __future__ import annotations

import copy
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import enumerate as threads
from threading import main_thread
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import referee
from referee.bots import portal
from referee.bots.bot import Bot, Failure
from referee.bots.bundled import bundled_bots
from referee.bots.from_python import FunctionPlayer, bundled_class
from referee.bots.hosting import QUICK_SECONDS
from referee.bots.portal import BotPortal
from referee.bots.processes.guardian import GUARDIAN
from referee.env import opponents
from referee.env.episode import Episode
from referee.env.observer import Observation
from referee.env.policy_bot import PolicyBot
from referee.env.pool import Pool
from referee.errors import BotError, UsageError
from referee.games import GAMES
from referee.games.interface.faults import Disqualification
from referee.match.limits import Limits
from referee.match.machine import Disqualified
from tests.support.batches import kept
from tests.support.helpers import cautious, name_line
from tests.support.live import await_end, hostile
from tests.support.marks import slow

OPTIONS = {"dominion": {"max_turns": 6}, "botwars": {"rows": 5, "cols": 6, "max_turns": 6}}


class Cautious:
    """The same bot as `cautious`, but as a class, so each match gets a new instance."""

    def __call__(self, message: dict[str, Any]) -> Any:
        return cautious(message)


def last_choice(seen: Observation) -> Any:
    """Return the last legal action. In Bot Wars, move all botlets to the right."""
    return seen["action_mask"].nonzero()[0][-1] if isinstance(seen, dict) else seen[..., 0] * 3


def play_on(episode: Episode) -> None:
    while episode.due:
        for seat in episode.due:
            episode.act(seat, last_choice(episode.observe(seat)))


def test_a_process_plays_match_after_match() -> None:
    """The environment must reuse a single process (8.4)."""
    before = {*GUARDIAN.processes}
    episode = Episode(GAMES["dominion"], None, OPTIONS["dominion"], [None, kept()])
    try:
        names = []
        for seed in (1, 2, 3):
            episode.begin(seed)
            names.append(episode._match.names[1])
            play_on(episode)
        assert names == ["match 1", "match 2", "match 3"]
        assert len(GUARDIAN.processes - before) <= 2  # the bot and maybe the guardian
    finally:
        episode.close()


def test_environments_share_a_thread_that_ends_with_the_last_of_them() -> None:
    before = {*threads()}
    episodes = [
        Episode(GAMES["dominion"], None, OPTIONS["dominion"], [None, kept()]) for _ in range(2)
    ]
    for episode in episodes:
        episode.begin(1)
    assert len({*threads()} - before) == 1
    episodes[0].close()
    play_on(episodes[1])
    episodes[1].close()
    assert {*threads()} <= before
    episodes[1].begin(2)  # after `close`, it must still be possible to start another match
    play_on(episodes[1])
    episodes[1].close()


@pytest.mark.parametrize(
    ("game", "opponents"),
    [
        ("dominion", [None, cautious, Cautious]),
        ("dominion", [None, "militia_money", None, Cautious]),
        ("botwars", [None, "random_walker"]),
        ("botwars", ["classic:classic_walker", None]),
    ],
)
def test_the_match_is_that_of_play(game: str, opponents: list[Any]) -> None:
    episode = Episode(GAMES[game], None, OPTIONS[game], opponents)
    learners = [seat for seat, bot in enumerate(opponents) if bot is None]
    assert episode.agents == [f"player_{seat + 1}" for seat in learners]
    try:
        for seed in (1,) if "classic" in str(opponents) else (1, 2):
            episode.begin(seed)
            processes = {*GUARDIAN.processes}
            play_on(episode)
            bots = [
                PolicyBot(last_choice, game, name=f"PLAYER{seat + 1}") if bot is None else bot
                for seat, bot in enumerate(opponents)
            ]
            result = referee.play_match(bots, seed=seed, game=game, options=OPTIONS[game])
            outcome = episode.outcome
            assert outcome is not None
            assert outcome.reason == result.reason
            assert list(outcome.ranks) == [player.rank for player in result.players]
            for seat in learners:
                assert episode.facts(seat)["score"] == result.players[seat].score
                assert episode.facts(seat)["disqualified"] == 0
            if "classic" not in str(opponents):  # classic bots can't send keep_alive
                assert GUARDIAN.processes == processes
    finally:
        episode.close()
    assert GUARDIAN.processes == set()


def test_a_bot_that_reads_messages_plays_beside_one_that_reads_lines() -> None:
    episode = Episode(GAMES["dominion"], None, {"max_turns": 1}, [None, cautious, kept()])
    try:
        episode.begin(1)
        play_on(episode)
        assert episode._match.names[2] == "match 1"
        assert not episode._match.disqualified
    finally:
        episode.close()


def test_a_match_that_is_given_up_leaves_no_process() -> None:
    episode = Episode(GAMES["dominion"], None, {}, [None, bundled_bots()["big_money"]])
    episode.begin(1)
    first = GUARDIAN.processes
    episode.begin(2)
    assert len(GUARDIAN.processes) == len(first)
    episode.close()
    episode.close()
    assert GUARDIAN.processes == set()
    episode.begin(3)
    del episode
    assert GUARDIAN.processes == set()


@pytest.mark.parametrize(("game", "name"), [("dominion", "random_legal"), ("botwars", "gatherer")])
def test_a_bundled_bot_plays_the_same_in_this_process(game: str, name: str) -> None:
    matches: dict[Any, list[Any]] = {}
    for opponent in (name, bundled_bots(game)[name]):
        before = {*threads()}
        # New environments, because the random numbers of a process continue in its next match.
        for seed in (1, 2):
            episode = Episode(GAMES[game], None, OPTIONS[game], [None, opponent])
            episode.begin(seed)
            while episode.due:
                episode.act(0, last_choice(episode.observe(0)))
            matches.setdefault(opponent, []).append(episode.facts(0))
            episode.close()
        del episode
        for thread in {*threads()} - before:
            thread.join(5)
            assert not thread.is_alive()
    one, other = matches.values()
    assert one == other


@pytest.mark.parametrize("name", ["random_legal", "smithy_big_money"])
def test_two_matches_of_one_bot_at_once(name: str) -> None:
    """The matches mustn't share state, even if another thread makes the steps."""
    episodes = [Episode(GAMES["dominion"], None, OPTIONS["dominion"], [name, None]) for _ in "123"]
    for episode, seed in zip(episodes, (1, 2, 1), strict=True):
        episode.begin(seed)
    play_on(episodes[2])  # play this one first, as a reference
    with ThreadPoolExecutor(1) as elsewhere:
        while any(episode.due for episode in episodes):
            for episode in (one for one in episodes if one.due):
                elsewhere.submit(episode.act, 1, last_choice(episode.observe(1))).result()
    assert episodes[0].facts(1) == episodes[2].facts(1)
    assert episodes[1].facts(1) != episodes[2].facts(1)


@pytest.mark.parametrize("game", ["dominion", "botwars", "starrealms", "tribute"])
def test_a_function_hears_what_its_lines_would_say(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function gets message objects instead of lines, and may modify them."""
    environment = GAMES[game].environment
    assert environment is not None
    heard: list[list[Any]] = []

    def listener() -> Any:
        bot = bundled_class(bundled_bots(game)[environment.opponent])()
        heard.append([])

        def listen(message: dict[str, Any]) -> Any:
            heard[-1].append(copy.deepcopy(message))
            reply = bot(message)
            message.clear()
            return reply

        return listen

    for takes_messages in (True, False):
        monkeypatch.setattr(FunctionPlayer, "takes_messages", takes_messages)
        episode = Episode(GAMES[game], None, {"max_turns": 12}, [None, listener])
        episode.begin(1)
        assert episode._match._lines is not takes_messages
        play_on(episode)
    assert heard[0] == heard[1]
    assert len(heard[0]) > 20


@pytest.mark.slow
def test_no_process_outlives_the_program() -> None:
    code = (
        "from referee.bots.bundled import bundled_bots\n"
        "from referee.bots.processes.guardian import GUARDIAN\n"
        "from referee.env.episode import Episode\n"
        "from referee.games import GAMES\n"
        "episode = Episode(GAMES['dominion'], None, {}, [None, bundled_bots()['big_money']])\n"
        "episode.begin(1)\n"
        "print(*GUARDIAN.processes)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    for pid in pids:
        await_end(pid)


def test_an_opponent_that_leaves_is_told() -> None:
    episode = Episode(GAMES["dominion"], None, {}, [None, hostile("exit_at", 1)])
    episode.begin(1)
    with pytest.warns(RuntimeWarning, match=r"the opponent .*, player2, was disqualified: exited"):
        play_on(episode)
    facts = episode.facts(0)
    assert (episode.reason, facts["rank"]) == ("last-player-standing", 1)
    assert facts["disqualified"] == 1
    assert episode.disqualified == {"player2": "exited"}
    episode.close()


def test_an_opponent_that_cannot_begin_is_an_error() -> None:
    episode = Episode(GAMES["dominion"], None, {}, ["sh -c 'exit 3'", None])
    with pytest.raises(BotError, match=r"sh -c 'exit 3', player1, was disqualified: exited"):
        episode.begin(1)
    episode.close()


def test_an_opponent_that_leaves_before_the_first_request_ends_the_match() -> None:
    first = Episode(GAMES["dominion"], None, {}, [hostile("exit_at", 1), None])
    with pytest.warns(RuntimeWarning, match="player1, was disqualified: exited"):
        first.begin(1)
    assert (first.due, first.rewards()) == ((), [-1, 1])
    first.close()


class FailsAt:
    """Fail in the handshake of the given match, counted from 1. Otherwise buy nothing."""

    def __init__(self, match: int) -> None:
        self._handshakes, self._match = 0, match

    def reply(self, lines: Sequence[bytes]) -> bytes | Failure:
        message = msgspec.json.decode(lines[-1])
        if message["type"] != "player-name-request":
            return msgspec.json.encode(cautious(message))
        self._handshakes += 1
        if self._handshakes == self._match:
            return Failure(Disqualification.EXITED, "it has crashed")
        return name_line(0)


def test_a_handshake_that_fails_after_others_ends_only_its_match() -> None:
    episode = Episode(GAMES["dominion"], None, {"max_turns": 3}, [FailsAt(2), None])
    episode.begin(1)
    play_on(episode)
    with pytest.warns(RuntimeWarning, match="player1, was disqualified: exited, it has crashed"):
        episode.begin(2)
    assert (episode.due, episode.rewards()) == ((), [-1, 1])
    episode.begin(3)
    play_on(episode)
    assert episode.disqualified == {}
    never = Episode(GAMES["dominion"], None, {}, [FailsAt(1), None])
    with pytest.raises(BotError, match="it has crashed"):
        never.begin(1)


def test_a_bundled_bot_reads_no_arguments_of_the_program_and_no_news_but_what_it_hears(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = []
    for arguments, hears_all in (([], False), (["--smithies", "0"], True)):
        monkeypatch.setattr(sys, "argv", ["train.py", *arguments])
        facts = []
        for game in GAMES:
            for name, file in bundled_bots(game).items():
                kind = bundled_class(file)
                if kind is None:  # it doesn't speak our protocol, but a dialect
                    continue
                if hears_all:
                    monkeypatch.setattr(kind, "hears", None)
                episode = Episode(GAMES[game], None, {"max_turns": 4}, [None, name])
                episode.begin(1)
                play_on(episode)
                facts.append((name, episode.facts(0)))
        ends.append(facts)
    assert ends[0] == ends[1]
    assert len(ends[0]) > 12


def test_opponents_have_limits() -> None:
    episode = Episode(GAMES["dominion"], None, {"time_limit": 0.2}, [None, hostile("sleep_at", 1)])
    episode.begin(1)
    with pytest.warns(RuntimeWarning, match="timeout"):
        play_on(episode)
    episode.close()
    with pytest.raises(UsageError, match="unexpected keyword argument 'time_limt'"):
        Episode(GAMES["dominion"], None, {"time_limt": 1}, [None, "minimal"])


@pytest.mark.parametrize(("started", "seconds"), [(None, 8.0), (97.0, 5.0)])
def test_the_start_up_limit_counts_from_the_start_of_a_process(
    started: float | None, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opponents, "time", SimpleNamespace(monotonic=lambda: 100.0))
    it: Any = object.__new__(opponents.Opponents)
    it._spec = SimpleNamespace(limits=Limits(startup_limit=8.0, time_limit=2.0))
    late = Failure(Disqualification.TIMEOUT, "x")
    it._portal = SimpleNamespace(
        push=lambda bot, lines: None, reply=lambda bot, limit: waited.append(limit) or late
    )
    waited: list[float] = []
    bot: Any = SimpleNamespace(started=started)
    assert it._ask(bot, [], in_handshake=True).code == Disqualification.STARTUP_TIMEOUT
    bot.started = None
    assert it._ask(bot, [], in_handshake=False) == late
    assert waited == [seconds, 2.0]


def test_an_opponent_that_has_left_is_killed_and_gets_no_more_lines() -> None:
    it: Any = object.__new__(opponents.Opponents)
    it._lines, it._bots, killed = {0: [], 1: []}, ["one", "other"], list[str]()
    it._portal = SimpleNamespace(kill=killed.append)
    it._sources, it._passed_handshake = [SimpleNamespace(argument="bot")] * 2, {(1, "bot")}
    left = Disqualified(1, Disqualification.TIMEOUT, "no reply in time", b"")
    with pytest.warns(RuntimeWarning, match="player2, was disqualified: timeout, no reply"):
        it._warn_of_leaving(left)
    assert (killed, [*it._lines]) == (["other"], [0])


def test_a_reply_is_waited_for_no_longer_than_its_limit() -> None:
    waited: list[float] = []
    bot: Any = SimpleNamespace(quick_reply=lambda seconds: waited.append(seconds) or b"{}")
    for seconds in (QUICK_SECONDS / 2, 9.0):
        assert BotPortal().reply(bot, seconds) == b"{}"
    assert waited == [QUICK_SECONDS / 2, QUICK_SECONDS]


def test_a_match_is_finished_once(monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[object] = []
    monkeypatch.setattr(opponents.Opponents, "finish", lambda it, match: finished.append(match))
    episode = Episode(GAMES["dominion"], None, OPTIONS["dominion"], [None, "minimal"])
    episode.begin(1)
    play_on(episode)
    episode.act_together({})
    assert len(finished) == 1


def test_after_ctrl_c_the_bots_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that waits for the reply must not use the bot any more."""
    reply = portal._reply

    async def interrupted(bot: Bot, deadline: float) -> Any:
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
        return await reply(bot, deadline)

    monkeypatch.setattr(portal, "_reply", interrupted)
    episode = Episode(GAMES["dominion"], None, {}, [None, hostile("stop_at", 0)])
    with pytest.raises(KeyboardInterrupt):
        episode.begin(1)  # the handshake takes longer than a quick reply
    episode.close()
    assert not GUARDIAN.processes


def test_bots_do_not_play_after_close() -> None:
    episode = Episode(GAMES["dominion"], None, {}, [None, hostile("stop_at", 9)])
    episode.begin(1)
    episode.close()
    with pytest.raises(UsageError, match=r"after close.* call reset"):
        play_on(episode)


def test_a_forked_process_leaves_the_bots_to_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not have the thread that waits for them, and would wait for ever."""
    thread = portal._THREAD
    for name, value in (("_THREAD", thread), ("_PORTALS", set()), ("_OF_PARENT", [])):
        monkeypatch.setattr(portal, name, value)
    called: list[object] = []
    forked: Any = BotPortal()
    forked._thread = SimpleNamespace(call=called.append)
    forked._stay.callback(called.append, "stopped")
    bot: Any = SimpleNamespace(push=called.append, kill=None)
    portal._after_fork()
    with pytest.raises(UsageError, match="a fork, call reset"):
        forked.push(bot, b"x")
    with pytest.raises(UsageError, match="a fork, call reset"):
        forked.kill(bot)
    forked.close()
    assert not called
    assert portal._THREAD is not thread


FORKS = """
import os, signal
from referee.env.episode import Episode
from referee.games import GAMES
before, after = (Episode(GAMES["dominion"], None, {}, [None, BOT]) for _ in range(2))
before.begin(1)
if child := os.fork():
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    before.begin(2)
    before.close()
    raise SystemExit(code)
signal.alarm(30)
for episode in (after, before):
    episode.begin(1)
    episode.close()
os._exit(7)
"""


@slow
def test_a_forked_process_plays_bots_of_its_own() -> None:
    """As the processes of gymnasium's AsyncVectorEnv do."""
    code = FORKS.replace("BOT", repr(hostile("stop_at", 9)))
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False).returncode == 7


async def test_bots_that_are_processes_cannot_be_played_in_the_thread_of_trio() -> None:
    episode = Episode(GAMES["dominion"], None, {}, [None, hostile("normal", "")])
    with pytest.raises(UsageError, match=r"call this with trio\.to_thread\.run_sync"):
        episode.begin(1)


def test_what_an_object_raises() -> None:
    def broken(message: dict[str, Any]) -> Any:
        return message["plan"] if message["type"] == "play-turn" else None

    episode = Episode(GAMES["dominion"], None, {}, [None, broken])
    episode.begin(1)
    with pytest.raises(BotError, match="broken raised KeyError"):
        play_on(episode)
    episode.begin(2)


@pytest.mark.parametrize(
    ("opponents", "says"),
    [
        ("big_money", "given as a list"),
        (["big_money", "minimal"], "give one"),
        ([None, 3], "is not a bot"),
        ([None, "gatherer"], "plays botwars, not dominion"),
        ([None], "takes 2 to 4 bots, not 1"),
        ([None, "minimal", None], "players is 2, and opponents has 3 seats"),
    ],
)
def test_mistakes(opponents: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Episode(GAMES["dominion"], 2 if "minimal" in opponents else None, {}, opponents)


def test_one_bot_of_a_pool_plays_each_match() -> None:
    pool = Pool(["big_money", "minimal", PolicyBot(last_choice)])
    episode = Episode(GAMES["dominion"], None, {"max_turns": 3}, [None, pool])
    played = []
    for seed in (*range(12), *range(12)):
        episode.begin(seed)
        play_on(episode)
        played.append(episode.opponents["player2"])
    assert set(played) == {"big_money", "minimal", "PolicyBot"}
    assert played[:12] == played[12:]  # the seed also determines the opponents
    pool.bots[:] = ["random_legal"]
    episode.begin(1)
    assert episode.opponents == {"player2": "random_legal"}


def test_a_schedule_chooses_from_a_pool() -> None:
    pool = Pool(["minimal", kept()], lambda match, bots: min(match // 2, bots - 1))
    episode = Episode(GAMES["dominion"], None, {"max_turns": 3}, [pool, None])
    played = []
    for seed in range(4):
        episode.begin(seed)
        play_on(episode)
        played.append(episode.opponents["player1"])
    episode.close()
    assert played == ["minimal", "minimal", kept(), kept()]
    assert GUARDIAN.processes == set()


def test_each_seat_has_its_own_choice_from_a_pool() -> None:
    pool = Pool(["minimal", "big_money"])
    pairs = {(pool.bot_of(0, 0, seed), pool.bot_of(0, 1, seed)) for seed in range(30)}
    assert len(pairs) == 4


def test_each_bot_of_a_pool_is_checked() -> None:
    wrong = "plays botwars"
    for pool, says in (
        ([], "at least one bot"),
        (["minimal", "gatherer"], wrong),
        (["gatherer", "minimal"], wrong),
    ):
        with pytest.raises(UsageError, match=says):
            Episode(GAMES["dominion"], None, {}, [None, Pool(pool)])
