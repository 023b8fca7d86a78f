"""Test the check that starts each bot before the first match (spec/tournaments.md, 4)."""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.errors import ShortageError
from referee.match.sandbox import Sandbox
from referee.tournament.playing import starting
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.starting import broken_bots, start_once
from referee.tournament.rows import LEFT_OUT, Entrant, SeatRow
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.workers import worker_processes
from tests.support.imports import forget
from tests.support.live import ROOT, hostile, referee
from tests.support.sandboxed import needs_bwrap
from tests.support.stores import rows

MINIMAL = (ROOT / "example_bots" / "dominion" / "minimal.py").read_text()
CRASHES = 'import sys\nprint("Loading", file=sys.stderr)\nraise SystemExit("no weights")\n'
SHORT = ["--deals", "1", "--seed", "1", "--max-turns", "2", "--quiet"]
NONE = ["--sandbox", "none"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bot_folder(name: str, program: str, /, **keys: str) -> Path:
    path = Path(name)
    path.mkdir(parents=True)
    (path / "bot.py").write_text(program)
    table = {"command": f"{sys.executable} bot.py"} | keys
    (path / "bot.toml").write_text("".join(f"{k} = {json.dumps(v)}\n" for k, v in table.items()))
    return path


def tournament(*words: str, code: int = 0) -> list[str]:
    """Play a tournament of short matches. Return the lines of stderr."""
    done = referee("tournament", *SHORT, *words)
    assert done.returncode == code, done.stderr
    return [line.removeprefix("referee: ") for line in done.stderr.splitlines()]


def test_a_broken_diagnosis_costs_only_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    starting = "referee.tournament.playing.starting"
    forget(monkeypatch, starting, "referee.diagnosis")
    monkeypatch.setitem(sys.modules, "referee.diagnosis.ending", None)
    seat = SeatRow(0, 0, 0, disqualified="exited", detail="no reply", stderr="no weights\n")
    checked: Any = SimpleNamespace(check=lambda *_: [{0: seat}])
    setup: Any = SimpleNamespace(bots=[Entrant("anna", "./anna")], sandbox="bwrap")
    found = import_module(starting).broken_bots(checked, setup, [0])
    assert str(found[0]).startswith(
        "anna: no reply; its last words on stderr: no weights; the cause could not be worked out; "
        "this is a bug in the referee (ModuleNotFoundError in "
    )


@pytest.mark.slow
def test_all_bots_that_cannot_play_are_named_at_once(folder: Path) -> None:
    bot_folder("bots/crashes", CRASHES)
    bot_folder("bots/unbuilt", MINIMAL, build="true")
    bot_folder("bots/mistake", MINIMAL, nmae="x")
    Path("bots/empty").mkdir()
    Path("bots/rules.json").write_text("{")
    Path("bots/silent").write_text("#!/bin/sh\nexec sleep 600\n")
    Path("bots/program").write_text("#!/no/such/interpreter\n")
    for name in ("silent", "program"):
        Path("bots", name).chmod(0o755)
    names = ["crashes", "unbuilt", "mistake", "empty", "rules.json", "silent", "program"]
    bots = ["minimal", "smithy.json", *(f"bots/{name}" for name in names), "nobody"]
    words = [*bots, *NONE, "--startup-limit", "5", "--store", "s.sqlite"]
    said = tournament(*words, code=2)
    wanted = [
        "not ready in time: silent; started again now, since no match is running",
        "crashes: its process ended with exit code 1; its last words on stderr: no weights",
        "bots/mistake/bot.toml: unknown key 'nmae'",
        "BOT bots/empty is a directory: give the program in it, or write a bot.toml there",
        "bots/rules.json, line 1",
        "bots/silent: no reply to the handshake within 5 s; --startup-limit gives it more time",
        "bots/program: its first line names the interpreter /no/such/interpreter",
        "BOT nobody not found",
        "bots/unbuilt is not built, or changed since: referee build bots/unbuilt",
        "nothing was played; --skip-broken plays without them",
    ]
    assert [line[: len(start)] for line, start in zip(said, wanted, strict=True)] == wanted
    assert not Path("s.sqlite").exists()


def test_a_bot_that_is_mended_plays_its_matches_with_the_same_command(folder: Path) -> None:
    """A broken bot keeps its number, so in the end the store doesn't show that it joined later."""
    bot_folder("bots/a", CRASHES)
    bot_folder("bots/b", MINIMAL, build="true")
    Path("bots/c").mkdir()
    Path("bots/d.json").write_text("{")
    bots = ["minimal", "bots/a", "bots/b", "bots/c", "bots/d.json", "big_money"]
    words = [*bots, *NONE, "--skip-broken", "--store"]
    some = [*words, "s.sqlite", "--records", "r"]
    said = tournament(*some)
    assert [line.split(":")[0] for line in said] == ["left out"] * 4
    with Store.for_reading("s.sqlite") as store:
        assert [*store.left_out] == [1, 2, 3, 4]
        assert store.count() == (2, 0)
    said = tournament(*some)
    assert len(said) == 4  # they're still broken, and the others have played all their matches

    Path("bots/a/bot.py").write_text(MINIMAL)
    assert referee("build", "bots/b", "--sandbox", "none", "-q").returncode == 0
    (Path("bots/c") / "bot.toml").write_text('command = "minimal"\nname = "Late"\n')
    smithy = json.loads(referee("bots", "--show", "smithy.json").stdout)
    Path("bots/d.json").write_text(json.dumps(smithy))
    assert tournament(*some) == []
    assert tournament(*words, "whole.sqlite") == []
    with Store.for_reading("s.sqlite") as store, Store.for_reading("whole.sqlite") as whole:
        assert store.names[3] == "Late"
        assert store.left_out == {}
        assert store.count() == (30, 0)
        assert rows(store) == rows(whole)


def test_too_few_bots_are_left(folder: Path) -> None:
    Path("a.py").write_text(CRASHES)
    said = tournament("./a.py", "minimal", *NONE, "--skip-broken", code=2)
    assert said == [
        "./a.py: its process ended with exit code 1; its last words on stderr: no weights",
        "nothing was played; a match needs 2 bots, and 1 can play",
    ]


@pytest.mark.slow
def test_only_bots_with_matches_left_are_started(folder: Path) -> None:
    Path("a.py").write_text(MINIMAL)
    words = ["minimal", "big_money", "./a.py", *NONE, "--pairing", "gauntlet"]
    tournament(*words, "--store", "s.sqlite")
    Path("a.py").unlink()
    words.insert(3, "smithy_big_money")
    tournament(*words, "--store", "s.sqlite", "--extend")


STARTS = "import os\nwith open('starts', 'a') as file:\n    print(os.getpid(), file=file)\n"


@pytest.mark.parametrize("keep", [True, False])
def test_the_process_of_the_check_plays_its_first_match(keep: bool, folder: Path) -> None:
    """The check costs nothing then, since the bot needs this process for its first match anyway."""
    kept = MINIMAL if keep else MINIMAL.replace('"keep_alive": True', '"keep_alive": False')
    Path("a.py").write_text(STARTS + kept)
    tournament("./a.py", "minimal", "--deals", "3", *NONE, "--jobs", "1")
    starts = Path("starts").read_text().split()
    assert len({*starts}) == (2 if keep else 1 + 6)


def test_the_check_draws_another_seed_than_any_match(folder: Path) -> None:
    """A process mustn't see the same shuffles twice (protocol, 8.4)."""
    bots = [Entrant("a", "big_money"), Entrant("b", "big_money")]
    what = setup(bots, game="dominion", seed=1, settings={"max_turns": 2})
    seeds = []

    class Seen(Dispatcher):
        def _batch(self, plans: Any) -> Any:
            seeds.extend(plan.seed for plan in plans)
            return super()._batch(plans)

    with Seen(lambda: worker_processes(1), lambda: 1) as dispatcher:
        assert broken_bots(dispatcher, what, [0, 1]) == {}
    assert len(seeds) == 2
    assert min(seeds) > 10**6  # a random seed is smaller once in 10^10 runs


@pytest.mark.slow
def test_a_bot_that_kills_the_process_in_its_handshake(folder: Path) -> None:
    bots = [Entrant("k", hostile("signal_referee", f"0:{int(signal.SIGKILL)}"))]
    bots += [Entrant("m", "minimal")]
    what = setup(bots, game="dominion", seed=1)
    with Dispatcher(lambda: worker_processes(1), lambda: 1) as dispatcher:
        found = broken_bots(dispatcher, what, [0, 1])
    assert [*found] == [0]
    assert str(found[0]).startswith("k: it kills the process that plays it")


@pytest.mark.slow
def test_a_machine_that_kills_every_process_is_no_fault_of_the_bots(folder: Path) -> None:
    killer = hostile("signal_referee", f"0:{int(signal.SIGKILL)}")
    bots = [Entrant(str(number), killer) for number in range(5)]
    what = setup(bots, game="dominion", seed=1)
    with (
        pytest.raises(ShortageError, match="are killed in every match"),
        Dispatcher(lambda: worker_processes(1), lambda: 1) as dispatcher,
    ):
        broken_bots(dispatcher, what, range(5))


def test_a_round_of_a_swiss_tournament_is_lost_for_a_bot_that_is_left_out(folder: Path) -> None:
    """The next round depends on this one, so it can't catch up. Once it's fixed, it plays again."""
    Path("a.py").write_text(CRASHES)
    smithy = json.loads(referee("bots", "--show", "smithy.json").stdout)
    for name in ("b", "c", "d"):  # rule files need no process
        Path(f"{name}.json").write_text(json.dumps(smithy))
    words = ["./a.py", "./b.json", "./c.json", "./d.json", *NONE, "--skip-broken"]
    words += ["--pairing", "swiss", "--store", "s.sqlite"]
    tournament(*words, "--rounds", "1")
    with Store.for_reading("s.sqlite") as store:
        absent = [match for match in store.matches() if match.void]
        assert {match.reason for match in absent} == {LEFT_OUT}
        assert [sorted(match.players)[0] for match in absent] == [0, 0]
        (other,) = {bot for match in absent for bot in match.players} - {0}
    found = json.loads(referee("standings", "s.sqlite", "--format", "json").stdout)
    scores = {place["name"]: place["score"] for place in found["swiss"]["places"]}
    assert scores["a.py"] == 0
    assert scores[words[other].removeprefix("./")] == 1
    shown = " ".join(referee("standings", "s.sqlite").stdout.split())
    assert "2 matches are void: a bot was left out of the round." in shown
    Path("a.py").write_text(MINIMAL)
    tournament(*words, "--rounds", "2", "--extend")
    with Store.for_reading("s.sqlite") as store:
        assert store.count() == (8, 2)
        assert 0 in {bot for match in store.matches() if not match.void for bot in match.players}
    assert tournament(*words, "--rounds", "2") == []  # everything has been played


@pytest.mark.slow
@needs_bwrap
@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_that_the_sandbox_may_not_read_is_named_like_any_other(folder: Path) -> None:
    theirs = bot_folder("bots/theirs", MINIMAL)
    bot_folder("bots/ours", MINIMAL)
    os.chown(theirs, 65534, 65534)
    theirs.chmod(0o700)
    words = ["bots/theirs", "bots/ours", "minimal", "--sandbox", "bwrap"]
    said = tournament(*words, code=2)
    assert "chmod -R a+rX" in said[0]
    assert f"BOT {theirs.absolute()}: the sandbox may not read" in said[0]
    assert tournament(*words, "--skip-broken") == [f"left out: {said[0]}"]
    done = referee("build", "bots/theirs", "bots/ours", "--sandbox", "bwrap")
    assert (done.returncode, done.stderr) == (1, f"referee: {said[0]}\n")


@pytest.mark.slow
@needs_bwrap
def test_conform_starts_the_bot_in_a_folder_as_a_tournament_does(folder: Path) -> None:
    """With its author's rights all cases pass. In a tournament, the bot can't read `weights`."""
    Path("weights").write_text("3")
    path = bot_folder("a", "open('../weights').close()\n" + MINIMAL)
    words = ["conform", "a", "--case", "3.4/1", "--quiet"]
    done = referee(*words)
    assert done.returncode == 1
    assert "a conforms" in done.stdout
    assert done.stderr.startswith(
        "referee: no tournament can start it: a: its process ended with exit code 1; its last "
        "words on stderr: FileNotFoundError"
    )
    (path / "bot.py").write_text(MINIMAL)
    assert referee(*words).returncode == 0


@needs_bwrap
def test_the_command_of_a_folder_may_be_a_bundled_bot(folder: Path) -> None:
    bot_folder("a", "", command="minimal")
    assert tournament("a", "smithy.json", "--sandbox", "bwrap") == []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["no bot.toml", "mistake", "no folder"])
def test_a_bot_that_has_played_and_cannot_be_read_now_keeps_its_place(
    how: str, folder: Path
) -> None:
    """The bot's matches stay in the store. Once it's fixed, the same command plays the others."""
    path = bot_folder("bots/a", MINIMAL, name="Anna")
    words = ["bots/a", "minimal", "big_money", *NONE]
    tournament(*words, "--store", "s.sqlite")
    tournament(*words, "--store", "whole.sqlite")
    words += ["--deals", "2"]
    if how == "no bot.toml":
        (path / "bot.toml").rename("away")
    elif how == "mistake":
        (path / "bot.toml").rename("away")
        (path / "bot.toml").write_text("name = ")
    else:
        path.rename("away")
    said = tournament(*words, "--store", "s.sqlite", "--extend", code=2)
    assert "bots/a" in said[0]
    assert said[1:] == ["nothing was played; --skip-broken plays without them"]
    words.append("--skip-broken")
    assert tournament(*words, "--store", "s.sqlite", "--extend") == [f"left out: {said[0]}"]
    with Store.for_reading("s.sqlite") as store:
        assert [*store.left_out] == [0]
        assert store.count() == (8, 0)
    assert tournament(*words, "--store", "s.sqlite") == [f"left out: {said[0]}"]
    if how == "no folder":
        Path("away").rename(path)
    else:
        Path("away").rename(path / "bot.toml")
    assert tournament(*words, "--store", "s.sqlite") == []
    assert tournament(*words, "--store", "whole.sqlite", "--extend") == []
    with Store.for_reading("s.sqlite") as store, Store.for_reading("whole.sqlite") as whole:
        assert rows(store) == rows(whole)
        assert store.stages == whole.stages
        assert store.versions == whole.versions


def test_what_is_hidden_is_hidden_from_a_bot_that_is_started_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[str, ...]] = []

    def look(dispatcher: Dispatcher, *_: object) -> dict[int, Any]:
        seen.append(dispatcher._hidden)
        return {}

    monkeypatch.setattr(starting, "broken_bots", look)
    where = Sandbox("bwrap", hidden=("/log",))
    assert start_once([Entrant("a", "minimal")], "dominion", where, 1, lambda started: None) == {}
    assert seen == [("/log",)]
