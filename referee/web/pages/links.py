"""The addresses that a page may link to, as HTML. An empty address means that there's no such page.

We use the same templates on a server, in a folder of pages, and in a self-contained file. Their
links are the only difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from referee.web.data import Item

LONGEST = 200
"""In the query of an address, values are cut to this many characters."""
_NONE = Markup("")


class Links:
    """Base class, which has no links at all. We use it for self-contained files.

    Attributes:
        name: displayed name of the tournament. If it's empty, we don't show it.
        is_file: True if the style sheet is inside the page.
        is_served: True if there's a server which handles forms and JSON requests.
        policy: the Content-Security-Policy in the page. If it's empty, either the server sends one,
            or we derive it from the style.
        scripts: addresses of a page's scripts.
    """

    name = ""
    is_file = True
    is_served = False
    policy = ""
    scripts: Sequence[Markup] = ()

    def asset(self, name: str) -> Markup:
        """Return the address of a style sheet or a script."""
        return _NONE

    def home(self) -> Markup:
        """Return the address of the list of all tournaments and matches."""
        return _NONE

    def every(self, **query: object) -> Markup:
        """Return the address of the list of all matches, including those without a tournament."""
        return _NONE

    def tournament(self, store: str = "") -> Markup:
        """Return the address of a tournament's front page.

        By default, that's the tournament which this page is about.
        """
        return _NONE

    def season(self, stores: Sequence[str], **query: object) -> Markup:
        """Return the address of the combined standings of several tournaments."""
        return _NONE

    def bot(self, bot: int, store: str = "") -> Markup:
        """Return the address of a bot's page, given its number in a tournament."""
        return _NONE

    def pair(self, one: int, other: int) -> Markup:
        """Return the address of the page of two bots."""
        return _NONE

    def statistics(self) -> Markup:
        """Return the address of the page with reply times and the game's statistics."""
        return _NONE

    def matches(self, **query: object) -> Markup:
        """Return the address of the list of the tournament's matches."""
        return _NONE

    def match(self, record: Item) -> Markup:
        """Return the address of a match's page."""
        return _NONE

    def record_with(self, digest: str) -> Item | None:
        """Find a record by its digest, or return None. The digest may be just a claim."""
        return None

    def events(self) -> Markup:
        """Return the address of the stream that reports when the standings change."""
        return _NONE

    def json(self, *parts: object, **query: object) -> Markup:
        """Return the address of the JSON for a page of the tournament, e.g. `json("bot", 3)`."""
        return _NONE


class ServedLinks(Links):
    """Links on a server.

    Args:
        store: name of the tournament in addresses. It's empty if the page isn't about a tournament.
        record_with: a function that finds a record by its digest.
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
        """Return `/static/NAME`."""
        return address("static", name)

    def home(self) -> Markup:
        """Return `/`."""
        return address()

    def every(self, **query: object) -> Markup:
        """Return `/matches`."""
        return address("matches", **query)

    def tournament(self, store: str = "") -> Markup:
        """Return `/store/NAME`."""
        return address("store", store or self.store)

    def season(self, stores: Sequence[str], **query: object) -> Markup:
        """Return `/season`, with the stores in the query."""
        return address("season", store=stores, **query)

    def bot(self, bot: int, store: str = "") -> Markup:
        """Return `/store/NAME/bot/B`."""
        return address("store", store or self.store, "bot", bot)

    def pair(self, one: int, other: int) -> Markup:
        """Return `/store/NAME/pair/A/B`."""
        return address("store", self.store, "pair", one, other)

    def statistics(self) -> Markup:
        """Return `/store/NAME/statistics`."""
        return address("store", self.store, "statistics")

    def matches(self, **query: object) -> Markup:
        """Return `/store/NAME/matches`."""
        return address("store", self.store, "matches", **query)

    def match(self, record: Item) -> Markup:
        """Return `/match/ID`."""
        return address("match", record.id)

    def record_with(self, digest: str) -> Item | None:
        """Ask the function that was passed as `record_with`."""
        return self._record_with(digest)

    def events(self) -> Markup:
        """Return `/store/NAME/events`, or nothing if the page isn't about a tournament."""
        return address("store", self.store, "events") if self.store else _NONE

    def json(self, *parts: object, **query: object) -> Markup:
        """Return `/store/NAME/PARTS?format=json`."""
        return address("store", self.store, *parts, **query, format="json")


def stem(store: str) -> str:
    """Return the name of a store without folders and suffix."""
    return PurePath(store).stem


def address(*parts: object, **query: object) -> Markup:
    """Return an address on a server, escaped for HTML.

    Empty values of the query are left out, so a default doesn't show up in the address. A list adds
    one value per item.
    """
    path = "/".join(quote(str(part), safe="/") for part in parts)
    left = [
        (name, str(each)[:LONGEST])
        for name, value in query.items()
        for each in (value if isinstance(value, list | tuple) else [value])
        if each not in (None, "")
    ]
    return escape(f"/{path}?{urlencode(left)}" if left else f"/{path}")
