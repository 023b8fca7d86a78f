"""What each kind of viewer sees in Star Realms."""

from __future__ import annotations

from referee.games.interface.game import ALL, PUBLIC
from referee.games.starrealms.rules.view import View
from tests.games.starrealms.star_matches import Scene, new_match
from tests.support.helpers import shake_hands


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
    # This seat has had no request yet, so it doesn't know its hand.
    assert (other.seats[1].hand, other.seats[1].hand_size) == (None, 5)
    assert (other.asked, public.asked, public.request) == (None, None, None)
    assert public.seats[1].hidden == ["Scout"] * 8 + ["Viper"] * 2
    assert own.seats[0].deck == sorted(whole.seats[0].deck or [])
    assert whole.seats[1].hand == ["Scout", "Scout", "Viper", "Viper", "Scout"]


def test_nothing_of_a_turn_is_left_after_the_last() -> None:
    seats = {
        "player1": {"hand": ["Scout"], "deck": ["Scout"] * 9},
        "player2": {"hand": ["Central Office", "Viper"], "deck": ["Scout"] * 9},
    }
    scene = Scene({"before": {"seats": seats}, "options": {"max_turns": 1}})
    scene.step({"do": ["end-turn"]})
    scene.step({"do": ["play Central Office", "use-base Central Office", "play Viper", "end-turn"]})
    view = scene.match.view(ALL)
    assert isinstance(view, View)
    assert scene.match.outcome is not None
    assert (view.trade, view.combat, view.next_ship_to_top) == (0, 0, False)
