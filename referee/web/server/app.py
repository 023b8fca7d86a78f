"""The routes of the server.

    /                                   tournaments and matches; search, bot, result, reason, page
    /match/ID                           a match; its page loads /header, /steps and /lines, and
                                        during the match /events; /watch/ID is the same
    /store/NAME                         the standings of a tournament
    /store/NAME/bot/B                   a bot, by its number
    /store/NAME/pair/A/B                two bots
    /store/NAME/matches                 bot, against, result, reason, page
    /season                             several tournaments together: store=NAME for each
    /seat/ID/N, /play                   pages of human players (seat.py, games.py)
    /store/NAME/events                  a stream that reports changes of the standings

Every page is JSON with `format=json`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import Any, TypeVar

import msgspec
import trio
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from referee.errors import RefereeError, UsageError
from referee.games import GAMES
from referee.names import shown_names
from referee.text.terminal import plain
from referee.tournament.report.report import Shown, report_json
from referee.tournament.rows import MatchRow
from referee.web.data import Item, MatchSummary, StoreSummary
from referee.web.file import FRAME
from referee.web.pages import charts, pages
from referee.web.pages.links import LONGEST, ServedLinks, address
from referee.web.server import library, matches, tournaments
from referee.web.server.guard import Guard, as_json, whole_number
from referee.web.server.library import File, Filter, Library
from referee.web.server.live import FRESH_SECONDS, Live, LiveMatch, NotBegun, is_played
from referee.web.server.matches import Matches, Parts, digest_of
from referee.web.server.seat import Refused, refused
from referee.web.server.tournaments import Entrants, MatchesChosen, Tournaments
from referee.web.server.turns import BusyError, Turns

T = TypeVar("T")
ON_A_PAGE = 50
# At most this many matches in progress are shown with their scores.
MOST_TABLES = 12
# We compute the cards of other tournaments for at most this many seconds per page.
CARD_SECONDS = 1.0
# This many threads are for short tasks, e.g. rendering a page.
MOST_THREADS = 8
# These threads read whole files. We could have more of them, but since they hold the interpreter
# lock most of the time, they would only delay everybody else.
MOST_READERS = 3
MOST_IN_SEASON = 50
_TYPES = {".css": "text/css", ".js": "text/javascript"}


class NoSuchPage(RefereeError):
    """There's nothing at this address."""


class Site:
    """The application and the state that its routes share. `more` are additional routes."""

    def __init__(self, library: Library, more: Sequence[Route] = (), title: str = "") -> None:
        self.library = library
        self._title = title
        self._more = more
        self._plays = any(route.path == "/play" for route in more)
        self.matches = Matches()
        self.tournaments = Tournaments()
        self.live = Live()
        self.assets = dict(_assets())
        self._turns = Turns()
        self._front = ""  # the tournament on the front page
        self._cards_known: dict[str, pages.Card] = {}
        self._last_front: tuple[str, Shown, pages.Front, str] | None = None
        self._limiter = trio.CapacityLimiter(MOST_THREADS)
        self._readers = trio.CapacityLimiter(MOST_READERS)
        self._reads = True  # True if there may be unread files that a page needs

    def app(self, names: Collection[str] = ()) -> ASGIApp:
        """Return the application. Clients may call the server by any of `names`, or "localhost"."""
        store = "/store/{store:path}"
        routes = [
            Route("/", self._list),
            Route("/matches", self._list),
            Route("/favicon.ico", _no_icon),
            Route("/static/{name:path}", self._asset),
            # The order matters here: an id may contain slashes, so the last route of a match would
            # also match all the others.
            *(Route(f"/match/{{match:path}}/{part}", self._part) for part in matches.PARTS),
            Route("/match/{match:path}/events", self._events),
            Route("/match/{match:path}", self._match),
            Route("/watch/{match:path}", self._match),
            Route(store + "/bot/{bot:int}", partial(self._of_store, self._bot, detailed=True)),
            Route(store + "/statistics", partial(self._of_store, self._statistics, detailed=True)),
            Route(store + "/pair/{one:int}/{other:int}", partial(self._of_store, self._pair)),
            Route(store + "/matches", partial(self._of_store, self._matches)),
            Route(store + "/events", self._moves),
            Route(store, self._tournament),
            Route("/season", self._season),
            *self._more,
        ]
        app = Starlette(
            routes=routes,
            middleware=[Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)],
            exception_handlers={RefereeError: _problem, Refused: refused, 404: _problem},
        )
        return Guard(app, names)

    async def read_in_background(self) -> None:
        """Read files in the background until cancelled: first all, then whenever a page asks.

        Pages with standings don't ask, because they don't need any records. Otherwise, we'd read
        every new record of a tournament just because somebody is watching, and slow it down.
        """
        while True:
            if not self._reads or not await self._work(self.library.read, 0.05):
                self._reads = False
                await trio.sleep(library.LOOK_SECONDS)

    def _read(self) -> int:
        unread = self.library.read(library.READ_SECONDS)
        self._reads = unread > 0
        return unread

    async def _work(
        self, do: Callable[..., T], *arguments: Any, limiter: trio.CapacityLimiter | None = None
    ) -> T:
        # If the client disconnects, we don't wait for the thread. It keeps its place in the limiter
        # until it's done, but nobody looks at its result any more.
        return await trio.to_thread.run_sync(
            do, *arguments, limiter=limiter or self._limiter, abandon_on_cancel=True
        )

    async def _list(self, request: Request) -> Response:
        chosen = Filter(*(_word(request, name) for name in Filter._fields))
        if chosen.result not in ("", "unfinished", *library.RESULTS):
            raise NoSuchPage(f"There is no result {chosen.result}")
        page = _page(request)
        is_front = chosen == Filter() and page == 1 and request.url.path == "/"
        stores = await self._work(self._store_summaries)
        # The front page is the tournament that is played, or was played last.
        newest = await self._newest(stores) if is_front and not _wants_json(request) else None
        if newest is not None:
            return await self._front_of(request, *newest)
        return await self._work(self._listed, request, chosen, page, stores, is_front)

    def _store_summaries(self) -> list[StoreSummary]:
        self.library.look()
        return [self.tournaments.summary(file) for file in self.library.stores]

    def _listed(
        self,
        request: Request,
        chosen: Filter,
        page: int,
        stores: Sequence[StoreSummary],
        is_front: bool,
    ) -> Response:
        filtered = chosen != Filter()
        unread = self._read()
        first = ON_A_PAGE * (page - 1)
        total, items = self.library.matches(chosen, first, ON_A_PAGE)
        items = self._with_tournaments([self._with_live(item) for item in items])
        if _wants_json(request):
            found = {"tournaments": stores, "matches": items, "total": total}
            return as_json({**found, "page": page, "unread": unread})
        playing = [item for item in items if item.live] if is_front else []
        return HTMLResponse(
            pages.page(
                "list.html",
                ServedLinks(),
                title=self._title,
                cards=[pages.Card(store) for store in stores] if is_front else [],
                titles={store.id: store.title for store in stores},
                items=items,
                total=total,
                filtered=filtered,
                query=chosen,
                outcomes=(*library.RESULTS, "unfinished"),
                is_front=is_front,
                playing=self._match_summaries(playing),
                colour=charts.colour_of(name for item in playing for name in item.shown),
                reasons=self.library.reasons(),
                unread=unread,
                moves=_moves(items, stores),
                cut=self.library.cut,
                most_files=library.MOST_FILES,
                plays=self._plays,
                **_pages(chosen._asdict(), page, total),
            )
        )

    async def _newest(self, stores: Sequence[StoreSummary]) -> tuple[File, Shown] | None:
        order = sorted((s for s in stores if not s.problem), key=lambda s: s.changed, reverse=True)
        # If several are being played, we keep the one that we chose before.
        since = time.time() - FRESH_SECONDS
        kept = [store for store in order if store.id == self._front and store.changed > since]
        for place, store in enumerate([*kept, *order]):
            file = self.library.store(store.id)
            if file is not None:
                # This fails if the store is damaged, or if too many requests are waiting for it.
                with suppress(RefereeError):
                    shown = await self._shown(file)
                    if place >= len(kept) or pages.is_unfinished(shown):
                        self._front = store.id
                        return file, shown
        return None

    def _match_summaries(self, items: Iterable[Item]) -> list[tuple[Item, MatchSummary | None]]:
        found: list[tuple[Item, MatchSummary | None]] = []
        for item in items:
            file, table = self.library.log(item.id), None
            if file is not None and len(found) < MOST_TABLES:
                # This fails if the match hasn't begun, or if its file is compressed, because we
                # can't follow compressed files.
                with suppress(RefereeError):
                    playing = self._playing(file)
                    table = None if playing is None else playing.summary
            found.append((item, table))
        return found

    async def _shown(self, file: File, *, patient: bool = False) -> Shown:
        known = await self._work(self.tournaments.cached, file)
        if known is not None:
            return known
        async with self._turns.of(file, patient=patient):
            return await self._work(self.tournaments.shown, file, limiter=self._readers)

    async def _match(self, request: Request) -> Response:
        found = await self._found_match(request.path_params["match"])
        if _wants_json(request):
            return Response(found.whole, media_type="application/json")
        id = request.path_params["match"]
        crumbs = await self._work(self._crumbs, id)
        data = address("match", id)
        page = pages.match_page(ServedLinks(), found.about.title, found.about.game, data, crumbs)
        return HTMLResponse(page)

    def _crumbs(self, id: str) -> Markup:
        self._read()  # finds the records of neighbouring matches, so that we can link to them
        item = self.library.item(self._file(id))
        context = self.tournaments.context(self.library.stores, item)
        store = self.library.store(context.store) if context else None
        links = self._links(store) if store else ServedLinks(record_with=self._finder())
        return pages.crumbs(links, item, context)

    async def _part(self, request: Request) -> Response:
        found = await self._found_match(request.path_params["match"])
        part: bytes = getattr(found, request.url.path.rpartition("/")[2])
        return Response(part, media_type="application/json")

    async def _events(self, request: Request) -> Response:
        file = await self._work(self._file, request.path_params["match"])
        return self.live.match(await self._work(self._playing, file), request)

    async def _found_match(self, id: str) -> Parts:
        file = await self._work(self._file, id)
        async with self._turns.of(file):
            return await self._work(self._parts, file, limiter=self._readers)

    def _parts(self, file: File) -> Parts:
        playing = self._playing(file)
        if playing is not None:
            return playing.parts
        item = self.library.item(file)
        # A person can still continue this game, and the record contains the cards that are hidden
        # from them.
        if item.problem == library.PRIVATE:
            raise NotBegun(item.problem[0].upper() + item.problem[1:])
        names = item.given
        parts = self.matches.parts(file, names)
        digest = parts.about.digest  # the digest of the lines that we've just read
        # Until we had read the whole record, its digest was just a claim in its last line. Now we
        # know the digest is right, so we can look for the tournaments that contain this match.
        self.library.store_digest(file, digest)
        known = self.tournaments.entrants(self.library.stores, [digest]).get(digest)
        if known is None:
            return parts
        whole = self.matches.parts(file, names or known.names, known.stderr)
        if whole.about.digest != digest:  # somebody replaced the file in the meantime
            return parts
        return whole.of_tournaments(known.stores)

    def _playing(self, file: File) -> LiveMatch | None:
        if self._is_private(file):
            return None
        return self.live.find(file, lambda: self.library.item(file).given)

    def _is_private(self, file: File) -> bool:
        return file.path != file.root and self.library.item(file).problem == library.PRIVATE

    def _with_tournaments(self, given: Iterable[Item]) -> list[Item]:
        """Add to each match the tournaments that contain it, according to its digest.

        A digest may be a false claim. That's why only checked records get their names from a
        tournament. Otherwise, anybody could copy a digest into a record of their own and get
        somebody else's names for it.
        """
        items = list(given)
        digests = {item.digest for item in items if item.checked is not False}
        found = self.tournaments.entrants(self.library.stores, digests)
        return [
            item if item.live else _of_tournaments(item, found.get(item.digest)) for item in items
        ]

    def _file(self, id: str) -> File:
        self.library.look()
        file = self.library.log(id)
        if file is None:
            raise NoSuchPage(f"There is no match {plain(id[:LONGEST])}")
        return file

    def _with_live(self, item: Item) -> Item:
        """If a match is in progress, mark it as live and add its tournaments.

        This removes the seed and the place of the match, because they would give away hidden
        information. (The place has the tournament's seed and the digest of its settings.)
        """
        file = None if item.reason else self.library.log(item.id)
        if file is None or self._is_private(file) or not is_played(file):
            return item
        found = self.tournaments.playing(self.library.stores, item.place)
        return msgspec.structs.replace(item, live=True, seed=None, place=None, tournaments=found)

    async def _tournament(self, request: Request) -> Response:
        file = await self._work(self._store, request.path_params["store"])
        return await self._front_of(request, file, await self._shown(file))

    async def _front_of(self, request: Request, file: File, shown: Shown) -> Response:
        if not _wants_json(request):  # only the page has cards
            await self._summarise()
        # The standings link to only a few matches, so they don't need the remaining files (see
        # read_in_background()).
        return await self._work(self._standings, request, file, shown)

    def _standings(self, request: Request, file: File, shown: Shown) -> Response:
        _, items = self.library.matches(Filter(), 0, ON_A_PAGE)
        playing = [item for item in map(self._with_live, items) if file.id in item.tournaments]
        if _wants_json(request):
            whole = report_json(shown.found, shown.facts, shown.notable_losses)
            whole |= {"history": shown.history, "evening": shown.evening}
            whole["playing"] = [item.id for item in playing]
            # With the seed, anybody could compute the matches that haven't been played yet.
            if pages.is_unfinished(shown):
                whole["seed"] = None
            return as_json(whole)
        front = pages.Front(
            title=(self._title if len(self.library.stores) == 1 else "") or shown.title,
            tables=self._match_summaries(playing),
            records=self._records(file, {best.match for best in shown.evening.matches}),
            cards=self._cards() if len(self.library.stores) > 1 else [],
            bots=self._bots_of(shown.setup.game),
            plays=self._plays,
            # A tournament can be unfinished without anybody playing it right now.
            is_live=pages.is_unfinished(shown) and time.time() < shown.changed + FRESH_SECONDS,
        )
        return HTMLResponse(self._front_page(file, shown, front))

    def _cards(self) -> list[pages.Card]:
        """Return the cards of the newest tournaments, oldest first."""
        summaries = map(self.tournaments.summary, self.library.stores)
        newest = sorted(summaries, key=lambda store: store.changed)[-MOST_IN_SEASON:]
        known = self._cards_known
        return [
            known[store.id]
            if store.id in known and known[store.id].store == store
            else pages.Card(store)
            for store in newest
        ]

    async def _summarise(self) -> None:
        """Compute the cards that we don't know yet, the newest first.

        They wait for their turns like pages. If that takes long, the older ones have no champion
        until the page is loaded again.
        """
        if len(self.library.stores) < 2:
            return
        with trio.move_on_after(CARD_SECONDS):
            for card in reversed(await self._work(self._cards)):
                file = self.library.store(card.store.id)
                known = self._cards_known.get(card.store.id)
                if card is known or card.store.problem or file is None:
                    continue
                with suppress(RefereeError):
                    shown = await self._shown(file)
                    made = await self._work(self._card, card.store, shown)
                    self._cards_known[card.store.id] = made

    def _card(self, store: StoreSummary, shown: Shown) -> pages.Card:
        return pages.card(store, shown, self._bots_of(store.game))

    def _bots_of(self, game: str) -> list[str]:
        """Return the bots of all stores of a game, oldest first. They give each bot its colour."""
        summary = self.tournaments.summary
        stores = [file for file in self.library.stores if summary(file).game == game]
        return self.tournaments.bots(sorted(stores, key=lambda file: summary(file).changed))

    def _front_page(self, file: File, shown: Shown, front: pages.Front) -> str:
        """Render a tournament's page. If nothing has changed, reuse the last one.

        When the standings change, everybody who watches them loads the page again.
        """
        last = self._last_front
        if last is not None and last[0] == file.id and last[1] is shown and last[2] == front:
            return last[3]
        text = pages.standings_page(self._links(file), shown, front=front)
        self._last_front = file.id, shown, front, text
        return text

    async def _moves(self, request: Request) -> Response:
        file = await self._work(self._store, request.path_params["store"])

        async def state() -> bytes:
            shown = await self._shown(file, patient=True)
            return msgspec.json.encode({"matches": shown.found.matches})

        return self.live.standings(state, request)

    def _bot(self, request: Request, file: File, shown: Shown) -> Response:
        number = request.path_params["bot"]
        name = _name(shown, number)
        found = shown.found
        (standing,) = [bot for bot in found.bots if bot.name == name]
        losses = shown.notable_losses[name]
        if _wants_json(request):
            return as_json(
                {
                    "bot": standing,
                    "head_to_head": found.head_to_head[name],
                    "differences": found.differences[name],
                    "statistics": shown.facts.bots[name],
                    "notable_losses": losses,
                }
            )
        records = self._records(file, {loss.match for loss in losses})
        lost = MatchesChosen(number, result="lost")
        _, last = self.tournaments.matches(file, lost, 0, pages.MOST_LOST)
        values = {"record_of": records.get, "last_lost": last, "matches": []}
        return self._page("bot.html", file, shown, **pages.of_bot(standing, found), **values)

    def _statistics(self, request: Request, file: File, shown: Shown) -> Response:
        if _wants_json(request):
            return as_json(shown.facts)
        return self._page("statistics.html", file, shown)

    def _pair(self, request: Request, file: File, shown: Shown) -> Response:
        one, other = request.path_params["one"], request.path_params["other"]
        names = _name(shown, one), _name(shown, other)
        if one == other:
            raise NoSuchPage("A bot does not meet itself")
        total, rows = self.tournaments.matches(file, MatchesChosen(one, other), 0, ON_A_PAGE)
        found = shown.found
        if _wants_json(request):
            return as_json(
                {
                    "bots": names,
                    "head_to_head": found.head_to_head[names[0]].get(names[1]),
                    "difference": found.apart(*names),
                    "matches": self._rows(shown, rows),
                    "total": total,
                }
            )
        bots = {bot.name: bot for bot in found.bots}
        ends = {"one": bots[names[0]], "other": bots[names[1]]}
        return self._page("pair.html", file, shown, **ends, total=total, matches=rows)

    def _matches(self, request: Request, file: File, shown: Shown) -> Response:
        query = {name: _word(request, name) for name in ("bot", "against", "result", "reason")}
        page = _page(request)
        if query["result"] not in ("", *tournaments.RESULTS):
            raise NoSuchPage(f"There is no result {plain(query['result'])}")
        bot, against = (_number(shown, query[name]) for name in ("bot", "against"))
        chosen = MatchesChosen(bot, against, query["result"], query["reason"])
        total, rows = self.tournaments.matches(file, chosen, ON_A_PAGE * (page - 1), ON_A_PAGE)
        if _wants_json(request):
            return as_json({"matches": self._rows(shown, rows), "total": total, "page": page})
        return self._page(
            "matches.html",
            file,
            shown,
            query=query,
            results=tournaments.RESULTS,
            matches=rows,
            total=total,
            **_pages(query, page, total, self._links(file).matches),
        )

    async def _season(self, request: Request) -> Response:
        names = list(dict.fromkeys(request.query_params.getlist("store")))
        files = [await self._work(self._store, name) for name in names]
        if len(files) < 2:
            raise NoSuchPage("A season has two tournaments or more: choose them in the list")
        if len(files) > MOST_IN_SEASON:
            raise NoSuchPage(f"A season has at most {MOST_IN_SEASON} tournaments")
        # Requests for the same season should wait for each other, just as requests for a single
        # store do. That's why we make up a file which stands for all of these stores.
        together = files[0]._replace(
            path="\n".join(file.path for file in files), size=sum(file.size for file in files)
        )
        async with self._turns.of(together):
            found, changed = await self._work(self.tournaments.season, files, limiter=self._readers)
        if _wants_json(request):
            return as_json(found)
        ids = [file.id for file in files]
        bots = await self._work(self._bots_of, found.game)
        return HTMLResponse(pages.season_page(ServedLinks(), found, changed, ids=ids, bots=bots))

    async def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        data = self.assets.get(name)
        if data is None:
            raise NoSuchPage("There is no such file")
        # Browsers ask each time if a file has changed, and get a short answer if it hasn't. This
        # way, nobody is stuck with old scripts after an update.
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        headers = {"Cache-Control": "no-cache", "ETag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, headers=headers, media_type=_TYPES[PurePath(name).suffix])

    async def _of_store(
        self,
        answer: Callable[[Request, File, Shown], Response],
        request: Request,
        *,
        detailed: bool = False,
    ) -> Response:
        file = await self._work(self._store, request.path_params["store"])
        shown = await self._shown(file)
        if detailed:
            async with self._turns.of(file):
                shown = await self._work(self.tournaments.detailed, file, limiter=self._readers)

        def work() -> Response:
            self._read()
            return answer(request, file, shown)

        return await self._work(work)

    def _store(self, name: str) -> File:
        self.library.look()
        file = self.library.store(name)
        if file is None:
            raise NoSuchPage(f"There is no tournament {plain(name[:LONGEST])}")
        return file

    def _page(self, template: str, file: File, shown: Shown, **values: object) -> Response:
        colour = charts.colour_of(self._bots_of(shown.setup.game))
        return HTMLResponse(
            pages.store_page(template, self._links(file), shown, colour=colour, **values)
        )

    def _links(self, file: File) -> ServedLinks:
        return ServedLinks(file.id, self._finder(), self.tournaments.summary(file).title)

    def _finder(self) -> Callable[[str], Item | None]:
        """Return a function that finds a record by its digest.

        If several files claim the same digest, we check them one after the other, to find out which
        claim is true. This takes no longer than a page may wait, counting from this call, so call
        this once per request.
        """
        until = time.monotonic() + library.READ_SECONDS

        def record_with(digest: str) -> Item | None:
            found = self.library.records_with(digest)
            while len(found) > 1 and time.monotonic() < until:
                file = self.library.log(found[0].id)
                if file is None:  # somebody has deleted it in the meantime
                    break
                self.library.store_digest(file, digest_of(file))
                found = [item for item in self.library.records_with(digest) if item != found[0]]
            return found[0] if found else None

        return record_with

    def _records(self, file: File, matches: Collection[int]) -> dict[int, Item]:
        digests = self.tournaments.digests(file, matches)
        record_with = self._finder()
        found = {match: record_with(digest) for match, digest in digests.items()}
        return {match: record for match, record in found.items() if record is not None}

    def _rows(self, shown: Shown, rows: list[MatchRow]) -> list[dict[str, Any]]:
        same = ("match", "deal", "seed", "ranks", "scores", "turns", "reason", "digest")
        record_with = self._finder()
        records = [record_with(row.digest) for row in rows]
        return [
            {
                **{name: getattr(row, name) for name in same},
                "players": [shown.names[bot] for bot in row.players],
                "faults": [seat.fault_count for seat in row.seats],
                **{
                    name: [getattr(seat, name) for seat in row.seats]
                    for name in ("disqualified", "detail", "stderr")
                },
                "record": record and record.id,
                "checked": record and record.checked,
            }
            for row, record in zip(rows, records, strict=True)
        ]


def _assets() -> Iterator[tuple[str, bytes]]:
    """Yield a (name, content) pair for each static file. The name is the path below /static."""
    for path in sorted([*pages.HERE.iterdir(), *FRAME.iterdir()]):
        if path.suffix in _TYPES:
            yield path.name, path.read_bytes()
    for game, rules in GAMES.items():
        drawing, imported = "null", ""
        if rules.page is not None:
            for path in (rules.page.folder / "drawing.js", rules.page.folder / "drawing.css"):
                yield f"{game}/{path.name}", path.read_bytes()
            drawing = "drawing"
            imported = f'import * as drawing from "./{game}/drawing.js";\n'
        # Our policy allows no inline scripts, so each game gets a tiny module which starts its
        # page.
        for name, module in ((game, "served"), (f"{game}.seat", "seated")):
            boot = f'import {{ serve }} from "./{module}.js";\n{imported}serve({drawing});\n'
            yield f"{name}.js", boot.encode()


def _of_tournaments(item: Item, known: Entrants | None) -> Item:
    if known is None or item.checked is False:
        return item
    names = item.shown
    if item.checked and not item.given and known.names:
        names = shown_names(item.names, known.names, item.bots)
    return msgspec.structs.replace(item, tournaments=known.stores, shown=names)


def _moves(items: Sequence[Item], stores: Sequence[StoreSummary]) -> bool:
    since = time.time() - FRESH_SECONDS
    return any(item.live for item in items) or any(store.changed > since for store in stores)


async def _no_icon(request: Request) -> Response:
    # Browsers ask for an icon on their own, but we don't have one.
    return Response(status_code=204)


def _word(request: Request, name: str) -> str:
    return request.query_params.get(name, "")[:LONGEST]


def _page(request: Request) -> int:
    number = whole_number(request.query_params.get("page", "1"))
    if not number:
        raise NoSuchPage("page must be a number from 1 on")
    return number


def _pages(
    query: dict[str, str], page: int, total: int, url: Callable[..., str] = address
) -> dict[str, Any]:
    """Return template variables for the links between the pages of a list."""

    def here(number: int, **more: object) -> str:
        return url(**query, page=number if number > 1 else None, **more)

    return {"page": page, "count": max(1, -(-total // ON_A_PAGE)), "here": here}


def _name(shown: Shown, number: int) -> str:
    if number >= len(shown.names):
        raise NoSuchPage(f"There is no bot {number}")
    return shown.names[number]


def _number(shown: Shown, name: str) -> int | None:
    if not name:
        return None
    for number, known in enumerate(shown.names):
        # An address contains just the beginning of a long name.
        if name in (known[:LONGEST], plain(known)[:LONGEST]):
            return number
    raise NoSuchPage(f"There is no bot {plain(name)}")


def _wants_json(request: Request) -> bool:
    form = request.query_params.get("format", "html")
    if form not in ("html", "json"):
        raise NoSuchPage("format is html or json")
    return form == "json"


async def _problem(request: Request, error: Exception) -> Response:
    status = 422 if isinstance(error, UsageError) else 404
    status = 503 if isinstance(error, BusyError) else status
    problem = str(error) if isinstance(error, RefereeError) else "This address does not exist"
    if request.query_params.get("format") == "json":
        return as_json({"problem": problem}, status)
    return HTMLResponse(
        pages.problem_page(problem, isinstance(error, NotBegun | BusyError)), status
    )
