"""Scripts of Tribute for reinforcement learning.

An observation is a vector of integers. Most of them say how many copies of a card are in a pile.

Each step is a single choice: one action of a turn, or one card or effect for a `choose-request`. A
policy chooses "done" when it doesn't want any more cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from referee.games.interface.choices import Choices, ChoosingTranslator, counted
from referee.games.interface.environment import Environment, Numbers, made_of
from referee.games.interface.seats import seat_id
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.cards import PATRONS, TREASURY, Kind, card_set
from referee.games.tribute.rules.game import Options
from referee.games.tribute.rules.view import SeatView, View

_SETS = ("2025-04", "2024-02", "2023-06", "2023-02")
# Go through the sets from the oldest to the newest. If a card has changed, its newest values win.
_KINDS = {kind.card: kind for name in _SETS[::-1] for kind in card_set(name).kinds.values()}
_NUMBERS = {card: kind.number for card, kind in _KINDS.items()}
_CARDS = tuple(sorted(_NUMBERS, key=_NUMBERS.__getitem__))
"""The cards of all card sets, so that a policy trained with one set can play with another."""
_CALLED = (*PATRONS, TREASURY)
_ZONES = ("hand", "agents", "played")


# A trained policy only knows these choices by their numbers. Don't change their order without
# increasing the environment's version.
def _choices() -> Iterator[str]:
    yield from (f"pick {patron}" for patron in PATRONS)
    for kind in (say.PLAY_CARD, say.ACTIVATE_AGENT, say.ATTACK, say.BUY_CARD):
        yield from (f"{kind} {card}" for card in _CARDS)
    yield from (f"{say.CALL_PATRON} {patron}" for patron in _CALLED)
    yield say.END_TURN
    yield from (f"choose {card}" for card in _CARDS)
    yield from (f"choose {card} of {zone}" for card in _CARDS for zone in _ZONES)
    yield from ("left", "right", "done")


CHOICES = tuple(_choices())
_OWN = ("coins", "power", "prestige", "patron calls", "hand size")
_ALONE = (
    *("turn", "own turn", *(f"own {what}" for what in _OWN), *(f"other {what}" for what in _OWN)),
    *("chosen", "least", "most"),
    *(f"asks {follow_up}" for follow_up in say.FOLLOW_UPS),
    *(
        f"{what} {patron}"
        for what in ("own favour", "other favour", "picked")
        for patron in PATRONS
    ),
    *(f"counter {patron}" for patron in _CALLED),
)
_PLACES = (
    *("hand", "draw pile", "known", "cooldown", "played", "agents", "ready", "HP"),
    *("other hand and draw pile", "other cooldown", "other played", "other agents", "other HP"),
    *("row", "tavern deck", "options"),
)
NAMES = (*_ALONE, *(f"{place} {card}" for place in _PLACES for card in _CARDS))
_PLACE = {name: place for place, name in enumerate(NAMES)}
_AT = tuple({card: _PLACE[f"{place} {card}"] for card in _CARDS} for place in _PLACES)
_BOUNDS = {
    **dict.fromkeys(("coins", "power", "prestige"), 100),
    "hand size": 20,
    "least": 2,  # no card demands more than KNOCKOUT 2
    "most": 5,  # no card allows more than TOSS 5
    "chosen": 4,  # after the fifth card, the reply is sent immediately
    "patron calls": 10,
    "turn": 10_001,  # one more than the highest `max_turns`
}
"""The highest values of the entries in `_ALONE`. Entries that aren't listed here are 0 or 1."""
_MADE = 10  # upper bound for starters and created cards, which aren't in the tavern deck


def _most(place: str, kind: Kind) -> int:
    if not kind.is_agent and place.endswith(("agents", "ready", "HP")):
        return 1
    if place in ("row", "tavern deck"):
        return kind.copies or 1
    return (kind.copies or _MADE) * (kind.hp if place.endswith("HP") else 1)


def _most_alone(name: str) -> int:
    owner, _, what = name.partition(" ")
    if owner == "counter":
        return 4
    is_of_player = owner in ("own", "other") and what != "turn"
    return _BOUNDS.get(what if is_of_player else name, 1)


_HIGH = np.array(
    [_most_alone(name) for name in _ALONE]
    + [_most(place, _KINDS[card]) for place in _PLACES for card in _CARDS],
    np.int32,
)


def layout(seats: int, options: Options) -> Numbers:
    """Describe the observation vector: the name, minimum and maximum of each entry."""
    high = _HIGH.copy()
    high[_PLACE["turn"]] = options.max_turns + 1
    return Numbers(NAMES, np.zeros_like(high), high)


class Translator(ChoosingTranslator, choices=CHOICES, names=NAMES):
    """Implements `referee.games.interface.environment.Translator` for Scripts of Tribute."""

    view: View

    def choices(self) -> Choices:
        asked = self.view.request
        if isinstance(asked, say.PatronRequest):
            return say.PatronReply((yield {f"pick {patron}": patron for patron in asked.available}))
        if isinstance(asked, say.PlayTurn):
            return say.PlayReply(None, (yield _actions(asked)))
        assert asked is not None  # only called while the seat has a request
        if asked.effects:
            return say.ChooseReply(None, (yield {"left": 0, "right": 1}))
        names = _cards(asked)
        picks = yield from self.pick(
            list(names.values()), asked.min, min(asked.max, len(asked.cards))
        )
        return say.ChooseReply([asked.cards[pick].uid for pick in picks])

    def chosen(self, reply: Any) -> Iterable[str]:
        asked = self.view.request
        if isinstance(asked, say.PatronRequest):
            return [f"pick {reply.patron}"]
        if isinstance(asked, say.PlayTurn):
            given = reply.action
            place = int(reply.index) if given is None else _place(asked.actions, given)
            return [_names(asked)[place]]
        assert asked is not None  # there can't be a reply without a request
        if asked.effects:
            return [("left", "right")[int(reply.effect)]]
        names = _cards(asked)
        return [names[int(uid)] for uid in reply.cards]

    def observe(self) -> NDArray[np.int32]:
        view, asked = self.view, self.asked
        own, other = view.seats[self.seat], view.seats[1 - self.seat]
        choose = asked if isinstance(asked, say.ChooseRequest) else None
        favours = [
            view.favours.get(patron) == seat_id(seat)
            for seat in (self.seat, 1 - self.seat)
            for patron in PATRONS
        ]
        alone = [
            *(view.turn, view.player == self.seat, *_numbers(own), *_numbers(other)),
            *((len(self.picks), choose.min, choose.max) if choose else (0, 0, 0)),
            *(choose is not None and choose.follow_up == kind for kind in say.FOLLOW_UPS),
            *favours,
            *(patron in view.picked for patron in PATRONS),
            *(view.counters.get(patron, 0) for patron in _CALLED),
        ]
        # This must have the same order as _PLACES.
        places: list[Iterable[say.CardRef | say.AgentRef]] = [
            *(own.hand or (), own.draw_pile or (), own.known or (), own.cooldown, own.played),
            *(own.agents, [agent for agent in own.agents if not agent.activated]),
            # List each agent once per HP, so that the count is the total HP of all its copies.
            [agent for agent in own.agents for _ in range(agent.hp)],
            *(other.hand_and_draw, other.cooldown, other.played, other.agents),
            [agent for agent in other.agents for _ in range(agent.hp)],
            *(view.row, view.tavern_deck, choose.cards if choose else ()),
        ]
        found = (at[card.card] for at, cards in zip(_AT, places, strict=True) for card in cards)
        return counted(alone, found, _HIGH)


def _names(asked: say.PlayTurn) -> list[str]:
    state, names = asked.state, list[str]()
    cards = [*state.me.hand, *state.row, *state.me.agents, *state.opponent.agents]
    by_uid = {card.uid: card.card for card in cards}  # type: ignore[attr-defined]
    for action in asked.actions:
        words = [action.type]
        words += [] if action.card is UNSET else [by_uid[action.card]]
        words += [] if action.patron is UNSET else [action.patron]
        names.append(" ".join(words))
    return names


def _actions(asked: say.PlayTurn) -> dict[str, int]:
    # Copies of a card share a name. It doesn't matter which copy is used, so take the first.
    found = dict[str, int]()
    for index, name in enumerate(_names(asked)):
        found.setdefault(name, index)
    return found


def _place(actions: list[say.Action], given: Any) -> int:
    kind = given["type"]
    what = "patron" if kind == say.CALL_PATRON else "card"
    thing = UNSET if kind == say.END_TURN else given[what]
    found = [action.type == kind and getattr(action, what) == thing for action in actions]
    return found.index(True)


def _cards(asked: say.ChooseRequest) -> dict[int, str]:
    zones: dict[int, str] = {}
    # In these choices, there may be copies of a card in several zones, and it matters which copy is
    # chosen. Add the zone to the name.
    if asked.follow_up in ("destroy-cards", "complete-hlaalu", "complete-treasury"):
        me = asked.state.me
        for zone, pile in zip(_ZONES, (me.hand, me.agents, me.played), strict=True):
            zones |= {card.uid: f" of {zone}" for card in pile}  # type: ignore[attr-defined]
    return {card.uid: f"choose {card.card}{zones.get(card.uid, '')}" for card in asked.cards}


def _numbers(seat: SeatView) -> tuple[int, ...]:
    return seat.coins, seat.power, seat.prestige, seat.patron_calls, seat.hand_size


class TributeTracker:
    """Implements `referee.games.interface.environment.StateTracker`."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._picked: list[str] = []
        self._request: say.PatronRequest | say.PlayTurn | say.ChooseRequest

    def observe(self, message: Struct) -> None:
        if isinstance(message, say.PatronPicked):
            self._picked.append(message.patron)
        elif isinstance(message, say.PatronRequest | say.PlayTurn | say.ChooseRequest):
            self._request = message

    def view(self) -> View:
        request = self._request
        if isinstance(request, say.PatronRequest):
            # Cards are dealt after the draft. Until then, a seat knows that its piles are empty.
            unknown = SeatView(0, None, None, None, [], [], [], [], 0, 0, 0, 1, 0)
            known = SeatView(0, [], [], [], [], [], [], [], 0, 0, 0, 1, 0)
            seats = [known, unknown] if self._seat == 0 else [unknown, known]
            picked = self._picked.copy()
            return View(0, self._seat, picked, {}, {}, [], [], [], seats, self._seat, request)
        # Player 1 has the odd turns and player 2 the even ones.
        state, turns = request.state, [(request.turn + 1) // 2, request.turn // 2]
        me, other = state.me, state.opponent
        hand_and_draw = sorted(
            me.hand + me.draw_pile, key=lambda card: (_NUMBERS[card.card], card.uid)
        )
        own_view = made_of(
            SeatView,
            me,
            hand_size=len(me.hand),
            hand_and_draw=hand_and_draw,
            turns=turns[self._seat],
        )
        hidden = dict.fromkeys(("hand", "draw_pile", "known"))
        other_view = made_of(SeatView, other, patron_calls=1, turns=turns[1 - self._seat], **hidden)
        seats = [other_view, own_view] if self._seat else [own_view, other_view]
        own = {"player": self._seat, "asked": self._seat, "request": request}
        return made_of(View, request, state, me, picked=self._picked.copy(), seats=seats, **own)


ENVIRONMENT = Environment(
    id="Tribute",
    opponent="magnate",
    version=2,
    choices=lambda options: CHOICES,
    observation=layout,
    translator=lambda seat, seats, options: Translator(seat, seats),
    tracker=TributeTracker,
)
