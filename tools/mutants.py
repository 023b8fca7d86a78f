"""Change one line of the product at a time, and show which changes no test notices.

    python -m tools.mutants referee/match/machine.py          ten changes in a file or folder
    python -m tools.mutants --base main                       in the lines changed since a commit
    python -m tools.mutants referee/logs/files.py:120-160 --count 50

Each change ("mutant") is made in a copy of the repository, and the tests that reach its line run
there. If none of them fails, the line needs a test, or it isn't needed. Which tests reach a line is
read from `build/reached`, which takes a run of all tests; `--again` makes it again.

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
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from coverage.numbits import numbits_to_nums

ROOT = Path(__file__).parents[1]
REACHED = ROOT / "build" / "reached"
SECONDS = 300
"""A change that makes the tests run longer than this is found: it made a loop endless."""

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
OPERATORS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}


class Mutant(NamedTuple):
    """Replace the bytes from `start` to `end` of a file."""

    file: str
    line: int
    start: int
    end: int
    new: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class Finder(ast.NodeVisitor):
    """Collects the mutants of a module."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file = file
        self.source = source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Mutant] = []

    def span(self, node: ast.AST) -> tuple[int, int]:
        start = self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def add(
        self, node: ast.AST, new: str, start: int | None = None, end: int | None = None
    ) -> None:
        whole = self.span(node)
        start, end = whole[0] if start is None else start, whole[1] if end is None else end
        old = self.source[start:end].decode()
        lines = self.source[:start].count(b"\n") + 1
        shown = self.source.splitlines()[lines - 1].decode().strip()
        text = f"{' '.join(old.split())[:60]} -> {new or 'nothing'}    in: {shown[:80]}"
        self.found.append(Mutant(self.file, lines, start, end, new, text))

    def between(self, left: ast.AST, right: ast.AST, old: str, new: str) -> None:
        start, end = self.span(left)[1], self.span(right)[0]
        words = r"\s+".join(map(re.escape, old.split()))
        place = re.search(words.encode(), self.source[start:end])
        if place:
            self.add(left, new, start + place.start(), start + place.end())

    def source_of(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode()

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self.between(left, right, *COMPARISONS[type(operator)])
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        # Leave out each part in turn.
        for index, part in enumerate(node.values):
            if index:
                self.add(node, "", self.span(node.values[index - 1])[1], self.closed(part))
            else:
                self.add(node, "", self.span(part)[0], self.opened(node.values[1]))
        self.generic_visit(node)

    def closed(self, node: ast.AST) -> int:
        """Where a part of a condition ends, with the brackets around it."""
        start, end = self.span(node)
        before = self.source[:start].rstrip()
        while before.endswith(b"(") and self.source[end:].lstrip().startswith(b")"):
            if before[:-1].rstrip().endswith((b"and", b"or")):
                return end + self.source[end:].index(b")") + 1
            break
        return end

    def opened(self, node: ast.AST) -> int:
        start, _ = self.span(node)
        before = self.source[:start].rstrip()
        if before.endswith(b"(") and before[:-1].rstrip().endswith((b"and", b"or")):
            return len(before) - 1
        return start

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self.add(node, f"bool({self.source_of(node.operand)})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in OPERATORS:
            self.between(node.left, node.right, *OPERATORS[type(node.op)])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add(node, str(not node.value))
        elif isinstance(node.value, int | float):
            self.add(node, repr(node.value + 1))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in NAMES:
            self.add(node, NAMES[node.id])

    def condition(self, node: ast.If | ast.While | ast.IfExp) -> None:
        self.add(node.test, "True")
        if not isinstance(node, ast.While):
            self.add(node.test, "False")
        self.generic_visit(node)

    visit_If = visit_While = visit_IfExp = condition  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if not isinstance(node.value, ast.Yield | ast.YieldFrom):
            self.add(node, "pass")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self.add(node, "pass")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add(node, "pass")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self.add(node, "break")

    def visit_Break(self, node: ast.Break) -> None:
        self.add(node, "continue")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.add(node, "pass")
        self.generic_visit(node)

    # Nothing in these can be tested.
    def visit_Assert(self, node: ast.Assert) -> None: ...

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arguments(self, node: ast.arguments) -> None:
        for default in [*node.defaults, *filter(None, node.kw_defaults)]:
            self.visit(default)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.visit(node.args)
        for statement in node.body:
            self.visit(statement)

    visit_FunctionDef = visit_AsyncFunctionDef = function  # noqa: N815

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Load | ast.Store):
            self.generic_visit(node)


def mutants(file: Path) -> Iterator[Mutant]:
    """Yield all changes of a file that are valid Python."""
    source = file.read_bytes()
    finder = Finder(file.relative_to(ROOT).as_posix(), source)
    finder.visit(ast.parse(source))
    for mutant in dict.fromkeys(finder.found):
        try:
            ast.parse(changed(source, mutant))
        except SyntaxError:
            continue
        yield mutant


def changed(source: bytes, mutant: Mutant) -> bytes:
    return source[: mutant.start] + mutant.new.encode() + source[mutant.end :]


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
        self._contexts = {
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
            test = self._contexts[context]
            if test:
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
    os.utime(file, (before + 60, before + 60))  # byte code is told apart by seconds and size
    (folder / "tests.txt").write_text("\n".join(tests))
    try:
        failed = run(folder)
    finally:
        file.write_bytes(source)
        os.utime(file, (before, before))
    return Trial(mutant, len(tests), failed)


def run(folder: Path) -> str | None:
    words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not all_cases", "@tests.txt"]
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
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", printed, re.M)
    return failed[0] if failed else printed.strip().rpartition("\n")[2]


def all_tests() -> set[str]:
    words = ["--collect-only", "-q", "-n", "0", "-m", "not all_cases"]
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
        lock = threading.local()

        def one(job: tuple[Mutant, list[str]]) -> Trial:
            lock.folder = folders.get()
            try:
                return try_out(*job, lock.folder)
            finally:
                folders.put(lock.folder)

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
    wanted = chosen(places(options.places, options.base), options.count, options.seed)
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
