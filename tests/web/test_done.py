"""What a step of a page says of the turn so far."""

from __future__ import annotations

from referee.games.interface.game import ALL
from referee.games.interface.table import Move, Moved
from referee.web.done import MOST_CARDS, NOTHING


def test_an_endless_turn_shows_its_last_cards() -> None:
    """Each step has them again, so all cards of all steps would grow with the square of a file."""
    done = NOTHING
    for number in range(MOST_CARDS + 2):
        played = Move(0, "hand", "play", f"p{number}")
        done = done.after(Moved(0, got=[f"g{number}"]), ALL, [played])
        assert len(done.played) == len(done.got) == min(number + 1, MOST_CARDS)
    assert done.played[0] == "p2"
    assert done.got[-1] == f"g{MOST_CARDS + 1}"
    back = done.after(Moved(0), ALL, [Move(0, "play", "hand", name) for name in ("p0", "p3")])
    assert back.played == (*done.played[:1], *done.played[2:])
