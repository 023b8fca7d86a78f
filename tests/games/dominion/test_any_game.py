"""Invariants of Dominion games with arbitrary replies: no card is lost, and the game ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from referee.games.dominion import Dominion
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.messages import SupplyInfo
from referee.games.interface.faults import Disqualification, EndReason, Fault
from referee.games.interface.game import LEFT, Outcome
from referee.games.interface.seats import seat_id
from referee.match.machine import Match
from tests.support.helpers import (
    COST,
    PILES,
    POINTS,
    TIMES,
    Announced,
    Imposed,
    answer,
    asked,
    decoded,
    from_struct,
    full_supply,
    new_setup,
    shake_hands,
    to_line,
)
from tests.support.random_players import VALUES, doubtful, mixed, nonsense, right

Json = dict[str, Any]
Choose = Callable[[Random, Json, Mapping[str, int]], bytes]


class Spectator:
    """Tracks all cards from the public messages only, and checks each message on the way."""

    def __init__(self, players: int) -> None:
        self.supply = full_supply(players)
        self.numbers = [seat_id(seat) for seat in range(players)]
        self.owned = {number: Counter(copper=7, estate=3) for number in self.numbers}
        self.trashed: Counter[str] = Counter()
        self.gone: list[str] = []
        self.end: Json | None = None
        self._awaits_supply = False

    def watch(self, message: Json) -> None:
        assert self.end is None
        kind = message["type"]
        number = message.get("player_number", "")
        assert self._awaits_supply <= (kind == "supply-info")
        if kind == "supply-info":
            counts = {pile["card"]: pile["count"] for pile in message["cards"]}
            assert counts == self.supply
            assert list(counts) == PILES
            self._awaits_supply = False
        elif kind == "player-gained":
            self.supply[message["gained"]] -= 1
            assert self.supply[message["gained"]] >= 0
            self.owned[number][message["gained"]] += 1
            self._awaits_supply = True
        elif kind == "player-trashed":
            (card,) = message["trashed"]
            self.trashed[card] += 1
            self.owned[number][card] -= 1
        elif kind == "player-played":
            assert message["played"]
            assert Counter(message["played"]) <= self.owned[number]
        elif kind == "player-reveal":
            assert (message["from"], message["cards"]) == ("hand", ["moat"])
            assert self.owned[number]["moat"]
        elif kind == "player-top-discard":
            assert self.owned[number][message["card"]]
        elif kind == "player-disqualified":
            self.gone.append(number)
        elif kind == "game-end":
            self.end = message
        else:
            assert kind in ("player-shuffled", "player-name", "game-info")
        if number in self.owned:
            assert min(self.owned[number].values()) >= 0

    def check(self, game: Dominion) -> None:
        """Every card must be in exactly one place, which must be where the messages say."""
        supply = game.table.supply
        assert supply.counts == self.supply
        assert supply.empty_piles == list(self.supply.values()).count(0)
        for player in game.table.players:
            lying = Counter(player.deck + player.hand + player.in_play + player.discard_pile)
            assert lying == self.owned[player.number]

    def check_total(self) -> None:
        """Check that the supply, the players' cards and the trash still add up to the full game."""
        total = Counter(self.supply) + self.trashed
        for cards in self.owned.values():
            total += cards
        dealt = Counter(full_supply(len(self.numbers)))
        dealt += Counter(copper=7 * len(self.numbers), estate=3 * len(self.numbers))
        assert total == dealt

    def scores(self) -> list[int]:
        return [
            sum(POINTS.get(card, 0) * count for card, count in self.owned[number].items())
            for number in self.numbers
        ]


def play(
    seed: int, players: int, choose: Choose, *, max_turns: int, leaving: float = 0.0
) -> tuple[Match, Spectator, list[Fault]]:
    """Play a match with `choose` for all players, and check the whole game after each reply."""
    chance = Random(seed)
    imposed = Imposed({"dealt": True})
    match = Match(imposed.definition, seats=players, seed=seed, options=Options(max_turns))
    spectator = Spectator(players)
    faults = []
    told = shake_hands(match)
    replies = 0
    while True:
        for message in told.public:
            spectator.watch(message)
        spectator.check(imposed.game)
        faults += told.faults
        if not match.due:
            return match, spectator, faults
        ((number, request),) = told.requests
        player = imposed.game.table.players[match.due[0]]
        assert player.number == number
        assert not player.left
        check_request(request, player.hand, player.in_play, player.turns, max_turns)
        if chance.random() < leaving:
            match.disqualify(player.seat, Disqualification.TIMEOUT, "")
        else:
            match.receive(player.seat, choose(chance, request, spectator.supply))
        told = Announced(match.take_entries())
        assert len(told.faults) <= 1
        replies += 1
        assert replies < 100 * max_turns * players


def check_request(
    request: Json, hand: list[str], in_play: list[str], turns: int, max_turns: int
) -> None:
    assert 1 <= turns <= max_turns
    if request["type"] == "attack-request":
        assert request["options"] == hand
        assert request["discard"] == len(hand) - 3 > 0
        return
    assert request["hand"] == hand
    assert request["cards_played"] == in_play
    assert min(request["actions"], request["buys"], request["extra_money"]) >= 0
    assert Counter(request["cards_bought"]) <= Counter(request["cards_gained"])


def check_end(match: Match, spectator: Spectator, max_turns: int) -> None:
    outcome = match.outcome
    end = spectator.end
    assert outcome is not None
    assert end is not None
    spectator.check_total()
    assert end["scores"] == spectator.scores()
    for standing, owned in zip(match.standings(), spectator.owned.values(), strict=True):
        assert standing.facts.cards == {card: owned[card] for card in PILES if owned[card]}
    turns = [standing.turns for standing in match.standings()]
    left = [seat for seat in range(len(turns)) if seat_id(seat) not in spectator.gone]
    empty = list(spectator.supply.values()).count(0)
    if outcome.reason == EndReason.LAST_PLAYER_STANDING:
        assert list(outcome.winners) == left
        assert len(left) == 1
    else:
        best = max((end["scores"][seat], -turns[seat]) for seat in left)
        winners = [seat for seat in left if (end["scores"][seat], -turns[seat]) == best]
        assert list(outcome.winners) == winners
        if spectator.supply["province"] == 0:
            assert outcome.reason == "provinces-empty"
        elif empty >= 3:
            assert outcome.reason == "piles-empty"
        else:
            assert outcome.reason == "turn-limit"
            assert all(turns[seat] == max_turns for seat in left)
    assert end["winners"] == [seat_id(seat) for seat in outcome.winners]
    assert end["reason"] == outcome.reason


seeds = st.integers(0, 2**53 - 1)


@given(seed=seeds, players=st.integers(2, 4))
@settings(max_examples=5 * TIMES)
def test_right_replies(seed: int, players: int) -> None:
    match, spectator, faults = play(seed, players, right, max_turns=15)
    assert faults == []
    check_end(match, spectator, 15)


@given(
    seed=seeds,
    players=st.integers(2, 4),
    choose=st.sampled_from([mixed, doubtful, nonsense]),
    leaving=st.sampled_from([0.0, 0.0, 0.01, 0.2]),
)
@settings(max_examples=8 * TIMES)
def test_any_replies(seed: int, players: int, choose: Choose, leaving: float) -> None:
    match, spectator, _ = play(seed, players, choose, max_turns=12, leaving=leaving)
    check_end(match, spectator, 12)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_long_games(players: int) -> None:
    match, spectator, _ = play(1, players, mixed, max_turns=200)
    check_end(match, spectator, 200)
    assert match.outcome is not None
    assert match.outcome.reason in ("provinces-empty", "piles-empty")


cards = st.sampled_from(PILES)
values = st.sampled_from(VALUES) | cards
lists = st.lists(cards | values, max_size=6) | values
replies = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("play-reply"), "phase": st.just("action"), "card": cards | values},
        optional={
            "additional_parameters": st.fixed_dictionaries(
                {}, optional={"cards": lists, "card_to_trash": values, "desired_card": values}
            )
            | values
        },
    ),
    st.fixed_dictionaries(
        {"type": st.just("play-reply"), "phase": st.just("buy")},
        optional={"played_treasures": lists, "cards_to_buy": lists},
    ),
    st.fixed_dictionaries(
        {"type": st.just("play-reply"), "phase": st.just("cleanup")},
        optional={"top_discard": values},
    ),
    st.fixed_dictionaries({"type": st.just("attack-reply")}, optional={"discard": lists}),
    st.fixed_dictionaries(
        {"type": st.just("attack-reply-reaction")}, optional={"reaction": values}
    ),
    values,
)


@given(
    said=st.lists(replies, max_size=12),
    players=st.integers(2, 4),
    hands=st.lists(st.lists(cards, max_size=8), min_size=4, max_size=4),
    empty=st.lists(cards, max_size=2),
)
@settings(max_examples=10 * TIMES)
def test_any_replies_from_any_hands(
    said: list[Any], players: int, hands: list[list[str]], empty: list[str]
) -> None:
    seats = {f"player{seat + 1}": {"hand": hand} for seat, hand in enumerate(hands)}
    imposed = Imposed({"seats": seats, "supply": dict.fromkeys(empty, 0)})
    match = Match(imposed.definition, seats=players, seed=1, options=Options(3))
    told = shake_hands(match)

    def total() -> Counter[str]:
        table = imposed.game.table
        counted = Counter(table.supply.counts)
        for player in table.players:
            counted.update(player.deck + player.hand + player.in_play + player.discard_pile)
        return counted

    before = total()
    trashed: Counter[str] = Counter()
    for reply in said:
        if not match.due:
            break
        match.receive(match.due[0], to_line(reply))
        told = Announced(match.take_entries())
        trashed.update(m["trashed"][0] for m in told.public if m["type"] == "player-trashed")
        assert total() + trashed == before
        assert min(imposed.game.table.supply.counts.values()) >= 0
        assert len(told.faults) <= 1
    cleanup = to_line({"type": "play-reply", "phase": "cleanup"})
    for _ in range(3 * players + 3):
        if match.due:
            match.receive(match.due[0], cleanup)
    assert match.outcome is not None


# --- messages are snapshots -------------------------------------------------------------------


def state(game: Dominion) -> list[Any]:
    table = game.table
    piles = [[p.deck[:], p.hand[:], p.in_play[:], p.discard_pile[:]] for p in table.players]
    return [piles, dict(table.supply.counts)]


def spoil(message: Struct) -> None:
    """Overwrite every list in a message."""
    for field in message.__struct_fields__:
        value = getattr(message, field)
        if isinstance(value, list):
            value[:] = ["spoilt"]


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_spoiling_a_message_does_not_change_the_game(seed: int, players: int) -> None:
    game, twin = (Dominion(new_setup(players, seed=seed, max_turns=30)) for _ in range(2))
    chance = Random(seed)
    supply = full_supply(players)
    while game.requests:
        request = from_struct(asked(game).message)
        before = state(game)
        for message in [asked(game).message, *game.take_events()]:
            if isinstance(message, SupplyInfo):  # Its list is shared between messages for speed.
                supply = {pile.card: pile.count for pile in message.cards}
            elif not isinstance(message, Fault):
                spoil(message)
        twin.take_events()
        assert state(game) == before
        line = mixed(chance, request, supply)
        answer(game, decoded(line))
        answer(twin, decoded(line))
        assert state(game) == state(twin)
        assert [from_struct(request.message) for request in game.requests] == [
            from_struct(request.message) for request in twin.requests
        ]
    assert game.outcome == twin.outcome


# --- driving a game directly ------------------------------------------------------------------


def test_a_seat_that_was_lost_before_the_start_is_never_asked() -> None:
    game = Dominion(new_setup(3, absent=[1]))
    assert asked(game).seat == 0
    answer(game, decoded(b"?"))
    assert asked(game).seat == 2
    answer(game, decoded(b"?"))
    assert asked(game).seat == 0


@pytest.mark.parametrize("there", [[], [0], [1]])
def test_a_game_needs_two_to_begin(there: list[int]) -> None:
    game = Dominion(new_setup(2, absent={0, 1} - set(there)))
    assert not game.requests
    assert game.outcome is not None
    assert game.outcome.reason == ("last-player-standing" if there else "no-players")
    assert game.outcome.winners == tuple(there)


def test_all_but_one_can_leave() -> None:
    game = Dominion(new_setup(3))
    for seat in range(2):
        assert asked(game).seat == seat
        answer(game, LEFT)
    assert not game.requests
    assert game.outcome == Outcome("last-player-standing", (2, 2, 1))


def test_events_are_taken_once_and_in_order() -> None:
    game = Dominion(new_setup(2))
    assert [type(event).__name__ for event in game.take_events()] == ["GameInfo", "SupplyInfo"]
    assert game.take_events() == []
    answer(game, decoded(b"?"))
    kinds = [type(event).__name__ for event in game.take_events()]
    assert kinds == ["Fault", "PlayerTopDiscard"]
    assert game.take_events() == []


def test_the_costs_that_the_tests_know() -> None:
    assert sorted(COST) == sorted(PILES)
    assert len(PILES) == 17
