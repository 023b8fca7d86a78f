"""What a player is sent, and what a viewer may see, follow from what it may know (4.9)."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from referee.games.interface.chance import SeededChance
from referee.games.interface.game import ALL, PUBLIC, Viewer
from referee.games.tribute import RULES
from referee.games.tribute.rules.view import View, request_of
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Match, Received, Sent
from tests.games.tribute.tribute_matches import new_match, new_setup, right
from tests.support.helpers import from_struct, name_line, shake_hands

VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC)


@pytest.mark.parametrize("seed", range(4))
def test_what_a_player_must_not_know_changes_nothing_that_it_is_sent(seed: int) -> None:
    """The order of draw piles and of the tavern deck, and how the other's cards are parted."""
    game: Any = RULES.new(new_setup(seed))
    dice = Random(seed)
    while game.requests:
        (request,) = game.requests
        table, asked = game._table, game._asked
        me, other = table.me, table.other
        # The cards of a toss lie on the draw pile, and are known.
        kept = me.draw_pile, other.hand, other.draw_pile, table.deck
        hidden, deck, unknown = other.hand + other.draw_pile, table.deck.copy(), me.draw_pile
        known, unknown = unknown[: me.known], unknown[me.known :]
        for pile in (hidden, deck, unknown):
            dice.shuffle(pile)
        size = len(other.hand)
        me.draw_pile, table.deck = known + unknown, deck
        other.hand, other.draw_pile = hidden[:size], hidden[size:]
        views = [game.view(viewer) for viewer in VIEWERS]
        assert request_of(table, asked) == request
        me.draw_pile, other.hand, other.draw_pile, table.deck = kept
        assert views == [game.view(viewer) for viewer in VIEWERS]
        line = right(dice, from_struct(request.message))
        game.advance({request.seat: decode_reply(line, reply_decoder(RULES.replies))})


class Other(SeededChance):
    """A chance of which one stream is another."""

    def __init__(self, seed: int, stream: str) -> None:
        super().__init__(seed)
        self._stream_name = stream
        self._other = SeededChance(seed + 1)

    def choose(self, stream: str, count: int) -> int:
        chance = self._other if stream == self._stream_name else super()
        return chance.choose(stream, count)


def sights(seed: int, stream: str) -> list[dict[Viewer, tuple[int, bytes, bytes]]]:
    """A match, reply by reply: for each viewer what it was sent and has replied, and its view.

    What a seat replies follows from that as well.
    """
    match = Match(RULES, seats=2, seed=seed, options=None, chance=Other(seed, stream))
    known: dict[Viewer, int] = dict.fromkeys(VIEWERS, 0)
    dice = [Random(f"{seed}/{seat}") for seat in (0, 1)]
    asked: dict[int, Any] = {}
    seen: list[dict[Viewer, tuple[int, bytes, bytes]]] = []
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
            views = {viewer: msgspec.json.encode(match.view(viewer)) for viewer in known}
            seen.append({viewer: (known[viewer], views[viewer], whole) for viewer in known})
        if not match.due or len(seen) > 30:
            return seen
        seat = match.due[0]
        if asked[seat]["type"] == "player-name-request":
            match.receive(seat, name_line(seat))
        else:
            match.receive(seat, right(dice[seat], asked[seat]))


@pytest.mark.untraced
@pytest.mark.parametrize("stream", ["player1", "player2"])
def test_a_view_follows_from_what_its_viewer_was_sent(stream: str) -> None:
    """Two matches with different hidden cards and the same lines so far look the same."""
    different = 0
    for seed in range(4):
        seen = {
            (viewer, sent): (view, whole)
            for sight in sights(seed, "none")
            for viewer, (sent, view, whole) in sight.items()
        }
        for sight in sights(seed, stream):
            for viewer, (sent, view, whole) in sight.items():
                if (viewer, sent) in seen:
                    assert seen[viewer, sent][0] == view, viewer
                    different += seen[viewer, sent][1] != whole
    assert different >= 8


@pytest.mark.parametrize("viewer", [*VIEWERS, ALL])
def test_a_view_is_json_and_does_not_change_with_the_game(viewer: Viewer) -> None:
    match = new_match()
    shake_hands(match)
    for patron in ("ANSEI", "HLAALU", "PELIN", "RAJHIN"):
        view = match.view(viewer)
        before = msgspec.json.encode(view)
        assert msgspec.json.decode(before, type=View) == view
        (seat,) = match.due
        match.receive(seat, b'{"type":"patron-reply","patron":"%s"}' % patron.encode())
        assert msgspec.json.encode(view) == before
    view = match.view(viewer)
    assert msgspec.json.decode(msgspec.json.encode(view), type=View) == view


def test_what_each_may_see() -> None:
    match = new_match()
    shake_hands(match)
    for patron in ("ANSEI", "HLAALU", "PELIN", "RAJHIN"):
        (seat,) = match.due
        match.receive(seat, b'{"type":"patron-reply","patron":"%s"}' % patron.encode())
    views = [match.view(viewer) for viewer in (0, 1, PUBLIC, ALL)]
    own, other, public, whole = (view for view in views if isinstance(view, View))
    assert own.request == whole.request is not None
    assert (own.asked, other.asked, public.asked, whole.asked) == (0, None, None, 0)
    assert own.seats[0].hand == whole.seats[0].hand is not None
    # It was not asked yet: nobody has told it what it holds.
    assert own.seats[1].hand is other.seats[1].hand is public.seats[0].hand is None
    assert whole.seats[1].hand is not None
    numbered = sorted(whole.tavern_deck, key=lambda card: (card.card, card.uid))
    assert sorted(own.tavern_deck, key=lambda card: (card.card, card.uid)) == numbered
    assert own.tavern_deck == public.tavern_deck != whole.tavern_deck
