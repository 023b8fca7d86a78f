"""Play random matches, and record what each viewer could see after each round."""

from __future__ import annotations

import json
from random import Random
from typing import Any, NamedTuple

import msgspec

from referee.games.interface.faults import Disqualification
from referee.games.interface.game import ALL, PUBLIC, Viewer
from referee.logs.record import RecordWriter
from referee.logs.sink import MemorySink
from referee.match.machine import Match, Received, Sent
from referee.match.spec import match_spec
from tests.games.botwars.botwars_matches import gathering, wild
from tests.games.starrealms import star_matches
from tests.games.tribute import tribute_matches
from tests.support.helpers import name_line
from tests.support.random_players import doubtful, right


class State(NamedTuple):
    """The views of a match after a round.

    Attributes:
        views: viewer, as named in pages -> its view.
        public: number of public lines so far.
    """

    views: dict[str, Any]
    public: int


class Watched(NamedTuple):
    """A finished match, and what could be seen while it was played.

    Attributes:
        match: the finished match.
        states: the states after each round, from the start of the game.
        lines: kind, seat and text of every line that was sent or received.
        record, log: the contents of its record and its spectator log.
    """

    match: Match
    states: list[State]
    lines: list[tuple[str, int | None, str]]
    record: bytes
    log: bytes


def watched(game: str, seed: int, **options: Any) -> Watched:
    """Play a random match that depends only on the seed. Bots may make faults or leave."""
    chance = Random(seed)
    seats = chance.choice([2, 3, 4]) if game == "dominion" else 2
    spec = match_spec(
        [f"./bot{seat}.py" for seat in range(seats)], game=game, seed=seed, options=options
    )
    match = spec.new_match()
    record = MemorySink()
    writer = RecordWriter(record, spec, "2026-11-20T23:28:09.499+00:00")
    viewers: list[Viewer] = [ALL, PUBLIC, *range(seats)]
    names = ["all", "public", *map(str, range(seats))]
    states: list[State] = []
    lines: list[tuple[str, int | None, str]] = []
    log = b""
    asked: dict[int, Any] = {}
    leaving = chance.choice([0, 0, 0.01, 0.05])
    match.start()
    while True:
        entries = match.take_entries()
        writer.write(entries, len(states) / 100)
        for entry in entries:
            if isinstance(entry, Sent):
                lines.append(
                    ("all" if entry.to is None else "sent", entry.to, entry.line.decode()[:-1])
                )
                if entry.to is None:
                    log += entry.line
                else:
                    asked[entry.to] = json.loads(entry.line)
            elif isinstance(entry, Received):
                lines.append(("received", entry.seat, entry.line.decode(errors="replace")))
        if not match.in_handshake:
            views = {
                name: msgspec.to_builtins(match.view(viewer))
                for name, viewer in zip(names, viewers, strict=True)
            }
            states.append(State(views, log.count(b"\n")))
        if not match.due:
            break
        for seat in match.due:
            if chance.random() < leaving:
                match.disqualify(seat, Disqualification("exited"), "exit code 1")
            elif match.in_handshake:
                match.receive(seat, chance.choice([name_line(seat), name_line(seat), b"\xff[]"]))
            else:
                match.receive(seat, _reply(game, chance, asked[seat], match))
    writer.end(match, [0] * seats, 100)
    return Watched(match, states, lines, record.data, log)


def _reply(game: str, chance: Random, request: Any, match: Match) -> bytes:
    if game == "dominion":
        view: Any = match.view(PUBLIC)
        return chance.choice([right, right, doubtful])(chance, request, view.supply)
    if game == "botwars":
        decide = chance.choice([gathering, gathering, wild(chance)])
        return decide(request["player"], request["state"])
    if game == "starrealms":
        return chance.choice([star_matches.right] * 3 + [star_matches.mixed])(chance, request)
    if game == "tribute":
        return tribute_matches.mostly_right(chance, request)
    return b'{"type":"number-reply","number":%d}' % chance.randrange(9)
