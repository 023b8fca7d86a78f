"""Run every command with a closed pipe and a full disk: check exit code, message and leftovers.

    python -m tools.attacks.outputs [--only WORD]

Each command that prints gets a pipe whose reader closes it, immediately or after some bytes, and
then a full device. Commands that write files get a limit for the size of files, and a file system
that's too small (if root or a user namespace lets us mount one).

With a closed pipe, a command must exit with 141 and print nothing. If it can't write, it must exit
with 2 and print one line. Logs of a match must be valid up to their last line. No process and no
temporary file may be left. Prints a line for each command, and exits with 1 if there was a problem.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from referee.logs.validate import validate_log
from referee.logs.verify import Kind, verify_record
from tests.support.live import ROOT, end_left_behind, limit_files

EXAMPLES = ROOT / "spec" / "examples"
RECORD, LOG = (str(EXAMPLES / f"four-players.{kind}.jsonl") for kind in ("record", "log"))
PLAY = ("play", "big_money", "minimal", "--seed", "4", "--max-turns", "40")
# Number of bytes after which the reader closes the pipe.
READ = (0, 1, 300, 5000)
# Maximum size of files in bytes.
SIZES = (0, 100, 1000, 4096, 9999)
# KiB.
FILE_SYSTEMS = (4, 16, 64)
# Findings that we allow `validate` to report for a truncated log.
CUT_SHORT = {
    *("a truncated last line", "the end of the log", "the end of the compressed data"),
    "an empty file",  # if not even the first block of the compressed file was complete
}
# Commands that print their progress on stderr.
SPEAKING = ("play", "tournament", "conform")


def printing(folder: Path) -> Iterator[list[str]]:
    """Yield commands that print. Some need files that earlier ones leave in the folder."""
    store = str(folder / "night.sqlite")
    rules = str(ROOT / "example_bots" / "dominion" / "big_money.json")
    tournament = [
        "tournament",
        "big_money",
        "minimal",
        "--deals",
        "2",
        "--seed",
        "1",
        "--jobs",
        "1",
    ]
    referee_run([*tournament, "--store", store], stdout=subprocess.DEVNULL)
    formats = (["--format", "text"], ["--format", "json"])
    yield from ([*PLAY, *form] for form in formats)
    yield [*PLAY, "--log", "-"]
    yield tournament
    yield from (["conform", "minimal", "--case", "3.1", *form] for form in formats)
    yield from (["standings", store, "--format", form] for form in ("text", "json", "html"))
    yield from (["export", store, "--format", form] for form in ("csv", "jsonl"))
    yield from (["replay", RECORD, *form] for form in (*formats, ["--summary"]))
    yield ["replay", RECORD, "--print-input", "player2"]
    yield from (["verify", RECORD, *form] for form in formats)
    yield ["verify", RECORD, "--log", "-"]
    yield from (["validate", LOG, *form] for form in (*formats, ["--format", "junit"]))
    yield ["page", RECORD, "-o", "-"]
    yield from (["rules", *words] for words in (["check", rules], ["keys"]))
    yield from (["bots"], ["bots", "--show", "minimal"], ["explain", "5.2"], ["help", "play"])
    yield from (["completion", "bash"], ["--help"], ["--version"])


def writing(folder: Path) -> Iterator[tuple[list[str], list[str]]]:
    record, log = str(folder / "record"), str(folder / "log")
    yield [*PLAY, "-q", "--record", record, "--log", log], ["record", "log"]
    yield [*PLAY, "-q", "--record", f"{record}.gz", "--log", f"{log}.zst"], ["record.gz", "log.zst"]
    yield ["page", RECORD, "-o", str(folder / "match.html")], []
    yield ["verify", "-q", RECORD, "--log", log], ["log"]
    report = str(folder / "report")
    yield ["conform", "minimal", "--case", "3.1", "-q", "--output", report], []


def referee_run(words: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "referee", *words], check=False, **options)


class Attack:
    """Run commands, and check that no file or process is left.

    Attributes:
        problems: the problems so far.
    """

    def __init__(self, folder: Path) -> None:
        self.problems: list[str] = []
        self._temporary = folder / "tmp"
        self._temporary.mkdir()
        self._run = f"REFEREE_ATTACK={uuid.uuid4()}"
        name, _, value = self._run.partition("=")
        self.environment = {**os.environ, name: value, "TMPDIR": str(self._temporary)}

    def judge(self, what: str, code: int, said: bytes, expected: dict[int, int]) -> None:
        lines = said.count(b"\n")
        if lines != expected.get(code, -1):
            self.problems.append(f"{what}: exit {code}, said {said.decode()[-300:]!r}")
        if left := end_left_behind(0.5, self._run):
            self.problems.append(f"{what}: left behind {left}")
        if files := [*self._temporary.iterdir()]:
            self.problems.append(f"{what}: left behind {files}")
            for file in files:
                file.unlink()

    def without_reader(self, words: list[str], count: int) -> None:
        """Read this number of bytes of a command's output, and close the pipe like `head` does."""
        reading, writing = os.pipe()
        if count == 0:
            os.close(reading)
        with subprocess.Popen(
            [sys.executable, "-m", "referee", *words],
            stdout=writing,
            stderr=subprocess.PIPE,
            env=self.environment,
        ) as process:
            os.close(writing)
            if count:
                os.read(reading, count)
                os.close(reading)
            assert process.stderr is not None
            said = process.stderr.read()
        fits = {0: 0} if count else {}  # everything may fit into the pipe before we close it
        if words[0] in SPEAKING and b"bug" not in said:
            said = b""
        self.judge(f"a reader of {count} bytes", process.returncode, said, {141: 0} | fits)

    def to_full_device(self, words: list[str]) -> None:
        with open("/dev/full", "wb") as full:
            done = referee_run(words, stdout=full, stderr=subprocess.PIPE, env=self.environment)
        # Only the last line; before it come progress and the seed.
        said = b"\n".join(done.stderr.splitlines()[-1:]) + b"\n"
        self.judge("/dev/full", done.returncode, said, {2: 1})

    def limited(self, words: list[str], folder: Path, names: list[str], size: int) -> None:
        done = referee_run(
            words,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=self.environment,
            preexec_fn=partial(limit_files, size),
        )
        self.judge(f"files of {size} bytes", done.returncode, done.stderr, {0: 0, 2: 1})
        self.check_logs(f"files of {size} bytes", folder, names, done.returncode)

    def check_logs(self, what: str, folder: Path, names: list[str], code: int) -> None:
        for name in names:
            file = folder / name
            if not file.exists() or not file.stat().st_size:
                continue
            if "record" in name:
                verdict = verify_record(str(file))
                if verdict.kind is not (Kind.TRUNCATED if code else Kind.VALID):
                    self.problems.append(f"{what}: {verdict.text}")
            else:
                found = {finding.found for finding in validate_log(str(file))}
                if code:  # a truncated last line isn't JSON
                    found = {one for one in found - CUT_SHORT if not one.startswith("not JSON: ")}
                if found:
                    self.problems.append(f"{what}: {found}")
            file.unlink()


def small_file_system(attack: Attack, size: int) -> bool:
    """Play with logs on a file system of `size` KiB. Return False if it cannot be mounted."""
    with tempfile.TemporaryDirectory() as name:
        copied = Path(name, "copied")
        copied.mkdir()
        place = Path(name, "small")
        place.mkdir()
        logs = ["--record", str(place / "record"), "--log", str(place / "log")]
        command = shlex.join([sys.executable, "-m", "referee", *PLAY, "-q", *logs])
        script = f"mount -t tmpfs -o size={size}k tmpfs {place} || exit 99; {command}; code=$?; "
        script += f"cp {place}/* {copied}; exit $code"
        done = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
            stderr=subprocess.PIPE,
            env=attack.environment,
            check=False,
        )
        if done.returncode in (1, 99, 127) and b"referee:" not in done.stderr:
            return False
        what = f"a file system of {size} KiB"
        attack.judge(what, done.returncode, done.stderr, {0: 0, 2: 1})
        attack.check_logs(what, copied, ["record", "log"], done.returncode)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORD", help="commands with this word")
    options = parser.parse_args()
    wrong = 0

    def report(what: str, attack: Attack) -> None:
        nonlocal wrong
        wrong += len(attack.problems)
        print(f"{what}: {'; '.join(attack.problems) or 'right'}", flush=True)
        attack.problems.clear()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        attack = Attack(folder)
        for words in printing(folder):
            if options.only in " ".join(words):
                for count in READ:
                    attack.without_reader(words, count)
                attack.to_full_device(words)
                report(shlex.join(words).replace(f"{ROOT}/", "").replace(name, "DIR"), attack)
        for words, names in writing(folder):
            if options.only in " ".join(words):
                for size in SIZES:
                    attack.limited(words, folder, names, size)
                report(shlex.join(words).replace(f"{ROOT}/", "").replace(name, "DIR"), attack)
        done = [small_file_system(attack, size) for size in FILE_SYSTEMS]
        left_out = "" if all(done) else " (left out: none can be mounted)"
        report(f"logs on file systems of {FILE_SYSTEMS} KiB{left_out}", attack)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
