"""Star Realms for programs that learn: counts of cards, and a choice for each thing to do.

An action of the game is one choice. A `choose` takes a choice for each pick, and "done".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import UNSET, Struct, to_builtins
from numpy.typing import NDArray

from referee.games.interface.choices import Choices, ChoosingTranslator
from referee.games.interface.environment import Environment, Numbers, made_of
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.game import Options
from referee.games.starrealms.rules.messages import (
    KINDS,
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


class Translator(ChoosingTranslator, choices=CHOICES, names=NAMES):
    """Implements `referee.games.interface.environment.Translator` for Star Realms."""

    view: View

    def choices(self) -> Choices:
        """An action, or the picks of a `choose`."""
        asked = self.view.request
        if isinstance(asked, PlayTurn):
            actions: list[dict[str, str]] = to_builtins(asked.actions)
            return PlayReply([(yield {" ".join(each.values()): each for each in actions})])
        assert asked is not None  # it is asked
        options = [_pick(option) for option in asked.options]
        picks = yield from self.pick(options, asked.least, asked.most)
        return ChooseReply(picks)

    def observe(self) -> NDArray[np.int32]:
        """What the seat knows, as `layout` says."""
        view, asked = self.view, self.asked
        own, other = view.seats[self.seat], view.seats[1 - self.seat]
        choose = asked if isinstance(asked, Choose) else None
        alone = [
            *(view.turn, view.player == self.seat, view.trade, view.combat),
            *(view.next_ship_to_top, view.trade_deck, view.explorers),
            *(own.authority, own.hand_size, own.deck_size, own.due),
            *(other.authority, other.hand_size, other.deck_size, other.due),
            *((len(self.picks), choose.least, choose.most) if choose else (0, 0, 0)),
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


def _pick(option: Option) -> str:
    if option.card is UNSET:
        return f"pick {option.option}"
    return f"pick {option.card} from {option.from_}"


class StarRealmsTracker:
    """Implements `referee.games.interface.environment.StateTracker`: a request has all of it."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._request: PlayTurn | Choose

    def observe(self, message: Struct) -> None:
        """Take a message."""
        if isinstance(message, PlayTurn | Choose):
            self._request = message

    def view(self) -> View:
        """What `Game.view` says to this seat now that it is asked."""
        state, other = self._request.state, self._request.state.opponent
        bases = [InPlay(base, not CARDS[base].primary, ally_used=False) for base in other.bases]
        turns = [(state.turn + 1) // 2, state.turn // 2]
        own_view = made_of(
            SeatView,
            state,
            hand_size=len(state.hand),
            deck_size=len(state.deck),
            hidden=sorted(state.hand + state.deck),
            due=0,
            turns=turns[self._seat],
        )
        other_view = made_of(
            SeatView, other, hand=None, deck=None, in_play=bases, turns=turns[1 - self._seat]
        )
        seats = [other_view, own_view] if self._seat else [own_view, other_view]
        own = {"player": self._seat, "asked": self._seat, "request": self._request}
        return made_of(View, state, seats=seats, **own)


ENVIRONMENT = Environment(
    version=1,
    choices=CHOICES,
    action_shape=lambda options: (),
    observation=layout,
    translator=Translator,
    tracker=StarRealmsTracker,
)
