"""Defines tricks that probes in all games play with their handshakes and the form of their lines.

With a trick, a probe writes an unusual or wrong line, which the referee has to handle as the
protocol says. `Probes.shared` lists the cases that each trick tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from referee.conformance.referee_side.comparing import LINE_LIMIT
from referee.games.interface.probing import Message, ProbeAction


def _line(text: str) -> str:
    return f"{text}\n"


class LineTrick(Struct, frozen=True):
    """An unusual way to write a reply.

    Attributes:
        write: turns the JSON text of the reply into the output. The text is encoded as Latin-1, so
            that a trick can write any byte.
        fields: fields to change in the reply or to add to it.
        without: a field to remove from the reply.
        noise, delay, then, awaits: see `ProbeAction`.
    """

    write: Callable[[str], str] = _line
    fields: Mapping[str, Any] = {}
    without: str = ""
    noise: int = 0
    delay: float = 0.0
    then: str = ""
    awaits: tuple[str, int] | None = None

    def action(self, right: Message, cases: tuple[str, ...] = ()) -> ProbeAction:
        """Return the action that applies the trick to the reply `right` and tests these cases."""
        fields = {n: v for n, v in {**right, **self.fields}.items() if n != self.without}
        text = self.write(msgspec.json.encode(fields).decode("latin-1"))
        return ProbeAction(
            text.encode("latin-1"), cases, self.noise, self.delay, self.then, self.awaits
        )


def _spaced(text: str) -> str:
    return json.dumps(json.loads(text.encode("latin-1")), indent=1).replace("\n", "\t")


def _field(value: str) -> LineTrick:
    return LineTrick(lambda text: f'{text[:-1]},"x":{value}}}\n')


def _instead(**fields: Any) -> LineTrick:
    return LineTrick(fields=fields)


_DEEP = "[" * 127 + "]" * 127

REPLIES: Mapping[str, LineTrick] = {
    "spaces": LineTrick(lambda text: f" \t{_spaced(text)} \r\n"),
    "blank-lines": LineTrick(lambda text: f" \n\t\r\n\n{text}\n"),
    "odd-blank": LineTrick(lambda text: "\v\f\n"),
    "torn": LineTrick(lambda text: text, then="exit"),
    "twice": LineTrick(lambda text: f"{text}\n{text}\n"),
    "limit-line": LineTrick(lambda text: f"{text:{LINE_LIMIT}}\n"),
    "long-line": LineTrick(lambda text: f"{text:{LINE_LIMIT}} \n"),
    "noise": LineTrick(noise=2**20),
    "slow": LineTrick(delay=1.5),
    "fields": _field('[{"hand":["gold"]},null],"comment":"\\u00e9"'),
    "duplicates": LineTrick(lambda text: f'{{"type":"7","phase":[],{text[1:]}\n'),
    "json-utf8": _field('"\xff"'),
    "json-bom": LineTrick(lambda text: f"\xef\xbb\xbf{text}\n"),
    "json-nan": _field("NaN"),
    "json-infinity": _field("-Infinity"),
    "json-control": _field('"\t"'),
    "json-surrogate": _field('"\\ud800"'),
    "json-deep": _field(f"[{_DEEP}]"),
    "json-after": LineTrick(lambda text: f"{text} {{}}\n"),
    "json-array": LineTrick(lambda text: f"[{text}]\n"),
    "json-cut": LineTrick(lambda text: f"{text[:-1]}\n"),
    "json-spaces": LineTrick(lambda text: f"{{\f{text[1:]}\n"),
    "deep": _field(_DEEP),
    "deep-string": _field('"' + "[" * 1000 + '"'),
    "long-integer": _field("9" * 5000),
    "close-output": LineTrick(lambda text: "", then="close"),
    "last-words": LineTrick(lambda text: f"{text}\n{text}\n", then="exit"),
}
HANDSHAKES: Mapping[str, LineTrick] = {
    "control": _instead(name="A\0\tB\x1f\x7f\x9fC\n"),
    "long": _instead(name="\a" + "N\u00e4me \U0001f0cf" * 40),
    "empty": _instead(name=""),
    "spaces": _instead(name="  two  words \xa0 "),
    "json": LineTrick(lambda text: "Hello\n"),
    "type": _instead(type="hello"),
    "no-name": LineTrick(without="name"),
    "bad-name": _instead(name=7),
    "no-number": LineTrick(without="player_number"),
    "bad-number": _instead(player_number="player2"),
    "no-version": LineTrick(without="version"),
    "version-float": _instead(version=1.0),
    "version-2": LineTrick(fields={"version": 2}, without="name"),
    "version-string": _instead(version="1"),
    "version-true": _instead(version=True),
    "version-null": _instead(version=None),
    "version-2-late": LineTrick(fields={"version": 2}, awaits=("player-name-request", 1)),
    "exit": LineTrick(lambda text: "", then="exit"),
    "exit-skipped": LineTrick(lambda text: "", then="exit"),
    "side-by-side": LineTrick(awaits=("player-name-request", 1)),
}
