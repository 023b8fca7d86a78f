"""Rule files that play Dominion: the decisions of each rule set, ties, and unknown values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.bots.command import find_bot
from referee.conformance.case import load_cases
from referee.conformance.driver import ConformanceLimits
from referee.conformance.suite import Suite
from referee.conformance.verdict import Status
from referee.games import GAMES
from referee.games.dominion.rule_player import sight_of
from referee.games.dominion.rules.game import Dominion
from referee.games.dominion.vocabulary import VOCABULARY
from referee.logs import Kind, verify_record
from tests.support.helpers import ROOT
from tests.support.rule_files import Json, book_of, does, in_turn, said, under_attack

EXAMPLES = sorted((ROOT / "example_bots" / "dominion").glob("*.json"))
END = {"phase": "cleanup"}


def played(card: str, **parameters: Any) -> Json:
    return {"phase": "action", "card": card, "additional_parameters": parameters}


def bought(treasures: str, *cards: str) -> Json:
    return {"phase": "buy", "played_treasures": treasures.split(), "cards_to_buy": list(cards)}


def scores(**by_card: float) -> list[Json]:
    """Make rule entries from cards and scores. `any_` stands for `*`."""
    names = {"any_": "*"}
    return [{"card": names.get(card, card), "score": score} for card, score in by_card.items()]


SETS: dict[str, list[tuple[str, Json, Dominion, Json]]] = {
    "playRules": [
        ("what gives most actions", {}, in_turn("smithy cellar village"), played("village")),
        ("cellar before smithy", {}, in_turn("smithy cellar"), played("cellar", cards=[])),
        ("a tie: the first in hand", {}, in_turn("smithy moat militia"), played("smithy")),
        (
            "by rules",
            {"playRules": scores(moat=60)},
            in_turn("smithy moat village"),
            played("moat"),
        ),
        ("0 is no", {"playRules": scores(any_=0)}, in_turn("smithy village"), END),
        ("no action left", {}, in_turn("smithy", turn={"actions": 0}), END),
    ],
    "buyRules": [
        ("nothing by default", {}, in_turn("gold gold copper"), END),
        (
            "the best that can be paid, with all treasures",
            {"buyRules": scores(province=9, gold=8, silver=7)},
            in_turn("copper gold estate gold"),
            bought("copper gold gold", "gold"),
        ),
        (
            "buy after buy, with what is left",
            {"buyRules": scores(gold=8, silver=7, estate=1)},
            in_turn("gold gold gold", turn={"buys": 3, "money": 1}),
            bought("gold gold gold", "gold", "silver"),
        ),
        (
            "a pile that runs out",
            {"buyRules": scores(silver=7, estate=1)},
            in_turn("gold gold gold", turn={"buys": 3}, supply={"silver": 1}),
            bought("gold gold gold", "silver", "estate", "estate"),
        ),
        (
            "a tie: the first of the supply",
            {"buyRules": scores(smithy=3, militia=3, remodel=3)},
            in_turn("gold copper"),
            bought("gold copper", "militia"),
        ),
        (
            "what costs nothing",
            {"buyRules": scores(copper=1)},
            in_turn("estate"),
            bought("", "copper"),
        ),
        ("once a turn", {"buyRules": scores(any_=1)}, in_turn("gold", turn={"buys": 0}), END),
    ],
    "discardRules": [
        (
            "a cellar: victory cards and curses",
            {},
            in_turn("copper estate cellar curse gold duchy province"),
            played("cellar", cards=["estate", "curse", "duchy", "province"]),
        ),
        (
            "a cellar by rules: from 20 on, highest first; one cellar stays for the other",
            {"discardRules": scores(copper=20, silver=19.9, cellar=50, gold=30)},
            in_turn("copper silver cellar gold cellar copper"),
            played("cellar", cards=["cellar", "gold", "copper", "copper"]),
        ),
        (
            "a militia: by default what is no use, then what is cheap",
            {},
            under_attack("gold copper smithy duchy silver"),
            {"discard": ["duchy", "copper"]},
        ),
        (
            "a militia by rules, however low",
            {"discardRules": scores(gold=-1, any_=-2)},
            under_attack("silver gold copper smithy"),
            {"discard": ["gold"]},
        ),
        (
            "a tie: the first in hand",
            {"discardRules": scores(any_=3)},
            under_attack("silver gold copper smithy village estate"),
            {"discard": ["silver", "gold", "copper"]},
        ),
    ],
    "trashRules": [
        (
            "a remodel: a curse first",
            {"gainRules": scores(copper=1)},
            in_turn("estate remodel curse copper"),
            played("remodel", card_to_trash="curse", desired_card="copper"),
        ),
        (
            "a remodel: by default an estate before what is cheap",
            {"gainRules": scores(silver=1)},
            in_turn("copper gold remodel estate"),
            played("remodel", card_to_trash="estate", desired_card="silver"),
        ),
        (
            "a remodel by rules",
            {"trashRules": scores(gold=50), "gainRules": scores(province=1)},
            in_turn("estate remodel gold"),
            played("remodel", card_to_trash="gold", desired_card="province"),
        ),
        (
            "a remodel may trash another",
            {"trashRules": scores(remodel=50, any_=0), "gainRules": scores(gold=1)},
            in_turn("estate remodel copper remodel"),
            played("remodel", card_to_trash="remodel", desired_card="gold"),
        ),
        (
            "not itself",
            {"trashRules": scores(remodel=50, any_=0), "gainRules": scores(gold=1)},
            in_turn("estate remodel copper"),
            END,
        ),
        (
            "0 is no",
            {"trashRules": scores(any_=0), "gainRules": scores(any_=1)},
            in_turn("estate remodel gold"),
            END,
        ),
        (
            "a mine: by default the cheapest treasure",
            {"gainRules": scores(gold=2, silver=1)},
            in_turn("silver mine copper estate"),
            played("mine", card_to_trash="copper", desired_card="silver"),
        ),
        (
            "a mine by rules",
            {"trashRules": scores(silver=30), "gainRules": scores(gold=2, silver=1)},
            in_turn("copper mine silver"),
            played("mine", card_to_trash="silver", desired_card="gold"),
        ),
        (
            "the best for which there is something",
            {"gainRules": scores(gold=2)},
            in_turn("copper mine silver"),
            played("mine", card_to_trash="silver", desired_card="gold"),
        ),
        (
            "a mine takes no other card",
            {"trashRules": scores(estate=50, any_=0), "gainRules": scores(any_=1)},
            in_turn("copper estate mine"),
            END,
        ),
    ],
    "gainRules": [
        (
            "a workshop: by default what is best to buy",
            {"buyRules": scores(gold=9, silver=3, smithy=5)},
            in_turn("workshop"),
            played("workshop", desired_card="smithy"),
        ),
        (
            "by rules, above what is best to buy",
            {"buyRules": scores(silver=3), "gainRules": scores(moat=4)},
            in_turn("workshop"),
            played("workshop", desired_card="moat"),
        ),
        (
            "its pile is empty",
            {"gainRules": scores(moat=4, estate=1)},
            in_turn("workshop", supply={"moat": 0}),
            played("workshop", desired_card="estate"),
        ),
        (
            "a tie: the first of the supply",
            {"gainRules": scores(workshop=4, cellar=4, village=4)},
            in_turn("workshop"),
            played("workshop", desired_card="cellar"),
        ),
        ("a workshop that finds nothing", {}, in_turn("workshop"), END),
        ("a remodel that finds nothing", {}, in_turn("remodel estate"), END),
        ("a mine that finds nothing", {}, in_turn("mine copper"), END),
        ("a mine without a treasure", {"gainRules": scores(any_=1)}, in_turn("mine"), END),
        (
            "what finds nothing leaves the action to the next card",
            {"playRules": scores(workshop=9, mine=8, smithy=1)},
            in_turn("mine workshop smithy"),
            played("smithy"),
        ),
        (
            "a mine gains treasures alone",
            {"gainRules": scores(smithy=9, silver=1)},
            in_turn("mine copper"),
            played("mine", card_to_trash="copper", desired_card="silver"),
        ),
    ],
    "topDiscardRules": [
        ("none named by default", {}, in_turn("estate", in_play=["smithy"]), END),
        (
            "by rules, of the hand",
            {"topDiscardRules": scores(gold=2, smithy=1)},
            in_turn("estate gold", in_play=["smithy"]),
            {**END, "top_discard": "gold"},
        ),
        (
            "by rules, of what was played",
            {"topDiscardRules": scores(gold=1, smithy=2)},
            in_turn("estate gold", in_play=["smithy"]),
            {**END, "top_discard": "smithy"},
        ),
        (
            "a tie: the hand before what was played",
            {"topDiscardRules": scores(any_=1)},
            in_turn("estate gold", in_play=["smithy"]),
            {**END, "top_discard": "estate"},
        ),
    ],
    "revealRules": [
        ("by default", {}, under_attack("gold copper moat duchy"), {"reaction": "moat"}),
        (
            "by rules",
            {"revealRules": [{"card": "moat", "rules": [{"hand.size": "< 5", "score": 0}]}]},
            under_attack("gold copper moat duchy"),
            {"discard": ["duchy"]},
        ),
        ("no moat in hand", {}, under_attack("gold copper silver duchy"), {"discard": ["duchy"]}),
    ],
}
ROWS = [pytest.param(*row[1:], id=f"{name}: {row[0]}") for name in SETS for row in SETS[name]]


@pytest.mark.parametrize(("fields", "game", "reply"), ROWS)
def test_a_set_of_rules(fields: Json, game: Dominion, reply: Json) -> None:
    found = said(book_of(**fields), game)
    if reply.get("phase") == "action":
        reply = {"additional_parameters": {}, **reply}
    assert found == reply


def test_no_set_is_missing() -> None:
    assert set(SETS) == set(VOCABULARY.sets)


@pytest.mark.parametrize(
    ("card", "fits"),
    [
        ("silver", ["silver", "treasure", "*"]),
        ("smithy", ["smithy", "action", "*"]),
        ("estate", ["estate", "victory", "*"]),
        ("curse", ["curse", "*"]),
    ],
)
def test_a_card_goes_by_the_first_matcher_that_fits(card: str, fits: list[str]) -> None:
    """The card's name takes precedence over its type, and its type over `*`, in any file order."""
    everything = ["*", "victory", "treasure", "action", card]
    game = in_turn("gold gold", supply={"copper": 0})
    left = [matcher for matcher in everything if matcher not in fits]
    for matcher in reversed(fits):
        left.append(matcher)
        rules = [
            {"card": each, "rules": [{"card.cost": -1, "score": 1}]}
            if each != matcher
            else {"card": each, "score": 5}
            for each in left
        ]
        assert book_of(buyRules=rules).decide(_sight(game)).score("buyRules", card) == 5


def _sight(game: Dominion) -> Any:
    return sight_of(game.view(0))


def test_a_turn_goes_on_until_its_clean_up() -> None:
    """It plays its actions, buys once and ends. The treasure gained by the mine is spent, too."""
    book = book_of(buyRules=scores(gold=3, silver=2, estate=1))
    game = in_turn("village mine copper gold", deck=["silver"])
    replies = []
    for _ in range(4):
        reply = said(book, game)
        replies.append(reply)
        does(game, type="play-reply", **reply)
    assert replies == [
        played("village"),
        played("mine", card_to_trash="copper", desired_card="silver"),
        bought("gold silver silver", "gold"),
        END,
    ]


# --- the example files ----------------------------------------------------------------------------


def test_there_are_example_files() -> None:
    assert {path.stem for path in EXAMPLES} >= {"big_money", "engine", "smithy", "watcher"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
async def test_an_example_file_conforms(path: Path) -> None:
    definition = GAMES["dominion"]
    cases = [case for case in load_cases(definition).cases if case.basic]
    suite = Suite(
        cases, find_bot(str(path), "dominion"), definition, seed=1, limits=ConformanceLimits()
    )
    report = await suite.run(strict=True)
    fine = (Status.PASSED, Status.SKIPPED)
    assert [each.id for each in report.cases if each.status not in fine] == []


def _faultless(bots: Sequence[Path], record: Path) -> referee.MatchResult:
    result = referee.play_match(list(bots), seed=1, record=record)
    assert [player.faults for player in result.players] == [{}] * len(bots)
    return result


def test_example_files_play_without_faults_and_their_records_verify(tmp_path: Path) -> None:
    record = tmp_path / "match.record"
    _faultless(EXAMPLES[:4], record)
    assert verify_record(str(record)).kind is Kind.VALID
