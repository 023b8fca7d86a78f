"""Damage logs and records the way broken disks, editors and buggy programs do."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from referee.logs.zstd import zstd

BOM = b"\xef\xbb\xbf"
_PUBLIC = b'{"entry":"sent","to":"all","message":'
# The referee has the same regular expression. We don't import it, because this should be an
# independent implementation of spec/log-format.md, 2.8, that finds mistakes in the other one.
_TIME_FIELD = re.compile(rb',"(?:time|started)":[^,]*}\n$')

# Odd JSON values to put in place of others, and some texts that are not JSON.
ODD: list[bytes] = [
    *(b"null", b"true", b"false", b"0", b"-1", b"1", b"2", b"17", b"0.5", b"-0.0", b"1e-999"),
    *(b"%d" % 2**power for power in (31, 53, 63, 64, 2000)),
    *(b"1" * 5000, b"-" + b"9" * 400, b"1e308", b"1e999", b"NaN", b"Infinity", b"01", b"0x1"),
    *(b'""', b'" "', b'"\\u0000"', b'"\\ud800"', b'"\\u202e"', b'"\xff"', b'"\xc3\xa9"', b'"\x07"'),
    *(b'"' + b"x" * 5000 + b'"', b'"', b"copper", b'"witch"', b'"copper"', b'"province"'),
    *(b"[]", b"[[]]", b"{}", b'{"a":1}', b'["copper",7]', b"[null]", b'{"type":[]}', b'["type"]'),
    *(b'"player0"', b'"player1"', b'"player2"', b'"player3"', b'"player4"', b'"player5"'),
    *(b'"player10"', b'"player-1"', b'"Player1"', b'"all"', b'["player1"]', b'["player4"]'),
    *(b"[" * 50 + b"]" * 50, b"[" * 5000 + b"]" * 5000, b'{"a":' * 5000 + b"1" + b"}" * 5000),
    *(b"[" * depth + b"]" * depth for depth in range(900, 1000, 15)),  # near decoders' limits
    *(b'"\\u001b[2J"', b'"\\u009b2J"', b'["\\u001b[2J"]'),
    *(b'"header"', b'"end"', b'"sent"', b'"fault"', b'"game-end"', b'"play-turn"', b'"dominion"'),
]
_PLACE = "@@"  # a placeholder that doesn't occur in logs


def with_digest(lines: list[bytes]) -> list[bytes]:
    """Recompute the digest in a record's last line, as someone would to hide an edit."""
    *body, last = lines
    seen = [line for line in body if not line.startswith(b'{"entry":"stderr",')]
    digest = hashlib.sha256(b"".join(_TIME_FIELD.sub(b"}\n", line) for line in seen)).hexdigest()
    return [*body, re.sub(rb"sha256:[0-9a-f]{64}", b"sha256:" + digest.encode(), last)]


def log_of(record: bytes) -> bytes:
    return b"".join(
        line[len(_PUBLIC) : line.rindex(b',"time":')] + b"\n"
        for line in record.splitlines(keepends=True)
        if line.startswith(_PUBLIC)
    )


def damage(chance: Random, valid: list[bytes]) -> tuple[str, bytes]:
    data = chance.choice(valid)
    names = [chance.choice(list(KINDS)) for _ in range(chance.choice([1, 1, 2, 3]))]
    for name in names:
        data = KINDS[name](chance, data)
    if chance.random() < 0.1 and data.startswith(b'{"entry"'):
        names.append("digest that fits")
        data = b"".join(with_digest(data.splitlines(keepends=True)))
    if chance.random() < 0.1:
        names.append("other file in between")
        data = _splice(chance, data, chance.choice(valid))
    if chance.random() < 0.2:
        name = chance.choice(list(PACKED))
        names.append(name)
        data = PACKED[name](chance, data)
    return ", ".join(names), data


# --- Bytes ----------------------------------------------------------------------------------------


def _place(chance: Random, data: bytes) -> int:
    return chance.randint(0, len(data))


def _flip(chance: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 3, 20])):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _overwrite(chance: Random, data: bytes) -> bytes:
    at, count = _place(chance, data), chance.choice([1, 8, 512])
    new = chance.choice([b"\0" * count, chance.randbytes(count), b"\n" * count, b'"' * count])
    return data[:at] + new + data[at + count :]


def _insert(chance: Random, data: bytes) -> bytes:
    at = _place(chance, data)
    new = chance.choice([b"\0", b"\r", b"\n", BOM, b"[", b"}", b'"', b"\xe2\x80\xa8", b"\\ud800"])
    return data[:at] + new * chance.choice([1, 1, 2000]) + data[at:]


def _cut_out(chance: Random, data: bytes) -> bytes:
    at = _place(chance, data)
    return data[:at] + data[at + chance.choice([1, 20, 4096]) :]


def _splice(chance: Random, data: bytes, other: bytes) -> bytes:
    at, lines = _place(chance, data), other.splitlines(keepends=True)
    start = chance.randrange(len(lines))
    if chance.random() < 0.7:
        at = data.rfind(b"\n", 0, at) + 1
    return data[:at] + b"".join(lines[start : start + chance.choice([1, 5, 1000])]) + data[at:]


# --- Lines ----------------------------------------------------------------------------------------


def _lines(change: Callable[[Random, list[bytes]], None]) -> Callable[[Random, bytes], bytes]:
    def changed(chance: Random, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        if lines:
            change(chance, lines)
        return b"".join(lines)

    return changed


def _drop(chance: Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    del lines[at : at + chance.choice([1, 1, 5, 50])]


def _duplicate(chance: Random, lines: list[bytes]) -> None:
    line = chance.choice(lines)
    at = chance.randint(0, len(lines))
    lines[at:at] = [line] * chance.choice([1, 1, 30])


def _swap(chance: Random, lines: list[bytes]) -> None:
    one, other = (chance.randrange(len(lines)) for _ in "ab")
    lines[one], lines[other] = lines[other], lines[one]


def _to_front(chance: Random, lines: list[bytes]) -> None:
    lines.insert(0, lines.pop(chance.randrange(len(lines))))


# --- Values ---------------------------------------------------------------------------------------


# Lines with more brackets are left alone. The functions below recurse, so they could overflow.
_MOST_NESTED = 300


def _in_line(change: Callable[[Random, Any], Any]) -> Callable[[Random, bytes], bytes]:
    """Change the JSON value of some lines, then replace `_PLACE` in it by one of `ODD`."""

    def changed(chance: Random, lines: list[bytes]) -> None:
        for _ in range(chance.choice([1, 1, 4])):
            at = chance.choice([0, chance.randrange(len(lines)), chance.randrange(len(lines))])
            if lines[at].count(b"[") + lines[at].count(b"{") > _MOST_NESTED:
                continue
            try:
                value = json.loads(lines[at])
            except ValueError:
                continue
            if isinstance(value, dict) and value:
                text = json.dumps(change(chance, value), separators=(",", ":")).encode()
                lines[at] = text.replace(b'"%s"' % _PLACE.encode(), chance.choice(ODD)) + b"\n"

    return _lines(changed)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return (container, key) for every value in a JSON value, however deeply nested."""
    keys = value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0)
    found = [(value, key) for key in keys]
    for key in keys:
        found += _places(value[key])
    return found


def _any_value(chance: Random, value: Any) -> Any:
    places = _places(value)
    if not places:
        return _PLACE
    # Half of the time, pick a top-level field. Otherwise we'd mostly hit things like the piles of a
    # supply, because there are so many of them.
    container, key = chance.choice(places[: len(value)] if chance.random() < 0.5 else places)
    container[key] = _PLACE
    return value


def _kind_field(chance: Random, value: Any) -> Any:
    value[chance.choice([f for f in ("type", "entry") if f in value] or ["type"])] = _PLACE
    return value


def _player(chance: Random, value: Any) -> Any:
    places = [(c, k) for c, k in _places(value) if str(c[k]).startswith("player") or k == "to"]
    if places:
        container, key = chance.choice(places)
        container[key] = f"player{chance.choice([0, 1, 2, 3, 4, 4, 5, 10])}"
    return value


def _number(chance: Random, value: Any) -> Any:
    places = [(c, k) for c, k in _places(value) if isinstance(c[k], int)]
    if places:
        container, key = chance.choice(places)
        container[key] = chance.choice([-1, 0, 1, 2**31, 2**63, 2**64, 10**300, -(10**30), 1.5])
    return value


def _fields(chance: Random, value: Any) -> Any:
    containers = [container for container, _ in _places(value) if isinstance(container, dict)]
    if containers:
        container = chance.choice(containers)
        key = chance.choice(list(container))
        taken = container.pop(key)
        if chance.random() < 0.5:
            new = chance.choice(["", "x", "type", "entry", "player_number", "cards", key + "s"])
            container[new] = taken
    return value


def _only_the_value(chance: Random, value: Any) -> Any:
    container, key = chance.choice(_places(value) or [([_PLACE], 0)])
    return container[key]


def _as_message(chance: Random, value: Any) -> Any:
    return value.get("message", {"entry": "sent", "to": "all", "message": value, "time": 1})


# --- Files ----------------------------------------------------------------------------------------


def _encoded(encoding: str) -> Callable[[Random, bytes], bytes]:
    return lambda chance, data: data.decode(errors="replace").encode(encoding, errors="replace")


def _deep(chance: Random, data: bytes) -> bytes:
    bracket, count = chance.choice([b"[", b'{"type":', b'{"a":[']), chance.choice([200, 100_000])
    at = data.rfind(b"\n", 0, _place(chance, data)) + 1
    return data[:at] + bracket * count + b"\n" + data[at:]


# Ways to damage an uncompressed file.
KINDS: dict[str, Callable[[Random, bytes], bytes]] = {
    "bits": _flip,
    "overwritten": _overwrite,
    "inserted": _insert,
    "bytes cut out": _cut_out,
    "cut short": lambda chance, data: data[: _place(chance, data)],
    "lines dropped": _lines(_drop),
    "lines duplicated": _lines(_duplicate),
    "lines swapped": _lines(_swap),
    "another first line": _lines(_to_front),
    "lines shuffled": _lines(lambda chance, lines: chance.shuffle(lines)),
    "a value": _in_line(_any_value),
    "type or entry": _in_line(_kind_field),
    "a player": _in_line(_player),
    "a number": _in_line(_number),
    "a field": _in_line(_fields),
    "a part alone": _in_line(_only_the_value),
    "entry or message": _in_line(_as_message),
    "deep": _deep,
    "twice": lambda chance, data: data + data,
    "empty": lambda chance, data: chance.choice([b"", b"\n", b"\n\n\n", b"\0", b" "]),
    "BOM": lambda chance, data: BOM + data,
    "CRLF": lambda chance, data: data.replace(b"\n", b"\r\n"),
    "no line ends": lambda chance, data: data.replace(b"\n", chance.choice([b"", b" ", b"\r"])),
    "spaces": lambda chance, data: data.replace(b":", b": "),
    "UTF-16": _encoded("utf-16"),
    "UTF-32": _encoded("utf-32-le"),
    "Latin-1": _encoded("latin-1"),
    "other names": lambda chance, data: data.replace(
        b'"name":"', b'"name":"' + chance.choice([b"\\ud800", b"\\u0000", b"\xff", b"\\u001b[2J"])
    ),
}

# Ways to damage a compressed file.
PACKED: dict[str, Callable[[Random, bytes], bytes]] = {
    f"{name}{what}": (lambda chance, data, pack=pack, after=after: after(chance, pack(data)))
    for name, pack in (("gzip", gzip.compress), ("zstd", zstd.compress))
    for what, after in {
        "": lambda chance, data: data,
        " and bits": _flip,
        " and overwritten": _overwrite,
        " and cut short": KINDS["cut short"],
        " and cut out": _cut_out,
        " and more after it": lambda chance, data: data + chance.choice([b"x\n", b"\0" * 9, data]),
    }.items()
}
