"""Formats counts and ordinal numbers with their words."""

from __future__ import annotations


def plural(count: float, what: str) -> str:
    """Format a count with its noun: "1 point", "2 points", "1,000 points"."""
    return f"{count:,} {what}" if abs(count) == 1 else f"{count:,} {what}s"


def ordinal(number: int) -> str:
    """Format an ordinal number: "1st", "12th"."""
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
