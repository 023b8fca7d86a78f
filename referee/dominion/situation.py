"""A game that begins in the middle, and players that do next to nothing: for conformance cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from referee.dominion.cards import STARTING_DECK
from referee.dominion.effects import Decisions
from referee.dominion.game import Dominion
from referee.dominion.messages import PlayerGained, PlayerTrashed
from referee.dominion.player import Player
from referee.dominion.turn import play_turn
from referee.dominion.turn_state import TurnState
from referee.game import Setup


class Situation(Dominion):
    """A game whose seats hold given cards.

    Before the first request, everybody is told of the gains and trashings by which the seats got
    their cards, so that a bot which counts cards is not surprised by them.

    Args:
        setup: as of every game.
        state: `seats`: player number -> `hand`, `deck` (its first card is drawn first),
            `discard_pile`, `in_play`: lists of cards, empty where they are missing; `turn`:
            `actions`, `buys`, `money`, `bought` and `gained` of the first turn of player 1;
            `supply`: card -> cards left. What is not there is as after the deal.
    """

    def __init__(self, setup: Setup, state: Mapping[str, Any]) -> None:
        super().__init__(setup)
        self._opening: Mapping[str, Any] = state.get("turn", {})
        self._history: list[tuple[Player, Counter[str]]] = []
        table = self._table
        left: dict[str, int] = table.supply.counts | state.get("supply", {})
        for player in table.players:
            cards = state.get("seats", {}).get(player.number)
            if cards is None:
                continue
            player.hand = list(cards.get("hand", ()))
            player.deck = list(cards.get("deck", ()))[::-1]
            player.discard_pile = list(cards.get("discard_pile", ()))
            player.in_play = list(cards.get("in_play", ()))
            gained = Counter(player.cards())
            gained.subtract(Counter(STARTING_DECK))
            self._history.append((player, gained))
            for card, count in gained.items():
                left[card] += max(count, 0)
        table.supply.set(left)

    def start(self) -> None:
        """Begin, and tell how the seats came by their cards."""
        super().start()
        table = self._table
        for player, gained in self._history:
            for card, count in gained.items():
                for _ in range(count):
                    table.supply.take(card)
                    table.events += (PlayerGained(player.number, card), table.supply.info())
                for _ in range(-count):
                    table.events.append(PlayerTrashed(player.number, [card]))

    def _turn(self, player: Player) -> Decisions:
        opening, self._opening = self._opening, {}
        turn = TurnState(player)
        turn.actions = opening.get("actions", turn.actions)
        turn.buys = opening.get("buys", turn.buys)
        turn.money = opening.get("money", turn.money)
        turn.bought = list(opening.get("bought", ()))
        turn.gained = list(opening.get("gained", turn.bought))
        return play_turn(self._table, player, turn)


def simplest_reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Discard what comes first; end the turn."""
    if request["type"] == "attack-request":
        return {"type": "attack-reply", "discard": request["options"][: request["discard"]]}
    return {"type": "play-reply", "phase": "cleanup"}
