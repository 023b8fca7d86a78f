"""Change one line of the product at a time, and show which changes no test notices.

    python -m tools.mutants referee/match/machine.py          ten changes in a file or folder
    python -m tools.mutants --base main                       in the lines changed since a commit
    python -m tools.mutants referee/logs/files.py:120-160 --count 50

Each change ("mutant") is made in a copy of the repository, and the tests that reach its line run
there. If none of them fails, the line needs a test, or it isn't needed. Which tests reach a line is
read from `build/reached`, which takes a run of all tests; `--again` makes it again.

A changed referee may delete any file that it can, and one of these changes removed /dev/null. So
run this as an ordinary user, or where nothing is lost.

We weighed mutmut and cosmic-ray. mutmut 3 replaces functions by trampolines in the test process, so
it misses bots and commands in processes of their own, and it runs by its own way of starting
pytest. cosmic-ray keeps a database of all mutants of a package and runs one command for each, which
would be the whole suite.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from coverage.numbits import numbits_to_nums

ROOT = Path(__file__).parents[1]
REACHED = ROOT / "build" / "reached"
SECONDS = 300
"""A change that makes the tests run longer than this is found: it made a loop endless."""

PAIRS: tuple[tuple[type, type], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot)),
    *((ast.In, ast.NotIn), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.Break, ast.Continue)),
)
SWAPPED = {ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, **dict(PAIRS), **{b: a for a, b in PAIRS}}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}
NOT_CHANGED = ("annotation", "returns")


class Mutant(NamedTuple):
    """A change of a file: the place of the change among all changes of the file, and its words."""

    file: str
    line: int
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class Change(NamedTuple):
    """Put `new` in place of `old`, a child of `parent`."""

    parent: ast.AST
    field: str
    index: int | None
    old: ast.AST
    new: ast.AST

    def carry_out(self) -> None:
        if self.index is None:
            setattr(self.parent, self.field, self.new)
        else:
            getattr(self.parent, self.field)[self.index] = self.new


def instead(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that can stand in place of a node."""
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                ops = [*node.ops[:index], SWAPPED[type(operator)](), *node.ops[index + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)
        case ast.BoolOp():  # leave out each part
            for index in range(len(node.values)):
                rest = [*node.values[:index], *node.values[index + 1 :]]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp() if type(node.op) in SWAPPED:
            yield ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1)
        case ast.Name(ctx=ast.Load()) if node.id in NAMES:
            yield ast.Name(NAMES[node.id], node.ctx)
        case ast.Break() | ast.Continue():
            yield SWAPPED[type(node)]()
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise() | ast.AugAssign():
            yield ast.Pass()
        case ast.Return(value=None):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()


def changes(node: ast.AST) -> Iterator[Change]:
    """Yield all changes of a tree, in a fixed order."""
    for field, value in ast.iter_fields(node):
        if field in NOT_CHANGED:
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, ast.Assert):
                continue
            place = index if isinstance(value, list) else None
            new = [*instead(child)]
            if field == "test" and not isinstance(node, ast.Assert):  # of if, while and `x if y`
                new.append(ast.Constant(True))
                if not isinstance(node, ast.While):
                    new.append(ast.Constant(False))
            for each in new:
                yield Change(node, field, place, child, each)
            yield from changes(child)


def mutants(file: Path) -> Iterator[Mutant]:
    for number, change in enumerate(changes(ast.parse(file.read_bytes()))):
        old, new = (" ".join(ast.unparse(node).split()) for node in (change.old, change.new))
        line: int = getattr(change.old, "lineno", 0)
        yield Mutant(file.relative_to(ROOT).as_posix(), line, number, f"{old[:90]}  ->  {new[:90]}")


def changed(source: bytes, mutant: Mutant) -> bytes:
    tree = ast.parse(source)
    next(islice(changes(tree), mutant.number, None)).carry_out()
    return ast.unparse(ast.fix_missing_locations(tree)).encode()


# --- Which tests reach a line ---------------------------------------------------------------------

CONFIGURATION = """[run]
branch = false
source = referee
data_file = {data}
"""


def make_reached() -> None:
    """Run all tests, and note which lines each of them reaches."""
    REACHED.parent.mkdir(exist_ok=True)
    configuration = REACHED.with_name("coverage.ini")  # "reached.*" would be deleted as data
    configuration.write_text(CONFIGURATION.format(data=REACHED))
    words = ["--cov=referee", "--cov-context=test", f"--cov-config={configuration}"]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *words, "--cov-report="], cwd=ROOT, check=False
    )


class Reached:
    """The tests by the lines that they reach."""

    def __init__(self) -> None:
        database = sqlite3.connect(REACHED)
        tests = {  # a context is a test and its phase
            number: context.partition("|")[0]
            for number, context in database.execute("SELECT id, context FROM context")
        }
        self._size: dict[str, int] = defaultdict(int)
        self._lines: dict[str, list[tuple[str, set[int]]]] = defaultdict(list)
        files = {
            number: path[path.rindex("/referee/") + 1 :]
            for number, path in database.execute("SELECT id, path FROM file")
        }
        for file, context, bits in database.execute(
            "SELECT file_id, context_id, numbits FROM line_bits"
        ):
            if test := tests[context]:
                lines = set(numbits_to_nums(bits))
                self._size[test] += len(lines)
                self._lines[files[file]].append((test, lines))

    def tests(self, mutant: Mutant, most: int) -> list[str]:
        """Return the tests that reach a line, those that reach few other lines first."""
        found = {test for test, lines in self._lines[mutant.file] if mutant.line in lines}
        return sorted(found, key=lambda test: self._size[test])[:most]


# --- Try a mutant ---------------------------------------------------------------------------------


def copy_of_the_repository(folder: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


class Trial(NamedTuple):
    """What the tests make of a mutant.

    Attributes:
        tests: how many ran at most.
        failed: the first test that failed, "no end", or None if no test noticed the change.
    """

    mutant: Mutant
    tests: int
    failed: str | None


def try_out(mutant: Mutant, tests: list[str], folder: Path) -> Trial:
    """Run tests in a copy of the repository with the change."""
    file = folder / mutant.file
    source = file.read_bytes()
    before = file.stat().st_mtime
    file.write_bytes(changed(source, mutant))
    # Byte code is told apart by the size of the file and the second of its last change.
    changed_at = before + 1 + mutant.number
    os.utime(file, (changed_at, changed_at))
    (folder / "tests.txt").write_text("\n".join(dict.fromkeys(map(runnable, tests))))
    try:
        failed = run(folder)
    finally:
        file.write_bytes(source)
        os.utime(file, (before, before))
    return Trial(mutant, len(tests), failed)


def runnable(test: str) -> str:
    """Return an id that pytest finds. If it has a path or odd characters, all cases run."""
    function, _, case = test.partition("[")
    return test if re.fullmatch(r"[\w.:\[\]-]*", case, re.ASCII) else function


def run(folder: Path) -> str | None:
    words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "@tests.txt"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return "no end"
    if process.returncode in (0, 5):
        return None
    if process.returncode == 4:
        raise RuntimeError(f"pytest did not run the tests: {printed}")
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", printed, re.M)
    return failed[0] if failed else printed.strip().rpartition("\n")[2]


def all_tests() -> set[str]:
    words = ["--collect-only", "-q", "-n", "0"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=ROOT, capture_output=True, text=True
    )
    return set(done.stdout.splitlines())


# --- The command ----------------------------------------------------------------------------------


def places(arguments: list[str], base: str | None) -> dict[Path, set[int] | None]:
    """Return the files to change, each with its lines. None stands for all lines."""
    found: dict[Path, set[int] | None] = {}
    for argument in arguments:
        name, _, lines = argument.partition(":")
        path = (ROOT / name).resolve()
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            first, _, last = lines.partition("-")
            found[file] = {*range(int(first), int(last or first) + 1)} if lines else None
    if base is not None:
        words = ["git", "diff", "-U0", base, "--", "referee"]
        difference = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
        file: Path | None = None
        for line in difference.stdout.splitlines():
            if line.startswith("+++ "):
                file = ROOT / line[6:] if line.endswith(".py") else None
            elif file and (hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
                lines_of = found.setdefault(file, set())
                assert lines_of is not None
                lines_of |= {*range(int(hunk[1]), int(hunk[1]) + int(hunk[2] or 1))}
    return found


def chosen(where: dict[Path, set[int] | None], count: int, seed: int) -> list[Mutant]:
    found = [
        mutant
        for file, lines in where.items()
        for mutant in mutants(file)
        if lines is None or mutant.line in lines
    ]
    return sorted(random.Random(seed).sample(found, min(count, len(found))))


def try_all(wanted: Iterable[tuple[Mutant, list[str]]], jobs: int) -> Iterator[Trial]:
    with tempfile.TemporaryDirectory() as temporary:
        folders: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            folder = Path(temporary, str(number))
            folder.mkdir()
            folders.put(copy_of_the_repository(folder))

        def one(job: tuple[Mutant, list[str]]) -> Trial:
            folder = folders.get()
            try:
                return try_out(*job, folder)
            finally:
                folders.put(folder)

        with ThreadPoolExecutor(jobs) as executor:
            yield from executor.map(one, wanted)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("places", nargs="*", help="files, folders, or FILE:FIRST-LAST")
    parser.add_argument("--base", help="change the lines that differ from this commit")
    parser.add_argument("--count", type=int, default=10, help="how many changes (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--most", type=int, default=300, help="most tests for each change")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="find anew which tests reach a line")
    parser.add_argument("--list", action="store_true", help="only list the changes")
    options = parser.parse_args()
    try:
        wanted = chosen(places(options.places, options.base), options.count, options.seed)
    except OSError as error:
        parser.error(f"cannot read {error.filename}: {error.strerror}")
    except (SyntaxError, ValueError) as error:
        parser.error(f"{' '.join(options.places)}: no Python code, or no line numbers: {error}")
    except subprocess.CalledProcessError as error:  # git has said why
        parser.error(f"cannot compare with {options.base}: exit code {error.returncode} of git")
    if not wanted:
        parser.error("no line to change: name files or folders with Python code, or a --base")
    if options.list:
        print(*wanted, sep="\n")
        return 0
    if options.again or not REACHED.exists():
        make_reached()
    reached, existing = Reached(), all_tests()
    jobs = [
        (mutant, [test for test in reached.tests(mutant, options.most) if test in existing])
        for mutant in wanted
    ]
    missed = 0
    for trial in try_all(jobs, options.jobs):
        missed += trial.failed is None
        result = f"MISSED by {trial.tests} tests" if trial.failed is None else "found"
        print(f"{result:8}  {trial.mutant}\n          {trial.failed or ''}", flush=True)
    print(f"{len(jobs) - missed} of {len(jobs)} changes found")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
