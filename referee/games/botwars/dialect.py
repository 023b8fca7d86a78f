"""What classic bots speak: an object a turn in, a bare array out (protocol, 6).

What such a bot answers becomes the `moves` of a `move-reply` as it stands, whatever JSON it is, so
that the rules judge it like any other reply. That a bare object is none is so judged as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Raw, Struct

from referee.seam.dialect import DialectKind


class _Asked(Struct):
    """A request: of moves, or of a name."""

    type: str
    player: str = ""
    player_number: str = ""
    state: Raw = Raw(b"null")


class _Turn(Struct):
    """What a classic bot is sent."""

    player: str
    state: Raw
    game_id: int = msgspec.field(name="gameId")


_asked = msgspec.json.Decoder(_Asked)
_any_json = msgspec.json.Decoder(Raw)


class Classic:
    """Implements `referee.seam.dialect.Dialect`.

    Args:
        seat: of the bot; which side it plays each request says.
        seed: of the match.
        name: what the bot is called.
    """

    def __init__(self, seat: int, seed: int, name: str) -> None:
        self._seed = seed
        self._name = name

    def request(self, lines: Sequence[bytes]) -> bytes | None:
        """What the bot is sent: the state alone, without news; None for a handshake."""
        asked = _asked.decode(lines[-1])
        if asked.type != "move-request":
            return None
        return msgspec.json.encode(_Turn(asked.player, asked.state, self._seed))

    def answer_for(self, request: bytes) -> bytes:
        """The handshake's reply."""
        number = _asked.decode(request).player_number
        reply = {"type": "player-name-reply", "player_number": number, "name": self._name}
        return msgspec.json.encode(reply | {"version": 1})

    def reply(self, data: bytes) -> bytes:
        """The `move-reply`; what is no JSON stays as it came."""
        try:
            data.decode()
            _any_json.decode(data)
        except (ValueError, RecursionError):  # ValueError: msgspec's own, and what is not UTF-8
            return data
        return b'{"type":"move-reply","moves":' + data.strip() + b"}"


CLASSIC = DialectKind(Classic)
CLASSIC_FORM = DialectKind(Classic, form_field="data")
