"""The card tables on the Star Realms page match the program."""

from __future__ import annotations

import json
import re

from referee.games import GAMES
from referee.games.starrealms.rules.cards import CARDS
from referee.games.starrealms.rules.messages import ACTIONS, KINDS
from referee.match.pages import load_page, rows
from tests.support.helpers import ROOT

PAGE = (ROOT / "spec" / "starrealms" / "protocol.md").read_text()
SECTIONS = load_page("starrealms/protocol").sections
RULES = GAMES["starrealms"]


def test_every_field_of_a_message_is_in_its_table() -> None:
    for section in SECTIONS.values():
        found = re.match(r"```json\n(.*?)\n```", section.text, re.DOTALL)
        if found is not None and section.number.startswith("2."):
            named = set(re.findall(r"`(\w+)`", "".join(row[0] for row in rows(section.text))))
            assert json.loads(found[1]).keys() - {"type"} <= named, section.number


def test_the_tables_of_cards_are_the_cards() -> None:
    """Section 7 describes abilities in its own words, so we only compare which abilities exist."""
    told = {}
    for number in ("7.1", "7.2", "7.3", "7.4", "7.5"):
        for name, type_, cost, copies, *abilities in rows(SECTIONS[number].text):
            told[name] = (type_, int(cost), copies, [bool(ability) for ability in abilities])
    assert [*told] == [*CARDS]
    for name, card in CARDS.items():
        type_, cost, copies, abilities = told[name]
        assert type_ == (card.type if card.is_ship else f"{card.type} {card.defense}")
        assert cost == card.cost
        if card.faction != "unaligned":
            assert copies == str(card.copies)
        has = [bool(card.primary or card.constant), bool(card.ally), bool(card.scrap)]
        assert abilities == has


def test_the_options_the_actions_and_the_kinds_of_the_page_are_those_of_the_game() -> None:
    table = rows(SECTIONS["4.1"].text)
    told = {name.strip("`"): int(default) for name, default, *_ in table}
    options = RULES.options()
    assert told == {name: getattr(options, name) for name in options.__struct_fields__}
    actions = [row[0].strip("`") for row in rows(SECTIONS["5.1"].text)]
    assert actions == ["actions", *ACTIONS]
    kinds = [row[0].strip("`") for row in rows(SECTIONS["2.5"].text)]
    assert kinds[-len(KINDS) :] == [*KINDS]
