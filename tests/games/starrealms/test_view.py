"""What is in the view of each viewer."""

from __future__ import annotations

import msgspec
import pytest

from referee.games.interface.game import ALL, PUBLIC, Viewer
from referee.games.starrealms.rules.view import View
from tests.games.starrealms.star_matches import new_match
from tests.support.helpers import shake_hands, to_line

VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC)


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
