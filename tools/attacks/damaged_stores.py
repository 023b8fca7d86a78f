"""Damage stores with one edit or with flipped bytes, and run all commands that read stores.

    python -m tools.attacks.damaged_stores [--stores 500] [--seed 1] [--keep FOLDER]

For any contents of a store, a command must exit with 0 or 2 (`verify`: also 1). It may print one
line to stderr, which begins with "referee: ", and no control sequences to stdout. All commands run
in this process.

Prints a table, and each store that made a command break these rules, with the edit. The exit code
is 1 if there was one. If all commands end with 0, we count the store as harmless: the edit made a
row that could be real.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest import mock

from rich.console import Console
from rich.table import Table

from referee.tournament.rows import MatchRow, Plan
from tests.support.made_up import MadeUp, left, row, workers
from tools.attacks.damaged_files import judge, run

HANG_SECONDS = 120
STORE = "STORE"  # placeholder for the file in a command
COMMANDS = {
    "standings": ["standings", STORE],
    "standings --bot": ["standings", STORE, "--bot", "first"],
    "export": ["export", STORE],
    "verify": ["verify", "--store", STORE, "--jobs", "1"],
}
RESUME = "tournament"
TOURNAMENTS = (
    ["first=big_money", "minimal", "new=smithy_big_money", "--deals", "2"],
    ["first=big_money", "minimal", "--pairing", "sprt", "--elo1", "200"],
    [
        "first=big_money",
        "minimal",
        "x=minimal",
        "y=minimal",
        "--pairing",
        "swiss",
        "--players",
        "4",
    ],
    [
        *("first=big_money", "minimal", "x=minimal", "y=minimal"),
        *("--pairing", "knockout", "--third-place", "--deals", "2"),
    ],
    ["first=gatherer", "formation", "--game", "botwars", "--deals", "3"],
)
ODD: list[Any] = [
    *(None, -1, 0, 1, 2, 3, 5, 17, 2**31, 2**32, 10**15, 2**53, 2**63 - 1, -(2**63)),
    *(0.5, -1.0, 1e300, float("inf"), b"", b"x", b"\xff\xfe", "", "x", "7", "nan", "\0", "\udcff"),
    *("=1+1", "<b>\x1b[2J", "\x9b2J", "\u202ex", "a\nb", "x" * 100_000),
    *("null", "[]", "{}", "[[]]", "{", '{"x":-1}', '{"x":[]}', '{"99999":5}', '{"-1":5}'),
    *('{"40":1e999}', '{"40":' + "9" * 400 + "}", "[" * 5_000, '{"a":' * 5_000, '"\\ud800"'),
    *('{"bought":{"gold":[1,' + "9" * 400 + "]}}", '{"bought":{"none":[1,1]}}', '{"turns":true}'),
]


class Wrong(NamedTuple):
    number: int
    command: str
    damage: str
    problem: str
    errors: str


class Outcomes:
    """Counts over all stores.

    Attributes:
        codes: (kind of damage, command, exit code) -> stores.
        found: kind of damage -> stores that a command refused.
        slowest: seconds, command and number of the store.
        wrong: the broken rules.
    """

    def __init__(self) -> None:
        self.codes: Counter[tuple[str, str, int]] = Counter()
        self.found: Counter[str] = Counter()
        self.slowest: tuple[float, str, int] = (0.0, "", 0)
        self.wrong: list[Wrong] = []


def attack(stores: int, seed: int, folder: Path, keep: Path | None = None) -> Outcomes:
    """Damage this number of stores in each way, and run all commands on them.

    Args:
        folder: the folder for the stores.
        keep: a folder for stores that break the rules; or None.
    """
    outcomes = Outcomes()
    file = str(folder / "damaged.sqlite")
    with mock.patch("referee.workers.worker_processes", _made_up):
        originals = [
            _original(folder / f"{number}", words) for number, words in enumerate(TOURNAMENTS)
        ]
        for kind, damage in KINDS.items():
            for number in range(stores):
                chance = Random(f"{seed} {kind} {number}")
                original, words = chance.choice(originals)
                commands = COMMANDS | {RESUME: [RESUME, *words, "--store", STORE, "-q"]}
                refused = False
                for command, arguments in commands.items():
                    for beside in ("", "-wal", "-shm", "-journal"):
                        Path(file + beside).unlink(missing_ok=True)
                    shutil.copy(original, file)
                    what = damage(Random(f"{seed} {kind} {number}"), file)
                    damaged = Path(file).read_bytes()
                    faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
                    started = time.perf_counter()
                    code, out, errors = run([file if word == STORE else word for word in arguments])
                    took = time.perf_counter() - started
                    faulthandler.cancel_dump_traceback_later()
                    if code > 128:
                        raise KeyboardInterrupt  # the command caught our Ctrl-C
                    outcomes.slowest = max(outcomes.slowest, (took, command, number))
                    outcomes.codes[kind, command, code] += 1
                    refused = refused or code != 0
                    codes = (0, 1, 2) if command == "verify" else (0, 2)
                    problem = judge(code, out, errors, codes=codes)
                    if problem:
                        outcomes.wrong.append(Wrong(number, command, what, problem, errors))
                        if keep is not None:
                            (keep / f"{kind}-{number}.sqlite").write_bytes(damaged)
                outcomes.found[kind] += refused
    return outcomes


def result(plan: Plan) -> MatchRow:
    """Make up the result of a match. It uses every field, so that each can be damaged."""
    seats = len(plan.players)
    facts = b'{"bought":{"gold":[2,7]},"turns":9,"botlets":3,"energy":1,"gathered":2,"spawned":3,'
    facts += b'"lost":4,"moves":5,"ignored_moves":6,"spawn_disabled":false}'
    return row(
        plan,
        faults=[{"no-json": 1 + plan.match % 2}] * seats,
        left=[left() if plan.match % 3 == 0 else None, *[None] * (seats - 1)],
        statistics=[facts] * seats,
    )


def _made_up(jobs: int, **options: Any) -> Any:
    return workers(MadeUp(result))


def _original(path: Path, words: list[str]) -> tuple[str, list[str]]:
    words = [*words, "--seed", "1"]
    code, _, errors = run([RESUME, *words, "--store", str(path), "-q"])
    assert code == 0, errors
    return str(path), words


# --- Damage ---------------------------------------------------------------------------------------


def _edit(chance: Random, file: str) -> str:
    """Make one edit in any table. Returns its description."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        while True:
            query, values = chance.choice(EDITS)(chance, connection)
            try:
                if connection.execute(query, values).rowcount != 0:
                    return f"{query} {values!r:.80}"
            except (sqlite3.Error, UnicodeError):
                continue  # SQLite rejects the edit


def _cell(chance: Random, connection: sqlite3.Connection) -> tuple[str, list[Any]]:
    table = chance.choice(["about", "bots", "matches", "seats", "seats"])
    columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    key, keys = _some_row(chance, connection, table)
    column = chance.choice(columns)
    return f"UPDATE {table} SET {column} = ? WHERE {key}", [chance.choice(ODD), *keys]


def _some_row(
    chance: Random, connection: sqlite3.Connection, table: str
) -> tuple[str, tuple[Any, ...]]:
    key = {"about": "key", "bots": "bot", "matches": "match", "seats": "match, seat"}[table]
    rows = connection.execute(f"SELECT {key} FROM {table}").fetchall()
    return f"({key}) = ({', '.join('?' for _ in rows[0])})", chance.choice(rows)


def _copied(chance: Random, connection: sqlite3.Connection) -> tuple[str, list[Any]]:
    # Copy from the same column, so that at least the type is right.
    column = chance.choice(["bot", "rank", "score", "seat", "match", "faults", "statistics"])
    key, keys = _some_row(chance, connection, "seats")
    other, others = _some_row(chance, connection, "seats")
    query = f"UPDATE seats SET {column} = (SELECT {column} FROM seats WHERE {other}) WHERE {key}"
    return query, [*others, *keys]


def _delete(chance: Random, connection: sqlite3.Connection) -> tuple[str, list[Any]]:
    table = chance.choice(["about", "bots", "matches", "seats"])
    if chance.random() < 0.3:
        return f"DELETE FROM {table}", []
    key, keys = _some_row(chance, connection, table)
    return f"DELETE FROM {table} WHERE {key}", [*keys]


def _schema(chance: Random, connection: sqlite3.Connection) -> tuple[str, list[Any]]:
    endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i FROM n) SELECT i FROM n"
    queries = (
        "DROP TABLE seats",
        "ALTER TABLE matches DROP COLUMN turns",
        "ALTER TABLE seats RENAME TO places",
        "ALTER TABLE bots ADD COLUMN more",
        f"CREATE VIEW more AS {endless}",
        "CREATE TRIGGER more AFTER INSERT ON matches BEGIN DELETE FROM bots; END",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 7",
    )
    return chance.choice(queries), []


def _stages(chance: Random, connection: sqlite3.Connection) -> tuple[str, list[Any]]:
    (text,) = connection.execute("SELECT value FROM about WHERE key = 'stages'").fetchone()
    stages = json.loads(text)
    at: Any = stages
    while True:
        place = chance.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[place], dict | list) or not at[place] or chance.random() < 0.2:
            break
        at = at[place]
    if chance.random() < 0.2:
        del at[place]
    else:
        at[place] = chance.choice([v for v in ODD if not isinstance(v, bytes)] + [[], {}, [[]]])
    return "UPDATE about SET value = ? WHERE key = 'stages'", [json.dumps(stages)]


EDITS: list[Callable[[Random, sqlite3.Connection], tuple[str, list[Any]]]] = [
    *[_cell] * 5,
    *[_stages] * 3,
    *(_copied, _copied, _delete, _schema),
]


def _flip(chance: Random, file: str) -> str:
    data = bytearray(Path(file).read_bytes())
    places = [chance.randrange(len(data)) for _ in range(chance.choice([1, 1, 2, 3]))]
    for place in places:
        data[place] ^= chance.randrange(1, 256)
    Path(file).write_bytes(data)
    return f"bytes {places} flipped"


KINDS: dict[str, Callable[[Random, str], str]] = {"edited": _edit, "flipped": _flip}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stores", type=int, default=500, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave stores there that were")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        outcomes = attack(options.stores, options.seed, Path(folder), options.keep)
    table = Table("damage", "command", "exit 0", "exit 1", "exit 2", "other")
    for kind in KINDS:
        for command in [*COMMANDS, RESUME]:
            codes = [outcomes.codes[kind, command, code] for code in (0, 1, 2)]
            cells = [*codes, options.stores - sum(codes)]
            table.add_row(kind, command, *map(str, cells))
    Console(width=100).print(table)
    for kind in KINDS:
        found = outcomes.found[kind]
        print(f"{options.stores} {kind}: {found} found, {options.stores - found} harmless")
    took, command, number = outcomes.slowest
    print(f"slowest: {took:.1f} s, {command}, store {number}")
    print(f"seed {options.seed}, {time.monotonic() - started:.0f} s")
    for wrong in outcomes.wrong:
        print(f"store {wrong.number}, {wrong.command}: {wrong.problem[:200]}")
        print(f"  {wrong.damage}")
        print("  " + wrong.errors.replace("\n", "\n  ")[-300:])
    return 1 if outcomes.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
