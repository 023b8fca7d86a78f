"""The rule sets of a file, tested with the examples from the original text about rule files.

Each example is listed with the choice that the text says. The last tests check the order in
which the sets are used.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.starrealms.asked_pilot import actions, does, picks, rule_player_of, state_of

BUY = [
    {"card": "Mothership", "score": 100},
    {
        "card": "Blob Wheel",
        "rules": [{"deck": 1, "score": 50}, {"deck": 2, "score": 25}, {"deck": 3, "score": 5}],
    },
    {"card": "Corvette", "rules": [{"deck": "< 3", "score": 10}, {"score": 20}]},
]
DISCARD = [
    {"card": "Viper", "score": 100},
    {"card": "Scout", "score": 90},
    {"card": "Explorer", "score": 80},
]
FOR_BENEFIT = [
    {"card": "Barter World", "rules": [{"opponent.authority": "< 6", "score": 10}]},
    {
        "card": "Battlecruiser",
        "rules": [
            {
                "opponent.outposts.inplay": "> 0",
                "opponent.authority": "<= combat",
                "score": 10,
            },
            {"opponent.authority": "< 6", "score": 5},
        ],
    },
    {
        "card": "Blob Wheel",
        "rules": [
            {"deck": "< 3", "buy.score.increase": "> 20", "score": 5},
            {"buy.score.increase": "> 40", "score": 5},
        ],
    },
]
USE_BASE = [
    {"card": "Recycling Station", "score": 100},
    {"card": "Machine Base", "score": 90},
    {"card": "Blob World", "score": 10},
]
PLAY = [
    {"card": "Recycling Station", "score": 100, "useBaseAfterPlay": True},
    {"card": "Supply Bot", "score": 95},
    {"card": "Patrol Mech", "score": 80, "useAllyAfterPlay": True},
    {"card": "Stealth Needle", "score": 10},
    {"card": "Explorer", "score": 9},
    {"card": "Scout", "score": 8},
    {"card": "Viper", "score": 7},
]
CHOICE = [
    {
        "card": "Blob World",
        "rules": [
            {"cards.played.blob": "> 1", "opponent.authority": "> 5", "choice": 2},
            {"choice": 1},
        ],
    },
    {
        "card": "Patrol Mech",
        "rules": [
            {"deck": "> 2", "choice": 2},
            {"opponent.authority": "< 30", "choice": 2},
            {"choice": 1},
        ],
    },
    {"card": "Recycling Station", "choice": 2},
]
INFO = [
    {
        "card": "Cutter",
        "info": {
            "startGame": [{"cards.all.trade_federation": "> 0", "score": 10}, {"score": 9}],
            "midGame": 5,
            "endGame": 2,
        },
    },
    {
        "card": "Recycling Station",
        "info": {
            "protection": 4,
            "startGame": [{"cards.all.star_empire": "> 0", "score": 3}, {"score": 2}],
            "midGame": 5,
            "endGame": 4,
        },
    },
    {
        "card": "Imperial Frigate",
        "info": {
            "aggressive": 5,
            "startGame": [
                {"opponent.bases": "> 0", "score": 5},
                {"card_info_avg_aggressive": "> 2", "score": 4},
                {"cards.all.star_empire": "> 0", "score": 4},
                {"trade_row_card_info_avg_protection": "> 0", "score": 3},
                {"score": 2},
            ],
            "midGame": 5,
            "endGame": 7,
        },
    },
]
BUY_BY_INFO = [
    {
        "card": "*",
        "rules": [
            {"deck": "<= 2", "score": "card_info_startGame"},
            {"deck": 3, "score": "card_info_midGame"},
            {"score": "card_info_endGame"},
        ],
    }
]


def piece(card: str, *, used: bool = False) -> dict[str, Any]:
    return {"card": card, "used": used, "ally_used": False}


# --- the examples of the text -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("shuffles", "row", "bought"),
    [
        (0, ["Mothership", "Blob Wheel", "Corvette"], "Mothership"),
        (0, ["Blob Wheel", "Corvette"], "Blob Wheel"),
        (1, ["Corvette", "Blob Wheel"], "Blob Wheel"),
        (2, ["Blob Wheel", "Corvette"], "Corvette"),
        (3, ["Blob Wheel"], ""),
        (1, ["Command Ship"], ""),  # a card that is not listed is not bought
    ],
)
def test_buy_rules(shuffles: int, row: list[str], bought: str) -> None:
    done = does(rule_player_of(buyRules=BUY), state_of(trade=8, shuffles=shuffles, trade_row=row))
    assert done == ([f"buy {bought}"] if bought else ["end-turn"])


def test_a_score_changes_with_the_deck() -> None:
    """The Corvette scores 10 in the first two decks and 20 afterwards; the Cutter scores 15."""
    rules = [*BUY, {"card": "Cutter", "score": 15}]
    for shuffles, bought in ((0, "Cutter"), (1, "Cutter"), (2, "Corvette")):
        state = state_of(trade=2, shuffles=shuffles, trade_row=["Corvette", "Cutter"])
        assert does(rule_player_of(buyRules=rules), state) == [f"buy {bought}"]


def test_discard_rules() -> None:
    """The Viper goes first, then the Scout, then the Explorer. Others go only if they must."""
    rule_player = rule_player_of(discardRules=DISCARD)
    hand = ["Mothership", "Explorer", "Scout", "Cutter", "Viper"]
    state = state_of(hand=hand)
    assert picks(rule_player, "discard", None, hand, state, least=4, most=4) == [4, 2, 1, 3]
    assert picks(rule_player, "discard", "Recycling Station", hand, state, most=2) == [4, 2]
    assert (
        picks(rule_player, "discard", "Recycling Station", ["Cutter", "Ram"], state, most=2) == []
    )


def test_scrap_rules_follow_the_same_rules() -> None:
    rule_player = rule_player_of(scrapRules=DISCARD)
    cards = ["Explorer", "Ram", "Scout", "Viper"]
    assert picks(rule_player, "scrap", "Brain World", cards, state_of(), most=2) == [3, 2]
    assert picks(rule_player, "scrap", "Junkyard", ["Ram"], state_of()) == []
    assert picks(
        rule_player, "scrap", "Machine Base", ["Mothership", "Ram"], state_of(), least=1
    ) == [1]


@pytest.mark.parametrize(
    ("card", "state", "scrapped"),
    [
        ("Barter World", {"opponent": {"authority": 5}}, True),
        ("Barter World", {"opponent": {"authority": 6}}, False),
        (
            "Battlecruiser",
            {"opponent": {"authority": 12, "bases": ["Junkyard"]}, "combat": 12},
            True,
        ),
        (
            "Battlecruiser",
            {"opponent": {"authority": 13, "bases": ["Junkyard"]}, "combat": 12},
            False,
        ),
        ("Battlecruiser", {"opponent": {"authority": 5}}, True),
        # Scrapping the Wheel gives 3 trade, enough for a card of score 50 instead of 25.
        ("Blob Wheel", {"trade": 3, "trade_row": ["Ram", "Battle Blob"]}, True),
        ("Blob Wheel", {"trade": 3, "trade_row": ["Ram", "Battle Blob"], "shuffles": 2}, False),
        ("Blob Wheel", {"trade": 0, "trade_row": ["Ram", "Battle Blob"]}, True),
        ("Blob Wheel", {"trade": 6, "trade_row": ["Ram", "Battle Blob"]}, False),
    ],
)
def test_scrap_for_benefit_rules(card: str, state: dict[str, Any], scrapped: bool) -> None:
    buy = [{"card": "Ram", "score": 25}, {"card": "Battle Blob", "score": 50}]
    rule_player = rule_player_of(scrapForBenefitRules=FOR_BENEFIT, buyRules=buy)
    done = does(rule_player, state_of(in_play=[piece(card, used=True)], **state), f"scrap {card}")
    assert (done == [f"scrap {card}"]) is scrapped


def test_use_base_rules() -> None:
    """The Recycling Station is used first, then the Machine Base, and the Blob World comes last."""
    bases = ["Blob World", "The Hive", "Machine Base", "Recycling Station"]
    able = [f"use-base {base}" for base in bases]
    done = does(rule_player_of(useBaseRules=USE_BASE), state_of(in_play=bases), *able)
    assert done == [f"use-base {base}" for base in (bases[3], bases[2], bases[1], bases[0])]
    unused = rule_player_of(useBaseRules=[{"card": "*", "score": 0}])
    assert does(unused, state_of(in_play=bases), *able) == ["end-turn"]


def test_play_rules() -> None:
    """The Station comes first and is used at once, the Patrol Mech uses its ally ability, and
    the starting cards come last.
    """
    rule_player = rule_player_of(playRules=PLAY)
    hand = [
        *["Viper", "Scout", "Explorer", "Stealth Needle", "Ram", "Patrol Mech", "Supply Bot"],
        "Recycling Station",
    ]
    done = []
    in_play: list[dict[str, Any]] = []
    while hand:
        able = [f"use-ally {p['card']}" for p in in_play if p["card"] == "Patrol Mech"]
        able += [f"use-base {p['card']}" for p in in_play if not p["used"]]
        (what,) = does(rule_player, state_of(hand=hand, in_play=in_play), *able)
        done.append(what)
        action, _, card = what.partition(" ")
        if action == "play":
            hand.remove(card)
            in_play.append(piece(card, used=card != "Recycling Station"))
        elif action == "use-base":
            in_play[-1]["used"] = True
        else:
            in_play[-1]["ally_used"] = True
    assert done == [
        *["play Recycling Station", "use-base Recycling Station", "play Supply Bot"],
        *["play Patrol Mech", "use-ally Patrol Mech", "play Ram", "play Stealth Needle"],
        *["play Explorer", "play Scout", "play Viper"],
    ]


@pytest.mark.parametrize(
    ("card", "state", "option"),
    [
        ("Blob World", {"played": ["Ram", "Ram"]}, 2),
        ("Blob World", {"played": ["Ram"]}, 1),
        ("Blob World", {"played": ["Ram", "Ram"], "opponent": {"authority": 5}}, 1),
        ("Patrol Mech", {"shuffles": 2}, 2),
        ("Patrol Mech", {"shuffles": 1}, 1),
        ("Patrol Mech", {"opponent": {"authority": 29}}, 2),
        ("Recycling Station", {}, 2),
        ("Trading Post", {}, 1),  # not listed in the rules, so it takes the first option
    ],
)
def test_make_choice_rules(card: str, state: dict[str, Any], option: int) -> None:
    rule_player = rule_player_of(makeChoiceRules=CHOICE)
    assert picks(rule_player, "option", card, [1, 2], state_of(**state), least=1) == [option - 1]


@pytest.mark.parametrize(
    ("state", "bought"),
    [
        ({}, "Cutter"),  # Cutter 9, Frigate 3 (because of the Station), Station 2
        # All score 5, so the oldest card in the row wins.
        ({"shuffles": 2, "trade": 3}, "Imperial Frigate"),
        ({"shuffles": 3}, "Imperial Frigate"),  # Frigate 7, Station 4, Cutter 2
    ],
)
def test_buy_rules_by_card_info(state: dict[str, Any], bought: str) -> None:
    row = ["Imperial Frigate", "Recycling Station", "Cutter"]
    rule_player = rule_player_of(buyRules=BUY_BY_INFO, cardInfo=INFO)
    assert does(rule_player, state_of(**{"trade": 4, "trade_row": row, **state})) == [
        f"buy {bought}"
    ]


@pytest.mark.parametrize(
    ("state", "score"),
    [
        ({}, 2),
        ({"trade_row": ["Imperial Frigate", "Recycling Station", "Ram"]}, 3),
        ({"hand": [], "discard": ["Corvette"]}, 4),
        ({"discard": ["Imperial Frigate"]}, 4),  # The average of the deck is 5.
        ({"opponent": {"discard": ["Blob Wheel"]}}, 5),
    ],
)
def test_card_info_of_a_card(state: dict[str, Any], score: int) -> None:
    """Find the card's score by comparing it with a Ram that scores half a point more or less."""
    row = ["Imperial Frigate", "Ram"]
    for ram, bought in ((score + 0.5, "Ram"), (score - 0.5, "Imperial Frigate")):
        rules = [{"card": "Ram", "score": ram}, *BUY_BY_INFO]
        rule_player = rule_player_of(buyRules=rules, cardInfo=INFO)
        assert does(rule_player, state_of(**{"trade": 3, "trade_row": row, **state})) == [
            f"buy {bought}"
        ]


# --- other sets -------------------------------------------------------------------------------


def test_attacks_go_by_cost_and_outposts_first() -> None:
    bases = ["Trading Post", "Royal Redoubt", "Space Station", "Blob World"]
    state = state_of(combat=11, opponent={"bases": bases, "authority": 30})
    # The Redoubt takes 6 and the Space Station 4, which leaves 1 of 11. The Trading Post is an
    # outpost with a defense of 4, and while it stands nothing else can be attacked.
    assert does(rule_player_of(), state) == [
        *["attack-base Royal Redoubt", "attack-base Space Station", "end-turn"]
    ]
    reached = state_of(combat=22, opponent={"bases": bases, "authority": 30})
    assert does(rule_player_of(), reached) == [
        *["attack-base Royal Redoubt", "attack-base Space Station", "attack-base Trading Post"],
        *["attack-base Blob World", "attack-player", "end-turn"],
    ]
    enough = state_of(combat=22, opponent={"bases": bases, "authority": 8})
    assert does(rule_player_of(), enough)[3:] == ["attack-player", "end-turn"]


def test_an_outpost_of_score_0_is_left_and_ends_the_attack() -> None:
    rule_player = rule_player_of(attackBaseRules=[{"card": "Junkyard", "score": 0}])
    state = state_of(combat=20, opponent={"bases": ["Junkyard", "Blob Wheel"]})
    assert does(rule_player, state) == ["end-turn"]
    base = rule_player_of(attackBaseRules=[{"card": "base", "score": 0}])
    assert does(base, state_of(combat=20, opponent={"bases": ["Blob Wheel"]})) == [
        *["attack-player", "end-turn"]
    ]


@pytest.mark.parametrize(
    ("kind", "rules", "default"),
    [
        ("destroy-base", "destroyBaseRules", [1]),
        ("copy-ship", "copyShipRules", [1]),
        ("gain-ship", "cardToTopOfDeckRules", [1]),
        ("scrap-trade-row", "scrapTradeRowRules", []),
    ],
)
def test_questions_with_one_pick(kind: str, rules: str, default: list[int]) -> None:
    """By default the dearest card is picked, but none from the trade row. Rules can change that."""
    cards = ["Blob Wheel", "Fleet HQ"] if kind == "destroy-base" else ["Ram", "Battle Blob"]
    assert picks(rule_player_of(), kind, None, cards, state_of()) == default
    first = rule_player_of(**{rules: [{"card": cards[0], "score": 99}]})
    assert picks(first, kind, None, cards, state_of()) == [0]
    none = rule_player_of(**{rules: [{"card": "*", "score": 0}]})
    assert picks(none, kind, None, cards, state_of()) == []


def test_a_ship_goes_to_the_top_if_its_rule_says_so() -> None:
    state = state_of(trade=3, next_ship_to_top=True, trade_row=["Ram"])
    buy = [{"card": "*", "score": "card.cost"}]
    for score, to in ((1, "deck"), (0, "discard")):
        rule_player = rule_player_of(
            buyRules=buy, cardToTopOfDeckRules=[{"card": "Ram", "score": score}]
        )
        (bought,) = actions(rule_player, state)
        assert (bought.card, bought.to) == ("Ram", to)


# --- matchers, pairs, the order ---------------------------------------------------------------


def test_a_card_goes_by_its_name_then_outpost_base_ship_and_all() -> None:
    rules = [
        *[{"card": "*", "score": 1}, {"card": "ship", "score": 2}, {"card": "base", "score": 3}],
        *[{"card": "OUTPOST", "score": 4}, {"card": " ram", "rules": [{"turn": 99, "score": 5}]}],
    ]
    # The Ram's own entry takes precedence even though its rule doesn't match, so the Ram gets the
    # default score instead of the score for ships.
    row = ["Ram", "Cutter", "Blob Wheel", "Trading Post"]
    rule_player = rule_player_of(buyRules=rules)
    for card, row_now in (("Trading Post", row), ("Blob Wheel", row[:3]), ("Cutter", row[:2])):
        assert does(rule_player, state_of(turn=len(row_now), trade=3, trade_row=row_now)) == [
            f"buy {card}"
        ]
    assert does(rule_player, state_of(trade=3, trade_row=["Ram"])) == ["end-turn"]


def test_the_later_of_two_equal_matchers_counts() -> None:
    rules = [{"card": "Ram", "score": 9}, {"card": "RAM", "score": 0}]
    assert does(rule_player_of(buyRules=rules), state_of(trade=3, trade_row=["Ram"])) == [
        "end-turn"
    ]


@pytest.mark.parametrize(
    ("trade", "scores", "bought"),
    [
        # costs: Ram 3, Cutter 2, Corvette 2, Trade Bot 1
        (4, {"Ram": 10, "Cutter": 6, "Corvette": 5}, ["Cutter", "Corvette"]),
        # The two cheaper cards together are not worth more than the Ram.
        (4, {"Ram": 11, "Cutter": 6, "Corvette": 5}, ["Ram"]),
        # There's not enough trade for both cheaper cards.
        (3, {"Ram": 10, "Cutter": 6, "Corvette": 5}, ["Ram"]),
        (3, {"Ram": 6, "Cutter": 5, "Corvette": 4, "Trade Bot": 3}, ["Cutter", "Trade Bot"]),
        (4, {"Ram": 6, "Cutter": 5, "Corvette": 4, "Trade Bot": 3}, ["Cutter", "Corvette"]),
        (4, {"Ram": 10, "Explorer": 6}, ["Explorer", "Explorer"]),
    ],
)
def test_two_cards_that_are_worth_more_together(
    trade: int, scores: dict[str, int], bought: list[str]
) -> None:
    rules = [{"card": card, "score": score} for card, score in scores.items()]
    row = [card for card in scores if card != "Explorer"]
    state = state_of(trade=trade, trade_row=row, explorers=2)
    assert does(rule_player_of(buyRules=rules), state) == [f"buy {card}" for card in bought]


def test_one_explorer_alone_makes_no_pair() -> None:
    rules = [{"card": "Ram", "score": 10}, {"card": "Explorer", "score": 6}]
    state = state_of(trade=4, trade_row=["Ram"], explorers=1)
    assert does(rule_player_of(buyRules=rules), state) == ["buy Ram"]


def test_the_order_of_a_round() -> None:
    """In each round: scrapping for benefit, bases, hand, ally abilities, buying.

    Rounds are repeated until nothing is left to do, and then the attack follows.
    """
    rule_player = rule_player_of(
        scrapForBenefitRules=[{"card": "Ram", "score": 1}], buyRules=[{"card": "*", "score": 1}]
    )
    ships = [piece("Ram", used=True), piece("Cutter", used=True)]
    first = state_of(in_play=[*ships, "The Hive"], hand=["Scout"], trade=2)
    able = ["scrap Ram", "use-base The Hive", "use-ally Cutter"]
    assert does(rule_player, first, *able) == ["scrap Ram"]
    assert does(rule_player, first, *able[1:]) == ["use-base The Hive"]
    used = [*ships[1:], piece("The Hive", used=True)]
    assert does(rule_player, state_of(in_play=used, hand=["Scout"]), able[2]) == ["play Scout"]
    assert does(rule_player, state_of(in_play=used), able[2]) == ["use-ally Cutter"]
    bought = state_of(in_play=used, trade=2, trade_row=["Cutter"])
    assert does(rule_player, bought) == ["buy Cutter"]
    # Something was done in this round, so another one follows, and it plays a Ram drawn meanwhile.
    again = state_of(in_play=used, hand=["Ram"], combat=3)
    assert does(rule_player, again) == ["play Ram"]
    assert does(rule_player, state_of(in_play=used, combat=3)) == ["attack-player", "end-turn"]
