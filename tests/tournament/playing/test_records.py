"""A folder of records belongs to a single tournament."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from referee.errors import UsageError
from referee.logs.zstd import zstd
from referee.tournament.playing.records import OWNER, claim_folder, remove_record, write_record
from referee.tournament.rows import MatchRow, Plan
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.pairing import deal_seed
from tests.support.made_up import made_setup, row

SETUP = made_setup(3, deals=2)
EXTENDED = made_setup(4, deals=5)
REFUSED = "has records of another tournament; choose another folder, or add --force, which"


def record(match: int, setup: TournamentSetup = SETUP, **changes: Any) -> bytes:
    """Return the first lines of a record of this match, with changes to its header."""
    header = {
        "entry": "header",
        "format": "referee-match-record",
        "game": setup.game,
        "seed": deal_seed(setup.seed, match // 2),
        "bots": [bot.bot for bot in setup.bots[:2]],
    }
    return json.dumps(header | changes).encode() + b'\n{"entry":"sent"}\n'


def write(folder: Path, match: int, data: bytes = b"", stderr: tuple[bytes, ...] = ()) -> None:
    plan = Plan(match, match // 2, deal_seed(SETUP.seed, match // 2), (0, 1))
    write_record(folder, row(plan, record=data, stderr=[*stderr]))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_tournament_keeps_its_folder(tmp_path: Path) -> None:
    claim_folder(tmp_path, [SETUP])
    write(tmp_path, 0, b"{}\n")
    claim_folder(tmp_path, [SETUP])
    claim_folder(tmp_path, [SETUP, EXTENDED])  # like --extend
    for longer in ({"deals": 90}, {"deals": None, "matches": 7}, {"rounds": 9}):
        claim_folder(tmp_path, [replace(SETUP, **longer)])
    assert names(tmp_path) == {OWNER, "000000.record.jsonl.zst"}


def test_a_bot_that_could_not_play_changes(tmp_path: Path) -> None:
    claim_folder(tmp_path, [SETUP])
    write(tmp_path, 0, b"{}\n")
    mended = replace(SETUP, bots=(*SETUP.bots[:2], replace(SETUP.bots[2], bot="./mended")))
    claim_folder(tmp_path, [mended, mended], [SETUP])
    claim_folder(tmp_path, [mended])
    with pytest.raises(UsageError, match=REFUSED):
        claim_folder(tmp_path, [SETUP])


@pytest.mark.parametrize(
    "other",
    [
        replace(SETUP, seed=SETUP.seed + 1),
        replace(SETUP, bots=SETUP.bots[1:]),
        replace(SETUP, format="gauntlet", challengers=1),
        replace(SETUP, settings={**SETUP.settings, "max_turns": 3}),
        EXTENDED,  # the same bots, but in a tournament of their own
    ],
)
def test_another_tournament_needs_another_folder(tmp_path: Path, other: TournamentSetup) -> None:
    claim_folder(tmp_path, [SETUP])
    claim_folder(tmp_path, [other])  # there are no records yet that we could lose
    write(tmp_path, 0, b"{}\n", (b"oh", b""))
    (tmp_path / "notes.txt").write_text("mine\n")
    before = names(tmp_path)
    with pytest.raises(UsageError, match=f"^the folder {tmp_path} {REFUSED}"):
        claim_folder(tmp_path, [SETUP])
    assert names(tmp_path) == before
    claim_folder(tmp_path, [other])
    claim_folder(tmp_path, [SETUP], force=True)
    assert names(tmp_path) == {OWNER, "notes.txt"}
    claim_folder(tmp_path, [SETUP])


def test_the_owner_counts_more_than_what_the_records_say(tmp_path: Path) -> None:
    """The records of another tournament may look like ours, and those of our own be damaged."""
    claim_folder(tmp_path, [EXTENDED])
    write(tmp_path, 0, record(0))
    with pytest.raises(UsageError, match=REFUSED):
        claim_folder(tmp_path, [SETUP])
    write(tmp_path, 0, record(0, seed=1))
    claim_folder(tmp_path, [SETUP], [EXTENDED])


def test_a_newer_referee_with_more_settings_knows_its_folder(tmp_path: Path) -> None:
    more: type[TournamentSetup] = msgspec.defstruct(
        "More", [("more", int, 3)], bases=(TournamentSetup,), frozen=True, kw_only=True
    )
    claim_folder(tmp_path, [SETUP])
    write(tmp_path, 0, b"{}\n")
    found = {name: getattr(SETUP, name) for name in SETUP.__struct_fields__}
    claim_folder(tmp_path, [more(**found)])
    with pytest.raises(UsageError):
        claim_folder(tmp_path, [more(**found, more=4)])  # type: ignore[call-arg]


@pytest.mark.parametrize("owner", [None, b"", b'{"format":"referee-rec'])
@pytest.mark.parametrize(
    ("changes", "ours"),
    [
        ({}, True),
        ({"bots": [EXTENDED.bots[3].bot, SETUP.bots[1].bot]}, True),
        ({"seed": 1}, False),
        ({"bots": ["stranger", SETUP.bots[1].bot]}, False),
        ({"game": "botwars"}, False),
        ({"seed": "1"}, False),
    ],
)
def test_records_of_an_older_referee(
    tmp_path: Path, owner: bytes | None, changes: dict[str, Any], ours: bool
) -> None:
    """Older referees wrote no owner file, and a killed run may have truncated it.

    We check the headers of all records in this case.
    """
    write(tmp_path, 0, record(0), (b"oh",))
    write(tmp_path, 5, record(5, **changes))
    if owner is not None:
        (tmp_path / OWNER).write_bytes(owner)
    if ours:
        claim_folder(tmp_path, [SETUP, EXTENDED])
        assert json.loads((tmp_path / OWNER).read_bytes())["format"] == "referee-records"
    else:
        with pytest.raises(UsageError, match=REFUSED):
            claim_folder(tmp_path, [SETUP, EXTENDED])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("000000.record.jsonl.zst", b"not compressed"),
        ("000000.record.jsonl.zst", b""),
        ("000000.record.jsonl.zst", zstd.compress(b"[]\n")),
        ("000000.player1.stderr", b"no record beside it"),
    ],
)
def test_files_that_are_no_records_are_not_replaced(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError, match=REFUSED):
        claim_folder(tmp_path, [SETUP])
    assert (tmp_path / name).read_bytes() == data


def test_a_file_of_somebody_else_with_the_name_of_ours(tmp_path: Path) -> None:
    (tmp_path / OWNER).write_text("a diary\n")
    with pytest.raises(UsageError, match=f"{OWNER} is not a file of referee"):
        claim_folder(tmp_path, [SETUP])
    assert (tmp_path / OWNER).read_text() == "a diary\n"


def test_the_owner_is_written_into_no_other_file(tmp_path: Path) -> None:
    theirs = tmp_path / "diary"
    theirs.write_text("a diary\n")
    (tmp_path / OWNER).symlink_to(theirs)
    claim_folder(tmp_path, [SETUP], force=True)
    assert theirs.read_text() == "a diary\n"
    claim_folder(tmp_path, [SETUP])
    assert names(tmp_path) == {OWNER, "diary"}


def test_an_owner_that_is_no_file_is_not_read(tmp_path: Path) -> None:
    """A folder may come from a stranger, and to read a FIFO may take forever."""
    claim_folder(tmp_path, [SETUP])
    reader, writer = os.pipe()
    os.write(writer, (tmp_path / OWNER).read_bytes())
    os.close(writer)  # or a reader would wait
    (tmp_path / OWNER).unlink()
    (tmp_path / OWNER).symlink_to(f"/dev/fd/{reader}")
    claim_folder(tmp_path, [SETUP])
    with open(reader, "rb") as unread:
        assert unread.read()
    assert not (tmp_path / OWNER).is_symlink()


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / OWNER).mkdir()
    with pytest.raises(UsageError, match=f"cannot write {tmp_path / OWNER}: Is a directory"):
        claim_folder(tmp_path, [SETUP])


def test_nothing_older_stays_beside_a_match_that_is_played_again(tmp_path: Path) -> None:
    write(tmp_path, 0, b"{}\n", (b"oh", b"dear"))
    write(tmp_path, 1, b"{}\n", (b"oh", b""))
    write(tmp_path, 0, b"{}\n", (b"", b"again"))
    assert names(tmp_path) == {
        *("000000.record.jsonl.zst", "000000.player2.stderr"),
        *("000001.record.jsonl.zst", "000001.player1.stderr"),
    }
    write(tmp_path, 0)  # like a match without faults, if we only keep those with faults
    assert {name[:6] for name in names(tmp_path)} == {"000001"}
    remove_record(tmp_path, 1, 2)
    assert names(tmp_path) == set()


def test_a_record_is_written_after_the_stderr_beside_it(tmp_path: Path) -> None:
    """When a record appears, its page also shows the stderr, so that file must exist already."""
    (tmp_path / "000007.record.jsonl.zst").mkdir()  # a folder, so writing the record fails
    made = MatchRow(7, 0, 1, record=b"{}\n", stderr=[b"", b"oh no\n"])
    with pytest.raises(UsageError, match="cannot write"):
        write_record(tmp_path, made)
    assert (tmp_path / "000007.player2.stderr").read_bytes() == b"oh no\n"
    # No .part file is left.
    assert names(tmp_path) == {"000007.record.jsonl.zst", "000007.player2.stderr"}


def test_the_rest_of_a_killed_run_is_of_its_tournament(tmp_path: Path) -> None:
    claim_folder(tmp_path, [SETUP])
    part = tmp_path / "000000.record.jsonl.zst.part"
    part.touch()
    with pytest.raises(UsageError, match=REFUSED):
        claim_folder(tmp_path, [OTHER])
    write(tmp_path, 0, b"{}\n")  # a new attempt replaces it
    assert names(tmp_path) == {OWNER, "000000.record.jsonl.zst"}
    part.touch()
    claim_folder(tmp_path, [OTHER], force=True)
    assert names(tmp_path) == {OWNER}


OTHER = replace(SETUP, seed=SETUP.seed + 1)
