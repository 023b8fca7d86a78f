"""Reads the decision in a reply, and checks that it's legal (protocol, 5).

A bot that makes a mistake loses the game, so the rules only get legal decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from referee.games.interface.faults import InvalidReply, describe
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.faults import (
    BAD_FORMAT,
    BAD_PATRON,
    ILLEGAL_ACTION,
    ILLEGAL_CHOICE,
)
from referee.games.tribute.rules.table import Choice
from referee.games.tribute.rules.turn import LegalAction, Pick

Asked: TypeAlias = Pick | Choice | list[LegalAction]
"""A question that the rules can ask (see turn.py)."""


class Mistake(NamedTuple):
    """A mistake in a reply, which loses the game."""

    code: str
    detail: str


def read(asked: Asked, reply: Any) -> Any:
    """Return the decision in a reply, as turn.py expects it, or a `Mistake`."""
    if type(reply) is InvalidReply:
        return Mistake(BAD_FORMAT, reply.detail)
    wanted, read_as = _READERS[type(asked)]
    if type(reply) is wanted:
        return read_as(asked, reply)
    # This would be a reply to a different kind of request.
    theirs, due = [kind.__struct_config__.tag for kind in (type(reply), wanted)]
    return Mistake(BAD_FORMAT, f"a {theirs} came where a {due} is due")


def _read_patron(pick: Pick, reply: say.PatronReply) -> str | Mistake:
    patron = reply.patron
    if not isinstance(patron, str):
        return Mistake(BAD_FORMAT, f"`patron` is {describe(patron)}, not a string")
    if patron not in pick.available:
        return Mistake(BAD_PATRON, f"`patron` is {describe(patron)}, not one of `available`")
    return patron


def _read_action(actions: list[LegalAction], reply: say.PlayReply) -> int | Mistake:
    action = reply.action
    if action is None:
        index = _integer(reply.index)
        if index is not None and 0 <= index < len(actions):
            return index
        shown = f"`index` is {describe(reply.index)}"
        if index is None:
            return Mistake(BAD_FORMAT, f"there is no `action`, and {shown}")
        return Mistake(ILLEGAL_ACTION, f"{shown}, and there are {len(actions)} actions")
    if not isinstance(action, dict):
        return Mistake(BAD_FORMAT, f"`action` is {describe(action)}, not an object")
    kind = action.get("type")
    if kind not in say.ACTIONS:
        return Mistake(BAD_FORMAT, f"the `type` of the action is {describe(kind)}")
    thing: int | str | None = None
    if kind == say.CALL_PATRON:
        thing = action.get("patron")
        if not isinstance(thing, str):
            return Mistake(BAD_FORMAT, f"the `patron` of the action is {describe(thing)}")
    elif kind != say.END_TURN:
        thing = _integer(action.get("card"))
        if thing is None:
            found = describe(action.get("card"))
            return Mistake(BAD_FORMAT, f"the `card` of the action is {found}, not an integer")
    # Actions contain uids and not names of cards, so at most one action can match.
    for place, (legal, what) in enumerate(actions):
        if legal == kind and thing == (what if what is None or isinstance(what, str) else what.uid):
            return place
    shown = kind if thing is None else f"{kind} {describe(thing)}"
    return Mistake(ILLEGAL_ACTION, f"{shown} is not one of `actions`")


def _read_choice(choice: Choice, reply: say.ChooseReply) -> list[int] | int | Mistake:
    if choice.effects is not None:
        return _read_effect(reply)
    named = reply.cards
    if not isinstance(named, list):
        return Mistake(BAD_FORMAT, f"`cards` is {describe(named)}, not a list")
    uids = [_integer(uid) for uid in named]
    if None in uids:
        place = uids.index(None)
        return Mistake(BAD_FORMAT, f"cards[{place}] is {describe(named[place])}, not an integer")
    places = {card.uid: place for place, card in enumerate(choice.cards)}
    for place, uid in enumerate(uids):
        if uid not in places or uid in uids[:place]:
            why = "named before" if uid in places else "which is not listed"
            return Mistake(ILLEGAL_CHOICE, f"cards[{place}] is {describe(uid)}, {why}")
    least, most = choice.least, choice.most
    if not least <= len(uids) <= most:
        wanted = str(most) if least == most else f"{least} to {most}"
        return Mistake(ILLEGAL_CHOICE, f"{len(uids)} cards where {wanted} are due")
    # The rules expect the indices in order. A reply may list the cards in any order (4.5).
    return sorted([places[uid] for uid in uids])  # type: ignore[index]


def _read_effect(reply: say.ChooseReply) -> int | Mistake:
    effect = _integer(reply.effect)
    if effect is None:
        return Mistake(BAD_FORMAT, f"`effect` is {describe(reply.effect)}, not an integer")
    if effect not in (0, 1):
        return Mistake(ILLEGAL_CHOICE, f"`effect` is {describe(effect)}, not 0 or 1")
    return effect


def _integer(value: Any) -> int | None:
    # True is an int in Python, but true isn't a number in JSON.
    is_whole = type(value) is int or (type(value) is float and value.is_integer())
    return int(value) if is_whole else None


_READERS: Mapping[type, tuple[type[Struct], Callable[..., Any]]] = {
    Pick: (say.PatronReply, _read_patron),
    Choice: (say.ChooseReply, _read_choice),
    list: (say.PlayReply, _read_action),
}
"""For each type of question, the type of a reply and the function that reads the decision."""
