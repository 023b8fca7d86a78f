"""The table: cards, supply, turn order, random discards (protocol-v1, 4 and 7)."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from itertools import permutations
from typing import Any

import pytest

from referee.games.dominion import RULES
from referee.games.dominion.rules import cards
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.player import TurnState
from referee.games.dominion.rules.supply import Supply
from referee.games.dominion.rules.table import Table
from referee.games.interface.random_source import SeededRandomSource
from referee.games.interface.sentence import Card
from referee.games.interface.table import Moved
from tests.support.helpers import (
    COST,
    KINGDOM,
    PILES,
    POINTS,
    ROOT,
    WORTH,
    Imposed,
    answer,
    decoded,
    full_supply,
    new_setup,
    to_line,
)


def test_the_cards() -> None:
    """Every match has the cards of version 1. Others need an option, and have a later section."""
    assert list(cards.KINGDOM) == sorted(cards.KINGDOM)
    assert list(cards.kingdom_of(Options())) == KINGDOM
    assert [card for card, data in cards.CARDS.items() if not data.option] == PILES
    assert {card: cards.COST[card] for card in PILES} == COST
    assert cards.WORTH == WORTH
    assert cards.POINTS == POINTS
    for card in PILES:
        data = cards.CARDS[card]
        assert data.cost == COST[card]
        assert data.worth == WORTH.get(card, 0)
        assert data.points == POINTS.get(card, 0)
        assert data.action == (card in KINGDOM)


def test_what_the_action_cards_give_is_the_table_of_the_protocol() -> None:
    text = (ROOT / "spec" / "protocol-v1.md").read_text()
    rows = re.findall(r"^\| (6\.\d+) \| (\w+) \| (\d) \| (.*?) \|", text, re.MULTILINE)
    assert {name: section for section, name, _, _ in rows} == {
        card: cards.CARDS[card].section for card in cards.KINGDOM
    }
    for _, name, cost, effect in rows:
        given = Counter({what: int(n) for n, what in re.findall(r"\+(\d) (\w+?)s?\b", effect)})
        data = cards.CARDS[name]
        assert data.cost == int(cost)
        assert (data.cards, data.actions) == (given["card"], given["action"])
        assert (data.buys, data.money) == (given["buy"], given["money"])


def test_the_limits_of_cards() -> None:
    """Workshop, mine, remodel and militia (protocol-v1, 6.3, 6.4, 6.6, 6.10)."""
    limits = {name: (data.gains, data.raises, data.leaves) for name, data in cards.CARDS.items()}
    assert {name: limit for name, limit in limits.items() if any(limit)} == {
        "militia": (0, 0, 3),
        "mine": (0, 3, 0),
        "remodel": (0, 2, 0),
        "workshop": (4, 0, 0),
    }


def test_the_rules_entry() -> None:
    assert (RULES.name, RULES.protocol) == ("dominion", 1)
    assert list(RULES.reasons) == ["provinces-empty", "piles-empty"]


@pytest.mark.slow
def test_what_a_match_does_not_need_is_loaded_when_it_is_used() -> None:
    program = (
        "import sys, referee.games; loaded = set(sys.modules);"
        "rules = referee.games.GAMES['dominion'];"
        "rules.checker(['A', 'B']), rules.turns(['A', 'B']), rules.turn, rules.probes();"
        "print(*sorted(set(sys.modules) - loaded))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    late = {name.removeprefix("referee.games.dominion.") for name in done.stdout.split()}
    assert late >= {"probes", "turns", "validation.checker"}, done.stderr


@pytest.mark.parametrize("players", [2, 3, 4])
def test_supply(players: int) -> None:
    supply = Supply(players, KINGDOM)
    assert supply.counts == full_supply(players)
    assert list(supply.counts) == PILES
    assert supply.empty_piles == 0
    shown = [(pile.card, pile.count) for pile in supply.info.cards]
    assert shown == list(full_supply(players).items())


@pytest.mark.parametrize("card", PILES)
def test_taking_a_pile_to_its_end(card: str) -> None:
    supply = Supply(2, KINGDOM)
    count = supply.counts[card]
    before = supply.info
    infos = []
    for _ in range(count):
        assert supply.empty_piles == 0
        supply.take(card)
        infos.append(supply.info)
    assert supply.empty_piles == 1
    assert supply.counts == full_supply(2) | {card: 0}
    place = PILES.index(card)
    assert [info.cards[place].count for info in infos] == list(range(count))[::-1]
    assert before.cards[place].count == count
    for info in infos:
        others = {pile.card: pile.count for pile in info.cards if pile.card != card}
        assert others == {other: left for other, left in full_supply(2).items() if other != card}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_turn_order_from_the_left(players: int) -> None:
    table = Table(SeededRandomSource(1), players, KINGDOM)
    for seat in range(players):
        others = [other.seat for other in table.others(table.players[seat])]
        assert others == [(seat + step) % players for step in range(1, players)]
    table.players[1].left = True
    for seat in range(players):
        others = [other.seat for other in table.others(table.players[seat])]
        assert others == [
            (seat + step) % players for step in range(1, players) if (seat + step) % players != 1
        ]


def test_random_discards_are_fair() -> None:
    tables = 1500
    seen: Counter[tuple[str, ...]] = Counter()
    for seed in range(tables):
        table = Table(SeededRandomSource(seed), 2, KINGDOM)
        player = table.players[0]
        player.hand = list("abcde")
        taken = table.take_at_random(player, 2)
        assert sorted(taken + player.hand) == list("abcde")
        assert player.hand == sorted(player.hand)
        seen[tuple(taken)] += 1
    expected = tables / 20
    distance = sum((seen[pair] - expected) ** 2 / expected for pair in permutations("abcde", 2))
    assert sum(seen.values()) == tables
    assert distance < 70  # With 19 degrees of freedom, this fails less than once in a million.


def test_random_discards_go_on_from_where_the_stream_stands() -> None:
    orders = set()
    table = Table(SeededRandomSource(3), 2, KINGDOM)
    player = table.players[0]
    for _ in range(40):
        player.hand = list("abcde")
        orders.add(tuple(table.take_at_random(player, 2)))
    assert len(orders) > 10


def test_cards_and_points_follow_each_gain_and_trash() -> None:
    table = Table(SeededRandomSource(1), 2, KINGDOM)
    player = table.players[1]
    owned = Counter(copper=7, estate=3)
    for card in ("copper", "gold", "gold", "curse", "province", "province", "estate"):
        assert player.cards() == owned
        assert player.score() == sum(POINTS.get(each, 0) * n for each, n in owned.items())
        table.gain(player, card, to_hand=card == "gold")
        owned[card] += 1
    assert list(player.cards()) == ["curse", "copper", "gold", "estate", "province"]
    assert player.score() == -1 + 4 + 12
    assert player.hand[-2:] == ["gold", "gold"]
    assert player.discard_pile == ["copper", "curse", "province", "province", "estate"]
    player.hand.append("province")
    player.counted = None
    assert player.score() == -1 + 4 + 18
    table.trash(player, "province")
    assert player.score() == -1 + 4 + 12
    assert table.players[0].cards() == {"copper": 7, "estate": 3}


def test_what_a_player_has_seen_of_its_hand() -> None:
    """Cards that the referee discards stay unseen until the next request, but for the top (7.4)."""
    table = Table(SeededRandomSource(1), 2, KINGDOM)
    player = table.players[0]
    assert not player.is_shown
    assert player.shown_hand() == player.hand
    assert player.shown_hand() is not player.hand
    assert player.is_shown
    taken = table.take_at_random(player, 3)
    assert (player.is_shown, player.unseen) == (False, taken[:2])
    assert len(player.hand) == 2
    player.shown_hand()
    assert (player.is_shown, player.unseen) == (True, [])
    player.draw(0)
    assert (player.is_shown, len(player.hand)) == (False, 2)


def moves(moved: Moved) -> tuple[Any, Any, Any]:
    """Return what everybody, the player and the others know of a move."""
    return tuple(
        [(each.from_, each.to, each.card, each.count) for each in of]
        for of in (moved.whole, moved.own, moved.public)
    )  # type: ignore[return-value]


def test_who_sees_which_cards_move() -> None:
    """The others don't see drawn cards, and of discards only the top and cards in play (2.8)."""
    table = Table(SeededRandomSource(1), 2, KINGDOM)
    player = table.players[1]
    table.turn = TurnState(player, 2, 2, 3, bought=["estate"])
    told: list[Moved] = []
    table.watchers.append(told.extend)
    player.hand, player.in_play = ["copper", "silver", "moat", "moat"], ["gold"]

    gold = Card("gold")
    table.gain(player, "gold", money=7)
    for to_hand, to in ((True, "hand"), (False, "discard")):
        table.gain(player, "gold", to_hand=to_hand)
        assert moves(told[-1]) == ([("supply", to, "gold", 1)],) * 3
        assert (told[-1].did, told[-1].told) == (["gains ", gold], ["gains ", gold])
    assert moves(told[0]) == ([("supply", "discard", "gold", 1)],) * 3
    assert (told[0].did, told[0].told) == (["buys ", gold, " for 6 of 7"], ["gains ", gold])
    assert told[0].got == ["gold"]
    # 2 actions, one of 2 buys, 3 money and treasures for 1 + 2 + 3, less 2 for the estate.
    assert [each.counters for each in told] == [(2, 1, 7), (2, 1, 10), (2, 1, 10)]

    own = [("hand", "play", "moat", 1)]
    table.played(player, "moat")
    assert moves(told[-1]) == (own, own, [])
    assert (told[-1].did, told[-1].told) == (["plays ", Card("moat")], ())
    own = [("play", "hand", "moat", 1)]
    table.played(player, "moat", back=True)
    assert moves(told[-1]) == (own, own, [])
    assert (told[-1].did, told[-1].told) == (["takes back ", Card("moat")], ())
    table.trash(player, "copper")
    assert moves(told[-1]) == ([("hand", "trash", "copper", 1)],) * 3
    assert told[-1].did == told[-1].told == ["trashes ", Card("copper")]

    table.draw(player, 2)
    whole, own, public = moves(told[-1])
    assert [(from_, to) for from_, to, *_ in whole] == [("deck", "hand")] * len(whole)
    assert sorted(Counter({card: n for *_, card, n in whole}).elements()) == sorted(
        player.hand[-2:]
    )
    assert (own, public) == ([("deck", "hand", "", 2)], [])
    table.draw(player, 0)
    assert moves(told[-1]) == ([], [], [])

    table.discard(player, ["moat", "silver"])
    hidden, top = ("hand", "discard", "moat", 1), ("hand", "discard", "silver", 1)
    assert moves(told[-1]) == ([hidden, top], [top], [top])  # chosen by the referee
    assert told[-1].did == ()
    player.is_shown = True
    table.discard(player, ["moat", "silver"])
    assert moves(told[-1]) == ([hidden, top], [hidden, top], [top])
    assert told[-1].did == ["discards ", Card("moat"), ", ", Card("silver")]
    table.turn = TurnState(table.players[0])
    table.gain(player, "copper")
    assert told[-1].counters == ()


@pytest.mark.parametrize(
    ("cards", "public"),
    [
        (["moat", "gold"], [("play", "discard", "gold", 1)]),
        (["gold", "moat"], [("play", "discard", "gold", 1), ("hand", "discard", "moat", 1)]),
    ],
)
def test_the_others_see_the_cards_in_play_at_the_clean_up(
    cards: list[str], public: list[Any]
) -> None:
    table = Table(SeededRandomSource(1), 2, KINGDOM)
    told: list[Moved] = []
    table.watchers.append(told.extend)
    both = [("play", "discard", "gold", 1), ("hand", "discard", "moat", 1)]
    for is_shown in (False, True):
        table.players[0].is_shown = is_shown
        table.discard(table.players[0], cards, ["gold"])
        assert moves(told[-1]) == (both, both if is_shown else public, public)
        assert (told[-1].shows, told[-1].counters) == (["gold"], (0, 0, 0))
    table.discard(table.players[0], [])
    assert len(told) == 2


def test_treasures_and_a_card_that_goes_back_to_the_hand_are_moves() -> None:
    imposed = Imposed({"seats": {"player1": {"hand": ["mine", "copper"]}}})
    game = imposed.definition.new(new_setup(2))
    told: list[Moved] = []
    imposed.game.table.watchers.append(told.extend)
    for reply in (
        {"type": "play-reply", "phase": "action", "card": "mine"},
        {"type": "play-reply", "phase": "buy", "played_treasures": ["copper"]},
    ):
        answer(game, decoded(to_line(reply)))
    assert [moves(each)[1] for each in told] == [
        [("hand", "play", "mine", 1)],
        [("play", "hand", "mine", 1)],
        [("hand", "play", "copper", 1)],
    ]
