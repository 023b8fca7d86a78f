"""Plays the matches of a tournament in worker processes, a batch at a time."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from concurrent.futures.thread import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from functools import cache, partial
from itertools import islice
from typing import Any

from msgspec.structs import replace

from referee.bots.command import BotSource, PythonBot, find_bot_file
from referee.bots.digest import files_digest
from referee.bots.stand_in import leaver, stand_in
from referee.errors import BotNotFoundError, ShortageError
from referee.games.interface.faults import Disqualification
from referee.match.spec import drawn_seed
from referee.tournament.playing.batch import BATCH_SECONDS, Batch, Failed
from referee.tournament.playing.late_replies import LateReplies, late_bots
from referee.tournament.playing.sent_game import sent_game
from referee.tournament.playing.task import play_batch
from referee.tournament.rows import (
    WORKER_KILLED,
    Entrant,
    MatchRow,
    Plan,
    SeatRow,
    unplayed_row,
)
from referee.tournament.schedule.format import TournamentSetup

MAX_BATCH = 1_000
# We choose a batch among the next matches: this many for each of its matches, but at least so many.
AHEAD = 4
MIN_AHEAD = 24
# We play a match alone up to this many times. If its worker dies each time, the match is void.
MAX_DEATHS = 3
# If every bot of a match kills its worker, we try up to this many other bots before we blame the
# machine.
MAX_OTHERS = 3
LOOKS_A_SECOND = 10
LOOK_SECONDS = 1 / LOOKS_A_SECOND
# A bot that wasn't ready in time is started again, alone, after each of these pauses in seconds. In
# three starts, a bot survives a machine that starts no program for a minute.
START_PAUSES = (5, 20, 60)
# A bot that is ready when it's alone, and late again in its matches, is at fault after this many
# times.
MAX_STALLS = 5
# If this many matches wait for such bots, we start the bots before we play any more matches.
MAX_HELD = 1_000
# When we test whether a bot kills its worker, this bot takes the other seats. It gives the simplest
# reply to each request.
STAND_IN = -1
# When we test whether a bot starts, this bot takes the other seats. It leaves in the handshake.
LEAVER = -2
_OWN = {STAND_IN: Entrant("stand-in", "stand-in"), LEAVER: Entrant("leaver", "leaver")}
_NEW = {STAND_IN: stand_in, LEAVER: leaver}
_KILLS = "it kills the process that plays it, also when no other bot plays"


class Dispatcher:
    """Plays matches of a tournament. Use it as a context manager to start and stop the workers.

    Args:
        workers: returns a context manager that starts an executor. If a worker dies, we call this
            again to get a new executor.
        jobs: returns the number of batches to play in parallel, which may change at any time.
        sources: bot programs that you've already found, by bot number.
        hidden, recorded: fields of `Sandbox`.
        wanted: other fields for every `Batch` that `play` makes, e.g. `keep`.

    Attributes:
        out: the numbers of the bots whose matches are not played. We add bots that kill their
            worker.
        is_stopping: if True, no further matches are started.
        on_not_ready: called with the bots that weren't ready in time, before we start them again.
        on_stall: called with bots that were late at the same time, before we play their matches
            again.
    """

    def __init__(
        self,
        workers: Callable[[], AbstractContextManager[Executor]],
        jobs: Callable[[], int],
        *,
        sources: Mapping[int, BotSource] | None = None,
        hidden: tuple[str, ...] = (),
        recorded: bool = False,
        **wanted: Any,
    ) -> None:
        self._workers = workers
        self._jobs = jobs
        self._sources = dict(sources or {})
        self._hidden = hidden
        self._recorded = recorded
        self._wanted = wanted
        self._seconds: float | None = None  # moving average of the time of a match
        self._next: list[Plan] = []  # the next matches, also those left over from other batches
        self._deadly: Plan | None = None  # the first match that lost its worker in every attempt
        self._waiting: set[int] = set()  # bots that weren't ready in time
        self._hanging: set[int] = set()  # bots that were started again and still weren't
        self._ready: int | None = None  # a bot that was ready in the check
        self._stalls: Counter[int] = Counter()  # how often each bot was started again
        # Matches that wait for bots in `_waiting`, each with its result if it was played.
        self._held: list[tuple[Plan, MatchRow | None]] = []
        self._slow: set[int] = set()  # bots that were late again when their match was played alone
        self.out: set[int] = set()
        self.is_stopping = False
        self.on_not_ready: Callable[[Sequence[int]], None] = lambda bots: None
        self.on_stall: Callable[[Sequence[int]], None] = lambda bots: None

    def __enter__(self) -> Dispatcher:
        self._run = secrets.token_hex()
        self._context = ExitStack()
        self._executor = self._context.enter_context(self._workers())
        return self

    def __exit__(self, *exc_info: object) -> None:
        if isinstance(self._executor, ThreadPoolExecutor):  # it isn't a process that ends
            from referee.tournament.playing.worker import end_bots

            self._executor.submit(end_bots).result()
        self._context.__exit__(*exc_info)  # type: ignore[arg-type]

    def play(
        self, setup: TournamentSetup, plans: Iterator[Plan], *, tournament: str = ""
    ) -> Iterator[list[MatchRow]]:
        """Play matches, except matches of bots in `out`.

        If a worker dies, one of its bots may have killed it, but we don't know which. All matches
        in flight are then played again, one at a time. If a match loses its worker in every
        attempt, we play all matches before it, so that the bots to blame don't depend on the order
        in which matches were in flight. Then the match is void. To find the culprit, each of its
        bots plays the match against stand-ins, and we add a bot to `out` if the worker still dies.

        If a bot isn't ready in time, that may be the machine's fault. Nothing of the match is known
        yet, so the bot gains nothing from a second start. Its matches wait until no other match is
        left to play. Then we start the bot again, alone (`START_PAUSES`). If it's ready in time
        once, its matches are played, and otherwise they end as they did before.

        Args:
            tournament: the digest that records have in `Place.tournament`.

        Yields:
            The rows of each finished batch. Batches finish in any order. From time to time we yield
            an empty list, so that the caller can update its display.

        Raises:
            UsageError: a bot is missing.
            ShortageError: the system lacks resources, or kills the workers whichever bots play.
            InternalError: the referee has a bug.
        """
        self._begin(setup, tournament=tournament, **self._wanted)
        yield from self._play(plans)

    def stop(self) -> None:
        """Start no further matches. `play` still waits for the matches in flight."""
        self.is_stopping = True

    def check(self, setup: TournamentSetup, bots: Iterable[int]) -> Iterator[dict[int, SeatRow]]:
        """Start each of these bots once, and complete its handshake. Rule files are skipped.

        There's no need to play whole matches, so the bot's opponents all leave in the handshake,
        which ends the match (protocol, 3.5). If a bot supports `keep_alive`, its process is kept
        for its first match.

        Yields:
            Dictionaries that map bot numbers to the results of their starts, in any order. In a
            result, `disqualified` is set if the bot failed to start. Some dictionaries are empty:
            we yield these from time to time, so that the caller can update its display.
        """
        self._begin(setup, is_check=True)
        for rows in self._play(self._start(bot) for bot in bots if bot not in self._sources):
            seats = {row.seats[0].bot: row.seats[0] for row in rows}
            ready = [bot for bot, seat in seats.items() if seat.disqualified is None]
            self._ready = next(iter(ready), self._ready)
            yield seats
        self._seconds = None  # starting bots says nothing about how long a match takes

    def _begin(self, setup: TournamentSetup, *, is_check: bool = False, **wanted: Any) -> None:
        self._read_files(setup)
        self._bots = setup.bots
        self._players = setup.players
        self._is_check = is_check
        self._ready = None
        spec = setup.spec([""] * setup.players, hidden=self._hidden)
        sandbox = spec.sandbox._replace(recorded=self._recorded)
        opening = 0 if is_check else spec.opening
        self._empty = Batch(
            spec=replace(spec, sandbox=sandbox, opening=opening),
            entrants={},
            plans=(),
            keep_alive=setup.keep_alive,
            matches_a_deal=setup.matches_a_deal,
            game=sent_game(setup.game),
            answers=setup.position.answers if setup.position else (),
            **wanted,
        )

    def _play(self, plans: Iterator[Plan]) -> Iterator[list[MatchRow]]:
        self._waiting, self._held, self._next = set(), [], []
        self._deadly = None
        self._late = LateReplies(cache(self._program_of))
        while True:
            for rows in self._play_batches(plans):
                yield [row for row in rows if self._is_over(row)]
            # If a worker has died, there may be some left.
            if rows := [*self._late.take_over(())]:
                yield [row for row in rows if self._is_over(row)]
            if self.is_stopping:
                return
            if self._late.stalled:
                yield from self._play_stalled()
            elif self._waiting:
                yield from self._start_again()
            else:
                return

    def _program_of(self, bot: int) -> Hashable:
        entrant = self._bots[bot]
        digest = files_digest(entrant.bot, self._empty.spec.game, entrant.directory)
        return digest or (entrant.bot, entrant.directory)

    def _is_over(self, row: MatchRow) -> bool:
        """Whether a match has ended. If not, it waits for a bot that wasn't ready in time."""
        late = _not_ready(row) - self._hanging
        if late:
            self._waiting |= late
            plan = Plan(row.match, row.deal, row.seed, row.players)
            self._held.append((plan, row))
        return not late

    def _play_batches(self, plans: Iterator[Plan]) -> Iterator[list[MatchRow]]:
        in_play: dict[Future[list[MatchRow] | Failed], Batch] = {}
        while True:
            given_out: list[Plan] = []
            try:
                is_going_on = not (self.is_stopping or self._late.stalled)
                while is_going_on and len(in_play) < self._jobs():
                    batch = self._next_batch(plans, in_play.values())
                    if batch is None:
                        break
                    try:
                        in_play[self._executor.submit(play_batch, batch)] = batch
                    except BrokenExecutor:
                        given_out += batch.plans  # nothing else would remember these matches
                        raise
                if not in_play:
                    if self._deadly is None or self._waiting or not is_going_on:
                        return
                    yield from self._judge(self._deadly)
                    continue
                finished, _ = wait(in_play, LOOK_SECONDS, FIRST_COMPLETED)
                if not finished:
                    yield []
                for future in [future for future in in_play if future in finished]:
                    rows = self._played(future, in_play[future])
                    # The worker may have run out of time before it got to the end of its batch.
                    self._next += in_play.pop(future).plans[len(rows) :]
                    mean = sum(row.seconds for row in rows) / len(rows)
                    # The clock may report that a match took no time at all, and `_next_batch`
                    # divides by this number.
                    self._seconds = max(1e-4, 0.7 * (self._seconds or mean) + 0.3 * mean)
                    yield self._undoubted(rows, in_play)
                continue
            except BrokenExecutor as error:
                self._restart(error)
            given_out += [plan for batch in in_play.values() for plan in batch.plans]
            in_play.clear()
            # We don't know who killed the worker, so from now on we play one match at a time.
            yield from self._play_each_alone(given_out)

    def _play_each_alone(self, plans: list[Plan]) -> Iterator[list[MatchRow]]:
        while plans:
            plan = plans.pop(0)
            if self.out.isdisjoint(plan.players):
                row = yield from self._play_alone(plan)
                if row is None:
                    self._next += [*plans, *([self._deadly] if self._deadly else [])]
                    self._deadly = plan
                    return
                yield [row]

    def _judge(self, plan: Plan) -> Iterator[list[MatchRow]]:
        """Find the bots that kill the worker in a match. All matches before it have been played."""
        self._deadly = None
        if self.out.isdisjoint(plan.players):
            killers = yield from self._killers(plan)
            self.out |= killers
            yield [unplayed_row(plan, killers, WORKER_KILLED, _KILLS)]

    def _undoubted(self, rows: Iterable[MatchRow], in_play: Collection[object]) -> list[MatchRow]:
        """Return the matches that are over, now that these have ended."""
        over = []
        for row in rows:
            bots = late_bots([row])
            is_at_fault = any(bot in self._slow or self._stalls[bot] >= MAX_STALLS for bot in bots)
            is_doubtful = bool(bots) and not is_at_fault
            starting = {late.bot for late in row.late_replies}
            # A bot that hangs at every start says nothing about the machine.
            if is_doubtful or (not bots and starting - self._hanging):
                self._late.add(row, [*in_play])
            if not is_doubtful:
                over.append(row)
        return [*over, *self._late.take_over(in_play)]

    def _play_stalled(self) -> Iterator[list[MatchRow]]:
        """Play the matches again in which bots were late at the same time. Nothing else is in play.

        If a bot is late again, the machine may still stand still. So there's a pause, and another
        try. If a bot is late each time, it's at fault, now and in later matches.

        Yields:
            The rows of these matches.
        """
        stalled, self._late.stalled = self._late.stalled, []
        bots = sorted(late_bots(stalled))
        self._stalls.update(bots)
        self.on_stall(bots)
        for before in stalled:
            plan = Plan(before.match, before.deal, before.seed, before.players)
            if not self.out.isdisjoint(plan.players):
                continue
            for pause in (0, *START_PAUSES):
                yield from self._pause(pause)
                if self.is_stopping:
                    return
                row = yield from self._play_alone(plan)
                if row is None or not late_bots([row]) - self._slow:
                    break
            else:
                assert row is not None
                self._slow |= late_bots([row])
            if row is None:  # its worker was killed, which is looked into with the other matches
                self._next.append(plan)
                continue
            row.late += 1
            if self._is_over(row):
                yield [row]

    def _pause(self, seconds: int) -> Iterator[list[MatchRow]]:
        for _ in range(seconds * LOOKS_A_SECOND):
            if self.is_stopping:
                return
            time.sleep(1 / LOOKS_A_SECOND)
            yield []

    def _start_again(self) -> Iterator[list[MatchRow]]:
        """Start the bots that weren't ready in time. Afterwards, no match waits any more.

        No other match may be in play.

        In the check, somebody may wait for the answer. So if another bot is ready when it's started
        again, the machine works, and there is only one more start.

        Yields:
            Rows of matches that were played, of bots that still aren't ready in time.
        """
        bots = sorted(self._waiting)
        self._stalls.update(bots)
        self.on_not_ready(bots)
        is_last = False
        for pause in START_PAUSES:
            if not bots or is_last:
                break
            is_last = self._ready is not None and (yield from self._is_ready(self._ready))
            yield from self._pause(pause)
            for bot in tuple(bots):
                if self.is_stopping:
                    return
                if (yield from self._is_ready(bot)):
                    bots.remove(bot)
        self._hanging.update(bots)
        self._hanging.update(bot for bot, times in self._stalls.items() if times >= MAX_STALLS)
        held, self._waiting, self._held = self._held, set(), []
        for plan, row in held:
            if row is not None and _not_ready(row) <= self._hanging:
                yield [row]
            else:
                self._next.append(plan)

    def _start(self, bot: int) -> Plan:
        return Plan(0, 0, drawn_seed(), (bot, *(LEAVER,) * (self._players - 1)))

    def _is_ready(self, bot: int) -> Generator[list[MatchRow], None, bool]:
        row = yield from self._play_alone(self._start(bot), is_start=True)
        # If the bot has killed the worker, its matches will show that.
        return row is None or not _not_ready(row)

    def _play_alone(
        self, plan: Plan, *, is_start: bool = False
    ) -> Generator[list[MatchRow], None, MatchRow | None]:
        batch = replace(self._batch([plan]), alone=True)
        if is_start:  # of a new process; all other bots leave, and nobody wants the result
            spec = replace(batch.spec, opening=0)
            batch = replace(batch, spec=spec, keep_alive=False, keep="none", tournament="", live="")
        for _ in range(MAX_DEATHS):
            try:
                future = self._executor.submit(play_batch, batch)
                while not wait([future], LOOK_SECONDS).done:
                    yield []
                (row,) = self._played(future, batch)
            except BrokenExecutor as error:
                self._restart(error)
            else:
                return row
        return None

    def _killers(self, plan: Plan) -> Generator[list[MatchRow], None, set[int]]:
        killers, players = set(), {*plan.players} - {LEAVER}
        for bot in sorted(players):
            if (yield from self._kills(plan, bot)):
                # If each bot kills its worker, it's unlikely that all of them are guilty. We try
                # some bots of other matches. If their workers die as well, the machine is the
                # cause, e.g. because it has too little memory.
                killers.add(bot)
        if killers == players:
            spared = {*range(len(self._bots))} - killers - self.out
            for bot in islice(sorted(spared), MAX_OTHERS):
                if not (yield from self._kills(plan, bot)):
                    break
            else:
                raise ShortageError("processes that play matches are killed in every match")
        return killers

    def _kills(self, plan: Plan, bot: int) -> Generator[list[MatchRow], None, bool]:
        # There's no stand-in for a game that doesn't define a simplest reply, so the bot has to
        # play against itself.
        other = bot if self._empty.spec.definition.simplest_reply is None else STAND_IN
        players = [other] * len(plan.players)
        players[plan.players.index(bot) if bot in plan.players else 0] = bot
        return (yield from self._play_alone(replace(plan, players=tuple(players)))) is None

    def _restart(self, error: BrokenExecutor) -> None:
        self.__exit__(type(error), error, error.__traceback__)
        self.__enter__()

    def _next_batch(self, plans: Iterator[Plan], in_play: Collection[Batch]) -> Batch | None:
        # The first batches have a single match, because we don't know yet how long one takes.
        size = 1
        if self._seconds is not None and not self._is_check:
            size = min(MAX_BATCH, max(1, round(BATCH_SECONDS / self._seconds)))
        # In the order of the schedule, because a bot is withdrawn by consecutive matches.
        self._next = sorted(filter(self._can_play, self._next), key=lambda plan: plan.match)
        ahead = min(max(MIN_AHEAD, AHEAD * size), MAX_HELD - len(self._held))
        while len(self._next) < ahead:
            plan = next(plans, None)
            if plan is None:
                break
            if self._can_play(plan):
                self._next.append(plan)
        later: list[Plan] = []
        if self._deadly is not None:
            later = [plan for plan in self._next if plan.match >= self._deadly.match]
            del self._next[len(self._next) - len(later) :]
        chosen = self._choose(size, [batch.entrants.keys() for batch in in_play])
        self._next += later
        return self._batch(chosen) if chosen else None

    def _can_play(self, plan: Plan) -> bool:
        if not self._waiting.isdisjoint(plan.players):
            self._held.append((plan, None))
            return False
        return self.out.isdisjoint(plan.players)

    def _choose(self, size: int, in_play: Sequence[Set[int]]) -> list[Plan]:
        """Take the next matches, in the order of the schedule.

        If two batches in play have no bot in common, their bots can be witnesses for each other
        that the machine stands still (`LateReplies`). So we look for a partner of a batch that has
        none yet, and leave half of the bots for the partner of this one.

        Args:
            in_play: the bots of each batch in play.
        """
        others: list[Plan] = []
        chosen: list[Plan] = []
        bots: set[int] = set()
        alone = [each for each in in_play if not any(map(each.isdisjoint, in_play))]
        has_partners = self._jobs() > 1 and len(self._bots) >= 2 * self._players
        for plan in self._next if has_partners else ():
            together = bots.union(plan.players)
            is_apart = not alone or alone[0].isdisjoint(plan.players)
            if is_apart and 2 * len(together) <= len(self._bots) and len(chosen) < size:
                bots = together
                chosen.append(plan)
            else:
                others.append(plan)
        if not chosen:
            chosen, others = self._next[:size], self._next[size:]
        self._next = others
        return chosen

    def _read_files(self, setup: TournamentSetup) -> None:
        # We read these files only once for all matches. Workers on other machines may not even have
        # them.
        for number, new in _NEW.items():
            own = PythonBot(_OWN[number].bot, partial(new, setup.game))
            self._sources.setdefault(number, own)
        for number, entrant in enumerate(setup.bots):
            if number not in self._sources and number not in self.out:
                file = find_bot_file(entrant.bot, setup.game, entrant.directory)
                if file is not None:
                    self._sources[number] = file

    def _batch(self, plans: Sequence[Plan]) -> Batch:
        numbers = sorted({number for plan in plans for number in plan.players})
        return replace(
            self._empty,
            entrants={n: _OWN.get(n) or self._bots[n] for n in numbers},
            plans=tuple(plans),
            sources={n: self._sources[n] for n in numbers if n in self._sources},
            run=self._run,
        )

    def _played(self, future: Future[list[MatchRow] | Failed], batch: Batch) -> list[MatchRow]:
        rows = future.result()
        if not isinstance(rows, Failed):
            return rows
        error = rows.as_error()
        # During a check, a bot that doesn't exist is just another bot that could not start.
        if not (self._is_check and isinstance(error, BotNotFoundError)):
            raise error
        (plan,) = batch.plans
        return [unplayed_row(plan, plan.players[:1], Disqualification.FAILED_TO_START, str(error))]


def _not_ready(row: MatchRow) -> set[int]:
    """Return the bots that weren't ready in time."""
    return {seat.bot for seat in row.seats if seat.disqualified == Disqualification.STARTUP_TIMEOUT}
