"""In every game, what a seat receives or sees must not depend on information hidden from it."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.dialect import DialectKind
from referee.games.interface.game import ALL, GameSetup
from tests.support.any_game import TOY, every_game
from tests.support.helpers import TIMES
from tests.support.leaks import Compared, Pair, every_choice, hidden_in


def drawn(name: str, draw: Callable[[int, int], int]) -> Pair:
    """Choose a pair of matches of a game.

    Args:
        draw: returns a number between its two arguments, both included.
    """
    definition = GAMES[name]
    seats = draw(definition.min_seats, definition.max_seats)
    choice = every_choice(definition.options)
    return Pair(
        definition=definition,
        hidden=hidden_in(name),
        options=choice[draw(0, len(choice) - 1)],
        seats=seats,
        viewer=draw(0, seats - 1),
        # Much larger than any other number in a match, so it can be searched for in the lines.
        seed=draw(2**40, 2**53 - 2),
        choices=draw(0, 2**32),
        fork=draw(0, 80),
        change=draw(0, 2**32),
    )


def pairs(name: str, count: int, **fields: int) -> list[Pair]:
    """Return `count` pairs, the same ones in every run, with other values for these fields."""
    made = (drawn(name, Random(number).randint) for number in range(count))
    return [dataclasses.replace(pair, **fields) for pair in made]


def soon(some: Iterable[Pair], length: int) -> Iterator[Pair]:
    """Let the pairs fork earlier, and compare fewer observations."""
    return (dataclasses.replace(pair, fork=pair.fork // 4, length=length) for pair in some)


def compare(some: Iterable[Pair]) -> Compared:
    return sum((pair.compare() for pair in some), Compared())


@pytest.mark.untraced
@every_game
def test_what_is_hidden_changes_no_line_and_no_view(name: str) -> None:
    """Compare two matches that differ only in hidden information, until it becomes public.

    No line or view may contain the seed, since anybody who knows it can predict the match.
    """
    assert compare(soon(pairs(name, 3), 3)).moments > 5


@pytest.mark.untraced
@pytest.mark.slow
@every_game
def test_pairs_are_apart_in_all_that_is_kept_from_a_seat(name: str) -> None:
    """If this fails, `hidden.py` is incomplete, and the test above proves nothing."""
    kept: set[str] = set()
    changed = set(hidden_in(name).told)
    for pair in pairs(name, 10):
        of_seat, of_fork = pair.kept_and_changed()
        kept |= of_seat
        changed |= of_fork
    assert kept <= changed
    compared = compare(soon(pairs(name, 10 * TIMES), 15))
    assert compared.moments > 20
    assert compared.lines > 10
    if kept:
        assert compared.apart > 20
        assert compared.dealt > 10 or not hasattr(GAMES[name].new, "redeal")


# --- the tests above find what leaks --------------------------------------------------------------


class Whisper(Struct, frozen=True, tag="whisper"):
    """A public message that leaks a number."""

    secret: int


def leaky(definition: GameDefinition, where: str) -> GameDefinition:
    """Make a variant of a game that leaks a number.

    Args:
        where: "line" or "view" leaks a number computed from the hidden state, in a public message
            or in the view. "seed" leaks the seed in a message.
    """

    def new(setup: GameSetup) -> Any:
        game: Any = definition.new(setup)
        chance: Any = setup.chance

        class Leaky(type(game)):  # type: ignore[misc]
            __slots__ = ()

            def secret(self) -> int:
                if where == "seed":
                    return setup.seed
                whole = msgspec.json.encode(super().view(ALL))
                return zlib.crc32(whole + b"%d" % chance._seed)

            def take_events(self) -> list[Struct]:
                events: list[Struct] = super().take_events()
                return events if where == "view" else [*events, Whisper(self.secret())]

            def view(self, viewer: Any) -> Any:
                view = super().view(viewer)
                if where != "view" or viewer is ALL:
                    return view
                known = {field: getattr(view, field) for field in view.__struct_fields__}
                more = msgspec.defstruct(
                    "View", [("secret", int)], bases=(type(view),), kw_only=True
                )
                return more(**known, secret=self.secret())

        game.__class__ = Leaky
        return game

    return replace(definition, new=new)


@pytest.mark.untraced
@pytest.mark.parametrize("name", ["dominion", TOY])
@pytest.mark.parametrize("where", ["line", "view", "seed"])
def test_a_leak_is_found(name: str, where: str) -> None:
    rules = leaky(GAMES[name], where)
    with pytest.raises(AssertionError):
        compare([dataclasses.replace(pair, definition=rules) for pair in pairs(name, 10)])


@pytest.mark.untraced
def test_cards_that_are_not_dealt_again_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GAMES["dominion"].new, "redeal", lambda *_: None)
    with pytest.raises(AssertionError):
        compare(pairs("dominion", 10))


def test_a_game_that_does_not_say_what_it_hides_fails() -> None:
    with pytest.raises(AssertionError, match=r"chess/hidden\.py must say"):
        hidden_in("chess")


# --- dialects -------------------------------------------------------------------------------------


@pytest.mark.untraced
@pytest.mark.parametrize("name", [name for name in GAMES if GAMES[name].dialects])
def test_no_dialect_gives_the_seed_away_but_those_that_say_so(name: str) -> None:
    """Dialects get the seed as an argument, but what they send to a bot must not depend on it."""
    hidden, (pair,) = hidden_in(name), pairs(name, 1, fork=30)
    lines = next(pair.play(changed=False)).new
    assert len(lines) > 20

    def said(kind: DialectKind, seed: int) -> list[bytes]:
        dialect = kind.new(pair.viewer, seed, "Ann")
        return [dialect.send(line.rstrip(b"\n")) for line in lines]

    dialects = GAMES[name].dialects
    assert hidden.giving <= dialects.keys()
    for word in dialects.keys() - hidden.giving:
        assert said(dialects[word], pair.seed) == said(dialects[word], pair.seed + 1), word
