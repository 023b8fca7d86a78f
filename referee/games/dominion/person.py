"""A person who plays Dominion: news, state and choices.

A person reads one line per turn of another player, after the turn: at the top discard after
`player-played` (protocol-v1, 2.15), or when a message shows that nothing was played in it. A top
discard without `player-played` before it is a cellar's or ends such a turn. If it is not yet clear
which, the line waits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from referee.games.dominion.events import (
    ANSWERS,
    Event,
    Kind,
    Ledger,
    TurnMessage,
    cards_of,
    event_of,
    next_seat,
    split_gains,
)
from referee.games.dominion.rules.cards import CARDS, COST, KINGDOM, WORTH
from referee.games.dominion.rules.choices import (
    EXCHANGES,
    for_sale,
    gain_limit,
    parameters,
    unavailable_reason,
    without,
)
from referee.games.dominion.rules.game import EMPTY_PILES_TO_END
from referee.games.dominion.rules.messages import AttackRequest, PlayTurn, SupplyInfo
from referee.games.dominion.turns import listed
from referee.games.interface.capabilities import Phrase
from referee.games.interface.dialogue import Choice, Decision, InfoTable, Picks, Question
from referee.games.interface.seats import seat_id
from referee.games.interface.turns import ordinal, plural

Parameters = Mapping[str, Any]

BY_COST = sorted(CARDS, key=COST.__getitem__)
"""The affordable cards then have the same numbers all game long, without gaps."""
_IN_HAND = sorted(CARDS, key=lambda card: (not CARDS[card].action, not CARDS[card].worth))
"""Actions, treasures, the rest."""
_SPECIAL = {
    "cellar": "discard any cards, draw as many",
    "militia": "the others discard down to {leaves} cards",
    "mine": "trash a treasure, gain one up to {raises} dearer, in hand",
    "moat": "in your hand, it blocks a militia",
    "remodel": "trash a card, gain one up to {raises} dearer",
    "workshop": "gain a card costing up to {gains}",
}
_HELP = (
    "You have 5 cards in hand, 1 action and 1 buy a turn. First you play action cards, as long as "
    "you have actions. Then all your treasures are played for you, and you buy. Then your hand and "
    "the cards in play are discarded, and you draw 5 cards.",
    f"The game ends when the provinces or any {EMPTY_PILES_TO_END} piles are gone. The most points "
    "win.",
)
_FEW = 3
"""Piles of so many cards are shown every turn."""
_PILES = ("card", "cost", "left", "what it does")
_BACK = Choice("back", key="b")


def does(card: str) -> str:
    """Describe a card's effect, in a few words."""
    data = CARDS[card]
    if data.worth:
        return f"{data.worth} money"
    if data.points:
        return plural(data.points, "point")
    gives = [
        f"+{number} {what}" if number == 1 or what == "money" else f"+{number} {what}s"
        for number, what in (
            (data.cards, "card"),
            (data.actions, "action"),
            (data.buys, "buy"),
            (data.money, "money"),
        )
        if number
    ]
    special = _SPECIAL.get(card, "").format(
        leaves=data.leaves, raises=data.raises, gains=data.gains
    )
    return "; ".join(filter(None, [", ".join(gives), special]))


class DominionDialogue:
    """Implements `referee.games.interface.dialogue.Dialogue` for Dominion."""

    def __init__(self, names: Sequence[str], seat: int) -> None:
        self._seat = seat
        self._who = [f"{seat_id(other)} {name}" for other, name in enumerate(names)]
        self._ledger = Ledger(len(names))
        self._turns = 0
        self._in_turn = False  # it is this player's turn
        self._chooses_top = False  # wants to say what lies on top
        self._heading: dict[str, Any] = {}  # of the next question
        self._left: set[int] = set()
        self._active = 0  # whose turn it is, as far as is known
        self._moves: list[Event] = []  # of it, not told

    # --- what is told ---------------------------------------------------------------------------

    def observe(self, message: Struct) -> list[str]:
        if isinstance(message, SupplyInfo):
            self._ledger.show(message)
        elif isinstance(message, PlayTurn):
            return self._own_request(message)
        elif isinstance(message, AttackRequest):
            self._end_own_turn()
            return self._pass_on() if self._is_over() else []
        elif isinstance(message, TurnMessage):
            return self._event(event_of(message))
        return []

    def _own_request(self, request: PlayTurn) -> list[str]:
        # A decision of its own is not always one that was made here: where a recorded match goes
        # on, the first ones stand in the record.
        if request == PlayTurn(1, 1, 0, request.hand, [], [], []):  # only a turn's first one
            self._end_own_turn()
        if self._in_turn:
            moves, self._moves = self._moves, []
            return [f"You {_did(moves, bought=bool(request.cards_bought))}."] if moves else []
        self._in_turn = True
        self._turns += 1
        return self._pass_to(self._seat)

    def _end_own_turn(self) -> None:
        if self._in_turn:
            self._in_turn = self._chooses_top = False
            self._moves = []  # the player has seen it
            self._pass_on()

    def disqualify(self, seat: int) -> list[str]:
        """Take the disqualification of a seat; its turn is cleaned up, if it was its turn."""
        self._left.add(seat)
        return []

    def end(self) -> list[str]:
        seat, moves, self._moves = self._active, self._moves, []
        if not moves or seat == self._seat:
            return []
        played = cards_of(moves, Kind.PLAYED)
        played.sort(key=lambda card: WORTH.get(card, 0))  # the actions as they were played
        gained, bought = split_gains(moves, played)
        trashed = cards_of(moves, Kind.TRASHED)
        parts = [f"played {listed(played) or 'nothing'}"]
        parts += [f"trashed {listed(trashed)}"] if trashed else []
        parts += [f"gained {listed(gained)}"] if gained else []
        return [f"{self._who[seat]} {'; '.join(parts)}; bought {listed(bought) or 'nothing'}."]

    def _event(self, event: Event) -> list[str]:
        self._ledger.count(event)
        seat, kind = event.seat, event.kind
        if seat == self._seat:
            return self._own_event(event)
        if kind == Kind.SHUFFLED:
            return []
        if self._in_turn and (kind not in ANSWERS or not self._ledger.owned[self._seat]["militia"]):
            self._end_own_turn()
        if self._in_turn:  # it answers a militia
            what = (
                "revealed a moat"
                if kind == Kind.REVEALED
                else f"discarded, {event.cards[0]} on top"
            )
            return [f"{self._who[seat]} {what}."]
        lines: list[str] = []
        if seat != self._active:
            if kind not in ANSWERS:
                lines = self._pass_to(seat)
            elif self._is_over():
                lines = self._pass_on()
        if seat != self._active:
            if kind == Kind.REVEALED:
                lines.append(f"{self._who[seat]} revealed a moat.")
            return lines
        self._moves.append(event)
        if kind == Kind.TOP and any(move.kind == Kind.PLAYED for move in self._moves):
            lines += self._pass_on()
        return lines

    def _is_over(self) -> bool:
        """Whether another player's discarding shows that the turn of `_active` is over.

        The answer to a militia would not show that, unless nobody can have played one yet.
        """
        owned = self._ledger.owned[self._active]
        has_discarded = bool(self._moves) and self._moves[-1].kind == Kind.TOP
        return not owned["militia"] or (has_discarded and not owned["cellar"])

    def _pass_on(self) -> list[str]:
        """The turn is over, and the next one has begun."""
        return self._pass_to(next_seat(self._active, len(self._who), self._left))

    def _pass_to(self, seat: int) -> list[str]:
        lines = self.end()
        self._active = seat
        return lines

    def _own_event(self, event: Event) -> list[str]:
        kind = event.kind
        if kind == Kind.REVEALED:
            return ["You revealed your moat, and discard nothing."]
        if kind == Kind.SHUFFLED:
            return ["Your discard pile was shuffled: it is your deck now."]
        if kind == Kind.PLAYED:
            self._end_own_turn()
        if self._in_turn and kind in (Kind.GAINED, Kind.TRASHED):
            self._moves.append(event)
        return []

    # --- what is asked --------------------------------------------------------------------------

    def decide(self, request: Struct) -> Decision:
        if isinstance(request, AttackRequest):
            return (yield from self._attacked(request))
        assert isinstance(request, PlayTurn)  # there is no other
        if request.buys:
            return (yield from self._turn(request))
        top = yield from self._top_discard(request)
        self._end_own_turn()
        reply = {"type": "play-reply", "phase": "cleanup"}
        return reply if top is None else {**reply, "top_discard": top}

    def _turn(self, request: PlayTurn) -> Decision:
        treasures = [card for card in request.hand if card in WORTH]
        has_actions = request.actions > 0 and any(CARDS[card].action for card in request.hand)
        title = f"Your {ordinal(self._turns)} turn"
        if request.cards_played:
            title += ", after " + listed(request.cards_played)
        self._heading = {"title": title, "state": self._state(request)}
        while True:
            if has_actions:
                action = yield from self._action(request)
                if action is not None:
                    return {"type": "play-reply", "phase": "action", **action}
            money = request.extra_money + sum(WORTH[card] for card in treasures)
            bought = yield from self._buy(request, money, can_go_back=has_actions)
            if bought is None:
                continue
            return {
                "type": "play-reply",
                "phase": "buy",
                "played_treasures": treasures,
                "cards_to_buy": bought,
            }

    def _action(self, request: PlayTurn) -> Generator[Question, Picks, Parameters | None]:
        """Return the fields of an action reply beside its phase; None for no more actions."""
        hand = [card for card in _IN_HAND if card in request.hand and CARDS[card].action]
        rest = {card: without(card, request.hand) for card in hand}
        supply = self._ledger.supply
        barred = {
            card: why for card in hand if (why := unavailable_reason(card, rest[card], supply))
        }
        while True:
            picks = yield self._question(
                f"Which action do you play? ({plural(request.actions, 'action')} left)",
                [Choice(card, [does(card)], barred=barred.get(card, "")) for card in hand],
                columns=("card", "what it does"),
                remarks=[Phrase("not now", f"{card} {why}") for card, why in barred.items()],
                enter="go on to buy",
            )
            if not picks:
                return None
            card = hand[picks[0]]
            given = yield from self._parameters(card, rest[card])
            if given:
                return {"card": card, "additional_parameters": given}
            if given is not None:
                return {"card": card}

    def _parameters(
        self, card: str, hand: Sequence[str]
    ) -> Generator[Question, Picks, Parameters | None]:
        """The card's parameters, empty if it has none; None to play another card instead.

        Args:
            hand: without the card.
        """
        decisions = parameters(card, hand, self._ledger.supply)
        chosen: Any = None
        trashed = None
        while True:
            try:
                asked = decisions.send(chosen)
            except StopIteration as done:
                given: Parameters = done.value
                return given
            if not asked.cards:
                chosen = None
                continue
            if asked.what == "discard":
                text = "Which cards do you discard, to draw as many?"
                chosen = yield from self._cards(text, asked.cards, enter="discard nothing")
            elif asked.what == "trash":
                cards = yield from self._cards("Which card do you trash?", asked.cards, most=1)
                chosen = trashed = cards[0] if cards else None
            else:
                chosen = yield from self._gain(card, trashed, asked.cards)
            if chosen is None:
                return None

    def _cards(
        self, text: str, cards: Sequence[str], *, enter: str = "", most: int | None = None
    ) -> Generator[Question, Picks, list[str] | None]:
        cards = sorted(cards, key=_IN_HAND.index)
        picks = yield self._question(
            text,
            [*(Choice(card) for card in cards), _BACK],
            most=len(cards) if most is None else most,
            enter=enter,
        )
        return None if len(cards) in picks else [cards[pick] for pick in picks]

    def _gain(
        self, card: str, trashed: str | None, can: Sequence[str]
    ) -> Generator[Question, Picks, str | None]:
        limit, among = gain_limit(card, trashed), EXCHANGES.get(card, COST)
        barred = {
            other: f"costs {cost}, not up to {limit}" if other in among else "is not a treasure"
            for other, cost in COST.items()
            if other not in can
        }
        reason = f" for the {trashed}" if trashed else ""
        picks = yield self._question(
            f"Which card do you gain? (costing up to {limit}{reason})",
            [*self._piles(self._ledger.supply, barred), _BACK],
            columns=_PILES,
        )
        return None if picks[0] == len(BY_COST) else BY_COST[picks[0]]

    def _buy(
        self, request: PlayTurn, money: int, *, can_go_back: bool
    ) -> Generator[Question, Picks, list[str] | None]:
        """Return the cards to buy; None to go back to the actions."""
        bought: list[str] = []
        while len(bought) < request.buys:
            left, supply = money - sum(COST[card] for card in bought), Counter(self._ledger.supply)
            supply.subtract(bought)
            buys = request.buys - len(bought)
            barred = {
                card: f"costs {COST[card]}, you have {left}" for card in CARDS if COST[card] > left
            }
            keys = [] if self._chooses_top else [Choice("choose the top discard", key="t")]
            if can_go_back and not bought:
                keys.append(Choice("back to the actions", key="b"))
            if bought:
                keys.append(Choice(f"take back: {listed(bought)}", key="b"))

            def check(picks: Picks, left: int = left, supply: Mapping[str, int] = supply) -> str:
                cards = [BY_COST[pick] for pick in picks if pick < len(BY_COST)]
                cost = sum(COST[card] for card in cards)
                if cost > left:
                    return f"{listed(cards)} cost {cost} together, you have {left}"
                short = [card for card in cards if cards.count(card) > supply[card]]
                return f"only {supply[short[0]]} {short[0]} left" if short else ""

            picks = yield self._question(
                f"What do you buy? ({left} money, {plural(buys, 'buy')})",
                [*self._piles(supply, barred), *keys],
                columns=_PILES,
                remarks=_too_dear(supply, left),
                most=buys,
                repeats=True,
                enter="buy nothing more" if bought else "buy nothing",
                check=check,
                doubts=_doubts(left),
            )
            if not picks:
                break
            if picks[0] < len(BY_COST):
                bought += [BY_COST[pick] for pick in picks]
                left = money - sum(COST[card] for card in bought)
                if not any(COST[card] for card in for_sale(supply, left)):
                    break  # nobody wants to be asked for the coppers that are still to be had
            elif keys[picks[0] - len(BY_COST)].key == "t":
                self._chooses_top = True
                chosen = Phrase("top discard", "you choose it at the end of this turn")
                self._heading = {"state": [chosen]}
            elif bought:
                bought = []
            else:
                return None
        return bought

    def _piles(self, supply: Mapping[str, int], barred: Mapping[str, str]) -> list[Choice]:
        empty = {card: "has an empty pile" for card in CARDS if not supply[card]}
        why = {**barred, **empty}
        return [Choice(card, _pile(card, supply), barred=why.get(card, "")) for card in BY_COST]

    def _top_discard(self, request: PlayTurn) -> Generator[Question, Picks, str | None]:
        cards = [card for card in _IN_HAND if card in request.hand + request.cards_played]
        if not self._chooses_top or not cards:
            return None
        picks = yield self._question(
            "Which card goes on top of your discard pile?",
            [Choice(card) for card in cards],
            enter="the last one played",
        )
        return cards[picks[0]] if picks else None

    def _attacked(self, request: AttackRequest) -> Decision:
        hand = sorted(request.options, key=_IN_HAND.index)
        count = request.discard
        attacker = "Another player"
        if self._active != self._seat and self._ledger.owned[self._active]["militia"]:
            attacker = self._who[self._active]
        picks = yield self._question(
            f"Which {plural(count, 'card')} do you discard?",
            [Choice(card) for card in hand],
            title=f"{attacker} plays a militia: you keep {len(hand) - count} cards",
            state=[Phrase("hand", listed(hand))],
            least=count,
            most=count,
            enter="reveal your moat" if "moat" in hand else "",
            help=("Numbers with a space between them, such as 1 2. The last one is on top.",),
        )
        if not picks:
            return {"type": "attack-reply-reaction", "reaction": "moat"}
        return {"type": "attack-reply", "discard": [hand[pick] for pick in picks]}

    # --- what is seen ---------------------------------------------------------------------------

    def _state(self, request: PlayTurn) -> list[Phrase]:
        hand = sorted(request.hand, key=_IN_HAND.index)
        points = [
            f"{'you' if seat == self._seat else who} {score}"
            for (seat, who), score in zip(enumerate(self._who), self._ledger.scores(), strict=True)
        ]
        supply = self._ledger.supply
        few = [card for card in BY_COST[::-1] if card == "province" or 0 < supply[card] <= _FEW]
        left = ", ".join(f"{supply[card]} {card}" for card in few)
        empty = [card for card in BY_COST if not supply[card]]
        if empty:
            left += f"; empty: {', '.join(empty)}"
        return [
            Phrase("hand", listed(hand) or "empty", "bold"),
            Phrase("points", ", ".join(points)),
            Phrase("left", left),
        ]

    def _question(self, text: str, choices: Sequence[Choice], **others: Any) -> Question:
        """A question, beside which cards and rules can be looked at."""
        owned, supply = self._ledger.owned[self._seat], self._ledger.supply
        mine = [[card, str(owned[card]), does(card)] for card in _IN_HAND if owned[card] > 0]
        piles = [[card, *_pile(card, supply)] for card in BY_COST]
        views = [
            InfoTable("s", "what cards do", _PILES, piles),
            InfoTable("d", "your cards", ("card", "you own", "what it does"), mine),
        ]
        shown: dict[str, Any] = {"views": views, "help": _HELP, **self._heading}
        self._heading = {}
        return Question(text, choices, **shown | others)


def _pile(card: str, supply: Mapping[str, int]) -> list[str]:
    """Return the cells beside a card, as in `_PILES`."""
    return [str(COST[card]), str(supply[card]), does(card)]


def _doubts(money: int) -> dict[int, str]:
    doubts = {BY_COST.index("curse"): "A curse costs you a point. Do you take it?"}
    if money >= min(COST[card] for card in KINGDOM):
        doubts[-1] = f"You have {money} money left. Do you buy nothing more?"
    return doubts


def _did(moves: Sequence[Event], *, bought: bool) -> str:
    words = {Kind.TRASHED: "trashed", Kind.GAINED: "bought" if bought else "gained"}
    done = {word: listed(cards_of(moves, kind)) for kind, word in words.items()}
    return ", ".join(f"{word} {cards}" for word, cards in done.items() if cards)


def _too_dear(supply: Mapping[str, int], money: int) -> list[Phrase]:
    costs = sorted({COST[card] for card in CARDS if COST[card] > money and supply[card]})
    texts = [
        f"{cost} {', '.join(c for c in BY_COST if COST[c] == cost and supply[c])}" for cost in costs
    ]
    return [Phrase("too dear", "; ".join(texts))] if texts else []
