"""The files that pages show: the named records, spectator logs and stores.

Nothing else can be reached. An address names an entry of this library, never a path; symbolic links
and hidden files in a folder are left out, and a file is opened only where it still is.

The first and the last line of a record are read, the newest file first. They are kept until the
file changes, and are only what the record says of itself. A page of a match reads the whole record;
`Library.checked` keeps what it found out.
"""

from __future__ import annotations

import math
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Struct

from referee.bots.command import HUMAN
from referee.errors import LogReadError, RefereeError, UsageError, why
from referee.games.interface.game import Score
from referee.games.interface.seats import seat_id
from referee.logs.entries import last_line, summaries
from referee.logs.header import first_line
from referee.logs.parsing import Messages, message_kinds
from referee.logs.record import Place
from referee.logs.source import LogReader
from referee.match.messages import GameEnd, PlayerName
from referee.names import shown_names
from referee.text.terminal import as_text
from referee.tournament.playing.live import kept_of

LOG_SUFFIX = ".jsonl"
STORE_SUFFIX = ".sqlite"
MOST_FILES = 100_000
DEPTH = 3
"""Folders in folders, below the one that was named."""
LOOK_SECONDS = 2.0
"""For so long what was found in the folders is taken to be still there."""
MOST_BYTES = 32 * 2**20
"""Bytes of a compressed file, unpacked, after which its end is not looked for."""
READ_SECONDS = 0.3
"""Seconds that a page waits for files that were not read yet."""
PRIVATE = "a person plays here, and the match is not over: it is shown when it is"
"""Problem of a record that would show hidden cards of a game that can be continued."""
_LONGEST = 200
_PLAYERS = 64
"""First lines of a spectator log in which names are looked for."""
_SQLITE = b"SQLite format 3\0"


class File(NamedTuple):
    """A file that may be shown.

    Attributes:
        id: its name in addresses: the path below the folder that was named.
        path: where it is.
        root: the file or folder that was named, as a real path.
        size, modified: bytes; nanoseconds.
        inode, changed: the number of the file, and when it was changed last, in nanoseconds, which
            no program can set.
    """

    id: str
    path: str
    root: str
    size: int
    modified: int
    inode: int
    changed: int


class Item(Struct, frozen=True):
    """A match in the list. spec/page-data.md, 5, describes the fields.

    `names` are those of the handshakes, or the BOT arguments as long as these are not known, and
    `shown` those of `referee.names`.

    Attributes:
        given: the names in the header of a record; may be empty.
        checked: whether `digest` is that of the record's lines; None if they were not read so far.
        tournaments: the stores here with a match of this digest, by their names in addresses.
        place: its tournament and number there, as the record says.
    """

    id: str
    kind: str
    game: str = ""
    names: list[str] = []
    shown: list[str] = []
    given: list[str] = []
    bots: list[str] = []
    ranks: list[int] = []
    scores: list[Score] = []
    disqualified: list[str | None] = []
    reason: str = ""
    seed: int | None = None
    started: str = ""
    digest: str = ""
    checked: bool | None = None
    tournaments: list[str] = []
    place: Place | None = None
    live: bool = False
    problem: str = ""

    def seats_of(self, bot: str) -> list[int]:
        """The seats whose bot has this in a name or its BOT argument; all if it is empty."""
        wanted = bot.casefold()
        none = [""] * len(self.names)
        known = zip(self.names, self.bots or none, self.shown, strict=False)
        return [
            seat
            for seat, texts in enumerate(known)
            if any(wanted in text.casefold() for text in texts)
        ]

    def has_result(self, seat: int, result: str) -> bool:
        """Whether the match ended so for this seat; `result` is one of `RESULTS`."""
        if result == "disqualified":
            return seat < len(self.disqualified) and self.disqualified[seat] is not None
        if seat >= len(self.ranks):
            return False
        rank = self.ranks[seat]
        shared = self.ranks.count(1) > 1
        return {"won": rank == 1 and not shared, "drawn": rank == 1 and shared, "lost": rank > 1}[
            result
        ]


RESULTS = ("won", "drawn", "lost", "disqualified")


class Filter(NamedTuple):
    """Which matches are listed. An empty field allows all.

    Attributes:
        search: in the file's name, names, BOT arguments and the game's name.
        bot: in a name or a BOT argument.
        result: of this bot, or of any: one of `RESULTS`, or "unfinished".
        reason: why it ended.
    """

    search: str = ""
    bot: str = ""
    result: str = ""
    reason: str = ""

    def takes(self, item: Item) -> bool:
        """Whether a match is listed."""
        if self.reason and item.reason != self.reason:
            return False
        texts = (item.id, item.game, item.reason, *item.names, *item.bots, *item.shown)
        if self.search and not any(self.search.casefold() in text.casefold() for text in texts):
            return False
        seats = item.seats_of(self.bot)
        if self.result == "unfinished":
            return bool(seats) and not item.reason
        if self.result:
            return any(item.has_result(seat, self.result) for seat in seats)
        return bool(seats) or not self.bot


class Library:
    """The files below what was named. Its methods may be called in any thread.

    Args:
        names: files and folders.

    Raises:
        UsageError: one of them is not there, or is neither.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._roots = list(_roots(names))
        self._lock = Lock()
        self._looking = Lock()
        self._looked = -LOOK_SECONDS
        self._files: dict[str, File] = {}
        self._stores: dict[str, File] = {}
        self._items: dict[str, Item] = {}
        self._digests: dict[str, set[str]] = {}
        self._unread: list[File] = []
        self.cut = False

    def look(self) -> None:
        """Look what is there, if that was not done just now."""
        # Others take what was there before, except at the beginning.
        is_first = self._looked < 0
        if not self._looking.acquire(blocking=is_first):
            return
        try:
            if time.monotonic() >= self._looked + LOOK_SECONDS:
                self._look()
        finally:
            self._looking.release()

    def _look(self) -> None:
        logs: list[File] = []
        stores: list[File] = []
        found = islice(self._walk(), MOST_FILES + 1)
        for file, is_store in found:
            (stores if is_store else logs).append(file)
        logs.sort(key=lambda file: (file.modified, file.id), reverse=True)
        with self._lock:
            self.cut = len(logs) + len(stores) > MOST_FILES
            before = self._files
            self._files = {file.id: file for file in logs}
            self._stores = {file.id: file for file in sorted(stores)}
            for id in [id for id, file in before.items() if self._files.get(id) != file]:
                item = self._items.pop(id, None)
                if item is not None:
                    self._digests.get(item.digest, set()).discard(id)
            self._unread = [file for file in reversed(logs) if file.id not in self._items]
            self._looked = time.monotonic()

    def read(self, seconds: float) -> int:
        """Read what was not read yet, for so long at most; how many files are left."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with self._lock:
                if not self._unread:
                    return 0
                file = self._unread.pop()
            self._item(file)
        return len(self._unread)

    def matches(self, chosen: Filter, first: int, count: int) -> tuple[int, list[Item]]:
        """How many of the matches are listed, and some of them, the newest first.

        Without a filter files that were not read yet are listed as well, and read for
        `READ_SECONDS`.
        """
        with self._lock:
            files = list(self._files.values())
            items = [] if chosen == Filter() else [self._items.get(file.id) for file in files]
        if chosen == Filter():
            until = time.monotonic() + READ_SECONDS
            some = files[first : first + count]
            return len(files), [self._item(file, until=until) for file in some]
        taken = [item for item in items if item is not None and chosen.takes(item)]
        return len(taken), taken[first : first + count]

    def reasons(self) -> list[str]:
        """The reasons for which the matches ended that were read."""
        with self._lock:
            return sorted({item.reason for item in self._items.values() if item.reason})

    def log(self, id: str) -> File | None:
        """A record or spectator log by its name in addresses, also by the one that it had live."""
        return self._files.get(id) or self._files.get(kept_of(id))

    def item(self, file: File) -> Item:
        """A match in the list; one that had not begun when it was read is read again."""
        item = self._item(file)
        return item if item.kind else _read(file)

    def checked(self, file: File, digest: str) -> None:
        """Keep the digest of the lines of a record until its file changes; empty: it has none."""
        item = self._item(file)
        with self._lock:
            if self._files.get(file.id) == file == _now(file) and item.digest:
                item = msgspec.structs.replace(item, checked=item.digest == digest)
                self._items[file.id] = item

    def records_with(self, digest: str) -> list[Item]:
        """The records that say that they have this digest, if their lines do not have another one.

        Only one that was checked, if there is one.
        """
        with self._lock:
            items = [self._items[id] for id in sorted(self._digests.get(digest, ()))]
            checked = [item for item in items if item.checked]
            return checked[:1] or [item for item in items if item.checked is None]

    @property
    def only(self) -> str:
        """The address of the file that was named; empty if it was not one file."""
        if len(self._roots) != 1 or not os.path.isfile(self._roots[0][1]):
            return ""
        return "".join(
            f"{kind}/{quote(as_text(self._roots[0][0]))}"
            for kind, files in (("store", self._stores), ("watch", self._files))
            if files
        )

    @property
    def stores(self) -> list[File]:
        """The stores, by name."""
        return list(self._stores.values())

    def store(self, id: str) -> File | None:
        """A store by its name in addresses."""
        return self._stores.get(id)

    def _walk(self) -> Iterator[tuple[File, bool]]:
        for label, root in self._roots:
            try:
                found = os.stat(root)
            except OSError:  # it is gone; it may come back
                continue
            if stat.S_ISDIR(found.st_mode):
                yield from _walk(root, label)
            else:
                yield _file(label, root, root, found), is_store(root)

    def _item(self, file: File, *, until: float = math.inf) -> Item:
        """What a file says; it is read without the lock, since that can take a second."""
        with self._lock:
            item = self._items.get(file.id)
        if item is None and time.monotonic() > until:
            return Item(file.id, "", problem="it was not read yet: load this page again")
        if item is None:
            item = _read(file)
            with self._lock:
                if self._files.get(file.id) == file:  # or it has changed meanwhile
                    self._items[file.id] = item
                    if item.digest:
                        self._digests.setdefault(item.digest, set()).add(item.id)
        return item


def check_in_place(file: File) -> None:
    """Raise a `UsageError` if a file is not below what was named, or is a link to elsewhere."""
    if os.path.realpath(file.path) != file.path or not os.path.isfile(file.path):
        raise UsageError(f"{file.id} is not there any more")


def _roots(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The prefix of names and the real path, for each file or folder that was named."""
    seen: set[str] = set()
    for name in names:
        path = os.path.realpath(name)
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {name}: {why(error)}") from error
        if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
            raise UsageError(f"{name} is neither a file nor a folder")
        if not os.access(path, os.R_OK):
            raise UsageError(f"cannot read {name}: Permission denied")
        base = os.path.basename(path) or "root"
        label, number = base, 1
        while label in seen:
            number += 1
            label = f"{number}-{base}"
        seen.add(label)
        is_only_folder = len(names) == 1 and stat.S_ISDIR(mode)
        yield "" if is_only_folder else label, path


def _walk(root: str, label: str) -> Iterator[tuple[File, bool]]:
    for folder, folders, names in os.walk(root):
        below = os.path.relpath(folder, root).split(os.sep) if folder != root else []
        folders[:] = sorted(name for name in folders if name[0] != "." and len(below) < DEPTH)
        for name in sorted(names):
            is_store = name.endswith(STORE_SUFFIX)
            is_log = name.removesuffix(".gz").removesuffix(".zst").endswith(LOG_SUFFIX)
            if name[0] == "." or not (is_store or is_log):
                continue
            path = os.path.join(folder, name)
            with suppress(OSError):  # it is gone, or not ours to read
                found = os.stat(path, follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    shown = "/".join(filter(None, [label, *below, name]))
                    yield _file(shown, path, root, found), is_store


def _file(name: str, path: str, root: str, found: os.stat_result) -> File:
    times = found.st_mtime_ns, found.st_ino, found.st_ctime_ns
    return File(as_text(name), path, root, found.st_size, *times)


def _now(file: File) -> File | None:
    with suppress(OSError):  # it is gone
        return _file(file.id, file.path, file.root, os.stat(file.path, follow_symlinks=False))
    return None


def is_store(path: str) -> bool:
    """Whether a file is the store of a tournament."""
    with open(path, "rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _read(file: File) -> Item:
    try:
        check_in_place(file)
        with LogReader(file.path) as reader:
            value, _ = first_line(next(iter(reader), b""))
        if isinstance(value, dict) and value.get("type") == "player-name":
            return _of_log(file)
        if not isinstance(value, dict) or value.get("entry") != "header":
            return Item(file.id, "", problem="neither a match record nor a spectator log")
        (summary,) = summaries([file.path], most=MOST_BYTES)
    except LogReadError as error:
        return Item(file.id, "", problem=f"line {error.line}: {error.problem}")
    except RefereeError as error:
        return Item(file.id, "", problem=str(error))
    header, end = summary.header, summary.end
    if end is None and HUMAN in header.bots:
        return Item(file.id, "", problem=PRIVATE)
    item = Item(
        file.id,
        "record",
        game=header.game,
        names=_cut(header.bots),
        shown=_shown(["" for _ in header.bots], header.names or (), header.bots),
        given=_cut(header.names or ()),
        bots=_cut(header.bots),
        seed=header.seed,
        started=header.started[:_LONGEST],
        place=header.place or None,
    )
    if end is None:
        return item
    return msgspec.structs.replace(
        item,
        names=_cut([player.name for player in end.players]),
        shown=_shown([player.name for player in end.players], item.given, item.bots),
        ranks=[player.rank for player in end.players],
        scores=[player.score for player in end.players],
        disqualified=[player.disqualified for player in end.players],
        reason=end.reason[:_LONGEST],
        digest=end.digest,
    )


def _of_log(file: File) -> Item:
    with LogReader(file.path, most=MOST_BYTES) as reader:
        lines = iter(reader)
        ahead = list(islice(lines, _PLAYERS))
        last = last_line(file.path, reader, chain(ahead[-1:], lines))
    messages = Messages(ahead)
    names = [line.content.name for line in messages if isinstance(line.content, PlayerName)]
    game = "" if messages.rules is None else messages.rules.name
    end = message_kinds(None).decode(last)
    found: dict[str, Any] = {}
    if isinstance(end, GameEnd):
        ranks = [1 if seat_id(seat) in end.winners else 2 for seat in range(len(names))]
        found = {"ranks": ranks, "scores": end.scores, "reason": end.reason[:_LONGEST]}
    return Item(file.id, "log", game=game, names=names, shown=_shown(names), **found)


def _shown(own: Sequence[str], given: Sequence[str] = (), bots: Sequence[str] = ()) -> list[str]:
    return _cut(shown_names(own, given, bots))


def _cut(texts: Sequence[str]) -> list[str]:
    """Texts of a stranger's, none of which fills a page."""
    return [text[:_LONGEST] for text in texts]
