"""Play batches on a Dask cluster (spec/cluster.md)."""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal
from msgspec.structs import replace

from referee._version import __version__
from referee.errors import UsageError
from referee.tournament.playing.batch import Batch, Failed
from referee.tournament.playing.directories import Packed
from referee.tournament.playing.on_worker import end_processes, play_there, receive

T = TypeVar("T")
CONNECT_SECONDS = 5.0
# We ask for the list of workers this often, because people may add workers during the tournament.
LOOK_SECONDS = 1.0
# If the scheduler doesn't answer for this many seconds, we consider it lost.
_LOST_SECONDS = 10.0
_END_SECONDS = 5.0
# We give up if the scheduler is lost this many times, and has not returned a batch in between.
MAX_LOSSES = 3


class Cluster:
    """A Dask cluster that plays batches.

    Args:
        directories: the folders to upload, by the `directory` of the bots that need them. If a bot
            has any other folder, the workers ignore the folder when they look for the bot.
        say: shows a message to the user, e.g. a hint to start a worker.

    Attributes:
        threads: total number of threads that the workers have now, i.e. how many batches they can
            play in parallel. It's 1 as long as there is no worker, so that the first worker gets a
            batch immediately.
    """

    def __init__(
        self, address: str, directories: Mapping[str, Packed], say: Callable[[str], None]
    ) -> None:
        self.threads = 1
        self._address = address
        self._directories = directories
        self._say = say
        self._losses: list[BaseException] = []  # since the last batch that came back

    @contextmanager
    def workers(self) -> Iterator[Executor]:
        """Connect to the cluster, and provide an executor that calls a function with a `Batch`.

        Futures of the executor raise `BrokenExecutor` if the cluster has lost the batch, and
        `UsageError` if a worker can't play it. Entering the context raises `UsageError` if the
        cluster doesn't respond.
        """
        with start_blocking_portal() as portal:
            if len(self._losses) >= MAX_LOSSES:
                problem = _one_line(self._losses[-1])
                raise UsageError(f"the Dask scheduler at {self._address} is lost: {problem}")
            executor = _ClusterExecutor(portal, self._directories, self._losses)
            portal.call(executor.connect, self._address)
            watch = portal.start_task_soon(self._watch, executor)
            try:
                yield executor
            finally:
                watch.cancel()
                portal.call(executor.close)

    async def _watch(self, executor: _ClusterExecutor) -> None:
        waiting = False
        while True:
            try:
                threads = await asyncio.wait_for(executor.threads(), _LOST_SECONDS)
            except Exception as error:  # Dask raises all kinds of things
                executor.lose(error)
                return
            if not threads and not waiting:
                self._say(
                    f"no worker at {self._address}: waiting for one "
                    f"(`dask worker {self._address} --nthreads 1 --nworkers N` starts N)"
                )
            waiting = not threads
            self.threads = max(1, threads)
            await asyncio.sleep(LOOK_SECONDS)


class _ClusterExecutor(Executor):
    """Runs batches on the workers, and uploads the folders that their machines don't have yet."""

    def __init__(
        self,
        portal: BlockingPortal,
        directories: Mapping[str, Packed],
        losses: list[BaseException],
    ) -> None:
        self._losses = losses
        self._portal = portal  # runs all coroutines of this class in a single other thread
        self._client: Any = None
        self._digests = {name: packed.digest for name, packed in directories.items()}
        self._packed = {packed.digest: packed for packed in directories.values()}
        self._calls: set[asyncio.Task[Any]] = set()
        self._uploads: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._is_lost = False

    async def connect(self, address: str) -> None:
        """Connect to the scheduler. Raises the same errors as `Cluster.workers`."""
        try:
            from distributed import Client
        except ImportError as error:
            problem = "--cluster needs Dask: run pip install '.[cluster]' in a clone of the referee"
            raise UsageError(problem) from error
        for name in ("distributed", "distributed.client"):  # we report these errors ourselves
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = Client(
                address, asynchronous=True, timeout=CONNECT_SECONDS, set_as_default=False
            )
            # Dask's own timeout only covers the connection, but not the first response.
            await asyncio.wait_for(self._client, CONNECT_SECONDS + 1)
        except (Exception, asyncio.CancelledError) as error:  # anything may answer at this address
            this = asyncio.current_task()
            if this is not None and this.cancelling():
                raise
            await self.close()
            is_known = isinstance(error, OSError | ValueError | ImportError | RuntimeError)
            problem = _one_line(error) if is_known else "its answer is not a scheduler's"
            raise UsageError(
                f"no Dask scheduler at {address}: {problem} (`dask scheduler` starts one)"
            ) from error

    async def threads(self) -> int:
        # Dask stops to read after an answer that isn't a scheduler's, and says nothing.
        if self._client._handle_report_task.done():
            raise OSError("its answer is not a scheduler's")
        return sum((await self._client.scheduler.ncores()).values())

    def lose(self, error: BaseException) -> None:
        """Cancel all calls, because the scheduler is lost. Call this in the portal's thread."""
        if not self._is_lost:
            self._is_lost = True
            self._losses.append(error)
        self._cancel()

    async def close(self) -> None:
        """Cancel unfinished calls and stop the idle processes of the workers, with their bots."""
        self._cancel()
        if self._client is None:
            return
        # If this fails, the workers stop their idle processes themselves after `IDLE_SECONDS`.
        with suppress(Exception):
            if not self._is_lost and self._client.status == "running":
                await asyncio.wait_for(self._client.run(end_processes), _END_SECONDS)
        with suppress(Exception):
            await asyncio.wait_for(self._client.close(), _END_SECONDS)

    def _cancel(self) -> None:
        for call in self._calls - {asyncio.current_task()}:
            call.cancel()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call `fn(batch)` on a worker. No other arguments are supported."""
        batch: Batch = args[0].with_directories(lambda name: self._digests.get(name, ""))
        # The worker may be on a machine that doesn't have the files of the game.
        batch = batch.with_game_code()
        digests = sorted({entrant.directory for entrant in batch.entrants.values()} - {""})
        work = pickle.dumps((fn, batch))
        return self._portal.start_task_soon(self._play, work, digests)

    async def _play(self, work: bytes, digests: list[str]) -> Any:
        from distributed import KilledWorker

        if self._is_lost:
            raise BrokenExecutor("the scheduler is lost")
        this = asyncio.current_task()
        assert this is not None
        self._calls.add(this)
        try:
            answer = await self._answer(work, digests)
            self._losses.clear()
            return answer
        except UsageError:
            raise
        except ImportError as error:
            raise UsageError(
                f"a worker cannot play: {error}; install version {__version__} of the referee on "
                "every machine"
            ) from error
        except (Exception, asyncio.CancelledError) as error:
            is_killed = isinstance(error, KilledWorker | EOFError | OSError)
            if not is_killed and not this.cancelling():
                self.lose(error)  # Dask also cancels its calls if the connection is closed
            raise BrokenExecutor(f"a batch was lost: {_one_line(error)}") from error
        finally:
            self._calls.discard(this)

    async def _answer(self, work: bytes, digests: list[str]) -> Any:
        while True:
            call = pickle.dumps(_Call(__version__, work, digests))
            # pure=False, because Dask would otherwise recognise a call that it has made before, and
            # return the old result.
            future = self._client.submit(pickle.loads, call, pure=False)
            kind, machine, worker, value = await future
            if kind == "version":
                raise UsageError(
                    f"the worker {worker} on {machine} has version {value} of the referee, and "
                    f"this is {__version__}: install the same there"
                )
            if kind == "done":
                rows = pickle.loads(value)
                is_told = isinstance(rows, Failed) and rows.kind in ("bot", "game", "usage")
                return replace(rows, text=f"on {machine}: {rows.text}") if is_told else rows
            for digest in value:
                await self._send(digest, machine, worker)

    async def _send(self, digest: str, machine: str, worker: str) -> None:
        # Several batches may need the same folder at the same time. It can be large, so all of them
        # wait for the same upload. The shield makes sure that the upload continues even if one
        # batch is cancelled.
        key = digest, machine
        if key not in self._uploads:
            self._uploads[key] = asyncio.ensure_future(self._upload(digest, machine, worker))
            self._uploads[key].add_done_callback(lambda _: self._uploads.pop(key))
        await asyncio.shield(self._uploads[key])

    async def _upload(self, digest: str, machine: str, worker: str) -> None:
        answers = await self._client.run(receive, self._packed[digest], workers=[worker])
        if problem := answers[worker]:
            raise UsageError(f"on {machine}: {problem}")


class _Call:
    """Unpickling this object calls `play_there`.

    Dask itself only calls `pickle.loads`. Otherwise the scheduler would have to import this
    package, and a worker that doesn't have it would be restarted over and over.
    """

    def __init__(self, *arguments: object) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return play_there, self._arguments


def _one_line(error: BaseException) -> str:
    missing = "no answer" if isinstance(error, TimeoutError) else type(error).__name__
    return (str(error).strip() or missing).splitlines()[0]
