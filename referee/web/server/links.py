"""The addresses that a page may link to, as HTML. An empty one: there is no such page.

The templates are the same for a server, for a folder of pages, and for a file that needs nothing
else. They differ in their links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from referee.web.server.library import Item

LONGEST = 200
"""Characters of a value in the query of an address."""
_NONE = Markup("")


class Links:
    """Links of a file that needs nothing else: it has no page beside it.

    Attributes:
        name: the tournament's, for people; empty: it is not shown.
        is_file: whether the style is in the page.
        is_served: whether a server answers forms and requests for JSON.
        policy: the Content-Security-Policy in the page; empty: the server sends it, or it follows
            from the style.
        scripts: the addresses of the scripts of a page.
    """

    name = ""
    is_file = True
    is_served = False
    policy = ""
    scripts: Sequence[Markup] = ()

    def asset(self, name: str) -> Markup:
        """A style sheet or a script."""
        return _NONE

    def home(self) -> Markup:
        """The list of all tournaments and matches."""
        return _NONE

    def every(self, **query: object) -> Markup:
        """All matches, of a server those in no tournament too."""
        return _NONE

    def tournament(self, store: str = "") -> Markup:
        """The front page of a tournament, by default of the one that the page is of."""
        return _NONE

    def season(self, stores: Sequence[str], **query: object) -> Markup:
        """Several tournaments together."""
        return _NONE

    def bot(self, bot: int, store: str = "") -> Markup:
        """A bot, by its number in a tournament."""
        return _NONE

    def pair(self, one: int, other: int) -> Markup:
        """Two bots."""
        return _NONE

    def matches(self, **query: object) -> Markup:
        """Matches of the tournament."""
        return _NONE

    def match(self, record: Item) -> Markup:
        """A match."""
        return _NONE

    def record_with(self, digest: str) -> Item | None:
        """The record here that has, or says that it has, a digest."""
        return None

    def events(self) -> Markup:
        """The stream that says when the standings have changed."""
        return _NONE

    def json(self, *parts: object, **query: object) -> Markup:
        """A page of the tournament as JSON."""
        return _NONE


class ServedLinks(Links):
    """Links on a server.

    Args:
        store: its name in addresses; empty: the page is of no tournament.
        record_with: gives the record that has, or says that it has, a digest.
    """

    is_file = False
    is_served = True
    scripts = (Markup("/static/server.js"), Markup("/static/moving.js"))

    def __init__(
        self, store: str = "", record_with: Callable[[str], Item | None] = lambda digest: None
    ) -> None:
        self.store = store
        self.name = stem(store)
        self._record_with = record_with

    def asset(self, name: str) -> Markup:
        """/static/NAME."""
        return address("static", name)

    def home(self) -> Markup:
        """/."""
        return address()

    def every(self, **query: object) -> Markup:
        """/matches."""
        return address("matches", **query)

    def tournament(self, store: str = "") -> Markup:
        """/store/NAME."""
        return address("store", store or self.store)

    def season(self, stores: Sequence[str], **query: object) -> Markup:
        """/season."""
        return address("season", store=stores, **query)

    def bot(self, bot: int, store: str = "") -> Markup:
        """/store/NAME/bot/B."""
        return address("store", store or self.store, "bot", bot)

    def pair(self, one: int, other: int) -> Markup:
        """/store/NAME/pair/A/B."""
        return address("store", self.store, "pair", one, other)

    def matches(self, **query: object) -> Markup:
        """/store/NAME/matches."""
        return address("store", self.store, "matches", **query)

    def match(self, record: Item) -> Markup:
        """/match/ID."""
        return address("match", record.id)

    def record_with(self, digest: str) -> Item | None:
        """What the server finds."""
        return self._record_with(digest)

    def events(self) -> Markup:
        """/store/NAME/events; empty for a page of no tournament."""
        return address("store", self.store, "events") if self.store else _NONE

    def json(self, *parts: object, **query: object) -> Markup:
        """/store/NAME with more parts."""
        return address("store", self.store, *parts, **query, format="json")


def stem(store: str) -> str:
    """The name of a store without folders and ending."""
    return PurePath(store).stem


def address(*parts: object, **query: object) -> Markup:
    """An address on a server, for HTML.

    Empty values are omitted from the query; of a list, each value is in it.
    """
    path = "/".join(quote(str(part), safe="/") for part in parts)
    left = [
        (name, str(each)[:LONGEST])
        for name, value in query.items()
        for each in (value if isinstance(value, list | tuple) else [value])
        if each not in (None, "")
    ]
    return escape(f"/{path}?{urlencode(left)}" if left else f"/{path}")
