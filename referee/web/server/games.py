"""Let visitors play against bots, one person per game: `referee serve --play`.

/play    describes the game; POST starts one and redirects to its seat
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import trio
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from referee.bots.command import HUMAN, BotSource, find_bot
from referee.bots.person import person_rules
from referee.errors import RefereeError
from referee.games import GAMES
from referee.logs.conversation import RecordedAnswers, answers_before
from referee.match.spec import match_spec
from referee.match_plan import MatchPlan, settled_spec
from referee.text.terminal import plain
from referee.web.pages import pages
from referee.web.pages.links import ServedLinks
from referee.web.server.guard import visitor_of
from referee.web.server.seat import LINKS_SUFFIX, MatchSession, Seats, links_beside

# This many games can be in progress at a time. (We also keep this many finished ones, so that
# people can look at their game again.)
MOST_GAMES = 20
# A cookie identifies the browser. Somebody who deletes it can start more games, but then there's
# still the limit per address.
MOST_OF_BROWSER = 3
_COOKIE = "player"
# If nobody has replied for this many seconds, we assume that the visitor is gone.
IDLE_SECONDS = 20 * 60.0


# The visitor who started a game. After a restart of the server we don't know who that was, so both
# fields are empty.
class _Owner(NamedTuple):
    browser: str
    address: str


class Games:
    """Games in which one person plays against the given bots.

    Args:
        bots: BOT arguments of the opponents.
        folder: folder for the records of the games, so that a new server can continue them. If it's
            None, we don't write any records, and a restart ends all games.
        most_of_address: maximum number of games at a time per address. The total limit always
            leaves room for two such addresses, so that one visitor can't take all places.
        proxies: addresses of the proxies whose `X-Forwarded-For` we trust.

    Raises:
        UsageError: a bot doesn't exist, or a person can't play such a match.
    """

    def __init__(
        self,
        game: str,
        bots: Sequence[str],
        options: Mapping[str, Any],
        seats: Seats,
        folder: Path | None = None,
        *,
        most_of_address: int,
        proxies: Collection[str] = (),
    ) -> None:
        person_rules(game)
        self._game = game
        self._options = options
        self._seats = seats
        self._folder = folder
        self._sources = [find_bot(bot, game) for bot in bots]
        self._most_of_address = most_of_address
        self._most = max(MOST_GAMES, 2 * most_of_address)
        self._proxies = proxies
        self._running: dict[str, _Owner] = {}
        self._nursery: trio.Nursery | None = None
        # We don't need the result, but want to know now (and not when the first visitor comes)
        # whether such a match is possible.
        match_spec([HUMAN, *bots], game=game, options=options)

    def routes(self) -> list[Route]:
        """Return the routes to add to the application."""
        return [Route("/play", self._play_page, methods=["GET", "POST"])]

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Play games until cancelled, starting with the unfinished games of an earlier server."""
        async with trio.open_nursery() as self._nursery:
            for name in sorted(self._folder.glob(f"*{LINKS_SUFFIX}")) if self._folder else ():
                with suppress(RefereeError):  # the record of that game is too short to continue it
                    self._continue(str(name).removesuffix(LINKS_SUFFIX))
            task_status.started()
            await trio.sleep_forever()

    async def _play_page(self, request: Request) -> Response:
        browser = request.cookies.get(_COOKIE, "")
        own = [id for id, owner in self._running.items() if browser and owner.browser == browser]
        if request.method == "POST":
            # If the browser's cookie is unknown (maybe because the server was restarted), we send a
            # new one.
            browser = browser if own else secrets.token_urlsafe(16)
            owner = _Owner(browser, visitor_of(request, self._proxies))
            return self._begin(request, owner, request.query_params.get("after", ""))
        page = pages.page(
            "play.html",
            ServedLinks(),
            game=self._game,
            bots=[plain(source.argument) for source in self._sources],
            games=[self._seats.sittings[id].links()[0] for id in own],
            most=self._most,
            most_of_browser=MOST_OF_BROWSER,
        )
        return HTMLResponse(page)

    def _full_reason(self, new: _Owner) -> str:
        owners = self._running.values()
        if sum(owner.browser == new.browser for owner in owners) >= MOST_OF_BROWSER:
            return f"You have {MOST_OF_BROWSER} games that are not over: /play has their links"
        if sum(owner.address == new.address for owner in owners) >= self._most_of_address:
            return (
                f"No more than {self._most_of_address} games at a time can be played from one "
                "address: try again later. The organiser can raise --games-per-address, and name "
                "a proxy with --proxy"
            )
        if len(owners) >= self._most:
            return f"{self._most} games are played here at the moment: try again later"
        return ""

    def _begin(self, request: Request, owner: _Owner, after: str) -> Response:
        """Begin a game. If `after` names an earlier one, the person gets the next seat."""
        if problem := self._full_reason(owner):
            return HTMLResponse(pages.problem_page(problem), 503)
        before = self._seats.sittings.get(after)
        # We choose the first seat at random. In a return match, the person moves on to the next
        # one, so that nobody always plays first.
        count = len(self._sources) + 1
        seat = secrets.randbelow(count) if before is None else (min(before.seats) + 1) % count
        bots = [source.argument for source in self._sources]
        bots.insert(seat, HUMAN)
        sitting = MatchSession(self._game, bots)
        self._start(sitting, owner)
        answer = RedirectResponse(sitting.links()[0], 303)
        answer.set_cookie(
            _COOKIE,
            owner.browser,
            path="/play",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return answer

    def _continue(self, record: str) -> None:
        """Continue an interrupted game, or raise a `RefereeError`.

        Does nothing if the bots have changed.
        """
        before = answers_before(record, None)
        bots, game = list(before.header.bots), before.header.game
        known = links_beside(record)
        others = [source.argument for source in self._sources]
        # The organiser may have started the server with other bots. Their old games aren't
        # continued, but their records stay.
        if known is None or game != self._game or [bot for bot in bots if bot != HUMAN] != others:
            return
        sitting = MatchSession(game, bots, known)
        self._start(sitting, _Owner("", ""), before)

    def _start(
        self, sitting: MatchSession, owner: _Owner, before: RecordedAnswers | None = None
    ) -> None:
        assert self._nursery is not None
        self._drop_finished()
        self._seats.sittings[sitting.id] = sitting
        sitting.again = f"/play?after={sitting.id}"
        self._running[sitting.id] = owner
        self._nursery.start_soon(self._play, sitting, self._plan_of(sitting, before))

    def _drop_finished(self) -> None:
        over = [id for id in self._seats.sittings if id not in self._running]
        for id in over[: len(over) - self._most + 1]:
            del self._seats.sittings[id]

    def _plan_of(self, sitting: MatchSession, before: RecordedAnswers | None) -> MatchPlan:
        (seat,) = sitting.seats
        sources: list[BotSource] = [*self._sources]
        sources.insert(seat, sitting.person(seat))
        spec = settled_spec(
            sources,
            game=self._game,
            seed=None if before is None else before.header.seed,
            options=self._options if before is None else before.settings,
        )
        record = None if self._folder is None else str(self._folder / f"{sitting.id}.jsonl")
        answers = () if before is None else before.answers
        return MatchPlan(sources, spec, record=record, answers=answers)

    async def _play(self, sitting: MatchSession, plan: MatchPlan) -> None:
        name = plan.record
        try:
            # The nursery only exists to end an idle game: whichever of the two tasks ends first
            # cancels the other one.
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._end_idle, sitting, nursery.cancel_scope)
                with plan.opened() as files, plan.launched() as started:
                    if name is not None:
                        sitting.save_links(name)
                    watch = partial(sitting.watch, plan.spec)
                    played = await plan.play(started, files, watch=watch)
                sitting.end(plan.spec, played)
                nursery.cancel_scope.cancel()
        except* RefereeError as group:
            problem = str(group.exceptions[0])
            if self._folder is not None:  # visitors don't need to know where our files are
                problem = problem.replace(f"{self._folder}/", "")
            for outside in GAMES.outside.values():
                problem = problem.replace(f"{os.path.dirname(outside.place)}/", "")
            sitting.give_up(f"The game was given up: {problem}.")
        finally:
            del self._running[sitting.id]
            # The links are kept if the server stops in the middle of a game. That's how the next
            # server knows that it should continue this one.
            if name is not None and sitting.is_over:
                sitting.delete_links(name)

    async def _end_idle(self, sitting: MatchSession, game: trio.CancelScope) -> None:
        (person,) = sitting.seats.values()
        person.limit(IDLE_SECONDS)
        ends = 0.0
        # Each reply postpones person.ends, so after sleeping we have to look at it again.
        while ends < person.ends:
            ends = person.ends
            await trio.sleep_until(ends)
        minutes = round(IDLE_SECONDS / 60)
        sitting.give_up(f"This game has ended: nothing was answered for {minutes} minutes.")
        game.cancel()
