"""Test `match_spec`: options and limits of a match, and errors for impossible ones."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

import referee
from referee.cli.registry import read_words
from referee.env import environments_of
from referee.env.episode import Episode
from referee.errors import InternalError, UsageError
from referee.games import GAMES, outside
from referee.games.dominion.rules.game import Options
from referee.logs.conversation import answers_before
from referee.logs.record import header_of, spec_of
from referee.logs.verify import verify_record
from referee.match.limits import LIMITS, Limits, flag, limit_word, memory_words
from referee.match.machine import MAX_SEED, Match, Redeal
from referee.match.opening import opening_answers
from referee.match.position import Position
from referee.match.spec import (
    SHORT_SEEDS,
    checked_own,
    default_limits,
    drawn_seed,
    match_spec,
    own_limits,
    own_limits_words,
    setting_words,
    settings_type,
    settings_words,
    split,
    tournament_limits,
    with_own,
)
from referee.web.recorded import read_match
from tests.support.live import ROOT
from tests.support.own_game import SMALL_GAMES, clean_games

TWO = ["a", "b"]
NO_BANK = "it is added to a time bank, and there is none: give time_bank too"


def test_options_and_limits_are_told_apart() -> None:
    spec = match_spec(TWO, seed=1, options={"max_turns": "4", "time_limit": 2})
    assert spec.options == GAMES["dominion"].options(max_turns=4)
    assert spec.limits == Limits(time_limit=2.0)


def test_a_game_has_defaults_of_its_own() -> None:
    assert default_limits(GAMES["dominion"]) == Limits()
    assert default_limits(GAMES["botwars"]) == Limits(time_limit=5.0, line_limit=2**20)


def test_the_options_of_a_record_stand_in_the_order_of_the_format() -> None:
    """A game's own options come after `grace` (log-format, 2.1)."""
    assert settings_type(GAMES["dominion"]).__struct_fields__ == (
        "time_limit",
        "startup_limit",
        "grace",
        *Options.__struct_fields__,
        *list(LIMITS)[3:],
    )


def test_a_limit_that_is_not_there_stands_in_no_record() -> None:
    """Limits after `queue_limit` are only in the record if they were set (log-format, 2.1)."""
    spec = match_spec(TWO, seed=1, options={"memory_limit": 2**20, "time_bank": "none"})
    assert spec.limits == Limits(memory_limit=2**20)
    assert list(msgspec.to_builtins(spec.settings))[-2:] == ["queue_limit", "memory_limit"]


@pytest.mark.parametrize("none", [None, "none", "inf", math.inf])
@pytest.mark.parametrize("name", ["time_limit", "time_bank", "memory_limit", "process_limit"])
def test_no_limit_is_infinite_and_null_only_in_a_record(name: str, none: float | str) -> None:
    usual = {"time_bank": 60, "memory_limit": 2**20, "process_limit": 9}
    spec = match_spec(TWO, seed=1, options={**usual, name: none})
    assert getattr(spec.limits, name) == spec.by_name[name] == math.inf
    written = msgspec.json.encode(spec.settings)
    assert json.loads(written).get(name, None) is None
    read = msgspec.json.decode(written, type=settings_type(spec.definition))
    assert split(spec.definition, read) == (spec.options, spec.limits)
    assert match_spec(TWO, seed=1, options=json.loads(written)) == spec
    words = settings_words(spec, usual)
    assert words[:2] == [flag(name), "none"]
    chosen = read_words(["play", *words])[1].settings
    assert chosen[name] == math.inf
    assert match_spec(TWO, seed=1, options={**usual, **chosen}) == spec


@pytest.mark.parametrize("none", [None, "none", math.inf])
@pytest.mark.parametrize("name", ["grace", "line_limit"])
def test_some_limits_cannot_be_none(name: str, none: float | str) -> None:
    with pytest.raises(UsageError, match=f"option {name}={none}: give a"):
        match_spec(TWO, options={name: none})


@pytest.mark.parametrize(
    ("name", "least", "below", "most", "above"),
    [
        ("time_limit", 0.001, 0, 1_000_000, 1_000_001),
        ("time_bank", 0.001, 0, 1_000_000, 1_000_001),
        ("grace", 0, -0.001, 1_000_000, 1_000_001),
        ("increment", 0, -0.001, 1_000_000, 1_000_001),
        ("line_limit", 1, 0, 10**9, 10**9 + 1),
        ("memory_limit", 1, 0, 2**50, 2**50 + 1),
        ("process_limit", 1, 0, 10**9, 10**9 + 1),
    ],
)
def test_each_kind_of_limit_has_its_bounds(
    name: str, least: float, below: float, most: float, above: float
) -> None:
    """A size of no bytes is none, while a bot may get no time to exit."""
    bank = {} if name == "time_bank" else {"time_bank": 5}
    for value in (least, most):
        spec = match_spec(TWO, options={**bank, name: value})
        assert getattr(spec.limits, name) == value
    for value in (below, above):
        with pytest.raises(UsageError, match=f"^option {name}={value}: give "):
            match_spec(TWO, options={**bank, name: value})


def test_a_seed_is_drawn_that_is_too_long_to_be_tried() -> None:
    assert len({match_spec(TWO).seed for _ in range(9)}) > 1
    source: Any = SimpleNamespace(randrange=lambda *bounds: bounds)
    assert drawn_seed(source) == (SHORT_SEEDS, MAX_SEED)


def test_it_can_be_sent_to_another_process() -> None:
    spec = match_spec(TWO, game="botwars", seed=3, options={"rows": 5})
    assert pickle.loads(pickle.dumps(spec)) == spec


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({"game": "chess"}, "no game 'chess'; there are: dominion, botwars, starrealms, tribute"),
        ({"game": "botwars", "bots": "abc"}, "botwars takes 2 bots, not 3"),
        ({"bots": "a"}, "dominion takes 2 to 4 bots, not 1"),
        ({"seed": -1}, "seed -1 is not an integer from 0 to 2**53 - 1"),
        ({"seed": 2**53}, f"seed {2**53} is not an integer from 0 to 2**53 - 1"),
        ({"options": {"max_turns": 0}}, "option max_turns=0: give an integer of at least 1"),
        ({"options": {"max_turns": "x"}}, "option max_turns=x: give an integer"),
        ({"options": {"increment": 2}}, f"option increment=2: {NO_BANK}"),
        ({"options": {"increment": "none"}}, "option increment=none: give a number"),
        ({"options": {"time_limit": 0}}, "option time_limit=0: give a number above 0.0"),
        (
            {"options": {"rows": 5}},
            "dominion has no option 'rows'; there are: time_limit, startup_limit, grace, "
            f"{', '.join([*Options.__struct_fields__, *list(LIMITS)[3:]])}",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_line(named: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError) as raised:
        match_spec(named.pop("bots", TWO), **named)
    assert str(raised.value) == expected


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("time_limit", [1e-9, 10**6], [0, -1, 10**6 + 1]),
        ("startup_limit", [1e-9, 10**6], [0, 10**6 + 1]),
        ("cpu_limit", [1e-9, 10**6], [0, 10**6 + 1]),
        ("grace", [0, 10**6], [-0.001, 10**6 + 1]),
        ("increment", [0, 10**6], [-0.001, 10**6 + 1]),
        ("line_limit", [1, 10**9], [0, 10**9 + 1]),
        ("queue_limit", [1, 10**9], [0, 10**9 + 1]),
        ("memory_limit", [1, 2**50], [0, 2**50 + 1]),
        ("process_limit", [1, 10**9], [0, 10**9 + 1]),
    ],
)
def test_the_bounds_of_limits(name: str, right: list[float], wrong: list[float]) -> None:
    for value in right:
        spec = match_spec(TWO, seed=1, options={"time_bank": 9, name: value})
        assert getattr(spec.limits, name) == value
    for value in wrong:
        with pytest.raises(UsageError, match=f"option {name}={value}: give an? "):
            match_spec(TWO, options={"time_bank": 9, name: value})


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("memory_limit", 2**30, "1G"),
        ("memory_limit", 2**31 + 2**20, "2049M"),
        ("line_limit", 2**10, "1K"),
        ("line_limit", 1023, "1023"),
        ("line_limit", 1025, "1025"),
        ("time_limit", 1024.0, "1024"),
        ("time_limit", 2.5, "2.5"),
        ("process_limit", 2048, "2048"),
        ("time_bank", math.inf, "none"),
    ],
)
def test_a_limit_as_its_option_takes_it(name: str, value: float, word: str) -> None:
    assert limit_word(name, value) == word
    assert read_words(["play", flag(name), word])[1].settings[name] == value


def test_an_amount_of_memory_in_words() -> None:
    assert [memory_words(most) for most in (2**20 - 1, 2**20, 3 * 2**29)] == [
        "1,048,575 bytes",
        "1 MiB",
        "1,536 MiB",
    ]


def test_the_limits_of_one_bot() -> None:
    """A limit of a bot replaces that of all, and `None` says that this bot has none (limits, 3)."""
    usual = match_spec(TWO, seed=1, options={"time_bank": 60, "memory_limit": 2**20}).limits
    chosen = {"memory_limit": "none", "time_limit": "2", "time_bank": 60}
    own = checked_own(GAMES["dominion"], usual, chosen)
    assert own == (("time_limit", 2.0), ("time_bank", 60.0), ("memory_limit", None))
    limits = with_own(usual, own)
    assert limits == usual._replace(time_limit=2.0, memory_limit=math.inf)
    assert own_limits(usual, limits) == {"time_limit": 2.0, "memory_limit": None}
    spec = replace(match_spec(TWO, seed=1), limits=usual, limits_of_bots=(usual, limits))
    assert spec.each_limits == (usual, limits)
    words = ["--limit-of", "2:time-limit=2", "--limit-of", "2:memory-limit=none"]
    assert own_limits_words(spec) == words
    with pytest.raises(UsageError, match="a bot has no limit 'max_turns'"):
        checked_own(GAMES["dominion"], usual, {"max_turns": 4})


def test_limits_of_all_bots_and_of_tournaments() -> None:
    spec = match_spec(TWO, seed=1, options={"time_limit": 3})
    assert spec.each_limits == (spec.limits, spec.limits)
    usual = tournament_limits(GAMES["dominion"])
    assert (usual["time_bank"], usual["cpu_limit"]) == (300, 600)
    # What a sandbox limits is limited in tournaments too (limits, 1).
    assert (usual["memory_limit"], usual["process_limit"]) == (2**30, 256)
    assert usual.keys() & {"time_limit", "stderr_limit"} == set()
    own = replace(GAMES["dominion"], tournament_limits={"time_bank": 7})
    assert tournament_limits(own) == usual | {"time_bank": 7}


def test_a_time_limit_of_none_switches_the_start_up_limit_off_too() -> None:
    spec = match_spec(TWO, seed=1, options={"time_limit": "none", "startup_limit": "none"})
    assert settings_words(spec) == ["--time-limit", "none"]
    spec = match_spec(TWO, seed=1, options={"time_limit": "none"})
    assert settings_words(spec) == ["--time-limit", "none", "--startup-limit", "10"]


@pytest.mark.parametrize("seed", [0, 2**53 - 1, np.int64(7)])
def test_the_bounds_of_seeds(seed: int) -> None:
    assert match_spec(TWO, seed=seed).seed == seed


@pytest.mark.parametrize("seed", [0.5, "1", 1.0])
def test_a_seed_is_an_integer(seed: Any) -> None:
    with pytest.raises(UsageError, match="is not an integer from 0 to"):
        match_spec(TWO, seed=seed)


@pytest.mark.parametrize(("seats", "right"), [(1, False), (2, True), (4, True), (5, False)])
def test_the_bounds_of_seats(seats: int, right: bool) -> None:
    with nullcontext() if right else pytest.raises(UsageError, match="takes 2 to 4 bots"):
        assert len(match_spec(["a"] * seats, seed=1).bots) == seats


def test_the_seed_in_effect_is_that_of_the_last_redeal() -> None:
    spec = match_spec(TWO, seed=5)
    assert spec.luck == 5
    redealt = replace(spec, redeals=(Redeal(1, 6), Redeal(3, 7)))
    assert redealt.luck == 7
    assert spec.with_luck(9) == replace(spec, seed=9)
    assert redealt.with_luck(9).redeals == (Redeal(1, 6), Redeal(3, 9))
    assert redealt.with_luck(9).seed == 5


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("max_turns", 4, ["--max-turns", "4"]),
        ("rows", 5, ["--set", "rows=5"]),
        ("cards", ["a", "b"], ["--set", "cards=a,b"]),
        ("open", True, ["--set", "open=true"]),
        ("share", 2.0, ["--set", "share=2"]),
        ("time_limit", 2.5, ["--time-limit", "2.5"]),
    ],
)
def test_a_setting_as_arguments(name: str, value: Any, words: list[str]) -> None:
    assert setting_words(name, value) == words


@pytest.mark.parametrize(
    ("turns", "answers", "right"),
    [
        ([], [[None], [None]], True),
        ([4], [[None, b"{}", b"x"], [None]], True),
        ([2, 4], [[None]], True),
        ([4, 4], [[None]], False),
        ([4, 2], [[None]], False),
        ([5], [[None]], False),
        ([], [[None], []], False),
        ([], [[b"{}"]], False),
        ([], [[None, None]], False),
        ([], [[None, b"{}"], [None, b"{}\n"]], False),
        ([], [[None, b"{}", b" "]], False),
    ],
)
def test_a_position_that_a_match_can_reach(
    turns: list[int], answers: list[list[bytes | None]], right: bool
) -> None:
    """Redeals come one after another, before the turn, and each answer is a line."""
    redeals = tuple(Redeal(turn, 1) for turn in turns)
    position = Position("a", 5, 1, redeals, tuple(map(tuple, answers)))
    assert position.is_valid == right
    assert position.is_same(replace(position, record="b"))
    assert not position.is_same(replace(position, seed=2))
    spec = position.redealt(match_spec(TWO, seed=9), luck=8)
    assert (spec.seed, spec.redeals) == (1, (*redeals, Redeal(5, 8)))


@pytest.mark.parametrize("name", LIMITS)
def test_a_row_of_the_table_is_all_that_a_limit_takes(name: str) -> None:
    """Adding a row to `LIMITS` must be enough for a command-line option and a schema entry."""
    for value in filter(None, (getattr(Limits(), name), LIMITS[name].sandbox)):
        words = setting_words(name, value)
        assert words == [flag(name), limit_word(name, value)]
        assert read_words(["play", *words])[1].settings[name] == value
    schema = msgspec.json.schema(settings_type(GAMES["dominion"]))
    assert LIMITS[name].about in schema["$defs"]["Options"]["properties"][name]["description"]


def test_a_bot_without_a_time_bank_ignores_the_increment_of_the_others() -> None:
    usual = Limits(time_bank=60.0, increment=1.0)
    own = checked_own(GAMES["dominion"], usual, {"time_bank": "none"})
    assert own == (("time_bank", None),)
    with pytest.raises(UsageError, match="increment=2: it is added to a time bank"):
        checked_own(GAMES["dominion"], usual, {"time_bank": None, "increment": 2})
    spec = replace(
        match_spec(["a", "b"], seed=1, options={"time_bank": 60, "increment": 1}),
        limits_of_bots=(usual._replace(time_bank=math.inf), usual),
    )
    assert spec_of(header_of(spec, "2026-11-29T00:00:00Z")).limits_of_bots == spec.limits_of_bots


class Limited(Match):
    """A match with one more limit that it enforces itself: nobody may play."""

    def start(self) -> None:
        raise PlayedError


class PlayedError(Exception):
    """Raised by `Limited`."""


RECORD = str(ROOT / "spec" / "examples" / "two-players.record.jsonl")
BOTS = [lambda message: None] * 2
PLACES: dict[str, Callable[[], object]] = {
    "play": lambda: referee.play_match(BOTS, seed=1),
    "opening": lambda: list(opening_answers(replace(match_spec(["a", "b"], seed=1), opening=1))),
    "environment": lambda: Episode(GAMES["dominion"], 2, {}).begin(1),
    "dataset": lambda: environments_of("dominion").dataset([RECORD]),
    "verify": lambda: verify_record(RECORD),
    "page": lambda: read_match(RECORD),
    "resume": lambda: answers_before(RECORD, 1),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_limit_that_the_match_enforces_holds_everywhere(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.match.spec.Match", Limited)
    with pytest.raises((PlayedError, InternalError)) as raised:
        PLACES[place]()
    assert PlayedError in (raised.type, type(raised.value.__cause__))


def test_the_words_of_an_option_may_be_numbers(tmp_path: Path) -> None:
    file = tmp_path / "lines.py"
    text = Path(SMALL_GAMES["connect4"]).read_text()
    text = text.replace("rows: int = 6", "rows: Literal[4, 6] = 6")
    file.write_text(f"from typing import Literal\n{text}")
    with clean_games():
        game = outside.add(str(file))
        assert match_spec(TWO, game=game, options={"rows": 4}).options.rows == 4  # type: ignore[attr-defined]
        with pytest.raises(UsageError, match="option rows=5: there are: 4, 6"):
            match_spec(TWO, game=game, options={"rows": 5})
