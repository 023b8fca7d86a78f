"""Test the BOT arguments that the commands of lost matches have."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.bots.bundled import rule_files
from referee.tournament.report.notable_losses import bot_argument
from referee.tournament.rows import Entrant


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bots").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("bots/bot.py", "outside.py"):
        Path(name).touch()
    shutil.copy(rule_files("dominion")["smithy.json"], "bots/rules.json")
    return tmp_path


@pytest.mark.parametrize(
    ("bot", "more", "argument"),
    [
        ("minimal", {}, "minimal"),
        ("/bin/sh x.py", {}, "/bin/sh x.py"),
        ("minimal", {"directory": "bots"}, "minimal"),
        # A file of rules is no program, so it's named by its path.
        ("rules.json", {"directory": "bots"}, "bots/rules.json"),
        ("smithy.json", {"directory": "bots"}, "smithy.json"),
        ("no-such-bot", {"directory": "bots"}, "no-such-bot"),
        ("no-such-bot", {"env": (("A", "1"),)}, "no-such-bot"),
        ("/bin/sh x.py", {"env": (("A", "1"),)}, "env A=1 /bin/sh x.py"),
        ("/bin/sh x.py", {"directory": "bots"}, "env -C HERE/bots /bin/sh x.py"),
        # The sandbox shows the folder of a program's files, so the program stays the first word.
        ("/bin/sh bot.py", {"directory": "bots"}, "/bin/sh HERE/bots/bot.py"),
        (
            "/bin/sh bot.py",
            {"directory": "bots", "env": (("A", "1"),)},
            "env -C HERE/bots A=1 /bin/sh bot.py",
        ),
        (
            "/bin/sh ../outside.py",
            {"directory": "bots"},
            "env -C HERE/bots /bin/sh ../outside.py",
        ),
    ],
)
def test_a_bot_argument_starts_the_same_bot(
    bot: str, more: dict[str, Any], argument: str, here: Path
) -> None:
    if "directory" in more:
        more = more | {"directory": str(here / more["directory"])}
    assert bot_argument(Entrant("a", bot, **more), "dominion") == argument.replace(
        "HERE", str(here)
    )


def test_a_dialect_stays_before_the_command(here: Path) -> None:
    bot = Entrant("a", "classic:/bin/sh x.py", env=(("A", "1"),))
    assert bot_argument(bot, "botwars") == "classic:env A=1 /bin/sh x.py"


def test_a_folder_is_named_by_its_path(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of one word, or with a sign that means something else, begins with a dot."""
    command = f"{sys.executable} bot.py"
    for name in ("one", "bots/two", "bots/t=o"):
        Path(name).mkdir()
        Path(name, "bot.py").touch()
        Path(name, "bot.toml").write_text(f'command = "{command}"\n')
        bot = Entrant("a", command, str(here / name))
        assert bot_argument(bot, "dominion") == ("" if name == "bots/two" else "./") + name
        # The command of the store isn't that of the folder any more.
        assert bot_argument(Entrant("a", "minimal.json", bot.directory), "dominion") != name
        assert bot_argument(Entrant("a", command, bot.directory, (("A", "1"),)), "dominion") == (
            f"env -C {here / name} A=1 {command}"
        )
    monkeypatch.chdir("bots")
    assert bot_argument(Entrant("a", command, str(here / "one")), "dominion") == str(here / "one")
