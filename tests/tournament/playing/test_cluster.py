"""Play tournaments on a local Dask cluster. Results must be the same as without Dask."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from select import select

import pytest

from referee.bots.processes.orphans import children, descendants
from referee.bots.processes.sandbox import INSTALL
from referee.errors import UsageError
from referee.match.spec import match_spec
from referee.tournament.playing import on_worker
from referee.tournament.playing.batch import Batch
from referee.tournament.playing.cluster import Cluster
from referee.tournament.playing.directories import cache, pack, place
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.run import Run
from referee.tournament.playing.task import play_batch
from referee.tournament.rows import Entrant, MatchRow, Plan
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.workers import worker_processes
from tests.support.dask_cluster import END_SECONDS, DaskCluster
from tests.support.live import ROOT, hostile, referee_process
from tests.support.sandboxed import needs_bwrap
from tests.support.stores import rows

needs_dask = pytest.mark.usefixtures("_dask")


@pytest.fixture(scope="module")
def _dask() -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install -e '.[cluster]'")


@pytest.fixture(scope="module")
def cache_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which workers store the files that we send."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def cluster(cache_home: Path, _dask: None) -> Iterator[DaskCluster]:
    """A cluster with two workers, shared by all tests, because it takes long to start."""
    with DaskCluster(2, XDG_CACHE_HOME=str(cache_home)) as processes:
        yield processes


def store_of(*bots: Entrant, deals: int) -> Store:
    store = Store.in_memory()
    store.add_stage(setup(bots, game="dominion", deals=deals, seed=5))
    return store


MONEY, VILLAGE = Entrant("A", "big_money"), Entrant("B", "village_engine")


@pytest.mark.all_cases
def test_a_process_with_nothing_to_do_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(0, 0, 7, (0, 1))
    batch = Batch(
        match_spec(["", ""], seed=0, options={"max_turns": 2}), {0: MONEY, 1: VILLAGE}, (plan,)
    )
    monkeypatch.setattr(on_worker, "IDLE_SECONDS", 0.0)
    before = children()
    row = pickle.loads(on_worker.Processes().call(pickle.dumps((play_batch, batch))))[0]
    assert row.reason == "turn-limit"
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(END_SECONDS)
    assert children() == before


@needs_dask
@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Dask causes warnings of its own
def test_a_worker_that_is_killed_costs_only_time(cluster: DaskCluster) -> None:
    here = store_of(MONEY, VILLAGE, deals=40)
    with Dispatcher(lambda: worker_processes(1), lambda: 1) as dispatcher:
        Run(here).play(dispatcher)
    there = store_of(MONEY, VILLAGE, deals=40)
    run = Run(there)
    orphaned = []

    def change_workers(rows: Sequence[MatchRow]) -> None:
        first = cluster.workers[0]
        if first.poll() is None and (found := descendants(first.pid)):
            orphaned.extend(map(os.pidfd_open, found))
            first.kill()
            first.wait()
            cluster.add_worker()

    run.on_rows = change_workers
    dask = Cluster(cluster.address, {}, print)
    with Dispatcher(dask.workers, lambda: dask.threads) as dispatcher:
        run.play(dispatcher)
        # Both workers keep bots running between batches, even the one that joined later.
        alive = [descendants(worker.pid) for worker in cluster.workers[1:]]
        assert all(alive)
    assert rows(there) == rows(here)
    assert len(rows(here)["matches"]) == 80
    assert not any(descendants(worker.pid) for worker in cluster.workers[1:])
    assert orphaned
    for process in orphaned:  # they exit on their own, along with their bots
        assert select([process], [], [], END_SECONDS)[0]
        os.close(process)


@needs_dask
@pytest.mark.all_cases
@pytest.mark.filterwarnings("default")  # Dask causes warnings of its own
def test_a_bot_that_kills_the_process_is_out(cluster: DaskCluster) -> None:
    killer = Entrant("K", hostile("signal_referee", f"0:{int(signal.SIGKILL)}"))
    here, there = (store_of(killer, MONEY, VILLAGE, deals=2) for _ in range(2))
    with Dispatcher(lambda: worker_processes(2), lambda: 2) as dispatcher:
        Run(here).play(dispatcher)
    dask = Cluster(cluster.address, {}, print)
    with Dispatcher(dask.workers, lambda: dask.threads) as dispatcher:
        Run(there).play(dispatcher)
    assert rows(there) == rows(here)
    assert there.bots_out() == {0}
    assert there.count() == (2 * 2 + 1, 1)


@needs_dask
@pytest.mark.all_cases
def test_a_directory_travels_and_what_does_not_is_looked_for_there(
    cluster: DaskCluster, cache_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = tmp_path / "bots"
    (bots / "far").mkdir(parents=True)
    (bots / "far" / "names.py").write_text("import os\nNAME = os.getcwd()[-64:]\n")
    text = (ROOT / "example_bots" / "dominion" / "minimal.py").read_text()
    for old, new in (('"Minimal"', "NAME"), ("import json", "import json\nfrom names import NAME")):
        assert old in text
        text = text.replace(old, new)
    (bots / "far" / "bot").write_text(text)
    (bots / "far" / "bot").chmod(0o700)
    config = bots / "cup.toml"
    config.write_text(
        'deals = 3\nseed = 1\n[[bot]]\nname = "far"\ncommand = "./bot"\ndirectory = "far"\n'
        '[[bot]]\nname = "bundled"\ncommand = "big_money"\n'
    )
    command = ("tournament", "--config", str(config), "--cluster", cluster.address)
    store = tmp_path / "store.sqlite"
    played = referee_process(*command, "--store", str(store), "--records", str(tmp_path / "kept"))
    assert played.returncode == 0, played.stderr
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache_home))
    there = place(pack(str(bots / "far")).digest)
    assert list(cache().iterdir()) == [there]
    with Store.for_reading(str(store)) as results:
        names = set(results.select("SELECT calls_itself FROM seats WHERE bot = 0"))
        assert names == {(str(there)[-64:],)}
        assert results.count() == (6, 0)
    assert len(list((tmp_path / "kept").glob("*.record.jsonl.zst"))) == 6

    # Without `directory` we don't send any files, so a worker can't find the bot.
    config.write_text(
        config.read_text().replace('directory = "far"', "").replace("./bot", "far/bot")
    )
    refused = referee_process(*command)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert f"on {os.uname().nodename}: BOT far/bot not found" in refused.stderr


@needs_dask
@pytest.mark.all_cases
def test_workers_of_another_version_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other" / "referee"
    shutil.copytree(ROOT / "referee", other, ignore=shutil.ignore_patterns("__pycache__"))
    (other / "_version.py").write_text('__version__ = "0.0.1"\n')
    with DaskCluster(1, PYTHONPATH=str(other.parent)) as cluster:
        command = ("tournament", "big_money", "minimal", "-q", "--cluster", cluster.address)
        refused = referee_process(*command)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert "has version 0.0.1 of the referee" in refused.stderr


@needs_dask
@needs_bwrap
@pytest.mark.all_cases
def test_a_worker_without_the_sandbox_of_the_tournament_is_refused() -> None:
    """We must never play a bot without the sandbox that the organiser chose (cluster.md, 3)."""
    with DaskCluster(1, PATH="/nonexistent") as cluster:
        command = ("tournament", "big_money", "minimal", "-q", "--cluster", cluster.address)
        refused = referee_process(*command, "--sandbox", "bwrap")
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert refused.stderr.endswith(f": the sandbox bwrap: bwrap is not installed: {INSTALL}\n")


@needs_dask
@pytest.mark.extras
@pytest.mark.parametrize("address", ["nonsense", "http://127.0.0.1:8786"])
def test_a_wrong_address_is_one_line(address: str) -> None:
    refused = referee_process("tournament", "big_money", "minimal", "-q", "--cluster", address)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert refused.stderr.startswith(f"referee: no Dask scheduler at {address}: ")


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    cluster = Cluster("127.0.0.1:8786", {}, print)
    with pytest.raises(UsageError, match=r"pip install .*\[cluster\]"), cluster.workers():
        pass
