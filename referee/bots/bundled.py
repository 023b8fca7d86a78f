"""The example bots that come with the referee, each in the folder of its game.

A game from outside says which folder has its bots (`GameDefinition.bundled`).

A file in Python is a bot that can be played by its name, unless that begins with "http_": such a
one is a server, which somebody must start. Servers, and bots in other languages, are to be read.
`random` is in `random_.py`, or no bot beside it could import Python's module of that name.
A rule file is played by its name with its ending, `smithy.json`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from referee.games import DEFAULT_GAME, GAMES

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "example_bots", _PACKAGE.parent / "example_bots")
"""Inside an installed wheel; beside the package in a source tree. One of them is there."""
_LANGUAGES = {".c", ".java", ".js", ".pl", ".py", ".rs"}
_RULES = ".json"
_SERVER = "http_"


def bundled_bots(game: str = DEFAULT_GAME) -> dict[str, Path]:
    """Name -> file of every bundled bot of a game, by name."""
    return {path.stem.rstrip("_"): path for path in _files(game) if _is_bot(path)}


def templates(game: str = DEFAULT_GAME) -> dict[str, Path]:
    """File name -> file of all others, by name: to be read, not to be played by name."""
    return {path.name: path for path in _files(game) if not _is_bot(path)}


def rule_files(game: str = DEFAULT_GAME) -> dict[str, Path]:
    """File name -> file of every bundled rule file of a game, by name."""
    return {path.name: path for path in _in_places(game) if path.suffix == _RULES}


def bots_of_own_games() -> set[str]:
    """The names of the bots that play games from outside, whether one is loaded or not."""
    folders = {file.parent for place in _PLACES for file in place.glob("*/*.py")}
    ours = [folder for folder in folders if folder.name not in GAMES]
    return {file.stem for folder in ours for file in folder.glob("*.py") if _is_bot(file)}


def _is_bot(path: Path) -> bool:
    return path.suffix == ".py" and not path.name.startswith(_SERVER)


def _files(game: str) -> list[Path]:
    return [path for path in _in_places(game) if path.suffix in _LANGUAGES]


def _in_places(game: str) -> tuple[Path, ...]:
    outside = GAMES.outside.get(game)
    return _in_folder(game if outside is None else outside.rules.bundled)


@cache
def _in_folder(folder: str) -> tuple[Path, ...]:
    return tuple(
        sorted(path for place in _PLACES for path in (place / folder).glob("*.*") if folder)
    )


def is_bundled(path: str) -> bool:
    """Whether an absolute path is one in the folder of these bots."""
    return Path(path).parent.parent in _PLACES


def describe_bot(path: Path) -> str:
    """The first line of a bundled bot's docstring."""
    import ast  # not needed to play

    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return text.splitlines()[0] if text else ""
