"""The example bots that come with the referee."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "example_bots", _PACKAGE.parent / "example_bots")
"""Inside an installed wheel; beside the package in a source tree."""


def bundled_bots() -> dict[str, Path]:
    """Name -> file of every bundled bot, by name."""
    for place in _PLACES:
        if place.is_dir():
            return {path.stem: path for path in sorted(place.glob("*.py"))}
    return {}


def describe_bot(path: Path) -> str:
    """The first line of a bundled bot's docstring."""
    import ast  # not needed to play

    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return text.splitlines()[0] if text else ""
