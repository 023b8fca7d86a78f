"""What a list of matches says of each match."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.web.data import Item
from referee.web.server import library
from referee.web.server.library import RESULTS, File, Filter, Library


@pytest.mark.parametrize(
    ("ranks", "out", "results"),
    [
        ([1, 2], [None, None], ["won", "lost"]),
        ([1, 1], [None, None], ["drawn", "drawn"]),
        ([1, 1, 3], [None] * 3, ["drawn", "drawn", "lost"]),
        ([1, 2, 2], [None] * 3, ["won", "lost", "lost"]),
        ([2, 1], ["timeout", None], ["lost disqualified", "won"]),
        ([1, 1], ["timeout", "exited"], ["drawn disqualified", "drawn disqualified"]),
        ([], [], ["", ""]),  # not over
        ([], ["timeout", None], ["disqualified", ""]),
    ],
)
def test_a_draw_is_not_won(ranks: list[int], out: list[str | None], results: list[str]) -> None:
    item = Item("a", "record", ranks=ranks, disqualified=out)
    found = [
        " ".join(result for result in RESULTS if item.has_result(seat, result))
        for seat in range(len(results))
    ]
    assert found == results


def test_a_bot_is_found_by_any_part_of_its_names() -> None:
    item = Item("a", "record", names=["Big Money", "Any"], bots=["./x", "./Y"], shown=["one", "2"])
    assert [item.seats_of(text) for text in ("MONEY", "y", "./", "ONE", "2", "", "z")] == [
        [0],
        [0, 1],
        [0, 1],
        [0],
        [1],
        [0, 1],
        [],
    ]
    assert Item("a", "log", names=["Any", "B"], shown=["Any", "B"]).seats_of("b") == [1]


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        (Filter(), "abc"),
        (Filter(search="DOMIN"), "ab"),
        (Filter(search="turn"), "a"),
        (Filter(search="ann"), "ac"),
        (Filter(search="./x"), "b"),
        (Filter(search="b"), "bc"),
        (Filter(bot="ann"), "ac"),
        (Filter(bot="nobody"), ""),
        (Filter(bot="dominion"), ""),
        (Filter(reason="turn-limit"), "a"),
        (Filter(reason="turn"), ""),
        (Filter(result="won"), "a"),
        (Filter(bot="ann", result="won"), "a"),
        (Filter(bot="zoe", result="won"), ""),
        (Filter(bot="zoe", result="lost"), "a"),
        (Filter(result="unfinished"), "bc"),
        (Filter(bot="ann", result="unfinished"), "c"),
        (Filter(bot="ann", result="won", reason="other"), ""),
        (Filter(search="botwars", bot="ann", result="unfinished"), "c"),
    ],
)
def test_a_filter_selects_what_fulfils_all_of_it(chosen: Filter, found: str) -> None:
    items = [
        Item(
            "a", "record", game="dominion", names=["Ann", "Zoe"], ranks=[1, 2], reason="turn-limit"
        ),
        Item("b", "record", game="dominion", names=["", ""], bots=["./x", "./y"], shown=["x", "y"]),
        Item("c", "log", game="botwars", names=["Ann", "Ben"], shown=["Ann", "Ben"]),
    ]
    shown = [msgspec.structs.replace(item, shown=item.shown or item.names) for item in items]
    assert "".join(item.id for item in shown if chosen.selects(item)) == found


class Folder:
    """A folder of files that are read as made-up items, and a library that shows it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.items: dict[str, Item] = {}
        self.read: list[str] = []
        monkeypatch.setattr(library, "_read", self._read)
        monkeypatch.setattr(library, "LOOK_SECONDS", 0.0)
        self.library = Library([str(folder)])

    def _read(self, file: File) -> Item:
        self.read.append(file.id)
        return self.items.get(file.id, Item(file.id, "record"))

    def write(self, name: str, seconds: int = 0, text: str = "", **fields: Any) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        os.utime(path, (seconds, seconds))
        self.items[name] = Item(name, "record", **fields)

    def listed(self, chosen: Filter = Filter(), first: int = 0, count: int = 50) -> Any:  # noqa: B008
        self.library.look()
        total, items = self.library.matches(chosen, first, count)
        return total, [item.id for item in items]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    return Folder(tmp_path, monkeypatch)


def test_the_newest_matches_are_listed_and_read_first(folder: Folder) -> None:
    for seconds, name in enumerate(("b.jsonl", "c.jsonl.gz", "a.jsonl.zst", "d.jsonl"), 1):
        folder.write(name, min(seconds, 3), reason=name[0])
    for name in (".e.jsonl", "f.txt", "jsonl", ".hidden/g.jsonl", "h.sqlite.jsonl.bak"):
        folder.write(name)
    newest = ["d.jsonl", "a.jsonl.zst", "c.jsonl.gz", "b.jsonl"]
    assert folder.listed() == (4, newest)
    assert folder.read == newest
    assert folder.listed(first=1, count=2) == (4, newest[1:3])
    assert folder.listed(Filter(result="lost")) == (0, [])
    folder.write("e.jsonl", 9)
    folder.write("b.jsonl", 8, "changed", reason="new")
    (folder.folder / "d.jsonl").unlink()
    assert folder.listed(Filter(reason="c"))[1] == ["c.jsonl.gz"]
    assert folder.library.read(60.0) == 0
    assert folder.read[4:] == ["e.jsonl", "b.jsonl"]
    assert folder.listed()[1] == ["e.jsonl", "b.jsonl", *newest[1:3]]
    assert folder.library.reasons() == ["a", "c", "new"]


def test_a_given_folder_may_be_away_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "LOOK_SECONDS", 0.0)
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "game.jsonl").touch()
    shown = Library([str(tmp_path / name) for name in "ab"])

    def listed() -> list[str]:
        shown.look()
        return sorted(item.id for item in shown.matches(Filter(), 0, 50)[1])

    assert listed() == ["a/game.jsonl", "b/game.jsonl"]
    (tmp_path / "a").rename(tmp_path / "c")
    assert listed() == ["b/game.jsonl"]
    (tmp_path / "c").rename(tmp_path / "a")
    assert listed() == ["a/game.jsonl", "b/game.jsonl"]


def test_the_folder_is_looked_at_now_and_then(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a.jsonl")
    assert folder.listed()[0] == 1
    monkeypatch.setattr(library, "LOOK_SECONDS", 1e9)
    folder.write("b.jsonl")
    assert folder.listed()[0] == 1
    monkeypatch.setattr(library, "LOOK_SECONDS", 0.0)
    assert folder.listed()[0] == 2


@pytest.mark.parametrize(("most", "shown", "cut"), [(2, 3, True), (3, 3, False), (4, 3, False)])
def test_only_so_many_files_are_listed(
    most: int, shown: int, cut: bool, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "MOST_FILES", most)
    for name in "abc":
        folder.write(f"{name}.jsonl")
    assert folder.listed()[0] == shown
    assert folder.library.cut == cut


def test_a_folder_is_read_to_a_depth(folder: Folder) -> None:
    deep = "/".join("f" * (library.DEPTH + 1))
    (folder.folder / deep).mkdir(parents=True)
    folder.write(f"{deep}/too-deep.jsonl")
    folder.write(f"{deep[:-2]}/deep.jsonl")
    assert folder.listed()[1] == [f"{deep[:-2]}/deep.jsonl"]


def test_a_digest_that_was_checked_excludes_false_claims(folder: Folder) -> None:
    for name in "abc":
        folder.write(f"{name}.jsonl", digest="sha256:1")
    folder.listed()

    def found() -> list[str]:
        return [item.id for item in folder.library.records_with("sha256:1")]

    def check(name: str, digest: str) -> None:
        file = folder.library.log(name)
        assert file is not None
        folder.library.store_digest(file, digest)

    assert found() == ["a.jsonl", "b.jsonl", "c.jsonl"]
    check("a.jsonl", "sha256:2")
    assert found() == ["b.jsonl", "c.jsonl"]
    check("c.jsonl", "sha256:1")
    assert found() == ["c.jsonl"]
    changed = folder.library.log("b.jsonl")
    folder.write("c.jsonl", 5, "new", digest="sha256:3")
    folder.listed()
    assert found() == ["b.jsonl"]
    assert [item.id for item in folder.library.records_with("sha256:3")] == ["c.jsonl"]
    # What is known of a file's old content is not noted of its new one.
    folder.write("b.jsonl", 6, "other", digest="sha256:1")
    assert changed is not None
    folder.library.store_digest(changed, "sha256:1")
    assert folder.library.item(changed).checked is None
    folder.write("d.jsonl")
    folder.listed()
    check("d.jsonl", "")  # it claims no digest
    file = folder.library.log("d.jsonl")
    assert file is not None
    assert folder.library.item(file).checked is None
