"""The function that dispatchers submit to workers.

It imports trio and the runner only when it's called, so that dispatchers don't have to.
"""

from __future__ import annotations

from referee.tournament.playing.batch import Batch, Failed
from referee.tournament.rows import MatchRow


def play_batch(batch: Batch) -> list[MatchRow] | Failed:
    """Play the matches of a batch in order, until `BATCH_SECONDS` are over. Plays at least one."""
    from referee.tournament.playing.worker import this_worker

    worker = this_worker()
    with worker.busy:
        try:
            return worker.play(batch)
        except Exception as error:
            worker.kill()
            return Failed.of(error)
