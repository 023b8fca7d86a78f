"""What can be tested, and which cases have no meaning for it."""

from __future__ import annotations

from fnmatch import fnmatchcase

from referee.bots.command import BotAddress, BotCommand, BotSource
from referee.conformance.case import Case
from referee.conformance.verdict import OF_A_PROCESS, OF_A_SERVER


def why_skipped(case: Case, bot: BotSource) -> str:
    """Why a case cannot be tried with a bot; empty if it can."""
    if not fnmatchcase(bot.dialect, case.speaks):
        spoken = case.speaks.rstrip("*") or "the game's own messages"
        return f"only for bots that speak {spoken}"
    about = set(case.about)
    if about and about <= OF_A_SERVER and not isinstance(bot, BotAddress):
        return "only for bots behind HTTP"
    of_a_process = case.close or case.exits or case.again or case.pieces
    if (of_a_process or (about and about <= OF_A_PROCESS)) and not isinstance(bot, BotCommand):
        return "only for processes"
    return ""
