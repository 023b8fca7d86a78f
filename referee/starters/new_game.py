"""Makes a folder with a simple game, for authors to start from: `referee new NAME --kind game`.

The templates for the rules, the test and the README are in game/. The bot is the same for all small
games.
"""

from __future__ import annotations

import re
from pathlib import Path

from referee import games
from referee.errors import UsageError
from referee.games import GAMES
from referee.starters import SHADOWED, write_folder
from referee.text.terminal import command_line

_TEMPLATES = Path(__file__).with_name("game")
_BOT = Path(games.__file__).parent / "small" / "starters" / "python" / "my_bot.py"
_NAME = re.compile("[a-z][a-z0-9_]{0,39}")


def make_game(folder: Path) -> tuple[str, tuple[str, str, str]]:
    """Create a folder with a simple game, a bot for it, a test and a README.

    Args:
        folder: the folder to create. Its name becomes the name of the game.

    Returns:
        The file with the rules, and three commands for the author to run next.

    Raises:
        UsageError: the name isn't valid, or the folder exists or can't be created.
    """
    _check(folder.name)
    words = [word.capitalize() for word in folder.name.split("_") if word]
    kind = "".join(words)
    blanks = {
        "my_game": folder.name,
        "My Game": " ".join(words),
        "MyGame": kind if kind != "Game" else "MyGame",  # the base class is called Game
    }
    files: dict[str, str] = {}
    for name in ("my_game.py", "test_my_game.py", "README.md"):
        text = (_TEMPLATES / name).read_text(encoding="utf-8")
        for blank, word in blanks.items():
            name, text = name.replace(blank, word), text.replace(blank, word)
        files[name] = text
    files[_BOT.name] = _BOT.read_text(encoding="utf-8")
    write_folder(folder, files)
    rules = f"{folder.name}.py"
    return rules, (
        command_line(["cd", str(folder)]),
        f"referee game check {rules}",
        f"referee play {_BOT.name} any_move --game {rules}",
    )


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"a game cannot be called {name!r}: give small letters, digits and _, a letter first, "
            "at most 40, such as my_game"
        )
    if name in GAMES or name in SHADOWED or name == _BOT.stem:
        what = "a game of the referee" if name in GAMES else "a module"
        raise UsageError(f"a game cannot be called {name!r}, as {what} is: {name}_game would do")
