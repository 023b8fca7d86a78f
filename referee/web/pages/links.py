"""The addresses that a page may link to, as HTML. An empty address means that there's no such page.

We use the same templates on a server, in a folder of pages, and in a self-contained file. Their
links are the only difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from referee.web.data import Item

LONGEST = 200
"""In the query of an address, values are cut to this many characters."""
_NONE = Markup("")


class Links:
    """The links of a page. Only `at` differs between a server, a folder and a file.

    This base class has no links at all. We use it for self-contained files.

    Attributes:
        store: name of the tournament in addresses. It's empty if the page isn't about a tournament.
        name: displayed name of the tournament. If it's empty, we don't show it.
        is_file: True if the style sheet is inside the page.
        is_served: True if there's a server which handles forms and JSON requests.
        policy: the Content-Security-Policy in the page. If it's empty, either the server sends one,
            or we derive it from the style.
        scripts: addresses of a page's scripts.
    """

    store = ""
    name = ""
    is_file = True
    is_served = False
    policy = ""
    scripts: Sequence[Markup] = ()

    def at(self, *parts: object, **query: object) -> Markup:
        """Return the address of a page, given the parts of its path on a server, and its query."""
        return _NONE

    def asset(self, name: str) -> Markup:
        """Return the address of a style sheet or a script."""
        return self.at("static", name)

    def home(self) -> Markup:
        """Return the address of the list of all tournaments and matches."""
        return self.at()

    def every(self, **query: object) -> Markup:
        """Return the address of the list of all matches, including those without a tournament."""
        return self.at("matches", **query)

    def tournament(self, store: str = "") -> Markup:
        """Return the address of a tournament's front page.

        By default, that's the tournament which this page is about.
        """
        return self.at("store", store or self.store)

    def season(self, stores: Sequence[str], **query: object) -> Markup:
        """Return the address of the combined standings of several tournaments."""
        return self.at("season", store=stores, **query)

    def bot(self, bot: int) -> Markup:
        """Return the address of a bot's page, given its number in the tournament."""
        return self.at("store", self.store, "bot", bot)

    def pair(self, one: int, other: int) -> Markup:
        """Return the address of the page of two bots."""
        return self.at("store", self.store, "pair", one, other)

    def statistics(self) -> Markup:
        """Return the address of the page with reply times and the game's statistics."""
        return self.at("store", self.store, "statistics")

    def matches(self, **query: object) -> Markup:
        """Return the address of the list of the tournament's matches."""
        return self.at("store", self.store, "matches", **query)

    def match(self, record: Item) -> Markup:
        """Return the address of a match's page."""
        return self.at("match", record.id)

    def record_with(self, digest: str) -> Item | None:
        """Find a record by its digest, or return None. The digest may be just a claim."""
        return None

    def events(self) -> Markup:
        """Return the address of the stream that reports when the standings change."""
        return self.at("store", self.store, "events") if self.store else _NONE

    def json(self, *parts: object, **query: object) -> Markup:
        """Return the address of the JSON for a page of the tournament, e.g. `json("bot", 3)`."""
        return self.at("store", self.store, *parts, **query, format="json")


class ServedLinks(Links):
    """Links on a server.

    Args:
        store, name: see `Links`.
        record_with: a function that finds a record by its digest.
    """

    is_file = False
    is_served = True
    scripts = (Markup("/static/server.js"), Markup("/static/moving.js"))

    def __init__(
        self,
        store: str = "",
        record_with: Callable[[str], Item | None] = lambda digest: None,
        name: str = "",
    ) -> None:
        self.store = store
        self.name = name
        self._record_with = record_with

    def at(self, *parts: object, **query: object) -> Markup:
        """Return the address on the server."""
        return address(*parts, **query)

    def record_with(self, digest: str) -> Item | None:
        """Ask the function that was passed as `record_with`."""
        return self._record_with(digest)


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
