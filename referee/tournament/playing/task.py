"""The function that a worker calls. It imports trio and the runner only when called."""

from __future__ import annotations

from referee.tournament.playing.batch import Batch, Failed
from referee.tournament.rows import MatchRow


def play_batch(batch: Batch) -> list[MatchRow] | Failed:
    """Play matches of a batch in order: at least one, then more for `BATCH_SECONDS`."""
    from referee.tournament.playing.worker import this_worker

    worker = this_worker()
    with worker.busy:
        try:
            return worker.play(batch)
        except Exception as error:
            worker.kill()
            return Failed.of(error)
