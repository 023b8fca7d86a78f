"""The matches in which other referees are watched: who plays how, and what that brings about.

Each aims at a few rules and keeps away from the others as far as it can: what is wrong with one
card is then no reason to know nothing of another.
"""

from __future__ import annotations

from typing import Any

from referee.dominion.cards import CARDS, KINGDOM
from referee.game import ProbeMatch

_MANY = 99
_MONEY = [["province", _MANY], ["gold", _MANY], ["silver", _MANY]]
_TURNS = 60
"""A probe leaves after so many turns, lest a referee that never ends a match is waited for."""


def _seat(
    *tricks: str,
    buys: list[list[Any]] = (),  # type: ignore[assignment]
    plays: tuple[str, ...] = (),
    **fields: Any,
) -> dict[str, Any]:
    """A probe's plan.

    Args:
        tricks: each once, as soon as there is an occasion: "trick" or "trick:argument".
        buys: cards with how many of them it wants to own, in this order; then it buys money.
        plays: the actions that it plays, in this order.
        fields: `handshake`: a trick there; `gains`: like `buys`, for what cards bring; `turns`:
            after so many it leaves; `patient`: it does nothing that would end the game; `stays`:
            it does not end with the match; `only`: it gets nothing but
            `buys` and `gains`.
    """
    only = fields.get("only", False)
    return {
        "tricks": list(tricks),
        "buys": [*buys, *([] if only else _MONEY)],
        "plays": list(plays),
        "handshake": "",
        "gains": [],
        "turns": _TURNS,
        "patient": False,
        "stays": "",
        "only": False,
        **fields,
    }


def _with(card: str, *tricks: str, **fields: Any) -> dict[str, Any]:
    """A plan that plays one card, and buys it early."""
    return _seat(*tricks, buys=[["silver", 1], [card, 3]], plays=(card,), **fields)


def _match(id: str, about: str, *seats: dict[str, Any]) -> ProbeMatch:
    return ProbeMatch(id, tuple(about.split()), seats)


def _both(id: str, about: str, *tricks: str, **fields: Any) -> ProbeMatch:
    """Two probes with the same tricks, one from the first to the last, one the other way round."""
    return _match(id, about, _seat(*tricks, **fields), _seat(*tricks[::-1], **fields))


_MONEY_ONLY = _seat()
_BRIEF = _seat(turns=2)
_PILES = _seat(
    buys=[["silver", 4], ["workshop", 3], ["moat", _MANY], ["cellar", _MANY]],
    plays=("workshop",),
    gains=[["moat", _MANY], ["cellar", _MANY], ["village", _MANY]],
    only=True,
)
"""Empties three piles, and gets no points for it."""
_PATIENT_PILES = {**_PILES, "patient": True}
_BASICS = "1.1/1 1.1/2 1.6/1 1.7/* 2.1/1 2.2/1 2.3/1 2.4/* 2.5/1 2.6/* 2.8/* 2.10/* 2.11/* 2.14/1"


def _handshake(id: str, about: str, *handshakes: str) -> ProbeMatch:
    return _match(id, about, *(_seat(handshake=name, turns=1) for name in handshakes))


_JSON = ("utf8", "bom", "nan", "infinity", "control", "surrogate", "deep", "after", "array", "cut")
_LACKING = ("unknown", "null", "string", "missing")

MATCHES: tuple[ProbeMatch, ...] = (
    _match(
        "money",
        _BASICS + " 2.15/1 2.15/3 2.15/6 2.15/8 4.1/* 4.2/1 4.3/3 4.4/1 4.4/2 4.5/1 4.6/* 5.1/2"
        " 5.1/4 5.2/1 5.2/9 8.4/1 8.5/*",
        _seat(buys=[["duchy", 1], ["estate", 4]]),
        _seat(buys=[["curse", 1]]),
    ),
    _match("money-3", "4.2/2 2.3/1 4.1/2", _MONEY_ONLY, _seat(buys=[["duchy", 2]]), _MONEY_ONLY),
    _match("money-4", "4.2/3 2.3/1 4.1/2", *[_MONEY_ONLY] * 4),
    # --- the handshake ---
    _handshake("names-1", "3.1/2 3.1/3", "control", "long"),
    _handshake("names-2", "3.1/1", "empty", "spaces"),
    _handshake("names-3", "3.2/1", "json", ""),
    _handshake("names-7", "3.2/2", "", "type"),
    _handshake("names-4", "3.2/3", "no-name", "bad-name"),
    _handshake("names-5", "3.2/4", "no-number", "bad-number"),
    _handshake("names-6", "3.3/3", "no-version", "version-float"),
    _handshake("version-1", "3.3/1 3.5/2", "version-2", ""),
    _handshake("version-2", "3.3/2 3.5/2", "", "version-string"),
    _handshake("version-3", "3.3/2", "version-true", "version-null"),
    _handshake("exit-1", "3.4/2 3.5/2", "exit", ""),
    _handshake("exit-2", "3.4/2 3.5/3", "exit", "exit"),
    _handshake("exit-3", "3.5/1", "", "exit", ""),
    _handshake("side-by-side", "3.4/1", "side-by-side", ""),
    # --- lines ---
    _both("framing-1", "1.1/4 1.1/5", "spaces", "blank-lines", turns=4),
    _both("framing-2", "1.2/1 1.3/1", "early", "limit-line", turns=4),
    _both("framing-3", "1.5/*", "fields", "duplicates", turns=4),
    _both("framing-4", "1.8/9 1.8/10", "deep", "deep-string", "long-integer", turns=5),
    _match("noise", "1.4/1", _seat("noise", turns=3), _seat(turns=2)),
    _match("news", "1.1/3", _seat("await-news", turns=3), _seat(turns=3)),
    _match("long-line", "1.3/2", _seat("long-line"), _MONEY_ONLY),
    _both("json-1", "1.8/*", *(f"json-{kind}" for kind in _JSON[:5]), turns=8),
    _both("json-2", "1.8/*", *(f"json-{kind}" for kind in _JSON[5:]), turns=8),
    # --- replies ---
    _both(
        "top",
        "5.1/*",
        *("top-bad:null", "top", "top:hand", "top-bad:number", "pass"),
        *("top-bad:card", "top-bad:card-unplayed", "top", "top-bad:list", "top-bad:null-unplayed"),
    ),
    _both(
        "treasures", "5.2/2 5.2/7 5.6/2", *(f"treasure:{how}" for how in ("none", "twice", "value"))
    ),
    _both("lists", "5.2/7 5.2/8", "treasure:null", "treasure:string", "treasure:missing"),
    _both("cards", "5.2/3 5.2/7 5.2/8", *(f"cards:{how}" for how in _LACKING)),
    _both("too-much", "5.2/5 5.2/6", "cards:many", "cards:dear", "cards:many", "cards:dear"),
    _match(
        "costs-exact",
        "4.3/*",
        _seat(*(f"costs:exact-{card}" for card in CARDS), "worth:copper"),
        _seat(*(f"costs:exact-{card}" for card in [*CARDS][::-1]), "worth:silver", "worth:gold"),
    ),
    _match(
        "costs-short",
        "4.3/* 5.2/5",
        _seat(*(f"costs:short-{card}" for card in CARDS)),
        _seat(*(f"costs:short-{card}" for card in [*CARDS][::-1])),
    ),
    _both("worth", "4.3/2", "worth:silver-short", "worth:copper-short", "worth:gold-short"),
    _both("phases", "5.5/3 5.5/5", "phase-missing", "phase-bad", "second-buy", "phase-list"),
    _both("types", "5.5/2", "type-missing", "type-bad", "type-attack"),
    _both("actions-1", "5.4/1", "action:missing", "action:treasure", "action:unknown"),
    _both("actions-2", "5.4/*", "action:not-held", "action:list", "action:victory"),
    _both(
        "no-actions",
        "5.5/4",
        *("no-actions", "no-actions:held", "no-actions"),
        buys=[["silver", 1], ["smithy", 3]],
        plays=("smithy",),
    ),
    # --- cards ---
    _match("smithy", "6.7/1 5.3/*", _with("smithy"), _with("smithy", "plain:null", "plain:list")),
    _match("village", "6.8/1", _with("village"), _with("village", "plain:null")),
    _match("market", "6.2/1", _with("market"), _with("market", "cards:two", "plain:list")),
    _match(
        "woodcutter",
        "6.9/1 2.15/3 5.2/3",
        _with("woodcutter", "cards:two", "cards:dear-second", "cards:many"),
        _with("woodcutter", "cards:two", "cards:missing"),
    ),
    _match("moat", "6.5/1", _with("moat"), _with("moat", "plain:null")),
    _match(
        "cellar",
        "6.1/1 6.1/4 2.15/4",
        _with("cellar", "cellar:all", "cellar:empty", "cellar:missing"),
        _with("cellar", "cellar:missing", "cellar:all", "cellar:empty"),
    ),
    _match("no-parameters", "5.3/2", _with("cellar", "cellar:object"), _with("smithy")),
    _match(
        "cellar-faults",
        "6.1/2 6.1/3",
        _with("cellar", "cellar:not-held", "cellar:null", "cellar:twice", "cellar:itself"),
        _with("cellar", "cellar:string", "cellar:value", "cellar:itself", "cellar:not-held"),
    ),
    _match("mine", "6.4/1", _with("mine", "mine:same"), _with("mine", "mine:top", "mine:top")),
    _match(
        "mine-trash",
        "6.4/2",
        _with("mine", "mine:trash-missing", "mine:trash-other", "mine:trash-value"),
        _with("mine", "mine:trash-not-held", "mine:trash-other", "mine:trash-unknown"),
    ),
    _match(
        "mine-want",
        "6.4/3 5.6/1",
        _with("mine", "mine:missing", "mine:dear", "mine:other", "mine:null"),
        _with("mine", "mine:null", "mine:other", "mine:dear", "mine:unknown"),
    ),
    _match(
        "remodel",
        "6.6/1 2.7/1 2.15/2",
        _with("remodel", "remodel:top", "remodel:same", "remodel:second"),
        _with("remodel", "remodel:cheap", "remodel:top"),
    ),
    _match(
        "remodel-trash",
        "6.6/2 6.6/4",
        _with("remodel", "remodel:trash-missing", "remodel:itself", "remodel:trash-value"),
        _with("remodel", "remodel:trash-not-held", "remodel:trash-unknown", "remodel:itself"),
    ),
    _match(
        "remodel-want",
        "6.6/3 5.6/1",
        _with("remodel", "remodel:missing", "remodel:dear", "remodel:null"),
        _with("remodel", "remodel:unknown", "remodel:null", "remodel:dear"),
    ),
    _match(
        "workshop",
        "6.10/1",
        _with("workshop", "workshop:top", "workshop:cheap"),
        _with("workshop", "workshop:cheap", "workshop:top"),
    ),
    _match(
        "workshop-faults",
        "6.10/2 5.6/1",
        _with("workshop", "workshop:missing", "workshop:dear", "workshop:null"),
        _with("workshop", "workshop:unknown", "workshop:null", "workshop:dear"),
    ),
    # --- militia and moat ---
    _match("militia", "6.3/1 7.1/* 7.2/1 2.12/1 2.15/5", _with("militia"), _with("militia")),
    _match("militia-3", "7.1/1", _with("militia"), _MONEY_ONLY, _with("militia")),
    _match("militia-4", "7.1/*", *[_with("militia")] * 4),
    _match(
        "bad-discards",
        "7.2/2 7.2/3 7.2/4",
        _with("militia", "few", "held-once", "no-list", "not-held"),
        _with("militia", "not-held", "many", "no-discard", "held-once"),
    ),
    _match(
        "reveals",
        "7.3/* 2.9/1",
        _seat("moat", "moat-discards", "moat", buys=[["moat", 4]]),
        _seat(buys=[["silver", 2], ["militia", 4]], plays=("militia",)),
    ),
    _match(
        "bad-reveals",
        "7.3/2 7.3/3",
        _seat("moat-not-held", "reaction-bad", "reaction-missing", buys=[["moat", 4]]),
        _seat(buys=[["silver", 2], ["militia", 4]], plays=("militia",)),
    ),
    _match(
        "bad-answers",
        "7.4/*",
        _with("militia", "attack-json", "attack-untyped"),
        _with("militia", "attack-play", "attack-type"),
    ),
    # --- how it ends ---
    _match(
        "three-piles",
        "4.4/3 5.2/4",
        *[
            _seat(
                *("cards:empty", "remodel:empty", "workshop:empty"),
                buys=[["silver", 3], ["workshop", 2], ["moat", _MANY], ["cellar", _MANY]],
                plays=("workshop",),
                gains=[["moat", _MANY], ["cellar", _MANY], ["estate", _MANY]],
            )
        ]
        * 2,
    ),
    _match(
        "empty-piles",
        "6.6/3 6.10/2",
        *[
            _seat(
                *("workshop:empty", "remodel:empty", "cards:empty"),
                buys=[["silver", 2], ["workshop", 2], ["remodel", 1], ["moat", _MANY]],
                plays=("workshop", "remodel"),
                gains=[["moat", _MANY], ["cellar", _MANY]],
                patient=True,
                turns=40,
            )
        ]
        * 2,
    ),
    _match("tie-fewest", "4.5/2", _PILES, _PATIENT_PILES),
    _match("tie-shared", "4.5/3", _PATIENT_PILES, _PILES),
    _match(
        "mine-nothing",
        "6.4/4",
        *[
            _seat(
                *("mine:empty", "mine:nothing", "mine:nothing"),
                buys=[["silver", 2], ["mine", 1], ["silver", _MANY], ["copper", _MANY]],
                only=True,
                turns=45,
            )
        ]
        * 4,
    ),
    _match(
        "whole-deck",
        "4.6/3",
        *[
            _seat(
                buys=[["remodel", 2], ["village", 3], ["smithy", 3]],
                plays=("village", "remodel", "smithy", "moat"),
                gains=[["smithy", 4], ["village", 4], ["moat", 5]],
                only=True,
            )
        ]
        * 2,
    ),
    _match("turn-limit", "4.4/4 4.5/3", *[_seat(only=True, turns=501)] * 2),
    # --- who leaves ---
    _match("leave", "8.2/1 8.3/1 2.13/1", _seat("leave-turn:3"), _MONEY_ONLY),
    _match("leave-3", "8.3/2 8.3/4 2.13/1", _seat("leave-turn:6"), _with("militia"), _MONEY_ONLY),
    _match(
        "leave-attacked",
        "8.3/3 8.3/4",
        _with("militia"),
        _seat("leave-attack"),
        _with("militia"),
    ),
    _match(
        "leave-leading",
        "8.3/5",
        _PILES,
        _seat("leave-leading", buys=[["estate", 4]]),
        _PILES,
    ),
    _match("close-output", "8.2/2", _seat("close-output"), _MONEY_ONLY),
    _match("last-words", "8.2/3", _seat("last-words"), _seat()),
    _match("torn", "1.1/6", _seat("torn"), _MONEY_ONLY, _BRIEF),
    _match("stays-a-little", "8.4/2", _seat(turns=1), _seat(stays="a little")),
    _match("stays", "8.4/3 8.4/4", _seat(turns=1), _seat(stays="yes")),
    # --- everything together ---
    *(
        _match(
            f"all-{seats}",
            "4.* 5.* 6.* 7.*",
            *[
                _seat(
                    buys=[["silver", 1], *([card, 1] for card in KINGDOM[seats:]), ["mine", 2]],
                    plays=("village", "market", "cellar", *KINGDOM[2:]),
                )
            ]
            * seats,
        )
        for seats in (2, 3, 4)
    ),
)
