"""A probe's play of Dominion: its tricks, each once, and legally otherwise."""

from __future__ import annotations

from referee.games.dominion.probes.sight import Sight, Style, buy
from referee.games.dominion.probes.tricks import TRICKS, deed
from referee.games.dominion.rules.cards import KINGDOM
from referee.games.interface.probing import Deed, Message

_MOST_REPLIES = 100
"""To one turn; one that takes more does not end."""


class ProbePlayer(Sight):
    """Implements `referee.games.interface.probing.Player`."""

    def __init__(self, plan: Style, seat: int, seed: str) -> None:
        super().__init__(plan, seat, seed)
        self._tricks = [TRICKS[name] for name in plan.tricks.split() if name in TRICKS]
        self._replies = 0

    def reply(self, request: Message) -> Deed:
        """Answer a request."""
        self.look(request)
        self._replies = 0 if self.first else self._replies + 1
        if self.turns > self.style.turns or self._replies > _MOST_REPLIES:
            return Deed(then="exit")
        for trick in self._tricks:
            done = trick.deed(self)
            if done is not None:
                self._tricks.remove(trick)
                return done
        if not self.asks_to_play:
            answer = self.attack_reply()
            return deed(answer, "7.2/1" if "discard" in answer else "7.3/1")
        play = self.turn_reply()
        if play["phase"] != "action":
            return deed(play)
        return deed(play, self.style.cases or f"6.{KINGDOM.index(play['card']) + 1}/1")

    def plain(self) -> Message | None:
        """A small buy at the start of a turn."""
        return buy(self.treasures, ["copper"]) if self.asks_to_play and self.first else None
