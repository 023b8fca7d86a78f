"""Converts game states to objects that look like the library's protobuf messages.

The library reads these messages in its builders. They work with any object that has the same
fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, TypeAlias

from scripts_of_tribute import enums
from scripts_of_tribute.protos.basics_pb2 import ChoiceProto, EndGameState

from referee.games.tribute.classic import NOBODY, board_state
from referee.games.tribute.rules.cards import Card, Kind
from referee.games.tribute.rules.messages import ACTIONS
from referee.games.tribute.rules.table import Choice, Player, Table
from referee.games.tribute.rules.turn import LegalAction

Asked: TypeAlias = Choice | list[LegalAction]
_COMMANDS = {kind: enums.MoveEnum[kind.upper().replace("-", "_")].value for kind in ACTIONS}
_ORDER = attrgetter("order")


class Fields(SimpleNamespace):
    """Stands in for a protobuf message. Real ones are slower to create and to read."""

    def HasField(self, name: str) -> bool:  # noqa: N802 - the library's name
        return name in self.__dict__


def state(table: Table, asked: Asked, is_seeded: bool, **others: Any) -> Fields:
    """Convert a state. In a simulation, `is_seeded` is True, and nothing is hidden."""
    choice = asked if isinstance(asked, Choice) else None
    owners = {each: NOBODY if p is None else p.number.upper() for each, p in table.favours.items()}
    board = enums.BoardState[board_state(choice.follow_up) if choice else "NORMAL"]
    return Fields(
        patron_states=Fields(patrons=owners),
        tavern_available_cards=_cards(table.row),
        board_state=board.value,
        upcoming_effects=[str(due.effect) for due in table.queue],
        start_of_next_turn_effects=[str(due.effect) for due in table.discards],
        current_player=_player(table.me, is_seeded),
        enemy_player=_player(table.other, is_seeded),
        # A bot must not learn the real order of the deck, so sort it. In a simulation, the order is
        # only a guess anyway.
        tavern_cards=_cards(table.deck if is_seeded else sorted(table.deck, key=_ORDER)),
        pending_choice=_choice(choice) if choice else ChoiceProto(),
        InitialSeed=0,
        CurrentSeed=0,
        **others,
    )


def end(winner: str, reason: str, context: str) -> Any:
    """Create the message about the end of a game. If the game isn't over, all texts are empty."""
    return EndGameState(winner=winner, reason=reason, AdditionalContext=context)


def _player(player: Player, is_seeded: bool) -> Fields:
    # We don't have to leave out hidden cards for the opponent. The library doesn't pass them on.
    pile, together = player.draw_pile, player.hand + player.draw_pile
    return Fields(
        player_id=player.seat,
        hand=_cards(player.hand),
        cooldown_pile=_cards(player.cooldown),
        played=_cards(player.played),
        known_upcoming_draws=_cards(pile[: player.known]),
        agents=[
            Fields(currentHP=a.hp, representing_card=_card(a.uid, a.kind), activated=a.activated)
            for a in player.agents
        ],
        power=player.power,
        patron_calls=player.calls,
        coins=player.coins,
        prestige=player.prestige,
        # Sort these cards, so that the bot can't see in which order it will draw them.
        draw_pile=_cards(pile if is_seeded else sorted(pile, key=_ORDER)),
        hand_and_draw=[] if is_seeded else _cards(sorted(together, key=_ORDER)),
    )


def _cards(cards: Iterable[Card]) -> list[Fields]:
    return [_card(card.uid, card.kind) for card in cards]


@cache
def _card(uid: int, kind: Kind) -> Fields:
    row = kind.row
    return Fields(
        name=row.name,
        deck=enums.PatronId[row.deck].value,
        cost=row.cost,
        type=enums.CardType[row.type].value,
        # The library uses -1 instead of None.
        hp=-1 if row.hp is None else row.hp,
        taunt=row.taunt,
        unique_id=uid,
        effects=row.effects,
    )


def _choice(asked: Choice) -> Fields:
    source, kind = asked.source, enums.ChoiceDataType.CARD
    options = {"card_options": Fields(possible_cards=_cards(asked.cards))}
    context = source if isinstance(source, str) else source.kind.row.effects[asked.level - 1]
    if asked.effects is not None:
        context, kind = "EFFECT_CHOICE", enums.ChoiceDataType.EFFECT
        options = {"effect_options": Fields(possible_effects=[str(e) for e in asked.effects])}
    return Fields(
        max_choices=asked.most,
        min_choices=asked.least,
        context=context,
        choice_follow_up=asked.follow_up.upper().replace("-", "_"),
        type=kind.value,
        **options,
    )


def moves(asked: Asked, decisions: Sequence[Any], first: int) -> list[Fields]:
    """Convert the moves of a state, and number them from `first`."""
    made, command = [], enums.MoveEnum.MAKE_CHOICE.value
    for id, decision in enumerate(decisions, first):
        if isinstance(asked, list):
            kind, thing = asked[decision]
            command = _COMMANDS[kind]
            about = {"Basic": Fields()}
            if isinstance(thing, str):
                about = {"PatronMove": Fields(patronId=enums.PatronId[thing].value)}
            elif thing is not None:
                about = {"CardMove": Fields(cardUniqueId=thing.uid)}
        elif asked.effects is not None:
            about = {"EffectChoiceMove": Fields(effects=[str(asked.effects[decision])])}
        else:
            uids = [asked.cards[place].uid for place in decision]
            about = {"CardChoiceMove": Fields(cardsUniqueIds=uids)}
        made.append(Fields(id=id, command=command, **about))
    return made
