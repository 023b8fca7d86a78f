"""Implements a probe, which is a bot that tests the referee that it plays under. No I/O.

The game's `ProbePlayer` (`games/interface/probing.py`) chooses the moves. The probe itself does the
handshake and writes the lines, and uses tricks from line_tricks.py in both.
"""

from __future__ import annotations

from referee.conformance.referee_side.comparing import LINE_LIMIT
from referee.conformance.referee_side.line_tricks import HANDSHAKES, REPLIES, LineTrick
from referee.conformance.referee_side.recording import RecordedSeat, request_types
from referee.games.interface.definition import GameDefinition
from referee.games.interface.probing import Message, ProbeAction, ProbePlan
from referee.games.interface.seats import seat_id

_EARLY = "long-line-early"


class Probe:
    """The bot in one seat. Decides what to write for each line that it receives.

    Attributes:
        seat: the conversation so far.
        sent: for each type of message, how many the referee has sent to this seat.
    """

    def __init__(self, definition: GameDefinition, plan: ProbePlan, seat: int, seed: int) -> None:
        self.seat = RecordedSeat(plan.stays)
        self.sent: dict[str, int] = {}
        self._right: Message = {
            "type": "player-name-reply",
            "player_number": seat_id(seat),
            "name": f"Probe {seat + 1}",
            "version": 1,
        }
        self._probes = definition.probes()
        self._handshake = plan.handshake
        self._tricks = [t for t in plan.tricks.split() if t in (*REPLIES, _EARLY)]
        self._player = self._probes.player(plan, seat, f"{seed}/{seat_id(seat)}")
        self._requests = request_types(definition)
        self._asked = 0

    def take(self, line: bytes) -> ProbeAction | None:
        """Process a line (without the newline). If it leads to an action, record and return it."""
        left = self.seat.left
        if left is not None and left.then != "close":
            return None  # the probe is about to exit, so it doesn't read this line any more
        message = self.seat.read(line).message
        if not message or left is not None:
            return None
        kind = message["type"]
        self._asked += kind in self._requests or kind == "player-name-request"
        self.sent[kind] = self.sent.get(kind, 0) + 1
        try:
            action = self._action(kind, message)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            # The message must be wrong, because the probe can't reply to it. comparing.py will
            # report that.
            self.seat.note(f"gives up: {type(error).__name__} {error}")
            action = ProbeAction(then="exit")
        if action is not None:
            self.seat.write(action)
        return action

    def _action(self, kind: str, message: Message) -> ProbeAction | None:
        if kind == "player-name-request":
            name = self._handshake
            if not name:
                return LineTrick().action(self._right)
            return HANDSHAKES[name].action(self._right, self._probes.named(f"handshake {name}"))
        early = self._tricks[:1] == [_EARLY]
        if kind not in self._requests:
            self._player.observe(message)
            if not early or len(self.seat.replies) < max(self._asked, 3):
                return None
            self._tricks.pop(0)
            long = b"{}".ljust(LINE_LIMIT + 1) + b"\n"
            return ProbeAction(long, self._probes.named(_EARLY), then="block")
        if len(self.seat.replies) >= self._asked:
            return None  # an earlier trick has already written this reply
        action = self._player.reply(message)
        plain = self._player.plain() if self._tricks and not early and not action.cases else None
        if plain is None:
            return action
        name = self._tricks.pop(0)
        return REPLIES[name].action(plain, self._probes.named(name))
