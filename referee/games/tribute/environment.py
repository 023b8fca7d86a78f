"""Scripts of Tribute for programs that learn: counts of cards, and a choice for each thing to do.

An action of the game is one choice. A choice of cards takes one for each card, and "done".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from referee.games.interface.choices import Choices, ChoosingTranslator
from referee.games.interface.environment import Environment, Numbers, made_of
from referee.games.interface.seats import seat_id
from referee.games.tribute.rules.cards import PATRONS, TREASURY, card_set
from referee.games.tribute.rules.game import Options
from referee.games.tribute.rules.messages import (
    ACTIVATE_AGENT,
    ATTACK,
    BUY_CARD,
    CALL_PATRON,
    END_TURN,
    FOLLOW_UPS,
    PLAY_CARD,
    AgentRef,
    CardRef,
    ChooseReply,
    ChooseRequest,
    PatronPicked,
    PatronReply,
    PatronRequest,
    PlayReply,
    PlayTurn,
)
from referee.games.tribute.rules.view import SeatView, View

_MOST = 1_000_000
"""No number that is observed comes near it."""
_SETS = ("2025-04", "2024-02", "2023-06", "2023-02")
_NUMBERS = {kind.card: kind.number for name in _SETS for kind in card_set(name).kinds.values()}
_CARDS = tuple(sorted(_NUMBERS, key=_NUMBERS.__getitem__))
"""Of all card sets, so that what was learnt of one can be played with another."""
_CALLED = (*PATRONS, TREASURY)
_ZONES = ("hand", "agents", "played")


def _choices() -> Iterator[str]:
    yield from (f"pick {patron}" for patron in PATRONS)
    for kind in (PLAY_CARD, ACTIVATE_AGENT, ATTACK, BUY_CARD):
        yield from (f"{kind} {card}" for card in _CARDS)
    yield from (f"{CALL_PATRON} {patron}" for patron in _CALLED)
    yield END_TURN
    yield from (f"choose {card}" for card in _CARDS)
    yield from (f"choose {card} of {zone}" for card in _CARDS for zone in _ZONES)
    yield from ("left", "right", "done")


CHOICES = tuple(_choices())
_OWN = ("coins", "power", "prestige", "patron calls", "hand size")
_ALONE = (
    *("turn", "own turn", *(f"own {what}" for what in _OWN), *(f"other {what}" for what in _OWN)),
    *("chosen", "least", "most"),
    *(f"asks {follow_up}" for follow_up in FOLLOW_UPS),
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


def layout(seats: int, options: Options) -> Numbers:
    """What an observation is made of."""
    low = np.zeros(len(NAMES), np.int32)
    return Numbers(NAMES, low, np.full(len(NAMES), _MOST, np.int32))


class Translator(ChoosingTranslator, choices=CHOICES, names=NAMES):
    """Implements `referee.games.interface.environment.Translator` for Scripts of Tribute."""

    view: View

    def choices(self) -> Choices:
        """A patron, an action, an effect, or cards one by one."""
        asked = self.view.request
        if isinstance(asked, PatronRequest):
            return PatronReply((yield {f"pick {patron}": patron for patron in asked.available}))
        if isinstance(asked, PlayTurn):
            return PlayReply(None, (yield _actions(asked)))
        assert asked is not None  # it is asked
        if asked.effects:
            return ChooseReply(None, (yield {"left": 0, "right": 1}))
        zones: dict[int, str] = {}
        if asked.follow_up in ("destroy-cards", "complete-hlaalu", "complete-treasury"):
            me = asked.state.me
            for zone, pile in zip(_ZONES, (me.hand, me.agents, me.played), strict=True):
                zones |= {card.uid: f" of {zone}" for card in pile}  # type: ignore[attr-defined]
        names = [f"choose {card.card}{zones.get(card.uid, '')}" for card in asked.cards]
        picks = yield from self.pick(names, asked.min, min(asked.max, len(names)))
        return ChooseReply([asked.cards[pick].uid for pick in picks])

    def observe(self) -> NDArray[np.int32]:
        """What the seat knows, as `layout` says."""
        view, asked = self.view, self.asked
        own, other = view.seats[self.seat], view.seats[1 - self.seat]
        choose = asked if isinstance(asked, ChooseRequest) else None
        favours = [
            view.favours.get(patron) == seat_id(seat)
            for seat in (self.seat, 1 - self.seat)
            for patron in PATRONS
        ]
        alone = [
            *(view.turn, view.player == self.seat, *_numbers(own), *_numbers(other)),
            *((len(self.picks), choose.min, choose.max) if choose else (0, 0, 0)),
            *(choose is not None and choose.follow_up == kind for kind in FOLLOW_UPS),
            *favours,
            *(patron in view.picked for patron in PATRONS),
            *(view.counters.get(patron, 0) for patron in _CALLED),
        ]
        places = [
            *map(_count, (own.hand, own.draw_pile, own.known, own.cooldown, own.played)),
            _count(own.agents),
            _count(agent for agent in own.agents if not agent.activated),
            _hp(own.agents),
            *map(_count, (other.hand_and_draw, other.cooldown, other.played)),
            _count(other.agents),
            _hp(other.agents),
            *map(_count, (view.row, view.tavern_deck, choose.cards if choose else [])),
        ]
        counts = [counts[card] for counts in places for card in _CARDS]
        return np.array([*alone, *counts], np.int32)


def _actions(asked: PlayTurn) -> dict[str, int]:
    """The index of each action; of alike ones the first."""
    state, found = asked.state, dict[str, int]()
    cards = [*state.me.hand, *state.row, *state.me.agents, *state.opponent.agents]
    by_uid = {card.uid: card.card for card in cards}  # type: ignore[attr-defined]
    for index, action in enumerate(asked.actions):
        words = [action.type]
        words += [] if action.card is UNSET else [by_uid[action.card]]
        words += [] if action.patron is UNSET else [action.patron]
        found.setdefault(" ".join(words), index)
    return found


def _numbers(seat: SeatView) -> tuple[int, ...]:
    return seat.coins, seat.power, seat.prestige, seat.patron_calls, seat.hand_size


def _count(cards: Iterable[CardRef | AgentRef] | None) -> Counter[str]:
    return Counter(card.card for card in cards or ())


def _hp(agents: Iterable[AgentRef]) -> Counter[str]:
    """Card -> HP of all its copies together."""
    found: Counter[str] = Counter()
    for agent in agents:
        found[agent.card] += agent.hp
    return found


class TributeTracker:
    """Implements `referee.games.interface.environment.StateTracker`."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._picked: list[str] = []
        self._request: PatronRequest | PlayTurn | ChooseRequest

    def observe(self, message: Struct) -> None:
        """Take a message."""
        if isinstance(message, PatronPicked):
            self._picked.append(message.patron)
        elif isinstance(message, PatronRequest | PlayTurn | ChooseRequest):
            self._request = message

    def view(self) -> View:
        """What `Game.view` says to this seat now that it is asked."""
        request = self._request
        if isinstance(request, PatronRequest):
            unknown = SeatView(0, None, None, None, [], [], [], [], 0, 0, 0, 1, 0)
            known = SeatView(0, [], [], [], [], [], [], [], 0, 0, 0, 1, 0)
            seats = [known, unknown] if self._seat == 0 else [unknown, known]
            picked = self._picked.copy()
            return View(0, self._seat, picked, {}, {}, [], [], [], seats, self._seat, request)
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
    version=1,
    choices=CHOICES,
    action_shape=lambda options: (),
    observation=layout,
    translator=Translator,
    tracker=TributeTracker,
)
