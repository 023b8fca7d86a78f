"""Building sentences from phrases."""

from __future__ import annotations

from referee.games.interface.sentence import Card, Seat, in_words


def test_a_sentence_as_text_has_the_names_of_players_and_counts_of_cards() -> None:
    parts = [
        Seat(1),
        " buys ",
        Card("gold", 2),
        " and ",
        Card("mine", name="Mine"),
        " of ",
        Seat(0),
    ]
    assert in_words(parts, ["Ann", "Ben"]) == "Ben buys 2 gold and Mine of Ann"
