"""Builds the steps of a match's page.

There's a class for each source of events: `MatchSteps` for a match that we replay, `SeatSteps` for
one seat of a match in progress, and `LogSteps` for public messages.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from referee.games.interface.capabilities import Phrase, Picture
from referee.games.interface.counts import plural
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Fault
from referee.games.interface.game import ALL, PUBLIC, Audience, Viewer
from referee.games.interface.log_player import Gone
from referee.games.interface.page import Counter, Now, Series, Spectator
from referee.games.interface.seats import seat_index, seat_of
from referee.games.interface.sentence import Part, Seat
from referee.games.interface.table import Move, Moved
from referee.logs.inferred import InferredMatch
from referee.logs.record import StderrEntry
from referee.logs.stderr import lines_of, text_of
from referee.match.machine import Disqualified, Entry, Match, Received, Sent
from referee.match.messages import GameEnd, PlayerDisqualified, PlayerName
from referee.match.pages import game_page
from referee.names import shown_names
from referee.web.data import Header, Line, Mark, MatchPage, Moment, Rule, Step, TurnText
from referee.web.done import NOTHING, Done
from referee.web.turned import turning_points

# Scores aren't part of views, so a game that doesn't define any curves gets a curve of its scores.
POINTS = Series("points", "", lambda view: [])
# Most parts of most steps are empty. A long log has very many steps, so they share one object.
_NONE: dict[str, Any] = {}


# For each viewer: the actions of the current turn, and the card moves that no step contains yet.
_Known: TypeAlias = tuple[Mapping[str, Done], dict[str, list[Move]]]
# A state in the middle of a round, after a card has moved: views, scores, the viewers' knowledge,
# and the turn.
_Between: TypeAlias = tuple[Mapping[str, Any], Sequence[float], _Known, int]


class Steps:
    """Base class, which collects the steps, turns and lines of a page."""

    def __init__(self, definition: GameDefinition, viewers: Sequence[Viewer]) -> None:
        self.steps: list[Step] = []
        self.lines: list[Line] = []
        self.turns: list[TurnText] = []
        self.names: list[str] = []  # the displayed names, when we know them
        self.given: Sequence[str] = ()  # for shown_names(), like `bots`
        self.bots: Sequence[str] = ()
        self.viewers = [_key(viewer) for viewer in viewers]
        self._definition = definition
        self._by_key = {_key(viewer): viewer for viewer in viewers}
        self._reader: Any = None  # the turn reader, created when we know the names
        page = definition.page
        self.series = (POINTS,) if page is None else page.series
        self._shows_result = page is not None and page.shows_result
        self._fields = None if page is None else page.fields
        self._views: dict[str, dict[str, Any]] = {}  # the result of `_fields`, by viewer
        self._values: dict[str, list[float]] = {}
        self._now_of = None if page is None else page.now
        self._now: dict[str, Now] = {}
        self._last_action: Sequence[Part] = ()
        self._marks: list[Mark] = []
        self._first_line = 0
        self._between: list[_Between] = []
        self._done: dict[str, Done] = dict.fromkeys(self._by_key, NOTHING)
        self._moves: dict[str, list[Move]] = {}
        self._shown_done: dict[str, Done] = {}  # `_done` as of the last step
        self._done_before = self._done  # `_done` at the end of the previous turn
        self._shown_views: Mapping[str, Any] = {}  # as of the last step

    def close(self) -> None:
        """Give the last step the lines and marks that came after its state."""
        if self.steps:
            last = self.steps[-1]
            marks = [*last.marks, *self._marks]
            lines = (last.lines[0], len(self.lines))
            self.steps[-1] = msgspec.structs.replace(last, lines=lines, marks=marks)

    def page(self, header: Header) -> MatchPage:
        """Return the data of the page so far."""
        winners = () if header.outcome is None else header.outcome.winners
        return MatchPage(header, self.turns, self.steps, self.lines, self.turning_points(winners))

    def turning_points(self, winners: Sequence[int] = ()) -> list[Moment]:
        """Return the turning points so far. `winners` are the seats that won."""
        return turning_points(self.turns, self.steps, self.series[0].name, winners)

    def merge_viewers(self) -> None:
        """Merge all viewers into one, if they all see the same in this match.

        In a game without hidden information it makes no difference whose view a page shows, so
        people shouldn't have to choose a viewer.
        """
        first, *others = self.viewers
        if all(step.set.get(key) == step.set.get(first) for step in self.steps for key in others):
            self.viewers = [first]
            for step in self.steps:
                for key in others:
                    step.set.pop(key, None)
                    step.now.pop(key, None)
                    step.moves.pop(key, None)

    def rules(self) -> dict[str, Rule]:
        """Return the sections of the game's protocol that explain the codes in this match."""
        page = game_page(self._definition)
        found = {mark.code for step in self.steps for mark in step.marks}
        rules = {}
        for code in page.codes:
            section = page.sections.get(code.section)
            if code.code in found and section is not None:
                rules[code.code] = Rule(code.kind, code.section, section.title, section.text)
        return rules

    def _begin(self, match: Match | None = None) -> None:
        if self._definition.turns is not None:
            self._reader = self._definition.turns(self.names)
            self._reader.called = self.names
        if match is not None:
            match.watch(partial(self._moved, match))

    def _moved(self, match: Match, what: Sequence[Moved]) -> None:
        learned = self._update_knowledge(what)
        last = self._between[-1][0] if self._between else self._shown_views
        views = {
            key: match.view(viewer) if key in learned or not (what and last) else last[key]
            for key, viewer in self._by_key.items()
        }
        # We don't add a step if no view has changed. Otherwise, a seat could count the steps and
        # notice that a hidden card was moved.
        if views != last:
            known = match.standings() if POINTS in self.series and "all" in self._by_key else ()
            scores = [standing.score for standing in known]
            self._between.append((views, scores, self._known(), match.turns))

    def _update_knowledge(self, moved: Iterable[Moved]) -> set[str]:
        # Most of the time there are only two kinds of viewers: the player who did something, and
        # everybody else. All viewers of a kind learn the same, so we compute it once per kind.
        learned: set[str] = set()
        for what in moved:
            is_public = bool(what.public or what.told)
            known: list[tuple[bool, Done, Done]] = []  # (own, before, after)
            for key, viewer in self._by_key.items():
                own = viewer is ALL or viewer == what.seat
                if not (own or is_public):
                    continue
                done, seen = self._done[key], what.moves_for(viewer)
                if seen:
                    self._moves.setdefault(key, []).extend(seen)
                after = next((new for of, old, new in known if of == own and old is done), None)
                if after is None:
                    after = done.after(what, viewer, seen)
                    known.append((own, done, after))
                learned.add(key)
                self._done[key] = after
        return learned

    def _known(self) -> _Known:
        # A move must not appear in two steps, so the next step starts with an empty collection.
        moves, self._moves = self._moves, {}
        return self._done.copy(), moves

    def _add_between(self, turn: int) -> None:
        """Add a step for each card that was moved in the middle of the round.

        The caller adds another step for the end of the round.
        """
        between, self._between = self._between, []
        if self.steps:
            last = self.steps[-1]
            own = between if turn > last.turn else between[:-1]
            for views, scores, known, at in own:
                # A seat gets no step for a round without messages to it, so this may be a later
                # turn than that of the last step.
                of = max(self.steps[-1].turn, min(at, turn))
                seats = last.seats if of == last.turn else ()
                self._add(of, views, scores, seats, said=False, known=known)
            # The caller adds the last of these states, so the moves of that state have to wait for
            # the caller's step.
            if len(own) < len(between):
                _, _, (_, moves), _ = between[-1]
                for key, later in self._moves.items():
                    moves.setdefault(key, []).extend(later)
                self._moves = moves

    def _add(
        self,
        turn: int,
        views: Mapping[str, Struct],
        scores: Sequence[float] | None,
        seats: tuple[int, ...] = (),
        time: float | None = None,
        said: bool = True,
        ends: int = 0,
        known: _Known | None = None,
    ) -> None:
        """Add a step.

        Args:
            said: if True, the step gets the lines and marks since the last step.
            known: the viewers' knowledge at this step. The default is their current knowledge.
        """
        changed = {}
        new_now, moves = self._changed_now(turn, views, known)
        shown, self._shown_views = self._shown_views, views
        for key, view in views.items():
            before = shown.get(key)
            if view is not before and (new := self._changes(key, before, view)):
                changed[key] = new
        anybodys = next(iter(views.values()), None)
        values = {
            series.name: list(scores or ()) if series is POINTS else series.of(anybodys)
            for series in self.series
        }
        new_values = {name: of for name, of in values.items() if self._values.get(name) != of}
        self._values = values
        lines, marks = (self._first_line, self._first_line), []
        if said:
            lines, marks = (self._first_line, len(self.lines)), self._marks
            self._first_line, self._marks = len(self.lines), []
        step = Step(
            turn, lines, seats, changed or _NONE, new_now or _NONE, moves or _NONE,
            new_values or _NONE, marks or (), time, ends,
        )  # fmt: skip
        self.steps.append(step)
        here = len(self.steps) - 1
        # Turns never go back, so a larger number begins a new one.
        if not self.turns or self.turns[-1].turn < turn:
            self.turns.append(TurnText(turn, here, here))
        else:
            self.turns[-1].last = here
        if self._reader is not None and self._reader.now.turn == turn:
            self.turns[-1].seats = self._reader.active()

    def _changes(self, key: str, before: Any, view: Any) -> dict[str, Any]:
        if self._fields is not None:
            old, self._views[key] = self._views.get(key, {}), self._fields(view)
            known = self._views[key].items()
            return {name: of for name, of in known if name not in old or old[name] != of}
        names = zip(view.__struct_fields__, view.__struct_encode_fields__, strict=True)
        return {
            shown: msgspec.to_builtins(getattr(view, name))
            for name, shown in names
            if before is None or getattr(before, name) != getattr(view, name)
        }

    def _changed_now(
        self, turn: int, views: Mapping[str, Any], known: _Known | None
    ) -> tuple[dict[str, Now], dict[str, list[Move]]]:
        reader, active = self._reader, ()
        if reader is not None and reader.now.turn == turn:
            active = reader.active()
        if known is None:
            if self.turns and turn > self.turns[-1].turn:
                self._done_before = self._done
                self._done = {key: of.in_turn_of(active) for key, of in self._done.items()}
            known = self._known()
        done, moves = known
        new = {}
        for key, view in views.items():
            of = done[key]
            # Nothing has changed for this viewer, so there's no need to compute it again.
            if view is self._shown_views.get(key) and of is self._shown_done.get(key):
                continue
            self._shown_done[key] = of
            if self._now_of is None:
                now = Now(active[0] if len(active) == 1 else None, (), self._last_action)
            else:
                now = self._now_of(view)
                if of.counters and now.seat is None:
                    names = (counter.name for counter in now.counters)
                    counters = tuple(map(Counter, names, of.counters))
                    now = msgspec.structs.replace(now, seat=of.seat, counters=counters)
                if of.did or of.played:
                    now = msgspec.structs.replace(now, did=of.did, played=of.played, got=of.got)
            if self._now.get(key) != now:
                new[key] = self._now[key] = now
        return new, moves

    def _note_last_action(self, over: Sequence[Any]) -> None:
        # A game without `PageDefinition.now` doesn't say what happens right now. The actions of the
        # last turn are the next best thing.
        if self._now_of is None and over:
            seats = self._reader.seats(over[-1])
            who: list[Part] = [Seat(seats[0]), " "] if len(seats) == 1 else []
            self._last_action = [*who, *self._reader.line(over[-1])]

    def _add_finished_turns(self, over: Iterable[Any]) -> None:
        here = max(len(self.steps) - 1, 0)
        for made in over:
            turn = next((turn for turn in reversed(self.turns) if turn.turn == made.turn), None)
            if turn is None:  # this turn doesn't have any steps
                turn = TurnText(made.turn, here, here)
                insort(self.turns, turn, key=lambda turn: turn.turn)
            turn.title = self._reader.title(made)
            turn.seats = self._reader.seats(made)
            turn.line = self._reader.line(made)
            turn.scores = made.scores
            turn.show = self._shown(made)

    def _shown(self, turn: Any) -> list[Phrase | Picture]:
        shown: list[Phrase | Picture] = self._reader.show(turn)
        if self._definition.page is None:
            return shown
        return [part for part in shown if isinstance(part, Phrase)]

    def _add_line(self, entry: Sent | Received) -> None:
        if type(entry) is Sent:
            kind = "all" if entry.to is None else "sent"
            self.lines.append(Line(kind, entry.to, entry.line.decode().rstrip("\n")))
        elif type(entry) is Received:
            self.lines.append(Line("received", entry.seat, entry.line.decode(errors="replace")))

    def _read_public(self, message: Struct | None) -> Sequence[Any]:
        reader = self._reader
        if isinstance(message, PlayerDisqualified):
            seat = seat_index(message.player_number)
            self._marks.append(Mark("disqualified", seat, message.reason))
            if reader is not None:
                return reader.disqualify(seat, message.reason)  # type: ignore[no-any-return]
        elif isinstance(message, GameEnd):
            self._marks.append(Mark("end", code=message.reason))
            return [] if reader is None else reader.end()
        elif reader is not None and not isinstance(message, PlayerName):
            return reader.read(message, None)  # type: ignore[no-any-return]
        return []


class MatchSteps(Steps):
    """The steps of a replayed match, for all viewers. Each card that moves gets a step of its own.

    Args:
        given, bots: arguments of `shown_names`.
    """

    def __init__(
        self,
        definition: GameDefinition,
        viewers: Sequence[Viewer],
        given: Sequence[str] = (),
        bots: Sequence[str] = (),
    ) -> None:
        super().__init__(definition, viewers)
        self.given, self.bots = given, bots
        # For each seat, the last part of its stderr.
        self._stderr: dict[int | None, StderrEntry] = {}

    def add(self, match: Match, entries: Iterable[Entry], time: float) -> None:
        """Add a round. `time` is the number of seconds since the bots were started."""
        if not self.names and not match.in_handshake:
            self.names = shown_names(match.names, self.given, self.bots)
            self._begin(match)
        over: list[Any] = []
        for entry in entries:
            if type(entry) is Sent or type(entry) is Received:
                self._add_line(entry)
            over += self._read_entry(entry)
        if match.in_handshake:
            return
        if match.outcome is not None:
            self._marks.append(Mark("end", code=match.outcome.reason))
            if self._reader is not None:
                over += self._reader.end()
        views: dict[str, Any] = {key: match.view(of) for key, of in self._by_key.items()}
        scores = [standing.score for standing in match.standings()]
        # In some games, a page shows the result of a turn, so the state belongs to the turn that
        # has just ended. In other games it's already the start of the next turn.
        begun = [made.turn for made in over] if self._shows_result else [match.turns]
        turn = max([self.turns[-1].turn if self.turns else 1, *begun])
        asked = self.steps[-1].turn if self.steps and not self._shows_result else turn
        self._add_between(turn)
        ends = asked if asked != turn else 0
        self._note_last_action(over)
        self._add(turn, views, scores, match.due, round(time, 3), ends=ends)
        self._add_finished_turns(over)
        if match.outcome is not None:
            self.turns[-1].scores = scores

    def end_opening(self, rounds: int) -> None:
        """Mark the next step as the end of an opening of this length."""
        text = f"the opening ends here: {plural(rounds, 'round')} of replies drawn at random"
        self._marks.append(Mark("opening", detail=text))

    def add_stderr(self, entry: StderrEntry) -> None:
        """Add the stderr that a bot wrote before its next reply."""
        seat = seat_of(entry.player_number, self._definition.max_seats)
        self._stderr[seat] = entry
        self.lines.append(Line("stderr", seat, text_of(entry)))
        self._marks.append(Mark("stderr", seat))

    def _read_entry(self, entry: Entry) -> Sequence[Any]:
        reader = self._reader
        if type(entry) is Fault:
            self._marks.append(Mark("fault", entry.seat, entry.code, entry.section, entry.detail))
            if reader is not None:
                reader.fault(entry)
        elif type(entry) is Disqualified:
            self._marks.append(Mark("disqualified", entry.seat, entry.code, "", entry.detail))
            if reader is not None:
                text, said = f"{entry.code}, {entry.detail}", lines_of(self._stderr.get(entry.seat))
                return reader.disqualify(entry.seat, text, said)  # type: ignore[no-any-return]
        kinds = (*self._definition.public, *self._definition.requests)
        if type(entry) is Sent and reader is not None and isinstance(entry.message, kinds):
            return reader.read(entry.message, entry.to)  # type: ignore[no-any-return]
        return ()


class SeatSteps(Steps):
    """The steps of a match as one seat sees it, from its messages and its own replies.

    A person must not learn more than a bot would in the same seat. That's why a round gets no step
    if the seat gets no message, and why steps have no times: otherwise you could see how long
    somebody else was thinking, or that they had a decision to make.
    """

    def __init__(self, definition: GameDefinition, seat: int) -> None:
        super().__init__(definition, (seat,))
        self._seat = seat
        self._turn = 1
        self._own_turns = 0
        self._has_left = False

    def add(self, match: Match, entries: Iterable[Entry]) -> bool:
        """Add a complete round. Returns True if there is a new step."""
        if not self.names and not match.in_handshake:
            self.names = shown_names(match.names, self.given, self.bots)
            self._begin(match)
        over: list[Any] = []
        for entry in entries:
            # A disqualified seat gets no more messages, so the page must not show later messages
            # either.
            if self._has_left:
                break
            if type(entry) is Sent and entry.to in (None, self._seat):
                self._add_line(entry)
                if entry.to is None:
                    over += self._read_public(entry.message)
            elif type(entry) is Received and entry.seat == self._seat:
                self._add_line(entry)
            elif type(entry) is Disqualified and entry.seat == self._seat:
                self._marks.append(Mark("disqualified", entry.seat, entry.code, "", entry.detail))
                self._has_left = True
        if match.in_handshake or not (self._marks or self._first_line < len(self.lines)):
            return False
        standings = match.standings()
        scores = None if match.outcome is None else [standing.score for standing in standings]
        asked = self._seat in match.due
        # A game with a turn reader announces its turns. Then a seat learns (maybe late) from the
        # messages that a turn has ended, or from a request that its own turn has begun.
        begins = scores is None and not self._shows_result
        turns = [turn.turn + begins for turn in over]
        own = asked and not self._shows_result
        if self._reader is None or (own and standings[self._seat].turns > self._own_turns):
            turns.append(match.turns)
            self._own_turns = standings[self._seat].turns
        self._turn = max([self._turn, *turns])
        views: dict[str, Any] = {key: match.view(of) for key, of in self._by_key.items()}
        self._add_between(self._turn)
        self._note_last_action(over)
        self._add(self._turn, views, scores, (self._seat,) if asked else ())
        self._add_finished_turns(over)
        return True


class LogSteps(Steps):
    """The steps of a spectator log. There's one for each public message that completes a state.

    The page shows the players by `names`, but the log itself may use the names in `own`. Both are
    in seat order.
    """

    def __init__(
        self, definition: GameDefinition, names: Sequence[str], own: Sequence[str]
    ) -> None:
        super().__init__(definition, (PUBLIC,))
        self.names = list(names)
        self._begin()
        self.seats = len(names)
        self._over = 0  # number of finished turns
        self._spectator = _spectator(definition, own)
        # False until there's a state to show. Without a spectator there never is one, so we don't
        # wait.
        self._seen = self._spectator is None

    def add(self, message: Struct, line: str) -> bool:
        """Add a message and its line. Returns False if the rules don't allow this message here."""
        self.lines.append(Line("all", None, line))
        if isinstance(message, PlayerName):
            return True
        over = self._read_public(message)
        whole: bool | None = self._seen
        if isinstance(message, PlayerDisqualified):
            if isinstance(self._spectator, InferredMatch):
                whole = self._spectator.observe(Gone(seat_index(message.player_number)))
        elif self._spectator is not None and not isinstance(message, GameEnd):
            whole = self._spectator.observe(message)
        self._seen = self._seen or bool(whole)
        self._over = max([self._over, *(turn.turn for turn in over)])
        if isinstance(message, GameEnd):
            self._end_turns()
        is_over = isinstance(message, GameEnd) and bool(self._over)
        turn = self._over + (not is_over and not self._shows_result)
        self._add_silent_turns(over, turn)
        if whole:
            views: dict[str, Any] = {}
            if self._spectator is not None:
                views[PUBLIC.value] = self._spectator.view()
                if self._now_of is not None:
                    self._update_knowledge(self._spectator.take_moved())
            self._note_last_action(over)
            self._add(max(turn, 1), views, None)
        self._add_finished_turns(over)
        if isinstance(message, GameEnd) and self.turns and self.turns[-1].scores is None:
            self.turns[-1].scores = message.scores[: self.seats]
        return whole is not None

    def _add_silent_turns(self, over: Sequence[Any], turn: int) -> None:
        """Add a step for each turn that has ended before `turn` without any message."""
        for made in over:
            if self.turns and self.turns[-1].turn < made.turn < turn:
                self._add(made.turn, self._shown_views, None, said=False)

    def _end_turns(self) -> None:
        # The match ended before anything happened in the last few turns, so we move their states to
        # the last turn that really took place.
        while len(self.turns) > 1 and self.turns[-1].turn > self._over:
            none = self.turns.pop()
            self._done = self._done_before
            for step in range(none.first, none.last + 1):
                self.steps[step] = msgspec.structs.replace(self.steps[step], turn=self._over)
            self.turns[-1].last = none.last


def _spectator(definition: GameDefinition, names: Sequence[str]) -> Spectator | None:
    page = definition.page
    if page is None:
        return None
    if page.spectator is not None:
        return page.spectator(len(names))
    return (
        None
        if definition.log_player is None
        else InferredMatch(definition, definition.log_player(), names)
    )


def _key(viewer: Viewer) -> str:
    return viewer.value if isinstance(viewer, Audience) else str(viewer)
