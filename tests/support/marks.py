"""Marks for single values of `pytest.mark.parametrize`."""

from __future__ import annotations

import pytest


def slow(*values: object) -> object:
    """Mark one row of parameters as slow: README's test command leaves it out."""
    return pytest.param(*values, marks=pytest.mark.slow)


def all_cases(*values: object) -> object:
    """Mark one row of parameters as exhaustive: `.ci/run` leaves it out, too."""
    return pytest.param(*values, marks=pytest.mark.all_cases)
