"""A tournament as a static site: links, paths, and replacing an older site."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import pytest

from referee import cli
from referee.errors import UsageError
from referee.logs.packed import Packer
from referee.tournament.playing.records import record_of
from referee.tournament.rows import Entrant, MatchRow, Plan
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.web import site
from tests.support.browsing import new_page, painted
from tests.support.helpers import ROOT
from tests.support.made_up import play, row

RECORD = ROOT / "spec" / "examples" / "two-players.record.jsonl"
HOSTILE = "../../x<script>alert(1)</script>"
ADDRESS = re.compile(r'(?:href|src)="([^"]*)"')


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a four-bot store and two records. The second one has a wrong digest."""
    folder = tmp_path_factory.mktemp("night")
    digest = json.loads(RECORD.read_bytes().splitlines()[-1])["digest"]

    def result(plan: Plan) -> MatchRow:
        return row(plan, digest=digest if plan.match == 0 else f"of match {plan.match}")

    bots = [Entrant(f"{HOSTILE}{number}", HOSTILE) for number in range(4)]
    with Store.for_writing(str(folder / "night.sqlite")) as store:
        store.add_stage(setup(bots, game="dominion", deals=1, seed=1))
        play(store, result)
    (folder / "records").mkdir()
    for match in range(2):
        packer = Packer(".zst")
        data = packer.pack(RECORD.read_bytes()) + packer.end()
        record_of(folder / "records", match).write_bytes(data)
    return folder


def written(made: Path, to: Path, *more: str) -> int:
    return cli.main(["page", str(made / "night.sqlite"), "--output", str(to), *more])


@pytest.fixture(scope="module")
def folder(made: Path) -> Path:
    """The site of that store. Its parent has `said`, the command's stderr."""
    with (made / "said").open("w") as said, redirect_stderr(said):
        assert written(made, made / "site", "--records", str(made / "records")) == 0
    return made / "site"


def test_each_link_leads_to_a_file_of_the_folder(folder: Path) -> None:
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    assert {"index.html", "matches.html", "bot/3.html", "pair/0-3.html"} <= files.keys()
    assert {name for name in files if name.startswith("match/")} == {"match/0.html", "match/0.js"}
    linked = {"index.html"}
    for name, path in files.items():
        for address in ADDRESS.findall(path.read_text()) if name.endswith(".html") else ():
            if not address.startswith("data:"):
                target = os.path.normpath(os.path.join(os.path.dirname(name), address))
                assert target in files, f"{name}: {address}"
                linked.add(target)
    assert linked == files.keys() - {".referee-files"}


def test_a_name_is_text_and_in_no_path(folder: Path) -> None:
    for path in folder.rglob("[!.]*"):
        assert re.fullmatch(r"[a-z]+|(matches-)?[0-9]+(-[0-9]+)?", path.stem), path
        if path.suffix == ".html":
            text = path.read_text()
            assert "<script>" not in text, path
            assert " style=" not in text, path
            assert html.escape(HOSTILE) in text, path


@pytest.mark.extras
def test_it_opens_from_disk(folder: Path, browser: Any) -> None:
    messages: list[str] = []
    page = new_page(browser, messages)
    page.goto((folder / "index.html").as_uri())
    assert page.locator(".top .button").count() == 1  # the theme button
    page.locator(".ranking a").first.click()
    page.wait_for_url("**/bot/*.html")
    page.goto((folder / "matches.html").as_uri())
    page.get_by_role("link", name="watch").click()
    page.wait_for_selector(".match")
    page.keyboard.press("End")
    painted(page)
    assert page.locator(".when").inner_text().startswith("Turn 3")
    page.locator(".crumbs a").first.click()
    page.wait_for_url("**/index.html")
    assert messages == []
    page.context.close()


def test_what_was_written_is_said(folder: Path) -> None:
    lines = folder.with_name("said").read_text().splitlines()
    # A slow machine also prints progress, such as "2 of 4 matches".
    wrong, said = (line for line in lines if not line.endswith(" matches"))
    assert wrong == "referee: no page for match 1: the record is damaged, or is of another match"
    assert re.fullmatch(r"referee: .*/index.html: 22 files, 0.\d MB, 1 match to watch", said)


def test_a_folder_of_pages_is_replaced(made: Path, folder: Path, tmp_path: Path) -> None:
    """Without `--records`, the old match pages are removed too."""
    to = tmp_path / "site"
    shutil.copytree(folder, to)
    assert written(made, to, "--title", "Friday") == 0
    assert not (to / "match").exists()
    assert "<h1>Friday</h1>" in (to / "index.html").read_text()
    assert os.listdir(tmp_path) == ["site"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("notes.txt", "has notes.txt, which referee did not write"),
        ("index.html", "has index.html, which referee did not write"),
        ("bot", "has bot, which referee did not write"),
        ("", "is not a folder"),
    ],
)
def test_a_folder_with_something_else_is_kept(
    name: str, problem: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "site"
    if name:
        to.mkdir()
    (to / name).write_text("mine")
    assert written(made, to) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert problem in said
    assert (to / name).read_text() == "mine"


@pytest.mark.parametrize("name", ["static/my.css", "match/notes/a.txt", "matches-mine.html", "x/"])
def test_a_file_of_the_owner_is_named_and_stays(
    name: str, made: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "site"
    shutil.copytree(folder, to)
    if name.endswith("/"):
        (to / name).mkdir()
    else:
        (to / name).parent.mkdir(exist_ok=True)
        (to / name).write_text("mine")
    assert written(made, to, "--title", "Friday") == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert "which referee did not write" in said
    assert (to / name).exists()
    assert "<h1>Friday</h1>" not in (to / "index.html").read_text()


def test_nothing_stays_of_a_site_that_is_not_finished(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "site"
    to.mkdir()

    def interrupted(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(site.pages, "store_page", interrupted)
    with Store.for_reading(str(made / "night.sqlite")) as store, pytest.raises(KeyboardInterrupt):
        site.write_site(store, "night", None, str(to))
    assert [*tmp_path.rglob("*")] == [to]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--turns", "1-2"], "--turns is for pages of matches"),
        (["--force"], "--force is for pages of matches"),
        (["--records", "none"], "cannot read none: it is not a folder"),
        (["-o", "-"], "a tournament becomes a folder"),
        ([str(RECORD)], "a folder of pages is of one tournament"),
    ],
)
def test_options_that_do_not_fit(
    words: list[str], problem: str, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["page", str(made / "night.sqlite"), *words]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert problem in said


def test_a_folder_that_cannot_be_made_is_one_line(made: Path, tmp_path: Path) -> None:
    with (
        Store.for_reading(str(made / "night.sqlite")) as store,
        pytest.raises(UsageError, match="the folder does not exist"),
    ):
        site.write_site(store, "night", None, str(tmp_path / "none" / "site"))
