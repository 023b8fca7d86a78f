"""The chance of another referee, read from what it showed; and which case a message is about.

Every request to a seat shows its whole hand, and between two requests to a seat it draws at most
once. So when cards are drawn, the next request of that seat shows which: they are put on top of the
deck if they are there. If they are not, the hands differ, and that is found when the request is
compared. A seat that is not asked again draws anything; nobody sees it. Random discards (7.4) show
likewise in the seat's next hand, and the last of them on the pile.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.dominion.rules.cards import HAND_SIZE, MILITIA_HAND_SIZE
from referee.seam.probing import Message, Mismatch, ProbeStep
from referee.seam.seats import seat_id, seat_of

_DRAWS = {"smithy": 3, "moat": 2, "village": 1, "market": 1}


class _Tables(Struct, forbid_unknown_fields=True):
    """cases.json: which case is about what.

    Attributes:
        messages: type of a message -> the case that is about the message itself, and others that
            hold if it is right.
        mismatches: type, and the kind of mismatch or the field -> the cases that are about it.
        ends: reason of the end -> case.
        orders: what stands together in a step -> the row of 2.15 on its order; the first counts.
        common, veils: those of `Probes`. What lies last in a hand, say, is not known if hands are
            shown in another order.
    """

    messages: dict[str, str]
    mismatches: dict[str, str]
    ends: dict[str, str]
    orders: dict[str, str]
    common: dict[str, str]
    veils: dict[str, str]

    def about(self, kind: str, key: str) -> list[str]:
        """The cases that are about this being wrong with messages of a type."""
        return self.mismatches.get(f"{kind} {key}", "").split()

    def rows(self, kinds: set[str]) -> list[str]:
        """The rows of 2.15 that say in which order these types stand."""
        return [row for types, row in self.orders.items() if {*types.split()} <= kinds]


TABLES = msgspec.json.decode(Path(__file__).with_name("cases.json").read_bytes(), type=_Tables)


class Follower:
    """Implements `referee.seam.probing.Follower` for Dominion."""

    def __init__(self, requests: Sequence[Sequence[Message]], public: Sequence[Message]) -> None:
        self._shown = [[_hand_of(request) for request in each] for each in requests]
        self._tops: dict[object, list[object]] = {}
        for message in public:
            if message["type"] == "player-top-discard":
                number = str(message.get("player_number"))
                self._tops.setdefault(number, []).append(message.get("card"))
        self._asked = [0] * len(requests)
        self._topped: Counter[object] = Counter()
        self._shuffled: set[int] = set()
        self._crossed: set[int] = set()  # seats whose last draw went on after a shuffle
        self._attacked: set[object] = set()  # with three cards in hand
        self._gained: set[object] = set()
        self._disqualified: set[object] = set()
        self._disqualified_before: set[object] = set()  # this step

    # --- chance -----------------------------------------------------------------------------------

    def asked(self, seat: int) -> None:
        """A request to this seat has been compared."""
        self._asked[seat] += 1
        self._crossed.discard(seat)

    def shuffle(self, seat: int, cards: list[str]) -> None:
        """Leave the order open: with each draw it is looked up."""
        self._crossed.add(seat)

    def before_draw(self, seat: int, hand: Sequence[str], deck: list[str], count: int) -> None:
        """Put on top what the next hand shows, as far as the deck has it."""
        top: list[str] = []
        for card in _minus(self._next_hand(seat) or (), hand):
            if len(top) < count and card in deck:
                deck.remove(card)
                top.append(card)
        deck += top[::-1]

    def take(self, seat: int, cards: list[str], count: int) -> list[str]:
        """Take what the next hand no longer shows; what is on the pile then is taken last."""
        tops = self._tops.get(seat_id(seat), [])[self._topped[seat_id(seat)] :]
        top = str(tops[0]) if tops else ""
        shown = self._next_hand(seat)
        kept = _minus(cards, [top]) if shown is None else shown
        if not _is_within(kept, cards):  # the order is another one; not so the cards
            kept = _minus(cards, _minus(cards, kept))
        left: list[str] = []
        taken: list[str] = []
        for card in cards:
            stays = len(left) < len(kept) and card == kept[len(left)]
            (left if stays else taken).append(card)
        while len(taken) < count:
            taken.append(left.pop())
        cards[:] = [*taken[count:], *left]
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

    def held(self, step: ProbeStep) -> Sequence[str]:
        """The cases that a step shows by what is due in it."""
        kinds = {message["type"] for message in step.due}
        last = step.due[-1]
        self._disqualified_before = set(self._disqualified)
        held = [case for kind in kinds for case in TABLES.messages[kind].split()]
        held += TABLES.rows(kinds)[:1]
        if "supply-info" in kinds:
            start = "game-info" in kinds
            held += [f"4.2/{len(self._shown) - 1}", "2.2/1", "2.10/2"] if start else ["2.4/2"]
        if _is_fresh(last):
            held += ["4.1/1", "4.1/2", "4.4/1", "4.6/1"]
        if last["type"] == "game-end":
            held += self._held_at_the_end(step, last)
        if "player-disqualified" in kinds:
            left = [m for m in step.due if m["type"] == "player-disqualified"]
            self._disqualified |= {message["player_number"] for message in left}
            if step.seat < 0 and last["type"] != "game-end":
                held.append("3.5/1")
        if step.request.get("type") == "play-turn":
            held += self._held_in_a_turn(step, kinds, last)
        for message in step.due:
            if message["type"] == "player-top-discard":
                number = message["player_number"]
                self._topped[number] += 1
                self._attacked.discard(number)
                if step.request.get("type") == "attack-request":
                    self._attacked.add(number)
            elif message["type"] == "player-gained":
                self._gained.add(message["gained"])
            elif message["type"] == "player-shuffled":
                self._shuffled.add(step.seat)
        return held

    def _held_in_a_turn(self, step: ProbeStep, kinds: set[str], last: Message) -> Sequence[str]:
        reply = _json(step.line)
        card = str(reply.get("card"))
        held = []
        if last["type"] == "game-end" or _is_fresh(last):
            held += ["5.1/4", "2.6/1" if "player-played" in kinds else "2.6/2"]
            held += [] if "player-shuffled" in kinds else ["2.10/2"]
            if reply.get("phase") == "cleanup" and "top_discard" not in reply:
                held.append("5.1/2")
        elif reply.get("phase") == "buy":
            held += ["5.2/9"] + ["5.2/1"] * ("player-gained" in kinds)
        elif self._draws_short(step):
            held.append("4.6/3")
        if card == "militia":
            held += ["7.1/2"] * bool(self._attacked) + ["8.3/4"] * bool(self._disqualified_before)
        return held

    def _held_at_the_end(self, step: ProbeStep, end: Message) -> Sequence[str]:
        if step.seat < 0:
            return ["3.5/2"]
        scores = end["scores"]
        held = [TABLES.ends[end["reason"]]]
        if end["reason"] == "last-player-standing":
            return [*held, "4.5/1"]
        best = [seat_id(n) for n, score in enumerate(scores) if score == max(scores)]
        if not set(best) & {*end["winners"]}:
            held.append("8.3/5")
        elif len(best) > 1:
            held.append("4.5/2" if len(end["winners"]) == 1 else "4.5/3")
        return [*held, "4.3/3", "4.5/1"]

    def case_of(
        self, mismatch: Mismatch, step: ProbeStep, *, several: bool = False
    ) -> Sequence[str]:
        """The cases that are about a message that is wrong in this way."""
        kind = mismatch.type
        general = TABLES.messages.get(kind, "1.1/1").split()[0]
        if mismatch.kind == "shape":
            return [general]
        kinds = {message["type"] for message in step.due}
        if mismatch.kind == "order" and _type(mismatch.expected) != _type(mismatch.actual):
            rows = TABLES.rows(kinds)
            cleanup = rows[:1] == ["2.15/4"] and _json(step.line).get("phase") != "action"
            return ["2.15/6"] if cleanup else rows[:1]
        key = mismatch.field if mismatch.kind == "content" else mismatch.kind
        expected, actual = mismatch.expected or {}, mismatch.actual or {}
        if key == "extra" and str(actual.get("player_number")) in self._disqualified_before:
            return ["!8.3/4"]
        end = expected if kind == "game-end" else actual
        if _type(end) == "game-end":
            return self._about_the_end(end, key, step)
        if several and (kind, key) == ("player-disqualified", "missing"):
            return ["8.2/1", general]
        if several and _type(step.due[-1]) == "game-end" and step.seat >= 0:
            alone = step.due[-1]["reason"] == "last-player-standing"
            return ["8.3/1" if alone else "!2.15/8"]
        cases = TABLES.about(kind, key)
        if (kind, key) == ("attack-request", "extra") and len(
            _hand_of(actual)
        ) <= MILITIA_HAND_SIZE:
            cases = ["7.1/2"]
        elif key == "extra" and expected:  # somebody else was asked
            cases = [*TABLES.about(_type(expected), "missing"), *cases]
        if (kind, key) == ("supply-info", "cards"):
            counts = f"4.2/{len(self._shown) - 1}" if "game-info" in kinds else "2.4/2"
            cases = [counts if _piles(expected) == _piles(actual) else "2.4/1"]
        elif (kind, key) == ("play-turn", "hand"):
            cases = self._about_a_hand(step, expected, actual)
        elif kind == "player-shuffled" and key in ("missing", "extra"):
            # Or else the draw itself is wrong: that is seen when the hand is shown.
            number = str((expected or actual).get("player_number"))
            seat = seat_of(number, len(self._shown))
            hand = self._next_hand(seat) if seat is not None else ()
            if hand and len(hand) < HAND_SIZE and key == "missing":
                cases = ["4.6/2"]
            elif hand and len(hand) > HAND_SIZE and key == "extra":
                cases = ["5.1/4"]
        return [*cases, general]

    def _about_the_end(self, end: Message, key: str, step: ProbeStep) -> Sequence[str]:
        if step.seat < 0:
            return ["!3.5/2"]
        alone = end.get("reason") == "last-player-standing"
        if key == "scores":
            return ["!4.5/1"] if alone or "moat" in self._gained else ["!4.3/3"]
        if key == "winners" and not alone:
            return ["!8.3/5", "!4.5/2", "!4.5/3", "!4.5/1"]
        if key in ("missing", "extra", "reason", "winners"):
            return [f"!{TABLES.ends.get(str(end.get('reason')), '2.14/1')}"]
        return ["!2.14/1"]

    def _about_a_hand(self, step: ProbeStep, expected: Message, actual: Message) -> list[str]:
        if step.seat >= 0 and not _is_fresh(expected) and self._draws_short(step):
            return ["!4.6/3"]
        if len(_hand_of(actual)) != len(_hand_of(expected)):
            return ["5.1/4" if step.seat >= 0 else "4.1/1"]
        if step.to in self._crossed:
            return ["4.6/2"]
        return ["5.2/1"] if self._gained else ["4.6/1" if self._shuffled else "4.1/1"]

    def _draws_short(self, step: ProbeStep) -> bool:
        """Whether an action has drawn fewer cards than it should, since there were no more."""
        card, last = str(_json(step.line).get("card")), step.due[-1]
        if card not in _DRAWS or _type(last) != "play-turn" or card not in last["cards_played"]:
            return False
        return len(last["hand"]) + 1 - len(step.request["hand"]) < _DRAWS[card]


def _type(message: Message | None) -> str:
    return str((message or {}).get("type"))


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


def _piles(message: Message) -> object:
    piles = message.get("cards")
    return isinstance(piles, list) and [p.get("card") for p in piles if isinstance(p, dict)]


def _hand_of(request: Message) -> list[str]:
    hand = request.get("options" if request["type"] == "attack-request" else "hand")
    return [str(card) for card in hand] if isinstance(hand, list) else []


def _is_within(cards: Sequence[str], hand: Sequence[str]) -> bool:
    """Whether these are cards of the hand in their order."""
    rest = iter(hand)
    return all(card in rest for card in cards)


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
