"""Finds out if a bot was late for a reply because the whole machine stood still.

If bots of two matches are late at the same time, and the matches have no bot in common, the machine
is the more likely cause, because neither bot can do anything to the other match. We don't guess
more than that: the matches are played again, alone, and that decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence

from referee.tournament.rows import MatchRow


class LateReplies:
    """Keeps the matches in which a bot was late for a reply, until we know if others were, too.

    Args:
        program_of: returns something that's equal for bots with the same program. A bot is no
            witness for its twin, and neither is any bot that one of them meets.

    Attributes:
        stalled: the matches to play again, in the order of the schedule. Who plays them takes them
            out of this list.
    """

    def __init__(self, program_of: Callable[[int], Hashable]) -> None:
        self._program_of = program_of
        # Each match, with the batches that were in play when it ended.
        self._doubtful: list[tuple[MatchRow, Collection[Hashable]]] = []
        self.stalled: list[MatchRow] = []
        self._late_starts: list[MatchRow] = []

    def add(self, row: MatchRow, in_play: Collection[Hashable]) -> None:
        """Add a match in which a bot was late. `in_play` are the batches that haven't ended yet."""
        if late_bots([row]):
            self._doubtful.append((row, in_play))
        else:  # a bot that was late in a handshake is a witness, but its match isn't played again
            self._late_starts.append(row)
        rows = [row for row, _ in self._doubtful] + self.stalled
        witnesses = rows + self._late_starts
        witnessed = [each for each in rows if any(self._is_witness(each, by) for by in witnesses)]
        self.stalled = sorted(witnessed, key=lambda row: row.match)
        numbers = {each.match for each in witnessed}
        self._doubtful = [each for each in self._doubtful if each[0].match not in numbers]

    def take_over(self, in_play: Collection[Hashable]) -> Iterator[MatchRow]:
        """Take the matches for which no witness can come any more, so their bots were late.

        Args:
            in_play: the batches that haven't ended yet.
        """
        doubtful, self._doubtful = self._doubtful, []
        for row, others in doubtful:
            if any(batch in in_play for batch in others):
                self._doubtful.append((row, others))
            else:
                yield row

    def _is_witness(self, row: MatchRow, other: MatchRow) -> bool:
        programs, others = (
            {self._program_of(bot) for bot in each.players} for each in (row, other)
        )
        return programs.isdisjoint(others) and any(
            late.asked < beside.until and beside.asked < late.until
            for late in row.late_replies
            for beside in other.late_replies
            if late.machine == beside.machine and not late.is_start  # clocks of one machine
        )


def late_bots(rows: Sequence[MatchRow]) -> set[int]:
    """Return the bots that were late for a reply in these matches, after the handshake."""
    return {late.bot for row in rows for late in row.late_replies if not late.is_start}
