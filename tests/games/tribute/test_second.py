"""Compare the second rules with the test vectors, and the referee's rules with the second rules.

The suite plays a few random games on both. `python -m tests.games.tribute.test_second 2000` plays
games 0 to 1,999 and prints the first deviation in each of them.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification, Fault
from referee.games.interface.game import LEFT, Game, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.interface.seats import seat_id
from referee.logs.files import open_logs
from referee.logs.record import RecordWriter
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Match
from referee.match.spec import match_spec
from tests.games.tribute.second.__main__ import main as command
from tests.games.tribute.second.cards import Generator, Options, generators
from tests.games.tribute.second.driver import (
    NAMES,
    Script,
    end_line,
    fault_line,
    random_game,
    transcript,
)
from tests.games.tribute.second.engine import Game as SecondGame
from tests.games.tribute.second.lines import encoded, read
from tests.games.tribute.second.records import DeviationError, follow
from tests.games.tribute.second.vectors import departures, replay, set_up, vectors
from tests.support.helpers import TIMES, name_line
from tests.support.marks import slow

VECTORS = vectors()


# --- the second rules themselves ------------------------------------------------------------------


def test_generator() -> None:
    generator = Generator(VECTORS["generator"]["seed"])
    assert [generator.next() for _ in range(10)] == VECTORS["generator"]["first_ten"]


@pytest.mark.parametrize("wanted", VECTORS["streams"], ids=lambda wanted: str(wanted["seed"]))
def test_streams(wanted: dict[str, Any]) -> None:
    found = [generator.state for generator in generators(wanted["seed"], "streams")]
    assert found == wanted["first_states"]


@pytest.mark.parametrize("wanted", VECTORS["set_ups"], ids=lambda wanted: str(wanted["seed"]))
def test_set_up(wanted: dict[str, Any]) -> None:
    assert departures(wanted, set_up(wanted)) == []


@pytest.mark.parametrize(
    "number",
    [
        number if number in (17, 23) else pytest.param(number, marks=pytest.mark.all_cases)
        for number in range(len(VECTORS["games"]))
    ],
)
def test_recorded_game(number: int) -> None:
    wanted = VECTORS["games"][number]
    assert departures(wanted, replay(wanted)) == []


# --- the product against them ---------------------------------------------------------------------


def product_options(definition: GameDefinition, options: Options) -> Any:
    chosen = {
        "cards": options.cards,
        "max_turns": options.max_turns,
        "max_actions": options.max_actions,
        "chance": options.chance,
        **({"patrons": list(options.patrons)} if options.patrons else {}),
    }
    return msgspec.convert(chosen, definition.options)


def product_steps(script: Script) -> Iterator[Game]:
    """Yield the referee's game at its start and after each reply. The caller takes its events."""
    definition = GAMES["tribute"]
    decoder = reply_decoder(definition.replies)
    setup = GameSetup(
        chance=SeededRandomSource(script.seed),
        names=NAMES,
        options=product_options(definition, script.options),
        absent=frozenset(script.absent),
        seed=script.seed,
    )
    game = definition.new(setup)
    yield game
    for line in script.replies:
        if not game.requests:
            return
        [request] = game.requests
        game.advance({request.seat: LEFT if line is None else decode_reply(line, decoder)})
        yield game


def product_messages(script: Script) -> Iterator[str]:
    """Yield the messages of the referee's rules in the format of `driver.transcript`."""
    for game in product_steps(script):
        yield from _told(game)


def _told(game: Game) -> Iterator[str]:
    for event in game.take_events():
        if isinstance(event, Fault):
            yield fault_line(event.seat, event.code, event.section)
        else:
            yield f"all {msgspec.json.encode(event).decode()}"
    for request in game.requests:
        yield f"{seat_id(request.seat)} {msgspec.json.encode(request.message).decode()}"
    if game.outcome is not None:
        standings = game.standings()
        scores = [standing.score for standing in standings]
        turns = [standing.turns for standing in standings]
        yield end_line(game.outcome.reason, game.outcome.ranks, scores, turns, game.turns)


def first_departure(number: int) -> str | None:
    """Describe the first deviation of the referee's rules in a random game, or return None."""
    script = random_game(number)
    pairs = zip_longest(script.messages, product_messages(script))
    for place, (expected, found) in enumerate(pairs):
        if expected != found:
            return f"game {number}, message {place}: {_difference(str(expected), str(found))}"
    return None


def _difference(expected: str, found: str) -> str:
    letters = enumerate(zip_longest(expected, found))
    first = next(place for place, (letter, other) in letters if letter != other)
    begin = max(0, first - 80)
    return (
        f"expected {expected[:80]} ...{expected[begin : first + 120]}\n"
        f"    found {found[:80]} ...{found[begin : first + 120]}"
    )


@pytest.mark.parametrize("number", [slow(0), slow(6), 2, 4, 7, *range(9, 9 * TIMES)])
def test_random_games_agree(number: int) -> None:
    assert first_departure(number) is None


def test_one_clock_a_turn() -> None:
    """All requests of a turn share one clock. Each turn and each pick has a different one (10)."""
    script = random_game(10)
    assert len(script.replies) > 60
    clocks: dict[object, set[str]] = {}
    picks = []
    for game in product_steps(script):
        for request in game.requests:
            message = msgspec.to_builtins(request.message)
            if message["type"] == "patron-request":
                picks.append(request.clock)
            else:
                clocks.setdefault(message["turn"], set()).add(request.clock)
    assert all(len(names) == 1 for names in clocks.values())
    assert len(set.union(*clocks.values()) - {""}) == len(clocks)
    assert all(clock == "" or picks.count(clock) == 1 for clock in picks)


# --- records --------------------------------------------------------------------------------------


def made_record() -> list[str]:
    """Write a record as the log format requires, in which player 2 soon makes a mistake."""
    options = Options(max_turns=3)
    game = SecondGame(options, 5, ("Ann", "PLAYER2"))
    settings = {"time_limit": 30.0, "patrons": list(options.offered)}
    settings |= {name: getattr(options, name) for name in ("cards", "max_turns", "max_actions")}
    header = {"game": "tribute", "seed": 5, "options": {**settings, "chance": options.chance}}
    lines = [encoded({"entry": "header", **header, "started": "now"})]

    def note(entry: str, **fields: object) -> None:
        lines.append(encoded({"entry": entry, **fields, "time": 0.25}))

    def say(text: str) -> None:
        to, message = text.split(" ", 1)
        if to == "fault":
            player, code, section = message.split()
            fault = {"player_number": player, "code": code, "section": section, "detail": "no"}
            lines.append(encoded({"entry": "fault", **fault}))
        elif to != "end":
            note("sent", to=to, message=json.loads(message))

    for number in ("player1", "player2"):
        request = {"type": "player-name-request", "player_number": number, "version": 1}
        note("sent", to=number, message=request)
    note("received", player_number="player1", line=name_line(0, "Ann").decode())
    note("received", player_number="player2", line="hello")
    say("fault player2 bad-name-reply 3.2")
    for number, name in (("player1", "Ann"), ("player2", "PLAYER2")):
        named = {"type": "player-name", "player_number": number, "name": name, "version": 1}
        note("sent", to="all", message=named)
    for line in (None, b'{"type":"patron-reply","patron":"PELIN"}', b"\xff"):
        if line is not None:
            assert game.request is not None
            try:
                wrote = {"line": line.decode()}
            except ValueError:
                wrote = {"base64": base64.b64encode(line).decode()}
            note("received", player_number=seat_id(game.request.seat), **wrote)
            game.answer(read(line))
        for text in transcript(game):
            say(text)
    end = {"scores": [0, 0], "winners": ["player1"], "reason": "bad-patron"}
    note("sent", to="all", message={"type": "game-end", **end})
    for number in ("player1", "player2"):
        note("exit", player_number=number, exit_code=0)
    players: list[dict[str, object]] = [
        {"name": name, "score": 0, "turns": 0, "rank": rank, "disqualified": None, "extra": {}}
        for name, rank in (("Ann", 1), ("PLAYER2", 2))
    ]
    digest = hashlib.sha256()
    for line_text in lines:
        digest.update((re.sub(',"(time|started)":[^,]*}$', "}", line_text) + "\n").encode())
    figures = {"reason": "bad-patron", "winners": ["player1"], "players": players}
    note("end", **figures, digest=f"sha256:{digest.hexdigest()}")
    return lines


def followed(lines: list[str], file: Path) -> str:
    """Return the first deviation in a record as text, or an empty string if there's none."""
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    try:
        follow(file)
    except DeviationError as departure:
        return str(departure)
    return ""


def test_sound_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = made_record()
    file = tmp_path / "a.jsonl"
    assert followed(lines, file) == ""
    assert command([str(file)]) == 0
    assert capsys.readouterr().out == "1 records, 0 departures\n"
    note = '{"entry":"stderr","player_number":"player1","text":"x","time":0.1}'
    assert followed([*lines[:6], note, *lines[6:]], file) == ""
    file.write_text(lines[0] + "\n")
    assert command([str(file), str(file)]) == 1
    assert "2 records, 2 departures\n" in capsys.readouterr().out


@pytest.mark.parametrize("number", range(1, len(made_record())))
def test_damaged_record(number: int, tmp_path: Path) -> None:
    """If a line is changed or missing, this is noticed at that line or later."""
    lines = made_record()
    missing = lines[:number] + lines[number + 1 :]
    assert followed(missing, tmp_path / "a.jsonl")
    changed = lines.copy()
    changed[number] = re.sub("player[12]|Ann", "nobody", lines[number], count=1)
    assert changed[number] != lines[number]
    departure = followed(changed, tmp_path / "b.jsonl")
    assert departure.startswith("line ")
    assert number < int(departure.split(":")[0].removeprefix("line ")) <= len(lines) + 1


@pytest.mark.parametrize("number", range(7, 7 + 3 * TIMES, 3))
def test_records_of_the_product(number: int, tmp_path: Path) -> None:
    script = random_game(number)
    random = Random(number)
    spec = match_spec(
        ["./a.py", "./b.py"],
        game="tribute",
        seed=script.seed,
        options={
            name: getattr(script.options, name)
            for name in ("cards", "max_turns", "max_actions", "chance")
        }
        | ({"patrons": list(script.options.patrons)} if script.options.patrons else {}),
    )
    match = Match(GAMES["tribute"], seats=2, seed=script.seed, options=spec.options)
    file = tmp_path / "a.jsonl"
    (record,) = open_logs([str(file)])
    assert record is not None
    writer = RecordWriter(record, spec, "2026-11-20T23:28:09.499+00:00")
    match.start()
    for seat, name in enumerate(NAMES):
        if seat in script.absent:
            match.disqualify(seat, Disqualification.STARTUP_TIMEOUT, "it is gone")
        else:
            odd = [b"hello", name_line(seat, version=2), name_line(seat, 7)]
            right = name_line(seat, name)
            match.receive(seat, random.choice([right, right, right, *odd]))
    writer.write(match.take_entries(), 0.5)
    for line in script.replies:
        if not match.due:
            break
        [seat] = match.due
        if line is None:
            match.disqualify(seat, Disqualification.TIMEOUT, "it is gone")
        else:
            match.receive(seat, line)
        writer.write(match.take_entries(), 1.5)
    writer.end(match, [0, None], 2.5)
    record.close()
    assert followed(file.read_text(encoding="utf-8").splitlines(), file) == ""


def main(games: int) -> int:
    found = 0
    for number in range(games):
        departure = first_departure(number)
        if departure:
            found += 1
            print(departure, flush=True)
    print(f"{games} games, {found} departures")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
