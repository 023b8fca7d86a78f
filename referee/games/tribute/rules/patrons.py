"""The patrons, with a row for each of them (protocol, 4.8).

A call usually works like this: the player pays the price, perhaps chooses a card, and the effect
happens. Two patrons take the price at another moment, so their functions subtract it themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from referee.games.tribute.rules.cards import TREASURY, Card
from referee.games.tribute.rules.table import Choice, Player, Table

P = TypeVar("P", Player, str)
ANSEI = "ANSEI"


class Patron(NamedTuple):
    """A patron. Some patrons act immediately, others ask for a card first.

    Attributes:
        coins, power: the price of a call.
        does: carries out an immediate effect. The second argument is the player whom the patron
            favoured before the call.
        among: returns the cards to choose from. If it doesn't return any, the patron can't be
            called.
        follow_up: the `follow_up` of the choice.
        completes: carries out the effect on the chosen card.
        pays_first: True if the price is paid before anything else. Otherwise `does` subtracts it.
        again: True if players can call the patron even if it favours them already.
    """

    coins: int = 0
    power: int = 0
    does: Callable[[Table, Player | None], None] | None = None
    among: Callable[[Table], list[Card]] | None = None
    follow_up: str = ""
    completes: Callable[[Table, Card], None] | None = None
    pays_first: bool = True
    again: bool = True


def can_call(table: Table, patron: str) -> bool:
    """Return True if the active player can call the patron. Ignores the number of calls left."""
    me, row = table.me, PATRONS[patron]
    return (
        me.coins >= row.coins
        and me.power >= row.power
        and (row.again or table.favours[patron] is not me)
        and (row.among is None or bool(row.among(table)))
    )


def favour_after(patron: str, favoured: P | None, caller: P) -> P | None:
    """Return the player whom the patron favours after a call. None means nobody.

    A patron that favoured the opponent becomes neutral. A neutral patron favours the caller now.
    Ansei always favours the caller.
    """
    return caller if favoured in (None, caller) or patron == ANSEI else None


def call(table: Table, patron: str) -> Choice | None:
    """Call a patron. Only use this if `can_call` returns True.

    If the player has to choose a card, the favour changes before that.
    """
    me, row = table.me, PATRONS[patron]
    me.calls -= 1
    me.made.called.append(patron)
    favoured = table.favours[patron]
    if patron != TREASURY:
        table.favours[patron] = favour_after(patron, favoured, me)
    # A price is published as a gain with a negative amount.
    if row.power and row.pays_first:
        table.gain_power(patron, -row.power)
    if row.coins and row.pays_first:
        table.gain_coin(patron, -row.coins)
    if row.among is not None:
        # There's at least one card. Otherwise, can_call() would have returned False.
        return Choice(row.follow_up, patron, 0, row.among(table), least=1)
    assert row.does is not None
    row.does(table, favoured)
    return None


def complete(table: Table, choice: Choice, cards: list[Card], effect: int) -> None:
    """Carry out a patron's effect on the card that the player has chosen."""
    assert isinstance(choice.source, str)
    completes = PATRONS[choice.source].completes
    assert completes is not None
    completes(table, *cards)


def _duke(table: Table, favoured: Player | None) -> None:
    # One coin pays for the call. All the others become power.
    coins = table.me.coins
    table.gain_power("DUKE_OF_CROWS", coins - 1)
    table.gain_coin("DUKE_OF_CROWS", -coins)


def for_hlaalu(table: Table) -> list[Card]:
    """Return the cards that Hlaalu can destroy. Cards that cost nothing are excluded."""
    me = table.me
    return [card for card in me.hand + me.played + me.agents if card.kind.cost >= 1]


def _hlaalu(table: Table, card: Card) -> None:
    table.destroy(card)
    table.event("destroy-card", "HLAALU", card)
    table.gain_prestige("HLAALU", card.kind.cost - 1)


def _orgnum(table: Table, favoured: Player | None) -> None:
    owned = len(table.me.owned())
    by = {table.me: owned // 4, None: owned // 6}
    table.gain_power("ORGNUM", by.get(favoured, 2))
    if favoured is table.me:
        table.create_for_orgnum("ORGNUM")


def returnable(table: Table) -> list[Card]:
    """Return the agents in the cooldown pile. Contract agents never go there."""
    return [card for card in table.me.cooldown if card.kind.is_agent]


def _pelin(table: Table, card: Card) -> None:
    table.to_top(table.me, card)
    table.event("refresh", "PELIN", card)


def _psijic(table: Table, card: Card) -> None:
    table.knock_out(table.other, card)
    table.event("knockout", "PSIJIC", card)


def _red_eagle(table: Table, favoured: Player | None) -> None:
    table.draw(table.me, 1)  # the draw is published before the payment
    table.gain_power("RED_EAGLE", -PATRONS["RED_EAGLE"].power)
    table.event("draw", "RED_EAGLE")


def _saint_alessia(table: Table, favoured: Player | None) -> None:
    alessia = "SAINT_ALESSIA"
    if favoured is table.me:
        table.create("add-chainbreaker-sergeant", "CHAINBREAKER_SERGEANT", alessia, table.me)
    elif favoured is None:
        table.create("add-soldier-of-the-empire", "SOLDIER_OF_THE_EMPIRE", alessia, table.me)
    else:
        table.gain_power(alessia, 2)


def _treasury(table: Table, card: Card) -> None:
    table.destroy(card)
    table.event("destroy-card", TREASURY, card)
    table.create("add-writ-of-coin", "WRIT_OF_COIN", TREASURY, table.me)


PATRONS: Mapping[str, Patron] = {
    ANSEI: Patron(power=2, does=lambda table, _: table.gain_coin(ANSEI, 1), again=False),
    "DUKE_OF_CROWS": Patron(coins=1, does=_duke, pays_first=False, again=False),
    "HLAALU": Patron(among=for_hlaalu, follow_up="complete-hlaalu", completes=_hlaalu),
    "ORGNUM": Patron(coins=3, does=_orgnum),
    "PELIN": Patron(power=2, among=returnable, follow_up="complete-pellin", completes=_pelin),
    "PSIJIC": Patron(
        coins=4,
        among=lambda table: table.other.agents.copy(),
        follow_up="complete-psijic",
        completes=_psijic,
    ),
    "RAJHIN": Patron(
        coins=3,
        does=lambda table, _: table.create(
            "add-bewilderment-to-opponent", "BEWILDERMENT", "RAJHIN", table.other
        ),
    ),
    "RED_EAGLE": Patron(power=2, does=_red_eagle, pays_first=False),
    "SAINT_ALESSIA": Patron(coins=4, does=_saint_alessia),
    TREASURY: Patron(
        coins=2,
        among=lambda table: table.me.played + table.me.hand + table.me.agents,
        follow_up="complete-treasury",
        completes=_treasury,
    ),
}
