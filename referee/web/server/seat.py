"""Let people play in the browser: send events to the page of a seat, and take its replies.

    /seat/ID/N           the page; opening it requires the token after # in its link
    /seat/ID/N/enter     POST {token, tab}: sets a cookie for the token; the tab takes the seat
    /seat/ID/N/events    run, after, tab, wait: new events, as soon as there are any
    /seat/ID/N/answer    POST {tab, run, request, picks}; picks null leaves the match

Since connections get lost, events have numbers, so that a page can ask for them again. Questions
have numbers, too, which makes it safe to repeat an answer. See spec/serve.md, 6, for the details.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from math import inf
from typing import TypeVar

import msgspec
import trio
from msgspec import Struct
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from referee.bots.command import HUMAN, PythonBot
from referee.bots.person import PersonBot, person_rules
from referee.course import Played
from referee.errors import LogWriteError, UsageError
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialogue import Picks, Question, problem_with
from referee.inputs import read_input
from referee.match.machine import Entry, Match, Sent
from referee.match.spec import MatchSpec
from referee.runner import Runner
from referee.web.data import MatchPage, course_of
from referee.web.pages import pages
from referee.web.pages.links import ServedLinks
from referee.web.recorded import from_answers, seat_header
from referee.web.server.guard import as_json, whole_number
from referee.web.steps import SeatSteps

# A request for news waits at most this many seconds. Then we respond that there's nothing new.
POLL_SECONDS = 25.0
# The server doesn't stop before the pages have fetched the end of the match, but it waits for this
# many seconds at most.
END_SECONDS = 5.0
MOST_BODY = 64 * 1024
BODY_SECONDS = 10.0
# The text of a turn can change after we've sent it, so we check this many of the latest turns.
_LAST_TURNS = 8
_MOVED = "This seat is open in another tab, which was opened later."

# The suffix of a file beside a record. It exists as long as people can use their links.
LINKS_SUFFIX = ".seats"

Body = TypeVar("Body", bound=Struct)


class Links(Struct, frozen=True):
    """The links to the seats of a match. We save them, so that they still work after a restart.

    The file has digests of the tokens (by seat) rather than the tokens themselves, so reading it
    isn't enough to take a seat.
    """

    id: str
    digests: dict[int, str]
    port: int


def links_beside(record: str) -> Links | None:
    """Load the links from the file beside a record. Returns None if there's no such file.

    Raises:
        UsageError: the file is not valid.
    """
    name = record + LINKS_SUFFIX
    if not os.path.exists(name):
        return None
    try:
        return msgspec.json.decode(read_input(name), type=Links)
    except (UsageError, ValueError, RecursionError) as error:
        # The decoder's errors are ValueErrors, too.
        raise UsageError(f"{name} has no links: remove it, and new ones are made") from error


class ClaimSeat(Struct):
    """A tab claims the seat. If the token isn't given here, the cookie must contain it."""

    tab: str
    token: str = ""


class Answered(Struct):
    """A person's answer to a question. If `picks` is None, the person leaves the match."""

    tab: str
    run: str
    request: int
    picks: list[int] | None


class Refused(Exception):
    """Refuses a request with an HTTP status, and a sentence that tells the person why."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


class LiveSeat:
    """A person's seat, with the events to send and the replies. Implements `HumanTerminal`.

    Only one tab can play. If you open the link a second time, e.g. on your phone, the new tab gets
    the seat, and the old one says so.

    Args:
        digest: digest of an existing token. If it's empty, we create a new token.

    Attributes:
        token: the secret of the link. It's empty if we only know the secret's SHA-256 digest.
        run: a random id, which changes when the server is restarted during the match.
        used: when a tab last entered or replied, on trio's clock, or None if this never happened.
        ends: the time, on trio's clock, at which the match ends unless a tab enters or replies.
        is_over: True if the match has ended or can't continue.
        has_end: set when the page has fetched the end of the match.
    """

    def __init__(self, definition: GameDefinition, number: int, digest: str = "") -> None:
        self.token = "" if digest else secrets.token_urlsafe(16)
        self.digest = digest or _digest(self.token)
        self.run = secrets.token_hex(8)
        self.used: float | None = None
        self.has_end = trio.Event()
        self._steps = SeatSteps(definition, number)
        self._number = number
        self._events: list[tuple[str, bytes]] = []  # (kind, JSON) pairs
        self._news = trio.Event()
        self.is_over = False
        self._tab = ""
        self._poll = 0  # number of the latest poll
        self._request = 0  # number of the last question
        self._question: Question | None = None
        self._answer: Picks | None = None
        self._answered = trio.Event()
        self._turns: dict[int, bytes] = {}  # for each turn, the JSON that we sent last
        self.ends = self._limit = inf

    # --- HumanTerminal ----------------------------------------------------------------------------

    def tell(self, seat: int, lines: Sequence[str]) -> None:
        """Show lines of text on the page."""
        if lines:
            self._add("told", lines=lines)

    @asynccontextmanager
    async def turn_of(self, seat: int) -> AsyncIterator[None]:
        """Do nothing. People may have to share a terminal, but each of them has their own page."""
        yield

    async def ask(self, question: Question) -> Picks | None:
        """Send a question to the page, and wait for its answer."""
        self._request += 1
        self._question, self._answered = question, trio.Event()
        shown = {name: getattr(question, name) for name in question.__struct_fields__}
        # They're functions, so we can't send them. problem_with() calls `check` for the answer.
        del shown["check"], shown["read"]
        self._add("question", request=self._request, question=shown)
        await self._answered.wait()
        return self._answer

    # --- requests of the page ---------------------------------------------------------------------

    def accepts(self, token: str) -> bool:
        """Check whether a token belongs to this seat."""
        # This takes the same time for every token. With `==`, an attacker could measure how much of
        # a guess is right.
        return secrets.compare_digest(_digest(token), self.digest)

    def enter(self, tab: str) -> None:
        """Give the seat to a tab. The tab that had it until now finds out from its next poll."""
        self._mark_used()
        self._tab = tab
        self._wake()

    def limit(self, seconds: float) -> None:
        """End the match if no tab enters or replies for this many seconds.

        Without this call, people can take as long as they like.
        """
        self._limit = seconds
        self.ends = trio.current_time() + seconds

    def _mark_used(self) -> None:
        self.used = trio.current_time()
        self.ends = self.used + self._limit

    async def news(self, tab: str, run: str, after: int, *, wait: bool) -> bytes:
        """Return the events from number `after` on. If there aren't any yet, this may wait.

        Args:
            run: the run of the server that counted up to `after`. Numbers begin again after a
                restart, so a page from an earlier run gets all events.
            wait: if True, wait for up to `POLL_SECONDS`.
        """
        self._poll += 1
        own = self._poll
        self._wake()  # If there's an older poll, its connection is probably lost, so end it
        first = after if run == self.run and after <= len(self._events) else 0
        with trio.move_on_after(POLL_SECONDS if wait and not self.is_over else 0):
            while first == len(self._events) and own == self._poll and self._is_current(tab):
                await self._news.wait()
        if not self._is_current(tab):
            moved = {"type": "moved", "problem": _MOVED}
            return msgspec.json.encode({"run": "", "next": 0, "events": [moved]})
        events = [msgspec.Raw(data) for data in self._events_from(first)]
        left = inf if self._question is None else max(self.ends - trio.current_time(), 0.0)
        seconds = None if left == inf else round(left, 1)
        news = {"run": self.run, "next": len(self._events), "events": events, "seconds": seconds}
        return msgspec.json.encode(news)

    async def note_end(self, after: int) -> None:
        """Called when the page has the events before `after`. Sets `has_end` after the last one."""
        if self.is_over and after >= len(self._events):
            self.has_end.set()

    def answer(self, given: Answered) -> None:
        """Accept the answer to the current question. Repeating the same answer is fine.

        Raises:
            Refused: the answer isn't valid, or belongs to another tab or another question.
        """
        if not self._is_current(given.tab):
            raise Refused(409, _MOVED)
        if given.run != self.run:
            raise Refused(409, "The server was restarted: look at the current question.")
        picks = None if given.picks is None else tuple(given.picks)
        if self._question is None or given.request != self._request:
            # If our response got lost, the page sends its answer again.
            if given.request == self._request and self._request and picks == self._answer:
                return
            if given.request > self._request:
                raise Refused(422, "This question does not exist any more.")
            raise Refused(409, "This was answered before.")
        if picks is not None and (problem := problem_with(self._question, picks)):
            raise Refused(422, problem)
        self._mark_used()
        self._question, self._answer = None, picks
        self._add("question", request=self._request, question=None)
        self._answered.set()

    def _is_current(self, tab: str) -> bool:
        # After a restart we don't know which tab had the seat, so the first one that comes gets it.
        self._tab = self._tab or tab
        return tab == self._tab

    # --- events for the page ----------------------------------------------------------------------

    def observe(self, spec: MatchSpec, match: Match, entries: Sequence[Entry]) -> None:
        """Add the events of a round, unless the round has nothing for this seat."""
        made = self._steps
        made.given, made.bots = spec.names, spec.bots
        steps, lines = len(made.steps), len(made.lines)
        if not made.add(match, entries):
            return
        if not steps:
            header = seat_header(spec, made)
            self._add("reset", seat=self._number, **msgspec.structs.asdict(made.page(header)))
            return
        encode, sent, last = msgspec.json.encode, self._turns, made.turns[-_LAST_TURNS:]
        turns = [turn for turn in last if sent.get(turn.turn) != encode(turn)]
        sent |= {turn.turn: encode(turn) for turn in turns}
        news = {"steps": made.steps[steps:], "lines": made.lines[lines:], "turns": turns}
        self._add("steps", turned=made.turning_points(), **news)

    def end(self, whole: MatchPage) -> None:
        """Show the complete match, including everything that was hidden from this seat."""
        self._question = None
        self._add("question", request=self._request, question=None)
        about = {"header": whole.header, "seat": self._number, "lines": whole.lines}
        self._add("reset", **about, **course_of(whole))
        self.is_over = True
        self._add("end", header=whole.header)

    def give_up(self, problem: str) -> None:
        """Tell the page that the match can't continue."""
        if not self.is_over:
            self.is_over = True
            self._add("gone", problem=problem)

    def _add(self, kind: str, **values: object) -> None:
        self._events.append((kind, msgspec.json.encode({"type": kind, **values})))
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = trio.Event()

    def _events_from(self, first: int) -> Iterator[bytes]:
        # A page which starts from the beginning doesn't need everything: only the last question
        # still needs an answer, and a `reset` replaces all steps before it.
        last = {kind: number for number, (kind, _) in enumerate(self._events)}
        for number, (kind, data) in enumerate(self._events[first:], first):
            if kind == "question":
                stays = number == last[kind]
            else:
                stays = kind in ("told", "end", "gone") or number >= last["reset"]
            if stays:
                yield data


class MatchSession:
    """A match with human players in browsers.

    Args:
        game: a key of `GAMES`.
        bots: the BOT arguments in seat order, with `HUMAN` for people.
        known: existing links to continue with. If it's None, we create new ones.

    Attributes:
        id: its name in addresses.
        port: port in the links, or 0 if we don't know it.
        seats: the people's seats, by number.
        again: the address that begins a return match, or empty.
    """

    def __init__(self, game: str, bots: Sequence[str], known: Links | None = None) -> None:
        definition = person_rules(game)
        known = known or Links(secrets.token_hex(8), {}, 0)
        self.id, digests, self.port = known.id, known.digests, known.port
        self.game = game
        self.seats = {
            number: LiveSeat(definition, number, digests.get(number, ""))
            for number, bot in enumerate(bots)
            if bot == HUMAN
        }
        self.again = ""
        self._pending: list[Entry] = []

    def person(self, number: int) -> PythonBot:
        """Return a bot that asks the person at this seat."""
        definition, seat = GAMES[self.game], self.seats[number]
        return PythonBot(HUMAN, lambda: PersonBot(definition, seat))

    def links(self) -> list[str]:
        """Return the addresses of all pages, in seat order. They contain tokens if we know them."""
        return [
            f"/seat/{self.id}/{number}" + (f"#{seat.token}" if seat.token else "")
            for number, seat in self.seats.items()
        ]

    def save_links(self, record: str) -> None:
        """Write digests of the links to a file that only its owner can read.

        Raises:
            LogWriteError: the file can't be written.
        """
        name = record + LINKS_SUFFIX
        digests = {number: seat.digest for number, seat in self.seats.items()}
        data = msgspec.json.encode(Links(self.id, digests, self.port))
        try:
            made, part = tempfile.mkstemp(dir=os.path.dirname(name) or ".")  # has mode 0600
            with open(made, "wb") as file:
                file.write(data)
            # If we are killed right now, there's either the old file or the new one, but never half
            # of it.
            os.replace(part, name)
        except OSError as error:
            raise LogWriteError(name, error) from error

    def delete_links(self, record: str) -> None:
        """Delete the file, since nobody needs the links after the match."""
        with suppress(OSError):
            os.unlink(record + LINKS_SUFFIX)

    def watch(self, spec: MatchSpec, runner: Runner) -> None:
        """Send the events of a match to the seats while `runner` plays it."""
        listeners = runner.course.listeners
        listeners.append(lambda match, entries: self._add_entries(spec, match, entries))

    def _add_entries(self, spec: MatchSpec, match: Match, entries: list[Entry]) -> None:
        # In a simultaneous round, no page may show who replied first, so we hold back the entries
        # until the next question is sent.
        self._pending += entries
        asks = any(type(entry) is Sent and entry.to is not None for entry in self._pending)
        if match.outcome is not None or asks:
            entries_of_round, self._pending = self._pending, []
            for seat in self.seats.values():
                seat.observe(spec, match, entries_of_round)

    def end(self, spec: MatchSpec, played: Played) -> None:
        """Show the complete match to all seats."""
        whole = from_answers(spec, played.answers)
        for seat in self.seats.values():
            seat.end(whole)

    async def shown(self) -> None:
        """Wait until the pages have fetched the end of the match, or seem to have gone.

        If a seat was never used, there is nobody to wait for.
        """
        with trio.move_on_after(END_SECONDS):
            for seat in self.seats.values():
                if seat.used is not None:
                    await seat.has_end.wait()

    @property
    def is_over(self) -> bool:
        """True if the match has ended, or can't continue, for every seat."""
        return all(seat.is_over for seat in self.seats.values())

    def give_up(self, problem: str) -> None:
        """Tell all seats that the match can't continue."""
        for seat in self.seats.values():
            seat.give_up(problem)


class Seats:
    """Serves the seats of any number of matches. `sittings` has the sessions by id."""

    def __init__(self, sittings: Collection[MatchSession] = ()) -> None:
        self.sittings = {sitting.id: sitting for sitting in sittings}

    def routes(self) -> list[Route]:
        """Return the routes to add to the application."""
        seat = "/seat/{match}/{seat:int}"
        return [
            Route(seat, self._page),
            Route(seat + "/enter", self._enter, methods=["POST"]),
            Route(seat + "/events", self._events),
            Route(seat + "/answer", self._answer, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        try:
            sitting, _ = self._found(request)
        except Refused as refused:
            return HTMLResponse(pages.problem_page(str(refused)), refused.status)
        return HTMLResponse(
            pages.match_page(
                ServedLinks(),
                "Your match",
                sitting.game,
                request.url.path,
                again=sitting.again,
            )
        )

    async def _enter(self, request: Request) -> Response:
        self._found(request)  # raises early, before we read the body for a seat that doesn't exist
        given = await _body(request, ClaimSeat)
        token = given.token or request.cookies.get("seat", "")
        self._own(request, token).enter(given.tab[:64])
        answer = as_json({})
        answer.set_cookie(
            "seat",
            token,
            path=request.url.path.removesuffix("/enter"),
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return answer

    async def _events(self, request: Request) -> Response:
        query = request.query_params
        after = whole_number(query.get("after", "0"))
        seat = self._own(request)
        if after is None:
            raise Refused(422, "after must be a number.")
        tab = query.get("tab", "")[:64]
        wait = query.get("wait", "1") != "0"
        data = await seat.news(tab, query.get("run", ""), after, wait=wait)
        # This runs after the response was sent, so the page (most likely) has it.
        shown = BackgroundTask(seat.note_end, after)
        return Response(data, media_type="application/json", background=shown)

    async def _answer(self, request: Request) -> Response:
        seat = self._own(request)
        seat.answer(await _body(request, Answered))
        return as_json({})

    def _found(self, request: Request) -> tuple[MatchSession, LiveSeat]:
        sitting = self.sittings.get(request.path_params["match"])
        seat = None if sitting is None else sitting.seats.get(request.path_params["seat"])
        if sitting is None or seat is None:
            raise Refused(404, "This seat does not exist, or its match is over and was removed.")
        return sitting, seat

    def _own(self, request: Request, token: str | None = None) -> LiveSeat:
        _, seat = self._found(request)
        if not seat.accepts(request.cookies.get("seat", "") if token is None else token):
            raise Refused(403, "Open the whole link that you were given: it ends with a token.")
        return seat


async def _body(request: Request, kind: type[Body]) -> Body:
    """Decode a request's body. Refuses it if it's too large, too slow, or invalid."""
    if request.headers.get("content-type") != "application/json":
        raise Refused(415, "Only application/json is understood.")
    data = b""
    with trio.move_on_after(BODY_SECONDS) as scope:
        async with aclosing(request.stream()) as parts:
            async for part in parts:
                data += part
                if len(data) > MOST_BODY:
                    raise Refused(413, f"More than {MOST_BODY} bytes.")
    if scope.cancelled_caught:
        raise Refused(408, "The request did not end.")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(422, f"This was not understood: {error}") from error


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


async def refused(request: Request, error: Exception) -> Response:
    """Respond to a request that raised `Refused`."""
    assert isinstance(error, Refused)
    return as_json({"problem": str(error)}, error.status)
