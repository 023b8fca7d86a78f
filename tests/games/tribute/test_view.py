"""What each kind of viewer sees in Scripts of Tribute (4.9)."""

from __future__ import annotations

from referee.games.interface.game import ALL, PUBLIC
from referee.games.tribute.rules.view import View
from tests.games.tribute.tribute_matches import new_match
from tests.support.helpers import shake_hands


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
    # This seat has had no request yet, so it doesn't know its hand.
    assert own.seats[1].hand is other.seats[1].hand is public.seats[0].hand is None
    assert whole.seats[1].hand is not None
    numbered = sorted(whole.tavern_deck, key=lambda card: (card.card, card.uid))
    assert sorted(own.tavern_deck, key=lambda card: (card.card, card.uid)) == numbered
    assert own.tavern_deck == public.tavern_deck != whole.tavern_deck
