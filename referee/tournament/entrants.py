"""Finds an entrant's program."""

from __future__ import annotations

from itertools import chain

from referee.bots.command import BotSource, find_bot
from referee.errors import BotNotFoundError
from referee.games import game_rules
from referee.tournament.rows import Entrant


def find_entrant(entrant: Entrant, game: str) -> BotSource:
    """Find the program of a bot with `find_bot`, and check that it may play in a tournament.

    A bot in a tournament must not get any hidden information, so we refuse dialects that show it.
    We also check the fields of the entrant here, because it may come from a store that some other
    program has written.
    """
    if any("\0" in text for text in (entrant.directory, *chain.from_iterable(entrant.env))):
        raise BotNotFoundError(
            f"BOT {entrant.bot}: its directory or environment has a NUL character"
        )
    if any(not name or "=" in name for name, _ in entrant.env):
        raise BotNotFoundError(f"BOT {entrant.bot}: a variable of its environment has no name")
    source = find_bot(entrant.bot, game, entrant.directory, entrant.env)
    if game_rules(game).tells_hidden(source.dialect):
        raise BotNotFoundError(
            f"BOT {entrant.bot}: {source.dialect} shows hidden information, which tournaments "
            "do not allow"
        )
    return source
