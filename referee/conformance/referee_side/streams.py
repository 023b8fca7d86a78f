"""What one seat was sent, as messages; and comparing messages."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from typing import Any

from msgspec import Struct

from referee.conformance.referee_side.recording import Recording
from referee.game import Rules
from referee.messages import SHARED_PUBLIC, PlayerNameRequest


class Stream:
    """What one seat was sent.

    Attributes:
        messages: the JSON values of the lines; None for a line that is none.
        place: how many of them have been compared.
        replied: how many replies have been used.
    """

    def __init__(self, probe: Recording, known: Container[str]) -> None:
        self.probe = probe
        self.place = 0
        self.replied = 0
        self.messages = [message_of(line) for line in probe.received]
        self._counts = [0]  # of requests among the first messages, none of them first
        self._known = known

    def requests_before(self, count: int, kinds: set[str]) -> int:
        """How many requests are among the first messages, the handshake's included."""
        count = min(count, len(self.messages))
        while len(self._counts) <= count:
            message = self.messages[len(self._counts) - 1]
            asks = message is not None and message["type"] in kinds
            self._counts.append(self._counts[-1] + asks)
        return self._counts[count]

    def ahead(self) -> Iterable[int]:
        """The places of the messages to come that are no unknown ones."""
        for place in range(self.place, len(self.messages)):
            message = self.messages[place]
            if message is None or message["type"] in self._known:
                yield place

    def next(self) -> int | None:
        """The place of the next of them."""
        return next(iter(self.ahead()), None)


def message_of(line: bytes) -> dict[str, Any] | None:
    """The JSON value in a line; None if it is no message."""
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("type"), str) else None


def known_fields(rules: Rules) -> dict[str, set[str]]:
    """The fields of each type of message that there is."""
    structs: tuple[type[Struct], ...] = (
        PlayerNameRequest,
        *SHARED_PUBLIC,
        *rules.public,
        *rules.requests,
    )
    return {
        str(struct.__struct_config__.tag): {"type", *struct.__struct_encode_fields__}
        for struct in structs
    }


def kind_of(message: object) -> object:
    """Its type; None if it has none."""
    return message.get("type") if isinstance(message, dict) else None


def same(one: object, other: object) -> bool:
    """Whether two JSON values are equal; objects of the second may have more fields."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return all(name in other and same(value, other[name]) for name, value in one.items())
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def text_of(message: object) -> str:
    """It as the referee writes it."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)
