"""The command that plays a match again, for all pages and reports."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from referee.bots.bundled import bundled_bots, rule_files
from referee.bots.command import HUMAN
from referee.games import GAMES, game_words
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
    """The words of the command that plays a match again, on the same terms.

    Args:
        recorded: whether a file says what was played. A stranger may have written it so that the
            command is copied: it always asks for the sandbox and lifts no limit, unless all bots
            came with the referee. It never shows the bots another folder.
        start: words in place of the game and the seed, such as `--resume`.
        env: the variables of all bots.
    """
    readable = () if recorded else spec.sandbox.readable
    if recorded:
        spec = not_weaker(spec, spec.bots)
    game = [] if start and spec.game not in GAMES.outside else game_words(spec.game)
    words = ["referee", "play", *game, *_named_bots(spec)]
    words += start or ["--seed", str(spec.seed)]
    words += sandbox_words(spec.sandbox.kind, readable, env)
    return words + settings_words(spec, spec.sandbox.limits) + own_limits_words(spec)


def _named_bots(spec: MatchSpec) -> list[str]:
    """The BOT arguments, with `NAME=` where a name was given that can be typed and says more."""
    bots = []
    for bot, name in zip_longest(map(as_bot, spec.bots), spec.names, fillvalue=""):
        typed = f"{name}={bot}"
        says_more = name not in (bot, os.path.basename(bot), stem_of(bot))
        can_be_typed = not name.startswith("-") and named(typed) == (name, bot)
        bots.append(typed if says_more and can_be_typed else bot)
    return bots


def not_weaker(spec: MatchSpec, bots: Iterable[str]) -> MatchSpec:
    """A match of these bots as a file claims it, as far as a command may ask for it."""
    ours = {HUMAN, *bundled_bots(spec.game), *rule_files(spec.game)}  # all they start came with us
    if ours.issuperset(bots):
        return spec
    return replace(
        spec,
        sandbox=Sandbox("bwrap"),
        limits=_sandboxed(spec.limits),
        limits_of_bots=tuple(map(_sandboxed, spec.limits_of_bots)),
    )


def _sandboxed(limits: Limits) -> Limits:
    """The limits; where there is none, the default of the sandbox."""
    lifted = {n: most for n, most in SANDBOXED.items() if getattr(limits, n) == math.inf}
    return limits._replace(**lifted)


def sandbox_words(
    kind: str, readable: Iterable[str] = (), env: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """A sandbox as options, after the variables of all bots."""
    words = [word for name, value in env for word in ("--env", f"{name}={value}")]
    words += [] if kind == "none" else ["--sandbox", kind]
    return words + [word for folder in readable for word in ("--sandbox-read", folder)]


def as_bot(argument: str) -> str:
    """A BOT argument that the command line does not mistake for an option."""
    return f"./{argument}" if argument.startswith("-") else argument
