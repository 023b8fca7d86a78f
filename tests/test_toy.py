"""A game that only the tests know works in every part of the referee."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import referee
from referee import cli
from referee.games import outside
from referee.games.interface.capabilities import SeatFacts
from referee.games.interface.faults import Disqualification
from referee.games.interface.game import ALL, PUBLIC
from referee.logs import read_log, read_record, summaries
from referee.match.machine import Match
from referee.web.file import page_file
from referee.web.recorded import read_match
from tests.support import toy
from tests.support.helpers import name_line, to_line
from tests.support.live import one_line
from tests.support.own_game import clean_games

Message = Mapping[str, Any]
BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    reply = None
    if message["type"] == "player-name-request":
        player = message["player_number"]
        reply = {"type": "player-name-reply", "player_number": player, "name": "Bot", "version": 1}
    elif message["type"] == "number-request":
        reply = {"type": "number-reply", "number": NUMBER}
    if reply:
        print(json.dumps(reply), flush=True)
"""


@pytest.fixture(autouse=True)
def game() -> Iterator[None]:
    with clean_games():
        outside.add(toy.__file__)
        yield


@pytest.fixture
def bots(tmp_path: Path) -> list[str]:
    """Create programs that name different numbers. The fourth names None, which isn't one."""
    files = []
    for seat, number in enumerate(NUMBERS):
        file = tmp_path / f"bot{seat + 1}.py"
        file.write_text(BOT.replace("NUMBER", str(number)))
        files.append(str(file))
    return files


def run(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> str:
    assert cli.main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert not err
    return out


NUMBERS = (9, 1, 1, None, 4, 5)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a match of six objects. Return a folder with its log and its record.

    The fourth one names None, which isn't a number.
    """
    folder = tmp_path_factory.mktemp("toy")
    files = {"log": folder / "log", "record": folder / "record"}
    bots = [player(number) for number in NUMBERS]
    with clean_games():
        referee.play_match(bots, game=toy.__file__, seed=3, options={"turns": 4}, **files)  # type: ignore[arg-type]
    return folder


def player(number: int | None) -> Callable[[Message], Message | None]:
    """Return a bot that always names this number."""

    def bot(message: Message) -> Message | None:
        asked = message["type"] == "number-request"
        return {"type": "number-reply", "number": number} if asked else None

    return bot


@pytest.fixture
def files(played: Path, tmp_path: Path) -> list[Path]:
    """Copy the log and the record of that match."""
    return [Path(shutil.copy(played / name, tmp_path)) for name in ("log", "record")]


def test_the_result_is_printed(bots: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["play", "--game", toy.__file__, bots[0], bots[3], "--seed", "3", "--set", "turns=4"]
    out = run(capsys, *words)
    assert "Bot (player1) won with" in out
    assert "4x  no-number" in out
    assert "toy" in out.splitlines()[-1]


def test_the_log_has_the_turns(files: list[Path]) -> None:
    messages = [json.loads(line) for line in files[0].read_text().splitlines()]
    assert [message["type"] for message in messages] == [
        *["player-name"] * 6,
        "game-info",
        *["numbers-named"] * 4,
        "game-end",
    ]
    assert list(messages[7]["numbers"].values()) == [9, 1, 1, 4, 5]
    assert messages[-1]["winners"] == ["player1"]
    assert [type(message).__name__ for message in read_log(files[0])][6:8] == [
        "GameInfo",
        "NumbersNamed",
    ]


def test_the_record_holds_and_gives_the_log(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again"
    assert "valid" in run(capsys, "verify", files[1], "--log", again)
    assert again.read_bytes() == files[0].read_bytes()
    (summary,) = summaries([files[1]])
    assert summary.header.options.turns == 4
    assert summary.header.options.time_limit == 5.0
    assert summary.end is not None
    assert [player.best for player in summary.end.players] == [9, 1, 1, 0, 4, 5]  # type: ignore[attr-defined]
    assert len(list(read_record(files[1]))) > 40


def test_a_deck_that_all_share_is_drawn_from_the_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turned = []
    for seed, name in ((3, "a"), (3, "b"), (4, "c")):
        log, record = tmp_path / f"{name}.log", tmp_path / f"{name}.record"
        options = {"cards": 9, "turns": 5}
        named = {"log": log, "record": record, "game": toy.__file__}
        referee.play_match([player(1), player(1)], seed=seed, options=options, **named)  # type: ignore[arg-type]
        assert "valid" in run(capsys, "verify", record)
        assert "valid" in run(capsys, "validate", log)
        messages = [json.loads(line) for line in log.read_text().splitlines()]
        turned.append([m["card"] for m in messages if m["type"] == "card-turned"])
    assert len({*turned[0]}) == 5
    assert turned[0] == turned[1] != turned[2]


def test_who_may_see_everything_sees_the_deck() -> None:
    options = toy.Options(cards=4)
    match = Match(toy.RULES, seats=2, seed=1, options=options)
    match.start()
    for seat in range(2):
        match.receive(seat, name_line(seat))
    whole, public = match.view(ALL), match.view(PUBLIC)
    assert sorted(whole.turned + whole.deck) == [0, 1, 2, 3]
    assert (public.turned, public.deck) == (whole.turned, [])
    assert match.view(0) == public


def test_the_order_of_answers_is_that_of_the_seats(files: list[Path]) -> None:
    entries = [json.loads(line) for line in files[1].read_text().splitlines()]
    received = [entry["player_number"] for entry in entries if entry["entry"] == "received"]
    assert received == [f"player{seat}" for seat in range(1, 7)] * 5


def test_an_edited_record_and_an_edited_log_are_found(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    log, record = files
    record.write_text(record.read_text().replace('"player1":9', '"player1":8', 1))
    assert cli.main(["verify", str(record)]) == 1
    assert "modified" in capsys.readouterr().out
    log.write_text(log.read_text().replace('"scores":[', '"scores":[1', 1))
    out = run(capsys, "validate", log, code=1)
    assert "toy, 4.1" in out


def test_the_log_is_valid(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert "valid" in run(capsys, "validate", files[0])


@pytest.mark.parametrize("file", [0, 1])
def test_the_match_is_shown(
    files: list[Path], file: int, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run(capsys, "replay", files[file])
    assert out.count("Turn ") == 4
    assert "named        9, 1, 1, 4, 5" in out
    assert ("no-number" in out) == bool(file)
    assert "turn" in run(capsys, "replay", files[file], "--summary")
    turns = [
        json.loads(line)
        for line in run(capsys, "replay", files[file], "--format", "json").splitlines()
    ]
    assert [turn["turn"] for turn in turns] == [1, 2, 3, 4]


@pytest.mark.parametrize(("bot", "code"), [(0, 0), (3, 1)])
def test_bots_are_checked(
    bots: list[str], bot: int, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run(capsys, "conform", "--game", toy.__file__, bots[bot], code=code)
    assert ("FAIL  5.1/1" in out) == bool(code)
    assert "of 2 cases" in " ".join(out.split())


def test_a_game_without_rule_files_has_no_bots_of_json(
    bots: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none.json"
    file.write_text("{}")
    assert cli.main(["play", "--game", toy.__file__, bots[1], str(file)]) == 2
    assert "none.json is not executable" in capsys.readouterr().err


def test_the_api_plays_it(bots: list[str]) -> None:
    result = referee.play_match(
        [bots[0], player(1)], game=toy.__file__, seed=1, options={"turns": 1}
    )
    assert result.game == "toy"
    assert result.winners == ["player1"]
    assert [player.best for player in result.players] == [9, 1]  # type: ignore[attr-defined]


def test_what_is_kept_of_a_match_can_be_tabled() -> None:
    match = Match(toy.RULES, seats=2, seed=1, options=toy.Options(turns=2))
    assert match.statistics() == []  # before the game begins
    match.start()
    for seat in (0, 1):
        match.receive(seat, name_line(seat))
    for numbers in ((3, 9), (5, 4)):
        for seat, number in enumerate(numbers):
            match.receive(seat, to_line({"type": "number-reply", "number": number}))
    assert match.outcome is not None
    kept = match.statistics()
    assert kept == [b'{"best":5}', b'{"best":9}']
    assert toy.RULES.statistics is not None
    seats = [
        SeatFacts("Bot", points, facts) for points, facts in zip((0.0, 1.0), kept, strict=True)
    ]
    (table,) = toy.RULES.statistics().tables(seats)
    assert [*table.rows] == [["Bot", 2, 9]]


def test_a_game_may_have_no_statistics() -> None:
    match = Match(replace(toy.RULES, statistics=None), seats=2, seed=1)
    match.start()
    for seat in (0, 1):
        match.disqualify(seat, Disqualification.EXITED, "it is gone")
    assert match.outcome is not None
    assert match.statistics() == []


@pytest.mark.slow
def test_a_bot_that_leaves_loses_at_the_end_of_the_round(
    bots: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dead = tmp_path / "dead.py"
    dead.write_text(BOT.replace("NUMBER", "sys.exit(3)"))
    record = tmp_path / "record"
    out = run(capsys, "play", "--game", toy.__file__, dead, bots[0], "--record", record, code=1)
    assert "no other player was left" in " ".join(out.split())
    assert "valid" in run(capsys, "verify", record)


def test_what_it_does_not_have_is_said(bots: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["play", "--game", toy.__file__, bots[0]],
        ["play", "--game", toy.__file__, *bots[:2], "--max-turns", "3"],
        ["play", "--game", toy.__file__, *bots[:2], "--set", "turns=many"],
        ["play", "--game", toy.__file__, *bots[:2], "--set", "turns"],
        [
            "conform",
            "--game",
            toy.__file__,
            "--referee",
            f"{sys.executable} {{player1}} {{player2}}",
        ],
    ):
        assert cli.main(words) == 2
        out, err = capsys.readouterr()
        assert not out
        one_line(err)


def test_it_has_a_page_with_a_drawing_of_its_own(files: list[Path]) -> None:
    drawing = (Path(toy.__file__).with_name("toy_page") / "drawing.js").read_text()
    assert len(drawing.splitlines()) <= 40
    log, record = (read_match(str(file)) for file in files)
    seen = []
    for page, viewer in ((record, "all"), (log, "public")):
        view: dict[str, object] = {}
        for step in page.steps:
            view |= step.set.get(viewer, {})
        seen.append([view[name] for name in ("turn", "scores", "turned")])
    assert seen[0] == seen[1]
    done = [
        [step.now[viewer] for step in page.steps if viewer in step.now]
        for page, viewer in ((record, "all"), (log, "public"))
    ]
    assert done[0] == done[1]
    assert record.header.outcome is not None
    assert seen[0][1] == record.header.outcome.scores
    assert record.header.facts == {"turns": 4}
    assert '"toy": drawing0' in page_file([record])
    assert "toy-bars" in page_file([log])
