"""Which cards can be trashed, gained and bought (protocol-v1, 5 and 6).

Requests don't list these cards, so everything that plays Dominion needs this module: questions to a
person, environments, rule files and probes. They use `parameters` to decide on the parameters of a
card step by step. The rules use the other functions to check a reply.

In this file, `rest` is the hand without the card that is being played.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from referee.games.dominion.rules.cards import CARDS, COST, WORTH

EXCHANGES: Mapping[str, Mapping[str, int]] = {"mine": WORTH, "remodel": COST}
"""The cards that a mine or a remodel may trash and gain. (We only use the keys.)"""


def for_sale(supply: Mapping[str, int], limit: int, among: Iterable[str] = COST) -> list[str]:
    """Return cards in the supply that cost at most `limit`, in order."""
    return [card for card in among if COST[card] <= limit and supply.get(card)]


def trashable(card: str, rest: Collection[str]) -> list[str]:
    """Return the cards that a mine or a remodel may trash, without duplicates."""
    return [held for held in EXCHANGES[card] if held in rest]


def gain_limit(card: str, trashed: str | None = None) -> int:
    """Return the highest cost of a card that a workshop, mine or remodel can gain.

    For a mine or remodel, pass the card that it trashes.
    """
    return CARDS[card].gains if trashed is None else COST[trashed] + CARDS[card].raises


def gainable(card: str, supply: Mapping[str, int], trashed: str | None = None) -> list[str]:
    """Return the cards in the supply that a workshop, mine or remodel may gain.

    For a mine or remodel, pass the card that it trashes.
    """
    return for_sale(supply, gain_limit(card, trashed), EXCHANGES.get(card, COST))


class Ask(NamedTuple):
    """A decision about the card that is being played.

    If `what` is "discard", any number of `cards` can be chosen. If it is "trash" or "gain", a
    single card must be chosen.
    """

    what: str
    cards: Sequence[str]


def parameters(
    card: str, rest: Sequence[str], supply: Mapping[str, int]
) -> Generator[Ask, Any, dict[str, Any]]:
    """Yield the decisions about a card, one by one, and return its parameters (5.3).

    Send the chosen card, or a list of cards for "discard". For "discard" and "gain", you can send
    None to leave out the parameter.
    """
    chosen: dict[str, Any] = {}
    if card == "cellar":
        discarded = yield Ask("discard", rest)
        if discarded is not None:
            chosen["cards"] = discarded
    # This stays None if the card is a workshop.
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
    """Find parameters for a card by trying out the answers that `options` yields, best first.

    An answer can lead to a dead end. For example, a bot may not want any of the cards that it can
    gain for a trashed card. We then try the next answer to the previous decision. Returns None
    if everything leads to a dead end.
    """
    # We can't rewind a generator, so we create a new one each time and repeat the answers given so
    # far. That's cheap, because there are at most two of them.
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
    """Return a text that says why a card would have no effect, or "" if it would have an effect."""
    if card in EXCHANGES and not trashable(card, rest):
        return f"needs {'a treasure' if card == 'mine' else 'another card'} in your hand to trash"
    if card == "workshop" and not gainable(card, supply):
        return f"needs a card that costs up to {gain_limit(card)}, and none is left"
    return ""
