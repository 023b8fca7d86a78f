"""Renders HTML pages that consist of a single file and load nothing from the network."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from referee._version import __version__
from referee.text.terminal import plain_lines

_LONGEST_COMMAND = 20_000


def render(template: Path, *, longest: int | None = None, **values: object) -> str:
    """Fill a template. Values are cleaned, escaped, and cut to `longest` characters."""
    found = _environment(template.parent).get_template(template.name)
    return found.render(version=__version__, longest=longest, **values)


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
    environment.filters["whole"] = _whole
    return environment


@pass_context
def _made_plain(context: Context, value: object) -> object:
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    longest = context.get("longest")
    is_long = longest is not None and len(value) > longest
    return plain_lines(f"{value[:longest]}..." if is_long else value)


def _whole(text: str) -> Markup:
    # An incomplete command would be useless, so we don't cut it.
    if len(text) > _LONGEST_COMMAND:
        return Markup("a command of {:,} characters").format(len(text))
    return escape(plain_lines(text))


def _with_code(text: str) -> Markup:
    """Convert a sentence to HTML. Text in backticks and JSON objects are shown as code."""
    pieces = re.split(r"`([^`]*)`|(\{.*\})", plain_lines(text))
    made = Markup()
    for place, piece in enumerate(pieces):
        if piece is not None:
            made += Markup("<code>{}</code>").format(piece) if place % 3 else piece
    return made
