"""Optional parts of a game are loaded only when they're used."""

from __future__ import annotations

import pytest

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.botwars import RULES as BOTWARS
from referee.games.interface.definition import GameDefinition
from referee.games.interface.environment import Environment
from referee.games.interface.probing import Probes
from tests.games.toy_cards import GAME as TOY_CARDS
from tests.support.imports import loaded
from tests.support.toy import RULES as TOY


@pytest.mark.parametrize(
    "definition", [*GAMES.values(), TOY_CARDS], ids=lambda definition: definition.name
)
def test_a_game_has_an_environment(definition: GameDefinition) -> None:
    assert isinstance(definition.environment, Environment)


@pytest.mark.parametrize("definition", GAMES.values(), ids=lambda definition: definition.name)
def test_probes_can_be_loaded(definition: GameDefinition) -> None:
    if definition.make_probes is not None:
        assert isinstance(definition.probes(), Probes)


def test_what_a_game_does_not_have_is_none() -> None:
    assert TOY.environment is None
    assert BOTWARS.notes is None
    with pytest.raises(UsageError, match="this game has no probes yet"):
        BOTWARS.probes()


@pytest.mark.slow
def test_a_game_loads_neither_numpy_nor_its_probes() -> None:
    code = "from referee.games import GAMES; [GAMES[game] for game in GAMES]"
    parts = {f"referee.games.{game}.{part}" for game in GAMES for part in ("environment", "probes")}
    assert not loaded(code, {"numpy", *parts})
