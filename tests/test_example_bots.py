"""The example bots, in every language whose toolchain is on the machine, conform.

The tests take some cases of each section, and those marked `all_cases` the rest.
`python tests/soak.py` plays 200 matches for each of them.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import pytest
import trio
from live import ROOT, play

from referee.bots.bundled import bundled_bots
from referee.bots.command import resolve_bot
from referee.conformance.case import Case, load_cases
from referee.conformance.driver import Limits
from referee.conformance.suite import Suite
from referee.conformance.verdict import Result, Status
from referee.games import GAMES
from referee.games.dominion import RULES

BOTS = ROOT / "example_bots"

# Name -> what must be on the PATH, how to build ({source}, {out}), how to run.
FOREIGN = {
    "big_money.js": ("node", None, "node {source}"),
    "big_money.pl": ("perl", None, "perl {source}"),
    "big_money.c": ("cc", "cc -O1 -o {out}/big_money_c {source}", "{out}/big_money_c"),
    "big_money.rs": ("rustc", "rustc -o {out}/big_money_rs {source}", "{out}/big_money_rs"),
    "BigMoney.java": ("javac", "javac -d {out} {source}", "java -Xshare:auto -cp {out} BigMoney"),
}


def build(name: str, out: Path) -> str:
    """The BOT argument of a bot in another language."""
    tool, compile_line, run_line = FOREIGN[name]
    if shutil.which(tool) is None:
        pytest.skip(f"{name}: no {tool} on this machine")
    names = {"source": BOTS / name, "out": out}
    if compile_line is not None:
        subprocess.run(compile_line.format(**names).split(), check=True, capture_output=True)
    return run_line.format(**names)


def seatings() -> Iterator[list[str]]:
    """Big Money in the second seat of matches of two, three and four players."""
    others = ["militia_money", "random_legal", "village_engine"]
    for count in (2, 3, 4):
        bots = others[: count - 1]
        bots.insert(1, "big_money")
        yield bots


PATIENT = Limits(timeout=60.0, grace=10.0)
"""No bot needs so long, however busy the machine is."""
ALL = load_cases(RULES).cases
SOME = [case for case in ALL if case.basic or case.id.endswith("/1")]
REST = [case for case in ALL if case not in SOME]
cases = pytest.mark.parametrize(
    "cases", [SOME, pytest.param(REST, marks=pytest.mark.all_cases)], ids=["some", "rest"]
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The BOT argument of a bot in another language, which is built once."""
    out = tmp_path_factory.mktemp("built")
    return cache(lambda name: build(name, out))


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> list[list[int]]:
    """The scores in each of these seatings, in seat order, with Big Money in Python.

    The seed is the seating's place.
    """
    folder = tmp_path_factory.mktemp("usual")
    matches = (
        trio.run(partial(play, folder, *bots, seed=seed)) for seed, bots in enumerate(seatings())
    )
    return [[player.score for player in played.result.players] for played in matches]


async def failures(bot: str, cases: list[Case]) -> list[Result]:
    """The conformance cases that a bot does not pass, SHOULD among them."""
    suite = Suite(cases, resolve_bot(bot), GAMES["dominion"], seed=1, limits=PATIENT)
    report = await suite.run(strict=True)
    assert len(report.cases) == len(cases)
    return [result for result in report.cases if result.status != Status.PASSED]


def test_there_are_many_cases_and_some_of_each_chapter() -> None:
    assert len(ALL) > 100
    assert len(SOME) > 50
    assert {case.id[0] for case in SOME} == {case.id[0] for case in ALL}


@cases
@pytest.mark.parametrize("bot", sorted(bundled_bots()))
async def test_a_python_bot_conforms(bot: str, cases: list[Case]) -> None:
    assert await failures(bot, cases) == []


@cases
@pytest.mark.parametrize("name", FOREIGN)
async def test_a_bot_in_another_language_conforms(
    name: str, cases: list[Case], built: Callable[[str], str]
) -> None:
    assert await failures(built(name), cases) == []


@pytest.mark.parametrize("name", FOREIGN)
async def test_a_bot_in_another_language_plays_as_the_python_one(
    name: str, tmp_path: Path, built: Callable[[str], str], usual: list[list[int]]
) -> None:
    for seed, bots in enumerate(seatings()):
        theirs = [built(name) if other == "big_money" else other for other in bots]
        foreign = await play(tmp_path, *theirs, seed=seed)
        for player in foreign.result.players:
            assert (player.disqualified, player.faults) == (None, {}), (seed, theirs)
            assert player.exit_code == 0
        assert [player.score for player in foreign.result.players] == usual[seed]


@pytest.mark.parametrize("file", sorted(BOTS.glob("*.*")), ids=lambda file: file.name)
def test_a_bot_needs_nobody_else(file: Path) -> None:
    text = file.read_text()
    assert "import referee" not in text
    assert "from referee" not in text
    if file.name != "minimal.py":
        assert "referee play" in text  # its run line


def test_the_bot_to_copy_from_is_short() -> None:
    assert len((BOTS / "minimal.py").read_text().splitlines()) <= 40
