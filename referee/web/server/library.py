"""The files that pages show: the given records, spectator logs and stores.

Visitors can't reach any other files: an address is the name of an entry in this library and is
never used as a path. In folders, we skip symbolic links and hidden files. We open a file only if
it's still where we found it.

For the list of matches we read just the first and the last line of each record, newest files first,
and remember them until the file changes. Note that these lines are only claims: anybody can write a
record that says that their bot won. When somebody opens the page of a match, we read the whole
record, and `Library.store_digest` remembers the verified digest.
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

from referee.bots.command import HUMAN
from referee.errors import LogReadError, RefereeError, UsageError, why
from referee.games.interface.seats import seat_id
from referee.logs.entries import last_line, summaries
from referee.logs.header import first_line
from referee.logs.parsing import Messages, message_kinds
from referee.logs.source import LogReader
from referee.match.messages import GameEnd, PlayerName
from referee.names import shown_names
from referee.text.terminal import as_text
from referee.tournament.playing.live import finished_path
from referee.web.data import Item

LOG_SUFFIX = ".jsonl"
STORE_SUFFIX = ".sqlite"
MOST_FILES = 100_000
# We look for files at most this many levels below a given folder.
DEPTH = 3
# The list of files in the folders is reused for this many seconds.
LOOK_SECONDS = 2.0
# There's no way to seek in a compressed file, so we have to unpack all of it to find its last line.
# If that would be more than this many bytes, we do without the last line.
MOST_BYTES = 32 * 2**20
# A page waits at most this long for files that we haven't read yet.
READ_SECONDS = 0.3
# The record contains cards that are hidden from the person until the game is over.
PRIVATE = "a person plays here, and the match is not over: it is shown when it is"
_LONGEST = 200
# In a spectator log, we look for the names of the players in this many lines.
_PLAYERS = 64
_SQLITE = b"SQLite format 3\0"


class File(NamedTuple):
    """A file that may be shown.

    Caches use the whole tuple as a key, because at least one of the fields changes whenever the
    file is changed or replaced.

    Attributes:
        id: the file's name in addresses, i.e. its path below the given folder.
        path: the file's path on disk.
        root: real path of the given file or folder.
        size: bytes.
        modified: time of the content's last change, in nanoseconds.
        inode: number of the file's inode.
        changed: time of the inode's last change, in nanoseconds. Programs can set `modified` to any
            time they like, but they can't do this with `changed`.
    """

    id: str
    path: str
    root: str
    size: int
    modified: int
    inode: int
    changed: int


RESULTS = ("won", "drawn", "lost", "disqualified")


class Filter(NamedTuple):
    """Selects matches. An empty field selects all of them.

    Attributes:
        search: text in the file name, a player's name, a BOT argument or the game's name.
        bot: text in a name or a BOT argument.
        result: result of this bot, or of any bot: one of `RESULTS`, or "unfinished".
        reason: the reason why the match ended.
    """

    search: str = ""
    bot: str = ""
    result: str = ""
    reason: str = ""

    def selects(self, item: Item) -> bool:
        """Check whether the filter selects a match."""
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
    """Finds and reads the files that may be shown. Thread-safe.

    There may be thousands of files. We list them first, and read each file when somebody needs it.

    Args:
        names: the given files and folders.

    Raises:
        UsageError: a name does not exist, or is neither a file nor a folder.
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
        """Update the list of files, if it is older than `LOOK_SECONDS`."""
        # Only one thread has to do this. The others don't wait for it and use the old list, unless
        # there isn't one yet.
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
                # The file was changed or deleted, so forget what we know about it.
                if item is not None:
                    self._digests.get(item.digest, set()).discard(id)
            # read() takes them from the end of this list, so the newest one must be the last.
            self._unread = [file for file in reversed(logs) if file.id not in self._items]
            self._looked = time.monotonic()

    def read(self, seconds: float) -> int:
        """Read files for up to this many seconds. Returns how many are still unread."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with self._lock:
                if not self._unread:
                    return 0
                file = self._unread.pop()
            self._item(file)
        return len(self._unread)

    def matches(self, chosen: Filter, first: int, count: int) -> tuple[int, list[Item]]:
        """List a page of the matches that a filter selects, newest first.

        Returns the number of selected matches, and `count` of them, beginning with number `first`.

        Without a filter, unread files count as well, and we spend up to `READ_SECONDS` on reading
        those on this page. With a filter, we'd have to read all files for that, so matches in
        unread files are missing.
        """
        with self._lock:
            files = list(self._files.values())
            items = [] if chosen == Filter() else [self._items.get(file.id) for file in files]
        if chosen == Filter():
            until = time.monotonic() + READ_SECONDS
            some = files[first : first + count]
            return len(files), [self._item(file, until=until) for file in some]
        taken = [item for item in items if item is not None and chosen.selects(item)]
        return len(taken), taken[first : first + count]

    def reasons(self) -> list[str]:
        """Return all end reasons of the matches that we have read so far, sorted."""
        with self._lock:
            return sorted({item.reason for item in self._items.values() if item.reason})

    def log(self, id: str) -> File | None:
        """Find a record or spectator log by its name in addresses.

        The name of a match may change when it ends. We still find it by its old name.
        """
        return self._files.get(id) or self._files.get(finished_path(id))

    def item(self, file: File) -> Item:
        """Return a file's entry in the list of matches.

        If the file wasn't a match when we read it (e.g. because it was still empty), try again.
        """
        item = self._item(file)
        return item if item.kind else _read(file)

    def store_digest(self, file: File, digest: str) -> None:
        """Remember a record's verified digest until the file changes.

        If the record doesn't have a digest, pass "".
        """
        item = self._item(file)
        with self._lock:
            if self._files.get(file.id) == file == _now(file) and item.digest:
                item = msgspec.structs.replace(item, checked=item.digest == digest)
                self._items[file.id] = item

    def records_with(self, digest: str) -> list[Item]:
        """Return the records that claim this digest, unless their claim turned out to be false.

        If a claim was checked and is true, only that record is returned.
        """
        with self._lock:
            items = [self._items[id] for id in sorted(self._digests.get(digest, ()))]
            checked = [item for item in items if item.checked]
            return checked[:1] or [item for item in items if item.checked is None]

    @property
    def only(self) -> str:
        """The address of the only file, or "" if we were given a folder or several files."""
        if len(self._roots) != 1 or not os.path.isfile(self._roots[0][1]):
            return ""
        return "".join(
            f"{kind}/{quote(as_text(self._roots[0][0]))}"
            for kind, files in (("store", self._stores), ("watch", self._files))
            if files
        )

    @property
    def stores(self) -> list[File]:
        """The stores, sorted by name."""
        return list(self._stores.values())

    def store(self, id: str) -> File | None:
        """Return a store by its name in addresses."""
        return self._stores.get(id)

    def _walk(self) -> Iterator[tuple[File, bool]]:
        for label, root in self._roots:
            try:
                found = os.stat(root)
            except OSError:  # it was deleted, but it may come back
                continue
            if stat.S_ISDIR(found.st_mode):
                yield from _walk(root, label)
            else:
                yield _file(label, root, root, found), is_store(root)

    def _item(self, file: File, *, until: float = math.inf) -> Item:
        """Read an item, or take it from the cache.

        The lock isn't held while reading, because that may take a second.
        """
        with self._lock:
            item = self._items.get(file.id)
        if item is None and time.monotonic() > until:
            return Item(file.id, "", problem="it was not read yet: load this page again")
        if item is None:
            item = _read(file)
            with self._lock:
                if self._files.get(file.id) == file:  # otherwise it has changed in the meantime
                    self._items[file.id] = item
                    if item.digest:
                        self._digests.setdefault(item.digest, set()).add(item.id)
        return item


def check_in_place(file: File) -> None:
    """Raise `UsageError` if a file isn't inside a given folder any more, or has become a link."""
    if os.path.realpath(file.path) != file.path or not os.path.isfile(file.path):
        raise UsageError(f"{file.id} is not there any more")


def _roots(names: Sequence[str]) -> Iterator[tuple[str, str]]:
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
        # Two folders may have the same name, and addresses must be unique.
        while label in seen:
            number += 1
            label = f"{number}-{base}"
        seen.add(label)
        # A single folder doesn't need a name in front of each address.
        is_only_folder = len(names) == 1 and stat.S_ISDIR(mode)
        yield "" if is_only_folder else label, path


def _walk(root: str, label: str) -> Iterator[tuple[File, bool]]:
    for folder, folders, names in os.walk(root):
        below = os.path.relpath(folder, root).split(os.sep) if folder != root else []
        # os.walk() looks at this list to decide where to go next, so we have to change it in place.
        folders[:] = sorted(name for name in folders if name[0] != "." and len(below) < DEPTH)
        for name in sorted(names):
            is_store = name.endswith(STORE_SUFFIX)
            is_log = name.removesuffix(".gz").removesuffix(".zst").endswith(LOG_SUFFIX)
            if name[0] == "." or not (is_store or is_log):
                continue
            path = os.path.join(folder, name)
            with suppress(OSError):  # it was deleted, or we aren't allowed to read it
                found = os.stat(path, follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    shown = "/".join(filter(None, [label, *below, name]))
                    yield _file(shown, path, root, found), is_store


def _file(name: str, path: str, root: str, found: os.stat_result) -> File:
    times = found.st_mtime_ns, found.st_ino, found.st_ctime_ns
    return File(as_text(name), path, root, found.st_size, *times)


def _now(file: File) -> File | None:
    with suppress(OSError):  # the file was deleted
        return _file(file.id, file.path, file.root, os.stat(file.path, follow_symlinks=False))
    return None


def is_store(path: str) -> bool:
    """Return True if a file looks like a store, i.e. begins like an SQLite database."""
    with open(path, "rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _read(file: File) -> Item:
    try:
        check_in_place(file)
        with LogReader(file.path) as reader:
            value, _ = first_line(next(iter(reader), b""))
        # A spectator log doesn't have a header like a record does. It starts with the name of a
        # player.
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
        names=_shortened(header.bots),
        shown=_shown(["" for _ in header.bots], header.names or (), header.bots),
        given=_shortened(header.names or ()),
        bots=_shortened(header.bots),
        seed=header.seed,
        started=header.started[:_LONGEST],
        place=header.place or None,
    )
    if end is None:
        return item
    return msgspec.structs.replace(
        item,
        names=_shortened([player.name for player in end.players]),
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
    game = "" if messages.definition is None else messages.definition.name
    end = message_kinds(None).decode(last)
    found: dict[str, Any] = {}
    if isinstance(end, GameEnd):
        ranks = [1 if seat_id(seat) in end.winners else 2 for seat in range(len(names))]
        found = {"ranks": ranks, "scores": end.scores, "reason": end.reason[:_LONGEST]}
    return Item(file.id, "log", game=game, names=names, shown=_shown(names), **found)


def _shown(own: Sequence[str], given: Sequence[str] = (), bots: Sequence[str] = ()) -> list[str]:
    return _shortened(shown_names(own, given, bots))


def _shortened(texts: Sequence[str]) -> list[str]:
    # Strangers may have written these texts, and a name with a million letters would fill the page.
    return [text[:_LONGEST] for text in texts]
