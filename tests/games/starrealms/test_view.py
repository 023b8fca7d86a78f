"""What a viewer may see of a game follows from what it was sent."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.interface.game import ALL, PUBLIC, Viewer
from referee.games.starrealms import RULES
from referee.games.starrealms.rules.view import View, state_of
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Match, Received, Sent
from tests.games.starrealms.star_matches import Choose, mixed, new_match, new_setup, right
from tests.support.forked import Forked
from tests.support.helpers import TIMES, Told, from_struct, name_line, shake_hands, to_line

SEEDS = st.integers(0, 2**53 - 1)
VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC)


def sights(seed: int, fork: int, choose: Choose) -> Iterator[dict[Viewer, tuple[int, Any, bytes]]]:
    """A match, reply by reply: for each viewer what it was sent and has replied, and its view.

    What a seat replies follows from that as well.
    """
    options = RULES.options(max_turns=12)
    match = Match(RULES, seats=2, seed=seed, options=options, chance=Forked(seed, fork))
    known: dict[Viewer, int] = dict.fromkeys(VIEWERS, 0)
    dice = [Random(f"{seed}/{seat}") for seat in (0, 1)]
    asked: dict[int, Any] = {}
    match.start()
    while True:
        for entry in match.take_entries():
            if isinstance(entry, Sent):
                if entry.to is not None:
                    asked[entry.to] = from_struct(entry.message)
                for viewer in known if entry.to is None else (entry.to,):
                    known[viewer] = hash((known[viewer], entry.line))
            elif isinstance(entry, Received):
                known[entry.seat] = hash((known[entry.seat], entry.line))
        if match.view(PUBLIC) is not None:
            whole = msgspec.json.encode(match.view(ALL))
            yield {
                viewer: (known[viewer], msgspec.json.encode(match.view(viewer)), whole)
                for viewer in known
            }
        if not match.due:
            return
        seat = match.due[0]
        if asked[seat]["type"] == "player-name-request":
            match.receive(seat, name_line(seat))
        else:
            match.receive(seat, choose(dice[seat], asked[seat]))


def hidden(seed: int, fork: int, choose: Choose = mixed) -> int:
    """Compare the views of two matches wherever a viewer cannot tell them apart.

    Returns:
        How often the matches themselves were different there.
    """
    seen: dict[tuple[Viewer, int], tuple[Any, bytes]] = {}
    for sight in sights(seed, 1_000_000, choose):
        for viewer, (known, view, whole) in sight.items():
            seen[viewer, known] = (view, whole)
    different = 0
    for sight in sights(seed, fork, choose):
        for viewer, (known, view, whole) in sight.items():
            if (viewer, known) in seen:
                assert seen[viewer, known][0] == view, viewer
                different += seen[viewer, known][1] != whole
    return different


@pytest.mark.untraced
@settings(max_examples=12 * TIMES)
@given(SEEDS, st.integers(0, 30), st.sampled_from([right, mixed]))
def test_a_view_follows_from_what_its_viewer_was_sent(seed: int, fork: int, choose: Choose) -> None:
    """Two matches with different hidden cards and the same lines so far look the same."""
    hidden(seed, fork, choose)


def test_matches_that_are_compared_are_different() -> None:
    assert sum(hidden(seed, 4) for seed in range(10)) > 100


def test_what_each_may_see() -> None:
    match = new_match()
    shake_hands(match)
    own, other, public, whole = (match.view(viewer) for viewer in (0, 1, PUBLIC, ALL))
    assert isinstance(own, View)
    assert isinstance(other, View)
    assert isinstance(public, View)
    assert isinstance(whole, View)
    assert (own.seats[0].hand, own.asked) == (["Scout", "Viper", "Scout"], 0)
    assert own.request == whole.request is not None
    assert own.seats[1].hand is None
    # It was not asked yet: nobody has told it what it holds.
    assert (other.seats[1].hand, other.seats[1].hand_size) == (None, 5)
    assert (other.asked, public.asked, public.request) == (None, None, None)
    assert public.seats[1].hidden == ["Scout"] * 8 + ["Viper"] * 2
    assert own.seats[0].deck == sorted(whole.seats[0].deck or [])
    assert whole.seats[1].hand == ["Scout", "Scout", "Viper", "Viper", "Scout"]


def test_a_view_does_not_change_with_the_game() -> None:
    match = new_match()
    shake_hands(match)
    views = [match.view(viewer) for viewer in (*VIEWERS, ALL)]
    before = [msgspec.json.encode(view) for view in views]
    match.receive(0, to_line({"type": "play-reply", "actions": [{"action": "end-turn"}]}))
    assert [msgspec.json.encode(view) for view in views] == before


@pytest.mark.parametrize("viewer", [*VIEWERS, ALL])
def test_a_view_is_json(viewer: Viewer) -> None:
    match = new_match()
    shake_hands(match)
    view = match.view(viewer)
    assert msgspec.json.decode(msgspec.json.encode(view), type=View) == view


def sent(seed: int, steps: int, *, swapped: bool) -> list[bytes]:
    """What the player is sent that is asked after so many replies, until something is uncovered.

    That is: a draw of its own, a change of the trade row, a turn of the other.

    Args:
        swapped: what it must not know is another way from there on: the order of its deck and the
            trade deck, and which of the other's cards are in its hand.
    """
    match = new_match(seed, max_turns=15)
    dice = Random(seed)
    request = shake_hands(match).requests[-1][1]
    for _ in range(steps):
        match.receive(match.due[0], right(dice, request))
        if not match.due:
            return []
        request = Told(match.take_entries()).requests[-1][1]
    (seat,) = match.due
    if swapped:
        game: Any = match._game
        other, table = game._turn.opponent, game._table
        cards = other.hand + other.deck
        for pile in (cards, table.players[seat].deck, table.trade_deck):
            Random(seed).shuffle(pile)
        other.hand, other.deck = cards[: len(other.hand)], cards[len(other.hand) :]
    lines: list[bytes] = []
    while match.due == (seat,):
        match.receive(seat, right(dice, request))
        for entry in match.take_entries():
            if isinstance(entry, Sent) and entry.to in (None, seat):
                message = from_struct(entry.message)
                lines.append(entry.line)
                if message["type"] in ("player-drew", "player-shuffled", "trade-row"):
                    return lines
                if message["type"] in ("play-turn", "choose"):
                    request = message
    return lines


def test_what_is_hidden_changes_no_line_until_it_is_uncovered() -> None:
    """4.9. The last line may tell what was uncovered: the card that came into the row."""
    lengths = []
    for seed in range(15):
        for steps in range(0, 60, 9):
            lines = sent(seed, steps, swapped=False)
            assert sent(seed, steps, swapped=True)[:-1] == lines[:-1]
            lengths.append(len(lines))
    assert sum(lengths) > 300


@pytest.mark.parametrize("seed", range(3))
def test_what_a_player_must_not_know_changes_nothing_that_it_is_sent(seed: int) -> None:
    """4.9: the order of its deck, and how the other's cards are parted in hand and deck."""
    game: Any = RULES.new(new_setup(seed, max_turns=15))
    dice = Random(seed)
    while game.requests:
        (request,) = game.requests
        table, turn = game._table, game._turn
        other = turn.opponent
        hidden = other.hand + other.deck
        kept = (turn.player.deck.copy(), other.hand, other.deck, table.trade_deck.copy())
        dice.shuffle(turn.player.deck)
        dice.shuffle(hidden)
        dice.shuffle(table.trade_deck)
        other.hand, other.deck = hidden[: len(other.hand)], hidden[len(other.hand) :]
        assert state_of(table, turn) == request.message.state
        turn.player.deck[:], other.hand, other.deck, table.trade_deck[:] = kept
        line = right(dice, from_struct(request.message))
        game.advance({request.seat: decode_reply(line, reply_decoder(RULES.replies))})
