"""The checker finds faulty referees: variants of our own rules with one rule broken in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.games import GAMES
from referee.games.dominion.rules import choices, effects, game, player, table, turn
from referee.games.dominion.rules.messages import PlayerShuffled, PlayerTopDiscard
from referee.games.dominion.rules.table import Table
from referee.logs.validate import validate_log
from tests.support import random_players
from tests.support.random_logs import random_log
from tests.support.random_players import right

Patch = Callable[[pytest.MonkeyPatch], None]


def effect(card: str, does: Callable[[Table, Any, Any], object]) -> Patch:
    return lambda patch: patch.setitem(effects.EFFECTS, card, does)  # type: ignore[arg-type]


def constant(module: object, name: str, value: object) -> Patch:
    return lambda patch: patch.setattr(module, name, value)


def draws(card: str, count: int) -> Patch:
    return effect(card, lambda table, turn, _: table.draw(turn.player, count))


def gives(card: str, field: str, count: int) -> Patch:
    def does(table: Table, turn: Any, parameters: Any) -> object:
        setattr(turn, field, getattr(turn, field) + count)
        return was(table, turn, parameters)

    was = effects.EFFECTS[card]
    return effect(card, does)


def exchanges(card: str, *, more: int = 0, among: Mapping[str, int] | None = None) -> Patch:
    """Let `card` gain dearer cards, or any card in `among`, and make the players try it."""

    def limit_of(played: str, trashed: str | None = None) -> int:
        return limit(played, trashed) + (more if played == card else 0)

    def patch_all(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(choices, "gain_limit", limit_of)
        if among is not None:
            patch.setitem(choices.EXCHANGES, card, among)  # type: ignore[arg-type]
        patch.setattr(
            "tests.support.random_players._desired",
            lambda chance, among, limit, supply: was(chance, among, limit + more, supply),
        )
        # A mine may now trash any card, so choose its parameters like those of a remodel.
        if among is not None:
            patch.setattr(
                "tests.support.random_players._parameters",
                lambda chance, card, hand, supply: parameters_of(
                    chance, "remodel" if card == "mine" else card, hand, supply
                ),
            )

    limit = choices.gain_limit
    was, parameters_of = random_players._desired, random_players._parameters
    return patch_all


def two_an_estate(owned: Mapping[str, int]) -> int:
    return 2 * owned.get("estate", 0)


def workshop_of_five(patch: pytest.MonkeyPatch) -> None:
    cheaper = {card: cost - 1 if cost == 5 else cost for card, cost in effects.COST.items()}
    patch.setattr(choices, "COST", cheaper)
    patch.setattr("tests.support.random_players.COST", cheaper)


def other_way_round(patch: pytest.MonkeyPatch) -> None:
    was = Table.others
    patch.setattr(Table, "others", lambda table, player: was(table, player)[::-1])


def unpublished_shuffle(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Table, "draw", lambda table, player, count: player.draw(count) and None)


def shuffle_published_first(patch: pytest.MonkeyPatch) -> None:
    def clean_up(table: Table, player: Any, top_discard: Any) -> None:
        at = len(table.events)
        was(table, player, top_discard)
        late = [event for event in table.events[at:] if type(event) is PlayerTopDiscard]
        shuffles = [event for event in table.events[at:] if type(event) is PlayerShuffled]
        if shuffles and late:
            table.events.remove(late[-1])
            table.events.append(late[-1])

    was = turn._clean_up
    patch.setattr(turn, "_clean_up", clean_up)


def no_shuffle_needed(patch: pytest.MonkeyPatch) -> None:
    """Announce a shuffle at every draw, even if the deck had enough cards."""

    def draw(table: Table, seat: Any, count: int) -> None:
        seat.draw(count)
        table.events.append(PlayerShuffled(seat.number))

    patch.setattr(Table, "draw", draw)


def unpublished_trash(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Table, "trash", lambda table, player, card: player.hand.remove(card))


def unpublished_top(patch: pytest.MonkeyPatch) -> None:
    def discard(table: Table, seat: Any, cards: list[str], played: Any = ()) -> None:
        seat.discard_pile += cards

    patch.setattr(Table, "discard", discard)


MUTANTS: list[tuple[str, Patch, set[str], int]] = [
    ("smithy draws two", draws("smithy", 2), {"4.6"}, 1),
    ("smithy draws four", draws("smithy", 4), {"4.6"}, 1),
    ("moat draws three", draws("moat", 3), {"4.6"}, 6),
    ("village gives an action more", gives("village", "actions", 1), {"5.5"}, 3),
    ("market gives two money", gives("market", "money", 1), {"5.2"}, 2),
    ("market gives two buys", gives("market", "buys", 1), {"5.2"}, 4),
    ("woodcutter gives three money", gives("woodcutter", "money", 1), {"5.2"}, 6),
    ("workshop gains up to five", workshop_of_five, {"6.10", "5.2", "6.6"}, 1),
    ("mine takes four more", exchanges("mine", more=3), {"6.4"}, 9),
    ("mine takes any card", exchanges("mine", among=effects.COST), {"6.4"}, 9),
    ("remodel takes three more", exchanges("remodel", more=1), {"6.6"}, 12),
    ("militia the other way round", other_way_round, {"7.1"}, 9),
    ("militia leaves two", constant(effects, "MILITIA_HAND_SIZE", 2), {"7.1", "4.6"}, 27),
    ("five cards are four", constant(turn, "HAND_SIZE", 4), {"4.6", "5.2", "7.1", "5.3"}, 3),
    ("shuffles are not published", unpublished_shuffle, {"4.6"}, 1),
    ("every draw is published as a shuffle", no_shuffle_needed, {"4.6"}, 1),
    ("the top discard after the shuffle", shuffle_published_first, {"2.15"}, 1),
    ("a trash is not published", unpublished_trash, {"6.4", "6.6"}, 3),
    ("no top discard is published", unpublished_top, {"2.15"}, 1),
    ("four piles end the game", constant(game, "EMPTY_PILES_TO_END", 4), {"4.4"}, 13),
    ("an estate is two points", constant(player, "points_of", two_an_estate), {"4.5"}, 1),
]
"""The name of each, how to make it, the sections of findings, and the seed of a match for it."""


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("mutant", "sections", "first"),
    [fields for _, *fields in MUTANTS],
    ids=[name for name, *_ in MUTANTS],
)
def test_a_wrong_referee_is_found(
    mutant: Patch, sections: set[str], first: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mutant(monkeypatch)
    file = tmp_path / "log"
    for seed in range(first, first + 40):
        players = [right] * Random(seed).choice([2, 3])
        file.write_bytes(random_log(seed, players))
        found = next(validate_log(str(file), GAMES["dominion"]), None)
        if found is not None:
            assert found.section in sections, found
            return
    pytest.fail("40 matches, and nothing was found")


def test_the_same_matches_by_the_right_rules_have_no_findings(tmp_path: Path) -> None:
    assert table.Table is Table  # All monkeypatches of the other tests have been undone.
    file = tmp_path / "log"
    for seed in (1, 6, 9):
        file.write_bytes(random_log(seed, [right] * 2))
        assert list(validate_log(str(file), GAMES["dominion"])) == []
