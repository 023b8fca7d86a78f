"""A person as a player: what they are shown and asked, and that no clock runs for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import trio
import trio.testing

from referee.bots.bot import Bot, Failure
from referee.bots.in_process import InProcessBot
from referee.bots.person import PersonBot
from referee.course import Course, Played
from referee.games.interface.dialogue import Picks, Question
from referee.games.interface.faults import Disqualification
from referee.logs.files import open_logs
from referee.logs.verify import Kind, verify_record
from referee.match.spec import match_spec
from referee.runner import Runner
from tests.support import toy
from tests.support.live import entries


class Threes:
    """A bot called Ann that always says 3."""

    def reply(self, lines: Sequence[bytes]) -> bytes:
        asked = msgspec.json.decode(lines[-1])
        if asked["type"] == "number-request":
            return b'{"type":"number-reply","number":3}'
        number = asked["player_number"]
        return msgspec.json.encode(
            {"type": "player-name-reply", "player_number": number, "name": "Ann"}
        )


class Scripted:
    """A terminal whose users give the listed answers, each after `seconds`."""

    def __init__(self, *answers: Picks | None, seconds: float = 0.0) -> None:
        self.told: list[tuple[int, str]] = []
        self.asked: list[str] = []
        self._answers = list(answers)
        self._seconds = seconds

    def tell(self, seat: int, lines: Sequence[str]) -> None:
        self.told += [(seat, line) for line in lines]

    @asynccontextmanager
    async def turn_of(self, seat: int) -> AsyncIterator[None]:
        yield

    async def ask(self, question: Question) -> Picks | None:
        self.asked.append(question.text)
        await trio.sleep(self._seconds)
        return self._answers.pop(0)


async def play(folder: Path, *bots: Bot) -> Played:
    log, record = open_logs([str(folder / "log"), str(folder / "record")])
    assert log is not None
    assert record is not None
    names = ["human" if isinstance(bot, PersonBot) else "bot" for bot in bots]
    try:
        runner = Runner(Course(match_spec(names, game="toy", seed=1), bots, log=log, record=record))
        await runner.run()
        return await runner.close()
    finally:
        log.close()
        record.close()


async def test_what_a_person_is_told_and_asked(tmp_path: Path) -> None:
    terminal = Scripted((0,), (1,), (2,))
    played = await play(tmp_path, InProcessBot(Threes()), PersonBot(toy.RULES, terminal))
    assert [player.score for player in played.result.players] == [9, 6]
    assert terminal.asked == ["Which number?"] * 3
    assert terminal.told == [
        (1, "You are player2. You play against Ann."),
        (1, "Ann named 3, Player 2 named 1"),
        (1, "Ann named 3, Player 2 named 2"),
        (1, "Ann named 3, Player 2 named 3"),
        (1, "No more numbers."),
        (1, "The match is over."),
        (1, ""),
    ]
    assert entries(tmp_path / "record")[0]["bots"] == ["bot", "human"]
    assert verify_record(str(tmp_path / "record")).kind == Kind.VALID


async def test_no_clock_runs_for_a_person(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    terminal = Scripted((0,), (0,), (0,), seconds=100_000)
    played = await play(tmp_path, PersonBot(toy.RULES, terminal), InProcessBot(Threes()))
    assert played.disqualified == {}
    assert played.result.players[0].reply_seconds.max >= 100_000


async def test_who_leaves_is_out_and_told_nothing_more(tmp_path: Path) -> None:
    terminal = Scripted((0,), None)
    person = PersonBot(toy.RULES, terminal)
    played = await play(tmp_path, person, InProcessBot(Threes()))
    assert played.disqualified[0].code == Disqualification.EXITED
    assert played.disqualified[0].detail == "the person left the match"
    assert played.result.winners == ["player2"]
    assert terminal.told[-1] == (0, "Player 1 named 1, Ann named 3")
    again = await play(tmp_path, person, InProcessBot(Threes()))
    assert again.disqualified[0].detail == "it has left a match before"
    assert len(terminal.asked) == 2


async def test_a_person_who_left_a_match_plays_no_other() -> None:
    """Like any bot that was disqualified, it fails in the handshake."""
    person = PersonBot(toy.RULES, Scripted())
    person.push(b'{"type":"player-name-request","player_number":"player1"}\n')
    assert isinstance(await person.reply(0), bytes)
    await person.kill()
    left = Failure(Disqualification.EXITED, "it has left a match before")
    assert await person.reply(0) == left


async def test_who_has_left_is_asked_nothing_in_another_match() -> None:
    terminal = Scripted()
    person = PersonBot(toy.RULES, terminal)
    await person.kill()
    person.push(b'{"type":"number-request","turn":1}\n')
    answer = await person.reply(0.0)
    assert answer == Failure(Disqualification.EXITED, "it has left a match before")
    assert terminal.asked == []


async def test_a_person_is_told_who_left(tmp_path: Path) -> None:
    terminal = Scripted((0,), (0,), (0,))
    leaving = PersonBot(toy.RULES, Scripted(None))
    ann = InProcessBot(Threes())
    await play(tmp_path, PersonBot(toy.RULES, terminal), leaving, ann)
    assert (0, "Player 2 left the match: exited.") in terminal.told
