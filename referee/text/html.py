"""Pages of HTML that need nothing else: no network, no second file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from referee._version import __version__
from referee.text.terminal import plain_lines


def render(template: Path, **values: object) -> str:
    """A page from a template and its values; whatever a bot wrote is made plain and escaped."""
    found = _environment(template.parent).get_template(template.name)
    return found.render(version=__version__, **values)


@cache
def _environment(folder: Path) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_made_plain,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _with_code
    return environment


def _made_plain(value: object) -> object:
    return plain_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _with_code(text: str) -> Markup:
    """A sentence in which what stands in backticks, and JSON objects, are set as code."""
    pieces = re.split(r"`([^`]*)`|(\{.*\})", plain_lines(text))
    made = Markup()
    for place, piece in enumerate(pieces):
        if piece is not None:
            made += Markup("<code>{}</code>").format(piece) if place % 3 else piece
    return made
