"""Test `replay`: it shows the same turns for a record and for its spectator log."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import LogReadError
from referee.games.interface.capabilities import Phrase, Picture
from referee.games.interface.turns import MAX_KEPT
from referee.logs.replay.reader import CutShort, Item, Replay, Skipped, Start, TurnOver
from referee.logs.replay.terminal import Painter
from referee.logs.source import LogReader
from referee.match.messages import GameEnd
from tests.support.damage import damage
from tests.support.fuzzed import originals
from tests.support.helpers import ROOT, TIMES, to_line
from tests.support.live import hostile, play
from tests.support.marks import slow
from tests.support.random_logs import idle, random_log, trasher
from tests.support.random_players import right

EXAMPLES = ROOT / "spec" / "examples"
NAMES = ("two-players", "four-players")
FAULTS = ROOT / "tests" / "golden" / "faults.record.jsonl"
HEADER = (EXAMPLES / "two-players.record.jsonl").read_bytes().splitlines(keepends=True)[0]


def read(file: Path) -> tuple[Replay, list[Item]]:
    with LogReader(str(file)) as reader:
        replay = Replay(reader)
        return replay, list(replay.items())


def turns(items: list[Item]) -> list[Any]:
    return [item.turn for item in items if isinstance(item, TurnOver)]


def painted(replay: Replay, items: list[Item], painter: Painter) -> list[str]:
    start: Start | None = None
    lines: list[str] = []
    for item in items:
        if isinstance(item, Start):
            start = item
            lines += painter.start(item)
        elif isinstance(item, TurnOver):
            lines += painter.turn(item.turn, replay.turn_reader)
        elif isinstance(item, GameEnd):
            assert start is not None
            lines += painter.end(item, start)
        else:
            lines += painter.note(item)
    return lines


def public(turn: Any) -> tuple[Any, ...]:
    said = (turn.player_number, turn.player_turn, turn.played, turn.bought, turn.gained)
    return (*said, turn.actions, turn.scores, turn.cards, turn.supply, turn.money, turn.spent)


@pytest.mark.parametrize("name", NAMES)
def test_a_log_has_the_same_turns_as_its_record(name: str) -> None:
    _, log = read(EXAMPLES / f"{name}.log.jsonl")
    _, record = read(EXAMPLES / f"{name}.record.jsonl")
    assert [public(turn) for turn in turns(log)] == [public(turn) for turn in turns(record)]
    assert [turn.hand for turn in turns(log)] == [None] * len(turns(log))
    assert all(turn.hand is not None for turn in turns(record))
    assert [type(item) for item in log if not isinstance(item, TurnOver)] == [Start, GameEnd]


async def test_what_goes_wrong_in_a_handshake_is_in_the_first_turn(tmp_path: Path) -> None:
    await play(tmp_path, "false", "big_money", "minimal", max_turns=2, patient=[1, 2])
    _, items = read(tmp_path / "record")
    first = turns(items)[0]
    assert first.notes[0].what == "disqualified"


async def test_with_cellars_militias_and_a_player_who_leaves(tmp_path: Path) -> None:
    for seed in range(1):
        bots = ("random_legal", "militia_money", hostile("exit_at", 9), "random_legal")
        await play(tmp_path, *bots, seed=seed, patient=[0, 1, 3], max_turns=15)
        _, log = read(tmp_path / "log")
        _, record = read(tmp_path / "record")
        assert [public(turn) for turn in turns(log)] == [public(turn) for turn in turns(record)]
        reasons = [n.text for t in turns(record) for n in t.notes if n.what == "disqualified"]
        assert len(reasons) == 1
        assert reasons[0].startswith("exited")


@pytest.mark.untraced
@pytest.mark.parametrize("players", [[idle, idle], [right, trasher]])
def test_every_turn_is_there(players: list[Any], tmp_path: Path) -> None:
    """Turns must be numbered without a gap, and the last one has the final scores."""
    for seed in range(2):
        (tmp_path / "log").write_bytes(random_log(seed, players))
        _, items = read(tmp_path / "log")
        found = turns(items)
        assert [turn.turn for turn in found] == list(range(1, len(found) + 1))
        end = items[-1]
        assert isinstance(end, GameEnd)
        if found:
            assert found[-1].scores == end.scores


def test_what_a_turn_says() -> None:
    replay, items = read(EXAMPLES / "four-players.record.jsonl")
    lines = [
        (phrase.label, phrase.text)
        for turn in turns(items)
        if turn.turn == 1
        for phrase in replay.turn_reader.show(turn)
    ]
    assert lines == [
        ("hand", "2 estate, 3 copper"),
        ("played", "3 copper"),
        ("bought", "silver (3 of 3 money)"),
        ("discarded", "copper on top"),
        ("deck", "7 copper, 1 silver, 3 estate (11 cards, 3 points)"),
        ("scores", "player1 3, player2 3, player3 3, player4 3"),
        ("supply", "39 silver, 12 province"),
    ]


def test_faults_are_shown_with_their_section() -> None:
    _, items = read(FAULTS)
    faults = [n.text for turn in turns(items) for n in turn.notes if n.what == "fault"]
    wanted = [
        f"{entry['code']} ({entry['section']}): {entry['detail']}"
        for entry in map(json.loads, FAULTS.read_bytes().splitlines())
        if entry["entry"] == "fault"
    ]
    assert faults == wanted
    assert faults


@pytest.mark.parametrize("recorded", [True, False])
async def test_a_disqualification_has_the_last_lines_of_the_bot(
    recorded: bool, tmp_path: Path
) -> None:
    bots = (hostile("exit_at", 3), "minimal")
    await play(tmp_path, *bots, record_stderr=recorded, patient=[1])
    record = tmp_path / "7.record.jsonl"
    (tmp_path / "record").rename(record)
    beside = "player1\n\x1b[2Jbeside\n"
    (tmp_path / "7.player1.stderr").write_text(beside)
    replay, items = read(record)
    (note,) = [note for turn in turns(items) for note in turn.notes]
    lines = ["giving up"] if recorded else ["player1", "?[2Jbeside"]
    assert note.stderr == lines
    shown = painted(replay, items, Painter(80, colour=False))
    at = next(at for at, line in enumerate(shown) if line.startswith("  stderr"))
    assert "disqualified player1" in shown[at - 1]
    assert [line[15:] for line in shown[at : at + len(lines)]] == lines


@pytest.mark.parametrize(
    ("names", "heads"),
    [
        (
            b'["\\u001b[2J","village_engine"]',
            [
                "player1: [2J (big_money), which calls itself Big Money",
                "player2: village_engine, which calls itself Village Engine",
            ],
        ),
        *(
            (
                odd,
                ["player1: Big Money (big_money)", "player2: Village Engine (village_engine)"],
            )
            for odd in (b'["a"]', b'["a",1]', b"7")
        ),
    ],
)
def test_a_record_of_a_tournament_has_its_names(
    names: bytes, heads: list[str], tmp_path: Path
) -> None:
    data = (EXAMPLES / "two-players.record.jsonl").read_bytes()
    named = data.replace(b'"options":', b'"names":' + names + b',"options":', 1)
    (tmp_path / "record").write_bytes(named)
    replay, items = read(tmp_path / "record")
    shown = painted(replay, items, Painter(80, colour=False))
    assert shown[:2] == heads


@pytest.mark.parametrize(("width", "colour"), [(80, False), slow(140, True)])
def test_no_line_is_wider_than_the_terminal(width: int, colour: bool) -> None:
    import re

    for file in (*EXAMPLES.glob("*.jsonl"), FAULTS):
        replay, items = read(file)
        for line in painted(replay, items, Painter(width, colour=colour)):
            assert colour or "\x1b" not in line
            assert len(re.sub(r"\x1b\[\d+m", "", line)) <= width, line


def test_a_picture_is_painted_by_runs_of_one_style() -> None:
    class Reader:
        def title(self, turn: Any) -> str:
            return ""

        def show(self, turn: Any) -> list[Picture]:
            return [Picture(["aab.", "...."], [["red", "red", "bold", ""], [""] * 4])]

        def state(self, turn: Any) -> list[Phrase]:
            return [Phrase("a long\x1bname of a field", "x" * 19 + ", y")]

    class Turn:
        turn = 1

    lines = list(Painter(80, colour=True).turn(Turn, Reader()))  # type: ignore[arg-type]
    assert lines[2:4] == ["  \x1b[31maa\x1b[0m\x1b[1mb\x1b[0m.", "  ...."]
    lines = list(Painter(40, colour=False).turn(Turn, Reader()))  # type: ignore[arg-type]
    label = "  a long?name of a field "
    assert lines[4:] == [label + "x" * 19 + ",", " " * len(label) + "y"]


def test_a_log_that_is_cut_short_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    for kind in ("log", "record"):
        data = (EXAMPLES / f"two-players.{kind}.jsonl").read_bytes()
        lines = data.splitlines(keepends=True)
        whole = turns(read(EXAMPLES / f"two-players.{kind}.jsonl")[1])
        for length in range(5, len(lines) - 5, 31):
            file = tmp_path / "cut"
            file.write_bytes(b"".join(lines[:length]) + lines[length][:-1])
            _, items = read(file)
            assert items[-1] == CutShort(length, "the line after it is truncated")
            found = turns(items)
            known = max(len(found) - 1, 0)  # the last turn may be incomplete
            assert [public(t) for t in found[:known]] == [public(t) for t in whole[:known]]


@pytest.mark.parametrize("kind", ["log", "record"])
def test_a_file_ends_with_its_last_whole_line_and_nothing_counts_after_it(
    kind: str, tmp_path: Path
) -> None:
    """The end of a log is its game-end. In a record, the end entry comes later."""
    lines = (EXAMPLES / f"two-players.{kind}.jsonl").read_bytes().splitlines(keepends=True)
    _, whole = read(EXAMPLES / f"two-players.{kind}.jsonl")
    *before, last = lines
    for more, why in (
        ([last, b"what?\n", lines[9], last], ""),
        ([last[:-1]], "the line after it is truncated"),
        ([], "the log ends here"),
    ):
        (tmp_path / "log").write_bytes(b"".join([*before, *more]))
        _, items = read(tmp_path / "log")
        if why:
            assert items.pop() == CutShort(len(before), why)
            assert any(isinstance(item, GameEnd) for item in items) == (kind == "record")
        else:
            assert items == whole
        assert [turn.turn for turn in turns(items)] == [turn.turn for turn in turns(whole)]


def test_a_log_without_names_is_shown(tmp_path: Path) -> None:
    lines = (EXAMPLES / "two-players.log.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "log").write_bytes(b"".join(lines[2:]))
    _, (start, *items) = read(tmp_path / "log")
    assert isinstance(start, Start)
    assert start.own_names == ["player1", "player2"]
    _, whole = read(EXAMPLES / "two-players.log.jsonl")
    assert len(turns(items)) == len(turns(whole))


def fault(player: str) -> dict[str, Any]:
    about = {"code": "ignored-move", "section": "5.2", "detail": "no", "time": 0.0}
    return {"entry": "fault", "player_number": player, **about}


def test_of_an_endless_turn_the_first_steps_are_kept(tmp_path: Path) -> None:
    lines = (EXAMPLES / "two-players.log.jsonl").read_bytes().splitlines(keepends=True)[:4]
    gained = {"type": "player-gained", "player_number": "player1", "gained": "copper"}
    names = [{**gained, "gained": f"card {number}"} for number in range(100)]
    more = [to_line(message) + b"\n" for message in [gained] * (MAX_KEPT + 7) + names]
    (tmp_path / "log").write_bytes(b"".join([*lines, *more]))
    replay, items = read(tmp_path / "log")
    (turn,) = turns(items)
    assert turn.omitted == 107
    assert len(turn.gained) + len(turn.bought) == MAX_KEPT
    assert turn.cards["copper"] == 7 + MAX_KEPT + 7
    shown = painted(replay, items, Painter(80, colour=False))
    assert any("107 more" in line for line in shown)


@pytest.mark.parametrize("in_turn", [False, True])
def test_of_endless_faults_the_first_are_kept(in_turn: bool, tmp_path: Path) -> None:
    header = {**json.loads(HEADER), "game": "botwars"}
    info = {"type": "game-info", "rows": 4, "cols": 4, "max_turns": 5, "energy_every": 3}
    info |= {"player_bot_names": ["a", "b"], "game": "botwars"}
    start = {"entry": "sent", "to": "all", "message": info, "time": 0.0}
    faults = [fault("player1")] * (MAX_KEPT + 7)
    entries = [start, *faults] if in_turn else [*faults, start]
    (tmp_path / "record").write_bytes(b"".join(to_line(e) + b"\n" for e in [header, *entries]))
    _, items = read(tmp_path / "record")
    (turn,) = turns(items)
    if in_turn:
        assert (len(turn.notes), turn.omitted) == (MAX_KEPT, 7)
    else:
        assert len(turn.notes) == MAX_KEPT
        assert Skipped(MAX_KEPT + 2, 7) in items


def test_lines_that_do_not_belong_are_counted(tmp_path: Path) -> None:
    lines = (EXAMPLES / "two-players.log.jsonl").read_bytes().splitlines(keepends=True)
    lines[10:10] = [b"what?\n", b'{"type":"player-thinks"}\n', b"[]\n"]
    (tmp_path / "log").write_bytes(b"".join(lines))
    _, items = read(tmp_path / "log")
    assert items[-1] == Skipped(11, 3)
    whole = turns(read(EXAMPLES / "two-players.log.jsonl")[1])
    assert [public(turn) for turn in turns(items)] == [public(turn) for turn in whole]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"hello\n", "not a match record or a spectator log"),
        (b"\x00\xff\n", "not a match record or a spectator log"),
        (b"[]\n", "not a match record or a spectator log"),
        (b'{"type":"chess"}\n', "does not begin with a player-name"),
        (b'{"type":["player-name"]}\n', "does not begin with a player-name"),
        (b'{"entry":"header"}\n', "must be a header"),
        (b'{"entry":"header","format":"referee-match-record","version":2}\n', "newer"),
        (
            b'{"entry":"header","format":"referee-match-record","version":1,"game":"x"}\n',
            'game is "x"',
        ),
        (HEADER.replace(b'"seed":20', b'"seed":"\\u001b[2J"'), "modified: not a valid header"),
    ],
)
def test_what_is_no_log(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(data)
    with pytest.raises(LogReadError, match=says):
        read(tmp_path / "log")


# --- damaged files --------------------------------------------------------------------------------

PLAY_TURN = {
    "type": "play-turn",
    "actions": 1,
    "buys": 1,
    "extra_money": 0,
    "hand": ["copper"],
    "cards_played": [],
    "cards_bought": [],
    "cards_gained": [],
}
NOBODY = {"player_number": "player3"}


@pytest.mark.parametrize(
    "line",
    [
        {"entry": "sent", "to": "player3", "message": PLAY_TURN, "time": 1},
        {"entry": "sent", "to": ["player1"], "message": PLAY_TURN, "time": 1},
        {"entry": "sent", "message": PLAY_TURN, "time": 1},
        {"entry": "sent", "to": "all", "time": 1},
        {"entry": "fault", "code": "x", "section": "5", "detail": "x", **NOBODY},
        {"entry": "fault", "code": "x", "section": "5", "detail": "x", "player_number": []},
        {"entry": "disqualified", "code": "x", "detail": "x", "time": 1, **NOBODY},
        {"entry": "fault", "code": "x", "section": "5", "player_number": "player1"},
        {"entry": ["sent"]},
        {"type": "player-gained", "gained": "gold", **NOBODY},
        {"type": "player-disqualified", "reason": "exited", **NOBODY},
        {"type": "player-name", "name": "late", "version": 1, **NOBODY},
        {"type": "player-name", "name": "late", "version": 1, "player_number": "player1"},
        {"type": ["player-gained"]},
    ],
    ids=to_line,
)
def test_a_line_of_nobody_in_this_match_is_skipped(line: dict[str, Any], tmp_path: Path) -> None:
    name = f"two-players.{'record' if 'entry' in line else 'log'}.jsonl"
    lines = (EXAMPLES / name).read_bytes().splitlines(keepends=True)
    lines.insert(20, to_line(line) + b"\n")
    (tmp_path / "log").write_bytes(b"".join(lines))
    _, items = read(tmp_path / "log")
    assert items[-1] == Skipped(21, 1)
    _, whole = read(EXAMPLES / name)
    assert items[:-1] == whole


@pytest.mark.parametrize("depth", range(900, 1000, 20))
def test_what_is_too_deep_is_skipped(depth: int, tmp_path: Path) -> None:
    lines = (EXAMPLES / "two-players.record.jsonl").read_bytes().splitlines(keepends=True)
    deep = b"[" * depth + b"]" * depth
    lines[0] = lines[0].replace(b'"bots":["big_money"', b'"bots":[' + deep)
    fault = b'{"entry":"fault","player_number":"player1","code":"x","section":"x","detail":%s}\n'
    lines.insert(20, fault % deep)
    (tmp_path / "log").write_bytes(b"".join(lines))
    try:
        _, items = read(tmp_path / "log")
    except LogReadError:
        return  # the damage is in the first line, which we need
    assert items[-1] == Skipped(21, 1)


def test_a_name_that_is_missing_or_there_twice_moves_nobody(tmp_path: Path) -> None:
    lines = (EXAMPLES / "four-players.log.jsonl").read_bytes().splitlines(keepends=True)
    _, whole = read(EXAMPLES / "four-players.log.jsonl")
    assert isinstance(whole[0], Start)
    for names in (lines[:1] + lines[:4], lines[1:4]):
        (tmp_path / "log").write_bytes(b"".join(names + lines[4:]))
        _, items = read(tmp_path / "log")
        assert turns(items) == turns(whole)
        assert isinstance(items[0], Start)
        assert items[0].names[1:] == whole[0].names[1:]


@pytest.fixture(scope="module")
def valid() -> list[bytes]:
    return originals(matches=8)


@pytest.mark.slow
@pytest.mark.untraced
@settings(max_examples=50 * TIMES)
@given(seed=st.integers(0, 2**32))
def test_no_damage_makes_it_fail(
    seed: int, valid: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """For any damage, `read` returns items that can be painted or raises a LogReadError."""
    _, data = damage(Random(seed), valid)
    file = tmp_path_factory.getbasetemp() / "damaged"
    file.write_bytes(data)
    try:
        replay, items = read(file)
    except LogReadError:
        return
    painted(replay, items, Painter(80, colour=False))


@pytest.mark.parametrize(
    ("winners", "says"),
    [
        ([], "Nobody won: "),
        (["player2"], "player2 B won: "),
        (["player1", "player3"], "player1 A and player3 C share the win: "),
        (
            ["player1", "player2", "player3"],
            "A draw between player1 A and player2 B and player3 C: ",
        ),
    ],
)
def test_the_end_names_the_winners_or_a_draw(winners: list[str], says: str) -> None:
    start = Start("dominion", ["A", "B", "C"], [], None, [])
    end = GameEnd([3, 3, 3, 4], winners, "turn-limit")  # a log may have a score too many
    text = " ".join(map(str.strip, Painter(80, colour=False).end(end, start)))
    assert text.strip().startswith(says)
    assert "player3 3" in text
    assert "player4" not in text
