"""The files of spec/vectors that the referee itself reads."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "vectors", _PACKAGE.parent / "spec" / "vectors")
"""Inside an installed wheel; in a source tree. One of them is there."""


def read_vectors(name: str) -> bytes:
    """A file of spec/vectors."""
    for place in _PLACES:
        if (place / name).exists():
            return (place / name).read_bytes()
    raise FileNotFoundError(name)
