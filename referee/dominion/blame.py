"""Which rule another referee breaks: from the place where it departs from what is right.

A departure is one message that is not what the rules send. What the reply before it was about says
most (`Step.rules`); which message it is and in which field it differs says the rest. The answer is
a list: the suite, which sees all matches, takes the one that fits them best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.dominion.cards import CARDS, POINTS, STARTING_DECK
from referee.game import Departure, Termination

if TYPE_CHECKING:
    from referee.dominion.shadow import ShadowPlayer

END_RULES = {
    "provinces-empty": "4.4/2",
    "piles-empty": "4.4/3",
    Termination.TURN_LIMIT: "4.4/4",
    Termination.LAST_PLAYER_STANDING: "8.3/1",
    Termination.NO_PLAYERS: "3.5/3",
}
"""End reason -> the rule of it."""


class Step(NamedTuple):
    """What happened last.

    Attributes:
        rules: what the reply was about.
        turn: what the last reply to a play-turn was about.
        told: what happened in this step besides.
        seats: all of them.
        opened: a turn began.
        gone: somebody has left the match.
        cards: the cards that each seat owns.
    """

    rules: Sequence[str]
    turn: Sequence[str]
    told: Sequence[str]
    seats: Sequence[ShadowPlayer]
    opened: bool
    gone: bool
    cards: Sequence[Mapping[str, int]]


def blame(departure: Departure, step: Step) -> list[str]:
    """The cases that a departure may break, the likeliest first."""
    expected = departure.expected["type"]
    actual = None if departure.actual is None else departure.actual.get("type")
    if departure.reordered:
        return [_order(expected, step)]
    if actual == "game-end" and expected != "game-end":
        if "game-end" in departure.due:
            return ["2.15/8"]
        return _ended_early(departure.actual or {}, step)
    if actual == "attack-request" and expected not in ("attack-request", "game-end"):
        return ["7.1/2", *step.rules]
    if actual == "player-shuffled" and expected != "player-shuffled":
        return _shuffled_too_often(departure.actual or {}, step)
    found = [rule for rule in _BY_TYPE[expected](departure, actual, step) if rule != "2.15/7"]
    return list(dict.fromkeys(found))


def _order(expected: str, step: Step) -> str:
    """The row of 2.15 that a message belongs to."""
    first = step.rules[0]
    if first == "2.15/1":
        return first
    if first.startswith("8."):
        return "2.15/7"
    if first.startswith("7."):
        return "2.15/5"
    if expected in ("player-trashed", "player-gained", "supply-info"):
        return "2.15/2" if first.startswith("6.") else "2.15/3"
    return "2.15/4" if first.startswith("6.1/") else "2.15/6"


def _ended_early(actual: Mapping[str, Any], step: Step) -> list[str]:
    reason = actual.get("reason")
    rule = END_RULES.get(reason) if isinstance(reason, str) else None
    if rule == "8.3/1":
        return [*step.rules, rule]
    return [rule or "2.14/1"] if step.opened else [rule or "2.14/1", *step.rules]


def _play_turn(departure: Departure, actual: str | None, step: Step) -> list[str]:
    if actual == "play-turn" and departure.actual is not None:
        return _other_request(departure, departure.actual, step)
    active = _seat_of(departure.actual or {}, step)
    if step.opened and active not in (None, _seat(departure, step)):
        return [*["8.3/2"] * step.gone, "4.1/2", *step.rules]  # it is another one's turn
    if actual == "player-top-discard":
        return ["2.8/2", *step.rules]
    if actual == "player-played":
        return [*step.rules, "2.6/2"]
    if actual == "supply-info":
        return ["2.4/2", *step.rules]
    kinds = {message.get("type") for message in departure.elsewhere.values()}
    if "attack-request" in kinds:
        return ["7.1/2", *step.rules]
    if step.opened and "play-turn" in kinds:
        return ["8.3/2", *step.rules] if step.gone else ["4.1/2", *step.rules]
    return list(step.rules)


def _other_request(departure: Departure, actual: Mapping[str, Any], step: Step) -> list[str]:
    """A `play-turn` with something else in it."""
    expected = departure.expected
    field = next((name for name in expected if actual.get(name) != expected[name]), "type")
    if not _alike(expected[field], actual.get(field)):
        return ["2.11/1"]
    if field == "hand":
        return _hand(expected[field], actual[field], _seat(departure, step), step)
    if field in ("cards_bought", "cards_gained"):
        return ["2.11/2"]  # what was got is told to all, and was right
    if step.opened:
        return ["2.11/2"] if field == "cards_played" else ["4.4/1"]
    if "5.2/9" in step.rules and field != "cards_played":
        return ["5.2/9"]
    # After a militia the last reply was somebody else's.
    rules = step.turn if step.rules[0].startswith("7.") else step.rules
    return [*rules, "5.3/1"] if field == "actions" and "6.3/1" in rules else list(rules)


def _seat(departure: Departure, step: Step) -> ShadowPlayer:
    """Whom a message is for."""
    assert departure.seat is not None  # it is a request
    return step.seats[departure.seat]


def _seat_of(message: Mapping[str, Any], step: Step) -> ShadowPlayer | None:
    """Whom a message is about."""
    number = message.get("player_number")
    return next((seat for seat in step.seats if seat.number == number), None)


def _alike(expected: object, actual: object) -> bool:
    if isinstance(expected, list):
        return isinstance(actual, list) and all(
            isinstance(card, str) and card in CARDS for card in actual
        )
    return type(expected) is type(actual)


def _hand(expected: list[str], actual: list[str], seat: ShadowPlayer, step: Step) -> list[str]:
    """Another hand than the right one."""
    draw = seat.last_draw
    rules = list(seat.hand_rules if step.opened else step.rules)
    if Counter(draw.base) - Counter(actual):
        return rules  # what was to stay in hand did not
    drawn = len(actual) - len(draw.base)
    if len(actual) != len(expected):
        if draw.deck < draw.count and drawn == draw.deck:
            return ["4.6/2", *rules]
        if draw.drawn < draw.count:
            return ["4.6/3", *rules]
        if rules and rules[0].startswith("6."):
            # Whatever else the reply was about, the card draws as it always does.
            rules.insert(1, rules[0].partition("/")[0] + "/1")
        return rules
    strange = Counter(actual) - Counter(expected)
    put = [rule for card in strange for rule in seat.put.get(card, ())]
    if seat.asked <= 1:
        return ["4.1/1", *put]
    if put and "5.1/4" not in put:
        return put  # it was gained to another place
    if not seat.shuffles and not strange.keys() - set(STARTING_DECK):
        return ["4.1/1"]
    return ["4.6/1", *put, *rules]


def _attack(departure: Departure, actual: str | None, step: Step) -> list[str]:
    expected = departure.expected
    if actual == "attack-request" and departure.actual is not None:
        if departure.actual.get("discard") != expected["discard"]:
            return ["7.1/3"]
        if not _alike(expected["options"], departure.actual.get("options")):
            return ["2.12/1"]
        hand = departure.actual["options"]
        seat = _seat(departure, step)
        return _hand(expected["options"], hand, seat, step._replace(opened=True))
    if any(message.get("type") == "attack-request" for message in departure.elsewhere.values()):
        return ["7.1/1"]
    return ["7.1/1", *step.rules]


def _gained(departure: Departure, actual: str | None, step: Step) -> list[str]:
    return ["2.5/1"] if actual == "supply-info" else [*step.rules, "2.5/1"]


def _supply(departure: Departure, actual: str | None, step: Step) -> list[str]:
    if departure.actual is None or actual != "supply-info":
        return ["2.4/2"]
    counts = _counts(departure.actual)
    right = _counts(departure.expected)
    if counts is None or right is None or [*counts] != [*right]:
        return ["2.4/1"]
    if step.rules[0] == "2.15/1":
        return [f"4.2/{len(step.cards) - 1}"]
    return ["2.4/2", *step.rules]


def _counts(message: Mapping[str, Any]) -> dict[Any, Any] | None:
    try:
        return {pile["card"]: pile["count"] for pile in message["cards"]}
    except (TypeError, LookupError):
        return None


def _played(departure: Departure, actual: str | None, step: Step) -> list[str]:
    if actual == "player-played":
        return ["2.6/1", *step.rules]
    if actual == "player-top-discard":
        return ["2.6/1", "2.8/2"]
    return [*step.rules, "2.6/1"]


def _trashed(departure: Departure, actual: str | None, step: Step) -> list[str]:
    return ["2.7/1"] if actual == "player-gained" else [*step.rules, "2.7/1"]


def _top(departure: Departure, actual: str | None, step: Step) -> list[str]:
    if actual == "player-played" and _seat_of(departure.actual or {}, step) == _seat_of(
        departure.expected, step
    ):
        return ["2.6/2"]
    if actual == "player-top-discard":
        # The pick and the discards at random depend on the order of the hand.
        return [*step.rules, "5.1/2", "2.11/1"] if step.rules[0][0] in "58" else list(step.rules)
    return ["2.8/1", *step.rules]


def _reveal(departure: Departure, actual: str | None, step: Step) -> list[str]:
    if actual == "player-top-discard":
        return list(step.rules)
    return ["2.9/1"] if actual == "player-reveal" else ["2.9/1", *step.rules]


def _shuffled(departure: Departure, actual: str | None, step: Step) -> list[str]:
    seat = _seat_of(departure.expected, step)
    shown = None if seat is None else seat.next_hand()
    if seat is not None and shown is not None and len(shown) < len(seat.hand):
        return ["4.6/2"]
    return ["2.10/1"]


def _shuffled_too_often(message: Mapping[str, Any], step: Step) -> list[str]:
    """A shuffle too many: the one that is told, or one that was made to draw more."""
    seat = _seat_of(message, step)
    shown = None if seat is None else seat.next_hand()
    rules = ["5.1/4"] if step.opened else list(step.rules)
    if seat is not None and shown is not None and len(shown) == len(seat.hand):
        return ["2.10/2", *rules]
    return rules if shown is not None else [*rules, "2.10/2"]


def _end(departure: Departure, actual: str | None, step: Step) -> list[str]:
    expected, message = departure.expected, departure.actual
    rule = END_RULES[expected["reason"]]
    if actual != "game-end" or message is None:
        return [rule] if actual is not None or departure.elsewhere else [rule, "2.14/1"]
    if message.get("scores") != expected["scores"]:
        return _scores(expected["scores"], message.get("scores"), step)
    if message.get("winners") != expected["winners"]:
        return _winners(expected, message.get("winners"), step)
    return [rule]


def _scores(right: list[int], actual: object, step: Step) -> list[str]:
    """Another worth of one card, or other cards that count."""
    if not isinstance(actual, list) or len(actual) != len(right):
        return ["2.14/1"]
    for card in CARDS:
        for worth in range(-20, 21):
            more = worth - POINTS.get(card, 0)
            counts = [cards.get(card, 0) for cards in step.cards]
            if more and actual == [
                score + more * count for score, count in zip(right, counts, strict=True)
            ]:
                return ["4.3/3", "4.5/1", "4.1/1"]
    return ["4.5/1", "4.1/1"]  # of a deal that is another the scores tell as well


def _winners(expected: Mapping[str, Any], actual: object, step: Step) -> list[str]:
    if not isinstance(actual, list):
        return ["2.14/1"]
    ties = [rule for rule in ("8.3/5", "4.5/2", "4.5/3") if rule in step.told]
    return [*ties, "4.5/1"]


_BY_TYPE: Mapping[str, Callable[[Departure, str | None, Step], list[str]]] = {
    "play-turn": _play_turn,
    "attack-request": _attack,
    "player-gained": _gained,
    "supply-info": _supply,
    "player-played": _played,
    "player-trashed": _trashed,
    "player-top-discard": _top,
    "player-reveal": _reveal,
    "player-shuffled": _shuffled,
    "game-info": lambda departure, actual, step: ["2.3/1"],
    "game-end": _end,
}
