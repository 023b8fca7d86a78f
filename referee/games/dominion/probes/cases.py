"""Says which conformance cases each message, end reason, trick or check tests.

The values in these tables are ids of cases, separated by spaces.
"""

from __future__ import annotations

from collections.abc import Mapping

MESSAGES: Mapping[str, str] = {
    "player-name-request": "2.1/1",
    "player-name": "2.2/1",
    "game-info": "2.3/1",
    "supply-info": "2.4/1",
    "player-gained": "2.5/1",
    "player-played": "2.6/1",
    "player-trashed": "2.7/1",
    "player-top-discard": "2.8/1",
    "player-reveal": "2.9/1",
    "player-shuffled": "2.10/1 4.6/2",
    "play-turn": "2.11/2",
    "attack-request": "2.12/1 7.1/1 7.1/3",
    "player-disqualified": "2.13/1",
    "game-end": "2.14/1",
}
"""The cases that pass if we receive a correct message of this type.

The part before the first "/" is the section that describes the message."""

_OWN = {
    "player-name": "missing name player_number",
    "game-info": "missing kingdom_cards player_bot_names",
    "supply-info": "cards",
    "player-gained": "missing gained player_number",
    "player-played": "missing played",
    "player-trashed": "missing trashed",
    "player-top-discard": "missing",
    "player-reveal": "missing from cards",
    "player-shuffled": "missing",
    "play-turn": "cards_played cards_bought cards_gained",
    "game-end": "reason",
    "player-name-request": "missing version player_number",
}
"""The fields of each message whose mistakes fail the cases in `MESSAGES`."""

ABOUT: Mapping[str, str] = {
    **{kind: cases.partition("/")[0] for kind, cases in MESSAGES.items()},
    **{f"{kind} {name}": MESSAGES[kind] for kind, names in _OWN.items() for name in names.split()},
    "supply-info missing": "2.4/2",
    "player-top-discard card": "5.1/2",
    "play-turn missing": "4.1/2",
    "play-turn actions": "4.4/1 5.2/9",
    "play-turn buys": "4.4/1 5.2/9",
    "play-turn extra_money": "4.4/1 5.2/9",
    "play-turn hand": "4.6/1 5.2/1 6.4/1 6.6/1 6.10/1 7.4/3",
    "attack-request missing": "7.1/1",
    "attack-request extra": "7.1/2",
    "attack-request discard": "7.1/3",
    "attack-request options": "2.12/1",
    "player-disqualified missing": "2.13/1 8.2/1",
    "player-disqualified reason": "8.2/1",
    "game-end missing": "4.4/2 4.4/3 4.4/4 8.3/1",
    "game-end scores": "4.3/3 4.5/1",
    "game-end winners": "4.5/1 4.5/2 4.5/3 8.3/1 8.3/5",
    "supply-info cards at the start": "4.2/1 4.2/2 4.2/3",
    "play-turn hand at the start": "4.1/1",
    "play-turn missing at the start": "4.1/2",
    "game-end missing at the start": "3.5/2",
    "game-end winners at the start": "3.5/2",
    "game-end reason at the start": "3.5/2",
}
"""`Probes.about`: the section of each message type, and the cases that fail for each mistake."""

ENDS: Mapping[str, str] = {
    "provinces-empty": "4.4/2 4.3/3 4.5/1",
    "piles-empty": "4.4/3 4.3/3 4.5/1",
    "turn-limit": "4.4/4 4.3/3 4.5/1",
    "last-player-standing": "8.3/1 4.5/1",
}
"""The cases that pass if a match ends for this reason."""

SHARED: Mapping[str, str] = {
    "json": "1.1/1",
    "compact": "1.1/2",
    "same news": "1.7/1",
    "secrets": "1.7/2",
    "waits": "8.1/1",
    "shuffled": "4.1/3",
    "last message": "2.14/1",
    "no player left": "3.5/3",
    "end": "8.4/1",
    "grace": "8.4/2",
    "sigterm": "8.4/3",
    "outlives": "8.4/4",
    "session": "8.5/1",
    "folder": "8.5/2",
    "spaces": "1.1/4",
    "blank-lines": "1.1/5",
    "odd-blank": "1.1/7",
    "torn": "1.1/6",
    "twice": "1.2/1",
    "limit-line": "1.3/1",
    "long-line": "1.3/2",
    "long-line-early": "1.3/3",
    "noise": "1.4/1",
    "slow": "8.1/1",
    "fields": "1.5/1",
    "duplicates": "1.5/2",
    "json-utf8": "1.8/1",
    "json-bom": "1.8/2",
    "json-nan": "1.8/3",
    "json-infinity": "1.8/3",
    "json-control": "1.8/4",
    "json-surrogate": "1.8/5",
    "json-deep": "1.8/6",
    "json-after": "1.8/7",
    "json-array": "1.8/8",
    "json-cut": "1.8/8",
    "json-spaces": "1.8/11",
    "deep": "1.8/9",
    "deep-string": "1.8/9",
    "long-integer": "1.8/10",
    "close-output": "8.2/2",
    "last-words": "8.2/3",
    "handshake control": "3.1/2",
    "handshake long": "3.1/3",
    "handshake empty": "3.1/1",
    "handshake spaces": "3.1/1",
    "handshake json": "3.2/1",
    "handshake type": "3.2/2",
    "handshake no-name": "3.2/3",
    "handshake bad-name": "3.2/3",
    "handshake no-number": "3.2/4",
    "handshake bad-number": "3.2/4",
    "handshake no-version": "3.3/3",
    "handshake version-float": "3.3/3",
    "handshake version-2": "3.3/1",
    "handshake version-string": "3.3/2",
    "handshake version-true": "3.3/2",
    "handshake version-null": "3.3/2",
    "handshake version-2-late": "3.5/4",
    "handshake exit": "3.4/2",
    "handshake exit-skipped": "3.5/1",
    "handshake side-by-side": "3.4/1",
}
"""`Probes.shared`: the cases that belong to tricks and checks which all games have."""
