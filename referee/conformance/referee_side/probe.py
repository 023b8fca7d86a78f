"""A probe: what is done with each line that a seat is sent. Pure.

The game's own `Player` (`referee.seam.probing`) plays; handshakes and the way in which lines are
written are no game's, so the tricks that are about them are here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from referee.conformance.referee_side.lines import Catalogue
from referee.conformance.referee_side.recording import Seat
from referee.options import Options
from referee.seam.game import player_number
from referee.seam.probing import Deed, Plan

LINE_LIMIT = Options().line_limit
_DEEP = b"[" * 127 + b"]" * 127


def _framed(cases: str, change: Callable[[bytes], bytes]) -> Callable[[bytes], Deed]:
    """A trick on how a line is written: takes a reply without its line end."""
    return lambda line: Deed(change(line), tuple(cases.split()))


def _with_field(cases: str, text: bytes) -> Callable[[bytes], Deed]:
    return _framed(cases, lambda line: line[:-1] + b',"x":' + text + b"}\n")


def _spaced(line: bytes) -> bytes:
    return b" \t" + json.dumps(json.loads(line), indent=1).replace("\n", "\t").encode() + b" \r\n"


_EARLY = "long-line-early"
_FRAMING: Mapping[str, Callable[[bytes], Deed]] = {
    "spaces": _framed("1.1/4", _spaced),
    "blank-lines": _framed("1.1/5", lambda line: b" \n\t\r\n\n" + line + b"\n"),
    "odd-blank": _framed("1.1/7", lambda line: b"\v\f\n"),
    "torn": lambda line: Deed(line, ("1.1/6",), then="exit"),
    "twice": _framed("1.2/1", lambda line: line + b"\n" + line + b"\n"),
    "limit-line": _framed("1.3/1", lambda line: line.ljust(LINE_LIMIT) + b"\n"),
    "long-line": _framed("1.3/2", lambda line: line.ljust(LINE_LIMIT + 1) + b"\n"),
    "noise": lambda line: Deed(line + b"\n", ("1.4/1",), noise=1 << 20),
    "slow": lambda line: Deed(line + b"\n", ("8.1/1",), delay=1.5),
    "fields": _with_field("1.5/1", b'[{"hand":["gold"]},null],"comment":"\\u00e9"'),
    "duplicates": _framed("1.5/2", lambda line: b'{"type":"7","phase":[],' + line[1:] + b"\n"),
    "json-utf8": _with_field("1.8/1", b'"\xff"'),
    "json-bom": _framed("1.8/2", lambda line: b"\xef\xbb\xbf" + line + b"\n"),
    "json-nan": _with_field("1.8/3", b"NaN"),
    "json-infinity": _with_field("1.8/3", b"-Infinity"),
    "json-control": _with_field("1.8/4", b'"\t"'),
    "json-surrogate": _with_field("1.8/5", rb'"\ud800"'),
    "json-deep": _with_field("1.8/6", b"[" + _DEEP + b"]"),
    "json-after": _framed("1.8/7", lambda line: line + b" {}\n"),
    "json-array": _framed("1.8/8", lambda line: b"[" + line + b"]\n"),
    "json-cut": _framed("1.8/8", lambda line: line[:-1] + b"\n"),
    "json-spaces": _framed("1.8/11", lambda line: b"{\f" + line[1:] + b"\n"),
    "deep": _with_field("1.8/9", _DEEP),
    "deep-string": _with_field("1.8/9", b'"' + b"[" * 1000 + b'"'),
    "long-integer": _with_field("1.8/10", b"9" * 5000),
    "close-output": lambda line: Deed(b"", ("8.2/2",), then="close"),
    "last-words": lambda line: Deed(line + b"\n" + line + b"\n", ("8.2/3",), then="exit"),
}


def _named(cases: str, **changes: Any) -> Callable[[dict[str, Any]], Deed]:
    """A handshake with other fields; UNSET takes one out."""

    def answer(right: dict[str, Any]) -> Deed:
        fields = {**right, **changes}
        kept = {name: value for name, value in fields.items() if value is not msgspec.UNSET}
        return Deed(msgspec.json.encode(kept) + b"\n", tuple(cases.split()))

    return answer


def _other_number(right: dict[str, Any]) -> Deed:
    return _named("3.2/4", player_number=player_number(right["player_number"] == "player1"))(right)


_HANDSHAKES: Mapping[str, Callable[[dict[str, Any]], Deed]] = {
    "": lambda right: Deed(msgspec.json.encode(right) + b"\n", special=False),
    "control": _named("3.1/2", name="A\x00\tB\x1f\x7f\x9fC\n"),
    "long": _named("3.1/3", name="\x07" + "N\u00e4me \U0001f0cf" * 40),
    "empty": _named("3.1/1", name=""),
    "spaces": _named("3.1/1", name="  two  words \u00a0 "),
    "json": lambda right: Deed(b"Hello\n", ("3.2/1",)),
    "type": _named("3.2/2", type="hello"),
    "no-name": _named("3.2/3", name=msgspec.UNSET),
    "bad-name": _named("3.2/3", name=7),
    "no-number": _named("3.2/4", player_number=msgspec.UNSET),
    "bad-number": _other_number,
    "no-version": _named("3.3/3", version=msgspec.UNSET),
    "version-float": _named("3.3/3", version=1.0),
    "version-2": _named("3.3/1", version=2, name=msgspec.UNSET),
    "version-string": _named("3.3/2", version="1"),
    "version-true": _named("3.3/2", version=True),
    "version-null": _named("3.3/2", version=None),
    "version-2-late": lambda right: msgspec.structs.replace(
        _named("3.5/4", version=2)(right), awaits=("player-name-request", 1)
    ),
    "exit": lambda right: Deed(b"", ("3.4/2",), then="exit"),
    "exit-skipped": lambda right: Deed(b"", ("3.5/1",), ("3.4/2",), then="exit"),
    "side-by-side": lambda right: Deed(
        msgspec.json.encode(right) + b"\n", ("3.4/1",), awaits=("player-name-request", 1)
    ),
}


class Probe:
    """One seat.

    Attributes:
        seat: what it was sent and did so far.
        sent: type -> how many messages of it the seat was sent.
    """

    def __init__(self, catalogue: Catalogue, plan: Plan, seat: int, seed: int) -> None:
        self.seat = Seat(plan.stays)
        self.sent: dict[str, int] = {}
        self._name = f"Probe {seat + 1}"
        self._number = player_number(seat)
        self._plan = plan
        self._tricks = [trick for trick in plan.tricks if trick in (*_FRAMING, _EARLY)]
        self._player = catalogue.probes.player(plan, seat, f"{seed}/{self._number}")
        self._catalogue = catalogue
        self._asked = 0

    def take(self, line: bytes) -> Deed | None:
        """Take a line, without its line end; returns what is to be done, already noted."""
        if self.seat.left is not None and self.seat.left.then != "close":
            return None  # how much it reads before it is gone is chance
        read = self._catalogue.read(line)
        self.seat.received.append(read)
        self.seat.lines.append(b"> " + line)
        message = read.message
        if message is None or self.seat.left is not None:
            return None
        kind = message["type"]
        self._asked += kind in self._catalogue.asking
        self.sent[kind] = self.sent.get(kind, 0) + 1
        try:
            deed = self._deed(kind, message)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            # What it was sent is wrong; the comparison will say why. There is nothing to answer.
            self.seat.gave_up = f"{type(error).__name__} {error}"
            self.seat.note(f"gives up: {self.seat.gave_up}")
            deed = Deed(then="exit", special=False)
        if deed is not None:
            self.seat.write(deed)
        return deed

    def _deed(self, kind: str, message: dict[str, Any]) -> Deed | None:
        if kind == "player-name-request":
            right = {
                "type": "player-name-reply",
                "player_number": self._number,
                "name": self._name,
                "version": 1,
            }
            return _HANDSHAKES[self._plan.handshake](right)
        if kind not in self._catalogue.requests:
            self._player.hear(message)
            return self._unasked()
        if len(self.seat.replies) >= self._asked:
            return None  # it was answered before it came
        deed = self._player.reply(message)
        ready = self._tricks and self._tricks[0] in _FRAMING and not deed.special
        plain = self._player.plain() if ready else None
        if plain is not None:
            deed = _FRAMING[self._tricks.pop(0)](msgspec.json.encode(plain))
        return deed

    def _unasked(self) -> Deed | None:
        """What is written before it is asked for, once there was a turn."""
        if self._tricks[:1] != [_EARLY] or len(self.seat.replies) < max(self._asked, 3):
            return None
        self._tricks.pop(0)
        return Deed(b"{}".ljust(LINE_LIMIT + 1) + b"\n", ("1.3/3",), then="block")
