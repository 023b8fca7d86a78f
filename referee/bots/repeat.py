"""Builds the command that plays a match again, as shown on pages and in reports.

People copy this command into a terminal, so it must be safe to run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from referee.bots.bundled import bundled_bots, rule_files
from referee.bots.command import HUMAN
from referee.games import game_words, outside_words
from referee.match.limits import SANDBOXED, Limits
from referee.match.sandbox import Sandbox
from referee.match.spec import MatchSpec, own_limits_words, settings_words
from referee.names import named, stem_of


def repeat_words(
    spec: MatchSpec,
    *,
    recorded: bool,
    start: Sequence[str] = (),
    env: Iterable[tuple[str, str]] = (),
) -> list[str]:
    """Return the words of a command that plays a match again, with the same limits and sandbox.

    Args:
        recorded: True if the match comes from a file, which may be from a stranger who hopes that
            somebody copies the command. The command then doesn't show the bots any additional
            folders. If some of the bots aren't bundled, it also requires the sandbox and doesn't
            lift any limit.
        start: words to use instead of the game and the seed, e.g. `--resume` and a record.
        env: environment variables for all bots.
    """
    readable = () if recorded else spec.sandbox.readable
    if recorded:
        spec = not_weaker(spec, spec.bots)
    game = outside_words(spec.game) if start else game_words(spec.game)
    words = ["referee", "play", *game, *_named_bots(spec)]
    words += start or ["--seed", str(spec.seed)]
    words += ["--opening", str(spec.opening)] if spec.opening else []
    words += sandbox_words(spec.sandbox.kind, readable, env)
    return words + settings_words(spec, spec.sandbox.limits) + own_limits_words(spec)


def verify_words(record: str, game: str) -> list[str]:
    """Return the words of a `referee verify` command, which plays the match of a record again."""
    return ["referee", "verify", record, *outside_words(game)]


def _named_bots(spec: MatchSpec) -> list[str]:
    bots = []
    for bot, name in zip_longest(map(as_bot, spec.bots), spec.names, fillvalue=""):
        # We leave out names that the bot would get anyway, and names that we'd parse differently.
        typed = f"{name}={bot}"
        says_more = name not in (bot, os.path.basename(bot), stem_of(bot))
        can_be_typed = not name.startswith("-") and named(typed) == (name, bot)
        bots.append(typed if says_more and can_be_typed else bot)
    return bots


def not_weaker(spec: MatchSpec, bots: Iterable[str]) -> MatchSpec:
    """If there are bots that aren't ours, require the sandbox and lift none of its limits.

    Then it's safe to copy the command, even if a stranger wrote the file.
    """
    ours = {
        HUMAN,
        *bundled_bots(spec.game),
        *rule_files(spec.game),
    }  # We wrote the programs of these bots, so they don't need a sandbox.
    if ours.issuperset(bots):
        return spec
    return replace(
        spec,
        sandbox=Sandbox("bwrap"),
        limits=_sandboxed(spec.limits),
        limits_of_bots=tuple(map(_sandboxed, spec.limits_of_bots)),
    )


def _sandboxed(limits: Limits) -> Limits:
    # If the file says that a limit was lifted, we use the sandbox's default for this limit.
    lifted = {n: most for n, most in SANDBOXED.items() if getattr(limits, n) == math.inf}
    return limits._replace(**lifted)


def sandbox_words(
    kind: str, readable: Iterable[str] = (), env: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """Return command-line options that set environment variables and choose the sandbox."""
    words = [word for name, value in env for word in ("--env", f"{name}={value}")]
    words += [] if kind == "none" else ["--sandbox", kind]
    return words + [word for folder in readable for word in ("--sandbox-read", folder)]


def as_bot(argument: str) -> str:
    """Protect a BOT argument that looks like an option, e.g. `-v` becomes `./-v`."""
    return f"./{argument}" if argument.startswith("-") else argument
