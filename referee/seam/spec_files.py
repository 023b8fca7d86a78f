"""The files of spec/ that the referee itself reads: conformance cases, and pages to quote."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "spec", _PACKAGE.parent / "spec")
"""Inside an installed wheel; in a source tree. One of them is there."""


def read_spec(name: str) -> bytes:
    """A file of spec/.

    Args:
        name: such as "vectors/bot-cases.json".

    Raises:
        FileNotFoundError: there is none, or it is not packed into the wheel (pyproject.toml).
    """
    for place in _PLACES:
        if (place / name).exists():
            return (place / name).read_bytes()
    raise FileNotFoundError(name)
