"""Compare the stores of two tournaments."""

from __future__ import annotations

from referee.tournament.store import Store

# Columns that may differ between two runs of the same tournament.
TIME_COLUMNS = {
    "matches": ("late", "restarts", "seconds"),
    "seats": ("reply_seconds", "longest_reply", "reply_histogram", "cause"),
}


def rows(store: Store) -> dict[str, list[tuple[object, ...]]]:
    found = {}
    for table in ("about", "bots", "matches", "seats"):
        columns = [row[1] for row in store.select(f"PRAGMA table_info({table})")]
        kept = ", ".join(name for name in columns if name not in TIME_COLUMNS.get(table, ()))
        found[table] = list(store.select(f"SELECT {kept} FROM {table} ORDER BY 1, 2"))
    return found
