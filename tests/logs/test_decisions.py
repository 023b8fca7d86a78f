"""Which requests of a recorded turn a rule file answers again, and what it's compared with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.logs.decisions import Decided, decisions
from referee.rulefiles.bot import read_rule_file
from tests.support.live import ROOT, entries

RECORD = ROOT / "spec" / "examples" / "two-players.record.jsonl"
FILE = read_rule_file(ROOT / "example_bots" / "dominion" / "big_money.json", "dominion")
TURNS = sum(player["turns"] for player in entries(RECORD)[-1]["players"])


def decided(turn: int, seat: int | None = None, record: Path = RECORD) -> list[Decided]:
    return list(decisions(str(record), FILE, turn, seat))


def test_each_request_of_the_turn_is_answered_once() -> None:
    replies = [json.loads(e["line"]) for e in entries(RECORD) if e["entry"] == "received"][2:]
    whole = decided(1)
    assert [each.player_number for each in whole] == ["player1"] * len(whole)
    given = [each.does if each.did is None else each.did for each in whole]
    assert given == replies[: len(whole)]
    assert {each.player_number for each in decided(2)} == {"player2"}
    assert decided(1, 0) == whole
    assert decided(1, 1) == []
    assert decided(TURNS)


def test_after_another_move_the_rule_file_plans_its_turn_anew() -> None:
    """A rule file of Star Realms plans a turn. Its plan has not the moves of somebody else."""
    file = read_rule_file(ROOT / "example_bots/starrealms/outposts_first.json", "starrealms")
    record = ROOT / "tests" / "golden" / "older" / "starrealms.record.jsonl"
    found = list(decisions(str(record), file, 1))
    # The player bought and attacked as well, but did not yet end the turn.
    assert [each.did is None for each in found] == [True] * 3 + [False] * 3 + [True]
    assert found[-1].does["actions"] == [{"action": "end-turn"}]


def test_a_reply_that_is_no_text_is_shown(tmp_path: Path) -> None:
    lines = RECORD.read_bytes().splitlines(keepends=True)
    at = [n for n, line in enumerate(lines) if b'"entry":"received"' in line][2]
    head, _, rest = lines[at].partition(b'"line":')
    lines[at] = head + b'"base64":"/w==",' + rest[rest.rindex(b'"time"') :]
    (tmp_path / "record").write_bytes(b"".join(lines[: at + 2]))
    assert decided(1, record=tmp_path / "record")[0].did == "\ufffd"


def test_without_a_seat_it_is_that_of_the_file_if_it_played(tmp_path: Path) -> None:
    own = RECORD.read_bytes().replace(b'"bots":["big_money"', b'"bots":["%s"' % FILE.path.encode())
    (tmp_path / "record").write_bytes(own)
    assert decided(1, record=tmp_path / "record") == decided(1)
    assert decided(2, record=tmp_path / "record") == []


@pytest.mark.parametrize(
    ("turn", "seat", "says"),
    [(TURNS + 1, None, f"has {TURNS} turns"), (1, 2, "there is no player3 in")],
)
def test_what_is_not_in_the_record(turn: int, seat: int | None, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        decided(turn, seat)


def test_a_rule_file_is_for_its_game() -> None:
    old = ROOT / "tests" / "golden" / "older" / "starrealms.record.jsonl"
    with pytest.raises(UsageError, match=r"is of the game starrealms, .*big_money.json for"):
        decided(1, record=old)
