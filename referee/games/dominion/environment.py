"""Dominion for reinforcement learning. Observations count cards, and an action is one choice.

A policy makes several choices for a single reply (spec/python-rl.md, 2). If it could only choose
"done", we don't ask. The clean-up is an exception, because every request needs at least one choice.
"""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterable, Iterator
from functools import cache
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.games.dominion.kit import Memory
from referee.games.dominion.rules import messages as say
from referee.games.dominion.rules.cards import (
    CARDS,
    COST,
    HAND_SIZE,
    KINGDOM,
    MILITIA_HAND_SIZE,
    POINTS,
    STARTING_DECK,
    WORTH,
    kingdom_of,
)
from referee.games.dominion.rules.choices import EXCHANGES, for_sale, parameters, unavailable_reason
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.supply import Supply
from referee.games.dominion.rules.view import OwnCards, SeatView, View
from referee.games.interface.choices import DONE, Choices, ChoosingTranslator
from referee.games.interface.choices import Options as Named
from referee.games.interface.environment import Environment, Numbers
from referee.games.interface.seats import seat_id, seat_ids

REVEAL_MOAT = "reveal moat"
STAGES = (
    *("action", "buy", "clean-up", "cellar", "mine: trash", "mine: gain"),
    *("remodel: trash", "remodel: gain", "workshop", "militia"),
)
"""The stages in which a policy builds a reply. The possible choices depend on the stage."""
_STAGE = {stage: [int(stage == other) for other in STAGES] for stage in ("", *STAGES)}
_NAMED = {
    what: {card: f"{what} {card}" for card in CARDS}
    for what in ("play", "buy", "gain", "trash", "discard", "top")
}
_ACTIONS = frozenset(KINGDOM)
_NEEDING = (*EXCHANGES, "workshop")
_AFFORDABLE = [
    [(f"buy {card}", card) for card in for_sale(dict.fromkeys(CARDS, 1), money)]
    for money in range(max(COST.values()) + 1)
]
"""The cards that you can pay for with 0, 1, 2, ... money, as pairs of choice and card."""
_OWN_CARDS = ("chosen", "hand", "in play", "discard pile", "deck")
_SINGLE = (
    *(f"stage {stage}" for stage in STAGES),
    *("actions", "buys", "extra money", "money", "due", "turns", "seat", "score"),
)
_MONEY = dict.fromkeys(CARDS, 0) | WORTH


class Spaces:
    """The actions and observations of a match with these kingdom cards.

    Attributes:
        choices: names of all actions. An action's number is its index in this sequence.
        at: for each place and card, the index of the card's count in an observation.
        none: card -> 0.
        size: count of the numbers in an observation, without the numbers about opponents.
    """

    def __init__(self, kingdom: tuple[str, ...]) -> None:
        cards = [card for card in CARDS if card in kingdom or card not in KINGDOM]
        self.choices = (
            *(DONE, REVEAL_MOAT, *(_NAMED["play"][card] for card in kingdom)),
            *(_NAMED[what][card] for what in [*_NAMED][1:] for card in cards),
        )
        self.number = {name: number for number, name in enumerate(self.choices)}
        self.at, self.size = dict[str, dict[str, int]](), len(_SINGLE)
        for place in (*_OWN_CARDS, "supply"):
            self.at[place] = {card: at for at, card in enumerate(cards, self.size)}
            self.size += len(cards)
        self.none = dict.fromkeys(cards, 0)


spaces_of = cache(Spaces)


def layout(seats: int, options: Options) -> Numbers:
    """Return the names and bounds of the numbers that `Translator.observe` returns."""
    kingdom = kingdom_of(options)
    full = Supply(seats, kingdom).counts
    # No kingdom card can be played more often in a turn than there are copies of it.
    plays = {card: full[card] for card in kingdom}
    owned = {card: count + STARTING_DECK.count(card) for card, count in full.items()}
    coins = sum(owned[card] * worth for card, worth in WORTH.items())
    actions = 1 + sum(max(0, CARDS[card].actions - 1) * plays[card] for card in kingdom)
    # Cards that give no action compete for the available actions. To get an upper bound, play
    # those that give the most money.
    money = sorted((c.money for c in map(CARDS.get, plays) if c and not c.actions), reverse=True)
    extra = sum(plays[card] * CARDS[card].money for card in kingdom if CARDS[card].actions)
    extra += sum([each for each in money for _ in range(10)][:actions])
    highest = sum(owned[card] * worth for card, worth in POINTS.items() if worth > 0)
    least = sum(owned[card] * worth for card, worth in POINTS.items() if worth < 0)
    buys = 1 + sum(plays[card] * CARDS[card].buys for card in kingdom)
    single = [*[1] * len(STAGES), actions, buys, extra, extra + coins]
    single += [HAND_SIZE - MILITIA_HAND_SIZE, options.max_turns, seats - 1, highest]
    entries = [(name, 0, most) for name, most in zip(_SINGLE, single, strict=True)]
    entries[-1] = ("score", least, highest)
    for place in _OWN_CARDS:
        cards = owned | dict.fromkeys(POINTS, 1) if place == "in play" else owned
        entries += [(f"{place} {card}", 0, count) for card, count in cards.items()]
    entries += [(f"supply {card}", 0, count) for card, count in full.items()]
    for other in range(1, seats):
        entries.append((f"opponent {other} score", least, highest))
        entries += [(f"opponent {other} owns {card}", 0, most) for card, most in owned.items()]
    names, low, high = zip(*entries, strict=True)
    return Numbers(names, np.array(low, np.int32), np.array(high, np.int32))


class Translator(ChoosingTranslator, choices=()):
    """Implements `referee.games.interface.environment.Translator` for Dominion.

    The observation shows the choices of an unfinished reply as if they were carried out. That way,
    a policy sees its own decisions so far.
    """

    def __init__(self, seat: int, seats: int, spaces: Spaces) -> None:
        super().__init__(seat, seats)
        self._choices, self._number = spaces.choices, spaces.number
        self._at, self._none = spaces.at, spaces.none
        others = [(seat + step) % seats for step in range(1, seats)]  # in turn order
        size = 1 + len(self._none)  # each opponent has a score and a count for every card
        self._others = [(other, spaces.size + size * at + 1) for at, other in enumerate(others)]
        self._zeros = array("i", [0]) * (spaces.size + size * len(others))
        self._known: dict[int, tuple[object, array[int]]] = {}

    def look(self, view: View, *, asked: bool) -> None:
        me = view.seats[self.seat]
        own = me.own
        assert own is not None  # always set in the view of a seat
        self._seen = seen = self._zeros[:]  # observe() fills in the first numbers
        for place, cards in zip(
            _OWN_CARDS[1:], (own.hand, own.in_play, own.discard_pile, own.deck), strict=True
        ):
            at = self._at[place]
            for card in cards:
                seen[at[card]] += 1
        self._write_counts(self._at["supply"]["curse"], view.supply)
        for seat, start in self._others:
            other = view.seats[seat]
            seen[start - 1] = other.score
            self._write_counts(start, other.cards)
        self._turns, self._score, self._stage = own.turns, me.score, ""
        self._supply = view.supply
        self._actions = self._buys = self._extra = self._money = self._due = 0
        request = view.request
        if isinstance(request, say.PlayTurn):
            self._actions, self._buys = request.actions, request.buys
            self._extra = request.extra_money
            self._money = self._extra + sum(map(_MONEY.__getitem__, own.hand))
        elif request is not None:
            self._due = request.discard
        super().look(view, asked=asked)

    def _write_counts(self, start: int, cards: dict[str, int]) -> None:
        # Views share these dicts as long as nothing has changed, so it's enough to compare their
        # identity.
        source, counts = self._known.get(start, (None, self._zeros))
        if cards is not source:
            every = cards if len(cards) == len(self._none) else self._none | cards
            counts = array("i", every.values())
            self._known[start] = cards, counts
        self._seen[start : start + len(counts)] = counts

    # --- options ----------------------------------------------------------------------------------

    def choices(self) -> Choices:
        if self._due:
            return (yield from self._attacked())
        own = self.view.seats[self.seat].own
        if self._actions:
            hand = _ACTIONS.intersection(own.hand)
            playable = hand and [c for c in KINGDOM if c in hand and self._can_be_played(c)]
            # If no card has an effect now, we skip this stage, because "done" would be the only
            # choice.
            if playable:
                card = yield self._offer("action", "play", playable, DONE)
                if card is not None:
                    return (yield from self._action(card))
        bought: list[str] = []
        while self._buys:
            # `_AFFORDABLE` ends at the highest price. More money doesn't buy more kinds of cards.
            affordable, supply = _AFFORDABLE[min(self._money, len(_AFFORDABLE) - 1)], self._supply
            options = {DONE: None} | {name: card for name, card in affordable if supply.get(card)}
            if len(options) == 1:
                break
            self._stage = "buy"
            card = yield options
            if card is None:
                break
            self._buys -= 1
            self._money -= COST[card]
            self._supply = {**self._supply, card: self._supply[card] - 1}
            self._move(card, "supply", "chosen")
            bought.append(card)
        if bought:
            # Play all treasures in hand, since they're discarded at the end of the turn anyway.
            treasures = [card for card in WORTH for _ in range(self._seen[self._at["hand"][card]])]
            return say.PlayReply(phase="buy", played_treasures=treasures, cards_to_buy=bought)
        mine = {*own.hand, *own.in_play}
        card = yield self._offer("clean-up", "top", [card for card in CARDS if card in mine], DONE)
        return say.PlayReply(phase="cleanup", top_discard=card)

    def _offer(self, stage: str, what: str, cards: Iterable[str], *others: str) -> Named:
        self._stage = stage
        names = _NAMED[what]
        return dict.fromkeys(others) | {names[card]: card for card in cards}

    def _hand_options(self, without: str = "") -> list[str]:
        # It doesn't matter which of two coppers is chosen, so offer each card only once. (`without`
        # is about to be played, so one copy of it can't be chosen.)
        seen, hand = self._seen, self._at["hand"]
        return [card for card, place in hand.items() if seen[place] > (card == without)]

    def _can_be_played(self, card: str) -> bool:
        return card not in _NEEDING or not unavailable_reason(
            card, self._hand_options(card), self._supply
        )

    def _move(self, card: str, source: str, target: str) -> str:
        self._seen[self._at[source][card]] -= 1
        self._seen[self._at[target][card]] += 1
        return card

    def _action(self, card: str) -> Choices:
        # We carry out each choice in the observation right away, so the next choice sees its
        # result.
        self._move(card, "hand", "in play")
        self._actions -= 1
        decisions = parameters(card, self._hand_options(), self._supply)
        chosen: Any = None
        while True:
            try:
                asked = decisions.send(chosen)
            except StopIteration as done:
                given = {"additional_parameters": done.value} if done.value else {}
                return say.PlayReply(phase="action", card=card, **given)
            if asked.what == "discard":
                chosen = yield from self._discards()
                continue
            stage = card if card == "workshop" else f"{card}: {asked.what}"
            # If no card can be gained, the decision still needs an answer, but the policy isn't
            # asked.
            chosen = (yield self._offer(stage, asked.what, asked.cards)) if asked.cards else None
            if asked.what == "trash":
                self._move(chosen, "hand", "chosen")

    def _discards(self) -> Generator[Named, Any, list[str]]:
        discarded: list[str] = []
        # A policy names one card at a time, so keep asking until it chooses "done".
        while held := self._hand_options():
            gone = yield self._offer("cellar", "discard", held, DONE)
            if gone is None:
                break
            discarded.append(self._move(gone, "hand", "chosen"))
        return discarded

    def _attacked(self) -> Choices:
        moat = [REVEAL_MOAT] if self._seen[self._at["hand"]["moat"]] else []
        discard: list[str] = []
        while self._due:
            card = yield self._offer("militia", "discard", self._hand_options(), *moat)
            if card is None:
                self._due = 0
                return say.AttackReplyReaction(reaction="moat")
            # Revealing the moat is only possible instead of the first discard.
            moat = []
            self._due -= 1
            discard.append(self._move(card, "hand", "chosen"))
        return say.AttackReply(discard=discard)

    # --- actions of a reply -----------------------------------------------------------------------

    def chosen(self, reply: Any) -> Iterable[str]:
        if isinstance(reply, say.AttackReplyReaction):
            return [REVEAL_MOAT]
        if isinstance(reply, say.AttackReply):
            return [f"discard {card}" for card in reply.discard]
        if reply.phase == "buy":
            return [f"buy {card}" for card in reply.cards_to_buy]
        if reply.phase == "cleanup":
            return [] if reply.top_discard is None else [f"top {reply.top_discard}"]
        given = reply.additional_parameters
        # Cards without parameters ignore this field. A valid reply in a record can therefore
        # contain anything here.
        given = given if isinstance(given, dict) else {}
        discarded = given.get("cards")
        names = [f"play {reply.card}"]
        names += [f"discard {card}" for card in discarded] if isinstance(discarded, list) else []
        for what, parameter in (("trash", "card_to_trash"), ("gain", "desired_card")):
            card = given.get(parameter)
            names += [] if card is None else [f"{what} {card}"]
        return names

    def actions_of(self, reply: Any) -> Iterator[int]:
        # A policy can't send a buy reply without cards. It chooses "done" until there's nothing
        # left to play and buy, which has the same effect.
        if isinstance(reply, say.PlayReply) and reply.phase == "buy" and not reply.cards_to_buy:
            while self._stage in ("action", "buy"):  # stop before the clean-up
                yield self._choices.index(DONE)
                self.act(self._choices.index(DONE))
        else:
            yield from super().actions_of(reply)

    # --- observation ------------------------------------------------------------------------------

    def observe(self) -> NDArray[np.int32]:
        seen = self._seen
        seen[: len(_SINGLE)] = array(
            "i",
            [
                *(_STAGE[self._stage] if self.options else _STAGE[""]),
                *(self._actions, self._buys, self._extra, self._money),
                *(self._due, self._turns, self.seat, self._score),
            ],
        )
        # Copy the buffer, because it changes with the next choice. frombuffer() is faster than
        # np.array().
        return np.frombuffer(seen[:], np.int32)

    def show(self) -> str:
        lines = [
            f"own turn {self._turns}; {self._stage if self.options else 'not asked'}",
            f"actions {self._actions}, buys {self._buys}, money {self._money}",
        ]
        for place, at in self._at.items():
            counts = [(self._seen[number], card) for card, number in at.items()]
            shown = [f"{count} {card}" for count, card in counts if count]
            lines.append(f"{place}: {', '.join(shown) or 'none'}")
        lines.append(f"legal: {', '.join(self.options)}")
        return "\n".join(lines)

    def refusal(self, action: object) -> str:
        if not self.options:
            return f"action {action}: this seat is not asked"
        legal = ", ".join(f"{self._choices.index(name)} {name}" for name in self.options)
        return f"action {action} is not legal now; legal are: {legal}"


class DominionTracker:
    """Implements `referee.games.interface.environment.StateTracker` for Dominion.

    It keeps track of the cards with the kit's `Memory`, just like a bot that uses the kit.
    """

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._memory = Memory(seat_id(seat))
        for number in seat_ids(seats):
            self._memory.player(number)
        self._request: say.PlayTurn | say.AttackRequest | None = None
        self._shuffles = 0

    def observe(self, message: Struct) -> None:
        # The kit reads messages as JSON objects, and we want exactly the knowledge that a bot would
        # have.
        data = msgspec.json.decode(msgspec.json.encode(message))
        if isinstance(message, say.PlayTurn | say.AttackRequest):
            self._request = message
            self._memory.note(data)
        elif isinstance(message, say.PlayReply):
            self._memory.replied = data
        else:
            self._memory.observe(data)
            if isinstance(message, say.PlayerShuffled) and message.player_number == seat_id(
                self._seat
            ):
                self._shuffles += 1

    def view(self) -> View:
        state = self._memory.state()
        pile, deck = (sorted(cards.elements()) for cards in (state.discard_pile, state.deck))
        own = OwnCards(state.hand, state.cards_played, pile, deck, state.turn, self._shuffles)
        seats = [
            SeatView(
                {card: player.cards[card] for card in CARDS if player.cards[card]},
                player.points,
                own if player is state.me else None,
            )
            for player in state.players
        ]
        return View(state.supply, seats, self._seat, self._request)


ENVIRONMENT = Environment(
    id="Dominion",
    opponent="big_money",
    version=1,
    choices=lambda options: spaces_of(kingdom_of(options)).choices,
    observation=layout,
    translator=lambda seat, seats, options: Translator(seat, seats, spaces_of(kingdom_of(options))),
    tracker=DominionTracker,
)
