"""Names given to bots on the command line of `referee play`."""

from __future__ import annotations

import re
import signal
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from msgspec.structs import replace

from referee import cli
from referee.cli.commands import play, play_plan
from referee.cli.commands.play import _check, _repeat_command
from referee.cli.commands.play_options import PlayOptions
from referee.cli.commands.play_progress import _line
from referee.errors import UsageError
from referee.games import GAMES
from referee.logs.outputs import LOG, RECORD, Output
from referee.match.machine import Match, Redeal
from referee.match.spec import match_spec
from referee.web.server import seat
from tests.support.helpers import name_line
from tests.support.live import entries


def test_no_bot_sees_a_file_with_the_seed_or_what_is_written(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(choice: object, sources: object, *unseen: object) -> Any:
        raise UsageError(str(unseen))

    monkeypatch.setattr(play_plan, "chosen_sandbox", refuse)
    monkeypatch.chdir(tmp_path)
    Path("seed").write_text("7")
    words = ["--seed-file", "seed", "--log", "l", "--record", "r", "--stderr", "d"]
    assert cli.main(["play", "minimal", "minimal", *words]) == 2
    files = ("l", "r", None, "seed", "d/player1.stderr", "d/player2.stderr")
    assert str(files) in capsys.readouterr().err


@pytest.mark.parametrize(("turn", "links"), [(None, "links of r.jsonl"), (3, None)])
def test_links_of_people_work_again_if_their_match_goes_on(
    turn: int | None, links: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat, "links_beside", lambda record: f"links of {record}")
    monkeypatch.setattr(seat, "MatchSession", lambda *given: given)
    options = PlayOptions.of({"resume": "r.jsonl", "turn": turn})
    assert play_plan._session(options, "dominion", []) == ("dominion", [], links)


def test_only_the_record_of_a_match_that_goes_on_may_be_its_own(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.touch()
    for turn, kind, is_fine in ((None, RECORD, True), (None, LOG, False), (3, RECORD, False)):
        plan: Any = SimpleNamespace(outputs=[Output(str(file), kind)])
        options = PlayOptions.of({"resume": str(file), "turn": turn})
        with nullcontext() if is_fine else pytest.raises(UsageError):
            play_plan._check_outputs(options, plan)


def test_the_command_that_repeats_a_match_from_a_position_names_its_turn() -> None:
    spec = replace(match_spec(["minimal"] * 2, seed=1), redeals=(Redeal(3, 5),))
    for given, words in (({}, "--turn 3"), ({"turn": 4, "seed": 5}, "--turn 4 --seed 5")):
        options = PlayOptions.of({"resume": "r.jsonl", "page": bool(given), **given})
        again = _repeat_command(options, spec)
        assert f"--resume r.jsonl {words}" in " ".join(again)
        assert ("--page" in again, "--seed" in again) == (bool(given), bool(given))


def test_the_command_that_repeats_a_match_without_a_sandbox_says_so_if_another_is_usual(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec, options = match_spec(["minimal"] * 2, seed=1), PlayOptions.of({})
    for usual, words in (("none", []), ("bwrap", ["--sandbox", "none"])):
        monkeypatch.setenv("REFEREE_SANDBOX", usual)
        assert _repeat_command(options, spec)[-2:] == (words or ["--seed", "1"])


@pytest.mark.parametrize("more", [{"browser": True}, {"record": "r.jsonl"}, {}])
def test_recorded_stderr_needs_a_record(more: dict[str, Any]) -> None:
    """For the browser there's always one."""
    with nullcontext() if more else pytest.raises(UsageError, match="goes with --record FILE"):
        _check(PlayOptions.of({"record_stderr": True, **more}))


def test_a_record_for_the_browser_alone_has_the_stderr() -> None:
    options = PlayOptions.of({"bots": ["big_money.json", "big_money.json"]})
    for temporary in (None, "t.jsonl"):
        plan, _ = play_plan.plan_match(options, temporary)
        assert (plan.record, plan.record_stderr) == (temporary, temporary is not None)


def test_a_bot_has_the_name_before_it(tmp_path: Path, capsys: Any) -> None:
    record = tmp_path / "r.jsonl"
    words = ["play", "new=minimal", "minimal", "--max-turns", "1", "--seed", "1"]
    assert cli.main([*words, "--record", str(record)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"player1  new +\d", out)
    assert "referee play new=minimal minimal" in out
    assert entries(record)[0]["names"] == ["new", ""]


def test_other_bots_that_continue_a_match_have_no_names_of_the_record(
    tmp_path: Path, capsys: Any
) -> None:
    """The names are those that a tournament has given to the bots of the record."""
    record, again = tmp_path / "r.jsonl", tmp_path / "again.jsonl"
    words = ["play", "--max-turns", "2", "--seed", "1", "a=smithy.json", "b=smithy.json"]
    assert cli.main([*words, "--record", str(record)]) == 0
    resume = ["play", "--resume", str(record), "--turn", "2", "--record", str(again)]
    assert cli.main([*resume, "-q"]) == 0
    assert entries(again)[0]["names"] == ["a", "b"]
    capsys.readouterr()
    assert cli.main([*resume, "big_money.json", "new=smithy.json"]) == 0
    assert entries(again)[0]["names"] == ["", "new"]
    assert re.search(r"player1  Big Money by rules +\d", capsys.readouterr().out)
    assert cli.main([*resume, "big_money.json", "smithy.json", "-q"]) == 0
    assert "names" not in entries(again)[0]


def test_the_line_of_a_long_match_has_the_names_that_are_shown() -> None:
    spec = replace(match_spec(["big_money", "./my_bot.py"]), names=("Zoe", ""))
    scores = [SimpleNamespace(score=3), SimpleNamespace(score=6)]
    match = SimpleNamespace(
        names=["Big Money", "player2"], standings=lambda: scores, turns=9, due=()
    )
    runner: Any = SimpleNamespace(match=match)
    assert _line(runner, spec) == "turn 9: Zoe 3, my_bot 6"


@pytest.mark.parametrize(("seconds", "how_long"), [(0.9, ""), (1, " for 1 s"), (70, " for 70 s")])
@pytest.mark.usefixtures("mock_clock")
async def test_the_line_of_a_long_match_names_the_first_bot_that_is_thinking(
    seconds: float, how_long: str
) -> None:
    match = Match(GAMES["botwars"], seats=2, seed=1)
    runner: Any = SimpleNamespace(match=match, asked_since=trio.current_time() - seconds)
    spec = match_spec(["gatherer", "./my_bot.py"], game="botwars")
    match.start()
    assert _line(runner, spec) == "waiting for the handshakes"
    for place in match.due:
        match.receive(place, name_line(place))
    assert match.due == (0, 1)
    assert _line(runner, spec).endswith(f"; player1 is thinking{how_long}")


def test_nobody_needs_the_links_after_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []

    async def does(*given: Any, **others: Any) -> None:
        done.append("shown")

    async def serve(*given: Any, task_status: Any) -> None:
        task_status.started()

    monkeypatch.setattr(play, "_serve", serve)
    session: Any = SimpleNamespace(
        end=lambda *given: done.append("end"), shown=does, delete_links=done.append
    )
    plan: Any = SimpleNamespace(spec=None, play=does)
    files: Any = None
    options = PlayOptions.of({"record": "r.jsonl"})
    monkeypatch.setattr(play, "collect_garbage", lambda: None)
    interrupts: Any = SimpleNamespace(caught=[signal.SIGTERM], check=lambda: None)
    play._play_match(options, plan, interrupts, [], files, session, None)
    assert done == ["shown", "end", "shown", "r.jsonl"]
