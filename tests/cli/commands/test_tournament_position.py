"""`referee tournament --position FILE --turn N`."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.logs.entries import read_record, summaries
from referee.logs.record import SentEntry
from referee.tournament.store import Store
from referee.web.pages import pages
from tests.support.helpers import Say
from tests.support.live import ROOT
from tests.support.made_up import contents

RECORD = str(ROOT / "spec" / "examples" / "two-players.record.jsonl")
BOTS = ["big_money.json", "smithy.json"]  # rule files, so no processes are started
FROM = ["--position", RECORD, "--turn", "34"]  # of 38


def sent(record: str) -> list[bytes]:
    """Return the messages that the referee sent during a match."""
    return [bytes(e.message) for e in read_record(record) if isinstance(e, SentEntry)]


def rows(store: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a store, without times."""
    with Store.for_reading(store) as opened:
        return contents(opened)


def play(say: Say, store: str, *words: str) -> str:
    more = ["--deals", "1", "--seed", "7", "--store", store, "--quiet"]
    code, out, problem = say("tournament", *BOTS, *FROM, *more, *words)
    assert code == 0, problem
    return out


@pytest.mark.slow
def test_every_match_begins_with_the_lines_of_the_record(say: Say) -> None:
    play(say, "s.sqlite", "--deals", "2", "--records", "records")
    wanted = sent(RECORD)
    shared, seeds = len(wanted), {}
    for found in summaries(sorted(Path("records").glob("*.zst"))):
        assert found.header is not None
        (redeal,) = found.header.redeals or ()
        assert redeal.turn == 34
        seeds[found.path] = redeal.seed
        pairs = zip(sent(found.path), wanted, strict=False)
        apart = (n for n, (line, other) in enumerate(pairs) if line != other)
        # the first lines differ in the bots' names
        shared = min(shared, *(n for n in apart if n > 10))
    assert len(seeds) == 4
    assert len(set(seeds.values())) == 2  # both matches of a deal share a seed
    assert shared > 60
    code, out, _ = say("verify", "--store", "s.sqlite", "--run-recorded", "--sample", "1")
    assert code == 0
    assert "1 played again are the same" in out


def test_standings_say_where_the_matches_begin(say: Say) -> None:
    out = out_text = play(say, "s.sqlite")
    assert f"from turn 34 of {RECORD}" in " ".join(out.split()).replace("- ", "-")
    code, out, _ = say("standings", "s.sqlite", "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert found["position"] == f"turn 34 of {RECORD}"
    assert re.search(
        r"^seat points +interval won drawn lost score +interval$", out_text, re.MULTILINE
    )
    assert "Points by seat" not in out_text
    assert len(found["by_seat"]) == 2
    for seat in found["by_seat"]:
        assert seat["wins"] + seat["draws"] + seat["losses"] == 2
        assert (seat["score_low"], seat["score_high"]) == (None, None)  # a single deal
    _, out, _ = say("standings", "s.sqlite", "--format", "json", "--exclude", BOTS[0])
    assert json.loads(out)["by_seat"] == []
    with Store.for_reading("s.sqlite") as store:
        (setup,) = store.stages
    assert f"from turn 34 of {RECORD}" in pages.title(setup)
    assert f"--position {RECORD} --turn 34 --seed 7" in pages.command(setup)
    # The printed command of a lost match must reproduce its scores.
    losses = [loss for of_bot in found["notable_losses"].values() for loss in of_bot]
    with Store.for_reading("s.sqlite") as store:
        scores = {match.match: list(match.scores) for match in store.matches()}
    for loss in losses[:2]:
        words = shlex.split(loss["command"])[1:]
        code, out, _ = say(*words, "--format", "json")
        players = json.loads(out)["players"]
        assert [player["score"] for player in players] == scores[loss["match"]]


def test_a_store_continues_without_the_file_of_its_position(say: Say, tmp_path: Path) -> None:
    Path("gone.jsonl").write_bytes(Path(RECORD).read_bytes())
    words = [*BOTS, "--position", "gone.jsonl", "--seed", "7", "--store", "s.sqlite", "-q"]
    assert say("tournament", *words, "--turn", "34", "--deals", "1")[0] == 0
    whole = rows("s.sqlite")
    for change in (lambda: Path("gone.jsonl").write_text("{}"), Path("gone.jsonl").unlink):
        change()
        assert say("tournament", *words, "--turn", "34", "--deals", "1")[0] == 0
        assert rows("s.sqlite") == whole
    assert say("tournament", *words, "--turn", "34", "--deals", "2", "--extend")[0] == 0
    code, _, why = say("tournament", *words, "--turn", "33", "--deals", "2")
    assert (code, "cannot read gone.jsonl" in why) == (2, True)
    more = ["--turn", "34", "--deals", "2", "--game", "tribute"]
    assert "cannot read gone.jsonl" in say("tournament", *words, *more)[2]


def test_a_store_continues_with_the_same_position_of_any_name(say: Say, tmp_path: Path) -> None:
    play(say, "s.sqlite")
    whole = rows("s.sqlite")
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(Path(RECORD).read_bytes())
    more = ["--deals", "1", "--seed", "7", "--store", "s.sqlite", "-q"]
    assert say("tournament", *BOTS, "--position", "copy.jsonl", "--turn", "34", *more)[0] == 0
    assert rows("s.sqlite") == whole
    code, _, why = say("tournament", *BOTS, "--position", "copy.jsonl", "--turn", "35", *more)
    assert code == 2
    assert f"position: turn 34 of {RECORD} in the store, turn 35 of copy.jsonl now" in why
    code, _, why = say("tournament", *BOTS, *more)
    assert code == 2
    assert f"position: turn 34 of {RECORD} in the store, none now" in why


def test_the_order_of_playing_does_not_matter(say: Say, tmp_path: Path) -> None:
    """A run that continues an incomplete store makes the same one."""
    play(say, "one.sqlite")
    shutil.copy("one.sqlite", "cut.sqlite")
    with closing(sqlite3.connect("cut.sqlite")) as store, store:
        for table in ("matches", "seats"):
            store.execute(f"DELETE FROM {table} WHERE match = 1")
    play(say, "cut.sqlite")
    assert rows("one.sqlite") == rows("cut.sqlite")


@pytest.mark.slow
def test_matches_that_ended_before_the_position_are_counted(say: Say, tmp_path: Path) -> None:
    assert "before turn 34" not in play(say, "s.sqlite")
    for count, told in ((1, "1 match ended"), (2, "2 matches ended")):
        with closing(sqlite3.connect("s.sqlite")) as database, database:
            database.execute("UPDATE matches SET turns = 33 WHERE match < ?", (count,))
        text = " ".join(say("standings", "s.sqlite")[1].split())
        assert f"{told} before turn 34 of {RECORD}" in text.replace("- ", "-")
        assert json.loads(say("standings", "s.sqlite", "--format", "json")[1])["too_early"] == count


def test_a_store_without_a_position_is_as_before(say: Say, tmp_path: Path) -> None:
    more = ["--deals", "1", "--seed", "7", "--store", "s.sqlite", "-q"]
    assert say("tournament", *BOTS, *more)[0] == 0
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as store:
        ((stages,),) = store.execute("SELECT value FROM about WHERE key = 'stages'")
    assert "position" not in stages
    assert "position" not in json.loads(say("standings", "s.sqlite", "--format", "json")[1])


def test_a_store_with_an_impossible_position_is_damaged(say: Say, tmp_path: Path) -> None:
    play(say, "s.sqlite", "--max-turns", "60")
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as store, store:
        ((stages,),) = store.execute("SELECT value FROM about WHERE key = 'stages'")
        made = json.loads(stages)
        assert made[0]["settings"]["max_turns"] == 60  # those of the record are only a default
        # base64 of a newline, which no reply contains
        made[0]["position"]["answers"][0][1] = "Cg=="
        store.execute("UPDATE about SET value = ? WHERE key = 'stages'", [json.dumps(made)])
    code, _, why = say("standings", "s.sqlite")
    assert code == 2
    assert "no match can reach this position" in why


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--position", RECORD], "--position FILE, a match record, and --turn N go together"),
        (["--turn", "3"], "--position FILE, a match record, and --turn N go together"),
        (["--position", RECORD, "--turn", "999"], "turn 999 does not exist"),
        (["--position", __file__, "--turn", "3"], "not a match record"),
        (["--position", "nosuch", "--turn", "3"], "cannot read nosuch"),
        ([*FROM, "engine.json", "--players", "3"], "--position: the match has 2 players"),
        ([*FROM, "--game", "tribute"], f"--position: {RECORD} is a record of dominion"),
    ],
)
def test_slips(words: list[str], problem: str, say: Say) -> None:
    code, out, why = say("tournament", *BOTS, *words)
    assert (code, out) == (2, "")
    assert problem in why
    assert len(why.splitlines()) == 1


def test_the_options_of_the_game_are_those_of_the_record(say: Say) -> None:
    record = ["--record", "short.jsonl", "-q"]
    assert say("play", *BOTS[:2], "--max-turns", "8", "--seed", "1", *record)[0] == 0
    more = ["--deals", "1", "--seed", "1", "--records", "records", "--quiet"]
    assert say("tournament", *BOTS, "--position", "short.jsonl", "--turn", "3", *more)[0] == 0
    ends = [found.end for found in summaries(sorted(Path("records").glob("*.zst")))]
    assert {end.reason for end in ends if end is not None} == {"turn-limit"}
