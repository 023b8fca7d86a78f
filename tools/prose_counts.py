"""Count sentences in docstrings and comments that readers may have to read twice.

    python -m tools.prose_counts [--list] [FOLDER ...]

There are two counts: sentences without a noun ("all that", "as that of"), and sentences with one of
the shapes that the tests look for in pages (tests/support/prose.py). Prints both for each package.
The exit code is 1 if a total without FOLDER exceeds the number in prose_counts.json. Lower these
numbers when you have rewritten sentences.

A count is a hint: it finds shapes, and a sentence without them can still be odd.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.support.prose import odd

ROOT = Path(__file__).parents[1]
LIMITS = Path(__file__).with_suffix(".json")
FOLDERS = tuple(ROOT / name for name in ("referee", "tests/support", "tools"))
NO_NOUN, ODD = "without a noun", "odd shape"
FEWEST_WORDS = 4
WITHOUT_NOUN = re.compile(
    r"""\b(
        all\ that | such\ an?\ one
        | (that | those) \ (of | who | in | which) | as\ (that | those)\ of
        | (the | an?)\ one\ (of | that | which | who)
        | of\ (which | whom) | which\ it
        | what\ (an? | has | is | it | the | they | was)
        | who\ (has | is | plays | waits | was)
        | (none | nothing | one)\ of\ (it | them | these)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_DOCSTRING = re.compile(r'^ *r?"""(.*?)"""', re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"(?:^ *|  )# (?!noqa|type:|pragma|---)(.*)$")
_HEADING = re.compile(r"^ *(Args|Attributes|Raises|Returns|Yields):$|^ *[\w`, ]+: ", re.MULTILINE)
_END = re.compile(r"(?<=[.:;])\s+|\n\s*\n")


def texts(source: str) -> Iterator[str]:
    """Yield the docstrings and comments of a Python file, consecutive comments as one text."""
    yield from _DOCSTRING.findall(source)
    block: list[str] = []
    for line in [*source.splitlines(), ""]:
        found = _COMMENT.search(line)
        is_whole_line = line.lstrip().startswith("#")
        if block and not (found and is_whole_line):
            yield " ".join(block)
            block = []
        if found and is_whole_line:
            block.append(found[1])
        elif found:
            yield found[1]


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a docstring or a comment. We also split at ":" and ";"."""
    for part in _END.split(text):
        words = part.split()
        if len(words) >= FEWEST_WORDS:
            yield " ".join(words)


def counted(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the sentences in a Python file that a count finds, each after the name of the count."""
    for text in texts(file.read_text(encoding="utf-8")):
        yield from ((NO_NOUN, each) for each in sentences(text) if WITHOUT_NOUN.search(each))
        prose = _HEADING.sub("\n\n", text)
        yield from ((ODD, sentence) for why, sentence in odd(prose) if "words" not in why)


def counts(folders: Iterable[Path], *, show: bool = False) -> dict[str, Counter[str]]:
    """Count the odd sentences in each package. With `show`, print them as well."""
    found: dict[str, Counter[str]] = {}
    for file in sorted(file for folder in folders for file in folder.resolve().rglob("*.py")):
        path = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
        package = found.setdefault("/".join(path.parts[:2][: len(path.parts) - 1]), Counter())
        for count, sentence in counted(file):
            package[count] += 1
            if show:
                print(f"{path}: {count}: {sentence[:160]}")
    return found


def too_high(found: Mapping[str, Counter[str]]) -> dict[str, int]:
    total = sum(found.values(), Counter[str]())
    limits: dict[str, int] = json.loads(LIMITS.read_text(encoding="utf-8"))
    return {count: total[count] for count, most in limits.items() if total[count] > most}


def main() -> int:
    parser = argparse.ArgumentParser(description="Count sentences that readers may stumble over.")
    parser.add_argument("--list", action="store_true", help="also print the sentences")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", default=FOLDERS)
    options = parser.parse_args()
    found = counts(options.folders, show=options.list)
    for package, each in [*found.items(), ("all", sum(found.values(), Counter[str]()))]:
        print(f"{package:20} {each[NO_NOUN]:5} {NO_NOUN} {each[ODD]:5} {ODD}")
    return int(options.folders is FOLDERS and bool(too_high(found)))


if __name__ == "__main__":
    raise SystemExit(main())
