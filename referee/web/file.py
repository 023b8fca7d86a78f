"""A self-contained HTML file that shows matches. It opens from disk and needs no network.

Browsers refuse to import modules from disk, so we bundle all of them into one script, where each
module becomes a function that returns its exports. This is done by regular expressions and not by a
parser. For them to work, a module has to write each import as one line with names, and to export
things where they are declared.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.counts import plural
from referee.games.interface.page import Now
from referee.text.html import render
from referee.text.terminal import plain
from referee.web.data import Header, Line, MatchPage, Step, course_of

FRAME = Path(__file__).with_name("frame")
STYLES = ("theme.css", "frame.css")
# A file with several matches begins with a list of them, which needs its own style sheet.
LIST_STYLE = "list.css"
PAGES_STYLES = ("theme.css", "pages.css")
# If the compressed lines of a match are larger than this, we leave most of them out (unless
# somebody asked for all of them).
MAX_LINES = 2**17
# Browsers take too long to open files that are larger than this.
MAX_FILE = 20 * 2**20

_IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./([\w-]+)\.js";$', re.MULTILINE)
# Finds comments and indentation, which make up a quarter of a module. It would find them inside
# strings, too, but none of our strings look like a comment.
_MARGIN = re.compile(r"^\s*(?://.*|/\*\*(?s:.*?)\*/)\n|^\s+|[ ]+// [^\"`\n]*$", re.MULTILINE)
_BREAK = re.compile(r"(?<=[{}(\[,;])\n+")
_CSS_MARGIN = re.compile(r"/\*.*?\*/|;?\s*(})\s*|\s*([{;,>])\s*|(?<=:) +", re.DOTALL)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) ?\*? ?(\w+))", re.MULTILINE)
_SHOWN_MARKS = ("fault", "disqualified")


class Block(NamedTuple):
    """A match, encoded for the file.

    `header` is JSON without any `<`. The other two are compressed JSON in base64. We don't compress
    the header, because the list of matches reads all headers.
    """

    header: str
    steps: str
    lines: str


def page_file(matches: Sequence[MatchPage], *, all_lines: bool = False, heading: str = "") -> str:
    """Return an HTML file that shows these matches.

    Args:
        matches: at least one match.
        all_lines: if True, include all lines in spite of `MAX_LINES`.
        heading: title of the file. If it's empty, we make one from the matches.

    Raises:
        UsageError: the file would exceed `MAX_FILE`.
    """
    if heading and len(matches) == 1:
        header = msgspec.structs.replace(matches[0].header, title=heading)
        matches = [msgspec.structs.replace(matches[0], header=header)]
    blocks = [packed(match, all_lines) for match in matches]
    size = sum(len(block.steps) + len(block.lines) for block in blocks)
    if size > MAX_FILE:
        raise UsageError(
            f"the page would have {size / 2**20:.0f} MB, more than browsers like: give fewer files,"
            " or part of the match with --turns FIRST-LAST"
        )
    games = sorted({match.header.game for match in matches})
    script = bundle(games)
    names = STYLES if len(matches) == 1 else (*STYLES, LIST_STYLE)
    sheets = [*((FRAME / name).read_text("utf-8") for name in names), *map(drawing_style, games)]
    styles = [Markup(small_style(css)) for css in sheets if css]
    title = matches[0].header.title if len(matches) == 1 else f"{len(matches)} matches"
    return frame_page(
        title=plain(heading or title),
        heading=plain(heading),
        csp=_csp(script, styles),
        styles=styles,
        blocks=blocks,
        script=Markup(script),
    )


def frame_page(**values: Any) -> str:
    """Render the match page.

    In a self-contained file, the page contains its data and script. Other pages contain the
    addresses of the data and scripts.
    """
    texts = dict.fromkeys(("csp", "script", "data", "again", "heading", "crumbs"), "")
    lists = dict.fromkeys(("styles", "links", "blocks", "modules", "scripts"), ())
    return render(FRAME / "page.html", **{**texts, **lists, **values})


def drawing(game: str) -> Path | None:
    """Return the path of a game's drawing module, or None if the game doesn't have one."""
    page = GAMES[game].page
    path = None if page is None else page.folder / "drawing.js"
    return path if path is not None and path.exists() else None


def drawing_style(game: str) -> str:
    """Return the style sheet of a game's drawing, or "" if the game doesn't have a drawing."""
    path = drawing(game)
    return "" if path is None else path.with_suffix(".css").read_text("utf-8")


def small_style(css: str) -> str:
    """Remove comments and indentation from a style sheet."""
    return _CSS_MARGIN.sub(r"\1\2", css)


@cache
def pages_style() -> Markup:
    """Return the style sheet of self-contained pages with text and tables, e.g. standings."""
    sheets = [(FRAME / name).read_text("utf-8") for name in PAGES_STYLES]
    return Markup("".join(map(small_style, sheets)))


def pages_policy() -> str:
    """Return a Content-Security-Policy that allows `pages_style()` but no scripts."""
    style = f"style-src '{policy_hash(pages_style())}'"
    return f"default-src 'none'; {style}; base-uri 'none'; form-action 'none'"


def bundle(games: Sequence[str]) -> str:
    """Bundle the frame and the drawings of some games into one module.

    We give each drawing a number instead of its name, because all of them are called drawing.js.
    """
    made: dict[str, str] = {}
    _add_module("boot", FRAME / "boot.js", made)
    drawings = []
    for number, game in enumerate(games):
        path = drawing(game)
        if path is not None:
            name = f"drawing{number}"
            made[name] = _as_function(name, path.read_text("utf-8"))
            drawings.append(f'"{game}": {name}')
    return "".join([*made.values(), f"boot.boot({{ {', '.join(drawings)} }});\n"])


def bundle_of(path: Path) -> str:
    """Bundle a module without exports, together with the modules of the frame that it imports."""
    made: dict[str, str] = {}
    _add_module("page", path, made)
    return "".join(made.values())


def classic(module: str) -> str:
    """Wrap a module without imports as a classic script. Browsers load these from disk, too."""
    return f'"use strict";(()=>{{{module}}})();'


def _add_module(name: str, path: Path, made: dict[str, str]) -> None:
    if name in made:
        return
    source = path.read_text("utf-8")
    for _, other in _IMPORT.findall(source):
        # The modules run in the order of the script, so the imported ones have to come first.
        _add_module(other, FRAME / f"{other}.js", made)
    made[name] = _as_function(name, source)


def _as_function(name: str, source: str) -> str:
    exports = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", _IMPORT.sub(r"const { \1 } = \2;", _MARGIN.sub("", source)))
    body = _BREAK.sub("", body)
    return f"const {name} = (() => {{{body}return {{ {exports} }};}})();"


def _csp(script: str, styles: Sequence[str]) -> str:
    hashes = " ".join(f"'{policy_hash(text)}'" for text in styles)
    return (
        f"default-src 'none'; script-src '{policy_hash(script)}'; style-src {hashes}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def policy_hash(text: str) -> str:
    """Hash a script or a style sheet, in the form that a Content-Security-Policy contains."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def packed(match: MatchPage, all_lines: bool) -> Block:
    """Encode a match. A large match keeps only the lines around faults, unless `all_lines`."""
    encode = msgspec.json.encode
    lines = _packed([encode(match.lines)])
    if len(lines) > MAX_LINES and not all_lines:
        match = _with_lines_of_faults(match)
        lines = _packed([encode(match.lines)])
    # The header becomes part of a script element, and a bot may have a name like "</script>".
    header = encode(match.header).replace(b"<", rb"\u003c").decode()
    return Block(header, _packed(_in_pieces(course_of(match))), lines)


def _in_pieces(lists: Mapping[str, Sequence[Any]]) -> Iterator[bytes]:
    """Encode an object of lists, item by item, because the whole text is longer than a log."""
    before = "{"
    for name, items in lists.items():
        yield f'{before}"{name}":['.encode()
        for number, item in enumerate(items):
            yield b"," * (number > 0) + msgspec.json.encode(item)
        before = "],"
    yield b"]}"


def _packed(pieces: Iterable[bytes]) -> str:
    # Raw DEFLATE, without zlib's header and checksum. The page reads it with DecompressionStream.
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(b"".join([*map(packer.compress, pieces), packer.flush()])).decode()


def _with_lines_of_faults(match: MatchPage) -> MatchPage:
    lines: list[Line] = []
    steps: list[Step] = []
    for step in match.steps:
        first = len(lines)
        said = match.lines[step.lines[0] : step.lines[1]]
        if any(mark.kind in _SHOWN_MARKS for mark in step.marks):
            lines += said
        elif said:
            lines.append(Line("left-out", None, plural(len(said), "line")))
        steps.append(msgspec.structs.replace(step, lines=(first, len(lines))))
    text = "Only the lines around faults are here, to keep the file small; --lines keeps all."
    header: Header = msgspec.structs.replace(match.header, omitted=text)
    return MatchPage(header, match.turns, steps, lines, match.turned)


def cut(match: MatchPage, first: int, last: int) -> MatchPage:
    """Return a page with just some turns of a match, from `first` to `last`.

    This moves the turns to the new page, so don't use `match` afterwards.

    Raises:
        UsageError: the match doesn't have these turns.
    """
    chosen = [turn for turn in match.turns if first <= turn.turn <= last]
    if not chosen:
        turns = f"the match has {plural(len(match.turns), 'turn')}"
        raise UsageError(f"--turns {first}-{last}: {turns}")
    start, end = chosen[0].first, chosen[-1].last
    if end + 1 < len(match.steps):  # people want to see the state after the last turn, too
        end += 1
    # A step only has the fields that changed, so the first step of the range also needs the fields
    # from earlier steps.
    views: dict[str, dict[str, object]] = {}
    values: dict[str, list[float]] = {}
    now: dict[str, Now] = {}
    for step in match.steps[: start + 1]:
        for viewer, fields in step.set.items():
            views.setdefault(viewer, {}).update(fields)
        values |= step.values
        now |= step.now
    offset = match.steps[start].lines[0]
    steps = [
        msgspec.structs.replace(step, lines=(step.lines[0] - offset, step.lines[1] - offset))
        for step in match.steps[start : end + 1]
    ]
    steps[0] = msgspec.structs.replace(steps[0], set=views, now=now, values=values)
    for turn in chosen:
        turn.first, turn.last = turn.first - start, turn.last - start
    lines = match.lines[offset : match.steps[end].lines[1]]
    turned = [
        msgspec.structs.replace(moment, at=moment.at - start)
        for moment in match.turned
        if start <= moment.at <= end
    ]
    return MatchPage(match.header, chosen, steps, lines, turned)
