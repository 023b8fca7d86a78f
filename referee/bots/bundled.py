"""The example bots that come with the referee."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "example_bots", _PACKAGE.parent / "example_bots")
"""Inside an installed wheel; beside the package in a source tree. One of them is there."""
_LANGUAGES = {".c", ".java", ".js", ".pl", ".rs"}


def bundled_bots() -> dict[str, Path]:
    """Name -> file of every bundled bot, by name."""
    return {path.stem: path for path in _files() if path.suffix == ".py"}


def templates() -> dict[str, Path]:
    """File name -> file of the bots in other languages, by name: to start from, not to play."""
    return {path.name: path for path in _files() if path.suffix in _LANGUAGES}


def _files() -> list[Path]:
    return [path for place in _PLACES for path in sorted(place.glob("*.*"))]


def describe_bot(path: Path) -> str:
    """The first line of a bundled bot's docstring."""
    import ast  # not needed to play

    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return text.splitlines()[0] if text else ""
