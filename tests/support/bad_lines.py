"""Bad replies in Dominion with their fault codes. The match continues after each fault."""

from __future__ import annotations

BAD_LINES = [
    (b"\xff\xfe{}", "invalid-json"),
    (b'{"type":"play-reply","phase":"\\ud800"}', "invalid-json"),
    (b"[" * 10_000, "invalid-json"),
    (b"[" * 10_000 + b"]" * 10_000, "invalid-json"),
    (b'{"type":"play-reply","x":' + b"[" * 10_000 + b"]" * 10_000 + b"}", "invalid-json"),
    (b"NaN", "invalid-json"),
    (b'{"type":"play-reply","phase":NaN}', "invalid-json"),
    (b"null", "invalid-json"),
    (b"5", "invalid-json"),
    (b"1" * 5000, "invalid-json"),
    (b"[]", "invalid-json"),
    (b"\x00", "invalid-json"),
    (b"\v", "invalid-json"),  # not white space in JSON, so the line isn't blank (1.1)
    (b"\f", "invalid-json"),
    (b"\xc2\xa0", "invalid-json"),
    (b"{}", "wrong-type"),
    (b'{"type":5}', "wrong-type"),
    (b'{"type":"attack-reply","discard":[]}', "wrong-type"),
    (b'{"type":"play-reply"}', "bad-phase"),
    (b'{"type":"play-reply","phase":' + b"1" * 5000 + b"}", "bad-phase"),
    (b'{"type":"play-reply","phase":"buy","phase":"x"}', "bad-phase"),
    (b'{"type":"play-reply","phase":"buy","played_treasures":5}', "bad-treasure"),
    (b'{"type":"play-reply","phase":"buy","played_treasures":[{}]}', "bad-treasure"),
    (b'{"type":"play-reply","phase":"buy","cards_to_buy":[["copper"]]}', "cannot-buy"),
    (b'{"type":"play-reply","phase":"cleanup","top_discard":[1]}', "bad-top-discard"),
    (b'{"type":"play-reply","phase":"action","card":{}}', "not-an-action"),
]
