"""The checker reports findings in Tribute logs at the right line and with the right section."""

from __future__ import annotations

import json
from typing import Any

from referee.games.interface.capabilities import Finding
from referee.games.tribute import RULES
from referee.games.tribute.log_player import _act
from referee.games.tribute.rules.messages import CALL_PATRON, Action
from referee.logs.inferred import checker_of
from tests.games.tribute.tribute_matches import new_match, new_setup, right
from tests.support import public_logs
from tests.support.helpers import NAMES
from tests.support.public_logs import PublicLog

Json = dict[str, Any]
LOG = PublicLog(RULES)


def findings(log: list[Json]) -> list[Finding]:
    checker = checker_of(RULES, NAMES[:2])
    assert checker is not None
    return LOG.findings(checker, log)


def log_of(seed: int, choose: Any = right, leaving: float = 0.0, **options: Any) -> list[Json]:
    return public_logs.log_of(new_match(seed, **options), seed, choose, leaving)


def first(log: list[Json], kind: str, start: int = 0) -> int:
    return next(place for place in range(start, len(log)) if log[place]["type"] == kind)


def test_a_card_that_the_player_cannot_hold() -> None:
    """A player's hand and draw pile are its own ten starters, so the opponent's can't be there."""
    log = log_of(1)
    others = json.loads(json.dumps(log[first(log, "table-set")]["starters"][1]))
    place = first(log, "action")
    log[place]["action"] = {"type": "play-card", "card": others[0]["uid"]}
    (finding,) = findings(log)
    assert (finding.line, finding.section) == (place + 1, "5.2")


def test_a_hand_that_was_shown_is_known() -> None:
    """After two turns, all ten cards of a player have been discarded, so each hand is known."""
    log = log_of(2, lambda dice, request: end_at_once(request), max_turns=9)
    ends = [place for place, message in enumerate(log) if message["type"] == "turn-ended"]
    one, _, two, *_ = ends
    assert {card["uid"] for place in (one, two) for card in log[place]["discarded"]} == {
        card["uid"] for card in log[first(log, "table-set")]["starters"][0]
    }
    swapped = json.loads(json.dumps(log))
    swapped[two]["discarded"][0] = swapped[one]["discarded"][0]
    assert [finding.line for finding in findings(swapped)] == [two + 1]


def test_a_view_is_whole_once_the_lines_show_the_move() -> None:
    """The lines after an `end-turn` show which cards it discards."""
    log = log_of(2, lambda dice, request: end_at_once(request), max_turns=1)
    spectator: Any = checker_of(RULES, NAMES[:2])
    whole = [spectator.observe(LOG.read(line)) for line in log if line["type"] in LOG.types]
    kinds = [line["type"] for line in log if line["type"] in LOG.types]
    at = kinds.index("turn-ended")
    assert kinds[at - 1] == "action"
    assert whole[at - 1 : at + 1] == [False, False]
    assert True in whole[at:]


def end_at_once(request: Json) -> bytes:
    """End every turn at once, and choose as few cards as possible."""
    if request["type"] == "play-turn":
        reply: Json = {"type": "play-reply", "index": len(request["actions"]) - 1}
    elif request["type"] == "patron-request":
        reply = {"type": "patron-reply", "patron": request["available"][0]}
    else:
        cards = [card["uid"] for card in request["cards"][: request["min"]]]
        reply = {"type": "choose-reply", "cards": cards, "effect": 0}
    return json.dumps(reply).encode()


def test_hlaalu_is_called_for_a_hidden_card_with_a_cost() -> None:
    assert RULES.situation is not None
    seat = {"hand": ["GOLD"], "draw_pile": ["GOLD", "OATHMAN"], "coins": 9}
    patrons = ["HLAALU", "RED_EAGLE", "PELIN", "ANSEI"]
    game: Any = RULES.situation(new_setup(), {"patrons": patrons, "seats": {"player1": seat}})
    call = (CALL_PATRON, "HLAALU")
    assert call not in game.asked
    _act(game, Action(CALL_PATRON, patron="HLAALU"), [])
    assert call in game.asked
    assert [card.kind.card for card in game.table.me.hand] == ["OATHMAN"]
