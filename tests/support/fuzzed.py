"""Play matches in which bots send legal lines, damaged ones, or random bytes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import cycle
from random import Random
from typing import Any, NamedTuple

from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification
from referee.logs.record import RecordWriter
from referee.logs.sink import MemorySink
from referee.match.decode import is_blank
from referee.match.machine import Match, Sent
from referee.match.spec import match_spec
from tests.support.damage import KINDS, ODD
from tests.support.helpers import ROOT, name_line
from tests.support.legal import Legal
from tests.support.worst_lines import BYTES, worst_lines

# Probability that a bot leaves instead of replying. In the handshake, it's twenty times higher.
LEAVING = 0.0005
TURNS = (1, 3, 10, 30, 100)
# Each match chooses how often its bots send lines that aren't legal. Most of these values are low,
# because in some games a single such line loses the match.
WILD = (0.005, 0.02, 0.1, 0.5, 1.0)
# How often (in percent) each kind of such a line occurs.
SHARES = {"damaged": 50, "wrong values": 35, "any bytes": 14, "worst": 1}
RIGHT_FORM = ("a value", "a value", "type or entry", "a number", "a field", "a part alone")


class Fuzzer:
    def __init__(self, definition: GameDefinition, dice: Random) -> None:
        self._dice = dice
        self._wild = dice.choice(WILD)
        self._worst = [*worst_lines(definition).values()]
        self._fields = {
            str(reply.__struct_config__.tag): reply.__struct_fields__
            for reply in definition.replies
        }
        self._known: list[Any] = [0, 1, -1, 1.0, None, True]

    def line(self, legal: bytes) -> tuple[str, bytes]:
        """Return the kind of the bot's next line, and the line, which is never blank."""
        dice = self._dice
        if dice.random() > self._wild:
            return "legal", legal
        (kind,) = dice.choices([*SHARES], [*SHARES.values()])
        if kind == "damaged":
            line = KINDS[dice.choice(RIGHT_FORM if dice.random() < 0.6 else [*KINDS])](dice, legal)
        elif kind == "wrong values":
            line = self._wrong_values(legal)
        elif kind == "any bytes":
            line = dice.randbytes(dice.choice([1, 3, 10, 200]))
        else:
            line = dice.choice(self._worst)
        line = line.replace(b"\n", b"")[:BYTES]
        return kind, b"?" if is_blank(line) else line

    def _wrong_values(self, legal: bytes) -> bytes:
        """Make a reply with values that don't belong in its fields.

        The decoder accepts many of these, so they reach code that garbage never reaches.
        """
        dice = self._dice
        reply = json.loads(legal)
        self._known = [*self._known, *_leaves(reply)][-200:]
        if dice.random() < 0.5:
            return json.dumps(self._exchanged(reply)).encode()
        kind = dice.choice([reply["type"]] * 3 + [*self._fields])
        names = {*reply, *self._fields.get(kind, ())} - {"type"}
        text = json.dumps({"type": kind} | {name: self._value(reply.get(name)) for name in names})
        return text.encode().replace(b'"@@"', dice.choice(ODD))

    def _exchanged(self, value: Any) -> Any:
        """Replace some parts of a value by others of the same type."""
        if isinstance(value, list):
            return [self._exchanged(item) for item in value]
        if isinstance(value, dict):
            return {name: self._exchanged(item) for name, item in value.items()}
        if self._dice.random() < 0.5:
            return value
        return self._dice.choice([one for one in self._known if type(one) is type(value)])

    def _value(self, value: Any) -> Any:
        dice = self._dice
        if dice.random() < 0.1:
            return "@@"
        if dice.random() < 0.3:
            return dice.choice([dice.choice(self._known), [*dice.choices(self._known, k=3)], {}])
        if isinstance(value, list):
            value = [
                self._value(item) for item in value for _ in range(dice.choice([1, 1, 1, 0, 2]))
            ]
        elif isinstance(value, dict):
            value = {name: self._value(item) for name, item in value.items()}
        return value


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    else:
        yield value


class Fuzzed(NamedTuple):
    """A finished match, its record and its spectator log."""

    match: Match
    record: bytes
    log: bytes


def fuzzed_match(
    game: str,
    dice: Random,
    lines: Counter[str] | None = None,
    max_turns: int | None = None,
    *,
    only_legal: bool = False,
) -> Fuzzed:
    """Play a match that depends only on `dice` and the arguments.

    Args:
        lines: counts the kinds of lines that were sent.
        max_turns: chosen at random if it's None.
        only_legal: if True, bots send legal replies only, and no bot leaves.
    """
    lines = Counter() if lines is None else lines
    definition = GAMES[game]
    bots = [
        f"./bot{seat + 1}.py"
        for seat in range(dice.randint(definition.min_seats, definition.max_seats))
    ]
    options = {"max_turns": max_turns or dice.choice(TURNS)}
    spec = match_spec(bots, game=game, seed=dice.randrange(2**53), options=options)
    match, fuzzer, legal = (
        spec.new_match(),
        Fuzzer(definition, dice),
        Legal(spec, dice.randrange(2**32)),
    )
    record, log = MemorySink(), MemorySink()
    writer = RecordWriter(record, spec, "2026-11-20T23:28:09.499+00:00")
    match.start()
    seconds = 0.0
    while True:
        entries = match.take_entries()
        writer.write(entries, seconds)
        log.write(b"".join([e.line for e in entries if isinstance(e, Sent) and e.to is None]))
        if not match.due:
            break
        seconds += 0.001
        for seat in match.due:
            handshake = match.in_handshake
            if not only_legal and dice.random() < LEAVING * (20 if handshake else 1):
                code = Disqualification.STARTUP_TIMEOUT if handshake else Disqualification.TIMEOUT
                match.disqualify(seat, code, "it is gone")
                continue
            right = name_line(seat) if handshake else legal.reply(match, seat)
            kind, line = ("legal", right) if only_legal else fuzzer.line(right)
            lines[kind] += 1
            match.receive(seat, line)
    writer.end(match, [0] * len(bots), seconds)
    return Fuzzed(match, record.data, log.data)


def originals(matches: int, games: Collection[str] = tuple(GAMES)) -> list[bytes]:
    """Return all logs and records in spec/examples and tests/golden, and some of short matches."""
    examples = [*(ROOT / "spec" / "examples").glob("*.jsonl")]
    examples += (ROOT / "tests" / "golden").glob("*.jsonl")
    valid = [file.read_bytes() for file in sorted(examples)]
    for seed, game in zip(range(matches), cycle(games), strict=False):
        played = fuzzed_match(game, Random(seed), max_turns=2 + seed % 7)
        valid += [played.record, played.log]
    return valid
