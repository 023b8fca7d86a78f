"""Test `match_spec`: options and limits of a match, and errors for impossible ones."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import msgspec
import pytest

from referee.cli.registry import read_words
from referee.errors import UsageError
from referee.games import GAMES
from referee.match.limits import LIMITS, Limits, flag, limit_word
from referee.match.machine import MAX_SEED
from referee.match.spec import (
    SHORT_SEEDS,
    default_limits,
    match_spec,
    setting_words,
    settings_type,
    settings_words,
    split,
)

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
        "max_turns",
        "line_limit",
        "queue_limit",
        "time_bank",
        "increment",
        "output_limit",
        "cpu_limit",
        "memory_limit",
        "process_limit",
        "open_file_limit",
        "file_size_limit",
        "tmp_limit",
        "stderr_limit",
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


def test_a_seed_is_drawn_that_is_too_long_to_be_tried() -> None:
    drawn = {match_spec(TWO).seed for _ in range(9)}
    assert len(drawn) > 1
    assert all(SHORT_SEEDS <= seed < MAX_SEED for seed in drawn)


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
            "max_turns, line_limit, queue_limit, time_bank, increment, output_limit, cpu_limit, "
            "memory_limit, process_limit, open_file_limit, file_size_limit, tmp_limit, "
            "stderr_limit",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_line(named: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError) as raised:
        match_spec(named.pop("bots", TWO), **named)
    assert str(raised.value) == expected


@pytest.mark.parametrize("name", LIMITS)
def test_a_row_of_the_table_is_all_that_a_limit_takes(name: str) -> None:
    """Adding a row to `LIMITS` must be enough for a command-line option and a schema entry."""
    for value in filter(None, (getattr(Limits(), name), LIMITS[name].sandbox)):
        words = setting_words(name, value)
        assert words == [flag(name), limit_word(name, value)]
        assert read_words(["play", *words])[1].settings[name] == value
    schema = msgspec.json.schema(settings_type(GAMES["dominion"]))
    assert LIMITS[name].about in schema["$defs"]["Options"]["properties"][name]["description"]
