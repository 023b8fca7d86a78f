"""Notes to a bot's author: things the bot never did, and the probable causes of its faults."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.dominion import RULES
from referee.games.interface.faults import Disqualification
from referee.match.machine import Match
from tests.support.helpers import Imposed, begun, new_match, shake_hands, to_line

CLEAN_UP = to_line({"type": "play-reply", "phase": "cleanup"})


def action(card: str) -> bytes:
    return to_line({"type": "play-reply", "phase": "action", "card": card})


def buy(*cards: str) -> bytes:
    reply = {"type": "play-reply", "phase": "buy", "played_treasures": ["copper"] * 5}
    return to_line(reply | {"cards_to_buy": cards})


def rich(max_turns: int, deck: str = "village") -> Match:
    """Start a match in which player 1 has five coppers in its first hand."""
    seats = {"player1": {"hand": ["copper"] * 5, "deck": [deck] * 5}}
    match = new_match(definition=Imposed({"seats": seats}).definition, max_turns=max_turns)
    shake_hands(match)
    return match


def end(match: Match) -> None:
    while match.due:
        match.receive(match.due[0], CLEAN_UP)


def test_a_bot_that_bought_nothing() -> None:
    match = begun(max_turns=6)
    end(match)
    assert all("bought nothing in 6 turns" in notes[0] for notes in match.notes())


def test_some_turns_without_a_buy_are_no_sign() -> None:
    match = begun(max_turns=5)
    end(match)
    assert match.notes() == [[], []]


def test_a_bot_that_never_plays_what_it_buys() -> None:
    match = rich(max_turns=6)
    match.receive(0, buy("market"))
    end(match)
    assert "it bought action cards (market) and never played one" in match.notes()[0][0]


def test_an_attack_that_ends_the_match_was_played() -> None:
    match = rich(max_turns=9, deck="militia")
    match.receive(0, buy("market"))
    while match.standings()[0].turns < 7:
        match.receive(match.due[0], CLEAN_UP)
    while match.due == (0,):
        match.receive(0, action("militia"))
    match.disqualify(1, Disqualification.EXITED, "gone")
    assert match.outcome is not None
    assert match.notes()[0] == []


def test_a_bot_that_plays_one_knows_how() -> None:
    match = rich(max_turns=6)
    match.receive(0, buy("market"))
    for line in (CLEAN_UP, CLEAN_UP, action("village")):
        match.receive(match.due[0], line)
    end(match)
    assert match.notes()[0] == []


def test_a_card_that_was_bought_late_may_not_have_come() -> None:
    match = rich(max_turns=6)
    match.receive(0, buy("copper"))
    for _ in range(2 * 4 + 2):
        match.receive(match.due[0], CLEAN_UP)
    match.receive(match.due[0], buy("cellar"))
    end(match)
    assert match.notes()[0] == []


@pytest.mark.parametrize(
    ("code", "asked", "reply", "says"),
    [
        ("no-buys", {}, {}, '"cleanup"'),
        ("no-actions", {}, {}, '"buy" or "cleanup"'),
        ("cannot-buy", {"extra_money": 0}, {"cards_to_buy": ["gold"]}, "`played_treasures`"),
        ("cannot-buy", {"extra_money": 2}, {"cards_to_buy": ["gold"]}, ""),
        ("cannot-buy", {"extra_money": 0}, {"played_treasures": ["copper"]}, ""),
        (
            "bad-discard",
            {"options": ["estate", "copper"]},
            {"discard": ["estate", "estate"]},
            'it names "estate" more often (2) than it holds it (1)',
        ),
        ("bad-discard", {"options": ["estate"]}, {"discard": ["gold", "gold"]}, ""),
        ("bad-discard", {"options": ["estate"]}, {"discard": [["estate"], 3, None]}, ""),
        ("bad-discard", {"options": ["estate"]}, {"discard": "estate"}, ""),
        ("bad-phase", {}, {}, ""),
        ("not-an-action", {}, {"card": "smthy"}, 'did you mean "smithy"?'),
        ("not-an-action", {}, {"card": "gold"}, ""),
        ("cannot-buy", {}, {"cards_to_buy": ["gold", 7, "slver"]}, 'did you mean "silver"?'),
        ("bad-treasure", {}, {"played_treasures": ["Copper"]}, 'did you mean "copper"?'),
        ("bad-discard", {}, {"discard": ["witch", "estates"]}, 'did you mean "estate"?'),
    ],
)
def test_a_hint(code: str, asked: dict[str, Any], reply: dict[str, Any], says: str) -> None:
    assert RULES.hint is not None
    hint = RULES.hint(code, asked, reply)
    assert says in hint
    assert bool(says) == bool(hint)
