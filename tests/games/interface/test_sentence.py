"""Building sentences from phrases."""

from __future__ import annotations

from referee.games.interface.sentence import (
    Amount,
    Card,
    Seat,
    drawn,
    effect_of,
    effect_text,
    in_words,
    joined,
    listed,
)


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
    assert in_words([Card("gold", 1), Card("mine", 2, name="Mine")], []) == "gold2 Mine"


def test_equal_things_in_a_row_are_counted() -> None:
    cards = [Card("a"), Card("a", 2), Card("a", 2), Card("b")]
    assert listed(cards) == [Card("a"), ", ", Card("a", 4), ", ", Card("b")]
    assert listed(["x", "x", "y", Seat(1)]) == ["2 ", "x", ", ", "y", ", ", Seat(1)]
    assert listed([]) == []


def test_clauses_are_joined_and_texts_merged() -> None:
    clauses = [[], ["a", "b", Card("c")], [], [Seat(0), "", "d"], ["e"]]
    assert joined(clauses) == ["ab", Card("c"), "; ", Seat(0), "d; e"]
    assert joined([[], []]) == []


def test_effects_in_words_and_for_a_drawing() -> None:
    two, one = Amount("+2 cards", "card", 2), Amount("+1 buy", "buy", 1)
    effect = effect_of(", ", [[], [two], ["then ", one], []])
    assert effect == [two, ", ", "then ", one]
    assert effect_text(effect) == "+2 cards, then +1 buy"
    assert drawn(effect) == [["card", 2], " then ", ["buy", 1]]
    assert drawn(["a", ", ", "b"]) == ["a, b"]
    assert effect_of("; ", []) == []
