"""A reply, choice after choice (spec/python-rl.md, 2).

As in the rules, decisions are generators: each yields what can be chosen now and receives the
action that was, and the reply is what it returns. All that can be chosen leads to a legal reply. A
choice that could only be "done" is left out, but for that of the clean-up: every request has one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

from referee.games.dominion.environment.actions import (
    BUY,
    CARD,
    DISCARD,
    DONE,
    GAIN,
    PLAY,
    REVEAL_MOAT,
    TOP,
    TRASH,
)
from referee.games.dominion.environment.knowledge import COSTS, INDEX, WORTHS, Knowledge
from referee.games.dominion.rules.cards import CARDS, KINGDOM
from referee.games.dominion.rules.messages import AttackReply, AttackReplyReaction, PlayReply

T = TypeVar("T")

STAGES = (
    *("action", "buy", "clean-up", "cellar", "mine: trash", "mine: gain"),
    *("remodel: trash", "remodel: gain", "workshop", "militia"),
)
"""What can be asked."""

_NAMES = tuple(CARDS)
_ALL = range(len(CARDS))
_ACTIONS = tuple(INDEX[card] for card in KINGDOM)
_TREASURES = tuple(card for card in _ALL if WORTHS[card])
_MOAT = INDEX["moat"]


class Choice(NamedTuple):
    """What is asked.

    Attributes:
        stage: one of `STAGES`.
        legal: the actions to choose from; never none.
    """

    stage: str
    legal: Sequence[int]


Choices: TypeAlias = Generator[Choice, int, T]
"""Yields choices, is sent actions, and returns what comes of them."""


# --- play-turn (protocol-v1, 5) -------------------------------------------------------------------


def turn_choices(known: Knowledge) -> Choices[PlayReply]:
    """The reply to a `play-turn`."""
    if known.actions:
        playable = [card for card in _ACTIONS if known.hand[card] and _can_be_played(known, card)]
        if playable:
            action = yield Choice("action", [DONE, *_of(PLAY, playable)])
            if action != DONE:
                return (yield from _action(known, CARD[action]))
    bought: list[str] = []
    while affordable := _affordable(known):
        action = yield Choice("buy", [DONE, *_of(BUY, affordable)])
        if action == DONE:
            break
        known.buy(CARD[action])
        bought.append(_NAMES[CARD[action]])
    if bought:
        return _buy(known, bought)
    return (yield from _clean_up(known))


def _action(known: Knowledge, card: int) -> Choices[PlayReply]:
    name = _NAMES[card]
    known.put_in_play(card)
    known.actions -= 1
    parameters = _PARAMETERS.get(name)
    if parameters is None:
        return PlayReply(phase="action", card=name)
    chosen = yield from parameters(known)
    return PlayReply(phase="action", card=name, additional_parameters=chosen)


def _affordable(known: Knowledge) -> list[int]:
    if not known.buys:
        return []
    return [card for card in _ALL if known.supply[card] and COSTS[card] <= known.money]


def _buy(known: Knowledge, bought: list[str]) -> PlayReply:
    """Buy, having played all treasures."""
    played = []
    for card in _TREASURES:
        for _ in range(known.hand[card]):
            known.put_in_play(card)
            played.append(_NAMES[card])
    return PlayReply(phase="buy", played_treasures=played, cards_to_buy=bought)


def _clean_up(known: Knowledge) -> Choices[PlayReply]:
    there = [card for card in _ALL if known.hand[card] or known.in_play[card]]
    action = yield Choice("clean-up", [DONE, *_of(TOP, there)])
    known.end_turn()
    return PlayReply(phase="cleanup", top_discard=None if action == DONE else _NAMES[CARD[action]])


# --- what the cards need (protocol-v1, 6) ---------------------------------------------------------


def _can_be_played(known: Knowledge, card: int) -> bool:
    """Whether there are parameters with which it is not consumed; the card is still in hand."""
    match _NAMES[card]:
        case "mine":
            return any(known.hand[treasure] for treasure in _TREASURES)
        case "remodel":
            return sum(known.hand) > 1
        case "workshop":
            return bool(_gainable(known, _ALL, CARDS["workshop"].gains))
    return True


def _cellar(known: Knowledge) -> Choices[dict[str, Any]]:
    cards = []
    while any(known.hand):
        action = yield Choice("cellar", [DONE, *_of(DISCARD, _held(known, _ALL))])
        if action == DONE:
            break
        known.put_aside(CARD[action])
        cards.append(_NAMES[CARD[action]])
    return {"cards": cards}


def _exchange(name: str, among: Sequence[int], known: Knowledge) -> Choices[dict[str, Any]]:
    action = yield Choice(f"{name}: trash", _of(TRASH, _held(known, among)))
    trashed = CARD[action]
    known.put_aside(trashed)
    chosen = {"card_to_trash": _NAMES[trashed]}
    gainable = _gainable(known, among, COSTS[trashed] + CARDS[name].raises)
    if gainable:
        action = yield Choice(f"{name}: gain", _of(GAIN, gainable))
        chosen["desired_card"] = _NAMES[CARD[action]]
    return chosen


def _workshop(known: Knowledge) -> Choices[dict[str, Any]]:
    gainable = _gainable(known, _ALL, CARDS["workshop"].gains)
    action = yield Choice("workshop", _of(GAIN, gainable))
    return {"desired_card": _NAMES[CARD[action]]}


_PARAMETERS: dict[str, Callable[[Knowledge], Choices[dict[str, Any]]]] = {
    "cellar": _cellar,
    "mine": partial(_exchange, "mine", _TREASURES),
    "remodel": partial(_exchange, "remodel", _ALL),
    "workshop": _workshop,
}


# --- attack-request (protocol-v1, 7) --------------------------------------------------------------


def attack_choices(known: Knowledge) -> Choices[AttackReply | AttackReplyReaction]:
    """The reply to an `attack-request`."""
    moat = [REVEAL_MOAT] if known.hand[_MOAT] else []
    discard = []
    while known.due:
        action = yield Choice("militia", [*moat, *_of(DISCARD, _held(known, _ALL))])
        if action == REVEAL_MOAT:
            known.due = 0
            return AttackReplyReaction(reaction="moat")
        moat = []
        known.due -= 1
        known.put_aside(CARD[action])
        discard.append(_NAMES[CARD[action]])
    return AttackReply(discard=discard)


# --- both -----------------------------------------------------------------------------------------


def _of(what: Sequence[int], cards: Iterable[int]) -> list[int]:
    """The actions of a kind for these cards."""
    return [what[card] for card in cards]


def _held(known: Knowledge, among: Iterable[int]) -> list[int]:
    return [card for card in among if known.hand[card]]


def _gainable(known: Knowledge, among: Iterable[int], limit: int) -> list[int]:
    return [card for card in among if known.supply[card] and COSTS[card] <= limit]
