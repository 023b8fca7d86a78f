"""The checker reports findings in Star Realms logs at the right line and with the right section."""

from __future__ import annotations

from typing import Any

from referee.games.interface.capabilities import Finding
from referee.games.starrealms import RULES
from referee.logs.inferred import checker_of
from tests.games.starrealms.star_matches import Choose, new_match, right
from tests.support import public_logs
from tests.support.helpers import NAMES
from tests.support.public_logs import PublicLog

Json = dict[str, Any]
LOG = PublicLog(RULES)


def findings(log: list[Json]) -> list[Finding]:
    checker = checker_of(RULES, NAMES[:2])
    assert checker is not None
    return LOG.findings(checker, log)


def log_of(seed: int, choose: Choose = right, leaving: float = 0.0, **options: Any) -> list[Json]:
    return public_logs.log_of(new_match(seed, **options), seed, choose, leaving)


def test_checking_ends_at_the_first_difference() -> None:
    log = log_of(1)
    log[5]["card"] = "Ram" if log[5]["card"] != "Ram" else "Cutter"
    log[-1]["scores"].reverse()
    (finding,) = findings(log)
    assert (finding.line, finding.section, finding.stops) == (6, "5.1", True)
