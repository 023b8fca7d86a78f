"""Checks a game's optional parts: people, environments, copies, logs and statistics.

To do this, we play random matches that send lines, and use the optional parts in the same way as
our commands do.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import GameError
from referee.gamecheck.findings import Findings
from referee.gamecheck.guard import GameStoppedError, Guard
from referee.gamecheck.lines import LinesMatch
from referee.gamecheck.match import Setting, first_difference
from referee.games.interface.capabilities import SeatFacts
from referee.games.interface.definition import GameDefinition
from referee.games.interface.environment import StateTracker, Translator
from referee.games.interface.game import ALL
from referee.logs.replay.reader import Replay, TurnOver
from referee.logs.replay.terminal import Painter
from referee.logs.source import LogReader
from referee.logs.validate import check_log
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Entry, Match, Sent
from referee.match.players import Players

# The probability that we copy the match before a reply, and the maximum number of copies. The
# number is small because we have to play all copies to the end.
_COPIES, _MOST_COPIES = 0.1, 5


class PartsMatch(LinesMatch):
    """A random match that uses all optional parts of a game.

    If the game has both a `person` and an environment, they take turns choosing the replies.
    """

    def __init__(
        self, definition: GameDefinition, setting: Setting, guard: Guard, findings: Findings
    ) -> None:
        super().__init__(definition, setting, copies=True)
        self._guard, self._findings = guard, findings
        self._decoder = reply_decoder(definition.replies)
        self._public: list[bytes] = []
        self._copies: list[Match] = []
        self._translators: list[Translator] = []
        self._trackers: list[StateTracker] = []

    def call(self, what: str, call: Callable[[], Any]) -> Any:
        """Call the game's code, and report exceptions."""
        return self._guard(what, call)

    def make_players(self) -> None:
        """Create people, and an environment with its trackers, if the game supports them."""
        definition, seats = self.definition, range(self.setting.seats)
        kinds = [definition]
        if definition.person is not None:
            kinds = [msgspec.structs.replace(definition, make_environment=None)]
        if (environment := definition.environment) is not None:
            kinds += [definition] if definition.person is not None else []
            self._trackers = [environment.tracker(seat, len(seats)) for seat in seats]
            make = environment.translator
            self._translators = [make(seat, len(seats), self.options) for seat in seats]
            self._numbers = environment.observation(len(seats), self.options)
        seed = self.setting.seed
        self.players = [Players(kind, self.names, self.options, seed) for kind in kinds]

    def play(self, *, thorough: bool = True) -> None:
        """Play to the end, and check each part, or only people and programs if not `thorough`.

        Raises:
            GameStoppedError: the game failed, and this was reported.
        """
        super().play()
        if not thorough:
            return
        self._check_copies()
        self._check_log()
        self._check_statistics()

    # --- During the match -------------------------------------------------------------------------

    def receive(self, entry: Entry) -> None:
        """Receive a line, and also keep it if it belongs in the spectator log."""
        if isinstance(entry, Sent) and entry.to is None:
            self._public.append(entry.line)
        super().receive(entry)

    def read(self, entry: Sent) -> Struct:
        """Decode a message. If that fails, report it and stop."""
        try:
            return super().read(entry)
        except GameError as error:
            self._findings.add("data", str(error))
            raise GameStoppedError from error

    def observe(self, seat: int, message: Struct) -> None:
        """Pass a message to the players and the seat's tracker."""
        super().observe(seat, message)
        if self._trackers:
            self._guard("tracker.observe", lambda: self._trackers[seat].observe(message))

    def _check_observation(self, seat: int) -> None:
        """Check that the tracker has the right view, and that the observation is within bounds."""
        if not self._trackers:
            return
        view = self.match.view(seat)
        if (known := self._guard("tracker.view", self._trackers[seat].view)) != view:
            where = first_difference(msgspec.json.encode(view), msgspec.json.encode(known))
            text = (
                f"the tracker of seat {seat} makes another view from the lines of its bot: {where}"
            )
            self._findings.add("tracker", text)
        player = self._translators[seat]
        self._guard("the environment", lambda: player.look(view, asked=True))
        seen = self._guard("observe", player.observe)
        low, high = self._numbers.low, self._numbers.high
        if seen.shape != low.shape:
            text = (
                f"an observation has the shape {seen.shape}, and its bounds have {low.shape}: "
                "a view whose lists grow or shrink needs observe(view)"
            )
            # one wrong shape is enough to show the author
            if not self._findings.has("observation"):
                self._findings.add("observation", text)
        elif not ((low <= seen) & (seen <= high)).all():
            place = int(((seen < low) | (seen > high)).nonzero()[-1][0])
            name = self._numbers.names[place]
            self._findings.add("observation", f"an observation is out of its bounds at {name}")
        self._guard("show", player.show)

    def leaves(self, seat: int) -> bool:
        """Let a seat leave at random. It stays in the copies, so they can't be compared then."""
        if has_left := super().leaves(seat):
            self._copies.clear()
        return has_left

    def reply(self, number: int, seat: int) -> bytes:
        """Let a seat reply. The copies of the match get the same reply."""
        match = self.match
        self._findings.at = f"round {number + 1}, decides: seat {seat}"
        if len(self._copies) < _MOST_COPIES and self.dice.random() < _COPIES:
            self._copies.append(self._guard("copy", match.copy))
        self._check_observation(seat)
        before = match.faults[seat].total()
        line = super().reply(number, seat)
        if match.faults[seat].total() > before:
            code, fault = next((c, f) for (s, c), f in match.first_faults.items() if s == seat)
            kind = self.players[number % len(self.players)].kind
            text = f"{kind} is offered a move that is a fault: {code}: {fault.detail}"
            self._findings.add("fault", text)
        reply: Any = decode_reply(line, self._decoder)
        if self._trackers:
            self._guard("tracker.observe", lambda: self._trackers[seat].observe(reply))
        for copy in self._copies:
            self._guard("advance", lambda copy=copy: copy.take(seat, reply))  # type: ignore[misc]
        return line

    # --- After the match --------------------------------------------------------------------------

    def _check_copies(self) -> None:
        now = self._json(self.match)
        for copy in self._copies:
            if (then := self._json(copy)) != now:
                text = f"a copy does not continue as the match does: {first_difference(now, then)}"
                self._findings.add("copy", text)

    def _json(self, match: Match) -> bytes:
        ended, view, standings = match.outcome, match.view(ALL), match.standings()
        return msgspec.json.encode({"outcome": ended, "view": view, "standings": standings})

    def _check_log(self) -> None:
        definition, guard = self.definition, self._guard
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(b"".join(self._public))
            file.flush()
            checked = guard("the log_player", lambda: check_log(file.name, definition))
            for found in checked.findings[:1]:
                text = (
                    f"a right log is called wrong in line {found.line}: expected "
                    f"{found.expected}; found {found.found}"
                )
                self._findings.add("checker", text)
            if definition.turns is not None:
                guard("turns", partial(_show_turns, file.name))

    def _check_statistics(self) -> None:
        if self.definition.statistics is None:
            return
        facts = self._guard("statistics.of_match", self.match.statistics)
        seats = [SeatFacts(name, 0.5, each) for name, each in zip(self.names, facts, strict=True)]
        made = self.definition.statistics()
        for table in self._guard("statistics.tables", lambda: made.tables(iter(seats))):
            if any(len(row) != len(table.columns) for row in table.rows):
                self._findings.add(
                    "statistics", f"a row of {table.title!r} has not one cell per column"
                )


def _show_turns(name: str) -> None:
    with LogReader(name) as reader:
        replay = Replay(reader)
        painter = Painter(80, colour=False)
        for item in replay.items():
            if isinstance(item, TurnOver):
                for _ in painter.turn(item.turn, replay.turn_reader):
                    pass
