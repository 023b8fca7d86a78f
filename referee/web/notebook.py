"""Show results in a notebook (spec/python.md, 8).

Everything we show ends with the result as text. People won't see anything else if the notebook
isn't trusted, or if they read it on a web site.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from referee.course import RecordedReply
from referee.errors import RefereeError
from referee.match.spec import MatchSpec
from referee.text.html import render
from referee.text.terminal import plain
from referee.tournament.rating.tallies import tally_of
from referee.web.file import page_file
from referee.web.recorded import from_answers

_FRAME = Markup(
    '<iframe sandbox="allow-scripts" title="{}" srcdoc="{}" '
    'style="width: 100%; height: 640px; border: 1px solid #8888"></iframe>'
)
_TEXT = Markup("<p>{}</p>")


def player(
    spec: MatchSpec,
    answers: Sequence[RecordedReply],
    stderr: Sequence[str | None],
    text: str,
) -> str:
    """Return HTML that shows a match in a sandboxed frame, with `text` below."""
    try:
        page = page_file([from_answers(spec, answers, stderr)])
    except RefereeError as error:  # the page is too large
        return f"{_TEXT.format(text)}{_TEXT.format(f'It cannot be shown: {error}')}"
    return f"{_FRAME.format(text, page)}{_TEXT.format(text)}"


def table(
    bots: Sequence[str],
    seats: Sequence[Sequence[int]],
    results: Sequence[tuple[int, Sequence[int]]],
    messages: Sequence[int],
    text: str,
) -> str:
    """Return a table of the bots' wins, draws, losses, and win rates with confidence intervals.

    Args:
        bots: the bots as the user gave them.
        seats: for each match, who sat in which seat, as indexes of `bots`.
        results: for each match, the seed of its deal and the rank of each seat.
        messages: for each match, a number that's equal for matches with the same messages.
        text: the line below the table.
    """
    counts = tally_of(len(bots), seats, results, messages)
    rates = counts.win_rate
    rows = []
    for number, bot in enumerate(bots):
        counted = (of[number] for of in (counts.wins, counts.draws, counts.losses))
        rate = f"{rates.share[number]:.1%}" if results else ""
        interval = f"{rates.low[number]:.1%} to {rates.high[number]:.1%}"
        rows.append((plain(bot), *counted, rate, interval))
    return render(Path(__file__).with_name("notebook.html"), rows=rows, text=text)
