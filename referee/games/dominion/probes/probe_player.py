"""A bot that tests another referee. It makes legal moves, unless it tries a trick.

With each reply, we remember which cases it tests. If the other referee makes a mistake after that
reply, we know which cases have failed.
"""

from __future__ import annotations

from referee.games.dominion.probes.probe_state import ProbeState, Style, buy
from referee.games.dominion.probes.tricks import TRICKS, probe_action
from referee.games.dominion.rules.cards import CARDS
from referee.games.interface.probing import Message, ProbeAction

# The test has to end even if the other referee never ends a turn.
_MOST_REPLIES = 100
"""Maximum replies per turn. A longer turn counts as endless."""


class DominionProbePlayer(ProbeState):
    """Implements `referee.games.interface.probing.ProbePlayer`."""

    def __init__(self, plan: Style, seat: int, seed: str) -> None:
        super().__init__(plan, seat, seed)
        self._tricks = [name for name in plan.tricks.split() if name in TRICKS]
        self._replies = 0

    def reply(self, request: Message) -> ProbeAction:
        self.look(request)
        self._replies = 0 if self.first else self._replies + 1
        if self.turn > self.style.turns or self._replies > _MOST_REPLIES:
            return ProbeAction(then="exit")
        # Try the tricks in order, and use each of them once. If none fits this request, the probe
        # makes a normal move.
        for name in self._tricks:
            done = TRICKS[name].probe_action(self)
            if done is not None:
                self._tricks.remove(name)
                return done
        if not self.asks_to_play:
            answer = self.attack_reply()
            return probe_action(answer, "7.2/1" if "discard" in answer else "7.3/1")
        play = self.turn_reply()
        if play["phase"] != "action":
            return probe_action(play)
        return probe_action(play, self.style.cases or f"{CARDS[play['card']].section}/1")

    def plain(self) -> Message | None:
        """Return a reply that publicly buys a copper, or None except at the start of a turn."""
        return buy(self.treasures, ["copper"]) if self.asks_to_play and self.first else None
