"""`--opening N` of `referee play` and `referee tournament`."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace

import referee
from referee.logs.entries import read_record
from referee.logs.record import Header, ReceivedEntry
from referee.logs.rerun import rerun_of
from referee.match.opening import opening_answers
from referee.match.spec import match_spec
from referee.tournament.report.notable_losses import repeat_command
from referee.tournament.store import Store
from referee.web.pages import pages
from referee.web.recorded import read_match
from tests.support.helpers import Say
from tests.support.live import ROOT
from tests.support.made_up import contents
from tests.support.marks import slow

RECORD = str(ROOT / "spec" / "examples" / "two-players.record.jsonl")
BOTS = ["gatherer", "formation"]
BOT_WARS = ["--game", "botwars"]


def replies(record: str) -> tuple[Header, list[list[bytes]]]:
    """Return the header of a record, and the replies of each seat after the handshake."""
    header, *entries = read_record(record)
    assert isinstance(header, Header)
    found: list[list[bytes]] = [[], []]
    for entry in entries:
        if isinstance(entry, ReceivedEntry):
            found[int(entry.player_number[-1]) - 1].append(str(entry.line).encode())
    return header, [lines[1:] for lines in found]


SHORT = ["--max-turns", "6", "--quiet"]


def test_the_record_has_the_replies_that_were_drawn(say: Say) -> None:
    words = ["big_money.json", "smithy.json", "--seed", "7", "--opening", "5", *SHORT]
    assert say("play", *words, "--record", "r.jsonl")[0] == 0
    header, given = replies("r.jsonl")
    assert header.opening == 5
    spec = match_spec(["a", "b"], seed=7, options={"max_turns": 6})
    drawn = opening_answers(replace(spec, opening=5))
    for lines, own in zip(given, drawn, strict=True):
        assert lines[: len(own) - 1] == own[1:]
    assert say("verify", "r.jsonl")[0] == 0
    # The bots' own replies come right after the opening.
    assert sum(map(len, given)) > 5
    page = read_match("r.jsonl")
    (mark,) = [mark for step in page.steps for mark in step.marks if mark.kind == "opening"]
    assert "5 rounds of replies" in mark.detail
    assert page.header.command.endswith("--seed 7 --opening 5 --max-turns 6")
    # The page's command plays the same match.
    again = [*shlex.split(page.header.command)[2:], "--record", "again.jsonl", "--quiet"]
    assert say("play", *again)[0] == 0
    assert replies("again.jsonl")[1] == given


def test_the_mark_is_at_the_step_after_the_last_drawn_reply(say: Say) -> None:
    """In Bot Wars a round is a turn, so the opening of three rounds ends with turn 3."""
    words = [*BOTS, *BOT_WARS, "--seed", "7", "--opening", "3", *SHORT]
    assert say("play", *words, "--record", "r.jsonl")[0] == 0
    steps = read_match("r.jsonl").steps
    (at,) = [at for at, step in enumerate(steps) if any(m.kind == "opening" for m in step.marks)]
    lines = read_match("r.jsonl").lines[: steps[at].lines[1]]
    assert sum(line.kind == "received" for line in lines) == 2 + 2 * 3


def test_a_match_that_continues_has_the_opening_if_all_of_it_was_played(say: Say) -> None:
    words = ["big_money.json", "smithy.json", "--seed", "7", "--opening", "5", *SHORT]
    assert say("play", *words, "--record", "r.jsonl")[0] == 0
    for turn, opening in ((1, None), (2, None), (5, 5)):
        more = ["--resume", "r.jsonl", "--turn", str(turn), "--record", f"{turn}.jsonl", *SHORT]
        assert say("play", *more)[0] == 0
        header, _ = replies(f"{turn}.jsonl")
        assert (header.opening or None) == opening
        assert say("verify", f"{turn}.jsonl")[0] == 0
    assert replies("5.jsonl")[1] == replies("r.jsonl")[1]
    seeded = ["--resume", "r.jsonl", "--turn", "5", "--seed", "3", "--record", "s.jsonl", *SHORT]
    assert say("play", *seeded)[0] == 0
    assert not replies("s.jsonl")[0].opening


def test_an_opening_after_a_position(say: Say) -> None:
    start = ["--resume", RECORD, "--turn", "34", "--seed", "3"]
    words = ["play", *start, "big_money.json", "smithy.json", "--opening", "4"]
    code, out, _ = say(*words, "--record", "r.jsonl")
    assert code == 0
    assert "--turn 34 --seed 3 --opening 4" in " ".join(out.split())
    header, given = replies("r.jsonl")
    _, before = replies(RECORD)
    assert header.opening == 4
    kept = [
        sum(a == b for a, b in zip(*each, strict=False)) for each in zip(given, before, strict=True)
    ]
    assert min(kept) > 10
    assert say("verify", "r.jsonl")[0] == 0
    rerun, is_there, drawn = rerun_of("r.jsonl"), False, []
    for each in rerun.rounds():
        assert is_there or not each.is_opening
        drawn += [each.is_opening] * is_there
        is_there = rerun.match.turns >= 34
    assert drawn.index(False) == sum(drawn) == 4
    steps = read_match("r.jsonl").steps
    ((step, mark),) = [
        (step, mark) for step in steps for mark in step.marks if mark.kind == "opening"
    ]
    assert "4 rounds" in mark.detail
    assert step.turn >= 34


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ["play", *BOTS, *BOT_WARS, "--opening", "1001"],
            "give a number from 1 to 1,000",
        ),
        (
            ["play", "--resume", RECORD, "--turn", "3", "--opening", "2"],
            "goes with --turn and --seed",
        ),
        (
            ["play", *BOTS, "--opening", "900", "--max-turns", "1", *BOT_WARS],
            "ends so early",
        ),
        (["tournament", *BOTS, *BOT_WARS, "--opening", "1001"], "from 1 to 1,000"),
        slow(
            ["tournament", *BOTS, *BOT_WARS, "--opening", "900", "--max-turns", "1"],
            "ends so early",
        ),
        (["tournament", *BOTS, *BOT_WARS, "--opening", "0"], "an integer of 1 or more"),
    ],
)
def test_slips(say: Say, words: list[str], problem: str) -> None:
    code, out, why = say(*words)
    assert (code, out) == (2, "")
    assert problem in why
    assert len(why.splitlines()) == 1


@pytest.mark.slow
def test_both_matches_of_a_deal_have_the_same_opening(say: Say) -> None:
    words = ["tournament", *BOTS, *BOT_WARS, "--deals", "2", "--seed", "7", *SHORT]
    words += ["--sandbox", "none"]
    more = ["--opening", "3", "--store", "s.sqlite", "--records", "records"]
    code, out, problem = say(*words, *more)
    assert code == 0, problem
    assert "openings of 3" in " ".join(out.split())
    found = [replies(str(file)) for file in sorted(Path("records").glob("*.zst"))]
    heads = [[lines[:3] for lines in given] for _, given in found]
    assert heads[0] == heads[1]
    assert heads[2] == heads[3]
    assert heads[0] != heads[2]
    assert {header.opening for header, _ in found} == {3}
    with Store.for_reading("s.sqlite") as store:
        rows = contents(store)
        (setup,) = store.stages
        messages = {match.messages for match in store.matches()}
    assert len(messages) == 4
    assert "--opening 3 --seed 7" in pages.command(setup)
    # Without the option a store continues with its opening.
    assert say(*words, "--store", "s.sqlite")[0] == 0
    with Store.for_reading("s.sqlite") as store:
        assert contents(store) == rows
    code, _, why = say(*words, "--opening", "4", "--store", "s.sqlite")
    assert (code, "opening: 3 in the store, 4 now" in why) == (2, True)
    assert json.loads(say("standings", "s.sqlite", "--format", "json")[1])["opening"] == 3


@pytest.mark.slow
def test_matches_with_openings_are_played_again_alike(say: Say) -> None:
    words = ["tournament", *BOTS, *BOT_WARS, "--deals", "2", "--seed", "7", *SHORT]
    assert say(*words, "--opening", "3", "--store", "s.sqlite")[0] == 0
    code, out, _ = say("verify", "--store", "s.sqlite", "--run-recorded")
    assert code == 0
    assert "4 played again are the same" in out
    with Store.for_reading("s.sqlite") as store:
        match = next(store.matches())
        (setup,) = store.stages
    again = shlex.split(repeat_command(match, setup))[1:]
    code, out, _ = say(*again, "--format", "json")
    assert code == 0
    assert [player["score"] for player in json.loads(out)["players"]] == list(match.scores)


def test_many_matches_from_python() -> None:
    options = {"max_turns": 6}
    many = referee.play_matches(BOTS, 4, game="botwars", seed=7, options=options, opening=3)
    assert len(set(many.messages)) == 4
    none = referee.play_matches(BOTS, 4, game="botwars", seed=7, options=options)
    assert len(set(none.messages)) == 4  # the places of new energy depend on the seed
    for wrong in (-1, 1_001, 1.5):
        with pytest.raises(referee.UsageError, match="opening"):
            referee.play_matches(BOTS, 4, game="botwars", opening=wrong)  # type: ignore[arg-type]
