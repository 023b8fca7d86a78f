"""Support for conformance cases: games that start from a given position, and simple replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, ValidationError

from referee.games.tribute.rules.cards import Card
from referee.games.tribute.rules.effects import OPP_DISCARD
from referee.games.tribute.rules.messages import END_TURN
from referee.games.tribute.rules.table import PLAYERS, Due, Player, Table


class AgentAt(Struct, frozen=True, forbid_unknown_fields=True):
    """An agent in play. If `hp` is omitted, it's undamaged."""

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
    """A position in which player 1 begins a turn. Omitted piles are empty.

    Piles are lists of card ids. The cards get uids from 10000, in this order: row, tavern deck, and
    for each player hand, draw pile, cooldown pile, played cards and agents.

    Attributes:
        discards: cards of player 2 that force player 1 to discard when the turn starts.
    """

    patrons: tuple[str, str, str, str]  # in the order in which they were picked
    seats: dict[str, SeatAt] = {}
    favours: dict[str, str] = {}  # patron -> the player whom it favours
    row: list[str] = []
    tavern_deck: list[str] = []  # top card first
    turn: int = 0  # number of turns that are over
    discards: list[str] = []

    def lay_out(self, table: Table) -> None:
        """Change a new table to this position.

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
    """Create cards from their ids.

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
    """Return a reply that does as little as possible.

    It picks the first patron, ends the turn, or chooses the first `min` cards or the left effect.
    """
    if request["type"] == "patron-request":
        return {"type": "patron-reply", "patron": request["available"][0]}
    if request["type"] == "play-turn":
        return {"type": "play-reply", "action": {"type": END_TURN}}
    if request["effects"]:
        return {"type": "choose-reply", "effect": 0}
    cards = request["cards"][: request["min"]]
    return {"type": "choose-reply", "cards": [card["uid"] for card in cards]}
