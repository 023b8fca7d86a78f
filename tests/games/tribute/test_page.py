"""Data on the page for Scripts of Tribute that isn't part of a view."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.games.interface.game import PUBLIC
from referee.games.tribute.page import PAGE
from referee.games.tribute.rules.game import Options, Tribute
from referee.games.tribute.rules.messages import PatronReply
from referee.web.recorded import read_match
from tests.games.tribute import tribute_matches
from tests.support.watched import watched


@pytest.mark.parametrize("name", ["2025-04", "2023-02"])
def test_facts_are_those_of_the_card_set(name: str) -> None:
    options = Options(cards=name)  # type: ignore[arg-type]
    facts = PAGE.facts(options)
    assert {*facts["patrons"]} == {*options.patrons, "TREASURY"}
    assert [p for p, fact in facts["patrons"].items() if not fact["favours"]] == ["TREASURY"]
    assert {fact["deck"] for fact in facts["cards"].values()} == {*facts["patrons"]}
    assert facts["cards"]["SHIELD_BEARER"] | {"text": ""} == {
        "name": "Shield Bearer",
        "deck": "PELIN",
        "type": "contract agent",
        "cost": 6,
        "hp": 5,
        "taunt": True,
        "text": "",
        "brief": [["sword", 1]],
    }
    makes = "Boarding Party" if name == "2023-02" else "Summerset Sacking"
    assert any(makes in fact["text"] for fact in facts["cards"].values())


def test_facts_are_those_of_the_patrons_that_can_be_there() -> None:
    facts = PAGE.facts(Options(patrons=("ANSEI", "HLAALU", "PELIN", "RAJHIN")))
    assert {fact["deck"] for fact in facts["cards"].values()} == {*facts["patrons"]}
    assert "PSIJIC" not in facts["patrons"]


def test_curves_are_of_what_players_have() -> None:
    """Both players begin with ten cards, and the second one with a coin (4.2)."""
    tribute = Tribute(tribute_matches.new_setup())
    for _ in range(4):
        (request,) = tribute.requests
        tribute.advance({request.seat: PatronReply(request.message.available[0])})
    curves = {series.name: series.of(tribute.view(PUBLIC)) for series in PAGE.series}
    assert curves == {"prestige": [0, 0], "coins": [0, 1], "power": [0, 0], "cards": [10, 10]}


def test_a_log_is_shown_up_to_what_the_rules_do_not_allow(tmp_path: Path) -> None:
    lines = watched("tribute", 8, max_turns=6).log.splitlines(keepends=True)
    path = tmp_path / "log"
    path.write_bytes(b"".join(lines))
    whole = read_match(str(path))
    last = max(number for number, line in enumerate(lines) if b'"gain-coin"' in line)
    path.write_bytes(b"".join([*lines[:last], *lines[last + 1 :]]))
    page = read_match(str(path))
    problem = f"Line {last + 1} does not belong to such a log, so the page ends here."
    assert page.header.problem == problem
    before = [step for step in whole.steps if step.lines[1] <= last]
    assert [step.set for step in page.steps] == [step.set for step in before]


def test_a_log_tells_which_cards_there_are(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(watched("tribute", 8, cards="2023-02", max_turns=1).log)
    assert read_match(str(path)).header.facts == PAGE.facts(Options(cards="2023-02"))
    assert PAGE.facts(Options()) != PAGE.facts(Options(cards="2023-02"))
