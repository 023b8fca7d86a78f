"""Lets a person play Scripts of Tribute in the terminal.

The names and effects of cards are taken from `game-info` and not from cards.json, because the match
may use an older card set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import UNSET, Struct

from referee.games.interface.capabilities import Phrase
from referee.games.interface.counts import plural
from referee.games.interface.dialogue import Choice, Decision, InfoTable, Question, turn_question
from referee.games.interface.sentence import Amount, Effect, effect_of, effect_text
from referee.games.interface.turns import TurnListener
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.cards import TREASURY, title_of
from referee.games.tribute.rules.patrons import PATRONS
from referee.games.tribute.turns import Turn, Turns

_VERBS = {
    "GAIN_COIN": "{} coins",
    "GAIN_POWER": "{} power",
    "GAIN_PRESTIGE": "{} prestige",
    "OPP_LOSE_PRESTIGE": "other -{} prestige",
    "DRAW": "draw {}",
    "PATRON_CALL": "{} more call",
    "HEAL": "heal {}",
    "CREATE_SUMMERSET_SACKING": "{} Summerset Sacking",
    "CREATE_MAORMER_BOARDING_PARTY": "{} Boarding Party",
    "KNOCKOUT_ALL": "knock out all agents",
    "OPP_DISCARD": "other discards {}",
    "REPLACE_TAVERN": "replace {} of the row",
    "ACQUIRE_TAVERN": "take a card up to {}",
    "DESTROY_CARD": "destroy {}",
    "RETURN_TOP": "put {} of the cooldown on top",
    "RETURN_AGENT_TOP": "put {} agent of the cooldown on top",
    "TOSS": "toss {}",
    "KNOCKOUT": "knock out {}",
    "DONATE": "discard {}, draw as many",
}
_SYMBOLS = {
    "GAIN_COIN": "coin",
    "GAIN_POWER": "sword",
    "GAIN_PRESTIGE": "star",
    "DRAW": "card",
    "DESTROY_CARD": "bin",
}
_CALLS = {
    "ANSEI": "1 coin now and each turn",
    "DUKE_OF_CROWS": "each other coin becomes 1 power",
    "RAJHIN": "the other gets a Bewilderment",
    "PSIJIC": "knock out an agent",
    "ORGNUM": "power by cards owned",
    "HLAALU": "destroy a card for prestige, cost - 1",
    "PELIN": "an agent of the cooldown on top",
    "RED_EAGLE": "draw 1",
    "SAINT_ALESSIA": "an agent",
    TREASURY: "a card becomes a Writ of Coin",
}
CALL_EFFECTS: dict[str, Effect] = {
    patron: effect_of(
        "; ",
        [
            [Amount(plural(row.coins, "coin"), "coin", row.coins)] * bool(row.coins),
            [Amount(f"{row.power} power", "sword", row.power)] * bool(row.power),
            [_CALLS[patron]],
        ],
    )
    for patron, row in PATRONS.items()
}
"""For each patron, the price and the effect of a call."""
CALLS = {patron: effect_text(called) for patron, called in CALL_EFFECTS.items()}
_KINDS = {
    "enact-chosen-effect": ("choose", "{}", "Which do you choose?"),
    "replace-cards-in-tavern": ("replace", "{}", "Which cards of the row do you replace?"),
    "acquire-cards": ("take", "{}", "Which card do you take?"),
    "destroy-cards": ("destroy", "{}", "Which cards do you destroy?"),
    "discard-cards": ("discard", "{}", "Which cards do you discard?"),
    "refresh-cards": ("put", "{} on top", "Which cards go on top of your draw pile?"),
    "toss-cards": ("toss", "{}", "Which cards do you toss?"),
    "knockout-agents": ("knock out", "{}", "Which agents do you knock out?"),
    "donate": ("discard", "{}", "Which cards do you discard, to draw as many?"),
    "complete-hlaalu": ("destroy", "{}", "Which card do you destroy?"),
    "complete-pellin": ("put", "{} on top", "Which agent goes on top of your draw pile?"),
    "complete-psijic": ("knock out", "{}", "Which agent do you knock out?"),
    "complete-treasury": ("turn", "{} into a Writ of Coin", "Which card becomes a Writ of Coin?"),
}
"""For each `follow_up` of a choice: verb and object for picking a card, and the question."""
ASKS = {kind: text for kind, (_, _, text) in _KINDS.items()}
_TELLS = {what: what for what in ("plays", "activates", "attacks", "buys", "calls", "discards")}
_HELP = (
    "Play your hand for coins and power, activate your agents, buy, call patrons, attack agents, "
    "and end your turn: power that is left becomes prestige, coins are lost, you draw five.",
    "Who has 80 prestige wins, and so does who ends a turn with the favour of all four patrons. "
    "Who has 40 wins if the other does not draw level in its next turn.",
    "A combo happens when so many cards of the deck were played in the turn. While the other has "
    "a taunt agent, you cannot attack any other.",
)


class TributeDialogue(TurnListener[Turn]):
    """Implements `referee.games.interface.dialogue.Dialogue` for Scripts of Tribute."""

    reader_type = Turns
    verbs = _TELLS

    def __init__(self, names: Sequence[str], seat: int) -> None:
        super().__init__(names, seat)
        self._rows: Mapping[str, say.CardRow] = {}
        self._playing: set[int] = set()  # uids that we still have to play for "play your hand"

    def observe(self, message: Struct) -> list[str]:
        if isinstance(message, say.GameInfo):
            self._rows = {row.card: row for row in message.card_table}
        return super().observe(message)

    def decide(self, request: Struct) -> Decision:
        if isinstance(request, say.PatronRequest):
            picks = yield self._draft(request)
            return {"type": "patron-reply", "patron": request.available[picks[0]]}
        if isinstance(request, say.ChooseRequest):
            # The rules ask even if there's nothing to choose from. We don't bother the person then.
            picks = (yield self._choice(request)) if request.cards or request.effects else ()
            if request.effects:
                return {"type": "choose-reply", "effect": picks[0]}
            return {"type": "choose-reply", "cards": [request.cards[pick].uid for pick in picks]}
        assert isinstance(request, say.PlayTurn)
        # If the person has chosen "play your hand", we answer the next requests without asking.
        index = self._next_to_play(request)
        if index is None:
            self._playing = set()
            picks = yield self._turn(request)
            index = picks[0] if picks else len(request.actions) - 1
            if picks == (len(request.actions) - 1,):  # _turn() lists "play your hand" last
                self._playing = {card.uid for card in request.state.me.hand}
                index = self._next_to_play(request)
        return {"type": "play-reply", "index": index}

    def _next_to_play(self, request: say.PlayTurn) -> int | None:
        # The hand may have changed since the person chose "play your hand". Cards that were drawn
        # since then aren't played.
        for index, action in enumerate(request.actions):
            if action.type == say.PLAY_CARD and action.card in self._playing:
                return index
        return None

    def _draft(self, request: say.PatronRequest) -> Question:
        picked = ", ".join(map(title_of, request.picked)) or "none"
        return Question(
            "Which patron do you pick?",
            [
                Choice(_typed(title_of(p)), (CALLS[p],), verb="pick", thing=title_of(p))
                for p in request.available
            ],
            title=f"Draft, round {request.round}",
            state=[Phrase("picked", picked)],
            columns=("patron", "a call"),
            help=_HELP,
        )

    def _turn(self, request: say.PlayTurn) -> Question:
        state, (*actions, _) = request.state, request.actions
        cards: list[say.CardRef | say.AgentRef] = [*state.me.hand, *state.row]
        cards += [*state.me.agents, *state.opponent.agents]
        by_uid = {card.uid: card for card in cards}
        choices = [self._action(action, by_uid) for action in actions]
        left = [_verb(action) for action in actions if action.type != say.CALL_PATRON]
        # With only one card, this choice wouldn't save the person any time.
        if left.count("play") > 1:
            hand = _listed(self._names_of(state.me.hand))
            choices.append(Choice("play your hand", (hand,), key="a"))
        title = f"Turn {request.turn}: {state.me.prestige} to {state.opponent.prestige} prestige"
        shown = {"state": self._state(state), "views": self._views(state), "help": _HELP}
        return turn_question(choices, left, title=title, **shown)

    def _action(
        self, action: say.Action, by_uid: Mapping[int, say.CardRef | say.AgentRef]
    ) -> Choice:
        verb = _verb(action)
        if action.patron is not UNSET:
            patron = title_of(action.patron)
            name = f"{verb}-{_typed(patron)}"
            return Choice(name, (CALLS[action.patron],), verb=verb, thing=patron)
        assert action.card is not UNSET
        card = by_uid[action.card]
        row = self._rows[card.card]
        brings, thing = does(row), row.name
        if isinstance(card, say.AgentRef) and verb == "attack":
            brings = f"{card.hp} HP{', taunt' * row.taunt}; {brings}"
        elif verb == "buy":
            brings = f"costs {row.cost}; {_kind(row)}{brings}"
            thing += f" for {row.cost}"
        elif verb == "play":
            brings = _kind(row) + brings
        return Choice(f"{verb}-{_typed(row.name)}", (brings,), verb=verb, thing=thing)

    def _choice(self, request: say.ChooseRequest) -> Question:
        verb, thing, text = _KINDS[request.follow_up]
        if request.effects:
            sides = zip(("left", "right"), map(_words, request.effects), strict=True)
            choices = [Choice(side, (words,), verb=verb, thing=words) for side, words in sides]
            least = most = 1
        else:
            rows = [self._rows[card.card] for card in request.cards]
            choices = [
                Choice(
                    _typed(row.name),
                    (f"{row.cost}; {does(row)}",),
                    verb=verb,
                    thing=thing.format(row.name),
                )
                for row in rows
            ]
            # `max` can exceed the length of the list.
            least, most = request.min, min(request.max, len(choices))
        source = request.source
        name = title_of(source) if isinstance(source, str) else self._rows[source.card].name
        many = f" Up to {most}." if most > 1 and least < most else f" {most}." * (most > 1)
        return Question(
            f"{name}: {text}{many}",
            choices,
            state=self._state(request.state),
            columns=("choice", "what it is" if request.effects else "cost; what it brings"),
            least=least,
            most=most,
            enter="" if least else "none",
            views=self._views(request.state),
            help=_HELP,
        )

    def _state(self, state: say.State) -> list[Phrase]:
        me, other = state.me, state.opponent
        coins = f", coins {other.coins}" * (other.coins > 0)
        favours = [
            f"{title_of(patron)} {'you' if who == self._number else 'the other' if who else 'none'}"
            for patron, who in state.favours.items()
            if patron != TREASURY
        ]
        row = [
            f"{card.name} {card.cost}{' (can buy)' * (card.cost <= me.coins)}"
            for card in (self._rows[card.card] for card in state.row)
        ]
        return [
            Phrase("other", f"prestige {other.prestige}, {other.hand_size} in hand{coins}", "red"),
            Phrase("its agents", self._agents(other.agents), "red"),
            Phrase("favours", _listed(favours)),
            Phrase("row", _listed(row), "blue"),
            Phrase("agents", self._agents(me.agents)),
            Phrase("hand", _listed(self._names_of(me.hand)), "bold"),
            Phrase(
                "you",
                f"prestige {me.prestige}, coins {me.coins}, power {me.power}, "
                f"patron calls {me.patron_calls}",
                "green",
            ),
        ]

    def _names_of(self, cards: Iterable[say.CardRef]) -> list[str]:
        counts = Counter(self._rows[card.card].name for card in cards)
        return [f"{count}x {name}" if count > 1 else name for name, count in counts.items()]

    def _agents(self, agents: Iterable[say.AgentRef]) -> str:
        return _listed(
            f"{self._rows[agent.card].name} {agent.hp} HP"
            + " taunt" * self._rows[agent.card].taunt
            + " used" * agent.activated
            for agent in agents
        )

    def _views(self, state: say.State) -> list[InfoTable]:
        me, other = state.me, state.opponent
        piles = {
            "d": ("your draw pile", me.draw_pile),
            "p": ("your cooldown pile", me.cooldown),
            "o": ("hand and draw pile of the other", other.hand_and_draw),
            "x": ("cooldown pile of the other", other.cooldown),
            "r": ("tavern row", state.row),
            "t": ("tavern deck", state.tavern_deck),
        }
        views = []
        for key, (name, cards) in piles.items():
            counts = [(self._rows[c], n) for c, n in Counter(c.card for c in cards).items()]
            rows = [(card.name, str(n), str(card.cost), does(card)) for card, n in counts]
            views.append(InfoTable(key, name, ("card", "cards", "cost", "what it brings"), rows))
        return views


def _verb(action: say.Action) -> str:
    # "buy-card" -> "buy"
    return action.type.partition("-")[0]


def effect(row: say.CardRow) -> Effect:
    """Describe a card's effect briefly. The match page shows some of the amounts as symbols.

    The wording is our own, because we don't include the printed texts of the cards.
    """
    parts = [
        [f"combo {level}: ", *_said(words)] if level > 1 else _said(words)
        for level, words in enumerate(row.effects, 1)
        if words
    ]
    return effect_of("; ", parts) or ["nothing"]


def does(row: say.CardRow) -> str:
    """Describe a card's effect briefly, as plain text."""
    return effect_text(effect(row))


def _kind(row: say.CardRow) -> str:
    if row.hp is None:
        return "at once: " * row.type.startswith("CONTRACT")
    return f"{'taunt ' * row.taunt}agent of {row.hp} HP; "


def _said(words: str) -> Effect:
    # E.g. "GAIN_COIN 1 AND DRAW 1" -> "1 coin, draw 1"
    for word, between in ((" OR ", " or "), (" AND ", ", ")):
        if word in words:
            return effect_of(between, map(_said, words.split(word)))
    verb, amount = words.split()
    text = "1 coin" if words == "GAIN_COIN 1" else _VERBS[verb].format(amount)
    return [Amount(text, _SYMBOLS[verb], int(amount)) if verb in _SYMBOLS else text]


def _words(words: str) -> str:
    return effect_text(_said(words))


def _typed(name: str) -> str:
    # The person's input is split at spaces, so a name must not contain any.
    return name.replace(",", "").replace(" ", "-")


def _listed(things: Iterable[str]) -> str:
    return ", ".join(things) or "none"
