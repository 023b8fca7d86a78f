"""Play and check a bot with each of the thirty mistakes, and print where its cause is named.

    python -m tools.mistakes.table [--language NAME] [--only N] [--command NAME] [--keep DIR]

A beginner runs `referee play` and `referee conform`. Prints a Markdown table with the lines of each
command that name the cause of each mistake for a beginner, or a note that there are none. The exit
code is 1 if too few are named: play must name 28 of the 30 mistakes, conform all 30.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tools.mistakes.mistakes import LANGUAGES, MISTAKES, Mistake, source

MODULE = [sys.executable, "-m", "referee"]
# Time limit for a reply, in seconds.
LIMITS = {"play": 1.5, "conform": 2.0}
# If a mistake is a slow move, the move takes this many times the limit.
TOO_LONG = 1.2
COMMANDS = tuple(LIMITS)
NEEDED = {"play": 28, "conform": 30}
HANG_SECONDS = 900.0
# Show at most this many lines of a command in a cell.
MOST_LINES = 3


class Seen(NamedTuple):
    """The output of a command on a bot.

    Attributes:
        said: the whole output.
        lines: the lines that name the cause.
        misleading: the lines that name another cause.
    """

    mistake: Mistake
    language: str
    command: str
    said: str
    lines: Sequence[str]
    misleading: Sequence[str]

    @property
    def verdict(self) -> str:
        if self.misleading:
            return "MISLEADS"
        return "named" if self.lines else "NOT NAMED"


def words(command: str, mistake: Mistake, bot: str, limit: float) -> list[str]:
    if command == "conform":
        return [*MODULE, "conform", bot, "-q", "--jobs", "1", "--timeout", f"{limit:g}"]
    limits = ["--time-limit", f"{limit:g}", "--startup-limit", f"{max(limit, 5.0):g}"]
    return [*MODULE, "play", mistake.opponent, bot, "--seed", "1", *limits]


def try_out(
    mistake: Mistake,
    language: str,
    command: str,
    keep: Path | None = None,
    limit: float | None = None,
) -> Seen:
    """Run a command with a bot that has this mistake.

    Args:
        keep: folder for the bot's text and for the output of the command.
        limit: seconds for a reply (`LIMITS`).
    """
    limit = LIMITS[command] if limit is None else limit
    file = LANGUAGES[language].file
    text = source(mistake, language, seconds=limit * TOO_LONG)
    environment = {key: os.environ[key] for key in os.environ if not key.startswith("PYTHONUNBUF")}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / file).write_text(text)
        done = subprocess.run(
            words(command, mistake, LANGUAGES[language].bot, limit),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env=environment,
            timeout=HANG_SECONDS,
            check=False,
        )
    said = done.stdout
    if keep is not None:
        here = keep / f"{mistake.name}-{language}"
        here.mkdir(parents=True, exist_ok=True)
        (here / file).write_text(text)
        (here / f"{command}.txt").write_text(said)
    if done.returncode not in (0, 1):
        raise RuntimeError(
            f"{command}, mistake {mistake.name}: exit code {done.returncode}\n{said}"
        )
    misleading = naming(mistake.misleads, said) if mistake.misleads else []
    return Seen(mistake, language, command, said, naming(mistake.says, said), misleading)


def naming(says: str, said: str) -> list[str]:
    """Return the lines in which an expression first matches. A match may span several lines."""
    text = ""
    starts = []  # where each line starts in `text`
    lines = said.splitlines()
    for line in lines:
        # We add no space after a hyphen, because the line may be wrapped there.
        if text and not text.endswith("-"):
            text += " "
        starts.append(len(text))
        text += " ".join(line.split())
    if (match := re.search(says, text)) is None:
        return []
    ends = [*starts[1:], len(text)]
    return [
        line.strip()
        for line, start, end in zip(lines, starts, ends, strict=True)
        if line.strip() and start < match.end() and match.start() < end
    ]


# --- Printing -------------------------------------------------------------------------------------


def row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def code(line: str) -> str:
    return f"`` {line} ``" if "`" in line else f"`{line}`"


def cells(seen: Seen) -> list[str]:
    lines = seen.misleading or seen.lines
    shown = "<br>".join(map(code, lines[:MOST_LINES]))
    return [shown + (" ..." if len(lines) > MOST_LINES else ""), seen.verdict]


def as_json(all_seen: Sequence[Seen]) -> str:
    rows = [
        {
            "mistake": seen.mistake.name,
            "what": seen.mistake.what,
            "language": seen.language,
            "command": seen.command,
            "verdict": seen.verdict,
            "lines": seen.lines,
            "misleading": seen.misleading,
            "said": seen.said,
        }
        for seen in all_seen
    ]
    return json.dumps(rows, indent=1)


def enough(all_seen: Sequence[Seen], language: str, command: str) -> tuple[str, bool]:
    """Return "NAMED of TRIED" for a command, and whether that's enough.

    A mistake with several forms only counts if all of them are named. Mistakes that we haven't
    tried don't count as missing.
    """
    mine = [seen for seen in all_seen if (seen.language, seen.command) == (language, command)]
    tried = {seen.mistake.number for seen in mine}
    missed = {seen.mistake.number for seen in mine if seen.verdict != "named"}
    spare = len({mistake.number for mistake in MISTAKES}) - NEEDED[command]
    text = f"{command} names {len(tried - missed)} of {len(tried)}"
    if missed:
        text += f" (not {', '.join(map(str, sorted(missed)))})"
    return text, len(missed) <= spare


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--language", choices=LANGUAGES, help="of the bots (both)")
    parser.add_argument("--only", action="append", metavar="N", help='"12", "30b"; repeatable')
    parser.add_argument("--command", choices=COMMANDS, help="play or conform alone (both)")
    parser.add_argument("--jobs", type=int, default=2, help="so many at a time (2)")
    parser.add_argument("--json", action="store_true", help="objects with all that was said")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep bots and outputs there")
    options = parser.parse_args()
    languages = [options.language] if options.language else list(LANGUAGES)
    commands = [options.command] if options.command else COMMANDS
    chosen = [
        (mistake, language)
        for mistake in MISTAKES
        if not options.only or {mistake.name, str(mistake.number)} & set(options.only)
        for language in languages
        if language in mistake.changes
    ]
    if not chosen:
        parser.error(f"there is no mistake {' '.join(options.only)}")

    def try_with_all(mistake: Mistake, language: str) -> list[Seen]:
        return [try_out(mistake, language, command, options.keep) for command in commands]

    if not options.json:
        heads = ["", "mistake", "bot"]
        for command in commands:
            heads += [f"{command} says", command]
        print(row(heads), row(["---"] * len(heads)), sep="\n", flush=True)
    all_seen: list[Seen] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for both in pool.map(try_with_all, *zip(*chosen, strict=True)):
            all_seen += both
            if not options.json:
                what = [both[0].mistake.name, both[0].mistake.what, both[0].language]
                print(row(sum(map(cells, both), what)), flush=True)
    return finish(all_seen, languages, commands, options.json)


def finish(
    all_seen: Sequence[Seen], languages: Sequence[str], commands: Sequence[str], as_objects: bool
) -> int:
    good = True
    lines = []
    for language in languages:
        counts = [enough(all_seen, language, command) for command in commands]
        lines.append(f"{language}: {', '.join(text for text, _ in counts)}")
        good = good and all(right for _, right in counts)
    print(as_json(all_seen) if as_objects else "\n" + "\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
