"""A probe: reacts to each line that a seat receives. Pure.

The game's own `ProbePlayer` (`games/interface/probing.py`) plays. Handshakes and the form of lines
are the same in all games, so the tricks for both are here: written.json.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from referee.conformance.referee_side.comparing import LINE_LIMIT
from referee.conformance.referee_side.recording import Seat, request_types
from referee.games.interface.definition import GameDefinition
from referee.games.interface.probing import Message, Plan, ProbeAction
from referee.games.interface.seats import seat_id

_EARLY = "long-line-early"


class _Written(ProbeAction, frozen=True, forbid_unknown_fields=True):
    """A way in which a reply is written.

    Attributes:
        write: the data as Latin-1; `action` puts the line in the place of "$line", and so on.
        fields, without: other fields than it should have, and those that are left out.
    """

    write: str = "$line\n"
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    without: str = ""

    def action(self, right: Message, cases: tuple[str, ...]) -> ProbeAction:
        """The action that replaces this reply, for these cases."""
        fields = {n: v for n, v in {**right, **self.fields}.items() if n != self.without}
        line = msgspec.json.encode(fields).decode("latin-1")
        values = {
            "line": line,
            "body": line[:-1],
            "rest": line[1:],
            "limit": line.ljust(LINE_LIMIT),
            "spaced": json.dumps(fields, indent=1).replace("\n", "\t"),
            "deep": "[" * 127 + "]" * 127,
            "brackets": "[" * 1000,
            "digits": "9" * 5000,
        }
        data = re.sub(r"\$([a-z]+)", lambda found: values[found[1]], self.write)
        return ProbeAction(
            data.encode("latin-1"), cases, self.noise, self.delay, self.then, self.awaits
        )


_FILE = Path(__file__).with_name("written.json")
_TABLES = msgspec.json.decode(_FILE.read_bytes(), type=dict[str, dict[str, _Written]])
_REPLIES, _HANDSHAKES = _TABLES["replies"], _TABLES["handshakes"]


class Probe:
    """One seat: its lines and actions so far, and how many messages of each type it was sent."""

    def __init__(self, rules: GameDefinition, plan: Plan, seat: int, seed: int) -> None:
        self.seat = Seat(plan.stays)
        self.sent: dict[str, int] = {}
        self._right: Message = {
            "type": "player-name-reply",
            "player_number": seat_id(seat),
            "name": f"Probe {seat + 1}",
            "version": 1,
        }
        self._probes = rules.probes()
        self._handshake = plan.handshake
        self._tricks = [t for t in plan.tricks.split() if t in (*_REPLIES, _EARLY)]
        self._player = self._probes.player(plan, seat, f"{seed}/{seat_id(seat)}")
        self._requests = request_types(rules)
        self._asked = 0

    def take(self, line: bytes) -> ProbeAction | None:
        """Take a line, without its line end; returns what is to be done, already noted."""
        left = self.seat.left
        if left is not None and left.then != "close":
            return None  # how much it reads before it ends is chance
        message = self.seat.read(line).message
        if not message or left is not None:
            return None
        kind = message["type"]
        self._asked += kind in self._requests or kind == "player-name-request"
        self.sent[kind] = self.sent.get(kind, 0) + 1
        try:
            action = self._action(kind, message)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            # What it was sent is wrong; the comparison will say why. There is nothing to answer.
            self.seat.note(f"gives up: {type(error).__name__} {error}")
            action = ProbeAction(then="exit")
        if action is not None:
            self.seat.write(action)
        return action

    def _action(self, kind: str, message: Message) -> ProbeAction | None:
        if kind == "player-name-request":
            name = self._handshake
            if not name:
                return _Written().action(self._right, ())
            return _HANDSHAKES[name].action(self._right, self._probes.named(f"handshake {name}"))
        early = self._tricks[:1] == [_EARLY]
        if kind not in self._requests:
            self._player.observe(message)
            if not early or len(self.seat.replies) < max(self._asked, 3):
                return None
            self._tricks.pop(0)
            long = b"{}".ljust(LINE_LIMIT + 1) + b"\n"
            return ProbeAction(long, self._probes.named(_EARLY), then="block")
        if len(self.seat.replies) >= self._asked:
            return None  # it was answered before it was sent
        action = self._player.reply(message)
        plain = self._player.plain() if self._tricks and not early and not action.cases else None
        if plain is None:
            return action
        name = self._tricks.pop(0)
        return _REPLIES[name].action(plain, self._probes.named(name))
