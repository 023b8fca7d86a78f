"""Shows how a rule file would have decided in a recorded turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.games.interface.counts import plural
from referee.games.interface.seats import seat_id
from referee.logs.parsing import json_of
from referee.logs.rerun import rerun_of
from referee.match.machine import Received
from referee.rulefiles.bot import RuleBot, RuleFile
from referee.rulefiles.scores import Ranking, TooManyStepsError


class Candidate(Struct, frozen=True):
    """A card that the rule file scored.

    Attributes:
        count: number of copies of the card among the candidates.
        entry, rule: the lines in the rule file that gave the card its score. Both are None if the
            card has the default score.
    """

    card: str
    score: float
    count: int
    entry: int | None
    rule: int | None


class Ranked(Struct, frozen=True):
    """The cards that the rule file ranked for one question, best first.

    `rules` names the rules that were used, and `remark` comments on the choice.
    """

    rules: str
    candidates: list[Candidate]
    remark: str


class Decided(Struct, frozen=True):
    """A decision of the rule file on one request, and the one in the recorded match.

    Attributes:
        asked: the type of the request.
        ranked: the rankings that the rule file made, in order. This is empty if only one move was
            legal.
        does: the reply that the rule file gives.
        steps: number of evaluation steps, at most `MAX_STEPS` (spec/rule-files.md, 1).
        did: the recorded reply if it differs from `does`, otherwise None. If the reply isn't JSON,
            this is its text.
        replied: False if there's no reply in the record, because the player left the match.
    """

    player_number: str
    asked: str
    ranked: list[Ranked]
    does: Any
    steps: int
    did: Any = None
    replied: bool = True


def decisions(record: str, file: RuleFile, turn: int, seat: int | None = None) -> Iterator[Decided]:
    """Run a record again and yield the rule file's decision for each request of a turn.

    Args:
        record: file name of a match record.
        turn: number of the turn, from 1, counting the turns of all players.
        seat: the seat to examine. By default, that's the seat of this rule file, or all seats if it
            didn't play.

    Raises:
        UsageError: the record can't be opened, is of another game, or has no such turn or seat.
            Also raised if the rule file can't decide (spec/rule-files.md, 1).
        LogReadError: the file isn't a valid record.
    """
    rerun = rerun_of(record)
    header = rerun.header
    if header.game != file.game:
        raise UsageError(f"{record} is of the game {header.game}, {file.path} for {file.game}")
    if seat is not None and seat >= len(header.bots):
        raise UsageError(f"there is no {seat_id(seat)} in {record}")
    everybody = range(len(header.bots))
    own = [number for number in everybody if header.bots[number] == file.path]
    seats = own or everybody if seat is None else [seat]
    match = rerun.match
    bots: dict[int, RuleBot] = {}
    asked: dict[int, Decided] = {}
    for number in rerun.rounds():
        answers = {each.seat: each.line for each in number.entries if isinstance(each, Received)}
        for who, decided in list(asked.items()):
            did = _json(answers.get(who))
            if did != decided.does:
                # The player did something different from the bot. The bot may have planned the rest
                # of its own turn already, so we continue with a new bot.
                del bots[who]
                decided = msgspec.structs.replace(decided, did=did, replied=who in answers)
            yield decided
        asked.clear()
        if match.turns > turn:
            break
        for who in match.due:
            if who in seats and match.turns == turn:
                bot = bots.get(who)
                if bot is None:
                    bot = bots[who] = file.new()
                    bot.attach_view(lambda who=who: match.view(who))  # type: ignore[misc]
                try:
                    asked[who] = _decide(bot, who)
                except TooManyStepsError as error:
                    raise UsageError(f"{file.path}: {error}") from error
    if match.turns < turn:
        raise UsageError(f"{record} has {plural(match.turns, 'turn')}")


def _decide(bot: RuleBot, seat: int) -> Decided:
    reply = msgspec.json.decode(bot.reply([]))
    ranked = [_ranked(ranking) for look in bot.book.looks for ranking in look.rankings]
    return Decided(
        seat_id(seat), reply["type"].removesuffix("-reply"), ranked, reply, bot.book.steps
    )


def _ranked(ranking: Ranking) -> Ranked:
    counted = Counter(ranking.cards)
    judged = dict(zip(ranking.cards, ranking.judgements, strict=True))
    order = [ranking.cards[index] for index in ranking.order]
    cards = dict.fromkeys([*order, *ranking.cards])  # cards that weren't ranked come last
    candidates = []
    for card in cards:
        score, entry, rule = judged[card]
        lines = (part.line if part else None for part in (entry, rule))
        candidates.append(Candidate(card, score, counted[card], *lines))
    return Ranked(ranking.rules, candidates, ranking.remark)


def _json(line: bytes | None) -> Any:
    if line is None:
        return None
    value = json_of(line)
    return line.decode(errors="replace") if value is msgspec.UNSET else value
