"""Which cards can be trashed, gained and bought (protocol-v1, 5 and 6).

Requests don't list these cards. The rules, people, environments, rule files and probes all use this
module to find them. All of them except the rules use `parameters` to make the decisions about a
card one by one. In this file, `rest` is the hand without the card that is played.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from referee.games.dominion.rules.cards import CARDS, COST, WORTH

EXCHANGES: Mapping[str, Mapping[str, int]] = {"mine": WORTH, "remodel": COST}
"""Card -> the cards that it may trash and gain. Their values aren't used."""


def for_sale(supply: Mapping[str, int], limit: int, among: Iterable[str] = COST) -> list[str]:
    """Return cards in the supply that cost at most `limit`, in order."""
    return [card for card in among if COST[card] <= limit and supply.get(card)]


def trashable(card: str, rest: Collection[str]) -> list[str]:
    """Return the cards that a mine or a remodel may trash, without duplicates."""
    return [held for held in EXCHANGES[card] if held in rest]


def gain_limit(card: str, trashed: str | None = None) -> int:
    """Return the maximum cost of a card gained by a workshop, or by a mine or remodel."""
    return CARDS[card].gains if trashed is None else COST[trashed] + CARDS[card].raises


def gainable(card: str, supply: Mapping[str, int], trashed: str | None = None) -> list[str]:
    """Return the cards that may be gained. Arguments as for `gain_limit`."""
    return for_sale(supply, gain_limit(card, trashed), EXCHANGES.get(card, COST))


class Ask(NamedTuple):
    """A decision: "discard" any of these legal cards, or "trash" or "gain" one of them."""

    what: str
    cards: Sequence[str]


def parameters(
    card: str, rest: Sequence[str], supply: Mapping[str, int]
) -> Generator[Ask, Any, dict[str, Any]]:
    """Yield the decisions about a played card, and return its parameters (5.3)."""
    chosen: dict[str, Any] = {}
    if card == "cellar":
        discarded = yield Ask("discard", rest)
        if discarded is not None:
            chosen["cards"] = discarded
    # A workshop trashes nothing.
    trashed = None
    if card in EXCHANGES:
        chosen["card_to_trash"] = trashed = yield Ask("trash", trashable(card, rest))
    if card in EXCHANGES or card == "workshop":
        gained = yield Ask("gain", gainable(card, supply, trashed))
        if gained is not None:
            chosen["desired_card"] = gained
    return chosen


def first_way(
    card: str,
    rest: Sequence[str],
    supply: Mapping[str, int],
    options: Callable[[Ask], Iterable[Any]],
    given: Sequence[Any] = (),
) -> dict[str, Any] | None:
    """Return the parameters that result from the first complete series of answers, or None.

    `options` yields the answers to a decision, best first. If no answer is left (e.g. because none
    of the cards that can be gained is wanted), the next answer to the previous decision is tried.
    """
    # A generator can't be rewound, so we start a new one and repeat the answers given so far. There
    # are at most two answers.
    decisions = parameters(card, rest, supply)
    try:
        asked = next(decisions)
        for answer in given:
            asked = decisions.send(answer)
    except StopIteration as done:
        found: dict[str, Any] = done.value
        return found
    ways = (first_way(card, rest, supply, options, (*given, one)) for one in options(asked))
    return next((way for way in ways if way is not None), None)


def without(card: str, hand: Sequence[str]) -> list[str]:
    """Return the hand without one copy of a card."""
    rest = list(hand)
    rest.remove(card)
    return rest


def unavailable_reason(card: str, rest: Collection[str], supply: Mapping[str, int]) -> str:
    """Explain in a clause why an action card has no effect. Empty if the card has an effect."""
    if card in EXCHANGES and not trashable(card, rest):
        return f"needs {'a treasure' if card == 'mine' else 'another card'} in your hand to trash"
    if card == "workshop" and not gainable(card, supply):
        return f"needs a card that costs up to {gain_limit(card)}, and none is left"
    return ""
