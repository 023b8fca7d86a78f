"""Functions of the product are short. Ruff's C901 checks that they have few branches."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.support.live import ROOT

MOST_LINES = 60
"""Counted from `def` to the end, with the docstring."""


def functions() -> Iterator[tuple[str, int]]:
    """Yield all functions in `referee/` with the number of their lines."""
    for file in sorted((ROOT / "referee").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                name = f"{file.relative_to(ROOT)}:{node.lineno} {node.name}"
                yield name, node.end_lineno - node.lineno + 1


def test_no_function_is_long() -> None:
    lengths = dict(functions())
    assert len(lengths) > 1000
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}
