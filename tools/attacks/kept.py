"""Let bots that play several matches in one process attack in the middle of a match.

    python -m tools.attacks.kept [--only WORD] [--sandbox none|bwrap]

We try each attack in a match of `referee play`, and then in four matches of a tournament that
reuses processes. There the bot only attacks from the second match of a process on, and its opponent
must be able to finish all matches.

Prints both verdicts, and the seconds of the tournament's longest match. The exit code is 1 if a
verdict isn't as expected, if a process or another resource is left, or if a match took longer than
`SECONDS`.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import trio

from referee.bots.command import find_bot
from referee.bots.processes.launch import launch_bots
from referee.bots.processes.prctl import adopt_orphans
from referee.bots.processes.sandbox import resolve, unavailable_reason
from referee.match.limits import OF_TOURNAMENTS
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.match.spec import match_spec
from referee.runner import play_once
from referee.tournament.playing.batch import Batch
from referee.tournament.rows import Entrant, Plan
from tests.support.batches import kept, play_all, worker
from tests.support.remains import remains

SETTINGS: dict[str, object] = {
    **OF_TOURNAMENTS,
    "time_limit": 2.0,
    "startup_limit": 20.0,
    "grace": 0.2,
    "max_turns": 20,
}
# The longest time that a match may take on a busy machine.
SECONDS = 15.0
MATCHES = 4
# A repeated match gets new processes, in which the bot doesn't attack. Then we try the tournament
# again, but at most this many times.
LATE_TRIES = 20
_RUNS = itertools.count()
PLAYS_ON = "plays on"
# Mode of `tests/hostile_bots/kept.py` -> expected verdicts.
EXPECTED = {
    "early": PLAYS_ON,
    "half_line": "timeout",
    "rest_is_late": "timeout",
    "slow_bytes": PLAYS_ON,
    "slow_line": "timeout",
    "blank_lines": "timeout",
    "long_line": "output-limit",
    "flood_stdout": "output-limit",
    "flood_stderr": PLAYS_ON,
    "closes_all": "exited",
    "closes_stderr": PLAYS_ON,
    "stops_itself": "timeout",
    "heir": "exited",
    "orphans": PLAYS_ON,
    "ignores_sigterm": PLAYS_ON,
    "small_pipes": PLAYS_ON,
    "resource_limits": PLAYS_ON,
    "reads_its_stdout": PLAYS_ON,
    "thinks": "time-bank",
    "exits": "exited",
}
# Only in a sandbox, because bwrap's own processes keep the bot's stdout open.
OUTPUT_IS_OPEN = {"closes_all": "timeout"}


class Attack(NamedTuple):
    """The bots and the expected verdicts.

    Attributes:
        once: the BOT arguments of the single match.
        often: the BOT arguments of the tournament.
        expected: verdict on the last bot.
        others: verdict on the first bot.
    """

    what: str
    once: Sequence[str]
    often: Sequence[str]
    expected: str
    others: str = PLAYS_ON
    game: str = "dominion"


def attacks(sandbox: Sandbox = NO_SANDBOX) -> list[Attack]:
    found = [
        Attack(mode, ["big_money", kept(mode, "1")], ["big_money", kept(mode, "2")], expected)
        for mode, expected in (EXPECTED | (OUTPUT_IS_OPEN if sandbox != NO_SANDBOX else {})).items()
    ]
    both = [kept()] * 2  # both bots only know the handshake of this game
    found.append(Attack("both hang in one round", both, both, "timeout", "timeout", "botwars"))
    return found


def try_out(attack: Attack, sandbox: Sandbox = NO_SANDBOX) -> Seen:
    settings = SETTINGS | ({"time_bank": 0.3} if attack.what == "thinks" else {})
    once = single(attack, sandbox, settings)
    for _ in range(LATE_TRIES):
        rows, longest, again = tournament(attack, sandbox, settings)
        if not again:
            break
    return Seen(once, rows, longest, again)


class Seen(NamedTuple):
    """The verdicts on an attack.

    Attributes:
        once: the verdicts of the single match, in seat order.
        often: the verdicts of each match of the tournament, in the order of its bots.
        longest: seconds of the longest match of the tournament.
        again: number of repeated matches.
    """

    once: list[str]
    often: list[list[str]]
    longest: float
    again: int

    def is_right(self, attack: Attack) -> bool:
        """Return True if all verdicts are as expected, even in matches without an attack."""
        others, struck = zip(self.once, *self.often, strict=True)
        return (
            {*others} == {attack.others}
            and {struck[0], struck[-1]} == {attack.expected}
            and {*struck} <= {PLAYS_ON, attack.expected}
        )


def verdict(code: str | None) -> str:
    return code or PLAYS_ON


def single(attack: Attack, sandbox: Sandbox, settings: dict[str, object]) -> list[str]:
    spec = match_spec(attack.once, game=attack.game, seed=1, options=settings, sandbox=sandbox)
    sources = [find_bot(bot, attack.game) for bot in attack.once]
    with launch_bots(sources, spec.limits, spec.sandbox) as started:
        played = trio.run(partial(play_once, spec, started, alone=True))
    return [verdict(player.disqualified) for player in played.result.players]


def tournament(
    attack: Attack, sandbox: Sandbox, settings: dict[str, object]
) -> tuple[list[list[str]], float, int]:
    """Play a tournament.

    Returns:
        The verdicts of each match, the seconds of the longest, and how many matches were repeated
        because the referee was late or a waiting bot failed its handshake.
    """
    run = next(_RUNS)  # workers remember entrants that have failed
    entrants = {number: Entrant(f"{run}.{number}", bot) for number, bot in enumerate(attack.often)}
    plans = tuple(Plan(n, n, n, (0, 1)) for n in range(MATCHES))
    spec = match_spec(attack.often, game=attack.game, seed=0, options=settings, sandbox=sandbox)
    rows, longest = [], 0.0
    with worker() as executor:
        for plan in plans:
            began = time.monotonic()
            rows += play_all(executor, Batch(spec, entrants, (plan,)))
            longest = max(longest, time.monotonic() - began)
    verdicts = [[verdict(seat.disqualified) for seat in row.seats] for row in rows]
    return verdicts, longest, sum(row.late + row.restarts > 0 for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="", metavar="WORD", help="attacks with this word")
    parser.add_argument("--sandbox", choices=("none", "bwrap"), default="none")
    options = parser.parse_args()
    if options.sandbox == "bwrap" and (problem := unavailable_reason()):
        parser.error(problem)
    sandbox = NO_SANDBOX if options.sandbox == "none" else resolve("bwrap")
    adopt_orphans()
    before, wrong = remains(), 0
    print("| attack | expected | `referee play` | tournament, match by match | longest, s |")
    print("|---|---|---|---|---|")
    for attack in attacks(sandbox):
        if options.only not in attack.what:
            continue
        seen = try_out(attack, sandbox)
        right = seen.is_right(attack) and seen.longest < SECONDS
        wrong += not right
        verdicts = ", ".join(other for _, other in seen.often)
        cells = attack.what, attack.expected, seen.once[1], verdicts, f"{seen.longest:.1f}"
        print(f"| {' | '.join(cells)} |{'' if right else ' WRONG'}", flush=True)
    after = remains()
    print(f"before: {before}\nafter:  {after}")
    return 1 if wrong or after.is_more_than(before) else 0


if __name__ == "__main__":
    sys.exit(main())
