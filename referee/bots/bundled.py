"""The example bots that come with the referee, in one folder per game.

An external game defines the folder of its bots in `GameDefinition.bundled`.

Each Python file is a bot that you can play by its name, except for files whose names begin with
"http_". Those are servers, which users start themselves. Servers and bots in other languages are
examples to read. The bot `random` is in `random_.py`, because a `random.py` would hide Python's own
module from the bots next to it. To play a rule file, use its name with the suffix, e.g.
`smithy.json`.
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
    """Return name -> file of the bundled bots of a game, sorted."""
    return {path.stem.rstrip("_"): path for path in _files(game) if _is_bot(path)}


def templates(game: str = DEFAULT_GAME) -> dict[str, Path]:
    """Return file name -> file of the other examples, which can't be played by name, sorted."""
    return {path.name: path for path in _files(game) if not _is_bot(path)}


def rule_files(game: str = DEFAULT_GAME) -> dict[str, Path]:
    """Return file name -> file of the bundled rule files of a game, sorted."""
    return {path.name: path for path in _in_places(game) if path.suffix == _RULES}


def bots_of_own_games() -> set[str]:
    """Return the names of bundled bots of external games, whether or not the games are loaded."""
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
    import ast  # not needed to play

    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return text.splitlines()[0] if text else ""
