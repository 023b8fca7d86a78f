"""Runs the rules of a game along with a spectator log.

A spectator log only has the public messages, not the replies that led to them. `InferredMatch`
reads the messages one by one, and the game's `LogPlayer` infers the reply that caused them. The
game carries out that reply, and must publish the same messages as the log. We stop at the first
difference, because from then on the state of the game is unknown, and any further finding would be
a guess.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.json import encode

from referee.games.interface.capabilities import Finding, LogChecker, Unchecked
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Fault
from referee.games.interface.game import LEFT, PUBLIC, Game, GameSetup
from referee.games.interface.log_player import (
    DifferenceError,
    End,
    Gone,
    LogPlayer,
    PartLogPlayer,
    UnfollowedError,
)
from referee.games.interface.seats import seat_id
from referee.games.interface.table import Moved, TableGame

_SHORT_TEXT = 40
"""A difference in a text up to this length is shown with the whole text."""


def checker_of(definition: GameDefinition, names: Sequence[str]) -> LogChecker | None:
    """Create the log checker of a game, or return None if it doesn't have one."""
    if definition.checker is not None:
        return definition.checker(names)
    return (
        None
        if definition.log_player is None
        else InferredMatch(definition, definition.log_player(), names)
    )


class InferredMatch:
    """Reconstructs a match from its public messages. Implements `LogChecker` and `Spectator`."""

    def __init__(self, definition: GameDefinition, player: LogPlayer, names: Sequence[str]) -> None:
        self._definition = definition
        self._player = player
        self._names = tuple(names)
        self._absent: frozenset[int] = frozenset()
        # line numbers and messages from the log that the rules haven't published yet
        self._waiting: list[tuple[int, Struct]] = []
        # messages that the rules have published, but that we haven't read in the log yet
        self._published: deque[Struct] = deque()
        # messages from the log before the first reply, or None once we've inferred that reply
        self._opening: list[tuple[int, Struct]] | None = []
        # how many seats that had to move failed the handshake, as we assume, and the limit of that
        self._assumed, self._most_assumed = 0, len(self._names)
        # all messages from the log, as long as we assume that for any seat
        self._begun: list[tuple[int, Struct]] = []
        self._game: Game | None = None
        self._stopped = self._unfollowed = False
        # findings of `PartLogPlayer.rest`, which only count from where the rules give up
        self._rest: list[Finding | Unchecked] = []
        self._moved: list[Moved] = []

    def read(self, line: int, message: Struct) -> list[Finding | Unchecked]:
        """Check the next message of the log, and return a finding if it breaks the rules.

        Returns `Unchecked` at the first message that depends on something that isn't in the log.
        From then on, it returns the findings of `PartLogPlayer.rest`. After a finding of the rules,
        all later messages are ignored. The message is a public message of the game, `Gone` or
        `End`.
        """
        player = self._player
        rest = player.rest.read(line, message) if isinstance(player, PartLogPlayer) else ()
        if self._stopped:
            return [*rest] if self._unfollowed else []
        self._rest += rest
        try:
            found = self._take((line, message))
        except UnfollowedError as error:
            self._stopped = self._unfollowed = True
            first, _ = self._waiting[0]
            return [Unchecked(first, str(error)), *(own for own in self._rest if own.line >= first)]
        self._stopped = bool(found)
        return [*found]

    def _take(self, read: tuple[int, Struct]) -> list[Finding]:
        if self._opening is not None or self._assumed:
            self._begun.append(read)
        found = self._follow(read)
        while found and self._assumed:
            # Perhaps the last of these seats left in the first turn after all.
            self._most_assumed, self._assumed = self._assumed - 1, 0
            self._begin_again(frozenset(), [])
            if not any(map(self._follow, self._begun)):
                return []
        return found

    def _follow(self, read: tuple[int, Struct]) -> list[Finding]:
        self._waiting.append(read)
        try:
            while self._waiting and (self._compare() if self._published else self._play_on()):
                pass
        except DifferenceError as difference:
            line, found = self._waiting[0]
            section = difference.section or self._player.sections[type(found)]
            shown = difference.found or _shown(found)
            return [Finding(line, section, difference.expected, shown, stops=True)]
        return []

    def observe(self, message: Struct) -> bool | None:
        """Read the next public message, or `Gone`. Part of the `Spectator` protocol.

        Returns True if `view` is up to date, False if we need more messages to infer the next
        reply, and None if the log doesn't fit the rules, or if we can't tell whether it does.
        """
        self.read(1, message)
        if self._stopped:
            return None
        if self._assumed and self._opening is not None:
            return False  # the first reply may show that this seat left in the first turn
        return self._game is not None and not self._waiting and not self._published

    def view(self) -> Struct:
        """Return the view of a spectator, who only sees public information."""
        assert self._game is not None
        return self._game.view(PUBLIC)

    def take_moved(self) -> Sequence[Moved]:
        """Return the moves since the last call.

        The log doesn't show hidden cards, so these may be other cards than in the real match.
        """
        moved, self._moved = self._moved, []
        return moved

    def _compare(self) -> bool:
        expected, found = self._published[0], self._waiting[0][1]
        if isinstance(found, Gone) and self._opening is not None:
            self._begin_without(found.seat)
            return True
        if found != expected and not self._player.settle(self._game, expected, found):
            raise _difference(expected, found, self._player.sections)
        self._published.popleft()
        read = self._waiting.pop(0)
        if self._opening is not None:
            self._opening.append(read)
        return True

    def _may_be_absent(self, seat: int, asked: Sequence[int]) -> bool:
        # A log doesn't say if a seat failed the handshake or left in the first turn. We first
        # assume that it failed the handshake, because the next one may have failed it, too, without
        # having to move.
        if self._opening is None or seat not in asked:
            return self._opening is not None
        assumes = self._assumed < self._most_assumed
        self._assumed += assumes
        return assumes

    def _begin_without(self, seat: int) -> None:
        # At this point we learn from the log that this seat left during the handshake, which
        # changes the game from its start.
        assert self._opening is not None
        if seat in self._absent:
            raise DifferenceError("the disqualification of a seat that is still in the match")
        self._begin_again(self._absent | {seat}, [*self._opening, *self._waiting[1:]])

    def _begin_again(self, absent: frozenset[int], waiting: list[tuple[int, Struct]]) -> None:
        self._absent, self._waiting, self._opening = absent, waiting, []
        self._published.clear()
        self._game = None

    def _play_on(self) -> bool:
        """Advance the rules by one step.

        Returns False if we need more messages from the log to infer the replies.
        """
        game = self._game
        ahead = [message for _, message in self._waiting]
        if game is None:
            game = self._game = self._begin(ahead[0])
        elif game.outcome is not None:
            self._published.append(_end_of(game))
        else:
            gone: list[int] = []
            for message in ahead:
                if not isinstance(message, Gone):
                    break
                gone.append(message.seat)
            asked = [request.seat for request in game.requests]
            if gone and self._may_be_absent(gone[0], asked):
                self._begin_without(gone[0])
                return True
            replies = self._replies(game, gone, ahead[len(gone) :])
            if replies is None:
                return False
            game.advance(replies)
            # the rules don't publish `Gone`, so don't wait until they do
            del self._waiting[: len(gone)]
            self._opening = None
        for event in game.take_events():
            if not isinstance(event, Fault):
                self._published.append(event)
            # A log doesn't contain faults. The only fault that we know about is one that ends the
            # game, since `End` has the reason.
            elif not isinstance(ahead[-1], End):
                raise DifferenceError(f"no {event.code}: {event.detail}", event.section)
        return True

    def _begin(self, info: Struct) -> Game:
        if info.__struct_config__.tag != "game-info":
            section = self._player.sections[self._definition.public[0]]
            raise DifferenceError("a game-info first", section)
        setup = GameSetup(
            chance=self._player.begin(self._names),
            names=self._names,
            options=self._definition.announced(info),
            absent=self._absent,
        )
        game = self._definition.new(setup)
        if isinstance(game, TableGame):
            game.table.watchers.append(lambda moved: self._moved.extend(moved))
        return game

    def _replies(
        self, game: Game, gone: Sequence[int], ahead: Sequence[Struct]
    ) -> dict[int, object] | None:
        replies: dict[int, object] = dict.fromkeys(gone, LEFT)
        for request in game.requests:
            if request.seat not in replies:
                reply = self._player.reply(game, request, ahead) if ahead else None
                if reply is None:
                    return None
                replies[request.seat] = reply
        if len(replies) > len(game.requests) or len(set(gone)) < len(gone):
            raise DifferenceError("the disqualification of a seat that has to move")
        return replies


def _end_of(game: Game) -> End:
    assert game.outcome is not None
    scores = [standing.score for standing in game.standings()]
    winners = [seat_id(seat) for seat in game.outcome.winners]
    return End(scores, winners, game.outcome.reason)


def _shown(message: Struct) -> str:
    match message:
        case Gone(seat):
            return f"player-disqualified of {seat_id(seat)}"
        case End(scores, winners, reason):
            return f"game-end: scores {scores}, winners {winners}, reason {reason}"
    return encode(message).decode()


def _difference(
    expected: Struct, found: Struct, sections: Mapping[type[Struct], str]
) -> DifferenceError:
    """Compare two different messages, and name the innermost field that differs."""
    if type(expected) is not type(found):
        is_end = isinstance(expected, End)
        return DifferenceError(_shown(expected), sections[End] if is_end else "")
    where, ours, theirs = "", to_builtins(expected), to_builtins(found)
    while type(ours) is type(theirs):
        if isinstance(ours, dict) and ours.keys() == theirs.keys():
            keys: Iterable[Any] = ours
            step = ".{}" if where else "{}"
        elif isinstance(ours, list | str) and len(ours) == len(theirs):
            # People can compare two words without our help, but not two large grids.
            if isinstance(ours, str) and len(ours) <= _SHORT_TEXT:
                break
            keys, step = range(len(ours)), "[{}]"
        else:
            break
        key = next((key for key in keys if ours[key] != theirs[key]), None)
        if key is None:
            break
        where += step.format(key)
        ours, theirs = ours[key], theirs[key]
    tag = expected.__struct_config__.tag or "game-end"  # only `End` has no tag
    shown = (encode(part).decode() for part in (ours, theirs))
    mine, other = (f"{tag} with `{where}` {part}" for part in shown)
    return DifferenceError(mine, found=other)
