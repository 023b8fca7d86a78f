"""Interrupt a tournament in every way and continue it. Its store must get the same rows.

    python -m tools.attacks.kills [--kills 50] [--interrupts 10] [--deals 2000] [--seed S]
                                  [--killer 30]

The command gets SIGKILL, and later Ctrl-C, at random moments while it's running: some of them are
chosen by time since its start, some by the number of stored matches. After each signal we run the
same command again. Then we try a full disk, a store or folder that's read-only, two runs with one
store, and workers that are killed. Meanwhile `standings` and `export` keep reading the store.

After a signal there mustn't be any process of the run, no lock, and no file except the store (with
`-wal` and `-shm` if it was SIGKILL). At the end, the rows must equal the rows of a run that wasn't
interrupted, except for times. Bots run in a sandbox if there is one. We also interrupt two fields
of bots with SIGKILL, SIGTERM and Ctrl-C in turn, with and without a Dask cluster. In the first, a
bot kills the worker processes. In the second, a bot fails in every match, and is withdrawn. Prints
a line for each kind, and exits with 1 if there was a problem.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import fcntl
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from referee import cli
from referee.bots.processes.orphans import children, descendants
from referee.errors import UsageError
from referee.tournament.store import Store
from tests.support.dask_cluster import DaskCluster
from tests.support.live import end_left_behind, hostile, limit_files, marked
from tests.support.made_up import contents
from tests.support.remains import cgroups_of

BOTS = ("minimal", "big_money", "again=big_money", "smithy_big_money")
KILLER = f"killer={hostile('signal_referee', f'3:{int(signal.SIGKILL)}')}"
FAILING = f"failing={hostile('exit_at', '4')}"
# Fields of bots. The key says what's wrong with one of its bots.
FIELDS = {"kills": (KILLER, *BOTS[:3]), "is withdrawn": (*BOTS[:2], FAILING, *BOTS[2:])}
FIELD_DEALS = 50
# On a busy machine, it may take this many seconds until killed processes are gone.
GONE_SECONDS = 10.0
WAIT_SECONDS = 900.0
# We send signals at most this late. By then, some matches are stored.
LATEST_SECONDS = 4.0
_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE = 1


class Tournament:
    """A tournament that we interrupt: its command, and the store that it writes.

    Attributes:
        folder: contains only the store.
        store: the file of the store.
        problems: the problems so far.
    """

    def __init__(
        self, folder: Path, deals: int, *bots: str, cluster: str = "", sandbox: str = "auto"
    ) -> None:
        folder.mkdir()
        self.folder = folder
        self.store = folder / "night.sqlite"
        self.problems: list[str] = []
        self._words = ["tournament", *(bots or BOTS), "--store", str(self.store), "--seed", "7"]
        self._words += ["--deals", str(deals), "--jobs", "2", "--quiet", "--sandbox", sandbox]
        self._words += ["--cluster", cluster] if cluster else []
        self._run = f"REFEREE_ATTACK={uuid.uuid4()}"

    def start(self, **options: Any) -> subprocess.Popen[str]:
        """Start the command in its own process group, like a shell in a terminal does.

        A signal to the group reaches the workers too, which is what happens when somebody presses
        Ctrl-C.
        """
        return subprocess.Popen(
            [sys.executable, "-m", "referee", *self._words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
            env=os.environ | marked(self._run),
            **options,
        )

    def stored(self) -> int:
        try:
            with Store.for_reading(str(self.store)) as store:
                return store.count()[0]
        except UsageError:  # there's no store yet
            return 0

    def await_matches(self, count: int, run: subprocess.Popen[str]) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while self.stored() < count and run.poll() is None and time.monotonic() < until:
            time.sleep(0.02)

    def finish(self, code: int = 0) -> None:
        self.expect(self.start(), code)
        self.check_left(cut_off=False)

    def expect(self, run: subprocess.Popen[str], code: int, says: str = "") -> None:
        # An error must be a single line.
        _, said = run.communicate(timeout=WAIT_SECONDS)
        self.check(run.returncode == code, f"exit {run.returncode}, not {code}: {said}")
        self.check(says in said, f"said {said!r}")
        if code == 2:
            self.check(said.count("\n") == 1, f"said {said!r}")

    def check(self, holds: bool, problem: str) -> None:
        if not holds:
            self.problems.append(problem)

    def check_left(self, *, cut_off: bool) -> None:
        processes = end_left_behind(GONE_SECONDS if cut_off else 0.5, self._run)
        self.check(not processes, f"left behind: {processes}")
        allowed = {self.store.name}
        if cut_off:
            allowed |= {f"{self.store.name}-wal", f"{self.store.name}-shm"}
        files = {path.name for path in self.folder.iterdir()} - allowed
        self.check(not files, f"left behind: {files}")
        if self.store.exists():
            with self.store.open("r+b") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    self.problems.append("it is locked")

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        with Store.for_reading(str(self.store)) as store:
            return contents(store)


def cut_off(game: Tournament, number: int, chance: random.Random) -> bool:
    """Send a signal to a run at a random moment. Return True if it was still running."""
    before = game.stored()
    run = game.start()
    if chance.random() < 0.5:
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(chance.random() * LATEST_SECONDS)
    else:
        game.await_matches(before + chance.randrange(1, 25), run)
    was_running = run.poll() is None
    referees = descendants(run.pid)
    if number == signal.SIGKILL:
        run.kill()  # only the parent; the other processes have to notice
        run.communicate(timeout=WAIT_SECONDS)
        game.check_left(cut_off=True)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, number)
        _, said = run.communicate(timeout=WAIT_SECONDS)
        said = re.sub(".* is (out|withdrawn): it .*\n", "", said)
        # In its first and last moments it has no handlers for signals, so a signal just ends it.
        has_handlers = run.returncode != -number or bool(said)
        if run.returncode not in (0, 1) and has_handlers:
            game.check(run.returncode == 128 + number, f"exit {run.returncode}: {said}")
            # In its last moments there's nothing left to continue.
            game.check(
                "\nreferee: continue with: referee tournament " in "\n" + said or not said, said
            )
        game.check_left(cut_off=not has_handlers)
        if has_handlers:
            game.check(not cgroups_of(referees), "its control groups are left")
    after = game.stored()
    game.check(after >= before, f"{before} matches were stored, and {after} are left")
    return was_running


@contextlib.contextmanager
def reading(game: Tournament) -> Iterator[Callable[[], str]]:
    """Context manager: read the store repeatedly. Yields a function that describes the reads."""
    reader = subprocess.Popen(
        [sys.executable, __file__, "--read", str(game.store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    said: list[str] = []
    try:
        yield lambda: said[0]
    finally:
        out, _ = reader.communicate("")
        said.append(out.strip())
        game.check(reader.returncode == 0, f"reading: {out}")


def read(store: str) -> int:
    """Run commands that read a store, until stdin ends. Return 1 if there was a problem."""
    import select

    times = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        for command in (["standings", "--format", "json"], ["export", "--format", "jsonl"]):
            out, error = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
                code = cli.main([*command, store])
            if code == 2 and any(
                text in error.getvalue() for text in ("no such file", "no tournament has begun")
            ):
                continue  # it isn't there yet
            problem = error.getvalue() or wrong(out.getvalue())
            if code or problem:
                print(f"{command[0]}: exit {code}, {problem}")
                return 1
            times += 1
    print(f"read {times} times")
    return 0


def wrong(text: str) -> str:
    """Return what's wrong with JSON from `export` or `standings`, or "" if nothing is."""
    lines = [json.loads(line) for line in text.splitlines()]
    if len(lines) == 1 and "bots" in lines[0]:
        found = lines[0]
        counts = {
            found["matches"],
            found["statistics"]["matches"],
            sum(bot["matches"] for bot in found["bots"]) // 2,
            round(sum(bot["points"] for bot in found["bots"])),
        }
        return "" if len(counts) == 1 else f"it counts {counts}"
    numbers = [line["match"] for line in lines]
    return "" if numbers == sorted(set(numbers)) else "rows are not in order"


# --- The machine ----------------------------------------------------------------------------------


def full_disk(game: Tournament) -> None:
    first = game.start()
    game.await_matches(10, first)
    first.kill()
    first.communicate()
    size = max(path.stat().st_size for path in game.folder.iterdir()) + 8192
    small = partial(limit_files, size)
    game.expect(game.start(preexec_fn=small), 2, f"cannot write {game.store}: ")
    game.check_left(cut_off=True)
    game.check(game.stored() >= 10, "what was stored before is gone")
    game.finish()


def full_file_system(game: Tournament) -> None:
    """Put the store on a file system that's too small for it, and enlarge that later."""

    def mount(size: int, how: str) -> None:
        words = ["mount", "-t", "tmpfs", "-o", f"{how}size={size}k", "tmpfs", str(game.folder)]
        subprocess.run(words, check=True, capture_output=True)

    try:
        mount(120, "")
    except (OSError, subprocess.CalledProcessError):
        print("  (left out: mounting a file system needs root)")
        game.finish()
        return
    try:
        game.expect(game.start(), 2, f"cannot write {game.store}: ")
        game.check_left(cut_off=True)
        game.stored()  # it must still be readable
        mount(100_000, "remount,")
        game.finish()
        rows = game.rows()
    finally:
        subprocess.run(["umount", str(game.folder)], check=True)
    game.rows = lambda: rows  # type: ignore[method-assign]


def obey_permissions() -> None:
    """Drop the capabilities that let root ignore file permissions.

    With them, nothing is read-only for us.
    """
    ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0)


def read_only(game: Tournament) -> None:
    """Make the store read-only, then its folder."""
    run = game.start()
    game.await_matches(5, run)
    os.killpg(run.pid, signal.SIGINT)
    run.communicate()
    before = game.stored()
    game.store.chmod(0o444)
    game.expect(game.start(preexec_fn=obey_permissions), 2, f"cannot write {game.store}: ")
    game.store.chmod(0o644)
    game.folder.chmod(0o555)
    game.expect(game.start(preexec_fn=obey_permissions), 2, f"cannot use {game.store} as a store")
    words = [sys.executable, "-m", "referee", "standings", str(game.store), "--format", "json"]
    shown = subprocess.run(words, capture_output=True, text=True, preexec_fn=obey_permissions)
    game.check(shown.returncode == 0, f"standings: {shown.stderr}")
    game.check(json.loads(shown.stdout or "{}").get("matches") == before, "standings differ")
    game.folder.chmod(0o755)
    game.check_left(cut_off=False)
    game.finish()


def two_at_once(game: Tournament) -> None:
    # While the first run exists, a second one must be refused.
    first = game.start()
    game.await_matches(1, first)
    first.send_signal(signal.SIGSTOP)  # otherwise it might finish before we've tried
    for _ in range(3):
        game.expect(game.start(), 2, f"another run is writing {game.store}")
    first.send_signal(signal.SIGCONT)
    game.expect(first, 0)
    game.check_left(cut_off=False)


def killed_workers(game: Tournament) -> None:
    """Kill or stop a worker process. This may take time, but mustn't change any result."""
    run = game.start()
    for count, how in ((2, signal.SIGKILL), (30, signal.SIGSTOP), (60, signal.SIGKILL)):
        game.await_matches(count, run)
        for pid in children(run.pid):
            with contextlib.suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, how)
                    break
    game.expect(run, 0)
    game.check_left(cut_off=False)


# --- Main program ---------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--interrupts", type=int, default=10)
    parser.add_argument("--killer", type=int, default=30)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--read", metavar="STORE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        return read(options.read)
    problems = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = Tournament(folder / "whole", options.deals)
        whole.finish()
        expected = whole.rows()
        problems += len(whole.problems)
        print(f"without interruption: {len(expected['matches'])} matches {whole.problems}")

        def report(game: Tournament, what: str, like: Any) -> None:
            nonlocal problems
            game.check(game.rows() == like, "the rows differ")
            problems += len(game.problems)
            print(f"{what}: {'; '.join(game.problems) or 'the same rows'}", flush=True)

        for number, times in ((signal.SIGKILL, options.kills), (signal.SIGINT, options.interrupts)):
            game = Tournament(folder / number.name, options.deals)
            chance = random.Random(f"{options.seed} {number}")
            with reading(game) as times_read:
                running = sum(cut_off(game, number, chance) for _ in range(times))
            stored = game.stored()
            game.finish()
            what = f"{times} times {number.name}, {running} of them in a run, {stored} matches then"
            report(game, f"{what}; {times_read()}", expected)
        for does, field in FIELDS.items():
            alone = Tournament(folder / does, FIELD_DEALS, *field, sandbox="none")
            alone.finish(1)
            expected = alone.rows()
            problems += len(alone.problems)
            void = sum(match["void"] for match in expected["matches"])
            counts = f"{len(expected['matches'])} matches, {void} void"
            print(f"with a bot that {does}: {counts} {alone.problems}", flush=True)
            with DaskCluster(2) as cluster:
                for where, address in (("cores", ""), ("a cluster", cluster.address)):
                    chance = random.Random(f"{options.seed} {where}")
                    game = Tournament(
                        folder / f"{does} on {where}",
                        FIELD_DEALS,
                        *field,
                        cluster=address,
                        sandbox="none",
                    )
                    running = 0
                    for time_of_it in range(options.killer):
                        signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
                        running += cut_off(game, signals[time_of_it % 3], chance)
                    stored = game.stored()
                    game.finish(1)
                    what = f"{options.killer} times, {running} of them in a run"
                    what += f", {stored} matches then"
                    report(game, f"with a bot that {does}, on {where}: {what}", expected)
        small = Tournament(folder / "small", 10)
        small.finish()
        for attack in (full_disk, full_file_system, read_only, two_at_once, killed_workers):
            game = Tournament(folder / attack.__name__, 10)
            attack(game)
            report(game, attack.__name__.replace("_", " "), small.rows())
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
