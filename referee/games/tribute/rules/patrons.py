"""The patrons, a row each (protocol, 4.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from referee.games.tribute.rules.cards import TREASURY, Card
from referee.games.tribute.rules.effects import create_for_orgnum, returnable
from referee.games.tribute.rules.table import Choice, Player, Table


class Patron(NamedTuple):
    """A patron.

    Attributes:
        can: whether the player on turn can call it.
        call: pays the price and does what it does; gets whom it favoured before.
        favours: moves its favour; after the price, before any choice.
    """

    can: Callable[[Table], bool]
    call: Callable[[Table, Player | None], Choice | None]
    favours: Callable[[Table], None]


def call(table: Table, patron: str) -> Choice | None:
    """Call a patron that can be called."""
    table.me.calls -= 1
    table.me.made.called.append(patron)
    row = PATRONS[patron]
    favoured = table.favours[patron]
    row.favours(table)
    return row.call(table, favoured)


def _can_ansei(table: Table) -> bool:
    return table.me.power >= 2 and table.favours["ANSEI"] is not table.me


def _ansei(table: Table, favoured: Player | None) -> None:
    table.gain_power("ANSEI", -2)
    table.gain_coin("ANSEI", 1)


def _favour_at_once(table: Table) -> None:
    table.favours["ANSEI"] = table.me


def _can_duke(table: Table) -> bool:
    return table.me.coins > 0 and table.favours["DUKE_OF_CROWS"] is not table.me


def _duke(table: Table, favoured: Player | None) -> None:
    coins = table.me.coins
    table.gain_power("DUKE_OF_CROWS", coins - 1)
    table.gain_coin("DUKE_OF_CROWS", -coins)


def for_hlaalu(table: Table) -> list[Card]:
    """The cards that Hlaalu takes: those that cost something."""
    me = table.me
    return [card for card in me.hand + me.played + me.agents if card.kind.cost >= 1]


def _can_hlaalu(table: Table) -> bool:
    return bool(for_hlaalu(table))


def _hlaalu(table: Table, favoured: Player | None) -> Choice:
    return _choose("complete-hlaalu", "HLAALU", for_hlaalu(table), _complete_hlaalu)


def _complete_hlaalu(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    (card,) = cards
    table.destroy(card)
    table.event("destroy-card", "HLAALU", card)
    table.gain_prestige("HLAALU", card.kind.cost - 1)


def _has_three_coins(table: Table) -> bool:
    return table.me.coins >= 3


def _orgnum(table: Table, favoured: Player | None) -> None:
    table.gain_coin("ORGNUM", -3)
    if favoured is table.me:
        table.gain_power("ORGNUM", len(table.me.owned()) // 4)
        create_for_orgnum(table, "ORGNUM")
    elif favoured is None:
        table.gain_power("ORGNUM", len(table.me.owned()) // 6)
    else:
        table.gain_power("ORGNUM", 2)


def _can_pelin(table: Table) -> bool:
    return table.me.power >= 2 and bool(returnable(table.me))


def _pelin(table: Table, favoured: Player | None) -> Choice:
    table.gain_power("PELIN", -2)
    return _choose("complete-pellin", "PELIN", returnable(table.me), _complete_pelin)


def _complete_pelin(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    (card,) = cards
    table.to_top(table.me, card)
    table.event("refresh", "PELIN", card)


def _can_psijic(table: Table) -> bool:
    return table.me.coins >= 4 and bool(table.other.agents)


def _psijic(table: Table, favoured: Player | None) -> Choice:
    table.gain_coin("PSIJIC", -4)
    return _choose("complete-psijic", "PSIJIC", table.other.agents.copy(), _complete_psijic)


def _complete_psijic(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    (card,) = cards
    table.knock_out(table.other, card)
    table.event("knockout", "PSIJIC", card)


def _rajhin(table: Table, favoured: Player | None) -> None:
    table.gain_coin("RAJHIN", -3)
    table.create("add-bewilderment-to-opponent", "BEWILDERMENT", "RAJHIN", table.other)


def _has_two_power(table: Table) -> bool:
    return table.me.power >= 2


def _red_eagle(table: Table, favoured: Player | None) -> None:
    table.draw(table.me, 1)
    table.gain_power("RED_EAGLE", -2)
    table.event("draw", "RED_EAGLE")


def _has_four_coins(table: Table) -> bool:
    return table.me.coins >= 4


def _saint_alessia(table: Table, favoured: Player | None) -> None:
    alessia = "SAINT_ALESSIA"
    table.gain_coin(alessia, -4)
    if favoured is table.me:
        table.create("add-chainbreaker-sergeant", "CHAINBREAKER_SERGEANT", alessia, table.me)
    elif favoured is None:
        table.create("add-soldier-of-the-empire", "SOLDIER_OF_THE_EMPIRE", alessia, table.me)
    else:
        table.gain_power(alessia, 2)


def _for_treasury(table: Table) -> list[Card]:
    me = table.me
    return me.played + me.hand + me.agents


def _can_treasury(table: Table) -> bool:
    return table.me.coins >= 2 and bool(_for_treasury(table))


def _treasury(table: Table, favoured: Player | None) -> Choice:
    table.gain_coin(TREASURY, -2)
    return _choose("complete-treasury", TREASURY, _for_treasury(table), _complete_treasury)


def _complete_treasury(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    (card,) = cards
    table.destroy(card)
    table.event("destroy-card", TREASURY, card)
    table.create("add-writ-of-coin", "WRIT_OF_COIN", TREASURY, table.me)


def _choose(
    follow_up: str,
    patron: str,
    cards: list[Card],
    then: Callable[[Table, Choice, list[Card], int], None],
) -> Choice:
    return Choice(follow_up, patron, 0, cards, then, least=1)


def _step(patron: str) -> Callable[[Table], None]:
    return lambda table: table.favour(patron)


def _favours_nobody(table: Table) -> None:
    pass


PATRONS: Mapping[str, Patron] = {
    "ANSEI": Patron(_can_ansei, _ansei, _favour_at_once),
    "DUKE_OF_CROWS": Patron(_can_duke, _duke, _step("DUKE_OF_CROWS")),
    "HLAALU": Patron(_can_hlaalu, _hlaalu, _step("HLAALU")),
    "ORGNUM": Patron(_has_three_coins, _orgnum, _step("ORGNUM")),
    "PELIN": Patron(_can_pelin, _pelin, _step("PELIN")),
    "PSIJIC": Patron(_can_psijic, _psijic, _step("PSIJIC")),
    "RAJHIN": Patron(_has_three_coins, _rajhin, _step("RAJHIN")),
    "RED_EAGLE": Patron(_has_two_power, _red_eagle, _step("RED_EAGLE")),
    "SAINT_ALESSIA": Patron(_has_four_coins, _saint_alessia, _step("SAINT_ALESSIA")),
    TREASURY: Patron(_can_treasury, _treasury, _favours_nobody),
}


def start_of_turn(table: Table) -> None:
    """Give the player on turn what patrons bring it: only Ansei does (4.3)."""
    if table.favours.get("ANSEI") is table.me:
        table.me.coins += 1
