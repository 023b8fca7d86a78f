"""Writes a tournament as a folder of pages, to publish on any server or to open from disk.

    index.html                the tournament
    statistics.html           reply times, and the game's statistics
    bot/N.html                a bot
    pair/N-M.html             two bots that met
    matches.html, matches-2.html ...
    match/N.html, match/N.js  a match whose record exists, and its data
    static/                   style sheets and scripts
    .referee-files            a list of these files, which are the only ones that we replace

Paths contain only numbers, because bots must not be able to choose file names. If a page is opened
from disk, browsers let it load scripts, but no modules and no data. That's why the data of a match
is a script, too.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from referee.errors import LogReadError, UsageError, cannot_write
from referee.logs.outputs import LIST, list_of, listed_in
from referee.text.terminal import plain
from referee.tournament.playing.records import record_of
from referee.tournament.report.report import Shown, changed_at, match_context, read_shown, state_of
from referee.tournament.rows import MatchRow
from referee.tournament.store import Store
from referee.web import file
from referee.web.data import Item, MatchPage
from referee.web.pages import pages
from referee.web.pages.links import Links
from referee.web.recorded import read_match

# Number of matches per page in the list of matches.
ON_A_PAGE = 250
_STATIC = "static"
# In some browsers, a page from disk has no 'self', so we also allow `file:`. (On a server, a page
# can't load anything from disk anyway.)
_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
_NONE = Markup("")


class SiteReport(NamedTuple):
    """Returned by `write_site`.

    Attributes:
        files: number of files.
        size: bytes of all files.
        matches: number of matches with a page.
        wrong: numbers of the matches whose record is damaged, or belongs to another match.
    """

    files: int
    size: int
    matches: int
    wrong: list[int]


class FolderLinks(Links):
    """Links between the pages of a folder.

    We don't know where the folder will be published, so all links are relative to their page.

    Args:
        name: displayed name of the tournament.
        up: path from the page to the folder: "" or "../".
        watched: maps the digest of each match that has a page to its number.
        pairs: the pairs of bots that have a page, as (lower number, higher number).
    """

    is_file = False
    policy = _POLICY

    def __init__(
        self, name: str, up: str, watched: Mapping[str, int], pairs: Mapping[tuple[int, int], Any]
    ) -> None:
        self.name = name
        self._up = Markup(up)
        self._watched = watched
        self._pairs = pairs
        self.scripts = (self.asset("pages.js"),)

    def at(self, *parts: object, **query: object) -> Markup:
        """Return the page of the folder, or nothing for what only a server has.

        That is JSON, a selection of matches, and two bots that have not met.
        """
        number = query.pop("page", None) or 1
        match [*parts, *(value for value in query.values() if value not in (None, ""))]:
            case ["static", str(name)]:
                page = f"{_STATIC}/{PurePath(name).name}"
            case ["store", _]:
                page = "index.html"
            case ["store", _, "statistics"]:
                page = "statistics.html"
            case ["store", _, "bot", bot]:
                page = f"bot/{bot}.html"
            case ["store", _, "pair", int(one), int(two)] if (
                pair := (min(one, two), max(one, two))
            ) in self._pairs:
                page = f"pair/{pair[0]}-{pair[1]}.html"
            case ["matches"] | ["store", _, "matches"]:
                page = _list_name(number)
            case ["match", id]:
                page = f"match/{id}.html"
            case _:
                return _NONE
        return self._up + page

    def record_with(self, digest: str) -> Item | None:
        """Return the match with this digest, or None if it has no page.

        We have already checked the records of matches with a page.
        """
        match = self._watched.get(digest)
        return None if match is None else _page_of(match)


def _page_of(match: int) -> Item:
    return Item(str(match), "record", checked=True)


def _list_name(page: object) -> str:
    return "matches.html" if page == 1 else f"matches-{page}.html"


def write_site(
    store: Store,
    name: str,
    records: Path | None,
    folder: str,
    *,
    all_lines: bool = False,
    show: Callable[[int], None] = lambda done: None,
) -> SiteReport:
    """Write a tournament as a folder of pages.

    Args:
        name: displayed name of the tournament.
        records: folder with the records of its matches, or None if you don't want pages of matches.
        folder: path of the new folder, in an existing folder. If it exists already, it must be
            empty or another site, and is replaced.
        all_lines: if True, include all lines of matches in spite of `MAX_LINES`.
        show: called with the number of finished matches.

    Raises:
        UsageError: the folder cannot be written, or contains other files.
    """
    with _replaced(folder) as made:
        site = _Site(store, name, made)
        if records is not None:
            site.write_data(records, all_lines, show)
        try:
            return site.write_pages()
        except OSError as error:
            raise cannot_write(folder, error) from error


def check_site(folder: str) -> None:
    """Raise `UsageError` if a folder contains, at any depth, something that we didn't write.

    We are going to delete its content. The folder has a list of the files that we wrote.
    """
    path = Path(folder)
    if not os.path.lexists(path):
        return
    if not path.is_dir():
        raise UsageError(f"{folder} is not a folder: choose another --output")
    ours = {LIST, *listed_in(folder)}
    folders = {str(parent) for name in ours for parent in PurePath(name).parents}

    def fail(error: OSError) -> None:
        raise cannot_write(folder, error) from error

    for place, inner, files in os.walk(path, onerror=fail):
        for name in sorted((*inner, *files)):
            entry = Path(place, name)
            relative = str(entry.relative_to(path))
            known = ours if name in files or entry.is_symlink() else folders
            if relative not in known or (name in files and entry.is_symlink()):
                problem = f"{folder} has {plain(relative)}, which referee did not write"
                raise UsageError(f"{problem}: choose another --output, or move it")


@contextmanager
def _replaced(folder: str) -> Iterator[Path]:
    """Yield a new folder that replaces `folder` at the end, unless there is an error."""
    check_site(folder)
    path = Path(os.path.realpath(folder))
    made, old = (path.with_name(f".{path.name}.{os.getpid()}.{end}") for end in ("new", "old"))
    try:
        made.mkdir()
        yield made
        check_site(folder)  # the owner may have added files in the meantime
        # For a moment, there's neither the old folder nor the new one.
        with suppress(FileNotFoundError):
            path.rename(old)
        made.rename(path)
    except OSError as error:
        raise cannot_write(folder, error) from error
    finally:
        for rest in (made, old):
            shutil.rmtree(rest, ignore_errors=True)


class _Site:
    def __init__(self, store: Store, name: str, folder: Path) -> None:
        self._store = store
        self._name = name
        self._folder = folder
        self._shown: Shown = read_shown(store, changed_at(state_of(store.name)), details=True)
        self._rows = [row for row in store.matches() if not row.void][::-1]  # newest first
        self._pairs: dict[tuple[int, int], list[MatchRow]] = {}
        for row in self._rows:
            for one, other in combinations(sorted(row.players), 2):
                self._pairs.setdefault((one, other), []).append(row)
        self._watched: dict[str, int] = {}
        self._titles: dict[int, str] = {}
        self._wrong: list[int] = []
        self._names: list[str] = []
        self._size = 0
        for part in ("bot", "pair", _STATIC):
            (folder / part).mkdir()

    def write_data(self, records: Path, all_lines: bool, show: Callable[[int], None]) -> None:
        (self._folder / "match").mkdir()
        for done, row in enumerate(reversed(self._rows)):
            show(done)
            match = self._read(record_of(records, row.match), row)
            # Identical matches have the same digest, and a single page for them is enough.
            if match is None or row.digest in self._watched:
                continue
            self._watched[row.digest] = row.match
            self._titles[row.match] = match.header.title
            texts = msgspec.json.encode([file.packed(match, all_lines)._asdict()]).decode()
            self._write(f"match/{row.match}.js", f"var MATCHES = {texts};\n")
        show(len(self._rows))

    def _read(self, record: Path, row: MatchRow) -> MatchPage | None:
        if not row.digest or not record.is_file():
            return None
        names = [self._shown.names[seat.bot] for seat in row.seats]
        try:
            match = read_match(str(record), names, [seat.stderr for seat in row.seats])
        except (UsageError, LogReadError):
            match = None
        if match is None or match.header.digest != row.digest:
            self._wrong.append(row.match)
            return None
        header = msgspec.structs.replace(match.header, tournaments=[self._name])
        return msgspec.structs.replace(match, header=header)

    def write_pages(self) -> SiteReport:
        shown, links = self._shown, self._links("")
        records = {match: _page_of(match) for match in self._watched.values()}
        front = pages.Front(records=records)
        self._write("index.html", pages.standings_page(links, shown, front=front))
        self._write("statistics.html", pages.store_page("statistics.html", links, shown))
        self._write_lists(links)
        self._write_bots(records)
        self._write_pairs()
        for match, name in self._titles.items():
            self._write(f"match/{match}.html", self._match(match, name))
        for name, text in _assets(shown.setup.game, has_matches=bool(self._titles)):
            self._write(f"{_STATIC}/{name}", text)
        (self._folder / LIST).write_text(list_of(self._names), "utf-8")
        return SiteReport(len(self._names), self._size, len(self._watched), self._wrong)

    def _write_lists(self, links: Links) -> None:
        count = max(1, -(-len(self._rows) // ON_A_PAGE))
        for page in range(1, count + 1):
            text = pages.store_page(
                "matches.html",
                links,
                self._shown,
                matches=self._rows[ON_A_PAGE * (page - 1) : ON_A_PAGE * page],
                total=len(self._rows),
                page=page,
                count=count,
                here=lambda number: links.matches(page=number),
            )
            self._write(_list_name(page), text)

    def _write_bots(self, records: Mapping[int, Item]) -> None:
        found, links = self._shown.found, self._links("../")
        played: dict[int, list[MatchRow]] = {}
        for row in self._rows:
            for bot in row.players:
                rows = played.setdefault(bot, [])
                if len(rows) < pages.MOST_MATCHES:
                    rows.append(row)
        number = {name: number for number, name in enumerate(self._shown.names)}
        for standing in found.bots:
            own = number[standing.name]
            rows = played.get(own, [])
            lost = [row for row in rows if row.ranks[row.players.index(own)] > 1]
            values = {
                **pages.of_bot(standing, found),
                "record_of": records.get,
                "last_lost": lost[: pages.MOST_LOST],
                "matches": rows,
            }
            text = pages.store_page("bot.html", links, self._shown, **values)
            self._write(f"bot/{own}.html", text)

    def _write_pairs(self) -> None:
        links, names = self._links("../"), self._shown.names
        bots = {bot.name: bot for bot in self._shown.found.bots}
        for (one, other), rows in self._pairs.items():
            ends = {"one": bots[names[one]], "other": bots[names[other]]}
            values = {**ends, "matches": rows, "total": len(rows)}
            text = pages.store_page("pair.html", links, self._shown, **values)
            self._write(f"pair/{one}-{other}.html", text)

    def _match(self, match: int, title: str) -> str:
        game, links = self._shown.setup.game, self._links("../")
        context = match_context(self._store, "", match)
        return file.frame_page(
            title=plain(title),
            csp=links.policy,
            links=pages.match_styles(links, game, "crumbs.css"),
            scripts=[Markup(f"{match}.js"), links.asset("match.js")],
            crumbs=pages.crumbs(links, _page_of(match), context),
        )

    def _links(self, up: str) -> FolderLinks:
        return FolderLinks(self._name, up, self._watched, self._pairs)

    def _write(self, name: str, text: str) -> None:
        data = text.encode()
        (self._folder / name).write_bytes(data)
        self._names.append(name)
        self._size += len(data)


def _assets(game: str, *, has_matches: bool) -> Iterator[tuple[str, str]]:
    def small(path: Path) -> tuple[str, str]:
        return path.name, file.small_style(path.read_text("utf-8"))

    yield small(file.FRAME / "theme.css")
    yield small(file.FRAME / "pages.css")
    yield "pages.js", file.classic(file.bundle_of(pages.HERE / "server.js"))
    if has_matches:
        yield small(file.FRAME / "frame.css")
        yield small(pages.HERE / "crumbs.css")
        yield "match.js", file.classic(file.bundle([game]))
        if style := file.drawing_style(game):
            yield "drawing.css", file.small_style(style)
