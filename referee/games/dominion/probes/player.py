"""A probe's play of Dominion: its tricks, each once, and legally otherwise."""

from __future__ import annotations

from referee.games.dominion.probes.sight import buy
from referee.games.dominion.probes.tricks import TRICKS, Eye, deed
from referee.games.dominion.rules.cards import KINGDOM
from referee.seam.probing import Deed, Message, Plan

_MOST_REPLIES = 100
"""To one turn; one that takes more does not end."""

CARD_CASES = {card: f"6.{number}/1" for number, card in enumerate(KINGDOM, start=1)}
"""What a legal play of a card is there for."""


class ProbePlayer:
    """Implements `referee.seam.probing.Player`."""

    def __init__(self, plan: Plan, seat: int, seed: str) -> None:
        self._sight = Eye(plan.style, seat, seed)
        self._tricks = [TRICKS[name] for name in plan.tricks if name in TRICKS]
        self._replies = 0

    def hear(self, message: Message) -> None:
        """Take a message that asks for nothing."""
        self._sight.hear(message)

    def reply(self, request: Message) -> Deed:
        """Answer a request."""
        sight = self._sight
        sight.look(request)
        self._replies = 0 if sight.first else self._replies + 1
        if sight.turns > sight.style.turns or self._replies > _MOST_REPLIES:
            return Deed(then="exit")
        for trick in self._tricks:
            done = trick.deed(sight)
            if done is not None:
                self._tricks.remove(trick)
                return done
        if not sight.asks_to_play:
            reply = sight.attack_reply()
            return deed(reply, "7.2/1" if "discard" in reply else "7.3/1")
        reply = sight.turn_reply()
        if reply["phase"] == "action":
            return deed(reply, sight.style.cases or CARD_CASES[reply["card"]])
        return deed(reply)

    def plain(self) -> Message | None:
        """A small buy at the start of a turn."""
        sight = self._sight
        return buy(sight.treasures, ["copper"]) if sight.asks_to_play and sight.first else None
