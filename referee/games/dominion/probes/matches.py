"""The matches that probes play, and the style of each seat (tests/conformance/README.md, 5).

The first matches test the basics, because a mistake there would show up in all the others, too.
Each of the other matches adds one feature, or a few that don't influence each other. A match tests
the cases in `covers` and `may`, and the cases of the tricks that its seats use.
"""

from __future__ import annotations

from typing import Any

from referee.games.dominion.probes.cases import SHARED
from referee.games.dominion.probes.probe_state import Style
from referee.games.dominion.probes.tricks import TRICKS
from referee.games.dominion.rules.cards import CARDS, COST
from referee.games.interface.probing import ProbeMatch

_BASIC = "pass buys money"
_CARDS = f"{_BASIC} woodcutter"
_MILITIA = f"{_CARDS} militia"


def _match(
    id: str, *seats: Style, covers: str = "", may: str = "", controls: str = _BASIC
) -> ProbeMatch:
    """Create a match.

    Args:
        covers: cases that are always tested by this match.
        may: cases that may or may not come up. They only count if a message or a reply tests them.
    """
    names = [name for seat in seats for name in seat.tricks.split()]
    names += [f"handshake {seat.handshake}" for seat in seats]
    words = [covers, may, *(SHARED.get(name, "") for name in names)]
    words += [TRICKS[name].cases for name in names if name in TRICKS]
    cases = tuple(dict.fromkeys(" ".join(words).split()))
    return ProbeMatch(id, cases, seats, tuple(controls.split()), tuple(covers.split()))


# --- seats ----------------------------------------------------------------------------------------


def _brief(handshake: str = "") -> Style:
    return Style(handshake=handshake, turns=1)


def _both_ways(tricks: str, **style: Any) -> tuple[Style, Style]:
    # A seat uses each trick once, as soon as a request allows it. The match may end before the
    # seat gets to its last tricks, so the second seat tries them in reverse order.
    backwards = " ".join(tricks.split()[::-1])
    return Style(tricks=tricks, **style), Style(tricks=backwards, **style)


def _plays(card: str, tricks: str = "", **style: Any) -> Style:
    return Style(tricks=tricks, plays=card, buys=f"silver:1 {card}:3", **style)


def _of(id: str, first: str = "", second: str = "", *, may: str = "") -> ProbeMatch:
    """Create a match in which both seats play a card and use tricks with it.

    Args:
        id: the card, or the card and what the tricks are about, such as "mine-faults".
    """
    card, _, more = id.partition("-")
    if not more:
        may = f"{CARDS[card].section}/1 {may}"
    controls = f"{_CARDS} {card}" if more else _CARDS
    return _match(id, _plays(card, first), _plays(card, second), may=may, controls=controls)


def _attacks(turns: int) -> Style:
    """Return the style of a seat that plays villages, and several militias per turn."""
    buys = "village:3 militia:5"
    return Style(tricks="militia-again", plays="village militia", buys=buys, only=True, turns=turns)


def _empties(gains: str, tricks: str = "", **style: Any) -> Style:
    buys = "silver:4 workshop:3 moat cellar"
    return Style(tricks=tricks, plays="workshop", buys=buys, gains=gains, only=True, **style)


def _all_actions(first: str) -> Style:
    # The cards in `first` are bought before the others.
    plays = "village market cellar militia mine moat remodel smithy village woodcutter workshop"
    most = "moat:1 remodel:1 smithy:1 village:1 woodcutter:1 workshop:1 mine:2"
    return Style(plays=plays, buys=f"silver:1 {first}{most}")


_PLAIN = Style()
_IDLE = Style(idle=True)
_ATTACKER = Style(plays="militia", buys="silver:2 militia:4")
_CHEAP = "moat cellar village"
_EMPTY = Style(
    tricks="workshop-empty remodel-empty cards-empty",
    plays="workshop remodel",
    buys="silver:2 workshop:2 remodel:1 moat",
    gains="moat cellar",
    patient=True,
    turns=40,
)
_MINE_NOTHING = Style(
    tricks="mine-empty mine-nothing mine-nothing",
    buys="silver:2 mine:1 silver copper",
    only=True,
    turns=45,
)
_WHOLE_DECK = Style(
    plays="village remodel smithy moat",
    buys="remodel:2 village:3 smithy:3",
    gains="smithy:4 village:4 moat:5",
    only=True,
)
_EXACT = " ".join(f"exact-{card}" for card in COST)
_SHORT = " ".join(f"short-{card}" for card in COST if COST[card])

# --- the matches ----------------------------------------------------------------------------------

MATCHES = (
    _match(
        "pass",
        *2 * [Style(idle=True, turns=7)],
        covers="4.1/1 4.1/2 4.2/1 4.4/1 4.6/1 8.2/1",
        may="2.1/1 2.2/1 2.3/1 2.4/1 8.4/1 8.5/1 8.5/2 1.1/1 1.1/2 2.8/1 8.1/1 8.3/1 2.13/1 4.1/* "
        "1.7/* 2.10/* 5.1/*",
        controls="",
    ),
    _match(
        "buys", *2 * [Style(turns=9)], covers="2.4/2 5.2/1 5.2/9", may="2.5/1 2.6/1 2.11/2 4.6/2"
    ),
    _match(
        "money",
        Style(buys="duchy:1 estate:4"),
        Style(buys="curse:1"),
        may="2.14/1 4.3/3 4.4/2 4.5/1",
    ),
    _match("money-3", _PLAIN, Style(buys="duchy:2"), _PLAIN, covers="4.2/2"),
    _match("money-4", *4 * [_PLAIN], covers="4.2/3"),
    # handshakes
    _match("names-1", _brief("control"), _brief("long"), may="4.1/3"),
    _match("names-2", _brief("empty"), _brief("spaces")),
    _match("names-3", _brief("json"), _brief()),
    _match("names-4", _brief("no-name"), _brief()),
    _match("names-5", _brief("bad-name"), _brief("no-number")),
    _match("names-6", _brief("bad-number"), _brief("type")),
    _match("names-7", _brief("no-version"), _brief("version-float")),
    _match("version-1", _brief("version-2"), _brief(), covers="3.5/2"),
    _match("version-2", _brief(), _brief("version-string"), covers="3.5/2"),
    _match("version-3", _brief("version-true"), _brief()),
    _match("version-4", _brief(), _brief("version-null")),
    _match("exit-1", _brief("exit"), _brief(), covers="3.5/2"),
    _match("exit-2", _brief("exit"), _brief("exit"), may="3.5/3"),
    _match("exit-3", _brief(), _brief("exit-skipped"), _brief()),
    _match("exit-4", _brief("version-2-late"), _brief("exit"), _brief()),
    _match("side-by-side", _brief("side-by-side"), _brief()),
    # lines
    _match("lines-1", *_both_ways("spaces blank-lines odd-blank", turns=6)),
    _match("lines-2", *_both_ways("twice limit-line", turns=4)),
    _match("lines-3", *_both_ways("fields duplicates", turns=4)),
    _match("lines-4", *_both_ways("deep deep-string long-integer", turns=5)),
    _match("noise", Style(tricks="noise", turns=3), Style(turns=2)),
    _match("slow", Style(tricks="slow", turns=3), Style(turns=2)),
    _match("news", Style(tricks="news", turns=3), Style(turns=3)),
    _match("long-line", Style(tricks="long-line"), Style(turns=2)),
    _match("long-line-early", Style(tricks="long-line-early"), Style(turns=2)),
    _match(
        "json-1", *_both_ways("json-utf8 json-bom json-nan json-infinity json-control", turns=8)
    ),
    _match(
        "json-2",
        *_both_ways("json-surrogate json-deep json-after json-array json-cut json-spaces", turns=9),
    ),
    # clean-up and buys
    _match("top", *_both_ways("top-null top top-played top-hand top-number pass", turns=9)),
    _match(
        "top-bad", *_both_ways("top-card top-card-unplayed top-list top-null-unplayed", turns=9)
    ),
    _match("treasures", *_both_ways("treasure-none treasure-twice treasure-value")),
    _match("lists", *_both_ways("treasure-null treasure-string treasure-missing")),
    _match("cards", *_both_ways("cards-unknown cards-null cards-string cards-missing")),
    _match("too-much", *_both_ways("cards-many cards-dear cards-many cards-dear")),
    _match("costs-exact", *_both_ways(_EXACT)),
    _match("costs-short", *_both_ways(_SHORT)),
    _match("worth", *_both_ways("worth-copper worth-silver worth-gold")),
    _match("worth-short", *_both_ways("worth-copper-short worth-silver-short worth-gold-short")),
    _match("phases", *_both_ways("phase-missing phase-bad second-buy phase-list", turns=9)),
    _match("types", *_both_ways("no-json type-missing type-bad type-attack", turns=9)),
    _match("actions-1", *_both_ways("action-missing action-treasure action-unknown")),
    _match("actions-2", *_both_ways("action-not-held action-list action-victory")),
    # actions
    _match(
        "woodcutter",
        _plays("woodcutter", "cards-two cards-dear-second cards-many", cases="6.9/1 5.3/1"),
        _plays("woodcutter", "cards-two", cases="6.9/1 5.3/1"),
        covers="2.4/2",
        may="6.9/1 5.3/1",
    ),
    _match("no-actions", *2 * [_plays("smithy", "no-actions no-actions")], controls=_CARDS),
    _match(
        "no-actions-bad",
        *2 * [_plays("smithy", "no-actions-bad")],
        controls=f"{_CARDS} no-actions",
    ),
    _of("smithy"),
    _of("village"),
    _of("market", second="cards-two"),
    _of("moat"),
    _match(
        "parameters",
        _plays("smithy", "plain-list plain-null"),
        _plays("smithy", "plain-null plain-list"),
        controls=f"{_CARDS} smithy",
    ),
    _of("cellar", "cellar-all cellar-empty", "cellar-missing cellar-all"),
    _of(
        "cellar-faults",
        "cellar-not-held cellar-null cellar-twice",
        "cellar-itself cellar-value",
    ),
    _match(
        "cellar-more",
        _plays("cellar", "cellar-object cellar-string"),
        _plays("smithy"),
        controls=f"{_CARDS} cellar",
    ),
    _of("mine", "mine-same", "mine-top mine-top", may="2.7/1"),
    _of(
        "mine-faults",
        "mine-trash-missing mine-trash-other mine-trash-value",
        "mine-trash-not-held mine-trash-unknown",
    ),
    _of(
        "mine-wishes",
        "mine-missing mine-dear mine-other mine-null",
        "mine-null mine-other mine-dear mine-unknown",
    ),
    _of(
        "remodel",
        "remodel-top remodel-same remodel-second",
        "remodel-cheap remodel-top",
        may="2.7/1",
    ),
    _of(
        "remodel-faults",
        "remodel-trash-missing remodel-itself remodel-trash-value",
        "remodel-trash-not-held remodel-trash-unknown remodel-itself",
    ),
    _of(
        "remodel-wishes",
        "remodel-missing remodel-dear remodel-null",
        "remodel-unknown remodel-null remodel-dear",
    ),
    _of("workshop", "workshop-top workshop-cheap", "workshop-cheap workshop-top"),
    _of(
        "workshop-faults",
        "workshop-missing workshop-dear workshop-null",
        "workshop-unknown workshop-null workshop-dear",
    ),
    # attacks
    _of("militia", may="7.1/1 7.1/3 2.12/1 7.2/1"),
    _match("militia-later", *2 * [_attacks(turns=30)], may="6.3/1 7.1/1", controls=_MILITIA),
    _match(
        "militia-3",
        _plays("militia", cases="7.1/1"),
        _PLAIN,
        _plays("militia", cases="7.1/1"),
        may="7.1/1",
        controls=_MILITIA,
    ),
    _match("militia-4", *2 * [_attacks(turns=25)], _IDLE, _IDLE, controls=_MILITIA),
    _match(
        "bad-discards",
        _plays("militia", "few held-once no-list not-held"),
        _plays("militia", "not-held many no-discard held-once"),
        controls=_MILITIA,
    ),
    _match(
        "reveals",
        Style(tricks="moat moat-discards moat", buys="moat:4"),
        _ATTACKER,
        may="2.9/1",
        controls=_MILITIA,
    ),
    _match(
        "bad-reveals",
        Style(tricks="moat-not-held reaction-bad reaction-missing", buys="moat:4"),
        _ATTACKER,
        may="7.4/3",
        controls=_MILITIA,
    ),
    _match(
        "bad-answers",
        _plays("militia", "attack-json attack-untyped"),
        _plays("militia", "attack-play attack-type"),
        may="7.4/3",
        controls=_MILITIA,
    ),
    # different ends of a game, and bots that exit
    _match(
        "three-piles",
        *2 * [_empties("moat cellar estate", "cards-empty workshop-empty")],
        may="4.4/3",
    ),
    _match("empty-piles", *2 * [_EMPTY]),
    _match("tie-fewest", _empties(_CHEAP), _empties(_CHEAP, patient=True), may="4.5/2"),
    _match("tie-shared", _empties(_CHEAP, patient=True), _empties(_CHEAP), may="4.5/3"),
    _match("mine-nothing", *4 * [_MINE_NOTHING], controls=f"{_CARDS} mine"),
    _match("whole-deck", *2 * [_WHOLE_DECK], may="6.7/1", controls=_CARDS),
    _match("turn-limit", *2 * [Style(idle=True, turns=501)], may="4.4/4"),
    _match("leave", Style(tricks="leave"), _PLAIN, may="2.13/1"),
    _match("leave-3", Style(tricks="leave-in-a-turn"), _plays("militia"), _PLAIN, may="2.13/1"),
    _match("leave-at-the-end", *3 * [Style(tricks="leave-at-the-end")]),
    _match("leave-attacked", _plays("militia"), Style(tricks="leave-attack"), _plays("militia")),
    _match(
        "leave-leading",
        _empties(_CHEAP),
        Style(tricks="leave-leading", buys="estate:4"),
        _empties(_CHEAP),
        may="8.3/5",
    ),
    _match("close-output", Style(tricks="close-output"), _PLAIN),
    _match("last-words", Style(tricks="last-words"), _PLAIN),
    _match("torn", Style(tricks="torn"), _PLAIN),
    _match("stays-a-little", Style(turns=2), Style(stays="a little"), covers="8.4/2"),
    _match("stays", Style(turns=2), Style(stays="yes"), may="8.4/3 8.4/4"),
    # all cards together
    _match("all-2", *2 * [_all_actions("militia:1 mine:1 ")], may="4.* 5.* 6.* 7.*", controls="*"),
    _match("all-3", *3 * [_all_actions("mine:1 ")], may="4.* 5.* 6.* 7.*", controls="*"),
    _match("all-4", *4 * [_all_actions("")], may="4.* 5.* 6.* 7.*", controls="*"),
)
