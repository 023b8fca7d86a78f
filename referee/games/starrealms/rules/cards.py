"""Card data (protocol, 7). Each card is one row.

The text of an ability is a list of words and numbers, such as "combat 4, draw 1". In "trade 3 or
combat 5", the player chooses one of the effects.

effects.py carries out every word, except the words in `CONSTANT`. Their effect lasts as long as the
card is in play.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, TypeAlias

BLOB = "blob"
FEDERATION = "trade_federation"
CULT = "machine_cult"
EMPIRE = "star_empire"
UNALIGNED = "unaligned"
SHIP, BASE, OUTPOST = "ship", "base", "outpost"

Effect: TypeAlias = tuple[str, int]
"""The word and the number of an effect, e.g. ("combat", 4)."""
Ability: TypeAlias = tuple[tuple[Effect, ...], ...]
"""The alternatives that a player can choose from, each with its effects. Usually there's only one.

If a card doesn't have this ability, the tuple is empty.
"""

CONSTANT = ("ally_of_all", "combat_per_ship")


class Card(NamedTuple):
    """The properties of a card."""

    name: str
    faction: str
    type: str
    cost: int
    copies: int  # copies in the trade deck or, for Scouts and Vipers, in each player's deck
    defense: int  # combat needed to destroy it, or 0 for a ship
    primary: Ability
    ally: Ability
    scrap: Ability
    constant: str  # an entry of `CONSTANT`, or ""
    is_ship: bool


def _ability(words: str) -> Ability:
    # E.g. "trade 3 or combat 5" -> ((("trade", 3),), (("combat", 5),))
    if not words:
        return ()
    lists = [[effect.split() for effect in part.split(", ")] for part in words.split(" or ")]
    return tuple(tuple((word, int(number)) for word, number in effects) for effects in lists)


def _card(
    type_: str,
    name: str,
    cost: int,
    copies: int,
    defense: int,
    primary: str,
    ally: str = "",
    scrap: str = "",
) -> Card:
    # A lasting effect isn't used like the other abilities, so we keep it in a separate field.
    constant = ""
    if primary in CONSTANT:
        constant, primary = primary, ""
    abilities = (_ability(primary), _ability(ally), _ability(scrap))
    is_ship = type_ == SHIP
    return Card(name, UNALIGNED, type_, cost, copies, defense, *abilities, constant, is_ship)


def _ship(name: str, cost: int, copies: int, primary: str, ally: str = "", scrap: str = "") -> Card:
    return _card(SHIP, name, cost, copies, 0, primary, ally, scrap)


_base = partial(_card, BASE)
_outpost = partial(_card, OUTPOST)
_FACTIONS = {
    # name, cost, copies, defense (not for ships), primary ability, ally ability, scrap ability
    BLOB: [
        _ship("Blob Fighter", 1, 3, "combat 3", "draw 1"),
        _ship("Battle Pod", 2, 2, "combat 4, scrap_trade_row 1", "combat 2"),
        _ship("Trade Pod", 2, 3, "trade 3", "combat 2"),
        _base("Blob Wheel", 3, 3, 5, "combat 1", scrap="trade 3"),
        _ship("Ram", 3, 2, "combat 5", "combat 2", "trade 3"),
        _ship("Blob Destroyer", 4, 2, "combat 6", "destroy_base 1, scrap_trade_row 1"),
        _base("The Hive", 5, 1, 5, "combat 3", "draw 1"),
        _ship("Battle Blob", 6, 1, "combat 8", "draw 1", "combat 4"),
        _ship("Blob Carrier", 6, 1, "combat 7", "gain_ship 1"),
        _ship("Mothership", 7, 1, "combat 6, draw 1", "draw 1"),
        _base("Blob World", 8, 1, 7, "combat 5 or draw_per_blob_card_played_this_turn 1"),
    ],
    CULT: [
        _ship("Trade Bot", 1, 3, "trade 1, scrap_hand_or_discard 1", "combat 2"),
        _ship("Missile Bot", 2, 3, "combat 2, scrap_hand_or_discard 1", "combat 2"),
        _outpost("Battle Station", 3, 2, 5, "", scrap="combat 5"),
        _ship("Supply Bot", 3, 3, "trade 2, scrap_hand_or_discard 1", "combat 2"),
        _ship("Patrol Mech", 4, 2, "trade 3 or combat 5", "scrap_hand_or_discard 1"),
        _ship("Stealth Needle", 4, 1, "copy_ship 1"),
        _ship("Battle Mech", 5, 1, "combat 4, scrap_hand_or_discard 1", "draw 1"),
        _outpost("Mech World", 5, 1, 6, "ally_of_all"),
        _outpost("Junkyard", 6, 1, 5, "scrap_hand_or_discard 1"),
        _ship("Missile Mech", 6, 1, "combat 6, destroy_base 1", "draw 1"),
        _outpost("Machine Base", 7, 1, 6, "draw 1, scrap_from_hand 1"),
        _outpost("Brain World", 8, 1, 6, "scrap_then_draw 2"),
    ],
    EMPIRE: [
        _ship("Imperial Fighter", 1, 3, "combat 2, opponent_discard 1", "combat 2"),
        _ship("Corvette", 2, 2, "combat 1, draw 1", "combat 2"),
        _ship("Imperial Frigate", 3, 3, "combat 4, opponent_discard 1", "combat 2", "draw 1"),
        _ship("Survey Ship", 3, 3, "trade 1, draw 1", scrap="opponent_discard 1"),
        _outpost("Recycling Station", 4, 2, 4, "trade 1 or discard_up_to_then_draw_that_many 2"),
        _outpost("Space Station", 4, 2, 4, "combat 2", "combat 2", "trade 4"),
        _outpost("War World", 5, 1, 4, "combat 3", "combat 4"),
        _ship(
            "Battlecruiser",
            6,
            1,
            "combat 5, draw 1",
            "opponent_discard 1",
            "draw 1, destroy_base 1",
        ),
        _outpost("Royal Redoubt", 6, 1, 6, "combat 3", "opponent_discard 1"),
        _ship("Dreadnaught", 7, 1, "combat 7, draw 1", scrap="combat 5"),
        _base("Fleet HQ", 8, 1, 8, "combat_per_ship"),
    ],
    FEDERATION: [
        _ship("Federation Shuttle", 1, 3, "trade 2", "authority 4"),
        _ship("Cutter", 2, 3, "authority 4, trade 2", "combat 4"),
        _ship("Embassy Yacht", 3, 2, "authority 3, trade 2, draw_with_two_bases 2"),
        _outpost("Trading Post", 3, 2, 4, "authority 1 or trade 1", scrap="combat 3"),
        _base("Barter World", 4, 2, 4, "authority 2 or trade 2", scrap="combat 5"),
        _ship("Freighter", 4, 2, "trade 4", "next_ship_to_top 1"),
        _outpost("Defense Center", 5, 1, 5, "authority 3 or combat 2", "combat 2"),
        _ship("Trade Escort", 5, 1, "authority 4, combat 4", "draw 1"),
        _ship("Flagship", 6, 1, "combat 5, draw 1", "authority 5"),
        _outpost("Port of Call", 6, 1, 6, "trade 3", scrap="draw 1, destroy_base 1"),
        _base("Central Office", 7, 1, 6, "trade 2, next_ship_to_top 1", "draw 1"),
        _ship("Command Ship", 8, 1, "authority 4, combat 5, draw 2", "destroy_base 1"),
    ],
}
EXPLORER = "Explorer"
_OTHERS = [
    _ship("Scout", 0, 8, "trade 1"),
    _ship("Viper", 0, 2, "combat 1"),
    _ship(EXPLORER, 2, 0, "trade 2", scrap="combat 2"),
]
_TRADE = [card._replace(faction=faction) for faction, cards in _FACTIONS.items() for card in cards]

CARDS = {card.name: card for card in [*_TRADE, *_OTHERS]}
TRADE_DECK = tuple(card.name for card in _TRADE for _ in range(card.copies))
"""The trade deck before it is shuffled. The last card is the top (4.1)."""
STARTING_DECK = tuple(card.name for card in _OTHERS for _ in range(card.copies))
"""A player's deck before it is shuffled. The last card is the top."""
