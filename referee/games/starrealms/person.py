"""Lets a person play Star Realms in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import UNSET, Struct, to_builtins

from referee.games.interface.capabilities import Phrase
from referee.games.interface.dialogue import Choice, Decision, InfoTable, Question, turn_question
from referee.games.interface.sentence import Amount, Effect, effect_of, effect_text
from referee.games.interface.turns import TurnListener
from referee.games.starrealms.rules.cards import CARDS, Ability, Card
from referee.games.starrealms.rules.messages import Action, Choose, Option, PlayTurn, State
from referee.games.starrealms.turns import Turn, Turns

_WORDS = {
    "draw": "draw {}",
    "opponent_discard": "the other discards {}",
    "scrap_trade_row": "may scrap of the row",
    "destroy_base": "may destroy a base",
    "gain_ship": "may take a ship of the row",
    "scrap_hand_or_discard": "may scrap a card",
    "scrap_from_hand": "scrap a card of the hand",
    "scrap_then_draw": "scrap up to {}, draw as many",
    "discard_up_to_then_draw_that_many": "discard up to {}, draw as many",
    "copy_ship": "copies another ship",
    "next_ship_to_top": "next ship on top of the deck",
    "draw_with_two_bases": "with two bases draw {}",
    "draw_per_blob_card_played_this_turn": "draw {} a Blob card played",
}
"""Phrases for some effects. All others are shown as the amount and the word, e.g. "3 trade"."""
_SYMBOLS = {"trade": "coin", "combat": "sword", "authority": "shield", "draw": "card"}
_CONSTANT = {"ally_of_all": "an ally of all", "combat_per_ship": "1 combat a ship played"}
_TAKES_FROM_HAND = {"scrap_hand_or_discard", "copy_ship"}
_KINDS = {
    "discard": ("discard", "Which do you discard?"),
    "scrap": ("scrap", "Which do you scrap?"),
    "scrap-trade-row": ("scrap", "Which card of the row do you scrap?"),
    "destroy-base": ("destroy", "Which base do you destroy?"),
    "copy-ship": ("copy", "Which ship do you copy?"),
    "gain-ship": ("take", "Which ship do you take?"),
    "option": ("choose", "Which do you choose?"),
}
"""For each `kind` of a choice, the verb for an option, and the question."""
_VERBS = {what: what for what in ("plays", "uses", "scraps", "buys", "attacks", "discards")}
_VERBS["ally"] = "uses, with an ally,"
"""Verbs for telling the person about the opponent's actions."""
_HELP = (
    "Play your hand for trade and combat, use your bases and allies, buy, attack, and end your "
    "turn: then you discard what is left and draw five.",
    "An ally ability needs another card of its faction in play. A card that you scrap leaves the "
    "game for its scrap ability.",
    "While the other has an outpost in play, you cannot attack anything else.",
)


class StarRealmsDialogue(TurnListener[Turn]):
    """Implements `referee.games.interface.dialogue.Dialogue` for Star Realms."""

    reader_type = Turns
    verbs = _VERBS

    def tell(self, turn: Turn) -> list[str]:
        # Messages contain player numbers, but "attacks you" reads better than "attacks player1".
        return [line.replace(self._number, "you") for line in super().tell(turn)]

    def decide(self, request: Struct) -> Decision:
        if isinstance(request, Choose):
            picks = yield _choice(request)
            return {"type": "choose-reply", "picks": list(picks)}
        assert isinstance(request, PlayTurn)
        many = [card for card in request.state.hand if _is_plain(CARDS[card])]
        # The last action is always end-turn. We leave it out, because an empty line ends the turn.
        *actions, _ = request.actions
        picks = yield _turn(request, actions, many)
        if not picks:
            chosen = [{"action": "end-turn"}]
        # The person picked "play all", which _turn() adds after the actions.
        elif picks[0] == len(actions):
            chosen = [{"action": "play", "card": card} for card in many]
        else:
            chosen = [to_builtins(actions[picks[0]])]
        return {"type": "play-reply", "actions": chosen}


def _turn(request: PlayTurn, actions: Sequence[Action], many: Sequence[str]) -> Question:
    state = request.state
    choices = [
        Choice(_name(action), (_what(action, state),), verb=verb, thing=thing)
        for action, (verb, thing) in zip(actions, map(_done, actions), strict=True)
    ]
    verbs = [action.action.partition("-")[0] for action in actions]
    left = [verb for verb in verbs if verb in ("play", "buy", "attack")]
    if len(many) > 1:
        choices.append(Choice("play all cards that need no choice", (", ".join(many),), key="a"))
    title = f"Turn {state.turn}: {state.authority} to {state.opponent.authority}"
    shown = {"state": _state(state), "views": _views(state), "help": _HELP}
    return turn_question(choices, left, title=title, **shown)


def _choice(request: Choose) -> Question:
    card = "" if request.card is None else f"{request.card}: "
    verb, text = _KINDS[request.kind]
    return Question(
        f"{card}{text}",
        [_option(option, verb) for option in request.options],
        state=_state(request.state),
        columns=("choice", "what it is"),
        least=request.least,
        most=request.most,
        enter="" if request.least else "none",
        views=_views(request.state),
        help=_HELP,
    )


def _option(option: Option, verb: str) -> Choice:
    # The player chooses between the alternatives of an ability.
    if option.card is UNSET:
        effects = [item for effect in option.effects or () for item in effect.items()]
        words = effect_text(_ability((tuple(effects),)))
        return Choice(str(option.option), (words,), verb=verb, thing=words)
    place = {"trade-row": "row", "opponent": "the other's"}.get(str(option.from_), option.from_)
    what = f"{place}; {does(CARDS[option.card])}"
    return Choice(option.card.replace(" ", "-"), (what,), verb=verb, thing=option.card)


def _done(action: Action) -> tuple[str, str]:
    if action.card is UNSET:
        return "attack", "the other player"
    card = CARDS[action.card]
    match action.action:
        case "buy" if action.to == "deck":
            return "buy on top", f"of the deck: {action.card} for {card.cost}"
        case "buy":
            return "buy", f"{action.card} for {card.cost}"
        case "use-base":
            return "use", action.card
        case "use-ally":
            return "use ally", f"ability of {action.card}"
        case "attack-base":
            return "attack", f"{action.card} with {card.defense} combat"
    return action.action, action.card  # "play" and "scrap" are already verbs


def _name(action: Action) -> str:
    top = "to-deck" if action.to == "deck" else UNSET
    words = [word for word in (action.action, action.card, top) if word is not UNSET]
    return "-".join(words).replace(" ", "-")


def _what(action: Action, state: State) -> str:
    if action.card is UNSET:
        return f"{state.combat} combat"
    # Show the abilities of the copied ship, which the Needle now has.
    copied = state.copied if action.card == "Stealth Needle" else None
    card = CARDS[copied or action.card]
    match action.action:
        case "use-ally":
            return effect_text(_ability(card.ally))
        case "scrap":
            return effect_text(_ability(card.scrap))
        case "buy":
            return f"costs {card.cost}; {does(card)}"
        case "attack-base":
            return f"{card.defense} combat"
    return does(card)


def effect(card: Card) -> Effect:
    """Describe a card's effect briefly. The match page shows some of the amounts as symbols.

    The wording is our own, because we don't include the printed texts of the cards.
    """
    constant = _CONSTANT.get(card.constant)
    parts = [[constant] if constant else _ability(card.primary)]
    parts += [["ally: ", *_ability(card.ally)]] * bool(card.ally)
    parts += [["scrap: ", *_ability(card.scrap)]] * bool(card.scrap)
    return effect_of("; ", parts)


def does(card: Card) -> str:
    """Describe a card's effect briefly, as plain text."""
    return effect_text(effect(card))


def _ability(lists: Ability) -> Effect:
    return effect_of(
        " or ",
        [effect_of(", ", [[_said(word, n)] for word, n in effects]) for effects in lists],
    )


def _said(word: str, number: int) -> str | Amount:
    text = _WORDS.get(word, f"{{}} {word}").format(number)
    return Amount(text, _SYMBOLS[word], number) if word in _SYMBOLS else text


def _is_plain(card: Card) -> bool:
    # Some ships can scrap other cards of the hand, or copy a ship that can. We leave them out of
    # "play all", because scrapped cards couldn't be played any more and the reply would be illegal.
    return not {word for effects in card.primary for word, _ in effects} & _TAKES_FROM_HAND


def _state(state: State) -> list[Phrase]:
    other = state.opponent
    due = f", {other.due} to discard" if other.due else ""
    in_play = [piece.card for piece in state.in_play]
    return [
        Phrase("other", f"authority {other.authority}, {other.hand_size} in hand{due}", "red"),
        Phrase("its bases", _listed(f"{base} {CARDS[base].defense}" for base in other.bases)),
        Phrase("row", _listed(f"{card} {CARDS[card].cost}" for card in state.trade_row), "blue"),
        Phrase("in play", _listed(in_play)),
        Phrase("hand", _listed(state.hand), "bold"),
        Phrase("you", f"trade {state.trade}, combat {state.combat}", "green"),
    ]


def _listed(cards: Iterable[str]) -> str:
    return ", ".join(cards) or "none"


def _views(state: State) -> list[InfoTable]:
    piles = {
        "d": ("your deck", state.deck),
        "p": ("your discard pile", state.discard),
        "o": ("hand and deck of the other", state.opponent.hidden),
        "x": ("discard pile of the other", state.opponent.discard),
    }
    tables = []
    for key, (name, cards) in piles.items():
        rows = [(card, str(count), does(CARDS[card])) for card, count in Counter(cards).items()]
        tables.append(InfoTable(key, name, ("card", "cards", "what it does"), rows))
    return tables
