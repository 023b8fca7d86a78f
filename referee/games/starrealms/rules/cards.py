"""The cards as data (protocol, 7): every card is a row, and what it does are words with a number.

    "combat 4, draw 1"    one effect after the other
    "trade 3 or combat 5" one of these, as the player chooses

What a word means stands in effects.py, one function a word; `CONSTANT` are the words of what holds
as long as the card is in play.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

BLOB = "blob"
FEDERATION = "trade_federation"
CULT = "machine_cult"
EMPIRE = "star_empire"
UNALIGNED = "unaligned"
SHIP, BASE, OUTPOST = "ship", "base", "outpost"

Effect: TypeAlias = tuple[str, int]
"""A word and its number."""
Ability: TypeAlias = tuple[tuple[Effect, ...], ...]
"""Lists of effects of which one is chosen; most have one list, and no ability has none."""

CONSTANT = ("ally_of_all", "combat_per_ship")


class Card(NamedTuple):
    """One card.

    Attributes:
        type: "ship", "base" or "outpost"; an outpost is a base as well.
        copies: in the trade deck; of a starting card in one player's deck.
        defense: the combat that destroys it; 0 for a ship.
        constant: the word of what holds while it is in play; "" for most.
        is_ship: whether it is no base.
    """

    name: str
    faction: str
    type: str
    cost: int
    copies: int
    defense: int
    primary: Ability
    ally: Ability
    scrap: Ability
    constant: str
    is_ship: bool


def _ability(words: str) -> Ability:
    """The words of a row: "trade 3 or combat 5" -> ((("trade", 3),), (("combat", 5),))."""
    if not words:
        return ()
    lists = [[effect.split() for effect in part.split(", ")] for part in words.split(" or ")]
    return tuple(tuple((word, int(number)) for word, number in effects) for effects in lists)


def _card(
    name: str,
    faction: str,
    type_: str,
    cost: int,
    copies: int,
    defense: int,
    primary: str,
    ally: str = "",
    scrap: str = "",
) -> Card:
    constant = ""
    if primary in CONSTANT:
        constant, primary = primary, ""
    abilities = (_ability(primary), _ability(ally), _ability(scrap))
    return Card(name, faction, type_, cost, copies, defense, *abilities, constant, type_ == SHIP)


_ROWS = [
    # name, faction, type, cost, copies, defense, primary ability; ally ability, scrap ability
    _card("Blob Fighter", BLOB, SHIP, 1, 3, 0, "combat 3", "draw 1"),
    _card("Battle Pod", BLOB, SHIP, 2, 2, 0, "combat 4, scrap_trade_row 1", "combat 2"),
    _card("Trade Pod", BLOB, SHIP, 2, 3, 0, "trade 3", "combat 2"),
    _card("Blob Wheel", BLOB, BASE, 3, 3, 5, "combat 1", scrap="trade 3"),
    _card("Ram", BLOB, SHIP, 3, 2, 0, "combat 5", "combat 2", "trade 3"),
    _card("Blob Destroyer", BLOB, SHIP, 4, 2, 0, "combat 6", "destroy_base 1, scrap_trade_row 1"),
    _card("The Hive", BLOB, BASE, 5, 1, 5, "combat 3", "draw 1"),
    _card("Battle Blob", BLOB, SHIP, 6, 1, 0, "combat 8", "draw 1", "combat 4"),
    _card("Blob Carrier", BLOB, SHIP, 6, 1, 0, "combat 7", "gain_ship 1"),
    _card("Mothership", BLOB, SHIP, 7, 1, 0, "combat 6, draw 1", "draw 1"),
    _card("Blob World", BLOB, BASE, 8, 1, 7, "combat 5 or draw_per_blob_card_played_this_turn 1"),
    _card("Trade Bot", CULT, SHIP, 1, 3, 0, "trade 1, scrap_hand_or_discard 1", "combat 2"),
    _card("Missile Bot", CULT, SHIP, 2, 3, 0, "combat 2, scrap_hand_or_discard 1", "combat 2"),
    _card("Battle Station", CULT, OUTPOST, 3, 2, 5, "", scrap="combat 5"),
    _card("Supply Bot", CULT, SHIP, 3, 3, 0, "trade 2, scrap_hand_or_discard 1", "combat 2"),
    _card("Patrol Mech", CULT, SHIP, 4, 2, 0, "trade 3 or combat 5", "scrap_hand_or_discard 1"),
    _card("Stealth Needle", CULT, SHIP, 4, 1, 0, "copy_ship 1"),
    _card("Battle Mech", CULT, SHIP, 5, 1, 0, "combat 4, scrap_hand_or_discard 1", "draw 1"),
    _card("Mech World", CULT, OUTPOST, 5, 1, 6, "ally_of_all"),
    _card("Junkyard", CULT, OUTPOST, 6, 1, 5, "scrap_hand_or_discard 1"),
    _card("Missile Mech", CULT, SHIP, 6, 1, 0, "combat 6, destroy_base 1", "draw 1"),
    _card("Machine Base", CULT, OUTPOST, 7, 1, 6, "draw 1, scrap_from_hand 1"),
    _card("Brain World", CULT, OUTPOST, 8, 1, 6, "scrap_then_draw 2"),
    _card("Imperial Fighter", EMPIRE, SHIP, 1, 3, 0, "combat 2, opponent_discard 1", "combat 2"),
    _card("Corvette", EMPIRE, SHIP, 2, 2, 0, "combat 1, draw 1", "combat 2"),
    _card(
        "Imperial Frigate",
        EMPIRE,
        SHIP,
        3,
        3,
        0,
        "combat 4, opponent_discard 1",
        "combat 2",
        "draw 1",
    ),
    _card("Survey Ship", EMPIRE, SHIP, 3, 3, 0, "trade 1, draw 1", scrap="opponent_discard 1"),
    _card(
        "Recycling Station",
        EMPIRE,
        OUTPOST,
        4,
        2,
        4,
        "trade 1 or discard_up_to_then_draw_that_many 2",
    ),
    _card("Space Station", EMPIRE, OUTPOST, 4, 2, 4, "combat 2", "combat 2", "trade 4"),
    _card("War World", EMPIRE, OUTPOST, 5, 1, 4, "combat 3", "combat 4"),
    _card(
        "Battlecruiser",
        EMPIRE,
        SHIP,
        6,
        1,
        0,
        "combat 5, draw 1",
        "opponent_discard 1",
        "draw 1, destroy_base 1",
    ),
    _card("Royal Redoubt", EMPIRE, OUTPOST, 6, 1, 6, "combat 3", "opponent_discard 1"),
    _card("Dreadnaught", EMPIRE, SHIP, 7, 1, 0, "combat 7, draw 1", scrap="combat 5"),
    _card("Fleet HQ", EMPIRE, BASE, 8, 1, 8, "combat_per_ship"),
    _card("Federation Shuttle", FEDERATION, SHIP, 1, 3, 0, "trade 2", "authority 4"),
    _card("Cutter", FEDERATION, SHIP, 2, 3, 0, "authority 4, trade 2", "combat 4"),
    _card(
        "Embassy Yacht", FEDERATION, SHIP, 3, 2, 0, "authority 3, trade 2, draw_with_two_bases 2"
    ),
    _card("Trading Post", FEDERATION, OUTPOST, 3, 2, 4, "authority 1 or trade 1", scrap="combat 3"),
    _card("Barter World", FEDERATION, BASE, 4, 2, 4, "authority 2 or trade 2", scrap="combat 5"),
    _card("Freighter", FEDERATION, SHIP, 4, 2, 0, "trade 4", "next_ship_to_top 1"),
    _card("Defense Center", FEDERATION, OUTPOST, 5, 1, 5, "authority 3 or combat 2", "combat 2"),
    _card("Trade Escort", FEDERATION, SHIP, 5, 1, 0, "authority 4, combat 4", "draw 1"),
    _card("Flagship", FEDERATION, SHIP, 6, 1, 0, "combat 5, draw 1", "authority 5"),
    _card("Port of Call", FEDERATION, OUTPOST, 6, 1, 6, "trade 3", scrap="draw 1, destroy_base 1"),
    _card("Central Office", FEDERATION, BASE, 7, 1, 6, "trade 2, next_ship_to_top 1", "draw 1"),
    _card(
        "Command Ship", FEDERATION, SHIP, 8, 1, 0, "authority 4, combat 5, draw 2", "destroy_base 1"
    ),
]
EXPLORER = "Explorer"
_OTHERS = [
    _card("Scout", UNALIGNED, SHIP, 0, 8, 0, "trade 1"),
    _card("Viper", UNALIGNED, SHIP, 0, 2, 0, "combat 1"),
    _card(EXPLORER, UNALIGNED, SHIP, 2, 0, 0, "trade 2", scrap="combat 2"),
]

CARDS = {card.name: card for card in [*_ROWS, *_OTHERS]}
TRADE_DECK = tuple(card.name for card in _ROWS for _ in range(card.copies))
"""Before it is shuffled; its end is the top (4.1)."""
STARTING_DECK = tuple(card.name for card in _OTHERS for _ in range(card.copies))
"""A player's, likewise."""
