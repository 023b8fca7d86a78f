"""The command that plays a match again, for all pages and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from referee.bots.bundled import bundled_bots, rule_files
from referee.bots.command import HUMAN
from referee.games import DEFAULT_GAME
from referee.match.limits import SANDBOXED
from referee.match.spec import MatchSpec, settings_words


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
    kind: str = spec.sandbox.kind
    settings = msgspec.to_builtins(spec.settings)
    if recorded:
        kind, settings = not_weaker(spec.game, spec.bots, kind, settings)
    usual = SANDBOXED if kind == "bwrap" else {}
    game = [] if spec.game == DEFAULT_GAME or start else ["--game", spec.game]
    words = ["referee", "play", *game, *map(as_bot, spec.bots)]
    words += start or ["--seed", str(spec.seed)]
    words += sandbox_words(kind, () if recorded else spec.sandbox.readable, env)
    return words + settings_words(spec.rules, settings, usual)


def not_weaker(
    game: str, bots: Iterable[str], kind: str, settings: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The sandbox and the settings that a file claims, as far as a command may ask for them."""
    ours = {HUMAN, *bundled_bots(game), *rule_files(game)}  # all that they start came with us
    if ours.issuperset(bots):
        return kind, settings
    lifted = {name: most for name, most in SANDBOXED.items() if settings.get(name) is None}
    return "bwrap", settings | lifted


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
