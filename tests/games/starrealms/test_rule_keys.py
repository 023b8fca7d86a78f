"""Every key of a rule file, in a situation where we counted all the values by hand.

The rule file plays a card first if the key has the expected value, and last otherwise.
"""

from __future__ import annotations

import pytest

from referee.games.starrealms.vocabulary import VOCABULARY
from tests.games.starrealms.asked_pilot import does, rule_player_of, state_of

SITUATION = state_of(
    turn=7,
    authority=41,
    trade=2,
    combat=9,
    shuffles=3,
    hand=[
        *["Scout", "Ram", "Viper", "Cutter", "Cutter", "Trade Bot", "Corvette", "Corvette"],
        *["Corvette", "Explorer", "Scout"],
    ],
    deck=[
        *["Barter World", "Blob Fighter", "Blob Fighter", "Freighter", "Missile Bot"],
        *["Missile Bot", "Missile Bot", "Scout", "Scout", "Survey Ship", "Survey Ship"],
        *["Survey Ship", "Survey Ship", "Viper"],
    ],
    discard=[
        *["Mothership", "Flagship", "Flagship", "Flagship", "Junkyard", "Junkyard", "War World"],
        *["Scout", "Blob Wheel", "Blob Wheel"],
    ],
    in_play=[
        "Blob World",
        {"card": "Mech World", "used": True, "ally_used": False},
        "Recycling Station",
        *(
            {"card": ship, "used": True, "ally_used": False}
            for ship in ("Cutter", "Viper", "Viper", "Stealth Needle", *["Imperial Fighter"] * 4)
        ),
    ],
    played=["Cutter", "Viper", "Viper", "Ram", "Stealth Needle", *["Imperial Fighter"] * 4],
    copied="Cutter",
    trade_row=["Battle Pod", "Embassy Yacht", "Embassy Yacht", "Missile Mech", "Battlecruiser"],
    explorers=3,
    opponent={
        "authority": 33,
        "hand_size": 5,
        "due": 2,
        "deck_size": 6,
        "hidden": [
            *["Battle Mech", "Battle Mech", "Battle Mech", "Blob Destroyer", "Dreadnaught"],
            *["Scout", "Scout", "Space Station", "Trade Escort", "Trade Escort", "Viper"],
        ],
        "discard": [
            *["Trade Pod", "Trade Pod", "Trade Pod", "Trade Pod", "Federation Shuttle"],
            *["Supply Bot", "Supply Bot", "Imperial Frigate", "Imperial Frigate"],
            *["Imperial Frigate", "Scout", "Explorer", "The Hive"],
        ],
        "bases": ["Barter World", "Defense Center", "Royal Redoubt", "Fleet HQ"],
    },
)
VALUES = {
    "deck": 4,
    "turn": 7,
    "card.cost": 3,  # cost of a Ram
    "trade": 2,
    "combat": 9,
    "combat.plus.card.scrap.combat": 11,  # an Explorer can be scrapped for 2
    # The Ram's 3 trade buys an Embassy Yacht for 3 instead of a Battle Pod for 2.
    "buyScoreIncrease": 1,
    "buy.score.increase": 1,
    "authority": 41,
    "opponent.authority": 33,
    "deck.size": 14,
    "opponent.deck.size": 6,
    "discard.size": 10,
    "opponent.discard.size": 13,
    "hand.size": 11,
    "opponent.hand.size": 3,  # The opponent must discard two of its five cards.
    "ships": 37,
    "opponent.ships": 22,
    "bases": 9,
    "opponent.bases": 6,
    "outposts": 5,
    "opponent.outposts": 3,
    "bases.inplay": 3,
    "opponent.bases.inplay": 4,
    "outposts.inplay": 2,
    "opponent.outposts.inplay": 2,
    "bases.unused": 2,
    "opponent.bases.smallest": 4,
    "opponent.bases.biggest": 8,
    "opponent.outposts.smallest": 5,
    "opponent.outposts.biggest": 6,
    "cards.played.blob": 1,  # a Ram, although it was scrapped after it was played
    "cards.played.trade_federation": 2,  # one of them is the Needle as a copy of a Cutter
    "cards.played.machine_cult": 1,
    "cards.played.star_empire": 4,
    "cards.played.starter_cards": 2,
    "cards.hand.blob": 1,
    "cards.hand.trade_federation": 2,
    "cards.hand.machine_cult": 1,
    "cards.hand.star_empire": 3,
    "cards.hand.starter_cards": 3,
    "cards.discard.blob": 3,
    "cards.discard.trade_federation": 3,
    "cards.discard.machine_cult": 2,
    "cards.discard.star_empire": 1,
    "cards.discard.starter_cards": 1,
    "cards.deck.blob": 2,
    "cards.deck.trade_federation": 2,
    "cards.deck.machine_cult": 3,
    "cards.deck.star_empire": 4,
    "cards.deck.starter_cards": 3,
    "cards.all.blob": 7,
    "cards.all.trade_federation": 9,
    "cards.all.machine_cult": 8,  # Mech World counts only for its own faction
    "cards.all.star_empire": 13,
    "cards.all.starter_cards": 9,
    "opponent.cards.discard.blob": 5,
    "opponent.cards.discard.trade_federation": 1,
    "opponent.cards.discard.machine_cult": 2,
    "opponent.cards.discard.star_empire": 3,
    "opponent.cards.discard.starter_cards": 1,
    "opponent.cards.deck.blob": 1,
    "opponent.cards.deck.trade_federation": 2,
    "opponent.cards.deck.machine_cult": 3,
    "opponent.cards.deck.star_empire": 2,
    "opponent.cards.deck.starter_cards": 3,
    "opponent.cards.all.blob": 6,
    "opponent.cards.all.trade_federation": 5,
    "opponent.cards.all.machine_cult": 5,
    "opponent.cards.all.star_empire": 7,
    "opponent.cards.all.starter_cards": 4,
    "trade_row.blob": 1,
    "trade_row.trade_federation": 2,
    "trade_row.machine_cult": 1,
    "trade_row.star_empire": 1,
}
INFO = {"card_info_w": 3, "trade_row_card_info_avg_w": 4}
"""Expected if `w` is the cost: 3 for a Ram, and 4 as the average of 2, 3, 3, 6 and 6."""


def test_no_key_is_missing() -> None:
    assert set(VALUES) == set(VOCABULARY.keys)
    assert len(VALUES) == 75


def first_played(key: str, value: object) -> str:
    card = "Explorer" if key == "combat.plus.card.scrap.combat" else "Ram"
    rule_player = rule_player_of(
        playRules=[{"card": card, "rules": [{key: value, "score": 50}], "score": 1}],
        buyRules=[{"card": "*", "score": "card.cost"}],
        cardInfo=[{"card": "*", "info": {"w": "card.cost"}}],
    )
    (done,) = does(rule_player, SITUATION)
    return done


@pytest.mark.parametrize("key", [*VALUES, *INFO])
def test_a_right_value_and_wrong_ones(key: str) -> None:
    value = (VALUES | INFO)[key]
    card = "Explorer" if key == "combat.plus.card.scrap.combat" else "Ram"
    for right in (value, f" {value} ", f">= {value}", f"<={value}"):
        assert first_played(key, right) == f"play {card}"
    for wrong in (value - 1, value + 1, f"> {value}", f"< {value}"):
        assert first_played(key, wrong) == "play Scout"


def test_averages_over_all_cards_of_a_player() -> None:
    # Own costs: hand 3+2+2+1+2+2+2+2, deck 4+1+1+4+2+2+2+3+3+3+3, discard 7+18+12+5+3+3,
    # in play 8+5+4+2+4 and four of 1; 46 cards. The opponent's: hidden 15+4+7+4+10, discard
    # 8+1+6+9+2+5, bases 4+5+6+8; 28 cards.
    own = 16 + 28 + 48 + 27
    assert first_played("card_info_avg_w", f"> {own / 46 - 0.001:.6f}") == "play Ram"
    assert first_played("card_info_avg_w", f"< {own / 46 + 0.001:.6f}") == "play Ram"
    other = 40 + 31 + 23
    assert first_played("opponent_card_info_avg_w", f"> {other / 28 - 0.001:.6f}") == "play Ram"
    assert first_played("opponent_card_info_avg_w", f"< {other / 28 + 0.001:.6f}") == "play Ram"
