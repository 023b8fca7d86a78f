"""Plays matches from a Python program (spec/python.md)."""

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
from msgspec import UNSET, Struct

from referee.bots.command import PythonBot, are_objects, new_objects
from referee.bots.from_python import BotLike, bot_sources, bundled_here
from referee.bots.processes.orphans import no_orphans
from referee.bots.processes.sandbox import resolve
from referee.course import Course, Played, RecordedReply
from referee.errors import BotError, GameError, UsageError, cannot_write, raising_ours
from referee.games import DEFAULT_GAME, find_game
from referee.match.limits import LIMITS
from referee.match.machine import Redeal
from referee.match.position import Position
from referee.match.result import MatchResult, PlayerResult
from referee.match.sandbox import CHOICES, Sandbox
from referee.match.spec import MatchSpec, checked_seed, match_spec
from referee.match_plan import MatchFiles, MatchPlan, settled_spec
from referee.objects import play_objects

if TYPE_CHECKING:
    from referee.logs.record import Header
    from referee.tournament.choices import Keep
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.tournament.report.standings import Share
    from referee.tournament.rows import MatchRow, Plan
    from referee.tournament.schedule.format import TournamentSetup

T = TypeVar("T")
PathLike: TypeAlias = str | os.PathLike[str]
# How a caller can overwrite an existing file, for error messages.
_FORCE = "pass force=True"


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

    This blocks until the match is over. If your program uses asyncio, call it in a thread: `await
    asyncio.to_thread(play_match, ...)`. (For trio, there's `play_match_async`.)

    At the end we kill all processes that the bots have left behind. If another thread of your
    program starts a process in a new session during the match, we can't tell the difference, so
    that process is killed as well.

    Args:
        bots: in seat order: strings as for `referee play`, paths, lists of words, functions,
            classes and objects (spec/python.md, 2).
        seed: 0 <= seed < 2**53, or None to choose one at random.
        options: options and limits that differ from the defaults, by name: {"max_turns": 4,
            "time_limit": 2.5}.
        log: file name of the spectator log.
        record: file name of the match record.
        record_stderr: if True, the record includes the stderr of the bots.
        game: a key of `GAMES`, or the file, folder or installed name of your own game, whose code
            is executed.
        sandbox: sandbox of bot processes (spec/sandbox.md): "none", "bwrap", or "auto" for the
            strongest on this machine. In a sandbox, other default limits apply.
        force: if True, `log` and `record` may replace files that the referee did not write.

    Raises:
        UsageError: wrong number of bots, an invalid seed or option, an unusable bot or file, an
            existing file of somebody else, or an unavailable sandbox.
        BotError: a bot that is a Python object raised an exception. You find it in the `__cause__`.
        GameError: the code of your own game has a mistake, so the match is void.
        LogWriteError: a log could not be written, so the match was stopped.
        ShortageError: the system is short of processes, memory or file descriptors.
        InternalError: the referee has a bug.
        KeyboardInterrupt: the user pressed Ctrl-C. The bots have ended by then.

    Warns: RuntimeWarning: a log was changed or removed during the match; the referee restored it.
    """
    _check_not_async()
    place = _sandbox(sandbox, log, record)
    plan = _settled(bots, game, seed, options, place)
    plan = _with_files(plan, log, record, record_stderr, force=force)
    with _files(plan) as files, plan.launched() as started:
        if are_objects(plan.sources):
            objects = new_objects(plan.sources)
            course = Course(plan.spec, objects, files.log, files.record, diagnose=True)
            played = play_objects(course)
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
    game: str = DEFAULT_GAME,
    sandbox: str = "none",
    force: bool = False,
) -> MatchResult:
    """Continue a recorded match (spec/positions.md).

    The bots get all earlier requests again, because that's the only way for them to learn what
    happened in the match so far. Their replies to these requests are ignored, and the replies in
    the record are used instead.

    Args:
        source: file name of the match record.
        bots: as for `play_match`, one per player. We never start the bots that the record names,
            because the record may come from a stranger.
        turn: the first turn to play, counting the turns of all players. If this is None, we
            continue a truncated record after its last line.
        seed: if given, we shuffle everything that no player knows at `turn` again, and later random
            numbers also come from this seed. By default, we keep the record's seed.
        options: options that differ from the options of the record.
        log, record, record_stderr, sandbox, force: as for `play_match`.
        game: only for a record of your own game: its file, folder or installed name.

    Raises:
        The same errors as `play_match`. Also `UsageError` if the match has no such turn, and
        `LogReadError` if the file is not a match record.
    """
    _check_not_async()
    if seed is not None and turn is None:
        raise UsageError("seed goes with turn, from which the rest is dealt again")
    place = _sandbox(sandbox, source, log, record)
    find_game(game)  # loads a game of your own, so that we can read its record
    plan = _resumed(source, bots, turn, seed, options, game, place)
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
    game: str,
    sandbox: Sandbox,
) -> MatchPlan:
    from referee.logs.conversation import answers_before

    name = _file_name("source", source) or ""
    resumed = answers_before(name, turn if turn is None else _count("turn", turn))
    header = resumed.header
    redeals = tuple(header.redeals or ())
    if turn is not None and seed is not None:
        position = resumed.position(name, turn)
        redeals = (*position.redeals, Redeal(turn, checked_seed(seed)))
    plan = _settled(bots, _game_of(header, game, "record"), header.seed, options, sandbox)
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
        limits_of_bots=resumed.limits_of_bots,
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
    """Play one match under trio. Takes the arguments of `play_match`.

    If you cancel this, the bots are stopped.
    """
    place = _sandbox(sandbox, log, record)
    plan = _settled(bots, game, seed, options, place)
    plan = _with_files(plan, log, record, record_stderr, force=force)
    with _files(plan) as files, plan.launched() as started:
        played = await plan.play(started, files)
    return _shown(plan.spec, played)


def _shown(spec: MatchSpec, played: Played) -> MatchResult:
    """Make notebooks display the match instead of the `repr` of the result."""
    if played.answers:
        players = played.result.players
        said = [None if p.stderr is None else "\n".join(p.stderr.lines) for p in players]
        played.result.show_by(partial(_player, spec, played.answers, said))
    return played.result


def _player(
    spec: MatchSpec, answers: Sequence[RecordedReply], stderr: Sequence[str | None], text: str
) -> str:
    from referee.web.notebook import player  # slow to import

    return player(spec, answers, stderr, text)


def _with_files(
    plan: MatchPlan,
    log: PathLike | None,
    record: PathLike | None,
    record_stderr: bool,
    *,
    force: bool,
) -> MatchPlan:
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
    """Open a match's files for a `with` block, and complete them at its end.

    Warns if a file was changed or removed while the match ran.
    """
    with plan.opened(_FORCE) as files, _our_errors():
        files.begin()
        yield files
        problems, lost = files.finish()
        if lost is not None:
            raise lost
    for problem in problems:
        # The warning should show the line that calls play_match().
        warnings.warn(problem, RuntimeWarning, stacklevel=4)


# --- many matches ---------------------------------------------------------------------------------


class Matches(Struct, frozen=True):
    """The results of many matches between the same bots.

    `results`, `seats` and `messages` have one entry per match, in order, without void matches. The
    other lists have one entry per bot, in the given order.

    Attributes:
        bots: the BOT arguments.
        seed: the seed of the series.
        results: the result of each match.
        seats: for each match, the index of the bot in each seat.
        wins: matches that the bot won alone.
        draws: matches in which the bot shared the first rank.
        losses: all other matches.
        void: number of matches that don't count. A match is void if the machine was too busy (more
            than once), or if a bot killed the process that played the match. Such a bot is
            excluded, so its remaining matches are void, too.
        messages: for each match, a number that's equal for matches with the same messages.
    """

    bots: list[str]
    seed: int
    results: list[MatchResult]
    seats: list[tuple[int, ...]]
    wins: list[int]
    draws: list[int]
    losses: list[int]
    void: int
    messages: list[int] = []

    def players(self, bot: int) -> list[PlayerResult]:
        """Return the result of a bot in each match that counts.

        Args:
            bot: index of the bot in `bots`.
        """
        return [
            result.players[seats.index(bot)]
            for result, seats in zip(self.results, self.seats, strict=True)
        ]

    def points(self) -> list[Share]:
        """Return each bot's share of the points, from 0 to 1, with its 95% interval.

        In each match, a bot gets the fraction of its opponents that it has beaten, where a tie
        counts half. Matches with the same deal depend on each other, so we compute the interval
        from deals and not from matches.
        """
        from referee.tournament.rating.tallies import tally_of
        from referee.tournament.report.standings import Share

        deals = [(result.seed, [p.rank for p in result.players]) for result in self.results]
        rates = tally_of(len(self.bots), self.seats, deals, self.messages).point_rate
        each = zip(rates.share, rates.low, rates.high, strict=True)
        return [Share(float(p), max(0.0, float(a)), min(1.0, float(b))) for p, a, b in each]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per seat of each match, e.g. for a data frame (spec/python.md, 3).

        All rows have the same keys in the same order. Values are numbers, strings, bools or None.
        """
        rows = [
            _row(number, result, seat, bot)
            for number, (result, seats) in enumerate(zip(self.results, self.seats, strict=True))
            for seat, bot in enumerate(seats)
        ]
        columns = list(dict.fromkeys(column for row in rows for column in row))
        return [{column: row.get(column, 0) for column in columns} for row in rows]

    def _repr_html_(self) -> str:
        from referee.web.notebook import table  # slow to import

        deals = [(result.seed, [p.rank for p in result.players]) for result in self.results]
        return table(self.bots, self.seats, deals, self.messages, repr(self))

    def __repr__(self) -> str:
        """Show only the totals, because the results would fill pages."""
        counts = zip(self.bots, self.wins, self.draws, self.losses, strict=True)
        sums = "; ".join(f"{bot} won {w}, drew {d}, lost {lost}" for bot, w, d, lost in counts)
        return f"<Matches: {len(self.results)} played, {self.void} void, seed {self.seed}; {sums}>"


_AS_THEY_ARE = ("bot", "name", "score", "turns", "rank", "disqualified")


def _row(match: int, result: MatchResult, seat: int, bot: int) -> dict[str, Any]:
    """Return one row of `Matches.rows`.

    If a value is a dict of counts, such as the number of cards by name, each key gets a column.
    """
    from referee.tournament.rows import points_of

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
        "won": result.winners == [player.player_number],
        "points": points_of([other.rank for other in result.players])[seat],
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
    opening: int = 0,
) -> Matches:
    """Play many matches between the same bots.

    These are the same matches as in a `referee tournament` where every match has all the bots. Each
    deal is played once for each rotation of the seats, with the same seed, so that luck cancels
    out.

    If all bots are names of bundled bots, they run in this process, which is several times as fast.
    We start them as processes if you use `records`, `jobs`, `sandbox`, `keep_alive=False`, or a
    limit in `options`.

    Args:
        bots: as for `play_match`. An object plays all matches, while a class is instantiated for
            each match.
        n: number of matches.
        seed: seed of the series, or None to choose one at random.
        options, game, sandbox: as for `play_match`.
        records: a folder for compressed match records and the stderr of the bots. A folder can only
            be used for a single series, with the same bots, settings and seed.
        record_stderr: as for `play_match`. Requires `records`.
        jobs: number of matches that are played at the same time. If it's more than 1, each of them
            runs in a process of its own. Must be 1 if a bot is a Python object, because objects
            exist only in this process.
        keep_alive: if True, bot processes may play several matches.
        force: if True, records of another series in the folder may be removed.
        position: (file name of a match record, turn). All matches start there, and each deal
            shuffles again what no player knows at that point. The record determines the game and
            its options; give `game` for a record of your own game.
        opening: draw the first replies of each deal at random, so that bots meet in different
            matches even in a game without luck. This is the number of replies or, where all move
            together, of rounds, at most 1,000.

    Raises:
        The same errors as `play_match` and `resume`. Also `UsageError` if the folder belongs to
            another series.
    """
    _check_not_async()
    n, jobs = _count("n", n), _count("jobs", jobs)
    if record_stderr and records is None:
        raise UsageError("record_stderr goes with records, the folder for the match records")
    plan, start = _many(bots, game, options, sandbox, records, position)
    _check_jobs(jobs, plan)
    if jobs == 1 and keep_alive and records is None and sandbox == "none":
        plan = _without_processes(plan, bots, options or {})
    opening = opening and _count("opening", opening)
    what, plans = _all_plans(
        plan, n, seed, keep_alive=keep_alive, position=start or UNSET, opening=opening or UNSET
    )
    folder = None if records is None else _claimed(records, what, force=force)
    dispatcher = _dispatcher(plan, jobs, "all" if folder else "none", record_stderr=record_stderr)
    return _counted(what, _play_all(dispatcher, what, plans, folder))


def _dispatcher(plan: MatchPlan, jobs: int, keep: Keep, *, record_stderr: bool) -> Dispatcher:
    # These are slow to import, and a single match doesn't need them.
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.workers import worker_processes

    return Dispatcher(
        _this_process if jobs == 1 else partial(worker_processes, jobs, pin=True),
        lambda: jobs,
        keep=keep,
        record_stderr=record_stderr,
        results=True,
        sources=dict(enumerate(plan.sources)),
        hidden=plan.spec.sandbox.hidden,
    )


def _without_processes(
    plan: MatchPlan, bots: Sequence[BotLike], options: Mapping[str, Any]
) -> MatchPlan:
    # Limits can't be enforced in our own process, so we only play bundled bots here, and only if
    # the caller hasn't asked for limits.
    here = [bundled_here(bot, plan.spec.game) for bot in bots]
    if None in here or not LIMITS.keys().isdisjoint(options):
        return plan
    return plan._replace(sources=[bot for bot in here if bot is not None])


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
    """Create the plan that all matches of a series share, and read `position` if there is one.

    The plan's own seed isn't used.
    """
    if position is None:
        return _settled(bots, game, 0, options, _sandbox(sandbox, records)), None
    from referee.logs.record import spec_of

    find_game(game)  # loads a game of your own, so that we can read its record
    header, start = _position(position)
    options = {**msgspec.structs.asdict(spec_of(header).options), **(options or {})}
    place = _sandbox(sandbox, records, position[0])
    return _settled(bots, _game_of(header, game, "position"), 0, options, place), start


def _position(position: tuple[PathLike, int]) -> tuple[Header, Position]:
    from referee.logs.conversation import position_at

    if not isinstance(position, tuple) or len(position) != 2:
        text = 'position is the name of a match record and a turn, such as ("game.jsonl", 12)'
        raise UsageError(f"{text}, not {position!r}")
    return position_at(_file_name("position", position[0]) or "", _count("turn", position[1]))


def _game_of(header: Header, game: str, what: str) -> str:
    """Return the game to play: the game in the header, or `game` if it isn't the default.

    Raises `UsageError` if these are different games.
    """
    if game == DEFAULT_GAME:
        return header.game
    if find_game(game) != header.game:
        raise UsageError(f"game is {game!r}, and the {what} is of {header.game}")
    return game


def _play_all(
    dispatcher: Dispatcher, what: TournamentSetup, plans: Sequence[Plan], folder: Path | None
) -> list[MatchRow | None]:
    """Play matches and return one row per plan, or None in its place if a match wasn't played."""
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
    plan: MatchPlan, n: int, seed: int | None, **chosen: Any
) -> tuple[TournamentSetup, list[Plan]]:
    """Describe the series as a tournament, and return it with the plans of `n` matches.

    Args:
        chosen: fields of `TournamentSetup`.
    """
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
        settings=spec.by_name,
        sandbox=spec.sandbox.kind,
        **chosen,
    )
    line_ups = round_robin(seats, seats, total=what.total_deals, seed=what.seed)
    stage = Stage(what, 0, 0, line_ups)
    return what, [*islice(chain.from_iterable(map(stage.plans, range(len(line_ups)))), n)]


@contextmanager
def _this_process() -> Iterator[Executor]:
    # There's nothing to wait for, because a batch runs as soon as it's submitted.
    from referee.tournament.playing.worker import Worker

    class Immediate(Executor):
        def submit(self, fn: object, /, *batch: Any, **_: Any) -> Future[Any]:
            future: Future[Any] = Future()
            # Exceptions aren't stored in the future, because an exception ends the whole series.
            future.set_result(worker.play(*batch))
            return future

    with no_orphans(), _our_errors():
        worker = Worker()
        try:
            yield Immediate()
            worker.end()
        finally:
            worker.kill()


def _counted(what: TournamentSetup, rows: Sequence[MatchRow | None]) -> Matches:
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
        messages=[row.messages for row in counting],
    )


# --- helpers --------------------------------------------------------------------------------------


def _check_not_async() -> None:
    if trio.lowlevel.in_trio_run():
        raise UsageError(
            "this is an async program of trio: await play_match_async, or call this in a thread "
            "(trio.to_thread.run_sync)"
        )


def _sandbox(choice: str, *files: PathLike | None) -> Sandbox:
    # Bots mustn't be able to see these files, for example the record of their own match.
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
    if isinstance(bots, str | bytes) or not isinstance(bots, Sequence):
        raise UsageError(
            f'bots are given as a list, such as ["big_money", "minimal"], not {bots!r}'
        )
    game = find_game(game)
    # Check the settings first. If both a setting and a bot are wrong, the setting is reported.
    match_spec([""] * len(bots), game=game, seed=seed, options=options)
    sources = bot_sources(bots, game)
    spec = settled_spec(sources, game=game, seed=seed, options=options, sandbox=sandbox)
    return MatchPlan(sources, spec)


def _count(argument: str, number: int) -> int:
    try:
        value = index(number)  # any integer type is fine, e.g. NumPy's
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
    """Convert exceptions of a match to this package's errors, and unwrap Ctrl-C from groups.

    A `BotError` keeps its cause without the referee's frames, because the author of the bot only
    wants to see the bot's own code.
    """
    try:
        with raising_ours():
            yield
    except BotError as error:
        raise error.with_traceback(None) from error.__cause__
    except BaseExceptionGroup as group:  # trio wraps Ctrl-C in a group
        if group.subgroup(KeyboardInterrupt) is not None:
            raise KeyboardInterrupt from None
        raise
