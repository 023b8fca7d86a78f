"""Plays all matches of `referee game check`, and finds mistakes by comparing matches."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, json

from referee.gamecheck.findings import Finding, Findings, locate_method
from referee.gamecheck.guard import GameStoppedError, Guard, watching
from referee.gamecheck.hash_seed import is_stable
from referee.gamecheck.match import RandomMatch, Setting
from referee.gamecheck.parts import PartsMatch
from referee.games import GAMES, find_game
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import EndReason
from referee.games.small.machine import REASONS
from referee.match.players import Players

# We repeat this many matches, and compare them with the first time.
_AGAIN = 4
_WITH_PARTS = 2
# Number of matches that we play in each of several processes (hash_seed.py).
_IN_PROCESS = 4
_PARTS = ("requests", "messages", "events", "standings", "turns", "outcome")
# After fewer matches than this, it's no wonder that one of the game's reasons never occurred.
_MANY = 10
# If a game takes more than this many seconds per reply, we warn that long tournaments are slow.
_SLOW = 0.005


class GameReport(Struct, frozen=True):
    """The result of a check.

    Attributes:
        matches: how many matches we played to the end.
        replies: how many replies there were in these matches.
        seconds: the average time that the rules need for one reply.
    """

    game: str
    findings: list[Finding]
    matches: int
    replies: int
    seconds: float

    @property
    def passed(self) -> bool:
        """True if no errors were found. Remarks are allowed."""
        return not any(finding.is_error for finding in self.findings)


def check_game(
    definition: GameDefinition,
    matches: int,
    seed: int,
    seconds: float,
    place: str = "",
    *,
    thorough: bool = False,
    on_match: Callable[[int], None] = lambda played: None,
    on_call: Callable[[Mapping[str, float]], None] = lambda spent: None,
) -> GameReport:
    """Play random matches of a game, and report the mistakes of its author.

    Args:
        matches: how many matches to play.
        seed: the same seed leads to the same matches.
        seconds: the time limit for a single call to the game.
        place: the file or folder of the game. If it's given, we also play some matches in other
            processes.
        thorough: if True, we play the same number of matches again, this time with the game's
            optional parts.
        on_match: called with the number of matches that we've played so far. It counts up to
            `matches`, or to twice as many if `thorough` is True.
        on_call: called after each call of the game, see `Guard`.
    """
    findings = Findings()
    guard = Guard(findings, seconds, on_call)
    if not Players.can_play(definition):
        text = (
            "the game does not say which replies are legal, so random matches cannot be played: "
            "add an environment, a person or a simplest_reply to its extras"
        )
        findings.add("no-players", text)
        return GameReport(definition.name, findings.all, 0, 0, 0.0)
    with watching(findings):
        played = play_all(definition, matches, seed, guard, findings, on_match)
        replies, taken = _play_again(definition, played, guard, findings)
        planned = settings(definition, matches, seed)
        # Two matches are enough to see if an observation of a small game fits its space.
        few = _WITH_PARTS if definition.bundled == "small" and definition.environment else 0
        for number, setting in enumerate(planned if thorough else planned[:few], 1):
            findings.seed, findings.at = setting.seed, ""
            with suppress(GameStoppedError):
                PartsMatch(definition, setting, guard, findings).play(thorough=thorough)
            if thorough:
                on_match(matches + number)
    findings.seed, findings.at = None, ""
    _check_all_matches(definition, played, findings)
    if place and not any(found.is_error for found in findings.all) and not is_stable(place, seed):
        text = (
            "the same seed gives other matches in another process, where a set has another order "
            "and the time is another one: use sorted(...), and the game's chance"
        )
        findings.seed = seed
        findings.add("hash-seed", text)
    count = sum(match.count for match in played)
    per_reply = taken / replies if replies else 0.0
    if per_reply > _SLOW:
        text = (
            f"{1000 * per_reply:.0f} ms per reply: a tournament plays {1 / per_reply:,.0f} a second"
        )
        findings.add("slow", text, is_error=False)
    return GameReport(definition.name, findings.all, len(played), count, per_reply)


def settings(definition: GameDefinition, matches: int, seed: int) -> list[Setting]:
    """Return the settings of all matches.

    The matches go through all possible numbers of seats. In some of them, players send invalid
    replies, or leave. All of this follows from the seed, so a single match can be played again.
    """
    counts = range(definition.min_seats, definition.max_seats + 1)
    return [
        Setting(
            number,
            counts[number % len(counts)],
            wrong=0.1 if number % 3 == 1 else 0.0,
            leaving=(0.2, 0.02)[number % 2] if number % 5 == 4 else 0.0,
        )
        for number in range(seed, seed + matches)
    ]


def play_all(
    definition: GameDefinition,
    matches: int,
    seed: int,
    guard: Guard,
    findings: Findings,
    on_match: Callable[[int], None] = lambda played: None,
    *,
    checks: bool = True,
) -> list[RandomMatch]:
    """Play the matches of a check. Returns the matches that were finished."""
    played = []
    for number, setting in enumerate(settings(definition, matches, seed)):
        on_match(number)
        match = RandomMatch(definition, setting, guard, findings, checks=checks)
        try:
            match.play()
        except GameStoppedError:
            # The next match would probably hang as well, and we'd have to wait again.
            if findings.has("hangs"):
                break
            continue
        played.append(match)
    return played


def _play_again(
    definition: GameDefinition, played: Sequence[RandomMatch], guard: Guard, findings: Findings
) -> tuple[int, float]:
    replies, taken = 0, 0.0
    for match in played[:_AGAIN]:
        # Play the match twice more with the same replies, and the second time without calling
        # view(). If the first repetition differs, the game isn't reproducible, e.g. because it has
        # its own source of chance. If only the second one differs, view() changes the game. We also
        # use the second one to measure how fast the rules are. In all other matches, the checks
        # take nearly all of the time.
        same = RandomMatch(definition, match.setting, guard, findings, replies=match.replies)
        unseen = RandomMatch(
            definition, match.setting, guard, findings, replies=match.replies, looks=False
        )
        try:
            same.play()
            begun = time.process_time()
            unseen.play()
            taken += time.process_time() - begun
        except GameStoppedError:
            continue
        replies += unseen.count
        if (part := _difference(match, same)) and not findings.has("random"):
            text = (
                f"the same replies lead to another match ({part}): take all chance from the game's "
                "chance, and nothing is kept from an earlier match"
            )
            findings.add("differs", text, locate_method(match.game, "advance"))
        elif (part := _difference(same, unseen)) and not findings.has("random"):
            text = f"a match without views is different ({part}): a view must not change the game"
            findings.add("view-changes", text, locate_method(match.game, "view"))
    return replies, taken


def _difference(one: RandomMatch, other: RandomMatch) -> str:
    """Return where two matches begin to differ, e.g. "round 3: events", or "" if they don't."""
    for number, (a, b) in enumerate(zip(one.trace, other.trace, strict=False), start=1):
        if a != b:
            pairs = zip(_PARTS, json.decode(a), json.decode(b), strict=True)
            return f"round {number}: {next((name for name, x, y in pairs if x != y), 'order')}"
    return "" if len(one.trace) == len(other.trace) else "another length"


def _check_all_matches(
    definition: GameDefinition, played: Sequence[RandomMatch], findings: Findings
) -> None:
    # A wrong move often loses the match, so only the others show how the game ends.
    whole = [match for match in played if not match.has_left and not match.setting.wrong]
    if not whole:
        return
    # These things are usually mistakes, but a few games do them on purpose, so we don't report them
    # as errors.
    if all(match.reason == EndReason.TURN_LIMIT for match in whole):
        text = (
            "all random matches ended by the turn limit: look whether the game's own end can be "
            "reached"
        )
        findings.add("turn-limit", text, is_error=False)
    if len(whole) > 1 and len({score for match in whole for score in match.scores}) == 1:
        text = f"every seat has the score {whole[0].scores[0]} in all matches: look at the scores"
        findings.add("scores-equal", text, is_error=False)
    if definition.bundled == "small" and len(played) >= _MANY:
        given = {*REASONS, *(match.reason for match in played)}
        for reason in definition.reasons:
            if reason not in given:
                text = f"no random match ended with the reason {reason!r}: look whether one can"
                findings.add("reason-unused", text, is_error=False)
    if not any(match.count for match in whole):
        findings.add("no-replies", "no seat ever decides anything: set `to_move` in `start`")
    if all(match.is_open for match in played):
        text = "all viewers see the same: nothing of the game is hidden, if that is what you want"
        findings.add("open", text, is_error=False)


def _digest(game: str, seed: int) -> str:
    """Return a digest of some random matches. Another process has the same, if all is well."""
    findings = Findings()
    guard, definition = Guard(findings, 20.0), GAMES[find_game(game)]
    with watching(findings):
        played = play_all(definition, _IN_PROCESS, seed, guard, findings, checks=False)
    rounds = b"".join(b"\n".join([*match.trace, b""]) for match in played)
    return hashlib.sha256(rounds).hexdigest()


if __name__ == "__main__":
    sys.stdout.write(_digest(sys.argv[1], int(sys.argv[2])))
