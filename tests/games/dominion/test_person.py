"""Playing Dominion as a person: every decision can be made, and no choice leads to a fault."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, compress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.dominion import Dominion
from referee.games.dominion.person import DominionDialogue, by_cost, does
from referee.games.dominion.rules.cards import CARDS
from referee.games.dominion.rules.game import begin_at
from referee.games.dominion.rules.messages import (
    AttackRequest,
    PlayerTopDiscard,
    PlayTurn,
    SupplyInfo,
)
from referee.games.dominion.turns import Turns, listed
from referee.games.interface.dialogue import Picks, Question
from tests.support.any_game import Course
from tests.support.helpers import (
    COST,
    PILES,
    TIMES,
    WORTH,
    Announced,
    answer,
    asked,
    decoded,
    from_struct,
    new_setup,
    to_line,
)
from tests.support.people import Choose, at_random, decide
from tests.support.public_logs import PublicLog
from tests.support.random_players import right

Json = dict[str, Any]


@settings(max_examples=5 * TIMES)
@given(st.integers(0, 2**32), st.integers(2, 4), st.booleans())
def test_one_line_is_told_of_each_turn_of_the_others(seed: int, seats: int, decides: bool) -> None:
    """Compare the one-line reports of opponents' turns with the turns that a record shows.

    A spectator knows for sure which cards were played, but can only guess which gains were bought,
    so bought and gained cards are compared together. The reports must also be right if the
    person's replies come from elsewhere (`decides` is False), as when a recorded match is resumed.
    """
    chance = Random(seed)
    names = [f"player{seat + 1}" for seat in range(seats)]
    game = Dominion(new_setup(seats, seed=seed, max_turns=10))
    player, turns = DominionDialogue(names, 0), Turns(names)
    supply: Mapping[str, int] = {}
    told: list[str] = []
    over = []
    while True:
        for event in game.take_events():
            if isinstance(event, SupplyInfo):
                supply = {pile.card: pile.count for pile in event.cards}
            told += player.observe(event)
            over += turns.read(event, None)
        if not game.requests:
            break
        request = asked(game)
        over += turns.read(request.message, request.seat)
        if request.seat == 0:
            told += player.observe(request.message)
        if request.seat == 0 and decides:
            reply = to_line(decide(player, request.message, at_random(chance)))
        else:
            reply = right(chance, from_struct(request.message), supply)
        answer(game, decoded(reply))
    told += player.end()
    over += turns.end()
    others = iter(turn for turn in over if turn.player_number != "player1")
    for line in told:
        who, played_something, what = line.partition(" played ")
        if not played_something:
            continue
        parts = what.rstrip(".").split("; ")
        for turn in others:
            if turn.player_number == who and bool(turn.played) == (parts[0] != "nothing"):
                break
            assert not turn.played  # A turn in which nothing was played may go unreported.
        else:
            pytest.fail(f"no such turn: {line}")
        played = [card for card in turn.played if card not in WORTH]
        treasures = sorted((c for c in turn.played if c in WORTH), key=WORTH.__getitem__)
        assert parts[0] == (listed(played + treasures) or "nothing")
        gained = [cards_of(part) for part in parts[1:] if not part.startswith("trashed")]
        assert sorted(chain.from_iterable(gained)) == sorted(turn.gained + turn.bought)
    assert not any(turn.played for turn in others)


def cards_of(part: str) -> list[str]:
    """Parse `bought 2 copper, silver` into the three cards."""
    cards = []
    for piece in part.partition(" ")[2].split(", "):
        count, _, card = piece.rpartition(" ")
        cards += [card] * int(count or 1) if card != "nothing" else []
    return cards


def test_a_turn_is_counted_for_its_player() -> None:
    course = Course("dominion", 1, max_turns=9)
    log = [message for entries in course.play() for message in Announced(entries).public]
    turns = PublicLog(course.definition).turns(Turns(course.names), log)
    counted: dict[str, list[int]] = {}
    for turn in turns:
        counted.setdefault(turn.player_number, []).append(turn.player_turn)
    assert len(turns) == course.match.turns
    assert all(numbers == [*range(1, len(numbers) + 1)] for numbers in counted.values())


# --- single decisions -------------------------------------------------------------------------


def begin(hand: list[str], *, supply: Json | None = None, turn: Json | None = None) -> Any:
    """Create a player with this hand at its first request."""
    state: Json = {"seats": {"player1": {"hand": hand, "deck": ["copper"] * 5}}}
    if supply is not None:
        state["supply"] = supply
    if turn is not None:
        state["turn"] = turn
    game = begin_at(new_setup(), state)
    player = DominionDialogue(["Ann", "Ben"], 0)
    for event in game.take_events():
        player.observe(event)
    request = asked(game).message
    player.observe(request)
    return player, request


def script(*names: str | tuple[str, ...]) -> Choose:
    """Return a chooser that picks these names in order. An empty name means Enter."""
    left = list(names)

    def choose(question: Question) -> Picks:
        wanted = left.pop(0)
        picks: list[int] = []
        for name in [wanted] if isinstance(wanted, str) else wanted:
            if name:
                picks.append(
                    next(
                        index
                        for index, choice in enumerate(question.choices)
                        if name in (choice.key, choice.name) and index not in picks
                    )
                )
        return tuple(picks)

    return choose


@pytest.mark.parametrize(
    ("hand", "choices", "reply"),
    [
        (["market", "copper"], ["market"], {"card": "market"}),
        (["market", "copper"], ["", "b", "market"], {"card": "market"}),
        (
            ["cellar", "estate", "copper", "estate"],
            ["cellar", ("estate", "estate")],
            {"card": "cellar", "additional_parameters": {"cards": ["estate", "estate"]}},
        ),
        (
            ["cellar", "estate"],
            ["cellar", ""],
            {"card": "cellar", "additional_parameters": {"cards": []}},
        ),
        (["cellar"], ["cellar"], {"card": "cellar"}),
        (
            ["mine", "copper", "estate"],
            ["mine", "copper", "silver"],
            {
                "card": "mine",
                "additional_parameters": {"card_to_trash": "copper", "desired_card": "silver"},
            },
        ),
        (
            ["remodel", "estate"],
            ["remodel", "b", "remodel", "estate", "b", "remodel", "estate", "militia"],
            {
                "card": "remodel",
                "additional_parameters": {"card_to_trash": "estate", "desired_card": "militia"},
            },
        ),
        (
            ["workshop"],
            ["workshop", "silver"],
            {"card": "workshop", "additional_parameters": {"desired_card": "silver"}},
        ),
    ],
)
def test_an_action(hand: list[str], choices: list[Any], reply: Json) -> None:
    player, request = begin(hand)
    expected = {"type": "play-reply", "phase": "action", **reply}
    assert decide(player, request, script(*choices)) == expected


@pytest.mark.parametrize(
    ("hand", "why"),
    [
        (["mine", "estate"], "mine needs a treasure in your hand to trash"),
        (["remodel"], "remodel needs another card in your hand to trash"),
    ],
)
def test_an_action_that_can_do_nothing_is_not_offered(hand: list[str], why: str) -> None:
    player, request = begin(hand)
    question = next(player.decide(request))
    assert [choice.name for choice in question.choices if not choice.barred] == []
    assert [remark.text for remark in question.remarks] == [why]
    assert decide(player, request, script("", ""))["phase"] == "buy"


def test_where_nothing_can_be_gained_the_card_is_only_trashed() -> None:
    """`desired_card` may be missing if the supply has no card that costs up to 2 more (6.6)."""
    cheap = {card: 0 for card in PILES if COST[card] <= 2}
    player, request = begin(["remodel", "copper"], supply=cheap)
    reply = decide(player, request, script("remodel", "copper"))
    assert reply["additional_parameters"] == {"card_to_trash": "copper"}


def test_all_treasures_are_played_and_several_cards_bought() -> None:
    player, request = begin(["gold", "silver", "copper", "estate"], turn={"buys": 2, "money": 2})
    reply = decide(player, request, script(("gold",), "b", ("market", "silver")))
    assert reply == {
        "type": "play-reply",
        "phase": "buy",
        "played_treasures": ["gold", "silver", "copper"],
        "cards_to_buy": ["market", "silver"],
    }


def test_what_cannot_be_bought_says_why() -> None:
    player, request = begin(["silver", "copper", "copper"], supply={"silver": 0, "moat": 1})
    question = next(player.decide(request))
    assert question.text == "What do you buy? (4 money, 1 buy)"
    why = {choice.name: choice.barred for choice in question.choices}
    assert why["gold"] == "costs 6, you have 4"
    assert why["silver"] == "has an empty pile"
    assert why["moat"] == why["smithy"] == ""
    assert "buy moat for 2" in [f"{choice.verb} {choice.thing}" for choice in question.choices]
    can = [not choice.barred for choice in question.choices if not choice.key]
    # Picking one of these ends the question, since there is only one buy.
    assert question.ends == [*compress(range(len(can)), can)]
    costs = [COST[choice.name] for choice in question.choices if not choice.key]
    assert costs == sorted(costs)  # Sorted by cost, so affordable cards come first.
    assert len(costs) == len(PILES)


def test_two_cards_at_once_must_be_affordable_and_there() -> None:
    player, request = begin(["gold", "gold"], supply={"moat": 1}, turn={"buys": 2})
    question = next(player.decide(request))
    silver, gold, moat = (by_cost(PILES).index(card) for card in ("silver", "gold", "moat"))
    assert question.check((silver, silver)) == ""
    assert question.check((silver, gold)) == "silver, gold cost 9 together, you have 6"
    assert question.check((moat, moat)) == "only 1 moat left"


@pytest.mark.parametrize(("coppers", "doubts"), [(1, False), (2, True), (5, True)])
def test_who_can_pay_an_action_is_asked_again_before_buying_nothing(
    coppers: int, doubts: bool
) -> None:
    player, request = begin(["copper"] * coppers)
    question = next(player.decide(request))
    said = f"You have {coppers} money left. Do you buy nothing more?"
    assert question.doubts.get(-1) == (said if doubts else None)


def test_nobody_is_asked_for_the_coppers_that_are_left() -> None:
    player, request = begin(["gold"], turn={"buys": 3})
    question = next(player.decide(request))
    ends = {by_cost(CARDS)[pick] for pick in question.ends}
    assert "silver" in ends
    # With 3 money left another question follows. A gold is too expensive.
    assert not ends & {"copper", "gold"}
    reply = decide(player, request, script("silver"))
    assert reply["cards_to_buy"] == ["silver"]


def test_the_top_discard_is_asked_for_where_it_was_wished() -> None:
    player, request = begin(["copper", "estate"])
    decide(player, request, script("t", ""))
    last = PlayTurn(0, 0, 0, ["estate"], ["copper"], [], [])
    player.observe(last)
    reply = decide(player, last, script("estate"))
    assert reply == {"type": "play-reply", "phase": "cleanup", "top_discard": "estate"}
    # In the next turn, the person isn't asked again.
    player.observe(request)
    decide(player, request, script(""))
    player.observe(last)
    assert decide(player, last, script()) == {"type": "play-reply", "phase": "cleanup"}


def test_what_others_discard_is_told_only_in_the_own_turn() -> None:
    player, _ = begin(["militia"])
    others = PlayerTopDiscard("player2", "copper")
    assert player.observe(others) == ["Ben discarded, copper on top."]
    player.observe(PlayerTopDiscard("player1", "militia"))  # the own turn is over
    assert player.observe(others) == []


def test_militia_and_moat() -> None:
    player, _ = begin(["copper"])
    request = AttackRequest(2, ["estate", "moat", "copper", "estate", "gold"])
    reply = decide(player, request, script(("estate", "estate")))
    assert reply == {"type": "attack-reply", "discard": ["estate", "estate"]}
    reply = decide(player, request, script(""))
    assert reply == {"type": "attack-reply-reaction", "reaction": "moat"}
    without = AttackRequest(2, ["estate", "copper", "copper", "estate", "gold"])
    assert next(player.decide(without)).enter == ""


@pytest.mark.parametrize("card", PILES)
def test_every_card_says_what_it_does(card: str) -> None:
    # It must fit next to the cost and count in a row of 80 columns.
    assert 0 < len(does(card)) <= 50
    assert "{" not in does(card)
