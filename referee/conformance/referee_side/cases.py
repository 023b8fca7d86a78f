"""The conformance cases for referees: data, from spec/vectors."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from referee.conformance.referee_side.template import Template
from referee.games.interface.rules import Rules
from referee.match.pages import read_spec


class RefereeCase(Struct, frozen=True, forbid_unknown_fields=True):
    """One case: a rule that binds referees.

    Attributes:
        id: section and number, such as "6.3/1".
        level: whether a referee must do so.
        requirement: what is required, in one sentence.
        seats: the smallest match in which it can be seen.
        seeded: whether it can only be seen of a referee that takes a seed.
    """

    id: str
    level: Literal["MUST", "SHOULD"]
    requirement: str
    seats: int = 2
    seeded: bool = False

    @property
    def section(self) -> str:
        """The section of the protocol."""
        return self.id.partition("/")[0]

    def applies(self, template: Template) -> bool:
        """Whether this referee can be asked about it."""
        return self.seats <= max(template.seats) and (template.seeded or not self.seeded)


class RefereeCaseFile(Struct, forbid_unknown_fields=True):
    """The file of the cases; its fields are those of `CaseFile`."""

    format: Literal["referee-conformance-cases"]
    version: Literal[1]
    game: str
    chapters: dict[str, str]
    cases: list[RefereeCase]


def load_referee_cases(rules: Rules) -> RefereeCaseFile:
    """All cases for referees of a game, in the order of their sections.

    Raises:
        UsageError: it has no probes, and so no cases.
    """
    return msgspec.json.decode(read_spec(rules.probes().cases), type=RefereeCaseFile)
