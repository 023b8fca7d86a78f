"""A game that begins in the middle, and the simplest reply, for conformance cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, ValidationError

from referee.games.tribute.rules.cards import Card
from referee.games.tribute.rules.effects import OPP_DISCARD
from referee.games.tribute.rules.messages import END_TURN
from referee.games.tribute.rules.table import PLAYERS, Due, Player, Table


class AgentAt(Struct, frozen=True, forbid_unknown_fields=True):
    """An agent in play. Default of `hp`: undamaged."""

    card: str
    hp: int | None = None
    activated: bool = False


class SeatAt(Struct, frozen=True, forbid_unknown_fields=True):
    """The cards and resources of a seat. Piles start with their top or oldest card."""

    hand: list[str] = []
    draw_pile: list[str] = []
    known: int = 0
    cooldown: list[str] = []
    played: list[str] = []
    agents: list[AgentAt] = []
    coins: int = 0
    power: int = 0
    prestige: int = 0
    patron_calls: int = 1

    def lay_out(self, table: Table, player: Player) -> None:
        for pile in ("hand", "draw_pile", "cooldown", "played"):
            setattr(player, pile, _made(table, getattr(self, pile)))
        for agent in self.agents:
            (card,) = _made(table, [agent.card])
            card.hp = card.kind.hp if agent.hp is None else agent.hp
            card.activated = agent.activated
            player.agents.append(card)
        player.known, player.coins, player.power = self.known, self.coins, self.power
        player.prestige, player.calls = self.prestige, self.patron_calls


class Situation(Struct, frozen=True, forbid_unknown_fields=True):
    """A game that begins in the middle, with a turn of player 1. Missing parts are empty.

    Cards are given by their ids. Their uids count from 10000: the row, the tavern deck, then for
    each player hand, draw pile, cooldown pile, played cards, agents.

    Attributes:
        discards: cards of player 2 that make player 1 discard at the start of its turn.
    """

    patrons: tuple[str, str, str, str]  # the four picked patrons, in order
    seats: dict[str, SeatAt] = {}
    favours: dict[str, str] = {}  # patron -> the favoured player
    row: list[str] = []
    tavern_deck: list[str] = []  # top card first
    turn: int = 0  # number of turns before this turn
    discards: list[str] = []

    def lay_out(self, table: Table) -> None:
        """Set up a new table.

        Raises:
            ValidationError: a patron, player or card doesn't exist.
        """
        players = dict(zip(PLAYERS, table.players, strict=True))
        table.picked, table.turn = list(self.patrons), self.turn
        try:
            for patron in self.patrons:
                table.cards.starters[patron]  # raises KeyError if the card set doesn't have it
            table.seat_patrons()
            table.favours |= {patron: players[who] for patron, who in self.favours.items()}
            table.row, table.deck = _made(table, self.row), _made(table, self.tavern_deck)
            for number, seat in self.seats.items():
                seat.lay_out(table, players[number])
            table.discards = [_discard_of(table.players[1], card) for card in self.discards]
        except (KeyError, StopIteration) as error:
            raise ValidationError(f"the situation names what is not there: {error}") from None


def _made(table: Table, cards: Iterable[str]) -> list[Card]:
    """Create cards.

    Raises:
        KeyError: a card's patron isn't at the table.
    """
    made = [table.new_card(card) for card in cards]
    for card in made:
        table.favours[card.kind.deck]  # raises KeyError if the patron isn't at the table
    return made


def _discard_of(player: Player, card: str) -> Due:
    source = next(each for each in player.owned() if each.kind.card == card)
    effects = ((level, effect) for level, entry in source.kind.entries for effect in entry)
    return next(Due(source, at + 1, effect) for at, effect in effects if effect[0] == OPP_DISCARD)


def simplest_reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Pick the first patron, end the turn, choose the first `min` cards or the left effect."""
    if request["type"] == "patron-request":
        return {"type": "patron-reply", "patron": request["available"][0]}
    if request["type"] == "play-turn":
        return {"type": "play-reply", "action": {"type": END_TURN}}
    if request["effects"]:
        return {"type": "choose-reply", "effect": 0}
    cards = request["cards"][: request["min"]]
    return {"type": "choose-reply", "cards": [card["uid"] for card in cards]}
