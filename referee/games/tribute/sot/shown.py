"""Converts a table to objects with the fields of the library's messages.

The builders of the library expect messages of protobuf, but any objects with all the fields work.
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
    """Replaces a message of the library. It's faster to create and to read than a real one."""

    def HasField(self, name: str) -> bool:  # noqa: N802 - the library's name
        return name in self.__dict__


def state(table: Table, asked: Asked, is_seeded: bool, **others: Any) -> Fields:
    """Return a state. `is_seeded` is True in a simulation, where nothing is hidden."""
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
        # In the match, a bot must not learn the order of the deck. In a simulation, the order is
        # only a guess.
        tavern_cards=_cards(table.deck if is_seeded else sorted(table.deck, key=_ORDER)),
        pending_choice=_choice(choice) if choice else ChoiceProto(),
        InitialSeed=0,
        CurrentSeed=0,
        **others,
    )


def end(winner: str, reason: str, context: str) -> Any:
    """Return the end of a game. For the builders, empty texts mean that the game hasn't ended."""
    return EndGameState(winner=winner, reason=reason, AdditionalContext=context)


def _player(player: Player, is_seeded: bool) -> Fields:
    # The library's builders read only those fields that a bot may see.
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
        # Sort these cards, so that a bot can't see in which order it will draw them.
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
    """Return the moves of a state. Their ids count from `first`."""
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
