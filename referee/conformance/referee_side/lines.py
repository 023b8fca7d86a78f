"""Lines of another referee as messages, and what is wrong with their form. Pure."""

from __future__ import annotations

import json
import re
from functools import reduce
from operator import or_
from typing import Any

import msgspec
from msgspec import Struct

from referee.seam.rules import Rules
from referee.wire.messages import SHARED_PUBLIC, PlayerNameRequest
from referee.wire.shapes import Misfit, meant, misfits

_OUTSIDE_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')


class Line(Struct, frozen=True):
    """A line that was sent.

    Attributes:
        text: without its line end.
        message: the message, as it must have been meant; None if it is of no known type.
        misfits: what is wrong with its fields.
        framing: the case that the way in which it is written breaks, and how; empty if none.
        extra: the fields that no message of this type has.
        unclear: the fields that are not as they should be, and may mean anything.
    """

    text: bytes
    message: dict[str, Any] | None = None
    misfits: list[Misfit] = []
    framing: tuple[str, str] | None = None
    extra: dict[str, Any] = {}
    unclear: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        """The type of the message; empty if there is none."""
        return str(self.message["type"]) if self.message else ""


def text(message: object) -> str:
    """A JSON value as the referee writes it."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def shown(line: Line) -> str:
    """A line in full, whatever it is."""
    return line.text.decode(errors="backslashreplace")


class Catalogue:
    """The messages that a game's referee sends.

    Attributes:
        rules, probes: the game's.
        requests: the types of the game's requests.
        asking: the types of all requests.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.probes = rules.probes()
        public: tuple[type[Struct], ...] = (*SHARED_PUBLIC, *rules.public)
        structs: tuple[type[Struct], ...] = (PlayerNameRequest, *public, *rules.requests)
        self._decode = msgspec.json.Decoder(reduce(or_, structs)).decode
        self._structs = {str(struct.__struct_config__.tag): struct for struct in structs}
        self.requests = {str(struct.__struct_config__.tag) for struct in rules.requests}
        self.asking = self.requests | {"player-name-request"}

    def read(self, line: bytes) -> Line:
        """Read a line, without its line end."""
        try:
            value = json.loads(line.decode())
        except (ValueError, RecursionError):
            return Line(line, framing=("1.1/1", "it is no JSON"))
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return Line(line, framing=("1.1/1", "it is no JSON object with a type"))
        struct = self._structs.get(value["type"])
        if struct is None:
            return Line(line)
        framing = None
        if line.endswith(b"\r"):
            framing = ("1.1/1", "it ends with \\r\\n")
        elif re.search(rb"\s", _OUTSIDE_STRINGS.sub(b"", line)):
            framing = ("1.1/2", "there are spaces between the parts of the JSON")
        names = struct.__struct_encode_fields__
        known = {"type": value["type"], **{n: value[n] for n in names if n in value}}
        extra = {name: value[name] for name in value if name not in known}
        wrong = self._misfits(line, value, struct)
        mended = meant(value, struct) if wrong else None
        unclear: frozenset[str] = frozenset()
        if mended is not None:
            known = msgspec.to_builtins(mended)
        elif wrong:
            unclear = frozenset(re.split(r"[.\[]", misfit.field)[0] for misfit in wrong)
        return Line(line, known, wrong, framing, extra, unclear)

    def _misfits(self, line: bytes, value: dict[str, Any], struct: type[Struct]) -> list[Misfit]:
        try:
            self._decode(line)  # much faster, but it says no more than the first
        except (msgspec.DecodeError, RecursionError):
            # That a number is too small or a text too long is no matter of form.
            return [m for m in misfits(value, struct) if m.kind not in ("range", "length")]
        return []
