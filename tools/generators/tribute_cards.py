"""Generates the table of cards on the page of Scripts of Tribute."""

from __future__ import annotations

from referee.games.tribute.rules.cards import card_set


def cards() -> str:
    rows = [
        "| card | deck | type | cost | HP | effects | in the tavern |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in card_set("2025-04").kinds.values():
        hp = f"{kind.hp}{' taunt' if kind.taunt else ''}" if kind.is_agent else ""
        effects = list(kind.row.effects)
        while effects and not effects[-1]:
            effects.pop()
        levels = " \\| ".join(effects)
        cells = [f"`{kind.card}` {kind.name}", kind.deck, kind.type, str(kind.cost), hp, levels]
        rows.append(f"| {' | '.join([*cells, str(kind.copies or '')])} |")
    return "\n".join(rows)
