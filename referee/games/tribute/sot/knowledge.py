"""Builds a table for the rules from the messages that a bot gets.

We don't know the real order of hidden cards, so they are in the order in which messages list them.
A simulation shuffles them first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import chain
from typing import Any, TypeAlias

from referee.games.tribute.rules import cards, effects, messages, turn
from referee.games.tribute.rules.cards import Card, entry
from referee.games.tribute.rules.table import FIRST_UID, PLAYERS, Choice, Due, Table

Json: TypeAlias = dict[str, Any]
_COUNTED = (messages.PLAY_CARD, messages.ACTIVATE_AGENT)
_CONTRACTS = (cards.CONTRACT_ACTION, cards.CONTRACT_AGENT)


class Knowledge:
    """Keeps track of everything that a bot can know about a match from its messages."""

    def __init__(self, seat: int, info: Json) -> None:
        self._seat = seat
        self._set = cards.card_set(info["cards"])
        self._max_actions = info["max_actions"]
        self._actions = 0
        self._cards: dict[int, Card] = {}
        self._agents: dict[int, Card] = {}

    def observe(self, message: Json) -> None:
        match message["type"]:
            case "table-set":
                self._picked = [each for each in message["patrons"] if each != cards.TREASURY]
                self._combos = self._empty()
                self._found(chain(message["row"], message["tavern_deck"], *message["starters"]))
            case "turn-started":
                self._combos.forget_combos()
                self._actions = 0
                # Agents may have been hit or have left play since the last request. The next
                # request will show the current ones.
                self._agents = {}
            case "action":
                # Requests don't contain the number of actions left, but simulations need it.
                self._actions += 1
                if "card" in message["action"]:
                    card = self._cards[message["action"]["card"]]
                    self._count(card, message["action"]["type"])
            case "event" if message["target"] is not None:
                self._count(self._found([message["target"]])[0], message["kind"])

    def _count(self, card: Card, kind: str) -> None:
        # Requests don't contain the effects that are still waiting for more cards of their deck
        # (combos). We keep track of them here.
        is_got = kind in (messages.BUY_CARD, "acquire-card") and card.kind.type in _CONTRACTS
        if is_got or kind in _COUNTED:
            effects.count(self._combos, card)
            # The effects that count() has queued happen in the real match, so drop them here.
            self._combos.queue.clear()
            self._combos.discards.clear()

    def table(self, request: Json) -> tuple[Table, Choice | list[turn.LegalAction]]:
        """Return the table at the time of a request, and the pending choice or legal actions."""
        table, state = self._empty(), request["state"]
        own, others = state["me"], state["opponent"]
        table.me, table.other = me, other = table.players[self._seat], table.players[1 - self._seat]
        self._agents = {}
        for player, shown in ((me, own), (other, others)):
            player.coins, player.power = shown["coins"], shown["power"]
            player.prestige = shown["prestige"]
            player.cooldown = self._found(shown["cooldown"])
            player.played = self._found(shown["played"])
            for agent in shown["agents"]:
                card = self._agents[agent["uid"]] = self._new(agent)
                card.hp, card.activated = agent["hp"], agent["activated"]
                player.agents.append(card)
        me.hand, me.calls = self._found(own["hand"]), own["patron_calls"]
        known = self._found(own["known"])
        me.known = len(known)
        me.draw_pile = known + [c for c in self._found(own["draw_pile"]) if c not in known]
        hidden, size = self._found(others["hand_and_draw"]), others["hand_size"]
        other.hand, other.draw_pile = hidden[:size], hidden[size:]
        for patron, favoured in state["favours"].items():
            table.favours[patron] = favoured and table.players[PLAYERS.index(favoured)]
        table.row, table.deck = self._found(state["row"]), self._found(state["tavern_deck"])
        table.turn, table.actions_left = request["turn"], self._max_actions - self._actions
        # A simulation may create cards, which must not have the uid of an existing card.
        table.next_uid = max(self._cards, default=FIRST_UID - 1) + 1
        table.discards = self._dues(state["start_of_next_turn"])
        table.queue = deque(self._dues(request.get("upcoming", ())))
        table.counters = self._combos.counters.copy()
        for deck, levels in self._combos.waiting.items():
            table.waiting[deck] = [
                [self._due(due.source, due.level, due.effect) for due in level] for level in levels
            ]
        is_turn = request["type"] == "play-turn"
        return table, turn.legal(table) if is_turn else self._choice(request)

    def _choice(self, request: Json) -> Choice:
        source, either = request["source"], request["effects"]
        return Choice(
            request["follow_up"],
            source if isinstance(source, str) else self._found([source])[0],
            request["level"],
            self._found(request["cards"]),
            request["max"],
            request["min"],
            entry(" OR ".join(either))[0] if either else None,  # type: ignore[arg-type]
        )

    def _dues(self, waiting: Iterable[Json]) -> list[Due]:
        return [
            self._due(self._found([each["source"]])[0], each["level"], entry(each["effect"])[0])
            for each in waiting
        ]

    def _due(self, source: Card, level: int, effect: Any) -> Due:
        return Due(self._agents.get(source.uid, source), level, effect)

    def _empty(self) -> Table:
        table = Table(self._set, {})
        table.picked = self._picked
        table.seat_patrons()
        return table

    def _new(self, shown: Json) -> Card:
        return Card(shown["uid"], self._set.kinds[shown["card"]])

    def _found(self, shown: Iterable[Json]) -> list[Card]:
        # Agents in play can lose HP. For a card that's an agent in play, use the object that
        # table() created for the last request.
        found = []
        for each in shown:
            card = self._agents.get(each["uid"]) or self._cards.get(each["uid"])
            if card is None:
                card = self._cards[each["uid"]] = self._new(each)
            found.append(card)
        return found
