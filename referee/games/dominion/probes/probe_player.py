"""A probe in Dominion. It plays legally, except for its tricks.

Each reply lists the cases that it tests. If the other referee deviates after a reply, we therefore
know which cases failed.
"""

from __future__ import annotations

from referee.games.dominion.probes.probe_state import ProbeState, Style, buy
from referee.games.dominion.probes.tricks import TRICKS, probe_action
from referee.games.dominion.rules.cards import KINGDOM
from referee.games.interface.probing import Message, ProbeAction

# If a referee never ends a turn, the test must still end.
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
        return probe_action(play, self.style.cases or f"6.{KINGDOM.index(play['card']) + 1}/1")

    def plain(self) -> Message | None:
        """Return a cheap buy, which everybody sees, at the start of a turn. Otherwise None."""
        return buy(self.treasures, ["copper"]) if self.asks_to_play and self.first else None
