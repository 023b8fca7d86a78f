"""`--browser`: a web page that shows the match or tournament while it runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from referee import cli
from referee.cli.watching import NICE, yield_to_match
from referee.logs.outputs import RECORD
from tests.support.forked_referee import ForkedReferee
from tests.support.live import one_line
from tests.support.own_game import SMALL_GAMES

BOTS = ("big_money.json", "smithy.json")
SAYS = re.compile(r"referee: watch it at (http://127\.0\.0\.1:\d+)(/\S+)\n")


@contextmanager
def watching(*words: str, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Start a command and yield it with the server's address and the path of its page."""
    # Temporary files go into this folder, so that tests can check what is left of them.
    environment = {**os.environ, "TMPDIR": str(folder), "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with ForkedReferee(*words, **pipes, env=environment) as process:
        try:
            assert process.stderr is not None
            found = SAYS.fullmatch(process.stderr.readline())
            assert found is not None
            yield process, found[1], found[2]
        finally:
            process.kill()


def end(process: subprocess.Popen[str], number: int) -> tuple[str, str]:
    process.send_signal(number)
    printed = process.communicate(timeout=60)
    assert process.returncode == (128 + number if number != signal.SIGKILL else -number)
    return printed


def get(url: str) -> httpx.Response:
    """The server runs at low priority, so a busy machine needs a long timeout."""
    return httpx.get(url, timeout=60)


def is_gone(url: str) -> bool:
    try:
        get(url)
    except httpx.ConnectError:
        return True
    return False


@pytest.mark.slow
def test_a_match_of_a_game_from_a_file(tmp_path: Path) -> None:
    """The server has to load the game too, and the command for later must name its file."""
    record, game = tmp_path / "record.jsonl", SMALL_GAMES["connect4"]
    bots = ("any_move", "any_move")
    words = ("play", "--browser", *bots, "--game", game, "--record", str(record))
    with watching(*words, folder=tmp_path) as (process, url, page):
        assert process.stderr is not None
        assert f"later: referee serve --game {game} {record}" in process.stderr.readline()
        header = get(f"{url}{page.replace('watch', 'match')}/header").json()
        assert header["facts"] == {"marks": {"X": 0, "O": 1, "x": 0, "o": 1}}
        assert "sg-part" in get(f"{url}/static/connect4/drawing.js").text
        end(process, signal.SIGINT)


def test_a_match_to_its_end_and_a_page_that_stays(tmp_path: Path) -> None:
    with watching("play", "--browser", *BOTS, folder=tmp_path) as (
        process,
        url,
        page,
    ):
        assert process.stderr is not None
        assert "the page stays until Ctrl-C; --record FILE saves" in process.stderr.readline()
        assert "Big Money by rules vs Smithy" in get(url + page).text
        header = get(f"{url}{page.replace('watch', 'match')}/header").json()
        assert (header["kind"], header["viewers"]) == ("record", ["all", "public", "0", "1"])
        out, _ = end(process, signal.SIGINT)
        assert "The same match again" in out
        assert is_gone(url)
        assert list(tmp_path.iterdir()) == []


SLOW = "import time, sys\nfor line in sys.stdin:\n    time.sleep(60)\n"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_server_stays(number: int, tmp_path: Path) -> None:
    bot = tmp_path / "slow.py"
    bot.write_text(SLOW)
    record = tmp_path / "game.jsonl"
    record.write_bytes(RECORD.marks[0] + b"old\n")
    words = ("play", "--browser", "big_money", str(bot), "--record", str(record))
    with watching(*words, "--startup-limit", "none", folder=tmp_path) as (process, url, page):
        assert page == "/watch/game.jsonl"
        assert 'http-equiv="refresh"' in get(url + page).text  # not the old content of the file
        end(process, number)
        while not is_gone(url):  # after SIGKILL, the guardian notices that its pipe was closed
            pass


@pytest.mark.slow
def test_a_tournament(tmp_path: Path) -> None:
    words = ("tournament", "--browser", "big_money", "minimal", "--deals", "1", "--jobs", "1")
    with watching(*words, "-q", folder=tmp_path) as (process, url, page):
        assert process.stderr is not None
        assert "--store FILE saves" in process.stderr.readline()
        assert "2 of 2 matches" in get(url + page).text
        assert len(list(tmp_path.glob("*/records/*.record.jsonl.zst"))) == 2
        out, _ = end(process, signal.SIGINT)
        assert "big_money" in out
        assert list(tmp_path.iterdir()) == []


def test_a_compressed_record_cannot_be_followed(capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.main(["play", "--browser", "--record", "x.jsonl.zst", "big_money", "big_money"])
    assert code == 2
    assert "--browser cannot follow x.jsonl.zst" in one_line(capsys.readouterr().err)


@pytest.mark.slow
def test_a_server_that_cannot_begin(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    code = cli.main(["play", "--browser", "--record", str(tmp_path / "fifo"), *["big_money"] * 2])
    os.close(reader)
    assert code == 2
    assert "fifo is neither a file nor a folder" in one_line(capfd.readouterr().err)


@pytest.mark.slow
def test_a_server_that_cannot_begin_leaves_the_old_record(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "game.jsonl"
    old.write_bytes(RECORD.marks[0] + b"a match that was played\n")
    words = ["play", "--browser", "--record", str(old), "--listen", "256.0.0.1:0"]
    assert cli.main([*words, "minimal", "minimal"]) == 2
    assert "cannot listen on 256.0.0.1:0" in one_line(capfd.readouterr().err)
    assert old.read_bytes().endswith(b"a match that was played\n")


@pytest.mark.parametrize("words", [["--listen", ":8000"], ["--allowed-host", "bots.example"]])
def test_an_address_of_no_page(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", "minimal", "minimal", *words]) == 2
    assert f"{words[0]} goes with --page or --browser" in one_line(capsys.readouterr().err)


def test_the_server_of_a_page_yields_to_the_match_and_nobody_else_does() -> None:
    """The nice value of a session is that of all its processes, so the server has its own."""
    own = Path("/proc/self/autogroup")
    before = own.read_text() if own.exists() else ""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True) as server:
        yield_to_match(server.pid)
        assert os.getpriority(os.PRIO_PROCESS, server.pid) == NICE
        if before:
            group = Path(f"/proc/{server.pid}/autogroup").read_text()
            assert group.endswith(f" nice {NICE}\n")
            assert own.read_text() == before
