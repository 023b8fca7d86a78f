"""What a game has besides its rules is found by name (`GameDefinition.extras`)."""

from __future__ import annotations

import pytest

from referee.games import GAMES
from referee.games.botwars import RULES as BOTWARS
from referee.games.interface.definition import Extra, GameDefinition
from tests.support.toy import RULES as TOY

EXTRAS = {name for name, value in vars(GameDefinition).items() if isinstance(value, Extra)} | {
    "probes"
}


@pytest.mark.parametrize("rules", [*GAMES.values(), TOY], ids=lambda rules: rules.name)
def test_all_extras_of_a_game_can_be_loaded(rules: GameDefinition) -> None:
    assert set(rules.extras) <= EXTRAS  # another name would never be looked at
    for name in rules.extras:
        assert not isinstance(getattr(rules, name), str | None), name


def test_what_a_game_does_not_have_is_none() -> None:
    assert BOTWARS.notes is None
