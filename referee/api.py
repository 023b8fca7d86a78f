"""Matches from a Python program, without the command (spec/python.md)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec
import trio
from msgspec import Struct

from referee.bots.command import PythonBot, are_objects, new_objects
from referee.bots.from_python import BotLike, bot_sources
from referee.bots.processes.orphans import no_orphans
from referee.bots.processes.sandbox import resolve
from referee.course import Played, RecordedReply
from referee.errors import BotError, GameError, UsageError, cannot_write, raising_ours
from referee.games import DEFAULT_GAME, find_game
from referee.match.machine import Redeal
from referee.match.position import Position
from referee.match.result import MatchResult, PlayerResult
from referee.match.sandbox import CHOICES, Sandbox
from referee.match.spec import MatchSpec, checked_seed, match_spec
from referee.match_plan import MatchFiles, MatchPlan, settled_spec
from referee.objects import play_objects

if TYPE_CHECKING:
    from referee.logs.record import Header
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.tournament.report.standings import Share
    from referee.tournament.rows import MatchRow, Plan
    from referee.tournament.schedule.format import TournamentSetup

T = TypeVar("T")
PathLike: TypeAlias = str | os.PathLike[str]
_FORCE = "pass force=True"
"""How a caller can replace files that the referee did not write."""


def play_match(
    bots: Sequence[BotLike],
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    log: PathLike | None = None,
    record: PathLike | None = None,
    record_stderr: bool = False,
    game: str = DEFAULT_GAME,
    sandbox: str = "none",
    force: bool = False,
) -> MatchResult:
    """Play one match.

    With asyncio, call it in a thread: `await asyncio.to_thread(play_match, ...)`. At the end all
    processes that the bots left behind are killed. Processes that another thread starts at the same
    time, in a session of their own, look the same and are killed too.

    Args:
        bots: in seat order; strings as `referee play` takes them, paths, lists of words, functions,
            classes and objects (spec/python.md, 2).
        seed: 0 <= seed < 2**53; drawn if None.
        options: the game's options and the limits of the bots that are not to have their defaults,
            by name: {"max_turns": 4, "time_limit": 2.5}.
        log: file name of the spectator log.
        record: file name of the match record.
        record_stderr: whether what the bots write on stderr goes into the record.
        game: a key of `GAMES`; or the file, the folder or the installed name of a game of your own,
            whose code is run.
        sandbox: of the bots that are programs (spec/sandbox.md): "bwrap", "none", or "auto", which
            is the best that this machine has. In one, bots have the limits of one.
        force: whether `log` and `record` may replace files that the referee did not write.

    Raises:
        UsageError: wrong number of bots, a bad seed or option, a bot or file that cannot be used, a
            file that would be replaced and is not the referee's, a sandbox that cannot be had.
        BotError: a bot that is a Python object raised an exception, which is the `__cause__`.
        GameError: the code of a game from outside has a mistake; the match is void.
        LogWriteError: a log could not be written; the match was given up.
        ShortageError: the system is short of processes, memory or file descriptors.
        InternalError: the referee has a bug.
        KeyboardInterrupt: Ctrl-C; the bots have ended.

    Warns:
        RuntimeWarning: a log was changed or removed during the match; the referee wrote it again.
    """
    _check_not_async()
    place = _sandbox(sandbox, log, record)
    plan = _settled(bots, game, seed, options, place)
    plan = _with_files(plan, log, record, record_stderr, force=force)
    with _files(plan) as files, plan.launched() as started:
        if are_objects(plan.sources):
            objects = new_objects(plan.sources)
            played = play_objects(plan.spec, objects, files.log, files.record, diagnose=True)
        else:
            played = trio.run(partial(plan.play, started, files, alone=True))
    return _shown(plan.spec, played)


def resume(
    source: PathLike,
    bots: Sequence[BotLike],
    *,
    turn: int | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    log: PathLike | None = None,
    record: PathLike | None = None,
    record_stderr: bool = False,
    sandbox: str = "none",
    force: bool = False,
) -> MatchResult:
    """Continue a recorded match (spec/positions.md).

    The bots get all lines of the beginning again, and their replies to them are dropped.

    Args:
        source: file name of the match record.
        bots: as of `play_match`, as many as the match has players. Those of the record are never
            started: a stranger may have written it.
        turn: the first turn that is played; all players' turns count. None: the record was cut
            off, and its match continues after its last line.
        seed: of what no seat knows at this turn, which is dealt again, and of all later luck. None:
            the luck is that of the record.
        options: those that are not to have the values of the record.
        log, record, record_stderr, sandbox, force: as of `play_match`.

    Raises:
        As `play_match`; also `UsageError` if the match has no such turn, and `LogReadError` if the
        file is not a match record.
    """
    _check_not_async()
    if seed is not None and turn is None:
        raise UsageError("seed goes with turn, from which the rest is dealt again")
    place = _sandbox(sandbox, source, log, record)
    plan = _resumed(source, bots, turn, seed, options, place)
    plan = _with_files(plan, log, record, record_stderr, force=force)
    with _files(plan) as files, plan.launched() as started:
        played = trio.run(partial(plan.play, started, files, alone=True))
    return _shown(plan.spec, played)


def _resumed(
    source: PathLike,
    bots: Sequence[BotLike],
    turn: int | None,
    seed: int | None,
    options: Mapping[str, Any] | None,
    sandbox: Sandbox,
) -> MatchPlan:
    """The match that continues a record, without files."""
    from referee.logs.conversation import answers_before

    name = _file_name("source", source) or ""
    resumed = answers_before(name, turn if turn is None else _count("turn", turn))
    header = resumed.header
    redeals = tuple(header.redeals or ())
    if turn is not None and seed is not None:
        position = resumed.position(name, turn)
        redeals = (*position.redeals, Redeal(turn, checked_seed(seed)))
    plan = _settled(bots, header.game, header.seed, options, sandbox)
    if len(plan.sources) != len(header.bots):
        raise UsageError(f"the match of {name} has {len(header.bots)} bots")
    spec = settled_spec(
        plan.sources,
        game=header.game,
        seed=header.seed,
        options=options,
        recorded=resumed.settings,
        redeals=redeals,
        sandbox=sandbox,
    )
    return MatchPlan(plan.sources, spec, answers=resumed.answers)


async def play_match_async(
    bots: Sequence[BotLike],
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    log: PathLike | None = None,
    record: PathLike | None = None,
    record_stderr: bool = False,
    game: str = DEFAULT_GAME,
    sandbox: str = "none",
    force: bool = False,
) -> MatchResult:
    """Play one match under trio. Same arguments as `play_match`. Cancelling it stops the bots."""
    place = _sandbox(sandbox, log, record)
    plan = _settled(bots, game, seed, options, place)
    plan = _with_files(plan, log, record, record_stderr, force=force)
    with _files(plan) as files, plan.launched() as started:
        played = await plan.play(started, files)
    return _shown(plan.spec, played)


def _shown(spec: MatchSpec, played: Played) -> MatchResult:
    """The result, which a notebook shows as the match itself."""
    if played.answers:
        players = played.result.players
        said = [None if p.stderr is None else "\n".join(p.stderr.lines) for p in players]
        played.result.show_by(partial(_player, spec, played.answers, said))
    return played.result


def _player(
    spec: MatchSpec, answers: Sequence[RecordedReply], stderr: Sequence[str | None], text: str
) -> str:
    from referee.web.notebook import player  # takes long to load

    return player(spec, answers, stderr, text)


def _with_files(
    plan: MatchPlan,
    log: PathLike | None,
    record: PathLike | None,
    record_stderr: bool,
    *,
    force: bool,
) -> MatchPlan:
    """The match with the files that it writes, or a `UsageError`."""
    if record_stderr and record is None:
        raise UsageError("record_stderr goes with record, the file name of the match record")
    return plan._replace(
        log=_file_name("log", log),
        record=_file_name("record", record),
        record_stderr=record_stderr,
        force=force,
    )


@contextmanager
def _files(plan: MatchPlan) -> Iterator[MatchFiles]:
    """The files of the match in this block; at its end it warns of their problems."""
    with plan.opened(_FORCE) as files, _our_errors():
        files.begin()
        yield files
        problems, lost = files.finish()
        if lost is not None:
            raise lost
    for problem in problems:
        warnings.warn(problem, RuntimeWarning, stacklevel=4)  # in the caller of `play_match`


# --- many matches ---------------------------------------------------------------------------------


class Matches(Struct, frozen=True):
    """How many matches between the same bots ended.

    The lists `results` and `seats` have one entry per match, in order, without matches that did not
    count. The other lists have one entry per bot, in the given order.

    Attributes:
        bots: the BOT arguments.
        seed: of the whole.
        results: of the matches.
        seats: for each match the bot in each seat, by its number from 0.
        wins: matches in which the bot had the first rank and did not share it.
        draws: matches in which it was first together with others.
        losses: all others.
        void: how many matches did not count: the machine was too busy again and again, a bot has
            killed the process that played, or one of its bots was put out for that.
    """

    bots: list[str]
    seed: int
    results: list[MatchResult]
    seats: list[tuple[int, ...]]
    wins: list[int]
    draws: list[int]
    losses: list[int]
    void: int

    def players(self, bot: int) -> list[PlayerResult]:
        """How a bot fared in each match.

        Args:
            bot: its number from 0.
        """
        return [
            result.players[seats.index(bot)]
            for result, seats in zip(self.results, self.seats, strict=True)
        ]

    def points(self) -> list[Share]:
        """For each bot its share of the points, 0 to 1, with its 95% interval over deals.

        A match gives the share of the others that were beaten, a tie counting half.
        """
        from referee.tournament.rating.tallies import tally_of
        from referee.tournament.report.standings import Share

        deals = [(result.seed, [p.rank for p in result.players]) for result in self.results]
        rates = tally_of(len(self.bots), self.seats, deals).point_rate
        each = zip(rates.share, rates.low, rates.high, strict=True)
        return [Share(float(p), max(0.0, float(a)), min(1.0, float(b))) for p, a, b in each]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each seat of each match, for a data frame; spec/python.md, 3, has its columns.

        All rows have the same keys in the same order, and values that are numbers, strings, bools
        or None.
        """
        rows = [
            _row(number, result, seat, bot)
            for number, (result, seats) in enumerate(zip(self.results, self.seats, strict=True))
            for seat, bot in enumerate(seats)
        ]
        columns = list(dict.fromkeys(column for row in rows for column in row))
        return [{column: row.get(column, 0) for column in columns} for row in rows]

    def _repr_html_(self) -> str:
        from referee.web.notebook import table  # takes long to load

        deals = [(result.seed, [p.rank for p in result.players]) for result in self.results]
        return table(self.bots, self.seats, deals, repr(self))

    def __repr__(self) -> str:
        """Only the sums, because the results fill pages."""
        counts = zip(self.bots, self.wins, self.draws, self.losses, strict=True)
        sums = "; ".join(f"{bot} won {w}, drew {d}, lost {lost}" for bot, w, d, lost in counts)
        return f"<Matches: {len(self.results)} played, {self.void} void, seed {self.seed}; {sums}>"


_AS_THEY_ARE = ("bot", "name", "score", "turns", "rank", "disqualified")


def _row(match: int, result: MatchResult, seat: int, bot: int) -> dict[str, Any]:
    """Rows with a seat of a match each. Counts by name, such as cards, have a column per name."""
    player = result.players[seat]
    row = {
        "match": match,
        "seed": result.seed,
        "reason": result.reason,
        "match_turns": result.turns,
        "duration_seconds": result.duration_seconds,
        "player_number": player.player_number,
        "number": bot,
        **{name: getattr(player, name) for name in _AS_THEY_ARE},
        "faults": sum(player.faults.values()),
        "requests": player.requests,
        "reply_seconds_total": player.reply_seconds.total,
        "reply_seconds_max": player.reply_seconds.max,
        "exit_code": player.exit_code,
    }
    for name in player.__struct_fields__:
        if name in PlayerResult.__struct_fields__:
            continue
        fact = getattr(player, name)
        if isinstance(fact, dict):
            row |= {f"{name}_{key}": count for key, count in fact.items()}
        else:
            row[name] = fact
    return row


def play_matches(
    bots: Sequence[BotLike],
    n: int,
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    records: PathLike | None = None,
    record_stderr: bool = False,
    game: str = DEFAULT_GAME,
    jobs: int = 1,
    keep_alive: bool = True,
    sandbox: str = "none",
    force: bool = False,
    position: tuple[PathLike, int] | None = None,
) -> Matches:
    """Play many matches between the same bots.

    They are the matches of `referee tournament` with as many players as bots: each deal is played
    once per rotation of the seats, with one seed.

    Args:
        bots: as of `play_match`; an object in all matches, a class once for each.
        n: how many matches.
        seed: of the whole; drawn if None.
        options, game, sandbox: as of `play_match`.
        records: a folder for the compressed match records and the stderr of the bots. It belongs
            to one tournament: the same bots with the same settings and seed.
        record_stderr: as of `play_match`; goes with `records`.
        jobs: number of matches at the same time, each in a process if it is more than one. Bots
            that are Python objects play only in this process: with them it is 1.
        keep_alive: whether processes may play match after match.
        force: whether the records of another tournament in the folder may be removed.
        position: file name of a match record and a turn, from which all matches are played, each
            deal with everything dealt again that no seat knows. It has the game and its options.

    Raises:
        As `play_match` and `resume`; also `UsageError` if the folder is another tournament's.
    """
    _check_not_async()
    n, jobs = _count("n", n), _count("jobs", jobs)
    if record_stderr and records is None:
        raise UsageError("record_stderr goes with records, the folder for the match records")
    plan, start = _many(bots, game, options, sandbox, records, position)
    _check_jobs(jobs, plan)
    # What only tournaments need takes long to load.
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.workers import worker_processes

    what, plans = _all_plans(plan, n, seed, keep_alive=keep_alive, position=start)
    folder = None if records is None else _claimed(records, what, force=force)
    dispatcher = Dispatcher(
        _this_process if jobs == 1 else partial(worker_processes, jobs, pin=True),
        lambda: jobs,
        keep="none" if folder is None else "all",
        record_stderr=record_stderr,
        results=True,
        sources=dict(enumerate(plan.sources)),
        hidden=plan.spec.sandbox.hidden,
    )
    return _counted(what, _play_all(dispatcher, what, plans, folder))


def _check_jobs(jobs: int, plan: MatchPlan) -> None:
    if jobs > 1 and any(isinstance(bot, PythonBot) and not bot.is_file for bot in plan.sources):
        raise UsageError(f"jobs={jobs}: bots that are Python objects can only play with jobs=1")


def _many(
    bots: Sequence[BotLike],
    game: str,
    options: Mapping[str, Any] | None,
    sandbox: str,
    records: PathLike | None,
    position: tuple[PathLike, int] | None,
) -> tuple[MatchPlan, Position | None]:
    """One of many matches, without its luck, and where all of them begin."""
    if position is None:
        return _settled(bots, game, 0, options, _sandbox(sandbox, records)), None
    from referee.logs.record import spec_of

    header, start = _position(position)
    options = {**msgspec.structs.asdict(spec_of(header).options), **(options or {})}
    place = _sandbox(sandbox, records, position[0])
    return _settled(bots, _game_of(header, game), 0, options, place), start


def _position(position: tuple[PathLike, int]) -> tuple[Header, Position]:
    from referee.logs.conversation import position_at

    if not isinstance(position, tuple) or len(position) != 2:
        text = 'position is the name of a match record and a turn, such as ("game.jsonl", 12)'
        raise UsageError(f"{text}, not {position!r}")
    return position_at(_file_name("position", position[0]) or "", _count("turn", position[1]))


def _game_of(header: Header, game: str) -> str:
    """The game of a record, if it is not another one that was asked for."""
    if game != DEFAULT_GAME and find_game(game) != header.game:
        raise UsageError(f"game is {game!r}, and the position is of {header.game}")
    return header.game


def _play_all(
    dispatcher: Dispatcher, what: TournamentSetup, plans: Sequence[Plan], folder: Path | None
) -> list[MatchRow | None]:
    """The rows of matches, in their order; None for one that was not played."""
    from referee.tournament.playing.records import write_record

    played: dict[int, MatchRow] = {}
    with dispatcher:
        for row in chain.from_iterable(dispatcher.play(what, iter(plans))):
            if folder is not None:
                write_record(folder, row)
            if row.problem:
                raise GameError(row.problem)
            played[row.match] = msgspec.structs.replace(row, record=b"", stderr=[])
    return [played.get(each.match) for each in plans]


def _all_plans(
    plan: MatchPlan,
    n: int,
    seed: int | None,
    *,
    keep_alive: bool,
    position: Position | None = None,
) -> tuple[TournamentSetup, list[Plan]]:
    """The tournament in which the bots of a match play `n` matches, and these matches."""
    from referee.tournament.rows import Entrant
    from referee.tournament.schedule.round_robin import round_robin
    from referee.tournament.setup import setup
    from referee.tournament.stages import Stage

    seats, spec = len(plan.sources), plan.spec
    what = setup(
        [Entrant(str(number), source.argument) for number, source in enumerate(plan.sources)],
        game=spec.game,
        players=seats,
        matches=n,
        seed=checked_seed(seed),
        keep_alive=keep_alive,
        settings=spec.by_name,
        sandbox=spec.sandbox.kind,
        position=position or msgspec.UNSET,
    )
    line_ups = round_robin(seats, seats, total=what.total_deals, seed=what.seed)
    stage = Stage(what, 0, 0, line_ups)
    return what, [*islice(chain.from_iterable(map(stage.plans, range(len(line_ups)))), n)]


@contextmanager
def _this_process() -> Iterator[Executor]:
    """An executor that plays batches in this process, one after the other."""
    from referee.tournament.playing.worker import Worker

    class Immediate(Executor):
        def submit(self, fn: object, /, *batch: Any, **_: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_result(worker.play(*batch))  # an exception ends it all
            return future

    with no_orphans(), _our_errors():
        worker = Worker()
        try:
            yield Immediate()
            worker.end()
        finally:
            worker.kill()


def _counted(what: TournamentSetup, rows: Sequence[MatchRow | None]) -> Matches:
    """The results of matches, in order, None for one that was not played, and their sums."""
    counting = [row for row in rows if row is not None and not row.void]
    wins, draws, losses = ([0] * len(what.bots) for _ in range(3))
    for row in counting:
        alone = row.ranks.count(1) == 1
        for bot, rank in zip(row.players, row.ranks, strict=True):
            counts = losses if rank > 1 else wins if alone else draws
            counts[bot] += 1
    return Matches(
        bots=[bot.bot for bot in what.bots],
        seed=what.seed,
        results=[row.result for row in counting if row.result is not None],
        seats=[row.players for row in counting],
        wins=wins,
        draws=draws,
        losses=losses,
        void=len(rows) - len(counting),
    )


# --- what all have in common ----------------------------------------------------------------------


def _check_not_async() -> None:
    if trio.lowlevel.in_trio_run():
        raise UsageError(
            "this is an async program of trio: await play_match_async, or call this in a thread "
            "(trio.to_thread.run_sync)"
        )


def _sandbox(choice: str, *files: PathLike | None) -> Sandbox:
    """The requested sandbox, in which bots cannot see these files."""
    if choice not in CHOICES:
        raise UsageError(f"sandbox is {choice!r}; there are: {', '.join(CHOICES)}")
    names = [os.fspath(file) for file in files if isinstance(file, str | os.PathLike)]
    return resolve(choice, hidden=names)


def _settled(
    bots: Sequence[BotLike],
    game: str,
    seed: int | None,
    options: Mapping[str, Any] | None,
    sandbox: Sandbox,
) -> MatchPlan:
    """The match between these bots, without files, or a `UsageError`."""
    if isinstance(bots, str | bytes) or not isinstance(bots, Sequence):
        raise UsageError(
            f'bots are given as a list, such as ["big_money", "minimal"], not {bots!r}'
        )
    game = find_game(game)
    match_spec([""] * len(bots), game=game, seed=seed, options=options)  # before looking for bots
    sources = bot_sources(bots, game)
    spec = settled_spec(sources, game=game, seed=seed, options=options, sandbox=sandbox)
    return MatchPlan(sources, spec)


def _count(argument: str, number: int) -> int:
    try:
        value = index(number)  # of any type of integers
    except TypeError:
        value = 0
    if value < 1:
        raise UsageError(f"{argument} is {number!r}; give an integer of at least 1")
    return value


def _file_name(argument: str, file: PathLike | None) -> str | None:
    if file is None:
        return None
    name = os.fspath(file) if isinstance(file, str | os.PathLike) else None
    if not isinstance(name, str):
        raise UsageError(f"{argument} is a file name, not {file!r}")
    return name


def _claimed(records: PathLike, what: TournamentSetup, *, force: bool) -> Path:
    """The folder for the records of a tournament."""
    from referee.tournament.playing.records import claim_folder

    folder = _folder(records)
    claim_folder(folder, [what], force=force, hint=f"{_FORCE}, which removes them")
    return folder


def _folder(records: PathLike) -> Path:
    path = Path(_file_name("records", records) or "")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise cannot_write(str(path), error) from error
    return path


@contextmanager
def _our_errors() -> Iterator[None]:
    """Raise an error of a match as one of our errors, and Ctrl-C without a group.

    The error of a bot has its cause, which is of interest, and none of the referee's own frames.
    """
    try:
        with raising_ours():
            yield
    except BotError as error:
        raise error.with_traceback(None) from error.__cause__
    except BaseExceptionGroup as group:  # Ctrl-C in a nursery
        if group.subgroup(KeyboardInterrupt) is not None:
            raise KeyboardInterrupt from None
        raise
