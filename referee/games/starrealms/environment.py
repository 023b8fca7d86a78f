"""Star Realms for programs that learn: counts of cards, and a choice for each thing to do.

An action of the game is one choice. A `choose` takes a choice for each pick, and "done".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from msgspec import UNSET, Struct, structs
from numpy.typing import NDArray

from referee.errors import UsageError
from referee.games.interface.environment import Environment, Numbers
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.game import Options
from referee.games.starrealms.rules.messages import (
    KINDS,
    Action,
    Choose,
    ChooseReply,
    InPlay,
    Option,
    PlayReply,
    PlayTurn,
)
from referee.games.starrealms.rules.view import SeatView, View

_MOST = 1_000_000
"""No number that is observed comes near it."""
_COPIES = "Stealth Needle"  # it has the abilities of others


def _choices() -> Iterator[str]:
    cards = CARDS.values()
    bought = [card for card in cards if card.cost]
    yield from (f"play {card.name}" for card in cards)
    yield from (f"use-base {card.name}" for card in cards if card.primary and not card.is_ship)
    yield from (f"use-ally {card.name}" for card in cards if card.ally or card.name == _COPIES)
    yield from (f"scrap {card.name}" for card in cards if card.scrap or card.name == _COPIES)
    yield from (f"buy {card.name} discard" for card in bought)
    yield from (f"buy {card.name} deck" for card in bought if card.is_ship)
    yield from (f"attack-base {card.name}" for card in cards if not card.is_ship)
    yield from ("attack-player", "end-turn")
    yield from (f"pick {card.name} from {place}" for card in cards for place in ("hand", "discard"))
    yield from (f"pick {card.name} from trade-row" for card in bought)
    yield from (f"pick {card.name} from opponent" for card in cards if not card.is_ship)
    yield from (f"pick {card.name} from play" for card in cards if card.is_ship)
    yield from ("pick 1", "pick 2", "done")


CHOICES = tuple(_choices())
_INDEX = {name: index for index, name in enumerate(CHOICES)}
_ALONE = (
    *("turn", "own turn", "trade", "combat", "next ship to top", "trade deck", "explorers"),
    *("own authority", "own hand", "own deck", "own due"),
    *("other authority", "other hand", "other deck", "other due", "picked", "least", "most"),
    *(f"asks {kind}" for kind in KINDS),
)
_PLACES = (
    *("hand", "deck", "hidden", "discard", "in play", "unused", "ally used", "played", "copied"),
    *("trade row", "other hidden", "other discard", "other in play", "option"),
)
NAMES = (*_ALONE, *(f"{place} {card}" for place in _PLACES for card in CARDS))


def layout(seats: int, options: Options) -> Numbers:
    """What an observation is made of."""
    low = np.zeros(len(NAMES), np.int32)
    for name in ("own authority", "other authority"):
        low[NAMES.index(name)] = -_MOST
    return Numbers(NAMES, low, np.full(len(NAMES), _MOST, np.int32))


class Translator:
    """Implements `referee.games.interface.environment.Translator` for Star Realms."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._view: View
        self._asked: PlayTurn | Choose | None = None
        self._picks: list[int] = []

    def look(self, view: View, *, asked: bool) -> None:
        """Take what the seat knows now."""
        self._view, self._picks = view, []
        self._asked = view.request if asked else None

    def observe(self) -> NDArray[np.int32]:
        """What the seat knows, as `layout` says."""
        view, asked = self._view, self._asked
        own, other = view.seats[self._seat], view.seats[1 - self._seat]
        choose = asked if isinstance(asked, Choose) else None
        alone = [
            *(view.turn, view.player == self._seat, view.trade, view.combat),
            *(view.next_ship_to_top, view.trade_deck, view.explorers),
            *(own.authority, own.hand_size, own.deck_size, own.due),
            *(other.authority, other.hand_size, other.deck_size, other.due),
            *((len(self._picks), choose.least, choose.most) if choose else (0, 0, 0)),
            *(choose is not None and choose.kind == kind for kind in KINDS),
        ]
        options = choose.options if choose else []
        places: list[Iterable[str]] = [
            own.hand or (),
            own.deck or (),
            own.hidden,
            own.discard,
            [piece.card for piece in own.in_play],
            [piece.card for piece in own.in_play if not piece.used],
            [piece.card for piece in own.in_play if piece.ally_used],
            view.played,
            [view.copied] if view.copied else (),
            view.trade_row,
            other.hidden,
            other.discard,
            [piece.card for piece in other.in_play],
            [option.card for option in options if option.card is not UNSET],
        ]
        counts = [count for cards in map(Counter, places) for count in map(cards.get, CARDS)]
        return np.array([*alone, *(count or 0 for count in counts)], np.int32)

    def legal(self) -> NDArray[np.int8]:
        """1 for each choice that is legal now."""
        mask = np.zeros(len(CHOICES), np.int8)
        mask[[_INDEX[name] for name in self._possible()]] = 1
        return mask

    def act(self, action: Any) -> Struct | None:
        """Take a choice; a `choose` may take several.

        Raises:
            UsageError: it is no legal choice.
        """
        possible = self._possible()
        name = CHOICES[action] if _is_index(action) else ""
        if name not in possible:
            raise UsageError(f"action {action!r} is not legal now: see the action mask")
        asked, index = self._asked, possible[name]
        if isinstance(asked, PlayTurn):
            self._asked = None
            return PlayReply([_as_json(asked.actions[index])])
        assert isinstance(asked, Choose)  # or nothing would be possible
        if index >= 0:
            self._picks.append(index)
            if len(self._picks) < asked.most:
                return None
        self._asked = None
        return ChooseReply(self._picks)

    def show(self) -> str:
        """What the seat knows, without zeros."""
        numbers = zip(NAMES, self.observe().tolist(), strict=True)
        return "\n".join(f"{name}: {number}" for name, number in numbers if number)

    def _possible(self) -> dict[str, int]:
        """Name -> index of each choice that is legal: of actions, or of options; "done" is -1."""
        asked = self._asked
        if asked is None:
            return {}
        found: dict[str, int] = {}
        if isinstance(asked, PlayTurn):
            for index, action in enumerate(asked.actions):
                found[" ".join(_as_json(action).values())] = index
            return found
        for index, option in enumerate(asked.options):
            if index not in self._picks:
                found.setdefault(_pick(option), index)
        if len(self._picks) >= asked.least:
            found["done"] = -1
        return found


def _is_index(action: Any) -> bool:
    return isinstance(action, int | np.integer) and 0 <= int(action) < len(CHOICES)


def _as_json(action: Action) -> dict[str, str]:
    return {name: value for name, value in structs.asdict(action).items() if value is not UNSET}


def _pick(option: Option) -> str:
    if option.card is UNSET:
        return f"pick {option.option}"
    return f"pick {option.card} from {option.from_}"


class Follower:
    """Implements `referee.games.interface.environment.Follower`: a request has all of it."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._request: PlayTurn | Choose

    def hear(self, message: Struct) -> None:
        """Take a message."""
        if isinstance(message, PlayTurn | Choose):
            self._request = message

    def view(self) -> View:
        """What `Game.view` says to this seat now that it is asked."""
        state, other = self._request.state, self._request.state.opponent
        bases = [InPlay(base, not CARDS[base].primary, ally_used=False) for base in other.bases]
        turns = [(state.turn + 1) // 2, state.turn // 2]
        own_view = SeatView(
            state.authority,
            len(state.hand),
            len(state.deck),
            state.hand,
            state.deck,
            sorted(state.hand + state.deck),
            state.discard,
            state.in_play,
            0,
            state.shuffles,
            turns[self._seat],
        )
        other_view = SeatView(
            other.authority,
            other.hand_size,
            other.deck_size,
            None,
            None,
            other.hidden,
            other.discard,
            bases,
            other.due,
            other.shuffles,
            turns[1 - self._seat],
        )
        return View(
            state.turn,
            self._seat,
            state.trade,
            state.combat,
            state.next_ship_to_top,
            state.played,
            state.copied,
            state.trade_row,
            state.trade_deck,
            state.explorers,
            [own_view, other_view] if self._seat == 0 else [other_view, own_view],
            self._seat,
            self._request,
        )


ENVIRONMENT = Environment(
    version=1,
    choices=CHOICES,
    action_shape=lambda options: (),
    observation=layout,
    translator=Translator,
    follower=Follower,
)
