"""Is a match what its seed says (4.7)? For referees that take a seed."""

from __future__ import annotations

import msgspec

from referee.conformance.referee_side.comparing import Compared, Finding, compare
from referee.conformance.referee_side.lines import Catalogue, shown, text
from referee.conformance.referee_side.recording import RecordedMatch
from referee.seam.seats import seat_id

_SEATS = "4.7/2"
_REFEREE = "4.7/3"
SEED_CASES = (_SEATS, _REFEREE)
SEED_VEILS = {_SEATS: _REFEREE}
"""While the shuffles are not as they should be, nothing can be said of random discards."""


def check_seed(compared: Compared, catalogue: Catalogue) -> None:
    """Compare a match that was right with the one that its own seed makes."""
    seeded = compare(compared.recorded, catalogue, compared.match, seeded=True)
    chosen = bool(compared.held["7.4/3"])
    for finding in seeded.findings[:1]:
        case = _REFEREE if chosen else _SEATS
        compared.add(msgspec.structs.replace(finding, case=case, signature=("seed", case)))
    if not seeded.findings:
        compared.held.update([_SEATS] + [_REFEREE] * chosen)


def compare_twins(one: Compared, two: RecordedMatch) -> bool:
    """Compare two matches with the same seed and the same probes, as far as we know messages."""
    for seat, (first, second) in enumerate(zip(one.recorded.seats, two.seats, strict=True)):
        pairs = zip(first.received, second.received, strict=False)
        for place, (line, other) in enumerate(pairs):
            if line.message != other.message:
                to = f"to {seat_id(seat)}"
                expected = f"{to}, with the seed {two.seed}: {text(line.message or {})}"
                actual = f"{to}: {shown(other)}"
                violation = two.violation("seed", seat, place, expected, actual)
                one.add(Finding("4.7/1", ("seed", "4.7/1"), violation))
                return False
    one.held["4.7/1"] += 1
    return True
