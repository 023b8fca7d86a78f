"""Finds the example bots that come with the referee, in one folder per game.

A Python file is a bot that you can play by its name, without the suffix. For rule files, you also
need the suffix, as in `smithy.json`. A Python file that begins with "http_" is a server that you'd
have to start yourself. Such servers and bots in other languages are only there to be read.

The bot `random` is in `random_.py`, because a `random.py` would hide Python's own module from the
bots next to it. External games name the folder of their bots in `GameDefinition.bundled`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from referee.games import DEFAULT_GAME, GAMES

_PACKAGE = Path(__file__).resolve().parent.parent
# An installed wheel has the first folder, a source tree the second. They never exist together.
_PLACES = (_PACKAGE / "example_bots", _PACKAGE.parent / "example_bots")
_LANGUAGES = {".c", ".java", ".js", ".pl", ".py", ".rs"}
_RULES = ".json"
_SERVER = "http_"


def bundled_bots(game: str = DEFAULT_GAME) -> dict[str, Path]:
    """Return the bundled bots of a game as a sorted dict of names and files."""
    return {path.stem.rstrip("_"): path for path in _files(game) if _is_bot(path)}


def templates(game: str = DEFAULT_GAME) -> dict[str, Path]:
    """Return the examples that can't be played by name, as a sorted dict of file names and files.

    These are servers and bots in other languages.
    """
    return {path.name: path for path in _files(game) if not _is_bot(path)}


def rule_files(game: str = DEFAULT_GAME) -> dict[str, Path]:
    """Return the bundled rule files of a game, as a sorted dict of file names and files."""
    return {path.name: path for path in _in_places(game) if path.suffix == _RULES}


def bots_of_own_games() -> set[str]:
    """Return the names of all bundled bots that belong to external games.

    This only looks at folders, so it works even if the games aren't loaded.
    """
    folders = {file.parent for place in _PLACES for file in place.glob("*/*.py")}
    ours = [folder for folder in folders if folder.name not in GAMES]
    return {file.stem for folder in ours for file in folder.glob("*.py") if _is_bot(file)}


def _is_bot(path: Path) -> bool:
    return path.suffix == ".py" and not path.name.startswith(_SERVER)


def _files(game: str) -> list[Path]:
    return [path for path in _in_places(game) if path.suffix in _LANGUAGES]


def _in_places(game: str) -> tuple[Path, ...]:
    outside = GAMES.outside.get(game)
    return _in_folder(game if outside is None else outside.definition.bundled)


@cache
def _in_folder(folder: str) -> tuple[Path, ...]:
    return tuple(
        sorted(path for place in _PLACES for path in (place / folder).glob("*.*") if folder)
    )


def is_bundled(path: str) -> bool:
    """Return True if an absolute path is in a folder of bundled bots."""
    return Path(path).parent.parent in _PLACES


def describe_bot(path: Path) -> str:
    """Return the first line of a bundled bot's docstring, or "". The file is parsed, not run."""
    import ast  # only `referee bots` needs this

    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return text.splitlines()[0] if text else ""
