"""A game with the chance of another referee's: what it drew is read off what it showed.

Theory of operation. Every request to a seat shows its whole hand, and between two requests to a
seat it draws at most once. So when cards are drawn, the next request of that seat shows which:
they are taken from the deck if they are there, and if they are not, the hands differ, and that is
found when the request is compared. A seat that is not asked again draws anything; nobody sees it.
Random discards (7.4) show likewise in the seat's next hand, and the last of them on the pile.
All else is our own rules.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from msgspec import Struct, to_builtins

from referee.chance import SeededChance
from referee.dominion import blame
from referee.dominion.cards import MILITIA_HAND_SIZE
from referee.dominion.effects import Decisions
from referee.dominion.game import Dominion
from referee.dominion.messages import (
    AttackRequest,
    PlayerGained,
    PlayerPlayed,
    PlayerReveal,
    PlayerShuffled,
    PlayerTopDiscard,
    PlayerTrashed,
    SupplyInfo,
)
from referee.dominion.player import Player
from referee.dominion.steps import attack_rules, turn_rules
from referee.dominion.table import Table
from referee.game import (
    GONE,
    Departure,
    Fault,
    Request,
    Setup,
    Termination,
    Witnessed,
)

_TOLD = {
    PlayerGained: "2.5/1",
    PlayerPlayed: "2.6/1",
    PlayerTrashed: "2.7/1",
    PlayerTopDiscard: "2.8/1",
    PlayerReveal: "2.9/1",
    PlayerShuffled: "2.10/1",
}


_TO_THE_DISCARD_PILE = ("5.2/1", "6.6/1", "6.10/1")


class Draw(Struct):
    """The last draw of a seat.

    Attributes:
        base: the hand before it.
        count: how many cards were to be drawn.
        deck: how many the deck held.
        drawn: how many were drawn.
        rules: what it was drawn for.
    """

    base: list[str]
    count: int
    deck: int
    drawn: int
    rules: list[str]


class ShadowPlayer(Player):
    """A seat whose draws are looked up.

    Attributes:
        asked: requests that it was sent.
        discardings: how often it has discarded.
        shuffles: how often its discard pile became its deck.
        last_draw: the last that it drew.
        notes: what happened in this step besides; the game's.
        put: card -> the rules by which it was put on the discard pile since the last shuffle.
        hand_rules: the rules that made its hand what it is.
    """

    __slots__ = (
        "_shown",
        "_tops",
        "asked",
        "discardings",
        "hand_rules",
        "last_draw",
        "notes",
        "put",
        "shuffles",
        "step",
    )

    def __init__(self, seat: int, witnessed: Witnessed, step: list[str], notes: list[str]) -> None:
        self._shown = [_hand_of(request) for request in witnessed.requests[seat]]
        self.asked = 0
        self.discardings = 0
        self.shuffles = 0
        self.put: dict[str, list[str]] = {}
        self.step = step
        self.notes = notes
        self.last_draw = Draw([], 0, 0, 0, [])
        self.hand_rules = ["4.1/1"]
        super().__init__(seat, SeededChance(0))
        self._tops = [
            message.get("card")
            for message in witnessed.public
            if message.get("type") == "player-top-discard"
            and message.get("player_number") == self.number
        ]

    def draw(self, count: int) -> bool:
        """Draw what the referee drew, as far as it can have been drawn."""
        self.last_draw = Draw(self.hand.copy(), count, len(self.deck), 0, list(self.step))
        shown = self.next_hand()
        wanted = [] if shown is None else _minus(shown, self.hand)
        first = min(count, len(self.deck))
        missing = count - first
        if sorted(wanted[:first]) != sorted(self.deck) and missing:
            # All of the deck is drawn, in whatever order it is shown; the rest was shuffled.
            wanted = [*self.deck, *_minus(wanted, self.deck)]
        self._take(wanted[:first], first)
        shuffled = bool(missing and self.discard_pile)
        if shuffled:
            self.deck, self.discard_pile = self.discard_pile, []
            self.put = {}
            self.shuffles += 1
            self._take(wanted[first:], min(missing, len(self.deck)))
        self.last_draw.drawn = len(self.hand) - len(self.last_draw.base)
        self.notes += ["4.6/1"] if count else []
        self.notes.append("4.6/2" if shuffled else "2.10/2")
        if self.last_draw.drawn < count:
            self.notes.append("4.6/3")
        return shuffled

    def _take(self, wanted: Sequence[str], count: int) -> None:
        for place in range(count):
            card = wanted[place] if place < len(wanted) else ""
            self.hand.append(self.deck.pop(self.deck.index(card) if card in self.deck else -1))

    def take_at_random(self, count: int) -> list[str]:
        """Take hand cards as the referee did, the last of them last."""
        after = self.next_hand()
        top = self._tops[self.discardings] if self.discardings < len(self._tops) else None
        # What is kept is what the next hand shows; if nothing does, all but the one on top.
        kept = after if after is not None else _minus(self.hand, [str(top)])
        taken: list[str] = []
        left: list[str] = []
        place = 0
        if not _is_within(kept, self.hand):  # the order is another one; not so the cards
            kept = _minus(self.hand, _minus(self.hand, kept))
        for card in self.hand:
            if place < len(kept) and card == kept[place]:
                left.append(card)
                place += 1
            else:
                taken.append(card)
        while len(taken) < count:
            taken.append(left.pop())
        left = taken[count:] + left
        taken = taken[:count]
        if top in taken:
            taken.remove(top)
            taken.append(top)
        self.hand = left
        return taken

    def next_hand(self) -> list[str] | None:
        """The hand that the seat's next request shows; None if there is none."""
        return self._shown[self.asked] if self.asked < len(self._shown) else None

    @property
    def requests(self) -> int:
        """How many requests the referee has sent to it, all in all."""
        return len(self._shown)


class ShadowTable(Table):
    """A table at which chance is looked up."""

    __slots__ = ("seats", "step")

    def __init__(
        self, players: int, witnessed: Witnessed, step: list[str], notes: list[str]
    ) -> None:
        super().__init__(SeededChance(0), players)
        self.step = step
        self.seats = [ShadowPlayer(seat, witnessed, step, notes) for seat in range(players)]
        self.players = list(self.seats)

    def gain(self, player: Player, card: str, *, to_hand: bool = False) -> None:
        """Note which rule put the card where it is."""
        if not to_hand:
            rules = [rule for rule in self.step if rule in _TO_THE_DISCARD_PILE]
            self.seats[player.seat].put.setdefault(card, []).extend(rules)
        super().gain(player, card, to_hand=to_hand)

    def discard(self, player: Player, cards: list[str]) -> None:
        """Count the discardings: each has its message."""
        super().discard(player, cards)
        seat = self.seats[player.seat]
        seat.discardings += bool(cards)
        for card in cards:
            seat.put.setdefault(card, []).append("5.1/4")

    def take_at_random(self, player: Player, count: int) -> list[str]:
        """Take what the referee took."""
        return self.seats[player.seat].take_at_random(count)


class ShadowGame(Dominion):
    """Implements `referee.game.Shadow` for Dominion."""

    def __init__(self, setup: Setup, witnessed: Witnessed) -> None:
        super().__init__(setup)
        self._step: list[str] = []
        """What the reply of this step is about."""
        self._told: list[str] = []
        """What happened in it besides."""
        self._shadow = ShadowTable(len(setup.names), witnessed, self._step, self._told)
        self._table = self._shadow
        self._line: Any = None
        self._turn_rules: list[str] = []
        """What the last reply to a play-turn was about."""
        self._opened = -1
        """Who began a turn in this step."""
        self._stops = any(
            message.get("type") == "game-end" and message.get("reason") == Termination.TURN_LIMIT
            for message in witnessed.public
        )

    # --- the game -----------------------------------------------------------------------------

    def hear(self, line: bytes) -> None:
        """Keep what the decoded reply does not tell: null and missing are the same there."""
        try:
            self._line = json.loads(line, parse_int=str)
        except (ValueError, RecursionError):
            self._line = None

    def start(self) -> None:
        """Deal, and ask the first."""
        players = len(self._table.players)
        self._begin_step(["2.15/1", f"4.2/{players - 1}", "2.3/1", "2.4/1", "1.6/1"])
        super().start()
        self._count_request()

    def reply(self, reply: object) -> None:
        """Answer the request, and note what that is about."""
        request = self.request
        if request is not None:
            self._begin_step(self._rules_of(request, reply))
            if isinstance(request.message, AttackRequest):
                self._shadow.seats[request.seat].hand_rules = list(self._step)
        super().reply(reply)
        self._count_request()

    def disqualify(self, seat: int) -> None:
        """Take a seat out; if it was not asked, nothing happens."""
        if self.request is None or self.request.seat != seat:
            self._table.players[seat].gone = True
            return
        super().disqualify(seat)

    def take_events(self) -> list[Struct]:
        """The same; what they tell is noted."""
        events = super().take_events()
        for event in events:
            rule = _TOLD.get(type(event))
            if rule is not None:
                self._told.append(rule)
            elif type(event) is SupplyInfo:
                self._told += ["2.4/1"] if self._step[0] == "2.15/1" else ["2.4/1", "2.4/2"]
        kinds = [type(event) for event in events if type(event) is not Fault]
        if PlayerGained in kinds:
            self._told += ["2.8/2", "2.15/2" if PlayerTrashed in kinds else "2.15/3"]
        if PlayerTopDiscard in kinds and PlayerShuffled in kinds:
            cellar = "6.1/1" in self._step
            self._told.append("2.15/4" if cellar else "2.15/6")
        return events

    def _begin_step(self, rules: list[str]) -> None:
        self._step[:] = rules
        self._told.clear()
        self._opened = -1

    def _rules_of(self, request: Request, reply: object) -> list[str]:
        attacked = isinstance(request.message, AttackRequest)
        if reply is GONE:
            return ["8.3/3"] if attacked else ["8.3/2", "2.15/7"]
        if isinstance(request.message, AttackRequest):
            return [*attack_rules(request.message, reply), "2.15/5"]
        rules = turn_rules(request.message, reply, self._line, self._table.supply.counts)
        self._turn_rules = rules
        if "6.3/1" in rules:
            others = self._table.others(self._table.players[request.seat])
            if len(others) > 1:
                rules.append("7.1/1")
            if any(len(other.hand) <= MILITIA_HAND_SIZE for other in others):
                rules.append("7.1/2")
            if any(player.gone for player in self._table.players):
                rules.append("8.3/4")
        return rules

    def _count_request(self) -> None:
        if self.request is not None:
            self._shadow.seats[self.request.seat].asked += 1
            if isinstance(self.request.message, AttackRequest):
                self._told += ["7.1/3", "2.12/1"]
            else:
                self._told += ["2.11/1", "2.11/2"]

    def _turn(self, player: Player) -> Decisions:
        self._opened = player.seat
        self._told += ["4.1/2", "4.4/1"]
        if player.turns == 0:
            self._told.append("4.1/1")
        if any(other.gone for other in self._table.players):
            self._told.append("8.3/2")
        yield from super()._turn(player)
        self._after_turn(player)

    def _after_turn(self, player: Player) -> None:
        """Note what the clean-up was about."""
        seat = self._shadow.seats[player.seat]
        seat.hand_rules = ["5.1/4"]
        self._told.append("5.1/4")
        if PlayerPlayed not in [type(event) for event in self._table.events]:
            self._told.append("2.6/2")

    def _end_reason(self, player: Player) -> str | None:
        reason = super()._end_reason(player)
        left = [seat for seat in self._shadow.seats if not seat.gone]
        # The limit is an option: any will do, if it is the same for all.
        stops = self._stops and all(seat.asked == seat.requests for seat in left)
        if reason is None and stops and len({seat.turns for seat in left}) == 1:
            reason = Termination.TURN_LIMIT
        if reason is not None:
            self._note_end(reason)
        return reason

    def _note_end(self, reason: str) -> None:
        self._told += ["4.5/1", "4.3/3", "2.15/8", blame.END_RULES.get(reason, "4.4/4")]
        points = [player.score() for player in self._table.players]
        left = [player for player in self._table.players if not player.gone]
        best = max(player.score() for player in left)
        turns = [player.turns for player in left if player.score() == best]
        if max(turns) > min(turns):
            self._told.append("4.5/2")
        if turns.count(min(turns)) > 1:
            self._told.append("4.5/3")
        if max(points) > best:
            self._told.append("8.3/5")

    # --- what it was about --------------------------------------------------------------------

    def rules(self) -> list[str]:
        """The cases of the last step."""
        return [*self._step, *self._told]

    def adopt(self, seat: int, message: Mapping[str, Any]) -> str:
        """Take over a hand that is right but for its order."""
        if self.request is None or self.request.seat != seat:
            return ""
        asked = to_builtins(self.request.message)
        field = "options" if asked["type"] == "attack-request" else "hand"
        shown = message.get(field)
        if not _is_hand(shown) or sorted(shown) != sorted(asked[field]):
            return ""
        if {**message, field: asked[field]} != asked:
            return ""
        self._table.players[seat].hand[:] = shown
        return "2.12/1" if field == "options" else "2.11/1"

    def blame(self, departure: Departure) -> list[str]:
        """The cases that a departure in the last step may break."""
        return blame.blame(
            departure,
            blame.Step(
                self._step,
                self._turn_rules,
                self._told,
                self._shadow.seats,
                self._opened >= 0,
                any(player.gone for player in self._table.players),
                [standing.cards for standing in self.standings()],
            ),
        )


def _hand_of(request: Mapping[str, Any]) -> list[str]:
    hand = request.get("options" if request.get("type") == "attack-request" else "hand")
    return list(hand) if _is_hand(hand) else []


def _is_hand(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(card, str) for card in value)


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
