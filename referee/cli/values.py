"""Defines the types of option values, and the functions that parse them.

`Annotated[T, read]` is a `T` that `read` parses from text. If the text is invalid, `read` raises an
`argparse.ArgumentTypeError`. For `Annotated[str, Words(...)]`, only the given words are valid.
"""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Collection
from typing import Annotated, NamedTuple, TypeAlias, TypeVar

from referee.errors import UsageError
from referee.games import find_game
from referee.inputs import read_input
from referee.match.limits import MAX_BYTES, MAX_COUNT, MAX_SECONDS, UNITS, is_none
from referee.match.sandbox import SandboxMode
from referee.text.encoding import wide_encoding

N = TypeVar("N", int, float)
MAX_SEED = 2**53  # the same value as in `referee.match.machine`, which is slow to import
NEVER = "never"
# We read at most this many bytes of a file with many seeds ...
_MOST_SEEDS = 20_000_000
# ... and of a file with a single seed.
_MOST_SEED = 100
_INTEGER = "[0-9]{1,16}"
_DECIMAL = "(?:[0-9]{1,16}[.]?[0-9]{0,16}|[.][0-9]{1,16})(?:[eE]-?[0-9]{1,3})?"


def _number(
    kind: type[N], pattern: str, accepted: Callable[[N], bool], what: str
) -> Callable[[str], N]:
    def convert(text: str) -> N:
        # int() would also accept "1_0", " 1", "+1" and the digits of other scripts.
        if not re.fullmatch(pattern, text) or not accepted(kind(text)):
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return kind(text)

    return convert


def _integer(least: int, most: int, what: str) -> Callable[[str], int]:
    return _number(int, _INTEGER, lambda number: least <= number <= most, what)


def _decimal(accepted: Callable[[float], bool], what: str) -> Callable[[str], float]:
    return _number(float, _DECIMAL, accepted, what)


# A rating or a difference of two. With more digits a table is unreadable, and the differences are
# lost from 1e17 on.
number = _number(
    float, f"-?{_DECIMAL}", lambda elo: abs(elo) <= 1e6, "a number from -1,000,000 to 1,000,000"
)
seed = _integer(0, MAX_SEED - 1, "an integer from 0 to 2**53 - 1")
count = _integer(1, MAX_COUNT, "an integer of 1 or more, at most 1,000,000,000")
seconds = _decimal(lambda s: 0 < s <= MAX_SECONDS, "a number of seconds above 0, at most 1,000,000")
grace = _decimal(
    lambda s: 0 <= s <= MAX_SECONDS, "a number of seconds, 0 or more, at most 1,000,000"
)
probability = _decimal(lambda p: 0 < p < 0.5, "a number above 0 and below 0.5")


def or_none(kind: Callable[[str], float]) -> Callable[[str], float]:
    """Extend a parser so that it also accepts the word "none", which means infinity."""

    def convert(text: str) -> float:
        if is_none(text):
            return math.inf
        try:
            return kind(text)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentTypeError(f"{error}, or 'none'") from None

    return convert


def count_or_never(text: str) -> int:
    """Parse a count. The word "never" becomes 0."""
    if text == NEVER:
        return 0
    try:
        return count(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or '{NEVER}'") from None


# Seconds, or "none" for infinity.
limit = or_none(seconds)


def size(text: str) -> int:
    """Parse a size in bytes: an integer, with an optional suffix K, M or G."""
    digits, unit = (text[:-1], text[-1]) if text[-1:] in UNITS else (text, "")
    if not re.fullmatch(_INTEGER, digits) or not 0 < int(digits) * UNITS.get(unit, 1) <= MAX_BYTES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of bytes, such as 65536, 64K, 512M or 2G"
        )
    return int(digits) * UNITS.get(unit, 1)


class Words:
    """The allowed words of a value. If the collection grows, the new words are allowed as well."""

    def __init__(self, words: Collection[str]) -> None:
        self.words = words


class SandboxChoice(NamedTuple):
    """The values of `--sandbox` and `--sandbox-read` that the user has chosen."""

    kind: SandboxMode | None
    readable: tuple[str, ...]


class GivenSeed(NamedTuple):
    """The seed that a command line gives, or None, and the file if it's in one."""

    seed: int | None = None
    file: str | None = None


def _text_in(name: str, most: int, what: str) -> str:
    """Read a text file of at most `most` bytes. `what` is what it should contain, for messages."""
    try:
        data = read_input(name, most)
        if encoding := wide_encoding(data):
            raise argparse.ArgumentTypeError(f"{name}: it is {encoding}; save it as UTF-8")
        return data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    except ValueError as error:  # it isn't UTF-8
        raise argparse.ArgumentTypeError(f"{name} has no {what}: it is not text") from error


def seed_in_file(name: str) -> GivenSeed:
    """Read the seed in a file. "-" is standard input."""
    text = _text_in(name, _MOST_SEED, "seed").strip()
    try:
        return GivenSeed(seed(text), name)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{name}: {error}") from error


class DealSeedsInFile(NamedTuple):
    """The seeds of some deals, and the file that contains them."""

    file: str
    seeds: tuple[int, ...]


def deal_seeds(name: str) -> DealSeedsInFile:
    """Read a file with one seed per line. "-" is standard input, and "#" starts a comment."""
    text = _text_in(name, _MOST_SEEDS, "seeds")
    lines: dict[int, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        try:
            one = seed(word)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentTypeError(f"{name}, line {number}: {error}") from error
        if one in lines:
            raise argparse.ArgumentTypeError(
                f"{name}, line {number}: the seed {one} is in line {lines[one]} too"
            )
        lines[one] = number
    if not lines:
        raise argparse.ArgumentTypeError(f"{name} has no seeds: write one per line")
    return DealSeedsInFile(name, tuple(lines))


def variable(text: str) -> tuple[str, str]:
    """Parse an environment variable: NAME=VALUE, or just NAME for its current value."""
    name, equals, value = text.partition("=")
    if not name or "\0" in text:
        raise argparse.ArgumentTypeError(f"{text!r}: give NAME=VALUE or NAME")
    # This is probably a typing mistake. Without the variable, the bot would fail for no apparent
    # reason.
    if not equals and name not in os.environ:
        raise argparse.ArgumentTypeError(f"{name} has no value here: give {name}=VALUE")
    return name, value if equals else os.environ[name]


def player(text: str) -> int:
    """Parse a player's number: "2", or "player2" as in the protocol."""
    try:
        return count(text.removeprefix("player"))
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a player: give 1 or player1, for example"
        ) from None


def turns(text: str) -> tuple[int, int]:
    """Parse a range of turns: "10-20", or a single turn, "10"."""
    given = re.fullmatch(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?", text)
    first, last = (int(given[1]), int(given[2] or given[1])) if given else (1, 0)
    if first > last:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of turns, such as 10-20")
    return first, last


def game_name(text: str) -> str:
    """Return the name of a game, which may also be given as a file, a folder or a package."""
    try:
        return find_game(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def ip_address(text: str) -> str:
    """Parse an IPv4 or IPv6 address.

    An address can be written in several ways. This returns the shortest, so that you can compare
    the results as text.
    """
    import ipaddress

    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as 127.0.0.1") from None


Count: TypeAlias = Annotated[int, count]
CountOrNever: TypeAlias = Annotated[int, count_or_never]
DealSeeds: TypeAlias = Annotated[DealSeedsInFile, deal_seeds]
GameName: TypeAlias = Annotated[str, game_name]
IpAddress: TypeAlias = Annotated[str, ip_address]
Number: TypeAlias = Annotated[float, number]
PlayerNumber: TypeAlias = Annotated[int, player]
Probability: TypeAlias = Annotated[float, probability]
Seconds: TypeAlias = Annotated[float, seconds]
Seed: TypeAlias = Annotated[int, seed]
TurnRange: TypeAlias = Annotated[tuple[int, int], turns]
Variable: TypeAlias = Annotated[tuple[str, str], variable]
