"""A probe in Dominion. It plays legally, except for its tricks.

It also says which cases each of its replies tests. If the other referee deviates after a reply, we
know which of them it violates.
"""

from __future__ import annotations

from referee.games.dominion.probes.probe_state import ProbeState, Style, buy
from referee.games.dominion.probes.tricks import TRICKS, probe_action
from referee.games.dominion.rules.cards import KINGDOM
from referee.games.interface.probing import Message, ProbeAction

# A referee that never ends a turn must not keep us here forever.
_MOST_REPLIES = 100
"""Maximum replies per turn. A longer turn is endless."""


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
        # We try the tricks in their order and use each of them once. If none fits this request, the
        # probe just plays on.
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
        """Return a small buy at the start of a turn. Everybody sees it."""
        return buy(self.treasures, ["copper"]) if self.asks_to_play and self.first else None
