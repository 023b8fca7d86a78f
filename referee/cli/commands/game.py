"""`referee game`: check your own game, or write a page about it for authors of bots."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal

from referee.cli.console import FAILED, OK, print_json, printing, printing_to
from referee.cli.options import Options, argument, flag, option
from referee.cli.progress import bar, status
from referee.cli.settings import force_option
from referee.cli.values import Count, GameName, Seconds, Seed
from referee.errors import UsageError
from referee.games import GAMES
from referee.interrupts import Interrupts
from referee.logs.outputs import TEXT
from referee.text.terminal import command_line, duration, plain, plain_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

    from referee.gamecheck.check import GameReport


# We say where the time goes every time this many seconds have passed.
_LINE_SECONDS = 5.0


class GameOptions(Options):
    """check plays random matches of a game, and reports its mistakes before bots meet them: endless
    matches, wrong scores, chance that cannot be reproduced, data that JSON cannot represent, views
    that show too much, exceptions, print.
    page writes the page for the authors of its bots as Markdown: its protocol, with examples from
    random matches.
    """

    exit_codes = (
        (0, "no mistakes"),
        (1, "the game has a mistake"),
    )
    examples = (
        ("referee game check botwars", "report mistakes in 20 random matches"),
        ("referee game check botwars --matches 200 --seed 1", "more and different matches"),
        ("referee game page botwars --output botwars.md", "its page for authors of bots"),
    )

    what: Literal["check", "page"] = argument("check", "the action: check or page")
    game: GameName = argument("GAME", f"the game: {', '.join(GAMES)}, or the FILE of your own")
    matches: Count = option("N", 20, "number of random matches (default: %(default)s)")
    seed: Seed = option("N", 0, "seed of the first match (default: %(default)s)")
    time_limit: Seconds = option(
        "SECONDS", 2.0, "time limit of one call of the game's code (default: %(default)s)"
    )
    thorough: bool = flag(
        "also use the optional parts of the game: people, programs, copies, logs, turns, statistics"
    )
    format: Literal["text", "json"] = option(None, "text", "text; json: one object")
    output: str | None = option("FILE", None, "write the page to this file, not to stdout")
    force: bool = force_option()


def run(options: GameOptions, interrupts: Interrupts) -> int:
    if options.what == "page":
        return _write_page(options, interrupts)
    if options.output is not None:
        raise UsageError("--output is for referee game page")
    from referee.gamecheck.check import check_game

    definition = GAMES[options.game]
    outside = GAMES.outside.get(definition.name)
    place = outside.place if outside is not None else definition.name
    total = options.matches * (1 + options.thorough)
    with interrupts.raising(), printing():
        with status() if sys.stderr.isatty() else nullcontext() as show:
            progress = _Progress(total, show)
            report = check_game(
                definition,
                options.matches,
                options.seed,
                options.time_limit,
                place,
                thorough=options.thorough,
                on_match=progress.on_match,
                on_call=progress.on_call,
            )
        if options.format == "json":
            import msgspec

            print_json({**msgspec.to_builtins(report), "passed": report.passed})
        else:
            _print(report, place, thorough=options.thorough)
    return OK if report.passed else FAILED


class _Progress:
    """Shows how far a check is: a bar at a terminal, and elsewhere a line now and then."""

    def __init__(self, total: int, show: Callable[[RenderableType], None] | None) -> None:
        self._total, self._show, self._played = total, show, 0
        # While the game runs, sys.stderr catches what it prints.
        self._stream = sys.stderr
        self._begun = self._last = time.monotonic()

    def on_match(self, played: int) -> None:
        """Note how many matches have been played."""
        self._played = played
        if self._show:
            self._show(bar(played, self._total, self._text()))

    def on_call(self, spent: Mapping[str, float]) -> None:
        """Say where the time goes, if it's time to."""
        now = time.monotonic()
        if now - self._last < _LINE_SECONDS:
            return
        self._last = now
        what = max(spent, key=lambda what: spent[what])
        took = f"{what} took {duration(spent[what])}"
        text = f"{self._text()} in {duration(now - self._begun)}; {took}"
        if self._show:
            self._show(bar(self._played, self._total, text))
        else:
            print(plain(text), file=self._stream, flush=True)

    def _text(self) -> str:
        return f"{self._played:,} of {self._total:,} random matches"


def _write_page(options: GameOptions, interrupts: Interrupts) -> int:
    from referee.gamecheck.page import page_of

    if options.format != "text" or options.thorough:
        raise UsageError("--format and --thorough are for referee game check")
    outside = GAMES.outside.get(options.game)
    inputs = [outside.place] if outside is not None else []
    with (
        interrupts.raising(),
        printing_to(options.output, TEXT, inputs, force=options.force, whole=True) as file,
    ):
        page = page_of(GAMES[options.game], options.matches, options.seed)
        file.write(plain_lines(page.expandtabs()))
    return OK


def _print(report: GameReport, place: str, *, thorough: bool) -> None:
    for finding in report.findings:
        kind = "" if finding.is_error else "note: "
        print(plain(f"{finding.where or report.game}: {kind}{finding.text}"))
        for line in finding.trace:
            print(plain(f"  called from {line}"))
        if finding.is_error and finding.seed is not None:
            again = ["referee", "game", "check", place, "--matches", "1", "--seed"]
            again += [str(finding.seed), *["--thorough"] * thorough]
            where = f" ({finding.at})" if finding.at else ""
            print(plain(f"  again{where}: {command_line(again)}"))
    errors = sum(finding.is_error for finding in report.findings)
    found = f"{errors} mistake{'s' * (errors != 1)}"
    if not errors:
        endless = any(finding.kind == "turn-limit" for finding in report.findings)
        found = "no mistake, but no match ended by itself" if endless else "nothing is wrong"
    spent = f", {duration(report.seconds)} per reply" if report.replies else ""
    print(
        f"{report.game}: {report.matches:,} random match{'es' * (report.matches != 1)} to the end, "
        f"{report.replies:,} replies"
        f"{spent}: {found}"
    )
