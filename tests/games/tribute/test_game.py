"""Invariants of whole Scripts of Tribute matches with random bots."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from referee.errors import UsageError
from referee.games.interface.faults import Disqualification
from referee.games.interface.game import ALL
from referee.games.tribute import RULES
from referee.games.tribute.rules.cards import PATRONS, card_set
from referee.games.tribute.rules.messages import EVENTS, FOLLOW_UPS
from referee.games.tribute.rules.table import Table
from referee.match.machine import Match
from referee.match.spec import match_spec, settings_words
from tests.games.tribute.tribute_matches import mostly_right, new_match, played, right, wrong
from tests.support.helpers import TIMES, Announced, name_line, shake_hands, to_line

Json = dict[str, Any]
SEEDS = st.integers(0, 2**53 - 1)
OPTIONS = st.fixed_dictionaries(
    {
        "cards": st.sampled_from(["2025-04", "2024-02", "2023-06", "2023-02"]),
        "chance": st.sampled_from(["streams", "engine"]),
        "max_turns": st.sampled_from([3, 12] if TIMES == 1 else [3, 60]),
        "max_actions": st.sampled_from([1, 5, 1000]),
    }
)


class Keeper:
    """Checks at each request that no card was lost and that the request shows the real state."""

    def __init__(self, choose: Any) -> None:
        self.match: Match | None = None
        self._choose = choose

    def __call__(self, dice: Random, request: Json) -> bytes:
        assert self.match is not None
        view: Any = self.match.view(ALL)
        if request["type"] != "patron-request":
            self.look(view, request)
        return self._choose(dice, request)  # type: ignore[no-any-return]

    def look(self, view: Any, request: Json) -> None:
        uids = [card.uid for card in [*view.row, *view.tavern_deck]]
        for seat in view.seats:
            piles = (seat.hand, seat.draw_pile, seat.cooldown, seat.played, seat.agents)
            uids += [card.uid for pile in piles for card in pile]
            assert min(seat.coins, seat.power, seat.prestige, seat.patron_calls) >= 0
            assert all(agent.hp > 0 for agent in seat.agents)
            both = [*seat.hand, *seat.draw_pile]
            assert Counter(seat.hand_and_draw) == Counter(both)
        assert len({*uids}) == len(uids)
        state, me = request["state"], view.seats[view.player]
        assert [card["uid"] for card in state["me"]["hand"]] == [card.uid for card in me.hand]
        known = [card["uid"] for card in state["me"]["known"]]
        assert known == [card.uid for card in me.draw_pile[: len(known)]]
        assert state["opponent"]["hand_size"] == len(view.seats[1 - view.player].hand)
        assert len(state["row"]) <= 5
        if request["type"] == "play-turn":
            actions = [tuple(action.values()) for action in request["actions"]]
            assert len({*actions}) == len(actions)
            assert actions[-1] == ("end-turn",)


@pytest.mark.untraced
@settings(max_examples=5 * TIMES)
@given(SEEDS, st.sampled_from([right, mostly_right, wrong]), OPTIONS)
def test_whatever_bots_do_no_card_is_there_twice(seed: int, choose: Any, options: Json) -> None:
    keeper = Keeper(choose)
    keeper.match = match = new_match(seed, **options)
    dice = Random(seed)
    match.start()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    told = Announced(match.take_entries())
    while match.due:
        (seat,) = match.due
        match.receive(seat, keeper(dice, told.requests[-1][1]))
        told = Announced(match.take_entries())
    assert told.public[-1]["type"] == "game-end"
    assert len(told.faults) == (told.public[-1]["reason"] in ("illegal-reply", "bad-patron"))
    if choose is right:
        assert told.faults == []


MATCHES = [
    {"seed": 16},
    {"seed": 9, "cards": "2023-02"},
    {"seed": 5},
    {"seed": 0},
]
"""These matches contain everything except `heal-agent`. Its card costs 9, so it's too rare.

A scenario covers it instead.
"""


@pytest.mark.slow
def test_the_bots_of_these_tests_go_through_all_that_can_happen() -> None:
    told: set[str] = set()
    for options in MATCHES:
        for message in Announced(played(choose=right, **options)[1]).public:
            told |= {message["type"], message.get("kind", ""), message.get("follow_up", "")}
    types = {f"{struct.__struct_config__.tag}" for struct in RULES.public}
    assert told >= {*EVENTS, *FOLLOW_UPS, *types} - {"heal-agent"}


@pytest.mark.slow
def test_the_bots_of_these_tests_make_every_mistake() -> None:
    faults: set[str] = set()
    for seed in range(60):
        for choose in (wrong, mostly_right):
            _, entries = played(seed, choose, max_turns=8)
            faults |= {code for _, code, _ in Announced(entries).codes()}
        if faults >= {*RULES.faults}:
            return
    raise AssertionError(faults)


# --- leaving and options --------------------------------------------------------------------------


def test_who_leaves_has_lost() -> None:
    """A player can leave in the draft, in a turn or before the game (8.3)."""
    for replies in (0, 4):
        match = new_match()
        told = shake_hands(match)
        for _ in range(replies):
            (seat,) = match.due
            match.receive(seat, right(Random(1), told.requests[-1][1]))
            told = Announced(match.take_entries())
        (seat,) = match.due
        match.disqualify(seat, Disqualification.TIMEOUT, "too late")
        assert match.outcome is not None
        assert match.outcome.reason == "last-player-standing"
        assert match.outcome.winners == (1 - seat,)


def test_who_is_not_there_at_the_start_has_lost() -> None:
    """The game ends right after `game-info` (14.2)."""
    match = new_match()
    match.start()
    match.take_entries()
    match.disqualify(0, Disqualification.EXITED, "gone")
    match.receive(1, name_line(1))
    told = Announced(match.take_entries()).public
    types = [message["type"] for message in told]
    assert types == [*["player-name"] * 2, "game-info", "player-disqualified", "game-end"]
    assert told[-1] == {
        "type": "game-end",
        "scores": [0, 0],
        "winners": ["player2"],
        "reason": "last-player-standing",
    }


def test_a_wrong_handshake_is_a_fault_and_the_bot_plays_on() -> None:
    match = new_match()
    match.start()
    match.receive(0, b"PLAYER")
    match.receive(1, name_line(1))
    told = Announced(match.take_entries())
    assert told.codes() == [(0, "bad-name-reply", "3.2")]
    assert match.due == (0,)
    match.receive(0, to_line({"type": "patron-reply", "patron": "ANSEI"}))
    assert match.due == (1,)


def test_patrons_are_given_as_text_or_as_a_list() -> None:
    patrons = ["HLAALU", "ANSEI", "PELIN", "RAJHIN"]
    for given_as in (",".join(patrons), patrons):
        spec = match_spec(["a", "b"], game="tribute", options={"patrons": given_as})
        assert spec.options.patrons == tuple(patrons)
        assert settings_words(spec) == ["--set", "patrons=HLAALU,ANSEI,PELIN,RAJHIN"]
    # A tuple as in a tournament, and a list as read from the store.
    for default in (PATRONS, [*PATRONS]):
        spec = match_spec(["a", "b"], game="tribute", options={"patrons": default})
        assert settings_words(spec) == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"patrons": "ANSEI,PELIN,RAJHIN"}, "4 patrons at least .* there are 3"),
        ({"patrons": "ANSEI,PELIN,RAJHIN,TREASURY"}, "no patron 'TREASURY'; there are: ANSEI, "),
        ({"patrons": "ANSEI,PELIN,RAJHIN,ANSEI,HLAALU"}, "the patron ANSEI is named twice"),
        (
            {"patrons": "PSIJIC,ORGNUM,SAINT_ALESSIA,ANSEI", "cards": "2023-06"},
            "of the card set 2023-06 there are 1",
        ),
        ({"max_turns": 0}, "option max_turns=0"),
        ({"max_turns": 10_001}, "option max_turns=10001"),
        ({"max_actions": 100_001}, "option max_actions=100001"),
        ({"cards": "2022"}, "option cards=2022: there are: 2025-04, 2024-02, 2023-06, 2023-02"),
        ({"chance": "luck"}, "option chance=luck: there are: streams, engine"),
    ],
)
def test_options_that_cannot_be(options: Json, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        match_spec(["a", "b"], game="tribute", options=options)


def test_a_card_set_offers_the_patrons_that_it_has() -> None:
    spec = match_spec(["a", "b"], game="tribute", options={"cards": "2023-06"})
    there = ("ANSEI", "DUKE_OF_CROWS", "RAJHIN", "HLAALU", "PELIN", "RED_EAGLE")
    assert spec.options.patrons == there
    # The record's header shows the same patrons.
    assert to_builtins(spec.settings)["patrons"] == there


def test_the_facts_at_the_end_count_all_cards_owned() -> None:
    match, _ = played(3, right, max_turns=20)
    for standing, seat in zip(match.standings(), match.view(ALL).seats, strict=True):  # type: ignore[union-attr]
        piles = (seat.hand, seat.draw_pile, seat.cooldown, seat.played, seat.agents)
        assert standing.facts.cards == Counter(c.card for pile in piles for c in pile)  # type: ignore[attr-defined]
        assert standing.turns in (10, 11)


def test_known_cards_of_the_tavern_deck_are_those_that_are_still_in_it() -> None:
    table = Table(card_set("2025-04"), {})
    table.deck = [table.new_card("GOLD")]
    table.put_on_bottom(table.new_card("GOLD"))
    known = []
    for _ in range(3):
        table.refill(0)
        known.append((len(table.deck), table.known_below))
    assert known == [(1, 1), (0, 0), (0, 0)]
