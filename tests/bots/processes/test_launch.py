"""What a bot's process is started with (protocol-v1, 8.5)."""

from __future__ import annotations

import json
import sys

import pytest

from referee.bots.command import BotCommand
from referee.bots.processes.launch import LaunchedBot
from referee.match.limits import Limits

SHOWS = (sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))")


def environment(env: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """What a bot has in its environment."""
    bot = LaunchedBot(BotCommand("shows", SHOWS, env=env), Limits())
    assert bot.popen is not None
    assert bot.popen.stdout is not None
    shown: dict[str, str] = json.loads(bot.popen.stdout.read())
    bot.end()
    return shown


@pytest.mark.parametrize("name", ["PYTHONUNBUFFERED", "_STDBUF_I", "_STDBUF_O", "_STDBUF_E"])
def test_what_turns_off_buffering_is_not_inherited(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    monkeypatch.setenv("ANYTHING_ELSE", "stays")
    shown = environment()
    assert name not in shown
    assert shown["ANYTHING_ELSE"] == "stays"


def test_what_a_bot_is_given_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("ANYTHING_ELSE", "stays")
    shown = environment((("PYTHONUNBUFFERED", "2"),))
    assert (shown["PYTHONUNBUFFERED"], shown["ANYTHING_ELSE"]) == ("2", "stays")
