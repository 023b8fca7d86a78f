"""Workers get the text of rule files, so they don't need the files."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.run import Run
from referee.tournament.rows import Entrant
from referee.tournament.setup import setup
from referee.tournament.store import Store

FILE = '{"name": "A", "author": "B", "buyRules": [{"card": "*", "score": "card.cost"}]}'


class Elsewhere(ThreadPoolExecutor):
    """A worker that behaves like one on another machine, where our files don't exist."""

    def __init__(self, files: list[Path]) -> None:
        super().__init__(1)
        self._files = files

    def submit(self, work: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
        """Delete the files, and pickle the call as if we sent it."""
        for file in self._files:
            file.unlink(missing_ok=True)
        sent = pickle.loads(pickle.dumps((work, arguments)))
        return super().submit(sent[0], *sent[1])


def test_workers_need_no_files(tmp_path: Path) -> None:
    files = [tmp_path / "first.json", tmp_path / "second.json"]
    for file in files:
        file.write_text(FILE)

    @contextmanager
    def workers() -> Iterator[Executor]:
        with Elsewhere(files) as executor:
            yield executor

    bots = [Entrant(file.stem, file.name, str(tmp_path)) for file in files]
    store = Store.in_memory()
    store.add_stage(setup(bots, game="starrealms", deals=1, seed=1, settings={"max_turns": 4}))
    with Dispatcher(workers, lambda: 1) as dispatcher:
        Run(store).play(dispatcher)
    assert store.count() == (2, 0)
