"""Ask a person for moves in Dominion.

We describe each turn of another player in a single line. Usually we can do that as soon as we see
`player-played` (protocol-v1, 2.15). If a player only gained cards without playing any, that message
doesn't come, so we wait until somebody else moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from referee.games.dominion.events import Event, Kind, Ledger, TurnMessage, cards_of, split_gains
from referee.games.dominion.rules import choices
from referee.games.dominion.rules.cards import CARDS, COST, WORTH
from referee.games.dominion.rules.game import EMPTY_PILES_TO_END
from referee.games.dominion.rules.messages import AttackRequest, PlayTurn, SupplyInfo
from referee.games.dominion.turns import listed
from referee.games.interface.capabilities import Phrase
from referee.games.interface.counts import ordinal, plural
from referee.games.interface.dialogue import Choice, Decision, InfoTable, Picks, Question
from referee.games.interface.sentence import Amount, Effect, effect_of, effect_text

Parameters = Mapping[str, Any]

_IN_HAND = sorted(CARDS, key=lambda card: (not CARDS[card].action, not CARDS[card].worth))
"""The order in which we show a hand: actions, then treasures, then the rest."""
_SPECIAL = {
    "cellar": "discard any cards, draw as many",
    "militia": "the others discard down to {.leaves} cards",
    "mine": "trash a treasure, gain one up to {.raises} dearer, in hand",
    "moat": "in your hand, it blocks a militia",
    "remodel": "trash a card, gain one up to {.raises} dearer",
    "workshop": "gain a card costing up to {.gains}",
}
_HELP = (
    "You have 5 cards in hand, 1 action and 1 buy a turn. First you play action cards, as long as "
    "you have actions. Then all your treasures are played for you, and you buy. Then your hand and "
    "the cards in play are discarded, and you draw 5 cards.",
    f"The game ends when the provinces or any {EMPTY_PILES_TO_END} piles are gone. The most points "
    "win.",
)
_FEW = 3
"""Piles with at most this many cards are shown every turn."""
_PILES = ("card", "cost", "left", "what it does")
_BACK = Choice("back", key="b", verb="go back", thing="to the actions")


def by_cost(cards: Iterable[str]) -> list[str]:
    """Return cards with the cheapest first.

    In a question, the cards of the supply are numbered in this order. That way, a card always has
    the same number, and the cards that the person can pay for come first.
    """
    return sorted(cards, key=COST.__getitem__)


def effect(card: str) -> Effect:
    """Describe a card's effect in a few words, with symbols for programs that can draw them."""
    data = CARDS[card]
    if data.worth:
        return [Amount(f"{data.worth} money", "coin", data.worth)]
    if data.points:
        return [Amount(plural(data.points, "point"), "star", data.points)]
    counts = (
        (data.cards, "card", "card"),
        (data.actions, "action", "bolt"),
        (data.buys, "buy", "bag"),
    )
    gives = [Amount(f"+{plural(n, what)}", symbol, n) for n, what, symbol in counts if n]
    gives += [Amount(f"+{data.money} money", "coin", data.money)] * (data.money > 0)
    special = _SPECIAL.get(card, "").format(data)
    return effect_of("; ", [effect_of(", ", [[part] for part in gives]), [special] * bool(special)])


def does(card: str) -> str:
    """Describe a card's effect in a few words of plain text."""
    return effect_text(effect(card))


class DominionDialogue:
    """Implements `referee.games.interface.dialogue.Dialogue` for Dominion."""

    def __init__(self, names: Sequence[str], seat: int) -> None:
        self._seat = seat
        self._who = names
        self._ledger = Ledger(len(names))
        self._turns = 0
        self._in_turn = False  # True during this player's turn
        self._chooses_top = False  # True if the person wants to choose the top of the discard pile
        self._heading: dict[str, Any] = {}  # title and state for the next question
        self._moves: list[Event] = []  # events of the current turn that aren't yet reported

    # --- news -------------------------------------------------------------------------------------

    def observe(self, message: Struct) -> list[str]:
        if isinstance(message, SupplyInfo):
            self._ledger.show(message)
        elif isinstance(message, PlayTurn):
            # Only the first request of a turn has these values. We also count the very first
            # request of a match, because a situation may begin in the middle of a turn.
            first = message.actions == message.buys == 1 and not message.cards_played
            if first or not self._turns:
                self._turns += 1
                self._chooses_top = False
            self._in_turn = True
            return self._report_moves(bought=bool(message.cards_bought))
        elif isinstance(message, TurnMessage):
            return self._event(Event.of(message))
        return []

    def end(self) -> list[str]:
        return self._report_moves()

    def _event(self, event: Event) -> list[str]:
        self._ledger.count(event)
        mine, who = event.seat == self._seat, self._who[event.seat]
        match event.kind:
            case Kind.GAINED | Kind.TRASHED | Kind.PLAYED:
                others = bool(self._moves) and self._moves[-1].seat != event.seat
                lines = self._report_moves() if others else []
                self._moves.append(event)
                return lines + self._report_moves() if event.kind == Kind.PLAYED else lines
            case Kind.REVEALED if mine:
                return ["You revealed your moat, and discard nothing."]
            case Kind.REVEALED:
                return [f"{who} revealed a moat."]
            case Kind.SHUFFLED if mine:
                return ["Your discard pile was shuffled: it is your deck now."]
            case Kind.TOP if mine:
                # This may also be a cellar, in which case our turn isn't over. The next request
                # then sets `_in_turn` again.
                self._in_turn = False
            case Kind.TOP if self._in_turn:  # somebody discarded because of our militia
                return [f"{who} discarded, {event.cards[0]} on top."]
        return []

    def _report_moves(self, *, bought: bool = False) -> list[str]:
        """Describe the moves that we haven't reported yet. They're all by the same player.

        Args:
            bought: True to say that the person bought the cards, and not just gained them.
        """
        moves, self._moves = self._moves, []
        if not moves:
            return []
        seat, trashed = moves[0].seat, cards_of(moves, Kind.TRASHED)
        played = cards_of(moves, Kind.PLAYED)
        if seat == self._seat:
            if played:
                return []  # The person made these moves, and doesn't need to read about them.
            gained = cards_of(moves, Kind.GAINED)
            done = {"trashed": trashed, "bought" if bought else "gained": gained}
            said = [f"{what} {listed(cards)}" for what, cards in done.items() if cards]
            return [f"You {', '.join(said)}."]
        played.sort(key=lambda card: WORTH.get(card, 0))  # actions first, without reordering them
        gained, purchases = split_gains(moves, played)
        parts = [f"played {listed(played) or 'nothing'}"]
        parts += [f"trashed {listed(trashed)}"] if trashed else []
        parts += [f"gained {listed(gained)}"] if gained else []
        return [f"{self._who[seat]} {'; '.join(parts)}; bought {listed(purchases) or 'nothing'}."]

    # --- questions --------------------------------------------------------------------------------

    def decide(self, request: Struct) -> Decision:
        if isinstance(request, AttackRequest):
            return (yield from self._attacked(request))
        assert isinstance(request, PlayTurn)  # the only other kind of request
        if request.buys:
            return (yield from self._turn(request))
        top = yield from self._top_discard(request)
        reply = {"type": "play-reply", "phase": "cleanup"}
        return reply if top is None else {**reply, "top_discard": top}

    def _turn(self, request: PlayTurn) -> Decision:
        # We play all treasures for the person, since they're discarded at the end of the turn
        # anyway.
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
            if bought is not None:
                cards = {"played_treasures": treasures, "cards_to_buy": bought}
                return {"type": "play-reply", "phase": "buy", **cards}

    def _action(self, request: PlayTurn) -> Generator[Question, Picks, Parameters | None]:
        """Ask which action card to play, and how.

        Returns the card and its parameters for the reply, or None if the person wants to buy.
        """
        hand = [card for card in _IN_HAND if card in request.hand and CARDS[card].action]
        rest = {card: choices.without(card, request.hand) for card in hand}
        why = {c: choices.unavailable_reason(c, rest[c], self._ledger.supply) for c in hand}
        barred = {card: reason for card, reason in why.items() if reason}
        while True:
            picks = yield self._question(
                f"Which action do you play? ({plural(request.actions, 'action')} left)",
                [
                    Choice(card, [does(card)], barred=barred.get(card, ""), verb="play")
                    for card in hand
                ],
                columns=("card", "what it does"),
                remarks=[Phrase("not now", f"{card} {why}") for card, why in barred.items()],
                enter="go on to buy",
            )
            if not picks:
                return None
            card = hand[picks[0]]
            # If the person chose to go back, `given` is None, and we ask for a card again.
            given = yield from self._parameters(card, rest[card])
            if given:
                return {"card": card, "additional_parameters": given}
            if given is not None:
                return {"card": card}

    def _parameters(
        self, card: str, rest: Sequence[str]
    ) -> Generator[Question, Picks, Parameters | None]:
        """Ask for the card's parameters, if it has any.

        Returns None if the person wants to go back and play another card.
        """
        decisions = choices.parameters(card, rest, self._ledger.supply)
        chosen: Any = None
        trashed = None
        while True:
            try:
                asked = decisions.send(chosen)
            except StopIteration as done:
                given: Parameters = done.value
                return given
            # Nothing to choose from, so don't ask.
            if not asked.cards:
                chosen = None
                continue
            if asked.what == "discard":
                text = "Which cards do you discard, to draw as many?"
                chosen = yield from self._cards(
                    text, asked.cards, "discard", enter="discard nothing"
                )
            elif asked.what == "trash":
                text = "Which card do you trash?"
                cards = yield from self._cards(text, asked.cards, "trash", most=1)
                chosen = trashed = cards[0] if cards else None
            else:
                chosen = yield from self._gain(card, trashed, asked.cards)
            if chosen is None:
                return None

    def _cards(
        self,
        text: str,
        cards: Sequence[str],
        verb: str,
        *,
        enter: str = "",
        most: int | None = None,
    ) -> Generator[Question, Picks, list[str] | None]:
        cards = sorted(cards, key=_IN_HAND.index)
        picks = yield self._question(
            text,
            [*(Choice(card, verb=verb) for card in cards), _BACK],
            most=len(cards) if most is None else most,
            enter=enter,
        )
        return None if len(cards) in picks else [cards[pick] for pick in picks]

    def _gain(
        self, card: str, trashed: str | None, can: Sequence[str]
    ) -> Generator[Question, Picks, str | None]:
        # List all cards, and say why some can't be gained. Leaving them out would change the
        # numbers of the others.
        limit, among = choices.gain_limit(card, trashed), choices.EXCHANGES.get(card, COST)
        barred = {
            other: f"costs {cost}, not up to {limit}" if other in among else "is not a treasure"
            for other, cost in COST.items()
            if other not in can
        }
        reason = f" for the {trashed}" if trashed else ""
        picks = yield self._question(
            f"Which card do you gain? (costing up to {limit}{reason})",
            [*self._piles(self._ledger.supply, barred, "gain"), _BACK],
            columns=_PILES,
        )
        cards = by_cost(self._ledger.supply)
        return None if picks[0] == len(cards) else cards[picks[0]]

    def _buy(
        self, request: PlayTurn, money: int, *, can_go_back: bool
    ) -> Generator[Question, Picks, list[str] | None]:
        """Ask which cards to buy. Returns None if the person goes back to the actions."""
        bought, piles = list[str](), by_cost(self._ledger.supply)
        while len(bought) < request.buys:
            left, supply = money - sum(COST[card] for card in bought), Counter(self._ledger.supply)
            supply.subtract(bought)
            buys = request.buys - len(bought)
            barred = {
                card: f"costs {COST[card]}, you have {left}" for card in piles if COST[card] > left
            }
            keys = [] if self._chooses_top else [Choice("choose the top discard", key="t")]
            if can_go_back and not bought:
                keys.append(Choice("back to the actions", key="b"))
            if bought:
                keys.append(Choice(f"take back: {listed(bought)}", key="b"))

            # `left` and `supply` are default arguments because we assign to them below. As plain
            # closure variables, they'd have changed by the time `check` is called.
            def check(picks: Picks, left: int = left, supply: Mapping[str, int] = supply) -> str:
                cards = [piles[pick] for pick in picks if pick < len(piles)]
                cost = sum(COST[card] for card in cards)
                if cost > left:
                    return f"{listed(cards)} cost {cost} together, you have {left}"
                short = [card for card in cards if cards.count(card) > supply[card]]
                return f"only {supply[short[0]]} {short[0]} left" if short else ""

            picks = yield self._question(
                f"What do you buy? ({left} money, {plural(buys, 'buy')})",
                [*self._piles(supply, barred, "buy", COST), *keys],
                columns=_PILES,
                remarks=_too_expensive(supply, left),
                most=buys,
                repeats=buys > 1,
                enter="buy nothing more" if bought else "buy nothing",
                check=check,
                doubts=_doubts(piles, left),
                ends=() if self._chooses_top else [*_last_buys(supply, left, buys)],
            )
            if not picks:
                break
            if picks[0] < len(piles):
                bought += [piles[pick] for pick in picks]
                left = money - sum(COST[card] for card in bought)
                # Stop if the person could only take free cards now. Hardly anybody wants another
                # question just for a copper.
                if not _can_buy(supply, left):
                    break
            elif keys[picks[0] - len(piles)].key == "t":
                self._chooses_top = True
                chosen = Phrase("top discard", "you choose it at the end of this turn")
                self._heading = {"state": [chosen]}
            elif bought:
                bought = []
            else:
                return None
        return bought

    def _piles(
        self,
        supply: Mapping[str, int],
        barred: Mapping[str, str],
        verb: str,
        prices: Mapping[str, int] = {},
    ) -> list[Choice]:
        empty = {card: "has an empty pile" for card in supply if not supply[card]}
        why = {**barred, **empty}
        return [
            Choice(
                card,
                _pile(card, supply),
                barred=why.get(card, ""),
                verb=verb,
                thing=f"{card} for {prices[card]}" if prices else "",
            )
            for card in by_cost(supply)
        ]

    def _top_discard(self, request: PlayTurn) -> Generator[Question, Picks, str | None]:
        cards = [card for card in _IN_HAND if card in request.hand + request.cards_played]
        # Hardly anybody cares about the top card, so we only ask a person who has chosen "t" in
        # this turn.
        if not self._chooses_top or not cards:
            return None
        picks = yield self._question(
            "Which card goes on top of your discard pile?",
            [Choice(card, verb="put", thing=f"{card} on top") for card in cards],
            enter="the last one played",
            ends=[*range(len(cards))],
        )
        return cards[picks[0]] if picks else None

    def _attacked(self, request: AttackRequest) -> Decision:
        hand = sorted(request.options, key=_IN_HAND.index)
        count = request.discard
        owned = zip(self._who, self._ledger.owned, strict=True)
        # The message doesn't contain the attacker. If only one of the others owns a militia, it
        # must be that player.
        able = [who for who, cards in owned if cards["militia"] and who != self._who[self._seat]]
        attacker = able[0] if len(able) == 1 else "Another player"
        picks = yield self._question(
            f"Which {plural(count, 'card')} do you discard?",
            [Choice(card, verb="discard") for card in hand],
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

    # --- state ------------------------------------------------------------------------------------

    def _state(self, request: PlayTurn) -> list[Phrase]:
        hand = sorted(request.hand, key=_IN_HAND.index)
        points = [
            f"{'you' if seat == self._seat else who} {score}"
            for (seat, who), score in zip(enumerate(self._who), self._ledger.scores(), strict=True)
        ]
        supply = self._ledger.supply
        piles = by_cost(supply)
        # Provinces are always shown, because the game ends when they run out.
        few = [card for card in piles[::-1] if card == "province" or 0 < supply[card] <= _FEW]
        empty = [card for card in piles if not supply[card]]
        left = ", ".join(f"{supply[card]} {card}" for card in few)
        left += f"; empty: {', '.join(empty)}" * bool(empty)
        return [
            Phrase("hand", listed(hand) or "empty", "bold"),
            Phrase("points", ", ".join(points)),
            Phrase("left", left),
        ]

    def _question(self, text: str, options: Sequence[Choice], **others: Any) -> Question:
        owned, supply = self._ledger.owned[self._seat], self._ledger.supply
        mine = [[card, str(owned[card]), does(card)] for card in _IN_HAND if owned[card] > 0]
        piles = [[card, *_pile(card, supply)] for card in by_cost(supply)]
        views = [
            InfoTable("s", "what cards do", _PILES, piles),
            InfoTable("d", "your cards", ("card", "you own", "what it does"), mine),
        ]
        shown: dict[str, Any] = {"views": views, "help": _HELP, **self._heading}
        # The title is only for the first question of a turn.
        self._heading = {}
        return Question(text, options, **shown | others)


def _pile(card: str, supply: Mapping[str, int]) -> list[str]:
    return [str(COST[card]), str(supply[card]), does(card)]


def _can_buy(supply: Mapping[str, int], money: int) -> bool:
    # Don't count free cards. You could always buy another copper, but nobody wants that question.
    return any(COST[card] for card in choices.for_sale(supply, money))


def _last_buys(supply: Mapping[str, int], money: int, buys: int) -> Iterator[int]:
    # These are the cards after which the person can't buy anything else, so we won't ask again.
    for place, card in enumerate(by_cost(supply)):
        can = supply[card] and COST[card] <= money
        if can and (buys == 1 or not _can_buy(supply, money - COST[card])):
            yield place


def _doubts(piles: Sequence[str], money: int) -> dict[int, str]:
    doubts = {piles.index("curse"): "A curse costs you a point. Do you take it?"}
    if money >= min(COST[card] for card in piles if CARDS[card].action):
        doubts[-1] = f"You have {money} money left. Do you buy nothing more?"
    return doubts


def _too_expensive(supply: Mapping[str, int], money: int) -> list[Phrase]:
    costs = sorted({COST[card] for card in supply if COST[card] > money and supply[card]})
    texts = [
        f"{cost} {', '.join(c for c in supply if COST[c] == cost and supply[c])}" for cost in costs
    ]
    return [Phrase("too dear", "; ".join(texts))] if texts else []
