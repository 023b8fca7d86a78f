"""`referee game`: checks of a game for its author."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from referee.cli.console import FAILED, OK, print_json, printing
from referee.cli.options import Options, argument, flag, option
from referee.cli.values import Count, GameName, Seconds, Seed
from referee.games import GAMES
from referee.interrupts import Interrupts
from referee.text.terminal import duration, plain

if TYPE_CHECKING:
    from referee.gamecheck.check import GameReport
    from referee.gamecheck.findings import Finding


class GameOptions(Options):
    """check plays random matches of a game, and reports what its author does wrong, before a bot
    meets it: matches without an end, wrong scores, chance that cannot be played again, data that
    JSON cannot carry, views that change the game or show too much, exceptions, print.
    """

    exit_codes = (
        (0, "nothing is wrong"),
        (1, "something is wrong with the game"),
    )
    examples = (
        ("referee game check botwars", "20 random matches, and what is wrong"),
        ("referee game check botwars --matches 200 --seed 1", "more of them, others"),
    )

    what: Literal["check"] = argument("check", "what to do")
    game: GameName = argument("GAME", f"the game: {', '.join(GAMES)}, or the FILE of your own")
    matches: Count = option("N", 20, "how many random matches (default: %(default)s)")
    seed: Seed = option("N", 0, "of the first match (default: %(default)s)")
    time_limit: Seconds = option(
        "SECONDS", 2.0, "for one call of the game's code (default: %(default)s)"
    )
    thorough: bool = flag(
        "use the optional parts of the game too: people, programs, copies, logs, turns, statistics"
    )
    format: Literal["text", "json"] = option(None, "text", "text; json: one object")


def run(options: GameOptions, interrupts: Interrupts) -> int:
    from referee.gamecheck.check import check_game

    rules = GAMES[options.game]
    outside = GAMES.outside.get(rules.name)
    place = outside.place if outside is not None else rules.name
    with interrupts.raising(), printing():
        report = check_game(
            rules,
            options.matches,
            options.seed,
            options.time_limit,
            place,
            thorough=options.thorough,
        )
        if options.format == "json":
            print_json({**_as_json(report), "passed": report.passed})
        else:
            _print(report)
    return OK if report.passed else FAILED


def _print(report: GameReport) -> None:
    for finding in report.findings:
        print(plain(_line(report.game, finding)))
    errors = sum(finding.is_error for finding in report.findings)
    found = "nothing is wrong" if not errors else f"{errors} mistake{'s' * (errors != 1)}"
    spent = f", {duration(report.seconds)} per reply" if report.replies else ""
    print(
        f"{report.game}: {report.matches:,} random matches to the end, {report.replies:,} replies"
        f"{spent}: {found}"
    )


def _line(game: str, finding: Finding) -> str:
    kind = "" if finding.is_error else "note: "
    return f"{finding.where or game}: {kind}{finding.text}"


def _as_json(report: GameReport) -> dict[str, object]:
    import msgspec

    return dict(msgspec.to_builtins(report))
