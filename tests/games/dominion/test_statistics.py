"""Statistics about the cards that a seat bought or gained, per match and over many matches."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.dominion import RULES
from referee.games.interface.capabilities import SeatFacts, Statistics, StatisticsTable
from referee.games.interface.faults import Disqualification
from referee.match.machine import Match
from tests.support.helpers import (
    TIMES,
    Announced,
    Imposed,
    begun,
    full_supply,
    new_match,
    play_out,
    shake_hands,
    to_line,
)
from tests.support.random_players import Json, mixed, right

CLEAN_UP = to_line({"type": "play-reply", "phase": "cleanup"})


def action(card: str, **parameters: Any) -> bytes:
    reply = {"type": "play-reply", "phase": "action", "card": card}
    return to_line(reply | {"additional_parameters": parameters})


def buy(treasures: list[str], *cards: str) -> bytes:
    reply = {"type": "play-reply", "phase": "buy", "played_treasures": treasures}
    return to_line(reply | {"cards_to_buy": cards})


def kept(match: Match) -> list[Json]:
    return [json.loads(facts) for facts in match.statistics()]


def imposed(*hand: str) -> Match:
    """Start a match in which player 1 has this hand."""
    seats = {"player1": {"hand": list(hand), "deck": ["copper"] * 5}}
    match = new_match(definition=Imposed({"seats": seats}).definition, max_turns=1)
    shake_hands(match)
    return match


def end(match: Match) -> None:
    while match.due:
        match.receive(match.due[0], CLEAN_UP)


# --- one match --------------------------------------------------------------------------------


def test_the_turn_is_the_players_own_and_that_of_the_first() -> None:
    match = begun(max_turns=3)
    for line in (
        *(CLEAN_UP, CLEAN_UP),
        *(buy([], "copper"), CLEAN_UP, CLEAN_UP),
        *(buy([], "copper"), CLEAN_UP, buy([], "curse"), CLEAN_UP),
    ):
        match.receive(match.due[0], line)
    assert match.outcome is not None
    assert kept(match) == [{"bought": {"copper": [2, 2]}}, {"bought": {"curse": [1, 3]}}]


def test_all_buys_of_a_turn_count() -> None:
    match = imposed("woodcutter", "gold", "gold", "estate", "estate")
    match.receive(0, action("woodcutter"))
    match.receive(0, buy(["gold", "gold"], "silver", "silver"))
    end(match)
    assert kept(match) == [{"bought": {"silver": [2, 1]}}, {}]


def test_what_could_not_be_bought_does_not_count() -> None:
    match = imposed("woodcutter", "gold", "estate", "estate", "estate")
    match.receive(0, action("woodcutter"))
    match.receive(0, buy(["gold"], "silver", "province"))
    end(match)
    assert match.faults[0] == {"cannot-buy": 1}
    assert kept(match)[0] == {"bought": {"silver": [1, 1]}}


@pytest.mark.parametrize(
    ("card", "parameters"),
    [
        ("workshop", {"desired_card": "silver"}),
        ("remodel", {"card_to_trash": "estate", "desired_card": "silver"}),
        ("mine", {"card_to_trash": "copper", "desired_card": "silver"}),
    ],
)
def test_what_an_action_gains_is_not_bought(card: str, parameters: Json) -> None:
    match = imposed(card, "estate", "copper", "copper", "gold")
    match.receive(0, action(card, **parameters))
    match.receive(0, buy(["gold"], "silver"))
    end(match)
    assert kept(match) == [{"bought": {"silver": [1, 1]}, "gained": {"silver": [1, 1]}}, {}]


def test_an_action_that_fails_gains_nothing() -> None:
    match = imposed("workshop", "copper", "copper", "copper", "copper")
    match.receive(0, action("workshop", desired_card="gold"))
    end(match)
    assert match.faults[0] == {"bad-parameters": 1}
    assert kept(match) == [{}, {}]


def test_who_leaves_in_the_middle_of_a_turn_keeps_what_it_has_bought() -> None:
    match = imposed("silver", "silver", "copper", "copper", "copper")
    match.receive(0, buy(["silver", "silver"], "smithy"))
    match.disqualify(0, Disqualification.TIMEOUT, "it is gone")
    assert match.outcome is not None
    assert match.outcome.reason == "last-player-standing"
    assert kept(match) == [{"bought": {"smithy": [1, 1]}}, {}]


@pytest.mark.parametrize("staying", [0, 1, 2])
def test_seats_that_never_play_have_nothing(staying: int) -> None:
    match = new_match(3, max_turns=1)
    match.start()
    for seat in range(3):
        if seat < staying:
            reply = {"type": "player-name-reply", "player_number": f"player{seat + 1}", "name": ""}
            match.receive(seat, to_line(reply))
        else:
            match.disqualify(seat, Disqualification.STARTUP_TIMEOUT, "it is gone")
    end(match)
    assert kept(match) == [{}, {}, {}]


@pytest.mark.untraced
@settings(max_examples=6 * TIMES)
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([right, mixed]))
def test_it_is_what_the_bots_and_the_spectators_were_told(
    seed: int, seats: int, choose: Any
) -> None:
    """The last request of a turn lists everything bought and gained so far (2.11)."""
    match = new_match(seats, seed=seed, max_turns=10)
    random = Random(seed)
    supply = full_supply(seats)
    told = Announced(play_out(match, lambda player, request: choose(random, request, supply)))
    turns: dict[str, list[Json]] = {f"player{seat + 1}": [] for seat in range(seats)}
    for player, request in told.requests:
        if request["type"] == "play-turn":
            is_first = (request["actions"], request["buys"], request["cards_played"]) == (1, 1, [])
            if is_first:
                turns[player].append(request)
            turns[player][-1] = request
    public = Counter(
        (message["player_number"], message["gained"])
        for message in told.public
        if message["type"] == "player-gained"
    )
    counts: Counter[tuple[str, str]] = Counter()
    for (player, requests), facts in zip(turns.items(), kept(match), strict=True):
        for how in ("bought", "gained"):
            for card, (count, first_turn) in facts.get(how, {}).items():
                by_turn = [_told(request, how).count(card) for request in requests]
                assert count == sum(by_turn)
                assert first_turn == 1 + next(n for n, times in enumerate(by_turn) if times)
                counts[player, card] += count
    assert counts == public


def _told(request: Json, how: str) -> list[str]:
    bought, gained = request["cards_bought"], request["cards_gained"]
    return bought if how == "bought" else list((Counter(gained) - Counter(bought)).elements())


# --- many matches -----------------------------------------------------------------------------


def statistics() -> Statistics:
    assert RULES.statistics is not None
    return RULES.statistics()


def seat(bot: str, points: float, **facts: dict[str, list[int]]) -> SeatFacts:
    return SeatFacts(bot, points, to_line(facts))


def rows(table: StatisticsTable) -> list[tuple[str | float | None, ...]]:
    return [tuple(row) for row in table.rows]


SEATS = [
    seat("Smith", 1.0, bought={"smithy": [1, 4], "silver": [3, 1]}),
    seat("Money", 0.0, bought={"silver": [6, 2]}),
    seat("Smith", 0.5, bought={"smithy": [2, 2], "silver": [5, 3]}, gained={"gold": [1, 9]}),
    seat("Money", 0.5, bought={"silver": [8, 1]}),
    seat("Smith", 0.0, bought={"silver": [4, 2]}),
    seat("Money", 1.0, bought={"silver": [4, 3], "province": [4, 9]}),
    seat("Smith", 0.0),
    seat("Idle", 0.0),
]


def test_the_tables() -> None:
    bought, gained = statistics().tables(SEATS)
    assert [*bought.columns] == [
        *("bot", "card", "matches", "share"),
        *("points with", "points without", "count", "own turn"),
    ]
    assert {*bought.percent} == {"share", "points with", "points without"}
    assert rows(bought) == [
        ("Money", "silver", 3, 1.0, 0.5, None, 6.0, 2.0),
        ("Money", "province", 1, 1 / 3, 1.0, 0.25, 4.0, 9.0),
        ("Smith", "silver", 3, 0.75, 0.5, 0.0, 4.0, 2.0),
        ("Smith", "smithy", 2, 0.5, 0.75, 0.0, 1.5, 3.0),
    ]
    assert gained.columns == bought.columns
    assert rows(gained) == [("Smith", "gold", 1, 0.25, 0.5, 1 / 3, 1.0, 9.0)]


@given(st.permutations(SEATS))
def test_the_order_of_the_matches_does_not_show(seats: list[SeatFacts]) -> None:
    def once() -> Iterator[SeatFacts]:
        yield from seats

    assert statistics().tables(once()) == statistics().tables(SEATS)


def test_without_matches_the_table_is_empty() -> None:
    (bought,) = statistics().tables([])
    assert rows(bought) == []


def test_cards_with_the_same_share_stand_in_the_order_of_the_supply() -> None:
    cards = {"workshop": [1, 1], "copper": [1, 1], "province": [1, 1], "cellar": [1, 1]}
    (bought,) = statistics().tables([seat("A", 1.0, bought=cards)])
    assert [row[1] for row in bought.rows] == ["copper", "province", "cellar", "workshop"]


def test_what_is_kept_of_a_match_can_be_tabled() -> None:
    match = imposed("workshop", "copper", "copper", "copper", "copper")
    match.receive(0, action("workshop", desired_card="smithy"))
    match.receive(0, buy(["copper"] * 3, "village"))
    end(match)
    seats = [SeatFacts("A", 1.0, match.statistics()[0]), SeatFacts("B", 0.0, match.statistics()[1])]
    bought, gained = statistics().tables(seats)
    assert rows(bought) == [("A", "village", 1, 1.0, 1.0, None, 1.0, 1.0)]
    assert rows(gained) == [("A", "smithy", 1, 1.0, 1.0, None, 1.0, 1.0)]
