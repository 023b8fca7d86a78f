"""The optional parts of a game in random matches: people, programs, copies, logs, statistics.

The matches are those of the referee, with lines, so whatever else uses a part meets the same.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial, reduce
from operator import or_
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from referee.gamecheck.findings import Findings
from referee.gamecheck.guard import GameStoppedError, Guard
from referee.gamecheck.match import MAX_ROUNDS, Setting, changed
from referee.gamecheck.players import Players, name_line
from referee.games.interface.capabilities import SeatFacts
from referee.games.interface.definition import GameDefinition
from referee.games.interface.environment import StateTracker, Translator
from referee.games.interface.faults import Disqualification
from referee.games.interface.game import ALL
from referee.logs.replay.reader import Replay, TurnOver
from referee.logs.replay.terminal import Painter
from referee.logs.source import LogReader
from referee.logs.validate import check_log
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Entry, Match, Sent

_COPIES, _MOST_COPIES = 0.1, 5
"""How likely a copy is made in a round, and how many of a match play on at most."""


class PartsMatch:
    """One match of a game, in which all its parts are used.

    People and programs choose among what is legal. They reply in turn, if the game has both.
    """

    def __init__(
        self, rules: GameDefinition, setting: Setting, guard: Guard, findings: Findings
    ) -> None:
        self._rules, self._setting, self._guard, self._findings = rules, setting, guard, findings
        self._dice = Random(f"{setting.seed}/parts")
        self._names = tuple(f"Player {seat + 1}" for seat in range(setting.seats))
        self._options = rules.options()
        self._match = Match(
            rules, seats=setting.seats, seed=setting.seed, options=self._options, copies=True
        )
        self._decode = msgspec.json.Decoder(reduce(or_, (*rules.public, *rules.requests))).decode
        self._decoder = reply_decoder(rules.replies)
        self._public: list[bytes] = []
        self._asked: dict[int, Struct] = {}
        self._copies: list[Match] = []
        self._translators: list[Translator] = []
        self._trackers: list[StateTracker] = []
        guard("the players", self._make_players)

    def _make_players(self) -> None:
        rules, seats = self._rules, range(self._setting.seats)
        kinds = [rules]
        if rules.person is not None:
            kinds = [msgspec.structs.replace(rules, make_environment=None)]
        if (environment := rules.environment) is not None:
            kinds += [rules] if rules.person is not None else []
            self._trackers = [environment.tracker(seat, len(seats)) for seat in seats]
            make = environment.translator
            self._translators = [make(seat, len(seats), self._options) for seat in seats]
            self._numbers = environment.observation(len(seats), self._options)
        seed = self._setting.seed
        self._players = [Players(kind, self._names, self._options, seed) for kind in kinds]

    def play(self) -> None:
        """Play to the end, and look at each part.

        Raises:
            GameStoppedError: the game has failed; that is reported.
        """
        match, guard = self._match, self._guard
        match.start()
        for seat in match.due:
            line = name_line(seat, self._names[seat])
            guard("the start of a match", partial(match.receive, seat, line))
        for number in range(MAX_ROUNDS):
            self._hear(guard("advance", match.take_entries))
            if not match.due:
                break
            if len(self._copies) < _MOST_COPIES and self._dice.random() < _COPIES:
                self._copies.append(guard("copy", match.copy))
            for seat in match.due:
                self._see(seat)
                self._reply(number, seat)
        for players in self._players:
            guard("person.end", players.end)
        self._look_at_copies()
        self._look_at_log()
        self._look_at_statistics()

    # --- during the match -------------------------------------------------------------------------

    def _hear(self, entries: Sequence[Entry]) -> None:
        """Tell people and trackers what their seats are sent."""
        own = (*self._rules.public, *self._rules.requests)
        for entry in entries:
            if not isinstance(entry, Sent):
                continue
            if entry.to is None:
                self._public.append(entry.line)
            if isinstance(entry.message, own):
                message = self._read(entry)
                if entry.to is not None:
                    self._asked[entry.to] = message
                for seat in range(self._setting.seats) if entry.to is None else (entry.to,):
                    self._tell(seat, message)

    def _read(self, entry: Sent) -> Struct:
        try:
            message: Struct = self._decode(entry.line)
        except msgspec.MsgspecError as error:
            name = type(entry.message).__name__
            self._findings.add("data", f"{name} is not as its own types have it: {error}")
            raise GameStoppedError from error
        return message

    def _tell(self, seat: int, message: Struct) -> None:
        for players in self._players:
            self._guard("person.observe", partial(players.observe, seat, message))
        if self._trackers:
            self._guard("tracker.observe", lambda: self._trackers[seat].observe(message))

    def _see(self, seat: int) -> None:
        """Compare what a bot can know from its lines with the view, and the numbers with bounds."""
        if not self._trackers:
            return
        view = self._match.view(seat)
        if (known := self._guard("tracker.view", self._trackers[seat].view)) != view:
            where = changed(msgspec.json.encode(view), msgspec.json.encode(known))
            text = (
                f"the tracker of seat {seat} makes another view from the lines of its bot: {where}"
            )
            self._findings.add("tracker", text)
        player = self._translators[seat]
        self._guard("the environment", lambda: player.look(view, asked=True))
        seen = self._guard("observe", player.observe)
        low, high = self._numbers.low, self._numbers.high
        if seen.shape != low.shape:
            text = f"an observation has the shape {seen.shape}, and its bounds have {low.shape}"
            self._findings.add("observation", text)
        elif not ((low <= seen) & (seen <= high)).all():
            place = int(((seen < low) | (seen > high)).nonzero()[-1][0])
            name = self._numbers.names[place]
            self._findings.add("observation", f"an observation is out of its bounds at {name}")
        self._guard("show", player.show)

    def _reply(self, number: int, seat: int) -> None:
        match = self._match
        if self._dice.random() < self._setting.leaving:
            match.disqualify(seat, Disqualification.TIMEOUT, "slow")
            self._copies.clear()
            return
        players = self._players[number % len(self._players)]
        request: Struct = self._asked[seat]
        view: Any = match.view(seat)
        line = self._guard("a legal reply", lambda: players.reply(seat, request, view))
        before = match.faults[seat].total()
        self._guard("advance", lambda: match.receive(seat, line))
        if match.faults[seat].total() > before:
            code, fault = next((c, f) for (s, c), f in match.first_faults.items() if s == seat)
            text = f"{players.kind} is offered a move that is a fault: {code}: {fault.detail}"
            self._findings.add("fault", text)
        reply: Any = decode_reply(line, self._decoder)
        if self._trackers:
            self._guard("tracker.observe", lambda: self._trackers[seat].observe(reply))
        for copy in self._copies:
            self._guard("advance", lambda copy=copy: copy.take(seat, reply))  # type: ignore[misc]

    # --- after the match --------------------------------------------------------------------------

    def _look_at_copies(self) -> None:
        now = self._json(self._match)
        for copy in self._copies:
            if (then := self._json(copy)) != now:
                text = f"a copy does not continue as the match does: {changed(now, then)}"
                self._findings.add("copy", text)

    def _json(self, match: Match) -> bytes:
        ended, view, standings = match.outcome, match.view(ALL), match.standings()
        return msgspec.json.encode({"outcome": ended, "view": view, "standings": standings})

    def _look_at_log(self) -> None:
        rules, guard = self._rules, self._guard
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(b"".join(self._public))
            file.flush()
            checked = guard("the log_player", lambda: check_log(file.name, rules))
            for found in checked.findings[:1]:
                text = (
                    f"a right log is called wrong in line {found.line}: expected "
                    f"{found.expected}; found {found.found}"
                )
                self._findings.add("checker", text)
            if checked.stopped is not None:
                text = f"logs are checked in part only: {checked.stopped.why}"
                self._findings.add("unchecked", text, is_error=False)
            if rules.turns is not None:
                guard("turns", partial(_show_turns, file.name))

    def _look_at_statistics(self) -> None:
        if self._rules.statistics is None:
            return
        facts = self._guard("statistics.of_match", self._match.statistics)
        seats = [SeatFacts(name, 0.5, each) for name, each in zip(self._names, facts, strict=True)]
        made = self._rules.statistics()
        for table in self._guard("statistics.tables", lambda: made.tables(iter(seats))):
            if any(len(row) != len(table.columns) for row in table.rows):
                self._findings.add(
                    "statistics", f"a row of {table.title!r} has not one cell per column"
                )


def _show_turns(name: str) -> None:
    """Show all turns of a log, as `referee replay` does."""
    with LogReader(name) as reader:
        replay = Replay(reader)
        painter = Painter(80, colour=False)
        for item in replay.items():
            if isinstance(item, TurnOver):
                for _ in painter.turn(item.turn, replay.turn_reader):
                    pass
