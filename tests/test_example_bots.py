"""The example bots conform to the protocol, in each language whose toolchain is installed.

The tests marked `slow` run some cases of each section with one bot in Python and with those in
other languages. The ones marked `all_cases` run all cases with all bots. By default, the bot in
Perl must play a match as the one in Python does. tests/games/test_conform.py runs the basic cases
with every Python bot, and .ci/run runs all cases with one bot from the wheel.
`python -m tools.soak` plays 200 matches with each bot.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from referee.bots.bundled import bundled_bots
from referee.bots.command import resolve_bot
from referee.conformance.case import Case
from tests.support.conforming import CASES, REST, SOME, failures
from tests.support.foreign_bots import BOTS, FOREIGN, build
from tests.support.helpers import PILES, newer_form, to_line
from tests.support.live import entries, play
from tests.support.marks import slow

FEW = SOME[::3]
"""Fewer cases for bots in other languages, because some are slow to start."""


def seatings() -> Iterator[list[str]]:
    """Yield line-ups of two and of four bots, with Big Money in the second seat."""
    others = ["militia_money", "random_legal", "village_engine"]
    for count in (2, 4):
        bots = others[: count - 1]
        bots.insert(1, "big_money")
        yield bots


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> list[list[int]]:
    """Play each line-up with Big Money in Python, and return the scores in seat order.

    The seed is the index of the line-up.
    """
    folder = tmp_path_factory.mktemp("usual")
    matches = (
        trio.run(partial(play, folder, *bots, seed=seed)) for seed, bots in enumerate(seatings())
    )
    return [[player.score for player in played.result.players] for played in matches]


def test_there_are_many_cases_and_some_of_each_chapter() -> None:
    assert len(CASES) > 100
    assert len(SOME) > 15
    assert {case.id[0] for case in SOME} == {case.id[0] for case in CASES}


@pytest.mark.parametrize(
    ("bot", "cases"),
    [
        pytest.param("minimal", SOME, id="minimal-some", marks=pytest.mark.slow),
        *(
            pytest.param(bot, some, marks=pytest.mark.all_cases, id=f"{bot}-{name}")
            for bot in sorted(bundled_bots())
            for some, name in ((SOME, "some"), (REST, "rest"))
            if (bot, name) != ("minimal", "some")
        ),
    ],
)
async def test_a_python_bot_conforms(bot: str, cases: list[Case]) -> None:
    assert await failures(resolve_bot(bot), cases) == []


@pytest.mark.all_cases
@pytest.mark.parametrize("name", FOREIGN)
async def test_a_bot_in_another_language_passes_the_rest(name: str, tmp_path: Path) -> None:
    rest = [case for case in CASES if case not in FEW]
    assert await failures(resolve_bot(build(name, tmp_path)), rest) == []


@pytest.mark.parametrize(
    "name",
    [*map(slow, FOREIGN)],
)
async def test_a_bot_in_another_language_conforms_and_plays_as_the_python_one(
    name: str, tmp_path: Path, usual: list[list[int]]
) -> None:
    """Everything is in one test, because building the bot takes most of the time.

    It also checks that the bot begins each match afresh.
    """
    built = build(name, tmp_path)
    assert await failures(resolve_bot(built), FEW) == []
    check_that_each_match_begins_afresh(built)
    for seed, bots in enumerate(seatings()):
        theirs = [built if other == "big_money" else other for other in bots]
        foreign = await play(tmp_path, *theirs, seed=seed)
        for player in foreign.result.players:
            assert (player.disqualified, player.faults) == (None, {}), (seed, theirs)
            assert player.exit_code == 0
        assert [player.score for player in foreign.result.players] == usual[seed]


@pytest.mark.slow
async def test_the_bot_in_perl_plays_as_the_one_in_python(tmp_path: Path) -> None:
    logs = []
    for bot in ("big_money", build("big_money.pl", tmp_path)):
        await play(tmp_path, "militia_money", bot, seed=1, max_turns=12, patient=[0])
        logs.append([line for line in entries(tmp_path / "log") if "name" not in str([*line])])
    assert logs[0] == logs[1]


# --- match after match (8.4) ----------------------------------------------------------------------


def hand(number: int) -> list[str]:
    """Return a hand that has different kinds of cards."""
    cards = ["copper", "gold", "village", "estate", "smithy", "silver", "militia", "gold", "moat"]
    return [cards[(number * step) % len(cards)] for step in range(1, 6)]


def a_match(hands: Sequence[int], **piles: int) -> list[dict[str, Any]]:
    """Return roughly the messages that player 1 gets in a match. It gains a smithy on the way."""
    supply = [{"card": card, "count": piles.get(card, 10)} for card in PILES]
    turn = {"type": "play-turn", "actions": 1, "buys": 1, "extra_money": 0}
    turn |= {"cards_played": [], "cards_bought": [], "cards_gained": []}
    return [
        {"type": "player-name-request", "player_number": "player1", "version": 1},
        {"type": "supply-info", "cards": supply},
        *(turn | {"hand": hand(number)} for number in hands[:5]),
        {"type": "player-gained", "player_number": "player1", "gained": "smithy"},
        *(turn | {"hand": hand(number)} for number in hands[5:]),
        {"type": "game-end", "scores": [3, 3], "winners": ["player1"], "reason": "turn-limit"},
    ]


def replies(bot: str, *matches: list[dict[str, Any]]) -> list[Any]:
    """Send all messages to a bot, close its stdin and return its replies."""
    lines = b"".join(to_line(message) + b"\n" for match in matches for message in match)
    argv = resolve_bot(bot).argv
    done = subprocess.run(argv, input=lines, capture_output=True, check=True, timeout=60)
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_that_each_match_begins_afresh(bot: str) -> None:
    hands = range(20)
    other = a_match(range(20, 40), province=2, gold=0)
    said = replies(bot, a_match(hands), other, a_match(hands))
    assert len(said) == 3 * (1 + len(hands))
    names, first, last = said[0], said[: len(said) // 3], said[-len(said) // 3 :]
    assert names["keep_alive"] is True
    assert first == last
    assert replies(bot, [newer_form(message) for message in a_match(hands)]) == first


@pytest.mark.parametrize(
    "bot",
    ["smithy_big_money --noise 0.5", *map(slow, sorted(bundled_bots()))],
)
def test_a_python_bot_begins_each_match_afresh(bot: str) -> None:
    check_that_each_match_begins_afresh(bot)


@pytest.mark.parametrize(
    "bot", ["random_legal 7", slow("random_legal"), slow("smithy_big_money --noise 0.5")]
)
def test_every_match_has_dice_of_its_own(bot: str) -> None:
    alike = range(1, 30)
    assert len({str(replies(bot, a_match([first, *alike]))[2:]) for first in (0, 1)}) == 2


async def owned(folder: Path, seed: int, parameters: str) -> dict[str, int]:
    """Return the cards that a Smithy Big Money owns after some turns against Big Money."""
    bots = (f"smithy_big_money {parameters}", "minimal")
    await play(folder, *bots, seed=seed, max_turns=12, patient=[1])
    cards: dict[str, int] = entries(folder / "record")[-1]["players"][0]["cards"]
    return cards


@pytest.mark.slow
async def test_parameters_make_big_money_with_and_without_smithies(tmp_path: Path) -> None:
    plain = "--duchies 0 --estates 0 --smithies"
    await play(tmp_path, "big_money", "minimal", seed=1, max_turns=12, patient=[0, 1])
    money = entries(tmp_path / "record")[-1]["players"][0]["cards"]
    assert await owned(tmp_path, 1, f"{plain} 0") == money
    with_one = await owned(tmp_path, 1, f"{plain} 1")
    assert set(with_one) == {*money, "smithy"}
    assert (with_one["smithy"], with_one["estate"]) == (1, 3)


async def test_noise_makes_other_bots(tmp_path: Path) -> None:
    decks = [await owned(tmp_path, 1, f"--noise {noise}") for noise in (0, 1)]
    assert decks[0] != decks[1]


@pytest.mark.parametrize("file", sorted(BOTS.glob("*.*")), ids=lambda file: file.name)
def test_a_bot_needs_nobody_else(file: Path) -> None:
    text = file.read_text()
    assert "import referee" not in text
    assert "from referee" not in text
    if file.name != "minimal.py" and file.suffix != ".json":
        assert "referee play" in text  # the comment that shows how to run it


def test_the_bot_to_copy_from_is_short() -> None:
    assert len((BOTS / "minimal.py").read_text().splitlines()) <= 52
