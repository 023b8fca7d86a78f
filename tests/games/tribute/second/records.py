"""Replay match records of `tribute` on the second rules and compare every line.

We take the seed, the options and the bots' replies from the record, and also the reason why a bot
left. All other lines must match byte for byte, except for the text of faults and disqualifications
(spec/log-format.md).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from tests.games.tribute.second.cards import Json, Options
from tests.games.tribute.second.engine import LEFT, SEATS, Fault, Game, Outcome
from tests.games.tribute.second.lines import encoded, read

_TIME = re.compile(rb',"(?:time|started)":[^,]*}$')
_CONTROL = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)])
_FREE = "..."  # Matches any text when it occurs in an expected line.


class DeviationError(Exception):
    """A line that doesn't follow from those before it. Line numbers begin with 1."""

    def __init__(self, line: int, expected: str, found: str) -> None:
        super().__init__(f"line {line}: expected {expected}, found {found}")


def follow(path: Path) -> None:
    """Replay a record and compare every line.

    Raises:
        DeviationError: at the first line that differs.
    """
    _ObservedChance(path.read_bytes()).follow()


class _ObservedChance:
    def __init__(self, record: bytes) -> None:
        self._whole = record.splitlines(keepends=True)
        # All lines except those of stderr, with line numbers and without times.
        self._lines = [
            (number, _TIME.sub(b"}", line.rstrip(b"\n")).decode())
            for number, line in enumerate(self._whole, start=1)
            if not line.startswith(b'{"entry":"stderr",')
        ]
        self._at = 0
        self._left: dict[int, str] = {}
        self._names = [seat.upper() for seat in SEATS]

    def follow(self) -> None:
        header = json.loads(self._take("a header"))
        if header.get("game") != "tribute":
            raise DeviationError(1, "a record of tribute", str(header.get("game")))
        self._handshake()
        for seat, name in enumerate(self._names):
            self._public({"type": "player-name", "player_number": SEATS[seat], "name": name})
        set_by = header["options"]
        options = Options(
            cards=set_by["cards"],
            patrons=tuple(set_by["patrons"] or ()),
            max_turns=set_by["max_turns"],
            max_actions=set_by["max_actions"],
            chance=set_by["chance"],
        )
        game = Game(options, header["seed"], self._names, absent=self._left)
        self._tell(game)
        for seat in sorted(self._left):
            self._tell_left(seat)
        while game.request is not None:
            seat = game.request.seat
            self._sent(SEATS[seat], game.request.message)
            line = self._input(seat)
            if line is None:
                self._tell_left(seat)
            game.answer(LEFT if line is None else read(line))
            self._tell(game)
        assert game.outcome is not None
        self._end(game, game.outcome)

    def _handshake(self) -> None:
        for name in SEATS:
            message = {"type": "player-name-request", "player_number": name, "version": 1}
            self._sent(name, message)
        for seat, player in enumerate(SEATS):
            line = self._input(seat)
            if line is None:
                continue
            reply = read(line)
            if not isinstance(reply, dict) or reply.get("type") != "player-name-reply":
                self._fault(Fault(seat, "bad-name-reply", "3.2"))
            elif "version" in reply and (reply["version"] is True or reply["version"] != 1):
                self._left[seat] = "unsupported-version"
                self._noted("disqualified", seat, code=self._left[seat], detail=_FREE)
            elif reply.get("player_number") != player or not isinstance(reply.get("name"), str):
                self._fault(Fault(seat, "bad-name-reply", "3.2"))
            else:
                self._names[seat] = reply["name"].translate(_CONTROL)[:64]

    def _input(self, seat: int) -> bytes | None:
        """Return the seat's next line from the record, or None if the seat left."""
        what = f"received or disqualified of {SEATS[seat]}"
        number, text = self._next(what)
        entry = json.loads(text)
        self._at += 1
        if entry.get("player_number") == SEATS[seat]:
            if entry["entry"] == "received":
                line = entry.get("line")
                return base64.b64decode(entry["base64"]) if line is None else str(line).encode()
            if entry["entry"] == "disqualified":
                self._left[seat] = entry["code"]
                return None
        raise DeviationError(number, what, text)

    def _tell(self, game: Game) -> None:
        for event in game.events:
            if isinstance(event, Fault):
                self._fault(event)
            else:
                self._public(event)
        game.events.clear()

    def _tell_left(self, seat: int) -> None:
        reason = self._left[seat]
        message = {"type": "player-disqualified", "player_number": SEATS[seat], "reason": reason}
        self._public(message)

    def _end(self, game: Game, outcome: Outcome) -> None:
        winners = [SEATS[seat] for seat in outcome.winners]
        scores = [player.prestige for player in game.players]
        end = {"scores": scores, "winners": winners, "reason": outcome.reason}
        self._public({"type": "game-end", **end})
        for player in SEATS:
            number, text = self._next(f"exit of {player}")
            self._at += 1
            if not text.startswith(f'{{"entry":"exit","player_number":"{player}","exit_code":'):
                raise DeviationError(number, f"exit of {player}", text)
        number, text = self._next("end")
        self._at += 1
        found = json.loads(text)
        players = [
            {
                "name": self._names[seat],
                "score": scores[seat],
                "turns": game.players[seat].turns,
                "rank": outcome.ranks[seat],
                "disqualified": self._left.get(seat),
            }
            for seat in (0, 1)
        ]
        for wanted, player in zip(players, found.get("players", ()), strict=False):
            for fact in player.keys() - wanted.keys():
                del player[fact]  # Ignore statistics, which only the referee's own rules add.
        expected = {
            "entry": "end",
            "reason": outcome.reason,
            "winners": winners,
            "players": players,
            "digest": self._digest(number),
        }
        if found != expected:
            raise DeviationError(number, encoded(expected), encoded(found))
        if self._at < len(self._lines):
            number, text = self._lines[self._at]
            raise DeviationError(number, "the end of the record", text)

    def _digest(self, last: int) -> str:
        digest = hashlib.sha256()
        for line in self._whole[: last - 1]:
            if not line.startswith(b'{"entry":"stderr",'):
                digest.update(_TIME.sub(b"}", line.rstrip(b"\n")) + b"\n")
        return f"sha256:{digest.hexdigest()}"

    # --- lines ------------------------------------------------------------------------------------

    def _public(self, message: Json) -> None:
        if message["type"] == "player-name":
            message = {**message, "version": 1}
        self._sent("all", message)

    def _sent(self, to: str, message: Json) -> None:
        self._expect(encoded({"entry": "sent", "to": to, "message": message}))

    def _fault(self, fault: Fault) -> None:
        self._noted("fault", fault.seat, code=fault.code, section=fault.section, detail=_FREE)

    def _noted(self, entry: str, seat: int, **fields: str) -> None:
        self._expect(encoded({"entry": entry, "player_number": SEATS[seat], **fields}))

    def _expect(self, expected: str) -> None:
        number, found = self._next(expected)
        self._at += 1
        free = f'"detail":"{_FREE}"}}'
        if expected.endswith(free):
            same = found.startswith(expected[: -len(free)] + '"detail":"')
        else:
            same = found == expected
        if not same:
            raise DeviationError(number, *_around(expected, found))

    def _take(self, expected: str) -> str:
        _, text = self._next(expected)
        self._at += 1
        return text

    def _next(self, expected: str) -> tuple[int, str]:
        if self._at == len(self._lines):
            raise DeviationError(len(self._whole) + 1, expected, "the end of the record")
        return self._lines[self._at]


def _around(expected: str, found: str) -> tuple[str, str]:
    """Cut both lines shortly before their first difference."""
    first = next((i for i, (a, b) in enumerate(zip(expected, found)) if a != b), 0)  # noqa: B905
    begin = max(0, first - 60)
    return f"...{expected[begin : first + 200]}", f"...{found[begin : first + 200]}"
