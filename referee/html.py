"""Pages of HTML that need nothing else: no network, no second file."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from referee._version import __version__
from referee.terminal import plain_lines


def render(template: Path, **values: object) -> str:
    """A page from a template and its values; whatever a bot wrote is made plain and escaped."""
    environment = Environment(
        loader=FileSystemLoader(template.parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: plain_lines(value) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template.name).render(version=__version__, **values)
