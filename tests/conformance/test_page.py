"""The report of `conform` as a page: each failed case leads to the first of its causes."""

from __future__ import annotations

from typing import Any

import pytest

from referee.conformance import page as module
from referee.conformance.case import Case
from referee.conformance.verdict import Status, Violation, result_of, summarize


def test_a_case_leads_to_the_first_of_its_causes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "render", lambda template, **values: values)
    one, two = (Violation(kind, "8.2", "a reply", kind) for kind in ("exited", "timeout"))
    results = [
        result_of(Case("8.2/1", "Stay.", "SHOULD"), Status.FAILED, violations=[one]),
        result_of(Case("8.2/2", "Stay."), Status.FAILED, violations=[two, one]),
    ]
    for strict, places in ((False, {"8.2/1": 3, "8.2/2": 1}), (True, {"8.2/1": 1, "8.2/2": 1})):
        run: dict[str, Any] = {"tested": "bot", "command": "bot", "game": "dominion"}
        report = summarize(results, strict=strict, seconds=1.0, protocol=1, seed=1, **run)
        shown: Any = module.page(report, {"8": "Ends"})
        assert shown["cause_of"] == places
        assert shown["chapters"] == [("8", "Ends", results)]
