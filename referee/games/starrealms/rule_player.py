"""Plays Star Realms according to a rule file. The order of the steps is in spec/rule-files.md.

Actions name a card, as in a bot's reply. If there are several copies, the first one is used.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import combinations
from math import nextafter
from typing import TypeAlias

from msgspec import UNSET

from referee.games.interface.vocabulary import Book, Decision
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS, EXPLORER, OUTPOST
from referee.games.starrealms.rules.view import View

# Optional discards and scraps need a score of at least 20. rank() only returns scores greater than
# its limit, so we pass the largest float below 20.
_WORTH_IT = nextafter(20.0, 0.0)
_RULES = {
    "discard": "discardRules",
    "scrap": "scrapRules",
    "scrap-trade-row": "scrapTradeRowRules",
    "destroy-base": "destroyBaseRules",
    "copy-ship": "copyShipRules",
    "gain-ship": "cardToTopOfDeckRules",
}
"""Maps the `kind` of a choice to the rule set that makes the choice."""

_Turn: TypeAlias = Generator[list[say.Action], say.PlayTurn, None]
"""Yields the actions for a reply, and receives the next request of the turn."""


def in_play(state: say.State) -> list[str]:
    """Return the names of the player's own cards in play."""
    return [piece.card for piece in state.in_play]


def payable(state: say.State, trade: float) -> list[str]:
    """Return the cards for sale that cost at most `trade`, including up to two Explorers."""
    # We never buy more than two cards per reply, so two Explorers are enough.
    offered = state.trade_row + [EXPLORER] * min(2, state.explorers)
    return [card for card in offered if CARDS[card].cost <= trade]


class StarRealmsRulePlayer:
    """Implements `referee.games.interface.vocabulary.RulePlayer`."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._number = 0
        self._turn: _Turn

    def reply(self, view: View) -> say.PlayReply | say.ChooseReply:
        request = view.request
        if isinstance(request, say.Choose):
            return say.ChooseReply(self._picks(request))
        assert request is not None  # only called while the seat has a request
        number = request.state.turn
        # Start a new generator for each turn. Between the requests of a turn, it remembers which
        # step comes next.
        if number != self._number:
            self._number, self._turn = number, self._play(request)
            return say.PlayReply(next(self._turn))
        return say.PlayReply(self._turn.send(request))

    # --- a turn -------------------------------------------------------------------------------

    def _play(self, now: say.PlayTurn) -> _Turn:
        # An action can make more actions possible, for example if a base draws a card. We therefore
        # repeat the steps until there's nothing left to do.
        going_on = True
        while going_on:
            going_on = False
            scrapped = self._ranked(now, "scrap", "scrapForBenefitRules")
            if scrapped:
                # If all we do in a round is scrap cards or use ally abilities, it's the last round.
                now = yield scrapped
            used = self._ranked(now, "use-base", "useBaseRules")
            if used:
                going_on = True
                now = yield used
            while now.state.hand:
                going_on = True
                now = yield from self._play_a_card(now)
            allies = [say.Action("use-ally", card) for card in _able(now, "use-ally")]
            if allies:
                now = yield allies
            bought = self._bought(now.state)
            if bought:
                going_on = True
                now = yield bought
        yield self._attack(now.state)

    def _play_a_card(
        self, now: say.PlayTurn
    ) -> Generator[list[say.Action], say.PlayTurn, say.PlayTurn]:
        hand = now.state.hand
        # Playing a card may change the scores of the others, so rank the hand again each time.
        card = hand[self._book.decide(now.state).rank("playRules", hand)[0]]
        now = yield [say.Action("play", card)]
        ally = self._book.flag("playRules", card, "useAllyAfterPlay")
        if ally and card in _able(now, "use-ally"):
            now = yield [say.Action("use-ally", card)]
        base = self._book.flag("playRules", card, "useBaseAfterPlay")
        if (
            base
            and card in _able(now, "use-base")
            and self._book.decide(now.state).rank("useBaseRules", [card], above=0)
        ):
            now = yield [say.Action("use-base", card)]
        return now

    def _ranked(self, now: say.PlayTurn, action: str, rules: str) -> list[say.Action]:
        cards = _able(now, action)
        if not cards:
            return []
        order = self._book.decide(now.state).rank(rules, cards, above=0)
        return [say.Action(action, cards[index]) for index in order]

    def _bought(self, state: say.State) -> list[say.Action]:
        cards = payable(state, state.trade)
        if not cards:
            return []
        look = self._book.decide(state)
        order = look.rank("buyRules", cards)
        scores = [look.score("buyRules", cards[index]) for index in order]
        if scores[0] <= 0:
            return []
        # Buy a pair of cards if their scores add up to more than the best card's score.
        pair = _pair(scores, [CARDS[cards[index]].cost for index in order], state.trade)
        bought = [cards[order[place]] for place in pair or (0,)]
        if pair:
            worth = scores[pair[0]] + scores[pair[1]]
            look.remark(
                f"{bought[0]} and {bought[1]} are worth {worth:g} together, more than "
                f"{cards[order[0]]} alone"
            )
        actions = []
        to_top = state.next_ship_to_top
        # If we buy two ships, only the first one goes to the top of the deck.
        for card in bought:
            to = "discard"
            if to_top and CARDS[card].is_ship:
                to_top = False
                if look.rank("cardToTopOfDeckRules", [card], above=0):
                    to = "deck"
            actions.append(say.Action("buy", card, to))
        return actions

    def _attack(self, state: say.State) -> list[say.Action]:
        other, combat = state.opponent, state.combat
        outposts = [card for card in other.bases if CARDS[card].type == OUTPOST]
        look = self._book.decide(state)
        actions, combat = _attacked(look, outposts, combat)
        if len(actions) == len(outposts):
            # If the combat is enough to win, don't waste any of it on bases.
            if combat < other.authority:
                bases = [card for card in other.bases if CARDS[card].type != OUTPOST]
                more, combat = _attacked(look, bases, combat)
                actions += more
            if combat:
                actions.append(say.Action("attack-player"))
        return [*actions, say.Action("end-turn")]

    # --- questions ----------------------------------------------------------------------------

    def _picks(self, asked: say.Choose) -> list[int]:
        look = self._book.decide(asked.state)
        if asked.kind == "option":
            assert asked.card is not None  # only a card's ability can have alternatives
            look.rank("makeChoiceRules", [asked.card])
            return [int(look.score("makeChoiceRules", asked.card)) - 1]
        cards = [option.card for option in asked.options if option.card is not UNSET]
        above: float | None = None
        if not asked.least:
            above = _WORTH_IT if asked.kind in ("discard", "scrap") else 0
        return look.rank(_RULES[asked.kind], cards, above)[: asked.most]


def _able(now: say.PlayTurn, action: str) -> list[str]:
    # The request lists an action only once if there are several copies of a card. We want to use
    # every copy.
    able = {legal.card for legal in now.actions if legal.action == action}
    return [
        piece.card
        for piece in now.state.in_play
        if piece.card in able
        and not (action == "use-base" and piece.used)
        and not (action == "use-ally" and piece.ally_used)
    ]


def _pair(scores: Sequence[float], costs: Sequence[int], trade: int) -> tuple[int, int] | None:
    # Find two affordable cards that together score higher than the best card, which is at index 0.
    for first, second in combinations(range(1, len(scores)), 2):
        if costs[first] + costs[second] <= trade and scores[first] + scores[second] > scores[0]:
            return first, second
    return None


def _attacked(look: Decision, bases: Sequence[str], combat: int) -> tuple[list[say.Action], int]:
    # Attack bases from the highest score down, skipping those that we lack the combat for.
    actions = []
    for index in look.rank("attackBaseRules", bases, above=0):
        card = bases[index]
        if CARDS[card].defense <= combat:
            combat -= CARDS[card].defense
            actions.append(say.Action("attack-base", card))
    return actions, combat
