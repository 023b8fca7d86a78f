"""Test which names `referee.env` exports, and its errors if a library isn't installed."""

from __future__ import annotations

import sys

import pytest

import referee.env
from referee.env import botwars_v1, dominion_v1
from tests.support.imports import forget, loaded


def test_there_is_one_name_for_each_game() -> None:
    names = ["botwars_v1", "botwars_v2", "dominion_v1", "starrealms_v2", "tribute_v2"]
    assert dir(referee.env) == sorted(
        ["Environments", "PolicyBot", "Pool", "environments_of", *names]
    )
    with pytest.raises(ImportError, match="dominion_v7"):
        from referee.env import dominion_v7  # noqa: F401
    with pytest.raises(
        AttributeError,
        match="environments: dominion_v1, botwars_v2, botwars_v1, starrealms_v2, tribute_v2",
    ):
        _ = referee.env.dominion


def test_each_can_be_imported_as_a_module() -> None:
    import referee.env.botwars_v1
    from referee.env.dominion_v1 import env

    assert referee.env.botwars_v1 is botwars_v1
    assert env == dominion_v1.env
    with pytest.raises(ImportError, match="dominion_v7"):
        import referee.env.dominion_v7


def test_names() -> None:
    assert dominion_v1.choices[:3] == ("done", "reveal moat", "play cellar")
    assert len(set(dominion_v1.choices)) == 2 + 10 + 5 * 17
    for players in (2, 4):
        names = dominion_v1.observation_names(players)
        assert len(set(names)) == len(names)
        assert f"opponent {players - 1} owns gold" in names
        assert f"opponent {players} owns gold" not in names
    assert botwars_v1.choices == ("stay", "up", "left", "right", "down")
    assert botwars_v1.observation_names()[:2] == ("own botlets", "other botlets")


@pytest.mark.parametrize("name", ["dominion_v1", "botwars_v1"])
def test_without_pettingzoo_it_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    modules = (f"referee.env.{name}" for name in ("common", "sequential", "simultaneous"))
    forget(monkeypatch, *modules)
    game = getattr(referee.env, name)
    for make in (game.env, game.raw_env):
        with pytest.raises(referee.UsageError) as raised:
            make()
        says = f"{name} needs PettingZoo: run pip install '.[rl]' in a clone of the referee"
        assert str(raised.value) == says


@pytest.mark.slow
def test_importing_it_needs_neither_pettingzoo_nor_trio() -> None:
    code = "import referee.env as env; env.PolicyBot(len); env.dominion_v1"
    assert not loaded(code, {"trio", "pettingzoo", "gymnasium"})
