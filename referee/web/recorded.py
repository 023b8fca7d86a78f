"""Convert a match record or a spectator log to the data of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any

import msgspec

from referee.bots.repeat import repeat_words
from referee.course import RecordedReply
from referee.errors import GameError, LogReadError, UnknownGameError
from referee.games import ADD_GAME, GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.game import ALL, PUBLIC
from referee.games.interface.log_player import DifferenceError
from referee.games.interface.seats import seat_id, seat_of
from referee.logs.header import first_line
from referee.logs.parsing import Line as LogLine
from referee.logs.parsing import Messages
from referee.logs.record import Header as RecordHeader
from referee.logs.record import header_of, spec_of
from referee.logs.rerun import played, rerun_of, rounds
from referee.logs.source import LogReader
from referee.logs.stderr import entry_of, read_stderr
from referee.match.limits import Limits
from referee.match.machine import Disqualified, Entry, Match
from referee.match.messages import GameEnd, PlayerName
from referee.match.spec import MatchSpec
from referee.names import shown_names
from referee.text.terminal import as_text, command_line
from referee.web.data import Ended, Header, MatchPage, SeatHeader, Step
from referee.web.steps import LogSteps, MatchSteps, Steps

_TOO_SHORT = "no state of a game comes before this, so nothing can be shown"


def read_match(
    name: str, names: Sequence[str] = (), stderr: Sequence[str | None] = ()
) -> MatchPage:
    """Read a match from a file.

    If the file is truncated or damaged, the match is read up to that place, and the page's header
    reports the problem. A bot's stderr is taken from the record, or else from the file beside the
    record, or else from `stderr`.

    Args:
        name: file name of a match record or a spectator log, which may be compressed.
        names: the names of the players of a record, in seat order. If it's empty, we use the names
            in the record's header.
        stderr: the last lines of each bot's stderr, in seat order, if stored elsewhere.

    Raises:
        UsageError: the file cannot be opened.
        LogReadError: the file is neither a record nor a log.
    """
    with LogReader(name) as reader:
        value, _ = first_line(next(iter(reader), b""))
    given = {*value} if isinstance(value, dict) else set()
    del value  # it may be large, and is read again
    if not given & {"type", "entry"}:
        problem = (
            "this is not a match record or a spectator log: give a file that --record or --log"
        )
        raise LogReadError(as_text(name), 1, f"{problem} has written")
    is_log = "type" in given and "entry" not in given
    return _from_log(name) if is_log else _from_record(name, names, stderr)


def from_answers(
    spec: MatchSpec, answers: Sequence[RecordedReply], stderr: Sequence[str | None] = ()
) -> MatchPage:
    """Return the page of a match that was just played. This replays the match to get its states.

    Args:
        stderr: the last lines of each bot's stderr, in seat order.
    """
    header = header_of(spec, "")
    match = spec.new_match()
    made = _steps_of(header, spec.names)
    elsewhere = _SeparateStderr("", len(spec.bots), stderr)
    for entries, seconds in rounds(match, played(match, answers)):
        elsewhere.add_to(made, entries)
        made.add(match, entries, seconds)
    elsewhere.add_rest(made)
    return _record_page("", header, match, made)


def seat_header(spec: MatchSpec, made: Steps) -> Header:
    """Return the header of a seat's page during the match."""
    return _header("live", spec.definition, spec.options, made.names, (), made)


class _SeparateStderr:
    """Adds the bots' stderr to the page if the record doesn't contain it.

    We don't know when a bot wrote it. If the bot was disqualified, we add it there, because it may
    explain why. Otherwise, we add it at the end of the match.
    """

    def __init__(self, record: str, seats: int, given: Sequence[str | None]) -> None:
        texts = [*given, *[None] * seats][:seats]
        self._entries = [
            read_stderr(record, seat) or entry_of(seat, text or "")
            for seat, text in enumerate(texts)
        ]

    def forget(self, player: str) -> None:
        # The stderr in the record is better, because the record also has the time when it was
        # written.
        seat = seat_of(player, len(self._entries))
        if seat is not None:
            self._entries[seat] = None

    def add_to(self, made: MatchSteps, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if type(entry) is Disqualified:
                self._add(made, entry.seat)

    def add_rest(self, made: MatchSteps) -> None:
        for seat in range(len(self._entries)):
            self._add(made, seat)

    def _add(self, made: MatchSteps, seat: int) -> None:
        entry, self._entries[seat] = self._entries[seat], None
        if entry is not None:
            made.add_stderr(entry)


def _from_record(name: str, names: Sequence[str], stderr: Sequence[str | None]) -> MatchPage:
    rerun = rerun_of(name)
    elsewhere = _SeparateStderr(name, len(rerun.header.bots), stderr)
    made = _steps_of(rerun.header, names or rerun.header.names or ())
    problem = ""
    try:
        drawn = 0
        for entries, time, recorded, is_opening in rerun.rounds():
            for said in recorded:
                made.add_stderr(said)
                elsewhere.forget(said.player_number)
            # A bot's last words may explain why it failed, so they come before its
            # disqualification.
            elsewhere.add_to(made, entries)
            drawn += is_opening
            if is_opening and drawn == rerun.header.opening:
                made.end_opening(drawn)
            if entries:
                made.add(rerun.match, entries, time)
    except LogReadError as error:
        if not made.steps:
            raise
        problem = f"The record is damaged: {error}."
    except GameError as error:
        if not made.steps:
            raise
        problem = f"The match ends here, because {error}."
    # We show as much as we can, but report only the first problem, because the others follow from
    # it.
    if not problem and not rerun.whole:
        problem = "The record was cut short: this is as far as it goes."
    if not problem and not rerun.digest:
        problem = "The last line does not follow from the others, so the record was modified."
    if not made.steps:
        raise LogReadError(as_text(name), 1, _TOO_SHORT)
    elsewhere.add_rest(made)
    return _record_page(name, rerun.header, rerun.match, made, problem, rerun.digest)


def _steps_of(header: RecordHeader, names: Sequence[str] = ()) -> MatchSteps:
    viewers = [ALL, PUBLIC, *range(len(header.bots))]
    return MatchSteps(GAMES[header.game], viewers, names, header.bots)


def _record_page(
    name: str,
    header: RecordHeader,
    match: Match,
    made: MatchSteps,
    problem: str = "",
    digest: str = "",
) -> MatchPage:
    made.close()
    made.merge_viewers()
    spec = spec_of(header)
    names = made.names or shown_names(match.names, header.names or (), header.bots)
    settings = msgspec.to_builtins(header.options)
    limits = {key: value for key, value in settings.items() if key in Limits._fields}
    own = {key: value for key, value in settings.items() if key not in limits}
    for shown_name, of_bot in zip(names, header.limits_of_bots or (), strict=False):
        if of_bot:
            limits[f"of {shown_name}"] = of_bot
    ended = None
    if match.outcome is not None:
        scores = [standing.score for standing in match.standings()]
        outcome = match.outcome
        why = spec.definition.why_ended(outcome.reason, names, outcome.winners)
        out = [seat in match.disqualified for seat in range(len(scores))]
        if note := spec.definition.result_note(outcome.ranks, scores, out):
            why = f"{note}; {why}"
        ended = Ended(outcome.reason, why, outcome.winners, scores, outcome.ranks)
    shown = _header(
        "record",
        spec.definition,
        spec.options,
        names,
        header.bots,
        made,
        source=PurePath(as_text(name)).name,
        options=own,
        limits=limits,
        seed=header.seed,
        command=_command(PurePath(as_text(name)).name, spec),
        date=header.started,
        outcome=ended,
        problem=problem,
        digest=digest,
        rules=made.rules(),
    )
    return made.page(shown)


def _command(record: str, spec: MatchSpec) -> str:
    """Return the command that repeats a record's match.

    Returns "" if the command would need a file that we don't know.
    """
    start = []
    if spec.redeals:
        if not record:
            return ""
        start = ["--resume", record, "--turn", str(spec.redeals[0].turn)]
    return command_line(repeat_words(spec, recorded=True, start=start))


class PublicMatch:
    """A match as the public sees it. You add its public messages one by one.

    Args:
        seats: number of seats. If it's 0 (unknown), we count the announced names.
        given, bots: arguments of `shown_names`.

    Attributes:
        made: the steps, or None as long as we don't know the players.
        problem: why the page ends before the match does, in a sentence, e.g. because a message
            can't belong to this match, or "". After that, callers must ignore later messages.
        ended: the end of the match, or None.
    """

    def __init__(
        self,
        definition: GameDefinition,
        seats: int = 0,
        given: Sequence[str] = (),
        bots: Sequence[str] = (),
    ) -> None:
        self.made: LogSteps | None = None
        self.problem = ""
        self.ended: Ended | None = None
        self.definition = definition
        self._options = definition.options()
        self._seats = seats
        self._given, self._bots = given, bots
        self._names: dict[int, str] = {}  # for each seat, the name that it announced
        self._early: list[LogLine] = []

    @property
    def steps(self) -> Sequence[Step]:
        """The steps so far. There aren't any until we know the players."""
        return [] if self.made is None else self.made.steps

    def add(self, line: LogLine) -> None:
        """Add the next public message. If it can't belong to this match, this sets `problem`."""
        definition, made = self.definition, self.made
        seat = seat_of(getattr(line.content, "player_number", seat_id(0)), definition.max_seats)
        if made is None and isinstance(line.content, PlayerName) and seat is not None:
            self._names.setdefault(seat, line.content.name)
            self._early.append(line)
            return
        # The first message that isn't a name tells us that we have seen all names, so now we can
        # begin.
        if made is None:
            count = self._seats or max(definition.min_seats, 1 + max(self._names, default=0))
            own = [self._names.get(seat, seat_id(seat)) for seat in range(count)]
            made = self.made = LogSteps(definition, shown_names(own, self._given, self._bots), own)
            for before in self._early:
                made.add(before.content, before.text.decode())  # type: ignore[arg-type]
        foreign = line.content is None or seat is None or seat >= made.seats
        if foreign or not made.add(line.content, line.text.decode()):  # type: ignore[arg-type]
            self.problem = (
                f"Line {line.number} does not belong to such a log, so the page ends here."
            )
        elif isinstance(line.content, GameEnd):
            self.ended = _ended(definition, line.content, made.names)
        elif isinstance(line.content, definition.public[0]):
            with suppress(DifferenceError):
                self._options = definition.announced(line.content)

    def header(
        self, kind: str, source: str, bots: Sequence[str] = (), options: Any = None
    ) -> Header:
        """Return the header of the page. Don't call this before the players are known.

        Args:
            kind: "log" or "live".
            source: the name of the file.
            bots: the BOT arguments, or () if we don't know them.
            options: options of the game. If it's None, we use the options from the messages.
        """
        definition, made = self.definition, self.made
        assert made is not None
        return _header(
            kind,
            definition,
            self._options if options is None else options,
            made.names,
            bots,
            made,
            source=source,
            outcome=self.ended,
            problem=self.problem,
            hidden=definition.hidden,
            rules=made.rules(),
        )


def _from_log(name: str) -> MatchPage:
    match: PublicMatch | None = None
    with LogReader(name) as reader:
        messages = Messages(reader)
        try:
            for line in messages:
                if messages.definition is None:
                    problem = f"the log has no line of a game that this referee knows; {ADD_GAME}"
                    raise UnknownGameError(reader.name, line.number, problem)
                match = match or PublicMatch(messages.definition)
                match.add(line)
                if match.problem or match.ended:
                    break
        except LogReadError as error:
            if match is None or not match.steps:
                raise
            match.problem = f"The log is damaged: {error}."
    if match is None or match.made is None or not match.steps:
        raise LogReadError(reader.name, max(reader.line, 1), _TOO_SHORT)
    if match.ended is None and not match.problem:
        match.problem = "The log ends before the match."
    return match.made.page(match.header("log", PurePath(as_text(name)).name))


def _header(
    kind: str,
    definition: GameDefinition,
    options: Any,
    names: Sequence[str],
    bots: Sequence[str],
    made: Steps,
    /,
    **more: Any,
) -> Header:
    seats = enumerate(zip(names, bots or [""] * len(names), strict=True))
    return Header(
        kind=kind,
        game=definition.name,
        title=" vs ".join(names),
        seats=[SeatHeader(seat_id(seat), name, bot) for seat, (name, bot) in seats],
        viewers=made.viewers,
        series=[{"name": series.name, "unit": series.unit} for series in made.series],
        facts={} if definition.page is None else dict(definition.page.facts(options)),
        **more,
    )


def _ended(definition: GameDefinition, message: GameEnd, names: Sequence[str]) -> Ended:
    winners = (seat_of(player, len(names)) for player in message.winners)
    in_match = tuple(seat for seat in winners if seat is not None)
    why = definition.why_ended(message.reason, names, in_match)
    return Ended(message.reason, why, in_match, message.scores[: len(names)])
