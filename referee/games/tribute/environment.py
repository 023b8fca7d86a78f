"""Scripts of Tribute for programs that learn: counts of cards, and a choice for each thing to do.

An action of the game is one choice. A choice of cards takes one for each card, and "done".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from referee.errors import UsageError
from referee.games.interface.environment import Environment, Numbers
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
_INDEX = {name: index for index, name in enumerate(CHOICES)}
_OWN = ("coins", "power", "prestige", "patron calls", "hand size")
_ALONE = (
    *("turn", "own turn", *(f"own {what}" for what in _OWN), *(f"other {what}" for what in _OWN)),
    *("chosen", "least", "most"),
    *(f"asks {follow_up}" for follow_up in FOLLOW_UPS),
    *(
        f"{what} {patron}"
        for what in ("picked", "own favour", "other favour")
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


class Translator:
    """Implements `referee.games.interface.environment.Translator` for Scripts of Tribute."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._view: View
        self._asked: PatronRequest | PlayTurn | ChooseRequest | None = None
        self._picks: list[int] = []

    def look(self, view: View, *, asked: bool) -> None:
        """Take what the seat knows now."""
        self._view, self._picks = view, []
        self._asked = view.request if asked else None

    def observe(self) -> NDArray[np.int32]:
        """What the seat knows, as `layout` says."""
        view, asked = self._view, self._asked
        own, other = view.seats[self._seat], view.seats[1 - self._seat]
        choose = asked if isinstance(asked, ChooseRequest) else None
        favours = [
            view.favours.get(patron) == seat_id(seat)
            for seat in (self._seat, 1 - self._seat)
            for patron in PATRONS
        ]
        alone = [
            *(view.turn, view.player == self._seat, *_numbers(own), *_numbers(other)),
            *((len(self._picks), choose.min, choose.max) if choose else (0, 0, 0)),
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

    def legal(self) -> NDArray[np.int8]:
        """1 for each choice that is legal now."""
        mask = np.zeros(len(CHOICES), np.int8)
        mask[[_INDEX[name] for name in self._possible()]] = 1
        return mask

    def act(self, action: Any) -> Struct | None:
        """Take a choice; a choice of cards may take several.

        Raises:
            UsageError: it is no legal choice.
        """
        possible = self._possible()
        is_index = isinstance(action, int | np.integer) and 0 <= int(action) < len(CHOICES)
        name = CHOICES[action] if is_index else ""
        if name not in possible:
            raise UsageError(f"action {action!r} is not legal now: see the action mask")
        asked, index = self._asked, possible[name]
        if isinstance(asked, ChooseRequest) and not asked.effects:
            if index >= 0:
                self._picks.append(index)
                if len(self._picks) < min(asked.max, len(asked.cards)):
                    return None
            self._asked = None
            return ChooseReply([asked.cards[pick].uid for pick in self._picks])
        self._asked = None
        if isinstance(asked, PatronRequest):
            return PatronReply(asked.available[index])
        return PlayReply(None, index) if isinstance(asked, PlayTurn) else ChooseReply(None, index)

    def show(self) -> str:
        """What the seat knows, without zeros."""
        numbers = zip(NAMES, self.observe().tolist(), strict=True)
        return "\n".join(f"{name}: {number}" for name, number in numbers if number)

    def _possible(self) -> dict[str, int]:
        """Name -> index of each choice that is legal, of alike ones the first; "done" is -1."""
        asked = self._asked
        if asked is None:
            return {}
        if isinstance(asked, PatronRequest):
            return {f"pick {patron}": index for index, patron in enumerate(asked.available)}
        found: dict[str, int] = {}
        if isinstance(asked, PlayTurn):
            state = asked.state
            cards = [*state.me.hand, *state.row, *state.me.agents, *state.opponent.agents]
            by_uid = {card.uid: card.card for card in cards}  # type: ignore[attr-defined]
            for index, action in enumerate(asked.actions):
                words = [action.type]
                words += [] if action.card is UNSET else [by_uid[action.card]]
                words += [] if action.patron is UNSET else [action.patron]
                found.setdefault(" ".join(words), index)
            return found
        if asked.effects:
            return {"left": 0, "right": 1}
        zones: dict[int, str] = {}
        if asked.follow_up in ("destroy-cards", "complete-hlaalu", "complete-treasury"):
            me = asked.state.me
            for zone, pile in zip(_ZONES, (me.hand, me.agents, me.played), strict=True):
                zones |= {card.uid: f" of {zone}" for card in pile}  # type: ignore[attr-defined]
        for index, card in enumerate(asked.cards):
            if index not in self._picks:
                found.setdefault(f"choose {card.card}{zones.get(card.uid, '')}", index)
        if len(self._picks) >= asked.min:
            found["done"] = -1
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


class Follower:
    """Implements `referee.games.interface.environment.Follower`."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._picked: list[str] = []
        self._request: PatronRequest | PlayTurn | ChooseRequest

    def hear(self, message: Struct) -> None:
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
        own_view = SeatView(
            len(me.hand),
            me.hand,
            me.draw_pile,
            me.known,
            sorted(me.hand + me.draw_pile, key=lambda card: (_NUMBERS[card.card], card.uid)),
            me.cooldown,
            me.played,
            me.agents,
            me.coins,
            me.power,
            me.prestige,
            me.patron_calls,
            turns[self._seat],
        )
        other_view = SeatView(
            other.hand_size,
            None,
            None,
            None,
            other.hand_and_draw,
            other.cooldown,
            other.played,
            other.agents,
            other.coins,
            other.power,
            other.prestige,
            1,
            turns[1 - self._seat],
        )
        return View(
            request.turn,
            self._seat,
            self._picked.copy(),
            state.favours,
            me.counters,
            state.row,
            state.tavern_deck,
            state.start_of_next_turn,
            [own_view, other_view] if self._seat == 0 else [other_view, own_view],
            self._seat,
            request,
        )


ENVIRONMENT = Environment(
    version=1,
    choices=CHOICES,
    action_shape=lambda options: (),
    observation=layout,
    translator=Translator,
    follower=Follower,
)
