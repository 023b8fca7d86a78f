"""Star Realms for reinforcement learning.

An observation is a vector of integers. Most of them say how many copies of a card are in a pile.

Each step is a single choice: one action of a turn, or one pick for a `choose` request. A policy
chooses "done" when it doesn't want to pick anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec import UNSET, Struct, to_builtins
from numpy.typing import NDArray

from referee.games.interface.choices import Choices, ChoosingTranslator, counted
from referee.games.interface.environment import Environment, Numbers, made_of
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS, EXPLORER, TRADE_DECK, Card
from referee.games.starrealms.rules.game import Options
from referee.games.starrealms.rules.player import HAND_SIZE
from referee.games.starrealms.rules.turn import keys_of
from referee.games.starrealms.rules.view import SeatView, View

_COPIES = "Stealth Needle"  # copies the abilities of other cards


# A trained policy only knows these choices by their numbers. Don't change their order without
# increasing the environment's version.
def _choices() -> Iterator[str]:
    # A policy's output has a fixed size, so we have to list every choice that can ever come up.
    # There's no "use-base" for ships, because playing a ship already triggers its ability.
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
    *(f"asks {kind}" for kind in say.KINDS),
)
_PLACES = (
    *("hand", "deck", "hidden", "discard", "in play", "unused", "ally used", "played", "copied"),
    *("trade row", "other hidden", "other discard", "other in play", "option"),
)
NAMES = (*_ALONE, *(f"{place} {card}" for place in _PLACES for card in CARDS))
_PLACE = {name: place for place, name in enumerate(NAMES)}
_AT = tuple({card: _PLACE[f"{place} {card}"] for card in CARDS} for place in _PLACES)
_BOUNDS = {
    **dict.fromkeys(("own turn", "next ship to top", *(f"asks {kind}" for kind in say.KINDS)), 1),
    **dict.fromkeys(("own due", "other due"), 10),
    **dict.fromkeys(("least", "most"), HAND_SIZE),  # at worst, the whole hand must be discarded
    "picked": HAND_SIZE - 1,  # after the last pick, the reply is sent immediately
    **dict.fromkeys(("own authority", "other authority"), 200),
    "trade deck": len(TRADE_DECK) - 5,
    "turn": 2 * 10_000,  # the highest `max_turns`, for two players
    "explorers": 1_000,
}
"""The highest values of the entries in `_ALONE`. Entries that aren't listed here go up to 100."""
_EXPLORERS = 10


def _most(place: str, card: Card) -> int:
    never = {
        "unused": card.is_ship or not card.primary,
        "ally used": not card.ally and card.name != _COPIES,
        "trade row": card.name not in TRADE_DECK,
        "other in play": card.is_ship,
    }
    if never.get(place) or place == "copied":
        return 1
    return _EXPLORERS if card.name == EXPLORER else card.copies


_HIGH = np.array(
    [_BOUNDS.get(name, 100) for name in _ALONE]
    + [_most(place, card) for place in _PLACES for card in CARDS.values()],
    np.int32,
)


def layout(seats: int, options: Options) -> Numbers:
    """Describe the observation vector: the name, minimum and maximum of each entry."""
    high = _HIGH.copy()
    high[_PLACE["turn"]], high[_PLACE["explorers"]] = 2 * options.max_turns, options.explorers
    return Numbers(NAMES, np.zeros_like(high), high)


class Translator(ChoosingTranslator, choices=CHOICES, names=NAMES):
    """Implements `referee.games.interface.environment.Translator` for Star Realms."""

    view: View

    def choices(self) -> Choices:
        asked = self.view.request
        if isinstance(asked, say.PlayTurn):
            return say.PlayReply([(yield dict(map(_named, asked.actions)))])
        assert asked is not None  # only called while the seat has a request
        options = [_pick(option) for option in asked.options]
        picks = yield from self.pick(options, asked.least, asked.most)
        return say.ChooseReply(picks)

    def chosen(self, reply: Any) -> Iterable[str]:
        asked = self.view.request
        if isinstance(asked, say.Choose):
            return [_pick(asked.options[int(pick)]) for pick in reply.picks]
        (entry,) = reply.actions
        names = [" ".join(filter(None, key)) for key in keys_of(entry)]
        return [name for name in names if name in self.options][:1] or names

    def observe(self) -> NDArray[np.int32]:
        view, asked = self.view, self.asked
        own, other = view.seats[self.seat], view.seats[1 - self.seat]
        choose = asked if isinstance(asked, say.Choose) else None
        alone = [
            *(view.turn, view.player == self.seat, view.trade, view.combat),
            *(view.next_ship_to_top, view.trade_deck, view.explorers),
            *(own.authority, own.hand_size, own.deck_size, own.due),
            *(other.authority, other.hand_size, other.deck_size, other.due),
            *((len(self.picks), choose.least, choose.most) if choose else (0, 0, 0)),
            *(choose is not None and choose.kind == kind for kind in say.KINDS),
        ]
        options = choose.options if choose else []
        # This must have the same order as _PLACES.
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
        found = (at[card] for at, cards in zip(_AT, places, strict=True) for card in cards)
        return counted(alone, found, _HIGH)


@cache
def _named(action: say.Action) -> tuple[str, dict[str, str]]:
    words: dict[str, str] = to_builtins(action)
    return " ".join(words.values()), words


def _parts(reply: Struct) -> Sequence[Struct]:
    """Split a reply into replies with one action each, up to the end of the turn.

    A bot may send a whole turn in one reply, but a policy chooses one action at a time.
    """
    if not isinstance(reply, say.PlayReply) or not isinstance(reply.actions, list):
        return (reply,)
    return [say.PlayReply([action]) for action in reply.actions] or (reply,)


def _pick(option: say.Option) -> str:
    if option.card is UNSET:
        return f"pick {option.option}"
    return f"pick {option.card} from {option.from_}"


class StarRealmsTracker:
    """Implements `referee.games.interface.environment.StateTracker`.

    Every request contains the whole state, so we only need to remember the latest one.
    """

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._request: say.PlayTurn | say.Choose

    def observe(self, message: Struct) -> None:
        if isinstance(message, say.PlayTurn | say.Choose):
            self._request = message

    def view(self) -> View:
        state, other = self._request.state, self._request.state.opponent
        # The request doesn't say whether the opponent's bases are used, but they were all refreshed
        # when its turn ended. A base without a primary ability always counts as used.
        bases = [say.InPlay(base, not CARDS[base].primary, ally_used=False) for base in other.bases]
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
    id="StarRealms",
    opponent="admiral",
    version=2,
    choices=lambda options: CHOICES,
    observation=layout,
    translator=lambda seat, seats, options: Translator(seat, seats),
    tracker=StarRealmsTracker,
    parts=_parts,
)
