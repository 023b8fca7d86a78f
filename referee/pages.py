"""The complete page of each game, put together from what all games share and what is its own.

`python -m referee.pages spec` writes the pages of all games (`Rules.specification`) into `spec/`;
`--check spec` fails if what is there differs. A game's source is `sources/GAME.md`. It begins with
its words for the blanks (`$name`) of the shared parts, as TOML between two lines "+++". A line
`<!-- shared NAME -->` stands for a part of `sources/shared.md`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from string import Template

from referee.games import GAMES
from referee.schema import update

_SHARED = "sources/shared.md"
_HEAD = "<!-- Put together by `python -m referee.pages spec` from spec/{} and spec/{}. -->\n\n"
_PART = re.compile(r"^<!-- part (.+?) -->\n(.*?)\n*(?=^<!-- part |\Z)", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"^<!-- shared (.+) -->$", re.MULTILINE)


def pages(folder: Path) -> dict[str, str]:
    """Path -> text of each game's page.

    Args:
        folder: `spec/`, which the paths are relative to.

    Raises:
        KeyError: a part or a blank that is not there.
    """
    parts = dict(_PART.findall((folder / _SHARED).read_text()))
    made = {}
    for game in GAMES.values():
        source = f"sources/{game.name}.md"
        _, blanks, own = (folder / source).read_text().split("+++\n", 2)
        up = "../" * game.specification.count("/")
        words = tomllib.loads(blanks) | {"up": up}
        # What `split` gives is by turns own text and the name of a part.
        texts = [
            Template(parts[text]).substitute(words) if place % 2 else text
            for place, text in enumerate(_MARK.split(own))
        ]
        made[f"{game.specification}.md"] = _HEAD.format(source, _SHARED) + "".join(texts)
    return made


def main(arguments: Sequence[str]) -> int | str:
    """Write or check the pages; returns what `sys.exit` takes."""
    return update("referee.pages", arguments, pages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
