"""The chance of another referee, read from what it showed; and which cases a step shows to hold.

Every request to a seat shows its whole hand, and between two requests to a seat it draws at most
once. So when cards are drawn, the next request of that seat shows which: they are put on top of the
deck if they are there. If they are not, the hands differ, and that is found when the request is
compared. A seat that is not asked again draws anything; nobody sees it. Random discards (7.4) show
likewise in the seat's next hand, and the last of them on the pile.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.interface.probing import Message, Step
from referee.games.interface.seats import seat_id, seat_index

_DRAWS = {"smithy": 3, "moat": 2, "village": 1, "market": 1}


class _Tables(Struct, forbid_unknown_fields=True):
    """cases.json: which case is about what.

    Attributes:
        messages: type of a message -> the cases that hold if it is right; of the first's section it
            is.
        departures: the rows of `Probes.about` for what is wrong with messages.
        ends: reason of the end -> cases.
        orders: what stands together in a step -> the row of 2.15 on its order; the first counts.
    """

    messages: dict[str, str]
    departures: dict[str, str]
    ends: dict[str, str]
    orders: dict[str, str]


TABLES = msgspec.json.decode(Path(__file__).with_name("cases.json").read_bytes(), type=_Tables)
ABOUT = {
    row: case
    for kind, cases in TABLES.messages.items()
    for row, case in ((kind, cases.partition("/")[0]), (f"{kind} form", cases.split()[0]))
} | TABLES.departures


class Follower:
    """Implements `referee.games.interface.probing.Follower` for Dominion."""

    def __init__(self, requests: Sequence[Sequence[Message]], public: Sequence[Message]) -> None:
        self._shown = [[_hand_of(request) for request in each] for each in requests]
        self._tops: dict[object, list[object]] = {}
        for message in public:
            if message.get("type") == "player-top-discard":
                number = str(message.get("player_number"))
                self._tops.setdefault(number, []).append(message.get("card"))
        self._asked = [0] * len(requests)
        self._topped: Counter[object] = Counter()
        self._attacked: set[object] = set()  # with three cards in hand
        self._disqualified: set[object] = set()
        self._taken = False  # at random, in this step

    # --- chance -----------------------------------------------------------------------------------

    def asked(self, seat: int) -> None:
        """A request to this seat was as it should be."""
        self._asked[seat] += 1

    def shuffle(self, stream: str, items: list[str]) -> None:
        """Leave the order open: with each draw it is looked up."""

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Put on top what the next hand shows, as far as the deck has it."""
        top: list[str] = []
        for card in _minus(self._next_hand(seat_index(stream)) or (), hand):
            if len(top) < count and card in deck:
                deck.remove(card)
                top.append(card)
        deck += top[::-1]

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        """Take what the next hand no longer shows; what is on the pile then is taken last."""
        self._taken = True
        tops = self._tops.get(owner, [])[self._topped[owner] :]
        top = str(tops[0]) if tops else ""
        shown = self._next_hand(seat_index(owner))
        kept = _minus(items, [top]) if shown is None else shown
        rest = iter(kept)
        wanted = next(rest, None)
        left: list[str] = []
        taken: list[str] = []
        for card in items:
            if card == wanted:
                left.append(card)
                wanted = next(rest, None)
            else:
                taken.append(card)
        while len(taken) < count:
            taken.append(left.pop())
        items[:] = [*taken[count:], *left]
        del taken[count:]
        if top in taken:
            taken.remove(top)
            taken.append(top)
        return taken

    def choose(self, stream: str, count: int) -> int:
        """Never asked: nothing in Dominion is drawn like this."""
        raise NotImplementedError(stream)

    def _next_hand(self, seat: int) -> Sequence[str] | None:
        """The hand that the seat's next request shows; None if there is none."""
        shown, asked = self._shown[seat], self._asked[seat]
        return shown[asked] if asked < len(shown) else None

    # --- cases ------------------------------------------------------------------------------------

    def shows(self, step: Step) -> Iterator[str]:
        """The cases that a step shows to hold by what is due in it."""
        kinds = {message["type"] for message in step.due}
        last, reply = step.due[-1], _json(step.line)
        card, phase = str(reply.get("card")), reply.get("phase")
        for kind in kinds:
            yield from TABLES.messages[kind].split()
        yield from [row for types, row in TABLES.orders.items() if {*types.split()} <= kinds][:1]
        if "game-info" in kinds:
            yield f"4.2/{len(self._shown) - 1}"
        elif "supply-info" in kinds:
            yield "2.4/2"
        if "player-shuffled" not in kinds:
            yield "2.10/2"
        if _is_fresh(last):
            yield from ("4.1/1", "4.1/2", "4.4/1", "4.6/1", "5.1/4")
        if phase == "cleanup" and "player-played" not in kinds:
            yield "2.6/2"
        if phase == "cleanup" and "top_discard" not in reply:
            yield "5.1/2"
        if phase == "buy":
            yield from ("5.2/1", "5.2/9") if "player-gained" in kinds else ("5.2/9",)
        if self._taken:
            self._taken = False
            yield "7.4/3"
        if card == "militia":
            yield from ["7.1/2"] * bool(self._attacked) + ["8.3/4"] * bool(self._disqualified)
        if card in _DRAWS and last["type"] == "play-turn" and card in last["cards_played"]:
            drawn = len(last["hand"]) + 1 - len(step.request["hand"])
            yield from ["4.6/3"] * (drawn < _DRAWS[card])
        if last["type"] == "game-end":
            yield from self._shown_at_the_end(step, last)
        self._note(step)

    def _note(self, step: Step) -> None:
        attack = step.request.get("type") == "attack-request"
        for message in step.due:
            number = message.get("player_number")
            if message["type"] == "player-disqualified":
                self._disqualified.add(number)
            elif message["type"] == "player-top-discard":
                self._topped[number] += 1
                (self._attacked.add if attack else self._attacked.discard)(number)

    def _shown_at_the_end(self, step: Step, end: Message) -> Iterator[str]:
        if step.seat < 0:
            yield "3.5/2"
            return
        yield from TABLES.ends[end["reason"]].split()
        scores = end["scores"]
        best = [seat_id(seat) for seat, score in enumerate(scores) if score == max(scores)]
        if not {*best} & {*end["winners"]}:
            yield "8.3/5"
        elif len(best) > 1 and end["reason"] != "last-player-standing":
            yield "4.5/2" if len(end["winners"]) == 1 else "4.5/3"


def _is_fresh(request: Message) -> bool:
    """Whether a play-turn begins a turn."""
    begins = request.get("actions") == request.get("buys") == 1
    return request["type"] == "play-turn" and begins and not request.get("cards_played")


def _json(line: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(line, parse_int=str)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _hand_of(request: Message) -> list[str]:
    hand = request.get("options" if request["type"] == "attack-request" else "hand")
    return [str(card) for card in hand] if isinstance(hand, list) else []


def _minus(cards: Sequence[str], others: Sequence[str]) -> list[str]:
    """The cards without the others, in their order; the first of each are taken away."""
    away = Counter(others)
    left = []
    for card in cards:
        if away[card]:
            away[card] -= 1
        else:
            left.append(card)
    return left
